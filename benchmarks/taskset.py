"""Tasks and sets of tasks, with what is known about them.

A set file names one task per line; `#` starts a comment. A name is looked for beside the set file first, then in the
folder of tasks (`--shared`, default: RESIDUE_SHARED, then `../shared` beside the checkout):

* `….yml` with `format_version`: an SV-COMP task definition 2.0, of a change if it names the original in
  `options.difference_verification.original_input_file`;
* any other `….yml`: a pair file, also several (`real/*.yml`, in the order of their names);
* `programs/….c`: a program whose verdict `singles.csv` gives;
* `….csv`, with a word behind it if only the rows of this suite are meant: all rows of a table, looked for in the folder of
  tasks and above it. Its columns are `program, family, expected_verdict, data_model`, or those of pairs: `suite, id,
  original, modified, property, truth_original, truth_modified` and the expected answer.

Truths are the words `true`, `false` and, where nobody knows, the empty word.
"""
import csv
import dataclasses
import os
import re
import sys
from pathlib import Path

import chain

CHECKOUT = Path(__file__).resolve().parent.parent
PROPERTIES = CHECKOUT / "benchmarks" / "tasks" / "properties"


@dataclasses.dataclass
class Task:
    """A change or a program."""

    name: str
    family: str
    modified: Path
    model: str
    truth: str
    original: Path | None = None
    original_truth: str = ""
    regression: str = ""
    # `unreach-call` or `assert`.
    prop: str = "unreach-call"
    # What is cut off from places in rows, so that rows of different machines can be compared.
    folder: str = f"{CHECKOUT}/"

    @property
    def stem(self):
        """A short name: that of the file."""
        return Path(self.name).stem

    def expected(self, config):
        """What is asked and known: of plain verification the verdict, otherwise whether the change is a regression."""
        return self.truth if config in chain.ALONE else self.regression

    def outcome(self, config, verdict):
        """solved, unknown or wrong; unjudged where the truth is not known."""
        if verdict == "UNKNOWN":
            return "unknown"
        if verdict == "FALSE":
            return {"false": "solved", "true": "wrong"}.get(self.truth, "unjudged")
        if config in chain.ALONE:
            return {"true": "solved", "false": "wrong"}.get(self.truth, "unjudged")
        return {"false": "solved", "true": "wrong"}.get(self.regression, "unjudged")


def shared_folder():
    """Where tasks are that do not come with the project."""
    return Path(os.environ.get("RESIDUE_SHARED", CHECKOUT.parent / "shared"))


def tools_folder():
    """Where cargo has put the tools."""
    return CHECKOUT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"


def set_file(name):
    """The set file for a path, or for the name of a set that comes with the project."""
    path = Path(name)
    return path if path.suffix == ".set" else CHECKOUT / "benchmarks" / "sets" / f"{name}.set"


def read_set(path, shared):
    """The tasks of a set file, in its order."""
    lines = (line.split("#")[0].strip() for line in Path(path).read_text().splitlines())
    folder = (shared / "tasks").resolve()
    singles = {}
    tasks = []
    for name in filter(None, lines):
        beside = Path(path).parent / name
        if beside.exists():
            tasks.append(read_task(name, beside))
            continue
        if ".csv" in name:
            tasks += read_table(name, shared)
            continue
        if "*" in name:
            found = sorted(folder.glob(name))
            if not found:
                sys.exit(f"error: {folder} has no {name}")
            tasks += [read_task(str(file.relative_to(folder)), file, folder) for file in found]
            continue
        if name.endswith(".yml"):
            task = read_task(name, folder / name)
        else:
            singles = singles or read_singles(shared)
            row = singles[name]
            task = Task(name, row["family"], folder / name, row["data_model"], row["expected_verdict"])
        tasks.append(dataclasses.replace(task, folder=f"{folder}/"))
    return tasks


