"""What generated programs do, by gcc: many programs in one file, each executed in a process of its own on all inputs.

gcc compiles with `-fwrapv`; what traps under the sanitizers for undefined behaviour, and what does not end, is `x`.
"""
import itertools
import subprocess
from pathlib import Path

RANGE = 4
FLAGS = ["-std=gnu11", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-fsanitize-undefined-trap-on-error",
         "-fsanitize=shift-exponent,integer-divide-by-zero,bounds,float-cast-overflow,null,return"]

BEFORE = """#define OBSERVE(site, value) residue_observe(site, (long long)(value))
static void residue_observe(int site, long long value);
"""

BEHIND = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
enum { SITES = 200, VALUES = 40 };
static struct { int count; long long values[VALUES]; } *seen;
static int inputs[8], next_input;
static void residue_observe(int site, long long value) {
  if (site >= SITES) _exit(3);
  for (int i = 0; i < seen[site].count; i++)
    if (seen[site].values[i] == value) return;
  if (seen[site].count < VALUES) seen[site].values[seen[site].count++] = value;
}
int __VERIFIER_nondet_int(void) { return inputs[next_input++]; }
unsigned char __VERIFIER_nondet_uchar(void) { return inputs[next_input++]; }
void residue_error(void) { _exit(1); }
void residue_abort(void) { _exit(2); }
static char one(int (*program)(void)) {
  pid_t child = fork();
  if (child == 0) {
    struct itimerval time = {{0, 0}, {0, 500000}};
    setitimer(ITIMER_VIRTUAL, &time, 0);
    program();
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) < 3 ? "fea"[WEXITSTATUS(status)] : 'x';
}
int main(void) {
  seen = mmap(0, SITES * sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < PROGRAMS; i++) {
    for (int s = 0; s < SITES; s++) seen[s].count = 0;
    int runs = 1;
    for (int k = 0; k < residue_inputs[i]; k++) runs *= RANGE;
    for (int run = 0; run < runs; run++) {
      int left = run;
      for (int k = 0; k < residue_inputs[i]; k++, left /= RANGE) inputs[k] = left % RANGE;
      putchar(one(residue_programs[i]));
    }
    putchar('\n');
    for (int s = 0; s < SITES; s++)
      for (int v = 0; v < seen[s].count; v++) printf(" %d %lld\n", s, seen[s].values[v]);
    fflush(stdout);
  }
  return 0;
}
"""


def execute(head, programs, folder, name="batch"):
    """For each program (a function from a prefix to text, and how many inputs it reads): how each of its runs ends
    (`e`rror, `f`inished, `a`borted, `x`), and what was observed at each site."""
    parts = [BEFORE, "#define abort residue_abort\n#define reach_error residue_error\n", head]
    for number, (text, _) in enumerate(programs):
        parts.append(text(f"p{number}_"))
    parts.append("#undef abort\n#undef reach_error\n")
    parts.append(f"enum {{ RANGE = {RANGE}, PROGRAMS = {len(programs)} }};\n")
    parts.append("static int (*residue_programs[])(void) = {" + ", ".join(f"p{n}_main" for n in range(len(programs))) + "};\n")
    parts.append("static int residue_inputs[] = {" + ", ".join(str(inputs) for _, inputs in programs) + "};\n")
    source, binary = Path(folder) / f"{name}.c", Path(folder) / name
    source.write_text("".join(parts) + BEHIND)
    subprocess.run(["gcc", *FLAGS, "-o", binary, source], check=True)
    out = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    results = []
    for line in out.splitlines():
        if line.startswith(" "):
            site, value = line.split()
            results[-1][1].setdefault(int(site), []).append(int(value))
        else:
            results.append((line, {}))
    assert len(results) == len(programs), "a program ended the harness"
    return results


def all_inputs(count):
    """The inputs in the order of the runs."""
    return [tuple(reversed(values)) for values in itertools.product(range(RANGE), repeat=count)]
