//! From a file to its automaton: preprocess, parse, lower.
//!
//! Does not know what the automaton is for.

use std::path::Path;

use formats::{ProgramOptions, Property};

use crate::ast::Ast;
use crate::caller::{Caller, caller};
use crate::cfa::{Cfa, Known};
use crate::diagnostic::Diagnostic;
use crate::known::is_error_function;
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
    Ok(Read::new(source, options)?.1)
}

/// A program that has been read: its tree, with the caller of its entry function if it needs one.
struct Read {
    ast: Ast,
    caller: Option<Caller>,
}

impl Read {
    /// Also gives the automaton for the property of the options.
    fn new(source: SourceFile, options: &ProgramOptions) -> Result<(Self, Cfa), Diagnostic> {
        let ast = parse(&source)?;
        let cfa = lower(&ast, source, options.clone())?;
        let Some(caller) = caller(&ast, &cfa)? else { return Ok((Self { ast, caller: None }, cfa)) };
        let source = caller.added_to(&cfa.source);
        let read = Self { ast: parse(&source)?, caller: Some(caller) };
        let cfa = read.lower(source, options.clone())?;
        Ok((read, cfa))
    }

    fn lower(&self, source: SourceFile, options: ProgramOptions) -> Result<Cfa, Diagnostic> {
        let Some(caller) = &self.caller else { return lower(&self.ast, source, options) };
        let called = ProgramOptions { entry: caller.name.clone(), ..options.clone() };
        let mut cfa = lower(&self.ast, source, called)?;
        // Whoever reads the program again starts it where the user says.
        cfa.options = options;
        cfa.assumptions.clone_from(&caller.assumptions);
        Ok(cfa)
    }
}

/// Where the property of a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Somebody has named it.
    Named,
    /// Nobody has: a program without a call of an error function is checked for its assertions, if it has any.
    Implied,
}

/// As [`load`], for the property the program is about; the options of the automaton say which.
///
/// # Errors
/// As [`load`].
pub fn load_about(path: &Path, options: &ProgramOptions, choice: Choice) -> Result<Cfa, Diagnostic> {
    load_source_about(read_source(path, options)?, options, choice)
}

/// As [`load_source`], for the property the program is about.
///
/// # Errors
/// As [`load_source`].
pub fn load_source_about(source: SourceFile, options: &ProgramOptions, choice: Choice) -> Result<Cfa, Diagnostic> {
    let (read, cfa) = Read::new(source, options)?;
    if choice == Choice::Named || options.property != Property::UnreachCall || can_violate(&cfa) {
        return Ok(cfa);
    }
    let asserting = ProgramOptions { property: Property::Assert, ..options.clone() };
    let other = read.lower(cfa.source.clone(), asserting)?;
    Ok(if has_assertion(&other) { other } else { cfa })
}

/// Whether the program calls an error function at all, wherever that is; otherwise every verdict about it is vacuous.
#[must_use]
pub fn can_violate(cfa: &Cfa) -> bool {
    cfa.locations.iter().any(|location| location.is_error)
        || cfa.functions.iter().any(|function| function.known == Some(Known::Error) && function.address_taken)
}

/// Whether an assertion can fail elsewhere than in the body of a `reach_error` that nobody calls.
fn has_assertion(cfa: &Cfa) -> bool {
    cfa.locations
        .iter()
        .filter(|location| location.is_error)
        .any(|location| !is_error_function(&cfa.function(location.function).name, Property::UnreachCall))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn property(text: &str, choice: Choice) -> (Property, bool) {
        let source = SourceFile::new("program.c", text.as_bytes().to_vec());
        let cfa = load_source_about(source, &ProgramOptions::default(), choice).unwrap();
        (cfa.options.property, can_violate(&cfa))
    }

    #[test]
    fn a_program_with_assertions_only_is_about_them() {
        let only_assert = "void assert(int); int main(void) { int x; assert(x == 0); return 0; }";
        let expanded = "void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
            int main(void) { int x; x ? (void)0 : __assert_fail(\"x\", \"a.c\", 1, \"main\"); return 0; }";
        let both =
            "void assert(int); void reach_error(void); int main(void) { int x; assert(x); if (x) reach_error(); return 0; }";
        let usual = "void assert(int); void reach_error(void) { assert(0); } int main(void) { return 0; }";
        let neither = "int main(void) { return 0; }";
        for (text, choice, expected) in [
            (only_assert, Choice::Implied, (Property::Assert, true)),
            (only_assert, Choice::Named, (Property::UnreachCall, false)),
            (expanded, Choice::Implied, (Property::Assert, true)),
            (both, Choice::Implied, (Property::UnreachCall, true)),
            (usual, Choice::Implied, (Property::UnreachCall, false)),
            (neither, Choice::Implied, (Property::UnreachCall, false)),
        ] {
            assert_eq!(property(text, choice), expected, "{choice:?}: {text}");
        }
    }
}
