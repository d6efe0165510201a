"""Raw results: one row per task and configuration, from our own runner or from BenchExec.

The rows are those of `raw.csv`; results of BenchExec (`*.results.*.xml`, also packed with bzip2 or gzip) are turned
into the same rows. Configurations of BenchExec are its run definitions.
"""
import bz2
import csv
import gzip
import re
from pathlib import Path
from xml.etree import ElementTree

COLUMNS = ["config", "task", "family", "expected", "verdict", "outcome", "reason", "cpu_detect", "cpu_condgen",
           "cpu_reduce", "cpu_verify", "cpu_total", "indicators", "condition_states", "confirmed", "message", "wall_total",
           "fault"]
STAGES = ["detect", "condgen", "reduce", "verify"]

# BenchExec's categories as our outcomes; verdicts for tasks whose truth is not known are missing there.
OUTCOMES = {"correct": "solved", "wrong": "wrong", "unknown": "unknown", "error": "unknown", "missing": "unjudged"}
OPENERS = {".bz2": bz2.open, ".gz": gzip.open, ".xml": open}


def load(folder):
    """All rows of a run folder; runs that produce artifacts instead of verdicts are left out."""
    folder = Path(folder)
    if (folder / "raw.csv").exists():
        with open(folder / "raw.csv") as file:
            return list(csv.DictReader(file))
    return [row for path in result_files(folder) for row in benchexec_rows(path)]


def result_files(folder):
    """The result files of BenchExec in a folder or its subfolder `results`."""
    found = [path for place in (folder, folder / "results") for path in place.glob("*.results.*")]
    return sorted(path for path in found if path.suffix in OPENERS and ".xml" in path.suffixes)


def write(rows, path):
    """Writes rows as `raw.csv`."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def benchexec_rows(path):
    """The rows of one result file of BenchExec."""
    with OPENERS[path.suffix](path, "rb") as file:
        root = ElementTree.parse(file).getroot()
    config = (root.get("name") or "").removesuffix("." + (root.get("block") or ""))
    rows = []
    for run in root.iter("run"):
        values = {column.get("title"): column.get("value", "") for column in run.iter("column")}
        if values.get("status") == "done":
            continue
        rows.append(benchexec_row(config, run, values))
    return rows


def benchexec_row(config, run, values):
    """One row from the columns of one run."""
    status = values.get("status", "")
    verdict = "FALSE" if status.startswith("false") else "TRUE" if status == "true" else "UNKNOWN"
    task = Path(run.get("name")).stem
    expected = run.get("expectedVerdict", "")
    if run.get("properties") == "no-regression":
        # Ours is the answer to: is it a regression?
        expected = {"true": "false", "false": "true"}.get(expected, "")
    row = dict.fromkeys(COLUMNS, "")
    row |= {f"cpu_{stage}": values.get(f"cpu-{stage}", "") for stage in STAGES}
    return row | {
        "config": config,
        "task": task,
        "family": re.split(r"-(?=[^-]*$)", task)[0],
        "expected": expected,
        "verdict": verdict,
        "outcome": OUTCOMES.get(values.get("category"), "unknown"),
        "reason": values.get("reason") or ("" if status in ("true", "unknown") or verdict == "FALSE" else status),
        "cpu_total": f"{float(values.get('cputime', '0').removesuffix('s')):.2f}",
        "indicators": values.get("indicators", ""),
        "condition_states": values.get("condition-states", ""),
        "message": values.get("about", ""),
    }


def from_records(config, task, records):
    """One row from the records that the stages of the workflow left, by stage and in their order."""
    row = dict.fromkeys(COLUMNS, "") | {"config": config, "task": task.name, "family": task.family,
                                        "expected": task.expected(config), "verdict": "UNKNOWN"}
    for stage, record in records.items():
        if record["failed"]:
            row["reason"] = record["failed"]
            row["message"] = row["message"] or record["message"]
        if record.get("skipped"):
            continue
        row[f"cpu_{stage}"] = f"{record['cpu']:.2f}"
        row |= {key: record[key] for key in ("verdict", "reason", "confirmed", "indicators", "condition_states")
                if key in record}
    row["reason"] = row["reason"].replace(task.folder, "")
    row["cpu_total"] = f"{sum(record['cpu'] for record in records.values()):.2f}"
    row["outcome"] = "wrong" if row["confirmed"] == "no" else task.outcome(config, row["verdict"])
    return row
