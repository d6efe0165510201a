"""Tool-info module of `circuit`: whether a program has a circuit, and how large it is."""

import benchexec.result as result

from . import common

UNKNOWN = 3


class Tool(common.ResidueTool):
    """Construction of a sequential circuit; as text, because the output is kept."""

    TOOL = "circuit"

    def cmdline(self, executable, options, task, rlimits):
        flags = self.limit_flags(options, rlimits)
        if not common.given(options, "--condition"):
            flags += self.program_flags(options, task)
        form = [] if common.given(options, "--to") else ["--to", "btor2"]
        return [executable, "--stats", *form, *flags, *options, task.single_input_file]

    def determine_result(self, run):
        if run.was_terminated or run.exit_code.value not in (0, UNKNOWN):
            return result.RESULT_ERROR
        return result.RESULT_UNKNOWN if run.exit_code.value == UNKNOWN else result.RESULT_DONE
