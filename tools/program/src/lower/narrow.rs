//! What type gcc gives a bit-field where nothing promotes it: what is assigned to one, counted up in one, or named last.
//!
//! Such a value has as many bits as the field. Its type is the one the field is declared with if that has no more, else the
//! standard type of so many bits, else one that no name in C means. What is wider than `int` keeps its type in arithmetic.
//! It shows where types are asked for: `_Generic`, `typeof`, `sizeof` and the last operand of `__builtin_add_overflow_p`.

use super::place::{Operand, Place};
use super::{Lowered, Lowerer, RED_ZONE, STACK_STEP};
use crate::ast::{self, BinaryOp, ExprKind, StmtKind, UnaryOp};
use crate::types::{IntRank, QualType, Qualifiers, Type, TypeId};

/// The type of an expression that is a bit-field.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldType {
    /// One with a name.
    Named(TypeId),
    /// One without a name.
    Nameless {
        /// How many bits its values have.
        width: u32,
        /// Whether they are signed.
        signed: bool,
    },
}

impl FieldType {
    /// Whether promotion leaves it as it is and no name means it.
    const fn is_wide(&self) -> bool {
        matches!(self, Self::Nameless { width, .. } if *width > 32)
    }
}

/// A statement expression of which is asked what bit-field it names last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Its block.
    pub(super) block: ast::StmtId,
    found: Option<FieldType>,
}

