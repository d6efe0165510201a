//! Guards of arithmetic: before an operation that may violate the property, a branch to a violation.
//!
//! Only operators of the program are guarded, not the arithmetic that lowering itself makes of other things (pointer
//! arithmetic, atomic builtins and sums that update an atomic integer, which wrap). What a guard computes never overflows or
//! traps itself: it compares with limits.
//! Source: what gcc's `-fsanitize=integer-divide-by-zero,shift,signed-integer-overflow` checks, with `-std=gnu11`.

use formats::Property;

use super::Lowerer;
use super::cursor::Cursor;
use crate::cfa::{Function, FunctionId, Operation};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::fold::IntFormat;
use crate::seal;
use crate::source::{SourceFile, Span};
use crate::types::{FunctionType, IntRank, QualType, Type, TypeId};
use crate::violation::Violation;

/// Which operations get guards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guards {
    /// Integer division by zero.
    pub division: bool,
    /// Shifts by a count that is out of range.
    pub shift: bool,
    /// Shifts of signed numbers to the left that lose a bit, which are defined where arithmetic wraps.
    pub loss: bool,
    /// Signed arithmetic.
    pub overflow: bool,
    /// Of signed arithmetic, only the division that does not fit: it traps whatever else wraps.
    pub quotient: bool,
    /// What is promised to the compiler: points that are not reached, bits that are found, lengths that are positive.
    pub promises: bool,
}

impl Guards {
    /// Those of a property whose violations are operations. A residual program has its guards already.
    pub(super) fn of(source: &SourceFile, property: Property) -> Self {
        let has_guards = source.text().starts_with(seal::BEGINNING.as_bytes());
        let is = |one: Property| property == one && !has_guards;
        let (division, shift, overflow) = (is(Property::DivZero), is(Property::Shift), is(Property::NoOverflow));
        Self { division, shift, loss: shift, overflow, quotient: false, promises: false }
    }

    /// These and others.
    pub(super) const fn with(self, other: Self) -> Self {
        Self {
            division: self.division || other.division,
            shift: self.shift || other.shift,
            loss: self.loss || other.loss,
            overflow: self.overflow || other.overflow,
            quotient: self.quotient || other.quotient,
            promises: self.promises || other.promises,
        }
    }

    /// Whether any arithmetic is guarded.
    pub(super) const fn any(self) -> bool {
        self.division || self.shift || self.loss || self.overflow || self.quotient || self.promises
    }
}

