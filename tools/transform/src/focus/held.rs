//! Which variables certainly hold the address of the object in focus, or null: an access through them brings nothing into focus.
//!
//! A forward analysis over the original program, function by function: what is brought into focus stays there until another
//! object of its class is, or a function with a body is called. Only locals whose address nobody has are followed.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::BTreeSet;

use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};

/// For each class the variables.
pub(super) type Held = Vec<BTreeSet<VarId>>;

/// What an access or an allocation does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// An access through a pointer to an object of a class.
    Access(usize, ExprId),
    /// A variable gets the address of the object that another expression leads to.
    Copy(VarId, ExprId),
    /// A fresh object of a class, and the variable that gets its address.
    Fresh(usize, VarId),
    /// A variable gets something else.
    Lost(VarId),
    /// Anything may have come into focus.
    Call,
}

/// The variable whose value a pointer is, through conversions.
pub(super) fn base(cfa: &Cfa, pointer: ExprId) -> Option<VarId> {
    match *cfa.exprs.get(pointer) {
        Expr::Cast(operand) => base(cfa, operand),
        Expr::Load(place) => match *cfa.exprs.get(place) {
            Expr::Variable(variable) => Some(variable).filter(|variable| is_followed(cfa, *variable)),
            _ => None,
        },
        _ => None,
    }
}

fn is_followed(cfa: &Cfa, variable: VarId) -> bool {
    let one = cfa.variable(variable);
    let is_local = matches!(one.kind, VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_));
    is_local && !one.address_taken && !one.ty.qualifiers.is_volatile
}

/// What an event changes; for an access, whether its object was in focus already.
pub(super) fn pass(cfa: &Cfa, held: &mut Held, event: Event) -> bool {
    match event {
        Event::Access(class, pointer) => {
            let variable = base(cfa, pointer);
            if variable.is_some_and(|variable| held[class].contains(&variable)) {
                return true;
            }
            held[class] = variable.into_iter().collect();
        }
        Event::Copy(variable, from) => {
            let known: Vec<bool> = held.iter().map(|one| base(cfa, from).is_some_and(|from| one.contains(&from))).collect();
            for (one, known) in held.iter_mut().zip(known) {
                one.remove(&variable);
                if known && is_followed(cfa, variable) {
                    one.insert(variable);
                }
            }
        }
        Event::Fresh(class, variable) => {
            held.iter_mut().for_each(|one| _ = one.remove(&variable));
            held[class] = BTreeSet::from([variable]).into_iter().filter(|variable| is_followed(cfa, *variable)).collect();
        }
        Event::Lost(variable) => held.iter_mut().for_each(|one| _ = one.remove(&variable)),
        Event::Call => held.iter_mut().for_each(BTreeSet::clear),
    }
    false
}

/// What is held at each location, before anything that leaves it; `None` where no way leads.
pub(super) fn held(
    cfa: &Cfa,
    classes: usize,
    reads: &dyn Fn(LocationId) -> Vec<Event>,
    does: &dyn Fn(EdgeId) -> Vec<Event>,
) -> Vec<Option<Held>> {
    let mut known: Vec<Option<Held>> = vec![None; cfa.locations.len()];
    let mut pending = Vec::new();
    for entry in cfa.functions.iter().filter_map(|function| function.entry) {
        known[entry.index()] = Some(vec![BTreeSet::new(); classes]);
        pending.push(entry);
    }
    while let Some(at) = pending.pop() {
        let Some(mut before) = known[at.index()].clone() else { continue };
        for event in reads(at) {
            pass(cfa, &mut before, event);
        }
        for edge in cfa.out_edges(at) {
            let mut behind = before.clone();
            for event in does(*edge) {
                pass(cfa, &mut behind, event);
            }
            let target = cfa.edge(*edge).target;
            let new = match &known[target.index()] {
                None => behind,
                Some(old) => old.iter().zip(&behind).map(|(a, b)| a.intersection(b).copied().collect()).collect(),
            };
            if known[target.index()].as_ref() != Some(&new) {
                known[target.index()] = Some(new);
                pending.push(target);
            }
        }
    }
    known
}

/// What an operation does that is no access: variables that get other values, and calls.
pub(super) fn plain(cfa: &Cfa, operation: &Operation) -> Vec<Event> {
    match operation {
        Operation::Assign { place, value } => match *cfa.exprs.get(*place) {
            Expr::Variable(variable) => vec![Event::Copy(variable, *value)],
            _ => Vec::new(),
        },
        Operation::Call { callee, result, .. } => {
            let called = cfa.enters(*callee).then_some(Event::Call);
            called.into_iter().chain(result.map(Event::Lost)).collect()
        }
        Operation::Havoc { variable: Some(variable), .. } | Operation::Declare { variable } => vec![Event::Lost(*variable)],
        Operation::Asm(_) | Operation::Unsupported { .. } => vec![Event::Call],
        Operation::Assume { .. } | Operation::Havoc { variable: None, .. } | Operation::Return { .. } | Operation::Blank => {
            Vec::new()
        }
    }
}
