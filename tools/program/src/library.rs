//! The C library as C: bodies for functions that a program calls and does not define.
//!
//! The texts are in `tools/program/library`, or in a folder that the user names. Each definition or declaration of a file is
//! a *block*. [`wanted`] says which functions a lowered program calls without a body although the library has one of that
//! type; [`Bodies::text`] yields their blocks with all blocks these use, to be read as a further part of the program. The
//! program's own definitions win, and so does what is known of a function by name where no body is better: where the program
//! gives it another type, or where a body would move pointers byte by byte.
//! Does not know how a text becomes an automaton.

mod calls;
mod formats;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ::formats::{DataModel, ProgramOptions};

use crate::ast::{Ast, Item, Storage};
use crate::cfa::{Cfa, Function};
use crate::diagnostic::Diagnostic;
use crate::known::UNSUPPORTED_CONVERSION;
use crate::lower::{ARGUMENTS, lower};
use crate::parse::parse;
use crate::preprocess::read_source;
use crate::source::{SourceFile, Span};
use crate::types::{Type, TypeId, TypeTable};

pub(crate) use self::calls::is_missing;
pub use self::calls::wanted;

/// The folder of the library in messages.
pub const FOLDER: &str = "<C library>";

/// The type of the elements that a function moves.
const ELEMENT: &str = "__ELEMENT_TYPE__";

/// The tag of the structure that a stream is.
const STREAM: &str = "__STREAM_TYPE__";

/// `size_t`.
const SIZE: &str = "__SIZE_TYPE__";

/// The files with their names.
const FILES: &[(&str, &str)] = &[
    ("ctype.c", include_str!("../library/ctype.c")),
    ("input.c", include_str!("../library/input.c")),
    ("math.c", include_str!("../library/math.c")),
    ("memory.c", include_str!("../library/memory.c")),
    ("printf.c", include_str!("../library/printf.c")),
    ("scanf.c", include_str!("../library/scanf.c")),
    ("stdlib.c", include_str!("../library/stdlib.c")),
    ("string.c", include_str!("../library/string.c")),
    ("text.c", include_str!("../library/text.c")),
];

/// One definition or declaration of the library.
#[derive(Clone, Debug)]
struct Block {
    /// What it declares.
    names: Vec<Box<str>>,
    /// Its first name is that of a function with a body that a program can call.
    offered: bool,
    file: Box<str>,
    /// The line it begins at, from 1.
    line: u32,
    text: Box<str>,
    /// Other blocks whose names it says.
    uses: Vec<usize>,
}

/// A function whose body is taken from the library.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wanted {
    /// Its name.
    pub name: Box<str>,
    /// The type that it moves elements of.
    pub element: Box<str>,
    /// The tag of the structure that a stream is.
    pub stream: Box<str>,
    /// Some format that it may get is not known.
    pub open: bool,
}

impl Wanted {
    /// A function that moves characters.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), element: "char".into(), stream: STREAM.into(), open: false }
    }
}

/// A library.
#[derive(Debug)]
pub struct Bodies {
    blocks: Vec<Block>,
    /// Blocks by the functions they offer.
    offered: BTreeMap<Box<str>, usize>,
    model: DataModel,
}