def by_stem(tasks):
    """The tasks by short name; ends the program if two tasks share one."""
    named = {}
    for task in tasks:
        if task.stem in named:
            sys.exit(f"error: {named[task.stem].name} and {task.name} have the same short name")
        named[task.stem] = task
    return named


def read_singles(shared):
    """What is known about stand-alone programs, by name."""
    with open(shared / "tasks" / "singles.csv") as file:
        return {row["program"]: row for row in csv.DictReader(file)}


def read_table(line, shared):
    """The tasks of a table, or of a suite of it."""
    name, _, suite = line.partition(" ")
    path = (shared / name).resolve()
    if not path.exists():
        sys.exit(f"error: {path} is missing (--shared or RESIDUE_SHARED names the folder)")
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file, restkey="more") if row.get("suite", "") in ("", suite) or not suite]
    if not rows:
        sys.exit(f"error: {path} has no suite {suite}")
    if "program" in rows[0]:
        return [Task(row["program"], row["family"], path.parent / row["program"], row["data_model"], row["expected_verdict"],
                     folder=f"{path.parent}/") for row in rows]
    return [table_pair(row, path.parent) for row in rows]


def table_pair(row, folder):
    """A pair of a table."""
    answer = row.get("expected") or row.get("expected_difference_verdict") or ""
    truth = {key: row[key] if row[key] in ("true", "false") else "" for key in ("truth_original", "truth_modified")}
    prop = Path(row["property"]).stem
    return Task(name=row["id"], family=row["suite"], modified=folder / row["modified"], original=folder / row["original"],
                model=row.get("data_model") or noted_model(row), truth=truth["truth_modified"], original_truth=truth["truth_original"],
                regression={"SAFE": "false", "UNSAFE": "true"}.get(answer, ""),
                prop=prop if prop in ("unreach-call", "assert") else "unreach-call", folder=f"{folder}/")


def noted_model(row):
    """The data model of a pair whose table has no column for it: LP64 unless its note is the name of another one."""
    return "ILP32" if (row.get("note") or "").upper() == "ILP32" else "LP64"


def read_task(name, path, folder=None):
    """A task definition or a pair file."""
    text = path.read_text()
    if re.search(r"^format_version:", text, re.M):
        return read_definition(name, path, text)
    fields = {key: value.strip('"') for key, value in re.findall(r"^(\w+):\s*(.*?)\s*$", text, re.M)}
    known = {key: fields.get(key, "") for key in ("truth_original", "truth_modified", "expected_regression")}
    known = {key: value if value in ("true", "false") else "" for key, value in known.items()}
    return Task(name=name, family=fields["family"], model=fields["data_model"],
                original=(path.parent / fields["original"]).resolve(),
                modified=(path.parent / fields["modified"]).resolve(),
                truth=known["truth_modified"], original_truth=known["truth_original"],
                regression=known["expected_regression"], prop=fields.get("property") or "unreach-call",
                folder=f"{folder or CHECKOUT}/")


def read_definition(name, path, text):
    """An SV-COMP task definition 2.0."""
    import yaml  # from the virtual environment of `make external`; pair files do without

    wire = yaml.safe_load(text)
    files = wire["input_files"]
    file = files if isinstance(files, str) else files[0]
    modified = (path.parent / file).resolve()
    verdicts = {Path(entry["property_file"]).stem: entry.get("expected_verdict") for entry in wire["properties"]}
    options = wire.get("options", {})
    change = options.get("difference_verification") or {}
    original = change.get("original_input_file")
    word = {True: "true", False: "false"}
    opposite = {True: "false", False: "true"}
    return Task(name=path.stem, family=path.stem.split("-")[0], modified=modified,
                model=options.get("data_model", "LP64"), truth=word.get(verdicts.get("unreach-call"), ""),
                original=(modified.parent / original).resolve() if original else None,
                original_truth=word.get(change.get("original_verdict"), ""),
                regression=opposite.get(verdicts.get("no-regression"), ""))
