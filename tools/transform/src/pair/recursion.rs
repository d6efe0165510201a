//! Functions that call themselves in both versions, and of which it may be proved once that both do the same.
//!
//! If both bodies do the same wherever their own calls do, then so do the functions, by induction over the calls of runs that
//! end (Godlin, Strichman, *Inference rules for proving the equivalence of recursive procedures*, 2008). For that a call must
//! depend on its arguments only, and leave nothing but its result. Functions that call each other are proved together or not at
//! all.

use std::collections::BTreeSet;

use program::cfa::{Cfa, FunctionId, Operation};
use program::types::Type;
use semantics::objects::ObjectKind;

use super::bodies::Footprint;
use super::compare::is_scalar;
use super::external::{External, Leaving, external, leaving};
use super::parts::reachable;
use super::plan::{Pairing, Plan};

/// Groups of functions of the original program that call each other in both versions, callees first.
#[must_use]
pub fn recursions(pairing: &Pairing<'_>, plan: &Plan) -> Vec<BTreeSet<FunctionId>> {
    let calls_itself = |cfa: &Cfa, function: FunctionId| {
        let own = |edge: &program::cfa::EdgeId| cfa.location(cfa.edge(*edge).source).function == function;
        let callees = cfa.edge_ids().filter(own).filter_map(|edge| cfa.entered_callee(edge));
        reachable(cfa, callees.collect::<Vec<_>>()).contains(&function)
    };
    let (original, modified) = (pairing.original, pairing.modified);
    let mut groups: Vec<BTreeSet<FunctionId>> = Vec::new();
    for function in reachable(original, [original.entry]).intersection(plan.inside()).copied() {
        let is_both = pairing.counterpart(function).is_some_and(|twin| calls_itself(modified, twin));
        if groups.iter().any(|group| group.contains(&function)) || !is_both || !calls_itself(original, function) {
            continue;
        }
        let component: BTreeSet<FunctionId> = reachable(original, [function])
            .into_iter()
            .filter(|other| reachable(original, [*other]).contains(&function))
            .collect();
        groups.push(component);
    }
    if groups.is_empty() {
        return groups;
    }
    let footprints = [Footprint::new(original), Footprint::new(modified)];
    groups.retain(|group| {
        group.iter().all(|function| {
            let twin = pairing.counterpart(*function);
            twin.is_some_and(|twin| {
                [(0, *function), (1, twin)]
                    .iter()
                    .all(|(side, function)| depends_on_arguments(pairing, plan, &footprints, (*side, *function)))
            })
        })
    });
    groups.sort_by_key(|group| group.first().map_or(0, |function| reachable(original, [*function]).len()));
    groups
}

/// Whether what a function yields depends on its arguments only, and whether that is all it does.
fn depends_on_arguments(
    pairing: &Pairing<'_>,
    plan: &Plan,
    footprints: &[Footprint<'_>; 2],
    (side, function): (usize, FunctionId),
) -> bool {
    let cfa = pairing.cfa(side);
    let known = cfa.function(function);
    let Type::Function(ty) = cfa.types.get(known.ty) else { return false };
    let is_number = |ty: &Type| is_scalar(ty) && !matches!(ty, Type::Pointer(_));
    let result = cfa.types.get(ty.result.ty);
    let mut parameters = known.parameters.iter().map(|parameter| cfa.types.get(cfa.variable(*parameter).ty.ty));
    if ty.variadic || !parameters.all(is_number) || !(is_number(result) || matches!(result, Type::Void)) {
        return false;
    }
    let inside = reachable(cfa, [function]);
    let Footprint { facts, effects } = &footprints[side];
    let summary = effects.summary(function);
    let ever = &effects.summary(cfa.entry).mods;
    let kind = |object| &facts.objects().get(object).kind;
    let is_own = |object| match kind(object) {
        ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => {
            let variable = cfa.variable(*variable);
            variable.is_automatic() && variable.function.is_some_and(|owner| inside.contains(&owner))
        }
        ObjectKind::External | ObjectKind::Heap { .. } => false,
    };
    let is_fixed = |object| match kind(object) {
        ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => {
            !cfa.variable(*variable).is_automatic() && !plan.is_own(side, *variable) && !ever.contains(object)
        }
        ObjectKind::External | ObjectKind::Heap { .. } => false,
    };
    if !summary.mods.iter().all(is_own) || !summary.refs.iter().all(|object| is_own(object) || is_fixed(object)) {
        return false;
    }
    let mut edges = cfa.edge_ids().filter(|edge| inside.contains(&cfa.location(cfa.edge(*edge).source).function));
    edges.all(|edge| {
        let ends = leaving(cfa, edge).is_some_and(|leaving| !matches!(leaving, Leaving::Undefined(_)));
        let calls = match &cfa.edge(edge).operation {
            Operation::Call { callee, .. } if cfa.function(*callee).entry.is_none() => {
                leaving(cfa, edge).is_some() || external(cfa.function(*callee)) == External::Computed
            }
            Operation::Havoc { .. } | Operation::Unsupported { .. } | Operation::Asm(_) => false,
            _ => true,
        };
        !ends && calls
    })
}
