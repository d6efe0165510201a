#!/usr/bin/env python3
"""Random programs with loops over arrays against the analysis of cells; gcc says what is true.

usage: arrays.py [--bin DIR] [--jobs N] [--count N] [--seed N] [--budget SECONDS] [--keep DIR]

A program fills, copies, shifts, searches, counts, adds and compares elements of arrays of one length that only a run knows,
with bounds, steps and indices drawn at random, and then checks a random statement about them, perhaps only where a flag or a
count says something. It is compiled with gcc and run on every
length up to 6 with many draws of its inputs; TRUE for a program of which some run reaches the error fails. Says how many of
those that no run breaks were proved.
"""
import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import tools

HEAD = """extern void reach_error(void);
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
int a[40], b[40], c[40];
int main(void) {
  int n = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int(), p = __VERIFIER_nondet_int();
  if (n < 1 || n > 20 || p < 0 || p >= n || x < -3 || x > 3) abort();
  int m = 0, k = 0, flag = 1;
  unsigned count = 0;
  long long sum = 0;
"""

DRIVER = """
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static unsigned long state;
static int length, reads;
int __VERIFIER_nondet_int(void) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  int draw = (int)(state >> 33) % 7 - 3;
  return reads++ == 0 ? length : reads == 3 ? abs(draw) % length : draw;
}
void reach_error(void) { _exit(1); }
#include <setjmp.h>
static jmp_buf end;
void stop(void) { longjmp(end, 1); }
int program_main(void);
extern int a[40], b[40], c[40];
int main(void) {
  for (length = 1; length <= 6; length++)
    for (int seed = 0; seed < 400; seed++) {
      state = seed * 77777ul + length;
      reads = 0;
      memset(a, 0, sizeof a), memset(b, 0, sizeof b), memset(c, 0, sizeof c);
      if (!setjmp(end)) program_main();
    }
  return 0;
}
"""


def index(draw, variable):
    """An index expression, which the length of the arrays always covers."""
    return draw.choice([variable] * 6 + [f"n - 1 - {variable}", f"{variable} + 1", "p", "m", "0", f"2 * {variable}"])


def value(draw, variable):
    """What is written."""
    array = draw.choice("abc")
    return draw.choice([
        str(draw.randint(-2, 2)), variable, f"{variable} + 1", "x", "__VERIFIER_nondet_int()", f"{array}[{index(draw, variable)}]",
        f"{array}[{index(draw, variable)}] + 1", f"-{array}[{variable}]", f"a[{variable}] + b[{variable}]"])


def condition(draw, variable):
    """A condition within a loop."""
    return draw.choice([
        f"{draw.choice('abc')}[{variable}] {draw.choice(['<', '==', '>', '!='])} {draw.choice(['0', 'x', variable, 'm', 'a[m]'])}",
        f"{variable} {draw.choice(['<', '==', '!='])} p"])


def statement(draw, variable):
    """A statement of a loop."""
    write = f"{draw.choice('abc')}[{index(draw, variable)}] = {value(draw, variable)};"
    return draw.choice([write, write, write, write, f"if ({condition(draw, variable)}) {write}",
                        f"if ({condition(draw, variable)}) m = {variable};", f"if ({condition(draw, variable)}) break;",
                        f"if ({condition(draw, variable)}) {{ {draw.choice('abc')}[m] = {variable}; if (m < n) m++; }}",
                        f"if ({condition(draw, variable)}) flag = {draw.choice(['0', '0', '0', '1', variable])};",
                        f"if ({condition(draw, variable)}) count++;", f"sum += {draw.choice('abc')}[{variable}];",
                        f"if ({condition(draw, variable)}) {write} else {draw.choice('abc')}[{variable}] = {draw.randint(-1, 2)};"])


