"""Tool-info module of `verify`: an ordinary verifier of C programs."""

import benchexec.result as result

from . import common


class Tool(common.ResidueTool):
    """Residue's verifier for one program: predicate abstraction, following a condition if an option names one.

    Asked for `no-regression.prp` it answers for the change as far as one program tells: a correct program has no
    regression; a violation is one only if the task says that the original is correct
    (`options.difference_verification.original_verdict: true`).
    """

    TOOL = "verify"

    def __init__(self):
        self.original_is_correct = {}

    def cmdline(self, executable, options, task, rlimits):
        flags = self.limit_flags(options, rlimits)
        if not common.given(options, "--condition"):
            flags += self.program_flags(options, task)
        command = [executable, "--json", *flags, *options, task.single_input_file]
        self.original_is_correct[tuple(command)] = common.difference_options(task).get("original_verdict") is True
        return command

    def determine_result(self, run):
        report = common.last_json(run.output)
        verdict = report.get("verdict") if report else None
        if verdict == "TRUE":
            return result.RESULT_TRUE_PROP
        if common.violated(verdict):
            if not common.asks_for_regression(run):
                return common.violated(verdict)
            known = self.original_is_correct.get(tuple(run.cmdline), False)
            return f"false({common.NO_REGRESSION})" if known else result.RESULT_UNKNOWN
        return result.RESULT_UNKNOWN if common.reason(verdict) is not None else result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """`reason`, `cpu-verify` in seconds, `queries`, and whatever else the report calls a statistic."""
        report = common.last_json(output) or {}
        values = {
            "reason": common.reason(report.get("verdict")),
            "cpu-verify": report.get("cpu_seconds"),
            "queries": report.get("solver_queries"),
        }
        value = values[identifier] if identifier in values else report.get("statistics", {}).get(identifier)
        return "" if value is None else str(value)
