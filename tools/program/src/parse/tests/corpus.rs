//! All task programs, and those of the project.

use std::path::{Path, PathBuf};

use super::super::parse;
use crate::preprocess::read_source;

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
    let mut files = gate::own_programs();
    if let Some(folder) = gate::shared("tasks/programs") {
        collect(&folder, &mut files);
        assert!(files.len() >= 900, "only {} programs", files.len());
    }
    for path in files {
        let outcome = read_source(&path, &formats::ProgramOptions::default());
        let outcome = outcome.and_then(|source| parse(&source));
        assert!(outcome.is_ok(), "{}", outcome.unwrap_err());
    }
}
