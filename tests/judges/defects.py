#!/usr/bin/env python3
"""The programs of `tests/defects` against the tools; gcc's sanitizers say what is true.

usage: defects.py [--bin DIR] [--jobs N] [--budget SECONDS] [--list FILE.csv] [--random N] [--blocks N] [--first SEED] [NAME...]

A file is two programs: lines that end with `// defect` belong to the first only, those with `// repaired` to the second. Its
first line names the property. A line `// file: NAME` begins a file of a program of several; these are given to the tools as
folders, lists and patterns in turn. What gcc makes of both with the sanitizers is tried on all pairs of a few values as inputs: the
first must be found faulty, the second must not (about memory: of a few values as one input). Then `verify` judges each program, and `residue check` the pair both ways:
from the repaired to the faulty one is a regression, the other way none; the harness of a FALSE must fail as gcc builds it.

`--random N` adds N random programs of arithmetic on two small inputs, each judged for div-zero, shift and no-overflow;
`--blocks N` adds N random programs with blocks on the heap and the stack, each judged for one property of memory.

A wrong answer, or an end that is no verdict, fails; UNKNOWN is counted.
"""
import argparse
import concurrent.futures
import csv
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import blocks
import tools

FOLDER = tools.CHECKOUT / "tests" / "defects"
VALUES = (-2147483648, -9, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 17, 24, 31, 32, 63, 64, 50000, 46341, 2147483647)
SANITIZERS = {
    "div-zero": "integer-divide-by-zero",
    "shift": "shift",
    "no-overflow": "signed-integer-overflow",
    "valid-deref": "address,null,bounds",
    "valid-free": "address",
    "valid-memtrack": "address",
}
# Integers wrap, unless that is what is looked for (which includes left shifts).
WRAPS = {"div-zero", "valid-deref", "valid-free", "valid-memtrack"}

