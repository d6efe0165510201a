//! Assembler names: which declarations of a text name the same thing for the linker.
//!
//! `asm("name")` after a declarator, and the attributes `alias` and `weakref`, make two names one object or one function.
//! Each such name has a *key*, the same for all names of one thing, by which functions and objects with linkage are found.
//! Invariant: without labels and aliases every name is its own key.
//! Does not know types: names of one key may be declared with types that do not fit.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::units::Facts;
use crate::ast::{Ast, AttributeKind, DeclId, Derived, InitDeclarator, Item, Storage, StringId, Symbol, Unit};

use crate::known;
use crate::source::Span;
use crate::treatment::{self, Treatment, labels};

/// The keys of names that are not their own, or whose thing has another name.
#[derive(Debug, Default)]
pub(super) struct Links {
    keys: BTreeMap<Symbol, Symbol>,
    names: BTreeMap<Symbol, Box<str>>,
    /// Attributes that the keys say all of.
    pub(super) followed: BTreeSet<Span>,
    /// Functions with a body and objects with a definition.
    pub(super) defined: BTreeSet<Symbol>,
    /// Names that `#pragma weak` makes weak.
    pub(super) weak: BTreeSet<Symbol>,
    /// Names that `alias` makes names of something of the same unit, for other units as well.
    pub(super) aliased: BTreeSet<Symbol>,
    /// Keys of names that stand for something of their own, but not for what has this name in another unit.
    apart: BTreeMap<Symbol, Symbol>,
    /// Labels that are not followed.
    pub(super) broken: Vec<(Box<str>, Span)>,
}

/// What the declarations of a text say.
#[derive(Default)]
struct Written {
    labels: BTreeMap<Symbol, Box<str>>,
    aliases: Vec<(Symbol, Box<str>, Span)>,
    declared: BTreeSet<Symbol>,
    /// Functions with a body and objects with a definition.
    defined: BTreeSet<Symbol>,
}

impl Links {
    /// Reads the labels and aliases of a unit.
    pub(super) fn new(ast: &Ast, unit: &Unit) -> Self {
        let mut links = Self::default();
        let written = links.read(ast, unit);
        links.defined.clone_from(&written.defined);
        if written.labels.is_empty() && written.aliases.is_empty() {
            return links;
        }
        for (symbol, label) in &written.labels {
            let first = written.labels.iter().find(|(_, other)| *other == label).map_or(*symbol, |(first, _)| *first);
            let plain = ast.symbols.get(label).filter(|symbol| !written.labels.contains_key(symbol));
            let key = plain.unwrap_or(first);
            links.keys.insert(*symbol, key);
            links.names.insert(key, label.clone());
        }
        let mut defined: BTreeSet<Symbol> = written.defined.iter().map(|symbol| links.key(*symbol)).collect();
        let mut open = written.aliases;
        loop {
            let count = open.len();
            open.retain(|(symbol, target, span)| {
                let key = ast.symbols.get(target).filter(|symbol| !written.labels.contains_key(symbol));
                let labelled = || written.labels.iter().find(|(_, label)| *label == target).map(|(symbol, _)| *symbol);
                let key = key.or_else(labelled).map(|symbol| links.key(symbol));
                let Some(key) = key.filter(|key| defined.contains(key) && !written.labels.contains_key(symbol)) else {
                    return true;
                };
                links.keys.insert(*symbol, key);
                links.aliased.insert(*symbol);
                links.followed.insert(*span);
                defined.insert(*symbol);
                false
            });
            if open.len() == count {
                return links;
            }
        }
    }

    /// The key of a name.
    pub(super) fn key(&self, name: Symbol) -> Symbol {
        self.keys.get(&name).or_else(|| self.apart.get(&name)).copied().unwrap_or(name)
    }

    /// Gives a name another key, that of `text` for the linker.
    pub(super) fn set_key(&mut self, name: Symbol, key: Symbol, text: Option<&str>) {
        match self.keys.get_mut(&name) {
            Some(known) => *known = key,
            None if name != key => drop(self.apart.insert(name, key)),
            None => {}
        }
        if let Some(text) = text {
            self.names.insert(key, text.into());
        }
    }

