//! What depends on where objects lie in memory: here any value.
//!
//! Addresses of objects and of functions are constants of this encoder, so that comparisons of two of them, and bits of them that
//! their alignment does not decide, would come out as its own layout has it. What a term shows to be such an operation has any
//! result. That is not all there is: a number that is an address by a constraint only is not seen.
//! Only programs that make numbers of pointers are looked at for bits; literals are never taken for addresses.

use program::cfa::{FunctionId, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;
use semantics::pointers::{Holds, holds_pointer, is_in_union, is_label};

use super::Context;
use super::meeting::MOST_TARGETS;
use super::memory::Objects;
use super::shape::{Class, Scalar};
use crate::terms::{Op, Sort, TermId};

/// Values that a term is looked through for.
const MOST_VALUES: usize = 16;

/// Numbers from here on are errors as pointers (`ERR_PTR`), not addresses.
const LAST: u128 = 4096;

/// What an address is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Object(VarId),
    Function(FunctionId),
    /// By its number in its function.
    Label(u64),
    /// Nobody knows: the value is an address if it is where addresses are.
    Somebody,
}

/// A result that depends on where something lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Where it does.
    when: TermId,
    /// Any value.
    any: TermId,
}

impl Context<'_, '_> {
    /// The objects or functions whose address a value is, as far as that shows: by the values that a term stands for, or by where
    /// the number comes from.
    fn addressed(&self, expr: ExprId, value: TermId) -> Vec<Owner> {
        let cfa = self.encoder.cfa;
        let literal = matches!(cfa.exprs.get(expr), Expr::Int(_));
        let (width, word) = (self.store.width(value), self.word());
        // A number that is wider is one by where it comes from only.
        let is_other = width < word || width > word && !self.may_be_address(expr);
        if literal && !is_label(cfa, expr) || self.encoder.symbolic || is_other {
            return Vec::new();
        }
        let mut owners = Vec::new();
        let (mut open, mut seen) = (vec![value], 0);
        while let Some(value) = open.pop() {
            seen += 1;
            if let (Op::Ite, &[_, yes, no]) = (self.store.op(value), self.store.args(value))
                && seen < MOST_VALUES
            {
                open.extend([yes, no]);
            } else if let (Op::ZeroExtend | Op::SignExtend, &[narrow]) = (self.store.op(value), self.store.args(value)) {
                open.push(narrow);
            } else {
                let found = self.owner(value).map_or_else(|| self.owners_within(expr, value), |owner| vec![owner]);
                owners.extend(found);
            }
        }
        owners
    }

    /// The object, function or label that a term names.
    fn owner(&self, value: TermId) -> Option<Owner> {
        let cfa = self.encoder.cfa;
        let function = || Objects::function_at(cfa, self.constant_part(value)?).map(Owner::Function);
        let label = || cfa.machine.label_at(self.constant_part(value)?).map(Owner::Label);
        self.nearest_object(value).map(Owner::Object).or_else(function).or_else(label)
    }

    /// What a number that names nothing may be an address of all the same, by where it comes from: of what its term is made of, as
    /// an address with a mark in its lowest bits, or of somebody.
    fn owners_within(&self, expr: ExprId, value: TermId) -> Vec<Owner> {
        if self.encoder.numbers.is_none() || !self.may_be_address(expr) {
            return Vec::new();
        }
        if self.store.as_bits(value).is_some() {
            // What was made of an address by a difference, or a number that is as large.
            return vec![Owner::Somebody];
        }
        let (mut open, mut seen, mut owners) = (vec![value], 0, Vec::new());
        while let Some(part) = open.pop() {
            seen += 1;
            let is_made = matches!(self.store.op(part), Op::Add | Op::BitAnd | Op::BitOr | Op::BitXor);
            if let Some(owner) = self.owner(part) {
                owners.push(owner);
            } else if is_made && seen < MOST_VALUES {
                open.extend(self.store.args(part));
            } else if self.store.as_bits(part).is_none() {
                return vec![Owner::Somebody];
            }
        }
        owners
    }

