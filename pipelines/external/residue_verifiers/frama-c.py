"""Frama-C's Eva: an abstract interpreter, so it proves and never refutes.

`reach_error` gets a contract that nothing satisfies; the property holds if Eva shows that every call of it is
unreachable. Eva goes on after an alarm as if the alarm had not come true, which is right only if nothing that this
project gives a meaning to counts as an alarm: so the checks for overflow, uninitialised locals, infinities and so on are
switched off (Eva then computes with every value), and a TRUE is believed only if all alarms left are of kinds that are
undefined here as well and if Eva reported nothing else.
"""
import csv
import os
import re

import benchexec.result as result
import benchexec.tools.template

MACHINES = {"ILP32": "gcc_x86_32", "LP64": "gcc_x86_64"}
CONTRACT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reach_error.c")
ABORT = os.path.join(os.path.dirname(CONTRACT), "abort.c")
# Wrapping arithmetic, arbitrary locals, IEEE floats, comparable addresses, objects as bytes.
MEANING = [
    "-no-warn-signed-overflow", "-no-warn-left-shift-negative", "-no-warn-pointer-downcast", "-no-warn-invalid-bool",
    "-no-warn-signed-downcast", "-warn-special-float", "none", "-unsafe-arrays", "-eva-initialized-locals",
    "-eva-warn-copy-indeterminate=-@all", "-eva-warn-undefined-pointer-comparison", "none",
    "-eva-undefined-pointer-comparison-propagate-all",
]
PRECISION = ["-eva-precision", "5"]
QUIET = ["-eva-no-print", "-eva-no-show-progress", "-eva-msg-key=-initial-state"]
# Options that only trade time for precision; with any other one a TRUE is not relied on.
HARMLESS = re.compile(
    r"-eva-(precision|slevel|domains|plevel|ilevel|mlevel|(auto|min|default)-loop-unroll|partition-history"
    r"|split-return|subdivide-non-linear|widening-(delay|period)|equality-through-calls|octagon-through-calls"
    r"|interprocedural-(history|splits)|split-limit|reduction-depth|oracle-depth|enumerate-cond|no-memexec)(=.*)?$"
)
# Alarms whose executions end here, too: nothing is cut off that this project gives a meaning to.
UNDEFINED_HERE = {"division_by_zero", "mem_access", "index_bound", "shift", "float_to_int"}
# Properties that are no alarms: what Eva takes for granted of functions without a body (looked at separately).
SPECIFICATIONS = {"assigns clause", "from clause", "default behavior", "behavior"}
HARMLESS_WARNINGS = re.compile(
    r"\[eva:alarm\]|\[eva:locals-escaping\]|\[eva:garbled-mix|\[kernel:annot:missing-spec\]|\[kernel:parser:decimal-float\]"
    r"|\[eva:partition\]|\[eva:loop-unroll"
)
# Functions without a body whose default specification (any result, no effect) is what this project takes them for.
ENDS = {"abort", "exit", "_exit", "_Exit", "__assert_fail"}


class Tool(benchexec.tools.template.BaseTool2):
    """Tool info for Frama-C with the Eva plug-in."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("frama-c")

    def version(self, executable):
        return self._version_from_tool(executable, "-version")

    def name(self):
        return "Frama-C"

    def project_url(self):
        return "https://frama-c.com/"

    def cmdline(self, executable, options, task, rlimits):
        program = task.single_input_file
        self._program, self._options, self._report = program, list(options), program + ".properties.csv"
        precision = [] if any(option.startswith("-eva-precision") for option in options) else PRECISION
        machine = MACHINES[(task.options or {}).get("data_model", "LP64")]
        return [
            executable, "-machdep", machine, *self._preprocessing(program, machine), *MEANING, *QUIET, *precision, *options,
            "-eva", program, CONTRACT, *self._abort(program), "-then", "-report-csv", self._report,
        ]

    @staticmethod
    def _abort(program):
        """That `abort` does not return, for programs that have none of their own."""
        with open(program, errors="replace") as file:
            return [ABORT] if "extern void abort(void) __attribute__((noreturn));" in file.read() else []

    @staticmethod
    def _preprocessing(program, machine):
        return ["-cpp-extra-args=-m32"] if machine.endswith("32") else []

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        if (run.exit_code.value or 0) != 0 or run.exit_code.signal:
            return result.RESULT_ERROR
        if not any(line.startswith("[eva] done for function") for line in run.output):
            return result.RESULT_ERROR
        calls = [row for row in self._rows() if "unreach_call" in row["property"]]
        proved = all(row["status"] in ("Valid", "Dead") for row in calls)
        # The contract is listed only if something calls `reach_error`.
        told = calls or not self._mentions_error()
        return result.RESULT_TRUE_PROP if proved and told else result.RESULT_UNKNOWN

    def _mentions_error(self):
        """Whether the program does more with `reach_error` than declare and define it."""
        with open(self._program, errors="replace") as file:
            lines = [line for line in file if re.search(r"\breach_error\b", line)]
        return any(not re.match(r"(extern )?void reach_error\(void\)( \{ __assert_fail\(.*|;)$", line) for line in lines)

    def _rows(self):
        with open(self._report, newline="") as file:
            return list(csv.DictReader(file, delimiter="\t"))

    def doubts(self, run):
        """Why a TRUE is not to be relied on."""
        return self._of_options() or self._of_properties() or self._of_output(run) or self._of_program(run)

    def _of_options(self):
        values = {"auto", "full", "all", "formals", "none"}
        for option in self._options:
            plain_value = not option.startswith("-") and (re.fullmatch(r"[\w,:+-]+", option) or option in values)
            if not plain_value and not HARMLESS.match(option):
                return f"TRUE is not relied on with the option {option}"
        return None

    def _of_properties(self):
        for row in self._rows():
            kind, status = row["property kind"], row["status"]
            if kind in UNDEFINED_HERE | SPECIFICATIONS or row["function"] == "abort" or "unreach_call" in row["property"] or status in ("Valid", "Dead"):
                continue
            return f"its proof rests on {kind} at line {row['line']}"
        return None

    @staticmethod
    def _of_output(run):
        for number, line in enumerate(run.output):
            told = re.search(r"Warning:|rror:|Failure:|not supported|not implemented|imprecise", line)
            if told and not HARMLESS_WARNINGS.search(line):
                text = " ".join([line.strip(), run.output[number + 1].strip() if number + 1 < len(run.output) else ""])
                return f"it reported `{text[:120]}`"
            if re.search(r"recursive call|assembly|assuming", line, re.I):
                return f"it reported `{line.strip()[:120]}`"
        return None

    def _of_program(self, run):
        """Default specifications of functions without a body: a pointer they return points nowhere for Eva."""
        with open(self._program, errors="replace") as file:
            text = file.read()
        if re.search(r"\bmain\([^()]*\*", text):
            return "main has pointer parameters, which Eva bounds"
        missing = set(re.findall(r"(?:specification|spec\w*) for function ([\w$]+)", run.output.text))
        for function in sorted(missing - ENDS):
            if not re.fullmatch(rf"(?:extern )?[\w ]+ {re.escape(function)}\([^*()]*\)[^;{{]*;", self._declaration(text, function)):
                return f"{function} has no body and takes or returns a pointer"
        return None

    @staticmethod
    def _declaration(text, function):
        for line in text.splitlines():
            if re.match(rf"[\w ][\w *()]*\b{re.escape(function)}\(", line) and line.rstrip().endswith(";"):
                return line.strip()
        return ""
