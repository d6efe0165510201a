//! Addresses that may be the same in a run, although the objects here lie apart.
//!
//! Memory that is freed comes again, a call has its objects where those of an earlier one were, and where an object ends the next
//! one may begin. A comparison for equality that may meet such addresses has any result where it is not true. Nothing is said of
//! comparisons with a variable that a tool has added, which are about objects: guards of accesses are such.
//! Does not know: that a call that allocates may yield another piece than the one it yielded last and that was freed; whether the
//! address of an object of a function that is still active is that of its last activation; blocks.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, FunctionId, Known, LocationId, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;

use super::Context;
use crate::terms::{Op, Sort, TermId};

/// A pointer that may lead to more objects may have any address.
pub(super) const MOST_TARGETS: usize = 64;

/// Whether memory that is freed may come again: something is allocated behind a call that frees.
pub(super) fn comes_again(cfa: &Cfa) -> bool {
    let known = |edge: EdgeId| cfa.called(edge).filter(|callee| !cfa.enters(*callee)).map(|callee| cfa.function(callee));
    let frees =
        |edge: &EdgeId| known(*edge).is_some_and(|function| function.known == Some(Known::Free) || &*function.name == "realloc");
    if cfa.edge_ids().any(|edge| known(edge).is_some_and(|function| &*function.name == "realloc")) {
        return true;
    }
    let mut open: Vec<LocationId> = cfa.edge_ids().filter(frees).map(|edge| cfa.edge(edge).target).collect();
    let mut seen: BTreeSet<LocationId> = open.iter().copied().collect();
    let mut behind: BTreeMap<FunctionId, Vec<LocationId>> = BTreeMap::new();
    for edge in cfa.edge_ids() {
        if let Some(callee) = cfa.entered_callee(edge) {
            behind.entry(callee).or_default().push(cfa.edge(edge).target);
        }
    }
    while let Some(location) = open.pop() {
        let function = cfa.location(location).function;
        let mut next = Vec::new();
        for edge in cfa.out_edges(location) {
            if known(*edge).is_some_and(|function| function.known == Some(Known::Allocate)) {
                return true;
            }
            next.push(cfa.edge(*edge).target);
            next.extend(cfa.entered_callee(*edge).and_then(|callee| cfa.function(callee).entry));
        }
        if cfa.function(function).exit == Some(location) {
            next.extend(behind.remove(&function).into_iter().flatten());
        }
        open.extend(next.into_iter().filter(|location| seen.insert(*location)));
    }
    false
}

impl Context<'_, '_> {
    /// The result of a comparison for equality of two addresses that another run may have the same; `None` if it is no such.
    pub(super) fn address_equality(&mut self, op: BinaryOp, a: (ExprId, TermId), b: (ExprId, TermId)) -> Option<TermId> {
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if !is_equality || self.encoder.symbolic || self.store.width(a.1) != self.word() {
            return None;
        }
        // Null is the address of nothing.
        let is_null = |value| self.store.as_bits(value) == Some(0);
        if [a, b].into_iter().any(|(expr, value)| is_null(value) || self.is_ghost(expr)) {
            return None;
        }
        let same = self.store.eq(a.1, b.1);
        let texts = self.texts_that_meet(a, b);
        if same == self.store.tt() && texts == self.store.ff() {
            return None;
        }
        let open = self.may_meet(a, b);
        if open == self.store.ff() && texts == self.store.ff() {
            return None;
        }
        let any = self.arbitrary("addresses that may be the same", Sort::Bool);
        let meets = self.store.and(&[open, any]);
        let equal = self.store.or(&[same, meets]);
        let equal = self.store.ite(texts, any, equal);
        Some(if op == BinaryOp::Equal { equal } else { self.store.not(equal) })
    }

