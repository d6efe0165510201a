//! Functions that change nothing that others see, or only what has a name.
//!
//! Read off the syntax. Knows: assignments, calls, which names are not a function's own. Does not know: whether a call comes back.
//! What is found is a subset: whoever writes through a pointer, reads an input or calls what has no body is not in it.

use formats::Property;
use rustc_hash::{FxHashMap, FxHashSet};

use super::candidate::{Candidate, Changes, candidates, is_computed, is_operator};
use crate::ast::{Ast, ExprId, ExprKind, Item, Symbol, UnaryOp};
use crate::known;

/// Functions whose calls are not seen, or are seen in some objects only.
#[derive(Debug, Default)]
pub(super) struct Pure {
    /// Those that change no object but their own and read no input.
    pub(super) quiet: FxHashSet<Symbol>,
    /// Those of them that always come back and read no other object either: their value depends on their arguments alone, and
    /// nobody can tell when they were called.
    pub(super) closed: FxHashSet<Symbol>,
    /// What the others change that read no input, beside objects of their own.
    pub(super) changes: FxHashMap<Symbol, Changes>,
}

impl Pure {
    /// Looks at all functions but those that the property or the field gives a meaning.
    pub(super) fn of(ast: &Ast, property: Property) -> Self {
        let special = |name: &str| name.starts_with("__VERIFIER_") || known::is_error_function(name, property);
        let outer = ast.items.iter().filter(|item| matches!(item, Item::Function(_))).count();
        if ast.asms() > 0 || ast.functions() > outer {
            return Self::default();
        }
        let mut candidates = candidates(ast);
        candidates.retain(|of| !special(ast.name(of.name)) && of.changes.is_some());
        let elsewhere = elsewhere(ast, &candidates);
        candidates.retain(|of| !elsewhere.contains(&of.name));
        // Where the property is one of operations they may violate it, which shows whether something else has ended the run before:
        // what ends runs must not be among them.
        let is_silent = matches!(property, Property::UnreachCall | Property::Assert);
        if is_silent {
            closure(&mut candidates);
        } else {
            let returning = returning(&candidates);
            candidates.retain(|of| returning.contains(&of.name));
        }
        let changes = spread(&candidates);
        let mut pure = Self::default();
        for (name, changed) in changes {
            if changed == Changes::default() {
                pure.quiet.insert(name);
            } else {
                pure.changes.insert(name, changed);
            }
        }
        if is_silent {
            candidates.retain(|of| pure.quiet.contains(&of.name) && reads_its_own(ast, of, &pure.quiet));
            pure.closed = returning(&candidates);
        }
        pure
    }
}

/// Leaves those of the candidates that call only each other.
fn closure(candidates: &mut Vec<Candidate>) {
    loop {
        let found: FxHashSet<Symbol> = candidates.iter().map(|of| of.name).collect();
        candidates.retain(|of| of.callees.as_ref().is_some_and(|callees| callees.is_subset(&found)));
        if candidates.len() == found.len() {
            return;
        }
    }
}

/// Those of the candidates that call only each other, and always come back.
fn returning(candidates: &[Candidate]) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    loop {
        let is_new = |of: &&Candidate| of.is_straight && !found.contains(&of.name);
        let calls_found = |of: &&Candidate| of.callees.as_ref().is_some_and(|callees| callees.is_subset(&found));
        let more: Vec<Symbol> = candidates.iter().filter(is_new).filter(calls_found).map(|of| of.name).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// What functions that call only each other change, with their callees.
fn spread(candidates: &[Candidate]) -> FxHashMap<Symbol, Changes> {
    let mut found: FxHashMap<Symbol, Changes> =
        candidates.iter().map(|of| (of.name, of.changes.clone().unwrap_or_default())).collect();
    loop {
        let mut is_more = false;
        for of in candidates {
            let mut all = found[&of.name].clone();
            for below in of.callees.iter().flatten().filter_map(|callee| found.get(callee)) {
                all.names.extend(&below.names);
                all.has_state |= below.has_state;
            }
            if all != found[&of.name] {
                found.insert(of.name, all);
                is_more = true;
            }
        }
        if !is_more {
            return found;
        }
    }
}

/// The names of `static` functions that other units use, too: for something else.
fn elsewhere(ast: &Ast, candidates: &[Candidate]) -> FxHashSet<Symbol> {
    if ast.units.len() < 2 {
        return FxHashSet::default();
    }
    let unit = |index: usize| ast.units.partition_point(|unit| unit.exprs.end <= index);
    let mut homes = FxHashMap::default();
    for of in candidates.iter().filter(|of| of.is_static && !of.exprs.is_empty()) {
        homes.insert(of.name, unit(of.exprs.start));
    }
    let mut found = FxHashSet::default();
    for index in 0..ast.exprs() {
        if let ExprKind::Name(name) = ast[ExprId::from_index(index)].kind
            && homes.get(&name).is_some_and(|home| *home != unit(index))
        {
            found.insert(name);
        }
    }
    found
}

/// Whether a function reads objects of its own alone, calls of `functions` aside.
fn reads_its_own(ast: &Ast, of: &Candidate, functions: &FxHashSet<Symbol>) -> bool {
    of.exprs.clone().all(|index| match &ast[ExprId::from_index(index)].kind {
        ExprKind::Name(name) => {
            let text = ast.name(*name);
            of.own.contains_key(name) || functions.contains(name) || is_operator(text) || is_computed(text)
        }
        ExprKind::Unary { op: UnaryOp::Deref, .. } | ExprKind::Index { .. } | ExprKind::Member { arrow: true, .. } => false,
        _ => true,
    })
}
