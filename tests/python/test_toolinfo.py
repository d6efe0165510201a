"""The tool-info modules: BenchExec accepts them, and they never claim more than the tools said."""
import json
import subprocess
import sys
import unittest
from pathlib import Path

from benchexec.tools.template import BaseTool2, UnsupportedFeatureException
from benchexec.util import ProcessExitCode

CHECKOUT = Path(__file__).resolve().parents[2]
TOOLINFO = CHECKOUT / "pipelines" / "toolinfo"
sys.path[:0] = [str(TOOLINFO), str(CHECKOUT / "benchmarks")]

import taskset  # noqa: E402 (the path comes first)
from residue_tools import circuit, diffdp, residue, verify  # noqa: E402 (the path comes first)

CHANGE = {"language": "C", "data_model": "ILP32", "difference_verification": {"original_input_file": "../old/p.c"}}
SAFE_ORIGINAL = {**CHANGE, "difference_verification": {"original_input_file": "old.c", "original_verdict": True}}
LIMITS = BaseTool2.ResourceLimits(cputime=100, memory=2**30)


def task(files, prp=None, options=None):
    """A task as BenchExec hands it to a module."""
    return BaseTool2.Task.with_files(files, property_file=prp, options=options)


def judge(tool, prp, options, output, code=0):
    """The result that a module reads from an output."""
    command = tool.cmdline("tool", [], task(["new/p.c"], prp, options), LIMITS)
    lines = BaseTool2.RunOutput([line + "\n" for line in output])
    return tool.determine_result(BaseTool2.Run(command, ProcessExitCode.create(value=code), lines, None))


def check_report(verdict, kind):
    """What `residue check --json` prints."""
    return json.dumps({"verdict": verdict, "class": kind, "outcomes": [{"about": "", "stages": []}]})


class Acceptance(unittest.TestCase):
    """BenchExec's own check of modules."""

    def test_every_module_is_accepted(self):
        modules = sorted(path.stem for path in (TOOLINFO / "residue_tools").glob("*.py"))
        for module in [name for name in modules if name not in ("__init__", "common")]:
            command = [sys.executable, "-m", "benchexec.test_tool_info", f"residue_tools.{module}", "--no-container",
                       "--tool-directory", str(taskset.tools_folder())]
            ran = subprocess.run(command, capture_output=True, text=True, cwd=CHECKOUT,
                                 env={"PYTHONPATH": str(TOOLINFO), "PATH": "/usr/bin:/bin"})
            output = ran.stdout + ran.stderr
            with self.subTest(module=module):
                self.assertEqual(ran.returncode, 0, output)
                self.assertNotIn("Traceback", output)
                self.assertNotIn("Error", output)
                self.assertRegex(output, r"Version[^\n]*0\.")
                expected = "Command line with multiple input files" if module in ("diffdp", "diffcond", "residue") \
                    else "Command line SV-Benchmarks task"
                self.assertIn(expected, output)


class CommandLines(unittest.TestCase):
    """What goes on the command line."""

    def test_original_is_relative_to_the_modified_program(self):
        command = residue.Tool().cmdline("residue", ["--via", "reduce"], task(["new/p.c"], "a.prp", CHANGE), LIMITS)
        self.assertEqual(command, ["residue", "check", "--json", "--stats", "--property", "a.prp", "--data-model",
                                   "ILP32", "--budget", "95", "--memory", "972", "--via", "reduce", "old/p.c",
                                   "new/p.c"])

    def test_two_input_files(self):
        options = {"difference_verification": {"original_input_file": "old.c"}}
        command = diffdp.Tool().cmdline("diffdp", [], task(["new.c", "old.c"], None, options), LIMITS)
        self.assertEqual(command[-2:], ["old.c", "new.c"])

    def test_options_of_the_definition_win(self):
        command = verify.Tool().cmdline("verify", ["--budget=5", "--64"], task(["p.c"], None, CHANGE), LIMITS)
        self.assertEqual(command, ["verify", "--json", "--memory", "972", "--budget=5", "--64", "p.c"])
        followed = verify.Tool().cmdline("verify", ["--condition", "c"], task(["p.c"], "a.prp", CHANGE), LIMITS)
        self.assertNotIn("--property", followed)  # the condition says it

    def test_circuits_are_text_and_may_not_be_there(self):
        command = circuit.Tool().cmdline("circuit", [], task(["p.c"], "a.prp", CHANGE), LIMITS)
        self.assertEqual(command[:4] + command[-1:], ["circuit", "--stats", "--to", "btor2", "p.c"])
        self.assertIn("ILP32", command)
        for code, expected in ((0, "done"), (3, "unknown"), (2, "ERROR")):
            self.assertEqual(judge(circuit.Tool(), "a.prp", CHANGE, [], code), expected)

    def test_unusable_tasks_are_refused(self):
        for options in (None, {"data_model": "LP64"}):
            with self.assertRaises(UnsupportedFeatureException):
                residue.Tool().cmdline("residue", [], task(["p.c"], None, options), LIMITS)
        with self.assertRaises(UnsupportedFeatureException):
            verify.Tool().cmdline("verify", [], task(["p.c"], None, {"data_model": "ILP64"}), LIMITS)