    /// When two addresses lead to what may be one place or two: string literals, of which nobody says.
    fn texts_that_meet(&mut self, a: (ExprId, TermId), b: (ExprId, TermId)) -> TermId {
        let cfa = self.encoder.cfa;
        let is_text = |variable: &VarId| {
            cfa.variables.get(variable.index()).is_some_and(|known| matches!(known.kind, VarKind::StringLiteral(_)))
        };
        if a.0 == b.0 {
            return self.store.ff();
        }
        let (first, second) = (self.objects_of(a), self.objects_of(b));
        let (Some(first), Some(second)) = (&first, &second) else {
            // Different addresses may be the same anyway.
            let is_of_units = |variable: &VarId| cfa.overlap(*variable, *variable).is_some();
            let may_be_text = |(expr, _), few: &Option<Vec<VarId>>| match few {
                Some(few) => few.iter().any(is_of_units),
                None => self.encoder.points_to.targets(expr).variables.iter().any(is_of_units),
            };
            let both = may_be_text(a, &first) && may_be_text(b, &second);
            return self.store.bool(both);
        };
        let word = self.word();
        let mut cases = Vec::new();
        for one in first.iter().copied().filter(is_text) {
            for other in second.iter().copied().filter(is_text) {
                let Some(behind) = cfa.overlap(one, other) else { continue };
                let (begin, end) = (self.encoder.objects.base(one), self.encoder.objects.base(other));
                let apart = i128::from(end) - i128::from(begin) - i128::from(behind);
                let apart = self.store.bits(word, apart as u128);
                let moved = self.store.add(a.1, apart);
                let (same, here, there) = (self.store.eq(moved, b.1), self.is_in(a.1, one), self.is_in(b.1, other));
                cases.push(self.store.and(&[same, here, there]));
            }
        }
        self.store.or(&cases)
    }

    /// When two different addresses may be the same in a run.
    fn may_meet(&mut self, a: (ExprId, TermId), b: (ExprId, TermId)) -> TermId {
        let (Some(first), Some(second)) = (self.objects_of(a), self.objects_of(b)) else { return self.store.tt() };
        let mut cases = Vec::new();
        let ([lasting, own], [others_lasting, others_own]) = (self.by_storage(&first), self.by_storage(&second));
        for (some, others) in [(&lasting, &others_lasting), (&own, &others_own)] {
            cases.push(self.neighbours((a.1, some), (b.1, others)));
            cases.push(self.neighbours((b.1, others), (a.1, some)));
        }
        cases.push(self.successors((a.1, &own), (b.1, &others_own)));
        cases.push(self.successors((b.1, &others_own), (a.1, &own)));
        if self.encoder.comes_again && self.may_be_piece(a.0) && self.may_be_piece(b.0) {
            let (one, other) = (self.is_in_heap(a.1), self.is_in_heap(b.1));
            let (dead, dead_too) = (self.is_freed(a), self.is_freed(b));
            let either = self.store.or(&[dead, dead_too]);
            cases.push(self.store.and(&[one, other, either]));
        }
        self.store.or(&cases)
    }

    /// The variables that an address may lead to or end at; `None` if those are too many.
    pub(super) fn objects_of(&self, (expr, value): (ExprId, TermId)) -> Option<Vec<VarId>> {
        let constant = matches!(self.store.op(value), Op::Bits(_) | Op::Add);
        if let Some(object) = self.named_object(value).filter(|_| constant) {
            let is_variable = !self.encoder.objects.is_hidden(object) && self.reads_address(expr);
            return Some(if is_variable { vec![object] } else { Vec::new() });
        }
        let targets = self.encoder.points_to.targets(expr).variables;
        (targets.len() <= MOST_TARGETS).then_some(targets)
    }

    /// Those of the variables that live as long as the program, and those that live as long as a call.
    fn by_storage(&self, variables: &[VarId]) -> [Vec<VarId>; 2] {
        let cfa = self.encoder.cfa;
        let known = variables.iter().copied().filter(|variable| variable.index() < cfa.variables.len());
        let (own, lasting) = known.partition(|variable| cfa.variable(*variable).is_automatic());
        [lasting, own]
    }

    /// Whether the value is that of a variable that a tool has added.
    fn is_ghost(&self, expr: ExprId) -> bool {
        let cfa = self.encoder.cfa;
        let Expr::Load(place) = *cfa.exprs.get(expr) else { return false };
        matches!(*cfa.exprs.get(place), Expr::Variable(variable) if cfa.variable(variable).is_ghost())
    }

