#!/usr/bin/env python3
"""Runs cse on folders of program pairs: CLEVER, ModDiff or EqBench, as they were fetched.

A pair is a folder with two C files, the original first by name (old/new, _orig/_upgr, oldV/newV); what it is expected to be is
the folder above (eq, equiv, Eq, neq, nonEq, Neq), unless a correction below says otherwise. Labels of these sets are those of
unbounded integers, so runs that are undefined in either version do not count (--undefined both). Whole programs are compared,
from `client`, `main` or the function that the pair is named after. What is seen is what that function returns, and all else that
can be seen where it returns nothing. A NOT EQUIVALENT counts as confirmed where the harness of it, built by gcc, shows a difference.

With --esbmc the same pairs go to ESBMC, too: by k-induction on the program that `cse --to c` prints, with the same CPU seconds. Its
answers count where it is not wrong about what cse and gcc show; without --interval-analysis, which proves what runs refute.

Rows that --out has already are not run again.

Usage: equivalence.py --bin DIR --root DIR [--limit SECONDS] [--match REGEX] [--esbmc BINARY] --out FILE.csv
"""

import argparse
import csv
import pathlib
import re
import resource
import subprocess
import tempfile

EQUAL = {"eq", "equiv", "Eq"}
OTHER = {"neq", "nonEq", "Neq"}

# Labels that two real runs contradict, or that speak of runs without meaning in C.
CORRECTED = {
    "eq/is_prime2": "NEQ", "eq/one": "NEQ", "eq/fib": "NEQ", "CLEVER/is_prime2/Eq": "NEQ", "CLEVER/fib/Eq": "NEQ",
    "ell/rj/Eq": "NEQ", "bess/bess/Eq": "NEQ", "nonEq/UnchLoop": "NEQ",
    # A harness of cse, built by gcc, shows a difference: a zero of the other sign, NaN, a sum rounded in another order.
    "REVE/average/Eq": "NEQ", "airy/MAX/Eq": "NEQ", "airy/Sign/Eq": "NEQ", "bess/SIGN/Eq": "NEQ", "bess/bessy1/Eq": "NEQ",
    "ell/elle/Eq": "NEQ", "ell/ellpi/Eq": "NEQ", "gam/gser/Eq": "NEQ", "tsafe/snippet/Eq": "NEQ", "tsafe/tsafe/Eq": "NEQ",
    # No run counts in which they differ: the original does not end, or overflows whatever it is given.
    "REVE/triangularMod/Neq": "EQ", "ej_hash/testCollision4/Neq": "EQ", "ej_hash/ej_hash/Neq": "EQ",
}


def described(folder, both):
    """The function that the description beside the pair names, where both versions define it and nobody calls it as its library."""
    file = folder / "C-Desc.json"
    found = re.search(r'"function name"\s*:\s*"(\w+)"', file.read_text(errors="replace")) if file.exists() else None
    return found[1] if found and found[1] in both else None


def entry(texts, name, folder=None):
    """The function that both define and nobody but main calls: client, main with parameters, the one described, or the last one."""
    defined = [re.findall(r"^[ \t]*[A-Za-z_][\w \*]*?\b(\w+)\s*\([^;{]*\)\s*\{", text, re.M) for text in texts]
    both = [f for f in defined[0] if f in defined[1]]
    for wanted in ("client", "snippet"):
        if wanted in both:
            return wanted
    if "main" in both:
        return "main"
    if folder is not None and (named := described(folder, both)):
        return named
    others = [f for f in both if f not in ("main", "if", "while", "for", "switch")]
    called = lambda f: sum(len(re.findall(rf"\b{f}\s*\(", re.sub(r"\bmain\b[\s\S]*", "", text))) for text in texts)
    tops = [f for f in others if called(f) == 2] or others
    return name if name in tops else tops[-1] if tops else "main"


def spent():
    """CPU seconds of all children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def confirmed(harness):
    """Whether gcc's program of both versions shows a difference."""
    program = harness.with_suffix(".out")
    flags = ["-std=gnu11", "-w", "-O0", "-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error"]
    built = subprocess.run(["gcc", *flags, "-o", program, harness, "-lm"], capture_output=True)
    return built.returncode == 0 and subprocess.run([program], capture_output=True, timeout=60).returncode == 0


def pairs(root, match):
    folders = sorted({path.parent for path in root.rglob("*.c") if re.search(match, str(path))})
    for folder in folders:
        files = sorted(folder.glob("*.c"))
        old = [f for f in files if re.search(r"old|_orig", f.name)]
        new = [f for f in files if re.search(r"new|_upgr", f.name)]
        label = next((part for part in reversed(folder.parts) if part in EQUAL | OTHER), None)
        if len(old) == 1 and len(new) == 1 and label:
            yield folder, old[0], new[0], "EQ" if label in EQUAL else "NEQ"


