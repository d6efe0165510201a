//! The order in which gcc evaluates two operands, where it shows.
//!
//! C leaves it open. gcc folds an expression before it evaluates it: it turns differences round, moves constants, cuts operands
//! instead of results, and what comes of that depends on its options. So only operands that stand as they are, and sums of such,
//! are read in gcc's order; whatever else shows an order is unsupported.
//! Knows: where operands begin, what an operator would be with its variable read in the other order, and which of the two a conversion asks for. Does
//! not know: the operators themselves, and what an expression may change (`written`).

use super::Lowerer;
use super::cursor::Cursor;
use crate::ast::{self, BinaryOp as Op, ExprKind, UnaryOp as Prefix};
use crate::cfa::{LocationId, Operation};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::source::Span;
use crate::types::TypeId;

/// Operands whose order shows, and depends on how a compiler takes them apart.
pub(super) const OPEN: &str = "order of operands that compilers choose";

/// The last operator whose left operand is a variable that the right one may change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// Its value.
    pub(super) result: ExprId,
    /// That with the variable read in the other order.
    pub(super) other: ExprId,
    /// How wide the variable is.
    pub(super) bits: u32,
    /// Whether the value reads it last.
    pub(super) is_last: bool,
}

/// What asks for some of the bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// A cast.
    Written,
    /// A conversion that C makes.
    Implied,
}

/// What of the order of operands shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    /// It does, and compilers leave bare operands as they are.
    Plain,
    /// As long as nobody takes apart what the value is made of.
    Sum,
    Open,
}

/// Where the evaluation of operands begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    location: LocationId,
    /// How many edges there were.
    edges: usize,
}

