//! Every trap pair gets its expected answer from the whole pipeline with `diffdp`, natively and through the residual
//! program; with `diffcond` the unsafe ones are never answered TRUE.

use std::fs;
use std::path::{Path, PathBuf};

use residue_tests::{Ran, run, shared};

struct Trap {
    id: String,
    original: PathBuf,
    modified: PathBuf,
    expected: String,
}

fn traps() -> Option<Vec<Trap>> {
    let folder = shared("oracle")?;
    let index = fs::read_to_string(folder.join("INDEX.csv")).unwrap();
    let rows = index.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let traps = rows.filter(|fields| fields[0] == "pitfalls" || is_reference(fields));
    Some(
        traps
            .map(|fields| Trap {
                id: fields[1].to_owned(),
                original: folder.join(fields[2]),
                modified: folder.join(fields[3]),
                expected: (*fields.iter().find(|f| f.starts_with("SAFE") || **f == "UNSAFE").unwrap()).to_owned(),
            })
            .collect(),
    )
}

/// The reference pairs with an answer that this pipeline can give (the others have another specification or format).
fn is_reference(fields: &[&str]) -> bool {
    fields[0] == "cpachecker" && ["T1a", "T1b", "T2", "A1", "A2"].contains(&fields[1])
}

fn check(trap: &Trap, detector: &str, via: &str, out: &Path) -> Ran {
    let paths = [out, &trap.original, &trap.modified].map(|p| p.to_str().unwrap());
    let options = ["check", "--detector", detector, "--via", via, "--budget", "30", "--out"];
    run("residue", options.into_iter().chain(paths), Path::new(".")).unwrap()
}

/// Whether `verdict` is the expected answer; for the reference pairs only the opposite one is wrong.
fn is_right(trap: &Trap, verdict: &str) -> bool {
    let pitfall = trap.id.starts_with('p');
    let violated = verdict.starts_with("FALSE");
    match trap.expected.as_str() {
        "SAFE" if pitfall => verdict == "TRUE",
        text if text.starts_with("SAFE or UNSAFE") => violated || verdict == "TRUE",
        text if text.starts_with("SAFE") => !violated,
        "UNSAFE" if trap.id.starts_with("p56") => violated || verdict == "UNKNOWN(recursion)",
        "UNSAFE" if pitfall => violated,
        "UNSAFE" => verdict != "TRUE",
        other => panic!("{}: unexpected answer in the index: {other}", trap.id),
    }
}

fn is_wrong(trap: &Trap, verdict: &str) -> bool {
    (trap.expected == "UNSAFE" && verdict == "TRUE") || (trap.expected == "SAFE" && verdict.starts_with("FALSE"))
}

fn check_all(detector: &str, via: &str) {
    let Some(traps) = traps() else { return };
    assert!(traps.len() > 30, "the index was not understood");
    let out = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for trap in &traps {
        let ran = check(trap, detector, via, &out.path().join(&trap.id));
        let verdict = ran.last_line();
        let right = if detector == "diffdp" { is_right(trap, verdict) } else { !is_wrong(trap, verdict) };
        if !right || !matches!(ran.code, 0 | 1 | 3) {
            let Trap { id, expected, .. } = trap;
            failures.push(format!("{id}: expected {expected}, got {verdict} (exit {})\n{}", ran.code, ran.stderr));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), traps.len(), failures.join("\n"));
}

#[test]
fn the_native_pipeline_answers_every_trap() {
    check_all("diffdp", "native");
}

#[test]
fn the_pipeline_through_the_residual_program_answers_every_trap() {
    check_all("diffdp", "reduce");
}

#[test]
fn syntactic_detection_is_never_wrong_on_a_trap() {
    check_all("diffcond", "native");
}
