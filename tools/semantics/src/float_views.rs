//! Which programs may look at the bits of floating-point numbers they computed: only there it matters which NaN an operation yields.
//!
//! Knows types and casts of a program. Does not know where pointers lead, nor which numbers are computed.

use std::cell::RefCell;
use std::collections::BTreeSet;

use program::cfa::{Cfa, Operation};
use program::expr::{Expr, ExprId};
use program::known::Known;
use program::types::{Record, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a program may read a floating-point number as something else: as another member of a union, or through a pointer
/// that was cast, also by way of `void *` or of a pointer to a pointer. Expressions that convert fresh memory to what it is
/// modelled as do not count.
///
/// Sound: where this is false, no value that is no float depends on which bits a NaN has, if the program keeps to the types that
/// it calls functions with.
#[must_use]
pub fn sees_bits_of_floats(cfa: &Cfa, is_first_view: impl Fn(ExprId) -> bool) -> bool {
    let types = FloatTypes { cfa, known: RefCell::default() };
    let has_union_of = |leads: fn(Leads) -> bool| {
        let unions = cfa.types.records().map(|(_, record)| record).filter(|record| record.is_union);
        unions.flat_map(|record| &record.fields).any(|field| leads(types.leads_to(field.ty.ty)))
    };
    if has_union_of(|leads| leads.float) {
        return true;
    }
    let (mut hidden, mut shown) = (BTreeSet::new(), BTreeSet::new());
    // Whether a pointer to anything may come to be another one without a cast of its own.
    let mut is_retyped = passes_bytes(cfa) || has_union_of(|leads| leads.void);
    for expr in (0..cfa.exprs.len()).map(ExprId::new) {
        let Expr::Cast(operand) = *cfa.exprs.get(expr) else { continue };
        if matches!(cfa.exprs.get(operand), Expr::Int(_)) || is_first_view(expr) {
            continue;
        }
        match (pointed(cfa, operand), pointed(cfa, expr)) {
            (Some(from), Some(to)) if is_void(cfa, from) && is_void(cfa, to) => {}
            (Some(from), Some(to)) if is_void(cfa, to) => _ = hidden.insert(from),
            (Some(from), Some(to)) if is_void(cfa, from) => _ = shown.insert(to),
            (Some(from), Some(to)) if types.differ(from, to) => return true,
            (Some(from), Some(to)) => is_retyped |= from != to && (types.leads_to_void(from) || types.leads_to_void(to)),
            (Some(from), None) if is_void(cfa, from) => is_retyped = true,
            // What became a number may be made a pointer to anything.
            (Some(ty), None) | (None, Some(ty)) if types.leads_to_float(ty) => return true,
            (Some(_), None) | (None, Some(_) | None) => {}
        }
    }
    // What a pointer to anything leads to: what it was made of, or what memory that had no type yet is seen as.
    let all: BTreeSet<TypeId> = hidden.union(&shown).copied().collect();
    all.iter().any(|from| shown.iter().any(|to| types.differ(*from, *to)))
        || (is_retyped && all.iter().any(|ty| types.leads_to_float(*ty)))
}

/// Whether a function that is known by name gets the address of bytes, which it may copy or compare: `memcpy`, `memcmp`.
fn passes_bytes(cfa: &Cfa) -> bool {
    cfa.edges.iter().any(|edge| {
        let Operation::Call { callee, arguments, .. } = &edge.operation else { return false };
        let reads = matches!(cfa.function(*callee).known, Some(Known::Memory | Known::Pure | Known::Unsupported));
        reads && arguments.iter().any(|argument| pointed(cfa, *argument).is_some_and(|ty| is_void(cfa, ty)))
    })
}

/// What a pointer leads to.
fn pointed(cfa: &Cfa, expr: ExprId) -> Option<TypeId> {
    let Type::Pointer(to) = cfa.types.get(cfa.exprs.ty(expr)) else { return None };
    Some(to.ty)
}

fn is_void(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Void)
}

/// Which types have floats in them, or lead to some.
struct FloatTypes<'a> {
    cfa: &'a Cfa,
    known: RefCell<FxHashMap<TypeId, Leads>>,
}

/// What a type leads to.
#[derive(Clone, Copy, Debug, Default)]
struct Leads {
    float: bool,
    void: bool,
}

impl FloatTypes<'_> {
    /// Whether a float may be seen as something else by who has one type for the other.
    fn differ(&self, one: TypeId, other: TypeId) -> bool {
        (self.leads_to_float(one) || self.leads_to_float(other)) && !self.have_same_floats(one, other)
    }

    /// Whether a type has a float in it, or a pointer that leads to one; a function does if it takes or yields one.
    fn leads_to_float(&self, ty: TypeId) -> bool {
        self.leads_to(ty).float
    }

    /// Whether a type has a pointer to anything in it, or one that leads to such a pointer.
    fn leads_to_void(&self, ty: TypeId) -> bool {
        self.leads_to(ty).void
    }

    fn leads_to(&self, ty: TypeId) -> Leads {
        if let Some(known) = self.known.borrow().get(&ty) {
            return *known;
        }
        let (mut seen, mut open) = (FxHashSet::from_iter([ty]), vec![ty]);
        let mut found = Leads::default();
        while let Some(ty) = open.pop() {
            found.float |= matches!(self.cfa.types.get(ty), Type::Float(_) | Type::Complex(_));
            found.void |= is_void(self.cfa, ty);
            open.extend(parts(self.cfa, ty).into_iter().filter(|part| seen.insert(*part)));
        }
        self.known.borrow_mut().insert(ty, found);
        found
    }

    /// Whether two types have the same floats at the same places, as a structure of one version of a program and the same
    /// structure of another have.
    fn have_same_floats(&self, one: TypeId, other: TypeId) -> bool {
        let cfa = self.cfa;
        one == other
            || match (cfa.types.get(one), cfa.types.get(other)) {
                (Type::Array { element: one, length }, Type::Array { element: other, length: other_length }) => {
                    length == other_length && self.have_same_floats(one.ty, other.ty)
                }
                (Type::Record(one), Type::Record(other)) => {
                    self.have_same_members(cfa.types.record(*one), cfa.types.record(*other))
                }
                _ => false,
            }
    }

    fn have_same_members(&self, one: &Record, other: &Record) -> bool {
        let is_struct = |record: &Record| record.complete && !record.is_union;
        let mut members = one.fields.iter().zip(&other.fields);
        is_struct(one)
            && is_struct(other)
            && (one.size, one.fields.len()) == (other.size, other.fields.len())
            && members.all(|(one, other)| one.offset == other.offset && !self.differ(one.ty.ty, other.ty.ty))
    }
}

/// What a type is made of and leads to.
fn parts(cfa: &Cfa, ty: TypeId) -> Vec<TypeId> {
    match cfa.types.get(ty) {
        Type::Pointer(to) => vec![to.ty],
        Type::Array { element, .. } => vec![element.ty],
        Type::Vector { element, .. } => vec![*element],
        Type::Record(record) => cfa.types.record(*record).fields.iter().map(|field| field.ty.ty).collect(),
        Type::Function(function) => function.parameters.iter().chain([&function.result]).map(|part| part.ty).collect(),
        Type::Void | Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Complex(_) | Type::Enum(_) | Type::VaList => {
            Vec::new()
        }
    }
}
