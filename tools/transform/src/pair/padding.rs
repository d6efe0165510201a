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
            if ty.is_none_or(|view| !parts.reads_members(view, whole)) {
                seen.extend(records);
            }
        }
    }
    padded.into_iter().filter(|(_, records)| !records.is_disjoint(&seen)).map(|(variable, _)| variable).collect()
}

/// How a pointer's target is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct View {
    /// The type that the pointer leads to.
    through: TypeId,
    /// One byte is read, which may be any, whatever the type.
    is_byte: bool,
}

/// What is read through pointers; without a view, what code that is not here may read.
fn read(facts: &Facts<'_>) -> BTreeMap<Option<View>, ObjectSet> {
    let cfa = facts.cfa();
    let mut found: BTreeMap<Option<View>, ObjectSet> = BTreeMap::new();
    let mut add = |view: Option<View>, pointer: ExprId| {
        found.entry(view).or_default().union_with(facts.points_to().targets(pointer));
    };
    for expr in cfa.exprs.ids() {
        if let Expr::Load(place) = *cfa.exprs.get(expr)
            && let Some(Root::Pointer { pointer, .. }) = root(cfa, place)
        {
            let view = View { through: behind(cfa, place), is_byte: is_byte(cfa, cfa.exprs.ty(place)) };
            add(Some(view), pointer);
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

fn is_byte(cfa: &Cfa, ty: TypeId) -> bool {
    size_of(&cfa.types, cfa.machine, ty).is_ok_and(|size| size == 1)
}

/// The elements of an array of any dimensions.
fn elements(cfa: &Cfa, mut ty: TypeId) -> TypeId {
    while let Type::Array { element, .. } = cfa.types.get(ty) {
        ty = element.ty;
    }
    ty
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

    /// Whether whoever reads an object through a type reads members of it. A byte that is read through a part of the object may be
    /// any of its bytes, for nothing says that the part is where the pointer leads; and a part that is all characters has no
    /// place of its own.
    fn reads_members(&mut self, view: View, whole: TypeId) -> bool {
        let (through, cfa) = (view.through, self.cfa);
        let is_part = self.of(whole).contains(&through) || self.of(through).contains(&whole);
        let is_whole = elements(cfa, through) == elements(cfa, whole);
        let is_scalar = |part: &&TypeId| !matches!(cfa.types.get(**part), Type::Record(_) | Type::Array { .. });
        let is_text = self.of(through).iter().filter(is_scalar).all(|part| is_byte(cfa, *part));
        is_part && (self.with_gaps(whole).is_empty() || is_whole || !view.is_byte && !is_text)
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
