#!/usr/bin/env python3
"""Sizes of conditions: with a state for every statement (format version 1) and for every decision (version 2).

  benchmarks/conditions.py --bin target/release [--set pairs] [--detector diffdp] --out DIR

Writes `raw.csv`, a row per pair: states, edges and bytes of both, bytes of the graph, and CPU seconds of the reducer on both.
Prints medians and the largest per family. A pair whose detection takes more than `--limit` seconds of CPU is left out.
"""

import argparse
import csv
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import chain
import taskset

COUNTS = {"states": "condition states", "edges": "condition edges"}


def spent(command):
    """What a command prints on stderr, and its CPU seconds; None if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (ran.stderr, seconds) if ran.returncode == 0 else None


def row(task, options, folder):
    """The row of a pair, or None if there is none."""
    tools, graph, residual = options.bin, folder / "graph.json", folder / "residual.c"
    detected = spent([*chain.detect(tools, options.detector, task, graph), "--budget", options.limit])
    if detected is None:
        return None
    found = {"pair": task.stem, "family": task.family, "graph bytes": graph.stat().st_size}
    for version in (1, 2):
        condition = folder / f"condition-{version}.graphml"
        said, _ = spent([tools / "condgen", "--stats", "--format-version", version, "-o", condition, graph])
        for name, line in COUNTS.items():
            found[f"{name} {version}"] = int(re.search(rf"{line}: +(\d+)", said)[1])
        found[f"bytes {version}"] = condition.stat().st_size
        reduced = spent(chain.reduce(tools, condition, residual))
        found[f"reduce {version}"] = f"{reduced[1]:.2f}" if reduced else ""
    return found


def summary(rows):
    """A line per family: median and largest."""
    lines = ["| family | pairs | states, median (largest), version 1 | version 2 | kB, version 1 | version 2 |", "|---|---|---|---|---|---|"]
    for family in [*sorted({one["family"] for one in rows}), "all"]:
        own = [one for one in rows if family in (one["family"], "all")]
        short = lambda number, unit: f"{round(number / unit, 1):.7g}"
        told = lambda name, unit: f"{short(statistics.median(one[name] for one in own), unit)} ({short(max(one[name] for one in own), unit)})"
        cells = [told(f"states {version}", 1) for version in (1, 2)] + [told(f"bytes {version}", 1000) for version in (1, 2)]
        lines.append(f"| {family} | {len(own)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--set", default="pairs")
    parser.add_argument("--detector", choices=["diffdp", "diffcond"], default="diffdp")
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
