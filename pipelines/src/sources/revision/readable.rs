//! What a program may be made of: folders and files, wherever symbolic links lead.
//!
//! Does not know what a text names, nor how it is read.

use std::path::{Path, PathBuf};

use formats::shown;
use miette::miette;

use crate::sources::git::{Repository, Revision};

/// Where the headers of the system are, which every program may be made of.
const OF_THE_SYSTEM: [&str; 3] = ["/usr", "/opt", "/nix/store"];
/// Arguments of the user with a folder or file.
const PATH_FLAGS: [&str; 7] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot=", "-I"];

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
