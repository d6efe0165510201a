"""The smoke set through BenchExec, or through our own runner where the machine refuses BenchExec."""
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parents[2]
BENCHMARKS = CHECKOUT / "benchmarks"
TARGET = CHECKOUT / "target" / "bench"
sys.path.insert(0, str(BENCHMARKS))

import results  # noqa: E402 (the path comes first)

CHANGES = {"tank-refactored": "TRUE", "tank-regression": "FALSE", "queue-counted": "TRUE", "queue-overfull": "FALSE",
           "meter-rewritten": "FALSE"}
PROGRAMS = {"account": "TRUE", "midpoint": "FALSE", "scratch": "UNKNOWN"}
CHAINS = ["diffdp", "diffcond", "reduce"]
# A run takes some twenty seconds on an idle core. BenchExec clones its containers out of a process with threads, and such a
# clone may find a lock taken for good: then it waits for ever, and another try does not.
PATIENCE = 400
TRIES = 3


def end(process):
    """Ends a process with everything below it, whatever sessions and groups those made for themselves."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
        except OSError:  # it has ended
            continue
    doomed, todo = [], [process.pid]
    while todo:
        doomed.append(todo.pop())
        todo += parents.get(doomed[-1], [])
    for pid in doomed:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


def bench(folder, *flags):
    """Runs the smoke set into a folder; returns the runner that was used."""
    command = [sys.executable, BENCHMARKS / "bench.py", "--set", "smoke", "--out", folder, *flags]
    for _ in range(TRIES):
        said = run(command, PATIENCE)
        if said is not None:
            runner = said.strip().splitlines()[-1].removeprefix("runner: ").split(";")[0]
            print(f"smoke set, runner: {runner}", file=sys.stderr)
            return runner
    raise AssertionError(f"the smoke set came to no end in {TRIES} times {PATIENCE} s")


def run(command, seconds):
    """What a command writes on stdout; None if it does not end in time."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            end(process)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read())
    if process.returncode == -signal.SIGKILL:
        print(f"not ended after {seconds} s, tried again:\n{''.join(texts)}", file=sys.stderr)
        return None
    if process.returncode != 0:
        raise AssertionError("".join(texts))
    return texts[0]


class Hanging(unittest.TestCase):
    """What hangs is ended with what it started."""

    def test_hanging_command(self):
        with tempfile.TemporaryDirectory() as folder:
            started = Path(folder) / "started"
            script = f"setsid sh -c 'echo $$ > {started}.tmp; mv {started}.tmp {started}; exec sleep 1000' & wait"
            self.assertIsNone(run(["sh", "-c", script], 3))
            child = int(started.read_text())
            deadline = time.monotonic() + 60
            while Path(f"/proc/{child}/cmdline").exists() and time.monotonic() < deadline:
                if "Z" in Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]:
                    break
                time.sleep(0.01)
            self.assertLess(time.monotonic(), deadline)
        self.assertEqual(run(["echo", "said"], 60), "said\n")
        self.assertRaises(AssertionError, run, ["false"], 60)


