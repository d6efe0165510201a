#!/usr/bin/env python3
"""What checking the difference of assertions saves: `propdiff ORIGINAL MODIFIED` against `propdiff --check MODIFIED`.

Makes pairs of programs with loops that have no bound (neither execution nor bounded search ends) and of loop-free ones,
edits their assertions, in a third of the pairs the code too, and runs the same binary both ways. Pairs depend on the seed only.

    python3 benchmarks/properties.py --bin target/release --pairs 120 --out benchmarks/runs/DATE-properties

`--ablate` also runs the difference with a part of what is known taken out of the file of verdicts: the verdicts (S0, S1), the
inputs (S2), the invariants (S3). `--stages` leaves out each stage, and all stages behind each. `--verifier esbmc` has another verifier decide what is open, with and without the difference.
"""

import argparse
import csv
import hashlib
import json
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = "void assert(int);\nint __VERIFIER_nondet_int(void);\n"

# Each has code with places @1, @2 for assertions, constants, what holds at the places, and constants that may change.
LOOPS = {
    "saturate": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, s = 0;\nif (n < 0) return 0;\nwhile (i < n) {{\n@1\n"
        "i++; if (s < {K}) s = s + {C};\n}}\n@2\nreturn 0; }}\n",
        {"K": (20, 90), "C": (1, 5)},
        {"1": ["s >= 0", "s < {K} + {C}", "i < n", "i >= 0"], "2": ["s <= {K} + {C}", "i >= n", "i <= n", "s >= 0"]},
    ),
    "tank": (
        "int main(void) {{ int level = {L}; int x;\nwhile ((x = __VERIFIER_nondet_int()) != 0) {{\n"
        "if (x > 0 && level < {K}) level = level + 1;\nelse if (x < 0 && level > {L}) level = level - 1;\n@1\n}}\n@2\n"
        "return level; }}\n",
        {"K": (3000, 99000), "L": (0, 9)},
        {"1": ["level <= {K}", "level >= {L}", "x != 0"], "2": ["level <= {K}", "level >= {L}", "x == 0"]},
    ),
    "states": (
        "int main(void) {{ int s = 0, k = 0;\nwhile (__VERIFIER_nondet_int()) {{\nif (s == 0) {{ s = 1; k = {C}; }}\n"
        "else if (s == 1) {{ s = 2; k = __VERIFIER_nondet_int(); if (k < 0 || k > {K}) k = {K}; }}\nelse {{ s = 0; k = 0; }}\n@1\n}}\n@2\nreturn k; }}\n",
        {"K": (20, 90), "C": (1, 9)},
        {"1": ["s >= 0 && s <= 2", "s != 2 || k >= 0", "k <= {K}"], "2": ["s <= 2", "k >= 0", "s != 1 || k == {C}"]},
    ),
    "lock": (
        "int main(void) {{ int locked = 0, owner = 0, x;\nwhile (__VERIFIER_nondet_int()) {{\nx = __VERIFIER_nondet_int();\n"
        "if (!locked && x > 0 && x < {K}) {{ locked = 1; owner = x; }}\nelse if (locked && x == owner) {{ locked = 0; owner = 0; }}\n"
        "@1\n}}\n@2\nreturn owner; }}\n",
        {"K": (20, 90)},
        {"1": ["locked == 0 || locked == 1", "locked || owner == 0", "owner < {K}"], "2": ["owner >= 0", "!locked || owner > 0"]},
    ),
    "queue": (
        "int main(void) {{ int count = 0, lost = 0, x;\nwhile (__VERIFIER_nondet_int()) {{\nx = __VERIFIER_nondet_int();\n"
        "if (x > 0) {{ if (count < {K}) count++; else if (lost < {C}) lost++; }}\nelse if (count > 0) count--;\n@1\n}}\n@2\n"
        "return count; }}\n",
        {"K": (800, 70000), "C": (300, 40000)},
        {"1": ["count >= 0", "count <= {K}", "lost <= {C}"], "2": ["count <= {K}", "lost >= 0 && lost <= {C}"]},
    ),
    "clamp": (
        "static int clamp(int v) {{ if (v > {K}) return {K}; if (v < {L}) return {L}; return v; }}\n"
        "int main(void) {{ int last = {L}, high = {L}, x;\nwhile (__VERIFIER_nondet_int()) {{\nx = __VERIFIER_nondet_int();\n"
        "last = clamp(x); if (last > high) high = last;\n@1\n}}\n@2\nreturn last; }}\n",
        {"K": (30, 99), "L": (0, 9)},
        {"1": ["last <= high", "last <= {K}", "last >= {L}"], "2": ["high <= {K}", "high >= last", "last >= {L}"]},
    ),
}
STRAIGHT = {
    "median": (
        "int main(void) {{ int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int(), m = z;\n"
        "if (x > {K} || y > {K} || z > {K}) return 0;\n"
        "if (y < z) {{ if (x < y) m = y; else if (x < z) m = x; }}\nelse {{ if (x > y) m = y; else if (x > z) m = x; }}\n@1\n@2\n"
        "return m; }}\n",
        {"K": (30, 99)},
        {
            "1": ["m == x || m == y || m == z", "y != z || m == y", "!(x <= z && z <= y) || m == z", "m <= {K}"],
            "2": ["!(x < y && y < z) || m == y", "!(z < y && y < x) || m == y", "!(y < x && x < z) || m == x"],
        },
    ),
    "triangle": (
        "int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int(), t = 1;\n"
        "if (a < -{K} || a > {K} || b < -{K} || b > {K} || c < -{K} || c > {K}) return 0;\n"
        "if (a <= 0 || b <= 0 || c <= 0 || a + b <= c || a + c <= b || b + c <= a) t = 4;\n"
        "else if (a == b && b == c) t = 3;\nelse if (a == b || b == c || a == c) t = 2;\n@1\n@2\nreturn t; }}\n",
        {"K": (50, 99)},
        {
            "1": ["t != 0", "!(a <= 0 || b <= 0 || c <= 0) || t == 4", "a + b > c || t == 4"],
            "2": ["!(a == b && b == c && a > 0) || t == 3", "t != 3 || a == b", "t <= 4"],
        },
    ),
}

# What the original has proved is what the new assertion needs: from scratch it is out of reach.
STEPS = {
    "bound": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0;\nif (n < 0 || n > {K}) return 0;\nwhile (i < n) {{ i++; }}\n"
        "@1\nreturn 0; }}\n",
        ["i <= n", "n <= {K}"], ["i <= {K}"],
    ),
    "two counters": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, s = 0;\nif (n < 0 || n > {K}) return 0;\n"
        "while (i < n) {{ i++; if (s < 50) s = s + 2; }}\n@1\nreturn 0; }}\n",
        ["i <= n", "n <= {K}", "s <= 51", "s >= 0", "i >= 0"], ["i + s <= {K} + 51"],
    ),
    "two loops": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, j = 0;\nif (n < 0 || n > {K}) return 0;\n"
        "while (i < n) {{ i++; }}\nwhile (j < i) {{ j++; }}\n@1\nreturn 0; }}\n",
        ["i <= n", "j <= i", "n <= {K}"], ["j <= {K}"],
    ),
    "with a step": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0;\nif (n < 0 || n > {K}) return 0;\nwhile (i < n) {{\n"
        "if (__VERIFIER_nondet_int()) i++; }}\n@1\nreturn 0; }}\n",
        ["i <= n", "n <= {K}"], ["i < {K} + 1"],
    ),
    "three counters": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, s = 0, t = 0;\nif (n < 0 || n > {K}) return 0;\n"
        "while (i < n) {{ i++; if (s < 50) s = s + 2; if (t < 70) t = t + 3; }}\n@1\nreturn 0; }}\n",
        ["i <= n", "n <= {K}", "s <= 51", "s >= 0", "i >= 0", "t <= 72", "t >= 0"], ["i + s + t <= {K} + 123"],
    ),
    "counters with a step": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, s = 0;\nif (n < 0 || n > {K}) return 0;\n"
        "while (i < n) {{ if (__VERIFIER_nondet_int()) {{ i++; if (s < 50) s = s + 2; }} }}\n@1\nreturn 0; }}\n",
        ["i <= n", "n <= {K}", "s <= 51", "s >= 0", "i >= 0"], ["i + s <= {K} + 51"],
    ),
    "two loops, two counters": (
        "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, j = 0, s = 0;\nif (n < 0 || n > {K}) return 0;\n"
        "while (i < n) {{ i++; if (s < 50) s = s + 2; }}\nwhile (j < i) {{ j++; }}\n@1\nreturn 0; }}\n",
        ["i <= n", "j <= i", "n <= {K}", "s <= 51", "s >= 0", "j >= 0"], ["j + s <= {K} + 51"],
    ),
}


