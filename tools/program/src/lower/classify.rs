//! Builtins that compare and classify floats, and `abs`: expressions over their saved operands.
//!
//! Where gcc only promises "not zero", the value is the one that gcc computes for operands that are not constant.

use super::build::Class;
use super::place::Place;
use super::{Lowered, Lowerer};
use crate::ast;
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::fold;
use crate::known::{UNSUPPORTED_SIGN, construct};
use crate::source::Span;
use crate::types::{FloatKind, IntRank, QualType, Qualifiers, Type, TypeId};

/// Largest and smallest normal numbers.
const LIMITS: [(FloatKind, &str, &str); 2] = [
    (FloatKind::Float, "3.40282346638528859812e+38", "1.17549435082228750797e-38"),
    (FloatKind::Double, "1.79769313486231570815e+308", "2.22507385850720138309e-308"),
];

impl Lowerer<'_> {
    /// A builtin about floats; `None` if it is none, or about other types.
    pub(super) fn float_builtin(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<ExprId>> {
        match (name, arguments) {
            ("isunordered" | "isgreater" | "isgreaterequal" | "isless" | "islessequal" | "islessgreater", [left, right]) => {
                self.quiet_comparison(name, *left, *right, span)
            }
            ("fpclassify", [classes @ .., value]) if classes.len() == 5 => self.class_of(classes, *value, span),
            (
                "isnan" | "isnanf" | "isinf" | "isinff" | "isinf_sign" | "finite" | "finitef" | "isfinite" | "isnormal",
                [value],
            ) => {
                let Some((operand, kind)) = self.float_operand(name, *value, span)? else { return Ok(None) };
                Ok(Some(self.classify_written((name, *value), operand, kind, span)))
            }
            ("signbit" | "signbitf", [value]) => {
                let Some((operand, kind)) = self.float_operand(name, *value, span)? else { return Ok(None) };
                self.sign_bit((*value, operand), kind, span).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The sign of a saved value, which was written as the expression beside it: that of what is no number is open.
    fn sign_bit(&mut self, (written, value): (ast::ExprId, ExprId), kind: FloatKind, span: Span) -> Lowered<ExprId> {
        let (int, width) = (self.basic.int, if kind == FloatKind::Float { 32 } else { 64 });
        if let Expr::Float(bits) = *self.exprs.get(value) {
            // What gcc leaves to the run has the other value.
            let is_computed = self.has_part(written, |kind| matches!(kind, ast::ExprKind::Binary { .. }));
            if is_computed && self.signed_value(kind) != 1 {
                return Ok(self.unsupported_value("sign that is computed of constants", span, int));
            }
            return Ok(self.int(int, i128::from(bits >> (width - 1) & 1 == 1)));
        }
        let value = self.save_always(value, span);
        let is_nan = self.binary(BinaryOp::NotEqual, value, value);
        let (nan, number) = self.fork(is_nan, span);
        self.body.cursor = nan;
        self.unsupported(construct(UNSUPPORTED_SIGN), span);
        let here = self.body.cursor.take();
        self.body.cursor = self.merge(number, here, span);
        let rank = if kind == FloatKind::Float { IntRank::Int } else { IntRank::LongLong };
        let unsigned = self.types.intern(Type::Int { rank, signed: false });
        let bits = self.pattern(value, unsigned, span)?;
        let first = self.int(unsigned, 1 << (width - 1));
        let is_negative = self.binary(BinaryOp::GreaterEqual, bits, first);
        let (set, clear) = (self.int(int, self.signed_value(kind)), self.int(int, 0));
        Ok(self.select(is_negative, set, clear))
    }

    /// What gcc computes for `signbit` of a number that is negative and no constant.
    fn signed_value(&self, kind: FloatKind) -> i128 {
        match (self.machine.word(), kind) {
            (4, _) => 512,
            (_, FloatKind::Float) => i128::from(i32::MIN),
            (_, _) => 1,
        }
    }

    /// The bits of a saved value, as a number of a type of the same size.
    fn pattern(&mut self, saved: ExprId, unsigned: TypeId, span: Span) -> Lowered<ExprId> {
        let Expr::Load(place) = *self.exprs.get(saved) else {
            return Ok(self.unsupported_value("bits of a value", span, unsigned));
        };
        let address = self.address_of(Place { expr: place, qualifiers: Qualifiers::default(), bits: None });
        let pointer = self.pointer_to(QualType::plain(unsigned));
        let address = self.convert(address, pointer);
        let operand = self.dereference(address, span)?;
        self.rvalue(operand, span)
    }

    /// `abs` and its relatives on a value of their type.
    pub(super) fn absolute(&mut self, value: ast::ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let value = self.scalar(value)?;
        let value = self.convert(value, ty);
        let value = self.save(value, span);
        self.guard_negation(value, span);
        let zero = self.int(ty, 0);
        let negative = self.binary(BinaryOp::Less, value, zero);
        let minus = self.unary(UnaryOp::Negate, value);
        Ok(self.select(negative, minus, value))
    }

    /// `condition ? then : otherwise` on values of one type.
    pub(super) fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.ty(then);
        match *self.exprs.get(condition) {
            Expr::Int(0) => otherwise,
            Expr::Int(_) => then,
            _ => self.exprs.intern(Expr::Conditional(condition, then, otherwise), ty),
        }
    }

    /// The operand, saved, if its type is one whose limits are known.
    fn float_operand(&mut self, name: &str, value: ast::ExprId, span: Span) -> Lowered<Option<(ExprId, FloatKind)>> {
        let value = self.scalar(value)?;
        let value = match name {
            "isnanf" | "isinff" | "finitef" | "signbitf" => {
                let float = self.types.intern(Type::Float(FloatKind::Float));
                self.convert(value, float)
            }
            "finite" => self.convert(value, self.basic.double),
            _ => value,
        };
        let Type::Float(kind @ (FloatKind::Float | FloatKind::Double)) = *self.types.get(self.ty(value)) else {
            return Ok(None);
        };
        Ok(Some((self.save(value, span), kind)))
    }

    /// What a function says of a saved value, which was written as the expression beside its name.
    pub(super) fn classify_written(
        &mut self,
        (name, written): (&str, ast::ExprId),
        value: ExprId,
        kind: FloatKind,
        span: Span,
    ) -> ExprId {
        // What is divided by zero, or too large, gcc leaves to the run, and says 1 of both infinities then.
        let is_computed = || self.has_part(written, |kind| matches!(kind, ast::ExprKind::Binary { .. }));
        if matches!(name, "isinf" | "isinff") && matches!(self.exprs.get(value), Expr::Float(_)) && is_computed() {
            let int = self.basic.int;
            return self.unsupported_value("infinity that is computed of constants", span, int);
        }
        self.classify(name, value, kind)
    }

    fn classify(&mut self, name: &str, value: ExprId, kind: FloatKind) -> ExprId {
        match name {
            "isnan" | "isnanf" => self.binary(BinaryOp::NotEqual, value, value),
            "isinf" | "isinff" | "isinf_sign" => {
                let (above, below) = self.infinities(value, kind);
                // gcc folds the sign into what it says of a constant.
                if name == "isinf_sign" || matches!(self.exprs.get(value), Expr::Float(_)) {
                    self.binary(BinaryOp::Subtract, above, below)
                } else {
                    self.binary(BinaryOp::BitOr, above, below)
                }
            }
            "isnormal" => self.between(value, kind, Self::smallest),
            _ => self.between(value, kind, |this, _| this.zero(this.ty(value))),
        }
    }

    /// Whether a value is positive and whether it is negative infinity.
    fn infinities(&mut self, value: ExprId, kind: FloatKind) -> (ExprId, ExprId) {
        let infinity = self.float_constant(kind, "inf");
        let minus = self.unary(UnaryOp::Negate, infinity);
        (self.binary(BinaryOp::Equal, value, infinity), self.binary(BinaryOp::Equal, value, minus))
    }

    /// Whether the size of a value is between a limit and the largest number.
    fn between(&mut self, value: ExprId, kind: FloatKind, low: impl Fn(&mut Self, FloatKind) -> ExprId) -> ExprId {
        let low = low(self, kind);
        let high = self.largest(kind);
        let above = self.inside(low, value, high);
        let (minus_high, minus_low) = (self.unary(UnaryOp::Negate, high), self.unary(UnaryOp::Negate, low));
        let below = self.inside(minus_high, value, minus_low);
        self.binary(BinaryOp::BitOr, above, below)
    }

    pub(super) fn inside(&mut self, low: ExprId, value: ExprId, high: ExprId) -> ExprId {
        let above = self.binary(BinaryOp::LessEqual, low, value);
        let below = self.binary(BinaryOp::LessEqual, value, high);
        self.binary(BinaryOp::BitAnd, above, below)
    }

    fn largest(&mut self, kind: FloatKind) -> ExprId {
        let text = LIMITS.iter().find(|(of, ..)| *of == kind).map_or("inf", |(_, text, _)| text);
        self.float_constant(kind, text)
    }

    fn smallest(&mut self, kind: FloatKind) -> ExprId {
        let text = LIMITS.iter().find(|(of, ..)| *of == kind).map_or("0", |(_, _, text)| text);
        self.float_constant(kind, text)
    }

    fn float_constant(&mut self, kind: FloatKind, text: &str) -> ExprId {
        let ty = self.types.intern(Type::Float(kind));
        let bits = fold::parse(kind, text).unwrap_or(0);
        self.exprs.intern(Expr::Float(bits), ty)
    }

    /// `isless` and its relatives compare as the operators do; that these raise no exception nobody sees.
    fn quiet_comparison(&mut self, name: &str, left: ast::ExprId, right: ast::ExprId, span: Span) -> Lowered<Option<ExprId>> {
        let left = self.scalar(left)?;
        let left = self.save(left, span);
        let right = self.scalar(right)?;
        let right = self.save(right, span);
        if !self.is_arithmetic(self.ty(left)) || !self.is_arithmetic(self.ty(right)) {
            return Ok(None);
        }
        let ty = self.common_type(self.ty(left), self.ty(right));
        if self.class(ty) != Class::Float {
            return Ok(None);
        }
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        let (one, other, op) = match name {
            "isunordered" => {
                (self.binary(BinaryOp::NotEqual, left, left), self.binary(BinaryOp::NotEqual, right, right), BinaryOp::BitOr)
            }
            "islessgreater" => {
                (self.binary(BinaryOp::Less, left, right), self.binary(BinaryOp::Greater, left, right), BinaryOp::BitOr)
            }
            "isgreater" => return Ok(Some(self.binary(BinaryOp::Greater, left, right))),
            "isgreaterequal" => return Ok(Some(self.binary(BinaryOp::GreaterEqual, left, right))),
            "isless" => return Ok(Some(self.binary(BinaryOp::Less, left, right))),
            _ => return Ok(Some(self.binary(BinaryOp::LessEqual, left, right))),
        };
        Ok(Some(self.binary(op, one, other)))
    }

    /// `fpclassify(nan, infinite, normal, subnormal, zero, value)`
    fn class_of(&mut self, classes: &[ast::ExprId], value: ast::ExprId, span: Span) -> Lowered<Option<ExprId>> {
        let mut answers = Vec::with_capacity(classes.len());
        for class in classes {
            let answer = self.scalar(*class)?;
            let int = self.basic.int;
            let answer = self.convert(answer, int);
            answers.push(self.save(answer, span));
        }
        let Some((value, kind)) = self.float_operand("fpclassify", value, span)? else { return Ok(None) };
        let [nan, infinite, normal, subnormal, zero] = answers[..] else { return Ok(None) };
        let is_nan = self.classify("isnan", value, kind);
        let is_finite = self.classify("isfinite", value, kind);
        let is_normal = self.classify("isnormal", value, kind);
        let nothing = self.zero(self.ty(value));
        let is_zero = self.binary(BinaryOp::Equal, value, nothing);
        let (is_finite, is_normal) = (self.truth(is_finite), self.truth(is_normal));
        let small = self.select(is_zero, zero, subnormal);
        let finite = self.select(is_normal, normal, small);
        let number = self.select(is_finite, finite, infinite);
        Ok(Some(self.select(is_nan, nan, number)))
    }
}