    /// Whether a value is a pointer, or a number that one may have become.
    fn reads_address(&self, expr: ExprId) -> bool {
        let cfa = self.encoder.cfa;
        let is_pointer = matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Pointer(_));
        is_pointer || self.encoder.numbers.is_some() && !matches!(cfa.exprs.get(expr), Expr::Int(_))
    }

    /// When an address is where one of some variables ends, and another one where another variable begins.
    fn neighbours(&mut self, (a, some): (TermId, &[VarId]), (b, others): (TermId, &[VarId])) -> TermId {
        let mut cases = Vec::new();
        for one in some {
            let others: Vec<VarId> = others.iter().copied().filter(|other| other != one).collect();
            let end = self.end_of(*one);
            let ends = self.store.eq(a, end);
            if ends == self.store.ff() {
                continue;
            }
            let mut begins = Vec::new();
            for other in others {
                let begin = self.bits_of(self.encoder.objects.base(other));
                begins.push(self.store.eq(b, begin));
            }
            let begins = self.store.or(&begins);
            cases.push(self.store.and(&[ends, begins]));
        }
        self.store.or(&cases)
    }

    /// When an address is in one of some variables whose call may have returned, and another one in another variable.
    fn successors(&mut self, (a, some): (TermId, &[VarId]), (b, others): (TermId, &[VarId])) -> TermId {
        let mut cases = Vec::new();
        for one in some {
            if !self.may_have_ended(*one) {
                continue;
            }
            let mut here = Vec::new();
            for other in others.iter().filter(|other| *other != one) {
                here.push(self.is_in(b, *other));
            }
            let (there, here) = (self.is_in(a, *one), self.store.or(&here));
            cases.push(self.store.and(&[there, here]));
        }
        self.store.or(&cases)
    }

    /// Whether a variable is one of a call that has returned: nobody who called this function has it.
    fn may_have_ended(&mut self, variable: VarId) -> bool {
        let here = self.encoder.cfa.location(self.encoder.cfa.edge(self.edge).source).function;
        // Blocks of the heap are no variables of the program, and no function's.
        let owner = self.encoder.cfa.variables.get(variable.index()).and_then(|variable| variable.function);
        owner.is_some_and(|owner| !self.encoder.active(here).contains(&owner))
    }

    pub(super) fn is_in(&mut self, address: TermId, variable: VarId) -> TermId {
        let (begin, end) = (self.bits_of(self.encoder.objects.base(variable)), self.end_of(variable));
        let (behind, before) = (self.store.ule(begin, address), self.store.ule(address, end));
        self.store.and(&[behind, before])
    }

    /// When an address leads to a piece of memory that was freed, and not allocated again.
    fn is_freed(&mut self, (expr, address): (ExprId, TermId)) -> TermId {
        let sites = self.encoder.points_to.targets(expr).sites;
        let mut cases = Vec::new();
        for piece in self.encoder.heap.pieces(&sites) {
            let (bit, value) = self.end_of_piece(piece);
            let bit = self.state.get(self.store, bit);
            let (is_free, is_here) = (self.store.eq(bit, value), self.is_in(address, piece));
            cases.push(self.store.and(&[is_free, is_here]));
        }
        self.store.or(&cases)
    }

    fn is_in_heap(&mut self, address: TermId) -> TermId {
        let (low, high) = self.encoder.heap.range();
        let (low, high) = (self.bits_of(low), self.bits_of(high));
        let (behind, before) = (self.store.ule(low, address), self.store.ult(address, high));
        self.store.and(&[behind, before])
    }

    fn end_of(&mut self, variable: VarId) -> TermId {
        self.bits_of(self.encoder.objects.base(variable) + self.encoder.objects.size(variable))
    }

    fn bits_of(&mut self, address: u64) -> TermId {
        let word = self.word();
        self.store.bits(word, u128::from(address))
    }
}
