//! What this process has to know of the programs of units: each is read once for all of it.
//!
//! Invariant: what is known of a program is what reading it with these options says; a program is taken not to change while
//! it is checked.
//! Does not know what is concluded from it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use formats::artifact::sha256_of_files;
use formats::inputs::{self, InputsError};
use formats::{FileOfProgram, ProgramOptions, Property, sha256_hex};
use program::Choice;
use program::cfa::Cfa;
use program::diagnostic::Diagnostic;

/// What is known of a program.
#[derive(Debug)]
pub(crate) struct Facts {
    /// What it is about.
    pub(crate) property: Property,
    /// Some function has a body of the C library.
    pub(crate) has_library: bool,
    /// It calls an error function.
    pub(crate) can_violate: bool,
    /// Assertions that it has beside calls of an error function, in words.
    pub(crate) aside: Option<String>,
    /// What the caller that is made for its entry function takes for granted.
    pub(crate) assumptions: Vec<String>,
    /// The hash of its preprocessed text.
    pub(crate) text: String,
    /// The fingerprint of its automaton.
    pub(crate) cfa: String,
}

/// A program and how it is read.
type Question = (PathBuf, String);

static KNOWN: Mutex<BTreeMap<Question, Arc<Facts>>> = Mutex::new(BTreeMap::new());

/// Hashes of a program as artifacts name it.
#[derive(Debug)]
pub(crate) struct Hashes {
    pub(crate) sha256: String,
    /// Those of its files, if it may have several.
    pub(crate) files: Vec<FileOfProgram>,
}

static HASHED: Mutex<BTreeMap<PathBuf, Arc<Hashes>>> = Mutex::new(BTreeMap::new());

/// The hashes of a program.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn hashes(path: &Path) -> Result<Arc<Hashes>, InputsError> {
    let known = || HASHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hashes) = known().get(path) {
        return Ok(Arc::clone(hashes));
    }
    let hashes = match inputs::hashed(path)? {
        Some(files) => Hashes { sha256: sha256_of_files(&files), files },
        None => Hashes { sha256: inputs::sha256(path)?, files: Vec::new() },
    };
    let hashes = Arc::new(hashes);
    known().insert(path.to_owned(), Arc::clone(&hashes));
    Ok(hashes)
}

/// What is known of a program for the property of the options.
///
/// # Errors
/// As [`program::load`].
pub(crate) fn of(path: &Path, options: &ProgramOptions) -> Result<Arc<Facts>, Diagnostic> {
    about(path, options, Choice::Named)
}

/// What is known of a program for the property that it is about.
///
/// # Errors
/// As [`program::load_about`].
pub(crate) fn about(path: &Path, options: &ProgramOptions, choice: Choice) -> Result<Arc<Facts>, Diagnostic> {
    let question = |options: &ProgramOptions| (path.to_owned(), format!("{options:?}"));
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if choice == Choice::Named
        && let Some(facts) = known().get(&question(options))
    {
        return Ok(Arc::clone(facts));
    }
    let cfa = program::load_about(path, options, choice)?;
    let facts = Arc::new(Facts::of(&cfa));
    known().insert(question(&cfa.options), Arc::clone(&facts));
    Ok(facts)
}

impl Facts {
    fn of(cfa: &Cfa) -> Self {
        Self {
            property: cfa.options.property,
            has_library: cfa.functions.iter().any(|function| cfa.source.is_library(function.span)),
            can_violate: program::can_violate(cfa),
            aside: program::left_aside(cfa),
            assumptions: cfa.assumptions.clone(),
            text: sha256_hex(cfa.source.text()),
            cfa: cfa.fingerprint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_read_a_program_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        std::fs::write(&file, "void assert(int); int f(void) { return 1; } int main(void) { assert(f()); return 0; }").unwrap();
        let options = ProgramOptions::default();
        let implied = about(&file, &options, Choice::Implied).unwrap();
        assert_eq!((implied.property, implied.can_violate), (Property::Assert, true));
        let named = of(&file, &options).unwrap();
        assert_eq!((named.property, named.can_violate), (Property::UnreachCall, false));
        let again = of(&file, &ProgramOptions { property: Property::Assert, ..options.clone() }).unwrap();
        assert!(Arc::ptr_eq(&again, &implied));
        let entry = of(&file, &ProgramOptions { entry: "f".to_owned(), ..options }).unwrap();
        assert_ne!(entry.cfa, named.cfa);
    }
}
