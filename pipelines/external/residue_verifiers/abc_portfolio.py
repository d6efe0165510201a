#!/usr/bin/env python3
"""ABC on the circuit of a C program: a fixed order of engines with shares of the time.

`circuit` writes the program as a circuit. ABC searches for a counterexample (`bmc3`), proves by k-induction (`ind`, which shows
the inductive step alone: a proof is that and a base case of the same length by `bmc3`), and by property-directed reachability
(`pdr`), on the circuit as it is and after reductions of its own. A counterexample counts once `circuit --trace` has replayed it
on the program; its report stays beside the program. An invariant of `pdr` is proved again by `circuit --invariant`.

The last line is TRUE, FALSE or UNKNOWN, the one before who says so. Exit codes: 0 TRUE, 1 FALSE, 3 UNKNOWN, 2 bad usage.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

UNLIMITED = 10**6
# Lengths that are tried for the induction, and the share of the time that is left for each engine.
LENGTHS = (1, 2, 4, 8, 12, 18, 26)
SHARES = {"bmc3": 0.08, "ind": 0.2, "reduced pdr": 0.5, "pdr": 0.5, "bmc3 again": 0.9}
# What is left of a counterexample that was replayed.
REPORT = "counterexample.json"
# How a residual program begins, and its last line.
SEAL = b"/* residual program"
PREPARED = "scorr; dc2; scorr; dc2"
# Reductions cost more than they save on large circuits.
MOST_GATES_PREPARED = 400_000


def unsealed(program, folder):
    """The program, and how it is read: a residual program that was changed for other verifiers is a program like any other, and
    has the bodies of the C library that it needs."""
    with open(program, "rb") as file:
        text = file.read()
    if not text.startswith(SEAL):
        return program, []
    copy = os.path.join(folder, "program.c")
    with open(copy, "wb") as file:
        file.write(text.replace(SEAL, b"/* program"))
    return copy, ["--no-libc"]


def used():
    """CPU seconds of this process and those it has waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


class Portfolio:
    """One circuit and the time for it."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.circuit = os.path.join(folder, "program.aig")
        self.program, self.reading = unsealed(arguments.program, folder)
        self.end = used() + (arguments.seconds or UNLIMITED)

    def left(self):
        return self.end - used()

    def tool(self, *arguments):
        """Exit code and report of `circuit` on the program."""
        budget = [] if self.arguments.seconds is None else ["--budget", str(max(1, int(self.left())))]
        command = [self.arguments.circuit, "-q", f"--{self.arguments.model[-2:]}", "--property", "unreach-call", *budget]
        ran = subprocess.run([*command, *self.reading, "--json", *arguments, self.program], stdout=subprocess.PIPE, check=False)
        try:
            report = json.loads(ran.stdout or b"{}")
        except ValueError:
            report = {}
        return ran.returncode, report

    def abc(self, commands, seconds):
        """What ABC prints; nothing if it takes much longer than it was told."""
        script = f"read {self.circuit}; {commands}"
        print(f"abc: {commands} ({seconds:.0f} s)", flush=True)
        try:
            ran = subprocess.run([self.arguments.abc, "-q", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 stdin=subprocess.DEVNULL, cwd=self.folder, timeout=seconds * 1.5 + 5, check=False)
        except subprocess.TimeoutExpired:
            return ""
        text = ran.stdout.decode(errors="replace")
        return text if ran.returncode == 0 else ""

    def seconds(self, share):
        return max(1, int(self.left() * SHARES[share]))

    def violated(self, output, trace):
        """FALSE if a counterexample was found that the program takes, too."""
        if "was asserted in frame" not in output or not os.path.exists(trace):
            return None
        code, report = self.tool("--trace", trace)
        if code == 1:
            with open(os.path.join(self.arguments.work, REPORT), "w", encoding="utf-8") as file:
                json.dump(report, file)
            return "the counterexample was replayed", "FALSE"
        return f"ABC has a counterexample, but: {report.get('reason')}", "UNKNOWN"

    def search(self, share, depth=""):
        """Bounded model checking."""
        trace = os.path.join(self.folder, "trace.txt")
        seconds = self.seconds(share)
        return self.violated(self.abc(f"bmc3 {depth} -T {seconds}; write_cex -n {trace}", seconds), trace)

    def reachability(self, share, prepared=""):
        """Property-directed reachability."""
        trace, invariant = (os.path.join(self.folder, name) for name in ("trace.txt", "invariant.pla"))
        seconds = self.seconds(share)
        keep = "" if prepared else f"-d -I {invariant}"
        output = self.abc(f"{prepared} pdr {keep} -T {seconds}; write_cex -n {trace}", seconds)
        if "Property proved" in output:
            if not prepared and os.path.exists(invariant):
                code, report = self.tool("--invariant", invariant)
                if code == 0:
                    return "ABC's invariant was proved again by the solver", "TRUE"
                print(f"the invariant was not proved again: {report.get('reason')}")
            return f"proved by ABC: {'pdr behind reductions' if prepared else 'pdr'}", "TRUE"
        return self.violated(output, trace)

    def induction(self):
        """k-induction: the step by `ind`, then the base case."""
        end = self.left() * (1 - SHARES["ind"])
        for length in LENGTHS:
            seconds = int(self.left() - end)
            if seconds < 1:
                return None
            output = self.abc(f"ind -u -F {length} -T {seconds}", seconds)
            if "Networks are equivalent" not in output and "Property proved" not in output:
                continue
            trace = os.path.join(self.folder, "trace.txt")
            seconds = max(1, int(self.left() * 0.8))
            # One frame more than the step assumes.
            base = self.abc(f"bmc3 -F {length + 2} -T {seconds}; write_cex -n {trace}", seconds)
            if re.search(rf"No output asserted in {length + 2} frames", base):
                return f"proved by ABC: {length}-induction", "TRUE"
            return self.violated(base, trace)
        return None

    def run(self):
        """Who decides, and the verdict."""
        code, report = self.tool("-o", self.circuit)
        if code != 0:
            return f"there is no circuit ({report.get('reason') or f'exit code {code}'})", "UNKNOWN"
        with open(self.circuit, "rb") as file:
            _, _, inputs, latches, _, gates = file.readline().split()
            output = [file.readline() for _ in range(int(latches) + 1)][-1]
        print(f"circuit: {int(inputs)} inputs, {int(latches)} latches, {int(gates)} gates", flush=True)
        if output.strip() == b"0":
            return "the circuit has no violation", "TRUE"
        small = int(gates) <= MOST_GATES_PREPARED
        steps = [
            lambda: self.search("bmc3"), self.induction,
            lambda: self.reachability("reduced pdr", f"{PREPARED};") if small else None,
            lambda: self.reachability("pdr"), lambda: self.search("bmc3 again"),
        ]
        for step in steps:
            if self.left() < 1:
                break
            found = step()
            if found:
                return found
        return "nothing was found out in time", "UNKNOWN"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--abc", required=True, help="the executable of ABC")
    parser.add_argument("--circuit", required=True, help="the executable that writes circuits")
    parser.add_argument("--model", choices=("ILP32", "LP64"), default="LP64")
    parser.add_argument("--seconds", type=float, help="CPU seconds for all")
    parser.add_argument("--work", default=".", help="where the report of a counterexample goes")
    parser.add_argument("program")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        who, verdict = Portfolio(arguments, folder).run()
    print(who)
    print(verdict)
    return {"TRUE": 0, "FALSE": 1}.get(verdict, 3)


if __name__ == "__main__":
    sys.exit(main())
