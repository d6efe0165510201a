//! Which files a program consists of: a C file, the C files of a folder, or those of a list.
//!
//! A **folder** stands for its files `*.c` in the order of their names: not those in folders below it, and none whose name
//! begins with a dot. A **list** is named by `@` and a path that ends with `.list`; each of its lines is the path of a file,
//! relative to the folder of the list, blank, or a comment that begins with `#`. A file whose name begins with `@` and ends
//! with `.list` is given as `./@…`.
//! Does not know what is in the files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::artifact::{FileOfProgram, sha256_hex, sha256_of_files};
use crate::shown;

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// Why a program argument names no files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputsError {
    /// The name of a file cannot be shown, nor written into a line marker.
    #[error("the name of {} has control characters or is not UTF-8", shown::name(path))]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// Something cannot be opened or read.
    #[error("cannot read {}: {error}", shown::name(path))]
    Read {
        /// What.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The folder or list stands for no program.
    #[error("{}: no program: {reason}", shown::name(path))]
    NoProgram {
        /// The folder or list.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// A file of a program of several files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// How the folder or the list names it.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// The files that a program argument names if it is a folder or a list; `None` for a single file, which may be missing.
///
/// # Errors
/// [`InputsError::Read`] if the folder or list cannot be read, [`InputsError::NoProgram`] if it names no files or something else.
pub fn files(path: &Path) -> Result<Option<Vec<InputFile>>, InputsError> {
    if let Some(list) = list(path) {
        check_name(path)?;
        return listed(&list).map(Some);
    }
    if path.as_os_str() != "-" && path.is_dir() {
        check_name(path)?;
        return of_folder(path).map(Some);
    }
    Ok(None)
}

/// All files that are read for a program argument, a list included; headers are not among them.
///
/// # Errors
/// As [`files`].
pub fn all_files(path: &Path) -> Result<Vec<PathBuf>, InputsError> {
    let named = files(path)?.map(|files| files.into_iter().map(|file| file.path));
    let own = list(path).or_else(|| named.is_none().then(|| path.to_owned()));
    Ok(own.into_iter().chain(named.into_iter().flatten()).collect())
}

/// The path of the list that an argument names.
#[must_use]
pub fn list(path: &Path) -> Option<PathBuf> {
    let name = path.to_str()?.strip_prefix('@')?;
    name.ends_with(".list").then(|| PathBuf::from(name))
}

/// SHA-256 of a program as its artifacts name it: of the bytes of a single file; else of the lines `HASH  NAME` of its files.
///
/// # Errors
/// As [`files`], and [`InputsError::Read`].
pub fn sha256(path: &Path) -> Result<String, InputsError> {
    match hashed(path)? {
        Some(files) => Ok(sha256_of_files(&files)),
        None => of_file(path),
    }
}

/// The files of a program of several files with their hashes; `None` for a single file.
///
/// # Errors
/// As [`sha256`].
pub fn hashed(path: &Path) -> Result<Option<Vec<FileOfProgram>>, InputsError> {
    let Some(files) = files(path)? else { return Ok(None) };
    let hashed = |file: InputFile| Ok(FileOfProgram { sha256: of_file(&file.path)?, path: file.name });
    files.into_iter().map(hashed).collect::<Result<_, _>>().map(Some)
}

fn of_file(path: &Path) -> Result<String, InputsError> {
    let bytes = read_bytes(path).map_err(|error| InputsError::Read { path: path.to_owned(), error })?;
    Ok(sha256_hex(&bytes))
}

fn no_program(path: &Path, reason: impl Into<String>) -> InputsError {
    InputsError::NoProgram { path: path.to_owned(), reason: reason.into() }
}

fn of_folder(folder: &Path) -> Result<Vec<InputFile>, InputsError> {
    let read = |error| InputsError::Read { path: folder.to_owned(), error };
    let inside = folder.canonicalize().map_err(read)?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(read)? {
        let path = entry.map_err(read)?.path();
        let is_c = path.extension().is_some_and(|extension| extension == "c");
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if !is_c || hidden || path.is_dir() {
            continue;
        }
        check_name(&path)?;
        // Who has filled the folder does not decide what is read elsewhere.
        if !path.canonicalize().is_ok_and(|file| file.starts_with(&inside)) {
            let name = shown::name(&path);
            return Err(no_program(folder, format!("the link {name} leads out of the folder, or nowhere")));
        }
        check_file(folder, &path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        found.push(InputFile { name, path });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if found.is_empty() { Err(no_program(folder, "the folder has no file `*.c`")) } else { Ok(found) }
}

fn listed(list: &Path) -> Result<Vec<InputFile>, InputsError> {
    check_file(list, list)?;
    let bytes = read_bytes(list).map_err(|error| InputsError::Read { path: list.to_owned(), error })?;
    let text = String::from_utf8(bytes).map_err(|_| no_program(list, "the list is no text in UTF-8"))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    let (mut known, mut folders) = (BTreeSet::new(), BTreeMap::new());
    for (index, line) in text.lines().enumerate() {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        // Standard input is no file of a list.
        let path = seen_from_here(if name == "-" { folder.join("./-") } else { folder.join(name) });
        check_name(&path)?;
        check_file(list, &path)?;
        if !known.insert(resolved(&path, &mut folders)) {
            return Err(no_program(list, format!("line {} names a file a second time", index + 1)));
        }
        found.push(InputFile { name: name.to_owned(), path });
    }
    if found.is_empty() { Err(no_program(list, "the list names no file")) } else { Ok(found) }
}

/// A path with symbolic links resolved; those on the way to a folder are looked at once.
fn resolved(path: &Path, folders: &mut BTreeMap<PathBuf, Option<PathBuf>>) -> PathBuf {
    let is_link = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    let below = path.parent().zip(path.file_name()).filter(|_| !is_link(path)).and_then(|(folder, name)| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = folders.entry(folder.to_owned()).or_insert_with(|| folder.canonicalize().ok());
        Some(real.as_ref()?.join(name))
    });
    below.or_else(|| path.canonicalize().ok()).unwrap_or_else(|| path.to_owned())
}

/// An absolute path below the current folder as people write it.
fn seen_from_here(path: PathBuf) -> PathBuf {
    let inside = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).map(Path::to_owned).ok());
    inside.filter(|inside| path.is_absolute() && !inside.as_os_str().is_empty()).unwrap_or(path)
}

/// Refuses what is no file: devices and pipes may have no end.
fn check_file(program: &Path, path: &Path) -> Result<(), InputsError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(no_program(program, format!("{} is no file", shown::name(path)))),
        Err(error) => Err(InputsError::Read { path: path.to_owned(), error }),
    }
}

