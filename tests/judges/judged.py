#!/usr/bin/env python3
"""The programs and pairs of `tests/judged` against the tools; gcc says what is true.

usage: judged.py [--bin DIR] [--jobs N] [--budget SECONDS] [--list FILE.csv] [--floor FILE.csv | --write-floor FILE.csv]
                 [NAME...]

A program without the word MODIFIED is judged in both polarities: a failing check is the error, or the normal end is. A
program with it is a pair, without and with `-DMODIFIED`. All runs of each are tried with gcc first: two inputs from 0 to 3.
A wrong answer, or an end that is no verdict, fails. `--list` writes what each task was answered, and in how many seconds.

`--floor` names the list of what must be decided: each of its tasks gets three times the steps of the verifier that it
says, and one that is not decided fails. The tasks of `benchmarks/sets/smoke.set` are judged along with the others then.
`--write-floor` judges everything and writes such a list of what was decided rightly.
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

import taskset  # from benchmarks, which `tools` puts on the path

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
    if (child == 0) {
      alarm(5);
      freopen("/dev/null", "w", stderr);
      freopen("/dev/null", "w", stdout);
      judged_main(1, argv);
      exit(0); /* what runs at the end of a program belongs to it */
    }
    int status;
    waitpid(child, &status, 0);
    putchar(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT ? 'a' : 'x' : WEXITSTATUS(status) < 2 ? "fe"[WEXITSTATUS(status)] : 'x');
  }
  fflush(stdout);
  _exit(0);
}
"""


def is_pair(path):
    """Whether a file holds two programs."""
    return "MODIFIED" in path.read_text()


def build_driver(folder, text=DRIVER, flags=()):
    """The object that tries all inputs."""
    (folder / "driver.c").write_text(text)
    subprocess.run(["gcc", "-w", "-O0", *flags, "-c", "driver.c", "-o", "driver.o"], cwd=folder, check=True)
    return folder / "driver.o"


def ends(source, driver, folder, flags=()):
    """How the runs of a program end: a letter for each, `e` where the error is reached, `x` for what should not be."""
    binary = folder / (source.stem + ".run")
    subprocess.run(["gcc", *FLAGS, *flags, "-Dmain=judged_main", "-I", FOLDER, source, driver, "-lm", "-o", binary], check=True,
                   capture_output=True, text=True)
    return subprocess.run([binary], check=True, capture_output=True, text=True).stdout


def violates(source, driver, folder):
    """Whether some run of a program reaches the error; complains about a run that does not end as it should."""
    found = ends(source, driver, folder)
    if len(found) != 16 or "x" in found:
        raise ValueError(f"{source.name} does not end as a program of this folder should: {found}")
    return "e" in found


def variants(path):
    """The programs of a file with the macro that tells them apart."""
    return {"original": "", "modified": "MODIFIED"} if is_pair(path) else {"check": "", "end": "END_IS_ERROR"}


def judge(path, driver, options):
    """The answers for a file: rows of task, truth, answer, complaint."""
    try:
        return judge_variants(path, driver, options)
    except (ValueError, subprocess.CalledProcessError) as error:
        return [(path.stem, "", None, f"{error} {getattr(error, 'stderr', None) or ''}")]


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
                budget, more = tools.limits(f"{path.stem}.{config}", options.steps, options.budget)
                answer = tools.chain(options.bin, config, folder, budget, last=more)
                truth = "".join(str(truths[v])[0].lower() for v in ("original", "modified"))
                rows.append((f"{path.stem}.{config}", truth, answer, tools.complaint(answer, must_not)))
            return rows
        if truths["check"] or not truths["end"]:
            return [(path.stem, "", None, f"gcc says: a check fails: {truths['check']}, the end is reached: {truths['end']}")]
        for variant, violated in truths.items():
            budget, more = tools.limits(f"{path.stem}.{variant}", options.steps, options.budget)
            answer = tools.verify(options.bin, folder, f"{variant}.c", budget, *more)
            rows.append((f"{path.stem}.{variant}", "ft"[violated], answer,
                         tools.complaint(answer, {"TRUE" if violated else "FALSE"})))
    return rows


def judge_smoke(task, options):
    """The answer for a task that comes with the benchmarks: a row as `judge` has them."""
    config = "diffdp" if task.original else "verify"
    name = f"smoke/{task.name}.{config}"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for file, path in (("original.c", task.original), ("modified.c", task.modified)):
            if path:
                (folder / file).write_text(path.read_text())
        budget, more = tools.limits(name, options.steps, options.budget)
        answer = tools.chain(options.bin, config, folder, budget, "--data-model", task.model, last=more)
    must_not = {"true": {"FALSE"}, "false": set()}[task.truth]
    if task.truth == "false" and (config == "verify" or task.regression == "true"):
        must_not = {"TRUE"}
    return (name, {"true": "f", "false": "t"}[task.truth], answer, tools.complaint(answer, must_not))


def lost(rows, options):
    """The tasks of the floor that were not decided."""
    answers = {task: answer for task, _, answer, _ in rows}
    tasks = [task for task in options.steps if not options.names or task in answers]
    return [complaint for task in tasks if (complaint := tools.lost(task, answers.get(task), options.steps))]


def write_rows(path, rows):
    """What each task was answered."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["task", "violates", "answer", "seconds", "last"])
        writer.writerows([t, v, a.word, f"{a.cpu:.2f}", a.last] for t, v, a, _ in rows if a)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=int, default=3)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--floor", type=Path)
    parser.add_argument("--write-floor", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    options.steps = tools.read_floor(options.floor) if options.floor else {}
    return options


def main():
    """Judges everything and says what is wrong."""
    options = arguments()
    paths = [p for p in sorted(FOLDER.glob("*.c")) if not options.names or p.stem in options.names]
    rows = []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        driver = build_driver(Path(name))
        found = pool.map(lambda path: judge(path, driver, options), paths)
        smoke = taskset.read_set(taskset.set_file("smoke"), Path()) if options.floor or options.write_floor else []
        rows = [row for some in found for row in some] + list(pool.map(lambda task: judge_smoke(task, options), smoke))
    complaints = [f"wrong: {task}: {complaint}" for task, _, _, complaint in rows if complaint] + lost(rows, options)
    print("\n".join(complaints))
    if options.list:
        write_rows(options.list, rows)
    if options.write_floor:
        decided = [(task, answer) for task, _, answer, complaint in rows if answer and not complaint and answer.word != "UNKNOWN"]
        tools.write_floor(options.write_floor, sorted(decided, key=lambda row: row[0]))
    words = [answer.word for _, _, answer, _ in rows if answer]
    counts = ", ".join(f"{word} {words.count(word)}" for word in tools.CODES)
    print(f"judged: {len(paths)} files, {counts}, {len(complaints)} wrong or lost")
    sys.exit(1 if complaints or not paths else 0)


if __name__ == "__main__":
    main()
