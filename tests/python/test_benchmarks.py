"""The scripts around benchmarks: conversions, task definitions, plots, and what happens where BenchExec is refused."""
import argparse
import bz2
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

CHECKOUT = Path(__file__).resolve().parents[2]
BENCHMARKS = CHECKOUT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import chain  # noqa: E402
import bench  # noqa: E402 (the path comes first)
import results  # noqa: E402
import run  # noqa: E402
import suites  # noqa: E402
import taskdefs  # noqa: E402
import taskset  # noqa: E402

RESULT = """<?xml version="1.0"?>
<result name="diffdp.some" block="some" toolmodule="residue_tools.residue">
  <run name="x/queue-one-007.yml" properties="no-regression" expectedVerdict="false">
    <column title="status" value="false(no-regression)"/><column title="category" value="correct"/>
    <column title="cputime" value="1.234567s"/><column title="cpu-detect" value="0.1"/>
    <column title="about" value="regression at a.c:1"/>
  </run>
  <run name="x/queue-one-008.yml" properties="no-regression" expectedVerdict="true">
    <column title="status" value="TIMEOUT"/><column title="category" value="error"/>
    <column title="cputime" value="60.1s"/>
  </run>
  <run name="x/queue-one-009.yml" properties="no-regression">
    <column title="status" value="true"/><column title="category" value="missing"/><column title="cputime" value="1s"/>
  </run>
  <run name="x/queue-one-010.yml"><column title="status" value="done"/></run>
  <run name="x/queue-one-011.yml"><column title="status" value=""/><column title="category" value="unknown"/></run>
</result>
"""


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)


class Suites(Folder):
    """What test programs of other verifiers are expected to do."""

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def test_descriptions_that_ask_what_we_ask(self):
        good = self.write("a/main.c", "int main() { return 0; }")
        self.write("a/test.desc", "CORE\nmain.c\n--32 --overflow-check\n^VERIFICATION FAILED$\n")
        self.write("b/test.desc", "CORE\nmain.c\n--function f\n^VERIFICATION FAILED$\n")
        self.write("c/test.desc", "CORE\nmain.cpp\n\n^VERIFICATION FAILED$\n")
        properties = ["assert", "unreach-call", "valid-deref", "valid-free", "div-zero", "no-overflow"]
        self.assertEqual(list(suites.of_esbmc(self.folder)), [(good, properties, "ILP32", "FALSE", [])])

    def test_comments(self):
        safe = self.write("memory-safety/a.c", "// @expect verified\nint main() { return 0; }")
        self.write("b.c", "int main() { return 0; }")
        properties = ["assert", "valid-deref", "valid-free", "valid-memtrack"]
        self.assertEqual(list(suites.of_smack(self.folder)), [(safe, properties, "LP64", "TRUE", [])])

    def test_names_of_worse_programs(self):
        names = {"a__x_fail.c.i": "a__x.c.i", "a__x-bug.i": "a__x.i", "a__failing.i": "a__failing.i", "a__x_fail_2.i": "a__x_fail_2.i"}
        self.assertEqual({name: suites.WORSE.sub("", name) for name in names}, names)


