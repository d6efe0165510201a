#!/usr/bin/env python3
"""The programs and pairs of `tests/judged` against the tools; gcc says what is true.

usage: judged.py [--bin DIR] [--jobs N] [--budget SECONDS] [--list FILE.csv] [NAME...]

A program without the word MODIFIED is judged in both polarities: a failing check is the error, or the normal end is. A
program with it is a pair, without and with `-DMODIFIED`. All runs of each are tried with gcc first: two inputs from 0 to 3.
A wrong answer, or an end that is no verdict, fails. `--list` writes what each task was answered, and in how many seconds.
"""
import argparse
import concurrent.futures
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tools

FOLDER = tools.CHECKOUT / "tests" / "judged"
FLAGS = ["-std=gnu11", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing"]

# Runs the program on all inputs; prints a letter for the end of each.
DRIVER = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int run, reads;
int judged_main(int, char **);
int __VERIFIER_nondet_int(void) { int value = reads++ ? run / 4 : run % 4; if (reads > 2) _exit(9); return value; }
void reach_error(void) { _exit(1); }
int main(int argc, char **argv) {
  for (run = 0; run < 16; run++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { alarm(5); freopen("/dev/null", "w", stderr); judged_main(1, argv); _exit(0); }
    int status;
    waitpid(child, &status, 0);
    putchar(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT ? 'a' : 'x' : WEXITSTATUS(status) < 2 ? "fe"[WEXITSTATUS(status)] : 'x');
  }
  return 0;
}
"""


def is_pair(path):
    """Whether a file holds two programs."""
    return "MODIFIED" in path.read_text()


def build_driver(folder):
    """The object that tries all inputs."""
    (folder / "driver.c").write_text(DRIVER)
    subprocess.run(["gcc", "-w", "-O0", "-c", "driver.c", "-o", "driver.o"], cwd=folder, check=True)
    return folder / "driver.o"


def violates(source, driver, folder):
    """Whether some run of a program reaches the error; complains about a run that does not end as it should."""
    binary = folder / (source.stem + ".run")
    subprocess.run(["gcc", *FLAGS, "-Dmain=judged_main", "-I", FOLDER, source, driver, "-lm", "-o", binary], check=True)
    ends = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    if len(ends) != 16 or "x" in ends:
        raise ValueError(f"{source.name} does not end as a program of this folder should: {ends}")
    return "e" in ends


def variants(path):
    """The programs of a file with the macro that tells them apart."""
    return {"original": "", "modified": "MODIFIED"} if is_pair(path) else {"check": "", "end": "END_IS_ERROR"}


def judge(path, driver, options):
    """The answers for a file: rows of task, truth, answer, complaint."""
    try:
        return judge_variants(path, driver, options)
    except (ValueError, subprocess.CalledProcessError) as error:
        return [(path.stem, "", None, str(error))]


def judge_variants(path, driver, options):
    """The same; raises if the file is not what it should be."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = path.read_text()
        truths = {}
        for variant, macro in variants(path).items():
            # A `#line` line would hide what stands before it.
            (folder / f"{variant}.c").write_text((f"#define {macro}\n" if macro else "\n") + text)
            truths[variant] = violates(folder / f"{variant}.c", driver, folder)
        (folder / "judged.h").write_text((FOLDER / "judged.h").read_text())
        if is_pair(path):
            for config in ("diffdp", "diffcond"):
                must_not = set() if truths["modified"] else {"FALSE"}
                if truths["modified"] and not truths["original"]:
                    must_not.add("TRUE")
                answer = tools.chain(options.bin, config, folder, options.budget)
                truth = "".join(str(truths[v])[0].lower() for v in ("original", "modified"))
                rows.append((f"{path.stem}.{config}", truth, answer, tools.complaint(answer, must_not)))
            return rows
        if truths["check"] or not truths["end"]:
            return [(path.stem, "", None, f"gcc says: a check fails: {truths['check']}, the end is reached: {truths['end']}")]
        for variant, violated in truths.items():
            answer = tools.verify(options.bin, folder, f"{variant}.c", options.budget)
            rows.append((f"{path.stem}.{variant}", "ft"[violated], answer,
                         tools.complaint(answer, {"TRUE" if violated else "FALSE"})))
    return rows


def main():
    """Judges everything and says what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=int, default=3)
    parser.add_argument("--list", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    paths = [p for p in sorted(FOLDER.glob("*.c")) if not options.names or p.stem in options.names]
    rows = []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        driver = build_driver(Path(name))
        for found in pool.map(lambda path: judge(path, driver, options), paths):
            rows += found
            for task, truth, answer, complaint in found:
                if complaint:
                    print(f"wrong: {task}: {complaint}", flush=True)
    if options.list:
        with open(options.list, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["task", "violates", "answer", "seconds", "last"])
            writer.writerows([t, v, a.word, f"{a.cpu:.2f}", a.last] for t, v, a, _ in rows if a)
    words = [answer.word for _, _, answer, _ in rows if answer]
    wrong = sum(bool(row[3]) for row in rows)
    print(f"judged: {len(paths)} files, " + ", ".join(f"{word} {words.count(word)}" for word in tools.CODES) + f", {wrong} wrong")
    sys.exit(1 if wrong or not paths else 0)


if __name__ == "__main__":
    main()