    /// Where the result of a comparison depends on which of two objects lies before the other, or on where one lies: beside a number
    /// of the text that may be its place, also for equality.
    pub(super) fn address_order(&mut self, op: BinaryOp, a: (ExprId, TermId), b: (ExprId, TermId)) -> Option<Open> {
        let ordered = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual);
        let known = |owner: &&Owner| **owner != Owner::Somebody;
        // Where accesses are checked, guards ask how far addresses are apart.
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let is_asked = is_equality || !self.encoder.cfa.options.property.is_of_memory();
        for (address, number) in [(a, b), (b, a)] {
            let may_be = is_asked && self.is_written_place(number) && self.may_be_address(address.0);
            if may_be && self.addressed(address.0, address.1).iter().any(|owner| known(&owner)) {
                return Some(Open { when: self.store.tt(), any: self.arbitrary("place of an object", Sort::Bool) });
            }
        }
        if !ordered {
            return None;
        }
        let (left, right) = (self.addressed(a.0, a.1), self.addressed(b.0, b.1));
        let apart = left.iter().filter(known).any(|one| right.iter().filter(known).any(|other| one != other));
        let when = if apart { self.store.tt() } else { self.lie_apart(a, b) };
        (when != self.store.ff()).then(|| Open { when, any: self.arbitrary("order of addresses", Sort::Bool) })
    }

    /// Whether a value is a number in the text of the program, and where objects may lie.
    fn is_written_place(&self, (mut expr, value): (ExprId, TermId)) -> bool {
        let cfa = self.encoder.cfa;
        while let Expr::Cast(operand) = *cfa.exprs.get(expr) {
            expr = operand;
        }
        let last = crate::terms::mask(self.word()) - LAST;
        let is_place = |number| (LAST..=last).contains(&number);
        matches!(cfa.exprs.get(expr), Expr::Int(_)) && !is_label(cfa, expr) && self.store.as_bits(value).is_some_and(is_place)
    }

    /// When two addresses are those of different variables, as far as it is known where they may lead.
    fn lie_apart(&mut self, a: (ExprId, TermId), b: (ExprId, TermId)) -> TermId {
        let constant = |value| self.store.as_bits(value).is_some();
        let is_word = self.store.width(a.1) == self.word() && self.store.width(b.1) == self.word();
        let may_be = is_word && self.may_be_address(a.0) && self.may_be_address(b.0);
        if self.encoder.symbolic || constant(a.1) && constant(b.1) || !may_be {
            return self.store.ff();
        }
        let (Some(left), Some(right)) = (self.leads_to(a), self.leads_to(b)) else {
            let (one, other) = (self.may_be_there(Owner::Somebody, a.1), self.may_be_there(Owner::Somebody, b.1));
            return self.store.and(&[one, other]);
        };
        let two = left.iter().any(|one| right.iter().any(|other| one != other));
        if !two {
            return self.store.ff();
        }
        let first: Vec<TermId> = left.iter().map(|object| self.is_in(a.1, *object)).collect();
        let second: Vec<TermId> = right.iter().map(|object| self.is_in(b.1, *object)).collect();
        let mut same = Vec::new();
        for (object, here) in left.iter().zip(&first) {
            if let Some(at) = right.iter().position(|other| other == object) {
                same.push(self.store.and(&[*here, second[at]]));
            }
        }
        let (first, second, same) = (self.store.or(&first), self.store.or(&second), self.store.or(&same));
        let apart = self.store.not(same);
        self.store.and(&[first, second, apart])
    }

    /// The variables that a pointer, or a number that may be an address, may lead to; `None` if those are too many.
    fn leads_to(&self, (expr, value): (ExprId, TermId)) -> Option<Vec<VarId>> {
        let cfa = self.encoder.cfa;
        if matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Pointer(_)) {
            return self.objects_of((expr, value));
        }
        // Where numbers lead is not followed.
        let taken: Vec<VarId> = cfa.variable_ids().filter(|variable| cfa.variable(*variable).address_taken).collect();
        (taken.len() <= MOST_TARGETS).then_some(taken)
    }

    /// Whether a value is a pointer, or a number that may be an address.
    fn may_be_address(&self, expr: ExprId) -> bool {
        let cfa = self.encoder.cfa;
        let is_pointer = matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Pointer(_));
        is_pointer || self.encoder.numbers.as_ref().is_some_and(|numbers| numbers.is_address(cfa, expr))
    }

    /// When an operator on addresses yields bits that alignment does not decide.
    pub(super) fn address_bits(
        &mut self,
        op: BinaryOp,
        a: (ExprId, TermId),
        b: (ExprId, TermId),
        scalar: Scalar,
    ) -> Option<Open> {
        if self.encoder.numbers.is_none() || scalar.class == Class::Float {
            return None;
        }
        let (left, right) = (self.addressed(a.0, a.1), self.addressed(b.0, b.1));
        let mut when = Vec::new();
        for (owners, (_, value), (_, other)) in [(&left, a, b), (&right, b, a)] {
            for owner in owners {
                if !self.keeps(op, *owner, other) {
                    when.push(self.may_be_there(*owner, value));
                }
            }
        }
        let two = left.iter().any(|one| right.iter().any(|other| one != other));
        if two && op != BinaryOp::Add && !left.contains(&Owner::Somebody) && !right.contains(&Owner::Somebody) {
            when.push(self.store.tt());
        }
        if op == BinaryOp::Subtract {
            when.push(self.lie_apart(a, b));
        }
        let when = self.store.or(&when);
        (when != self.store.ff()).then(|| {
            let sort = self.store.sort(a.1);
            Open { when, any: self.arbitrary("bits of an address", sort) }
        })
    }

    /// An address that is cut, or that becomes a float.
    pub(super) fn address_part(&mut self, operand: (ExprId, TermId), to: Scalar) -> Option<Open> {
        let is_cut = to.class == Class::Integer && to.width < self.word();
        let becomes_float = to.class == Class::Float && self.may_be_address(operand.0);
        if self.encoder.numbers.is_none() || !is_cut && !becomes_float {
            return None;
        }
        self.cut_address(operand, to.width, |_| true)
    }

    /// An address that is written to a bit-field which has not all of its bits.
    pub(super) fn address_in_field(&mut self, place: ExprId, operand: (ExprId, TermId)) -> Option<Open> {
        let cfa = self.encoder.cfa;
        let Expr::Field(record, field) = *cfa.exprs.get(place) else { return None };
        let Type::Record(record) = cfa.types.get(cfa.exprs.ty(record)) else { return None };
        let bits = cfa.types.record(*record).fields.get(field as usize)?.bits?;
        let width = self.store.width(operand.1);
        let cuts = self.encoder.numbers.is_some() && bits.width < self.word() && self.may_be_address(operand.0);
        if cuts { self.cut_address(operand, width, |_| true) } else { None }
    }

    /// A pointer that is read as a float. Floats are as large as addresses: 2.0f is, with pointers of 32 bits.
    pub(super) fn address_as_float(&mut self, (load, place): (ExprId, ExprId), value: TermId) -> Option<Open> {
        let (cfa, width) = (self.encoder.cfa, self.store.width(value));
        let is_hidden = || self.encoder.numbers.as_ref().is_some_and(|numbers| numbers.is_hidden(cfa, place));
        if width == self.word() && (is_in_union(cfa, place) || is_hidden()) {
            self.cut_address((load, value), width, |owner| owner != Owner::Somebody)
        } else {
            None
        }
    }

    fn cut_address(&mut self, operand: (ExprId, TermId), width: u32, counts: impl Fn(Owner) -> bool) -> Option<Open> {
        let owners = self.addressed(operand.0, operand.1);
        let counted = owners.iter().filter(|owner| counts(**owner));
        let when: Vec<TermId> = counted.map(|owner| self.may_be_there(*owner, operand.1)).collect();
        let when = self.store.or(&when);
        (when != self.store.ff()).then(|| Open { when, any: self.arbitrary("bits of an address", Sort::BitVec(width)) })
    }

    /// A part of what `held` has from bit `first` on, as a number, if `held` may have pointers: open where these are addresses.
    pub(super) fn part_of_pointers(&mut self, object: VarId, held: TermId, (first, width): (u32, u32), part: TermId) -> TermId {
        let word = self.word();
        let may_be = width < word && self.may_have_pointers(object);
        let begin = first / word * word;
        if !may_be || self.encoder.symbolic || begin + word > self.store.width(held) {
            return part;
        }
        let pointer = self.store.extract(held, begin + word - 1, begin);
        let when = self.may_be_there(Owner::Somebody, pointer);
        if when == self.store.ff() {
            return part;
        }
        let any = self.arbitrary("bits of an address", Sort::BitVec(width));
        let open = self.store.ite(when, any, part);
        self.parts.insert(open, part);
        open
    }

    /// What is written to a part of `before`: if the object may have pointers there, parts of a pointer are what they are. Whoever
    /// reads them there gets them as [`Self::part_of_pointers`] says, and the pointer as one that was copied byte by byte.
    pub(super) fn copied(&mut self, object: VarId, before: TermId, bits: TermId) -> TermId {
        if self.parts.is_empty() || self.store.width(before) < self.word() || !self.may_have_pointers(object) {
            return bits;
        }
        self.without_openings(bits, MOST_VALUES)
    }

    fn without_openings(&mut self, value: TermId, depth: usize) -> TermId {
        if let Some(part) = self.parts.get(&value) {
            return *part;
        }
        match (self.store.op(value), self.store.args(value)) {
            (Op::Ite, &[condition, yes, no]) if depth > 0 => {
                let (yes, no) = (self.without_openings(yes, depth - 1), self.without_openings(no, depth - 1));
                self.store.ite(condition, yes, no)
            }
            _ => value,
        }
    }

    /// Whether an object may have addresses in it, and numbers may be made of them.
    fn may_have_pointers(&self, object: VarId) -> bool {
        let cfa = self.encoder.cfa;
        let Some(numbers) = &self.encoder.numbers else { return false };
        let known = cfa.variables.get(object.index());
        known.is_none_or(|known| holds_pointer(cfa, known.ty.ty, Holds::Anywhere) || numbers.holds(object))
    }

    /// A result, or any value where it is open.
    pub(super) fn unless(&mut self, open: Option<Open>, result: TermId) -> TermId {
        match open {
            Some(Open { when, any }) => self.store.ite(when, any, result),
            None => result,
        }
    }

    /// When a number is the address of this owner.
    fn may_be_there(&mut self, owner: Owner, value: TermId) -> TermId {
        if owner != Owner::Somebody {
            return self.store.tt();
        }
        let word = self.word();
        let value = self.store.resize_unsigned(value, word);
        let first = self.store.bits(word, u128::from(Objects::first()));
        let last = self.store.bits(word, crate::terms::mask(word) - LAST);
        let (above, below) = (self.store.ule(first, value), self.store.ule(value, last));
        self.store.and(&[above, below])
    }

    /// Whether an operator with this other operand is the same for all addresses that the owner may have.
    fn keeps(&self, op: BinaryOp, owner: Owner, other: TermId) -> bool {
        let align = match owner {
            // Pieces of the heap are no variables of the program.
            Owner::Object(variable) => self.encoder.cfa.variables.get(variable.index()).map_or(1, |known| known.align.max(1)),
            // Without optimisation compilers align no code.
            Owner::Function(_) | Owner::Label(_) | Owner::Somebody => 1,
        };
        let align = u128::from(align);
        let other = self.store.as_bits(other);
        let all = crate::terms::mask(self.word());
        match op {
            BinaryOp::BitAnd => other.is_some_and(|mask| mask < align || (all & !mask) < align),
            BinaryOp::BitOr | BinaryOp::BitXor => other.is_some_and(|bits| bits < align),
            BinaryOp::Remainder => other.is_some_and(|by| by.is_power_of_two() && by <= align),
            BinaryOp::Multiply => other == Some(0),
            // By 1 and by 0 bits it would stay an address; nobody could tell from the expression.
            BinaryOp::Divide | BinaryOp::ShiftLeft | BinaryOp::ShiftRight => false,
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr => true,
        }
    }
}
