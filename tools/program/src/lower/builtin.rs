//! Builtins of gcc that are no functions: what is simple is an expression, the rest an unsupported operation.

use super::place::Operand;
use super::{Lowered, Lowerer};
use crate::ast::{self, Symbol};
use crate::cfa::{ConstantValue, Linkage, Operation, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::fold;
use crate::known;
use crate::source::Span;
use crate::treatment::builtins;
use crate::types::{FloatKind, IntRank, QualType, Qualifiers, Type, TypeId};

use super::first::MOST_PARTS;
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
            if !builtins::is_treated(text) {
                return self.unknown_builtin(text, arguments, span).map(Some);
            }
            return match self.atomic(text, arguments, span)? {
                Some(result) => Ok(Some(result)),
                None => self.unknown_builtin(text, arguments, span).map(Some),
            };
        };
        let treated = builtins::is_treated(text);
        if !treated && known::implicit_type(short).is_some() {
            self.alias_library(name, short, span);
            return Ok(None);
        }
        if !treated {
            return self.unknown_builtin(text, arguments, span).map(Some);
        }
        let first = arguments.first().copied();
        let result = match (short, first) {
            ("expect" | "expect_with_probability" | "assume_aligned", Some(_)) => self.first_of(short, arguments, span)?,
            ("constant_p", Some(first)) => self.constant_p(first, span)?,
            // It ends the program, which others can see.
            ("trap", _) => return Ok(None),
            ("unreachable", _) => {
                if self.quiet == 0 && self.here().is_some() {
                    self.is_not_reached(span);
                }
                return Ok(Some(Operand::Void));
            }
            ("va_start" | "c23_va_start" | "va_copy" | "va_end", Some(list)) => {
                self.list_builtin(short, list, arguments, span)?;
                return Ok(Some(Operand::Void));
            }
            ("prefetch" | "__clear_cache", _) => {
                // A hint, but its operands are evaluated.
                for argument in arguments {
                    self.discard(*argument)?;
                }
                self.emit(Operation::Blank, span);
                return Ok(Some(Operand::Void));
            }
            ("abs" | "labs" | "llabs", Some(first)) if arguments.len() == 1 => {
                let ty = self.absolute_type(short);
                self.absolute(first, ty, span)?
            }
            _ if short.contains("_overflow") && arguments.len() == 3 => {
                return self.checked_arithmetic(short, arguments, span).map(Some);
            }
            _ => match self.value_builtin(short, arguments, span)? {
                Some(value) => value,
                None => return self.unknown_builtin(text, arguments, span).map(Some),
            },
        };
        Ok(Some(Operand::Value(result)))
    }

    /// A builtin that yields its first operand and tells the optimiser the others, which are evaluated all the same.
    fn first_of(&mut self, short: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<ExprId> {
        let mut value = self.value(arguments[0])?;
        if arguments[1..].iter().any(|other| self.has_effect(*other)) {
            if self.evaluate(value).is_some() {
                // gcc forgets the others then, other compilers do not.
                self.unsupported(&format!("__builtin_{short}"), span);
            }
            value = self.save(value, span);
        }
        for other in &arguments[1..] {
            self.discard(*other)?;
        }
        let to = if short == "assume_aligned" { self.basic.void_pointer } else { self.basic.long };
        Ok(self.convert(value, to))
    }

    /// Builtins that only yield a value.
    fn value_builtin(&mut self, short: &str, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<ExprId>> {
        Ok(Some(match (short, arguments) {
            ("object_size" | "dynamic_object_size", [pointer, kind]) => return self.object_size(*pointer, *kind, span),
            ("huge_val" | "inf" | "huge_valf" | "inff" | "huge_vall" | "infl", []) => self.special_float(short),
            ("nan" | "nanf" | "nanl", [payload]) if self.is_empty_text(*payload) => self.special_float(short),
            (_, [value]) if is_bit_builtin(short) => return self.bit_builtin(short, *value, span),
            _ => return self.float_builtin(short, arguments, span),
        }))
    }

    fn is_empty_text(&self, argument: ast::ExprId) -> bool {
        matches!(self.ast[argument].kind, ast::ExprKind::String(id) if self.ast[id].units.is_empty())
    }

    /// The type that `abs` and its relatives take and yield.
    pub(super) fn absolute_type(&mut self, name: &str) -> TypeId {
        match name {
            "abs" => self.basic.int,
            "labs" => self.basic.long,
            _ => self.types.intern(Type::Int { rank: IntRank::LongLong, signed: true }),
        }
    }

    /// The rank of `int64_t` and of `intmax_t`.
    fn rank_of_64(&self) -> IntRank {
        if self.machine.int_size(IntRank::Long) == 8 { IntRank::Long } else { IntRank::LongLong }
    }

    /// `va_start`, `va_copy` and `va_end`; what a list holds is nobody's business where the program reads none.
    fn list_builtin(&mut self, name: &str, list: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> Lowered<()> {
        if self.lists.read {
            return self.modelled_list(name, list, arguments, span);
        }
        // The second operand of `va_start` only names a parameter.
        let evaluated = if name.ends_with("va_start") { &arguments[..1] } else { arguments };
        for argument in evaluated {
            self.discard(*argument)?;
        }
        self.emit(Operation::Blank, span);
        Ok(())
    }

    /// `__builtin_constant_p`: what gcc folds without optimisation.
    fn constant_p(&mut self, argument: ast::ExprId, span: Span) -> Lowered<ExprId> {
        let (value, effects) = self.quietly(|this| this.value(argument))?;
        let int = self.basic.int;
        if matches!(self.ast[argument].kind, ast::ExprKind::Comma { .. }) {
            return Ok(self.int(int, 0));
        }
        // gcc knows the values of some functions of the library, and forgets the left side of a comma in some places.
        let is_library = |callee: ast::ExprId| match self.ast[callee].kind {
            ast::ExprKind::Name(name) => !self.defined.contains(&name),
            _ => false,
        };
        let is_open = |kind: &ast::ExprKind| match kind {
            ast::ExprKind::Comma { .. } => !effects,
            ast::ExprKind::Call { callee, .. } => is_library(*callee),
            _ => false,
        };
        if self.has_part(argument, is_open) {
            return Ok(self.unsupported_value("__builtin_constant_p", span, int));
        }
        if effects {
            return Ok(self.int(int, 0));
        }
        let constant = match self.evaluate(value) {
            Some(ConstantValue::Int(_) | ConstantValue::Float(_)) => true,
            // Of addresses only that of a string literal counts, as a pointer or as a number as wide as one.
            Some(ConstantValue::Address { variable, offset }) if self.is_text_literal(variable) && offset == 0 => {
                if !self.names_beginning(value) {
                    return Ok(self.unsupported_value("__builtin_constant_p", span, int));
                }
                true
            }
            Some(ConstantValue::Address { .. } | ConstantValue::Function(_)) => false,
            None if self.may_fold(value) => return Ok(self.unsupported_value("__builtin_constant_p", span, int)),
            None => false,
        };
        Ok(self.int(int, i128::from(constant)))
    }

    /// Whether a variable is a string literal, and not the name of a function.
    fn is_text_literal(&self, variable: VarId) -> bool {
        let known = &self.variables[variable.index()];
        matches!(known.kind, VarKind::StringLiteral(_)) && known.identity.is_empty()
    }

    /// Whether an address is written without arithmetic, casts aside.
    fn names_beginning(&self, mut value: ExprId) -> bool {
        while let Expr::Cast(inner) = *self.exprs.get(value) {
            value = inner;
        }
        let Expr::AddressOf(place) = *self.exprs.get(value) else { return false };
        let is_first = |array, index| matches!((self.exprs.get(array), self.exprs.get(index)), (Expr::Variable(_), Expr::Int(0)));
        match *self.exprs.get(place) {
            Expr::Index(array, index) => is_first(array, index),
            ref other => matches!(other, Expr::Variable(_)),
        }
    }

    /// Whether an expression has a part of some kind, or is not looked through.
    pub(super) fn has_part(&self, expr: ast::ExprId, is_wanted: impl Fn(&ast::ExprKind) -> bool) -> bool {
        let mut open = vec![expr];
        for _ in 0..MOST_PARTS {
            let Some(expr) = open.pop() else { return false };
            if is_wanted(&self.ast[expr].kind) {
                return true;
            }
            match self.parts(expr) {
                Some(parts) => open.extend(parts),
                None => return true,
            }
        }
        true
    }

    /// Whether gcc may find a value that is constant for reasons of arithmetic, like `x - x`.
    fn may_fold(&self, value: ExprId) -> bool {
        let mut pending = vec![value];
        while let Some(id) = pending.pop() {
            let expr = *self.exprs.get(id);
            if let Expr::Binary(_, a, b) = expr {
                let absorbing = |e: ExprId| match *self.exprs.get(e) {
                    Expr::Int(bits) => bits <= 1 || self.format(self.ty(e)).is_some_and(|f| f.wrap(bits + 1) == 0),
                    _ => false,
                };
                if a == b || absorbing(a) || absorbing(b) {
                    return true;
                }
            }
            if !expr.is_place() {
                pending.extend(expr.operands());
            }
        }
        false
    }

    /// `__builtin_memcpy` and the like are the library functions.
    fn alias_library(&mut self, name: Symbol, short: &str, span: Span) {
        let known = self.ast.symbols.get(short).map(|symbol| self.links.key(symbol));
        let alias = self.function_ids.get(&name).filter(|id| &*self.functions[id.index()].name == short);
        let function = known.and_then(|symbol| self.function_ids.get(&symbol)).or(alias).copied();
        if let Some(function) = function {
            self.scopes.declare(name, Entity::Function(function));
            return;
        }
        let ty = self.implicit_function_type(short);
        let function = self.new_function(name, ty, Linkage::External, span);
        self.linking.aliases.push(name);
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
        let ty = match name.strip_prefix("__builtin_") {
            Some(short) => self.result_type(short),
            None => self.atomic_type(arguments)?.unwrap_or(int),
        };
        Ok(Operand::Value(self.unsupported_value(name, span, ty)))
    }

    /// The type of what a builtin without a treatment yields: `int` where nothing else is known.
    fn result_type(&mut self, short: &str) -> TypeId {
        let int = |rank| Type::Int { rank, signed: true };
        let ty = match short {
            "FILE" | "FUNCTION" => {
                let qualifiers = Qualifiers { is_const: true, ..Qualifiers::default() };
                return self.pointer_to(QualType { ty: self.basic.char_, qualifiers });
            }
            "extend_pointer" => return self.size_type(),
            "imaxabs" => int(self.rank_of_64()),
            _ if is_among(short, VOID_POINTERS) => return self.basic.void_pointer,
            _ if is_among(short, FLOATS) => Type::Float(FloatKind::Double),
            _ => match short.split_at_checked(short.len().saturating_sub(1)) {
                _ if is_among(short, LONGS) => int(IntRank::Long),
                _ if is_among(short, LONG_LONGS) => int(IntRank::LongLong),
                Some((stem, "f" | "l")) if is_among(stem, LONGS) => int(IntRank::Long),
                Some((stem, "f" | "l")) if is_among(stem, LONG_LONGS) => int(IntRank::LongLong),
                Some((stem, "f")) if is_among(stem, FLOATS) => Type::Float(FloatKind::Float),
                Some((stem, "l")) if is_among(stem, FLOATS) => Type::Float(FloatKind::LongDouble),
                _ => int(IntRank::Int),
            },
        };
        self.types.intern(ty)
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
            "bswap64" => ("bswap", self.rank_of_64()),
            "bswap128" => ("bswap", IntRank::Int128),
            "clz" | "ctz" | "ffs" | "popcount" | "parity" | "clrsb" => (name, IntRank::Int),
            "clzl" | "ctzl" | "ffsl" | "popcountl" | "parityl" | "clrsbl" => (&name[..name.len() - 1], IntRank::Long),
            "clzll" | "ctzll" | "ffsll" | "popcountll" | "parityll" | "clrsbll" => (&name[..name.len() - 2], IntRank::LongLong),
            _ => return Ok(None),
        };
        let ty = self.types.intern(Type::Int { rank, signed: false });
        let value = self.scalar(argument)?;
        let value = self.convert(value, ty);
        // The bits are read many times.
        let value = self.save(value, span);
        let bits = i128::from(8 * self.machine.int_size(rank));
        if matches!(stem, "clz" | "ctz") {
            self.guard_scan(value, span);
        }
        Ok(Some(match stem {
            "bswap" => self.byte_swap(value, bits),
            "popcount" => self.bit_sum(value, bits),
            "parity" => {
                let sum = self.bit_sum(value, bits);
                let one = self.int(self.basic.int, 1);
                self.binary(BinaryOp::BitAnd, sum, one)
            }
            "clrsb" => {
                // As many bits as follow the first one and are equal to it: those that differ from their left neighbour.
                let sign = self.bit(value, bits - 1);
                let one = self.int(self.basic.int, 1);
                let inverted = self.unary(UnaryOp::Complement, value);
                let negative = self.truth(sign);
                let differing = self.select(negative, inverted, value);
                let differing = self.save(differing, span);
                let leading = self.bit_scan("clz", differing, bits);
                self.binary(BinaryOp::Subtract, leading, one)
            }
            _ => self.bit_scan(stem, value, bits),
        }))
    }

    pub(super) fn byte_swap(&mut self, value: ExprId, bits: i128) -> ExprId {
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
}

/// Builtins that yield a `void *`.
const VOID_POINTERS: &str = "frame_address return_address extract_return_addr frob_return_addr dwarf_cfa thread_pointer \
    alloca_with_align alloca_with_align_and_max";

/// Those that round to a `long`, of a `double`.
const LONGS: &str = "lround lrint lceil lfloor";

/// Those that round to a `long long`.
const LONG_LONGS: &str = "llround llrint llceil llfloor";

/// Those that yield a `double`, and with another last letter a `float` or a `long double`.
const FLOATS: &str = "fabs floor ceil round roundeven rint trunc nearbyint sqrt cbrt exp exp2 expm1 exp10 pow10 log log2 log10 \
    log1p logb sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma lgamma tgamma j0 j1 jn y0 y1 yn \
    significand fmod remainder drem hypot pow powi fdim fmin fmax atan2 copysign nextafter nexttoward scalb ldexp scalbn scalbln \
    fma nan nans frexp modf remquo creal cimag cabs carg inf huge_val";

fn is_among(name: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

/// Whether a builtin swaps bytes or counts bits.
fn is_bit_builtin(name: &str) -> bool {
    let stem = name.trim_end_matches('l');
    ["bswap16", "bswap32", "bswap64", "bswap128", "clz", "ctz", "ffs", "popcount", "parity", "clrsb"].contains(&stem)
}
