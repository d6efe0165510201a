//! Writing the artifact or the verdict: to stdout, or to a file that appears complete or not at all.

use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Mode of new files before the umask.
const MODE: u32 = 0o666;

/// Where an artifact or a verdict goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// Why an output cannot be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum OutputError {
    /// Nobody reads stdout any more. Ends a tool without a message.
    #[error("stdout was closed")]
    BrokenPipe,
    /// The operating system refuses.
    #[error("{name}: cannot be written: {source}")]
    #[diagnostic(help("check that the folder exists, is writable and has room"))]
    Unwritable {
        /// The path as given, or `<stdout>`.
        name: String,
        /// What the operating system says.
        source: io::Error,
    },
}

impl Output {
    /// The output `-o` names; stdout if it is absent or `-`.
    #[must_use]
    pub fn new(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Self::File(path.to_owned()),
            _ => Self::Stdout,
        }
    }

    /// Writes what `content` writes.
    ///
    /// A regular file is replaced in one step when everything is written; until then it keeps its content. Anything
    /// else the path names (a device, a pipe) is written to directly.
    ///
    /// # Errors
    /// [`OutputError::BrokenPipe`] if stdout was closed, [`OutputError::Unwritable`] for everything else.
    pub fn write(&self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), OutputError> {
        match self {
            Self::Stdout => write_through(io::stdout().lock(), content).map_err(|source| {
                if source.kind() == io::ErrorKind::BrokenPipe {
                    return OutputError::BrokenPipe;
                }
                OutputError::Unwritable { name: "<stdout>".to_owned(), source }
            }),
            Self::File(path) => {
                let unwritable = |source| OutputError::Unwritable { name: path.display().to_string(), source };
                write_file(path, content).map_err(unwritable)
            }
        }
    }

    /// Writes a text.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_text(&self, text: &str) -> Result<(), OutputError> {
        self.write(|out| out.write_all(text.as_bytes()))
    }
}

fn write_through(out: impl Write, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    content(&mut out)?;
    out.flush()
}

fn write_file(path: &Path, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    // A symbolic link stays, what it points to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut permissions = Permissions::from_mode(MODE);
    let mut keeps_permissions = false;
    match std::fs::metadata(&target) {
        Ok(metadata) if !metadata.is_file() => {
            return write_through(std::fs::OpenOptions::new().write(true).open(&target)?, content);
        }
        Ok(metadata) => {
            permissions = metadata.permissions();
            keeps_permissions = true;
        }
        Err(_) => {}
    }
    let folder = target.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".residue-").permissions(permissions.clone()).tempfile_in(folder)?;
    write_through(&mut file, content)?;
    if keeps_permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_when_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let output = Output::new(Some(&path));
        output.write_text("one").unwrap();
        let failed = output.write(|out| {
            out.write_all(b"two")?;
            Err(io::Error::other("disk full"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        output.write_text("three").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three");
    }

    #[test]
    fn devices_and_links_stay() {
        Output::new(Some(Path::new("/dev/null"))).write_text("x").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Output::new(Some(&link)).write_text("new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert!(Output::new(Some(&folder.path().join("none/x"))).write_text("x").is_err());
    }
}
