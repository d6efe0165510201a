//! Folders that this tool fills: what is in them is its own, and nothing else is ever touched.
//!
//! A folder that `--out` names is new, empty, or has a marker that an earlier run left. Below it no symbolic link is
//! followed.
//! Does not know what is written into a folder.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use formats::shown;
use miette::{Context, IntoDiagnostic, miette};

use super::artifacts;

/// The file that says whose folder it is.
const MARKER: &str = ".residue-output";
const MARKER_TEXT: &str = "Everything in this folder is written, replaced and removed by `residue check --out`.\n";

/// The folder `--out` names, as stages can be told of it: made if it is not there, with the marker in it.
///
/// The inner error says why nothing can be written there.
///
/// # Errors
/// If it has files and no marker, or is no folder.
pub(crate) fn claim(folder: &Path) -> miette::Result<Result<PathBuf, String>> {
    // A name that begins with a dash would be an option for the stages.
    let folder = if folder.to_string_lossy().starts_with('-') { Path::new(".").join(folder) } else { folder.to_owned() };
    let name = shown::name(&folder);
    if folder.to_str().is_none_or(|name| name.chars().any(char::is_control)) {
        return Err(miette!(help = "name another folder", "{name}: the name of the folder has control characters"));
    }
    if let Err(error) = make(&folder) {
        return Ok(Err(error.root_cause().to_string()));
    }
    let marker = folder.join(MARKER);
    match std::fs::symlink_metadata(&marker) {
        Ok(metadata) if metadata.is_file() => return Ok(Ok(folder)),
        Ok(_) => return Err(miette!("{}: is not what this tool has left there", shown::name(&marker))),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error).into_diagnostic().wrap_err(format!("{name}: cannot be read")),
    }
    let mut entries = std::fs::read_dir(&folder).into_diagnostic().wrap_err_with(|| format!("{name}: cannot be read"))?;
    if entries.next().is_some() {
        return Err(miette!(
            help = "name a new or empty folder; one of an earlier version has no such mark: remove it yourself",
            "{name}: has files in it that `residue check --out` has not left there ({MARKER} is missing)"
        ));
    }
    Ok(std::fs::write(&marker, MARKER_TEXT).map(|()| folder).map_err(|error| error.to_string()))
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

fn refuse_link(path: &Path) -> miette::Result<()> {
    if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        let name = shown::name(path);
        return Err(miette!(
            help = "remove it, or name another folder",
            "{name}: is a symbolic link, which this tool has not made"
        ));
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
