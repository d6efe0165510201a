#!/usr/bin/env python3
"""What looking at versions together saves: `invdiff` on N versions of one program against `invdiff --separate`, which shares nothing.

The versions are edits of one program, one statement each. Queries and CPU seconds of both, and how many letters each decides; a
letter that differs where both decide is an error. Writes a CSV file, of which `sharing.py` makes a picture.

With --given FOLDER the versions are the files in it by name, the first N of them; their `main`, from its line to the end of the file,
is replaced by --main FILE, which has the label `P` at which the lines of --facts FILE are asked.
"""

import argparse
import csv
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = """extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
static int total = 0; static int calls = 0;
"""
BODY = ["if (x > 100) x = 100;", "if (x < 0) x = 0;", "y = x + 1;", "total = total + (x & 3);", "calls = calls + 1;",
        "if (y > 50) y = y - 1;", "while (i < n) { i = i + 1; s = s + 2; }", "if (s > 1000) s = 1000;"]
EDITS = ["if (x > 127) x = 127;", "if (x < -5) x = -5;", "y = x + 2;", "total = total + (x & 1);", "calls = calls + 2;",
         "if (y > 60) y = y - 1;", "while (i <= n) { i = i + 1; s = s + 2; }", "if (s > 2000) s = 2000;"]
FACTS = ["x <= 100", "x >= 0", "y == x + 1", "total >= 0", "calls == 1", "s == 2 * i", "i >= n", "s <= 1000", "y <= 128", "total <= 3"]


def program(body):
    lines = "\n  ".join(body)
    return f"{HEAD}int main(void) {{\n  int x = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_uchar();\n  int y = 0, i = 0, s = 0;\n" \
           f"  {lines}\nP:;\n  return x;\n}}\n"


def versions(count, rng, unrelated):
    """Versions of which each has one statement edited, or its edit taken back; or programs in which all may differ."""
    body = list(BODY)
    made = [program(body)]
    while len(made) < count:
        if unrelated:
            body = [rng.choice(pair) for pair in zip(BODY, EDITS)]
            rng.shuffle(body)
        else:
            at = rng.randrange(len(body))
            body[at] = EDITS[at] if body[at] == BODY[at] else BODY[at]
        made.append(program(body))
    return made


def given(folder, main):
    """The versions of a folder with another `main`."""
    texts = [file.read_text(errors="replace") for file in sorted(folder.glob("*.c"))]
    return [re.split(r"^(?:int\s+|void\s+)?main\s*\(", text, maxsplit=1, flags=re.M)[0] + main for text in texts]


def run(tool, folder, files, steps, flags, facts):
    command = [tool, "--to", "json", "--at", "label:P", "--stats", "--steps", str(steps), *flags]
    for fact in facts:
        command += ["--of", fact]
    ran = subprocess.run(command + files, cwd=folder, capture_output=True, text=True)
    if ran.returncode not in (0, 3):
        sys.exit(f"{ran.returncode}: {ran.stderr}")
    table = json.loads(ran.stdout)
    cpu = next(float(line.split()[1]) for line in ran.stderr.splitlines() if line.startswith("cpu:"))
    letters = "".join(one["status"] for one in table["instances"])
    return {"queries": table["statistics"]["queries"], "cpu": cpu, "letters": letters,
            "weave": table["statistics"]["edges of the weave"] / table["statistics"]["edges of all versions"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default="target/release")
    parser.add_argument("--out", default="versions.csv")
    parser.add_argument("--steps", type=int, default=2_000_000)
    parser.add_argument("--chains", type=int, default=3)
    parser.add_argument("--counts", default="2,4,8,16,32")
    parser.add_argument("--unrelated", action="store_true", help="programs of which all statements may differ")
    parser.add_argument("--given", type=Path, help="a folder of versions")
    parser.add_argument("--main", type=Path)
    parser.add_argument("--facts", type=Path)
    options = parser.parse_args()
    every = given(options.given, options.main.read_text()) if options.given else None
    facts = options.facts.read_text().splitlines() if options.given else FACTS
    tool = str((Path(options.bin) / "invdiff").resolve())
    rows = []
    for count in map(int, options.counts.split(",")):
        sums = {"versions": count, "queries": 0, "queries alone": 0, "cpu": 0.0, "cpu alone": 0.0, "decided": 0, "decided alone": 0}
        for seed in range(1 if every else options.chains):
            with tempfile.TemporaryDirectory() as folder:
                texts = every[:count] if every else versions(count, random.Random(1000 * count + seed), options.unrelated)
                files = [f"v{number:02}.c" for number in range(1, count + 1)]
                for file, text in zip(files, texts):
                    (Path(folder) / file).write_text(text)
                together = run(tool, folder, files, options.steps, [], facts)
                alone = run(tool, folder, files, options.steps, ["--separate"], facts)
            for a, b in zip(together["letters"], alone["letters"]):
                if "?" not in (a, b) and a != b:
                    sys.exit(f"{count} versions, chain {seed}: {a} is not {b}")
            for name in ("queries", "cpu"):
                sums[name] += together[name]
                sums[f"{name} alone"] += alone[name]
            sums["decided"] += sum(letter != "?" for letter in together["letters"])
            sums["decided alone"] += sum(letter != "?" for letter in alone["letters"])
        sums["share of queries"] = round(sums["queries"] / max(1, sums["queries alone"]), 3)
        sums["share of cpu"] = round(sums["cpu"] / max(0.001, sums["cpu alone"]), 3)
        sums["cpu"], sums["cpu alone"] = round(sums["cpu"], 3), round(sums["cpu alone"], 3)
        print(sums, flush=True)
        rows.append(sums)
    with open(options.out, "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
