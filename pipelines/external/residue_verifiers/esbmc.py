"""ESBMC as a plain binary (BenchExec's own module wants the wrapper script of the competition archive).

Runs k-induction, which both proves and refutes. Undefined behaviour is not checked: the property is `reach_error`.

Its inductive step forgets the values of the variables that a loop assigns by name, but not of those that it changes
through a pointer, and so proves what is false (`int x = 0, *p = &x; while (1) { *p = *p + 1; if (x == 9) reach_error(); }`).
Programs that write through pointers therefore get the strategy without that step, which proves only what terminates.
"""
import re

import benchexec.result as result
import benchexec.tools.template

MODEL_FLAGS = {"ILP32": "--32", "LP64": "--64"}
BASE = [
    "--floatbv", "--no-div-by-zero-check", "--force-malloc-success", "--no-align-check", "--no-vla-size-check",
    "--no-pointer-check", "--no-bounds-check", "--witness-output", "witness.graphml",
]
CAUTIOUS = ["--incremental-bmc", "--k-step", "2", "--unlimited-k-steps"]
STRATEGY = ["--k-induction", "--k-step", "2", "--unlimited-k-steps", "--max-inductive-step", "3"]
STRATEGIES = {"--k-induction", "--k-induction-parallel", "--incremental-bmc", "--falsification", "--unwind"}
# Options that cannot turn a FALSE into a TRUE; with any other one a TRUE is not relied on. Not here, among others:
# --unwind, --no-unwinding-assertions, --partial-loops (bounded), --no-assertions, --claim, --context-bound (less is
# checked), --ir, --fixedbv (other arithmetic), --falsification (does not prove), --interval-analysis (7.7 proves with it what runs
# refute: a test for primes that loops over a table).
HARMLESS = {
    "--k-induction", "--incremental-bmc", "--unlimited-k-steps", "--boolector", "--bitwuzla",
    "--z3", "--cvc5", "--mathsat", "--yices", "--bv", "--floatbv", "--fp2bv", "--no-slice", "--quiet", "--result-only",
    "--no-simplify", "--no-propagation", "--add-symex-value-sets", "--force-malloc-success",
    "--no-div-by-zero-check", "--no-align-check", "--no-vla-size-check", "--no-pointer-check", "--no-bounds-check",
}
HARMLESS_WITH_VALUE = {"--k-step", "--max-k-step", "--base-k-step", "--max-inductive-step", "--witness-output"}


class Tool(benchexec.tools.template.BaseTool2):
    """Tool info for the ESBMC binary."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("esbmc")

    def version(self, executable):
        return self._version_from_tool(executable, use_stderr=True, line_prefix="ESBMC version ")

    def name(self):
        return "ESBMC"

    def project_url(self):
        return "https://esbmc.org/"

    def cmdline(self, executable, options, task, rlimits):
        model = MODEL_FLAGS[(task.options or {}).get("data_model", "LP64")]
        self._writes = facts_of(task).get("writes_through_pointers", True)
        self._program, self._options = task.single_input_file, list(options)
        usual = CAUTIOUS if self._writes else STRATEGY
        strategy = [] if STRATEGIES & set(options) else usual
        return [executable, task.single_input_file, model, *BASE, *strategy, *options]

    def determine_result(self, run):
        answers = {line.strip() for line in run.output if line.startswith("VERIFICATION ")}
        if answers == {"VERIFICATION SUCCESSFUL"}:
            return result.RESULT_TRUE_PROP
        if answers == {"VERIFICATION FAILED"}:
            return result.RESULT_FALSE_REACH
        if answers == {"VERIFICATION UNKNOWN"}:
            return result.RESULT_UNKNOWN
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        return result.RESULT_ERROR

    def doubts(self, run):
        """Why a TRUE is not to be relied on: options that check less, or a program ESBMC did not understand."""
        options = iter(self._options)
        for option in options:
            if option in HARMLESS_WITH_VALUE:
                next(options, None)
            elif option not in HARMLESS:
                return f"TRUE is not relied on with the option {option}"
        if self._writes and {"--k-induction", "--k-induction-parallel"} & set(self._options):
            return "its proofs by induction are not relied on in a program that writes through pointers"
        with open(self._program, errors="replace") as file:
            if re.search(r"\b(asm|__asm|__asm__)\b", file.read()):
                return "it ignores inline assembly"
        return None


def facts_of(task):
    """What the driver knows of the program."""
    return (task.options or {}).get("residue") or {}
