#!/usr/bin/env python3
"""Runs the tools on a set of tasks and appends one row per task and configuration.

usage: run.py --set SET --out DIR [--limit SECONDS] [--config NAME]... [--bin DIR] [--shared DIR] [--jobs N]

A set file names one task per line: a pair (`pairs/FAMILY/ID.yml`) or a program (`programs/FAMILY/FILE.c`), relative
to the folder of tasks; `#` starts a comment. A run that was cut short continues where it stopped: rows that are in
raw.csv already are not run again. The limit is CPU seconds for the whole chain of one task.

Configurations: diffcond, diffdp (native chain), reduce (chain through the residual program), verify (the modified
program alone).

Wrong verdicts. For a pair: TRUE although the change is a regression, FALSE although the modified program is correct.
For plain verification: a verdict that contradicts the known one. Every FALSE is rebuilt with gcc from its harness and
executed; a FALSE that this does not confirm is counted as wrong.
"""
import argparse
import concurrent.futures
import csv
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COLUMNS = ["config", "task", "family", "expected", "verdict", "outcome", "reason", "cpu_detect", "cpu_condgen",
           "cpu_reduce", "cpu_verify", "cpu_total", "indicators", "condition_states", "confirmed", "message"]
STAGES = ["detect", "condgen", "reduce", "verify"]


class Task:
    """A pair or a program with what is known of it."""

    def __init__(self, name, shared, singles):
        self.name = name
        path = shared / "tasks" / name
        if name.startswith("pairs/"):
            fields = dict(re.findall(r"^(\w+):\s*(.*?)\s*$", path.read_text(), re.M))
            self.family = fields["family"].strip('"')
            self.original = (path.parent / fields["original"].strip('"')).resolve()
            self.modified = (path.parent / fields["modified"].strip('"')).resolve()
            self.model = fields["data_model"].strip('"')
            self.truth = fields["truth_modified"].strip('"')
            self.regression = fields["expected_regression"].strip('"')
        else:
            row = singles[name]
            self.family, self.model, self.truth = row["family"], row["data_model"], row["expected_verdict"]
            self.original, self.modified, self.regression = None, path.resolve(), None

    def outcome(self, config, verdict):
        """solved, unknown or wrong."""
        if verdict == "UNKNOWN":
            return "unknown"
        if verdict == "FALSE":
            return {"false": "solved", "true": "wrong"}.get(self.truth, "unjudged")
        if config == "verify":
            return {"true": "solved", "false": "wrong"}.get(self.truth, "unjudged")
        return {"false": "solved", "true": "wrong"}.get(self.regression, "unjudged")


def run(command, seconds, cwd):
    """Runs one stage; returns exit code (None if killed), stdout, stderr, CPU seconds."""
    def limits():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 5, int(seconds) + 6))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, cwd=cwd,
                                   preexec_fn=limits)
        deadline = time.monotonic() + 6 * seconds + 60
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return (process.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"),
                usage.ru_utime + usage.ru_stime)


def stages(config, task, tools, folder, left):
    """The command of each stage; `left` gives the CPU seconds that remain."""
    budget = lambda: ["--budget", str(max(1, int(left())))]
    common = ["-q", "--data-model", task.model]
    modified = str(task.modified)
    evidence = ["--harness", str(folder / "harness.c")]
    if config == "verify":
        yield "verify", [tools / "verify", *common, *budget(), *evidence, modified]
        return
    detector = "diffcond" if config == "diffcond" else "diffdp"
    graph, condition, residual = folder / "graph.json", folder / "condition.graphml", folder / "residual.c"
    yield "detect", [tools / detector, *common, *budget(), "-o", graph, task.original, modified]
    yield "condgen", [tools / "condgen", "-q", "-o", condition, graph]
    if config == "reduce":
        yield "reduce", [tools / "reduce", "-q", "-o", residual, condition]
        yield "verify", [tools / "verify", *common, *budget(), *evidence, residual]
    else:
        yield "verify", [tools / "verify", "-q", *budget(), *evidence, "--condition", condition, modified]


