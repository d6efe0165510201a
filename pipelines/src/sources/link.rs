//! Which files form one program: patterns of `--link`, targets of a build, and the lists that stages read.
//!
//! A program of several files is a list `@FOLDER/program.list`, see `formats::inputs`.
//! Does not know how files are read, nor what is compared.

use std::path::{Path, PathBuf};

use formats::shown;
use miette::{IntoDiagnostic, miette};

use super::revision::write;
use crate::run::unit::listed;

/// The name of the list of a program.
const PROGRAM: &str = "program.list";
/// The name of the list of its files before preprocessing.
const SOURCES: &str = "sources.list";
/// Both.
pub(crate) const LISTS: [&str; 2] = [PROGRAM, SOURCES];

/// The patterns of one `--link`.
pub(crate) fn patterns(link: &str) -> impl Iterator<Item = &str> {
    link.split(',').map(str::trim).filter(|pattern| !pattern.is_empty())
}

/// A pathspec of git that means what the pattern means to a shell.
pub(crate) fn pathspec(pattern: &str) -> PathBuf {
    PathBuf::from(if pattern.starts_with(':') { pattern.to_owned() } else { format!(":(glob){pattern}") })
}

/// A name for a folder that no C file has.
pub(crate) fn folder_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' }).collect();
    format!("program-{plain}")
}

/// The files below `folder` that one of the patterns of `link` names, sorted.
///
/// # Errors
/// If there is none, or one is a link that leads out of the folder.
pub(crate) fn files_below(folder: &Path, link: &str) -> miette::Result<Vec<PathBuf>> {
    let root = std::fs::canonicalize(folder).into_diagnostic()?;
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        let entries = std::fs::read_dir(root.join(&inside)).into_diagnostic()?;
        for entry in entries.filter_map(Result::ok) {
            let path = inside.join(entry.file_name());
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            let kind = entry.file_type().into_diagnostic()?;
            if kind.is_dir() && !is_hidden {
                folders.push(path);
            } else if patterns(link).any(|pattern| matches(pattern, &path)) {
                let file = std::fs::canonicalize(root.join(&path)).ok();
                if !file.is_some_and(|file| file.starts_with(&root) && file.is_file()) {
                    let name = shown::name(&folder.join(&path));
                    return Err(miette!("--link: {name} is no file, or a link that leads out of {}", shown::name(folder)));
                }
                found.push(path);
            }
        }
    }
    found.sort();
    if found.is_empty() {
        let help = "patterns are relative to the folders; quote them, so that the shell passes them on";
        return Err(miette!(help = help, "--link: no file of {} matches {}", shown::name(folder), shown::one_line(link)));
    }
    Ok(found)
}

/// Whether a path is one that a pattern of a shell means: `*` and `?` stay within a folder, `**` does not.
fn matches(pattern: &str, path: &Path) -> bool {
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let names: Option<Vec<&str>> = path.components().map(|part| part.as_os_str().to_str()).collect();
    names.is_some_and(|names| matches_parts(&pattern, &names))
}

fn matches_parts(pattern: &[&str], names: &[&str]) -> bool {
    match (pattern.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=names.len()).any(|skipped| matches_parts(rest, &names[skipped..])),
        (Some((first, rest)), Some((name, names))) => {
            matches_name(first.as_bytes(), name.as_bytes()) && matches_parts(rest, names)
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Whether a name is one that a pattern without folders means.
pub(super) fn matches_name(pattern: &[u8], name: &[u8]) -> bool {
    if name.starts_with(b".") && !pattern.starts_with(b".") {
        return false;
    }
    // Where to go on should a later part not match: a star takes one byte more.
    let (mut at, mut star) = ((0, 0), None);
    loop {
        match (pattern.get(at.0), name.get(at.1)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                star = Some(at);
                at.0 += 1;
            }
            (Some(b'?'), Some(_)) => at = (at.0 + 1, at.1 + 1),
            (Some(wanted), Some(found)) if wanted == found => at = (at.0 + 1, at.1 + 1),
            _ => match star {
                Some((pattern, taken)) if taken < name.len() => {
                    star = Some((pattern, taken + 1));
                    at = (pattern + 1, taken + 1);
                }
                _ => return false,
            },
        }
    }
}

/// Writes the list of a program below `folder`; it is named as stages read it. Of a program of a revision also the list of
/// its files before preprocessing.
///
/// # Errors
/// If a name cannot stand in a list, or the list cannot be written.
pub(crate) fn write_list(folder: &Path, side: &Path, kind: List, files: &[PathBuf]) -> miette::Result<PathBuf> {
    let mut text = String::new();
    for file in files {
        let name = file.to_string_lossy();
        if name.trim() != name || name.chars().any(char::is_control) {
            return Err(miette!(help = "give the file another name", "{} cannot stand in a list", shown::name(file)));
        }
        // A plain one would be a comment.
        text.push_str(if name.starts_with('#') { "./" } else { "" });
        text.push_str(&name);
        text.push('\n');
    }
    let list = side.join(match kind {
        List::Program => PROGRAM,
        List::Sources => SOURCES,
    });
    write(&folder.join(&list), text.as_bytes())?;
    Ok(listed(&list))
}

/// Which list of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// What stages read.
    Program,
    /// What it was made from.
    Sources,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_to_a_shell() {
        for (pattern, path, expected) in [
            ("src/*.c", "src/a.c", true),
            ("src/*.c", "src/deep/a.c", false),
            ("src/**/*.c", "src/deep/er/a.c", true),
            ("src/**/*.c", "src/a.c", true),
            ("./src/a?.c", "src/ab.c", true),
            ("src/*a*b*.c", "src/xaab_b.c", true),
            ("src/*a*b*.c", "src/xba.c", false),
            ("*.c", "a.h", false),
            ("**", "any/thing.c", true),
            ("*.c", ".hidden.c", false),
        ] {
            assert_eq!(matches(pattern, Path::new(path)), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn folders_of_programs_are_no_c_files() {
        assert_eq!(folder_name("src/*.c"), "program-src__.c");
    }
}
