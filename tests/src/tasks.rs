//! Pairs of real programs that tasks name.

use std::fs;
use std::path::{Path, PathBuf};

use formats::ProgramOptions;
use formats::task::{PairTask, TaskFile};
use program::cfa::Cfa;

/// The task pairs with the files that name them: all with `RESIDUE_ALL_PAIRS`, else every eighth.
///
/// # Panics
/// If one cannot be read.
#[must_use]
pub fn pairs(tasks: &Path) -> Vec<(PathBuf, PairTask)> {
    let folders = fs::read_dir(tasks.join("pairs")).unwrap().map(|entry| entry.unwrap().path());
    let files =
        folders.filter(|path| path.is_dir()).flat_map(|path| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "yml")).collect();
    files.sort();
    let every = if std::env::var_os("RESIDUE_ALL_PAIRS").is_some() { 1 } else { 8 };
    let read = |file: PathBuf| match TaskFile::read(&fs::read(&file).unwrap(), &file.to_string_lossy()).unwrap() {
        TaskFile::Pair(pair) => (file, pair),
        TaskFile::Definition(_) => panic!("{} is no pair", file.display()),
    };
    files.into_iter().step_by(every).map(read).collect()
}

/// The original and the modified program of a pair, and how they are read.
///
/// # Errors
/// What the front end says.
pub fn programs(file: &Path, pair: &PairTask) -> Result<([Cfa; 2], ProgramOptions), String> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let options = ProgramOptions { data_model: pair.data_model, property: pair.property, ..ProgramOptions::default() };
    let read = |path: &Path| program::load(&folder.join(path), &options).map_err(|error| error.to_string());
    Ok(([read(&pair.original)?, read(&pair.modified)?], options))
}
