//! Folding of integer operations over bit patterns that are zero-extended to 128 bits.

use crate::expr::BinaryOp;
use crate::layout::size_of;
use crate::machine::MachineModel;
use crate::types::{Type, TypeId, TypeTable};

/// Width and signedness of an integer, `_Bool`, enumeration or pointer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntFormat {
    /// Width in bits, 1 to 128.
    pub bits: u32,
    /// Whether values are signed.
    pub signed: bool,
}

impl IntFormat {
    /// The low bits of `pattern`.
    #[must_use]
    pub fn wrap(self, pattern: u128) -> u128 {
        if self.bits >= 128 { pattern } else { pattern & ((1 << self.bits) - 1) }
    }

    /// The pattern as a number; a value of 2^127 or more comes out negative.
    #[must_use]
    pub fn value(self, pattern: u128) -> i128 {
        if !self.signed {
            return self.wrap(pattern) as i128;
        }
        let unused = 128 - self.bits;
        ((pattern << unused) as i128) >> unused
    }

    /// Extends the pattern of a value of this format to 128 bits, by sign if it has one.
    #[must_use]
    pub fn extend(self, pattern: u128) -> u128 {
        self.value(pattern) as u128
    }

    /// Whether the number `value` can be represented.
    #[must_use]
    pub fn holds(self, value: i128) -> bool {
        self.value(value as u128) == value && (self.signed || value >= 0)
    }
}

/// The format of a type whose values are integers or addresses. `_Bool` has its 8 bits in memory but the width 1 here.
#[must_use]
pub fn int_format(types: &TypeTable, machine: MachineModel, ty: TypeId) -> Option<IntFormat> {
    match types.get(ty) {
        Type::Bool => Some(IntFormat { bits: 8, signed: false }),
        Type::Int { signed, .. } => {
            let bytes = size_of(types, machine, ty).ok()?;
            Some(IntFormat { bits: u32::try_from(8 * bytes).ok()?, signed: *signed })
        }
        Type::Enum(id) => int_format(types, machine, types.enumeration(*id).underlying),
        Type::Pointer(_) => Some(IntFormat { bits: if machine.word() == 4 { 32 } else { 64 }, signed: false }),
        Type::Void
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Array { .. }
        | Type::Function(_)
        | Type::Record(_)
        | Type::Vector { .. }
        | Type::VaList => None,
    }
}

/// The result pattern of an operator on two operands of the same format (shifts: the right one is a plain count).
///
/// `None` where C leaves the result undefined, wrapping excepted.
#[must_use]
pub fn binary(op: BinaryOp, format: IntFormat, left: u128, right: u128) -> Option<u128> {
    let (a, b) = (format.value(left), format.value(right));
    let (ua, ub) = (format.wrap(left), format.wrap(right));
    let truth = |holds: bool| Some(u128::from(holds));
    let order = if format.signed { a.cmp(&b) } else { ua.cmp(&ub) };
    let pattern = match op {
        BinaryOp::Add => ua.wrapping_add(ub),
        BinaryOp::Subtract => ua.wrapping_sub(ub),
        BinaryOp::Multiply => ua.wrapping_mul(ub),
        BinaryOp::Divide if format.signed => a.checked_div(b)? as u128,
        BinaryOp::Divide => ua.checked_div(ub)?,
        BinaryOp::Remainder if format.signed => a.checked_rem(b)? as u128,
        BinaryOp::Remainder => ua.checked_rem(ub)?,
        BinaryOp::ShiftLeft => ua << count(format, right)?,
        BinaryOp::ShiftRight if format.signed => (a >> count(format, right)?) as u128,
        BinaryOp::ShiftRight => ua >> count(format, right)?,
        BinaryOp::BitAnd => ua & ub,
        BinaryOp::BitOr => ua | ub,
        BinaryOp::BitXor => ua ^ ub,
        BinaryOp::Equal => return truth(order.is_eq()),
        BinaryOp::NotEqual => return truth(order.is_ne()),
        BinaryOp::Less => return truth(order.is_lt()),
        BinaryOp::LessEqual => return truth(order.is_le()),
        BinaryOp::Greater => return truth(order.is_gt()),
        BinaryOp::GreaterEqual => return truth(order.is_ge()),
        BinaryOp::LogicalAnd => return truth(ua != 0 && ub != 0),
        BinaryOp::LogicalOr => return truth(ua != 0 || ub != 0),
    };
    Some(format.wrap(pattern))
}

fn count(format: IntFormat, right: u128) -> Option<u32> {
    u32::try_from(right).ok().filter(|count| *count < format.bits)
}
