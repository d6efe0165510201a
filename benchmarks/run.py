#!/usr/bin/env python3
"""Runs the tools on a set of tasks and appends one row per task and configuration.

usage: run.py --set SET --out DIR [--limit SECONDS] [--config NAME]... [--bin DIR] [--shared DIR] [--jobs N]

A set (a file, or the name of one in benchmarks/sets) is what taskset.py describes. A run that was cut short continues
where it stopped: rows that are in raw.csv already are not run again. The limit is CPU seconds for the whole chain of
one task.

Configurations: diffcond, diffdp (native chain), reduce (chain through the residual program), verify (the modified
program alone); check-VERIFIER is `residue check --via reduce --verifier VERIFIER` as one process; esbmc and abc (on the
circuit) are given the modified program alone, are ended at the limit, and write no harness.

Wrong verdicts. For a pair: TRUE although the change is a regression, FALSE although the modified program is correct.
For plain verification: a verdict that contradicts the known one. Every FALSE is rebuilt with gcc from its harness and
executed; a FALSE that this does not confirm is counted as wrong. `residue check` writes no harness for other verifiers
than its own: their FALSE was replayed by its interpreter on the modified program.

The column `fault` says what must not happen even where nothing is wrong: `panic` (exit code 101), `broken` (no verdict and
no artifact for another reason, also the hard limit of time), `overrun` (more CPU seconds than the limit and a tenth of it
and one more). After the last task the exit code is 1 if a row of the run, an earlier one included, is wrong or has a fault.
"""
import argparse
import concurrent.futures
import csv
import json
import sys
import tempfile
import time
from pathlib import Path

import chain
import measure
import taskset
from results import COLUMNS


def stages(config, task, tools, folder):
    """The stages of a configuration with their commands."""
    if config.startswith(chain.CHECK):
        yield "check", chain.check(tools, task, config.removeprefix(chain.CHECK), folder)
        return
    graph, condition, residual = folder / "graph.json", folder / "condition.graphml", folder / "residual.c"
    harness = folder / "harness.c"
    if config == "verify":
        yield "verify", chain.verify(tools, task, task.modified, harness)
        return
    yield "detect", chain.detect(tools, chain.detector_of(config), task, graph)
    yield "condgen", chain.condgen(tools, graph, condition)
    if config == "reduce":
        yield "reduce", chain.reduce(tools, condition, residual)
        yield "verify", chain.verify(tools, task, residual, harness)
    else:
        yield "verify", chain.verify_with(tools, task, condition, harness)


def outcome_of(out):
    """Verdict, reason, CPU seconds per stage and meaning of the one outcome that `residue check --json` printed, or of none."""
    printed = json.loads(out)
    if not printed["outcomes"]:
        return *measure.verdict_of(printed["verdict"]), {}, ""
    [outcome] = printed["outcomes"]
    seconds = {}
    for entry in outcome["stages"]:
        stage = {"diffdp": "detect", "condgen": "condgen", "reduce": "reduce"}.get(entry["stage"], "verify")
        seconds["cpu_" + stage] = f"{entry['cpu_seconds']:.2f}"
    return *measure.verdict_of(outcome["verdict"]), seconds, outcome["about"]


def empty_row(config, task):
    """What is known before anything ran."""
    return dict.fromkeys(COLUMNS, "") | {"config": config, "task": task.name, "family": task.family,
                                         "expected": task.expected(config)}


def other(config, task, tools, limit):
    """Runs a verifier of others on one program."""
    row = empty_row(config, task)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = chain.esbmc(task, folder) if config == "esbmc" else chain.abc(tools, task, folder, limit)
        _, out, err, cpu = measure.run([str(part) for part in command], limit, folder, hard=int(limit))
    # ESBMC prints its verdict with its messages.
    row["verdict"], row["reason"] = (chain.esbmc_says(out + err), "") if config == "esbmc" else measure.verdict_of(out)
    if cpu > limit:
        row["verdict"], row["reason"] = "UNKNOWN", "budget"
    row["outcome"] = task.outcome(config, row["verdict"])
    row["cpu_verify"] = row["cpu_total"] = f"{cpu:.2f}"
    row["wall_total"] = f"{time.monotonic() - start:.2f}"
    return row


