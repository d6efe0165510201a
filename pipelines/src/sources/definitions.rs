//! What a file defines, by names: the texts of functions and values with whatever they mention, and the rest of it.
//!
//! Of all that preprocessed texts can say only names and places are looked at, never meanings, so that two definitions of the
//! same text differ only if something they mention does, or something in the rest of the file.
//! Does not know what has changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use formats::{Property, dense};
use program::ast::{AsmId, Ast, Declaration, DeclarationId, Derived, Function, Ident, Item, Storage};
use program::known::{self, Known};
use program::source::{SourceFile, Span};

use super::assembly::Assembly;
use super::entries::is_of_system;
use super::linked::{literals, renames};
use crate::run::essence::{essence, names, plain};

/// Words of definitions that give way to others.
const WEAK: [&str; 2] = ["weak", "__weak__"];

/// Words of what puts a thing into a section, which may be a table that is run or read.
const SECTION: [&str; 2] = ["section", "__section__"];

/// Words of what runs, or is found, although nothing names it.
const RUNS_UNNAMED: [&str; 6] = ["constructor", "__constructor__", "destructor", "__destructor__", SECTION[0], SECTION[1]];

/// Words of types that name none.
const KEYWORDS: [&str; 16] = [
    "typedef", "struct", "union", "enum", "const", "volatile", "restrict", "signed", "unsigned", "char", "short", "int", "long",
    "float", "double", "void",
];

/// What assembly is called that runs although nothing names it: no name of C.
const ASSEMBLY: &str = "assembly code";

/// Stands between the files of a program: what is moved from one to another is another program.
const BOUNDARY: &[u8] = b"\0/\0";

/// What the functions and initialised variables of a file mention.
pub(super) struct Definitions {
    pub(super) by_name: BTreeMap<String, Definition>,
    /// What the file consists of besides: the rest of it is what is not in a function.
    pieces: Vec<Piece>,
    /// All of it.
    essence: Vec<u8>,
    /// Functions that callers may give other functions, in structures as well.
    pub(super) given: BTreeSet<String>,
    /// What is only declared, not by the system, and may lead to functions: whoever defines it may have put any there.
    pub(super) outside: BTreeSet<String>,
}

/// Part of a file, outside of functions.
enum Piece {
    /// What stands for itself.
    Text(Vec<u8>),
    /// A function stands here.
    Function {
        name: String,
        /// Its text, if there is a directive within: that is meant for what stands behind it, too.
        whole: Option<Vec<u8>>,
    },
    /// A declaration that means nothing where its names are not.
    Names { names: Vec<String>, text: Vec<u8> },
}

pub(super) struct Definition {
    pub(super) text: Vec<u8>,
    pub(super) mentions: BTreeSet<String>,
    /// Other files can use it.
    pub(super) is_external: bool,
    /// It is a name for something that may be defined in another file.
    pub(super) is_alias: bool,
    /// It runs although nothing calls it.
    pub(super) runs: bool,
    pub(super) standing: Standing,
}

/// How much of a definition there is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// A body, a value, or a second name.
    Defined,
    /// A variable without a value, which another file may give it.
    Tentative,
    /// It is only in the original revision.
    Gone,
}

impl Definition {
    /// A second name, for something that may be anywhere.
    fn alias() -> Self {
        Self {
            text: Vec::new(),
            mentions: BTreeSet::new(),
            is_external: true,
            is_alias: true,
            runs: false,
            standing: Standing::Defined,
        }
    }
}

impl Definitions {
    /// Whether two files are the same outside of functions.
    pub(super) fn has_rest_of(&self, other: &Self) -> bool {
        if self.rest(other, None) == other.rest(self, None) {
            return true;
        }
        let words = |file: &'_ Self| mentions(&file.essence);
        self.rest(other, Some(&words(other))) == other.rest(self, Some(&words(self)))
    }

