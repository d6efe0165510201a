#!/usr/bin/env python3
"""What changed between a student's program and its repair: `invdiff` on pairs `ID_buggy.c`, `ID_correct.c` of a public corpus.

Two tables, in the shape of those of *Invariant Diffs* (arXiv 1911.07988): what changed in each pair and how long it took, and how
time grows from two versions of a task to six. Facts are those that `invdiff` proposes at the end of the program and before its
output, and three that are asked for each number that all versions declare: these are counted as `letters` and `decided`, for
proposals that nobody proves are left out of tables. The corpus is not part of this repository: see --corpus. Writes two CSV files.

Programs are looked at as they are (`scanf` in the column `read`). With --inputs, where every call of it in all versions is of the
form `scanf("%f %d", &x, &i)`, each number that it reads is made an input of its type instead (`inputs`). The question of the paper
is what variables are at the end, as a constant or an expression: --names 0 --families constant,definition --exit-only.
"""

import argparse
import csv
import difflib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TASKS = ["2810", "2811", "2812", "2813", "2824", "2825", "2827", "2828", "2830", "2832"]
PAIRS = ["270025", "270048", "270053", "270057", "270142", "270150", "270194", "270201", "270220", "270227", "270330", "270357",
         "270391", "270406", "270466", "271056", "271154", "271206", "271340", "271410", "271464", "271471", "271876"]


CALL = re.compile(r'\bscanf\s*\(\s*"([^"]*)"\s*,([^;{}]*?)\)\s*(?=[;,)=<>!&|])')
INPUT = {"d": "int", "i": "int", "u": "unsigned int", "f": "float", "lf": "double", "ld": "long", "lu": "unsigned long", "c": "char"}
NAMES = {"unsigned int": "uint", "unsigned long": "ulong"}


def inputs(text):
    """The program with inputs in place of what `scanf` reads; None where a call is not understood."""
    used = set()

    def call(found):
        conversions = re.findall(r"%([a-zA-Z]+)", found[1])
        rest = re.sub(r"%[a-zA-Z]+|\\[nt]|[\s,:;/()\[\]-]", "", found[1])
        places = [place.strip() for place in found[2].split(",")]
        if rest or len(conversions) != len(places) or any(kind not in INPUT for kind in conversions):
            return found[0]
        if not all(re.fullmatch(r"&\s*[A-Za-z_]\w*(\[\w+\])*", place) for place in places):
            return found[0]
        types = [INPUT[kind] for kind in conversions]
        used.update(types)
        reads = [f"*({ty} *)({place}) = __VERIFIER_nondet_{NAMES.get(ty, ty)}()" for ty, place in zip(types, places)]
        return "(" + ", ".join(reads) + f", {len(reads)})"

    code = CALL.sub(call, re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found[0].count("\n"), text, flags=re.S))
    if re.search(r"\b(scanf|gets|fgets|getchar)\b", code):
        return None
    return "".join(f"extern {ty} __VERIFIER_nondet_{NAMES.get(ty, ty)}(void); " for ty in sorted(used)) + code


def lines(file):
    return [line.strip() for line in file.read_text(errors="replace").splitlines() if line.strip()]


def changed(one, other):
    """How many lines a diff removes or adds, whichever is more."""
    blocks = difflib.SequenceMatcher(None, lines(one), lines(other), autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in blocks if kind != "equal")


def numbers(text):
    """Names of plain numbers that a program declares."""
    lists = re.findall(r"\b(?:int|float|double|long|char)\s+([A-Za-z_][^;(){}]*);", text)
    names = (re.match(r"\s*([A-Za-z_]\w*)\s*(=.*)?$", one, re.S) for all in lists for one in all.split(","))
    return list(dict.fromkeys(name[1] for name in names if name))


