#!/usr/bin/env python3
"""Draws the plots of run folders: `quantile.svg` and, for runs of changes, `scatter.svg`.

usage: plot.py DIR... [--png] [--baseline CONFIG] [--against CONFIG] [--limit SECONDS]

DIR holds a raw.csv of our own runner, or results of BenchExec.

* quantile.svg: how many tasks each configuration solves when each may take the CPU seconds on the vertical axis.
* scatter.svg: one point per task, CPU seconds of plain verification against those of the chain; what was not solved
  lies outside of the limit. Below the diagonal, the chain was faster. Points are moved by a few per cent, each task
  always the same way, so that equal ones can be told apart.

Only right verdicts are drawn as solved. The pictures depend on the results alone, so drawing again changes no byte.
"""
import argparse
import hashlib
import re
import sys
from pathlib import Path

import matplotlib

import results

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend comes first)

# Colours that the usual kinds of colour blindness keep apart (Okabe and Ito), with a marker each.
STYLES = [("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"), ("#56B4E9", "P"),
          ("#000000", "x"), ("#999933", "*"), ("#882255", "<"), ("#44AA99", ">")]
CHAINS = ["diffdp", "diffcond", "reduce"]
ORDER = [*CHAINS, "verify", "verify-program"]
LABELS = {"diffdp": "diffdp + condition", "diffcond": "diffcond + condition", "reduce": "diffdp + residual program",
          "verify": "verify alone", "verify-program": "verify, program alone", "esbmc": "ESBMC, k-induction", "abc": "ABC on circuits"}
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "residue", "font.family": "sans-serif", "font.size": 10,
            "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False}
# The clock does not tell apart what is faster.
FASTEST = 0.01


def seconds(row):
    """CPU seconds of a run."""
    return max(FASTEST, float(row["cpu_total"] or 0))


def shift(task):
    """Two factors near 1 that only depend on the name of the task."""
    digest = hashlib.sha256(task.encode()).digest()
    return tuple(1.17 ** (byte / 127.5 - 1) for byte in digest[:2])


def limit_of(folder, rows):
    """The limit of a run: what SETUP.md says, otherwise the longest run, rounded."""
    setup = folder / "SETUP.md"
    said = re.search(r"--limit (\d+)", setup.read_text()) if setup.exists() else None
    return float(said.group(1)) if said else max(1, round(max(seconds(row) for row in rows)))


def decades(limit):
    """Powers of ten up to the limit."""
    return [tick for tick in (0.01, 0.1, 1, 10, 100, 1000) if tick <= limit]


def label(config):
    """What a configuration is called in a legend."""
    return LABELS.get(config, config)


def quantile(rows, limit, path):
    """Solved tasks, fastest first, for each configuration."""
    figure, axes = plt.subplots(figsize=(6.4, 4))
    configs = sorted({row["config"] for row in rows}, key=lambda c: (ORDER.index(c) if c in ORDER else len(ORDER), c))
    for number, config in enumerate(configs):
        mine = [row for row in rows if row["config"] == config]
        times = sorted(seconds(row) for row in mine if row["outcome"] == "solved")
        colour, marker = STYLES[number % len(STYLES)]
        axes.plot(range(1, len(times) + 1), times, color=colour, marker=marker, markersize=3.5, linewidth=1.2,
                  markevery=max(1, len(times) // 25), label=f"{label(config)}: {len(times)} of {len(mine)}")
    axes.axhline(limit, color="grey", linewidth=0.8, linestyle=":")
    axes.set_yscale("log")
    axes.yaxis.set_ticks(decades(limit), labels=[f"{tick:g}" for tick in decades(limit)])
    axes.set_xlim(left=0)
    axes.set_xlabel("tasks solved")
    axes.set_ylabel("CPU seconds per task")
    axes.legend(loc="upper left", bbox_to_anchor=(0, 0.93))
    save(figure, path)


def scatter(rows, baseline, against, limit, path):
    """Tasks by the CPU seconds of two configurations."""
    figure, axes = plt.subplots(figsize=(5.6, 5))
    outside = limit * 2
    ours = {row["task"]: row for row in rows if row["config"] == against}
    pairs = [(row, ours[row["task"]]) for row in rows if row["config"] == baseline and row["task"] in ours]
    place = lambda row, factor: factor * (seconds(row) if row["outcome"] == "solved" else outside)
    for number, family in enumerate(sorted({row["family"] for row, _ in pairs})):
        colour, marker = STYLES[number % len(STYLES)]
        points = [(place(x, shift(x["task"])[0]), place(y, shift(x["task"])[1])) for x, y in pairs
                  if x["family"] == family]
        axes.scatter(*zip(*points, strict=True), color=colour, marker=marker, s=22, linewidths=1, alpha=0.7,
                     label=family)
    neither = sum(x["outcome"] != "solved" and y["outcome"] != "solved" for x, y in pairs)
    axes.annotate(f"{neither} by neither", (outside, outside), (0, 12), textcoords="offset points", ha="center",
                  fontsize=8)
    low = FASTEST / 1.5
    axes.plot([low, limit], [low, limit], color="grey", linewidth=0.8)
    for line in (axes.axhline, axes.axvline):
        line(limit, color="grey", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=(low, outside * 1.9), ylim=(low, outside * 1.9), aspect="equal",
             xlabel=f"CPU seconds, {label(baseline)}", ylabel=f"CPU seconds, {label(against)}")
    for axis, text in ((axes.xaxis, "\nunsolved"), (axes.yaxis, "unsolved")):
        axis.set_ticks([*decades(limit), outside], labels=[*(f"{tick:g}" for tick in decades(limit)), text])
        axis.set_ticks([], minor=True)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), handletextpad=0.2)
    save(figure, path)


def save(figure, path):
    """Writes a picture without the time of writing."""
    metadata = {"Date": None} if path.suffix == ".svg" else {}
    figure.savefig(path, bbox_inches="tight", metadata=metadata, dpi=150)
    plt.close(figure)
    print(path, file=sys.stderr)


def draw(folder, options):
    """All plots of one folder."""
    rows = results.load(folder)
    if not rows:
        sys.exit(f"error: {folder} holds neither raw.csv nor results of BenchExec")
    configs = {row["config"] for row in rows}
    limit = options.limit or limit_of(folder, rows)
    against = options.against or next((config for config in CHAINS if config in configs), None)
    for suffix in (".svg", ".png") if options.png else (".svg",):
        quantile(rows, limit, folder / f"quantile{suffix}")
        if options.baseline in configs and against:
            scatter(rows, options.baseline, against, limit, folder / f"scatter{suffix}")


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--png", action="store_true", help="draw PNG too")
    parser.add_argument("--baseline", default="verify", metavar="CONFIG")
    parser.add_argument("--against", metavar="CONFIG", help="default: the first of " + ", ".join(CHAINS))
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="default: as in SETUP.md, or the longest run")
    options = parser.parse_args()
    plt.rcParams.update(SETTINGS)
    for folder in options.folders:
        draw(folder, options)


if __name__ == "__main__":
    main()
