//! Arithmetic that says whether it fits: `__builtin_add_overflow` and its relatives, by way of 128 bits.

use super::build::Class;
use super::narrow::FieldType;
use super::place::Operand;
use super::{Lowered, Lowerer};
use crate::ast;
use crate::expr::BinaryOp;
use crate::source::Span;
use crate::types::{IntRank, Type, TypeId};

impl Lowerer<'_> {
    /// `__builtin_add_overflow(a, b, result)`, `__builtin_saddl_overflow`, `__builtin_add_overflow_p`.
    pub(super) fn checked_arithmetic(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Operand> {
        let stem = name.strip_suffix("_p").unwrap_or(name);
        let stem = stem.strip_suffix("_overflow").unwrap_or(stem);
        let (op, operands) = self.checked_operation(stem);
        let mut values = Vec::with_capacity(2);
        for argument in &arguments[..2] {
            let value = self.scalar(*argument)?;
            let value = operands.map_or(value, |ty| self.convert(value, ty));
            values.push(self.save(value, span));
        }
        let int = self.basic.int;
        let place = if name.ends_with("_p") {
            None
        } else {
            let pointer = self.value(arguments[2])?;
            let pointer = self.save(pointer, span);
            let Operand::Place(place) = self.dereference(pointer, span)? else {
                return Err(self.error(span, "the last argument must point to an integer", "not such a pointer"));
            };
            Some(place)
        };
        let wanted = match place {
            Some(place) => self.ty(place.expr),
            // The last operand only has a type.
            None => match self.field_type(arguments[2])? {
                Some(FieldType::Named(ty)) => ty,
                Some(FieldType::Nameless { .. }) => {
                    return Ok(Operand::Value(self.unsupported_value("overflow of a bit-field", span, int)));
                }
                None => self.type_of(arguments[2])?.ty,
            },
        };
        let formats = [self.format(self.ty(values[0])), self.format(self.ty(values[1]))];
        let [Some(first), Some(second)] = formats else {
            return Ok(Operand::Value(self.unsupported_value(&format!("__builtin_{name}"), span, int)));
        };
        let limit = if op == BinaryOp::Multiply { 64 } else { 126 };
        let fits = [first, second].iter().all(|format| format.bits - u32::from(format.signed) <= limit);
        if self.class(wanted) != Class::Integer || !fits {
            return Ok(Operand::Value(self.unsupported_value(&format!("__builtin_{name}"), span, int)));
        }
        // A product is below 2^128 where neither operand has a sign, and below 2^127 where one of 64 bits has.
        let signed = op != BinaryOp::Multiply || first.signed || second.signed;
        let wide = self.types.intern(Type::Int { rank: IntRank::Int128, signed });
        let (a, b) = (self.convert(values[0], wide), self.convert(values[1], wide));
        let exact = self.binary(op, a, b);
        let wrapped = self.convert(exact, wanted);
        // Where the result is stored the operands may be read from.
        let back = self.convert(wrapped, wide);
        let differs = self.binary(BinaryOp::NotEqual, exact, back);
        let differs = match self.format(wanted) {
            // All bits are kept: what is lost is what the first of them says.
            Some(result) if result.bits >= 128 && result.signed != signed => {
                let seen = self.types.intern(Type::Int { rank: IntRank::Int128, signed: true });
                let (seen, zero) = (self.convert(exact, seen), self.int(seen, 0));
                self.binary(BinaryOp::Less, seen, zero)
            }
            _ => differs,
        };
        let differs = self.convert(differs, self.basic.bool_);
        let Some(place) = place else { return Ok(Operand::Value(differs)) };
        let differs = self.save(differs, span);
        self.store(place, wrapped, span);
        Ok(Operand::Value(differs))
    }

    /// The operator, and the type that operands are converted to: that of `saddl` is `long`.
    fn checked_operation(&mut self, stem: &str) -> (BinaryOp, Option<TypeId>) {
        let typed = ["s", "u"].into_iter().find_map(|sign| {
            let rest = stem.strip_prefix(sign)?;
            ["add", "sub", "mul"].into_iter().find_map(|op| Some((sign, op, rest.strip_prefix(op)?)))
        });
        let by_name = |op: &str| match op {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Subtract,
            _ => BinaryOp::Multiply,
        };
        match typed {
            Some((sign, op, length @ ("" | "l" | "ll"))) => {
                let rank = match length {
                    "" => IntRank::Int,
                    "l" => IntRank::Long,
                    _ => IntRank::LongLong,
                };
                let ty = self.types.intern(Type::Int { rank, signed: sign == "s" });
                (by_name(op), Some(ty))
            }
            _ => (by_name(stem), None),
        }
    }
}
