//! Builtins of gcc that are no functions: what is simple is an expression, the rest an unsupported operation.

use super::build::Class;
use super::place::Operand;
use super::{Lowered, Lowerer};
use crate::ast::{self, Symbol};
use crate::cfa::{Linkage, Operation};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::fold;
use crate::known;
use crate::source::Span;
use crate::types::{FloatKind, IntRank, Type, TypeId};

use super::scope::Entity;

impl Lowerer<'_> {
    /// Whether a name is that of a builtin, declared or not.
    pub(super) fn names_builtin(&self, name: Symbol) -> bool {
        let text = self.ast.name(name);
        let reserved = ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| text.starts_with(prefix));
        reserved && !self.defined.contains(&name)
    }

    /// A call of a builtin; `None` if it is a call of a library function.
    pub(super) fn builtin(&mut self, name: Symbol, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let text = self.ast.name(name);
        let Some(short) = text.strip_prefix("__builtin_") else {
            return match self.atomic(text, arguments, span)? {
                Some(result) => Ok(Some(result)),
                None => self.unknown_builtin(text, arguments, span).map(Some),
            };
        };
        if known::implicit_type(short).is_some() && short != "abs" {
            self.alias_library(name, short, span);
            return Ok(None);
        }
        let first = arguments.first().copied();
        let result = match (short, first) {
            ("expect" | "expect_with_probability" | "assume_aligned", Some(first)) => {
                let value = self.value(first)?;
                for other in &arguments[1..] {
                    self.discard(*other)?;
                }
                let to = if short == "assume_aligned" { self.basic.void_pointer } else { self.basic.long };
                self.convert(value, to)
            }
            ("constant_p", Some(first)) => {
                let (value, effects) = self.quietly(|this| this.value(first))?;
                let constant = !effects && self.evaluate(value).is_some();
                self.int(self.basic.int, i128::from(constant))
            }
            ("unreachable" | "trap", _) => {
                if self.quiet == 0 && self.here().is_some() {
                    let end = self.dead_end();
                    self.jump(end, span);
                }
                return Ok(Some(Operand::Void));
            }
            ("va_end" | "va_start" | "va_copy", _) if self.list_builtin(short, arguments, span)? => {
                return Ok(Some(Operand::Void));
            }
            ("prefetch" | "va_end" | "va_start" | "va_copy" | "__clear_cache", _) => {
                for argument in arguments {
                    self.quietly(|this| this.operand(*argument))?;
                }
                self.emit(Operation::Blank, span);
                return Ok(Some(Operand::Void));
            }
            ("add_overflow" | "sub_overflow" | "mul_overflow", _) if arguments.len() == 3 => {
                return self.checked_arithmetic(short, arguments, span).map(Some);
            }
            _ => match self.value_builtin(short, arguments, span)? {
                Some(value) => value,
                None => return self.unknown_builtin(text, arguments, span).map(Some),
            },
        };
        Ok(Some(Operand::Value(result)))
    }

    /// Builtins that only yield a value.
    fn value_builtin(&mut self, short: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<ExprId>> {
        Ok(Some(match (short, arguments) {
            ("object_size" | "dynamic_object_size", [_, kind]) => {
                let kind = self.integer_constant(*kind)?.0;
                let size = self.size_type();
                self.int(size, if kind < 2 { -1 } else { 0 })
            }
            ("return_address" | "frame_address" | "extract_return_addr", _) => {
                let ty = self.basic.void_pointer;
                self.arbitrary(ty, span)
            }
            ("huge_val" | "inf" | "nan" | "huge_valf" | "inff" | "nanf" | "huge_vall" | "infl" | "nanl", _) => {
                self.special_float(short)
            }
            ("isnan", [value]) => {
                let value = self.scalar(*value)?;
                self.binary(BinaryOp::NotEqual, value, value)
            }
            (_, [value, ..]) => return self.bit_builtin(short, *value, span),
            _ => return Ok(None),
        }))
    }

    /// `__builtin_memcpy` and the like are the library functions.
    fn alias_library(&mut self, name: Symbol, short: &str, span: Span) {
        let known = self.ast.symbols.get(short);
        let alias = self.function_ids.get(&name).filter(|id| &*self.functions[id.index()].name == short);
        let function = known.and_then(|symbol| self.function_ids.get(&symbol)).or(alias).copied();
        if let Some(function) = function {
            self.scopes.declare(name, Entity::Function(function));
            return;
        }
        let ty = self.implicit_function_type(short);
        let function = self.new_function(name, ty, Linkage::External, span);
        self.functions[function.index()].name = short.into();
        self.functions[function.index()].known = self.known(short, ty);
        if let Some(symbol) = known {
            self.function_ids.insert(symbol, function);
            if self.defined.contains(&symbol) {
                self.functions[function.index()].known = None;
            }
        }
        self.scopes.declare(name, Entity::Function(function));
    }

    fn unknown_builtin(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Operand> {
        for argument in arguments {
            self.discard(*argument)?;
        }
        let int = self.basic.int;
        let ty = if name.starts_with("__builtin_") { int } else { self.atomic_type(arguments)?.unwrap_or(int) };
        Ok(Operand::Value(self.unsupported_value(name, span, ty)))
    }

    /// The type that the first argument of an atomic builtin points to.
    fn atomic_type(&mut self, arguments: &[ast::ExprId]) -> Lowered<Option<TypeId>> {
        let Some(first) = arguments.first() else { return Ok(None) };
        let value = self.quietly(|this| this.value(*first))?.0;
        Ok(self.pointee(self.ty(value)).map(|pointee| pointee.ty).filter(|ty| self.is_scalar(*ty)))
    }

    fn special_float(&mut self, name: &str) -> ExprId {
        let kind = match name.chars().last() {
            Some('f') if name != "inf" => FloatKind::Float,
            Some('l') if name.ends_with("vall") || name == "infl" || name == "nanl" => FloatKind::LongDouble,
            _ => FloatKind::Double,
        };
        let ty = self.types.intern(Type::Float(kind));
        let text = if name.starts_with("nan") { "nan" } else { "inf" };
        let bits = fold::parse(kind, text).unwrap_or(0);
        self.exprs.intern(Expr::Float(bits), ty)
    }

    /// Byte swaps and bit counts.
    fn bit_builtin(&mut self, name: &str, argument: ast::ExprId, span: Span) -> Lowered<Option<ExprId>> {
        let (stem, rank) = match name {
            "bswap16" => ("bswap", IntRank::Short),
            "bswap32" => ("bswap", IntRank::Int),
            "bswap64" => ("bswap", IntRank::LongLong),
            "clz" | "ctz" | "ffs" | "popcount" | "parity" => (name, IntRank::Int),
            "clzl" | "ctzl" | "ffsl" | "popcountl" | "parityl" => (&name[..name.len() - 1], IntRank::Long),
            "clzll" | "ctzll" | "ffsll" | "popcountll" | "parityll" => (&name[..name.len() - 2], IntRank::LongLong),
            _ => return Ok(None),
        };
        let ty = self.types.intern(Type::Int { rank, signed: false });
        let value = self.scalar(argument)?;
        let value = self.convert(value, ty);
        // The bits are read many times.
        let value = self.save(value, span);
        let bits = i128::from(8 * self.machine.int_size(rank));
        Ok(Some(match stem {
            "bswap" => self.byte_swap(value, bits),
            "popcount" => self.bit_sum(value, bits),
            "parity" => {
                let sum = self.bit_sum(value, bits);
                let one = self.int(self.basic.int, 1);
                self.binary(BinaryOp::BitAnd, sum, one)
            }
            _ => self.bit_scan(stem, value, bits),
        }))
    }

    fn byte_swap(&mut self, value: ExprId, bits: i128) -> ExprId {
        let ty = self.ty(value);
        let wide = self.promote(value);
        let wide_ty = self.ty(wide);
        let mut result = self.int(wide_ty, 0);
        for shift in (0..bits).step_by(8) {
            let down = self.int(self.basic.int, shift);
            let mask = self.int(wide_ty, 0xff);
            let up = self.int(self.basic.int, bits - 8 - shift);
            let byte = self.binary(BinaryOp::ShiftRight, wide, down);
            let byte = self.binary(BinaryOp::BitAnd, byte, mask);
            let byte = self.binary(BinaryOp::ShiftLeft, byte, up);
            result = self.binary(BinaryOp::BitOr, result, byte);
        }
        self.convert(result, ty)
    }

    /// Bit `index` of an unsigned value, as an `int`.
    fn bit(&mut self, value: ExprId, index: i128) -> ExprId {
        let shift = self.int(self.basic.int, index);
        let one = self.int(self.ty(value), 1);
        let bit = self.binary(BinaryOp::ShiftRight, value, shift);
        let bit = self.binary(BinaryOp::BitAnd, bit, one);
        self.convert(bit, self.basic.int)
    }

    fn bit_sum(&mut self, value: ExprId, bits: i128) -> ExprId {
        let mut sum = self.int(self.basic.int, 0);
        for index in 0..bits {
            let bit = self.bit(value, index);
            sum = self.binary(BinaryOp::Add, sum, bit);
        }
        sum
    }

    /// `clz`, `ctz` (undefined for 0) and `ffs` as a chain of conditionals.
    fn bit_scan(&mut self, stem: &str, value: ExprId, bits: i128) -> ExprId {
        let int = self.basic.int;
        let mut result = self.int(int, if stem == "ffs" { 0 } else { bits });
        for step in 0..bits {
            // The bit that decides is looked at last here, i.e. first when evaluated.
            let (index, found) = match stem {
                "clz" => (step, bits - 1 - step),
                "ctz" => (bits - 1 - step, bits - 1 - step),
                _ => (bits - 1 - step, bits - step),
            };
            let bit = self.bit(value, index);
            let set = self.truth(bit);
            let found = self.int(int, found);
            result = match *self.exprs.get(set) {
                Expr::Int(0) => result,
                Expr::Int(_) => found,
                _ => self.exprs.intern(Expr::Conditional(set, found, result), int),
            };
        }
        result
    }

    /// `__builtin_add_overflow(a, b, result)` by way of 128-bit arithmetic.
    fn checked_arithmetic(&mut self, name: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Operand> {
        let a = self.scalar(arguments[0])?;
        let a = self.save(a, span);
        let b = self.scalar(arguments[1])?;
        let b = self.save(b, span);
        let pointer = self.value(arguments[2])?;
        let pointer = self.save(pointer, span);
        let Operand::Place(place) = self.dereference(pointer, span)? else {
            return Err(self.error(span, "the last argument must point to an integer", "not such a pointer"));
        };
        let wide = self.types.intern(Type::Int { rank: IntRank::Int128, signed: true });
        let limit = if name == "mul_overflow" { 63 } else { 126 };
        let fits = |this: &Self, value| this.format(this.ty(value)).is_some_and(|f| f.bits - u32::from(f.signed) <= limit);
        let integers = self.class(self.ty(place.expr)) == Class::Integer;
        if !integers || !fits(self, a) || !fits(self, b) {
            let int = self.basic.int;
            return Ok(Operand::Value(self.unsupported_value(&format!("__builtin_{name}"), span, int)));
        }
        let (a, b) = (self.convert(a, wide), self.convert(b, wide));
        let op = match name {
            "add_overflow" => BinaryOp::Add,
            "sub_overflow" => BinaryOp::Subtract,
            _ => BinaryOp::Multiply,
        };
        let exact = self.binary(op, a, b);
        let wrapped = self.convert(exact, self.ty(place.expr));
        self.store(place, wrapped, span);
        let back = self.convert(wrapped, wide);
        let differs = self.binary(BinaryOp::NotEqual, exact, back);
        Ok(Operand::Value(self.convert(differs, self.basic.bool_)))
    }
}
