//! Writing the artifact or the verdict: to stdout, or to a file that appears complete or not at all.

use formats::{inputs, shown};
use std::fs::Permissions;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
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
    /// A file would be read and written.
    #[error("{name}: is read by this run and would be overwritten")]
    #[diagnostic(help("name another file for the output"))]
    IsInput {
        /// The path of the output as given.
        name: String,
    },
    /// Two outputs would be the same file.
    #[error("{name}: is named for two outputs")]
    #[diagnostic(help("name another file for one of them"))]
    Twice {
        /// The path of the second output as given.
        name: String,
    },
}

/// Checks that what a run writes is not what it reads, nor the same file twice: links and other names are seen through.
/// Pipes and devices such as `/dev/null` are no files; `-` and a missing file are none yet.
///
/// # Errors
/// [`OutputError`] for the first output that is.
pub fn keep_apart<'a>(
    inputs: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OutputError> {
    let identity = |path: &Path| {
        let metadata = std::fs::metadata(path).ok().filter(|metadata| metadata.is_file() && path != Path::new("-"))?;
        Some((metadata.dev(), metadata.ino()))
    };
    // What names no files is refused by whoever reads it.
    let files = |path: &Path| inputs::all_files(path).unwrap_or_else(|_| vec![path.to_owned()]);
    let read: Vec<(u64, u64)> = inputs.into_iter().flat_map(files).filter_map(|path| identity(&path)).collect();
    let (mut files, mut paths): (Vec<(u64, u64)>, Vec<&Path>) = Default::default();
    for output in outputs {
        let name = || shown::name(output);
        if let Some(file) = identity(output) {
            if read.contains(&file) {
                return Err(OutputError::IsInput { name: name() });
            }
            if files.contains(&file) {
                return Err(OutputError::Twice { name: name() });
            }
            files.push(file);
        }
        let is_new = output != Path::new("-") && !output.exists();
        if is_new && paths.contains(&output) {
            return Err(OutputError::Twice { name: name() });
        }
        paths.push(output);
    }
    Ok(())
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
    /// A regular file is replaced in one step when everything is written; until then it keeps its content. A pipe or a
    /// device such as `/dev/null` is written to directly. Folders, sockets and disks are refused.
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
                let unwritable = |source| OutputError::Unwritable { name: shown::name(path), source };
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
        Ok(metadata) if !(metadata.is_file() || metadata.file_type().is_fifo() || metadata.file_type().is_char_device()) => {
            return Err(io::Error::other("it is neither a file nor a pipe"));
        }
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
    fn an_output_is_never_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("in"), "x").unwrap();
        std::os::unix::fs::symlink(path("in"), path("link")).unwrap();
        std::fs::hard_link(path("in"), path("hard")).unwrap();
        let inputs = [path("in")];
        let told = |outputs: &[PathBuf]| keep_apart(inputs.iter().map(PathBuf::as_path), outputs.iter().map(PathBuf::as_path));
        for output in ["in", "link", "hard", "./in"] {
            assert!(matches!(told(&[path(output)]), Err(OutputError::IsInput { .. })), "{output}");
        }
        assert!(told(&[path("new"), path("other"), "/dev/null".into(), "/dev/null".into(), "-".into(), "-".into()]).is_ok());
        assert!(matches!(told(&[path("new"), path("new")]), Err(OutputError::Twice { .. })));
        assert!(Output::new(Some(folder.path())).write_text("x").is_err(), "a folder is no file");
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
