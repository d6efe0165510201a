//! From a file to its automaton: preprocess, parse, lower.
//!
//! Does not know what the automaton is for.

use std::path::Path;

use formats::ProgramOptions;

use crate::cfa::Cfa;
use crate::diagnostic::Diagnostic;
use crate::lower::lower;
use crate::parse::parse;
use crate::preprocess::read_source;
use crate::source::SourceFile;

/// Reads a program from a file, or from standard input for the path `-`, and builds its automaton.
///
/// # Errors
/// A diagnostic if the file cannot be read, or is no C program that has the entry function.
pub fn load(path: &Path, options: &ProgramOptions) -> Result<Cfa, Diagnostic> {
    load_source(read_source(path, options)?, options)
}

/// Builds the automaton of a program that has been read and preprocessed.
///
/// # Errors
/// As [`load`], reading excepted.
pub fn load_source(source: SourceFile, options: &ProgramOptions) -> Result<Cfa, Diagnostic> {
    let ast = parse(&source)?;
    lower(&ast, source, options.clone())
}
