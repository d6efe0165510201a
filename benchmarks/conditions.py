#!/usr/bin/env python3
"""Sizes of conditions: with a state for every statement (format version 1) and for every decision (version 2).

  benchmarks/conditions.py --bin target/release [--set pairs] [--detector diffdp] --out DIR

Writes `raw.csv`, a row per pair: states, edges and bytes of both, bytes of the graph, and CPU seconds of the reducer on both.
Prints medians and the largest per family. A pair whose detection takes more than `--limit` seconds of CPU is left out.
"""

import re
import statistics

import chain
import perpair

COUNTS = {"states": "condition states", "edges": "condition edges"}


def row(task, options, folder):
    """The row of a pair, or None if there is none."""
    tools, graph, residual = options.bin, folder / "graph.json", folder / "residual.c"
    detected = perpair.spent([*chain.detect(tools, options.detector, task, graph), "--budget", options.limit])
    if detected.code:
        return None
    found = {"pair": task.stem, "family": task.family, "graph bytes": graph.stat().st_size}
    for version in (1, 2):
        condition = folder / f"condition-{version}.graphml"
        said = perpair.spent([tools / "condgen", "--stats", "--format-version", version, "-o", condition, graph]).stderr
        for name, line in COUNTS.items():
            found[f"{name} {version}"] = int(re.search(rf"{line}: +(\d+)", said)[1])
        found[f"bytes {version}"] = condition.stat().st_size
        reduced = perpair.spent(chain.reduce(tools, condition, residual))
        found[f"reduce {version}"] = "" if reduced.code else f"{reduced.seconds:.2f}"
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
    perpair.run(__doc__, row, summary, {"--detector": {"choices": ["diffdp", "diffcond"], "default": "diffdp"}})


if __name__ == "__main__":
    main()