    /// Everything outside of functions, with the names of those that another program has too where they stand: what is called
    /// before it is declared means something else. What declares only names that the words of the other one lack is nothing to
    /// what is the same in both.
    fn rest(&self, other: &Self, words: Option<&BTreeSet<String>>) -> Vec<u8> {
        let common: BTreeSet<&str> = other.functions().collect();
        let mut rest = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => rest.extend_from_slice(text),
                Piece::Names { names, text } => {
                    let is_seen = words.is_none_or(|words| names.iter().any(|name| words.contains(name)));
                    rest.extend(text.iter().filter(|_| is_seen));
                }
                Piece::Function { name, whole } => {
                    rest.extend(whole.iter().flatten());
                    if common.contains(name.as_str()) {
                        rest.extend([b"\0".as_slice(), name.as_bytes(), b"\0"].concat());
                    }
                }
            }
        }
        rest
    }

    /// What mentions, through others as well, something that whoever defines it outside may have put functions in.
    pub(super) fn leading_outside(&self) -> BTreeSet<&str> {
        let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, definition) in &self.by_name {
            definition.mentions.iter().for_each(|mention| users.entry(mention).or_default().push(name));
        }
        let mut todo: Vec<&str> = self.outside.iter().map(String::as_str).collect();
        let mut found: BTreeSet<&str> = todo.iter().copied().collect();
        while let Some(name) = todo.pop() {
            todo.extend(users.get(name).into_iter().flatten().copied().filter(|user| found.insert(user)));
        }
        found
    }

    /// The names of its functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Function { name, .. } => Some(name.as_str()),
            Piece::Text(_) | Piece::Names { .. } => None,
        })
    }

    /// What other files can use and find there.
    pub(super) fn external(&self) -> impl Iterator<Item = (&String, &Definition)> {
        self.by_name.iter().filter(|(name, definition)| definition.is_external && !has_a_meaning(name))
    }
}

/// Whether the name stands for something whatever body it has in another file: error functions, assumptions, inputs. The C
/// library's names do not: who defines one of them means that.
fn has_a_meaning(name: &str) -> bool {
    let is_error = [Property::UnreachCall, Property::Assert].into_iter().any(|property| known::is_error_function(name, property));
    is_error || known::is_assumption(name) || matches!(known::by_name(name), Some(Known::Input))
}

/// Whether the name stands for something where no file is known to define it.
pub(super) fn is_known(name: &str) -> bool {
    has_a_meaning(name) || known::is_assertion(name) || known::by_name(name).is_some()
}

/// What a file defines for others.
pub(super) fn external_names(texts: &[Vec<u8>]) -> BTreeSet<String> {
    let found = definitions(texts).map(|found| found.by_name).unwrap_or_default();
    found
        .into_iter()
        .filter(|(_, definition)| definition.is_external && definition.standing == Standing::Defined)
        .map(|(name, _)| name)
        .collect()
}

/// The names of a text, those in its literals as well.
pub(super) fn mentions(text: &[u8]) -> BTreeSet<String> {
    let text = plain(text);
    let named = names(&text).map(|name| String::from_utf8_lossy(name).into_owned());
    named.chain(literals(&text)).collect()
}

/// What the files of a program define; `None` if they are no C.
pub(super) fn definitions(texts: &[Vec<u8>]) -> Option<Definitions> {
    let unit = |text: &Vec<u8>| (String::new(), SourceFile::new("program.c", plain(text).into_owned()));
    let source = SourceFile::join("program.c", texts.iter().map(unit).collect())?;
    let ast = program::parse::parse(&source).ok()?;
    let text = source.text();
    let (mut by_name, nested) = (BTreeMap::new(), nested(&ast));
    let mut pieces = Pieces { text, at: 0, ends: source.units().iter().map(|unit| unit.span.hi).collect(), pieces: Vec::new() };
    for item in &ast.items {
        match item {
            Item::Function(id) => add_function(&mut by_name, &mut pieces, (&ast, &nested), &ast[*id]),
            Item::Declaration(id) => {
                let declaration = &ast[*id];
                add_declaration(&mut by_name, &ast, text, declaration);
                if let Some(piece) = declaration_piece(&ast, text, declaration) {
                    pieces.put(declaration.span, [piece]);
                }
            }
            // Assembly is looked at wherever it stands.
            Item::StaticAssert(_) | Item::Asm(_) => {}
        }
    }
    nested.iter().for_each(|declaration| add_declaration(&mut by_name, &ast, text, declaration));
    // Whatever they mean, it may be that these names stand for one thing.
    for pragma in ast.pragmas.iter().map(|pragma| ast.name(pragma.name)) {
        let (_, named) = pragma.split_once(|c: char| c.is_whitespace() || c == '(').unwrap_or_default();
        add_all(&mut by_name, &mentions(named.as_bytes()), pragma.as_bytes());
    }
    add_assemblies(&mut by_name, &ast, text);
    let leading = leading(&ast, text);
    let given = given(&ast, text, &leading);
    // A variable without a value may get one from another file, and what has a second name may be anything.
    let is_open = |name: &String| {
        by_name.get(name).is_none_or(|found: &Definition| found.is_alias || found.standing == Standing::Tentative)
    };
    let outside = outside(&ast, &source, &leading).filter(is_open).collect();
    Some(Definitions { by_name, pieces: pieces.all(), essence: essence(text), given, outside })
}

