//! What a revision's files include, with what they include of the working tree that git does not know: headers of a build; and
//! which of these hide files of a revision, so that its programs are made of others.
//!
//! Invariant: a file in which a change can be seen only through such a header is among those that are read, so that it can be
//! told where the header leads.
//! Does not know whether a program may be made of it.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::affected::{Includes, name_of};
use super::compiler::searched_anyway;
use super::git::{GitError, Repository, Revision};
use super::raw::is_of_the_library;

/// Larger files are no headers.
const LARGEST: u64 = 1 << 26;

/// What the files of a revision include, and what files do that have a name they include, or one of the `first`, and that only
/// the working tree has.
///
/// # Errors
/// If git cannot search or list them.
pub(crate) fn includes(repository: &Repository, revision: &Revision, first: &BTreeSet<String>) -> Result<Includes, GitError> {
    let mut all = repository.includes(revision)?;
    let mut rest: Vec<String> = repository.untracked()?.into_iter().filter(|path| !revision.files.contains(path)).collect();
    loop {
        let names = all.all_names();
        let is_named = |path: &String| names.contains(name_of(path)) || first.contains(name_of(path));
        let (found, others): (Vec<String>, Vec<String>) = rest.into_iter().partition(is_named);
        if found.is_empty() {
            return Ok(all);
        }
        found.iter().for_each(|path| add(&mut all, path, &repository.top.join(path)));
        rest = others;
    }
}

/// Takes down what a file includes; a link is as if it included the file it leads to.
fn add(all: &mut Includes, path: &str, file: &Path) {
    all.add_untracked(path);
    if let Ok(target) = std::fs::read_link(file) {
        let real = std::fs::canonicalize(file).unwrap_or_default();
        [target, real].iter().for_each(|target| all.add_name(path, &target.to_string_lossy()));
    }
    let is_file = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= LARGEST);
    match is_file.then(|| std::fs::read(file).ok()).flatten() {
        Some(bytes) => all.add_text(path, &String::from_utf8_lossy(&bytes)),
        None => all.add_computed(path),
    }
}

/// Files of the working tree that are none of a revision it is compared with, and may be found where that finds others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hiding {
    /// Them, ignored or new.
    pub(crate) files: BTreeSet<String>,
    /// Whether a name may lead through a folder of which git does not tell the files.
    pub(crate) is_anything: bool,
}

impl Hiding {
    /// What the working tree hides of a revision: nothing if `head` is not the working tree.
    ///
    /// A header of a build that the revision does not have at all is no difference: its programs cannot be made without, and
    /// whoever makes them has it. So only files count that have the name of a file of the revision or of one outside of the
    /// repository, and those that a text may do without.
    ///
    /// # Errors
    /// If git cannot list files.
    pub(crate) fn of(
        repository: &Repository,
        (base, head): (&Revision, &Revision),
        includes: [&Includes; 2],
        (laid, outside): (&[String], Vec<PathBuf>),
    ) -> Result<Self, GitError> {
        let mut found = Self::default();
        if !head.is_working_tree() || base.is_working_tree() {
            return Ok(found);
        }
        let names: BTreeSet<&str> = base.files.iter().map(|path| name_of(path)).collect();
        let included: BTreeSet<&str> = includes.iter().flat_map(|includes| includes.all_names()).collect();
        let asked: BTreeSet<&str> = includes.iter().flat_map(|includes| includes.asked()).collect();
        let others = repository.untracked()?.into_iter().filter(|path| !base.files.contains(path) && !laid.contains(path));
        let outside = LazyCell::new(|| outside.into_iter().chain(searched_anyway()).collect::<Vec<PathBuf>>());
        for path in others {
            let (is_folder, name) = (path.ends_with('/'), name_of(path.trim_end_matches('/')));
            let is_elsewhere = || included.contains(name) && (is_of_the_library(name) || is_outside(&path, &outside));
            if is_folder || repository.top.join(&path).is_dir() {
                found.is_anything |= includes.iter().any(|includes| includes.leads_through(name));
            } else if names.contains(name) || asked.contains(name) || is_elsewhere() {
                found.files.insert(path);
            }
        }
        // What is new is told by git, and no file of the other revision, wherever that is read.
        let new = found.files.iter().filter(|path| head.files.contains(*path)).cloned().collect();
        let _ = base.strangers.set(new);
        Ok(found)
    }
}

/// Whether a file of this name, with some of its folders or none, is in one of the folders outside of the repository where headers are.
fn is_outside(path: &str, folders: &[PathBuf]) -> bool {
    let ends = || std::iter::successors(Some(path), |rest| rest.split_once('/').map(|(_, rest)| rest));
    folders.iter().any(|folder| ends().any(|end| folder.join(end).is_file()))
}
