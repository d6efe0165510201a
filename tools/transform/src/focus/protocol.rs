//! How objects come into focus and leave it, and what is claimed of them as conditions.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{Cfa, EdgeId, LocationId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::known::{self, Allocation};
use program::types::{IntRank, Type, TypeId};

use super::Claim;
use super::made::{Access, At, Making};

impl Making<'_> {
    /// Brings the object at an address into focus: where control goes on with it there, and where the address is null.
    pub(super) fn bring(&mut self, here: LocationId, access: &Access, at: At) -> (LocationId, LocationId) {
        let Access { class, pointer, is_held, .. } = *access;
        let (focus, ty) = (self.ghosts[class].focus, self.ghosts[class].pointer);
        let address = self.editor.expr(Expr::Cast(pointer), ty);
        let [null, some, focused, other] = [(); 4].map(|()| self.editor.location_beside(here));
        let zero = self.editor.number(ty, 0);
        let is_null = self.editor.equal(address, zero);
        self.editor.branch(here, is_null, (null, some), at);
        if is_held {
            return (some, null);
        }
        let held = self.editor.load(focus);
        let is_it = self.editor.equal(address, held);
        self.editor.branch(some, is_it, (focused, other), at);
        let released = self.release(other, class, at);
        let mut here = self.editor.location_beside(other);
        self.assign(released, here, focus, address, at);
        here = self.forget(here, class, at);
        let claims = self.claims(class);
        match self.all(&claims) {
            Some(condition) => _ = self.editor.add(here, focused, Operation::Assume { condition, truth: true }, at),
            None => _ = self.editor.add(here, focused, Operation::Blank, at),
        }
        (focused, null)
    }

    /// Members become arbitrary.
    pub(super) fn forget(&mut self, from: LocationId, class: usize, at: At) -> LocationId {
        let mut here = from;
        let members: Vec<VarId> = self.ghosts[class].members.values().copied().collect();
        for variable in members {
            let next = self.editor.location_beside(from);
            let arbitrary = self.arbitrary(variable);
            self.editor.add(here, next, arbitrary, at);
            here = next;
        }
        here
    }

    /// The object that is in focus, if any, must have what is claimed; where control goes on.
    fn release(&mut self, from: LocationId, class: usize, at: At) -> LocationId {
        let claims = self.claims(class);
        let Some(all) = self.all(&claims) else { return from };
        let (focus, ty) = (self.ghosts[class].focus, self.ghosts[class].pointer);
        let [held, done] = [(); 2].map(|()| self.editor.location_beside(from));
        let (focus, zero) = (self.editor.load(focus), self.editor.number(ty, 0));
        let is_none = self.editor.equal(focus, zero);
        self.editor.branch(from, is_none, (done, held), at);
        let wrong = self.wrong(from, class, &claims, at);
        self.editor.branch(held, all, (done, wrong), at);
        done
    }

    /// Where runs end that let go of an object which does not have what is claimed: one place for each function and class.
    fn wrong(&mut self, beside: LocationId, class: usize, claims: &[(usize, ExprId)], at: At) -> LocationId {
        let function = self.editor.parts.locations[beside.index()].function;
        if let Some(known) = self.wrong.get(&(class, function)) {
            return *known;
        }
        let begin = self.editor.location_beside(beside);
        self.wrong.insert((class, function), begin);
        let mut here = begin;
        for (number, condition) in claims {
            let [next, fails] = [(); 2].map(|()| self.editor.location_beside(beside));
            if let Some(asked) = self.asked {
                let meant = self.editor.location_beside(beside);
                let (asked, int) = (self.editor.load(asked), self.editor.int());
                let this = self.editor.number(int, formats::dense(*number).into());
                let is_meant = self.editor.equal(asked, this);
                self.editor.branch(here, is_meant, (meant, next), at);
                here = meant;
            }
            self.editor.branch(here, *condition, (next, fails), at);
            let error = self.editor.error_behind(fails, None, at);
            self.goals[*number].push(error);
            here = next;
        }
        begin
    }

    /// A fresh object comes into focus.
    pub(super) fn allocation(&mut self, class: usize, site: EdgeId) {
        let Operation::Call { callee, result: Some(result), .. } = self.cfa.edge(site).operation else { return };
        let at = (self.editor.edge(site).span, self.editor.edge(site).statement);
        let target = self.editor.edge(site).target;
        let [begin, some, focused] = [(); 3].map(|()| self.editor.location_beside(target));
        self.editor.lead(site, begin);
        let (focus, ty) = (self.ghosts[class].focus, self.ghosts[class].pointer);
        let made = self.editor.load(result);
        let address = self.editor.expr(Expr::Cast(made), ty);
        let zero = self.editor.number(ty, 0);
        let is_null = self.editor.equal(address, zero);
        self.editor.branch(begin, is_null, (target, some), at);
        let released = self.release(some, class, at);
        self.assign(released, focused, focus, address, at);
        let row = known::special(&self.cfa.function(callee).name);
        let is_zero = matches!(row.and_then(|row| row.allocation), Some(Allocation::Product));
        let mut here = self.forget(focused, class, at);
        if is_zero {
            let members: Vec<VarId> = self.ghosts[class].members.values().copied().collect();
            for variable in members {
                let ty = self.editor.parts.variables[variable.index()].ty.ty;
                let is_float = matches!(self.editor.parts.types.get(ty), Type::Float(_));
                let zero = self.editor.expr(if is_float { Expr::Float(0) } else { Expr::Int(0) }, ty);
                let next = self.editor.location_beside(target);
                self.assign(here, next, variable, zero, at);
                here = next;
            }
        }
        self.editor.add(here, target, Operation::Blank, at);
    }

    pub(super) fn assign(&mut self, from: LocationId, to: LocationId, variable: VarId, value: ExprId, at: At) {
        let place = self.editor.place(variable);
        self.editor.add(from, to, Operation::Assign { place, value }, at);
    }

    /// What is claimed of a class, as conditions on the object in focus.
    fn claims(&mut self, class: usize) -> Vec<(usize, ExprId)> {
        let candidates = self.candidates;
        let of_class = candidates.iter().enumerate().filter(|(_, candidate)| candidate.class == class);
        of_class.filter_map(|(number, candidate)| Some((number, self.condition(class, &candidate.claim)?))).collect()
    }

    /// For each claim about a class, that the object in focus has it if there is one.
    pub(super) fn kept(&mut self, class: usize) -> Vec<ExprId> {
        let (focus, ty, int) = (self.ghosts[class].focus, self.ghosts[class].pointer, self.editor.int());
        let (focus, zero) = (self.editor.load(focus), self.editor.number(ty, 0));
        let is_none = self.editor.equal(focus, zero);
        let claims = self.claims(class);
        let either = |(_, claim)| self.editor.expr(Expr::Binary(BinaryOp::LogicalOr, is_none, claim), int);
        claims.into_iter().map(either).collect()
    }

    fn all(&mut self, claims: &[(usize, ExprId)]) -> Option<ExprId> {
        let int = self.editor.int();
        let conditions = claims.iter().map(|(_, condition)| *condition);
        conditions.reduce(|all, one| self.editor.expr(Expr::Binary(BinaryOp::LogicalAnd, all, one), int))
    }

    fn condition(&mut self, class: usize, claim: &Claim) -> Option<ExprId> {
        let int = self.editor.int();
        match claim {
            Claim::Number(member, op, number) => {
                let value = self.wide(class, *member)?;
                let ty = self.editor.type_of(value);
                let number = self.editor.number(ty, bits(*number));
                Some(self.editor.expr(Expr::Binary(*op, value, number), int))
            }
            Claim::Member(one, op, other) => {
                let (one, other) = (self.wide(class, *one)?, self.wide(class, *other)?);
                Some(self.editor.expr(Expr::Binary(*op, one, other), int))
            }
            Claim::OneOf(member, numbers) => {
                let value = self.wide(class, *member)?;
                let ty = self.editor.type_of(value);
                let mut any: Option<ExprId> = None;
                for number in numbers {
                    let number = self.editor.number(ty, bits(*number));
                    let is_it = self.editor.equal(value, number);
                    any = Some(any.map_or(is_it, |any| self.editor.expr(Expr::Binary(BinaryOp::LogicalOr, any, is_it), int)));
                }
                any
            }
            Claim::Null(member, null) => {
                let member = *self.ghosts[class].members.get(member)?;
                let value = self.editor.load(member);
                let zero = self.editor.number(self.editor.type_of(value), 0);
                let is_null = self.editor.equal(value, zero);
                Some(if *null { is_null } else { self.editor.expr(Expr::Unary(UnaryOp::Not, is_null), int) })
            }
        }
    }

    /// An integer member as a type that has all its values.
    fn wide(&mut self, class: usize, member: u32) -> Option<ExprId> {
        let variable = *self.ghosts[class].members.get(&member)?;
        let ty = self.editor.parts.variables[variable.index()].ty.ty;
        let signed = !is_wide_unsigned(self.cfa, ty);
        let wide = self.editor.ty(Type::Int { rank: IntRank::LongLong, signed });
        let value = self.editor.load(variable);
        Some(self.editor.expr(Expr::Cast(value), wide))
    }
}

/// Whether only `unsigned long long` has all values of an integer type.
pub(super) fn is_wide_unsigned(cfa: &Cfa, ty: TypeId) -> bool {
    super::claims::integer(cfa, ty).is_some_and(|(bits, signed)| bits == 64 && !signed)
}

/// A number as the bits of a type of 64 bits.
fn bits(number: i128) -> u128 {
    u128::from((number & i128::from(u64::MAX)) as u64)
}