impl Bodies {
    /// The library that comes with the tools.
    #[must_use]
    pub fn own(model: DataModel) -> &'static Self {
        static WIDE: OnceLock<Bodies> = OnceLock::new();
        static NARROW: OnceLock<Bodies> = OnceLock::new();
        let cell = match model {
            DataModel::LP64 => &WIDE,
            DataModel::ILP32 => &NARROW,
        };
        cell.get_or_init(|| {
            let files = FILES.iter().map(|(name, text)| source(&format!("{FOLDER}/{name}"), text.as_bytes(), model));
            // A test reads all of it.
            Self::read(files, model).unwrap_or_else(|_| Self::none(model))
        })
    }

    /// The library of the C files of a folder, in the order of their names.
    ///
    /// # Errors
    /// A diagnostic if the folder or a file cannot be read, or is no C.
    pub fn folder(folder: &Path, options: &ProgramOptions) -> Result<Self, Diagnostic> {
        let unreadable = |error| Diagnostic::Read { path: folder.to_owned(), error };
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            paths.push(entry.map_err(unreadable)?.path());
        }
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
        paths.sort();
        let mut sources = Vec::with_capacity(paths.len());
        for path in paths {
            sources.push(read_source(&path, options)?);
        }
        let bodies = Self::read(sources.into_iter(), options.data_model)?;
        // What is no program is to be told, and not to be left out where it is wanted.
        bodies.lowered(&bodies.names().map(Wanted::new).collect::<Vec<_>>())?;
        Ok(bodies)
    }

    fn none(model: DataModel) -> Self {
        Self { blocks: Vec::new(), offered: BTreeMap::new(), model }
    }

    fn read(sources: impl Iterator<Item = SourceFile>, model: DataModel) -> Result<Self, Diagnostic> {
        let mut blocks = Vec::new();
        for source in sources {
            let ast = parse(&source)?;
            blocks.extend(ast.items.iter().filter_map(|item| block(&ast, &source, item)));
        }
        let mut by_name: BTreeMap<Box<str>, Vec<usize>> = BTreeMap::new();
        for (number, block) in blocks.iter().enumerate() {
            for name in &block.names {
                by_name.entry(name.clone()).or_default().push(number);
            }
        }
        for (number, block) in blocks.iter_mut().enumerate() {
            let uses: BTreeSet<usize> = words(&block.text).filter_map(|word| by_name.get(word)).flatten().copied().collect();
            block.uses = uses.into_iter().filter(|used| *used != number).collect();
        }
        let offered = blocks.iter().enumerate().filter(|(_, block)| block.offered);
        let offered = offered.filter_map(|(number, block)| Some((block.names.first()?.clone(), number))).collect();
        Ok(Self { blocks, offered, model })
    }

    /// Whether the library that comes with the tools may have a body that a program lacks. To read it takes longer than to read
    /// most programs, and most need nothing of it.
    #[must_use]
    pub fn may_concern(cfa: &Cfa) -> bool {
        static DEFINED: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
        let defined = DEFINED.get_or_init(defined);
        let has_body = |name: &str| defined.contains(name) || calls::reads_texts(cfa, name);
        cfa.functions.iter().any(|function| is_missing(function) && has_body(&function.name))
    }

    /// The names of all functions that have a body.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.offered.keys().map(|name| &**name)
    }

    /// The names of all functions that bodies call, their own among them.
    #[must_use]
    pub fn calls(&self) -> BTreeSet<String> {
        let called = |text: &str| {
            let before = text.split('(').map(|part| part.trim_end().to_owned());
            before
                .filter_map(|part| Some(words(&part).last()?.to_owned()).filter(|word| part.ends_with(word)))
                .collect::<Vec<_>>()
        };
        self.blocks.iter().flat_map(|block| called(&block.text)).collect()
    }

    /// The text of functions, with all they use, in the order of the files; `None` if it would take a name of the program
    /// for something else.
    #[must_use]
    pub fn text(&self, wanted: &[Wanted], taken: impl Fn(&str) -> bool) -> Option<String> {
        let mut taken_blocks: BTreeMap<usize, &Wanted> = BTreeMap::new();
        let mut open: Vec<(usize, &Wanted)> =
            wanted.iter().filter_map(|wanted| Some((*self.offered.get(&wanted.name)?, wanted))).collect();
        while let Some((number, by)) = open.pop() {
            if taken_blocks.contains_key(&number) {
                continue;
            }
            taken_blocks.insert(number, by);
            let uses = &self.blocks[number].uses;
            open.extend(uses.iter().map(|used| (*used, by)));
        }
        let mut text = String::new();
        let open = wanted.iter().any(|wanted| wanted.open);
        for (number, by) in taken_blocks {
            let block = &self.blocks[number];
            let is_wanted = |name: &str| wanted.iter().any(|wanted| *wanted.name == *name);
            if block.names.iter().any(|name| !is_wanted(name) && taken(name)) {
                return None;
            }
            if !open && block.names.iter().any(|name| **name == *UNSUPPORTED_CONVERSION) {
                continue;
            }
            text.push_str(&format!("\n# {} \"{}\"\n", block.line, block.file));
            let own = block.text.replace(SIZE, size_type(self.model)).replace(ELEMENT, &by.element);
            let own = own.replace(STREAM, &by.stream);
            // Where all formats are known to have code, none comes here.
            text.push_str(&if open { own } else { own.replace(&format!("{UNSUPPORTED_CONVERSION}();"), ";") });
        }
        Some(text + "\n")
    }

    /// The types of those functions among some that have a body, as text that does not depend on the program.
    fn types<'n>(&self, names: impl Iterator<Item = &'n str>) -> BTreeMap<Box<str>, String> {
        let all: BTreeSet<Wanted> = names.filter(|name| self.offered.contains_key(*name)).map(Wanted::new).collect();
        let all: Vec<Wanted> = all.into_iter().collect();
        // Whoever read the library has seen that all of it is a program.
        let Ok(Some(cfa)) = self.lowered(&all) else { return BTreeMap::new() };
        let described = |wanted: Wanted| {
            let function = cfa.functions.iter().find(|function| function.name == wanted.name)?;
            let ty = declared(&cfa, function);
            Some((wanted.name, ty))
        };
        all.into_iter().filter_map(described).collect()
    }

    fn lowered(&self, wanted: &[Wanted]) -> Result<Option<Cfa>, Diagnostic> {
        let (Some(first), Some(text)) = (wanted.first(), self.text(wanted, |_| false)) else { return Ok(None) };
        let options = ProgramOptions { data_model: self.model, entry: first.name.to_string(), ..ProgramOptions::default() };
        let source = SourceFile::new(FOLDER, text);
        let ast = parse(&source)?;
        lower(&ast, source, options).map(Some)
    }
}

