//! Which files of a program of several files its entry functions reach, as a linker sees it.
//!
//! A file is reached if it defines for the linker what a reached one mentions, or if it counts although nothing names it
//! (constructors, assembly). All others are left out of the program: nothing in them is ever executed, and no object of theirs
//! is read. Only files that may define what is mentioned are preprocessed to know: see [`super::raw`].
//! Invariant: what is not understood is reached, and a file in which the change can be seen is never left out.
//! Does not know what is done with the program.

use std::collections::{BTreeMap, BTreeSet};

use program::ast::{
    Ast, BaseType, DeclarationId, Declarator, Derived, Item, Member, Parameters, ParametersKind, RecordId, Storage, Symbol,
};
use program::library::Bodies;
use program::source::SourceFile;
use serde::{Deserialize, Serialize};

use super::affected::name_of;
use super::plan::LinkedProgram;
use super::program::FilePlanner;
use super::raw::{Written, is_of_the_library};
use super::revision::Source;
use crate::run::essence::{essence, names};
use crate::run::schedule::Schedule;

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
    defines: BTreeSet<String>,
    /// Names in bodies and initial values that may stand for something of another file.
    mentions: BTreeSet<String>,
    /// Names that stand for one thing.
    same: Vec<BTreeSet<String>>,
    /// It counts although nothing may name it.
    always: bool,
    /// Functions that may be given pointers to functions.
    takes_functions: BTreeSet<String>,
}

/// What was read of both revisions.
pub(super) type Ready = [BTreeMap<String, Source>; 2];

/// Leaves out of programs what they do not need; what was read to know it, and the files of the modified revision that some
/// program lacks now.
pub(super) fn reduce(
    file: &FilePlanner<'_>,
    programs: &mut [LinkedProgram],
    schedule: &Schedule<'_>,
) -> (Ready, BTreeSet<String>) {
    let mut search = Search::new(file, schedule);
    let mut left_out = BTreeSet::new();
    for program in programs {
        let Some(kept) = search.kept(program) else { continue };
        left_out.extend(program.after.iter().filter(|path| !kept.contains(*path)).cloned());
        let newer = |path: &String| file.renamed.iter().find(|(_, old)| *old == path).map_or(path, |(new, _)| new).clone();
        program.before.retain(|path| file.scope.is_affected(path) || kept.contains(&newer(path)));
        program.after.retain(|path| kept.contains(path));
    }
    (search.ready, left_out)
}

/// What is known of the files while programs are looked through.
struct Search<'a> {
    file: &'a FilePlanner<'a>,
    schedule: &'a Schedule<'a>,
    ready: Ready,
    linked: [BTreeMap<String, Option<Linked>>; 2],
    /// What the texts of files and headers may define.
    written: BTreeMap<String, Written>,
    by_name: BTreeMap<&'a str, Vec<&'a String>>,
}

