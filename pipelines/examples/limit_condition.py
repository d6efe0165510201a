#!/usr/bin/env python3
"""Keeps the first states of a condition, so that a small condition can be tried on a slow reducer or verifier.

A filter between `condgen` and its readers: condition in on stdin, condition out on stdout. It is sound because all it does is
remove edges: an edge that a condition does not list is uncovered, and so is everything behind it. (Where an edge `stay` says
otherwise, it counts the edges beside it, and says nothing as soon as one of them is removed.)
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree

XMLNS = "http://graphml.graphdrawing.org/xmlns"


def limit(graph, states):
    """Removes all but the first `states` nodes of the graph, and the edges that lead to the others."""
    names = [node.get("id") for node in graph.findall(f"{{{XMLNS}}}node")]
    # A sink accepts: what reaches it is covered. Sinks cost nothing and stay.
    sinks = graph.findall(f"{{{XMLNS}}}node/{{{XMLNS}}}data[@key='sink']/..")
    kept = set(names[:states]) | {node.get("id") for node in sinks}
    for node in graph.findall(f"{{{XMLNS}}}node"):
        if node.get("id") not in kept:
            graph.remove(node)
    for edge in graph.findall(f"{{{XMLNS}}}edge"):
        if edge.get("source") not in kept or edge.get("target") not in kept:
            graph.remove(edge)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("states", type=int, help="how many states are kept, counted from the initial one")
    arguments = parser.parse_args()
    ElementTree.register_namespace("", XMLNS)
    condition = ElementTree.parse(sys.stdin.buffer)
    limit(condition.getroot().find(f"{{{XMLNS}}}graph"), max(arguments.states, 1))
    condition.write(sys.stdout.buffer, encoding="UTF-8", xml_declaration=True)


if __name__ == "__main__":
    main()
