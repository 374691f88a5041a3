"""Runs the audit of a large and of a small file and prints what it took: measure.py PROGRAM LARGE SMALL."""
import os
import subprocess
import sys
import time


def run(arguments):
    """Wall seconds, processor seconds, peak kB. The audit exits with 1 when it has findings."""
    before = time.perf_counter()
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - before
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(arguments)} failed: {errors.decode(errors='replace')[:400]}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def largest_conversation(path):
    with open(path) as file:
        return max(len(line) for line in file)


def main():
    program, large, small = sys.argv[1:4]
    size = os.path.getsize(large) / 1e6
    for label, extra in (("text", []), ("--json", ["--json"])):
        wall, cpu, peak = min(run([program, "audit", large, *extra]) for _ in range(2))
        print(f"audit {label}: {size:.0f} MB in {wall:.2f} s = {size / wall:.0f} MB/s ({size / cpu:.0f} MB/s of processor time), "
              f"peak {peak / 1024:.1f} MiB, largest conversation {largest_conversation(large) / 1e6:.2f} MB")
    times = sorted(run([program, "audit", small])[0] for _ in range(41))
    processor = sorted(run([program, "audit", small])[1] for _ in range(41))
    nothing = sorted(run(["/bin/true"])[0] for _ in range(41))
    print(f"audit of {os.path.getsize(small) / 1e3:.0f} kB, whole process: {times[20] * 1e3:.1f} ms "
          f"(processor {processor[20] * 1e3:.1f} ms; starting /bin/true {nothing[20] * 1e3:.1f} ms)")


main()
