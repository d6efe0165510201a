#!/usr/bin/env python3
"""What it saves that both versions are one program as long as they do the same: questions to solvers with that and without, where whole
versions run one after the other (`--without lockstep`), same binary, same limit of steps.

Pairs are those of folders as `equivalence.py` takes them (CLEVER, ModDiff, EqBench), asked about in the same way. A row is inactive
where no run comes to where the versions part; on such rows there should be no question about what differs.

    python3 benchmarks/lockstep.py --bin target/release --root DIR [--match REGEX] [--steps N] --out benchmarks/runs/DATE-lockstep/raw.csv
"""

import argparse
import csv
import json
import math
import pathlib
import re
import subprocess

from equivalence import EQUAL, OTHER, entry, pairs


def numbers(binary, asked, files, steps, flags):
    """Verdict, what it is by, questions to solvers and questions about what differs."""
    command = [str(binary), "--json", "--stats", "--steps", str(steps), "--budget", "60", *asked, *flags, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    count = lambda name: int((re.search(rf"^{name}:\s*(\d+)", done.stderr, re.M) or [0, 0])[1])
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = {"verdict": "unknown"}
    return said["verdict"], said.get("by") or "", count("queries"), count("boundaries")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--match", default="")
    parser.add_argument("--steps", type=int, default=400_000)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    rows = []
    for folder, old, new, label in pairs(arguments.root, arguments.match):
        texts = [file.read_text(errors="replace") for file in (old, new)]
        name = folder.parent.name if folder.name in EQUAL | OTHER else folder.name
        asked = ["--undefined", "both", "--observe", "return", "--entry", entry(texts, name, folder)]
        one = lambda flags: numbers(arguments.bin / "cse", asked, (old, new), arguments.steps, flags)
        with_it, without = one([]), one(["--without", "lockstep"])
        rows.append([folder.relative_to(arguments.root), *with_it, *without])
        print(*rows[-1], flush=True)
    with arguments.out.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["pair", "verdict", "by", "queries", "boundaries", "verdict without", "by without", "queries without",
                         "boundaries without"])
        writer.writerows(rows)
    asked = [row for row in rows if row[3] + row[7] and row[1] != "not-equivalent"]
    inactive = [row for row in asked if row[2] == "lockstep"]
    mean = lambda some: math.exp(sum(math.log((row[7] + 1) / (row[3] + 1)) for row in some) / max(1, len(some)))
    print(f"{len(asked)} pairs with questions, {mean(asked):.2f} times as many without; {len(inactive)} inactive, {mean(inactive):.2f} times, "
          f"{sum(row[4] > 0 for row in inactive)} of them with questions about what differs")


if __name__ == "__main__":
    main()
