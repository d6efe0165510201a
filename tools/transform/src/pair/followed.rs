//! Private objects that can still be seen when the entry function has returned: through pointers that are observed, and by
//! functions that code outside may call then.
//!
//! Whether a pointer leads to an object is not asked: one whose address is taken counts as soon as some pointer is observed, so
//! that what differs in it may differ for nobody. Runs of both programs decide that, or nobody does.

use std::collections::BTreeSet;

use program::cfa::{Cfa, FunctionId, Linkage, VarId, VarKind, Variable};
use program::expr::Expr;
use program::types::{Type, TypeId};

use super::handed::{addresses, handed_out};
use super::parts::{operands, reachable, values};
use super::plan::Pairing;
use super::{Functions, Relation};

/// These objects of one of the programs.
pub(super) fn followed(pairing: &Pairing<'_>, side: usize, relation: Relation) -> BTreeSet<VarId> {
    let cfa = pairing.cfa(side);
    let mut found = BTreeSet::new();
    let is_object = |id: &VarId| {
        let variable = cfa.variable(*id);
        !variable.is_automatic() && !matches!(variable.kind, VarKind::StringLiteral(_))
    };
    let real = pairing.real_entry();
    let Some(entry) = (if side == 0 { Some(real) } else { pairing.counterpart(real) }) else { return found };
    let is_made = pairing.made_caller().is_some();
    if observes_pointers(cfa, (entry, is_made), relation) {
        found.extend(cfa.variable_ids().filter(|id| cfa.variable(*id).address_taken && is_object(id)));
    }
    if !addresses(cfa).is_empty() {
        let made = is_made.then_some(cfa.entry);
        let inside = reachable(cfa, handed_out(cfa, entry, made));
        found.extend(mentioned(cfa, &inside).into_iter().filter(is_object));
    }
    found
}

/// Whether what is observed at the end has pointers to objects in it.
fn observes_pointers(cfa: &Cfa, (entry, is_made): (FunctionId, bool), relation: Relation) -> bool {
    let is_returned = || match cfa.types.get(cfa.function(entry).ty) {
        Type::Function(ty) => holds_pointers(cfa, ty.result.ty),
        _ => false,
    };
    let is_passed =
        |id: VarId| is_made && cfa.variable(id).function == Some(cfa.entry) && cfa.variable(id).kind == VarKind::Local;
    let counts = |id: &VarId| relation.globals && is_seen(cfa.variable(*id)) || relation.memory && is_passed(*id);
    relation.returned && is_returned() || cfa.variable_ids().filter(counts).any(|id| holds_pointers(cfa, cfa.variable(id).ty.ty))
}

/// Whether a type has pointers to objects in it.
fn holds_pointers(cfa: &Cfa, ty: TypeId) -> bool {
    let (mut seen, mut pending) = (BTreeSet::new(), vec![ty]);
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match cfa.types.get(ty) {
            Type::Pointer(to) if !matches!(cfa.types.get(to.ty), Type::Function(_)) => return true,
            Type::Array { element, .. } => pending.push(element.ty),
            Type::Record(id) => pending.extend(cfa.types.record(*id).fields.iter().map(|field| field.ty.ty)),
            _ => {}
        }
    }
    false
}

/// The variables that functions mention.
fn mentioned(cfa: &Cfa, functions: &Functions) -> BTreeSet<VarId> {
    let edges = cfa.edge_ids().filter(|edge| functions.contains(&cfa.location(cfa.edge(*edge).source).function));
    let mut pending: Vec<_> = edges.flat_map(|edge| values(&cfa.edge(edge).operation)).collect();
    let (mut seen, mut found) = (vec![false; cfa.exprs.len()], BTreeSet::new());
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match *cfa.exprs.get(id) {
            Expr::Variable(variable) => _ = found.insert(variable),
            ref other => pending.extend(operands(other).into_iter().flatten()),
        }
    }
    found
}

/// A global that other files see.
pub(super) fn is_seen(variable: &Variable) -> bool {
    matches!(variable.kind, VarKind::Global { linkage: Linkage::External, defined: true })
}
