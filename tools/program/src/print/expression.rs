//! Expressions, with no more parentheses than precedence asks for.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use super::Printer;
use super::constant::{Level, string_literal};
use crate::cfa::VarKind;
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::types::{Type, TypeId};

/// Stack to keep free below each level of an expression, and how much more to take at once.
const RED_ZONE: usize = 64 << 10;
const MORE_STACK: usize = 1 << 20;

/// What a dereference stands for.
#[derive(Clone, Copy)]
struct Accessed {
    ty: TypeId,
    volatile: bool,
}

impl Printer<'_> {
    /// An expression that can stand anywhere.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> String {
        let mut text = String::new();
        self.write(&mut text, id, Level::Conditional);
        text
    }

    /// An expression that can stand as an argument or an operand of an assignment.
    pub(super) fn write(&self, out: &mut String, id: ExprId, least: Level) {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || {
            let parenthesise = self.level(id) < least;
            if parenthesise {
                out.push('(');
            }
            self.write_bare(out, id);
            if parenthesise {
                out.push(')');
            }
        });
    }

    /// How tightly the text of an expression binds.
    fn level(&self, id: ExprId) -> Level {
        let arena = &self.cfa.exprs;
        match *arena.get(id) {
            Expr::Int(bits) => self.int_constant(bits, arena.ty(id)).1,
            Expr::Float(bits) => self.float_constant(bits, arena.ty(id)).1,
            Expr::Load(place) => self.level(place),
            Expr::Zero | Expr::FunctionAddress(_) | Expr::Variable(_) | Expr::Field(..) | Expr::Index(..) => Level::Primary,
            Expr::AddressOf(place) if self.inline_literal(place).is_some() => Level::Primary,
            Expr::AddressOf(_) | Expr::Unary(..) | Expr::Cast(_) | Expr::Dereference { .. } => Level::Prefix,
            Expr::Binary(op, ..) => Level::Binary(precedence(op)),
            Expr::PointerOffset { pointer, scale, .. } => {
                if self.scales(pointer, scale) {
                    Level::Binary(ADDITIVE)
                } else {
                    Level::Prefix
                }
            }
            Expr::PointerDifference { left, scale, .. } => {
                if self.scales(left, scale) {
                    Level::Binary(ADDITIVE)
                } else {
                    Level::Binary(MULTIPLICATIVE)
                }
            }
            Expr::Conditional(..) => Level::Conditional,
        }
    }

    fn write_bare(&self, out: &mut String, id: ExprId) {
        let arena = &self.cfa.exprs;
        let ty = arena.ty(id);
        match *arena.get(id) {
            Expr::Int(bits) => out.push_str(&self.int_constant(bits, ty).0),
            Expr::Float(bits) => out.push_str(&self.float_constant(bits, ty).0),
            Expr::Zero => self.write_zero(out, ty),
            Expr::Load(place) => self.write_bare(out, place),
            Expr::AddressOf(place) => match self.inline_literal(place) {
                Some(text) => out.push_str(&text),
                None => {
                    out.push('&');
                    self.write(out, place, Level::Primary);
                }
            },
            Expr::FunctionAddress(function) => out.push_str(super::names::function_name(self.cfa, function)),
            Expr::Unary(op, operand) => {
                out.push(match op {
                    UnaryOp::Negate => '-',
                    UnaryOp::Complement => '~',
                    UnaryOp::Not => '!',
                });
                self.write(out, operand, Level::Primary);
            }
            Expr::Binary(op, left, right) => self.write_binary(out, op, left, right),
            Expr::PointerOffset { pointer, index, scale } => self.write_offset(out, ty, pointer, index, scale),
            Expr::PointerDifference { left, right, scale } => self.write_difference(out, left, right, scale),
            Expr::Cast(operand) => self.write_cast(out, ty, operand),
            Expr::Conditional(condition, then, otherwise) => {
                self.write(out, condition, Level::Binary(0));
                out.push_str(" ? ");
                self.write(out, then, Level::Binary(0));
                out.push_str(" : ");
                self.write(out, otherwise, Level::Conditional);
            }
            Expr::Variable(variable) => out.push_str(self.names.variable(variable)),
            Expr::Dereference { pointer, volatile } => self.write_dereference(out, Accessed { ty, volatile }, pointer),
            Expr::Field(record, number) => self.write_field(out, record, number),
            Expr::Index(array, index) => {
                self.write(out, array, Level::Primary);
                out.push('[');
                self.write(out, index, Level::Conditional);
                out.push(']');
            }
        }
    }

    fn write_zero(&self, out: &mut String, ty: TypeId) {
        match self.cfa.types.get(ty) {
            Type::Record(_) | Type::Array { .. } => {
                out.push_str(&format!("({}){{}}", self.type_name(ty)));
            }
            Type::Float(_) => out.push_str(&self.float_constant(0, ty).0),
            _ => {
                out.push('(');
                out.push_str(&self.int_constant(0, ty).0);
                out.push(')');
            }
        }
    }

    fn write_binary(&self, out: &mut String, op: BinaryOp, left: ExprId, right: ExprId) {
        let level = precedence(op);
        // Chains of one associative-to-the-left operator class need no parentheses on the left, whatever their length.
        let chains = !op.is_predicate() || matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr);
        let same = matches!(*self.cfa.exprs.get(left), Expr::Binary(other, ..) if precedence(other) == level);
        self.write(out, left, if chains && same { Level::Binary(level) } else { Level::Prefix });
        out.push(' ');
        out.push_str(op.symbol());
        out.push(' ');
        self.write(out, right, Level::Prefix);
    }

    /// Whether C's own pointer arithmetic on `pointer` counts in units of `scale` bytes.
    fn scales(&self, pointer: ExprId, scale: u64) -> bool {
        let Type::Pointer(target) = self.cfa.types.get(self.cfa.exprs.ty(pointer)) else { return false };
        crate::layout::size_of(&self.cfa.types, self.cfa.machine, target.ty) == Ok(scale)
    }

    fn write_offset(&self, out: &mut String, ty: TypeId, pointer: ExprId, index: ExprId, scale: u64) {
        if self.scales(pointer, scale) {
            self.write(out, pointer, Level::Prefix);
            out.push_str(" + ");
            self.write(out, index, Level::Prefix);
            return;
        }
        out.push_str(&format!("({})((char *)", self.type_name(ty)));
        self.write(out, pointer, Level::Prefix);
        out.push_str(&format!(" + ({})", self.signed_word()));
        self.write(out, index, Level::Prefix);
        out.push_str(&format!(" * {scale})"));
    }

    fn write_difference(&self, out: &mut String, left: ExprId, right: ExprId, scale: u64) {
        if self.scales(left, scale) {
            self.write(out, left, Level::Prefix);
            out.push_str(" - ");
            self.write(out, right, Level::Prefix);
            return;
        }
        out.push_str("((char *)");
        self.write(out, left, Level::Prefix);
        out.push_str(" - (char *)");
        self.write(out, right, Level::Prefix);
        out.push_str(&format!(") / {scale}"));
    }

    /// A cast; between a pointer and an integer of another size it goes by way of an integer as wide as a pointer, as
    /// gcc would warn otherwise.
    fn write_cast(&self, out: &mut String, ty: TypeId, operand: ExprId) {
        let from = self.cfa.exprs.ty(operand);
        out.push_str(&format!("({})", self.type_name(ty)));
        let pointers = (self.is_pointer(from), self.is_pointer(ty));
        let other = match pointers {
            (true, false) => Some(ty),
            (false, true) => Some(from),
            _ => None,
        };
        let size = other.map(|ty| crate::layout::size_of(&self.cfa.types, self.cfa.machine, ty));
        let boolean = matches!(self.cfa.types.get(ty), Type::Bool | Type::Void);
        if !boolean && size.is_some_and(|size| size != Ok(self.cfa.machine.word())) {
            out.push_str(&format!("({})", self.way_word(from)));
        }
        self.write(out, operand, Level::Prefix);
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.cfa.types.get(ty), Type::Pointer(_))
    }

    /// The integer type as wide as a pointer that extends like `from`.
    fn way_word(&self, from: TypeId) -> &'static str {
        match self.cfa.types.get(from) {
            Type::Int { signed: false, .. } | Type::Bool => "unsigned long",
            _ => self.signed_word(),
        }
    }

    fn signed_word(&self) -> &'static str {
        "long"
    }

    fn write_dereference(&self, out: &mut String, accessed: Accessed, pointer: ExprId) {
        out.push('*');
        if !self.points_to(pointer, accessed) {
            let words = if accessed.volatile { "volatile " } else { "" };
            out.push_str(&format!("({words}{} *)", self.type_name(accessed.ty)));
        }
        self.write(out, pointer, Level::Prefix);
    }

    /// A member; unnamed records on the way are not written.
    fn write_field(&self, out: &mut String, record: ExprId, number: u32) {
        let arena = &self.cfa.exprs;
        let name = self.field_name(record, number);
        let Some(name) = name else { return self.write(out, record, Level::Primary) };
        let mut base = record;
        while let Expr::Field(outer, inner) = *arena.get(base)
            && self.field_name(outer, inner).is_none()
        {
            base = outer;
        }
        match *arena.get(base) {
            Expr::Dereference { pointer, volatile } if self.points_to(pointer, Accessed { ty: arena.ty(base), volatile }) => {
                self.write(out, pointer, Level::Primary);
                out.push_str("->");
            }
            _ => {
                self.write(out, base, Level::Primary);
                out.push('.');
            }
        }
        out.push_str(name);
    }

    fn points_to(&self, pointer: ExprId, accessed: Accessed) -> bool {
        match self.cfa.types.get(self.cfa.exprs.ty(pointer)) {
            Type::Pointer(target) => target.ty == accessed.ty && target.qualifiers.is_volatile == accessed.volatile,
            _ => false,
        }
    }

    fn field_name(&self, record: ExprId, number: u32) -> Option<&str> {
        match self.cfa.types.get(self.cfa.exprs.ty(record)) {
            Type::Record(id) => self.cfa.types.record(*id).fields.get(number as usize)?.name.as_deref(),
            _ => None,
        }
    }

    /// The text of a string literal if `place` is the first element of one that is printed in place.
    fn inline_literal(&self, place: ExprId) -> Option<String> {
        let arena = &self.cfa.exprs;
        let Expr::Index(array, _) = *arena.get(place) else { return None };
        let Expr::Variable(variable) = *arena.get(array) else { return None };
        match &self.cfa.variable(variable).kind {
            VarKind::StringLiteral(bytes) if self.names.is_inline(variable) => Some(string_literal(bytes)),
            _ => None,
        }
    }
}

const MULTIPLICATIVE: u8 = 10;
const ADDITIVE: u8 = 9;

const fn precedence(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => MULTIPLICATIVE,
        BinaryOp::Add | BinaryOp::Subtract => ADDITIVE,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 8,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 7,
        BinaryOp::Equal | BinaryOp::NotEqual => 6,
        BinaryOp::BitAnd => 5,
        BinaryOp::BitXor => 4,
        BinaryOp::BitOr => 3,
        BinaryOp::LogicalAnd => 2,
        BinaryOp::LogicalOr => 1,
    }
}