impl<'a> Search<'a> {
    fn new(file: &'a FilePlanner<'a>, schedule: &'a Schedule<'a>) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for path in &file.scope.head.files {
            by_name.entry(name_of(path)).or_default().push(path);
        }
        Self { file, schedule, ready: Default::default(), linked: Default::default(), written: BTreeMap::new(), by_name }
    }

    /// The files of a program that have to be linked; `None` if all have.
    fn kept(&mut self, program: &LinkedProgram) -> Option<BTreeSet<String>> {
        let scope = self.file.scope;
        let affected = |path: &&String| scope.is_affected(path) || self.file.renamed.contains_key(*path);
        let mut read: BTreeSet<String> = program.after.iter().filter(affected).cloned().collect();
        let before: BTreeSet<String> = program.before.iter().filter(|path| scope.is_affected(path)).cloned().collect();
        if read.len() == program.after.len() {
            return None;
        }
        let mut kept = read.clone();
        self.read(0, &before);
        self.read(1, &read);
        let mut open: BTreeSet<String> = self.file.change.entries.iter().cloned().collect();
        open.extend(self.of_the_library()?);
        let unseen: Vec<&String> = program.after.iter().filter(|path| !read.contains(*path)).collect();
        let closures: BTreeMap<&String, Option<Vec<String>>> =
            unseen.into_iter().map(|path| (path, self.closure(path))).collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut reached: BTreeSet<(usize, String)> = BTreeSet::new();
        loop {
            if self.schedule.budget.exhausted() {
                return None;
            }
            let new: BTreeSet<String> = open.difference(&names).cloned().collect();
            names.append(&mut open);
            let may = |closure: &Option<Vec<String>>| closure.as_ref().is_none_or(|texts| self.may_define(texts, &new));
            let found = closures.iter().filter(|(path, closure)| !read.contains(**path) && may(closure));
            let found: BTreeSet<String> = found.map(|(path, _)| (*path).clone()).collect();
            self.read(1, &found);
            read.extend(found);
            let all = before.iter().map(|path| (0, path.clone())).chain(read.iter().map(|path| (1, path.clone())));
            let mut grown = false;
            for place in all {
                // What cannot be read or is no C is told when the program is read.
                let linked = self.linked[place.0].get(&place.1)?.as_ref()?;
                open.extend(linked.same.iter().filter(|same| !same.is_disjoint(&names)).flatten().cloned());
                let is_wanted = linked.always || !linked.defines.is_disjoint(&names);
                if is_wanted && reached.insert(place.clone()) {
                    grown = true;
                    open.extend(linked.mentions.iter().cloned());
                    kept.extend((place.0 == 1).then_some(place.1));
                }
            }
            open.retain(|name| !names.contains(name));
            if !grown && open.is_empty() {
                break;
            }
        }
        self.is_complete(&reached).then_some(kept)
    }

    /// Whether the entry functions were found, and nobody gives them functions that nothing names.
    fn is_complete(&self, reached: &BTreeSet<(usize, String)>) -> bool {
        let linked = || reached.iter().filter_map(|(side, path)| self.linked[*side].get(path)?.as_ref());
        // The system calls `main`.
        let is_given = |entry: &String| entry != "main" && linked().any(|linked| linked.takes_functions.contains(entry));
        let is_found = |entry: &String| linked().any(|linked| linked.defines.contains(entry));
        self.file.change.entries.iter().all(|entry| is_found(entry) && !is_given(entry))
    }

    /// The functions that bodies of the C library call.
    fn of_the_library(&self) -> Option<BTreeSet<String>> {
        let options = &self.file.change.options;
        Some(match &options.library {
            formats::Library::Own => Bodies::own(options.data_model).calls(),
            formats::Library::None => BTreeSet::new(),
            // A folder of the user may have anything.
            formats::Library::Folder(_) => return None,
        })
    }

    /// Reads files of one revision, and what they say to a linker.
    fn read(&mut self, side: usize, paths: &BTreeSet<String>) {
        let file = self.file;
        let paths: Vec<&String> = paths.iter().filter(|path| !self.ready[side].contains_key(*path)).collect();
        let reader = if side == 0 { file.base } else { file.head };
        let newer = |path: &String| file.renamed.iter().find(|(_, old)| *old == path).map(|(new, _)| new.clone());
        let work = |path: &&String| {
            let other = if side == 0 { newer(path) } else { file.renamed.get(*path).cloned() };
            let names = (path.as_str(), other.as_ref().unwrap_or(path).as_str());
            let (source, linked) = match &file.texts {
                Some(texts) => texts.read((reader, side), file.scope, names).ok()?,
                None => {
                    let source = reader.read(names.0, names.1).ok()?;
                    let linked = linked(&source);
                    (source, linked)
                }
            };
            Some(((*path).clone(), source, linked))
        };
        for (path, source, linked) in self.schedule.parallel(&paths, |path| (*path).clone(), work).into_iter().flatten() {
            self.linked[side].insert(path.clone(), linked);
            self.ready[side].insert(path, source);
        }
    }

    /// The texts that a file of the modified revision is made of, as far as names of headers tell; `None` if it may be made of
    /// others, or its flags say more than where to look for them.
    fn closure(&mut self, path: &str) -> Option<Vec<String>> {
        let scope = self.file.scope;
        if !self.file.head.is_plain(path) {
            return None;
        }
        let (mut found, mut todo) = (BTreeSet::new(), vec![path.to_owned()]);
        while let Some(path) = todo.pop() {
            if found.contains(&path) {
                continue;
            }
            if scope.head.links.contains(&path) {
                return None;
            }
            if !self.written.contains_key(&path) {
                let bytes = std::fs::read(scope.head.tree.join(&path)).ok()?;
                self.written.insert(path.clone(), Written::of(&String::from_utf8_lossy(&bytes)));
            }
            let written = self.written.get(&path).filter(|written| !written.open)?;
            for name in &written.includes {
                match self.by_name.get(name_of(name)) {
                    Some(others) => todo.extend(others.iter().map(|other| (*other).clone())),
                    None if is_of_the_library(name) => {}
                    None => return None,
                }
            }
            found.insert(path);
        }
        Some(found.into_iter().collect())
    }

    fn may_define(&self, texts: &[String], names: &BTreeSet<String>) -> bool {
        texts.iter().any(|text| self.written.get(text).is_none_or(|written| !written.names.is_disjoint(names)))
    }
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

/// The names in the string literals of a text.
fn literals(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let inside = text.split('"').skip(1).step_by(2);
    inside
        .flat_map(|literal| names(literal.as_bytes()).map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Vec<_>>())
        .collect()
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
