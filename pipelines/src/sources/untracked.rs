//! What a revision's files include, with what they include of the working tree that git does not know: headers of a build.
//!
//! Invariant: a file in which a change can be seen only through such a header is among those that are read, so that it can be
//! told where the header leads.
//! Does not know whether a program may be made of it.

use std::collections::BTreeSet;
use std::path::Path;

use super::affected::{Includes, name_of};
use super::git::{GitError, Repository, Revision};

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
