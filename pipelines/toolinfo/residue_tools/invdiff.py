"""Tool-info module of `invdiff`: which facts hold in which versions."""

import benchexec.result as result

from . import common


class Tool(common.ResidueTool):
    """Residue's comparison of invariants, on the versions of a task, oldest first."""

    TOOL = "invdiff"

    def cmdline(self, executable, options, task, rlimits):
        flags = self.limit_flags(options, rlimits)
        model = common.task_options(task).get("data_model")
        if model in ("ILP32", "LP64") and not common.given(options, "--data-model", "--32", "--64"):
            flags += ["--data-model", model]
        return [executable, "--stats", *flags, *options, *task.input_files]

    def determine_result(self, run):
        if run.exit_code.value in (0, 1):
            return result.RESULT_DONE
        return result.RESULT_UNKNOWN if run.exit_code.value == 3 else result.RESULT_ERROR
