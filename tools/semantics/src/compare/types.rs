//! Classes of types: equal iff an access of the one type sees the same bytes the same way as one of the other.
//!
//! Invariant: what lies behind a pointer counts only as far as it is scalar, and with its qualifiers; a record behind a
//! pointer is opaque. Hence no type is infinite and classes can be interned bottom up.
//! `const` does not count, `volatile` and `_Atomic` do; names of members and tags do not (see the parent module).

use indexmap::IndexSet;
use program::cfa::Cfa;
use program::types::{ArrayLength, BitField, Field, FloatKind, QualType, Qualifiers, RecordId, Type, TypeId, TypeTable};
use rustc_hash::FxBuildHasher;

/// The class of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeClass(u32);

/// A type whose parts are classes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Void,
    Bool,
    /// Plain and signed `char`, `long` and `long long` are told apart by nothing but size and sign.
    Int {
        bytes: u64,
        signed: bool,
    },
    Float(FloatKind),
    Complex(FloatKind),
    Pointer(Marks, Pointee),
    Array(Marks, TypeClass, ArrayLength),
    Function {
        result: TypeClass,
        parameters: Vec<TypeClass>,
        variadic: bool,
        unprototyped: bool,
    },
    Record {
        is_union: bool,
        size: u64,
        align: u64,
        members: Vec<Member>,
        unsupported: Option<Box<str>>,
    },
    /// Never completed: no object of it exists.
    Incomplete,
    Vector(TypeClass, u64),
    VaList,
}

/// What counts of a pointer's target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Pointee {
    Scalar(TypeClass),
    Record,
    Function,
}

/// The qualifiers that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Marks {
    is_volatile: bool,
    is_atomic: bool,
}

impl From<Qualifiers> for Marks {
    fn from(qualifiers: Qualifiers) -> Self {
        Self { is_volatile: qualifiers.is_volatile, is_atomic: qualifiers.is_atomic }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Member {
    marks: Marks,
    class: TypeClass,
    offset: u64,
    bits: Option<(u64, u32)>,
}

/// Interns the types of both programs.
#[derive(Debug, Default)]
pub(super) struct TypeInterner {
    shapes: IndexSet<Shape, FxBuildHasher>,
}

impl TypeInterner {
    /// The classes of all types of a program, by [`TypeId`].
    pub(super) fn classes(&mut self, program: &Cfa) -> Vec<TypeClass> {
        let table = &program.types;
        let count = table.types().count();
        let mut known = vec![None; count];
        let mut pending = Vec::new();
        for (id, _) in table.types() {
            pending.push(id);
            while let Some(&top) = pending.last() {
                if known[top.index()].is_some() {
                    pending.pop();
                    continue;
                }
                let before = pending.len();
                for part in parts(table, top) {
                    if known[part.index()].is_none() {
                        pending.push(part);
                    }
                }
                if pending.len() == before {
                    known[top.index()] = Some(self.intern(program, top, &known));
                    pending.pop();
                }
            }
        }
        // Every entry is known after the loop.
        known.into_iter().map(|class| class.unwrap_or(TypeClass(u32::MAX))).collect()
    }

    fn intern(&mut self, program: &Cfa, id: TypeId, known: &[Option<TypeClass>]) -> TypeClass {
        let table = &program.types;
        let class = |ty: TypeId| known[ty.index()].unwrap_or(TypeClass(u32::MAX));
        if let Type::Enum(definition) = table.get(id) {
            return class(table.enumeration(*definition).underlying);
        }
        let shape = shape(program, id, &class);
        let (index, _) = self.shapes.insert_full(shape);
        TypeClass(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

fn shape(program: &Cfa, id: TypeId, class: &impl Fn(TypeId) -> TypeClass) -> Shape {
    let table = &program.types;
    match table.get(id) {
        Type::Void => Shape::Void,
        Type::Bool => Shape::Bool,
        Type::Int { rank, signed } => Shape::Int { bytes: program.machine.int_size(*rank), signed: *signed },
        Type::Float(kind) => Shape::Float(*kind),
        Type::Complex(kind) => Shape::Complex(*kind),
        Type::Pointer(target) => Shape::Pointer(target.qualifiers.into(), pointee(table, target.ty, class)),
        Type::Array { element, length } => Shape::Array(element.qualifiers.into(), class(element.ty), *length),
        Type::Function(function) => Shape::Function {
            result: class(function.result.ty),
            parameters: function.parameters.iter().map(|p| class(p.ty)).collect(),
            variadic: function.variadic,
            unprototyped: function.unprototyped,
        },
        Type::Record(record) => record_shape(table, *record, class),
        Type::Enum(_) => Shape::Incomplete,
        Type::Vector { element, bytes } => Shape::Vector(class(*element), *bytes),
        Type::VaList => Shape::VaList,
    }
}

fn record_shape(table: &TypeTable, record: RecordId, class: &impl Fn(TypeId) -> TypeClass) -> Shape {
    let record = table.record(record);
    if !record.complete {
        return Shape::Incomplete;
    }
    let member = |field: &Field| Member {
        marks: field.ty.qualifiers.into(),
        class: class(field.ty.ty),
        offset: field.offset,
        bits: field.bits.map(|BitField { first_bit, width }| (first_bit, width)),
    };
    Shape::Record {
        is_union: record.is_union,
        size: record.size,
        align: record.align,
        members: record.fields.iter().map(member).collect(),
        unsupported: record.unsupported.clone(),
    }
}

fn pointee(table: &TypeTable, ty: TypeId, class: &impl Fn(TypeId) -> TypeClass) -> Pointee {
    match table.get(innermost_element(table, ty)) {
        Type::Record(_) => Pointee::Record,
        Type::Function(_) => Pointee::Function,
        Type::Void
        | Type::Bool
        | Type::Int { .. }
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Pointer(_)
        | Type::Array { .. }
        | Type::Enum(_)
        | Type::Vector { .. }
        | Type::VaList => Pointee::Scalar(class(ty)),
    }
}

/// The types whose classes have to be known first.
fn parts(table: &TypeTable, id: TypeId) -> Vec<TypeId> {
    match table.get(id) {
        Type::Void | Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Complex(_) | Type::VaList => Vec::new(),
        Type::Pointer(QualType { ty, .. }) => match table.get(innermost_element(table, *ty)) {
            Type::Record(_) | Type::Function(_) => Vec::new(),
            Type::Void
            | Type::Bool
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Pointer(_)
            | Type::Array { .. }
            | Type::Enum(_)
            | Type::Vector { .. }
            | Type::VaList => vec![*ty],
        },
        Type::Array { element, .. } => vec![element.ty],
        Type::Function(function) => function.parameters.iter().map(|p| p.ty).chain(std::iter::once(function.result.ty)).collect(),
        Type::Record(record) => table.record(*record).fields.iter().map(|field| field.ty.ty).collect(),
        Type::Enum(definition) => vec![table.enumeration(*definition).underlying],
        Type::Vector { element, .. } => vec![*element],
    }
}

/// The element type of a (nested) array type, any other type itself.
fn innermost_element(table: &TypeTable, mut ty: TypeId) -> TypeId {
    while let Type::Array { element, .. } = table.get(ty) {
        ty = element.ty;
    }
    ty
}