    /// Gives names that `alias` makes names within this unit only the key of what they stand for.
    pub(super) fn follow_private_aliases(&mut self, facts: &Facts) {
        let private = |name: &&Symbol| facts.names.get(name).is_some_and(|fact| fact.internal);
        let names: Vec<Symbol> = self.aliased.iter().filter(private).copied().collect();
        for name in names {
            let key = self.key(self.key(name));
            self.keys.insert(name, key);
        }
    }

    /// The key of the thing that has this name for the linker.
    pub(super) fn named(&self, ast: &Ast, name: &str) -> Option<Symbol> {
        let labelled = self.names.iter().find(|(_, label)| ***label == *name).map(|(key, _)| *key);
        labelled.or_else(|| ast.symbols.get(name).map(|symbol| self.key(symbol)))
    }

    /// The name of the thing that a name stands for.
    pub(super) fn name<'a>(&'a self, ast: &'a Ast, name: Symbol) -> &'a str {
        let key = self.key(name);
        match self.names.get(&key) {
            Some(name) => name,
            None => ast.name(key),
        }
    }

    /// Whether the thing that a name stands for is defined in the text.
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        let key = self.key(name);
        self.defined.contains(&name) || self.defined.contains(&key) || self.defined.iter().any(|other| self.key(*other) == key)
    }

    /// Whether another name may stand for the same thing.
    pub(super) fn is_shared(&self, name: Symbol) -> bool {
        self.keys.contains_key(&name) || self.keys.values().any(|key| *key == name)
    }

    /// Adds to a set of names all others of the same keys.
    pub(super) fn spread(&self, names: &mut FxHashSet<Symbol>) {
        let all = || self.keys.iter().flat_map(|(name, key)| [*name, *key]).chain(self.keys.keys().copied());
        let found: BTreeSet<Symbol> = all().filter(|name| names.contains(name)).map(|name| self.key(name)).collect();
        names.extend(all().filter(|name| found.contains(&self.key(*name))));
    }

    fn read(&mut self, ast: &Ast, unit: &Unit) -> Written {
        let mut written = Written::default();
        let mut outside = BTreeSet::new();
        for item in &ast.items[unit.items.clone()] {
            match item {
                Item::Declaration(id) => outside.extend(ast[*id].declarators.iter().map(|id| id.index())),
                Item::Function(id) => {
                    let name = ast[*id].declarator.name.map(|name| name.name);
                    written.declared.extend(name);
                    written.defined.extend(name);
                }
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
        for index in unit.declarators.clone() {
            let declarator = &ast[DeclId::from_index(index)];
            let Some(name) = declarator.declarator.name else { continue };
            let specifiers = &ast[declarator.declaration].specifiers;
            let place = Place::of(declarator, specifiers.storage, outside.contains(&index));
            if place == Place::Outside {
                written.declared.insert(name.name);
                let function = matches!(declarator.declarator.derived.first(), Some(Derived::Function(_)));
                if specifiers.storage != Some(Storage::Extern) && !function {
                    written.defined.insert(name.name);
                }
            }
            if let Some(label) = declarator.asm_label {
                self.label(ast, &mut written, declarator, label, place);
            }
            for attribute in declarator.attributes.iter().chain(&specifiers.attributes) {
                if let AttributeKind::Alias(target) | AttributeKind::Weakref(Some(target)) = attribute.kind
                    && place == Place::Outside
                {
                    written.defined.remove(&name.name);
                    if matches!(attribute.kind, AttributeKind::Weakref(_)) {
                        // Nobody need define what it leads to.
                        self.weak.insert(name.name);
                        self.weak.extend(ast.symbols.get(&ast[target].to_text()));
                    }
                    written.aliases.push((name.name, ast[target].to_text().into(), attribute.span));
                }
            }
        }
        self.weak_names(ast, &mut written);
        self.forget_redirections(ast, &mut written);
        written
    }

    /// `#pragma weak name` and `#pragma weak name = target`, for names that are declared outside of functions.
    fn weak_names(&mut self, ast: &Ast, written: &mut Written) {
        for pragma in &ast.pragmas {
            let Some(rest) = ast.name(pragma.name).strip_prefix("weak ") else { continue };
            let (name, target) = match rest.split_once('=') {
                Some((name, target)) => (name.trim(), Some(target.trim())),
                None => (rest.trim(), None),
            };
            let Some(symbol) = ast.symbols.get(name).filter(|symbol| written.declared.contains(symbol)) else { continue };
            match target {
                None => {
                    self.weak.insert(symbol);
                    self.followed.insert(pragma.span);
                }
                Some(target) if is_name(target) && !written.defined.contains(&symbol) => {
                    written.aliases.push((symbol, target.into(), pragma.span));
                }
                Some(_) => {}
            }
        }
    }

    /// Takes down a label.
    fn label(&mut self, ast: &Ast, written: &mut Written, declarator: &InitDeclarator, label: StringId, place: Place) {
        let Some(name) = declarator.declarator.name else { return };
        let text: Box<str> = ast[label].to_text().into();
        let own = ast.name(name.name);
        let reserved = |text: &str| {
            text.starts_with("__VERIFIER_")
                || text.starts_with("__builtin_")
                || known::is_assertion(text)
                || known::is_assumption(text)
        };
        let followed = treatment::of(labels::ROWS, place.row(declarator)) == Treatment::Modelled
            && is_name(&text)
            && !(*text != *own && (reserved(&text) || reserved(own)))
            && written.labels.get(&name.name).is_none_or(|known| *known == text);
        if !followed {
            self.broken.push((format!("assembler name `{text}`").into(), declarator.span));
        } else if *text != *own {
            written.labels.insert(name.name, text);
        }
    }

    /// The library sends some of its own names to variants of them: they are what they are called.
    fn forget_redirections(&self, ast: &Ast, written: &mut Written) {
        let Written { labels, declared, defined, .. } = written;
        let all = labels.clone();
        labels.retain(|symbol, label| {
            let own = ast.name(*symbol);
            let variant = (label.starts_with("__") || label.ends_with("64")) && label.contains(own);
            let here = ast.symbols.get(label).is_some_and(|symbol| declared.contains(&symbol))
                || all.iter().any(|(other, text)| other != symbol && text == label)
                || defined.contains(symbol);
            !(variant && known::by_name(own).is_some() && !here)
        });
    }
}

/// Where a declarator stands, as far as labels are concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It has linkage.
    Outside,
    /// An object that a register may hold.
    Register,
    /// An object of a block with static storage.
    Static,
}

