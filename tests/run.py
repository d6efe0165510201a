"""Runs every test of the workspace, as many test programs at a time as there are cores.

usage: run.py [--lanes N] [NAME...]

`cargo test` runs one test program after the other, and most of ours keep little more than one core busy. Here a free lane
takes the next one, the longest first, and the tests of one program follow each other. Cargo builds them and says where they
are; each gets the folder and the variables that `cargo test` would give it. With NAMEs only the targets of these names run.
All are run, whatever fails; what failed is printed at the end, and the exit code is 1.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
BUILD = ["test", "--release", "--workspace"]
# What takes longest, from measurement; what is not named runs behind these.
LONGEST = ["judges", "oracle", "scripts"]


class Target(NamedTuple):
    """A program of tests and how it is started."""
    package: str
    name: str
    command: list
    folder: Path
    variables: dict

    @property
    def title(self):
        return self.package if self.name == self.package else f"{self.package} {self.name}"


class Result(NamedTuple):
    target: Target
    seconds: float
    passed: bool
    output: str


def libraries(messages):
    """Where shared libraries are looked for, as cargo has it: what build scripts name, and what was built."""
    folders = [path.split("=", 1)[-1] for message in messages if message["reason"] == "build-script-executed"
               for path in message["linked_paths"]]
    executables = [Path(message["executable"]) for message in messages if message.get("executable")]
    own = sorted({str(executable.parent) for executable in executables if executable.parent.name == "deps"})
    return os.pathsep.join(dict.fromkeys([*folders, *own, *os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)]))


def built():
    """Builds the tests: a target for each of their programs, and one for the examples of the documentation."""
    shown = subprocess.run([CARGO, *BUILD, "--no-run", "--message-format=json-render-diagnostics"], cwd=ROOT, check=False,
                           stdout=subprocess.PIPE)
    if shown.returncode != 0:
        sys.exit(shown.returncode)
    messages = [json.loads(line) for line in shown.stdout.splitlines() if line.startswith(b"{")]
    paths = libraries(messages)
    targets = []
    for message in messages:
        if message["reason"] == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder = Path(message["manifest_path"]).parent
            variables = {"CARGO_MANIFEST_DIR": str(folder), "CARGO": CARGO, "LD_LIBRARY_PATH": paths}
            package = package_name(message["package_id"])
            targets.append(Target(package, message["target"]["name"], [message["executable"]], folder, variables))
    return [*targets, Target("examples", "examples of the documentation", [CARGO, *BUILD, "--doc"], ROOT, {})]


def package_name(identity):
    """`path+file:///folder/tools/verify#0.1.0` and `path+file:///folder/tests#residue-tests@0.1.0` to the name."""
    path, _, version = identity.partition("#")
    return version.split("@")[0] if "@" in version else path.rstrip("/").rsplit("/", 1)[-1]


def order(target):
    """The longest first."""
    return LONGEST.index(target.name) if target.name in LONGEST else len(LONGEST)


def run(target, threads):
    """One program of tests to its end."""
    started = time.monotonic()
    variables = {**os.environ, **target.variables, "RUST_TEST_THREADS": str(threads)}
    done = subprocess.run(target.command, cwd=target.folder, env=variables, stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return Result(target, time.monotonic() - started, done.returncode == 0, done.stdout.decode(errors="replace"))


def counted(output):
    """How many tests passed, failed and were ignored."""
    found = re.findall(r"^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored", output, re.MULTILINE)
    return [sum(int(row[column]) for row in found) for column in range(3)]


def main():
    parser = argparse.ArgumentParser(description="runs every test of the workspace")
    parser.add_argument("--lanes", type=int, default=len(os.sched_getaffinity(0)), help="programs at a time")
    parser.add_argument("name", nargs="*", help="only the targets of these names")
    options = parser.parse_args()
    started = time.monotonic()
    targets = sorted((target for target in built() if not options.name or target.name in options.name), key=order)
    if not targets:
        parser.error(f"no target is called {' or '.join(options.name)}")
    print(f"{len(targets)} programs of tests, {options.lanes} at a time; built in {time.monotonic() - started:.0f} s", flush=True)
    threads = max(1, len(os.sched_getaffinity(0)) // options.lanes)
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.lanes) as pool:
        for waiting in concurrent.futures.as_completed([pool.submit(run, target, threads) for target in targets]):
            result = waiting.result()
            results.append(result)
            passed, failed, _ = counted(result.output)
            word = "ok" if result.passed else "FAILED"
            print(f"{word:<6} {result.seconds:6.1f} s  {result.target.title}: {passed} passed, {failed} failed", flush=True)
    return report(results, time.monotonic() - started)


def report(results, seconds):
    """What failed, and the sum of it all; the exit code."""
    failed = [result for result in results if not result.passed]
    for result in failed:
        print(f"\n---- {result.target.title} ----\n{result.output}")
    sums = [sum(column) for column in zip(*(counted(result.output) for result in results))]
    print(f"\n{sums[0]} tests passed, {sums[1]} failed, {sums[2]} ignored, in {seconds:.0f} s")
    if failed:
        print("failed: " + ", ".join(result.target.title for result in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
