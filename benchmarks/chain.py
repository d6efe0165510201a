"""The stages of the chain as command lines, and what can be read from their artifacts."""
import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Verifiers of others on a program as it is, and what looks at one program alone.
OTHERS = ["esbmc", "abc"]
ALONE = ["verify", *OTHERS]
CONFIGS = ["diffdp", "diffcond", "reduce", *ALONE]
# Followed by the name of a verifier: the driver as one process.
CHECK = "check-"


def config(name):
    """The name of a configuration, for argparse."""
    if name in CONFIGS or name.startswith(CHECK) and name != CHECK:
        return name
    raise argparse.ArgumentTypeError(f"`{name}` is none of {', '.join(CONFIGS)}, {CHECK}VERIFIER")


def named_property(task):
    """The flag for a property that is not the usual one."""
    return [] if task.prop == "unreach-call" else ["--property", task.prop]


def check(tools, task, verifier, folder):
    """The driver with a verifier that reads the residual program."""
    options = ["-q", "--data-model", task.model, "--json", "--out", folder, "--via", "reduce", "--verifier", verifier,
               *named_property(task)]
    return [tools / "residue", "check", *options, task.original, task.modified]


def detector_of(config):
    """The detector that a configuration uses."""
    return "diffcond" if config == "diffcond" else "diffdp"


def detect(tools, detector, task, graph):
    """Original and modified program to difference graph."""
    return [tools / detector, "-q", "--data-model", task.model, *named_property(task), "-o", graph, task.original, task.modified]


def condgen(tools, graph, condition):
    """Difference graph to condition."""
    return [tools / "condgen", "-q", "-o", condition, graph]


def reduce(tools, condition, residual):
    """Condition to residual program."""
    return [tools / "reduce", "-q", "-o", residual, condition]


def verify(tools, task, program, harness):
    """A program, which may be residual, to a verdict; a residual program says its property itself."""
    prop = named_property(task) if program == task.modified else []
    return [tools / "verify", "-q", "--data-model", task.model, *prop, "--harness", harness, program]


def verify_with(tools, task, condition, harness):
    """The modified program along a condition to a verdict; the condition says the data model."""
    return [tools / "verify", "-q", "--harness", harness, "--condition", condition, task.modified]


# Every check but that of assertions is off, and what `malloc` gives is there, as the tasks mean it.
ESBMC = ["--k-induction", "--k-step", "2", "--unlimited-k-steps", "--max-inductive-step", "3", "--floatbv", "--force-malloc-success",
         "--no-div-by-zero-check", "--no-align-check", "--no-vla-size-check", "--no-pointer-check", "--no-bounds-check"]


def esbmc(task, folder):
    """ESBMC by k-induction. In its eyes a failing assertion is an error, so that is what `reach_error` becomes."""
    text = Path(task.modified).read_text(errors="replace")
    text = re.sub(r"(\breach_error\s*\([^)]*\)\s*)\{\s*\}", r'\1{ __ESBMC_assert(0, "reached"); }', text)
    program = folder / "program.c"
    program.write_text(text)
    return [ROOT / "third-party/external/bin/esbmc-8.4", program, "--" + {"ILP32": "32", "LP64": "64"}[task.model], *ESBMC]


def esbmc_says(printed):
    """The verdict of ESBMC in one word."""
    said = set(re.findall(r"^VERIFICATION (SUCCESSFUL|FAILED)$", printed, re.MULTILINE))
    return {"SUCCESSFUL": "TRUE", "FAILED": "FALSE"}[said.pop()] if len(said) == 1 else "UNKNOWN"


def abc(tools, task, folder, seconds):
    """ABC on the circuit of a program."""
    portfolio = ROOT / "pipelines/external/residue_verifiers/abc_portfolio.py"
    return [sys.executable, portfolio, "--abc", "/usr/bin/berkeley-abc", "--circuit", tools / "circuit", "--model", task.model,
            "--seconds", str(int(seconds)), "--work", folder, task.modified]


def within(command, seconds):
    """The command with a budget of CPU seconds."""
    return [*(str(part) for part in command), "--budget", str(max(1, int(seconds)))]


def indicators(graph):
    """How many nodes of a difference graph are indicators."""
    found = re.search(r'"indicators":\s*\[([^\]]*)\]', graph.read_text())
    return len([node for node in found.group(1).split(",") if node.strip()]) if found else ""


def condition_states(condition):
    """How many states a condition has."""
    return condition.read_text().count("<node ")


def confirm(harness, model):
    """Builds a harness with gcc and runs it; True iff it reaches the error."""
    if not harness.exists():
        return False
    binary = harness.with_suffix("")
    flags = ["-m32", "-nostdlib", "-static"] if model == "ILP32" else []
    # The tools say of signed overflow that it wraps.
    build = subprocess.run(["gcc", "-w", "-O0", "-std=gnu11", "-fwrapv", *flags, "-o", binary, harness], capture_output=True)
    if build.returncode != 0:
        # An inline function of old C is a definition, of new C none.
        flags = [*flags, "-fgnu89-inline"]
        build = subprocess.run(["gcc", "-w", "-O0", "-std=gnu11", "-fwrapv", *flags, "-o", binary, harness], capture_output=True)
    if build.returncode != 0:
        return False
    try:
        done = subprocess.run([binary.resolve()], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return False
    finally:
        binary.unlink()
    return done.returncode == 107 or b"reach_error" in done.stdout + done.stderr
