//! Entry functions: names, and patterns that stand for the functions of a program that other files can call.
//!
//! A static function is meant only by its name: its callers are in the file, and may keep what it relies on.
//! Does not know how a function is called.

use std::collections::BTreeSet;
use std::path::PathBuf;

use formats::ProgramOptions;
use miette::miette;
use program::ast::{Ast, AttributeKind, Declaration, Derived, Ident, InitDeclarator, Item, Specifiers, Storage, Symbol};
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
    let (said, mut found) = (Said::of(&ast), Vec::new());
    for ident in offered(&ast, &said) {
        let name = ast.name(ident.name).to_owned();
        if is_of_system(source.location(ident.span.lo).file) || found.contains(&name) {
            continue;
        }
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

/// What the declarations of functions say of them besides their definitions.
#[derive(Default)]
struct Said {
    /// One is `static`: so are all.
    internal: BTreeSet<Symbol>,
    /// One is not `inline`, or is `extern`: the definition is one for other files.
    external: BTreeSet<Symbol>,
}

impl Said {
    fn of(ast: &Ast) -> Self {
        let mut said = Self::default();
        for item in &ast.items {
            match item {
                Item::Function(id) => said.add(&ast[*id].specifiers, ast[*id].declarator.name),
                Item::Declaration(id) => {
                    let declared = ast[*id].declarators.iter().map(|one| &ast[*one].declarator);
                    let functions = declared.filter(|one| matches!(one.derived.first(), Some(Derived::Function(_))));
                    functions.for_each(|one| said.add(&ast[*id].specifiers, one.name));
                }
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
        said
    }

    fn add(&mut self, specifiers: &Specifiers, name: Option<Ident>) {
        let Some(Ident { name, .. }) = name else { return };
        if specifiers.storage == Some(Storage::Static) {
            self.internal.insert(name);
        }
        if !specifiers.inline || specifiers.storage == Some(Storage::Extern) {
            self.external.insert(name);
        }
    }
}

/// The names that other files can call what is defined here by: of functions, and second names of these.
fn offered<'a>(ast: &'a Ast, said: &'a Said) -> impl Iterator<Item = Ident> + 'a {
    let defined: BTreeSet<&str> = ast
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Function(id) => ast[*id].declarator.name.map(|name| ast.name(name.name)),
            Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
        })
        .collect();
    ast.items.iter().flat_map(move |item| match item {
        Item::Function(id) => {
            // What is only declared inline is for whoever includes it.
            let is_own = |name: &Ident| !said.internal.contains(&name.name) && said.external.contains(&name.name);
            ast[*id].declarator.name.filter(is_own).into_iter().collect()
        }
        Item::Declaration(id) => second_names(ast, &ast[*id], &defined),
        Item::StaticAssert(_) | Item::Asm(_) => Vec::new(),
    })
}

/// The names that a declaration gives to functions that are defined here, whatever these are for other files.
fn second_names(ast: &Ast, declaration: &Declaration, defined: &BTreeSet<&str>) -> Vec<Ident> {
    let specifiers = &declaration.specifiers;
    if specifiers.storage == Some(Storage::Static) {
        return Vec::new();
    }
    let is_second =
        |one: &&InitDeclarator| {
            one.attributes.iter().chain(&specifiers.attributes).chain(&one.declarator.attributes).any(
                |attribute| matches!(attribute.kind, AttributeKind::Alias(target) if defined.contains(&*ast[target].to_text())),
            )
        };
    let declared = declaration.declarators.iter().map(|one| &ast[*one]);
    declared.filter(is_second).filter_map(|one| one.declarator.name).collect()
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
        let named_twice = "static int f(int x) { return x; }\nint g(int x) __attribute__((alias(\"f\")));\nextern __typeof__(f) h \
                           __attribute__((weak, alias(\"f\")));\nstatic int in(int) __attribute__((alias(\"f\")));\nint v;\n\
                           extern int w __attribute__((alias(\"v\")));\n";
        assert_eq!(names("*", named_twice), ["g", "h"]);
        let inline = "inline int a(int x) { return x; }\nextern inline int b(int x) { return x; }\ninline int c(int x) { return x; }\n\
                      int c(int);\nstatic int d(int);\nint d(int x) { return x; }\n";
        assert_eq!(names("*", inline), ["b", "c"]);
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
