"""Counts of answers, wrong ones with their programs, and what was judged already: a run can go on where it stopped."""
import collections
import csv
import sys


class Record:
    """What came out so far; kept in a folder, if there is one."""

    def __init__(self, folder, name, tools):
        self.folder, self.name, self.done = folder, name, set()
        self.counts, self.complaints = collections.Counter(), []
        if not (tools / "verify").exists():
            sys.exit(f"error: {tools} has no built tools (make build)")
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            self.table = folder / f"{name}.csv"
            if self.table.exists():
                with open(self.table, newline="") as file:
                    for kind, key, value in csv.reader(file):
                        if kind == "done":
                            self.done.add(key)
                        elif kind == "wrong":
                            self.complaints.append(f"{key}: {value}")
                        else:
                            self.counts[key, kind] += int(value)
        self.rows = []

    def count(self, what, word):
        """One more answer."""
        word = word if word in ("TRUE", "FALSE", "UNKNOWN") else "no verdict"
        self.counts[what, word] += 1
        self.rows.append([word, what, 1])

    def wrong(self, name, complaint, texts):
        """A wrong answer; the programs are kept."""
        print(f"wrong: {name}: {complaint}", file=sys.stderr, flush=True)
        self.complaints.append(f"{name}: {complaint}")
        self.rows.append(["wrong", name, complaint])
        if self.folder:
            stem = name.replace(" ", "-").replace("(", "").replace(")", "")
            for kind, text in zip(("modified",) if len(texts) == 1 else ("original", "modified"), texts, strict=True):
                (self.folder / f"{stem}.{kind}.c").write_text(text)

    def finish(self, keys):
        """These are judged: what was counted since is written down with them, added up."""
        added = collections.Counter()
        for kind, what, value in self.rows:
            if kind != "wrong":
                added[kind, what] += value
        rows = [row for row in self.rows if row[0] == "wrong"]
        rows += [[kind, what, value] for (kind, what), value in sorted(added.items())]
        rows += [["done", key, ""] for key in keys]
        self.rows = []
        if self.folder:
            with open(self.table, "a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)

    def report(self):
        """Says what came out; the exit code."""
        for what in sorted({what for what, _ in self.counts}):
            words = ", ".join(f"{word} {self.counts[what, word]}" for word in ("TRUE", "FALSE", "UNKNOWN", "no verdict")
                              if self.counts[what, word])
            print(f"{self.name}: {what}: {words}")
        print(f"{self.name}: {len(self.complaints)} wrong")
        return 1 if self.complaints else 0
