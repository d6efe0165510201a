//! Classes of values and places.
//!
//! The class of a place is that of its address, down to bytes: a variable, what a pointer points to, so many bytes behind
//! another place, or an element. The type of an access is not part of it; it is part of the load or store.
//! Expressions are interned in the order of their identities, operands first; nothing recurses.

use indexmap::IndexSet;
use program::cfa::Cfa;
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{Type, TypeId};
use rustc_hash::FxBuildHasher;

use super::types::{Marks, TypeClass};
use super::{Correspondence, Side};

/// The class of a value or of the address of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueClass(u32);

impl ValueClass {
    /// The class as a number, equal iff the classes are.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Shape {
    Int(u128),
    Float(u128),
    Zero,
    /// The value at an address; the type is the access's.
    Load(ValueClass),
    AddressOf(ValueClass),
    Function(u32),
    Unary(UnaryOp, ValueClass),
    Binary(BinaryOp, ValueClass, ValueClass),
    PointerOffset(ValueClass, ValueClass, u64),
    PointerDifference(ValueClass, ValueClass, u64),
    Cast(ValueClass),
    Conditional(ValueClass, ValueClass, ValueClass),
    Variable(u32),
    Target(ValueClass, bool),
    /// First bit and width of a bit-field within the record at an address, or byte offset of another member.
    Bits(ValueClass, u64, u32, Marks),
    Member(ValueClass, u64, Marks),
    Element(ValueClass, ValueClass, TypeClass),
}

/// Interns the expressions of both programs.
#[derive(Debug, Default)]
pub(super) struct ValueInterner {
    shapes: IndexSet<(Shape, Option<TypeClass>), FxBuildHasher>,
}

impl ValueInterner {
    /// The classes of all expressions of a program, by [`ExprId`].
    pub(super) fn classes(
        &mut self,
        side: Side,
        (program, other): (&Cfa, &Cfa),
        types: &[TypeClass],
        correspondence: &Correspondence,
    ) -> Vec<ValueClass> {
        let mut classes: Vec<ValueClass> = Vec::with_capacity(program.exprs.len());
        for index in 0..program.exprs.len() {
            let id = ExprId::new(index);
            let expr = program.exprs.get(id);
            let of = |e: ExprId| classes[e.index()];
            let ty = program.exprs.ty(id);
            let shape = match *expr {
                Expr::Int(bits) => Shape::Int(bits),
                Expr::Float(bits) => Shape::Float(bits),
                Expr::Zero => Shape::Zero,
                Expr::Load(place) => Shape::Load(of(place)),
                Expr::AddressOf(place) => Shape::AddressOf(of(place)),
                Expr::FunctionAddress(f) => Shape::Function(correspondence.function_class(side, program, other, f)),
                Expr::Unary(op, e) => Shape::Unary(op, of(e)),
                Expr::Binary(op, a, b) => Shape::Binary(op, of(a), of(b)),
                Expr::PointerOffset { pointer, index, scale } => Shape::PointerOffset(of(pointer), of(index), scale),
                Expr::PointerDifference { left, right, scale } => Shape::PointerDifference(of(left), of(right), scale),
                Expr::Cast(e) => Shape::Cast(of(e)),
                Expr::Conditional(c, a, b) => Shape::Conditional(of(c), of(a), of(b)),
                Expr::Variable(v) => Shape::Variable(correspondence.variable_class(side, v)),
                Expr::Dereference { pointer, volatile } => Shape::Target(of(pointer), volatile),
                Expr::Field(place, number) => field(program, program.exprs.ty(place), of(place), number),
                Expr::Index(place, index) => Shape::Element(of(place), of(index), types[ty.index()]),
            };
            let class = (!expr.is_place()).then(|| types[ty.index()]);
            let (number, _) = self.shapes.insert_full((shape, class));
            classes.push(ValueClass(u32::try_from(number).unwrap_or(u32::MAX)));
        }
        classes
    }
}

fn field(program: &Cfa, record: TypeId, place: ValueClass, number: u32) -> Shape {
    let Type::Record(record) = program.types.get(record) else {
        // A field of no record does not exist; it is equal to nothing that does.
        return Shape::Member(place, u64::MAX, Marks::default());
    };
    match program.types.record(*record).fields.get(number as usize) {
        Some(field) => {
            let marks = Marks::from(field.ty.qualifiers);
            match field.bits {
                Some(bits) => Shape::Bits(place, bits.first_bit, bits.width, marks),
                None => Shape::Member(place, field.offset, marks),
            }
        }
        None => Shape::Member(place, u64::MAX, Marks::default()),
    }
}
