#!/usr/bin/env python3
"""The test programs of other verifiers: what `verify` says of each beside what its suite expects, and `residue check` on those
that differ in little.

Knows the forms of suites, given as a folder: `esbmc` (`test.desc`: a program, options, what is printed; as of CBMC and 2LS too),
`smack` (a comment `@expect verified` or `error`), `ultimate` (a comment `#Safe` or `#Unsafe`, assertions in comments), `names` (what is
expected of `unreach-call` is in the file's name) and `tasks` (task definitions `*.yml` as of SV-COMP and CPAchecker). Expectations are those of another
tool with its options: a row that differs is to be looked at, and says nothing alone. With --pairs a program `x` and one called
`x_fail`, `x_false`, `x_bug` and the like are an original and a modified program, in both directions: where `verify` decides both,
a check of the first kind may not say TRUE, and one of the second not FALSE. The suites are not part of this repository.

Appends to --out and goes on where it ended. Exits with 1 if a pair is wrong.

    python3 benchmarks/suites.py --suite esbmc --folder ESBMC/regression --bin target/release --out DIR/esbmc.csv
    python3 benchmarks/suites.py --pairs --bin target/release --out DIR/esbmc.csv
"""

import argparse
import collections
import csv
import pathlib
import re
import subprocess
import sys
import time

FIELDS = ["task", "properties", "model", "expected", "verdict", "said", "seconds", "file"]
# Options of ESBMC that ask another question than a property here.
OTHERS = ("function", "func", "no-assertions", "context-bound", "stack-limit", "total-stack-limit", "goto-functions", "parse-tree", "no-library",
          "data-races-check", "deadlock-check", "atomicity-check", "termination", "error-label", "enforce-contract", "replace-call",
          "lock-order-check", "uninitialised-vars-check", "struct-fields-check", "coverage", "malloc-zero-is-null", "nan-check",
          "floatbv", "fixedbv", "big-endian", "ir", "ir-ieee", "loop-invariant", "restrict-check", "excessive-alloc-check",
          "unknown-method-args-check", "volatile-check", "unsigned-overflow-check", "conv-assert-to-assume", "round-to")
BEFORE = """
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern void __VERIFIER_assume(int);
#define __ESBMC_assert(c, ...) ((c) ? (void)0 : __assert_fail("", "", 0, ""))
#define __CPROVER_assert(c, ...) ((c) ? (void)0 : __assert_fail("", "", 0, ""))
#define __ESBMC_assume(c) ((c) ? (void)0 : __VERIFIER_assume(0))
#define __CPROVER_assume(c) ((c) ? (void)0 : __VERIFIER_assume(0))
"""
SMACK = """
#include <stddef.h>
#define assume(x) do { if (!(x)) __VERIFIER_assume(0); } while (0)
extern char __VERIFIER_nondet_char(void); extern unsigned char __VERIFIER_nondet_unsigned_char(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_unsigned_short(void); extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_unsigned_int(void); extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_unsigned_long(void);
extern long long __VERIFIER_nondet_long_long(void); extern unsigned long long __VERIFIER_nondet_unsigned_long_long(void);
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern void *__VERIFIER_nondet_pointer(void);
"""
WORSE = re.compile(r"[-_](fail|false|bug|unsafe)(?=\.c\.i$|\.i$)", re.I)


def of_esbmc(folder):
    for description in sorted(folder.rglob("test.desc")):
        lines = [line.strip() for line in description.read_text(errors="replace").splitlines()]
        if len(lines) < 4 or not re.fullmatch(r"\S+\.[ci]", lines[1]):
            continue
        options, said = lines[2].split(), " ".join(lines[3:])
        expected = {(True, False): "TRUE", (False, True): "FALSE"}.get(("SUCCESSFUL" in said, "FAILED" in said))
        if expected is None or any(option.lstrip("-").split("=")[0].startswith(OTHERS) for option in options):
            continue
        properties = ["assert", "unreach-call"]
        if not {"--no-pointer-check", "--no-bounds-check", "--no-standard-checks"} & set(options):
            properties += ["valid-deref", "valid-free"]
        if "--no-div-by-zero-check" not in options:
            properties.append("div-zero")
        properties += [ours for theirs, ours in (("--overflow-check", "no-overflow"), ("--memory-leak-check", "valid-memtrack")) if theirs in options]
        defined = [option for option in options if option.startswith("-D")]
        yield description.parent / lines[1], properties, "ILP32" if "--32" in options else "LP64", expected, defined