def confirm(folder, model):
    """Builds the harness with gcc and runs it; True iff it reaches the error."""
    harness, binary = folder / "harness.c", folder / "harness"
    flags = ["-m32", "-nostdlib", "-static"] if model == "ILP32" else []
    if not harness.exists():
        return False
    build = subprocess.run(["gcc", "-w", "-O0", "-std=gnu11", *flags, "-o", binary, harness], capture_output=True)
    if build.returncode != 0:
        return False
    try:
        done = subprocess.run([binary], capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 107 or b"reach_error" in done.stdout + done.stderr


def check(config, task, tools, limit):
    """Runs the chain on one task."""
    row = dict.fromkeys(COLUMNS, "") | {"config": config, "task": task.name, "family": task.family,
                                        "expected": task.truth if config == "verify" else task.regression}
    verdict, reason, spent = "UNKNOWN", "", 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stage, command in stages(config, task, tools, folder, lambda: limit - spent):
            code, out, err, cpu = run([str(part) for part in command], max(1, limit - spent), folder)
            spent += cpu
            row["cpu_" + stage] = f"{cpu:.2f}"
            if code not in (0, 1, 3):
                reason = f"{stage} exited with {code}"
                row["message"] = " ".join(err.split())[:200]
                break
            if stage == "verify":
                last = (out.strip().splitlines() or [""])[-1]
                verdict = "FALSE" if last.startswith("FALSE") else "TRUE" if last == "TRUE" else "UNKNOWN"
                reason = last[8:-1] if last.startswith("UNKNOWN(") else ""
        graph, condition = folder / "graph.json", folder / "condition.graphml"
        if graph.exists():
            found = re.search(r'"indicators":\s*\[([^\]]*)\]', graph.read_text())
            row["indicators"] = len([n for n in found.group(1).split(",") if n.strip()]) if found else ""
        if condition.exists():
            row["condition_states"] = condition.read_text().count("<node ")
        row["verdict"], row["reason"] = verdict, reason
        row["outcome"] = task.outcome(config, verdict)
        if verdict == "FALSE":
            row["confirmed"] = "yes" if confirm(folder, task.model) else "no"
            if row["confirmed"] == "no":
                row["outcome"] = "wrong"
    row["cpu_total"] = f"{spent:.2f}"
    return row


def main():
    """Runs what is not in raw.csv yet."""
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--config", action="append", choices=["diffcond", "diffdp", "reduce", "verify"])
    parser.add_argument("--bin", type=Path, default=here.parent / "target" / "release")
    parser.add_argument("--shared", type=Path,
                        default=Path(os.environ.get("RESIDUE_SHARED", here.parent.parent / "shared")))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    configs = options.config or ["diffcond", "diffdp", "verify"]
    with open(options.shared / "tasks" / "singles.csv") as file:
        singles = {row["program"]: row for row in csv.DictReader(file)}
    names = [line.split("#")[0].strip() for line in options.set.read_text().splitlines()]
    tasks = [Task(name, options.shared, singles) for name in names if name]
    options.out.mkdir(parents=True, exist_ok=True)
    raw = options.out / "raw.csv"
    done = set()
    if raw.exists():
        with open(raw) as file:
            done = {(row["config"], row["task"]) for row in csv.DictReader(file)}
    jobs = [(config, task) for task in tasks for config in configs
            if (config, task.name) not in done and (task.original or config == "verify")]
    with open(raw, "a", newline="") as file, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        writer = csv.DictWriter(file, COLUMNS)
        if not done and file.tell() == 0:
            writer.writeheader()
        futures = [pool.submit(check, config, task, options.bin.resolve(), options.limit) for config, task in jobs]
        for number, future in enumerate(concurrent.futures.as_completed(futures), 1):
            row = future.result()
            writer.writerow(row)
            file.flush()
            print(f"[{number}/{len(jobs)}] {row['config']:8} {row['task']:60} {row['verdict']:8}"
                  f" {row['outcome']:8} {row['cpu_total']:>7} s  {row['reason']}", file=sys.stderr)


if __name__ == "__main__":
    main()
