"""The judges can fail: tools that always give the same answer are found out, and what is judged is of both kinds."""
import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
JUDGES = CHECKOUT / "tests" / "judges"
sys.path.insert(0, str(JUDGES))

import code_tree  # noqa: E402 (the path comes first)
import hidden  # noqa: E402
import judged  # noqa: E402
import pairs  # noqa: E402
from generator import Generator  # noqa: E402

ARTIFACT = 'while [ "$1" != -o ]; do shift; done; echo x > "$2"'


class Judges(unittest.TestCase):
    """Tools with a fixed answer."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def tools(self, answer, code):
        for name, script in (("verify", f"echo '{answer}'; exit {code}"), ("diffdp", ARTIFACT), ("diffcond", ARTIFACT),
                             ("condgen", ARTIFACT)):
            (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.folder / name).chmod(0o755)

    def judge(self, script, *arguments):
        command = [sys.executable, JUDGES / script, "--bin", self.folder, "--jobs", "2", *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def test_fixed_answers_are_wrong(self):
        names = ["loops_nested_leave", "pair_initialiser", "pair_comment"]
        for answer, code, fine in (("TRUE", 0, False), ("FALSE(unreach-call)", 1, False), ("UNKNOWN(budget)", 3, True),
                                   ("TRUE", 1, False), ("UNKNOWN(internal)", 101, False)):
            self.tools(answer, code)
            scripts = [("judged.py", names), ("hidden.py", ["--each", "4", *names])] + ([("pairs.py", ["--count", "10"])] if code < 3 and answer != "TRUE" else [])
            for script, arguments in scripts:
                ran = self.judge(script, *arguments)
                self.assertEqual(ran.returncode == 0, fine, f"{script} {answer}: {ran.stdout}{ran.stderr}")

    def test_what_is_not_decided_is_lost(self):
        self.tools("UNKNOWN(budget)", 3)
        floor = self.folder / "floor.csv"
        floor.write_text("task,answer,steps\nloops_nested_leave.check,TRUE,100\n")
        ran = self.judge("judged.py", "--floor", floor, "loops_nested_leave")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("lost: loops_nested_leave.check", ran.stdout)

    def test_too_few_decisions_are_found(self):
        self.tools("UNKNOWN(budget)", 3)
        ran = self.judge("hidden.py", "--each", "2", "--at-least", "1", "loops_nested_leave")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("fewer than 1", ran.stdout)

    def hide(self, text, **options):
        path = self.folder / "program.c"
        path.write_text(text)
        build = {"driver": judged.build_driver(self.folder, hidden.DRIVER), "flags": [], "way": "sum", "half": 0, **options}
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        return hidden.hide(path, work, argparse.Namespace(**build))

    def test_constants_are_hidden_where_gcc_allows_it_and_the_ends_are_the_same(self):
        found = self.hide("""#include "judged.h"
#define FOUR 4 /* 4 */
enum { FIVE = 5 };
static char text[8] = "6";
int main(void) {
  int *none = 0;
  switch (input()) { case 3: CHECK(__builtin_constant_p(9) && !none); }
  CHECK(sizeof 'x' == FOUR);
  CHECK(text[0] == '6' && 0x10u == 1.6e+1); END; }
""")
        self.assertEqual(found.text, """#include "judged.h"
#define FOUR (4 + hidden_input) /* 4 */
enum { FIVE = 5 };
static char text[8] = "6";
int main(void) { hide_input();
  int *none = 0;
  switch (input()) { case 3: CHECK(__builtin_constant_p(9) && !none); }
  CHECK(sizeof ('x' + hidden_input) == FOUR);
  CHECK(text[(0 + hidden_input)] == ('6' + hidden_input) && (0x10u + hidden_input) == (1.6e+1 + hidden_input)); END; }
""")
        self.assertEqual(found.ends, {"check": "f" * 16, "end": "e" * 16})

    def test_each_way_of_hiding_keeps_the_ends(self):
        text = (judged.FOLDER / "shifts.c").read_text()
        for way in hidden.WAYS:
            self.assertGreater(self.hide(text, way=way).text.count("hidden_"), 4, way)
        whole, half = (self.hide(text, half=half).text.count("hidden_") for half in (0, 1))
        self.assertLess(half, whole)
        with self.assertRaises(hidden.Alone):
            self.hide('#include "judged.h"\nint main(void) { END; }\n')

    def test_a_run_goes_on_where_it_stopped(self):
        self.tools("TRUE", 0)
        out = self.folder / "out"
        first = self.judge("pairs.py", "--count", "20", "--out", out)
        again = self.judge("pairs.py", "--count", "20", "--out", out)
        self.assertEqual((first.returncode, again.returncode), (1, 1))
        self.assertEqual(first.stdout, again.stdout)
        self.assertEqual(again.stderr, "")
        self.assertTrue(list(out.glob("*.modified.c")))

    def test_random_pairs_are_of_both_kinds_and_always_the_same(self):
        texts = [Generator(7).program().text() for _ in range(2)]
        self.assertEqual(texts[0], texts[1])
        found = [pair for first in (1, 21) for pair in pairs.pairs_of(range(first, first + 20), self.folder)]
        regressions = sum(pair.is_regression for pair in found)
        safe = sum(not pair.violates for pair in found)
        self.assertGreater(regressions, 5, f"of {len(found)}")
        self.assertGreater(safe, 10, f"of {len(found)}")

    def test_a_change_changes_one_place(self):
        generator = Generator(3)
        program = generator.program()
        kinds = set()
        for _ in range(60):
            changed = code_tree.change(generator.rng, program)
            if changed:
                self.assertNotEqual(changed[0].text(), program.text())
                kinds.add(changed[1])
        self.assertEqual(kinds, {"choice", "binary", "remove", "insert"})

    def test_own_programs_are_of_every_kind(self):
        files = list(judged.FOLDER.glob("*.c"))
        kinds = {file.stem.removeprefix("pair_").split("_")[0] for file in files}
        for kind in ("attribute", "pragma", "builtin", "specifier", "asm", "library", "variadic", "bitfield", "union", "flexible",
                     "vla", "static", "goto", "switch", "statement", "designated", "enum", "kr", "generic", "float", "integer",
                     "shifts", "string", "memory", "recursion", "function", "struct", "compound", "pointer", "volatile", "complex",
                     "vector", "lexer", "literals", "large"):
            self.assertIn(kind, kinds)
        self.assertGreater(len(files), 150)


if __name__ == "__main__":
    unittest.main()
