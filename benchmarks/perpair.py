"""A row per pair of a set: what scripts that run stages themselves have in common."""

import argparse
import collections
import csv
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import taskset

Spent = collections.namedtuple("Spent", "code stdout stderr seconds")


def spent(command):
    """Exit code, output and CPU seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(ran.returncode, ran.stdout, ran.stderr, seconds)


def run(about, row, summary, more=None):
    """Reads the command line, asks `row(task, options, folder)` for the row or the rows of every pair, and writes `raw.csv` and what
    `summary(rows)` says."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--set", default="pairs")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--out", type=Path, required=True)
    for name, keywords in (more or {}).items():
        parser.add_argument(name, **keywords)
    options = parser.parse_args()
    rows = []
    for task in taskset.read_set(taskset.set_file(options.set), taskset.shared_folder()):
        if task.original is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if found := row(task, options, Path(folder)):
                own = found if isinstance(found, list) else [found]
                rows.extend(own)
                for one in own:
                    print(*one.values(), file=sys.stderr, flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "raw.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (options.out / "summary.md").write_text(summary(rows))
    print(summary(rows), end="")