def shifted(rng, text, by):
    """The condition with one of its numbers moved."""
    numbers = [m for m in re.finditer(r"(?<![\w])\d+", text)]
    if not numbers:
        return text
    m = rng.choice(numbers)
    return text[: m.start()] + str(max(0, int(m.group()) + by)) + text[m.end() :]


def edited(rng, places):
    """Other assertions: some weaker, some stronger, some new or gone, split, or at another place."""
    new = {place: list(all_of) for place, all_of in places.items()}
    for _ in range(rng.randint(1, 3)):
        place = rng.choice(list(new))
        here = new[place]
        if not here:
            continue
        at = rng.randrange(len(here))
        kind = rng.choice(["weaken", "weaken", "shift", "join", "remove", "repeat", "or", "strengthen"])
        if kind == "weaken":
            here[at] = re.sub(r"<= (\S+)", r"< \1 + 2", here[at]) if "<=" in here[at] else f"{here[at]} || {rng.choice(here)}"
        elif kind == "shift":
            here[at] = shifted(rng, here[at], rng.choice([-1, 1, 2, 3]))
        elif kind == "join" and len(here) > 1:
            one, other = here.pop(at), here.pop(0)
            here.append(f"({one}) && ({other})")
        elif kind == "remove":
            here.pop(at)
        elif kind == "repeat":
            here.append(shifted(rng, here[at], rng.choice([1, 2])))
        elif kind == "or":
            here[at] = f"!({rng.choice(here)}) || ({here[at]})"
        elif kind == "strengthen":
            other = rng.choice(list(new))
            here[at] = f"({here[at]}) && ({rng.choice(places[other] or ['1'])})"
        if not here:
            new[place] = list(places[place][:1])
    return new


