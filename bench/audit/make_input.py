"""Writes a tau-bench file of about so many megabytes: make_input.py MEGABYTES OUT [TAU_BENCH_FILE].

Each conversation is one of the given file's with the digits of its ids changed, or a made-up one about storage, so that
no two are alike. The same arguments give the same bytes."""
import json
import random
import re
import sys


def changed(text, shift):
    """Ids are runs of four digits and more; the same id stays the same id within a conversation, and a number a number."""

    def spelled(run):
        first, rest = run.group()[0], run.group()[1:]
        head = first if first == "0" else str((int(first) - 1 + shift) % 9 + 1)
        return head + "".join(str((int(digit) + shift) % 10) for digit in rest)

    return re.sub(r"\d{4,}", spelled, text)


def made_up(number, rng):
    host = f"db-prod-{number:05d}"
    messages = [{"role": "user", "content": f"What is slow on {host}?"}]
    seen = []
    for step in range(12):
        rows = [
            {"volume": f"vol-{rng.randrange(10**6):06d}", "iops": rng.randrange(10**5), "latency_ms": round(rng.random() * 40, 2),
             "state": rng.choice(["ok", "degraded"]), "array": f"alpha-{rng.randrange(90):02d}"}
            for _ in range(12)
        ]
        seen += rows
        call = {"id": f"call_{step}", "type": "function",
                "function": {"name": "volumes", "arguments": json.dumps({"host": host, "page": step})}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{step}", "name": "volumes", "content": json.dumps({"rows": rows})})
    worst = max(seen, key=lambda row: row["latency_ms"])
    text = f"{worst['volume']} on {worst['array']}: {worst['latency_ms']} ms at {worst['iops']:,} IOPS; {len(seen)} volumes looked at."
    messages.append({"role": "assistant", "content": text})
    return json.dumps({"task_id": number, "traj": messages})


def main():
    megabytes, out, source = int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""
    given = [json.dumps(run) for run in json.load(open(source))] if source else []
    rng = random.Random(7)
    written = number = 0
    with open(out, "w") as file:
        file.write("[")
        while written < megabytes * 1_000_000:
            if given:
                text = changed(given[number % len(given)], number // len(given) % 9)
            else:
                text = made_up(number, rng)
            written += file.write(("," if number else "") + text + "\n")
            number += 1
        file.write("]\n")
    print(f"{number} conversations, {written / 1e6:.1f} MB, made {'from ' + source.split('/')[-1] if source else 'up'}")


main()
