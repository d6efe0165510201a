//! What depends on where objects lie in memory.
//!
//! Which of two objects or functions has the lower address is unsupported: all layouts of this interpreter agree in it, and gcc has
//! another one. A run that looks at bits of an address that its alignment does not decide is repeated in [`LAYOUTS`](super::addresses::LAYOUTS), and
//! counts only if it ends in all of them alike: a program may take an address apart and put it together again.
//! Numbers are taken for addresses by their values. With pointers of 32 bits many numbers are as large as addresses: there
//! only programs count that make numbers of pointers.

use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;

use super::fault::Fault;
use super::kind::Kind;
use super::machine::Machine;
use super::memory::{Handle, Place};
use crate::pointers::is_label;

/// Objects lie at places from here on, and as far below the largest: what is beyond are errors as pointers (`ERR_PTR`).
const FIRST_PLACE: u128 = 4096;

fn address_as_float() -> Fault {
    Fault::Unsupported("address as a float".into())
}

/// What an address is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Object(Handle),
    /// By its number.
    Function(u64),
    /// By its number in its function.
    Label(u64),
}

impl Machine<'_> {
    /// Refuses an operator whose result depends on the order of objects, and takes note of one that looks at their addresses.
    pub(super) fn refuse_layout(&mut self, op: BinaryOp, (x, a): (u128, Kind), (y, b): (u128, Kind)) -> Result<(), Fault> {
        // An address may be kept in a wider number.
        let is_word = |kind| matches!(kind, Kind::Int { bits, .. } if bits >= self.word_bits());
        if !self.has_addresses || !is_word(a) || !(is_word(b) || matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight)) {
            return Ok(());
        }
        let (x, y) = (low(x), low(y));
        let looks = match op {
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual | BinaryOp::Subtract => {
                let (left, right) = (self.owner(x), self.owner(y));
                if left.is_some() && right.is_some() && left != right {
                    return Err(Fault::Unsupported("order of addresses".into()));
                }
                false
            }
            BinaryOp::BitAnd => !self.keeps_address(x, y) || !self.keeps_address(y, x),
            BinaryOp::BitOr | BinaryOp::BitXor => {
                let small = |address, other| self.alignment(address).is_none_or(|align| other < align);
                !small(x, y) || !small(y, x)
            }
            BinaryOp::Multiply | BinaryOp::Divide => {
                let other = |number: u64, address| number > 1 && self.owner(address).is_some();
                other(x, y) || other(y, x)
            }
            BinaryOp::Remainder => {
                let exact = self.alignment(x).is_none_or(|align| y.is_power_of_two() && y <= align);
                !exact
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => y > 0 && self.owner(x).is_some(),
            BinaryOp::Add | BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::LogicalAnd | BinaryOp::LogicalOr => false,
        };
        self.looks_at_addresses |= looks;
        Ok(())
    }

    /// Refuses to say that two addresses are different where another run may have them the same: memory comes again, and where an
    /// object ends another one may begin. Guards of accesses compare with variables of their own, and mean objects.
    pub(super) fn refuse_meeting(
        &self,
        op: BinaryOp,
        (left, x): (ExprId, u128),
        (right, y): (ExprId, u128),
    ) -> Result<(), Fault> {
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if left == right || !is_equality || self.is_ghost(left) || self.is_ghost(right) {
            return Ok(());
        }
        let is_pointer = matches!(self.cfa.types.get(self.cfa.exprs.ty(left)), Type::Pointer(_));
        let is_address = |value: u128| value <= u128::from(u64::MAX);
        let are_addresses = (is_pointer || self.has_addresses) && is_address(x) && is_address(y);
        let may_meet = || self.texts_meet(low(x), low(y)) || x != y && self.memory.may_meet(low(x), low(y));
        if are_addresses && may_meet() {
            return Err(Fault::Unsupported("addresses that may be the same".into()));
        }
        Ok(())
    }

    /// Whether addresses lead to what may be one place or two: string literals, of which nobody says.
    fn texts_meet(&self, x: u64, y: u64) -> bool {
        let text = |address: u64| {
            let object = self.memory.find(address)?;
            Some((self.memory.variable(object)?, address - self.memory.address(object)))
        };
        let (Some((one, at)), Some((other, at_other))) = (text(x), text(y)) else { return false };
        let overlap = self.cfa.overlap(one, other);
        overlap.is_some_and(|behind| i128::from(at) == i128::from(behind) + i128::from(at_other))
    }

    /// Whether the value is that of a variable that a tool has added.
    fn is_ghost(&self, expr: ExprId) -> bool {
        let Expr::Load(place) = *self.cfa.exprs.get(expr) else { return false };
        matches!(*self.cfa.exprs.get(place), Expr::Variable(variable) if self.cfa.variable(variable).is_ghost())
    }

    /// Refuses to compare an address with a number in the text of the program that is where objects may lie.
    pub(super) fn refuse_place(&self, op: BinaryOp, left: (ExprId, u128), right: (ExprId, u128)) -> Result<(), Fault> {
        // Where accesses are checked, guards ask how far addresses are apart.
        let is_checked = self.cfa.options.property.is_of_memory() && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if is_checked || !op.is_predicate() || matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr) {
            return Ok(());
        }
        let last = u128::from(self.all_bits()) - FIRST_PLACE;
        let is_place = |value: u128| (FIRST_PLACE..=last).contains(&value);
        for ((number, place), (other, address)) in [(left, right), (right, left)] {
            if is_place(place) && self.is_written(number) && self.may_be_address(other) && self.owner(low(address)).is_some() {
                return Err(Fault::Unsupported("place of an object".into()));
            }
        }
        Ok(())
    }

    /// Whether a value is a pointer, or perhaps a number made of one: numbers may be as large as addresses.
    fn may_be_address(&self, expr: ExprId) -> bool {
        let is_pointer = matches!(self.cfa.types.get(self.cfa.exprs.ty(expr)), Type::Pointer(_));
        let is_wide = || matches!(self.kind_of(expr), Kind::Int { bits, .. } if bits >= self.word_bits());
        is_pointer || self.makes_numbers && is_wide()
    }

    /// Whether an expression is a number in the text of the program, and no label.
    fn is_written(&self, mut expr: ExprId) -> bool {
        while let Expr::Cast(operand) = *self.cfa.exprs.get(expr) {
            expr = operand;
        }
        matches!(self.cfa.exprs.get(expr), Expr::Int(_)) && !is_label(self.cfa, expr)
    }

    /// Takes note of an address that is cut, and refuses to make a float of one.
    pub(super) fn note_part(&mut self, (operand, value): (ExprId, u128), from: Kind, to: Kind) -> Result<(), Fault> {
        let Kind::Int { bits, .. } = from else { return Ok(()) };
        if !self.has_addresses || bits < self.word_bits() {
            return Ok(());
        }
        match to {
            Kind::Int { bits: width, boolean: false, .. } if width < self.word_bits() => self.note_cut(value),
            Kind::F32 | Kind::F64 if self.may_be_address(operand) && self.owner(low(value)).is_some() => {
                return Err(address_as_float());
            }
            Kind::Int { .. } | Kind::F32 | Kind::F64 | Kind::Aggregate | Kind::Void | Kind::Unsupported(_) => {}
        }
        Ok(())
    }

    /// Takes note of a value of which only a part is kept.
    pub(super) fn note_cut(&mut self, value: u128) {
        self.looks_at_addresses |= self.has_addresses && self.owner(low(value)).is_some();
    }

    /// Refuses to read an address as a float.
    pub(super) fn refuse_float(&self, bits: u128) -> Result<(), Fault> {
        // No address of a program is as large as a float that is not next to zero.
        let is_small = (FIRST_PLACE..1 << 52).contains(&bits);
        if self.has_addresses && is_small && self.owner(low(bits)).is_some() { Err(address_as_float()) } else { Ok(()) }
    }

    /// Takes note of a part of memory that is read where an address is.
    pub(super) fn note_part_of_pointer(&mut self, place: Place) {
        let bytes = u64::from(self.word_bits()) / 8;
        let Ok(area) = self.memory.area(place.object, place.address / bytes * bytes, bytes) else { return };
        let word = self.memory.bytes(area).iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        self.looks_at_addresses |= self.owner(word).is_some();
    }

    /// The object, function or label that a number leads to.
    fn owner(&self, address: u64) -> Option<Owner> {
        if let Some(object) = self.memory.find(address) {
            return Some(Owner::Object(object));
        }
        let function = self.memory.function_number(address).filter(|number| *number < self.cfa.functions.len() as u64);
        function.map(Owner::Function).or_else(|| self.cfa.machine.label_at(address).map(Owner::Label))
    }

    /// What is known to divide the address of the object or function that a number leads to, if it leads to one.
    fn alignment(&self, address: u64) -> Option<u64> {
        Some(match self.owner(address)? {
            Owner::Object(object) => self.memory.alignment(object).max(1),
            Owner::Function(_) | Owner::Label(_) => 1,
        })
    }

    /// Whether a mask takes only what the alignment decides from an address, or leaves all but that.
    fn keeps_address(&self, address: u64, mask: u64) -> bool {
        self.alignment(address).is_none_or(|align| mask < align || (self.all_bits() & !mask) < align)
    }

    /// The largest number as wide as a pointer.
    fn all_bits(&self) -> u64 {
        if self.word_bits() >= 64 { u64::MAX } else { u64::from(u32::MAX) }
    }
}

/// The bits of a number that an address has.
const fn low(value: u128) -> u64 {
    value as u64
}
