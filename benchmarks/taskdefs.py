#!/usr/bin/env python3
"""Writes SV-COMP task definitions 2.0 for the tasks of a set, so that BenchExec and other verifiers can use them.

usage: taskdefs.py --set SET --out DIR [--shared DIR]

One file per task in DIR, which BenchExec needs to have a name of its own. The input file is the modified program, so
that any verifier can run the task; the original is a required file and an option, relative to the modified program.
Programs stay where they are. A definition has the properties whose expected verdict makes sense: `unreach-call` of the
(modified) program, and for a change `no-regression`.
"""
import argparse
import os
from pathlib import Path

import taskset


def definition(task, folder):
    """The text of the definition of a task in `folder`."""
    def relative(path):
        return os.path.relpath(path, folder)

    def entry(name, verdict):
        lines = [f"  - property_file: {relative(taskset.PROPERTIES / name)}.prp"]
        return lines + ([f"    expected_verdict: {verdict}"] if verdict else [])

    lines = ["format_version: '2.0'", f"input_files: {relative(task.modified)}"]
    if task.original:
        lines.append(f"required_files: {relative(task.original)}")
    lines.append("properties:")
    if task.original:
        lines += entry("no-regression", {"true": "false", "false": "true"}.get(task.regression))
    lines += entry("unreach-call", task.truth)
    lines += ["options:", "  language: C", f"  data_model: {task.model}"]
    if task.original:
        lines += ["  difference_verification:",
                  f"    original_input_file: {os.path.relpath(task.original, task.modified.parent)}"]
        if task.original_truth:
            lines.append(f"    original_verdict: {task.original_truth}")
    return "\n".join(lines) + "\n"


def write(tasks, folder):
    """Writes all definitions; fails if two tasks would share a file."""
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    for stem, task in taskset.by_stem(tasks).items():
        (folder / f"{stem}.yml").write_text(definition(task, folder))


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", required=True, help="a set file, or the name of one in benchmarks/sets")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--shared", type=Path, default=taskset.shared_folder())
    options = parser.parse_args()
    write(taskset.read_set(taskset.set_file(options.set), options.shared), options.out)


if __name__ == "__main__":
    main()
