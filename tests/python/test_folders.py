"""Which folders the benchmark runner empties; needs nothing but Python."""
import tempfile
import unittest
from pathlib import Path

import bench


class Folders(unittest.TestCase):
    """What `bench.py --out` takes."""

    def test_a_folder_of_others_is_not_emptied(self):
        with tempfile.TemporaryDirectory() as name:
            theirs = Path(name) / "theirs"
            theirs.mkdir()
            precious = theirs / "precious"
            precious.write_text("mine")
            link = Path(name) / "link"
            link.symlink_to(theirs)
            marker = theirs / bench.MARKER
            for folder in (theirs, link, precious):
                with self.assertRaises(SystemExit):
                    bench.claim(folder)
            marker.symlink_to(precious)
            with self.assertRaises(SystemExit):
                bench.claim(theirs)
            self.assertEqual(precious.read_text(), "mine")

    def test_a_folder_of_an_earlier_run_is_emptied(self):
        with tempfile.TemporaryDirectory() as name:
            for folder in (Path(name) / "new", Path(name)):
                with self.subTest(folder=folder):
                    if folder == Path(name):
                        (folder / "new" / "old").write_text("x")
                        folder = folder / "new"
                    bench.claim(folder)
                    self.assertEqual(sorted(path.name for path in folder.iterdir()), [bench.MARKER, "results"])


if __name__ == "__main__":
    unittest.main()
