#!/usr/bin/env python3
"""Runs cse on folders of program pairs: CLEVER, ModDiff or EqBench, as they were fetched.

A pair is a folder with two C files, the original first by name (old/new, _orig/_upgr, oldV/newV); what it is expected to be is
the folder above (eq, equiv, Eq, neq, nonEq, Neq), unless a correction below says otherwise. Labels of these sets are those of
unbounded integers, so runs that are undefined in either version do not count (--undefined both). Whole programs are compared,
from `client`, `main` or the function that the pair is named after. What is seen is what that function returns, and all else that
can be seen where it returns nothing. A NOT EQUIVALENT counts as confirmed where the harness of it, built by gcc, shows a difference.

Usage: equivalence.py --bin DIR --root DIR [--limit SECONDS] [--match TEXT] --out FILE.csv
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
}


def entry(texts, name):
    """The function that both define and nobody but main calls: client, main with parameters, or the last one."""
    defined = [re.findall(r"^[A-Za-z_][\w \*]*?\b(\w+)\s*\([^;{]*\)\s*\{", text, re.M) for text in texts]
    both = [f for f in defined[0] if f in defined[1]]
    for wanted in ("client", "snippet"):
        if wanted in both:
            return wanted
    if "main" in both:
        return "main"
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
    folders = sorted({path.parent for path in root.rglob("*.c") if match in str(path)})
    for folder in folders:
        files = sorted(folder.glob("*.c"))
        old = [f for f in files if re.search(r"old|_orig", f.name)]
        new = [f for f in files if re.search(r"new|_upgr", f.name)]
        label = next((part for part in reversed(folder.parts) if part in EQUAL | OTHER), None)
        if len(old) == 1 and len(new) == 1 and label:
            yield folder, old[0], new[0], "EQ" if label in EQUAL else "NEQ"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--match", default="")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    rows, counts = [], {}
    kept = tempfile.TemporaryDirectory()
    scratch = kept.name
    for folder, old, new, label in pairs(arguments.root, arguments.match):
        shown = str(folder.relative_to(arguments.root))
        label = next((verdict for end, verdict in CORRECTED.items() if shown.endswith(end)), label)
        texts = [file.read_text(errors="replace") for file in (old, new)]
        name = folder.parent.name if folder.name in EQUAL | OTHER else folder.name
        begin = entry(texts, name)
        is_void = any(re.search(rf"\bvoid\s+{begin}\s*\(", text) for text in texts)
        seen = "return,globals,memory,events" if is_void else "return"
        harness = pathlib.Path(scratch) / f"both{len(rows)}.c"
        command = [str(arguments.bin / "cse"), "--json", "-q", "--undefined", "both", "--observe", seen, "--entry", begin,
                   "--harness", str(harness), "--budget", str(arguments.limit), str(old), str(new)]
        start = spent()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20 * arguments.limit + 60)
            found = {0: "EQ", 1: "NEQ", 3: "?"}.get(done.returncode, f"exit {done.returncode}")
        except subprocess.TimeoutExpired:
            found = "?"
        verdict = "right" if found == label else "wrong" if found in ("EQ", "NEQ") else "open" if found == "?" else "unusable"
        counts[verdict] = counts.get(verdict, 0) + 1
        cpu = spent() - start
        shows = ("yes" if confirmed(harness) else "no") if found == "NEQ" else ""
        rows.append([shown, begin, label, found, verdict, shows, f"{cpu:.2f}"])
        print(*rows[-1], flush=True)
    with arguments.out.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["pair", "entry", "expected", "found", "verdict", "confirmed", "cpu"])
        writer.writerows(rows)
    print(counts)


if __name__ == "__main__":
    main()
