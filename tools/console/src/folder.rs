//! Folders that a tool fills: what is in them is its own, and nothing else is ever touched.
//!
//! Such a folder is new, empty, or has a marker that an earlier run left. Two runs never fill it at the same time.
//! Does not know what is written into a folder.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

use formats::shown;

/// Why a folder is not filled.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum FolderError {
    /// The operating system refuses.
    #[error("{name}: cannot be filled: {source}")]
    #[diagnostic(help("name a folder that can be written"))]
    Unwritable {
        /// The folder.
        name: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// What is there cannot be told.
    #[error("{name}: cannot be read: {source}")]
    Unreadable {
        /// The folder.
        name: String,
        /// What the operating system says.
        source: io::Error,
    },
    /// The marker is no file.
    #[error("{name}: is not what this tool has left there")]
    Marker {
        /// The marker.
        name: String,
    },
    /// It has files of others.
    #[error("{name}: has files in it that `{whose}` has not left there ({marker} is missing)")]
    #[diagnostic(help("name a new or empty folder; one of an earlier version has no such mark: remove it yourself"))]
    Foreign {
        /// The folder.
        name: String,
        /// The command that fills it.
        whose: &'static str,
        /// The name of the marker.
        marker: &'static str,
    },
    /// Another run has not ended.
    #[error("{name}: another run is filling it")]
    #[diagnostic(help("wait until it has ended, or name another folder"))]
    Held {
        /// The folder.
        name: String,
    },
    /// A link leads elsewhere.
    #[error("{name}: is a symbolic link, which this tool has not made")]
    #[diagnostic(help("remove it, or name another folder"))]
    Link {
        /// The link.
        name: String,
    },
}

/// A folder that no other run fills as long as this lives. The operating system ends it with the process, however that ends.
#[derive(Debug)]
#[must_use]
pub struct Held {
    _lock: File,
}

/// Makes a folder the own one of a command, as long as the answer lives: it is made if it is not there, and the file `marker` says
/// whose it is.
///
/// # Errors
/// [`FolderError`] if it has files and no marker, is no folder, cannot be written, or another run fills it.
pub fn claim(folder: &Path, marker: &'static str, whose: &'static str) -> Result<Held, FolderError> {
    mark(folder, marker, whose)?;
    let file = folder.join(marker);
    // File systems of other machines lock only what is open for writing.
    let lock = File::options().read(true).write(true).open(&file).or_else(|_| File::open(&file));
    let held = lock.and_then(held).map_err(|source| FolderError::Unwritable { name: shown::name(folder), source })?;
    held.ok_or_else(|| FolderError::Held { name: shown::name(folder) })
}

/// Keeps other runs from filling a folder of the user that has no marker, where the file system can lock folders.
///
/// # Errors
/// [`FolderError::Held`] if one does.
pub fn hold(folder: &Path) -> Result<Option<Held>, FolderError> {
    match File::open(folder).and_then(held) {
        Ok(None) => Err(FolderError::Held { name: shown::name(folder) }),
        Ok(held) => Ok(held),
        Err(_) => Ok(None),
    }
}

/// Locks a file or folder; nothing if another run has done so.
fn held(lock: File) -> io::Result<Option<Held>> {
    match lock.try_lock() {
        Ok(()) => Ok(Some(Held { _lock: lock })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn mark(folder: &Path, marker: &'static str, whose: &'static str) -> Result<(), FolderError> {
    let name = || shown::name(folder);
    let unwritable = |source| FolderError::Unwritable { name: name(), source };
    let unreadable = |source| FolderError::Unreadable { name: name(), source };
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let file = folder.join(marker);
    let is_marked = || match std::fs::symlink_metadata(&file) {
        Ok(metadata) if metadata.is_file() => Ok(true),
        Ok(_) => Err(FolderError::Marker { name: shown::name(&file) }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(unreadable(error)),
    };
    if is_marked()? {
        return Ok(());
    }
    if std::fs::read_dir(folder).map_err(unreadable)?.next().is_some() {
        // Another run may have left its mark meanwhile.
        return if is_marked()? { Ok(()) } else { Err(FolderError::Foreign { name: name(), whose, marker }) };
    }
    let text = format!("Everything in this folder is written, replaced and removed by `{whose}`.\n");
    std::fs::write(&file, text).map_err(unwritable)
}

/// Checks that a path is no symbolic link: it could lead anywhere.
///
/// # Errors
/// [`FolderError::Link`] if it is one.
pub fn refuse_link(path: &Path) -> Result<(), FolderError> {
    if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(FolderError::Link { name: shown::name(path) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_and_empty_folders_are_filled() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("theirs")).unwrap();
        std::fs::write(path("theirs/notes"), "mine").unwrap();
        for name in ["new", "new", "a/b"] {
            let _held = claim(&path(name), ".mark", "tool").unwrap();
            assert!(matches!(claim(&path(name), ".mark", "tool"), Err(FolderError::Held { .. })), "{name}");
        }
        assert!(matches!(claim(&path("theirs"), ".mark", "tool"), Err(FolderError::Foreign { .. })));
        assert!(matches!(claim(&path("theirs/notes"), ".mark", "tool"), Err(FolderError::Unwritable { .. })));
        assert!(matches!(claim(&path("new"), ".other", "another"), Err(FolderError::Foreign { .. })));
        std::os::unix::fs::symlink(path("theirs"), path("link")).unwrap();
        assert!(matches!(refuse_link(&path("link")), Err(FolderError::Link { .. })));
        refuse_link(&path("new")).unwrap();
        let held = hold(&path("theirs")).unwrap();
        assert!(held.is_some() && matches!(hold(&path("theirs")), Err(FolderError::Held { .. })));
        std::fs::create_dir_all(path("odd/.mark")).unwrap();
        assert!(matches!(claim(&path("odd"), ".mark", "tool"), Err(FolderError::Marker { .. })));
    }
}
