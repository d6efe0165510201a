#!/usr/bin/env python3
"""Runs one stage of the chain for the workflow and writes a record of it.

usage: stage.py --record FILE [--artifact FILE] [--after RECORD]... --limit SECONDS [--harness FILE] [--data-model M]
                -- COMMAND...

The limit is CPU seconds of the whole chain: what the stages before took is subtracted. A stage that fails, or whose
predecessor failed, leaves an empty artifact and a record that says so, because one task must not stop the others.
"""
import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import chain  # noqa: E402 (the path comes first)
import measure  # noqa: E402

VERDICT_OR_ARTIFACT = (0, 1, 3)


def run(options, before):
    """Runs the command; returns its record."""
    left = max(1, options.limit - sum(record["cpu"] for record in before))
    code, out, err, cpu = measure.run(chain.within(options.command, left), left, Path.cwd())
    tool = Path(options.command[0]).name
    record = {"cpu": round(cpu, 2), "failed": "", "message": ""}
    if code not in VERDICT_OR_ARTIFACT:
        record["failed"] = f"{tool} exited with {code}"
        record["message"] = " ".join(err.split())[:200]
    elif options.artifact is None:
        record["verdict"], record["reason"] = measure.verdict_of(out)
        if record["verdict"] == "FALSE":
            record["confirmed"] = "yes" if chain.confirm(options.harness, options.data_model) else "no"
    elif options.artifact.suffix == ".json":
        record["indicators"] = chain.indicators(options.artifact)
    elif options.artifact.suffix == ".graphml":
        record["condition_states"] = chain.condition_states(options.artifact)
    return record


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, required=True)
    parser.add_argument("--artifact", type=Path)
    parser.add_argument("--after", type=Path, action="append", default=[])
    parser.add_argument("--limit", type=float, required=True)
    parser.add_argument("--harness", type=Path)
    parser.add_argument("--data-model")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    before = [json.loads(path.read_text()) for path in options.after]
    failed = next((record["failed"] for record in before if record["failed"]), "")
    record = {"cpu": 0.0, "failed": failed, "message": "", "skipped": True} if failed else run(options, before)
    if options.artifact and record["failed"]:
        options.artifact.write_text("")
    options.record.write_text(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
