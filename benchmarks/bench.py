#!/usr/bin/env python3
"""Runs a set of tasks with BenchExec and turns the results into tables and plots.

usage: bench.py [--set SET] [--out DIR] [--bin DIR] [--limit SECONDS] [--runner RUNNER] [--definition NAME]...
                [--jobs N]

Everything goes to DIR (default: target/bench/SET), which is emptied first if an earlier run has left it (it has a file
`.residue-bench` then), and otherwise has to be new or empty: `results/` as BenchExec wrote them,
`SET.table.html` and `SET.table.csv` of table-generator, `raw.csv`, `summary.md`, the plots, and `SETUP.md`, which says
how the numbers came about.

BenchExec needs control groups and user namespaces, which not every machine grants. Runners, from the best down:

* container: BenchExec with its containers; the file system is read-only but for the checkout and /home, which are
  overlays, because an overlay over the whole of `/` is refused on many machines;
* no-container: BenchExec with limits and measurements only;
* plain: benchmarks/run.py, limits by setrlimit, times by wait4; it has no table.

`auto` takes the first that works, and says so. BenchExec stores the environment in its results, so it gets none but
PATH, HOME and PYTHONPATH.
"""
import argparse
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import results
import taskdefs
import taskset

BENCHMARKS = taskset.CHECKOUT / "benchmarks"
PROGRAMS = taskset.CHECKOUT / "third-party" / "external" / "venv" / "bin"
DEFINITIONS = ["verify", "residue", "diffdp", "diffcond"]
RUNNERS = ["container", "no-container", "plain"]


MARKER = ".residue-bench"


def claim(folder):
    """Empties the folder if it is ours, else only takes a new or empty one; folders of the checkout's build are ours."""
    if folder.is_symlink() or folder.exists() and not folder.is_dir():
        sys.exit(f"error: {folder!r} is no folder")
    own = taskset.CHECKOUT / "target" / "bench"
    marker = folder / MARKER
    is_ours = marker.is_file() and not marker.is_symlink() or own in folder.parents and own.resolve() == own
    if folder.is_dir() and any(folder.iterdir()) and not is_ours:
        sys.exit(f"error: {folder!r} has files in it that bench.py has not left there ({MARKER} is missing): name a new "
                 "or empty folder")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "results").mkdir(parents=True)
    marker.write_text("Everything in this folder is written and removed by benchmarks/bench.py.\n")


