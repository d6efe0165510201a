#!/usr/bin/env python3
"""The programs and pairs of `tests/judged` with their constants hidden behind an input, against each analysis alone.

usage: hidden.py [--bin DIR] [--jobs N] [--steps N] [--way WAY] [--half SEED] [--analyses NAME,...] [--32]
                 [--every N] [--each N] [--at-least N] [--list FILE.csv] [--out FOLDER] [NAME...]

What executes a program and what folds constants decides most of these programs before any analysis has to reason about
them, and hides what one would do wrong. Here a literal `5` becomes `(5 + hidden_input)`: that is 0, but read from an input of
which all values but one end the program, so no tool can compute with it. A literal stays where gcc would say something new
(a case label, the size of an array, a null pointer) or the program would end otherwise (`__builtin_constant_p`).
gcc tries all runs of what is written that way as `judged.py` does; it is what is true. A wrong answer fails, and an end that
is no verdict; a program in which nothing can be hidden is named with its reason.

`--way` hides them in other ways; `--half` hides about half of them, so that known numbers meet unknown ones, and another SEED
another half. By itself all of it is tried, which takes some minutes. `--every N` takes about one of N files, and `--each N`
so many tasks of each, always the same ones; `--at-least N` fails if fewer are decided. `--out` keeps the programs that were
answered wrongly.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path
from typing import NamedTuple

import judged
import tools

SECRET = 7919
# Those left out, `cells` and `localized`, decide none of these programs alone.
ANALYSES = ["all", "values", "ranges", "bounded", "candidates", "induction", "horn", "circuit", "predicates"]
SAYS = [*(flag for flag in judged.FLAGS if flag != "-w"), "-Wvla", "-fsyntax-only", "-fno-diagnostics-show-caret"]

# A run more, for which the hidden input is another.
DRIVER = judged.DRIVER.replace("run < 16", "run <= 16") + f"""
unsigned __VERIFIER_nondet_uint(void) {{ return {SECRET} + run / 16; }}
"""

# What `judged.h` gets in addition. Names are such that no program has them.
HEADER = """
extern unsigned __VERIFIER_nondet_uint(void);
static int hidden_input;
{declarations}
static inline void hide_input(void)
{{
    hidden_input = __VERIFIER_nondet_uint() - {secret};
    if (hidden_input)
        abort();
    {statements}
}}
"""


class Way(NamedTuple):
    """How constants are hidden: what stands for a literal, and what that needs."""
    form: str
    declarations: str = ""
    statements: str = ""


WAYS = {
    "sum": Way("({} + hidden_input)"),
    "multiple": Way("({} + 12 * hidden_input)"),
    "choice": Way("(hidden_input ? 77 : {})"),
    "call": Way("({} + hidden_result())", "static int hidden_result(void) { return hidden_input; }"),
    "pointer": Way("({} + *hidden_place)", "static int *hidden_place = &hidden_input;"),
    "element": Way("({} + hidden_elements[1 + hidden_input])", "static int hidden_elements[3] = {5, 5, 5};",
                   "hidden_elements[1 + hidden_input] = hidden_input;"),
    "field": Way("({} + hidden_fields.second)", "static struct { int first : 5, second : 11; } hidden_fields;",
                 "hidden_fields.first = 7; hidden_fields.second = hidden_input;"),
    "heap": Way("({} + hidden_block[1])", "extern void *malloc(__SIZE_TYPE__); static int *hidden_block;",
                "hidden_block = malloc(2 * sizeof(int)); if (!hidden_block) abort(); hidden_block[1] = hidden_input;"),
}

TOKEN = re.compile(r"""
    "(?:[^"\\\n]|\\.)*"                              # strings
  | /\*.*?\*/ | //[^\n]*                             # comments
  | ^[ \t]*(?:\#|%:)[ \t]*(?!define)(?:[^\n\\]|\\.)*     # directives, except for what macros stand for
  | (?P<literal>(?:\b(?:u8|[LuU]))?'(?:[^'\\\n]|\\.)*' | (?<![\w.])\.?\d(?:[eEpP][+-]|[\w.])*)
  | [^\W\d]\w*                                       # names
    """, re.DOTALL | re.MULTILINE | re.VERBOSE)
MAIN = re.compile(r"\bmain\s*\([^)]*\)\s*(?:\{|<%)")


class Alone(Exception):
    """Nothing can be hidden in a program, for a reason."""


class Hidden(NamedTuple):
    """A program or pair as it is tried."""
    text: str
    ends: dict  # how the runs of each variant end


def draw(name):
    """A number that is as good as random, and always the same."""
    return zlib.crc32(name.encode())


def write(folder, text, path, header=""):
    """Both variants of a file, and the header that they include."""
    (folder / "judged.h").write_text((judged.FOLDER / "judged.h").read_text() + header)
    for variant, macro in judged.variants(path).items():
        (folder / f"{variant}.c").write_text((f"#define {macro}\n" if macro else "\n") + text)


def said(folder, path, flags):
    """What gcc says about the two variants of a file: lines and messages, counted."""
    found = collections.Counter()
    for variant in judged.variants(path):
        shown = subprocess.run(["gcc", *SAYS, *flags, f"{variant}.c"], cwd=folder, check=False, capture_output=True, text=True)
        messages = re.findall(r"^[^\n:]*:(\d+):(?:\d+:)? (?:fatal )?(error|warning): (.*)$", shown.stderr, re.MULTILINE)
        found.update((variant, *message) for message in messages)
        found[variant, shown.returncode] += 1
    return found


def ends(folder, path, driver, flags):
    """How the runs of the two variants end; nothing for one that does not build."""
    found = {}
    for variant in judged.variants(path):
        try:
            found[variant] = judged.ends(folder / f"{variant}.c", driver, folder, flags)
        except subprocess.SubprocessError:
            found[variant] = ""
    return found


def most(literals, works, kept=frozenset()):
    """The literals, and those that are kept, without the ones that do not work; found by halves."""
    together = kept | set(literals)
    if not literals or works(together):
        return together
    if len(literals) == 1:
        return kept
    half = len(literals) // 2
    return most(literals[half:], works, most(literals[:half], works, kept))


def hide(path, folder, options):
    """The file with all constants hidden that can be, or those that were drawn."""
    driver, flags = options.driver, options.flags
    text = path.read_text()
    place = MAIN.search(text)
    if not place:
        raise Alone("its `main` is not found")
    form, *needed = WAYS[options.way]
    header = HEADER.format(secret=SECRET, declarations=needed[0], statements=needed[1])
    literals = [found.span("literal") for found in TOKEN.finditer(text) if found["literal"]]
    if options.half:
        literals = [span for span in literals if draw(f"{path.stem} {span} {options.half}") % 2]

    def with_hidden(chosen):
        parts, last = [], 0
        for start, end, new in sorted([(start, end, form.format(text[start:end])) for start, end in chosen]
                                      + [(place.end(), place.end(), " hide_input();")]):
            parts += [text[last:start], new]
            last = end
        changed = "".join(parts) + text[last:]
        write(folder, changed, path, header)
        return changed

    def looks_the_same(chosen):
        with_hidden(chosen)
        return not said(folder, path, flags) - before

    def ends_the_same(chosen):
        with_hidden(chosen)
        return ends(folder, path, driver, flags) == truth

    write(folder, text, path)
    before, original = said(folder, path, flags), ends(folder, path, driver, flags)
    if not all(len(letters) == 17 and "x" not in letters[:16] for letters in original.values()):
        raise Alone(f"its runs end {original}")
    truth = {variant: letters[:16] + "a" for variant, letters in original.items()}
    chosen = most(literals, looks_the_same)
    if not ends_the_same(chosen):
        chosen = most(sorted(chosen), ends_the_same)
    if not chosen:
        raise Alone("no constant can be hidden")
    return Hidden(with_hidden(chosen), {variant: letters[:16] for variant, letters in truth.items()})


def tasks(path, options):
    """What is to be tried of a file: names, with the variant or the detector, and the analysis."""
    firsts = ("diffdp", "diffcond") if judged.is_pair(path) else judged.variants(path)
    named = [(f"{path.stem}.{first}.{analysis}", first, analysis) for first in firsts for analysis in options.analyses]
    return sorted(named, key=lambda task: draw(task[0]))[:options.each]


def judge(path, options):
    """The answers for a file: rows of task, truth, answer, complaint; without answer if nothing can be hidden."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            hidden = hide(path, folder, options)
        except Alone as reason:
            return [(path.stem, "", None, str(reason))]
        for task, first, analysis in tasks(path, options):
            last = ["--steps", options.steps, *([] if analysis == "all" else ["--analysis", analysis])]
            if judged.is_pair(path):
                answer = tools.chain(options.bin, first, folder, tools.PATIENCE, *options.model, last=last)
                original, modified = ("e" in hidden.ends[variant] for variant in ("original", "modified"))
                must_not = {"FALSE"} if not modified else set() if original else {"TRUE"}
                truth = "ft"[original] + "ft"[modified]
            else:
                answer = tools.verify(options.bin, folder, f"{first}.c", tools.PATIENCE, *last, *options.model)
                violated = "e" in hidden.ends[first]
                must_not, truth = {"TRUE" if violated else "FALSE"}, "ft"[violated]
            rows.append((task, truth, answer, tools.complaint(answer, must_not)))
            if rows[-1][-1] and options.out:
                keep(folder, options.out / task)
    return rows


