//! What a linker sees of one preprocessed file: what it defines, and what it mentions of other files.
//!
//! Invariant: a name that the file may use of another one is mentioned, and a file that counts although nothing names it
//! (constructors, assembly) says so.
//! Does not know which files belong to a program.

use std::collections::BTreeSet;

use program::ast::{
    Ast, BaseType, DeclarationId, Declarator, Derived, Item, Member, Parameters, ParametersKind, RecordId, Storage, Symbol,
};
use program::source::SourceFile;
use serde::{Deserialize, Serialize};

use super::revision::Source;
use crate::run::essence::{essence, names, strings};

/// Words of what counts although nothing names it.
const UNNAMED: [&str; 9] = [
    "constructor", "__constructor__", "destructor", "__destructor__", "init_array", "fini_array", "preinit_array", "ctors",
    "dtors",
];

/// Words that give a thing a second name.
const RENAMING: [&str; 9] = ["asm", "__asm", "__asm__", "alias", "__alias__", "ifunc", "__ifunc__", "weakref", "__weakref__"];

/// What a preprocessed file defines and mentions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Linked {
    /// Names of functions and objects that other files can use.
    pub(super) defines: BTreeSet<String>,
    /// Names in bodies and initial values that may stand for something of another file.
    pub(super) mentions: BTreeSet<String>,
    /// Names that stand for one thing.
    pub(super) same: Vec<BTreeSet<String>>,
    /// It counts although nothing may name it.
    pub(super) always: bool,
    /// Functions that may be given pointers to functions.
    pub(super) takes_functions: BTreeSet<String>,
}

/// What a linker sees of a file; `None` if it is no C.
pub(super) fn linked(source: &Source) -> Option<Linked> {
    let source = SourceFile::new(source.path.as_str(), source.text.clone());
    let ast = program::parse::parse(&source).ok()?;
    let mut linked = Linked { always: !ast.pragmas.is_empty(), ..Linked::default() };
    let functions = FunctionTypes::of(&ast);
    let declared = Declared { names: declared(&ast), functions: functions.typedefs.iter().map(|name| ast.name(*name)).collect() };
    for item in &ast.items {
        match item {
            Item::Function(id) => {
                let function = &ast[*id];
                let name = function.declarator.name.map(|name| ast.name(name.name).to_owned());
                linked.mention(source.slice(function.span), &declared);
                if let Some(name) = name {
                    if functions.are_given(&ast, &function.declarator) {
                        linked.takes_functions.insert(name.clone());
                    }
                    if function.specifiers.storage != Some(Storage::Static) {
                        linked.defines.insert(name);
                    }
                }
            }
            Item::Declaration(id) => linked.declaration(&ast, &source, *id, &declared),
            Item::Asm(_) => linked.always = true,
            Item::StaticAssert(_) => {}
        }
    }
    // Another file may define the same: the linker chooses.
    linked.mentions.extend(linked.defines.iter().cloned());
    Some(linked)
}

impl Linked {
    /// Takes down the names of a text that are those of the file's own declarations, or called; all of them where more may be
    /// declared, or there is assembly.
    fn mention(&mut self, text: &[u8], declared: &Declared<'_>) {
        let text = String::from_utf8_lossy(&essence(text)).into_owned();
        let words: BTreeSet<&[u8]> = names(text.as_bytes()).collect();
        let mut declaring = RENAMING.iter().chain(&["extern"]).chain(&declared.functions);
        let all = declaring.any(|word| words.contains(word.as_bytes()));
        for name in words.iter().map(|name| String::from_utf8_lossy(name)) {
            self.always |= UNNAMED.contains(&&*name);
            if all || declared.names.contains(&*name) {
                self.mentions.insert(name.into_owned());
            }
        }
        if all {
            self.mentions.extend(literals(text.as_bytes()));
        }
        for before in
            text.split('(').filter_map(|part| names(part.as_bytes()).last().filter(|name| part.as_bytes().ends_with(name)))
        {
            let name = String::from_utf8_lossy(before);
            self.mentions.extend(name.strip_prefix("__builtin_").map(str::to_owned));
            self.mentions.insert(name.into_owned());
        }
    }