impl Lowerer<'_> {
    /// The type of an expression that has the type of a bit-field.
    pub(super) fn field_type(&mut self, expr: ast::ExprId) -> Lowered<Option<FieldType>> {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.field_type_here(expr))
    }

    fn field_type_here(&mut self, expr: ast::ExprId) -> Lowered<Option<FieldType>> {
        let ast = self.ast;
        match &ast[expr].kind {
            ExprKind::Member { .. } => self.field_named(expr),
            ExprKind::Comma { right: last, .. } | ExprKind::Assign { target: last, .. } => self.field_type(*last),
            ExprKind::Unary { op, operand } => match op {
                UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement => {
                    self.field_type(*operand)
                }
                UnaryOp::Extension => self.field_type(*operand),
                UnaryOp::Minus | UnaryOp::Plus | UnaryOp::BitNot => Ok(self.field_type(*operand)?.filter(FieldType::is_wide)),
                UnaryOp::Not | UnaryOp::Deref | UnaryOp::AddressOf | UnaryOp::Real | UnaryOp::Imag => Ok(None),
            },
            ExprKind::Binary { op: BinaryOp::ShiftLeft | BinaryOp::ShiftRight, left, .. } => {
                Ok(self.field_type(*left)?.filter(FieldType::is_wide))
            }
            ExprKind::Binary { op, left, right } if is_arithmetic(*op) => self.common_field_type(*left, *right),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.common_field_type(then.unwrap_or(*condition), *otherwise)
            }
            ExprKind::Choose { condition, then, otherwise } => {
                let chosen = self.integer_constant(*condition)?;
                self.field_type(if chosen.0 != 0 { *then } else { *otherwise })
            }
            ExprKind::Generic { control, associations } => {
                let chosen = self.association(*control, associations, ast[expr].span)?;
                self.field_type(chosen)
            }
            ExprKind::Statement(block) => self.last_field_type(*block),
            _ => Ok(None),
        }
    }

    /// The type of a member that is a bit-field.
    fn field_named(&mut self, member: ast::ExprId) -> Lowered<Option<FieldType>> {
        let Operand::Place(Place { expr, bits: Some(width), .. }) = self.quietly(|this| this.operand(member))?.0 else {
            return Ok(None);
        };
        let ty = self.ty(expr);
        let Some(format) = self.format(ty) else { return Ok(None) };
        if matches!(self.types.get(ty), Type::Bool) || width >= format.bits {
            return Ok(Some(FieldType::Named(ty)));
        }
        let ranks = [IntRank::Char, IntRank::Short, IntRank::Int, IntRank::Long, IntRank::LongLong];
        let standard = ranks.into_iter().find(|rank| 8 * self.machine.int_size(*rank) == u64::from(width));
        let signed = format.signed;
        Ok(Some(match standard {
            Some(rank) => FieldType::Named(self.types.intern(Type::Int { rank, signed })),
            None => FieldType::Nameless { width, signed },
        }))
    }

    /// The type of two operands together, one of which is a bit-field wider than `int`.
    fn common_field_type(&mut self, left: ast::ExprId, right: ast::ExprId) -> Lowered<Option<FieldType>> {
        let a = self.field_type(left)?.filter(FieldType::is_wide);
        let b = self.field_type(right)?.filter(FieldType::is_wide);
        let (field, other) = match (a, b) {
            (None, None) => return Ok(None),
            (Some(FieldType::Nameless { width, signed }), Some(FieldType::Nameless { width: wide, signed: sign })) => {
                let signed = if width == wide {
                    signed && sign
                } else if width > wide {
                    signed
                } else {
                    sign
                };
                return Ok(Some(FieldType::Nameless { width: width.max(wide), signed }));
            }
            (Some(field), _) => (field, right),
            (None, Some(field)) => (field, left),
        };
        let ty = self.quietly(|this| {
            let value = this.value(other)?;
            let value = if this.format(this.ty(value)).is_some() { this.promote(value) } else { value };
            Ok(this.ty(value))
        })?;
        Ok(match (self.format(ty.0), field) {
            (Some(format), FieldType::Nameless { width, .. }) if format.bits > width => Some(FieldType::Named(ty.0)),
            (Some(_), field) => Some(field),
            (None, _) => None,
        })
    }

    /// The type of the bit-field that a statement expression names last, where its names are in scope.
    fn last_field_type(&mut self, block: ast::StmtId) -> Lowered<Option<FieldType>> {
        if !self.last_of(block).is_some_and(|last| self.may_be_field(last)) {
            return Ok(None);
        }
        let outer = self.reading.asked.replace(Asked { block, found: None });
        let read = self.quietly(|this| this.statement_expression(block, true));
        let asked = std::mem::replace(&mut self.reading.asked, outer);
        read?;
        Ok(asked.and_then(|asked| asked.found))
    }

    /// The expression that a statement expression ends with.
    fn last_of(&self, block: ast::StmtId) -> Option<ast::ExprId> {
        let StmtKind::Compound { items, .. } = &self.ast[block].kind else { return None };
        let mut last = *items.last()?;
        while let StmtKind::Labeled { body, .. } = &self.ast[last].kind {
            last = *body;
        }
        match self.ast[last].kind {
            StmtKind::Expr(expr) => Some(expr),
            _ => None,
        }
    }

    /// Whether an expression may have the type of a bit-field, as far as its form says: what has not is not read once more.
    fn may_be_field(&self, expr: ast::ExprId) -> bool {
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            match &self.ast[expr].kind {
                ExprKind::Member { .. } => return true,
                ExprKind::Comma { right: last, .. } | ExprKind::Assign { target: last, .. } => pending.push(*last),
                ExprKind::Unary { operand, .. } => pending.push(*operand),
                ExprKind::Binary { left, right, .. } => pending.extend([*left, *right]),
                ExprKind::Conditional { condition, then, otherwise } => {
                    pending.extend([then.unwrap_or(*condition), *otherwise]);
                }
                ExprKind::Choose { then, otherwise, .. } => pending.extend([*then, *otherwise]),
                ExprKind::Generic { associations, .. } => pending.extend(associations.iter().map(|one| one.value)),
                ExprKind::Statement(block) => pending.extend(self.last_of(*block)),
                _ => {}
            }
        }
        false
    }

    /// Answers what is asked of a statement expression by what it ends with.
    pub(super) fn answer_at_end(&mut self, block: ast::StmtId) -> Lowered<()> {
        if let Some(expr) = self.last_of(block) {
            let found = self.field_type(expr)?;
            if let Some(asked) = &mut self.reading.asked {
                asked.found = found;
            }
        }
        Ok(())
    }

    /// A type with the size of what holds the values of a bit-field.
    pub(super) fn holder(&mut self, field: FieldType) -> TypeId {
        match field {
            FieldType::Named(ty) => ty,
            FieldType::Nameless { width, signed } => {
                let ranks = [IntRank::Char, IntRank::Short, IntRank::Int, IntRank::LongLong];
                let fits = |rank: &IntRank| 8 * self.machine.int_size(*rank) >= u64::from(width);
                let rank = ranks.into_iter().find(fits).unwrap_or(IntRank::Int128);
                self.types.intern(Type::Int { rank, signed })
            }
        }
    }

    /// The type that `typeof` names.
    ///
    /// # Errors
    /// If that is one that has no other name.
    pub(super) fn named_type_of(&mut self, expr: ast::ExprId) -> Lowered<QualType> {
        let ty = match self.field_type(expr)? {
            Some(FieldType::Named(ty)) => QualType::plain(ty),
            Some(FieldType::Nameless { .. }) => {
                let span = self.ast[expr].span;
                return Err(self.error(span, "`typeof` of a bit-field", "has a type of its own, with as many bits"));
            }
            None => self.type_of(expr)?,
        };
        let qualifiers = ty.qualifiers.and(self.qualifiers_of_step(expr)?);
        Ok(self.qualified(QualType { ty: ty.ty, qualifiers }))
    }

    /// The qualifiers of what `++` and `--` count, which their value keeps in gcc.
    fn qualifiers_of_step(&mut self, mut expr: ast::ExprId) -> Lowered<Qualifiers> {
        let ast = self.ast;
        loop {
            expr = match &ast[expr].kind {
                ExprKind::Unary { op: UnaryOp::Extension, operand } => *operand,
                ExprKind::Unary {
                    op: UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement,
                    operand,
                } => {
                    let kept = self.type_of(*operand)?.qualifiers;
                    return Ok(if kept.is_atomic { Qualifiers::default() } else { kept });
                }
                ExprKind::Choose { condition, then, otherwise } => {
                    if self.integer_constant(*condition)?.0 != 0 {
                        *then
                    } else {
                        *otherwise
                    }
                }
                ExprKind::Generic { control, associations } => self.association(*control, associations, ast[expr].span)?,
                _ => return Ok(Qualifiers::default()),
            };
        }
    }
}

/// Whether an operator brings both operands to one type, which is that of its value.
const fn is_arithmetic(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::Add | BinaryOp::Subtract => true,
        BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr => true,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::LogicalAnd | BinaryOp::LogicalOr => false,
        BinaryOp::Less | BinaryOp::Greater | BinaryOp::LessEqual | BinaryOp::GreaterEqual => false,
        BinaryOp::Equal | BinaryOp::NotEqual => false,
    }
}
