#!/usr/bin/env python3
"""What certificates cost: the detector with and without writing one, and the check of graph and condition.

  benchmarks/certificates.py --bin target/release [--set pairs] --out DIR

Writes `raw.csv`, a row per pair: the answer of `residue validate`, CPU seconds of `diffdp` alone, of `diffdp --certificate` and of the
check, bytes of graph and certificate. Prints totals and medians per family. A pair whose detection takes more than `--limit`
seconds of CPU is left out.
"""

import argparse
import csv
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import chain
import taskset


def spent(command):
    """What a command prints on stdout, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ran.stdout.strip(), ran.returncode, seconds


def row(task, options, folder):
    """The row of a pair, or None if there is none."""
    tools = options.bin
    graph, certificate, condition = folder / "graph.json", folder / "certificate.json", folder / "condition.graphml"
    detect = [*chain.detect(tools, "diffdp", task, graph), "--budget", options.limit]
    if spent(detect)[1]:
        return None
    _, _, alone = spent(detect)
    _, _, written = spent([*detect, "--certificate", certificate])
    spent([tools / "condgen", "-o", condition, graph])
    said, _, checked = spent([tools / "residue", "validate", "--certificate", certificate, "--condition", condition, graph])
    return {
        "pair": task.stem,
        "family": task.family,
        "answer": said.split(":")[0],
        "detect": f"{alone:.3f}",
        "certify": f"{written:.3f}",
        "validate": f"{checked:.3f}",
        "graph bytes": graph.stat().st_size,
        "certificate bytes": certificate.stat().st_size,
    }


def summary(rows):
    """A line per family."""
    lines = ["| family | pairs | valid | CPU s: detector | with certificate | check, both read anew | kB: certificate, median (largest) |",
             "|---|---|---|---|---|---|---|"]
    for family in [*sorted({one["family"] for one in rows}), "all"]:
        own = [one for one in rows if family in (one["family"], "all")]
        total = [f"{sum(float(one[name]) for one in own):.1f}" for name in ("detect", "certify", "validate")]
        sizes = [one["certificate bytes"] / 1000 for one in own]
        valid = sum(one["answer"] == "VALID" for one in own)
        size = f"{statistics.median(sizes):.1f} ({max(sizes):.1f})"
        lines.append(f"| {family} | {len(own)} | {valid} | " + " | ".join([*total, size]) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--set", default="pairs")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for task in taskset.read_set(taskset.set_file(options.set), taskset.shared_folder()):
        if task.original is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if found := row(task, options, Path(folder)):
                rows.append(found)
                print(*found.values(), file=sys.stderr, flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "raw.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (options.out / "summary.md").write_text(summary(rows))
    print(summary(rows), end="")


if __name__ == "__main__":
    main()
