//! Reading input files and stdin.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// The bytes of an input and its name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path as given, on one line, or `<stdin>`.
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
            let name = "<stdin>".to_owned();
            match read_text(io::stdin().lock()) {
                Ok(bytes) => (name, bytes),
                Err(source) if source.kind() == io::ErrorKind::IsADirectory => return Err(InputError::Directory { name }),
                Err(source) => return Err(InputError::Unreadable { name, source }),
            }
        } else {
            let name = formats::shown::name(path);
            match std::fs::File::open(path).and_then(read_text) {
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

/// Reads up to the end, or to a piece with a zero byte: some devices have no end, and no text has one.
fn read_text(mut input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        let read = input.by_ref().take(PIECE).read_to_end(&mut bytes)?;
        if read == 0 || bytes.get(before..).is_some_and(|piece| piece.contains(&0)) {
            return Ok(bytes);
        }
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
