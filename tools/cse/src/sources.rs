//! The two programs: the client with each version of the library.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::assumed;
use formats::ProgramOptions;
use formats::inputs::files;
use program::ast::Item;
use program::cfa::Cfa;
use program::diagnostic::Diagnostic;
use program::parse::parse;
use program::preprocess::read_source;
use program::source::SourceFile;
use program::{Choice, Guards, load_guarded};

use crate::arguments::{Arguments, Overflow};
use crate::assumptions::{Assumptions, Behind};

/// The text of one program, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) source: SourceFile,
    pub(crate) options: ProgramOptions,
    /// For people.
    pub(crate) name: String,
}

/// Files that were read, by what their preprocessor was told: versions and clients of one run have some in common.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    known: RefCell<BTreeMap<(PathBuf, Vec<String>), SourceFile>>,
}

impl Readings {
    fn read(&self, path: &Path, options: &ProgramOptions) -> Result<SourceFile, Diagnostic> {
        let key = (path.to_owned(), options.preprocessor.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let source = read_source(path, options)?;
        self.known.borrow_mut().insert(key, source.clone());
        Ok(source)
    }
}

/// What is guarded besides a property.
pub(crate) const fn guards(overflow: Overflow) -> Guards {
    let wraps = matches!(overflow, Overflow::Wrap);
    Guards { division: true, shift: true, loss: !wraps, overflow: !wraps, quotient: wraps, promises: true }
}

/// Reads both programs.
pub(crate) fn read(
    arguments: &Arguments,
    options: &ProgramOptions,
    choice: Choice,
    readings: &Readings,
) -> miette::Result<[Text; 2]> {
    let one = |number: usize, includes: &[String]| {
        let mut options = options.clone();
        options.preprocessor.splice(0..0, includes.iter().map(|folder| format!("-I{folder}")));
        let path = &arguments.programs[number];
        let source = text(arguments, number, (&options, choice), (readings, Behind::Body))?;
        Ok::<Text, miette::Report>(Text { source, options, name: path.display().to_string() })
    };
    Ok([one(0, &arguments.original_include)?, one(1, &arguments.modified_include)?])
}

/// The text of one program.
fn text(
    arguments: &Arguments,
    number: usize,
    (options, choice): (&ProgramOptions, Choice),
    (readings, behind): (&Readings, Behind),
) -> miette::Result<SourceFile> {
    let library: &Path = &arguments.programs[number];
    let assumed = arguments.assumed()?;
    if arguments.client.is_empty() && assumed.is_none() {
        return Ok(read_source(library, options)?);
    }
    let mut paths: Vec<(String, PathBuf)> = Vec::new();
    let has_own = number == 1 && !arguments.modified_client.is_empty();
    let clients = if has_own { arguments.modified_client_files() } else { arguments.client_files() };
    // Both versions of a client have the names of the first.
    let named = arguments.client_files().into_iter().zip(clients).map(|(name, path)| ("client", name, path));
    for (role, name, argument) in named.chain([("library", library, library)]) {
        match files(argument).map_err(Diagnostic::from)? {
            Some(several) => paths.extend(several.into_iter().map(|file| (format!("{role}/{}", file.name), file.path))),
            // What a file is called says nothing about what is in it: both versions have the same names.
            None if role == "library" => paths.push(("library".to_owned(), argument.to_owned())),
            None => paths.push((format!("client/{}", name.display()), argument.to_owned())),
        }
    }
    let mut units = Vec::new();
    for (name, path) in paths {
        units.push((name, readings.read(&path, options)?, path));
    }
    let mut own = None;
    if let Some(file) = assumed {
        let mut assumptions = Assumptions::read(file, options)?;
        let has_main = units.iter().any(|(_, unit, _)| defines(unit, "main"));
        let entry = if choice == Choice::Named || has_main { options.entry.as_str() } else { "client" };
        for (_, unit, path) in &mut units {
            *unit = assumptions.asked_in(unit.clone(), path, (entry, behind))?;
        }
        assumptions.checked()?;
        own = Some(("assumed".to_owned(), assumptions.unit()));
    }
    let units = units.into_iter().map(|(name, unit, _)| (name, unit)).chain(own).collect();
    Ok(SourceFile::join(library.to_string_lossy(), units).ok_or_else(|| Diagnostic::too_long(library))?)
}

/// Whether no arguments satisfy what is assumed of them, in the original as it has been read: nothing is told by its runs then.
pub(crate) fn is_unsatisfiable(
    arguments: &Arguments,
    original: &Text,
    (choice, readings): (Choice, &Readings),
    stop: &Arc<AtomicBool>,
) -> miette::Result<bool> {
    let options = &original.options;
    if arguments.assumed()?.is_none() {
        return Ok(assumed::is_unsatisfiable(original.source.clone(), options, stop));
    }
    let source = text(arguments, 0, (options, choice), (readings, Behind::Error))?;
    Ok(program::load_source(source, options).is_ok_and(|cfa| assumed::is_safe(&cfa, stop)))
}

/// Whether a file defines a function.
fn defines(unit: &SourceFile, name: &str) -> bool {
    let Ok(ast) = parse(unit) else { return false };
    ast.items.iter().any(|item| match item {
        Item::Function(id) => ast[*id].declarator.name.is_some_and(|own| ast.name(own.name) == name),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => false,
    })
}

impl Text {
    /// The automaton, with guards.
    pub(crate) fn load(&self, guards: Guards) -> Result<Cfa, Diagnostic> {
        load_guarded(self.source.clone(), &self.options, guards)
    }
}

/// Both automata. Without a function that was named the program starts at `main`, or at `client` where there is no `main`.
pub(crate) fn load(texts: &mut [Text; 2], guards: Guards, choice: Choice) -> Result<[Cfa; 2], Diagnostic> {
    let both = |texts: &[Text; 2]| Ok([texts[0].load(guards)?, texts[1].load(guards)?]);
    let first = both(texts);
    let is_entry = |error: &Diagnostic| miette::Diagnostic::code(error).is_some_and(|code| code.to_string() == "program::entry");
    match first {
        Err(error) if choice == Choice::Implied && is_entry(&error) => {
            let others: Vec<Text> = texts
                .iter()
                .map(|text| Text {
                    options: ProgramOptions { entry: "client".to_owned(), ..text.options.clone() },
                    ..text.clone()
                })
                .collect();
            let Ok(others) = <[Text; 2]>::try_from(others) else { return Err(error) };
            let loaded = both(&others).map_err(|other: Diagnostic| if is_entry(&other) { error } else { other })?;
            *texts = others;
            Ok(loaded)
        }
        other => other,
    }
}