    fn declaration(&mut self, ast: &Ast, source: &SourceFile, id: DeclarationId, all: &Declared<'_>) {
        let declaration = &ast[id];
        let text = essence(source.slice(declaration.span));
        let words: BTreeSet<&[u8]> = names(&text).collect();
        let has = |wanted: &[&str]| wanted.iter().any(|word| words.contains(word.as_bytes()));
        self.always |= has(&UNNAMED);
        let mut declared = BTreeSet::new();
        for declarator in declaration.declarators.iter().map(|id| &ast[*id]) {
            let Some(name) = declarator.declarator.name.map(|name| ast.name(name.name).to_owned()) else { continue };
            declared.insert(name.clone());
            let is_function = matches!(declarator.declarator.derived.first(), Some(Derived::Function(_)));
            let is_defined = match declaration.specifiers.storage {
                Some(Storage::Typedef | Storage::Static) => false,
                Some(Storage::Extern) => declarator.initializer.is_some(),
                Some(Storage::Auto | Storage::Register) | None => declarator.initializer.is_some() || !is_function,
            };
            if is_defined {
                self.defines.insert(name);
            }
            if declarator.initializer.is_some() {
                self.mention(source.slice(declarator.span), all);
            }
        }
        if has(&RENAMING) {
            let strings = literals(source.slice(declaration.span));
            self.defines.extend(strings.iter().filter(|_| has(&["alias", "__alias__"])).cloned());
            declared.extend(strings);
            self.same.push(declared);
        }
    }
}

/// What a file declares outside of functions.
struct Declared<'a> {
    names: BTreeSet<&'a str>,
    /// Names of types that lead to functions.
    functions: BTreeSet<&'a str>,
}

/// The names that a file declares outside of functions.
fn declared(ast: &Ast) -> BTreeSet<&str> {
    let names = ast.items.iter().flat_map(|item| match item {
        Item::Function(id) => vec![ast[*id].declarator.name],
        Item::Declaration(id) => ast[*id].declarators.iter().map(|id| ast[*id].declarator.name).collect(),
        Item::StaticAssert(_) | Item::Asm(_) => Vec::new(),
    });
    names.flatten().map(|name| ast.name(name.name)).collect()
}

/// Whether a declaration may give a thing a second name.
pub(super) fn renames(text: &[u8]) -> bool {
    let text = essence(text);
    names(&text).any(|word| RENAMING.iter().any(|renaming| renaming.as_bytes() == word))
}

/// The names in the string literals of a text. Assembly marks values with a dollar sign that is no part of their names.
pub(super) fn literals(text: &[u8]) -> Vec<String> {
    let of_one = |literal: &Vec<u8>| -> Vec<String> {
        let named = names(literal).map(|name| String::from_utf8_lossy(name).into_owned());
        named.flat_map(|name| [name.trim_start_matches('$').to_owned(), name]).collect()
    };
    let found: BTreeSet<String> = strings(text).iter().flat_map(of_one).collect();
    found.into_iter().filter(|name| !name.is_empty()).collect()
}

/// Types of a file that lead to functions.
struct FunctionTypes {
    typedefs: BTreeSet<Symbol>,
    /// Some struct or union has a function's address as a member.
    in_records: bool,
}

impl FunctionTypes {
    fn of(ast: &Ast) -> Self {
        let mut found = Self { typedefs: BTreeSet::new(), in_records: false };
        for item in &ast.items {
            let Item::Declaration(id) = item else { continue };
            let declaration = &ast[*id];
            let is_typedef = declaration.specifiers.storage == Some(Storage::Typedef);
            for declarator in declaration.declarators.iter().filter(|_| is_typedef).map(|id| &ast[*id].declarator) {
                if found.is_one(declaration.specifiers.base, declarator) {
                    found.typedefs.extend(declarator.name.map(|name| name.name));
                }
            }
        }
        let records = (0..ast.records()).map(|number| &ast[RecordId::from_index(number)]);
        let members = records.flat_map(|record| record.members.iter().flatten());
        found.in_records = members.into_iter().any(|member| match member {
            Member::Fields(fields) => {
                let base = fields.specifiers.base;
                fields.fields.iter().any(|field| found.is_one(base, &field.declarator))
            }
            Member::StaticAssert(_) => false,
        });
        found
    }

    fn is_one(&self, base: BaseType, declarator: &Declarator) -> bool {
        let has_function = declarator.derived.iter().any(|step| matches!(step, Derived::Function(_)));
        has_function || matches!(base, BaseType::Typedef(name) if self.typedefs.contains(&name))
    }

    /// Whether the arguments of a function may be or lead to functions.
    fn are_given(&self, ast: &Ast, function: &Declarator) -> bool {
        let Some(Derived::Function(Parameters { kind: ParametersKind::Prototype { parameters, .. }, .. })) =
            function.derived.first()
        else {
            return true;
        };
        parameters.iter().map(|id| &ast[*id]).any(|parameter| {
            let base = parameter.specifiers.base;
            let is_plain =
                matches!(base, BaseType::Void | BaseType::Bool | BaseType::Int(_) | BaseType::Float(_) | BaseType::Enum(_));
            self.is_one(base, &parameter.declarator) || self.in_records && !is_plain
        })
    }
}