/// What the bodies of a program take for granted where the C library leaves more open, or does more.
#[must_use]
pub fn assumptions(cfa: &Cfa) -> Vec<&'static str> {
    let linked = |function: &&Function| function.entry.is_some() && cfa.source.is_library(function.span);
    let names: BTreeSet<&str> = cfa.functions.iter().filter(linked).map(|function| &*function.name).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let has = |wanted: &[&str]| wanted.iter().any(|name| names.contains(name));
    let mut found = vec!["functions of the C library do what their bodies say (--no-libc: what is known of them by name)"];
    if has(&["strcmp", "strncmp", "strcasecmp", "strncasecmp", "strcoll", "memcmp", "bcmp"]) {
        found.push("comparisons of texts yield the difference of the first characters that differ, as glibc has it");
    }
    if names.iter().any(|name| name.starts_with("is") || name.starts_with("to") || name.starts_with("__ctype")) {
        found.push("the locale is \"C\", and the classes of characters are the numbers of glibc");
    }
    if has(&["qsort", "bsearch"]) {
        found.push("nothing depends on the order of equal elements, nor on which elements are compared to sort or to find");
    }
    found
}

/// A file of our own as the parser reads it: the types that a program decides are named as something.
fn source(name: &str, text: &[u8], model: DataModel) -> SourceFile {
    let names = format!("typedef {} {SIZE}; typedef char {ELEMENT};\n# 1 \"{name}\"\n", size_type(model));
    SourceFile::new(name, [names.as_bytes(), text].concat())
}

/// `size_t` of a data model.
fn size_type(model: DataModel) -> &'static str {
    match model {
        DataModel::LP64 => "unsigned long",
        DataModel::ILP32 => "unsigned int",
    }
}

/// A definition or declaration; `None` for what declares nothing, and for the names of types that programs decide.
fn block(ast: &Ast, source: &SourceFile, item: &Item) -> Option<Block> {
    let (names, span, offered): (Vec<Box<str>>, Span, bool) = match item {
        Item::Function(id) => {
            let name: Box<str> = ast.name(ast[*id].declarator.name?.name).into();
            let hidden = ast[*id].specifiers.storage == Some(Storage::Static);
            (vec![name], ast[*id].span, !hidden)
        }
        Item::Declaration(id) => {
            let names = ast[*id].declarators.iter().filter_map(|id| Some(ast.name(ast[*id].declarator.name?.name).into()));
            (names.collect(), ast[*id].span, false)
        }
        Item::StaticAssert(_) | Item::Asm(_) => return None,
    };
    if names.iter().any(|name| matches!(&**name, SIZE | ELEMENT)) {
        return None;
    }
    let place = source.location(span.lo);
    let (file, line) = (place.file.into(), place.line);
    Some(Block { names, offered, file, line, text: source.snippet(span).into(), uses: Vec::new() })
}

/// The names of all functions of the library that comes with the tools, and of some more.
fn defined() -> BTreeSet<&'static str> {
    FILES.iter().flat_map(|(_, text)| text.lines().filter_map(first_called)).collect()
}

