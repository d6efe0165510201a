#!/usr/bin/env python3
"""What changed between a student's program and its repair: `invdiff` on pairs `ID_buggy.c`, `ID_correct.c` of a public corpus.

Two tables, in the shape of those of *Invariant Diffs* (arXiv 1911.07988): what changed in each pair and how long it took, and how
time grows from two versions of a task to six. The corpus is not part of this repository: see --corpus. Writes two CSV files.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

TASKS = ["2810", "2811", "2812", "2813", "2824", "2825", "2827", "2828", "2830", "2832"]
PAIRS = ["270025", "270048", "270053", "270057", "270142", "270150", "270194", "270201", "270220", "270227", "270330", "270357",
         "270391", "270406", "270466", "271056", "271154", "271206", "271340", "271410", "271464", "271471", "271876"]


def run(options, files):
    command = [options.tool, "--to", "json", "--at", "exit", "--stats", "--steps", str(options.steps), "--budget", str(options.budget)]
    begin = time.monotonic()
    ran = subprocess.run(command + options.flags.split() + [str(file) for file in files], capture_output=True, text=True)
    wall = time.monotonic() - begin
    if ran.returncode not in (0, 3):
        why = next((line for line in ran.stderr.splitlines() if "error" in line), ran.stderr.strip()[-200:])
        return {"seconds": round(wall, 3), "why": why}
    table = json.loads(ran.stdout)
    letters = "".join(one["status"] for one in table["instances"])
    kinds = [churn["kind"] for churn in table["churns"]]
    everywhere = sum(set(one["status"]) == {"H"} for one in table["instances"])
    return {"facts": len(table["instances"]), "letters": len(letters), "decided": sum(letter != "?" for letter in letters),
            "invariants of all": everywhere, "broken": kinds.count("broken"), "gained": kinds.count("gained"),
            "other changes": sum(kind not in ("broken", "gained", "open") for kind in kinds), "open": kinds.count("open"),
            "queries": table["statistics"].get("queries", 0), "seconds": round(wall, 3), "why": ""}


def write(file, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(file, "w", newline="") as out:
        writer = csv.DictWriter(out, names, restval="")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="a folder with folders of tasks below it, e.g. `dataset` of ITSP")
    parser.add_argument("--bin", default="target/release")
    parser.add_argument("--out", type=Path, default=Path("."))
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--budget", type=int, default=10)
    parser.add_argument("--flags", default="", help="more options of invdiff")
    parser.add_argument("--only", choices=["pairs", "growth"])
    options = parser.parse_args()
    options.tool = str((Path(options.bin) / "invdiff").resolve())
    found = {file.name.removesuffix("_buggy.c"): file for file in sorted(options.corpus.rglob("*_buggy.c"))}
    fixed = lambda file: file.with_name(file.name.replace("_buggy", "_correct"))
    if not found:
        sys.exit(f"no pairs below {options.corpus}")
    options.out.mkdir(parents=True, exist_ok=True)
    if options.only != "growth":
        rows = [{"pair": pair, **run(options, [found[pair], fixed(found[pair])])} for pair in PAIRS if pair in found]
        write(options.out / "pairs.csv", rows)
        seconds = [row["seconds"] for row in rows]
        decided, letters = (sum(row.get(name, 0) for row in rows) for name in ("decided", "letters"))
        print(f"{len(rows)} pairs: median {statistics.median(seconds):.3f} s, most {max(seconds):.3f} s, {decided} of {letters} letters")
    if options.only != "pairs":
        rows = []
        for task in TASKS:
            pairs = [file for file in found.values() if file.parent.name == task][:3]
            files = [one for file in pairs for one in (file, fixed(file))]
            rows += [{"task": task, "versions": count, **run(options, files[:count])} for count in range(2, len(files) + 1)]
        write(options.out / "growth.csv", rows)
        print(f"{len(rows)} runs of {len(TASKS)} tasks: most {max((row['seconds'] for row in rows), default=0):.3f} s")


if __name__ == "__main__":
    main()
