//! Names of files in preprocessed texts and in folders: where a text came from, without a word about where the checkout is.
//!
//! Knows how gcc writes a line marker. Does not know which files a program may be made of.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::Reader;
use crate::sources::command_flags::normalised;

/// What stands for the root of a revision.
const TREE: &str = "<tree>";

impl Reader<'_> {
    /// Rewrites the line markers: files of the repository are named by their path in it.
    pub(super) fn with_repository_names(&self, text: &[u8], directory: &Path) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            match self.marker(line, directory) {
                Some(rewritten) => out.extend(rewritten.into_bytes()),
                None => out.extend_from_slice(line),
            }
        }
        out
    }

    /// A marker `# 12 "name" flags` with its name rewritten; `None` for every other line.
    fn marker(&self, line: &[u8], directory: &Path) -> Option<String> {
        let text = std::str::from_utf8(line.strip_prefix(b"# ")?).ok()?;
        let (number, rest) = text.split_once(" \"")?;
        number.parse::<u32>().ok()?;
        let (name, after) = rest.rsplit_once('"')?;
        if name.starts_with('<') {
            return None;
        }
        let file = normalised(&directory.join(from_literal(name)));
        let inside = file.strip_prefix(&self.revision.tree).or_else(|_| file.strip_prefix(&self.repository.top));
        let shown = inside.ok()?.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        Some(format!("# {number} \"{shown}\"{after}"))
    }
}

/// The files that a preprocessed text has entered and that are there. A program may claim more than it was made of by
/// markers of its own, not less.
pub(super) fn entered(text: &[u8], directory: &Path) -> Vec<PathBuf> {
    let lines = text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line.strip_prefix(b"# ")?).ok());
    let names: BTreeSet<&str> = lines
        .filter_map(|line| {
            let (_, rest) = line.split_once(" \"")?;
            let (name, flags) = rest.rsplit_once('"')?;
            flags.split_whitespace().any(|flag| flag == "1").then_some(name)
        })
        .collect();
    names.into_iter().map(|name| directory.join(from_literal(name))).filter(|file| file.exists()).collect()
}

/// The name in a line marker, which is written as a C literal: other bytes than printable ones as octal numbers.
fn from_literal(text: &str) -> PathBuf {
    let (mut name, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            name.push(*byte);
            continue;
        }
        let octal = rest.get(..3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        if let Some(value) = octal {
            name.push(value);
            rest = &rest[3..];
        } else if let Some((escaped, after)) = rest.split_first() {
            name.push(*escaped);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(name))
}

/// A path with what stands for the root of a revision.
pub(super) fn without_tree(text: &str, tree: &Path) -> String {
    text.replace(&*tree.to_string_lossy(), TREE)
}

/// The reverse of [`without_tree`] for a folder.
pub(super) fn in_tree(folder: &str, tree: &Path) -> PathBuf {
    match folder.strip_prefix(TREE) {
        Some(rest) => tree.join(rest.trim_start_matches('/')),
        None => PathBuf::from(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_line_markers_are_literals() {
        for (text, name) in
            [("a b.h", "a b.h"), (r#"x\"y\\z"#, r#"x"y\z"#), (r"\303\251.h", "é.h"), (r"\\303", r"\303"), (r"a\012b", "a\nb")]
        {
            assert_eq!(from_literal(text), Path::new(name), "{text}");
        }
    }
}
