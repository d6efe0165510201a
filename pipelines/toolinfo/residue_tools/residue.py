"""Tool-info module of `residue check`: the whole pipeline as one tool."""

import benchexec.result as result

from . import common

# Which tools stand for which column.
STAGES = {"cpu-detect": ("diffcond", "diffdp"), "cpu-condgen": ("condgen",), "cpu-reduce": ("reduce",)}


class Tool(common.ResidueTool):
    """Residue's pipeline: detects what a change can break and verifies that, natively or as a residual program.

    The original is an option of the task (`options.difference_verification.original_input_file`). Asked for
    `no-regression.prp` it answers for the change. Asked for another property of the modified program, TRUE counts only
    if the task says that the original is correct (`options.difference_verification.original_verdict: true`), because
    covered paths were not examined.
    """

    TOOL = "residue"
    REQUIRED_PATHS = [*common.ResidueTool.REQUIRED_PATHS, "diffcond", "diffdp", "condgen", "reduce", "verify"]

    def name(self):
        return "Residue check"

    def __init__(self):
        self.original_is_correct = {}

    def cmdline(self, executable, options, task, rlimits):
        flags = self.program_flags(options, task) + self.limit_flags(options, rlimits)
        command = [executable, "check", "--json", "--stats", *flags, *options, *common.pair(task)]
        self.original_is_correct[tuple(command)] = common.difference_options(task).get("original_verdict") is True
        return command

    def determine_result(self, run):
        report = common.last_json(run.output) or {}
        verdict, kind = report.get("verdict"), report.get("class")
        correct = self.original_is_correct.get(tuple(run.cmdline), False)
        if common.reason(verdict) is not None:
            return result.RESULT_UNKNOWN
        if verdict == "TRUE":
            answered = correct or common.asks_for_regression(run)
            return result.RESULT_TRUE_PROP if answered else result.RESULT_UNKNOWN
        if common.violated(verdict):
            if not common.asks_for_regression(run):
                return common.violated(verdict)
            new = kind == "regression" or (kind == "not-compared" and correct)
            return f"false({common.NO_REGRESSION})" if new else result.RESULT_UNKNOWN
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        """`about`, `reason`, CPU seconds as `cpu-detect` … `cpu-verify`, `queries`, and what `--stats` prints."""
        report = common.last_json(output) or {}
        outcome = (report.get("outcomes") or [{}])[0]
        spent = {stage["stage"]: stage["cpu_seconds"] for stage in outcome.get("stages", [])}
        known = [tool for tools in STAGES.values() for tool in tools]
        values = {column: total(spent, tools) for column, tools in STAGES.items()}
        # Whatever is not one of the stages before it is the verifier, also one from outside.
        values["cpu-verify"] = total(spent, [tool for tool in spent if tool not in known])
        values["about"] = outcome.get("about")
        values["reason"] = common.reason(report.get("verdict"))
        values["queries"] = (outcome.get("verification") or {}).get("solver_queries")
        if identifier not in values:
            return super().get_value_from_output(output, identifier)
        value = values[identifier]
        return "" if value is None else str(value)


def total(spent, tools):
    """CPU seconds of the tools together; None if none of them ran."""
    times = [spent[tool] for tool in tools if tool in spent]
    return round(sum(times), 3) if times else None
