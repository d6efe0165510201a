"""Tool-info module of `cse`: whether a client notices how a library changed; the client is among the options."""

import benchexec.result as result

from . import common


class Tool(common.ResidueTool):
    """Residue's check of client-specific equivalence: the inputs are the original and the modified library."""

    TOOL = "cse"

    def cmdline(self, executable, options, task, rlimits):
        flags = self.limit_flags(options, rlimits) + self.program_flags(options, task)
        return [executable, "--stats", *flags, *options, *task.input_files]

    def determine_result(self, run):
        verdicts = ("EQUIVALENT", "NOT EQUIVALENT")
        lines = [line.strip() for line in run.output if line.strip()]
        # Numbers on stderr may stand behind the verdict.
        verdict = next((line for line in reversed(lines) if line in verdicts or line.startswith("UNKNOWN(")), None)
        if verdict == "EQUIVALENT":
            return result.RESULT_TRUE_PROP
        if verdict == "NOT EQUIVALENT":
            return result.RESULT_FALSE_PROP
        return result.RESULT_UNKNOWN if common.reason(verdict) is not None else result.RESULT_ERROR
