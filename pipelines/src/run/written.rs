//! The explanation of a unit of revisions with its places as they were written.
//!
//! A detector reads programs of a revision preprocessed, so it quotes what macros expand to. The files they were made from are
//! beside them in the folder of the unit, and headers are known where a report is wanted.
//! Invariant: only texts that belong to the unit are quoted, whatever a line marker names.
//! Does not know what is explained.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use formats::Explanation;
use formats::explanation::ProgramSide;
use miette::IntoDiagnostic;
use program::source::is_line_marker;

use super::artifacts::EXPLANATION;
use super::unit::{RevisionOf, Unit, UnitOriginal, UnitProgram, within};

/// Files by the names that line markers give them, as lines.
type Texts = BTreeMap<String, Vec<String>>;

/// Rewrites the explanation in `folder`, if there is one.
///
/// # Errors
/// If it cannot be read or written.
pub(super) fn rewrite(unit: &Unit, folder: &Path) -> miette::Result<()> {
    let path = folder.join(EXPLANATION);
    let original = match &unit.original {
        UnitOriginal::Program(program) => texts(program, folder),
        UnitOriginal::Absent(_) => Texts::new(),
    };
    let modified = texts(&unit.modified, folder);
    if !path.is_file() || original.is_empty() && modified.is_empty() {
        return Ok(());
    }
    let explanation = Explanation::read(&std::fs::read(&path).into_diagnostic()?, EXPLANATION).into_diagnostic()?;
    let explanation = explanation.as_written(|side, file, line| {
        let texts = if side == ProgramSide::Original { &original } else { &modified };
        Some(Cow::Borrowed(texts.get(file)?.get(line.checked_sub(1)? as usize)?.as_str()))
    });
    let mut bytes = Vec::new();
    explanation.write(&mut bytes).into_diagnostic()?;
    std::fs::write(path, bytes).into_diagnostic()
}

/// What a program of a revision was made from. A file with markers of its own has lines that are not where they say.
fn texts(program: &UnitProgram, folder: &Path) -> Texts {
    let Some(revision) = &program.revision else { return Texts::new() };
    let headers = revision.surroundings.headers.iter().map(|(name, bytes)| (name.clone(), bytes.clone()));
    let texts = sources(program, revision, folder).into_iter().chain(headers);
    let lines = texts.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect::<Vec<_>>()));
    lines.filter(|(_, lines)| !lines.iter().any(|line| is_line_marker(line))).collect()
}

/// The C files; one that cannot be read is not quoted.
fn sources(program: &UnitProgram, revision: &RevisionOf, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let source = within(folder, &revision.source);
    let files = match formats::inputs::files(&source) {
        Ok(Some(files)) => files.into_iter().map(|file| (file.name, file.path)).collect(),
        Ok(None) | Err(_) => vec![(program.shown.clone(), source)],
    };
    files.into_iter().filter_map(|(name, path)| Some((name, std::fs::read(path).ok()?))).collect()
}
