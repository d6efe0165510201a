"""Runs the tools on a program or a pair within a budget, and reads what they answer."""
import csv
import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "benchmarks"))
BUILT = Path(os.environ.get("RESIDUE_TOOLS", CHECKOUT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"))

import measure  # noqa: E402 (the path comes first)

# Exit codes of a verdict.
CODES = {"TRUE": 0, "FALSE": 1, "UNKNOWN": 3}

# What a task of a floor may take, in steps of the verifier, which no clock decides: so many times what it took when the floor
# was written, and some more for small ones. A slow machine loses nothing that way.
TIMES, MORE = 3, 100_000

# CPU seconds in which any such task ends on any machine; for tools that hang.
PATIENCE = 240


@dataclasses.dataclass
class Answer:
    """How a chain of tools ended."""

    word: str
    last: str
    code: int
    cpu: float
    limit: float
    message: str
    steps: int = 0


def call(command, folder, limit):
    """Runs one tool; its answer, if it prints one."""
    code, out, err, cpu = measure.run([str(part) for part in command], limit, folder)
    last = (out.strip().splitlines() or [""])[-1]
    word = last.split("(")[0]
    word = word if CODES.get(word) == code else f"code {code}"
    steps = sum(int(found) for found in re.findall(r"^steps(?: of proofs by claims)?: +(\d+)$", err, re.MULTILINE))
    return Answer(word, last, code, cpu, limit, " ".join(err.split())[:300], steps)


def verify(tools, folder, program, budget, *options):
    """`verify` on a program."""
    return call([tools / "verify", "-q", "--stats", "--budget", budget, *options, program], folder, budget)


def limits(task, floor, budget):
    """The CPU seconds for a task and further options for the verifier: what the floor says, if it says something.

    With a limit of steps, however high, the verifier lets no clock choose what it does.
    """
    return (PATIENCE, ["--steps", TIMES * floor[task] + MORE]) if task in floor else (budget, ["--steps", 10**9])


def read_floor(path):
    """The steps of the tasks of a list."""
    with open(path, newline="") as file:
        return {row["task"]: int(row["steps"]) for row in csv.DictReader(file)}


def write_floor(path, answers):
    """What was decided rightly (pairs of task and answer), with the steps of the verifier that it took."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["task", "answer", "steps"])
        writer.writerows([task, answer.word, answer.steps] for task, answer in answers)


def lost(task, answer, floor):
    """What is wrong with an answer for a task of the floor; empty if nothing is."""
    if answer and answer.word in ("TRUE", "FALSE"):
        return ""
    got = f"{answer.last}, {answer.steps} steps, {answer.cpu:.2f} s" if answer else "it is gone"
    return f"lost: {task} was decided in {floor[task]} steps, now: {got}"


def chain(tools, config, folder, budget, *options, last=()):
    """What a configuration (`diffdp`, `diffcond`, or `verify` for the modified program alone) answers for the files
    `original.c` and `modified.c` of a folder; `last` are further options for the verifier."""
    if config == "verify":
        return verify(tools, folder, "modified.c", budget, *options, *last)
    spent = 0.0
    for command in ([tools / config, "-q", "--budget", budget, *options, "-o", "graph.json", "original.c", "modified.c"],
                    [tools / "condgen", "-q", "--budget", budget, "-o", "condition.graphml", "graph.json"]):
        answer = call(command, folder, budget)
        spent += answer.cpu
        if answer.code != 0:
            return dataclasses.replace(answer, word=f"{Path(command[0]).name} code {answer.code}")
    answer = verify(tools, folder, "modified.c", budget, "--condition", "condition.graphml",
                    *(o for o in options if not str(o).startswith(("-D", "-I"))), *last)
    return dataclasses.replace(answer, cpu=spent + answer.cpu, limit=3 * budget)


def complaint(answer, must_not):
    """What is wrong with an answer that must not be one of some words; empty if nothing is."""
    if answer.word not in CODES:
        return f"no verdict: {answer.word}, `{answer.last}` {answer.message}"
    if answer.word in must_not:
        return f"{answer.last} is wrong"
    return ""
