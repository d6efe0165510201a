//! Types as the interpreter sees them: how the value of a type is kept in 128 bits.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use program::cfa::Cfa;
use program::machine::MachineModel;
use program::types::{ArrayLength, FloatKind, Type, TypeId};

/// How values of a type are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An integer, enumeration, `_Bool` or pointer.
    Int {
        /// Width of the value as stored.
        bits: u32,
        /// Whether it is extended by its sign.
        signed: bool,
        /// `_Bool`: conversions to it compare with zero.
        boolean: bool,
    },
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// Struct, union or array.
    Aggregate,
    /// No values.
    Void,
    /// Not treated; the name of the construct.
    Unsupported(&'static str),
}

/// A type's representation and size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Representation of values.
    pub(super) kind: Kind,
    /// Bytes; `None` if not known before run time.
    pub(super) size: Option<u64>,
}

/// The layouts of all types of a program, by [`TypeId`].
pub(super) struct Layouts(Vec<Layout>);

impl Layouts {
    /// Computes the layouts of all types.
    pub(super) fn new(cfa: &Cfa) -> Self {
        Self(cfa.types.types().map(|(_, ty)| layout(cfa, ty)).collect())
    }

    /// The layout of a type.
    pub(super) fn get(&self, ty: TypeId) -> Layout {
        self.0[ty.index()]
    }

    /// How values of a type are represented.
    pub(super) fn kind(&self, ty: TypeId) -> Kind {
        self.0[ty.index()].kind
    }

    /// Bytes of a type, if known.
    pub(super) fn size(&self, ty: TypeId) -> Option<u64> {
        self.0[ty.index()].size
    }
}

fn layout(cfa: &Cfa, ty: &Type) -> Layout {
    let machine = cfa.machine;
    let (kind, size) = match ty {
        Type::Void => (Kind::Void, Some(1)),
        Type::Bool => (Kind::Int { bits: 8, signed: false, boolean: true }, Some(1)),
        Type::Int { rank, signed } => {
            let size = machine.int_size(*rank);
            (Kind::Int { bits: bits_of(size), signed: *signed, boolean: false }, Some(size))
        }
        Type::Float(kind) => (float_kind(*kind), Some(machine.float_size(*kind))),
        Type::Complex(_) => (Kind::Unsupported("complex number"), None),
        Type::Pointer(_) => pointer(machine),
        Type::Array { .. } => (Kind::Aggregate, size_of(cfa, ty)),
        Type::Function(_) => (Kind::Unsupported("function as an object"), Some(1)),
        Type::Record(id) => match &cfa.types.record(*id).unsupported {
            Some(_) => (Kind::Unsupported("record layout"), None),
            None => (Kind::Aggregate, size_of(cfa, ty)),
        },
        Type::Enum(id) => {
            let underlying = cfa.types.enumeration(*id).underlying;
            return layout(cfa, cfa.types.get(underlying));
        }
        Type::Vector { .. } => (Kind::Unsupported("vector"), None),
        Type::VaList => (Kind::Unsupported("va_list"), Some(24)),
    };
    Layout { kind, size }
}

fn pointer(machine: MachineModel) -> (Kind, Option<u64>) {
    let size = machine.word();
    (Kind::Int { bits: bits_of(size), signed: false, boolean: false }, Some(size))
}

fn float_kind(kind: FloatKind) -> Kind {
    match kind {
        FloatKind::Float => Kind::F32,
        FloatKind::Double => Kind::F64,
        FloatKind::LongDouble => Kind::Unsupported("long double"),
        FloatKind::Float128 => Kind::Unsupported("__float128"),
    }
}

/// Bytes of aggregates; arrays nest as deep as the source wrote them.
fn size_of(cfa: &Cfa, ty: &Type) -> Option<u64> {
    let mut ty = ty;
    let mut count = 1u64;
    loop {
        match ty {
            Type::Array { element, length: ArrayLength::Constant(n) } => {
                count = count.checked_mul(*n)?;
                ty = cfa.types.get(element.ty);
            }
            Type::Array { .. } => return None,
            Type::Record(id) => {
                let record = cfa.types.record(*id);
                return if record.complete { count.checked_mul(record.size) } else { None };
            }
            _ => return count.checked_mul(layout(cfa, ty).size?),
        }
    }
}

const fn bits_of(bytes: u64) -> u32 {
    formats::small(bytes * 8)
}
