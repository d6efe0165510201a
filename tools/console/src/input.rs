//! Reading input files and stdin.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The bytes of an input and its name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path as given, or `<stdin>`.
    pub name: String,
    /// All bytes.
    pub bytes: Vec<u8>,
}

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum InputError {
    /// There is no such file.
    #[error("{name}: no such file")]
    #[diagnostic(help("check the path; `-` reads from stdin"))]
    Missing {
        /// The path as given.
        name: String,
    },
    /// A folder.
    #[error("{name}: is a directory, expected a file")]
    #[diagnostic(help("name a file in it"))]
    Directory {
        /// The path as given.
        name: String,
    },
    /// Not text.
    #[error("{name}: is a binary file (a zero byte at offset {offset}), expected text")]
    #[diagnostic(help("check the path"))]
    Binary {
        /// The path as given.
        name: String,
        /// Where the first zero byte is.
        offset: usize,
    },
    /// The operating system refuses.
    #[error("{name}: cannot be read: {source}")]
    #[diagnostic(help("check the permissions of the file"))]
    Unreadable {
        /// The path as given.
        name: String,
        /// What the operating system says.
        source: io::Error,
    },
}

impl Input {
    /// Reads a file, or stdin if the path is `-`.
    ///
    /// # Errors
    /// [`InputError`] if there is nothing to read or it is no text.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let (name, bytes) = if path == Path::new("-") {
            let mut bytes = Vec::new();
            let name = "<stdin>".to_owned();
            match io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => (name, bytes),
                Err(source) if source.kind() == io::ErrorKind::IsADirectory => return Err(InputError::Directory { name }),
                Err(source) => return Err(InputError::Unreadable { name, source }),
            }
        } else {
            let name = path.display().to_string();
            match std::fs::read(path) {
                Ok(bytes) => (name, bytes),
                Err(source) => return Err(unreadable(name, path, source)),
            }
        };
        match bytes.iter().position(|&byte| byte == 0) {
            Some(offset) => Err(InputError::Binary { name, offset }),
            None => Ok(Self { name, bytes }),
        }
    }

    /// Reads a file, or stdin if there is no path.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_or_stdin(path: Option<&Path>) -> Result<Self, InputError> {
        Self::read(path.unwrap_or(Path::new("-")))
    }

    /// The path of a file, or `None` for stdin.
    #[must_use]
    pub fn path(argument: &OsStr) -> Option<PathBuf> {
        (argument != "-").then(|| PathBuf::from(argument))
    }
}

fn unreadable(name: String, path: &Path, source: io::Error) -> InputError {
    if path.is_dir() {
        return InputError::Directory { name };
    }
    if source.kind() == io::ErrorKind::NotFound {
        return InputError::Missing { name };
    }
    InputError::Unreadable { name, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("b");
        std::fs::write(&binary, b"ab\0c").unwrap();
        assert!(matches!(Input::read(&binary), Err(InputError::Binary { offset: 2, .. })));
        assert!(matches!(Input::read(folder.path()), Err(InputError::Directory { .. })));
        assert!(matches!(Input::read(&folder.path().join("none")), Err(InputError::Missing { .. })));
        std::fs::write(&binary, b"int x;").unwrap();
        assert_eq!(Input::read(&binary).unwrap().bytes, b"int x;");
    }
}
