#!/usr/bin/env python3
"""A program with 30 assertions, 12 of them false: one run for all against one run for each.

CPU seconds and steps of `propdiff --check` on the whole program, and of `verify` on programs with one of the assertions each.
Prints a table in Markdown; the exit code is 1 if a verdict is wrong or the one run takes more than twice the hardest single one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = "extern unsigned __VERIFIER_nondet_uint(void);\nextern void reach_error(void);\n"
HOLDING = ["s == 2 * i", "i <= n", "i <= 100000", "s <= 200000", "s % 2 == 0", "j == i"]


def claims():
    """Each claim with its truth."""
    return [(HOLDING[at % len(HOLDING)], True) if at % 5 >= 2 else (f"i != {at + 1}", False) for at in range(30)]


def program(which):
    functions = "".join(f"void check{at}(int holds) {{ if (!holds) reach_error(); }}\n" for at in which)
    calls = "".join(f"  check{at}({claims()[at][0]});\n" for at in which)
    return (
        f"{HEAD}{functions}int main(void) {{\n"
        "  unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0, j = 0;\n"
        "  while (i < n && i < 100000) { i = i + 1; s = s + 2; j = j + 1; }\n"
        f"{calls}  return 0;\n}}\n"
    )


def run(command, folder):
    """Output and CPU seconds of a process."""
    timed = ["/usr/bin/env", "python3", "-c", TIMED, *map(str, command)]
    ran = subprocess.run(timed, cwd=folder, capture_output=True, text=True, check=False)
    seconds = float(ran.stderr.rsplit("CPU ", 1)[1])
    return ran.stdout, seconds


TIMED = """
import resource, subprocess, sys
ended = subprocess.run(sys.argv[1:], check=False).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print('CPU', used.ru_utime + used.ru_stime, file=sys.stderr)
sys.exit(ended)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=Path("target/release"))
    binaries = parser.parse_args().bin.resolve()
    wrong, alone = [], []
    with tempfile.TemporaryDirectory() as folder:
        for at, (claim, truth) in enumerate(claims()):
            (Path(folder) / "one.c").write_text(program([at]))
            out, seconds = run([binaries / "verify", "--json", "-q", "one.c"], folder)
            verdict = json.loads(out.strip().splitlines()[-1])["verdict"]
            alone.append((seconds, claim, verdict))
            if verdict.startswith("TRUE") != truth:
                wrong.append((claim, verdict))
        (Path(folder) / "all.c").write_text(program(range(30)))
        out, seconds = run([binaries / "propdiff", "--check", "-q", "all.c"], folder)
    lines = [line for line in out.splitlines() if ": TRUE" in line or ": FALSE" in line or ": UNKNOWN" in line]
    found = {kind: sum(f": {kind}" in line for line in lines) for kind in ("TRUE", "FALSE", "UNKNOWN")}
    hardest = max(alone)
    print("| run | CPU s | verdicts |\n|---|---|---|")
    print(f"| all 30 in one run | {seconds:.2f} | {found['TRUE']} TRUE, {found['FALSE']} FALSE, {found['UNKNOWN']} UNKNOWN |")
    print(f"| the hardest alone: `{hardest[1]}` | {hardest[0]:.2f} | {hardest[2]} |")
    print(f"| 30 runs, one each | {sum(one[0] for one in alone):.2f} | {30 - len(wrong)} right |")
    print(f"\nOne run for all takes {seconds / hardest[0]:.2f} times the hardest single one.")
    sys.exit(1 if wrong or found["UNKNOWN"] or seconds > 2 * hardest[0] else 0)


if __name__ == "__main__":
    main()
