"""ABC, a hardware model checker, on the circuit that `circuit` makes of the program.

`abc_portfolio.py` runs the engines of ABC in a fixed order. A FALSE has been replayed there before it comes here, and is
replayed again by who asked, from its inputs. A TRUE is ABC's word; the line before it says whether its invariant was proved again.
"""
import json
import os
import re
import shutil
import sys

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.template import ToolNotFoundException, UnsupportedFeatureException

PORTFOLIO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "abc_portfolio.py")
REPORT = "counterexample.json"
# What is kept of the time for `circuit` to end and for the answer to be written.
SHARE = 0.95


def valued(one):
    """An input as an assignment: floating-point numbers by their value, all others by their bits."""
    argument = re.fullmatch(r"__VERIFIER_nondet_(argument_\d+)(\(\))?", one["source"])
    what = f"residue_{argument.group(1)}" if argument else "\\result"
    is_number = re.fullmatch(r"-?(\d+\.\d*|\d+)(e[-+]?\d+)?f?", one["value"]) and ("." in one["value"] or "e" in one["value"])
    return {"what": what, "value": one["value"].removesuffix("f") if is_number else str(int(one["bits"], 16))}


class Tool(benchexec.tools.template.BaseTool2):
    """Tool info for ABC behind `circuit`."""

    def executable(self, tool_locator):
        try:
            return tool_locator.find_executable("berkeley-abc")
        except ToolNotFoundException:
            return tool_locator.find_executable("abc")

    def version(self, executable):
        """ABC has no option for it: the words behind its name in the first line, without the date of the build."""
        text = self._version_from_tool(executable, arg="-qversion", line_prefix="UC Berkeley, ABC")
        return text.split("(")[0].strip()

    def name(self):
        return "ABC"

    def project_url(self):
        return "https://people.eecs.berkeley.edu/~alanmi/abc/"

    def cmdline(self, executable, options, task, rlimits):
        if options:
            raise UnsupportedFeatureException("abc takes no options: the order of its engines is fixed")
        circuit = shutil.which("circuit")
        if circuit is None or not os.path.isabs(circuit):
            raise UnsupportedFeatureException("the tool `circuit` is not on the path")
        program = task.single_input_file
        model = (task.options or {}).get("data_model", "LP64")
        seconds = ["--seconds", str(max(1, int(rlimits.cputime * SHARE)))] if rlimits.cputime else []
        flags = ["--abc", executable, "--circuit", circuit, "--model", model, "--work", os.path.dirname(program), *seconds]
        return [sys.executable, "-B", PORTFOLIO, *flags, program]

    def assignments(self, run):
        """The inputs of the counterexample that was replayed, in the order in which they are read."""
        folder = run.cmdline[run.cmdline.index("--work") + 1]
        with open(os.path.join(folder, REPORT), encoding="utf-8") as file:
            inputs = json.load(file)["counterexample"]["inputs"]
        return [{"line": one["line"], **valued(one)} for one in inputs if one["source"].endswith("()")]

    def why_unknown(self, run):
        """The line before the verdict."""
        lines = [line.strip() for line in run.output if line.strip()]
        return lines[-2] if len(lines) > 1 else None

    def determine_result(self, run):
        last = next((line.strip() for line in reversed(list(run.output)) if line.strip()), "")
        if last == "TRUE":
            return result.RESULT_TRUE_PROP
        if last == "FALSE":
            return result.RESULT_FALSE_REACH
        if last.startswith("UNKNOWN"):
            return result.RESULT_UNKNOWN
        return result.RESULT_TIMEOUT if run.was_timeout else result.RESULT_ERROR