impl Lowerer<'_> {
    /// Guards an operator on two operands whose types fit already.
    pub(super) fn guard_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) {
        if self.quiet > 0 {
            return;
        }
        let guards = self.manner.guards;
        if guards.division && matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && self.format(self.ty(b)).is_some() {
            let zero = self.zero(self.ty(b));
            let ok = self.binary(BinaryOp::NotEqual, b, zero);
            self.guard(ok, Violation::DivisionByZero, span);
        }
        if (guards.shift || guards.loss) && matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight) {
            self.guard_shift(op, a, b, span);
        }
        let Some(format) = self.format(self.ty(a)).filter(|format| format.signed) else { return };
        match op {
            BinaryOp::Add | BinaryOp::Subtract if guards.overflow => {
                let ok = self.sum_fits(op, a, b, format);
                self.guard(ok, Violation::Overflow, span);
            }
            BinaryOp::Multiply if guards.overflow => match self.product_fits(a, b, format) {
                Some(ok) => self.guard(ok, Violation::Overflow, span),
                None => self.unsupported("multiplication of 128 bits", span),
            },
            BinaryOp::Divide | BinaryOp::Remainder if guards.overflow || guards.quotient => {
                let least = self.is_not_least(a, format);
                let minus = self.int(self.ty(b), -1);
                let other = self.binary(BinaryOp::NotEqual, b, minus);
                let ok = self.either_of(other, least);
                self.guard(ok, Violation::Overflow, span);
            }
            _ => {}
        }
    }

    /// Guards a negation.
    pub(super) fn guard_negation(&mut self, value: ExprId, span: Span) {
        if self.quiet > 0 || !self.manner.guards.overflow {
            return;
        }
        if let Some(format) = self.format(self.ty(value)).filter(|format| format.signed) {
            let ok = self.is_not_least(value, format);
            self.guard(ok, Violation::Overflow, span);
        }
    }

    /// Ends in a violation if points that are not reached are guarded, and without one otherwise.
    pub(super) fn is_not_reached(&mut self, span: Span) {
        if self.manner.guards.promises {
            let never = self.int(self.basic.int, 0);
            self.guard(never, Violation::Unreachable, span);
        }
        if self.here().is_some() {
            let end = self.dead_end();
            self.jump(end, span);
        }
    }

    /// Goes on where a search for a bit that is set finds one, and is a point that is not reached where there is none: what gcc
    /// makes of 0 depends on the instruction.
    pub(super) fn guard_scan(&mut self, value: ExprId, span: Span) {
        if self.quiet > 0 {
            return;
        }
        let zero = self.zero(self.ty(value));
        let ok = self.binary(BinaryOp::NotEqual, value, zero);
        if self.manner.guards.promises {
            self.guard(ok, Violation::ScanOfZero, span);
            return;
        }
        let (holds, fails) = self.fork(ok, span);
        self.body.cursor = fails;
        if self.here().is_some() {
            let end = self.dead_end();
            self.jump(end, span);
        }
        self.body.cursor = holds;
    }

    /// Guards the length of an array.
    pub(super) fn guard_length(&mut self, length: ExprId, span: Span) {
        if self.quiet == 0 && self.manner.guards.promises {
            let zero = self.zero(self.ty(length));
            let ok = self.binary(BinaryOp::Less, zero, length);
            self.guard(ok, Violation::Length, span);
        }
    }

    /// Goes on where `ok` holds, and takes a violation where it does not.
    fn guard(&mut self, ok: ExprId, violation: Violation, span: Span) {
        let (holds, fails) = self.fork(ok, span);
        if fails != Cursor::Dead {
            self.body.cursor = fails;
            let target = self.error_location();
            let callee = self.violation_function(violation);
            self.emit_last(Operation::Call { callee, arguments: Vec::new(), result: None }, span, target);
        }
        self.body.cursor = holds;
    }

    /// The error function of a violation.
    fn violation_function(&mut self, violation: Violation) -> FunctionId {
        if let Some(known) = self.violations.get(&violation) {
            return *known;
        }
        let result = QualType::plain(self.basic.void);
        let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: false };
        let ty = self.types.intern(Type::Function(ty));
        self.functions.push(Function::error(&violation.function(), ty));
        let id = FunctionId::new(self.functions.len() - 1);
        self.violations.insert(violation, id);
        id
    }

    /// The count must be in range; a signed `<<` must not lose a bit, nor shift into or out of the sign.
    fn guard_shift(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) {
        let (Some(format), Some(count)) = (self.format(self.ty(a)), self.format(self.ty(b))) else { return };
        let unsigned = self.unsigned(count);
        let b = self.convert(b, unsigned);
        let width = self.int(unsigned, i128::from(format.bits));
        if self.manner.guards.shift {
            let ok = self.binary(BinaryOp::Less, b, width);
            self.guard(ok, Violation::ShiftCount, span);
        }
        if self.manner.guards.loss && op == BinaryOp::ShiftLeft && format.signed {
            let bits = self.unsigned(format);
            let a = self.convert(a, bits);
            let last = self.int(unsigned, i128::from(format.bits) - 1);
            let rest = self.binary(BinaryOp::Subtract, last, b);
            let lost = self.binary(BinaryOp::ShiftRight, a, rest);
            let zero = self.zero(bits);
            let ok = self.binary(BinaryOp::Equal, lost, zero);
            self.guard(ok, Violation::ShiftLoss, span);
        }
    }

    /// The unsigned type of the width of a format.
    fn unsigned(&mut self, format: IntFormat) -> TypeId {
        let rank = match format.bits {
            ..=32 => IntRank::Int,
            33..=64 => IntRank::LongLong,
            _ => IntRank::Int128,
        };
        self.types.intern(Type::Int { rank, signed: false })
    }

    fn limits(&mut self, ty: TypeId, format: IntFormat) -> (i128, i128, ExprId, ExprId) {
        let least = i128::MIN >> (128 - format.bits);
        let greatest = !least;
        (least, greatest, self.int(ty, least), self.int(ty, greatest))
    }

    fn is_not_least(&mut self, value: ExprId, format: IntFormat) -> ExprId {
        let (_, _, least, _) = self.limits(self.ty(value), format);
        self.binary(BinaryOp::NotEqual, value, least)
    }

    /// `one || other`, shorter where one of them is a constant.
    fn either_of(&mut self, one: ExprId, other: ExprId) -> ExprId {
        match (self.exprs.get(one), self.exprs.get(other)) {
            (Expr::Int(0), _) | (_, Expr::Int(1)) => other,
            (Expr::Int(1), _) | (_, Expr::Int(0)) => one,
            _ => self.binary(BinaryOp::LogicalOr, one, other),
        }
    }

    fn both_of(&mut self, one: ExprId, other: ExprId) -> ExprId {
        match (self.exprs.get(one), self.exprs.get(other)) {
            (Expr::Int(0), _) | (_, Expr::Int(1)) => one,
            (Expr::Int(1), _) | (_, Expr::Int(0)) => other,
            _ => self.binary(BinaryOp::LogicalAnd, one, other),
        }
    }

    fn constant_value(&self, value: ExprId, format: IntFormat) -> Option<i128> {
        match *self.exprs.get(value) {
            Expr::Int(bits) => Some(format.value(bits)),
            _ => None,
        }
    }

    /// Whether `a + b` or `a - b` fits: what is compared cannot overflow where it counts.
    fn sum_fits(&mut self, op: BinaryOp, a: ExprId, b: ExprId, format: IntFormat) -> ExprId {
        let ty = self.ty(a);
        let (_, _, least, greatest) = self.limits(ty, format);
        // A constant on the left of a sum is as good as on the right.
        let swap = op == BinaryOp::Add && self.constant_value(a, format).is_some();
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let zero = self.zero(ty);
        if let (BinaryOp::Subtract, Some(number)) = (op, self.constant_value(a, format)) {
            // `number - b`: for a negative number b must not be too great, for others not too small.
            let (limit, compare) = if number < 0 { (least, BinaryOp::LessEqual) } else { (greatest, BinaryOp::GreaterEqual) };
            let bound = self.binary(BinaryOp::Subtract, a, limit);
            return self.binary(compare, b, bound);
        }
        let (up, down) = if op == BinaryOp::Add { (greatest, least) } else { (least, greatest) };
        // With b >= 0: a <= MAX - b, or a >= MIN + b. With b < 0: a >= MIN - b, or a <= MAX + b.
        let opposite = if op == BinaryOp::Add { BinaryOp::Subtract } else { BinaryOp::Add };
        let (first, second) = if op == BinaryOp::Add {
            (BinaryOp::LessEqual, BinaryOp::GreaterEqual)
        } else {
            (BinaryOp::GreaterEqual, BinaryOp::LessEqual)
        };
        let not_negative = self.binary(BinaryOp::GreaterEqual, b, zero);
        let bound = self.binary(opposite, up, b);
        let fits_up = self.binary(first, a, bound);
        let bound = self.binary(opposite, down, b);
        let fits_down = self.binary(second, a, bound);
        if let Some(number) = self.constant_value(b, format) {
            return if number >= 0 { fits_up } else { fits_down };
        }
        let negative = self.binary(BinaryOp::Less, b, zero);
        let one = self.binary(BinaryOp::LogicalOr, negative, fits_up);
        let other = self.binary(BinaryOp::LogicalOr, not_negative, fits_down);
        self.binary(BinaryOp::LogicalAnd, one, other)
    }

    /// Whether `a * b` fits; `None` if no type is wide enough to say so.
    fn product_fits(&mut self, a: ExprId, b: ExprId, format: IntFormat) -> Option<ExprId> {
        let ty = self.ty(a);
        let (least, greatest, ..) = self.limits(ty, format);
        let (a, b) = if self.constant_value(a, format).is_some() { (b, a) } else { (a, b) };
        if let Some(number) = self.constant_value(b, format) {
            return Some(match number {
                0 | 1 => self.int(self.basic.int, 1),
                -1 => self.is_not_least(a, format),
                _ => {
                    let (one, other) = (least / number, greatest / number);
                    let (low, high) = (self.int(ty, one.min(other)), self.int(ty, one.max(other)));
                    let low = self.binary(BinaryOp::GreaterEqual, a, low);
                    let high = self.binary(BinaryOp::LessEqual, a, high);
                    self.both_of(low, high)
                }
            });
        }
        let rank = match format.bits {
            ..=32 => IntRank::LongLong,
            33..=64 => IntRank::Int128,
            _ => return None,
        };
        let wide = self.types.intern(Type::Int { rank, signed: true });
        let (x, y) = (self.convert(a, wide), self.convert(b, wide));
        let exact = self.binary(BinaryOp::Multiply, x, y);
        let (low, high) = (self.int(wide, least), self.int(wide, greatest));
        let low = self.binary(BinaryOp::LessEqual, low, exact);
        let high = self.binary(BinaryOp::LessEqual, exact, high);
        Some(self.both_of(low, high))
    }
}