def loop(draw, number):
    """A loop over the length."""
    variable = f"i{number}"
    head = draw.choice([
        f"for (int {variable} = 0; {variable} < n; {variable}++)", f"for (int {variable} = 0; {variable} < n; {variable}++)",
        f"for (int {variable} = 1; {variable} < n; {variable}++)", f"for (int {variable} = n - 1; {variable} >= 0; {variable}--)",
        f"for (int {variable} = 0; {variable} <= p; {variable}++)", f"for (int {variable} = 0; {variable} < n; {variable} += 2)"])
    body = " ".join(statement(draw, variable) for _ in range(draw.choice([1, 1, 1, 2, 2, 3])))
    if draw.random() < 0.2:
        array, other = draw.sample("abc", 2)
        beside = draw.choice([f"{array}[k] = {other}[{variable}];", f"{array}[{variable}] = {other}[k];",
                              f"{array}[k] = {draw.randint(0, 2)};"])
        return f"  k = {draw.choice(['0', '0', '1'])};\n  {head} {{ {beside} k++; }}\n"
    return f"  {head} {{ {body} }}\n"


def check(draw):
    """A loop of checks, or one check."""
    array, other = draw.choice("abc"), draw.choice("abc")
    said = draw.choice([
        f"{array}[j] {draw.choice(['==', '>=', '<=', '!='])} {draw.choice(['0', '1', 'x', 'j', 'j + 1', 'a[m]', 'b[p]'])}",
        f"{array}[j] == {other}[{draw.choice(['j', 'n - 1 - j'])}]", f"{array}[j] == 0 || j {draw.choice(['==', '<', '>='])} p",
        f"{array}[j] + {other}[j] == {draw.choice(['0', '2 * j'])}"])
    where = draw.choice(["", "", "", "if (flag) ", "if (!flag) ", "if (count == 0) ", "if (m == 0) "])
    kind = draw.random()
    if kind < 0.7:
        bounds = draw.choice(["j = 0; j < n", "j = 0; j < n", "j = 1; j < n", "j = 0; j < m", "j = 0; j < p"])
        return f"  {where}for (int {bounds}; j++) if (!({said})) reach_error();\n"
    if kind < 0.8:
        first, step = draw.choice("01"), draw.choice("123")
        return f"  k = 0;\n  for (int j = {first}; j < n; j += {step}) {{ if ({array}[k] != {other}[j]) reach_error(); k++; }}\n"
    if kind < 0.9:
        said = draw.choice(["flag", "count <= n", f"sum {draw.choice(['<=', '>='])} {draw.randint(-1, 3)} * n", "sum == n", "sum == m"])
        return f"  if (!({said})) reach_error();\n"
    return f"  int j = p; {where}if (!({said})) reach_error();\n"


def program(draw):
    """A program. The arrays hold nothing but zeros, or anything."""
    anything = "  for (int i = 0; i < 20; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }\n"
    head = HEAD + draw.choice(["", anything])
    return head + "".join(loop(draw, number) for number in range(draw.randint(1, 3))) + check(draw) + "  return 0;\n}\n"


def breaks(source, folder):
    """Whether some run reaches the error."""
    (folder / "driver.c").write_text(DRIVER)
    binary = folder / "run"
    command = ["gcc", "-O1", "-w", "-fwrapv", "-Dmain=program_main", "-Dabort=stop", "-c", source, "-o", folder / "program.o"]
    subprocess.run(command, check=True)
    subprocess.run(["gcc", "-O1", "-w", folder / "driver.c", folder / "program.o", "-o", binary], check=True)
    code = subprocess.run([binary], timeout=60, check=False).returncode
    if code not in (0, 1):
        raise ValueError(f"ends with {code}")
    return code == 1


def judge(seed, options):
    """A program, whether some run breaks it, and what the verifier says."""
    text = program(random.Random(seed))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "program.c"
        source.write_text(text)
        broken = breaks(source, folder)
        return text, broken, tools.verify(options.bin, folder, "program.c", options.budget, "--analysis", "candidates,cells")


def main():
    """Judges random programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=4)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    wrong, whole, proved = [], 0, 0
    seeds = range(options.seed, options.seed + options.count)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for seed, (text, broken, answer) in zip(seeds, pool.map(lambda seed: judge(seed, options), seeds)):
            whole += not broken
            proved += answer.word == "TRUE"
            if problem := tools.complaint(answer, {"TRUE"} if broken else set()):
                wrong.append(f"seed {seed}: {problem}\n{text}")
            if options.keep and not broken and answer.word != "TRUE":
                options.keep.mkdir(exist_ok=True)
                (options.keep / f"{seed}.c").write_text(text)
    print(f"{proved} of {whole} programs that no run breaks were proved, of {options.count}")
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
