//! What each translation unit of a program declares, as far as linking is concerned.
//!
//! Read off the syntax: which names have linkage, which of them only within their unit, and what is defined how firmly.
//! Does not know types, nor the other units.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::ast::{
    Ast, Attribute, AttributeKind, DeclId, Derived, ExprId, ExprKind, Function, InitDeclarator, Item, Specifiers, Storage,
    Symbol, Unit,
};
use crate::source::Span;

/// How firmly something is defined. The firmest definition is that of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Only for inlining: another unit may have the function itself.
    Inline,
    /// `weak`
    Weak,
    /// An object that begins as zero unless another unit says otherwise.
    Tentative,
    /// There can be no other.
    Strong,
}

/// A body or an initialiser.
#[derive(Clone, Copy, Debug)]
pub(super) struct Definition {
    /// Where the name stands.
    pub(super) name: Span,
    /// All of it.
    pub(super) whole: Span,
    /// It is there only for inlining.
    pub(super) is_gnu: bool,
}

/// What a unit says of a name with linkage.
#[derive(Clone, Debug, Default)]
pub(super) struct Fact {
    /// `static`
    pub(super) internal: bool,
    /// Declared outside of functions.
    pub(super) outside: bool,
    /// Where: the definition, or the first declaration.
    pub(super) place: Span,
    /// How firmly the unit defines it.
    pub(super) strength: Option<Strength>,
    /// It has a body.
    pub(super) has_body: bool,
    /// Its definitions, those of least weight first.
    pub(super) definitions: Vec<Definition>,
    /// `weak`
    pub(super) weak: bool,
    /// Some declaration makes it more than a function for inlining.
    firm: bool,
    /// Its only body is one that the attribute `gnu_inline` is for.
    only_gnu: bool,
    initialised: bool,
}

/// What a unit says of all names.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Names with linkage.
    pub(super) names: BTreeMap<Symbol, Fact>,
    /// Names that are read as expressions anywhere.
    pub(super) used: BTreeSet<Symbol>,
    /// Names that are called, declared or not.
    pub(super) called: BTreeSet<Symbol>,
}

impl Facts {
    /// Reads a unit.
    pub(super) fn new(ast: &Ast, unit: &Unit) -> Self {
        let mut facts = Self::default();
        let mut outside = BTreeSet::new();
        for item in &ast.items[unit.items.clone()] {
            match item {
                Item::Declaration(id) => outside.extend(ast[*id].declarators.iter().copied()),
                Item::Function(id) => facts.function(ast, &ast[*id]),
                Item::StaticAssert(_) | Item::Asm(_) => {}
            }
        }
        for index in unit.declarators.clone() {
            let id = DeclId::from_index(index);
            facts.declarator(ast, &ast[id], outside.contains(&id));
        }
        for fact in facts.names.values_mut() {
            fact.complete();
        }
        facts.used = used(ast, unit.exprs.clone()).collect();
        facts.called = unit.exprs.clone().filter_map(|index| called(ast, ExprId::from_index(index))).collect();
        facts
    }

    /// Takes private functions of these names for one function of all units: what they do is known by the name, and a body
    /// is never entered.
    pub(super) fn share(&mut self, is_meant: impl Fn(Symbol) -> bool) {
        for (_, fact) in self.names.iter_mut().filter(|(name, fact)| fact.internal && is_meant(**name)) {
            fact.internal = false;
            fact.strength = fact.strength.map(|_| Strength::Weak);
        }
    }

    fn function(&mut self, ast: &Ast, function: &Function) {
        let Some(name) = function.declarator.name else { return };
        let specifiers = &function.specifiers;
        let attributes = || specifiers.attributes.iter().chain(&function.declarator.attributes);
        let gnu = attributes().any(|attribute| is_gnu_inline(ast, attribute));
        let fact = self.names.entry(name.name).or_default();
        fact.declared(specifiers, name.span, true, gnu);
        fact.weak |= attributes().any(is_weak);
        fact.only_gnu = gnu && (fact.only_gnu || !fact.has_body);
        fact.has_body = true;
        let at = if gnu { 0 } else { fact.definitions.len() };
        fact.definitions.insert(at, Definition { name: name.span, whole: function.span, is_gnu: gnu });
        if !gnu || fact.definitions.len() == 1 {
            fact.place = name.span;
        }
    }

    fn declarator(&mut self, ast: &Ast, declarator: &InitDeclarator, outside: bool) {
        let Some(name) = declarator.declarator.name else { return };
        let specifiers = &ast[declarator.declaration].specifiers;
        let is_function = matches!(declarator.declarator.derived.first(), Some(Derived::Function(_)));
        let linked = outside || specifiers.storage == Some(Storage::Extern) || (is_function && specifiers.storage.is_none());
        if !linked || specifiers.storage == Some(Storage::Typedef) {
            return;
        }
        let attributes = || declarator.attributes.iter().chain(&specifiers.attributes).chain(&declarator.declarator.attributes);
        let gnu = attributes().any(|attribute| is_gnu_inline(ast, attribute));
        let fact = self.names.entry(name.name).or_default();
        fact.declared(specifiers, name.span, outside, gnu);
        fact.weak |= attributes().any(is_weak);
        if is_function || !outside {
            return;
        }
        if declarator.initializer.is_some() {
            fact.initialised = true;
            fact.place = name.span;
            fact.definitions.push(Definition { name: name.span, whole: declarator.span, is_gnu: false });
        } else if specifiers.storage != Some(Storage::Extern) {
            fact.strength = Some(Strength::Tentative);
        }
    }
}

impl Fact {
    fn declared(&mut self, specifiers: &Specifiers, place: Span, outside: bool, gnu: bool) {
        if self.place == Span::default() || (outside && !self.outside) {
            self.place = place;
        }
        self.outside |= outside;
        self.internal |= outside && specifiers.storage == Some(Storage::Static);
        self.firm |= !gnu && (!specifiers.inline || specifiers.storage == Some(Storage::Extern));
    }

    fn complete(&mut self) {
        self.strength = match (self.has_body, self.initialised, self.strength) {
            (true, ..) if !self.firm || self.only_gnu => Some(Strength::Inline),
            (false, false, None) => None,
            _ if self.weak => Some(Strength::Weak),
            (true, ..) | (_, true, _) => Some(Strength::Strong),
            (false, false, strength) => strength,
        };
    }
}

/// The names that are read as expressions.
pub(super) fn used(ast: &Ast, exprs: Range<usize>) -> impl Iterator<Item = Symbol> + '_ {
    exprs.filter_map(|index| match ast[ExprId::from_index(index)].kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    })
}

fn called(ast: &Ast, expr: ExprId) -> Option<Symbol> {
    let ExprKind::Call { callee, .. } = ast[expr].kind else { return None };
    let ExprKind::Name(name) = ast[callee].kind else { return None };
    Some(name)
}

fn is_weak(attribute: &Attribute) -> bool {
    matches!(attribute.kind, AttributeKind::Weak)
}

fn is_gnu_inline(ast: &Ast, attribute: &Attribute) -> bool {
    matches!(attribute.kind, AttributeKind::Identity(name) if ast.name(name).trim_matches('_') == "gnu_inline")
}
