//! The files a program is made of: their texts, and which headers the change touches.
//!
//! Headers of two revisions belong together by their path in the repository, renames followed; those of two programs in
//! two folders by their path relative to the program.
//! Invariant: a header counts as changed only if its text differs, or if it is new; names are those people know.
//! Does not know which statements a change in a header concerns.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use formats::report::LineRange;
use miette::{Context, IntoDiagnostic};
use program::cfa::Cfa;
use program::preprocess::{MacroDefinition, macro_definitions};
use program::source::{SourceFile, without_detours};

use super::diff::{self, Row};
use crate::run::unit::{Checked, RevisionOf, UnitOriginal, UnitProgram};
use crate::sources::revision::{is_below, readable_folders};

/// The files of the modified program, compared with those of the original.
pub(crate) struct Files {
    /// Texts by name, that of the program itself included.
    pub(crate) texts: BTreeMap<String, String>,
    /// Headers that the change touches, by name.
    pub(crate) headers: Vec<Header>,
    /// Macros of the original.
    pub(crate) before: Vec<MacroDefinition>,
    /// Macros of the modified program.
    pub(crate) after: Vec<MacroDefinition>,
    /// The original program.
    pub(crate) original: Cfa,
    /// Lines of the modified preprocessed text that differ from the original one.
    pub(crate) preprocessed: Vec<LineRange>,
}

/// A header that the change touches.
pub(crate) struct Header {
    /// Its name in the modified program.
    pub(crate) path: String,
    /// Its name in the original; absent if it is new.
    pub(crate) original: Option<String>,
    /// Both texts side by side.
    pub(crate) rows: Vec<Row>,
}

