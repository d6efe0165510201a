#!/usr/bin/env python3
"""What certificates cost: the detector with and without writing one, and the check of graph and condition.

  benchmarks/certificates.py --bin target/release [--set pairs] [--detector diffcond] --out DIR

Writes `raw.csv`, a row per pair: the answer of `residue validate`, CPU seconds of the detector alone, with `--certificate`, and of
the check, bytes of graph and certificate. Prints totals and medians per family. A pair whose detection takes more than `--limit`
seconds of CPU is left out.
"""

import statistics

import chain
import perpair


def row(task, options, folder):
    """The row of a pair, or None if there is none."""
    tools = options.bin
    graph, certificate, condition = folder / "graph.json", folder / "certificate.json", folder / "condition.graphml"
    detect = [*chain.detect(tools, options.detector, task, graph), "--budget", options.limit]
    if perpair.spent(detect).code:
        return None
    alone = perpair.spent(detect)
    written = perpair.spent([*detect, "--certificate", certificate])
    perpair.spent([tools / "condgen", "-o", condition, graph])
    checked = perpair.spent([tools / "residue", "validate", "--certificate", certificate, "--condition", condition, graph])
    return {
        "pair": task.stem,
        "family": task.family,
        "answer": checked.stdout.split(":")[0],
        "detect": f"{alone.seconds:.3f}",
        "certify": f"{written.seconds:.3f}",
        "validate": f"{checked.seconds:.3f}",
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
    perpair.run(__doc__, row, summary, {"--detector": {"default": "diffdp", "choices": ["diffdp", "diffcond"]}})


if __name__ == "__main__":
    main()
