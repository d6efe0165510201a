//! Writes files of units, with the folders they lie in.
//!
//! A file that may have another name is replaced, never written to. Does not know what the files say.

use std::io::ErrorKind;
use std::path::Path;

use miette::IntoDiagnostic;

/// Writes a file of a unit that holds the same as `twin`, if there is one: as another name of it, where the file system
/// can. What is there is replaced, never written to: it may be another name of something else.
pub(crate) fn place(file: &Path, bytes: &[u8], twin: Option<&Path>) -> miette::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).into_diagnostic()?;
    }
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).into_diagnostic(),
        Ok(()) | Err(_) => {}
    }
    let is_file = |twin: &&Path| std::fs::symlink_metadata(twin).is_ok_and(|metadata| metadata.is_file());
    match twin.filter(is_file).map(|twin| std::fs::hard_link(twin, file)) {
        Some(Ok(())) => Ok(()),
        Some(Err(_)) | None => std::fs::write(file, bytes).into_diagnostic(),
    }
}

/// Writes a file and the folders it lies in.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> miette::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).into_diagnostic()?;
    }
    std::fs::write(file, bytes).into_diagnostic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_two_names_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, link] = ["a/first", "b/second", "link"].map(|name| folder.path().join(name));
        place(&first, b"text", None).unwrap();
        place(&second, b"text", Some(&first)).unwrap();
        place(&first, b"other", None).unwrap();
        let read = |file: &Path| std::fs::read_to_string(file).unwrap();
        assert_eq!((read(&first), read(&second)), ("other".to_owned(), "text".to_owned()));
        // What a link leads to, or what is not there, is nobody's twin.
        std::os::unix::fs::symlink(&first, &link).unwrap();
        for twin in [&link, &folder.path().join("none")] {
            place(&second, b"own", Some(twin)).unwrap();
            assert!(std::fs::symlink_metadata(&second).unwrap().is_file());
            assert_eq!((read(&first), read(&second)), ("other".to_owned(), "own".to_owned()));
        }
    }
}
