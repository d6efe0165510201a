//! What a program may be made of: folders and files, wherever symbolic links lead.
//!
//! Does not know what a text names, nor how it is read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use formats::shown;
use miette::miette;

use super::Reader;
use crate::sources::command_flags::normalised;
use crate::sources::git::{Repository, Revision};

/// Where the headers of the system are, which every program may be made of.
const OF_THE_SYSTEM: [&str; 3] = ["/usr", "/opt", "/nix/store"];
/// Arguments of the user with a folder or file.
const PATH_FLAGS: [&str; 8] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot=", "-I"];

/// What a program of a revision may be made of: the checkout, the repository around what git does not know, the system's
/// headers, and what the user names. The first two are the repository's own.
pub(super) fn readable(repository: &Repository, revision: &Revision, preprocessor: &[String]) -> Vec<PathBuf> {
    readable_folders([revision.tree.clone(), repository.top.clone()], &repository.here, preprocessor)
}

/// `own` folders, those of the system, and those that the user's arguments name relative to `here`; with links resolved.
pub(crate) fn readable_folders(own: [PathBuf; 2], here: &Path, preprocessor: &[String]) -> Vec<PathBuf> {
    let system = OF_THE_SYSTEM.map(PathBuf::from);
    let value = |argument: &String| {
        let joined = PATH_FLAGS.iter().find_map(|flag| argument.strip_prefix(flag));
        here.join(joined.unwrap_or(argument))
    };
    let named = preprocessor.iter().filter(|argument| !argument.starts_with("-D") && !argument.starts_with("-U")).map(value);
    own.into_iter().chain(system).chain(named).filter_map(|path| std::fs::canonicalize(path).ok()).collect()
}

impl Reader<'_> {
    /// Whether arguments of the user name a folder or file that is neither in the repository nor of the system.
    pub(in crate::sources) fn is_led_out(&self) -> bool {
        let own = [&self.repository.top, &self.revision.tree];
        let is_known = |path: &PathBuf| {
            own.iter().any(|folder| path.starts_with(folder)) || OF_THE_SYSTEM.iter().any(|system| path.starts_with(system))
        };
        self.readable.iter().any(|path| !is_known(path))
    }

    /// Whether a file that a program is made of is one that the revision has, as it has it, or one that git does not know: a
    /// header of a build may lead to the files of the working tree, which are those of one revision at most.
    pub(super) fn is_of_revision(&self, file: &Path) -> bool {
        if self.revision.is_working_tree() {
            return true;
        }
        let known = || self.found_own.lock().unwrap_or_else(PoisonError::into_inner);
        if known().contains(file) {
            return true;
        }
        let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let is_own = [normalised(file), real].iter().all(|place| self.is_as_in_revision(place));
        known().extend(is_own.then(|| file.to_owned()));
        is_own
    }

    fn is_as_in_revision(&self, place: &Path) -> bool {
        // The checkout may lie in the repository.
        let inside = place.strip_prefix(&self.repository.top).ok().filter(|_| !place.starts_with(&self.revision.tree));
        let Some(inside) = inside else { return true };
        let is_listed = |files: &BTreeSet<String>| inside.to_str().is_some_and(|inside| files.contains(inside));
        let listed = [Some(&self.revision.files), self.revision.strangers.get()];
        let is_known = listed.into_iter().flatten().any(is_listed) || self.repository.tracks(place);
        let bytes = |file: &Path| std::fs::read(file).ok();
        let own = bytes(&self.revision.tree.join(inside));
        !is_known || own.is_some() && own == bytes(place)
    }

    /// The error about a file for which [`Reader::is_of_revision`] is not so.
    pub(super) fn of_another_revision(&self, file: &Path) -> miette::Report {
        let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        let inside = real.strip_prefix(&self.repository.top).unwrap_or(&real);
        miette!(
            help = "what includes it leads into the working tree: let it name the header without a folder, and name the folder with -I",
            "the program includes {} of the working tree, which is not that of {}",
            shown::one_line(&inside.to_string_lossy()),
            shown::one_line(&self.revision.name)
        )
    }
}

pub(super) fn is_of_the_system(folder: &str) -> bool {
    OF_THE_SYSTEM.iter().any(|system| Path::new(folder).starts_with(system))
}

/// Whether a file is one of these or in one of these folders, wherever symbolic links lead.
pub(crate) fn is_below(folders: &[PathBuf], file: &Path) -> bool {
    std::fs::canonicalize(file).is_ok_and(|file| folders.iter().any(|folder| file.starts_with(folder)))
}

pub(super) fn outside(file: &str) -> miette::Report {
    miette!(
        help = "if the program may read it, name its folder with -I on the command line",
        "the program includes {}, which is not in the repository",
        shown::one_line(file)
    )
}