def check(config, task, tools, limit):
    """Runs the chain on one task."""
    if config in chain.OTHERS:
        return other(config, task, tools, limit)
    row = empty_row(config, task)
    verdict, reason, spent = "UNKNOWN", "", 0.0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stage, command in stages(config, task, tools, folder):
            left = max(1, limit - spent)
            code, out, err, cpu = measure.run(chain.within(command, left), left, folder)
            spent += cpu
            if stage != "check":
                row["cpu_" + stage] = f"{cpu:.2f}"
            if code not in (0, 1, 3):
                reason = f"{stage} exited with {code}"
                row["message"] = " ".join(err.split())[:200]
                row["fault"] = "panic" if code == 101 else "broken"
                break
            if stage == "verify":
                verdict, reason = measure.verdict_of(out)
            elif stage == "check":
                verdict, reason, seconds, about = outcome_of(out)
                row |= seconds | {"message": about.replace(task.folder, "")}
        graph, condition = folder / "graph.json", folder / "condition.graphml"
        if config.startswith(chain.CHECK):
            graph = folder / "difference-graph.json"
        if graph.exists():
            row["indicators"] = chain.indicators(graph)
        if condition.exists():
            row["condition_states"] = chain.condition_states(condition)
        # Places in the tasks are named relative to them: rows of different machines can be compared.
        row["verdict"], row["reason"] = verdict, reason.replace(task.folder, "")
        row["outcome"] = task.outcome(config, verdict)
        if verdict == "FALSE" and config.startswith(chain.CHECK) and not (folder / "harness.c").exists():
            row["confirmed"] = "replayed"
        elif verdict == "FALSE":
            row["confirmed"] = "yes" if chain.confirm(folder / "harness.c", task.model) else "no"
            if row["confirmed"] == "no":
                row["outcome"] = "wrong"
    row["cpu_total"] = f"{spent:.2f}"
    row["wall_total"] = f"{time.monotonic() - start:.2f}"
    if spent > 1.1 * limit + 1 and not row["fault"]:
        row["fault"] = "overrun"
    return row


def failures(raw):
    """Says which rows are wrong or have a fault; how many there are."""
    with open(raw, newline="") as file:
        rows = list(csv.DictReader(file))
    bad = [row for row in rows if row["outcome"] == "wrong" or row["fault"]]
    for row in bad:
        what = ", ".join(filter(None, ["wrong" if row["outcome"] == "wrong" else "", row["fault"]]))
        print(f"{what}: {row['config']} {row['task']}: {row['verdict']} {row['reason']} {row['message']}")
    outcomes = [row["outcome"] for row in rows]
    counts = ", ".join(f"{outcomes.count(word)} {word}" for word in ("solved", "unknown", "wrong", "unjudged"))
    print(f"{len(rows)} runs: {counts}, {sum(bool(row['fault']) for row in rows)} with a fault")
    return len(bad)


def main():
    """Runs what is not in raw.csv yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--config", action="append", type=chain.config, metavar="NAME")
    parser.add_argument("--bin", type=Path, default=taskset.tools_folder())
    parser.add_argument("--shared", type=Path, default=taskset.shared_folder())
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    configs = options.config or ["diffcond", "diffdp", "verify"]
    tasks = taskset.read_set(taskset.set_file(options.set), options.shared)
    options.out.mkdir(parents=True, exist_ok=True)
    raw = options.out / "raw.csv"
    done = set()
    if raw.exists():
        with open(raw) as file:
            reader = csv.DictReader(file)
            if reader.fieldnames not in (None, COLUMNS):
                sys.exit(f"error: {raw} has other columns; choose another folder")
            done = {(row["config"], row["task"]) for row in reader}
    jobs = [(config, task) for task in tasks for config in configs
            if (config, task.name) not in done and (task.original or config in chain.ALONE)]
    with open(raw, "a", newline="") as file, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        writer = csv.DictWriter(file, COLUMNS)
        if not done and file.tell() == 0:
            writer.writeheader()
        futures = [pool.submit(check, config, task, options.bin.resolve(), options.limit) for config, task in jobs]
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            row = future.result()
            writer.writerow(row)
            file.flush()
            print(f"[{number}/{len(jobs)}] {row['config']:8} {row['task']:60} {row['verdict']:8}"
                  f" {row['outcome']:8} {row['cpu_total']:>7} s  {row['reason']}", file=sys.stderr)
    sys.exit(1 if failures(raw) else 0)


if __name__ == "__main__":
    main()
