#!/usr/bin/env python3
"""How the shares of the analyses are chosen, and what they are worth on programs they were not chosen on.

    python3 benchmarks/portfolio.py measure --set SET --out DIR [--steps N] [--bin DIR] [--shared DIR] [--jobs N]
    python3 benchmarks/portfolio.py judge DIR [--folds N]

`measure` lets every analysis work alone on every program of a set, up to a number of steps, and writes what it takes to an answer or to
an end without one (`alone.csv`, a row per program and analysis; continued where it stopped), and what the program shows of itself
(`features.csv`). Steps are counted work: the machine and its load do not matter.

`judge` plays the rounds of the portfolio (tools/engine/src/portfolio.rs) with these figures, for the committed shares
(portfolio/table.rs), for equal ones, and for shares that are trained: from equal ones on, one cell of the table after the other is
changed to what lowers the mean logarithm of the steps most. Programs of one family are never on both sides: a fold is trained on the
families of the others and judged on its own. What analyses learn from each other is not in the figures.
"""
import argparse
import collections
import concurrent.futures
import csv
import math
import re
import tempfile
from pathlib import Path

import measure
import taskset

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tools/engine/src/portfolio/table.rs"
# In the order in which they get their turns; the table has a row for each.
ANALYSES = ["values", "ranges", "bounded", "candidates", "cells", "induction", "horn", "circuit", "localized", "predicates"]
LATE = {"ranges", "candidates", "cells", "induction", "horn", "circuit"}
CLASSES = ["acyclic", "rules", "localizable", "memory", "plain"]
FIRST, LATE_FROM, EVEN = 10_000, 40_000, 80_000
RATIOS = [0.25, 0.5, 1, 2, 4, 8]


def one(tools, task, analysis, steps):
    """Verdict, reason and steps of one analysis on one program."""
    command = [tools / "verify", "-q", "--stats", "--data-model", task.model, "--steps", str(steps)]
    command += ["--analysis", "single-execution", "--analysis", analysis] if analysis else []
    with tempfile.TemporaryDirectory() as folder:
        code, out, err, _ = measure.run([*map(str, command), str(task.modified)], 60, folder)
    verdict, reason = measure.verdict_of(out)
    number = lambda name: int((re.search(rf"^{name}:\s*(\d+)", err, re.M) or [0, 0])[1])
    if code < 0:
        verdict, reason = "UNKNOWN", "budget"
    return verdict, reason, number("steps"), [number(f"feature {name}") for name in CLASSES[:-1]]


def rows_of(file):
    return list(csv.DictReader(file.open())) if file.exists() else []


def collect(options):
    tools, out = options.bin.resolve(), options.out
    out.mkdir(parents=True, exist_ok=True)
    alone, features = out / "alone.csv", out / "features.csv"
    done = {(row["task"], row["analysis"]) for row in rows_of(alone)}
    known = {row["task"] for row in rows_of(features)}
    tasks = taskset.read_set(taskset.set_file(options.set), options.shared)
    jobs = [(task, analysis) for task in tasks for analysis in [None, *ANALYSES]
            if (task.name not in known if analysis is None else (task.name, analysis) not in done)]
    with alone.open("a", newline="") as file, features.open("a", newline="") as other:
        writer, second = csv.writer(file, lineterminator="\n"), csv.writer(other, lineterminator="\n")
        if not done:
            writer.writerow(["task", "family", "analysis", "verdict", "reason", "steps"])
        if not known:
            second.writerow(["task", *CLASSES[:-1]])
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            # What a few executions settle has no features: nothing decides its shares.
            ran = pool.map(lambda job: (job, one(tools, *job, options.steps if job[1] else FIRST)), jobs)
            for number, ((task, analysis), (verdict, reason, steps, shown)) in enumerate(ran, 1):
                if analysis is None:
                    second.writerow([task.name, *shown])
                    other.flush()
                    continue
                writer.writerow([task.name, family(task.name), analysis, verdict, reason, steps])
                file.flush()
                print(f"[{number}/{len(jobs)}] {task.name} {analysis} {verdict} {reason} {steps}", flush=True)


def family(name):
    """Programs that are alike: those whose names differ in numbers and what stands behind them."""
    stem = Path(name).stem
    return re.match(r"[A-Za-z_]*[A-Za-z]", stem)[0].lower() if re.match(r"[A-Za-z]", stem) else stem


