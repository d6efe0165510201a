#!/usr/bin/env python3
"""Programs of csmith, and pairs of them, judged by what gcc's binaries compute.

usage: csmith.py --bin DIR [--first SEED] [--count N] [--jobs N] [--budget SECONDS] [--without-execution] [--pairs]
                 [--out DIR] [--interpreter DIR]

A seed gives a small program without undefined behaviour (but signed overflow, which wraps). Every other one reads an
input from 0 to 3 into one of its variables. At its end it adds up all global variables; gcc says which sums there are. In
one polarity another sum is the error, in the other one the smallest of these. With `--without-execution` the analysis that
executes a program once is switched off, so that the others have to answer. With `--pairs` one statement is changed and
both go through either detector. With `--out` a run that was cut short goes on where it stopped.

`--interpreter DIR` judges nothing: it writes `SEED.safe.c` and `SEED.unsafe.c` of programs without inputs to a folder.
"""
import argparse
import concurrent.futures
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import record
import tools

INCLUDE = "/usr/include/csmith"
SHAPES = [
    "--max-funcs 2 --max-block-depth 2 --max-block-size 2 --max-expr-complexity 3 --max-array-dim 1 --max-array-len-per-dim 3",
    "--max-funcs 3 --max-block-depth 3 --max-block-size 3 --max-expr-complexity 4 --max-array-dim 2 --max-array-len-per-dim 4",
    "--max-funcs 2 --max-block-depth 2 --max-block-size 3 --max-expr-complexity 4 --float --max-array-dim 1",
    "--max-funcs 3 --max-block-depth 2 --max-block-size 3 --max-expr-complexity 5 --no-safe-math --no-divs"
    " --max-array-dim 2 --max-array-len-per-dim 3",
]
FLAGS = ["-std=gnu11", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-fsanitize-undefined-trap-on-error",
         "-fsanitize=shift-exponent,integer-divide-by-zero,bounds,float-cast-overflow,null,return"]
PRELUDE = """#include <stdint.h>
#include <limits.h>
#include <float.h>
#include <math.h>
extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
#define STATIC static
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define assert(x)
#define FUNC_NAME(x) (safe_##x)
#include "safe_math.h"
#undef FUNC_NAME
static unsigned long checksum;
static void transparent_crc(uint64_t value, char *name, int flag) { checksum = checksum * 31 + value; }
static void transparent_crc_bytes(char *p, int n, char *name, int flag) { while (n-- > 0) checksum = checksum * 31 + *p++; }
"""
DRIVER = r"""
#include <stdio.h>
#include <unistd.h>
int judged_main(void);
static int value;
int __VERIFIER_nondet_int(void) { return value; }
void reach_error(void) { _exit(1); }
void finish(unsigned long sum) { printf("%lu\n", sum); fflush(stdout); _exit(0); }
int main(int argc, char **argv) { value = argv[1][0] - '0'; alarm(2); judged_main(); return 3; }
"""


class Program:
    """The program of a seed: its text, with `FINISH` where the sum is looked at."""

    def __init__(self, seed):
        self.seed, rng = seed, random.Random(seed)
        options = f"--seed {seed} --no-argc --concise {SHAPES[seed % len(SHAPES)]}".split()
        # csmith leaves a file about the machine where it runs.
        with tempfile.TemporaryDirectory() as folder:
            text = subprocess.run(["csmith", *options], cwd=folder, check=True, capture_output=True, text=True).stdout
        text = text.replace('#include "csmith.h"', PRELUDE)
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = text.replace("platform_main_begin();", "").replace("crc32_gentab();", "INPUT")
        text = re.sub(r"platform_main_end\([^;]*\);", "FINISH", text)
        self.inputs = 0
        places = re.findall(r"^static (?:volatile )?u?int(?:8|16|32|64)_t (?:volatile )?(g_\d+) = ", text, re.M)
        read = ""
        if places and seed % 2:
            self.inputs = 1
            read = f"{{ int in = __VERIFIER_nondet_int(); if (in < 0 || in > 3) abort(); {rng.choice(places)} = in; }}"
        self.text = text.replace("INPUT", read)

    def sums(self, driver, folder):
        """What gcc's binary computes on all inputs; None if a run does not end well."""
        source, binary = folder / f"{self.seed}.c", folder / f"{self.seed}"
        source.write_text("extern void finish(unsigned long);\n" + self.text.replace("FINISH", "finish(checksum);"))
        flags = [*FLAGS, "-Dmain=judged_main", "-I", INCLUDE]
        subprocess.run(["gcc", *flags, source, driver, "-lm", "-o", binary], check=True)
        found = set()
        for value in range(4 if self.inputs else 1):
            ran = subprocess.run([binary, str(value)], capture_output=True, text=True)
            if ran.returncode != 0:
                return None
            found.add(int(ran.stdout))
        return sorted(found)

    def checked(self, condition):
        """The program with the error under a condition on the sum, without directives."""
        text = self.text.replace("FINISH", f"if ({condition}) reach_error();")
        command = ["gcc", "-E", "-P", "-I", INCLUDE, "-"]
        return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout

    def change(self, rng):
        """Another program with one statement changed; None if there is nothing to change."""
        lines = self.text.split("\n")
        first = next(i for i, line in enumerate(lines) if re.match(r"static .*\bfunc_\d+\(.*\)\s*$", line))
        last = next(i for i, line in enumerate(lines) if line.startswith("int main"))
        ways = []
        for i in range(first, last):
            line = lines[i]
            if "for (" in line or "[i" in line or "*l_" in line and "= &" in line:
                continue
            ways += [(i, m.start(), m.end(), rng.choice(["1", "0", "7", "(-3)", "0xFF"]))
                     for m in re.finditer(r"\(-?\d+U?L+\)|\b(0x[0-9A-F]+|\d+)U?L+\b", line)]
            ways += [(i, m.start(1), m.end(1), rng.choice(["add", "sub", "mul"]))
                     for m in re.finditer(r"safe_(add|sub|mul)_func_u?int", line)]
            ways += [(i, m.start(1), m.end(1), rng.choice(["|", "^", "&", "+", "-"])) for m in re.finditer(r" ([|^&]) ", line)]
            ways += [(i, m.start(1), m.end(1), rng.choice(["<", ">=", "==", "!="])) for m in re.finditer(r" (<|<=|>|>=|==|!=) ", line)]
            if re.match(r" +(\(\*l_\d+\)|g_\d+) ([|^&+*-])?= [^&]*;$", line):
                ways.append((i, 0, len(line), "    ;"))
        if not ways:
            return None
        i, start, end, new = rng.choice(ways)
        changed = object.__new__(Program)
        changed.seed, changed.inputs = self.seed, self.inputs
        lines[i] = lines[i][:start] + new + lines[i][end:]
        changed.text = "\n".join(lines)
        return changed


