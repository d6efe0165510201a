#!/usr/bin/env python3
"""The evaluation of the papers, as a table, from rows of `run.py`: what conditions bring, by family and way of checking.

  benchmarks/evaluation.py DIR... [--baseline verify]

For each configuration in `DIR/raw.csv`: tasks solved; of those that it and the baseline solve how many it solves in less CPU time
(both at least 0.1 s apart, else the clock decides); and the share of the detector in the CPU time of the tasks it solves. The baseline
is the modified program alone. Prints Markdown.
"""

import argparse
import statistics
from pathlib import Path

import results

# Seconds that two runs of the same work may differ by.
NOISE = 0.1


def number(row, name):
    """A cell as seconds."""
    return float(row[name] or 0)


def cell(own, full):
    """What is said of a configuration on some tasks."""
    solved = [one for one in own if one["outcome"] == "solved"]
    wrong = sum(one["outcome"] == "wrong" for one in own)
    both = [(one, full[one["task"]]) for one in solved if full.get(one["task"], {}).get("outcome") == "solved"]
    faster = sum(number(one, "cpu_total") + NOISE < number(other, "cpu_total") for one, other in both)
    slower = sum(number(one, "cpu_total") > number(other, "cpu_total") + NOISE for one, other in both)
    only = sum(full.get(one["task"], {}).get("outcome") != "solved" for one in solved)
    shares = [number(one, "cpu_detect") / number(one, "cpu_total") for one in solved if number(one, "cpu_detect")]
    share = f"{100 * statistics.median(shares):.0f} %" if shares else ""
    return f"{len(solved)} | {wrong} | {only} | {faster} / {slower} | {share}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--baseline", default="verify")
    options = parser.parse_args()
    rows = [row for folder in options.folders for row in results.load(folder)]
    full = {row["task"]: row for row in rows if row["config"] == options.baseline}
    names = [options.baseline, *sorted({row["config"] for row in rows} - {options.baseline})]
    print(f"| family | configuration | tasks | solved | wrong | only with it | faster / slower than {options.baseline} | detector's share |")
    print("|---" * 8 + "|")
    for family in [*sorted({row["family"] for row in rows}), "all"]:
        for name in names:
            own = [row for row in rows if row["config"] == name and family in (row["family"], "all")]
            print(f"| {family} | {name} | {len(own)} | {cell(own, full)} |")


if __name__ == "__main__":
    main()