class Smoke(unittest.TestCase):
    """Verdicts, columns, tables and plots of one run each."""

    def test_best_runner(self):
        folder = TARGET / "smoke"
        runner = bench(folder)
        rows = self.rows(folder)
        if runner == "plain":
            self.check_plain(rows)
        else:
            self.check_benchexec(folder, rows)
        self.check_common(folder, rows)

    def test_plain_runner(self):
        folder = TARGET / "smoke-plain"
        self.assertEqual(bench(folder, "--runner", "plain"), "plain")
        rows = self.rows(folder)
        self.check_plain(rows)
        self.check_common(folder, rows)
        shutil.rmtree(folder)

    def rows(self, folder):
        """Rows by configuration and name of the task."""
        return {(row["config"], row["task"]): row for row in results.load(folder)}

    def check_common(self, folder, rows):
        """What holds whoever ran the tools."""
        self.assertEqual([row for row in rows.values() if row["outcome"] in ("wrong", "unjudged")], [])
        for (config, task), row in rows.items():
            with self.subTest(config=config, task=task):
                self.assertGreaterEqual(float(row["cpu_verify"]), 0)
                self.assertGreater(float(row["cpu_total"]), 0)
                if config in CHAINS:
                    self.assertGreaterEqual(float(row["cpu_detect"]), 0)
                    self.assertGreaterEqual(float(row["cpu_condgen"]), 0)
                    self.assertEqual(config == "reduce", row["cpu_reduce"] != "")
                    self.assertGreaterEqual(int(row["condition_states"]), 1)
        # A counter that nothing reads cannot break anything: nothing is left to check.
        self.assertEqual(rows["diffdp", "queue-counted"]["indicators"], "0")
        self.assertEqual(rows["diffdp", "queue-counted"]["condition_states"], "1")
        self.assertGreater(int(rows["diffdp", "queue-overfull"]["indicators"]), 0)
        summary = (folder / "summary.md").read_text()
        self.assertIn("Wrong: 0", summary)
        self.assertIn("| tank | 2 / 0 / 0 |", summary)
        self.assertIn("Runner: ", (folder / "SETUP.md").read_text())
        for plot in ("quantile.svg", "scatter.svg"):
            self.assertEqual(ElementTree.parse(folder / plot).getroot().tag, "{http://www.w3.org/2000/svg}svg")

    def check_plain(self, rows):
        """All tasks, every FALSE confirmed by gcc."""
        wanted = {(config, task): verdict for config in CHAINS for task, verdict in CHANGES.items()}
        wanted |= {("verify", task): verdict for task, verdict in {**CHANGES, **PROGRAMS}.items()}
        self.assertEqual({key: row["verdict"] for key, row in rows.items()}, wanted)
        self.assertEqual({row["confirmed"] for row in rows.values() if row["verdict"] == "FALSE"}, {"yes"})
        self.assertIn("complex", rows["verify", "scratch"]["reason"])

    def check_benchexec(self, folder, rows):
        """All tasks; a violation that was there before is no regression."""
        changes = {**CHANGES, "meter-rewritten": "UNKNOWN"}
        wanted = {(config, task): verdict for config in [*CHAINS, "verify"] for task, verdict in changes.items()}
        wanted |= {("verify-program", task): verdict for task, verdict in {**CHANGES, **PROGRAMS}.items()}
        self.assertEqual({key: row["verdict"] for key, row in rows.items()}, wanted)
        self.assertIn("complex", rows["verify-program", "scratch"]["reason"])
        self.assertIn("also in the original", rows["diffdp", "meter-rewritten"]["message"])
        self.check_result_files(folder)
        self.check_table(folder)

    def check_result_files(self, folder):
        """Detectors leave their graphs, and nothing of the environment is stored that is not needed."""
        done = []
        for path in results.result_files(folder):
            root = ElementTree.parse(path).getroot()
            names = {variable.get("name") for variable in root.iter("var")}
            self.assertLessEqual(names, {"PATH", "HOME", "PYTHONPATH", "LC_CTYPE", "PWD", "SHLVL"})
            for run in root.iter("run"):
                values = {column.get("title"): column.get("value") for column in run.iter("column")}
                if values["status"] == "done":
                    done.append(path.name)
                    self.assertGreater(int(values["nodes"]), 0)
                elif not path.name.startswith("residue."):
                    self.assertGreaterEqual(int(values["queries"]), 0)
        self.assertEqual(len(done), 15, done)  # five changes: diffdp in two ways, diffcond
        if (folder / "SETUP.md").read_text().find("Runner: container") >= 0:
            graphs = list(folder.glob("results/*.files/**/difference-graph.json"))
            self.assertEqual(len(graphs), 15, graphs)
            witnesses = {path.parent.name for path in folder.glob("results/verify.*.files/**/witness.graphml")}
            # A proof has a witness as well as a violation.
            self.assertEqual(witnesses, {f"{task}.yml" for task, verdict in {**CHANGES, **PROGRAMS}.items()
                                         if verdict != "UNKNOWN"})

    def check_table(self, folder):
        """The table of table-generator has every task, run definition and column."""
        with open(folder / "smoke.table.csv") as file:
            lines = list(csv.reader(file, delimiter="\t"))
        head = "\n".join("\t".join(line) for line in lines[:3])
        for word in ["cpu-detect", "cpu-condgen", "cpu-reduce", "cpu-verify", "queries", "condition-states", "reason",
                     "about", "diffdp", "diffcond", "reduce", "verify-program"]:
            self.assertIn(word, head)
        cells = "\n".join("\t".join(line) for line in lines[3:])
        html = (folder / "smoke.table.html").read_text()
        for task in [*CHANGES, *PROGRAMS]:
            self.assertIn(f"{task}.yml", cells)
            self.assertIn(f"{task}.yml", html)


if __name__ == "__main__":
    unittest.main()