/// The parts of a program in the making.
struct Pieces<'a> {
    text: &'a [u8],
    /// Up to where the text is in parts.
    at: u32,
    /// Where files end that are not in parts yet.
    ends: VecDeque<u32>,
    pieces: Vec<Piece>,
}

impl Pieces<'_> {
    /// Adds what takes the place of the text there.
    fn put(&mut self, place: Span, pieces: impl IntoIterator<Item = Piece>) {
        self.reach(place.lo);
        self.pieces.extend(pieces);
        self.at = place.hi;
    }

    /// Adds the text up to there.
    fn reach(&mut self, to: u32) {
        while let Some(end) = self.ends.pop_front_if(|end| *end <= to) {
            self.text(end);
            self.pieces.push(Piece::Text(BOUNDARY.to_vec()));
        }
        self.text(to);
    }

    fn text(&mut self, to: u32) {
        self.pieces.push(Piece::Text(essence(slice(self.text, Span::new(self.at, to)))));
        self.at = to;
    }

    fn all(mut self) -> Vec<Piece> {
        self.reach(dense(self.text.len()));
        self.pieces
    }
}

fn slice(text: &[u8], span: Span) -> &[u8] {
    text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
}

/// What a function says before its body.
fn head(ast: &Ast, function: &Function) -> Span {
    Span::new(function.span.lo, ast[function.body].span.lo)
}

/// What a function says; `nested` is in the order of the text.
fn add_function(
    all: &mut BTreeMap<String, Definition>,
    pieces: &mut Pieces<'_>,
    (ast, nested): (&Ast, &[&Declaration]),
    function: &Function,
) {
    let (text, name) = (pieces.text, function.declarator.name);
    let head = slice(text, head(ast, function));
    let is_external = match function.specifiers.storage {
        Some(Storage::Static) => false,
        // Nothing is made of it but what is made inline.
        Some(Storage::Extern) => !has_word(head, &["gnu_inline", "__gnu_inline__"]),
        Some(Storage::Typedef | Storage::Auto | Storage::Register) | None => true,
    };
    add(all, ast, text, (name, function.span, is_external));
    add_same(all, ast, head, name.iter());
    note_attributes(all, ast, head, name.as_ref());
    // Types and constants that are defined there are those of what follows, too.
    let types = has_braces(head).then(|| Piece::Text(essence(head)));
    let whole = essence(slice(text, function.span));
    // Only directives have lines of their own.
    let has_directive = whole.contains(&b'\n') || contains(&whole, b"_Pragma");
    let name = name.map(|name| ast.name(name.name).to_owned()).unwrap_or_default();
    let itself = Piece::Function { name, whole: has_directive.then_some(whole) };
    // What the body declares for the linker has what it says of it, as an attribute or a label, in the rest of the file, too.
    let before = |offset: u32| nested.partition_point(|declaration| declaration.span.lo < offset);
    let within = &nested[before(function.span.lo)..before(function.span.hi)];
    let declared = within.iter().map(|declaration| {
        declaration_piece(ast, text, declaration).unwrap_or_else(|| Piece::Text(essence(slice(text, declaration.span))))
    });
    pieces.put(function.span, types.into_iter().chain([itself]).chain(declared));
}