def of_smack(folder):
    for file in sorted(folder.rglob("*.c")):
        text = file.read_text(errors="replace")
        expected = re.search(r"@expect (verified|error)\b", text)
        if not expected or "pthread" in str(file):
            continue
        flags = " ".join(re.findall(r"@flag (.*)", text))
        properties = ["assert"]
        if "memory-safety" in flags + str(file):
            properties += ["valid-deref", "valid-free", "valid-memtrack"]
        if "integer-overflow" in flags:
            properties += ["no-overflow", "shift"]
        yield file, properties, "LP64", "TRUE" if expected[1] == "verified" else "FALSE", []


def of_ultimate(folder):
    for file in sorted([*folder.rglob("*.c"), *folder.rglob("*.i")]):
        text = file.read_text(errors="replace")
        expected = re.search(r"^\s*(?://|/?\*)?\s*#\s*(Safe|Unsafe)\b", text, re.I | re.M)
        if expected and "pthread" not in text and re.search(r"\bmain\s*\(", text) and not re.search(r"(?m)@.*(\\[a-z]|==>|requires|ensures|invariant)", text):
            properties = ["assert", "unreach-call"]
            properties += ["no-overflow"] if "verflow" in str(file) else []
            properties += ["valid-deref", "valid-free"] if "memsafety" in str(file) else []
            yield file, properties, "LP64" if "64bit" in str(file) else "ILP32", "TRUE" if expected[1].lower() == "safe" else "FALSE", []


def of_names(folder):
    for file in sorted([*folder.rglob("*.c"), *folder.rglob("*.i")]):
        expected = re.search(r"(true|false)-unreach-call", file.name)
        if expected and "pthread" not in file.read_text(errors="replace"):
            yield file, ["unreach-call"], "ILP32", expected[1].upper(), []


def of_tasks(folder):
    import yaml  # of the environment of `make external`

    known = {"unreach-call": "unreach-call", "valid-memsafety": "valid-memsafety", "no-overflow": "no-overflow", "valid-memcleanup": "valid-memtrack"}
    for definition in sorted(folder.rglob("*.yml")):
        try:
            task = yaml.safe_load(definition.read_text(errors="replace"))
        except yaml.YAMLError:
            continue
        file = task.get("input_files") if isinstance(task, dict) else None
        file = file[0] if isinstance(file, list) and len(file) == 1 else file
        if not isinstance(file, str) or not (definition.parent / file).exists() or (task.get("options") or {}).get("language", "C") != "C":
            continue
        model = (task.get("options") or {}).get("data_model", "ILP32")
        for row in task.get("properties") or []:
            ours = known.get(pathlib.Path(row["property_file"]).stem)
            if ours and "expected_verdict" in row and model in ("ILP32", "LP64"):
                yield definition.parent / file, [ours], model, "TRUE" if row["expected_verdict"] else "FALSE", []


SUITES = {"esbmc": of_esbmc, "smack": of_smack, "ultimate": of_ultimate, "names": of_names, "tasks": of_tasks}


def preprocessed(file, model, defined, suite, into):
    """A file that `gcc` takes, or None."""
    includes = into / "include"
    includes.mkdir(exist_ok=True)
    (includes / "before.h").write_text(BEFORE if suite not in ("tasks", "names") else "")
    for name, text in (("smack.h", SMACK), ("smack-contracts.h", ""), ("smack-modular.h", "")):
        (includes / name).write_text(text)
    command = ["gcc", "-w", "-m32" if model == "ILP32" else "-m64", "-std=gnu11"]
    text = file.read_text(errors="replace")
    if suite == "ultimate":
        text = re.sub(r"//@\s*assert\s+([^;]*);", r'if (!(\1)) __assert_fail("", "", 0, "");', text)
    read = subprocess.run([*command, "-E", "-P", "-I", str(file.parent), "-I", str(includes), "-include", str(includes / "before.h"), *defined,
                           "-x", "c", "-"], input=text, capture_output=True, text=True, errors="replace")
    if read.returncode:
        return None
    target = into / (re.sub(r"[^\w.-]", "_", "__".join(file.parts[-4:])) + ".i")
    target.write_text(read.stdout)
    return None if subprocess.run([*command, "-fsyntax-only", str(target)], capture_output=True).returncode else target


