//! The text of the program: one file, several, or what a reducer has left of one.
//!
//! Does not know how it is verified.

use std::path::Path;

use console::Input;
use formats::{Library, ProgramOptions};
use program::cfa::Cfa;
use program::diagnostic::Diagnostic;
use program::preprocess::{preprocess_bytes, read_source};
use program::seal::{self, Reading};
use program::source::SourceFile;

use crate::VerifyError;

/// What the program argument names.
pub(crate) enum ProgramText {
    /// A single file, which may be standard input.
    File(Input),
    /// Several files under a name, which are read one by one.
    Several(String),
}

impl ProgramText {
    pub(crate) fn read(path: &Path) -> miette::Result<Self> {
        match formats::inputs::files(path).map_err(Diagnostic::from)? {
            None => Ok(Self::File(Input::read(path)?)),
            Some(_) => Ok(Self::Several(formats::shown::name(path))),
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::File(input) => &input.name,
            Self::Several(name) => name,
        }
    }

    pub(crate) fn source(&self, path: &Path, options: &ProgramOptions) -> Result<SourceFile, Diagnostic> {
        match self {
            Self::File(input) => preprocess_bytes(path, input.bytes.clone(), options),
            Self::Several(_) => read_source(path, options),
        }
    }
}

/// How a residual program is to be read; `None` for any other text.
///
/// A truncated one is refused: it would often still parse, with the missing functions as unknown ones, and be proved.
pub(crate) fn residual_options(input: &ProgramText) -> Result<Option<ProgramOptions>, VerifyError> {
    let ProgramText::File(input) = input else { return Ok(None) };
    let broken = |source| VerifyError::Residual { file: input.name.clone(), source };
    if !seal::check(&input.bytes).map_err(broken)? {
        return Ok(None);
    }
    Ok(seal::reading(&input.bytes).map(|Reading { data_model, entry, property }| ProgramOptions {
        data_model,
        entry,
        property,
        // It has the bodies that its program got.
        library: Library::None,
        ..ProgramOptions::default()
    }))
}

/// Whether a program is what a reducer has left of one.
pub(crate) fn is_residual(cfa: &Cfa) -> bool {
    program::seal::reading(cfa.source.text()).is_some()
}
