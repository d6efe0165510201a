//! From a file to its automaton: preprocess, parse, lower, and once more with the bodies of library functions that are missing.
//!
//! Does not know what the automaton is for.

use std::collections::BTreeSet;
use std::path::Path;

use formats::{ProgramOptions, Property};

use crate::ast::Ast;
use crate::caller::{Caller, caller};
use crate::cfa::{Call, Cfa, Edge, Function, Known};
use crate::diagnostic::Diagnostic;
use crate::known::{is_assertion, is_error_function};
use crate::library::{Bodies, FOLDER, is_missing, wanted};
use crate::lower::{Guards, Manner, Room, is_too_long, lower_with, undefined};
use crate::parse::{parse, parse_expression, parse_more};
use crate::preprocess::read_source;
use crate::probe::{self, Probe, Probed, Probes};
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
    let (read, cfa) = Read::new(source, options, Manner::default())?;
    read.linked(cfa)
}

/// As [`load_source`], with guards of arithmetic besides those of the property: before each such operation a branch to a call of
/// the error function of a [`crate::violation::Violation`].
///
/// # Errors
/// As [`load_source`].
pub fn load_guarded(source: SourceFile, options: &ProgramOptions, guards: Guards) -> Result<Cfa, Diagnostic> {
    let (read, cfa) = Read::new(source, options, Manner { guards, ..Manner::default() })?;
    read.linked(cfa)
}

/// As [`load_source`], with arrays of variable length followed as far as they can be modelled: location by location, edge by edge
/// and variable by variable the same automaton, in which a longer array is no end. Such arrays are too long to be
/// declared by a program that is written, or to be filled by one that is run, so that this is for proofs. Where addresses are narrow
/// it is only for programs in which no pointer leads to such an array ([`has_room`]).
///
/// # Errors
/// As [`load_source`].
pub fn load_roomy(source: SourceFile, options: &ProgramOptions) -> Result<Cfa, Diagnostic> {
    let (read, cfa) = Read::new(source, options, Manner { room: Room::Widest, ..Manner::default() })?;
    read.linked(cfa)
}

/// Bytes of all objects that pointers lead to, where addresses are narrow: a quarter of the address space.
const MOST_NARROW: u64 = 1 << 30;

/// Whether [`load_roomy`] follows arrays that the program as it is read does not.
#[must_use]
pub fn has_long_arrays(cfa: &Cfa) -> bool {
    cfa.edges.iter().any(|edge| is_too_long(&edge.operation))
}

/// Whether the address space has room for all objects that pointers lead to.
#[must_use]
pub fn has_room(roomy: &Cfa) -> bool {
    if roomy.machine.word() >= 8 {
        return true;
    }
    let taken = roomy.variable_ids().filter(|id| roomy.variable(*id).address_taken);
    let bytes = taken.map(|id| roomy.size_of_object(id).unwrap_or(0)).fold(0, u64::saturating_add);
    bytes <= MOST_NARROW
}

/// A program that reports an error in place of the call of its entry function, if that is called with arguments that the options
/// assume something of: it reaches the error if and only if some arguments satisfy what is assumed.
///
/// # Errors
/// As [`load_source`].
pub fn load_assumed(source: SourceFile, options: &ProgramOptions) -> Result<Option<Cfa>, Diagnostic> {
    if options.caller.assume.is_empty() {
        return Ok(None);
    }
    let (options, manner) = (ProgramOptions { property: Property::UnreachCall, ..options.clone() }, Manner::default());
    let ast = parse(&source)?;
    let cfa = lower_with(&ast, source, options.clone(), manner, &mut Probes::default())?;
    let Some(caller) = caller(&ast, &cfa)?.map(Caller::reporting) else { return Ok(None) };
    let source = caller.added_to(&cfa.source);
    let read = Read { ast: parse(&source)?, caller: Some(caller), manner };
    let cfa = read.lower(source, options)?;
    read.linked(cfa).map(Some)
}

/// As [`load_source`], with expressions from outside and what they mean at their places. The edges may have other numbers than
/// without them, see [`crate::probe`].
///
/// # Errors
/// As [`load_source`]; for each probe that has no place there, or is no such expression.
pub fn load_with(
    source: SourceFile,
    options: &ProgramOptions,
    probes: &[Probe],
) -> Result<(Cfa, Vec<Result<Probed, Diagnostic>>), Diagnostic> {
    let (read, cfa) = Read::new(source, options, Manner::default())?;
    let (mut read, cfa) = read.complete(cfa)?;
    let path = cfa.source.path().to_owned();
    let too_long = || Diagnostic::too_long(Path::new(&path));
    let (source, spans) = probe::appended(cfa.source, probes).ok_or_else(too_long)?;
    let types = probe::type_names(&read.ast);
    let exprs = spans.iter().map(|span| parse_expression(&source, *span, &types, &mut read.ast)).collect();
    let (mut placed, answers) = probe::place(&source, &read.ast, probes, exprs, &spans);
    let cfa = read.lower_with(source, cfa.options, &mut placed)?;
    let found = probe::found(&cfa, placed.all, answers);
    Ok((cfa, found))
}

