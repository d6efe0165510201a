#!/usr/bin/env python3
"""A coarse detector: from the first changed line of the text on, everything has to be checked again.

It takes for granted that no global gets its initial value below the code that reads it.
"""

import argparse
import collections
import itertools
import json
import subprocess
import sys

CHANGED = "the one indicator"
DEEPEST = 20


def automaton(file, options):
    command = ["residue", "cfa", "--to", "json", *options, file]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def first_change(original, modified):
    """The first line of the preprocessed text that differs, apart from line markers; 0 if a function was deleted."""
    if original["functions"].keys() - modified["functions"].keys():
        return 0
    pairs = itertools.zip_longest(original["text"].splitlines(), modified["text"].splitlines())
    differs = (n for n, (a, b) in enumerate(pairs, 1) if a != b and not (a and b and a[:2] == b[:2] == "# "))
    return next(differs, float("inf"))


def detect(program, changed):
    """All paths up to an edge that ends on a changed line: nodes by number, and the edges between them."""
    leaving = collections.defaultdict(list)
    for edge in program["edges"]:
        leaving[edge["from"]].append(edge)
    start = (program["functions"][program["entry"]]["entry"], ())
    numbers, edges, todo = {start: 0}, [], collections.deque([start])
    while todo:
        location, stack = node = todo.popleft()
        for edge in leaving[location]:
            target = (edge["to"], stack)
            if "enters" in edge:
                target = (program["functions"][edge["enters"]]["entry"], (*stack, edge["to"]))
            elif edge["kind"] == "return" and stack:
                target = (stack[-1], stack[:-1])
            unknown = edge["kind"] == "unsupported" or len(target[1]) > DEEPEST
            if edge["end_line"] >= changed or unknown:
                target = CHANGED
            if target not in numbers:
                numbers[target] = len(numbers)
                if target != CHANGED:
                    todo.append(target)
            edges.append({"from": numbers[node], "to": numbers[target], "edge": edge["edge"]})
    return numbers, edges


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("original")
    parser.add_argument("modified")
    arguments, options = parser.parse_known_args()
    original, modified = automaton(arguments.original, options), automaton(arguments.modified, options)
    numbers, edges = detect(modified, first_change(original, modified))
    used = {edge["edge"] for edge in edges}
    graph = {name: modified[name] for name in ("data_model", "entry", "property", "preprocessor")} | {
        "format": "difference-graph",
        "version": 1,
        "producer": {"tool": "first-change", "version": "1", "options": {}},
        "original": original["program"],
        "modified": modified["program"],
        "degraded": None,
        "initial": 0,
        "nodes": len(numbers),
        "indicators": [numbers[CHANGED]] if CHANGED in numbers else [],
        "reasons": [],
        "edges": edges,
        "cfa_edges": {edge["edge"]: edge for edge in modified["edges"] if edge["edge"] in used},
    }
    json.dump(graph, sys.stdout)


if __name__ == "__main__":
    main()