def run(options, files, output=True):
    command = [options.tool, "--to", "json", "--at", "exit", "--stats", "--steps", str(options.steps), "--budget", str(options.budget)]
    command += ["--families", options.families]
    if output and not options.exit_only and all("printf" in file.read_text(errors="replace") for file in files):
        command += ["--at", "calls:printf"]
    declared = [numbers(file.read_text(errors="replace")) for file in files]
    for name in [name for name in declared[0] if all(name in names for names in declared)][:options.names]:
        command += [f"--of={name} >= 0", f"--of={name} <= 1000", f"--of={name} == {name}"]
    texts = [inputs(file.read_text(errors="replace")) if options.inputs else None for file in files]
    with tempfile.TemporaryDirectory() as folder:
        named = [str(file.resolve()) for file in files]
        if all(text is not None for text in texts):
            named = [f"{number}-{file.name}" for number, file in enumerate(files)]
            for name, text in zip(named, texts):
                (Path(folder) / name).write_text(text)
        begin = time.monotonic()
        ran = subprocess.run(command + options.flags.split() + named, capture_output=True, text=True, cwd=folder)
        wall = time.monotonic() - begin
    read = "inputs" if all(text is not None for text in texts) else "scanf"
    if "fewer than two versions have the point" in ran.stderr and output:
        return run(options, files, output=False)
    if ran.returncode not in (0, 3):
        why = next((line for line in ran.stderr.splitlines() if "error" in line), ran.stderr.strip()[-200:])
        return {"read": read, "seconds": round(wall, 3), "why": why}
    cpu = next(float(line.split()[1]) for line in ran.stderr.splitlines() if line.startswith("cpu:"))
    table = json.loads(ran.stdout)
    letters = "".join(one["status"] for one in table["instances"] if one["family"] == "user" or not options.names)
    kinds = [churn["kind"] for churn in table["churns"]]
    everywhere = sum(set(one["status"]) == {"H"} for one in table["instances"])
    return {"read": read, "facts": len(table["instances"]), "letters": len(letters), "decided": sum(letter != "?" for letter in letters),
            "invariants of all": everywhere, "broken": kinds.count("broken"), "gained": kinds.count("gained"),
            "other changes": sum(kind not in ("broken", "gained", "open") for kind in kinds), "open": kinds.count("open"),
            "queries": table["statistics"].get("queries", 0), "cpu": cpu, "seconds": round(wall, 3), "why": ""}


def write(file, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with open(file, "w", newline="") as out:
        writer = csv.DictWriter(out, names, restval="")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, help="a folder with folders of tasks below it, e.g. `dataset` of ITSP")
    parser.add_argument("--bin", default="target/release")
    parser.add_argument("--out", type=Path, default=Path("."))
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--budget", type=int, default=10)
    parser.add_argument("--flags", default="", help="more options of invdiff")
    parser.add_argument("--names", type=int, default=6, help="how many numbers of a program are asked about; 0 leaves proposals alone")
    parser.add_argument("--families", default="constant,bounds,order,parity,definition,number", help="what is proposed")
    parser.add_argument("--exit-only", action="store_true", help="do not ask before output")
    parser.add_argument("--inputs", action="store_true", help="inputs in place of what scanf reads")
    parser.add_argument("--only", choices=["pairs", "growth"])
    options = parser.parse_args()
    options.tool = str((Path(options.bin) / "invdiff").resolve())
    found = {file.name.removesuffix("_buggy.c"): file for file in sorted(options.corpus.rglob("*_buggy.c"))}
    fixed = lambda file: file.with_name(file.name.replace("_buggy", "_correct"))
    if not found:
        sys.exit(f"no pairs below {options.corpus}")
    options.out.mkdir(parents=True, exist_ok=True)
    if options.only != "growth":
        both = [(pair, found[pair], fixed(found[pair])) for pair in PAIRS if pair in found]
        rows = [{"pair": pair, "lines": len(lines(one)), "changed": changed(one, other), **run(options, [one, other])}
                for pair, one, other in both]
        write(options.out / "pairs.csv", rows)
        seconds, cpu = ([row[name] for row in rows if name in row] for name in ("seconds", "cpu"))
        decided, letters = (sum(row.get(name, 0) for row in rows) for name in ("decided", "letters"))
        print(f"{len(rows)} pairs: median {statistics.median(seconds):.3f} s, most {max(seconds):.3f} s; "
              f"CPU seconds median {statistics.median(cpu):.3f}, most {max(cpu):.3f}; {decided} of {letters} letters")
    if options.only != "pairs":
        rows = []
        for task in TASKS:
            pairs = [file for file in found.values() if file.parent.name == task][:3]
            files = [one for file in pairs for one in (file, fixed(file))]
            rows += [{"task": task, "versions": count, **run(options, files[:count])} for count in range(2, len(files) + 1)]
        write(options.out / "growth.csv", rows)
        print(f"{len(rows)} runs of {len(TASKS)} tasks: most {max((row['seconds'] for row in rows), default=0):.3f} s")


if __name__ == "__main__":
    main()
