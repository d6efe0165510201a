//! The two programs: the client with each version of the library.

use std::path::{Path, PathBuf};

use formats::ProgramOptions;
use formats::inputs::files;
use program::cfa::Cfa;
use program::diagnostic::Diagnostic;
use program::preprocess::read_source;
use program::source::SourceFile;
use program::{Choice, Guards, load_guarded};

use crate::arguments::{Arguments, Overflow};

/// The text of one program, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) source: SourceFile,
    pub(crate) options: ProgramOptions,
    /// For people.
    pub(crate) name: String,
}

/// What is guarded besides a property.
pub(crate) const fn guards(overflow: Overflow) -> Guards {
    let wraps = matches!(overflow, Overflow::Wrap);
    Guards { division: true, shift: true, overflow: !wraps, quotient: wraps }
}

/// Reads both programs.
pub(crate) fn read(arguments: &Arguments, options: &ProgramOptions) -> Result<[Text; 2], Diagnostic> {
    let one = |number: usize, includes: &[String]| {
        let mut options = options.clone();
        options.preprocessor.splice(0..0, includes.iter().map(|folder| format!("-I{folder}")));
        let path = &arguments.programs[number];
        let source = text(arguments, number, &options)?;
        Ok::<Text, Diagnostic>(Text { source, options, name: path.display().to_string() })
    };
    Ok([one(0, &arguments.original_include)?, one(1, &arguments.modified_include)?])
}

/// The text of one program.
fn text(arguments: &Arguments, number: usize, options: &ProgramOptions) -> Result<SourceFile, Diagnostic> {
    let library: &Path = &arguments.programs[number];
    if arguments.client.is_empty() {
        return read_source(library, options);
    }
    let mut paths: Vec<(String, PathBuf)> = Vec::new();
    let has_own = number == 1 && !arguments.modified_client.is_empty();
    let clients = if has_own { &arguments.modified_client } else { &arguments.client };
    // Both versions of a client have the names of the first.
    let named = arguments.client.iter().zip(clients).map(|(name, path)| ("client", name.as_path(), path.as_path()));
    for (role, name, argument) in named.chain([("library", library, library)]) {
        match files(argument)? {
            Some(several) => paths.extend(several.into_iter().map(|file| (format!("{role}/{}", file.name), file.path))),
            // What a file is called says nothing about what is in it: both versions have the same names.
            None if role == "library" => paths.push(("library".to_owned(), argument.to_owned())),
            None => paths.push((format!("client/{}", name.display()), argument.to_owned())),
        }
    }
    let units =
        paths.into_iter().map(|(name, path)| Ok((name, read_source(&path, options)?))).collect::<Result<_, Diagnostic>>()?;
    SourceFile::join(library.to_string_lossy(), units).ok_or_else(|| Diagnostic::too_long(library))
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