/// Declarations in functions of what is defined outside of them, in the order of the text.
fn nested(ast: &Ast) -> Vec<&Declaration> {
    let outer = ast.items.iter().filter_map(|item| match item {
        Item::Declaration(id) => Some(*id),
        Item::Function(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    });
    let outer: BTreeSet<DeclarationId> = outer.collect();
    let is_for_all = |declaration: &&Declaration| {
        let mut declarators = declaration.declarators.iter().map(|id| &ast[*id].declarator);
        match declaration.specifiers.storage {
            Some(Storage::Extern) => true,
            Some(Storage::Typedef) => false,
            Some(Storage::Static | Storage::Auto | Storage::Register) | None => {
                declarators.any(|declarator| matches!(declarator.derived.first(), Some(Derived::Function(_))))
            }
        }
    };
    let inner = (0..ast.declarations()).map(DeclarationId::from_index).filter(|id| !outer.contains(id));
    let mut found: Vec<&Declaration> = inner.map(|id| &ast[id]).filter(is_for_all).collect();
    found.sort_by_key(|declaration| declaration.span.lo);
    found
}

/// What assembly defines and mentions. Where some makes names of parts, as macros do, which count in all assembly behind them,
/// whatever has assembly may use anything.
fn add_assemblies(all: &mut BTreeMap<String, Definition>, ast: &Ast, text: &[u8]) {
    let functions = ast.items.iter().filter_map(|item| match item {
        Item::Function(id) => Some(&ast[*id]),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    });
    let functions: Vec<&Function> = functions.collect();
    let (mut users, mut makes_names) = (BTreeSet::new(), false);
    for asm in (0..ast.asms()).map(|number| &ast[AsmId::from_index(number)]) {
        let found = Assembly::of(&ast[asm.template].to_text());
        makes_names |= found.makes_names;
        add_assembly(all, &found, &essence(slice(text, asm.span)));
        users.extend(found.defines);
        users.extend(found.runs.then(|| ASSEMBLY.to_owned()));
        let before = functions.partition_point(|function| function.span.lo <= asm.span.lo);
        let around = functions[..before].last().filter(|function| asm.span.lo < function.span.hi);
        users.extend(around.and_then(|function| Some(ast.name(function.declarator.name?.name).to_owned())));
    }
    if makes_names {
        let any: BTreeSet<String> = all.keys().cloned().collect();
        for (_, user) in all.iter_mut().filter(|(name, _)| users.contains(*name)) {
            user.mentions.extend(any.iter().cloned());
        }
    }
}

/// A declaration of names and nothing else: without braces it defines no type and no constants, and without attributes nothing
/// runs, gives way or has a second name.
fn declaration_piece(ast: &Ast, text: &[u8], declaration: &Declaration) -> Option<Piece> {
    let whole = slice(text, declaration.span);
    let declared = declaration.declarators.iter().map(|id| ast[*id].declarator.name);
    let names = declared.map(|name| name.map(|name| ast.name(name.name).to_owned())).collect::<Option<Vec<String>>>()?;
    let has_attribute = contains(whole, b"__attribute") || contains(whole, b"[[") || contains(whole, b"<:");
    let is_more = has_braces(whole) || has_attribute || contains(whole, b"ragma") || renames(whole);
    (!names.is_empty() && !is_more).then(|| Piece::Names { names, text: essence(whole) })
}

/// The types that may lead to functions, by their names: one in whose definition there is a parenthesis, a pointer to anything,
/// or the name of such a type.
fn leading(ast: &Ast, text: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut open: Vec<TypeNames> = Vec::new();
    for item in &ast.items {
        let (span, declared) = match item {
            Item::Declaration(id) => (ast[*id].span, Some(&ast[*id])),
            Item::Function(id) => (head(ast, &ast[*id]), None),
            Item::StaticAssert(id) => (ast[*id].span, None),
            Item::Asm(_) => continue,
        };
        let text = essence(slice(text, span));
        let typedef = declared.filter(|declaration| declaration.specifiers.storage == Some(Storage::Typedef));
        if typedef.is_none() && !has_braces(&text) {
            continue;
        }
        let mut introduced = tags(&text);
        let names = typedef.into_iter().flat_map(|one| one.declarators.iter()).filter_map(|id| ast[*id].declarator.name);
        introduced.extend(names.map(|name| ast.name(name.name).as_bytes().to_vec()));
        open.push(TypeNames { introduced, words: words(&text), leads: may_lead(&text) });
    }
    let mut leading: BTreeSet<Vec<u8>> = BTreeSet::new();
    loop {
        let (found, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(|one| one.leads || !one.words.is_disjoint(&leading));
        if found.is_empty() {
            break;
        }
        leading.extend(found.into_iter().flat_map(|one| one.introduced));
        open = rest;
    }
    leading
}

/// The functions whose parameters may lead to functions.
fn given(ast: &Ast, text: &[u8], leading: &BTreeSet<Vec<u8>>) -> BTreeSet<String> {
    let functions = ast.items.iter().filter_map(|item| match item {
        Item::Function(id) => Some(&ast[*id]),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    });
    let is_given = |function: &&Function| {
        let Some(name) = function.declarator.name else { return true };
        let parameters = essence(slice(text, Span::new(name.span.hi, head(ast, function).hi)));
        let behind = parameters.strip_prefix(b"(").unwrap_or(&parameters).trim_ascii_end();
        // More than one parenthesis, declarations behind it, more arguments, or a pointer to anything.
        let is_odd = may_lead(behind) || has_braces(behind) || contains(behind, b"...") || !behind.ends_with(b")");
        is_odd || !words(behind).is_disjoint(leading)
    };
    functions.filter(is_given).filter_map(|function| Some(ast.name(function.declarator.name?.name).to_owned())).collect()
}

/// What is declared outside of the headers of the system and may lead to functions: variables, and functions by their results.
fn outside<'a>(ast: &'a Ast, source: &'a SourceFile, leading: &'a BTreeSet<Vec<u8>>) -> impl Iterator<Item = String> + 'a {
    let declarations = ast.items.iter().filter_map(|item| match item {
        Item::Declaration(id) => Some(&ast[*id]),
        Item::Function(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    });
    let own = declarations.filter(|declaration| {
        declaration.specifiers.storage != Some(Storage::Typedef) && !is_of_system(source.location(declaration.span.lo).file)
    });
    own.flat_map(move |declaration| {
        let declarators = declaration.declarators.iter().map(|id| &ast[*id].declarator);
        declarators.filter_map(move |declarator| {
            let name = declarator.name?;
            let is_function = matches!(declarator.derived.first(), Some(Derived::Function(_)));
            let end = if is_function { name.span.lo } else { declarator.span.hi };
            let text = essence(source.slice(Span::new(declaration.span.lo, end)));
            (may_lead(&text) || !words(&text).is_disjoint(leading)).then(|| ast.name(name.name).to_owned())
        })
    })
}

fn words(text: &[u8]) -> BTreeSet<Vec<u8>> {
    names(text).map(<[u8]>::to_vec).collect()
}

/// Whether something of this text may point to a function, or to anything.
fn may_lead(text: &[u8]) -> bool {
    [b"(".as_slice(), b"void*", b"void *", b"va_list"].iter().any(|part| contains(text, part))
}

/// What a declaration says of the names of types.
struct TypeNames {
    introduced: BTreeSet<Vec<u8>>,
    words: BTreeSet<Vec<u8>>,
    /// There may be a function in it.
    leads: bool,
}

/// The names behind `struct` and `union`; all words where attributes stand between.
fn tags(text: &[u8]) -> BTreeSet<Vec<u8>> {
    let is_name = |word: &&[u8]| !KEYWORDS.iter().any(|keyword| keyword.as_bytes() == *word);
    let all = || names(text).filter(is_name).map(<[u8]>::to_vec).collect();
    let mut found = BTreeSet::new();
    for keyword in [b"struct".as_slice(), b"union"] {
        for at in (0..text.len()).filter(|at| text[*at..].starts_with(keyword)) {
            // What has no name has a brace there, or blanks and then none.
            let Some(behind) = text[at + keyword.len()..].strip_prefix(b" ") else { continue };
            match names(behind).next() {
                Some(name) if name.starts_with(b"__") && name.ends_with(b"__") || name == b"__attribute" => return all(),
                Some(name) => _ = found.insert(name.to_vec()),
                None => {}
            }
        }
    }
    found
}

/// Whether something is defined in a text, or a value has parts; braces have a second spelling.
fn has_braces(text: &[u8]) -> bool {
    contains(text, b"{") || contains(text, b"<%")
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// What a declaration outside of functions says.
fn add_declaration(all: &mut BTreeMap<String, Definition>, ast: &Ast, text: &[u8], declaration: &Declaration) {
    let whole = slice(text, declaration.span);
    let names = declaration.declarators.iter().filter_map(|id| ast[*id].declarator.name.as_ref());
    add_same(all, ast, whole, names.clone());
    names.for_each(|name| note_attributes(all, ast, whole, Some(name)));
    let storage = declaration.specifiers.storage;
    for declared in declaration.declarators.iter().map(|id| &ast[*id]) {
        let is_function = matches!(declared.declarator.derived.first(), Some(Derived::Function(_)));
        let is_tentative = !is_function && matches!(storage, None | Some(Storage::Auto | Storage::Register));
        // What is declared without a value says nothing of what it is, only that it may be here.
        if declared.initializer.is_some() {
            add(all, ast, text, (declared.declarator.name, declared.span, storage != Some(Storage::Static)));
        } else if let Some(name) = declared.declarator.name.filter(|_| is_tentative) {
            let new = || Definition { standing: Standing::Tentative, ..Definition::alias() };
            let known = all.entry(ast.name(name.name).to_owned()).or_insert_with(new);
            known.text.extend(essence(whole));
            known.is_external = true;
        }
    }
}

/// What assembly of this text defines.
fn add_assembly(all: &mut BTreeMap<String, Definition>, found: &Assembly, text: &[u8]) {
    let hidden = found.runs.then(|| ASSEMBLY.to_owned());
    for name in found.defines.iter().cloned().chain(hidden) {
        let is_hidden = name == ASSEMBLY;
        let known = all.entry(name).or_insert_with(|| Definition { is_external: !is_hidden, ..Definition::alias() });
        known.text.extend(text);
        known.mentions.extend(found.mentions.iter().cloned());
        known.is_external |= !is_hidden;
        known.runs |= is_hidden;
        known.standing = Standing::Defined;
    }
}

/// What the attributes of a declaration say of how a thing is found and when it runs. A weak definition gives way to another file's.
fn note_attributes(all: &mut BTreeMap<String, Definition>, ast: &Ast, text: &[u8], name: Option<&Ident>) {
    let (is_weak, runs) = (has_word(text, &WEAK), has_word(text, &RUNS_UNNAMED));
    let Some(name) = name.filter(|_| is_weak || runs) else { return };
    let known = all.entry(ast.name(name.name).to_owned()).or_insert_with(Definition::alias);
    known.is_alias |= is_weak;
    known.runs |= runs;
    known.text.extend(essence(text));
    if has_word(text, &SECTION) {
        // The linker names the ends of the table that a section is.
        for end in literals(text).into_iter().flat_map(|section| ["__start_", "__stop_"].map(|end| format!("{end}{section}"))) {
            let known = all.entry(end).or_insert_with(Definition::alias);
            known.text.extend(essence(text));
            known.mentions.insert(ast.name(name.name).to_owned());
        }
    }
}

fn has_word(text: &[u8], wanted: &[&str]) -> bool {
    let text = essence(text);
    names(&text).any(|word| wanted.iter().any(|one| one.as_bytes() == word))
}

/// Names that a declaration gives to the same thing, as aliases and labels of the assembler do: each mentions all of them.
fn add_same<'a>(all: &mut BTreeMap<String, Definition>, ast: &Ast, text: &[u8], declared: impl Iterator<Item = &'a Ident>) {
    if !renames(text) {
        return;
    }
    let mut same: BTreeSet<String> = declared.map(|name| ast.name(name.name).to_owned()).collect();
    same.extend(literals(text));
    add_all(all, &same, text);
}

fn add_all(all: &mut BTreeMap<String, Definition>, same: &BTreeSet<String>, text: &[u8]) {
    for name in same {
        let known = all.entry(name.clone()).or_insert_with(Definition::alias);
        known.text.extend(essence(text));
        known.mentions.extend(same.iter().cloned());
        known.is_external = true;
    }
}

fn add(
    all: &mut BTreeMap<String, Definition>,
    ast: &Ast,
    text: &[u8],
    (name, span, is_external): (Option<program::ast::Ident>, Span, bool),
) {
    let Some(name) = name else { return };
    let text = essence(slice(text, span));
    let mentions = mentions(&text);
    // What is static in several files of a program is taken for one thing: it has changed where one of them has.
    let known = all.entry(ast.name(name.name).to_owned());
    let known = known.or_insert_with(|| Definition { is_external, is_alias: false, ..Definition::alias() });
    if known.standing == Standing::Tentative {
        (known.standing, known.is_alias) = (Standing::Defined, false);
    }
    known.text.extend(text);
    known.mentions.extend(mentions);
    known.is_external |= is_external;
}

#[cfg(test)]
mod tests {
    use super::super::elsewhere::{Changes, Text};
    use super::*;

    #[test]
    fn who_is_given_functions() {
        let text = "typedef unsigned long size_t; typedef int (*call)(int); typedef struct node { struct node *next; size_t n; } node;
            struct hooks { void *(*allocate)(size_t); node *first; }; typedef struct hooks hooks; struct outer { hooks *h; }; struct __attribute__((packed)) odd { call c; };
            typedef void *handle; int i(handle h) { return 0; }
            typedef __builtin_va_list va_list; typedef va_list rest; int j(rest r) { return 0; }
            typedef union { struct { unsigned u; } s; long l; } plain; int unnamed(plain p, unsigned u) { return 0; } int h(struct odd o) { return 0; }
            __attribute__((visibility(\"default\"))) node *none(void) { return 0; } int number(size_t n, const node *p) { return 0; }
            int a(call c) { return 0; } int b(hooks *h) { return 0; } int c(struct outer *o, int n) { return 0; }
            int d(int (*f)(void)) { return 0; } int e(void *p) { return 0; } int f(p) int p; { return 0; } int g(int n, ...) { return 0; }";
        let found = definitions(&[text.as_bytes().to_vec()]).unwrap().given;
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]);
    }

    /// Whether the change is nothing to `main`.
    fn is_alone(before: &[&str], after: &[&str]) -> bool {
        let texts = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>();
        let text = Text { path: String::new(), original: Some(texts(before)), modified: texts(after) };
        let entries = ["main".to_owned()];
        !Changes::of(&[text]).left_alone(("", &entries), &BTreeSet::new(), |_| false).is_empty()
    }

    /// Whether changes are nothing to `main`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Seen {
        Nothing,
        Something,
    }

    /// The text with `from` is the original one, and with `to` the modified one.
    fn check(cases: &[(&str, &str, &str)], expected: Seen) {
        let seen = |before: &str, after: &str| if is_alone(&[before], &[after]) { Seen::Nothing } else { Seen::Something };
        for (text, from, to) in cases {
            let after = text.replace(from, to);
            assert_ne!(*text, after, "{text}");
            assert_eq!(seen(text, &after), expected, "{text} | {after}");
            assert_eq!(seen(&after, text), expected, "{after} | {text}");
        }
    }

    #[test]
    fn bodies_of_others_are_nothing() {
        let cases = [
            ("int f(void) { return 1; } int main(void) { return 0; }", "1", "2"),
            ("#pragma pack(1)\nint f(void) { return 1; }\n#pragma foo\nint main(void) { return 0; }", "{ return 1", "{ return 2"),
            (
                "int f(void) { extern int x; int g(void); return x; } int x, y; int main(void) { return y; }",
                "return x",
                "return -x",
            ),
            ("enum { A } k(void) { return 0; } int f(void) { return 1; } int main(void) { return A; }", "1", "2"),
            ("int ga; int f(void) { return 1; } int main(void) { asm(\"call g\" \"a\"); return ga; }", "1", "2"),
            ("int f(void) { return 1; } int main(void) { asm(\"mov %%eax, %0\" : \"=r\"(*(int *)0)); return 0; }", "1", "2"),
            ("#pragma redefine_extname g h\nint f(void) { return 1; } int g(void); int main(void) { return g(); }", "1", "2"),
        ];
        check(&cases, Seen::Nothing);
    }

    #[test]
    fn what_functions_say_before_their_bodies_is_for_all() {
        let cases = [
            ("enum { K = 0 } f(void) { return 0; } int main(void) { return K; }", "K = 0", "K = 1"),
            ("enum <% K = 0 %> f(void) <% return 0; %> int main(void) { return K; }", "K = 0", "K = 1"),
            ("struct s { char c; } *f(void) { return 0; } int main(void) { return sizeof(struct s); }", "char", "int"),
            ("int f(x) struct s { char c; } *x; { return 0; } int main(void) { return 0; }", "char", "int"),
            ("int f(int x[sizeof(enum { A, B })]) { return 0; } int main(void) { return 0; }", "A, B", "B, A"),
        ];
        check(&cases, Seen::Something);
    }

    #[test]
    fn what_bodies_declare_for_the_linker_is_for_all() {
        let label = "int g(void) { return 1; } int f(void) { extern int h(void) __asm__(\"g\"); return h(); } int h(void); int main(void) { return h(); }";
        let shown = "int f(void) { double g(); return 0; } int main(void) { return g(); }";
        check(&[(label, "return 1", "return 2"), (label, " __asm__(\"g\")", ""), (shown, "double g", "int g")], Seen::Something);
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        let cases = [
            ("int é(void) { return 1; } int main(void) { return \\u00e9(); }", "1", "2"),
            ("int \\u00e9(void) { return 1; } int main(void) { return é(); }", "1", "2"),
            ("int \\U000000e9(void) { return 1; } int main(void) { return \\u00e9(); }", "1", "2"),
            ("int fo(void) { return 1; } int main(void) { return f\\\no(); }", "1", "2"),
            (
                "int k(void) asm(\"zz\"); int k(void) { return 1; } int m(void) asm(\"z\" \"z\"); int main(void) { return m(); }",
                "1",
                "2",
            ),
            ("int k asm(\"zz\") = 1; extern int m asm(\"z\" /* */ \"\\x7a\"); int main(void) { return m; }", "1", "2"),
            (
                "int ga(void) { return 1; } int z(void) __attribute__((alias(\"g\" \"a\"))); int main(void) { return z(); }",
                "1",
                "2",
            ),
            ("int ga(void) { return 1; } int main(void) { asm(\"call g\" \"a\"); return 0; }", "1", "2"),
            ("int ga(void) { return 1; } int main(void) { asm(\"\\tcall\\tga\"); return 0; }", "1", "2"),
            ("int ga(void) { return 1; } int main(void) { asm(\"push $ga\\n\\tret\"); return 0; }", "1", "2"),
            (
                "int ga(void) { return 1; } int main(void) { asm(\".macro m x\\n call g\\\\x\\n .endm\\n m a\"); return 0; }",
                "1",
                "2",
            ),
            ("int g7(void) { return 1; } int main(void) { asm(\"call g%c0\" :: \"i\"(7)); return 0; }", "1", "2"),
            ("int load(char *); int ga(void) { return 1; } int main(void) { return load(\"g\" \"a\"); }", "1", "2"),
            ("#pragma redefine_extname f g\nint f(void); int g(void) { return 1; } int main(void) { return f(); }", "1", "2"),
            ("_Pragma(\"redefine_extname f g\") int f(void); int g(void) { return 1; } int main(void) { return f(); }", "1", "2"),
            ("#pragma weak f = g\nint f(void); int g(void) { return 1; } int main(void) { return f(); }", "1", "2"),
        ];
        check(&cases, Seen::Something);
    }

    #[test]
    fn lines_of_directives_end() {
        let cases = [
            ("int main(void) { int x = 1;\n#pragma foo\n x = 0;\n return x; }", "foo\n", "foo "),
            ("int x;\n#pragma foo\nint y = 1;\nint main(void) { return 0; }", "foo\n", "foo "),
        ];
        check(&cases, Seen::Something);
    }

    #[test]
    fn what_moves_to_another_file_is_another_program() {
        let (one, main) = (
            "int one(void) { return 1; }\n",
            "int f(void); extern int v; struct s { char c; int i; }; int main(void) { return 0; }",
        );
        for moved in ["#pragma pack(1)\n", "static int f(void) { return 1; }\n", "static int v = 1;\n", "typedef int t;\n"] {
            let [first, second] = [format!("{one}{moved}"), format!("{moved}{main}")];
            assert!(!is_alone(&[&first, main], &[one, &second]), "{moved}");
            let other = first.replace("return 1", "return 2");
            assert!(is_alone(&[&first, main], &[&other, main]), "{moved}");
        }
    }

    #[test]
    fn types_of_heads_and_assertions_lead_to_functions() {
        let text =
            "struct s { void (*p)(void); } *make(void) { return 0; } _Static_assert(sizeof(struct t { int (*p)(void); }), \"\");
            int a(struct s *x) { return 0; } int b(struct t *x) { return 0; } int c(struct u *x) { return 0; }";
        let found = definitions(&[text.as_bytes().to_vec()]).unwrap().given;
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "b"]);
    }
}
