#!/usr/bin/env python3
"""What ABC decides on circuits of programs that `verify` left open.

Reads the results of an earlier run of `verify` on single programs, takes those that were unknown and whose name fits a pattern,
and runs the portfolio behind `--verifier abc` on each. Writes one row per program; a verdict that contradicts what is known of
the program is wrong, and ends this with exit code 1.

    benchmarks/circuits.py --bin target/release --of benchmarks/runs/2026-11-23-singles-10s/raw.csv --seconds 60 OUT.csv
"""
import argparse
import csv
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PORTFOLIO = ROOT / "pipelines/external/residue_verifiers/abc_portfolio.py"
FAMILIES = "pals|token_ring|transmitter|Problem|soft_float"
FIELDS = ["task", "expected", "verdict", "outcome", "by", "cpu", "inputs", "latches", "gates"]


def decide(arguments, program, model):
    """Verdict, who says so, CPU seconds, and the size of the circuit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, PORTFOLIO, "--abc", arguments.abc, "--circuit", Path(arguments.bin).resolve() / "circuit",
                   "--model", model, "--seconds", str(arguments.seconds), "--work", folder, program]
        ran = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [line for line in ran.stdout.decode(errors="replace").splitlines() if line.strip()] or [""]
    size = re.search(r"circuit: (\d+) inputs, (\d+) latches, (\d+) gates", "\n".join(lines))
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return lines[-1], lines[-2] if len(lines) > 1 else "", seconds, size.groups() if size else ("", "", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "target/release", help="the folder of the tools")
    parser.add_argument("--abc", default="/usr/bin/berkeley-abc", help="the executable of ABC")
    parser.add_argument("--of", required=True, metavar="RAW.csv", help="results of verify")
    parser.add_argument("--families", default=FAMILIES, metavar="REGEX")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("output", metavar="OUT.csv")
    arguments = parser.parse_args()
    shared = Path(os.environ.get("RESIDUE_SHARED", ROOT.parent / "shared")) / "tasks"
    models = {row["program"]: row["data_model"] for row in csv.DictReader((shared / "singles.csv").open())}
    rows = [row for row in csv.DictReader(open(arguments.of)) if row["outcome"] == "unknown" and re.search(arguments.families, row["task"])]
    wrong = 0
    with open(arguments.output, "w", newline="") as file:
        table = csv.DictWriter(file, FIELDS)
        table.writeheader()
        for row in rows:
            verdict, by, seconds, (inputs, latches, gates) = decide(arguments, shared / row["task"], models[row["task"]])
            decided = {"TRUE": "true", "FALSE": "false"}.get(verdict)
            outcome = "unknown" if decided is None else "solved" if decided == row["expected"] else "wrong"
            wrong += outcome == "wrong"
            table.writerow(dict(zip(FIELDS, [row["task"], row["expected"], verdict, outcome, by, f"{seconds:.2f}", inputs, latches, gates])))
            file.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