def part(text):
    """A part of the table: a ratio, or what it makes of a share where that is more than a ratio (`Part::of_share`)."""
    times, over = map(int, re.match(r"of\((\d+), (\d+)\)", text).groups())
    until = re.search(r"until\((\d+) \* EVEN\)", text)
    soon = re.search(r"soon\((\d+)\)", text)
    is_slow = "slowly" in text
    if not (until or soon or is_slow):
        return times / over
    most = EVEN * int(until[1]) if until else math.inf

    def of_share(share):
        if soon and share <= EVEN:
            return share * int(soon[1])
        counted = EVEN * math.isqrt(share // EVEN) if is_slow and share > EVEN else min(share, most)
        return max(counted * times / over, share if share > most else 0)
    return of_share


def committed():
    """The shares of the table, for each class and analysis."""
    found = {}
    for kind, parts in re.findall(r"\(Kind::(\w+), \[([^\]]*)\]\)", TABLE.read_text()):
        parts = re.split(r", (?=of\()", parts)
        found.update({(name, kind.lower()): part(text) for name, text in zip(CLASSES, parts, strict=True)})
    return found


def class_of(shown):
    """The first class that a program belongs to."""
    return next((name for name in CLASSES[:-1] if shown.get(name) == "1"), "plain")


def play(program, shares, limit):
    """Steps until one analysis answers, `None` if the limit comes first."""
    total, share, granted = 0, FIRST, collections.Counter()
    used = collections.Counter()
    while total < limit:
        moved = False
        # What proves most drivers does not wait for what small programs do not need.
        early = program["class"] == "localizable"
        for analysis in sorted(ANALYSES, key=lambda name: (name == "predicates", name in LATE)) if early else ANALYSES:
            answers, needs = program["alone"].get(analysis, (False, 0))
            if used[analysis] >= needs and not answers or analysis in LATE and share < LATE_FROM:
                continue
            own = shares[program["class"], analysis]
            granted[analysis] += int(own(share) if callable(own) else own * share)
            work = min(granted[analysis], needs) - used[analysis]
            used[analysis] += work
            total += work
            moved = True
            if answers and used[analysis] >= needs:
                return total if total <= limit else None
        if not moved and share >= LATE_FROM:
            return None
        share *= 2
    return None


def weight(steps, limit):
    """The logarithm of the steps; what is not answered counts as four times the limit."""
    return math.log((4 * limit if steps is None else steps) + 1)


def score(programs, shares, limit):
    """The mean logarithm."""
    return sum(weight(play(one, shares, limit), limit) for one in programs) / max(1, len(programs))


def train(programs, limit):
    shares = {(name, analysis): 1 for name in CLASSES for analysis in ANALYSES}
    for name in CLASSES:
        own = [one for one in programs if one["class"] == name]
        for _ in range(3 if own else 0):
            before = score(own, shares, limit)
            for analysis in ANALYSES:
                tries = [(round(score(own, {**shares, (name, analysis): ratio}, limit), 6), abs(math.log(ratio)), ratio) for ratio in RATIOS]
                shares[name, analysis] = min(tries)[2]
            if score(own, shares, limit) > before - 0.001:
                break
    return shares


def judge(options):
    shown = {row["task"]: row for row in rows_of(options.folder / "features.csv")}
    programs = {}
    for row in rows_of(options.folder / "alone.csv"):
        one = programs.setdefault(row["task"], {"family": row["family"], "class": class_of(shown[row["task"]]), "alone": {}})
        answers = row["verdict"] != "UNKNOWN"
        needs = int(row["steps"]) if answers or row["reason"] != "budget" else 10 ** 12
        one["alone"][row["analysis"]] = (answers, needs)
    # What a few executions settle needs no shares.
    all_of = [one for one in programs.values() if any(needs or not answers for answers, needs in one["alone"].values())]
    families = sorted({one["family"] for one in all_of}, key=lambda name: (-sum(one["family"] == name for one in all_of), name))
    folds = [families[number::options.folds] for number in range(options.folds)]
    tables = {"committed": committed(), "equal": {(name, analysis): 1 for name in CLASSES for analysis in ANALYSES}}
    sums = {name: [0, 0.0] for name in [*tables, "trained on the others", "best one alone"]}
    for number, fold in enumerate(folds, 1):
        held = [one for one in all_of if one["family"] in fold]
        ways = {**tables, "trained on the others": train([one for one in all_of if one["family"] not in fold], options.steps)}
        line = [f"fold {number}: {len(held)} programs"]
        for name, shares in ways.items():
            costs = [play(one, shares, options.steps) for one in held]
            sums[name][0] += sum(cost is not None for cost in costs)
            sums[name][1] += sum(weight(cost, options.steps) for cost in costs)
            line.append(f"{name} {sum(cost is not None for cost in costs)}")
        print(", ".join(line), flush=True)
    for one in all_of:
        needs = [needs for answers, needs in one["alone"].values() if answers and needs <= options.steps]
        sums["best one alone"][0] += bool(needs)
        sums["best one alone"][1] += weight(min(needs, default=None), options.steps)
    print(f"{len(all_of)} programs, {dict(collections.Counter(one['class'] for one in all_of))}, limit {options.steps} steps")
    for name, (solved, logs) in sums.items():
        print(f"{name:24} answered {solved:4}, geometric mean {math.exp(logs / len(all_of)):9.0f} steps")
    trained = train(all_of, options.steps)
    print("trained on all:")
    for name in CLASSES:
        print(f"  {name:12}", " ".join(f"{analysis} {trained[name, analysis]:g}" for analysis in ANALYSES))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("measure")
    first.add_argument("--set", required=True)
    first.add_argument("--out", type=Path, required=True)
    first.add_argument("--steps", type=int, default=1_000_000)
    first.add_argument("--bin", type=Path, default=taskset.tools_folder())
    first.add_argument("--shared", type=Path, default=taskset.shared_folder())
    first.add_argument("--jobs", type=int, default=1)
    first.set_defaults(run=collect)
    second = commands.add_parser("judge")
    second.add_argument("folder", type=Path)
    second.add_argument("--steps", type=int, default=4_000_000)
    second.add_argument("--folds", type=int, default=5)
    second.set_defaults(run=judge)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
