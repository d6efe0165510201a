//! Bytes between the members of a record: whether anybody looks at them.
//!
//! Behind a call records are compared member by member. Where a program reads bytes of a record that are no member's, through a
//! pointer to characters or in a union, or hands them to code that is not here, that says too little for going on.
//! Does not know what stands in these bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::cfa::{Cfa, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::layout::size_of;
use program::types::{RecordId, Type, TypeId};
use rustc_hash::FxHashMap;
use semantics::facts::Facts;
use semantics::object_set::ObjectSet;
use semantics::objects::{ObjectKind, Root, root};

/// The variables of a version with bytes between members, of a kind that somebody looks at.
pub(super) fn looked_at(facts: &Facts<'_>) -> BTreeSet<VarId> {
    let cfa = facts.cfa();
    let mut parts = Parts { cfa, known: FxHashMap::default() };
    let mut padded: BTreeMap<VarId, BTreeSet<RecordId>> = BTreeMap::new();
    for variable in cfa.variable_ids() {
        let records = parts.with_gaps(cfa.variable(variable).ty.ty);
        if !records.is_empty() {
            padded.insert(variable, records);
        }
    }
    if padded.is_empty() {
        return BTreeSet::new();
    }
    let mut seen = parts.in_unions();
    for (ty, objects) in read(facts) {
        for object in objects.iter() {
            let known = facts.objects().get(object);
            let (ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. }) = known.kind else { continue };
            let Some(records) = padded.get(&variable) else { continue };
            let whole = known.ty.unwrap_or(cfa.variable(variable).ty.ty);
            if ty.is_none_or(|ty| !parts.reads_members(ty, whole)) {
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
            let is_pointer = |argument: &&ExprId| matches!(cfa.types.get(cfa.exprs.ty(**argument)), Type::Pointer(_));
            arguments.iter().filter(is_pointer).for_each(|pointer| add(None, *pointer));
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

/// What types are made of, each looked at once.
struct Parts<'a> {
    cfa: &'a Cfa,
    known: FxHashMap<TypeId, Rc<BTreeSet<TypeId>>>,
}

impl Parts<'_> {
    /// A type with those of its members and elements, down to scalars.
    fn of(&mut self, ty: TypeId) -> Rc<BTreeSet<TypeId>> {
        if let Some(known) = self.known.get(&ty) {
            return Rc::clone(known);
        }
        let members: Vec<TypeId> = match self.cfa.types.get(ty) {
            Type::Record(id) => self.cfa.types.record(*id).fields.iter().map(|field| field.ty.ty).collect(),
            Type::Array { element, .. } => vec![element.ty],
            _ => Vec::new(),
        };
        let mut all = BTreeSet::from([ty]);
        for member in members {
            all.extend(self.of(member).iter());
        }
        let all = Rc::new(all);
        self.known.insert(ty, Rc::clone(&all));
        all
    }

    /// The records in a type that have bytes or bits of no member.
    fn with_gaps(&mut self, ty: TypeId) -> BTreeSet<RecordId> {
        let parts = self.of(ty);
        let record = |part: &TypeId| if let Type::Record(id) = *self.cfa.types.get(*part) { Some(id) } else { None };
        parts.iter().filter_map(record).filter(|id| has_gaps(self.cfa, *id)).collect()
    }

    /// Whether whoever reads one type in an object of another reads members of it: the one is a part of the other, and is no
    /// character, which every byte is.
    fn reads_members(&mut self, read: TypeId, whole: TypeId) -> bool {
        let is_character = size_of(&self.cfa.types, self.cfa.machine, read).is_ok_and(|size| size == 1);
        let is_part = self.of(whole).contains(&read) || self.of(read).contains(&whole);
        is_part && (!is_character || self.with_gaps(whole).is_empty())
    }

    /// The records with gaps that unions overlay with something else.
    fn in_unions(&mut self) -> BTreeSet<RecordId> {
        let unions = self.cfa.types.records().filter(|(_, record)| record.is_union);
        let members: Vec<TypeId> = unions.flat_map(|(_, record)| record.fields.iter().map(|field| field.ty.ty)).collect();
        members.into_iter().flat_map(|member| self.with_gaps(member)).collect()
    }
}

fn has_gaps(cfa: &Cfa, id: RecordId) -> bool {
    let record = cfa.types.record(id);
    let sizes: Option<u64> = record.fields.iter().map(|field| size_of(&cfa.types, cfa.machine, field.ty.ty).ok()).sum();
    let has_bits = record.fields.iter().any(|field| field.bits.is_some());
    !record.is_union && (has_bits || sizes != Some(record.size))
}