/// A program that has been read: its tree, with the caller of its entry function if it needs one.
struct Read {
    ast: Ast,
    caller: Option<Caller>,
    manner: Manner,
}

impl Read {
    /// Also gives the automaton for the property of the options.
    fn new(source: SourceFile, options: &ProgramOptions, manner: Manner) -> Result<(Self, Cfa), Diagnostic> {
        let ast = parse(&source)?;
        let cfa = lower_with(&ast, source, options.clone(), manner, &mut Probes::default())?;
        let Some(caller) = caller(&ast, &cfa)? else { return Ok((Self { ast, caller: None, manner }, cfa)) };
        let source = caller.added_to(&cfa.source);
        let read = Self { ast: parse(&source)?, caller: Some(caller), manner };
        let cfa = read.lower(source, options.clone())?;
        Ok((read, cfa))
    }

    /// As [`Self::new`], for the property the program is about.
    fn about(source: SourceFile, options: &ProgramOptions, choice: Choice) -> Result<(Self, Cfa), Diagnostic> {
        let (read, cfa) = Self::new(source, options, Manner::default())?;
        if choice == Choice::Named || options.property != Property::UnreachCall || can_violate(&cfa) {
            return Ok((read, cfa));
        }
        let asserting = ProgramOptions { property: Property::Assert, ..options.clone() };
        let other = read.lower(cfa.source.clone(), asserting)?;
        let cfa = if has_assertion(&other) { other } else { cfa };
        Ok((read, cfa))
    }

    fn lower(&self, source: SourceFile, options: ProgramOptions) -> Result<Cfa, Diagnostic> {
        self.lower_with(source, options, &mut Probes::default())
    }

    fn lower_with(&self, source: SourceFile, options: ProgramOptions, probes: &mut Probes) -> Result<Cfa, Diagnostic> {
        let Some(caller) = &self.caller else { return lower_with(&self.ast, source, options, self.manner, probes) };
        let called = ProgramOptions { entry: caller.name.clone(), ..options.clone() };
        let mut cfa = lower_with(&self.ast, source, called, self.manner, probes)?;
        // Whoever reads the program again starts it where the user says.
        cfa.options = options;
        cfa.assumptions.clone_from(&caller.assumptions);
        Ok(cfa)
    }

    /// The program with the bodies of library functions that it lacks.
    ///
    /// Where these do not fit beside what the program declares, it stays without them: what is known of the functions by name
    /// holds whatever they are called with.
    fn linked(self, cfa: Cfa) -> Result<Cfa, Diagnostic> {
        Ok(self.complete(cfa)?.1)
    }

    /// As [`Self::linked`], with the tree.
    fn complete(self, cfa: Cfa) -> Result<(Self, Cfa), Diagnostic> {
        Ok(match text_with_bodies(&cfa)? {
            Some(source) => self.with_bodies(cfa, source),
            None => (self, cfa),
        })
    }

    /// The program of a text with bodies; as it is if that is no program.
    fn with_bodies(self, cfa: Cfa, source: SourceFile) -> (Self, Cfa) {
        let again = |ast| Self { ast, caller: self.caller.clone(), manner: self.manner };
        let complete = parse(&source).and_then(|ast| {
            let read = again(ast);
            let complete = read.lower(source, cfa.options.clone())?;
            Ok((read, complete))
        });
        complete.unwrap_or((self, cfa))
    }
}

