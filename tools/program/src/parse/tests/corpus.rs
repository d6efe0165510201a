//! All task programs.

use std::path::{Path, PathBuf};

use super::super::parse;
use crate::preprocess::read_source;

/// The folder of the shared tasks, if it is there.
fn programs() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("RESIDUE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let folder = shared.join("tasks/programs");
    folder.is_dir().then_some(folder)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            files.push(path);
        }
    }
}

#[test]
fn every_task_program_is_read() {
    let Some(folder) = programs() else {
        eprintln!("skipped: no task programs, set RESIDUE_SHARED");
        return;
    };
    let mut files = Vec::new();
    collect(&folder, &mut files);
    assert!(files.len() >= 900, "only {} programs", files.len());
    for path in files {
        let outcome = read_source(&path, &formats::ProgramOptions::default());
        let outcome = outcome.and_then(|source| parse(&source));
        assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }
}
