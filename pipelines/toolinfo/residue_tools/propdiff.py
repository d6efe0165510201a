"""Tool-info module of `propdiff`: a verdict for every assertion of a program; its worst is the result."""

import benchexec.result as result

from . import common


class Tool(common.ResidueTool):
    """Residue's checker of assertions, on one program."""

    TOOL = "propdiff"

    def cmdline(self, executable, options, task, rlimits):
        flags = self.limit_flags(options, rlimits) + self.program_flags(options, task)
        return [executable, "--check", "--stats", *flags, *options, task.single_input_file]

    def determine_result(self, run):
        lines = [line.strip() for line in run.output if line.strip()]
        # Numbers on stderr may stand behind the verdict.
        verdict = next((line for line in reversed(lines) if line == "TRUE" or line.startswith(("FALSE(", "UNKNOWN("))), None)
        if verdict == "TRUE":
            return result.RESULT_TRUE_PROP
        if common.violated(verdict):
            return common.violated(verdict)
        return result.RESULT_UNKNOWN if common.reason(verdict) is not None else result.RESULT_ERROR
