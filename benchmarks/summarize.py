#!/usr/bin/env python3
"""Prints the summary of a run folder: solved / unknown / wrong per family and configuration, and CPU seconds per stage.

usage: summarize.py DIR > DIR/summary.md

DIR holds a raw.csv of our own runner, or results of BenchExec.
"""
import statistics
import sys

import results

STAGES = [*(f"cpu_{stage}" for stage in results.STAGES), "cpu_total"]


def main():
    """Reads raw.csv and writes Markdown."""
    rows = results.load(sys.argv[1])
    configs = sorted({row["config"] for row in rows})
    print("Cells: solved / unknown / wrong (tasks whose truth is not known count as none of these).\n")
    print("| family | " + " | ".join(configs) + " |\n|---|" + "---|" * len(configs))
    for family in [*sorted({row["family"] for row in rows}), "all"]:
        cells = []
        for config in configs:
            mine = [r["outcome"] for r in rows if r["config"] == config and family in (r["family"], "all")]
            cells.append(" / ".join(str(mine.count(o)) for o in ("solved", "unknown", "wrong")) if mine else "")
        print(f"| {family} | " + " | ".join(cells) + " |")
    print("\nCPU seconds per stage, median (maximum):\n")
    print("| configuration | family | " + " | ".join(s[4:] for s in STAGES) + " |\n|---|---|" + "---|" * len(STAGES))
    for config in configs:
        for family in sorted({row["family"] for row in rows}):
            cells = []
            for stage in STAGES:
                times = [float(r[stage]) for r in rows if (r["config"], r["family"]) == (config, family) and r[stage]]
                cells.append(f"{statistics.median(times):.2f} ({max(times):.2f})" if times else "")
            if any(cells):
                print(f"| {config} | {family} | " + " | ".join(cells) + " |")
    wrong = [row for row in rows if row["outcome"] == "wrong"]
    print(f"\nWrong: {len(wrong)}\n")
    for row in wrong:
        print(f"* {row['config']} {row['task']}: {row['verdict']}, confirmed: {row['confirmed'] or '-'}")
    faults = [row for row in rows if row.get("fault")]
    if faults:
        print(f"\nFaults: {len(faults)}\n")
        for row in faults:
            print(f"* {row['config']} {row['task']}: {row['fault']}, {row['reason']}")


if __name__ == "__main__":
    main()
