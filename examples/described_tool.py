#!/usr/bin/env python3
"""A tool that returns described results, written without this library: only the standard library is needed.

`vm_sizes` reads a nightly export and returns facts with their caveats, or an absence when nothing matched.
Run as a program it prints a catalogue of sample results for the gate:

    python3 examples/described_tool.py | agentfootprint check-semantics - --strict

The same dictionaries can be returned by an MCP server as structuredContent, or as JSON text. Markers and
notes come from docs/schemas/canonical-notes.json, the shape from docs/schemas/described-result.schema.json.
"""
import json
import pathlib

NOTES = json.loads(
    (pathlib.Path(__file__).parent.parent / "docs/schemas/canonical-notes.json").read_text("utf-8")
)

EXPORT = {
    "exportedAt": "2026-11-01T02:00:00Z",
    "rows": [
        {"vm": "vm-1", "datastore": "ds-9", "sizeTb": 1.5},
        {"vm": "vm-2", "datastore": "ds-9", "sizeTb": 12},
    ],
}

LIMITS = [{"what": "hosts that are not VMware", "why": "RVTools sees VMware only"}]


def not_covered(coverage):
    """The lines a model reads: first not_checked, then cannot_cover."""
    items = coverage.get("not_checked", []) + coverage.get("cannot_cover", [])
    return [f"{i['what']} — {i['why']}" if "why" in i else i["what"] for i in items]


def described(facts, provenance, coverage, render):
    envelope = {NOTES["semanticsMarker"]: True, "facts": facts, "provenance": provenance, "coverage": coverage}
    lines = not_covered(coverage)
    if lines:
        envelope["not_covered"] = lines
    envelope["render"] = render
    envelope["note"] = NOTES["semanticsNote"]
    return envelope


def absent(what, checked, cannot_cover):
    return {
        NOTES["absenceMarker"]: True,
        "outcome": "nothing_found",
        "looked_for": what,
        "checked": checked,
        "cannot_cover": cannot_cover,
        "retry_returns_the_same": True,
        "note": NOTES["absenceNote"],
    }


def vm_sizes(datastore):
    export_time = EXPORT["exportedAt"]  # when the world was measured: from the data, never typed in
    checked = [{"what": f"every VM in the RVTools export of {export_time}"}]
    rows = [r for r in EXPORT["rows"] if r["datastore"] == datastore]
    if not rows:
        return absent(f"VMs on {datastore}", checked, LIMITS)
    return described(
        [{"entity": r["vm"], "datastore": r["datastore"], "size_tb": r["sizeTb"]} for r in rows],
        {"measured_at": export_time, "source": "RVTools export"},
        {"checked": checked, "cannot_cover": LIMITS},
        {"default": "table", "columns": ["entity", "datastore", "size_tb"]},
    )


if __name__ == "__main__":
    samples = [vm_sizes("ds-9"), vm_sizes("ds-1")]
    print(json.dumps([{"name": "vm_sizes", "resultClass": "inventory", "results": samples}], ensure_ascii=False))
