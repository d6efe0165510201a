//! Arrays of variable length.
//!
//! A length is evaluated where its type is written and kept in a variable that the type names ([`ArrayLength::Variable`]).
//! The object is an array of as many elements as are followed at most, which is exact since nothing behind the length is ever
//! accessed; a longer one is unsupported where it is declared. Places and arithmetic are those of the innermost elements of
//! constant size, so that no operation depends on a type without a size.
//! Records with members of variable length stay unsupported.

use formats::Property;

use super::build::Class;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, Derived};
use crate::cfa::{Operation, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, QualType, Qualifiers, Type, TypeId};

/// Bytes of the longest array that is followed where programs are written and run.
const USUAL_BYTES: u64 = 1 << 20;

/// Elements of the longest array that is followed at all, those of arrays in it counted one by one; and its bytes, of which the
/// address space has room for many times as many.
const MOST_ELEMENTS: u64 = 1 << 31;
const MOST_BYTES: u64 = 1 << 40;

/// Bytes of the longest array that is followed where addresses are narrow: less than half of the address space.
const MOST_BYTES_NARROW: u64 = (1 << 31) - 1;

/// What becomes of a longer array.
const TOO_LONG: &str = "variable length array of more than 1 MiB";

/// How long arrays of variable length may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Room {
    /// As long as programs can be written and run with.
    #[default]
    Usual,
    /// As long as they can be modelled.
    Widest,
}

/// Whether an array is too long here.
pub(crate) fn is_too_long(operation: &Operation) -> bool {
    matches!(operation, Operation::Unsupported { construct } if **construct == *TOO_LONG)
}