def rendered(code, constants, places):
    text = code.format(**constants)
    for place, conditions in places.items():
        text = text.replace("@" + place, "\n".join(f"assert({c});" for c in conditions) or ";")
    return HEAD + text


def pair(rng, number):
    """One pair: name, whether it has an endless loop, whether the code changes, both texts."""
    loop = number % 5 != 4
    name = rng.choice(list(LOOPS if loop else STRAIGHT))
    code, ranges, places = (LOOPS if loop else STRAIGHT)[name]
    constants = {key: rng.randint(*bounds) for key, bounds in ranges.items()}
    chosen = {place: rng.sample(c, rng.randint(max(1, len(c) - 1), len(c))) for place, c in places.items()}
    before = {place: [c.format(**constants) for c in conditions] for place, conditions in chosen.items()}
    # Some assertions fail in the original.
    if rng.random() < 0.5:
        place = rng.choice(list(before))
        before[place].append(shifted(rng, rng.choice(before[place]), rng.choice([-2, -1, 1])))
    changed = number % 3 == 2
    others = dict(constants)
    if changed:
        key = rng.choice(list(others))
        others[key] = max(0, others[key] + rng.choice([-2, -1, -1, 1]))
    after = edited(rng, before) if not changed or rng.random() < 0.5 else before
    return name, loop, changed, rendered(code, constants, before), rendered(code, others, after)


