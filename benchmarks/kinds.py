#!/usr/bin/env python3
"""What each kind of reasoning of `diffdp` brings: all of it, each way of matching, and each kind left out by itself.

  benchmarks/kinds.py --bin target/release [--set pairs] --out DIR

Writes `raw.csv`, a row per pair and configuration: indicators, states and bytes of the condition, edges of the modified program and
how many of them no path to an indicator takes, CPU seconds of the detector, and what `residue validate` says of the certificate.
Prints a table per configuration, and one per family. A pair whose detection takes more than `--limit` seconds of CPU is left out.
"""

import json
import statistics

import chain
import perpair

CONFIGS = {
    "all": [],
    "matching identical": ["--match", "identical"],
    "matching semantic": ["--match", "semantic"],
    **{f"without {kind}": ["--without", kind] for kind in ("alignment", "renames", "names", "walks", "dead-ends", "library")},
}


def uncovered(graph):
    """The edges of the modified program that some path to an indicator takes."""
    before = {}
    for edge in graph["edges"]:
        before.setdefault(edge["to"], []).append(edge)
    waiting = list(graph["indicators"])
    reached, edges = set(waiting), set()
    while waiting:
        for edge in before.get(waiting.pop(), []):
            edges.add(edge["edge"])
            if edge["from"] not in reached:
                reached.add(edge["from"])
                waiting.append(edge["from"])
    return edges


def row(task, options, folder):
    """The rows of a pair, or None if there are none."""
    tools = options.bin
    graph, certificate, condition = folder / "graph.json", folder / "certificate.json", folder / "condition.graphml"
    cfa = folder / "cfa.json"
    named = ["--data-model", task.model, *chain.named_property(task)]
    if perpair.spent([tools / "residue", "cfa", "--to", "json", *named, "-o", cfa, task.modified]).code:
        return None
    edges = len(json.loads(cfa.read_text())["edges"])
    found = []
    for name, flags in CONFIGS.items():
        detect = [*chain.detect(tools, "diffdp", task, graph), *flags, "--budget", options.limit]
        ran = perpair.spent([*detect, "--format-version", "1", "--certificate", certificate])
        if ran.code:
            return None
        perpair.spent([tools / "condgen", "-q", "-o", condition, graph])
        checked = perpair.spent([tools / "residue", "validate", "--certificate", certificate, "--condition", condition, graph])
        text = json.loads(graph.read_text())
        alone = perpair.spent(detect)
        found.append({
            "configuration": name,
            "pair": task.stem,
            "family": task.family,
            "indicators": len(text["indicators"]),
            "states": chain.condition_states(condition),
            "bytes": condition.stat().st_size,
            "edges": edges,
            "uncovered": len(uncovered(text)),
            "detect": f"{alone.seconds:.3f}",
            "certificate": checked.stdout.split(":")[0],
        })
    return found


def line(name, own):
    """A line of a table."""
    nothing = sum(one["indicators"] == 0 for one in own)
    valid = sum(one["certificate"] == "VALID" for one in own)
    states = statistics.median(one["states"] for one in own)
    size = statistics.median(one["bytes"] for one in own) / 1000
    # The library of the tools is read by its name where nothing is left: the edges are then of another automaton.
    share = statistics.mean(max(0, one["edges"] - one["uncovered"]) / one["edges"] for one in own)
    seconds = sum(float(one["detect"]) for one in own)
    return f"| {name} | {len(own)} | {nothing} | {states:g} | {size:.1f} | {100 * share:.1f} % | {seconds:.1f} | {valid} |"


def table(what, groups):
    """A table of groups of rows."""
    head = f"| {what} | pairs | nothing left | condition: states, median | kB, median | edges covered, mean | detector, CPU s | valid |"
    return "\n".join([head, "|---" * 8 + "|", *(line(name, own) for name, own in groups)]) + "\n"


def summary(rows):
    """A table of configurations, and one of families for each of them."""
    of = lambda name: [one for one in rows if one["configuration"] == name]
    tables = [table("configuration", [(name, of(name)) for name in CONFIGS])]
    for name in CONFIGS:
        own = of(name)
        families = sorted({one["family"] for one in own})
        tables.append(table(f"{name}, by family", [(family, [one for one in own if one["family"] == family]) for family in families]))
    return "\n".join(tables)


def main():
    perpair.run(__doc__, row, summary)


if __name__ == "__main__":
    main()
