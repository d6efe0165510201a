//! Whether two types of the two programs are the same: an access of the one sees the same bytes in the same way.
//!
//! Names of members and tags do not count, nor what lies behind a pointer to a record: every access through it says where it
//! goes and of which type it is. `volatile` and `_Atomic` count, `const` does not.

use program::cfa::Cfa;
use program::types::{Qualifiers, RecordId, Type, TypeId};
use rustc_hash::FxHashSet;

/// Types of the modified and of the original program that were found to be the same.
#[derive(Debug, Default)]
pub(crate) struct Types {
    same: FxHashSet<(TypeId, TypeId)>,
}

/// What is left to be compared.
type Open = Vec<(TypeId, TypeId)>;

impl Types {
    /// Whether an access of the one type sees the same bytes in the same way as one of the other.
    pub(crate) fn same(&mut self, modified: &Cfa, mine: TypeId, original: &Cfa, theirs: TypeId) -> bool {
        let mut open = vec![(mine, theirs)];
        let mut met = FxHashSet::default();
        while let Some((a, b)) = open.pop() {
            let (a, b) = (without_enumeration(modified, a), without_enumeration(original, b));
            if self.same.contains(&(a, b)) || !met.insert((a, b)) {
                continue;
            }
            if !same_type_heads(modified, a, original, b, &mut open) {
                return false;
            }
        }
        self.same.extend(met);
        true
    }
}

/// An enumeration is the integers it is made of.
fn without_enumeration(cfa: &Cfa, mut ty: TypeId) -> TypeId {
    while let Type::Enum(definition) = cfa.types.get(ty) {
        ty = cfa.types.enumeration(*definition).underlying;
    }
    ty
}

fn same_marks(a: Qualifiers, b: Qualifiers) -> bool {
    (a.is_volatile, a.is_atomic) == (b.is_volatile, b.is_atomic)
}

/// Whether two types are the same if their parts, which are added to `open`, are.
fn same_type_heads(modified: &Cfa, a: TypeId, original: &Cfa, b: TypeId, open: &mut Open) -> bool {
    match (modified.types.get(a), original.types.get(b)) {
        (Type::Void, Type::Void) | (Type::Bool, Type::Bool) | (Type::VaList, Type::VaList) => true,
        (Type::Int { rank: x, signed: s }, Type::Int { rank: y, signed: t }) => {
            s == t && modified.machine.int_size(*x) == original.machine.int_size(*y)
        }
        (Type::Float(x), Type::Float(y)) | (Type::Complex(x), Type::Complex(y)) => x == y,
        (Type::Pointer(x), Type::Pointer(y)) => {
            // What lies behind is seen by accesses, which have types of their own.
            let (to, other) = (pointee(modified, x.ty), pointee(original, y.ty));
            if to == Pointee::Value && other == Pointee::Value {
                open.push((x.ty, y.ty));
            }
            to == other && same_marks(x.qualifiers, y.qualifiers)
        }
        (Type::Array { element: x, length: l }, Type::Array { element: y, length: k }) => {
            open.push((x.ty, y.ty));
            l == k && same_marks(x.qualifiers, y.qualifiers)
        }
        (Type::Function(x), Type::Function(y)) => {
            open.push((x.result.ty, y.result.ty));
            open.extend(x.parameters.iter().zip(&y.parameters).map(|(p, q)| (p.ty, q.ty)));
            let shape = |f: &program::types::FunctionType| (f.parameters.len(), f.variadic, f.unprototyped);
            shape(x) == shape(y)
        }
        (Type::Record(x), Type::Record(y)) => same_records(modified, *x, original, *y, open),
        (Type::Vector { element: x, bytes: l }, Type::Vector { element: y, bytes: k }) => {
            open.push((*x, *y));
            l == k
        }
        (
            Type::Void
            | Type::Bool
            | Type::VaList
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Pointer(_)
            | Type::Array { .. }
            | Type::Function(_)
            | Type::Record(_)
            | Type::Vector { .. }
            | Type::Enum(_),
            _,
        ) => false,
    }
}

fn same_records(modified: &Cfa, mine: RecordId, original: &Cfa, theirs: RecordId, open: &mut Open) -> bool {
    let (x, y) = (modified.types.record(mine), original.types.record(theirs));
    if !(x.complete && y.complete) {
        return x.complete == y.complete;
    }
    open.extend(x.fields.iter().zip(&y.fields).map(|(f, g)| (f.ty.ty, g.ty.ty)));
    let members = x.fields.iter().zip(&y.fields).all(|(f, g)| {
        let bits = |field: &program::types::Field| field.bits.map(|bits| (bits.first_bit, bits.width));
        f.offset == g.offset && bits(f) == bits(g) && same_marks(f.ty.qualifiers, g.ty.qualifiers)
    });
    members
        && x.fields.len() == y.fields.len()
        && (x.is_union, x.size, x.align) == (y.is_union, y.size, y.align)
        && x.unsupported == y.unsupported
}

/// What a pointer leads to, as far as that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pointee {
    Record,
    Function,
    Value,
}

fn pointee(cfa: &Cfa, mut ty: TypeId) -> Pointee {
    while let Type::Array { element, .. } = cfa.types.get(ty) {
        ty = element.ty;
    }
    match cfa.types.get(ty) {
        Type::Record(_) => Pointee::Record,
        Type::Function(_) => Pointee::Function,
        Type::Void
        | Type::Bool
        | Type::VaList
        | Type::Int { .. }
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Pointer(_)
        | Type::Array { .. }
        | Type::Vector { .. }
        | Type::Enum(_) => Pointee::Value,
    }
}