class Verdicts(unittest.TestCase):
    """No answer to a question that was not asked."""

    def test_verify(self):
        for verdict, code, result in [("TRUE", 0, "true"), ("FALSE(unreach-call)", 1, "false(unreach-call)"),
                                      ("UNKNOWN(budget)", 3, "unknown")]:
            self.assertEqual(judge(verify.Tool(), "unreach-call.prp", None, [json.dumps({"verdict": verdict})], code),
                             result)

    def test_verify_about_a_change(self):
        found = [json.dumps({"verdict": "FALSE(unreach-call)"})]
        self.assertEqual(judge(verify.Tool(), "p/no-regression.prp", CHANGE, found, 1), "unknown")
        self.assertEqual(judge(verify.Tool(), "p/no-regression.prp", SAFE_ORIGINAL, found, 1), "false(no-regression)")

    def test_change_without_regression_proves_no_program(self):
        proved = ["note", check_report("TRUE", "no-regression")]
        self.assertEqual(judge(residue.Tool(), "no-regression.prp", CHANGE, proved), "true")
        self.assertEqual(judge(residue.Tool(), "unreach-call.prp", CHANGE, proved), "unknown")
        self.assertEqual(judge(residue.Tool(), None, CHANGE, proved), "unknown")
        self.assertEqual(judge(residue.Tool(), "unreach-call.prp", SAFE_ORIGINAL, proved), "true")

    def test_violation_is_not_always_a_regression(self):
        for kind, options, result in [("regression", CHANGE, "false(no-regression)"),
                                      ("violation-in-both", CHANGE, "unknown"), ("not-compared", CHANGE, "unknown"),
                                      ("not-compared", SAFE_ORIGINAL, "false(no-regression)")]:
            found = [check_report("FALSE(unreach-call)", kind)]
            self.assertEqual(judge(residue.Tool(), "no-regression.prp", options, found, 1), result, kind)
            self.assertEqual(judge(residue.Tool(), "unreach-call.prp", options, found, 1), "false(unreach-call)")

    def test_crash_and_garbage_are_errors(self):
        for tool in (verify.Tool(), residue.Tool()):
            for output in ([], ["panicked"], ["TRUE"], ['{"verdict": "TR'], ["[]"], ['{"verdict": "MAYBE"}']):
                self.assertEqual(judge(tool, "no-regression.prp", CHANGE, output, 101), "ERROR", output)
        self.assertEqual(judge(diffdp.Tool(), None, CHANGE, [], 2), "ERROR")
        self.assertEqual(judge(diffdp.Tool(), None, CHANGE, [], 0), "done")


class Columns(unittest.TestCase):
    """Values for the table."""

    def test_stages_and_statistics(self):
        report = {"verdict": "UNKNOWN(budget)", "outcomes": [{
            "about": "not decided", "verification": {"solver_queries": 7},
            "stages": [{"stage": "diffdp", "cpu_seconds": 0.25}, {"stage": "condgen", "cpu_seconds": 0.0},
                       {"stage": "verify", "cpu_seconds": 9.5}]}]}
        output = ["indicators:       2\n", "condition states: 80\n", json.dumps(report) + "\n"]
        values = {name: residue.Tool().get_value_from_output(output, name)
                  for name in ("about", "reason", "cpu-detect", "cpu-condgen", "cpu-reduce", "cpu-verify", "queries",
                               "indicators", "condition states", "nothing")}
        self.assertEqual(values, {"about": "not decided", "reason": "budget", "cpu-detect": "0.25",
                                  "cpu-condgen": "0.0", "cpu-reduce": "", "cpu-verify": "9.5", "queries": "7",
                                  "indicators": "2", "condition states": "80", "nothing": ""})


if __name__ == "__main__":
    unittest.main()
