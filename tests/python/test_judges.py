"""The judges can fail: tools that always give the same answer are found out, and what is judged is of both kinds."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
JUDGES = CHECKOUT / "tests" / "judges"
sys.path.insert(0, str(JUDGES))

import code_tree  # noqa: E402 (the path comes first)
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
            scripts = [("judged.py", names)] + ([("pairs.py", ["--count", "10"])] if code < 3 and answer != "TRUE" else [])
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