def rows_of(out):
    return list(csv.DictReader(out.open())) if out.exists() else []


def verdict_of(said):
    return next((verdict for verdict in ("TRUE", "FALSE") if said.startswith(verdict)), "UNKNOWN")


def run(command, limit):
    started = time.monotonic()
    try:
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=3 * limit + 30)
        said = (ran.stdout.strip().splitlines() or [f"exit code {ran.returncode}"])[-1]
    except subprocess.TimeoutExpired:
        said = "no end"
    return said, round(time.monotonic() - started, 2)


def programs(options):
    folder, texts = options.folder.resolve(), options.out.with_suffix(".files")
    texts.mkdir(parents=True, exist_ok=True)
    done = {row["task"] for row in rows_of(options.out)}
    is_new = not options.out.exists()
    with options.out.open("a", newline="") as out:
        writer = csv.DictWriter(out, FIELDS)
        if is_new:
            writer.writeheader()
        for file, properties, model, expected, defined in SUITES[options.suite](folder):
            task = f"{file.relative_to(folder)}:{','.join(properties)}"
            text = None if task in done else preprocessed(file, model, defined, options.suite, texts)
            if text is None:
                continue
            done.add(task)
            said, seconds = run([str(options.bin / "verify"), "-q", "--budget", str(options.limit), "--data-model", model,
                                 "--property", ",".join(properties), str(text)], options.limit)
            said = said.replace(str(text), text.name)
            writer.writerow(dict(zip(FIELDS, [task, ",".join(properties), model, expected, verdict_of(said), said[:160], seconds, text.name])))
            out.flush()
    counted = collections.Counter((row["expected"], row["verdict"]) for row in rows_of(options.out))
    for (expected, verdict), count in sorted(counted.items()):
        print(f"expected {expected}, verify {verdict}: {count}")
    for row in rows_of(options.out):
        if row["verdict"] not in ("UNKNOWN", row["expected"]):
            print(f"to be looked at: {row['task']}: {row['expected']} expected, {row['said']}")
    return 0


def pairs(options):
    texts = options.out.with_suffix(".files")
    known = {row["file"]: row for row in rows_of(options.out)}
    counted = collections.Counter()
    for worse in sorted(known):
        for better in {WORSE.sub(end, worse) for end in ("", "_true", "_pass", "_success", "-true", "_safe", "-safe", "_Safe", "-Safe")} - {worse}:
            if not WORSE.search(worse) or better not in known:
                continue
            for original, modified in ((better, worse), (worse, better)):
                [before, after] = [decided_assertions(options, texts, known[name]) for name in (original, modified)]
                said, _ = run([str(options.bin / "residue"), "check", "-q", "--property", "assert", "--budget", str(options.limit),
                               "--data-model", known[modified]["model"], str(texts / original), str(texts / modified)], options.limit)
                is_wrong = (before, after, verdict_of(said)) == ("TRUE", "FALSE", "TRUE") or after == "TRUE" and verdict_of(said) == "FALSE"
                counted[before, after, verdict_of(said), is_wrong] += 1
                if is_wrong:
                    print(f"wrong: {original} {modified}: {before}, {after}, {said}")
    for (before, after, verdict, is_wrong), count in sorted(counted.items()):
        print(f"verify {before} and {after}, check {verdict}{', wrong' if is_wrong else ''}: {count}")
    return int(any(is_wrong for *_, is_wrong in counted))


def decided_assertions(options, texts, row):
    said, _ = run([str(options.bin / "verify"), "-q", "--budget", str(options.limit), "--data-model", row["model"], "--property", "assert",
                   str(texts / row["file"])], options.limit)
    return verdict_of(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", choices=sorted(SUITES), help="the form of the suite")
    parser.add_argument("--folder", type=pathlib.Path, help="where the suite is (a part of it, if you like)")
    parser.add_argument("--pairs", action="store_true", help="check pairs of the programs that --out has")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of the tools")
    parser.add_argument("--limit", type=int, default=7, help="CPU seconds of each run")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="rows, as CSV; programs go to a folder beside it")
    options = parser.parse_args()
    if options.pairs:
        return pairs(options)
    if not options.suite or not options.folder:
        parser.error("--suite and --folder, or --pairs")
    return programs(options)


if __name__ == "__main__":
    sys.exit(main())
