//! Evaluation of constant expressions, address constants included.

use crate::cfa::{ConstantValue, VarId, VarKind, Variable};
use crate::expr::{BinaryOp, Expr, ExprArena, ExprId, UnaryOp};
use crate::fold::{self, IntFormat, int_format};
use crate::layout::size_of;
use crate::machine::MachineModel;
use crate::types::{Type, TypeId, TypeTable};

/// What evaluation looks things up in.
#[derive(Clone, Copy, Debug)]
pub struct ConstantContext<'a> {
    /// Types.
    pub types: &'a TypeTable,
    /// Expressions.
    pub exprs: &'a ExprArena,
    /// Variables.
    pub variables: &'a [Variable],
    /// Sizes.
    pub machine: MachineModel,
    /// Whether constants that live as long as the program count by their values: gcc lets static objects begin with them.
    pub reads_constants: bool,
}

/// The value of a constant expression: an arithmetic constant or an address constant (C11 6.6); `None` if it is none.
///
/// Operands that are not evaluated (`0 && x`) need not be constant.
#[must_use]
pub fn evaluate(context: ConstantContext<'_>, expr: ExprId) -> Option<ConstantValue> {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || context.value(expr))
}

impl ConstantContext<'_> {
    fn format(self, ty: TypeId) -> Option<IntFormat> {
        int_format(self.types, self.machine, ty)
    }

    fn value(self, id: ExprId) -> Option<ConstantValue> {
        let ty = self.exprs.ty(id);
        match *self.exprs.get(id) {
            Expr::Int(bits) => Some(ConstantValue::Int(bits)),
            Expr::Float(bits) => Some(ConstantValue::Float(bits)),
            Expr::FunctionAddress(function) => Some(ConstantValue::Function(function)),
            Expr::AddressOf(place) => self.place(place),
            Expr::PointerOffset { pointer, index, scale } => {
                let pointer = evaluate(self, pointer)?;
                let format = self.format(self.exprs.ty(index))?;
                let ConstantValue::Int(index) = evaluate(self, index)? else { return None };
                self.offset(pointer, i64::try_from(format.value(index)).ok()?, scale)
            }
            Expr::PointerDifference { left, right, scale } => {
                let difference = self.difference(evaluate(self, left)?, evaluate(self, right)?)?;
                let elements = difference.checked_div(i64::try_from(scale).ok()?)?;
                Some(ConstantValue::Int(self.format(ty)?.wrap(elements as u128)))
            }
            Expr::Unary(op, operand) => self.unary(op, ty, operand),
            Expr::Binary(op, left, right) => self.binary(op, left, right),
            Expr::Cast(operand) => self.cast(ty, operand),
            Expr::Conditional(condition, then, otherwise) => {
                evaluate(self, if self.truth(condition)? { then } else { otherwise })
            }
            Expr::Load(place) => self.constant(place),
            Expr::Zero | Expr::Variable(_) | Expr::Dereference { .. } | Expr::Field(..) | Expr::Index(..) => None,
        }
    }

    /// What an object holds that nothing can change.
    fn constant(self, place: ExprId) -> Option<ConstantValue> {
        let Expr::Variable(variable) = *self.exprs.get(place) else { return None };
        let known = &self.variables[variable.index()];
        let is_defined = matches!(known.kind, VarKind::Global { defined: true, .. } | VarKind::StaticLocal);
        let is_constant = known.ty.qualifiers.is_const && !known.ty.qualifiers.is_volatile;
        let initializer = known.initializer.as_ref().filter(|initializer| initializer.unsupported.is_none())?;
        if !self.reads_constants || !is_defined || !is_constant {
            return None;
        }
        match (initializer.scalars.as_slice(), self.types.get(known.ty.ty)) {
            ([scalar], _) if scalar.first_bit == 0 && scalar.ty == known.ty.ty => Some(scalar.value.clone()),
            ([], Type::Int { .. } | Type::Enum(_) | Type::Pointer(_)) => Some(ConstantValue::Int(0)),
            ([], Type::Float(_)) => Some(ConstantValue::Float(0)),
            _ => None,
        }
    }

    /// The address of a place.
    fn place(self, id: ExprId) -> Option<ConstantValue> {
        match *self.exprs.get(id) {
            Expr::Variable(variable) => self.is_static(variable).then_some(ConstantValue::Address { variable, offset: 0 }),
            Expr::Dereference { pointer, .. } => evaluate(self, pointer),
            Expr::Field(record, field) => {
                let Type::Record(r) = self.types.get(self.exprs.ty(record)) else { return None };
                let offset = self.types.record(*r).fields.get(field as usize)?.offset;
                self.offset(self.place(record)?, i64::try_from(offset).ok()?, 1)
            }
            Expr::Index(array, index) => {
                let format = self.format(self.exprs.ty(index))?;
                let ConstantValue::Int(index) = evaluate(self, index)? else { return None };
                let scale = size_of(self.types, self.machine, self.exprs.ty(id)).ok()?;
                self.offset(self.place(array)?, i64::try_from(format.value(index)).ok()?, scale)
            }
            Expr::Int(_)
            | Expr::Float(_)
            | Expr::Zero
            | Expr::Load(_)
            | Expr::AddressOf(_)
            | Expr::FunctionAddress(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Cast(_)
            | Expr::Conditional(..) => None,
        }
    }

    fn is_static(self, variable: VarId) -> bool {
        let variable = &self.variables[variable.index()];
        match variable.kind {
            VarKind::Global { .. } | VarKind::StaticLocal | VarKind::StringLiteral(_) => true,
            VarKind::CompoundLiteral => variable.function.is_none(),
            VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) => false,
        }
    }

    fn offset(self, pointer: ConstantValue, index: i64, scale: u64) -> Option<ConstantValue> {
        let bytes = index.checked_mul(i64::try_from(scale).ok()?)?;
        match pointer {
            ConstantValue::Address { variable, offset } => {
                Some(ConstantValue::Address { variable, offset: offset.checked_add(bytes)? })
            }
            ConstantValue::Int(bits) => {
                let format = IntFormat { bits: if self.machine.word() == 4 { 32 } else { 64 }, signed: false };
                Some(ConstantValue::Int(format.wrap(bits.wrapping_add(bytes as u128))))
            }
            ConstantValue::Function(_) if bytes == 0 => Some(pointer),
            ConstantValue::Function(_) | ConstantValue::Float(_) => None,
        }
    }

    fn difference(self, left: ConstantValue, right: ConstantValue) -> Option<i64> {
        match (left, right) {
            (ConstantValue::Address { variable: a, offset: x }, ConstantValue::Address { variable: b, offset: y }) if a == b => {
                x.checked_sub(y)
            }
            (ConstantValue::Int(a), ConstantValue::Int(b)) => i64::try_from(a.wrapping_sub(b) as i128).ok(),
            _ => None,
        }
    }

    fn truth(self, id: ExprId) -> Option<bool> {
        match evaluate(self, id)? {
            ConstantValue::Int(bits) => Some(bits != 0),
            ConstantValue::Float(bits) => match self.types.get(self.exprs.ty(id)) {
                Type::Float(kind) => Some(!fold::is_zero(*kind, bits)),
                _ => None,
            },
            ConstantValue::Address { .. } | ConstantValue::Function(_) => Some(true),
        }
    }

    fn unary(self, op: UnaryOp, ty: TypeId, operand: ExprId) -> Option<ConstantValue> {
        if op == UnaryOp::Not {
            return Some(ConstantValue::Int(u128::from(!self.truth(operand)?)));
        }
        match (evaluate(self, operand)?, self.types.get(ty)) {
            (ConstantValue::Float(bits), Type::Float(kind)) => Some(ConstantValue::Float(fold::negate(*kind, bits))),
            (ConstantValue::Int(bits), _) => {
                let format = self.format(ty)?;
                let pattern = if op == UnaryOp::Negate { bits.wrapping_neg() } else { !bits };
                Some(ConstantValue::Int(format.wrap(pattern)))
            }
            _ => None,
        }
    }

    fn binary(self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<ConstantValue> {
        let truth = |holds: bool| Some(ConstantValue::Int(u128::from(holds)));
        match op {
            BinaryOp::LogicalAnd => return truth(self.truth(left)? && self.truth(right)?),
            BinaryOp::LogicalOr => return truth(self.truth(left)? || self.truth(right)?),
            _ => {}
        }
        let ty = self.exprs.ty(left);
        match (evaluate(self, left)?, evaluate(self, right)?) {
            (ConstantValue::Int(a), ConstantValue::Int(b)) => fold::binary(op, self.format(ty)?, a, b).map(ConstantValue::Int),
            (ConstantValue::Float(a), ConstantValue::Float(b)) => match self.types.get(ty) {
                Type::Float(kind) => {
                    let folded = super::float::binary(op, *kind, a, b);
                    folded.filter(|value| self.reads_constants || super::float::has_one_sign(*kind, (a, b), value))
                }
                _ => None,
            },
            (a, b) => match op {
                BinaryOp::Equal => truth(self.same_address(&a, &b)?),
                BinaryOp::NotEqual => truth(!self.same_address(&a, &b)?),
                _ => None,
            },
        }
    }

    /// Whether two address constants are equal; `None` where that depends on the placement of objects.
    fn same_address(self, a: &ConstantValue, b: &ConstantValue) -> Option<bool> {
        match (a, b) {
            (ConstantValue::Address { variable: x, offset: i }, ConstantValue::Address { variable: y, offset: j }) if x == y => {
                Some(i == j)
            }
            (ConstantValue::Function(f), ConstantValue::Function(g)) => Some(f == g),
            (ConstantValue::Int(0), ConstantValue::Function(_) | ConstantValue::Address { offset: 0, .. })
            | (ConstantValue::Function(_) | ConstantValue::Address { offset: 0, .. }, ConstantValue::Int(0)) => Some(false),
            _ => None,
        }
    }

    fn cast(self, ty: TypeId, operand: ExprId) -> Option<ConstantValue> {
        if matches!(self.types.get(ty), Type::Bool) {
            return Some(ConstantValue::Int(u128::from(self.truth(operand)?)));
        }
        let from = self.exprs.ty(operand);
        match evaluate(self, operand)? {
            ConstantValue::Int(bits) => super::float::convert_integer(self.types, self.machine, from, ty, bits),
            ConstantValue::Float(bits) => super::float::convert_float(self.types, self.machine, from, ty, bits),
            address @ (ConstantValue::Address { .. } | ConstantValue::Function(_)) => {
                let wide = u64::from(self.format(ty)?.bits) == 8 * self.machine.word();
                wide.then_some(address)
            }
        }
    }
}
