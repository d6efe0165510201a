//! Entry functions: names, and patterns that stand for the functions of a program that other files can call.
//!
//! A static function is meant only by its name: its callers are in the file, and may keep what it relies on.
//! Does not know how a function is called.

use std::path::PathBuf;

use formats::ProgramOptions;
use miette::miette;
use program::ast::{Function, Item, Storage};
use program::diagnostic::Diagnostic;
use program::preprocess::read_source;
use program::source::SourceFile;

use super::link::matches_name;

/// The entry functions and patterns of `f,g_*`.
///
/// # Errors
/// If something is neither.
pub(crate) fn listed(text: &str) -> miette::Result<Vec<String>> {
    let mut entries: Vec<String> = Vec::new();
    for entry in text.split(',').map(str::trim) {
        if entry.is_empty() || !is_plain(&entry.replace(['*', '?'], "_")) {
            let help = "separate several functions by commas; `*` stands for any letters of a name, `?` for one";
            return Err(miette!(help = help, "--entry: `{entry}` is no name of a function"));
        }
        if !entries.iter().any(|other| other == entry) {
            entries.push(entry.to_owned());
        }
    }
    Ok(entries)
}

/// Whether it stands for several functions.
pub(crate) fn is_pattern(entry: &str) -> bool {
    entry.contains(['*', '?'])
}

/// Whether a function is meant.
pub(crate) fn means(entry: &str, name: &str) -> bool {
    entry == name || is_pattern(entry) && matches_name(entry.as_bytes(), name.as_bytes())
}

/// What is meant in a program of these preprocessed texts: names as they are, then what patterns stand for.
///
/// # Errors
/// If there are patterns, and a text is no C.
pub(crate) fn of_texts(entries: &[String], texts: &[Vec<u8>]) -> Result<Vec<String>, Diagnostic> {
    let sources = texts.iter().map(|text| SourceFile::new("program.c", text.clone()));
    expanded(entries, sources)
}

/// The same of the files of a program.
///
/// # Errors
/// If there are patterns and a file cannot be read, or nothing matches any of them.
pub(crate) fn of_files(entries: &[String], files: &[PathBuf], options: &ProgramOptions) -> miette::Result<Vec<String>> {
    if !entries.iter().any(|entry| is_pattern(entry)) {
        return Ok(entries.to_vec());
    }
    let sources = files.iter().map(|file| read_source(file, options)).collect::<Result<Vec<SourceFile>, _>>()?;
    let found = expanded(entries, sources.into_iter())?;
    match entries.iter().find(|entry| !found.iter().any(|name| means(entry, name))) {
        None => Ok(found),
        Some(entry) => Err(nothing(entry)),
    }
}

/// A pattern that stands for nothing.
pub(crate) fn nothing(entry: &str) -> miette::Report {
    miette!(
        help = "quote patterns, so that the shell passes them on; `residue entries FILE` lists functions; a static one needs its whole name",
        "--entry: no function that other files can call matches {entry}"
    )
}

fn expanded(entries: &[String], sources: impl Iterator<Item = SourceFile>) -> Result<Vec<String>, Diagnostic> {
    let (patterns, mut found): (Vec<String>, Vec<String>) = entries.iter().cloned().partition(|entry| is_pattern(entry));
    if patterns.is_empty() {
        return Ok(found);
    }
    for source in sources {
        for name in functions(&source)? {
            if patterns.iter().any(|pattern| means(pattern, &name)) && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    Ok(found)
}

/// The functions that a text defines for other files.
fn functions(source: &SourceFile) -> Result<Vec<String>, Diagnostic> {
    let ast = program::parse::parse(source)?;
    let functions = ast.items.iter().filter_map(|item| match item {
        Item::Function(id) => Some(&ast[*id]),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    });
    let mut found = Vec::new();
    for function in functions.filter(|function| is_own(source, function)) {
        let Some(ident) = function.declarator.name else { continue };
        let name = ast.name(ident.name).to_owned();
        // Folders are called after them.
        if !is_plain(&name) {
            let (message, help) = ("the function has a name that no compiler takes", "correct the name, or name other functions");
            return Err(Diagnostic::at(source, ident.span, "residue::entry", message, "here", help));
        }
        found.push(name);
    }
    Ok(found)
}

fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

fn is_own(source: &SourceFile, function: &Function) -> bool {
    // What is declared inline is for whoever includes it.
    let is_internal = function.specifiers.storage == Some(Storage::Static) || function.specifiers.inline;
    !is_internal && !is_of_system(source.location(function.span.lo).file)
}

/// Whether a file is a header of the system: nobody begins there who does not say so.
pub(crate) fn is_of_system(file: &str) -> bool {
    ["/usr/include/", "/usr/local/include/", "/usr/lib/gcc/"].iter().any(|folder| file.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &str, text: &str) -> Vec<String> {
        of_texts(&listed(entries).unwrap(), &[text.as_bytes().to_vec()]).unwrap()
    }

    #[test]
    fn a_pattern_stands_for_functions_that_others_can_call() {
        let text = "# 1 \"/usr/include/stdio.h\" 1\nint getchar(void) { return 1; }\n# 1 \"a.c\"\nstatic int add_in(int x) { return x; }\n\
                    inline int add_inline(int x) { return x; }\nextern int adds(int);\nint add_one(int x) { return add_in(x); }\n\
                    int add_two(int x) { return add_in(x); }\nint main(void) { return 0; }\nint adder;\n";
        assert_eq!(names("*", text), ["add_one", "add_two", "main"]);
        assert_eq!(names("add_in,add_???,none", text), ["add_in", "none", "add_one", "add_two"]);
        assert_eq!(names("m*,*_two,main", text), ["main", "add_two"]);
        assert_eq!(names("x*", text), [""; 0]);
        let broken = [b"int broken(".to_vec()];
        assert!(of_texts(&listed("*").unwrap(), &broken).is_err());
        // Its folder would lie elsewhere.
        let hostile = [b"int a\\u002f\\u002e\\u002e\\u002fb(int x) { return x; }".to_vec()];
        assert!(of_texts(&listed("*").unwrap(), &hostile).unwrap_err().to_string().contains("no compiler takes"));
        assert_eq!(of_texts(&listed("f").unwrap(), &broken).unwrap(), ["f"]);
    }

    #[test]
    fn what_is_neither_a_name_nor_a_pattern_is_refused() {
        for text in ["", "f,", "f-g", "[ab]", "f;g", "../f"] {
            assert!(listed(text).unwrap_err().to_string().contains("no name of a function"), "{text}");
        }
    }
}