fn check_name(path: &Path) -> Result<(), InputsError> {
    match path.to_str() {
        Some(name) if !name.chars().any(char::is_control) => Ok(()),
        Some(_) | None => Err(InputsError::Name { path: path.to_owned() }),
    }
}

/// Reads up to the end, or to a piece with a null byte: some devices have no end.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut input = std::fs::File::open(path)?;
    // Of a file that says how long it is, with one read; a byte more shows the end.
    let size = input.metadata()?.len().min(PIECE);
    let mut bytes = Vec::with_capacity(usize::try_from(size).map_or(0, |size| size + 1));
    loop {
        let before = bytes.len();
        let read = input.by_ref().take(PIECE).read_to_end(&mut bytes)?;
        if read == 0 || bytes.get(before..).is_some_and(|piece| piece.contains(&0)) {
            return Ok(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("residue-inputs-{name}-{}", std::process::id()));
            std::fs::create_dir_all(path.join("src/deep.c")).unwrap();
            for file in ["src/b.c", "src/a.c", "src/.hidden.c", "src/c.h", "src/deep.c/d.c", "outside.c"] {
                std::fs::write(path.join(file), file).unwrap();
            }
            Self(path)
        }

        fn names(&self, argument: &str) -> Result<Vec<String>, String> {
            let found = files(Path::new(argument)).map_err(|error| error.to_string())?;
            let names = found.unwrap().into_iter().map(|file| {
                assert!(file.path.is_file());
                file.name
            });
            Ok(names.collect())
        }

        fn list(&self, text: &str) -> Result<Vec<String>, String> {
            let path = self.0.join("src/all.list");
            std::fs::write(&path, text).unwrap();
            self.names(&format!("@{}", path.display()))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn folders_and_lists_name_their_files() {
        let folder = Folder::new("names");
        assert_eq!(folder.names(&folder.0.join("src").display().to_string()), Ok(vec!["a.c".into(), "b.c".into()]));
        assert_eq!(folder.list("# all\n  b.c\n\n../outside.c\n"), Ok(vec!["b.c".into(), "../outside.c".into()]));
        assert_eq!(files(Path::new("-")).unwrap(), None);
        assert_eq!(files(&folder.0.join("src/a.c")).unwrap(), None);
        assert_eq!(files(Path::new("@no_list.c")).unwrap(), None);
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let folder = Folder::new("refused");
        for (text, expected) in [
            ("", "names no file"),
            ("# nothing\n", "names no file"),
            ("a.c\n./a.c\n", "line 2 names a file a second time"),
            ("none.c\n", "cannot read"),
            ("/dev/null\n", "is no file"),
            ("deep.c\n", "is no file"),
            ("a\tb.c\n", "control characters"),
            ("-\n", "cannot read"),
        ] {
            let error = folder.list(text).unwrap_err();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        std::os::unix::fs::symlink(folder.0.join("outside.c"), folder.0.join("src/link.c")).unwrap();
        let error = folder.names(&folder.0.join("src").display().to_string()).unwrap_err();
        assert!(error.contains("leads out of the folder"), "{error}");
        std::os::unix::fs::symlink(folder.0.join("src"), folder.0.join("src/again")).unwrap();
        for text in ["../outside.c\nlink.c\n", "a.c\nagain/a.c\n", "again/a.c\n../src/a.c\n"] {
            let error = folder.list(text).unwrap_err();
            assert!(error.contains("line 2 names a file a second time"), "{text:?}: {error}");
        }
    }

    #[test]
    fn the_hash_is_that_of_the_files_and_their_names() {
        let folder = Folder::new("hash");
        let src = folder.0.join("src");
        let expected = format!("{}  a.c\n{}  b.c\n", crate::sha256_hex(b"src/a.c"), crate::sha256_hex(b"src/b.c"));
        assert_eq!(sha256(&src).unwrap(), crate::sha256_hex(expected.as_bytes()));
        assert_eq!(sha256(&src.join("a.c")).unwrap(), crate::sha256_hex(b"src/a.c"));
    }
}
