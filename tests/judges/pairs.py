#!/usr/bin/env python3
"""Random pairs from a wide part of C, judged by exhaustive executions.

usage: pairs.py --bin DIR [--first SEED] [--count N] [--jobs N] [--budget SECONDS] [--renamed] [--out DIR]

A seed gives an original program (`generator.py`), checks from what its executions show, and changes of one place each
(`code_tree.py`); gcc executes all of them on all inputs. Kept are up to one change that violates newly and one that does
not. Each pair goes through both detectors with `verify` behind them, and the modified program through `verify` alone.

Wrong are: TRUE of a chain for a regression (the original never violates, the modified program does), TRUE of `verify`
alone for a program that violates, FALSE for one that never does, and any end that is no verdict. With `--out` the results
are appended to `DIR/pairs.csv`, one row per seed, and seeds that are in it are passed over; programs with a wrong answer
are kept in DIR. With `--renamed` the functions and static variables of the modified program have other names, a few of them
each other's.
"""
import argparse
import concurrent.futures
import random
import re
import sys
import tempfile
from pathlib import Path

import code_tree
import record
import tools
import truth
from generator import HEAD, Generator

# Seeds whose programs are compiled together.
BATCH = 20
CHANGES = 14


# What the programs call their functions and static variables.
NAMES = "g0 g1 gc gl gv ga gb4 gb gt gs gr sp gu gd gf gp gq pp tp fa fb fc make swap tab rec sum count".split()


class Pair:
    """Two programs and what their executions do."""

    def __init__(self, name, kind, texts, ends):
        self.name, self.kind, self.texts, self.ends = name, kind, texts, ends

    @property
    def violates(self):
        """The modified program has a violating run."""
        return "e" in self.ends[1]

    @property
    def is_regression(self):
        """And the original has none."""
        return self.violates and "e" not in self.ends[0]


def check_text(rng, site, values, passes):
    """A check of what was observed, which the original mostly passes, or always."""
    text = site.site.text("@")
    literal = lambda value: f"({value}LL)" if value > -2**63 else "(-9223372036854775807LL - 1)"
    if not passes and rng.randrange(4) == 0 and values:
        return f"  if ((long long)({text}) == {literal(rng.choice(values))}) reach_error();\n"
    kind = rng.randrange(4)
    if kind == 0 or not values:
        near = [v + d for v in values for d in (1, -1, 2, -2)] + list(range(-2, 9))
        free = [v for v in near if v not in values and abs(v) < 2**62]
        return f"  if ((long long)({text}) == {literal(rng.choice(free))}) reach_error();\n"
    if kind == 1 and len(values) <= 3:
        differs = " && ".join(f"(long long)({text}) != {literal(v)}" for v in values)
        return f"  if ({differs}) reach_error();\n"
    return f"  if ((long long)({text}) < {literal(min(values))} || (long long)({text}) > {literal(max(values))}) reach_error();\n"


def renamed(text, seed):
    """A program with other names: new ones, but for some that change places."""
    rng = random.Random(seed)
    others = [f"r{number}" for number in range(len(NAMES))]
    rng.shuffle(others)
    places = dict(zip(NAMES, others, strict=True))
    if rng.randrange(3) == 0:
        for a, b in (("fa", "fb"), ("ga", "gb4")):
            places[a], places[b] = b, a
    return re.sub(r"\b[a-z]\w*\b", lambda word: places.get(word[0], word[0]), text)


def pairs_of(seeds, folder):
    """The pairs of some seeds."""
    made = []
    for seed in seeds:
        generator = Generator(seed)
        program = generator.program()
        for number, site in enumerate(generator.sites):
            site.parts = [f"  OBSERVE({number}, {site.site.text('@')});\n"]
        made.append((seed, generator, program))
    observed = truth.execute(HEAD, [(program.text, generator.inputs) for _, generator, program in made], folder, "observe")
    candidates = []
    for (seed, generator, program), (ends, values) in zip(made, observed, strict=True):
        if "x" in ends:
            continue
        passes = generator.rng.randrange(8) > 0
        for number, site in enumerate(generator.sites):
            # Most places inside are looked at by nobody: a program with many checks is seldom safe.
            keep = number >= len(generator.sites) - 5 or generator.rng.randrange(2) == 0
            site.parts = [check_text(generator.rng, site, values.get(number, []), passes)] if keep else ["  ;\n"]
        changed = [code_tree.change(generator.rng, program) for _ in range(CHANGES)]
        candidates.append((seed, generator, [(program, ""), *filter(None, changed)]))
    flat = [(program.text, generator.inputs) for _, generator, programs in candidates for program, _ in programs]
    ends = iter(truth.execute(HEAD, flat, folder, "truth"))
    found = []
    for seed, generator, programs in candidates:
        ran = [next(ends)[0] for _ in programs]
        if "x" in ran[0]:
            continue
        kept = set()
        for number, ((program, kind), end) in enumerate(list(zip(programs, ran, strict=True))[1:], 1):
            sort = ("e" in end, "e" in ran[0])
            if "x" in end or sort in kept:
                continue
            kept.add(sort)
            texts = [HEAD + programs[0][0].text(), HEAD + program.text()]
            found.append(Pair(f"{seed}-{number}", kind, texts, [ran[0], end]))
    return found


def judge(pair, bin_folder, budget):
    """The answers of all configurations: a list of configuration, word, and complaint or nothing."""
    answers = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in zip(("original.c", "modified.c"), pair.texts, strict=True):
            (folder / file).write_text(text)
        for config in ("diffdp", "diffcond", "verify"):
            answer = tools.chain(bin_folder, config, folder, budget)
            must_not = set()
            if pair.is_regression or config == "verify" and pair.violates:
                must_not.add("TRUE")
            if not pair.violates:
                must_not.add("FALSE")
            answers.append((config, answer, tools.complaint(answer, must_not)))
    return answers


def main():
    """Judges seeds and says how many answers there were of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=int, default=3)
    parser.add_argument("--renamed", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    kept = record.Record(options.out, "pairs", options.bin)
    seeds = [s for s in range(options.first, options.first + options.count) if str(s) not in kept.done]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for start in range(0, len(seeds), BATCH):
            batch = seeds[start:start + BATCH]
            pairs = pairs_of(batch, name)
            for pair in pairs if options.renamed else []:
                pair.texts[1] = HEAD + renamed(pair.texts[1].removeprefix(HEAD), pair.name)
            judged = pool.map(lambda pair: (pair, judge(pair, options.bin.resolve(), options.budget)), pairs)
            for pair, answers in judged:
                sort = "regression" if pair.is_regression else "violating" if pair.violates else "safe"
                for config, answer, complaint in answers:
                    kept.count(f"{config} {sort}", answer.word)
                    if complaint:
                        kept.wrong(f"{pair.name} ({pair.kind}) {sort} {config}", complaint, pair.texts)
            kept.finish(str(seed) for seed in batch)
    sys.exit(kept.report())


if __name__ == "__main__":
    main()
