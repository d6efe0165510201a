//! Functions of the C library that gcc expands where they are called by name: their value is an expression of the argument.
//!
//! What gcc says of some of them is not what the function of glibc says (`isdigit` is 1, not a bit of a table; `isinf` has no
//! sign), so that a body would be wrong. Numbers are rounded by arithmetic whose every step is exact.
//! Does not know of calls through pointers: they reach the function.

use super::scope::Entity;
use super::{Lowered, Lowerer};
use crate::ast::{self, ExprKind, Symbol};
use crate::cfa::{ConstantValue, Linkage, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::fold;
use crate::source::Span;
use crate::types::{FloatKind, IntRank, Type, TypeId};

/// Beyond this a number has no fraction.
const WHOLE: &str = "4503599627370496";

/// What a function takes and yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signature {
    Character,
    Class(FloatKind),
    Number(FloatKind),
}

fn signature(name: &str) -> Option<Signature> {
    Some(match name {
        "isdigit" => Signature::Character,
        "isnan" | "isinf" | "finite" => Signature::Class(FloatKind::Double),
        "isnanf" | "isinff" | "finitef" => Signature::Class(FloatKind::Float),
        "fabs" | "floor" | "ceil" | "trunc" | "round" => Signature::Number(FloatKind::Double),
        "fabsf" | "floorf" | "ceilf" | "truncf" | "roundf" => Signature::Number(FloatKind::Float),
        _ => return None,
    })
}

/// The name of the function that a builtin stands for.
fn plain(name: &str) -> &str {
    name.strip_prefix("__builtin_").unwrap_or(name)
}

/// Whether calls of a function of the library by this name may be expanded.
pub(super) fn is_expanded(name: &str) -> bool {
    signature(plain(name)).is_some() || is_comparison(plain(name))
}

fn is_comparison(name: &str) -> bool {
    matches!(name, "strcmp" | "memcmp")
}