# Runs the program on all inputs; prints a letter for the end of each.
DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static const int values[] = {VALUES};
enum { COUNT = sizeof values / sizeof *values };
static int run, reads;
int judged_main(void);
int __VERIFIER_nondet_int(void) {
  int number = reads++;
  return number == 0 ? values[run % COUNT] : number == 1 ? values[run / COUNT] : 0;
}
int main(void) {
  for (run = 0; run < RUNS; run++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { alarm(10); freopen("/dev/null", "w", stderr); judged_main(); exit(0); }
    int status;
    waitpid(child, &status, 0);
    int timeout = WIFSIGNALED(status) && WTERMSIG(status) == 14;
    // Only the smallest number divided by -1 traps where no sanitizer looks at it: the run ends, and that is another defect.
    int trap = WIFSIGNALED(status) && WTERMSIG(status) == 8;
    putchar(trap ? 'f' : timeout ? 't' : WIFSIGNALED(status) || WEXITSTATUS(status) ? 'e' : 'f');
  }
  return 0;
}
"""


def programs(path):
    """The property of a file, and its faulty and its repaired program."""
    lines = path.read_text().splitlines()
    prop = lines[0].removeprefix("// property: ")
    faulty = [line for line in lines if not line.endswith("// repaired")]
    repaired = [line for line in lines if not line.endswith("// defect")]
    return prop, "\n".join(faulty) + "\n", "\n".join(repaired) + "\n"


def write(folder, name, text):
    """Writes a program below a folder: its C files, and how the tools are given it."""
    parts = re.split(r"^// file: (.*)\n", text, flags=re.MULTILINE)
    if len(parts) == 1:
        (folder / f"{name}.c").write_text(text)
        return [folder / f"{name}.c"]
    (folder / name).mkdir()
    for file, content in zip(parts[1::2], parts[2::2]):
        (folder / name / file).write_text(content)
    sources = sorted((folder / name).glob("*.c"))
    (folder / f"{name}.list").write_text("".join(f"{name}/{source.name}\n" for source in sources))
    return sources


def forms(sources, names, turn):
    """The arguments of a tool for programs: a file, a folder, a list, or a pattern where two are compared."""
    if len(sources) == 1 and sources[0].stem in names:
        return [f"{name}.c" for name in names]
    form = turn % 3
    if form == 0:
        return list(names)
    if form == 1 or len(names) == 1:
        return [f"@{name}.list" for name in names]
    return ["--link", "*.c", *names]


def violates(sources, prop, folder, values=VALUES):
    """Whether the sanitizer for a property finds something wrong in some run."""
    sources = [sources] if isinstance(sources, Path) else sources
    source = sources[0] if len(sources) == 1 else sources[0].parent
    driver = folder / "driver.c"
    # Programs about memory have one input: runs with the address sanitizer are slow.
    runs = len(values) if prop.startswith("valid-") else len(values) ** 2
    driver.write_text(DRIVER.replace("VALUES", ", ".join("-2147483647 - 1" if v == -2147483648 else str(v) for v in values)).replace("RUNS", str(runs)))
    binary = folder / f"{source.stem}.{prop}"
    wraps = ["-fwrapv"] if prop in WRAPS else []
    objects = [f"{binary}.{number}.o" for number, _ in enumerate(sources)]
    for object_file, part in zip(objects, sources):
        subprocess.run(["gcc", "-std=gnu11", "-O0", "-w", "-g", *wraps, f"-fsanitize={SANITIZERS[prop]}",
                        "-fno-sanitize-recover=all", "-ftrivial-auto-var-init=pattern", "-Dmain=judged_main", "-c", part, "-o",
                        object_file], check=True)
    subprocess.run(["gcc", "-w", f"-fsanitize={SANITIZERS[prop]}", *objects, driver, "-o", binary], check=True)
    environment = os.environ | {"ASAN_OPTIONS": f"detect_stack_use_after_return=1:detect_leaks={int(prop == 'valid-memtrack')}"}
    ends = subprocess.run([binary], check=True, capture_output=True, text=True, env=environment).stdout
    if len(ends) != runs or "t" in ends:
        raise ValueError(f"{source.name} does not end as a program of this folder should: {ends}")
    return "e" in ends


def harness_fails(harness):
    """Whether a harness, built as its first line says, ends with status 1."""
    text = harness.read_text()
    command = re.search(r"`(gcc .*) && ./a.out`", text.splitlines()[0]).group(1).split()
    binary = harness.with_suffix(".run")
    command = [str(harness) if part == "FILE" else part for part in command] + ["-o", str(binary)]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode:
        return f"the harness is not built: {built.stderr[:200]}"
    status = subprocess.run([binary], capture_output=True, text=True, timeout=20)
    if status.returncode == 0:
        return "the harness does not fail"
    return ""


def judge_program(name, source, prop, violated, options, given=None, runs=True):
    """The answer of `verify` for a program, which it is given as its file unless `given` says how; its harness `runs`."""
    harness = source.with_suffix(".harness.c")
    given = given or source.name
    answer = tools.verify(options.bin, source.parent, given, options.budget, "--property", prop, "--harness", harness.name)
    wrong = tools.complaint(answer, {"TRUE" if violated else "FALSE"})
    # What is allocated and what lies in an uninitialised object is where gcc's library puts it.
    if not wrong and answer.word == "FALSE" and runs and not options.no_harness:
        wrong = harness_fails(harness)
    return (f"{name}.verify", "ft"[violated], answer, wrong)


def judge(path, options):
    """The rows of a file: task, truth, answer, complaint."""
    prop, faulty, repaired = programs(path)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = {"faulty": write(folder, "faulty", faulty), "repaired": write(folder, "repaired", repaired)}
        truths = [violates(files[kind], prop, folder) for kind in ("faulty", "repaired")]
        if truths != [True, False]:
            return [(path.stem, "", None, f"gcc says: the faulty program fails: {truths[0]}, the repaired one: {truths[1]}")]
        turn = sum(path.stem.encode())
        rows = [judge_program(f"{path.stem}.{kind}", folder / f"{kind}.c", prop, kind == "faulty", options,
                              forms(files[kind], [kind], turn)[0])
                for kind in ("faulty", "repaired")]
        for before, after in (("repaired", "faulty"), ("faulty", "repaired")):
            answer = tools.call([options.bin / "residue", "check", "-q", "--budget", options.budget, "--property", prop,
                                 *forms(files[after], [before, after], turn)], folder, 2 * options.budget)
            must_not = {"TRUE"} if after == "faulty" else {"FALSE"}
            rows.append((f"{path.stem}.to_{after}", "ft"[after == "faulty"], answer, tools.complaint(answer, must_not)))
        return rows


def expression(rng, depth):
    """A random expression over x, y and t."""
    if depth == 0:
        return rng.choice(["x", "y", "t", "c", "u", str(rng.choice([0, 1, 2, 3, 7, 8, 31, 32, 100, 2147483647]))])
    inner = lambda: expression(rng, depth - 1)
    kind = rng.randrange(10)
    if kind < 6:
        return f"({inner()} {rng.choice(['+', '-', '*', '/', '%', '<<', '>>', '&', '^', '+', '-'])} {inner()})"
    if kind == 6:
        return f"({inner()} {rng.choice(['&&', '||'])} {inner()})"
    if kind == 7:
        return f"({inner()} {rng.choice(['<', '==', '>='])} {inner()} ? {inner()} : {inner()})"
    if kind == 8:
        return f"(-{inner()})"
    return f"(({rng.choice(['char', 'short', 'unsigned', 'long', 'unsigned char', 'long long'])}){inner()})"


def random_program(seed):
    """A program of arithmetic."""
    rng = random.Random(seed)
    lines = ["extern int __VERIFIER_nondet_int(void);", "static int f(int x, int y) {", "  int t = 5; unsigned char c = 200; unsigned u = 7;"]
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(4)
        target = rng.choice(["t", "c", "u", "x"])
        if kind == 0:
            lines.append(f"  {target} {rng.choice(['+=', '-=', '*=', '/=', '<<=', '>>=', '%='])} {expression(rng, 1)};")
        elif kind == 1:
            lines.append(f"  if ({expression(rng, 2)}) {target} = {expression(rng, 1)};")
        elif kind == 2:
            lines.append(f"  {target}{rng.choice(['++', '--'])};")
        else:
            lines.append(f"  {target} = {expression(rng, 2)};")
    lines += ["  return t + 0 * c == 1;", "}", "int main(void) {",
              "  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();",
              "  if (x < -4 || x > 4 || y < -4 || y > 4) return 0;", "  return f(x, y);", "}"]
    return "\n".join(lines) + "\n"


def judge_random(seed, options):
    """The rows of a random program: all its inputs are tried."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = folder / "program.c"
        source.write_text(random_program(seed))
        for prop in ("div-zero", "shift", "no-overflow"):
            violated = violates(source, prop, folder, range(-4, 5))
            row = judge_program(f"random.{seed}.{prop}", source, prop, violated, options)
            if row[3] and options.keep:
                (options.keep / f"{seed}.{prop}.c").write_text(source.read_text())
            rows.append(row)
    return rows


