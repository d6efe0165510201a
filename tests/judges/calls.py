#!/usr/bin/env python3
"""What `cse` says of each call of a random client; gcc says what is true.

usage: calls.py [--bin DIR] [--jobs N] [--first SEED] [--count N] [--steps N]

A client with two small inputs makes two to five calls of up to three functions, which have a version each in two libraries. All
inputs are run: with the original library, where each call also asks the modified one, and with either alone. A verdict must be
that of the runs. Of a client that notices the change, a call in which both versions were seen to do different things must not be
digested or inactive, and one in which they never do must not be different. Says how many calls were decided.
"""
import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import tools

LOWEST, HIGHEST = -4, 7

DRIVER = """
#include <stdio.h>
%(names)s
int seen[%(calls)d];
static int side;
%(wrappers)s
%(client)s
int main(void) {
  int notices = 0;
  for (int a = %(low)d; a <= %(high)d; a++)
    for (int b = %(low)d; b <= %(high)d; b++) {
      int results[2];
      old_count = new_count = 0; side = 2; client(a, b);
      for (int s = 0; s < 2; s++) { old_count = new_count = 0; side = s; results[s] = client(a, b); }
      notices |= results[0] != results[1];
    }
  printf("%%d", notices);
  for (int i = 0; i < %(calls)d; i++) printf(" %%d", seen[i]);
  return 0;
}
"""


def function(draw):
    """Conditions with results, and the result where none holds."""
    def way():
        condition = draw.choice(["x < %d", "x > %d", "x == %d", "(x & 3) == %d"]) % draw.randint(-3, 6)
        return [condition, draw.choice(["x + %d", "x * %d", "%d - x", "x & %d"]) % draw.randint(0, 5)]
    return [way() for _ in range(draw.randint(1, 3))], draw.choice(["x", "x + 1", "0", "-x"])


def changed(draw, known):
    """Another version: the same, written in another way, with other conditions or with another result."""
    ways, last = [list(way) for way in known[0]], known[1]
    way, kind = draw.choice(ways), draw.random()
    if kind < 0.3:
        pass
    elif kind < 0.5:
        way[1] = f"({way[1]}) + 0"
    elif kind < 0.7:
        way[0] = f"{way[0]} && x != {draw.randint(-2, 5)}"
    else:
        way[1] = draw.choice(["x + %d", "x * %d"]) % draw.randint(0, 5)
    return ways, last


def text(name, known, counts):
    """A function as C."""
    ways = "".join(f"if ({condition}) return {result}; " for condition, result in known[0])
    counting = "count++; if (count == 3) x++; " if counts else ""
    return f"int {name}(int x) {{ {counting}{ways}return {known[1]}; }}\n"


def drawn(seed):
    """A client as lines, with what each call calls, and both libraries."""
    draw = random.Random(seed)
    names, counts = ["f", "g", "h"][:draw.randint(1, 3)], draw.random() < 0.2
    original = {name: function(draw) for name in names}
    modified = {name: changed(draw, original[name]) for name in names}
    calls = []
    for _ in range(draw.randint(2, 5)):
        name, guard = draw.choice(names), draw.choice(["", "", "if (a > 1) ", "if (r < 4) "])
        argument = draw.choice(["a", "a & 3", "t", "t & 7", "b", "a + b", "r"])
        calls.append((name, argument, guard, draw.choice(["r += t;", "r = r ^ t;", "if (t > 3) r++;", ";"])))
    libraries = ["static int count;\n" + "".join(text(name, version[name], counts) for name in names)
                 for version in (original, modified)]
    return names, calls, libraries


def client(calls, call):
    """The client, each call on a line of its own; `call` says how calls are written."""
    lines = [f"  {guard}t = {call(number, name)}({argument}); {then}\n"
             for number, (name, argument, guard, then) in enumerate(calls)]
    bounds = " || ".join(f"{name} < {LOWEST} || {name} > {HIGHEST}" for name in "ab")
    return f"int client(int a, int b) {{\n  if ({bounds}) return 0;\n  int r = 0, t = a;\n{''.join(lines)}  return r;\n}}\n"


def truth(names, calls, folder):
    """Whether somebody notices, and for each call whether both versions were seen to do different things in it."""
    include = "".join(
        "".join(f"#define {name} {side}_{name}\n" for name in [*names, "count"]) + f'#include "{side}.c"\n'
        + "".join(f"#undef {name}\n" for name in [*names, "count"]) for side in ("old", "new"))
    wrappers = "".join(
        f"static int call_{number}(int x) {{ if (side == 0) return old_{name}(x); if (side == 1) return new_{name}(x); "
        f"int y = old_{name}(x), z = new_{name}(x); seen[{number}] |= y != z; return y; }}\n"
        for number, (name, *_) in enumerate(calls))
    driver = DRIVER % {"names": include, "calls": len(calls), "wrappers": wrappers, "low": LOWEST, "high": HIGHEST,
                       "client": client(calls, lambda number, _: f"call_{number}")}
    (folder / "driver.c").write_text(driver)
    subprocess.run(["gcc", "-O0", "-w", "driver.c", "-o", "run"], cwd=folder, check=True)
    said = subprocess.run([folder / "run"], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    return said[0] == "1", [word == "1" for word in said[1:]]


def judge(seed, options):
    """What is wrong with what is said of a client, how many calls were decided, and of how many."""
    names, calls, libraries = drawn(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        heads = "".join(f"int {name}(int); " for name in names) + "\n"
        (folder / "client.c").write_text(heads + client(calls, lambda _, name: name))
        for side, library in zip(("old", "new"), libraries):
            (folder / f"{side}.c").write_text(library)
        notices, seen = truth(names, calls, folder)
        command = [options.bin / "cse", "-q", "--json", "--steps", str(options.steps), "--client", "client.c", "old.c", "new.c"]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    try:
        result = json.loads(ran.stdout)
    except ValueError:
        return [f"seed {seed}: code {ran.returncode}: {ran.stderr}"], 0, 0
    wrong = []
    if result["verdict"] == ("equivalent" if notices else "not-equivalent"):
        wrong.append(f"seed {seed}: {result['verdict']} is wrong")
    if result["verdict"] != "not-equivalent":
        return wrong, 0, 0
    for context in result["contexts"]:
        # Prototypes, the head of the client, its bounds and its variables come first.
        number = context["line"] - 5
        status, differs = context["status"], seen[number]
        if calls[number][0] != context["callee"]:
            wrong.append(f"seed {seed}: no call of {context['callee']} in line {context['line']}")
        if status == "different" and not differs or status in ("digested", "inactive") and differs:
            wrong.append(f"seed {seed}: call {number + 1} is {status}, but both versions {'differ' if differs else 'agree'} in it")
    decided = sum(context["status"] != "unknown" for context in result["contexts"])
    return wrong, decided, len(result["contexts"])


def main():
    """Judges random clients."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--steps", type=int, default=400_000)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = list(pool.map(lambda seed: judge(seed, options), range(options.first, options.first + options.count)))
    wrong = [line for lines, _, _ in answers for line in lines]
    decided, calls = (sum(answer[position] for answer in answers) for position in (1, 2))
    print(f"{decided} of {calls} calls of clients that notice the change were decided")
    print(*wrong, sep="\n")
    sys.exit(1 if wrong or decided * 2 < calls else 0)


if __name__ == "__main__":
    main()