def step(number):
    """A pair whose new assertion follows from what the original has proved."""
    name = list(STEPS)[number % len(STEPS)]
    code, before, after = STEPS[name]
    constants = {"K": 100000 - 10007 * (number // len(STEPS))}
    places = [{"1": [c.format(**constants) for c in conditions]} for conditions in (before, after)]
    return name, True, False, rendered(code, constants, places[0]), rendered(code, constants, places[1])


STAGES = ["S0", "S1", "S2", "S3", "S4"]
# What is left out: nothing, each stage, all behind each but the last two.
LEFT_OUT = [[], *([stage] for stage in STAGES), *(STAGES[at + 1 :] for at in range(len(STAGES) - 2))]


def by_stages(tool, full, folder, budget):
    """A row for each choice of stages: what it takes, what it decides, and which stage settles how much."""
    rows = []
    for left_out in LEFT_OUT:
        choice = [f"--without={','.join(left_out)}"] if left_out else []
        arguments = ["--check", *choice, "--verdicts", "o.json", "--save-verdicts", "part.json", "o.c", "m.c"]
        queries, cpu, settled = run(tool, arguments, folder, budget)
        found = [clause["verdict"].split("(")[0] for clause in verdicts(folder / "part.json")]
        wrong = sum({known["verdict"].split("(")[0], word} == {"TRUE", "FALSE"} for known, word in zip(full, found))
        counts = {word.lower(): found.count(word) for word in ("TRUE", "FALSE", "UNKNOWN")}
        rows.append({"without": " ".join(left_out), "queries": queries, "cpu": cpu, **counts, **dict(zip(STAGES, settled)), "contradictions": wrong})
    return rows


def run(tool, arguments, folder, budget):
    """Queries, CPU seconds and clauses settled by each stage; a budget is seconds, or steps as `=N`."""
    limit = ["--steps", budget[1:]] if isinstance(budget, str) else ["--budget", str(budget)]
    done = subprocess.run([tool, *limit, "--stats", *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{arguments}: {done.returncode}\n{done.stderr}")
    numbers = dict(re.findall(r"^\s*(.+?):\s+([\d.]+)", done.stderr, re.M))
    queries = int(numbers["queries of the difference"]) + int(numbers["queries of the check"])
    return queries, float(numbers["CPU time"]), [int(numbers[f"clauses settled by {stage}"]) for stage in STAGES]


def without(what, file, other):
    """A file of verdicts that knows less."""
    known = json.loads(file.read_text())
    if what == "verdicts":
        for site in known["sites"]:
            site["verdict"] = "UNKNOWN(not checked)"
            for clause in site["clauses"]:
                clause["verdict"] = "UNKNOWN(not checked)"
                for key in ("by", "rests_on_file", "counterexample"):
                    clause.pop(key, None)
    elif what == "inputs":
        # A FALSE without inputs is nothing that is known.
        known["counterexamples"] = []
        for clause in (clause for site in known["sites"] for clause in site["clauses"]):
            clause.pop("counterexample", None)
    else:
        known["invariants"] = []
    known["digest"] = ""
    plain = json.dumps(known, separators=(",", ":"), ensure_ascii=False)
    known["digest"] = hashlib.sha256(plain.encode()).hexdigest()
    other.write_text(json.dumps(known, indent=2, ensure_ascii=False))


def elsewhere(residue, verifier, arguments, folder, budget):
    """CPU seconds and open clauses when another verifier is asked."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [residue, "properties", "--json", "--steps=1", f"--verifier={verifier}", f"--budget={budget}", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=40 * budget + 60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode not in (0, 1, 3):
        return used, None
    clauses = [c for unit in json.loads(done.stdout)["units"] for a in unit["difference"]["assertions"] for c in a["clauses"]]
    return used, [c["verdict"].split("(")[0] for c in clauses]


def verdicts(file):
    sites = json.loads(file.read_text())["sites"]
    return [clause for site in sites for clause in site["clauses"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="target/release")
    parser.add_argument("--pairs", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=int, default=20)
    parser.add_argument("--steps", action="store_true", help="pairs that are out of reach from scratch")
    parser.add_argument("--ablate", action="store_true", help="take parts of what is known away, one at a time")
    parser.add_argument("--stages", action="store_true", help="leave out stages")
    parser.add_argument("--verifier", help="another verifier on what is open, with the difference and without")
    parser.add_argument("--work", type=int, help="a limit in steps that no clock decides, in place of --budget")
    parser.add_argument("--first", type=int, default=0, help="the number of the first pair")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tool = str((Path(options.bin) / "propdiff").resolve())
    options.out.mkdir(parents=True, exist_ok=True)
    limit = f"={options.work}" if options.work else options.budget
    rows, stages = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(options.first, options.first + options.pairs):
            rng = random.Random(options.seed * 1_000_003 + number)
            family, loop, changed, before, after = step(number) if options.steps else pair(rng, number)
            (folder / "o.c").write_text(before)
            (folder / "m.c").write_text(after)
            run(tool, ["--check", "--save-verdicts", "o.json", "o.c"], folder, limit)
            full = run(tool, ["--check", "--save-verdicts", "full.json", "m.c"], folder, limit)
            less = run(tool, ["--check", "--verdicts", "o.json", "--save-verdicts", "less.json", "o.c", "m.c"], folder, limit)
            one, other = verdicts(folder / "full.json"), verdicts(folder / "less.json")
            known = lambda clause: clause["verdict"].split("(")[0]
            wrong = sum({known(a), known(b)} == {"TRUE", "FALSE"} for a, b in zip(one, other))
            count = lambda all_of, word: sum(known(c) == word for c in all_of)
            rows.append({
                "pair": number, "family": family, "loop": int(loop), "code_changed": int(changed), "clauses": len(one),
                "false": count(other, "FALSE"), "false_full": count(one, "FALSE"), "unknown_full": count(one, "UNKNOWN"), "unknown_difference": count(other, "UNKNOWN"),
                "resting": sum(c.get("rests_on_file", False) for c in other), "contradictions": wrong,
                "queries_full": full[0], "queries_difference": less[0], "cpu_full": full[1], "cpu_difference": less[1],
            })
            if options.ablate:
                for what in PARTS:
                    without(what, folder / "o.json", folder / "part.json")
                    part = run(tool, ["--check", "--verdicts", "part.json", "--save-verdicts", "less.json", "o.c", "m.c"], folder, limit)
                    found = verdicts(folder / "less.json")
                    wrong = sum({known(a), known(b)} == {"TRUE", "FALSE"} for a, b in zip(one, found))
                    rows[-1] |= {f"queries_no_{what}": part[0], f"cpu_no_{what}": part[1], f"unknown_no_{what}": count(found, "UNKNOWN")}
                    rows[-1]["contradictions"] += wrong
            if options.stages:
                stages += [{"pair": number, **row} for row in by_stages(tool, one, folder, limit)]
                table(options.out / "stages.csv", stages)
                rows[-1]["contradictions"] += sum(row["contradictions"] for row in stages if row["pair"] == number)
            if options.verifier:
                residue = str((Path(options.bin) / "residue").resolve())
                without("verdicts", folder / "o.json", folder / "part.json")
                for name, file in (("full", "part.json"), ("difference", "o.json")):
                    used, found = elsewhere(residue, options.verifier, ["--verdicts", file, "o.c", "m.c"], folder, options.budget)
                    rows[-1] |= {f"cpu_other_{name}": round(used, 2), f"unknown_other_{name}": -1 if found is None else found.count("UNKNOWN")}
                    rows[-1]["contradictions"] += sum({known(a), b} == {"TRUE", "FALSE"} for a, b in zip(other, found or []))
            print(rows[-1], file=sys.stderr, flush=True)
            table(options.out / "raw.csv", rows)
            (options.out / "summary.md").write_text(summary(rows, options, stages))


def table(file, rows):
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)


PARTS = ["verdicts", "inputs", "invariants"]


def parts(rows):
    """What is lost without each part of what is known."""
    lines = ["", "| without | queries | median of full | CPU s | unknown |", "|---|---|---|---|---|"]
    names = [("nothing: all that is known", "difference"), *((f"the {what}", f"no_{what}") for what in PARTS), ("all: from scratch", "full")]
    for name, key in names:
        ratios = [row[f"queries_{key}"] / max(1, row["queries_full"]) for row in rows]
        total = lambda what: sum(row[f"{what}_{key}"] for row in rows)
        lines.append(f"| {name} | {total('queries')} | {statistics.median(ratios):.2f} | {total('cpu'):.1f} | {total('unknown')} |")
    return lines


def choices(rows, stages):
    """What each stage settles, and what is lost without it."""
    lines = ["", f"| stages | {' | '.join(STAGES)} | TRUE | FALSE | unknown | queries | CPU s |", "|---" * (len(STAGES) + 6) + "|"]
    for left_out in LEFT_OUT:
        some = [row for row in stages if row["without"] == " ".join(left_out)]
        total = lambda key: sum(row[key] for row in some)
        there = [stage for stage in STAGES if stage not in left_out]
        name = "all" if not left_out else f"without {left_out[0]}" if left_out in LEFT_OUT[1 : len(STAGES) + 1] else f"{there[0]} to {there[-1]}"
        name = "S0 alone" if there == STAGES[:1] else name
        settled = " | ".join(str(total(stage)) if stage in there else "" for stage in STAGES)
        lines.append(
            f"| {name} | {settled} | {total('true')} | {total('false')} | {total('unknown')} | {total('queries')} | {total('cpu'):.1f} |"
        )
    total = lambda key: sum(row[key] for row in rows)
    holding = total("clauses") - total("false_full") - total("unknown_full")
    scratch = f"{holding} | {total('false_full')} | {total('unknown_full')} | {total('queries_full')} | {total('cpu_full'):.1f}"
    return [*lines, f"| from scratch |{' |' * (len(STAGES) - 1)} {total('clauses') - total('unknown_full')} | {scratch} |"]


def others(rows, verifier):
    """What the difference saves another verifier."""
    both = [row for row in rows if row["unknown_other_full"] >= 0 and row["unknown_other_difference"] >= 0]
    lines = ["", f"| {verifier} | pairs | unknown | CPU s | median of full |", "|---|---|---|---|---|"]
    for name, key in (("all clauses", "full"), ("what the difference leaves open", "difference")):
        ratios = [row[f"cpu_other_{key}"] / max(0.01, row["cpu_other_full"]) for row in both]
        total = lambda what: sum(row[f"{what}_other_{key}"] for row in both)
        lines.append(f"| {name} | {len(both)} | {total('unknown')} | {total('cpu'):.1f} | {statistics.median(ratios or [0]):.2f} |")
    return lines


def is_above(row):
    """Whether the difference took more than 1.1 of what a check from scratch took; where either gives up, both use all they have."""
    slower = row["cpu_difference"] + 0.05 > 1.1 * (row["cpu_full"] + 0.05)
    gives_up = row["unknown_full"] + row["unknown_difference"] > 0
    return slower or (not gives_up and row["queries_difference"] > 1.1 * row["queries_full"])


def summary(rows, options, stages):
    lines = [
        f"`benchmarks/properties.py --pairs {options.pairs} --seed {options.seed} {f'--work {options.work}' if options.work else f'--budget {options.budget}'}{' --steps' * options.steps}`: every clause of the "
        "modified program from scratch against its difference, same binary, one after the other.", "",
        "| pairs | number | clauses | FALSE | unknown full / difference | rest on the file | queries full / difference | median | above 1.1 | "
        "CPU s full / difference | median |", "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    groups = [
        ("all", lambda r: True), ("same code, endless loop", lambda r: r["loop"] and not r["code_changed"]),
        ("same code, no loop", lambda r: not r["loop"] and not r["code_changed"]),
        ("other code, endless loop", lambda r: r["loop"] and r["code_changed"]),
        ("other code, no loop", lambda r: not r["loop"] and r["code_changed"]),
    ]
    for name, fits in groups:
        some = [row for row in rows if fits(row)]
        if not some:
            continue
        total = lambda key: sum(row[key] for row in some)
        ratios = [row["queries_difference"] / max(1, row["queries_full"]) for row in some]
        times = [row["cpu_difference"] / max(0.001, row["cpu_full"]) for row in some]
        above = sum(map(is_above, some))
        lines.append(
            f"| {name} | {len(some)} | {total('clauses')} | {total('false')} | {total('unknown_full')} / {total('unknown_difference')} | "
            f"{total('resting')} | {total('queries_full')} / {total('queries_difference')} | {statistics.median(ratios):.2f} | {above} | "
            f"{total('cpu_full'):.1f} / {total('cpu_difference'):.1f} | {statistics.median(times):.2f} |"
        )
    if options.ablate:
        lines += parts(rows)
    if stages:
        lines += choices(rows, stages)
    if options.verifier:
        lines += others(rows, options.verifier)
    return "\n".join([*lines, "", "Above 1.1: in queries, or in CPU seconds and 0.05; of pairs that one of both does not decide, in CPU seconds only.", f"Verdicts that contradict each other: {sum(row['contradictions'] for row in rows)}.", ""])


if __name__ == "__main__":
    main()
