#!/usr/bin/env python3
"""What a proof of the original saves when the modified program is verified: steps and CPU seconds with and without it.

Of every pair whose original is TRUE (and proved within the limit) the modified program is verified under its condition and as a
whole, each without a proof and with that of the original. Rows go to stdout as CSV.
"""

import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def fields(task):
    lines = [line.split(": ", 1) for line in task.read_text().splitlines() if ": " in line]
    return {key: value.strip('"') for key, value in lines}


def run(tool, arguments, folder, limit):
    try:
        return subprocess.run([tool, *arguments], cwd=folder, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None


def verify(tool, arguments, folder, limits):
    """Verdict, steps and CPU seconds."""
    steps, seconds = limits
    flags = ["--json", "--stats", "-q", "--steps", str(steps)]
    ran = run(tool, [*flags, *arguments], folder, seconds)
    if ran is None or not ran.stdout.strip():
        return None
    report = json.loads(ran.stdout.strip().splitlines()[-1])
    verdict = "UNKNOWN" if report["verdict"].startswith("UNKNOWN") else report["verdict"]
    return verdict, int(report["statistics"].get("steps", 0)), report["cpu_seconds"]


def rows(task, binaries, limits):
    own = fields(task)
    original, modified = ((task.parent / own[name]).resolve() for name in ("original", "modified"))
    flags = ["--data-model", own["data_model"], "--property", own["property"]]
    if "entry" in own:
        flags += ["--entry", own["entry"]]
    with tempfile.TemporaryDirectory() as folder:
        proved = verify(binaries / "verify", [*flags, "--proof", "proof.json", str(original)], folder, limits)
        proof = Path(folder) / "proof.json"
        if proved is None or proved[0] != "TRUE":
            return
        kept = proof.read_bytes()
        facts = len(json.loads(kept)["facts"])
        run(binaries / "diffdp", ["--task", str(task), "-o", "graph.json"], folder, limits[1])
        run(binaries / "condgen", ["-o", "condition.graphml", "graph.json"], folder, limits[1])
        asked = {"change": ["--task", str(task), "--condition", "condition.graphml"], "whole": [*flags, str(modified)]}
        for question, arguments in asked.items():
            alone = verify(binaries / "verify", arguments, folder, limits)
            proof.write_bytes(kept)
            helped = verify(binaries / "verify", ["--proof", "proof.json", *arguments], folder, limits)
            if alone is not None and helped is not None:
                yield [own["id"], question, facts, *alone, *helped]


def summary(table):
    """How many questions of a kind, median and greatest ratio of steps, greatest excess of CPU time."""
    for name, keep in [
        ("all", lambda row: True),
        ("TRUE", lambda row: row[3] == "TRUE"),
        ("TRUE, up to 10000 steps without a proof", lambda row: row[3] == "TRUE" and row[4] <= 10_000),
        ("TRUE, more than 10000 steps", lambda row: row[3] == "TRUE" and row[4] > 10_000),
        ("FALSE", lambda row: row[3].startswith("FALSE")),
        ("FALSE, more than 10000 steps", lambda row: row[3].startswith("FALSE") and row[4] > 10_000),
    ]:
        own = [row for row in table if keep(row) and row[4] > 0]
        if own:
            ratios = [row[7] / row[4] for row in own]
            excess = max(row[8] - 1.1 * row[5] for row in own)
            yield f"{name}: {len(own)} questions, median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}, CPU at most 1.1 x + {excess:.2f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path, default=Path(os.environ.get("RESIDUE_SHARED", "../shared")) / "tasks/pairs")
    parser.add_argument("--bin", type=Path, default=Path("target/release"))
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--sample", type=int, help="so many pairs, drawn with a fixed seed")
    options = parser.parse_args()
    tasks = [task for task in sorted(options.tasks.glob("*/*.yml")) if fields(task).get("truth_original") == "true"]
    if options.sample is not None:
        random.Random(1).shuffle(tasks)
        tasks = tasks[: options.sample]
    out = csv.writer(sys.stdout)
    out.writerow(["id", "question", "facts", "verdict", "steps", "cpu", "verdict_with", "steps_with", "cpu_with"])
    table = []
    for task in tasks:
        for row in rows(task.resolve(), options.bin.resolve(), (options.steps, options.seconds)):
            out.writerow(row)
            sys.stdout.flush()
            table.append(row)
    wrong = [row for row in table if {row[3], row[6]} >= {"TRUE", "FALSE(unreach-call)"}]
    for line in summary(table):
        print(line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
