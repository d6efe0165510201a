//! A program of a revision before and after preprocessing, and what of it is compared.
//!
//! Does not know how it is read.

use std::path::PathBuf;

use formats::DataModel;

use super::FOLDERS;
use crate::sources::command_flags::Flags;

/// A preprocessed program.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Its path in the repository.
    pub(crate) path: String,
    /// The bytes of the file.
    pub(crate) bytes: Vec<u8>,
    /// The preprocessed text.
    pub(crate) text: Vec<u8>,
    /// The data model it is compiled for.
    pub(crate) data_model: DataModel,
    /// The flags of the preprocessor, with paths of the repository.
    pub(crate) flags: Vec<String>,
    /// What people should know.
    pub(crate) warnings: Vec<String>,
    /// The flags of the preprocessor as it got them.
    pub(super) build: Flags,
    /// The checkout it was read in, which its flags name.
    pub(super) tree: PathBuf,
    /// Whether that is a folder of ours, and not the user's.
    pub(super) is_ours: bool,
}

impl Source {
    /// The file that was read, if it is ours.
    pub(in crate::sources) fn copy(&self) -> Option<PathBuf> {
        self.is_ours.then(|| self.tree.join(&self.path))
    }

    /// With which flags only one of two revisions is compiled, of those that are not followed and may change what it means.
    pub(in crate::sources) fn built_otherwise(&self, original: &Self) -> Option<String> {
        let (before, after) = (&original.build.besides, &self.build.besides);
        if before == after {
            return None;
        }
        let only = |these: &[String], those: &[String]| {
            these.iter().filter(|flag| !those.contains(flag)).cloned().collect::<Vec<String>>()
        };
        let flags = [only(before, after), only(after, before)].concat();
        Some(if flags.is_empty() { format!("another order of {}", after.join(", ")) } else { flags.join(", ") })
    }
}

/// A file before preprocessing.
pub(in crate::sources) struct Prepared {
    /// Its path in the repository.
    pub(in crate::sources) path: String,
    pub(super) bytes: Vec<u8>,
    pub(super) flags: Flags,
    pub(in crate::sources) data_model: DataModel,
}

impl Prepared {
    /// The arguments of the preprocessor.
    pub(in crate::sources) fn arguments(&self) -> impl Iterator<Item = &String> {
        self.flags.arguments.iter()
    }

    /// Where its arguments have headers looked for.
    pub(in crate::sources) fn searched(&self) -> Vec<PathBuf> {
        let folder = |argument: &String| FOLDERS.iter().find_map(|flag| argument.strip_prefix(flag)).map(PathBuf::from);
        self.arguments().filter_map(folder).collect()
    }

    /// Whether nothing is read before the file, and headers are looked for where the arguments say.
    pub(in crate::sources) fn is_alone(&self) -> bool {
        let is_known = |argument: &String| {
            FOLDERS
                .iter()
                .chain(&["-D", "-U", "-std=", "-f", "-m", "-ansi", "-undef", "-pthread"])
                .any(|flag| argument.starts_with(flag))
        };
        self.flags.first.is_empty() && self.arguments().all(is_known)
    }
}

/// The text of a program for comparing: it does not matter how the program itself is called.
pub(crate) fn comparable(source: &Source) -> Vec<u8> {
    let own = format!("\"{}\"", source.path.replace('\\', "\\\\").replace('"', "\\\"")).into_bytes();
    let mut out = Vec::with_capacity(source.text.len());
    for line in source.text.split_inclusive(|byte| *byte == b'\n') {
        let at = line.starts_with(b"# ").then(|| line.windows(own.len()).position(|window| window == own)).flatten();
        match at {
            Some(at) => {
                out.extend_from_slice(&line[..at]);
                out.extend_from_slice(&line[at + own.len()..]);
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}