impl Files {
    /// The files of a unit whose modified program `cfa` was preprocessed; `None` without an original.
    ///
    /// # Errors
    /// If the original cannot be read any more.
    pub(crate) fn new(checked: &Checked, cfa: &Cfa, own: &str) -> miette::Result<Option<Self>> {
        let UnitOriginal::Program(original) = &checked.unit.original else { return Ok(None) };
        let path = |program: &UnitProgram| checked.unit.readable(program, &checked.folder);
        let options = &checked.unit.options;
        let before = program::load(&path(original), options)?;
        let (mut texts, headers, macros) = match (&original.revision, &checked.unit.modified.revision) {
            (Some(old), Some(new)) => {
                let texts = new.surroundings.headers.iter().map(|(name, bytes)| (name.clone(), lossy(bytes))).collect();
                (texts, of_revisions(old, new), (old.surroundings.macros.clone(), new.surroundings.macros.clone()))
            }
            _ => {
                let readable =
                    [readable(&before.source, &options.preprocessor), readable(&cfa.source, &options.preprocessor)].concat();
                let texts = texts(&cfa.source, &readable);
                let headers = of_folders(&before.source, &cfa.source, &texts, &readable);
                let macros = |program: &UnitProgram| macro_definitions(&path(program), options);
                (texts, headers, (macros(original)?, macros(&checked.unit.modified)?))
            }
        };
        let text = program_text(&checked.unit.source(&checked.unit.modified, &checked.folder))?;
        texts.insert(own.to_owned(), lossy(&text));
        let rows = diff::rows(&lossy(before.source.text()), &lossy(cfa.source.text()));
        let preprocessed = diff::changed_lines(&rows).1;
        Ok(Some(Self { texts, headers, before: macros.0, after: macros.1, original: before, preprocessed }))
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Which files a report on a program may show: those in its folder or the current one, the system's headers, and what the
/// user names. A line marker is only a name, which whoever wrote the program has chosen.
fn readable(source: &SourceFile, preprocessor: &[String]) -> Vec<PathBuf> {
    let own = [Path::new(".").join(folder(source)), PathBuf::from(".")];
    readable_folders(own, Path::new("."), preprocessor).into_iter().filter(|folder| folder != Path::new("/")).collect()
}

/// The folder of a program; of several files the innermost that has all of them.
fn folder(source: &SourceFile) -> PathBuf {
    let parent = |path: &str| Path::new(&without_detours(path)).parent().unwrap_or(Path::new("")).to_owned();
    let folders = source.units().iter().map(|unit| parent(&unit.path));
    let common =
        |a: PathBuf, b: PathBuf| a.components().zip(b.components()).take_while(|(x, y)| x == y).map(|(x, _)| x).collect();
    folders.reduce(common).unwrap_or_default()
}

/// The text of a file that may be shown.
fn read(name: &str, readable: &[PathBuf]) -> Option<String> {
    let file = Path::new(name);
    // Not a device, nor a pipe that never ends.
    let is_file = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
    (is_file && is_below(readable, file)).then(|| std::fs::read(file).ok())?.map(|bytes| lossy(&bytes))
}

/// The texts of the files that a text was made from, as far as they can be read and shown.
fn texts(source: &SourceFile, readable: &[PathBuf]) -> BTreeMap<String, String> {
    let names = source.files().iter().filter(|name| !name.starts_with('<'));
    names.filter_map(|name| Some((name.clone(), read(name, readable)?))).collect()
}

/// A header of both programs, or of the modified one alone; `None` if its text is the same.
fn header(path: &str, modified: &str, original: Option<(String, String)>) -> Option<Header> {
    let (name, before) = original.map_or((None, String::new()), |(name, text)| (Some(name), text));
    let is_same = name.is_some() && before == modified;
    (!is_same).then(|| Header { path: path.to_owned(), original: name, rows: diff::rows(&before, modified) })
}

fn of_revisions(old: &RevisionOf, new: &RevisionOf) -> Vec<Header> {
    let found = new.surroundings.headers.iter().filter_map(|(path, bytes)| {
        let former = new.renamed.get(path).unwrap_or(path);
        let before = old.surroundings.headers.get(former).map(|bytes| (former.clone(), lossy(bytes)));
        header(path, &lossy(bytes), before)
    });
    found.collect()
}

fn of_folders(old: &SourceFile, new: &SourceFile, texts: &BTreeMap<String, String>, readable: &[PathBuf]) -> Vec<Header> {
    let (before, after) = (folder(old), folder(new));
    let found = texts.iter().filter(|(path, _)| *path != new.name()).filter_map(|(path, text)| {
        let relative = relative(Path::new(path), &after)?;
        let partner = without_detours(&before.join(&relative).to_string_lossy());
        if let Some(before) = read(&partner, readable) {
            return header(path, text, Some((partner, before)));
        }
        let is_shared = old.files().contains(path) || relative.starts_with("..");
        if is_shared { None } else { header(path, text, None) }
    });
    found.collect()
}

/// `path` as it is seen from `folder`; `None` if only one of them is absolute.
fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    if path.is_absolute() != folder.is_absolute() {
        return None;
    }
    let common = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common);
    if up.clone().any(|component| component == Component::ParentDir) {
        return None;
    }
    Some(up.map(|_| Component::ParentDir).chain(path.components().skip(common)).collect())
}

/// The text that is shown for a program itself: its file, or the names of its files.
///
/// # Errors
/// If it cannot be read.
pub(super) fn program_text(path: &Path) -> miette::Result<Vec<u8>> {
    match formats::inputs::files(path).into_diagnostic()? {
        None => bytes_of(path),
        Some(files) => Ok(files.iter().flat_map(|file| [file.name.as_str(), "\n"]).collect::<String>().into_bytes()),
    }
}

/// The bytes of a file.
pub(super) fn bytes_of(path: &Path) -> miette::Result<Vec<u8>> {
    std::fs::read(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_folders() {
        let seen = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder)).map(|path| path.display().to_string());
        assert_eq!(seen("v1/src/a.h", "v1/src").as_deref(), Some("a.h"));
        assert_eq!(seen("v1/include/a.h", "v1/src").as_deref(), Some("../include/a.h"));
        assert_eq!(seen("a.h", "").as_deref(), Some("a.h"));
        assert_eq!(seen("/usr/include/a.h", "v1"), None);
        assert_eq!(seen("a.h", "../x"), None);
        assert_eq!(seen("../x/a.h", "../x").as_deref(), Some("a.h"));
    }
}
