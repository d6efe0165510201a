//! Folders that this tool fills: what is in them is its own, and nothing else is ever touched.
//!
//! A folder that `--out` names is new, empty, or has a marker that an earlier run left. Below it no symbolic link is
//! followed.
//! Does not know what is written into a folder.

use std::path::{Path, PathBuf};

use console::{FolderError, Held, refuse_link};
use formats::shown;
use miette::{Context, IntoDiagnostic, miette};

use super::artifacts;

/// The file that says whose folder it is.
const MARKER: &str = ".residue-output";

/// The folder `--out` names, as stages can be told of it: made if it is not there, with the marker in it, and nobody else's as long as
/// it is held.
///
/// The inner error says why nothing can be written there.
///
/// # Errors
/// If it has files and no marker, is no folder, or another run fills it.
pub(crate) fn claim(folder: &Path) -> miette::Result<Result<(PathBuf, Held), String>> {
    // A name that begins with a dash would be an option for the stages.
    let folder = if folder.to_string_lossy().starts_with('-') { Path::new(".").join(folder) } else { folder.to_owned() };
    if folder.to_str().is_none_or(|name| name.chars().any(char::is_control)) {
        return Err(miette!(
            help = "name another folder",
            "{}: the name of the folder has control characters",
            shown::name(&folder)
        ));
    }
    match console::claim(&folder, MARKER, "residue check --out") {
        Ok(held) => Ok(Ok((folder, held))),
        Err(FolderError::Unwritable { source, .. }) => Ok(Err(source.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Makes the folder of a unit below `root` and removes what an earlier check left there.
///
/// # Errors
/// If a symbolic link is on the way to it or in it: it could lead anywhere.
pub(crate) fn enter(root: &Path, folder: &Path) -> miette::Result<()> {
    let inside = folder.strip_prefix(root).unwrap_or(Path::new(""));
    let mut way = root.to_owned();
    for component in inside {
        way.push(component);
        refuse_link(&way)?;
    }
    make(folder)?;
    artifacts::clear(folder)?;
    without_links(folder)
}

/// Checks that there is no symbolic link in a folder.
fn without_links(folder: &Path) -> miette::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_diagnostic()?.filter_map(Result::ok) {
            refuse_link(&entry.path())?;
            folders.extend(entry.file_type().is_ok_and(|kind| kind.is_dir()).then(|| entry.path()));
        }
    }
    Ok(())
}

pub(crate) fn make(folder: &Path) -> miette::Result<()> {
    std::fs::create_dir_all(folder).into_diagnostic().wrap_err_with(|| format!("cannot make {}", shown::name(folder)))
}

/// Checks that none of the `inputs` is in the folder, where it would be replaced or removed.
///
/// # Errors
/// If one is.
pub(crate) fn is_apart<'a>(folder: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> miette::Result<()> {
    let Ok(folder) = std::fs::canonicalize(folder) else { return Ok(()) };
    for input in inputs {
        if std::fs::canonicalize(input).is_ok_and(|file| file.starts_with(&folder)) {
            return Err(miette!(
                help = "name another folder for --out",
                "{}: is in the folder that --out names and would be replaced",
                shown::name(input)
            ));
        }
    }
    Ok(())
}
