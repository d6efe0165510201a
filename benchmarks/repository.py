#!/usr/bin/env python3
"""A repository of many files with a change in one, and how long `residue check --git` takes on it.

    repository.py --bin target/release [--files 500] [--keep DIR]

Prints a line per way to check: wall seconds, CPU seconds of the verifier (which are no cost of the repository), and the
verdict. The repository is made in a temporary folder and depends on nothing but the number of files.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

HEADER = """#ifndef COMMON_H
#define COMMON_H
#include <stddef.h>
#include <stdint.h>
struct record { int key; int value; struct record *next; char name[16]; };
#define LIMIT 100
int clamp(int value);
void reach_error(void);
int __VERIFIER_nondet_int(void);
#endif
"""

UNIT = """#include "common.h"

static int table_{n}[8];

static int mix_{n}(int a, int b) {{
    int result = a;
    for (int i = 0; i < 3; i++) {{
        result += b ^ i;
        if (result > LIMIT)
            result -= LIMIT;
    }}
    return result;
}}

int step_{n}(int a) {{
    table_{n}[a & 7] = mix_{n}(a, {n});
    return table_{n}[a & 7];
}}

int find_{n}(struct record *list, int key) {{
    while (list != NULL) {{
        if (list->key == key)
            return list->value;
        list = list->next;
    }}
    return -1;
}}
"""

MAIN = """#include "common.h"
int main(void) {
    int value = clamp(__VERIFIER_nondet_int());
    if (value > LIMIT)
        reach_error();
    return 0;
}
"""

CLAMP = """#include "common.h"
int clamp(int value) {
    return value > LIMIT ? LIMIT : value;
}
"""


def git(folder: Path, *words: str) -> None:
    settings = ["-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *words], cwd=folder, check=True, capture_output=True)


def make(folder: Path, files: int, reached: bool = False) -> None:
    """Two commits: the files, and another body of `clamp` that does the same. The program may use all files or only two."""
    (folder / "src").mkdir(parents=True)
    (folder / "include").mkdir()
    (folder / "include/common.h").write_text(HEADER)
    for number in range(files - 2):
        (folder / f"src/unit_{number:04}.c").write_text(UNIT.format(n=number))
    calls = "".join(f"    int step_{number}(int);\n    step_{number}(1);\n" for number in range(files - 2))
    (folder / "src/main.c").write_text(MAIN.replace("    int value", calls + "    int value") if reached else MAIN)
    (folder / "src/clamp.c").write_text(CLAMP)
    git(folder, "init", "--quiet", ".")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "All files")
    changed = CLAMP.replace("return value > LIMIT ? LIMIT : value;", "if (value <= LIMIT)\n        return value;\n    return LIMIT;")
    (folder / "src/clamp.c").write_text(changed)
    git(folder, "commit", "--quiet", "--all", "--message", "Write the bound otherwise")


def change_again(folder: Path) -> None:
    """One more commit, in another single file: what a cache of the change before is worth for a new change."""
    unit = folder / "src/unit_0007.c"
    unit.write_text(unit.read_text().replace("result -= LIMIT;", "result = result - LIMIT;"))
    git(folder, "commit", "--quiet", "--all", "--message", "Write a subtraction otherwise")


def measure(residue: Path, folder: Path, name: str, words: list[str], runs: int = 3) -> None:
    command = [str(residue), "check", "--git", "HEAD~1..HEAD", "-I", "include", "--json", *words]
    best = None
    for _ in range(runs):
        start = time.monotonic()
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        seconds = time.monotonic() - start
        report = json.loads(ran.stdout)
        stages = [stage for outcome in report["outcomes"] for stage in outcome["stages"]]
        verifying = sum(stage["cpu_seconds"] for stage in stages)
        if best is None or seconds < best[0]:
            best = (seconds, verifying, report["verdict"])
    print(f"{name:28} {best[0]:7.2f} s, of which stages {best[1]:6.2f} s CPU   {best[2]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, required=True, help="folder with residue and the tools")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--keep", type=Path, help="make the repository here and leave it")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary) / "repository"
        if not (folder / ".git").exists():
            make(folder, arguments.files)
        residue = arguments.bin.resolve() / "residue"
        measure(residue, folder, "all files", [])
        measure(residue, folder, "one file", ["src/clamp.c", "--entry", "clamp"])
        measure(residue, folder, "--link 'src/*.c'", ["--link", "src/*.c"])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "repository"
        make(folder, arguments.files, reached=True)
        cache = ["--cache", str(Path(temporary) / "cache")]
        measure(residue, folder, "all of them reached", ["--link", "src/*.c"], runs=1)
        measure(residue, folder, "the same, into a cache", ["--link", "src/*.c", *cache], runs=1)
        measure(residue, folder, "the same, from a cache", ["--link", "src/*.c", *cache, "--detector", "diffcond"], runs=1)
        change_again(folder)
        measure(residue, folder, "a new change, from a cache", ["--link", "src/*.c", *cache], runs=1)


if __name__ == "__main__":
    os.environ.pop("GIT_DIR", None)
    main()