impl Lowerer<'_> {
    /// The value of a call that is expanded, if it is one.
    pub(super) fn expanded(&mut self, name: Symbol, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<ExprId>> {
        let text = plain(self.ast.name(name));
        if is_comparison(text) {
            return self.compared(name, arguments, span);
        }
        let (Some(signature), &[argument]) = (signature(text), arguments) else { return Ok(None) };
        let Some(ty) = self.expanded_type(name, signature) else { return Ok(None) };
        let value = self.value(argument)?;
        let value = self.assign_convert(value, ty, self.ast[argument].span)?;
        let value = self.save(value, span);
        Ok(Some(match signature {
            Signature::Number(kind) => self.rounded(text.trim_end_matches('f'), value, kind),
            Signature::Class(kind) => self.classify_written((text, argument), value, kind, span),
            Signature::Character => {
                let [first, last] = [b'0', b'9'].map(|digit| self.int(ty, i128::from(digit)));
                let (above, below) =
                    (self.binary(BinaryOp::GreaterEqual, value, first), self.binary(BinaryOp::LessEqual, value, last));
                self.binary(BinaryOp::BitAnd, above, below)
            }
        }))
    }

    /// The type of the argument, if the name stands for the function of the library.
    fn expanded_type(&mut self, name: Symbol, signature: Signature) -> Option<TypeId> {
        let (int, mut float) = (self.basic.int, |kind| self.types.intern(Type::Float(kind)));
        let (parameter, result) = match signature {
            Signature::Character => (int, int),
            Signature::Class(kind) => (float(kind), int),
            Signature::Number(kind) => (float(kind), float(kind)),
        };
        let Type::Function(declared) = self.types.get(self.library_function(name)?) else { return None };
        let fits = declared.result.ty == result && matches!(declared.parameters[..], [of] if of.ty == parameter);
        (fits && !declared.unprototyped).then_some(parameter)
    }

    /// The type of a function that the program calls and does not define.
    fn library_function(&self, name: Symbol) -> Option<TypeId> {
        let Some(Entity::Function(function)) = self.scopes.lookup(name) else { return None };
        let function = &self.functions[function.index()];
        (!self.own.contains(&name) && function.linkage == Linkage::External).then_some(function.ty)
    }

    /// What `strcmp` or `memcmp` says of constants: gcc says -1, 0 or 1, the function the difference of two characters.
    fn compared(&mut self, name: Symbol, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<ExprId>> {
        if self.library_function(name).is_none() {
            return Ok(None);
        }
        let (is_text, int) = (plain(self.ast.name(name)) == "strcmp", self.basic.int);
        let (left, right, length) = match *arguments {
            [left, right] if is_text => (left, right, None),
            [left, right, length] if !is_text => (left, right, Some(length)),
            _ => return Ok(None),
        };
        if !(self.names_constant(left) && self.names_constant(right)) {
            return Ok(None);
        }
        let (Some(left), Some(right)) = (self.constant_object(left)?, self.constant_object(right)?) else { return Ok(None) };
        let length = match length {
            None => None,
            Some(length) => match self.evaluated_quietly(length)? {
                Some(ConstantValue::Int(length)) => Some(usize::try_from(length).unwrap_or(usize::MAX)),
                _ => return Ok(None),
            },
        };
        let (Some(left), Some(right)) = (left, right) else {
            return Ok(Some(self.unsupported_value("comparison of constants", span, int)));
        };
        let cut = |text: Vec<u8>| match length {
            None => text.iter().position(|byte| *byte == 0).map(|end| text[..=end].to_vec()),
            Some(length) => text.get(..length).map(<[u8]>::to_vec),
        };
        let (Some(left), Some(right)) = (cut(left), cut(right)) else { return Ok(None) };
        Ok(Some(self.int(int, left.cmp(&right) as i128)))
    }

    /// What an address leads to, if that is an object whose content never changes: its bytes, as far as they are known here.
    fn constant_object(&mut self, pointer: ast::ExprId) -> Lowered<Option<Option<Vec<u8>>>> {
        let Some(ConstantValue::Address { variable, offset }) = self.evaluated_quietly(pointer)? else { return Ok(None) };
        let object = &self.variables[variable.index()];
        if !matches!(object.kind, VarKind::StringLiteral(_)) && !self.is_constant(object.ty) {
            return Ok(None);
        }
        let bytes = object.initializer.as_ref().and_then(|initializer| {
            let mut bytes = vec![0; usize::try_from(self.size_of(object.ty.ty).ok()?).ok()?];
            for scalar in &initializer.scalars {
                let (ConstantValue::Int(value), 8) = (&scalar.value, scalar.width) else { return None };
                *bytes.get_mut(usize::try_from(scalar.first_bit / 8).ok()?)? = value.to_le_bytes()[0];
            }
            Some(bytes.get(usize::try_from(offset).ok()?..)?.to_vec())
        });
        Ok(Some(bytes))
    }

    /// Whether an address may be that of a constant, by how it is written.
    fn names_constant(&self, mut pointer: ast::ExprId) -> bool {
        loop {
            pointer = match &self.ast[pointer].kind {
                ExprKind::String(_) => return true,
                ExprKind::Name(name) => {
                    let Some(Entity::Variable(variable, ..)) = self.scopes.lookup(*name) else { return false };
                    return self.is_constant(self.variables[variable.index()].ty);
                }
                ExprKind::Cast { operand: inner, .. }
                | ExprKind::Unary { operand: inner, .. }
                | ExprKind::Index { base: inner, .. }
                | ExprKind::Member { base: inner, arrow: false, .. }
                | ExprKind::Binary { left: inner, .. } => *inner,
                _ => return false,
            }
        }
    }

    fn evaluated_quietly(&mut self, expr: ast::ExprId) -> Lowered<Option<ConstantValue>> {
        let (value, effects) = self.quietly(|this| this.value(expr))?;
        Ok(if effects { None } else { self.evaluate(value) })
    }

    /// A saved number without its sign, or as a whole number.
    fn rounded(&mut self, name: &str, value: ExprId, kind: FloatKind) -> ExprId {
        if name == "fabs" {
            return self.magnitude(value);
        }
        // What the type with fewer bits holds the other one holds, and so do whole numbers near it.
        let double = self.basic.double;
        let wide = self.recast(value, double);
        let cut = self.truncated(wide);
        let one = self.number("1");
        let (above, below) = (self.binary(BinaryOp::Add, cut, one), self.binary(BinaryOp::Subtract, cut, one));
        let whole = match name {
            "floor" => {
                let is_less = self.binary(BinaryOp::Greater, cut, wide);
                self.select(is_less, below, cut)
            }
            "ceil" => {
                let is_more = self.binary(BinaryOp::Less, cut, wide);
                self.select(is_more, above, cut)
            }
            "round" => {
                let (rest, half) = (self.binary(BinaryOp::Subtract, wide, cut), self.number("0.5"));
                let minus = self.unary(UnaryOp::Negate, half);
                let (up, down) = (self.binary(BinaryOp::GreaterEqual, rest, half), self.binary(BinaryOp::LessEqual, rest, minus));
                let other = self.select(down, below, cut);
                self.select(up, above, other)
            }
            _ => cut,
        };
        let ty = self.types.intern(Type::Float(kind));
        self.recast(whole, ty)
    }

    fn magnitude(&mut self, value: ExprId) -> ExprId {
        let (zero, minus) = (self.zero(self.ty(value)), self.unary(UnaryOp::Negate, value));
        let (is_negative, is_zero) = (self.binary(BinaryOp::Less, value, zero), self.binary(BinaryOp::Equal, value, zero));
        let other = self.select(is_zero, zero, value);
        self.select(is_negative, minus, other)
    }

    /// A `double` without its fraction, with its sign.
    fn truncated(&mut self, value: ExprId) -> ExprId {
        let (double, whole) = (self.basic.double, self.types.intern(Type::Int { rank: IntRank::LongLong, signed: true }));
        let (zero, limit) = (self.zero(double), self.number(WHOLE));
        let (minus_limit, minus_zero) = (self.unary(UnaryOp::Negate, limit), self.unary(UnaryOp::Negate, zero));
        let inside = self.inside(minus_limit, value, limit);
        let number = self.recast(value, whole);
        let number = self.recast(number, double);
        let (is_negative, is_zero) = (self.binary(BinaryOp::Less, value, zero), self.binary(BinaryOp::Equal, value, zero));
        let positive = self.select(is_zero, value, zero);
        let nothing = self.select(is_negative, minus_zero, positive);
        let vanishes = self.binary(BinaryOp::Equal, number, zero);
        let cut = self.select(vanishes, nothing, number);
        self.select(inside, cut, value)
    }

    /// A conversion that nobody wrote: of values that do not fit nothing is asked.
    fn recast(&mut self, value: ExprId, to: TypeId) -> ExprId {
        if self.ty(value) == to {
            return value;
        }
        let plain = self.exprs.intern(Expr::Cast(value), to);
        if matches!(self.exprs.get(value), Expr::Int(_) | Expr::Float(_)) { self.folded(plain) } else { plain }
    }

    fn number(&mut self, text: &str) -> ExprId {
        let bits = fold::parse(FloatKind::Double, text).unwrap_or(0);
        self.exprs.intern(Expr::Float(bits), self.basic.double)
    }
}