class Results(Folder):
    """Results of BenchExec as rows."""

    def test_benchexec_results_become_rows(self):
        (self.folder / "results").mkdir()
        packed = self.folder / "results" / "residue.2026-01-01_00-00-00.results.diffdp.some.xml.bz2"
        packed.write_bytes(bz2.compress(RESULT.encode()))
        rows = results.load(self.folder)
        self.assertEqual([row["task"] for row in rows], [f"queue-one-{n}" for n in ("007", "008", "009", "011")])
        self.assertEqual({row["config"] for row in rows}, {"diffdp"})
        self.assertEqual({row["family"] for row in rows}, {"queue-one"})
        shown = [(row["expected"], row["verdict"], row["outcome"], row["reason"], row["cpu_total"]) for row in rows]
        self.assertEqual(shown, [("true", "FALSE", "solved", "", "1.23"),
                                 ("false", "UNKNOWN", "unknown", "TIMEOUT", "60.10"),
                                 ("", "TRUE", "unjudged", "", "1.00"), ("", "UNKNOWN", "unknown", "", "0.00")])
        results.write(rows, self.folder / "raw.csv")
        self.assertEqual(results.load(self.folder), rows)

    def test_plots_of_recorded_runs_depend_on_the_rows_alone(self):
        recorded = BENCHMARKS / "runs" / "2026-11-21-sample-pairs-10s"
        drawn = []
        for name in ("a", "b"):
            shutil.copytree(recorded, self.folder / name)
            command = [sys.executable, BENCHMARKS / "plot.py", self.folder / name]
            subprocess.run(command, check=True, capture_output=True)
            drawn.append([(self.folder / name / plot).read_bytes() for plot in ("quantile.svg", "scatter.svg")])
        self.assertEqual(drawn[0], drawn[1])
        self.assertIn(b"diffdp + condition: 30 of 40", drawn[0][0])
        self.assertIn(b"10 by neither", drawn[0][1])

    def test_folder_without_results(self):
        ran = subprocess.run([sys.executable, BENCHMARKS / "plot.py", self.folder], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("holds neither raw.csv nor results of BenchExec", ran.stderr)


class Definitions(Folder):
    """Task definitions for pair files and programs."""

    def test_definition_is_read_back(self):
        shared = self.folder / "shared"
        (shared / "tasks" / "pairs" / "f").mkdir(parents=True)
        (shared / "tasks" / "pairs" / "f" / "f-001.yml").write_text(
            'id: f-001\nfamily: "f"\noriginal: ../../programs/old.c\nmodified: ../../programs/new.c\n'
            "data_model: ILP32\ntruth_original: true\ntruth_modified: unknown\nexpected_regression: false\n")
        (shared / "tasks" / "singles.csv").write_text(
            "program,expected_verdict,data_model,family\nprograms/one.c,false,LP64,g\n")
        (self.folder / "some.set").write_text("pairs/f/f-001.yml # a pair\n\n# nothing\nprograms/one.c\n")
        tasks = taskset.read_set(self.folder / "some.set", shared)
        taskdefs.write(tasks, self.folder / "out")
        back = [taskset.read_task(name, self.folder / "out" / name) for name in ("f-001.yml", "one.yml")]
        kept = ("modified", "original", "model", "truth", "original_truth", "regression")
        for before, after in zip(tasks, back, strict=True):
            self.assertEqual([getattr(before, key) for key in kept], [getattr(after, key) for key in kept])
        self.assertEqual((back[0].truth, back[0].regression, back[1].truth), ("", "false", "false"))
        text = (self.folder / "out" / "f-001.yml").read_text()
        self.assertIn("original_input_file: old.c", text)  # relative to the modified program

    def test_names_must_be_unique(self):
        task = taskset.Task("pairs/f/x.yml", "f", Path("/a.c"), "LP64", "true")
        with self.assertRaises(SystemExit):
            taskdefs.write([task, task], self.folder)


class Tables(Folder):
    """Sets that are whole tables, and what fails a run."""

    def setUp(self):
        super().setUp()
        self.shared = self.folder / "shared"
        (self.shared / "tasks" / "real").mkdir(parents=True)

    def read(self, lines):
        (self.folder / "some.set").write_text(lines)
        return taskset.read_set(self.folder / "some.set", self.shared)

    def test_tables_and_patterns(self):
        (self.shared / "pairs.csv").write_text(
            "suite,id,original,modified,property,truth_original,truth_modified,expected,note\n"
            "traps,t1,o.c,m.c,unreach-call.prp,true,false,UNSAFE,a note, with a comma\n"
            "others,t2,o.c,m.c,assert,true,true,SAFE,\n")
        (self.shared / "programs.csv").write_text("program,family,expected_verdict,data_model\np.c,f,true,LP64\n")
        for name in "ba":
            (self.shared / "tasks" / "real" / f"{name}.yml").write_text(
                'id: x\nfamily: real\noriginal: o.i\nmodified: m.i\nproperty: assert\ndata_model: LP64\n'
                "truth_original: true\ntruth_modified: true\nexpected_regression: false\n")
        pairs = self.read("pairs.csv traps\n")
        self.assertEqual([(t.name, t.truth, t.regression, t.prop) for t in pairs], [("t1", "false", "true", "unreach-call")])
        self.assertEqual([t.prop for t in self.read("pairs.csv # all\n")], ["unreach-call", "assert"])
        [program] = self.read("programs.csv\n")
        self.assertEqual((program.truth, program.original, program.modified.name), ("true", None, "p.c"))
        real = self.read("real/*.yml\n")
        self.assertEqual([(t.name, t.prop) for t in real], [("real/a.yml", "assert"), ("real/b.yml", "assert")])
        self.assertIn("assert", chain.detect(Path("bin"), "diffdp", real[0], "graph"))
        self.assertIn("assert", chain.verify(Path("bin"), real[0], real[0].modified, "harness"))
        self.assertNotIn("assert", chain.verify(Path("bin"), real[0], Path("residual.c"), "harness"))
        with self.assertRaises(SystemExit):
            self.read("missing.csv\n")

    def test_wrong_verdicts_and_faults_fail(self):
        row = dict.fromkeys(results.COLUMNS, "") | {"outcome": "solved"}
        results.write([row], self.folder / "raw.csv")
        self.assertEqual(run.failures(self.folder / "raw.csv"), 0)
        results.write([row, row | {"outcome": "wrong"}, row | {"fault": "overrun"}], self.folder / "raw.csv")
        self.assertEqual(run.failures(self.folder / "raw.csv"), 2)

    def check(self, script, limit):
        tools = self.folder / "bin"
        tools.mkdir(exist_ok=True)
        (tools / "verify").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "verify").chmod(0o755)
        task = taskset.Task("p.c", "f", Path("/p.c"), "LP64", "true")
        return run.check("verify", task, tools, limit)

    def test_ends_that_are_no_verdict_are_faults(self):
        self.assertEqual(self.check("echo TRUE", 5)["fault"], "")
        self.assertEqual(self.check("exit 101", 5)["fault"], "panic")
        self.assertEqual(self.check("kill -SEGV $$", 5)["fault"], "broken")
        for cpu, fault in ((6.4, ""), (6.6, "overrun")):
            with mock.patch.object(run.measure, "run", return_value=(0, "TRUE\n", "", cpu)):
                row = self.check("", 5)
            self.assertEqual((row["fault"], row["outcome"]), (fault, "solved"))


class Runners(Folder):
    """The best runner that works."""

    def choose(self, obstacles, wanted="auto"):
        with mock.patch.object(bench, "obstacle", lambda runner, _: obstacles.get(runner)):
            return bench.choose(argparse.Namespace(runner=wanted))

    def test_falls_back_and_says_why(self):
        self.assertEqual(self.choose({}), ("container", {}))
        why = {"container": "no overlay"}
        self.assertEqual(self.choose(why), ("no-container", why))
        why["no-container"] = "no control groups"
        self.assertEqual(self.choose(why), ("plain", why))
        with self.assertRaises(SystemExit):
            self.choose(why, "container")

    def test_missing_benchexec_is_an_obstacle(self):
        with mock.patch.object(bench, "PROGRAMS", self.folder):
            self.assertIn("make external", bench.obstacle("container", None))


if __name__ == "__main__":
    unittest.main()