/// The name before the first parenthesis of a line that begins with a word: the function, where the line begins a definition.
fn first_called(line: &'static str) -> Option<&'static str> {
    let (before, _) = line.split_once('(').filter(|_| !line.starts_with(char::is_whitespace))?;
    words(before).last()
}

/// The names, numbers and keywords of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The type of a function of the library as it was written: what `...` passes has become a parameter.
fn declared(cfa: &Cfa, function: &Function) -> String {
    let text = described(&cfa.types, function.ty);
    let hidden = function.parameters.last().is_some_and(|last| *cfa.variable(*last).name == *ARGUMENTS);
    if !hidden {
        return text;
    }
    text.replacen(", pointer to Void) -> ", "...) -> ", 1)
}

/// A type as text that is equal for types of two programs iff calls of functions of the one may be calls of the other.
fn described(types: &TypeTable, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Pointer(to) if is_list(types, to.ty) => LIST.to_owned(),
        Type::VaList => LIST.to_owned(),
        Type::Pointer(to) => format!("pointer to {}", described(types, to.ty)),
        Type::Function(function) => {
            let parameters: Vec<String> = function.parameters.iter().map(|p| described(types, p.ty)).collect();
            let (dots, old) = (if function.variadic { "..." } else { "" }, if function.unprototyped { "?" } else { "" });
            format!("({}{dots}{old}) -> {}", parameters.join(", "), described(types, function.result.ty))
        }
        Type::Record(id) => match types.record(*id).tag.as_deref() {
            Some(tag) => record(tag),
            None => "record".to_owned(),
        },
        Type::Array { element, length } => format!("{length:?} of {}", described(types, element.ty)),
        Type::Enum(_) => "enumeration".to_owned(),
        Type::Void | Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Complex(_) | Type::Vector { .. } => {
            format!("{:?}", types.get(ty))
        }
    }
}

/// A structure with a tag in [`described`].
fn record(tag: &str) -> String {
    format!("struct {tag};")
}

/// A list of arguments in [`described`], which is another type in programs that read one.
const LIST: &str = "list";

/// Whether a type is what a parameter of type `va_list` points to.
fn is_list(types: &TypeTable, ty: TypeId) -> bool {
    let Type::Record(id) = types.get(ty) else { return false };
    let record = types.record(*id);
    let names: Vec<Option<&str>> = record.fields.iter().map(|field| field.name.as_deref()).collect();
    record.tag.is_none() && (names == [Some("next"), Some("rest")] || names == [Some("slot")])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfa::Operation;

    const MODELS: [DataModel; 2] = [DataModel::LP64, DataModel::ILP32];

    #[test]
    fn every_file_is_read_in_both_data_models() {
        for model in MODELS {
            let bodies = Bodies::own(model);
            let names: Vec<&str> = bodies.names().collect();
            assert!(names.len() > 60 && names.len() == bodies.types(bodies.names()).len(), "{model}");
            assert!(names.iter().all(|name| defined().contains(name)), "nobody would ask for all of {names:?}");
        }
    }

    #[test]
    fn a_body_comes_with_what_it_uses_and_nothing_else() {
        let text = Bodies::own(DataModel::ILP32).text(&[Wanted::new("strspn")], |_| false).unwrap();
        assert!(text.contains("static int __residue_among"));
        assert!(text.contains("unsigned int strspn(const char *s, const char *set)"));
        assert!(!text.contains("strcspn"));
        assert!(Bodies::own(DataModel::ILP32).text(&[Wanted::new("strspn")], |name| name == "__residue_among").is_none());
    }

    #[test]
    fn each_body_is_understood_alone() {
        for model in MODELS {
            let bodies = Bodies::own(model);
            for name in bodies.names() {
                let cfa = bodies.lowered(&[Wanted::new(name)]).unwrap().unwrap();
                for edge in &cfa.edges {
                    let Operation::Unsupported { construct } = &edge.operation else { continue };
                    // What an earlier call left in the input is not always known well enough, nor is the sign of a NaN.
                    use crate::known::{UNSUPPORTED_INPUT, UNSUPPORTED_NUMBER, UNSUPPORTED_ROUNDING, UNSUPPORTED_SIGN};
                    let scans = name.ends_with("scanf");
                    let gaps =
                        if scans { [UNSUPPORTED_INPUT, UNSUPPORTED_NUMBER] } else { [UNSUPPORTED_SIGN, UNSUPPORTED_ROUNDING] };
                    let waits = gaps.iter().any(|gap| **construct == *crate::known::construct(gap));
                    assert!(waits, "{name}: {construct}");
                }
            }
        }
    }
}