def judge_blocks(seed, options):
    """The row of a random program with blocks."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = folder / "program.c"
        prop, text = blocks.program(seed)
        source.write_text(text)
        violated = violates(source, prop, folder, range(-1, 6))
        # Where functions are laid over each other an old copy of a pointer may lie on the stack: then gcc finds no leak.
        runs = prop != "valid-memtrack"
        row = judge_program(f"blocks.{seed}.{prop}", source, prop, violated, options, runs=runs)
        if row[3] and options.keep:
            (options.keep / f"{seed}.{prop}.c").write_text(text)
        return [row]


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=int, default=5)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--blocks", type=int, default=0)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--no-harness", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    return options


def main():
    """Judges everything and says what is wrong."""
    options = arguments()
    paths = [p for p in sorted(FOLDER.glob("*.c")) if not options.names or p.stem in options.names]
    seeds = range(options.first, options.first + options.random)
    more = range(options.first, options.first + options.blocks)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [pool.submit(judge, path, options) for path in paths] + [pool.submit(judge_random, s, options) for s in seeds]
        tasks += [pool.submit(judge_blocks, s, options) for s in more]
        rows = list(itertools.chain.from_iterable(task.result() for task in tasks))
    if options.list:
        with open(options.list, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["task", "violates", "answer", "seconds", "last"])
            writer.writerows([t, v, a.word, f"{a.cpu:.2f}", a.last] for t, v, a, _ in rows if a)
    wrong = [f"{task}: {complaint}" for task, _, _, complaint in rows if complaint]
    undecided = [f"{task}: {answer.last}" for task, _, answer, _ in rows if answer and answer.word == "UNKNOWN"]
    print(f"{len(rows)} judged, {len(undecided)} undecided, {len(wrong)} wrong")
    print("\n".join([*(f"undecided {line}" for line in undecided), *(f"WRONG {line}" for line in wrong)]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