/// The text of a program with the bodies of library functions that it lacks; `None` if it lacks none.
fn text_with_bodies(cfa: &Cfa) -> Result<Option<SourceFile>, Diagnostic> {
    let folder;
    let bodies = match &cfa.options.library {
        formats::Library::Own if !Bodies::may_concern(cfa) => return Ok(None),
        formats::Library::Own => Bodies::own(cfa.options.data_model),
        formats::Library::None => return Ok(None),
        formats::Library::Folder(path) => {
            folder = Bodies::folder(Path::new(path), &cfa.options)?;
            &folder
        }
    };
    let mut wanted = wanted(cfa, bodies);
    let alone = cfa.source.units().len() == 1;
    // Structures of the program have no names in a unit of their own.
    wanted.retain(|wanted| alone || !wanted.element.starts_with("struct ") && !wanted.element.starts_with("union "));
    if wanted.is_empty() {
        return Ok(None);
    }
    let taken = |name: &str| {
        // What a body calls the program may declare as well, as the header does.
        let declared = |function: &&Function| is_missing(function) && bodies.names().any(|offered| *function.name == *offered);
        let functions = cfa.functions.iter().filter(|function| !declared(function)).map(|function| &function.name);
        let objects = cfa.variables.iter().filter(|variable| variable.function.is_none()).map(|variable| &variable.name);
        functions.chain(objects).any(|other| **other == *name)
    };
    let Some(text) = bodies.text(&wanted, taken) else { return Ok(None) };
    let source = cfa.source.clone();
    Ok(if alone { Some(source.with_bodies(&text)) } else { source.with_library(SourceFile::new(FOLDER, text)) })
}

/// A program that may still get the bodies of library functions that it lacks.
pub struct Unlinked {
    read: Read,
    cfa: Cfa,
    /// Its text with these bodies.
    complete: Option<SourceFile>,
    library: formats::Library,
}

impl Unlinked {
    /// Reads a program, about the property that it is about.
    ///
    /// # Errors
    /// As [`load_source`].
    pub fn read(source: SourceFile, options: &ProgramOptions, choice: Choice) -> Result<Self, Diagnostic> {
        let (read, mut cfa) = Read::about(source, options, choice)?;
        let complete = text_with_bodies(&cfa)?;
        let library = std::mem::replace(&mut cfa.options.library, formats::Library::None);
        Ok(Self { read, cfa, complete, library })
    }

    /// Whether there are bodies that the program lacks.
    #[must_use]
    pub fn lacks_bodies(&self) -> bool {
        self.complete.is_some()
    }

    /// The program as it is without any library: what is known of a function by name is all. Its options say so.
    #[must_use]
    pub fn by_name(&self) -> &Cfa {
        &self.cfa
    }

    /// The program with the bodies: what [`load_source_about`] reads.
    #[must_use]
    pub fn linked(self) -> Cfa {
        let Self { read, mut cfa, complete, library } = self;
        cfa.options.library = library;
        match complete {
            Some(source) => read.with_bodies(cfa, source).1,
            None => cfa,
        }
    }
}

/// Where bodies of functions come from that a program uses and does not define.
pub trait Library {
    /// The translation unit that defines a function, if there is one.
    ///
    /// # Errors
    /// A diagnostic if there is one and it cannot be read.
    fn unit_with(&self, function: &str) -> Result<Option<SourceFile>, Diagnostic>;
}

