#!/usr/bin/env python3
"""A condition generator that is wrong: it drops the indicators of the graph, so that all is covered.

Shows what `residue bench-stage --stage condgen` says of such a stage. Reads a difference graph from stdin and writes a condition.
"""
import json
import subprocess
import sys

graph = json.load(sys.stdin)
graph["indicators"], graph["reasons"] = [], []
sys.exit(subprocess.run(["condgen"], input=json.dumps(graph), text=True, check=False).returncode)