def keep(folder, place):
    """Copies the programs of a task."""
    place.mkdir(parents=True, exist_ok=True)
    for file in [*folder.glob("*.c"), folder / "judged.h"]:
        (place / file.name).write_text(file.read_text())


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=tools.BUILT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--steps", type=int, default=60_000, help="what each run may take")
    parser.add_argument("--way", choices=WAYS, default="sum")
    parser.add_argument("--analyses", type=lambda text: text.split(","), default=ANALYSES)
    parser.add_argument("--half", type=int, default=0, metavar="SEED")
    parser.add_argument("--32", dest="narrow", action="store_true", help="the data model ILP32; needs gcc-multilib")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--each", type=int)
    parser.add_argument("--at-least", type=int, default=0)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    options.flags, options.model = (["-m32"], ["--32"]) if options.narrow else ([], [])
    return options


def main():
    """Judges and says what is wrong."""
    options = arguments()
    paths = [path for path in sorted(judged.FOLDER.glob("*.c"))
             if (path.stem in options.names if options.names else draw(path.stem) % options.every == 0)]
    rows = []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        options.driver = judged.build_driver(Path(name), DRIVER, options.flags)
        for some in pool.map(lambda path: judge(path, options), paths):
            rows += some
            for task, _, answer, complaint in some:
                if complaint:
                    print(f"{'wrong' if answer else 'left alone'}: {task}: {complaint}", flush=True)
    if options.list:
        judged.write_rows(options.list, rows)
    wrong = sum(1 for _, _, answer, complaint in rows if answer and complaint)
    words = [answer.word for _, _, answer, _ in rows if answer]
    decided = words.count("TRUE") + words.count("FALSE")
    if decided < options.at_least:
        print(f"decided are {decided}, fewer than {options.at_least}")
    counts = ", ".join(f"{word} {words.count(word)}" for word in tools.CODES)
    print(f"hidden: {len(words)} tasks, {counts}, {wrong} wrong; {len(rows) - len(words)} files left alone")
    sys.exit(1 if wrong or decided < options.at_least or not paths else 0)


if __name__ == "__main__":
    main()
