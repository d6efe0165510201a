//! Operators on values: promotions, usual conversions, pointer arithmetic.

use super::build::Class;
use super::order::{Order, Shown, Start};
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, BinaryOp as Op, UnaryOp as Prefix};
use crate::cfa::Operation;
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::source::Span;
use crate::types::{Qualifiers, Type, TypeId};

impl Lowerer<'_> {
    /// Operators with one operand.
    pub(super) fn unary_operator(&mut self, op: Prefix, operand: ast::ExprId, span: Span) -> Lowered<Operand> {
        match op {
            Prefix::Extension => self.operand(operand),
            Prefix::PreIncrement | Prefix::PreDecrement | Prefix::PostIncrement | Prefix::PostDecrement => {
                self.step(op, operand, span, true)
            }
            Prefix::AddressOf => self.address_operator(operand, span),
            Prefix::Deref => {
                let found = self.operand(operand)?;
                if let Operand::Function(_) = found {
                    return Ok(found);
                }
                let pointer = self.rvalue(found, span)?;
                self.dereference(pointer, span)
            }
            Prefix::Not => {
                let value = self.scalar(operand)?;
                Ok(Operand::Value(self.unary(UnaryOp::Not, value)))
            }
            Prefix::Plus | Prefix::Minus | Prefix::BitNot => {
                let value = self.scalar(operand)?;
                self.arithmetic_prefix(op, value, span).map(Operand::Value)
            }
            Prefix::Real | Prefix::Imag => {
                let found = self.operand(operand)?;
                let ty = self.operand_type(found).ty;
                match *self.types.get(ty) {
                    Type::Complex(kind) => {
                        let part = self.types.intern(Type::Float(kind));
                        Ok(self.part_of_strange("complex arithmetic", part, span))
                    }
                    _ if op == Prefix::Real => self.rvalue(found, span).map(Operand::Value),
                    _ => Ok(Operand::Value(self.zero(ty))),
                }
            }
        }
    }

    /// A part of an object whose type is not followed: one of its own, arbitrary, behind an unsupported operation.
    pub(super) fn part_of_strange(&mut self, construct: &str, ty: TypeId, span: Span) -> Operand {
        self.unsupported(construct, span);
        let variable = self.temporary(ty);
        self.emit(Operation::Declare { variable }, span);
        self.variable_place(variable, Qualifiers::default())
    }

    fn arithmetic_prefix(&mut self, op: Prefix, value: ExprId, span: Span) -> Lowered<ExprId> {
        let class = self.class(self.ty(value));
        let fits = class == Class::Integer || (class == Class::Float && op != Prefix::BitNot);
        if !fits {
            return Err(self.error(span, "this operator needs a number", "wrong operand"));
        }
        let odd = self.odd(value).filter(|_| op != Prefix::Plus);
        if odd.is_some_and(|odd| odd.signed && op == Prefix::Minus) {
            let ty = self.ty(value);
            return Ok(self.unsupported_value("arithmetic on a bit-field wider than int", span, ty));
        }
        if op != Prefix::Plus && self.is_ordered(value) {
            self.refuse_value(value, span);
        }
        if op == Prefix::Plus {
            return Ok(self.promote(value));
        }
        let value = self.without_width(value);
        let value = self.promote(value);
        let result = if op == Prefix::Minus {
            self.guard_negation(value, span);
            self.unary(UnaryOp::Negate, value)
        } else {
            self.unary(UnaryOp::Complement, value)
        };
        Ok(odd.map_or(result, |odd| self.result_of_width(result, odd)))
    }

    fn address_operator(&mut self, operand: ast::ExprId, span: Span) -> Lowered<Operand> {
        match self.operand(operand)? {
            Operand::Function(pointer) => Ok(Operand::Value(pointer)),
            Operand::Place(Place { bits: Some(_), .. }) => {
                Err(self.error(span, "a bit-field has no address", "this is a bit-field"))
            }
            Operand::Place(place) => Ok(Operand::Value(self.address_of(place))),
            Operand::Void | Operand::Value(_) => {
                Err(self.error(span, "only an object or a function has an address", "this is a value"))
            }
        }
    }

    /// Operators with two operands, logical ones excepted.
    pub(super) fn binary_operator(&mut self, op: Op, left: ast::ExprId, right: ast::ExprId, span: Span) -> Lowered<ExprId> {
        let start = self.start(left, right);
        let a = self.value(left)?;
        if !self.has_effect(right) {
            let b = self.value(right)?;
            let shown = if self.is_noticed(left) { self.shown(op, (left, a), (right, b)) } else { Shown::Nothing };
            let result = self.operate(op, a, b, span)?;
            self.follow((shown, start), op, (a, b, result), span);
            return Ok(result);
        }
        let saved = self.save(a, self.ast[left].span);
        let b = self.value(right)?;
        let shown = self.shown(op, (left, a), (right, b));
        let variable = if self.is_stored(left) { None } else { self.variable_of(a) };
        let is_last = variable.is_some() && self.is_read_last(op, a, b);
        let result = self.operate(op, if is_last { a } else { saved }, b, span)?;
        self.body.order = None;
        let is_cut = matches!(op, Op::Add | Op::Multiply | Op::BitAnd | Op::BitOr | Op::BitXor);
        let below = if self.is_stored(left) { None } else { self.variable_below(a) };
        if let Some(format) = below.and_then(|ty| self.format(ty)).filter(|_| is_cut && saved != a) {
            let (other, _) = self.quietly(|this| this.operate(op, if is_last { saved } else { a }, b, span))?;
            self.body.order = Some(Order { result, other, bits: format.bits, is_last });
            if matches!(shown, Shown::Plain | Shown::Sum) {
                self.remember(other, shown, start);
            }
        }
        self.follow((shown, start), op, (a, b, result), span);
        Ok(result)
    }

    /// Nobody goes on where the order of operands shows and is not known; where it is, it is remembered with the value.
    fn follow(&mut self, (shown, start): (Shown, Option<Start>), op: Op, (a, b, result): (ExprId, ExprId, ExprId), span: Span) {
        let is_ordered = self.is_ordered(a) || self.is_ordered(b);
        let is_continued = is_ordered && self.is_continued(op, a, b);
        if shown == Shown::Open || is_ordered && !is_continued && !self.is_tested(op, a, b) {
            self.refuse(start, span);
        } else if is_continued {
            self.remember(result, Shown::Sum, start);
        } else if shown != Shown::Nothing {
            self.remember(result, shown, start);
        }
    }

    /// Whether gcc reads the left operand, a variable, behind the right one: if no other value is made of it, it changes places
    /// with an operand that is none, where the operator allows that (`tree_swap_operands_p`).
    fn is_read_last(&mut self, op: Op, a: ExprId, b: ExprId) -> bool {
        let is_comparison = matches!(op, Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual | Op::Equal | Op::NotEqual);
        let is_bitwise = matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor);
        if !(is_comparison || is_bitwise || matches!(op, Op::Add | Op::Multiply)) {
            return false;
        }
        let to = self.ty(a);
        let other = self.ty(b);
        match (self.class(to), self.class(other)) {
            (Class::Pointer, _) => is_comparison,
            (Class::Integer | Class::Float, Class::Integer | Class::Float) => {
                // Small integers are compared and combined as they are if both are of one type.
                let is_short = to == other && (is_comparison || is_bitwise && to != self.basic.bool_);
                let common = self.common_type(to, other);
                is_short || self.is_as_wide(to, common)
            }
            _ => false,
        }
    }

    /// An operator on two values as C types it.
    pub(super) fn operate(&mut self, op: Op, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        let classes = (self.class(self.ty(a)), self.class(self.ty(b)));
        if matches!(classes.0, Class::Strange | Class::VaList) || matches!(classes.1, Class::Strange | Class::VaList) {
            let strange = if matches!(classes.0, Class::Strange | Class::VaList) { self.ty(a) } else { self.ty(b) };
            let name = self.strange_name(strange);
            return Ok(self.unsupported_value(name, span, strange));
        }
        match op {
            Op::Add | Op::Subtract => self.add(op, a, b, span),
            Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual | Op::Equal | Op::NotEqual => self.compare(op, a, b, span),
            Op::ShiftLeft | Op::ShiftRight => self.shift(op, a, b, span),
            Op::Multiply | Op::Divide | Op::Remainder | Op::BitAnd | Op::BitXor | Op::BitOr => self.arithmetic(op, a, b, span),
            Op::LogicalAnd | Op::LogicalOr => {
                let op = if op == Op::LogicalAnd { BinaryOp::LogicalAnd } else { BinaryOp::LogicalOr };
                Ok(self.binary(op, a, b))
            }
        }
    }

    fn wrong_operands(&self, span: Span) -> crate::diagnostic::Diagnostic {
        self.error(span, "the operands do not fit this operator", "wrong types of operands")
    }

    fn arithmetic(&mut self, op: Op, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        let operator = match op {
            Op::Add => BinaryOp::Add,
            Op::Subtract => BinaryOp::Subtract,
            Op::Multiply => BinaryOp::Multiply,
            Op::Divide => BinaryOp::Divide,
            Op::Remainder => BinaryOp::Remainder,
            Op::BitAnd => BinaryOp::BitAnd,
            Op::BitXor => BinaryOp::BitXor,
            _ => BinaryOp::BitOr,
        };
        if !self.is_arithmetic(self.ty(a)) || !self.is_arithmetic(self.ty(b)) {
            return Err(self.wrong_operands(span));
        }
        let (a, b, odd) = self.in_common_width(a, b);
        let common = self.common_type(self.ty(a), self.ty(b));
        let integer_only = matches!(op, Op::Remainder | Op::BitAnd | Op::BitXor | Op::BitOr);
        if integer_only && self.class(common) != Class::Integer {
            return Err(self.wrong_operands(span));
        }
        if odd.is_some_and(|odd| self.may_leave_width(op, odd)) {
            return Ok(self.unsupported_value("arithmetic on a bit-field wider than int", span, common));
        }
        let (a, b) = (self.convert(a, common), self.convert(b, common));
        self.guard_binary(operator, a, b, span);
        let result = self.binary(operator, a, b);
        Ok(odd.map_or(result, |odd| self.result_of_width(result, odd)))
    }

    fn shift(&mut self, op: Op, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        if self.class(self.ty(a)) != Class::Integer || self.class(self.ty(b)) != Class::Integer {
            return Err(self.wrong_operands(span));
        }
        let odd = self.odd(a);
        let is_checked = self.options.property == formats::Property::Shift;
        if odd.is_some_and(|odd| self.may_leave_width(op, odd) || is_checked) {
            let ty = self.ty(a);
            return Ok(self.unsupported_value("arithmetic on a bit-field wider than int", span, ty));
        }
        let (a, b) = (self.without_width(a), self.without_width(b));
        let (a, b) = (self.promote(a), self.promote(b));
        let op = if op == Op::ShiftLeft { BinaryOp::ShiftLeft } else { BinaryOp::ShiftRight };
        self.guard_binary(op, a, b, span);
        let result = self.binary(op, a, b);
        Ok(odd.map_or(result, |odd| self.result_of_width(result, odd)))
    }

    /// `+` and `-`, pointer arithmetic included.
    pub(super) fn add(&mut self, op: Op, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        match (self.class(self.ty(a)), self.class(self.ty(b)), op) {
            (Class::Pointer, Class::Integer, Op::Add) => self.offset(a, b, span),
            (Class::Integer, Class::Pointer, Op::Add) => self.offset(b, a, span),
            (Class::Pointer, Class::Integer, _) => {
                let ptrdiff = self.ptrdiff();
                let index = self.convert(b, ptrdiff);
                let negated = self.unary(UnaryOp::Negate, index);
                self.offset(a, negated, span)
            }
            (Class::Pointer, Class::Pointer, Op::Subtract) => {
                let b = self.convert(b, self.ty(a));
                if let Some(difference) = self.variable_difference(a, b) {
                    return Ok(difference);
                }
                let scale = self.scale(self.ty(a), span)?;
                let ptrdiff = self.ptrdiff();
                let difference = self.exprs.intern(Expr::PointerDifference { left: a, right: b, scale }, ptrdiff);
                Ok(difference)
            }
            _ => self.arithmetic(op, a, b, span),
        }
    }

    fn offset(&mut self, pointer: ExprId, index: ExprId, span: Span) -> Lowered<ExprId> {
        if let Some(moved) = self.variable_offset(pointer, index) {
            return Ok(moved);
        }
        let scale = self.scale(self.ty(pointer), span)?;
        Ok(self.pointer_offset(pointer, index, scale))
    }

    fn compare(&mut self, op: Op, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        let operator = match op {
            Op::Less => BinaryOp::Less,
            Op::Greater => BinaryOp::Greater,
            Op::LessEqual => BinaryOp::LessEqual,
            Op::GreaterEqual => BinaryOp::GreaterEqual,
            Op::Equal => BinaryOp::Equal,
            _ => BinaryOp::NotEqual,
        };
        let (a, b, _) = self.in_common_width(a, b);
        let (x, y) = (self.ty(a), self.ty(b));
        let common = match (self.class(x), self.class(y)) {
            (Class::Pointer, Class::Pointer) => {
                let common = self.common_pointer(a, b);
                self.beginnings.compares |= !self.is_null_constant(a) && !self.is_null_constant(b);
                common
            }
            (Class::Pointer, Class::Integer) => x,
            (Class::Integer, Class::Pointer) => y,
            _ if self.is_arithmetic(x) && self.is_arithmetic(y) => self.common_type(x, y),
            _ => return Err(self.wrong_operands(span)),
        };
        let (a, b) = (self.convert(a, common), self.convert(b, common));
        Ok(self.binary(operator, a, b))
    }

    /// The type in which two pointers are compared or joined: that of the one that is no null constant and not `void *`.
    pub(super) fn common_pointer(&self, a: ExprId, b: ExprId) -> TypeId {
        let (x, y) = (self.ty(a), self.ty(b));
        let is_void = |ty| self.pointee(ty).is_some_and(|pointee| pointee.ty == self.basic.void);
        if self.is_null_constant(a) || (is_void(x) && !is_void(y) && !self.is_null_constant(b)) { y } else { x }
    }
}