/// Reads a program with the units of a library that it uses, directly or through others of them. What they define belongs to
/// the program only where it is used, and where the program has no definition of its own; their `static` names and those of
/// the program do not meet. A program that needs nothing of the library is what it is without.
///
/// # Errors
/// As [`load_source`], for the library too.
pub fn parse_with_library(mut source: SourceFile, library: &dyn Library) -> Result<(SourceFile, Ast), Diagnostic> {
    let mut ast = parse(&source)?;
    let mut asked: BTreeSet<String> = BTreeSet::new();
    loop {
        let missing: Vec<String> = undefined(&ast).into_iter().filter(|name| asked.insert(name.clone())).collect();
        let before = source.units().len();
        for name in missing {
            let Some(unit) = library.unit_with(&name)? else { continue };
            if !source.units().iter().any(|known| known.path == unit.path()) {
                let path = unit.path().to_owned();
                let together = source.with_library(unit);
                source = together.ok_or_else(|| Diagnostic::too_long(Path::new(&path)))?;
            }
        }
        if source.units().len() == before {
            return Ok((source, ast));
        }
        parse_more(&source, &mut ast)?;
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
    let (read, cfa) = Read::about(source, options, choice)?;
    read.linked(cfa)
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

/// What to tell of a program if nobody has named the property: that it has assertions beside the calls that it is checked for.
/// Assertions in the bodies of error functions and in the library do not count.
#[must_use]
pub fn left_aside(cfa: &Cfa) -> Option<String> {
    if cfa.options.property != Property::UnreachCall {
        return None;
    }
    let is_of_program =
        |function: &Function| !is_error_function(&function.name, Property::UnreachCall) && !cfa.source.is_library(function.span);
    let fails = |edge: &&Edge| match edge.operation.call() {
        Some(Call { callee, .. }) => {
            let called = cfa.function(callee);
            (is_error_function(&called.name, Property::Assert) || is_assertion(&called.name) && called.entry.is_none())
                && is_of_program(cfa.function(cfa.location(edge.source).function))
        }
        None => false,
    };
    let assertions = match cfa.edges.iter().filter(fails).count() {
        0 => return None,
        1 => "an assertion is".to_owned(),
        count => format!("{count} assertions are"),
    };
    Some(format!(
        "{assertions} not checked, as the program calls an error function (`--property assert` for them, \
         `--property unreach-call,assert` for both)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower;

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
        for (text, is_told) in [(only_assert, false), (both, true), (usual, false), (neither, false)] {
            let source = SourceFile::new("program.c", text.as_bytes().to_vec());
            let cfa = load_source_about(source, &ProgramOptions::default(), Choice::Implied).unwrap();
            assert_eq!(left_aside(&cfa).is_some(), is_told, "{text}");
        }
    }

    /// A library of two units, which counts its answers.
    struct Two;

    impl Library for Two {
        fn unit_with(&self, function: &str) -> Result<Option<SourceFile>, Diagnostic> {
            let first = "typedef unsigned long size; static size count; static size step(size n) { count++; return n + 1; }
                static int unused(void) { __attribute__((no_such_thing)) int x; return x; }
                size strlen(const char *s) { size n = 0; while (*s++) n = step(n); return n; }
                int other(void) { return unused(); } double abs(double x) { return x; }";
            let second = "char *strdup(const char *s) { s += strlen(s); return (char *)s - strlen(s); } unsigned long strlen(const char *);";
            Ok(match function {
                "strlen" | "abs" => Some(SourceFile::new("<first>", first)),
                "strdup" => Some(SourceFile::new("<second>", second)),
                _ => None,
            })
        }
    }

    fn with_library(text: &str) -> Cfa {
        let source = SourceFile::new("program.c", text);
        let (source, ast) = parse_with_library(source, &Two).unwrap();
        lower(&ast, source, ProgramOptions::default()).unwrap()
    }

    fn bodies(cfa: &Cfa) -> Vec<&str> {
        let mut names: Vec<&str> =
            cfa.functions.iter().filter(|function| function.entry.is_some()).map(|function| &*function.name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn a_library_gives_what_is_missing_and_nothing_else() {
        let declared = "unsigned long strlen(const char *); char *strdup(const char *);";
        for (text, expected) in [
            ("int main(void) { return strlen(\"a\"); }", vec!["main", "step", "strlen"]),
            ("static int step; int main(void) { return strlen(\"a\") + step; }", vec!["main", "step___first_", "strlen"]),
            ("int main(void) { return *strdup(\"a\"); }", vec!["main", "step", "strdup", "strlen"]),
            ("int main(void) { return 0; }", vec!["main"]),
            (
                "unsigned long strlen(const char *s) { return 0; } int main(void) { return *strdup(\"a\"); }",
                vec!["main", "strdup", "strlen"],
            ),
        ] {
            let cfa = with_library(&format!("{declared} {text}"));
            assert_eq!(bodies(&cfa), expected, "{text}");
            let is_unsupported = |edge: &crate::cfa::Edge| matches!(edge.operation, crate::cfa::Operation::Unsupported { .. });
            assert!(!cfa.edges.iter().any(is_unsupported), "{text}");
            assert_eq!(cfa.source.name(), "program.c");
        }
        // A function of the library that the program declares with another type is not the one it means.
        assert_eq!(bodies(&with_library("int abs(int); int main(void) { return abs(-1); }")), ["main"]);
    }

    #[test]
    fn places_in_a_library_are_named() {
        let cfa = with_library("int main(void) { return strlen(\"a\"); } unsigned long strlen(const char *);");
        let strlen = cfa.functions.iter().find(|function| &*function.name == "strlen").unwrap();
        assert_eq!(cfa.source.location(strlen.span.lo).to_string(), "<first>:3:17");
        let first = cfa.source.location(cfa.function(cfa.entry).span.lo).to_string();
        assert_eq!((first.as_str(), cfa.source.units().len()), ("program.c:1:1", 2));
    }

    #[test]
    fn a_program_of_one_unit_is_what_it_was() {
        let text = "static int f(void) { return 1; } int main(void) { return f(); }";
        let alone = load_source(SourceFile::new("program.c", text), &ProgramOptions::default()).unwrap();
        assert_eq!(with_library(text).fingerprint(), alone.fingerprint());
    }
}