impl Lowerer<'_> {
    /// Where the operands of an operator begin, if their order may show.
    pub(super) fn start(&mut self, left: ast::ExprId, right: ast::ExprId) -> Option<Start> {
        if self.quiet > 0 || !self.is_noticed(left) && !self.has_effect(right) {
            return None;
        }
        self.here().map(|location| Start { location, edges: self.edges.len() })
    }

    /// Nobody goes on from where operands begin whose order is not known: the one that is evaluated first may not come back.
    pub(super) fn refuse(&mut self, start: Option<Start>, span: Span) {
        let Some(Start { location, edges }) = start.filter(|start| self.quiet == 0 && self.edges.len() > start.edges) else {
            return self.unsupported(OPEN, span);
        };
        let behind = self.new_location();
        for edge in self.edges[edges..].iter_mut().filter(|edge| edge.source == location) {
            edge.source = behind;
        }
        if self.body.cursor == Cursor::At(location) {
            self.body.cursor = Cursor::At(behind);
        }
        self.push_edge(location, behind, Operation::Unsupported { construct: OPEN.into() }, span);
    }

    /// As [`Self::refuse`], for what a value is made of.
    pub(super) fn refuse_value(&mut self, value: ExprId, span: Span) {
        self.refuse(self.found_order(value).and_then(|(_, start)| start), span);
    }

    /// The value of an operator as gcc reads its operands where only some of its bits are wanted: it makes that conversion of the
    /// operands, and a variable of as many bits changes places. One that has changed places already stays there, unless a cast is
    /// what asks for fewer bits: that comes to the operands before they change.
    pub(super) fn in_order(&mut self, value: ExprId, to: TypeId, cut: Cut) -> ExprId {
        if self.is_cut_open(value, to) {
            self.refuse_value(value, self.body.statement);
        }
        let Some(order) = self.body.order.take().filter(|order| order.result == value && to != self.basic.bool_) else {
            return value;
        };
        let (Some(from), Some(to)) = (self.format(self.ty(value)), self.format(to)) else { return value };
        let is_last = to.bits == order.bits || cut == Cut::Implied && order.is_last;
        if to.bits < from.bits && is_last != order.is_last { order.other } else { value }
    }

    /// Whether a conversion cuts bits off a sum that depends on the order of operands: gcc may find that it needs none of some.
    fn is_cut_open(&self, value: ExprId, to: TypeId) -> bool {
        let bits = |ty| self.format(ty).map_or(0, |format| format.bits);
        to != self.basic.bool_ && bits(to) < bits(self.ty(value)) && self.order_of(value) == Shown::Sum
    }

    /// Whether the value of an expression is that of an assignment, which gcc keeps.
    pub(super) fn is_stored(&self, mut expr: ast::ExprId) -> bool {
        loop {
            match &self.ast[expr].kind {
                ast::ExprKind::Cast { operand: inner, .. } | ast::ExprKind::Comma { right: inner, .. } => expr = *inner,
                ast::ExprKind::Unary { op, .. } => return matches!(op, Prefix::PreIncrement | Prefix::PreDecrement),
                ast::ExprKind::Assign { .. } => return true,
                _ => return false,
            }
        }
    }

    /// Whether the order of two operands shows, and gcc takes them apart before it evaluates them: it subtracts what is negated,
    /// and moves constants out of sums and products. What it makes of them depends on its options (`-fwrapv`).
    fn is_order_open(&self, op: Op, (left, a): (ast::ExprId, ExprId), (right, b): (ast::ExprId, ExprId)) -> bool {
        let (is_negated, is_other_negated) = (self.is_negated(a), self.is_negated(b));
        let is_swapped = match op {
            Op::Add | Op::Subtract | Op::BitXor => is_negated || is_other_negated,
            Op::Multiply | Op::Divide | Op::Remainder | Op::BitAnd | Op::BitOr => is_negated && is_other_negated,
            Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual | Op::Equal | Op::NotEqual => {
                is_negated && is_other_negated
            }
            Op::ShiftLeft | Op::ShiftRight | Op::LogicalAnd | Op::LogicalOr => false,
        };
        let both = self.is_noticed(left) && self.is_noticed(right);
        let is_moved = |this: &Self| this.may_be_changed(a, right);
        let is_moved_back = |this: &Self| this.may_be_changed(b, left);
        is_swapped && (both || is_moved(self) || is_moved_back(self)) || self.has_constants(op, a) && is_moved(self)
    }

    /// Whether a value is a negated one, or one that is subtracted from a constant.
    fn is_negated(&self, mut value: ExprId) -> bool {
        loop {
            value = match *self.exprs.get(value) {
                Expr::Unary(UnaryOp::Negate | UnaryOp::Complement, _) => return true,
                Expr::Binary(BinaryOp::Subtract, x, _) if self.is_number(x) => return true,
                Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, x, y) if self.is_number(y) => x,
                Expr::Binary(BinaryOp::Add, x, y) if self.is_number(x) => y,
                Expr::Cast(inner) => inner,
                _ => return false,
            };
        }
    }

    /// Whether a value is a variable with constants that an operator lets be moved behind what follows.
    fn has_constants(&self, op: Op, value: ExprId) -> bool {
        let is_whole = |number: ExprId| matches!(self.exprs.get(number), Expr::Int(_));
        let (mut at, mut is_found) = (value, false);
        loop {
            if let (Op::Multiply, Expr::Unary(UnaryOp::Negate, x)) = (op, *self.exprs.get(at)) {
                at = x;
                continue;
            }
            let Expr::Binary(inner, x, y) = *self.exprs.get(at) else { break };
            let is_same = match op {
                Op::Add => matches!(inner, BinaryOp::Add | BinaryOp::Subtract),
                Op::Multiply => inner == BinaryOp::Multiply,
                Op::BitAnd => inner == BinaryOp::BitAnd,
                Op::BitOr => inner == BinaryOp::BitOr,
                Op::BitXor => inner == BinaryOp::BitXor,
                _ => false,
            };
            let is_neutral = |number: ExprId| match inner {
                BinaryOp::Multiply | BinaryOp::Divide => matches!(self.exprs.get(number), Expr::Int(1)),
                _ => inner != BinaryOp::BitAnd && matches!(self.exprs.get(number), Expr::Int(0)),
            };
            at = if is_whole(y) && (is_same || is_neutral(y)) {
                x
            } else if is_whole(x) && is_same {
                y
            } else {
                break;
            };
            is_found = true;
        }
        is_found && self.variable_of(at).is_some()
    }

    fn is_number(&self, value: ExprId) -> bool {
        matches!(self.exprs.get(value), Expr::Int(_) | Expr::Float(_))
    }

    /// What of the order of two operands shows.
    pub(super) fn shown(&mut self, op: Op, (left, a): (ast::ExprId, ExprId), (right, b): (ast::ExprId, ExprId)) -> Shown {
        if self.is_order_open(op, (left, a), (right, b)) {
            return Shown::Open;
        }
        if !(self.may_be_changed(a, right) || self.may_be_changed(b, left) || self.meet(left, right) || self.meet(right, left)) {
            return Shown::Nothing;
        }
        match () {
            () if self.is_bare(left) && self.is_bare(right) => Shown::Plain,
            () if self.is_plain(op, left) && self.is_plain(op, right) && self.ty(a) == self.ty(b) => Shown::Sum,
            () => Shown::Open,
        }
    }

    /// Whether an operand is a call or reads a place, as it stands: in what order gcc takes those is known.
    pub(super) fn is_bare(&self, expr: ast::ExprId) -> bool {
        match &self.ast[expr].kind {
            ExprKind::Name(_) | ExprKind::Call { .. } | ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) => true,
            ExprKind::Member { .. } | ExprKind::Index { .. } | ExprKind::Unary { op: Prefix::Deref, .. } => {
                self.changes_kept(expr)
            }
            _ => false,
        }
    }

    /// Whether an operand is bare, a part or a multiple of the value of a call (`f() << 8`, `f() & 255`, `f() * 10`), or a sum of
    /// such: gcc takes them in their order as long as no conversion is among them.
    fn is_plain(&self, op: Op, expr: ast::ExprId) -> bool {
        match &self.ast[expr].kind {
            ExprKind::Binary { op: part @ (Op::ShiftLeft | Op::ShiftRight | Op::BitAnd | Op::Multiply), left, right } => {
                let is_part = match op {
                    Op::Add | Op::BitOr => true,
                    Op::Subtract | Op::Equal | Op::NotEqual | Op::Less | Op::Greater => *part != Op::Multiply,
                    _ => false,
                };
                let is_call = |side: ast::ExprId| matches!(self.ast[side].kind, ExprKind::Call { .. });
                let is_number = |side: ast::ExprId| matches!(self.ast[side].kind, ExprKind::Integer(_));
                is_part && (is_call(*left) && is_number(*right) || *part == Op::Multiply && is_number(*left) && is_call(*right))
            }
            ExprKind::Binary { op: inner @ (Op::Add | Op::BitOr), left, right } => {
                op == *inner && self.is_plain(op, *left) && self.is_plain(op, *right)
            }
            _ => self.is_bare(expr),
        }
    }

    /// Remembers that a value depends on the order of operands, unless it is a number: those are the same wherever they stand.
    pub(super) fn remember(&mut self, value: ExprId, shown: Shown, start: Option<Start>) {
        if !matches!(self.exprs.get(value), Expr::Int(_) | Expr::Float(_)) {
            self.body.ordered.insert(value, (shown, start));
        }
    }

    /// Whether gcc may change the order of operands in a value that it computes with: it turns differences round under a sign,
    /// takes sums apart and cuts operands instead of results.
    pub(super) fn is_ordered(&self, value: ExprId) -> bool {
        self.order_of(value) != Shown::Nothing
    }

    fn order_of(&self, value: ExprId) -> Shown {
        self.found_order(value).map_or(Shown::Nothing, |(shown, _)| shown)
    }

    fn found_order(&self, mut value: ExprId) -> Option<(Shown, Option<Start>)> {
        loop {
            if let Some(found) = self.body.ordered.get(&value) {
                return Some(*found);
            }
            let Expr::Cast(inner) = *self.exprs.get(value) else { return None };
            value = inner;
        }
    }

    /// Whether an operator adds to a sum that depends on the order of operands, as it stands.
    pub(super) fn is_continued(&self, op: Op, a: ExprId, b: ExprId) -> bool {
        let inner = match op {
            Op::Add => BinaryOp::Add,
            Op::BitOr => BinaryOp::BitOr,
            _ => return false,
        };
        matches!(*self.exprs.get(a), Expr::Binary(found, ..) if found == inner) && self.ty(a) == self.ty(b) && !self.is_ordered(b)
    }

    /// Whether an operator compares a value with a constant, and leaves what it is made of alone: differences and `^` it does not.
    pub(super) fn is_tested(&self, op: Op, a: ExprId, b: ExprId) -> bool {
        let is_comparison = matches!(op, Op::Less | Op::Greater | Op::LessEqual | Op::GreaterEqual | Op::Equal | Op::NotEqual);
        let value = if self.is_number(b) { a } else { b };
        let is_alone = !matches!(self.exprs.get(value), Expr::Cast(_)) && !self.is_difference(value);
        is_comparison && (self.is_number(a) || self.is_number(b)) && is_alone
    }

    /// Nobody goes on where it is asked whether a difference that depends on the order of operands is zero: gcc compares them.
    pub(super) fn test(&mut self, value: ExprId) {
        if self.is_ordered(value) && self.is_difference(value) {
            self.refuse_value(value, self.body.statement);
        }
    }

    fn is_difference(&self, mut value: ExprId) -> bool {
        while let Expr::Cast(inner) = *self.exprs.get(value) {
            value = inner;
        }
        matches!(self.exprs.get(value), Expr::Binary(BinaryOp::Subtract | BinaryOp::BitXor, ..) | Expr::PointerDifference { .. })
    }

    /// The type of the variable that a value is read from, with conversions that leave all bits as they are.
    pub(super) fn variable_of(&self, value: ExprId) -> Option<TypeId> {
        let (mut variable, to) = (value, self.ty(value));
        while let Expr::Cast(inner) = *self.exprs.get(variable)
            && self.is_as_wide(self.ty(inner), to)
        {
            variable = inner;
        }
        let Expr::Load(place) = *self.exprs.get(variable) else { return None };
        matches!(self.exprs.get(place), Expr::Variable(_)).then_some(to)
    }

    /// The type of the variable that a value is read from, perhaps widened from `int` or more.
    pub(super) fn variable_below(&self, value: ExprId) -> Option<TypeId> {
        let bits = |this: &Self, ty| this.format(ty).map_or(0, |format| format.bits);
        let mut variable = value;
        while let Expr::Cast(inner) = *self.exprs.get(variable)
            && (32..=bits(self, self.ty(variable))).contains(&bits(self, self.ty(inner)))
        {
            variable = inner;
        }
        self.variable_of(variable)
    }

    /// Whether a conversion between two types leaves all bits as they are.
    pub(super) fn is_as_wide(&self, one: TypeId, other: TypeId) -> bool {
        match (self.format(one), self.format(other)) {
            (Some(one), Some(other)) => one.bits == other.bits,
            _ => one == other,
        }
    }
}
