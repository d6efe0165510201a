"""Runs the tools on a program or a pair within a budget, and reads what they answer."""
import dataclasses
import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "benchmarks"))
BUILT = Path(os.environ.get("RESIDUE_TOOLS", CHECKOUT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"))

import measure  # noqa: E402 (the path comes first)

# Exit codes of a verdict.
CODES = {"TRUE": 0, "FALSE": 1, "UNKNOWN": 3}


@dataclasses.dataclass
class Answer:
    """How a chain of tools ended."""

    word: str
    last: str
    code: int
    cpu: float
    limit: float
    message: str


def call(command, folder, limit):
    """Runs one tool; its answer, if it prints one."""
    code, out, err, cpu = measure.run([str(part) for part in command], limit, folder)
    last = (out.strip().splitlines() or [""])[-1]
    word = last.split("(")[0]
    word = word if CODES.get(word) == code else f"code {code}"
    return Answer(word, last, code, cpu, limit, " ".join(err.split())[:300])


def verify(tools, folder, program, budget, *options):
    """`verify` on a program."""
    return call([tools / "verify", "-q", "--budget", budget, *options, program], folder, budget)


def chain(tools, config, folder, budget, *options):
    """What a configuration (`diffdp`, `diffcond`, or `verify` for the modified program alone) answers for the files
    `original.c` and `modified.c` of a folder."""
    if config == "verify":
        return verify(tools, folder, "modified.c", budget, *options)
    spent = 0.0
    for command in ([tools / config, "-q", "--budget", budget, *options, "-o", "graph.json", "original.c", "modified.c"],
                    [tools / "condgen", "-q", "--budget", budget, "-o", "condition.graphml", "graph.json"]):
        answer = call(command, folder, budget)
        spent += answer.cpu
        if answer.code != 0:
            return dataclasses.replace(answer, word=f"{Path(command[0]).name} code {answer.code}")
    answer = verify(tools, folder, "modified.c", budget, "--condition", "condition.graphml",
                    *(o for o in options if not str(o).startswith(("-D", "-I"))))
    return dataclasses.replace(answer, cpu=spent + answer.cpu, limit=3 * budget)


def complaint(answer, must_not):
    """What is wrong with an answer that must not be one of some words; empty if nothing is."""
    if answer.word not in CODES:
        return f"no verdict: {answer.word}, `{answer.last}` {answer.message}"
    if answer.word in must_not:
        return f"{answer.last} is wrong"
    return ""
