#!/usr/bin/env python3
"""What detection costs beside `gcc -fsyntax-only` on the same two files, and how it grows with the size of programs.

  benchmarks/detection.py --bin target/release [--set pairs] --out DIR
  benchmarks/detection.py --grow 1000000 --bin target/release --out DIR
  third-party/external/venv/bin/python benchmarks/detection.py --plot DIR

The first writes `raw.csv`, a row per pair: lines of both programs, CPU seconds of gcc on both files, of `diffcond` and of `diffdp`,
the least of three runs each (of one that takes longer than 5 s, itself), and prints medians per
family. A pair whose detection takes more than `--limit` seconds of CPU is left out. The second writes `growth.csv`, the same for pairs that are made here, with one statement changed, up to so many lines. The
third draws both.
"""

import argparse
import csv
import statistics
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import chain
import perpair

RUNS = 3
# Seconds.
LONG = 5
DETECTORS = ["diffcond", "diffdp"]
COLUMNS = ["gcc", *DETECTORS]
# What a made pair is to the functions here: a task.
Made = namedtuple("Made", "original modified model prop")


def least(command):
    """CPU seconds of the fastest run, or None if one fails; what takes long is not run again."""
    ran = [perpair.spent(command)]
    ran += [perpair.spent(command) for _ in range(RUNS - 1) if ran[0].seconds < LONG]
    return None if any(one.code for one in ran) else min(one.seconds for one in ran)


def measure(task, options, folder):
    """CPU seconds by column, or None if something fails."""
    found = {}
    # As C: gcc takes minutes for some texts that end in .i.
    syntax = ["gcc", "-fsyntax-only", "-w", "-std=gnu11", "-x", "c", *(["-m32"] if task.model == "ILP32" else [])]
    each = [least([*syntax, file]) for file in (task.original, task.modified)]
    if None in each:
        return None
    found["gcc"] = sum(each)
    for detector in DETECTORS:
        found[detector] = least([*chain.detect(options.bin, detector, task, folder / "graph.json"), "--budget", options.limit])
        if found[detector] is None:
            return None
    return {name: f"{seconds:.4f}" for name, seconds in found.items()}


def lines(task):
    """Lines of both programs."""
    return sum(Path(file).read_bytes().count(b"\n") for file in (task.original, task.modified))


def row(task, options, folder):
    """The row of a pair, or None if there is none."""
    found = measure(task, options, folder)
    return found and {"pair": task.stem, "family": task.family, "lines": lines(task), **found}


def ratio(rows, detector):
    """How many times what gcc takes: median and largest."""
    ratios = [float(one[detector]) / max(float(one["gcc"]), 0.001) for one in rows]
    return f"{statistics.median(ratios):.2f} ({max(ratios):.2f})"


def summary(rows):
    """A line per family."""
    out = ["| family | pairs | lines, median | gcc, CPU s, median | diffcond, times gcc, median (most) | diffdp |", "|---" * 6 + "|"]
    for family in [*sorted({one["family"] for one in rows}), "all"]:
        own = [one for one in rows if family in (one["family"], "all")]
        middle = [statistics.median(float(one[name]) for one in own) for name in ("lines", "gcc")]
        cells = [f"{middle[0]:.0f}", f"{middle[1]:.3f}", *(ratio(own, detector) for detector in DETECTORS)]
        out.append(f"| {family} | {len(own)} | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
# Of a function, with its call.
LINES = 17
FUNCTION = """int step{n}(int a, int b) {{
  int i, sum = a;
  for (i = 0; i < b; i++) {{
    if (sum > {n}) {{
      sum = sum - cells[i & 7];
    }} else {{
      sum = sum + b * {n};
    }}
  }}
  cells[{n} & 7] = sum;
  if (sum == {n} && a > b) {{
    reach_error();
  }}
  return sum;
}}
"""


def program(functions, changed):
    """A program of so many functions, called one after the other; one statement of the middle one is changed."""
    head = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint cells[8];\n"
    bodies = [FUNCTION.format(n=number) for number in range(functions)]
    if changed:
        middle = functions // 2
        bodies[middle] = bodies[middle].replace("int i, sum = a;", "int i, sum = a + 1;")
    calls = "".join(f"  x = step{number}(x, y);\n" for number in range(functions))
    return head + "".join(bodies) + "int main(void) {\n  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n" + calls + "  return x;\n}\n"


def grow():
    """Measures pairs that are made, each about three times as long as the one before."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--grow", type=int, required=True)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "growth.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["lines", *COLUMNS], lineterminator="\n")
        writer.writeheader()
        for size in (one for one in SIZES if one <= options.grow):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                for made, changed in (("original.c", False), ("modified.c", True)):
                    (folder / made).write_text(program(size // LINES, changed))
                task = Made(folder / "original.c", folder / "modified.c", "LP64", "unreach-call")
                if found := measure(task, options, folder):
                    found = {"lines": lines(task) // 2, **found}
                    writer.writerow(found)
                    file.flush()
                    print(*found.values())


def plot(folder):
    """Both tables as a picture."""
    import plot as pictures

    plt = pictures.plt
    plt.rcParams.update(pictures.SETTINGS)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4))
    rows = list(csv.DictReader(open(folder / "raw.csv")))
    for detector, (color, marker) in zip(DETECTORS, pictures.STYLES):
        own = [[float(one[name]) for one in rows] for name in ("gcc", detector)]
        left.scatter(*own, s=9, color=color, marker=marker, label=detector, linewidths=0)
    ends = [least(float(one["gcc"]) for one in rows) for least in (min, max)]
    left.plot(ends, ends, color="grey", linewidth=0.8, label="as much as gcc")
    left.set(xscale="log", yscale="log", xlabel="gcc -fsyntax-only on both files, CPU s", ylabel="detector, CPU s")
    grown = list(csv.DictReader(open(folder / "growth.csv")))
    for name, (color, marker) in zip([*DETECTORS, "gcc"], pictures.STYLES):
        right.plot([int(one["lines"]) for one in grown], [float(one[name]) for one in grown], color=color, marker=marker, markersize=4, label=name)
    right.set(xscale="log", yscale="log", xlabel="lines of each program", ylabel="CPU s")
    for part in (left, right):
        part.legend()
        # There is no room for the numbers between powers of ten.
        part.xaxis.set_minor_formatter(plt.NullFormatter())
    figure.tight_layout()
    figure.savefig(folder / "detection.svg", metadata={"Date": None})


def main():
    if "--plot" in sys.argv:
        plot(Path(sys.argv[sys.argv.index("--plot") + 1]))
    elif "--grow" in sys.argv:
        grow()
    else:
        perpair.run(__doc__, row, summary)


if __name__ == "__main__":
    main()