def esbmc(binary, question, limit):
    """What ESBMC says of a question, and the CPU seconds."""
    flags = ["--floatbv", "--no-div-by-zero-check", "--force-malloc-success", "--no-align-check", "--no-vla-size-check",
             "--no-pointer-check", "--no-bounds-check", "--64", "--k-induction", "--k-step", "2", "--unlimited-k-steps",
             "--max-inductive-step", "3"]
    # CPU seconds, and twice as many of the clock on a machine with others.
    command = ["bash", "-c", f"ulimit -t {max(1, round(limit))}; exec \"$@\"", "-", str(binary), str(question), *flags]
    start = spent()
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=6 * limit)
        said = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        said = ""
    cpu = spent() - start
    if "VERIFICATION SUCCESSFUL" in said:
        return "EQ", cpu
    if "VERIFICATION FAILED" in said:
        return "NEQ", cpu
    return ("?" if "ERROR: PARSING" not in said and "not supported" not in said else "unusable"), cpu


def judged(found, label):
    return "right" if found == label else "wrong" if found in ("EQ", "NEQ") else "open" if found == "?" else "unusable"


def row(arguments, pair, scratch):
    """One pair as a row of the table."""
    folder, old, new, label = pair
    shown = str(folder.relative_to(arguments.root))
    label = next((verdict for end, verdict in CORRECTED.items() if shown.endswith(end)), label)
    texts = [file.read_text(errors="replace") for file in (old, new)]
    name = folder.parent.name if folder.name in EQUAL | OTHER else folder.name
    begin = entry(texts, name, folder)
    is_void = any(re.search(rf"\bvoid\s+{begin}\s*\(", text) for text in texts)
    seen = "return,globals,memory,events" if is_void else "return"
    harness = pathlib.Path(scratch) / "both.c"
    harness.unlink(missing_ok=True)
    asked = ["--undefined", "both", "--observe", seen, "--entry", begin]
    command = [str(arguments.bin / "cse"), "--json", "-q", *asked, "--harness", str(harness),
               "--budget", str(arguments.limit), str(old), str(new)]
    start, reason = spent(), ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * arguments.limit + 60)
        found = {0: "EQ", 1: "NEQ", 3: "?"}.get(done.returncode, f"exit {done.returncode}")
        # A run that the budget ends in the middle of something says only so.
        said = re.search(r'"reason": ?"([^"]*)"', done.stdout) or re.search(r"UNKNOWN\((.*)\)", done.stdout)
        reason = said[1] if said and found == "?" else ""
    except subprocess.TimeoutExpired:
        found = "?"
    cpu = spent() - start
    shows = ("yes" if confirmed(harness) else "no") if found == "NEQ" else ""
    reason = re.sub(r" at /\S+", "", reason)
    cells = [shown, begin, label, found, judged(found, label), shows, f"{cpu:.2f}", reason]
    if arguments.esbmc:
        question = pathlib.Path(scratch) / "question.c"
        made = subprocess.run([str(arguments.bin / "cse"), "-q", "--to", "c", *asked, "-o", str(question), str(old), str(new)],
                              capture_output=True)
        other, took = esbmc(arguments.esbmc, question, arguments.limit) if made.returncode == 0 else ("unusable", 0)
        cells += [other, judged(other, label), f"{took:.2f}"]
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--match", default="")
    parser.add_argument("--esbmc", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    header = ["pair", "entry", "expected", "found", "verdict", "confirmed", "cpu", "reason"]
    header += ["esbmc", "esbmc verdict", "esbmc cpu"] if arguments.esbmc else []
    rows = []
    if arguments.out.exists():
        rows = list(csv.reader(arguments.out.open()))[1:]
    else:
        arguments.out.write_text(",".join(header) + "\n")
    known = {row[0] for row in rows}
    with tempfile.TemporaryDirectory() as scratch, arguments.out.open("a", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for pair in pairs(arguments.root, arguments.match):
            if str(pair[0].relative_to(arguments.root)) in known:
                continue
            rows.append(row(arguments, pair, scratch))
            writer.writerow(rows[-1])
            out.flush()
            print(*rows[-1], flush=True)
    for column in [header.index(name) for name in ("verdict", "esbmc verdict") if name in header]:
        counts = {}
        for cells in rows:
            counts[cells[column]] = counts.get(cells[column], 0) + 1
        print(header[column], counts)


if __name__ == "__main__":
    main()
