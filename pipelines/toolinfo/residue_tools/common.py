"""What the tool-info modules share: the common command-line flags, the task's options, and how output is read.

Uses nothing of BenchExec but its documented interface for tool-info modules.
"""

import json
import os
import re

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.template import ToolNotFoundException, UnsupportedFeatureException

# The property file that asks for the change instead of the program: is there a violation that is new?
NO_REGRESSION = "no-regression"

# The share of BenchExec's limits that a tool is told, so that it can still say UNKNOWN and print its numbers.
SHARE = 0.95


class ResidueTool(benchexec.tools.template.BaseTool2):
    """Base class: a module sets `TOOL` and says what goes on the command line."""

    TOOL = None
    REQUIRED_PATHS = ["../lib/residue"]  # the solver, in an installed tree

    def executable(self, tool_locator):
        try:
            return tool_locator.find_executable(self.TOOL, subdir="bin")
        except ToolNotFoundException:
            return tool_locator.find_executable(self.TOOL)  # a build folder

    def name(self):
        return f"Residue {self.TOOL}"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix=self.TOOL)

    def program_flags(self, options, task):
        """How programs are read: property and data model, unless the definition's options say so."""
        flags = []
        if task.property_file and not given(options, "--property"):
            flags += ["--property", task.property_file]
        model = task_options(task).get("data_model")
        if model not in (None, "ILP32", "LP64"):
            raise UnsupportedFeatureException(f"unknown data model {model}")
        if model and not given(options, "--data-model", "--32", "--64"):
            flags += ["--data-model", model]
        return flags

    def limit_flags(self, options, rlimits):
        """CPU seconds and MiB that the run may use, a little less than BenchExec allows."""
        flags = []
        if rlimits.cputime and not given(options, "--budget"):
            flags += ["--budget", str(max(1, int(rlimits.cputime * SHARE)))]
        if rlimits.memory and not given(options, "--memory"):
            flags += ["--memory", str(max(1, int(rlimits.memory * SHARE / 2**20)))]
        return flags

    def get_value_from_output(self, output, identifier):
        """The number that `--stats` printed as `identifier: number`, without its unit; empty if it did not."""
        for line in reversed(list(output)):
            found = re.match(re.escape(identifier) + r":\s+(\S+)", line)
            if found:
                return found.group(1)
        return ""


class ArtifactProducer(ResidueTool):
    """A stage that writes an artifact instead of a verdict: `done`, or an error."""

    def determine_result(self, run):
        if run.was_terminated or run.exit_code.value != 0:
            return result.RESULT_ERROR
        return result.RESULT_DONE


class Detector(ArtifactProducer):
    """A difference detector: original and modified program in, difference graph out."""

    def cmdline(self, executable, options, task, rlimits):
        flags = self.program_flags(options, task) + self.limit_flags(options, rlimits)
        return [executable, "--stats", *flags, *options, *pair(task)]


class Transformer(ArtifactProducer):
    """A stage that turns one artifact into the next; all that it has to know of the programs is in the artifact."""

    def cmdline(self, executable, options, task, rlimits):
        flags = self.limit_flags(options, rlimits)
        # The property is in the artifact; one that contradicts it is an error.
        if task.property_file and not given(options, "--property"):
            flags += ["--property", task.property_file]
        return [executable, "--stats", *flags, *options, *task.input_files_or_identifier]


def given(options, *names):
    """Whether the options of the benchmark definition contain one of the flags."""
    return any(option == name or option.startswith(name + "=") for option in options for name in names)


def task_options(task):
    """The options of the task definition; empty if there are none."""
    return task.options if isinstance(task.options, dict) else {}


def difference_options(task):
    """What the task definition says about the change; empty if it says nothing."""
    return task_options(task).get("difference_verification") or {}


def pair(task):
    """The original and the modified program.

    The original is an option of the task, relative to the modified program. Two input files without this option are
    original and modified program, in the order of the tools' command lines.
    """
    files = list(task.input_files_or_identifier)
    original = difference_options(task).get("original_input_file")
    if original is None:
        if len(files) != 2:
            raise UnsupportedFeatureException(
                "the task does not name the original program (options.difference_verification.original_input_file)"
            )
        return files
    if len(files) == 2:
        # Both are input files: the option says which of them is the original.
        named = [file for file in files if os.path.basename(file) == os.path.basename(original)]
        if len(named) != 1:
            raise UnsupportedFeatureException(f"{original} is not one of the two input files")
        return [*named, *(file for file in files if file not in named)]
    modified = task.single_input_file
    return [os.path.normpath(os.path.join(os.path.dirname(modified), original)), modified]


def asks_for_regression(run):
    """Whether the property file of a command line asks for the change."""
    return any(os.path.basename(word) == NO_REGRESSION + ".prp" for word in run.cmdline)


def violated(verdict):
    """BenchExec's result for a FALSE; None for another verdict."""
    found = re.fullmatch(r"FALSE\((.*)\)", verdict or "")
    if not found:
        return None
    names = {
        "unreach-call": result.RESULT_FALSE_REACH,
        "no-overflow": result.RESULT_FALSE_OVERFLOW,
        "valid-deref": result.RESULT_FALSE_DEREF,
        "valid-free": result.RESULT_FALSE_FREE,
        "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    }
    return names.get(found.group(1), f"false({found.group(1)})")


def last_json(output):
    """The last line that is a JSON object; None if there is none."""
    for line in reversed(list(output)):
        if line.startswith("{"):
            try:
                return json.loads(line)
            except ValueError:
                return None
    return None


def reason(verdict):
    """Why a verdict is UNKNOWN, from its text."""
    found = re.fullmatch(r"UNKNOWN\((.*)\)", verdict or "")
    return found.group(1) if found else None