def other_than(sums):
    """The condition that the sum is none of some."""
    return " && ".join(f"checksum != {value}UL" for value in sums)


def judge_program(seed, driver, options):
    """Answers for both polarities of a program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = Program(seed)
        sums = program.sums(driver, folder)
        if sums is None:
            return []
        answers = []
        for polarity, condition in (("safe", other_than(sums)), ("unsafe", f"checksum == {sums[0]}UL")):
            text = program.checked(condition)
            (folder / "program.c").write_text(text)
            more = ["--analysis", "values,bounded,predicates"] if options.without_execution else []
            answer = tools.verify(options.bin, folder, "program.c", options.budget, *more)
            what = "without execution " if options.without_execution else ""
            answers.append((what + polarity, answer, tools.complaint(answer, {"FALSE" if polarity == "safe" else "TRUE"}), [text]))
        return answers


def judge_pairs(seed, driver, options):
    """Answers for a change that is seen in the sum and for one that is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, rng = Program(seed), random.Random(seed)
        sums = program.sums(driver, folder)
        answers, kept = [], set()
        for _ in range(6 if sums else 0):
            changed = program.change(rng)
            try:
                after = changed and changed.text != program.text and changed.sums(driver, folder)
            except subprocess.CalledProcessError:
                continue
            if not after:
                continue
            sort = "safe" if set(after) <= set(sums) else "regression"
            if sort in kept:
                continue
            kept.add(sort)
            texts = [p.checked(other_than(sums)) for p in (program, changed)]
            for file, text in zip(("original.c", "modified.c"), texts, strict=True):
                (folder / file).write_text(text)
            for config in ("diffdp", "diffcond"):
                answer = tools.chain(options.bin, config, folder, options.budget)
                answers.append((f"pair {config} {sort}", answer, tools.complaint(answer, {"FALSE" if sort == "safe" else "TRUE"}), texts))
        return answers


def write_programs(seeds, driver, folder):
    """Both polarities of programs without inputs, for the test of the interpreter."""
    for seed in seeds:
        program = Program(seed)
        sums = program.sums(driver, folder)
        if sums and not program.inputs:
            (folder / f"{seed}.safe.c").write_text(program.checked(other_than(sums)))
            (folder / f"{seed}.unsafe.c").write_text(program.checked(f"checksum == {sums[0]}UL"))


def main():
    """Judges seeds and says how many answers there were of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=int, default=3)
    parser.add_argument("--without-execution", action="store_true")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--interpreter", type=Path)
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    seeds = range(options.first, options.first + options.count)
    with tempfile.TemporaryDirectory() as name:
        driver = Path(name) / "driver.o"
        (Path(name) / "driver.c").write_text(DRIVER)
        subprocess.run(["gcc", "-w", "-c", "driver.c"], cwd=name, check=True)
        if options.interpreter:
            return write_programs(seeds, driver, options.interpreter)
        kind = "csmith-pairs" if options.pairs else "csmith-without-execution" if options.without_execution else "csmith"
        kept = record.Record(options.out, kind, options.bin)
        work = judge_pairs if options.pairs else judge_program
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            todo = [seed for seed in seeds if str(seed) not in kept.done]
            for seed, answers in pool.map(lambda seed: (seed, work(seed, driver, options)), todo):
                for what, answer, complaint, texts in answers:
                    kept.count(what, answer.word)
                    if complaint:
                        kept.wrong(f"{seed} {what}", complaint, texts)
                kept.finish([str(seed)])
    sys.exit(kept.report())


if __name__ == "__main__":
    main()
