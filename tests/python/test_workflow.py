"""The Snakemake workflow on two cores: results, going on after a change, and a task that cannot be read."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
WORKFLOW = CHECKOUT / "pipelines" / "workflow"
SMOKE = CHECKOUT / "benchmarks" / "tasks" / "smoke"
sys.path.insert(0, str(CHECKOUT / "benchmarks"))

import results  # noqa: E402 (the path comes first)

DEFINITION = """format_version: '2.0'
input_files: {name}-modified.c
required_files: {name}-original.c
properties:
  - property_file: no-regression.prp
    expected_verdict: {verdict}
options:
  data_model: ILP32
  difference_verification:
    original_input_file: {name}-original.c
"""


def change(folder, name, original, modified, verdict):
    """Writes a change into a folder."""
    (folder / f"{name}-original.c").write_text(original)
    (folder / f"{name}-modified.c").write_text(modified)
    (folder / f"{name}.yml").write_text(DEFINITION.format(name=name, verdict=verdict))


class Workflow(unittest.TestCase):
    """One set of its own: a regression, a program that is no C, and a program without an original."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        original = (SMOKE / "queue-original.c").read_text()
        change(self.folder, "queue", original, (SMOKE / "queue-overfull.c").read_text(), "false")
        change(self.folder, "broken", original, original + "int oops(\n", "true")
        (self.folder / "some.set").write_text(f"queue.yml\nbroken.yml\n{SMOKE / 'midpoint.yml'}\n")

    def snakemake(self, *flags):
        """Runs the workflow; returns what Snakemake printed."""
        command = [Path(sys.executable).parent / "snakemake", "--snakefile", WORKFLOW / "Snakefile", "--directory",
                   self.folder / "work", "--cores", "2", "--config", f"set={self.folder / 'some.set'}",
                   f"out={self.folder / 'out'}", "limit=20", "configs=diffdp,reduce,verify", *flags]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr

    def test_runs_goes_on_and_isolates_failures(self):
        self.snakemake()
        rows = {(row["config"], row["task"]): row for row in results.load(self.folder / "out")}
        self.assertEqual({key: row["verdict"] for key, row in rows.items()}, {
            ("diffdp", "queue"): "FALSE", ("reduce", "queue"): "FALSE", ("verify", "queue"): "FALSE",
            ("diffdp", "broken"): "UNKNOWN", ("reduce", "broken"): "UNKNOWN", ("verify", "broken"): "UNKNOWN",
            ("verify", "midpoint"): "FALSE"})
        self.assertEqual(rows["reduce", "broken"]["reason"], "diffdp exited with 2")
        self.assertIn("broken-modified.c", rows["reduce", "broken"]["message"])
        self.assertEqual({row["confirmed"] for row in rows.values() if row["verdict"] == "FALSE"}, {"yes"})
        queue = rows["reduce", "queue"]
        self.assertEqual((queue["indicators"], queue["condition_states"]), ("4", "3"))
        total = sum(float(queue[f"cpu_{stage}"]) for stage in results.STAGES)
        self.assertAlmostEqual(float(queue["cpu_total"]), total, places=2)
        self.assertTrue((self.folder / "out" / "summary.md").exists())

        self.assertIn("Nothing to be done", self.snakemake())
        # A repaired program: its stages run again, those of the others do not.
        change(self.folder, "broken", *[(SMOKE / "queue-original.c").read_text()] * 2, "true")
        again = self.snakemake("--dry-run")
        self.assertIn("broken-modified.c", again)
        self.assertNotIn("queue-modified.c", again)
        self.assertNotIn("midpoint.c", again)

    def test_profile_for_clusters_is_understood(self):
        import yaml
        profile = yaml.safe_load((WORKFLOW / "profiles" / "slurm" / "config.yaml").read_text())
        listed = subprocess.run([Path(sys.executable).parent / "snakemake", "--snakefile", WORKFLOW / "Snakefile",
                                 "--directory", self.folder / "work", "--list-rules"], capture_output=True, text=True)
        rules = set(listed.stdout.split())
        self.assertLessEqual(set(profile["groups"]), rules, listed.stderr)


if __name__ == "__main__":
    unittest.main()
