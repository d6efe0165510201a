//! What depends on where objects lie in memory, which no run of this interpreter can tell.
//!
//! Comparisons of the addresses of two objects, and bits of an address that its alignment does not decide, have here whatever
//! values the layout of this interpreter gives them; gcc's layout is another one. Such operations are unsupported.
//! Numbers are taken for addresses by their values. With pointers of 32 bits many numbers are as large as addresses: there
//! only programs count that make numbers of pointers.

use program::cfa::Cfa;
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;

use super::kind::Kind;
use super::machine::{Fault, Machine};

/// Whether numbers of a program may be addresses.
pub(super) fn may_be_addresses(cfa: &Cfa) -> bool {
    cfa.machine.word() >= 8 || (0..cfa.exprs.len()).map(ExprId::new).any(|expr| makes_number(cfa, expr))
}

fn makes_number(cfa: &Cfa, expr: ExprId) -> bool {
    let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
    let pointer = matches!(cfa.types.get(cfa.exprs.ty(operand)), Type::Pointer(_));
    pointer && matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Int { .. } | Type::Enum(_))
}

impl Machine<'_> {
    /// Refuses an operator whose result depends on where objects lie.
    pub(super) fn refuse_layout(&self, op: BinaryOp, (x, a): (u128, Kind), (y, b): (u128, Kind)) -> Result<(), Fault> {
        let is_word = |kind| matches!(kind, Kind::Int { bits, .. } if bits == self.word_bits());
        if !self.has_addresses || !is_word(a) || !(is_word(b) || matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight)) {
            return Ok(());
        }
        let (x, y) = (low(x), low(y));
        let construct = match op {
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual | BinaryOp::Subtract => {
                let (left, right) = (self.memory.find(x), self.memory.find(y));
                (left.is_some() && right.is_some() && left != right).then_some("order of addresses")
            }
            BinaryOp::BitAnd => (!self.keeps_address(x, y) || !self.keeps_address(y, x)).then_some("bits of an address"),
            BinaryOp::BitOr | BinaryOp::BitXor => {
                let small = |address, other| self.alignment(address).is_none_or(|align| other < align);
                (!small(x, y) || !small(y, x)).then_some("bits of an address")
            }
            BinaryOp::Multiply | BinaryOp::Divide => {
                let other = |number: u64, address| number > 1 && self.memory.find(address).is_some();
                (other(x, y) || other(y, x)).then_some("bits of an address")
            }
            BinaryOp::Remainder => {
                let exact = self.alignment(x).is_none_or(|align| y.is_power_of_two() && y <= align);
                (!exact).then_some("bits of an address")
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                (y > 0 && self.memory.find(x).is_some()).then_some("bits of an address")
            }
            _ => None,
        };
        construct.map_or(Ok(()), |construct| Err(Fault::Unsupported(construct.into())))
    }

    /// Refuses to cut an address.
    pub(super) fn refuse_part(&self, value: u128, from: Kind, to: Kind) -> Result<(), Fault> {
        let (Kind::Int { bits, .. }, Kind::Int { bits: width, boolean: false, .. }) = (from, to) else { return Ok(()) };
        let cuts = self.has_addresses && bits == self.word_bits() && width < bits;
        if cuts && self.memory.find(low(value)).is_some() {
            return Err(Fault::Unsupported("bits of an address".into()));
        }
        Ok(())
    }

    /// What is known to divide the address of the object that a number leads to, if it leads to one.
    fn alignment(&self, address: u64) -> Option<u64> {
        let handle = self.memory.find(address)?;
        Some(self.memory.alignment(handle).max(1))
    }

    /// Whether a mask takes only what the alignment decides from an address, or leaves all but that.
    fn keeps_address(&self, address: u64, mask: u64) -> bool {
        let all = if self.word_bits() >= 64 { u64::MAX } else { u64::from(u32::MAX) };
        self.alignment(address).is_none_or(|align| mask < align || (all & !mask) < align)
    }
}

/// The bits of a number that an address has.
const fn low(value: u128) -> u64 {
    value as u64
}
