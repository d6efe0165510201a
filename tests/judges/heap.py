#!/usr/bin/env python3
"""The programs of `tests/heap`, or of another such folder, against a verifier; gcc says what is true.

usage: heap.py [--folder DIR] [--bin DIR] [--jobs N] [--esbmc FILE] [--budget SECONDS] [--list FILE.csv] [--truth-only]
               [--floor FILE.csv | --write-floor FILE.csv] [NAME...]

Each file is two programs: as it is, and with BROKEN defined. Both are run with gcc on all inputs from 0 to 3, six of them and
then zeros; the one must not reach the error, the other must. A wrong answer fails, and with `--floor` a program that the
list says is decided and that is not within three times the verifier's steps that the list says (`--write-floor` writes such
a list). `--list` writes what was answered, `--esbmc` asks that verifier as well.
"""
import argparse
import concurrent.futures
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tools

FOLDER = tools.CHECKOUT / "tests" / "heap"
# What each file is, and with what before it.
VARIANTS = {"right": "", "broken": "#define BROKEN"}
FLAGS = ["-std=gnu11", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-fsanitize=address", "-fno-sanitize-recover=all"]

# Runs the program on all inputs. Inputs that no run asked for are not told apart.
DRIVER = r"""
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int given[6], reads;
static int *asked;
int heap_main(void);
int __VERIFIER_nondet_int(void) { int value = reads < 6 ? given[reads] : 0; reads++; if (reads > *asked) *asked = reads; return value; }
void reach_error(void) { _exit(1); }
#include <sys/mman.h>
int main(void) {
  asked = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int errors = 0, runs = 0;
  for (;;) {
    *asked = 0;
    pid_t child = fork();
    if (child == 0) { alarm(5); freopen("/dev/null", "w", stderr); heap_main(); _exit(0); }
    int status;
    waitpid(child, &status, 0);
    runs++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) errors++;
    else if (WIFSIGNALED(status) ? WTERMSIG(status) != 6 : WEXITSTATUS(status) != 0) { printf("x %d\n", status); return 0; }
    int at = (*asked < 6 ? *asked : 6) - 1;
    while (at >= 0 && given[at] == 3) given[at--] = 0;
    if (at < 0) break;
    given[at]++;
    memset(given + at + 1, 0, sizeof given - (at + 1) * sizeof(int));
  }
  printf("%d of %d\n", errors, runs);
  return 0;
}
"""


def violates(source, folder):
    """Whether some run of a program reaches the error."""
    binary = folder / (source.stem + ".run")
    driver = folder / "driver.c"
    driver.write_text(DRIVER)
    command = ["gcc", *FLAGS, "-Dmain=heap_main", "-c", source, "-o", folder / "program.o"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    command = ["gcc", *FLAGS, driver, folder / "program.o", "-o", binary]
    subprocess.run(command, check=True, capture_output=True, text=True)
    environment = {"ASAN_OPTIONS": "detect_leaks=0:exitcode=9"}
    ends = subprocess.run([binary], check=True, capture_output=True, text=True, env=environment).stdout
    if not ends or ends.startswith("x"):
        raise ValueError(f"{source.name} does not end as a program of this folder should: {ends}")
    return not ends.startswith("0 ")


def esbmc(binary, source, budget):
    """The answer of ESBMC: bounded search with growing bounds, and k-induction."""
    begin = time.monotonic()
    body = 'static void reach_error(void) { __ESBMC_assert(0, "error"); }'
    for header in source.parent.glob("*.h"):
        header.write_text(header.read_text().replace("extern void reach_error(void);", body))
    command = [binary, source, "--no-standard-checks", "--force-malloc-success", "--k-induction", "--max-k-step", "50",
               "--timeout", f"{budget}s"]
    try:
        text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=budget + 5).stdout
    except subprocess.TimeoutExpired:
        text = ""
    word = "TRUE" if "VERIFICATION SUCCESSFUL" in text else "FALSE" if "VERIFICATION FAILED" in text else "UNKNOWN"
    return word, time.monotonic() - begin


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--budget", type=int, default=20)
    parser.add_argument("--esbmc", type=Path)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--truth-only", action="store_true")
    parser.add_argument("--floor", type=Path)
    parser.add_argument("--write-floor", type=Path)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def judge(path, variant, options, floor):
    """One program of a file: its row, its answer if it is right, and what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / f"{variant}.c"
        source.write_text(f"{VARIANTS[variant]}\n{path.read_text()}")
        for header in options.folder.glob("*.h"):
            (folder / header.name).write_text(header.read_text())
        task = f"{path.stem}.{variant}"
        try:
            truth = violates(source, folder)
        except (ValueError, subprocess.CalledProcessError) as error:
            return None, None, [f"{task}: {error} {getattr(error, 'stderr', '') or ''}"]
        if truth != (variant == "broken"):
            return None, None, [f"{task}: gcc says that the error is {'' if truth else 'not '}reached"]
        if options.truth_only:
            return None, None, []
        budget, more = tools.limits(task, floor, options.budget)
        answer = tools.verify(options.bin, folder, source.name, budget, *more)
        row = [task, "FALSE" if truth else "TRUE", answer.word, f"{answer.cpu:.1f}", answer.last]
        complaint = tools.complaint(answer, {"TRUE" if truth else "FALSE"})
        right = (task, answer) if not complaint and answer.word != "UNKNOWN" else None
        complaints = [f"{task}: {complaint}" if complaint else None, tools.lost(task, answer, floor) if task in floor else None]
        if options.esbmc:
            word, seconds = esbmc(options.esbmc, source, options.budget)
            row[4:4] = [word, f"{seconds:.1f}"]
        return row, right, [complaint for complaint in complaints if complaint]


def main():
    """Judges everything and says what is wrong."""
    options = arguments()
    floor = tools.read_floor(options.floor) if options.floor else {}
    files = [path for path in sorted(options.folder.glob("*.c")) if not options.names or path.stem in options.names]
    rows, wrong, right = [], [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tasks = [(path, variant) for path in files for variant in VARIANTS]
        for row, answer, complaints in pool.map(lambda task: judge(*task, options, floor), tasks):
            wrong += complaints
            right += [answer] if answer else []
            if row:
                rows.append(row)
                print(*row, flush=True)
    if options.list:
        with open(options.list, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            other = ["esbmc", "esbmc seconds"] if options.esbmc else []
            writer.writerow(["task", "truth", "answer", "seconds", *other, "last"])
            writer.writerows(rows)
    if options.write_floor:
        tools.write_floor(options.write_floor, right)
    decided = sum(row[2] != "UNKNOWN" for row in rows)
    print(f"{decided} of {len(rows)} decided")
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
