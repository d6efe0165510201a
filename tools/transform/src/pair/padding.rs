//! Bytes between the members of a record: whether anybody looks at them.
//!
//! Behind a call records are compared member by member. Where a program reads bytes of a record that are no member's, through a
//! pointer to characters or in a union, or hands them to code that is not here, that says too little for going on.
//! Does not know what stands in these bytes.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::layout::size_of;
use program::types::{RecordId, Type, TypeId};
use semantics::facts::Facts;
use semantics::object_set::ObjectSet;
use semantics::objects::{ObjectKind, Root, root};

/// The variables of a version with bytes between members, of a kind that somebody looks at.
pub(super) fn looked_at(facts: &Facts<'_>) -> BTreeSet<VarId> {
    let cfa = facts.cfa();
    let padded: BTreeMap<VarId, BTreeSet<RecordId>> = cfa
        .variable_ids()
        .map(|variable| (variable, padded(cfa, cfa.variable(variable).ty.ty)))
        .filter(|(_, records)| !records.is_empty())
        .collect();
    if padded.is_empty() {
        return BTreeSet::new();
    }
    let mut seen = in_unions(cfa);
    for (ty, objects) in read(facts) {
        for object in objects.iter() {
            let known = facts.objects().get(object);
            let (ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. }) = known.kind else { continue };
            let Some(records) = padded.get(&variable) else { continue };
            let whole = known.ty.unwrap_or(cfa.variable(variable).ty.ty);
            if ty.is_none_or(|ty| !is_member(cfa, ty, whole)) {
                seen.extend(records);
            }
        }
    }
    padded.into_iter().filter(|(_, records)| !records.is_disjoint(&seen)).map(|(variable, _)| variable).collect()
}

/// What is read through pointers, by the type that they point to; without a type, what code that is not here may read.
fn read(facts: &Facts<'_>) -> BTreeMap<Option<TypeId>, ObjectSet> {
    let cfa = facts.cfa();
    let mut found: BTreeMap<Option<TypeId>, ObjectSet> = BTreeMap::new();
    let mut add = |ty: Option<TypeId>, pointer: ExprId| {
        found.entry(ty).or_default().union_with(facts.points_to().targets(pointer));
    };
    for expr in cfa.exprs.ids() {
        if let Expr::Load(place) = *cfa.exprs.get(expr)
            && let Some(Root::Pointer { pointer, .. }) = root(cfa, place)
        {
            add(Some(behind(cfa, place)), pointer);
        }
    }
    for edge in cfa.edge_ids() {
        if let Operation::Call { callee, arguments, .. } = &cfa.edge(edge).operation
            && cfa.function(*callee).entry.is_none()
        {
            let pointers = arguments.iter().filter(|argument| is_pointer(cfa, cfa.exprs.ty(**argument)));
            pointers.for_each(|pointer| add(None, *pointer));
        }
    }
    found
}

/// The type of what the pointer of a place leads to, as the place has it.
fn behind(cfa: &Cfa, mut place: ExprId) -> TypeId {
    while let Expr::Field(inner, _) | Expr::Index(inner, _) = *cfa.exprs.get(place) {
        place = inner;
    }
    cfa.exprs.ty(place)
}

fn is_pointer(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Pointer(_))
}

/// Whether whoever reads one type in an object of another reads members of it: the one is a part of the other, and is no
/// character, which every byte is.
fn is_member(cfa: &Cfa, part: TypeId, whole: TypeId) -> bool {
    let is_character = size_of(&cfa.types, cfa.machine, part).is_ok_and(|size| size == 1);
    (!is_character || padded(cfa, whole).is_empty()) && (contains(cfa, whole, part) || contains(cfa, part, whole))
}

fn contains(cfa: &Cfa, whole: TypeId, part: TypeId) -> bool {
    whole == part || members(cfa, whole).into_iter().any(|member| contains(cfa, member, part))
}

/// The types of members and elements.
fn members(cfa: &Cfa, ty: TypeId) -> Vec<TypeId> {
    match cfa.types.get(ty) {
        Type::Record(id) => cfa.types.record(*id).fields.iter().map(|field| field.ty.ty).collect(),
        Type::Array { element, .. } => vec![element.ty],
        _ => Vec::new(),
    }
}

/// The records in a type that have bytes or bits of no member.
fn padded(cfa: &Cfa, ty: TypeId) -> BTreeSet<RecordId> {
    let mut found: BTreeSet<RecordId> = members(cfa, ty).into_iter().flat_map(|member| padded(cfa, member)).collect();
    if let Type::Record(id) = *cfa.types.get(ty)
        && has_gaps(cfa, id)
    {
        found.insert(id);
    }
    found
}

fn has_gaps(cfa: &Cfa, id: RecordId) -> bool {
    let record = cfa.types.record(id);
    let sizes: Option<u64> = record.fields.iter().map(|field| size_of(&cfa.types, cfa.machine, field.ty.ty).ok()).sum();
    let has_bits = record.fields.iter().any(|field| field.bits.is_some());
    !record.is_union && (has_bits || sizes != Some(record.size))
}

/// The records with gaps that unions overlay with something else.
fn in_unions(cfa: &Cfa) -> BTreeSet<RecordId> {
    let unions = cfa.types.records().filter(|(_, record)| record.is_union);
    unions.flat_map(|(_, record)| record.fields.iter().flat_map(|field| padded(cfa, field.ty.ty))).collect()
}