def environment():
    """What BenchExec and its tools see; it ends up in the results."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "PYTHONPATH": str(taskset.CHECKOUT / "pipelines" / "toolinfo")}


def container_flags(runner, options):
    """How BenchExec isolates a run."""
    if runner == "no-container":
        return ["--no-container"]
    flags = ["--read-only-dir", "/", "--overlay-dir", "/home", "--overlay-dir", str(taskset.CHECKOUT)]
    for folder in (options.bin, options.shared):
        if folder.exists() and not folder.is_relative_to(taskset.CHECKOUT):
            flags += ["--read-only-dir", str(folder)]
    return flags


def obstacle(runner, options):
    """Why a runner cannot be used here; None if it can."""
    if not (PROGRAMS / "runexec").exists():
        return "BenchExec is not installed (make external)"
    # Everything that the definitions ask for, the choice of a core included.
    command = [PROGRAMS / "runexec", *container_flags(runner, options), "--timelimit", "10", "--memlimit", "200MB",
               "--cores", str(min(os.sched_getaffinity(0))),
               "--output", "/dev/null", "--", "/bin/true"]
    try:
        tried = subprocess.run(command, env=environment(), cwd=taskset.CHECKOUT, capture_output=True, text=True,
                               timeout=60)
    except subprocess.TimeoutExpired:
        return "runexec hangs"
    if tried.returncode == 0 and "returnvalue=0" in tried.stdout:
        return None
    return " ".join((tried.stderr or tried.stdout).split())[-300:] or f"runexec ended with {tried.returncode}"


def choose(options):
    """The runner, and what was in the way of better ones."""
    obstacles = {}
    for runner in RUNNERS if options.runner == "auto" else [options.runner]:
        found = None if runner == "plain" else obstacle(runner, options)
        if found is None:
            return runner, obstacles
        obstacles[runner] = found
        print(f"{runner}: not here: {found}", file=sys.stderr)
    sys.exit(f"error: the runner {options.runner} cannot be used here")


def run_benchexec(runner, options, folder):
    """Runs all definitions on the set, then table-generator."""
    # The tools' artifacts land in the working directory, which only a container keeps clean.
    work = taskset.CHECKOUT if runner == "container" else folder / "work"
    work.mkdir(exist_ok=True)
    for name in options.definition or DEFINITIONS:
        definition = BENCHMARKS / "defs" / f"{name}.xml"
        named = {tasks.get("name") for tasks in ElementTree.parse(definition).iter("tasks")}
        if options.set not in named:
            print(f"{name}: no tasks named {options.set}, left out", file=sys.stderr)
            continue
        command = [PROGRAMS / "benchexec", os.path.relpath(definition, work), "--tasks", options.set,
                   "--tool-directory", options.bin, "--outputpath", f"{folder / 'results'}/",
                   "--numOfThreads", str(options.jobs), "--no-compress-results", *container_flags(runner, options)]
        if options.limit:
            command += ["--timelimit", f"{options.limit}s"]
        subprocess.run(command, env=environment(), cwd=work, check=True)
    order = lambda path: (DEFINITIONS.index(path.name.split(".")[0]), path.name)
    files = sorted(results.result_files(folder), key=order)
    if not files:
        sys.exit(f"error: no definition names the tasks {options.set}; add a <tasks> element with this name")
    subprocess.run([PROGRAMS / "table-generator", "--quiet", "--name", options.set, "--outputpath", folder,
                    *files], env=environment(), check=True)
    results.write(results.load(folder), folder / "raw.csv")


def run_plain(options, folder):
    """Runs our own runner."""
    command = [sys.executable, BENCHMARKS / "run.py", "--set", options.set, "--out", folder, "--bin", options.bin,
               "--shared", options.shared, "--jobs", str(options.jobs), "--limit", str(options.limit or 60)]
    configs = ["diffdp", "diffcond", "reduce", "verify"]
    subprocess.run([*command, *(word for config in configs for word in ("--config", config))], check=True)


def setup(runner, obstacles, options):
    """The text that says how the numbers came about."""
    version = subprocess.run([options.bin / "verify", "--version"], capture_output=True, text=True).stdout.strip()
    lines = [f"# {options.set}", "", f"Runner: {runner}.",
             *(f"Not {name}: {why}" for name, why in obstacles.items()), "",
             f"Machine: {os.cpu_count()} cores ({platform.machine()}), {platform.system()} {platform.release()}.",
             f"Tools: {version}; Python {platform.python_version()}.", "",
             f"    python3 benchmarks/bench.py {' '.join(sys.argv[1:])}"]
    return "\n".join(lines) + "\n"


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="smoke", help="the name of a set in benchmarks/sets")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--bin", type=Path, default=taskset.tools_folder())
    parser.add_argument("--shared", type=Path, default=taskset.shared_folder())
    parser.add_argument("--limit", type=int, help="CPU seconds per run; default: what the definitions say")
    parser.add_argument("--runner", choices=["auto", *RUNNERS], default="auto")
    parser.add_argument("--definition", action="append", choices=DEFINITIONS)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    options.bin, options.shared = options.bin.resolve(), options.shared.resolve()
    generated = taskset.CHECKOUT / "target" / "bench" / (Path(options.set).stem or "set")
    # Not resolved: a link to a folder is no folder of ours.
    folder = Path(os.path.abspath(options.out or generated))
    claim(folder)
    if options.set != "smoke":
        # The definitions look for them here.
        taskdefs.write(taskset.read_set(taskset.set_file(options.set), options.shared), generated / "tasks")
    runner, obstacles = choose(options)
    (folder / "SETUP.md").write_text(setup(runner, obstacles, options))
    if runner == "plain":
        run_plain(options, folder)
    else:
        run_benchexec(runner, options, folder)
    if results.load(folder):  # detectors alone give no verdicts
        with open(folder / "summary.md", "w") as file:
            subprocess.run([sys.executable, BENCHMARKS / "summarize.py", folder], stdout=file, check=True)
        subprocess.run([sys.executable, BENCHMARKS / "plot.py", folder], check=True)
    print(f"runner: {runner}; results: {folder}")


if __name__ == "__main__":
    main()