impl Lowerer<'_> {
    /// Evaluates the length of an array where its type is written.
    pub(super) fn variable_length(&mut self, bound: ast::ExprId) -> Lowered<ArrayLength> {
        let unknown = ArrayLength::Variable(0);
        if self.quiet > 0 || self.in_prototype > 0 {
            return Ok(unknown);
        }
        let span = self.ast[bound].span;
        if self.has_effect(bound) && !self.declares {
            self.unsupported("side effect in the length of an array", span);
            return Ok(unknown);
        }
        let outer = std::mem::replace(&mut self.declares, false);
        let value = self.value(bound)?;
        self.declares = outer;
        if self.class(self.ty(value)) != Class::Integer {
            return Err(self.error(span, "the length of an array must be an integer", "not an integer"));
        }
        self.guard_length(value, span);
        let size = self.size_type();
        let ty = self.ty(value);
        let is_signed = self.is_signed_length(ty);
        let value = self.convert(value, size);
        let number = self.lengths.named.len() + 1;
        let name = format!("__length{number}").into();
        let variable = self.new_variable(name, VarKind::Local, QualType::plain(size), span);
        self.lengths.named.push(variable);
        self.lengths.signed.extend(is_signed.then_some(variable));
        self.emit(Operation::Declare { variable }, span);
        let place = self.variable(variable);
        self.emit(Operation::Assign { place, value }, span);
        Ok(ArrayLength::Variable(u32::try_from(number).unwrap_or(0)))
    }

    /// Whether a length of this type is negative if it is half of the address space or more.
    fn is_signed_length(&self, ty: TypeId) -> bool {
        let is_narrow = self.size_of(ty).is_ok_and(|bytes| bytes <= self.machine.word());
        is_narrow && matches!(*self.types.get(ty), Type::Int { signed: true, .. })
    }

    /// The lengths of an array and of those in it that may be negative.
    fn signed_lengths(&self, mut ty: TypeId) -> Vec<VarId> {
        let mut found = Vec::new();
        while let Type::Array { element, length } = *self.types.get(ty) {
            if let ArrayLength::Variable(number) = length {
                found.extend(self.length_variable(number).filter(|variable| self.lengths.signed.contains(variable)));
            }
            ty = element.ty;
        }
        found
    }

    fn length_variable(&self, number: u32) -> Option<VarId> {
        self.lengths.named.get((number as usize).checked_sub(1)?).copied()
    }

    /// The innermost type of constant size in an array of variable length, and how many of it there are.
    fn elements(&mut self, ty: TypeId) -> Option<(QualType, ExprId)> {
        let size = self.size_type();
        let mut count = self.int(size, 1);
        let mut element = QualType::plain(ty);
        while self.is_variable_length(element.ty) {
            let Type::Array { element: inner, length } = *self.types.get(element.ty) else { return None };
            let length = match length {
                ArrayLength::Constant(length) => self.int(size, i128::from(length)),
                ArrayLength::Variable(number) => self.length_variable(number).map(|variable| self.load_variable(variable))?,
                ArrayLength::Incomplete => return None,
            };
            count = match *self.exprs.get(count) {
                Expr::Int(1) => length,
                _ => self.binary(BinaryOp::Multiply, count, length),
            };
            element = inner;
        }
        self.size_of(element.ty).ok()?;
        Some((element, count))
    }

    /// Bytes of a type of variable length; `None` if that is not known.
    pub(super) fn variable_size(&mut self, ty: TypeId) -> Option<ExprId> {
        let (element, count) = self.elements(ty)?;
        let bytes = self.size_of(element.ty).ok()?;
        let bytes = self.size_constant(bytes);
        Some(self.binary(BinaryOp::Multiply, count, bytes))
    }

    /// Declares an array of variable length in a block: the variable becomes one of as many elements as there is room for.
    /// `None` if the size is not known.
    pub(super) fn bounded_array(&mut self, variable: VarId, span: Span) -> Option<()> {
        let declared = self.variables[variable.index()].ty;
        let (element, count) = self.elements(declared.ty)?;
        let is_flat = matches!(*self.types.get(declared.ty), Type::Array { element: row, .. } if row.ty == element.ty);
        if self.options.property == Property::ValidDeref && !is_flat {
            // An index behind its row is what is looked for, and it lies within the object.
            return None;
        }
        let bytes = self.size_of(element.ty).ok()?;
        let most = match self.manner.room {
            Room::Widest if self.machine.word() >= 8 => {
                (MOST_ELEMENTS / self.in_a_row(element.ty)).min(MOST_BYTES / bytes.max(1))
            }
            Room::Widest => (MOST_BYTES_NARROW / bytes.max(1)).min(MOST_ELEMENTS / self.in_a_row(element.ty)),
            Room::Usual => USUAL_BYTES / bytes.max(1),
        };
        let most = most.max(1);
        let limit = self.size_constant(most);
        let fits = self.binary(BinaryOp::LessEqual, count, limit);
        let (holds, fails) = self.fork(fits, span);
        self.body.cursor = fails;
        // A negative length is undefined, and undefined behaviour does not occur. A long one is not: sizes wrap, and the run goes on.
        let end = self.dead_end();
        for length in self.signed_lengths(declared.ty) {
            let (length, ptrdiff) = (self.load_variable(length), self.ptrdiff());
            let (signed, zero) = (self.convert(length, ptrdiff), self.int(ptrdiff, 0));
            let negative = self.binary(BinaryOp::Less, signed, zero);
            let (undefined, rest) = self.fork(negative, span);
            self.body.cursor = undefined;
            self.jump(end, span);
            self.body.cursor = rest;
        }
        self.emit_last(Operation::Unsupported { construct: TOO_LONG.into() }, span, end);
        self.body.cursor = holds;
        let ty = self.types.intern(Type::Array { element, length: ArrayLength::Constant(most) });
        self.variables[variable.index()].ty.ty = ty;
        self.arrays.insert(variable, declared.ty);
        if self.options.property == Property::ValidDeref {
            self.keep_extent(variable, count, bytes, span);
        }
        Some(())
    }

    /// How many elements of one kind a type has at most: those of an array in it, which may be one of arrays.
    fn in_a_row(&self, ty: TypeId) -> u64 {
        match *self.types.get(ty) {
            Type::Array { element, length: ArrayLength::Constant(length) } => {
                length.max(1).saturating_mul(self.in_a_row(element.ty))
            }
            Type::Record(record) => {
                let members = self.types.record(record).fields.iter();
                members.map(|member| self.in_a_row(member.ty.ty)).max().unwrap_or(1)
            }
            _ => 1,
        }
    }

    /// Keeps the bytes of an array of variable length in a variable: an access behind them lies within the room.
    fn keep_extent(&mut self, array: VarId, count: ExprId, bytes: u64, span: Span) {
        let size = self.size_type();
        let name = format!("__extent{}", self.lengths.extents.len() + 1).into();
        let extent = self.new_variable(name, VarKind::Local, QualType::plain(size), span);
        self.emit(Operation::Declare { variable: extent }, span);
        let bytes = self.size_constant(bytes);
        let value = self.binary(BinaryOp::Multiply, count, bytes);
        let place = self.variable(extent);
        self.emit(Operation::Assign { place, value }, span);
        self.lengths.extents.push((array, extent));
    }

    /// The place of an array of variable length.
    pub(super) fn array_place(&mut self, variable: VarId, ty: TypeId, qualifiers: Qualifiers) -> Operand {
        let room = Place { expr: self.variable(variable), qualifiers: Qualifiers::default(), bits: None };
        let first = self.decay(room);
        let whole = self.pointer_to(QualType::plain(ty));
        let pointer = self.convert(first, whole);
        let expr = self.exprs.intern(Expr::Dereference { pointer, volatile: false }, ty);
        Operand::Place(Place { expr, qualifiers, bits: None })
    }

    /// What a pointer steps over if that is an array of variable length: its innermost elements, how many, and the bytes of
    /// one.
    fn steps(&mut self, pointer: TypeId) -> Option<(TypeId, ExprId, u64)> {
        let pointee = self.pointee(pointer)?;
        if !self.is_variable_length(pointee.ty) {
            return None;
        }
        let (element, count) = self.elements(pointee.ty)?;
        let bytes = self.size_of(element.ty).ok()?;
        let ptrdiff = self.ptrdiff();
        let count = self.convert(count, ptrdiff);
        Some((self.pointer_to(element), count, bytes))
    }

    /// `pointer + index` where the pointer leads to an array of variable length.
    pub(super) fn variable_offset(&mut self, pointer: ExprId, index: ExprId) -> Option<ExprId> {
        let ty = self.ty(pointer);
        let (inner, count, bytes) = self.steps(ty)?;
        let ptrdiff = self.ptrdiff();
        let index = self.convert(index, ptrdiff);
        let index = self.binary(BinaryOp::Multiply, index, count);
        let pointer = self.convert(pointer, inner);
        let moved = self.pointer_offset(pointer, index, bytes);
        Some(self.convert(moved, ty))
    }

    /// `a - b` where the pointers lead to arrays of variable length.
    pub(super) fn variable_difference(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (inner, count, scale) = self.steps(self.ty(a))?;
        let (left, right) = (self.convert(a, inner), self.convert(b, inner));
        let ptrdiff = self.ptrdiff();
        let elements = self.exprs.intern(Expr::PointerDifference { left, right, scale }, ptrdiff);
        Some(self.binary(BinaryOp::Divide, elements, count))
    }

    /// The type of a parameter of a function with a body, with its lengths evaluated as on entry; those of the outermost
    /// array too, though the parameter is only a pointer.
    pub(super) fn parameter_lengths(&mut self, parameter: &ast::Parameter, variable: VarId) -> Lowered<()> {
        let declarator = &parameter.declarator;
        let is_array = |step: &Derived| matches!(step, Derived::Array { .. });
        let known = self.variables[variable.index()].ty.ty;
        if !self.is_variably_modified(known) || !declarator.derived.iter().any(is_array) {
            return self.parameter_bounds(declarator);
        }
        self.body.statement = parameter.span;
        self.start_expression();
        let outer = std::mem::replace(&mut self.declares, true);
        let base = self.base_type(&parameter.specifiers, false)?;
        let declared = self.declarator_type(base, declarator)?;
        self.declares = outer;
        let ty = self.adjusted(declared.ty);
        self.variables[variable.index()].ty.ty = ty.ty;
        Ok(())
    }
}
