//! The gate that every skipped test passes, and the tasks and tools that tests may have to do without.
//!
//! Tests of all crates use it, so it depends on nothing. Tasks lie in the folder that `RESIDUE_SHARED` names (default:
//! `../shared` beside the checkout).

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the checkout.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}

/// The build folder.
#[must_use]
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// A folder or file of the tasks, or `None` (recorded as skipped) where the tasks are missing.
#[must_use]
pub fn shared(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("RESIDUE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let wanted = folder.join(path);
    if wanted.exists() {
        return Some(wanted);
    }
    skip(&format!("tasks are missing: {path} (set RESIDUE_SHARED)"));
    None
}

/// Whether a program can be run; recorded as skipped if not.
#[must_use]
pub fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_err() {
        skip(&format!("{program} is missing"));
    }
    found.is_ok()
}

/// The C programs that come with the project and that every tool reads: without the task folder they stand for it.
///
/// # Panics
/// If they are not there.
#[must_use]
pub fn own_programs() -> Vec<PathBuf> {
    let files = |folder: &str| {
        let entries = fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "c")).collect::<Vec<_>>()
    };
    let mut found = [files("benchmarks/tasks/smoke"), files("pipelines/demo")].concat();
    found.sort();
    assert!(found.len() > 5, "the programs of the project are missing");
    found
}

/// Records that a test was skipped and why, once per reason.
pub fn skip(reason: &str) {
    let file = target().join("skipped.txt");
    let line = format!("skipped: {reason}\n");
    #[expect(clippy::print_stderr, reason = "who runs one test alone should see it")]
    {
        eprint!("{line}");
    }
    if fs::read_to_string(&file).is_ok_and(|text| text.contains(&line)) {
        return;
    }
    let opened = fs::OpenOptions::new().create(true).append(true).open(file);
    // A message that cannot be kept was at least printed.
    let _ = opened.and_then(|mut f| f.write_all(line.as_bytes()));
}