impl Place {
    fn of(declarator: &InitDeclarator, storage: Option<Storage>, outside: bool) -> Self {
        let function = matches!(declarator.declarator.derived.first(), Some(Derived::Function(_)));
        match storage {
            Some(Storage::Register) => Self::Register,
            _ if outside || function || storage == Some(Storage::Extern) => Self::Outside,
            Some(Storage::Static) => Self::Static,
            _ => Self::Register,
        }
    }

    /// The row of the table.
    fn row(self, declarator: &InitDeclarator) -> &'static str {
        match self {
            Self::Outside if matches!(declarator.declarator.derived.first(), Some(Derived::Function(_))) => "function",
            Self::Outside => "variable",
            Self::Register => "register variable",
            Self::Static => "static local",
        }
    }
}

/// Whether C can say the name, so that a printed program can.
fn is_name(text: &str) -> bool {
    let keyword = matches!(
        text,
        "auto"
            | "break"
            | "case"
            | "char"
            | "const"
            | "continue"
            | "default"
            | "do"
            | "double"
            | "else"
            | "enum"
            | "extern"
            | "float"
            | "for"
            | "goto"
            | "if"
            | "inline"
            | "int"
            | "long"
            | "register"
            | "restrict"
            | "return"
            | "short"
            | "signed"
            | "sizeof"
            | "static"
            | "struct"
            | "switch"
            | "typedef"
            | "union"
            | "unsigned"
            | "void"
            | "volatile"
            | "while"
            | "asm"
            | "typeof"
    );
    let letters = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    letters && !keyword && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}
