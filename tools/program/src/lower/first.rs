//! What an assignment evaluates first, where it can be noticed.
//!
//! As gcc does (`gimplify_modify_expr`): the value, then the place; but a call whose result is stored as it is comes behind the
//! place, whose operands are read behind its arguments; and a value that is read from memory is read last.
//! Does not know how either is evaluated.

use super::build::Class;
use super::flags::{CHANGE, EDGES};
use super::place::Place;
use super::{Lowered, Lowerer};
use crate::ast::{self, BinaryOp, Derived, ExprKind, InitializerKind, StmtKind, UnaryOp};

/// Each of them looks at the types of those in it.
const DEEPEST_ASSIGNMENTS: usize = 16;
/// Expressions that are looked through for names.
pub(super) const MOST_PARTS: usize = 64;

/// What an assignment evaluates first.
#[derive(Clone, Copy, Debug)]
pub(super) enum First {
    Place,
    Value,
    /// Where the value is read from, then the place, then what is there.
    Source,
    /// The arguments of this call, which is the value, then the place.
    Arguments(ast::ExprId),
    /// The left side of a comma; the right one is assigned.
    Left(ast::ExprId, ast::ExprId),
}

impl Lowerer<'_> {
    /// What `target = value` or `target op= value` evaluates first.
    pub(super) fn first(&mut self, op: Option<BinaryOp>, target: ast::ExprId, value: ast::ExprId) -> Lowered<First> {
        // What is not evaluated has no order. To look at types there again would double the work with each nested assignment.
        if self.quiet > 0 || !self.order_matters(op, target, value) {
            return Ok(First::Place);
        }
        if op.is_some() {
            return Ok(First::Value);
        }
        let ast = self.ast;
        let only = self.only_expression(value);
        if let Some(call) = self.bare_call(only) {
            return self.first_of_call(target, only, call);
        }
        Ok(match &ast[only].kind {
            ExprKind::Comma { left, right } if only == value => First::Left(*left, *right),
            ExprKind::CompoundLiteral { .. } => First::Place,
            ExprKind::Conditional { .. } if self.is_record(only)? => First::Place,
            _ if only == value && self.is_source(only) => First::Source,
            _ => First::Value,
        })
    }

    /// Whether a value is what is at some place.
    fn is_source(&self, value: ast::ExprId) -> bool {
        matches!(
            self.ast[value].kind,
            ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Member { .. } | ExprKind::Unary { op: UnaryOp::Deref, .. }
        )
    }

    /// Whether a place changes what the value reads, and gcc's order depends on more than the shape of the two: it drops conversions
    /// and operators without effect, reads values of assignments again, and takes operands of `op=` and what becomes a bit-field apart.
    pub(super) fn is_open(&mut self, op: Option<BinaryOp>, target: ast::ExprId, value: ast::ExprId) -> Lowered<bool> {
        if self.quiet > 0 || self.flags[target.index()] & CHANGE == 0 {
            return Ok(false);
        }
        let is_open = match self.ast[value].kind {
            ExprKind::Assign { target: inner, value, .. } => {
                self.reads_what_changes(inner, target) || self.reads_what_changes(value, target)
            }
            ExprKind::Comma { right, .. } => self.reads_what_changes(right, target),
            ExprKind::Call { .. } | ExprKind::CompoundLiteral { .. } => false,
            _ => {
                let is_kept = self.is_bare(value) || op.is_none() && self.is_source(value);
                let is_kept = is_kept && self.type_of(target)?.ty == self.type_of(value)?.ty;
                let is_cut = |this: &mut Self, part| -> Lowered<bool> { Ok(this.quietly(|this| this.is_bit_field(part))?.0) };
                self.reads_what_changes(value, target) && (!is_kept || is_cut(self, target)? || is_cut(self, value)?)
            }
        };
        Ok(is_open)
    }

    /// Whether it can be noticed what is evaluated first.
    fn order_matters(&self, op: Option<BinaryOp>, target: ast::ExprId, value: ast::ExprId) -> bool {
        let both = self.is_noticed(target) && self.is_noticed(value);
        let moves = self.has_effect(value) && !matches!(self.ast[target].kind, ExprKind::Name(_));
        let is_moved = op.is_none() && self.has_effect(target) && !self.is_written(value);
        // `*p++ = *q++`: no order says so if no variable is in both.
        let takes_edges = (self.flags[target.index()] | self.flags[value.index()]) & EDGES != 0;
        let meet = || takes_edges || !self.has_effect(target) || self.share_a_name(target, value);
        (both || moves || is_moved) && meet()
    }

    /// Whether a value is written in the text.
    fn is_written(&self, value: ast::ExprId) -> bool {
        matches!(self.ast[value].kind, ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::String(_))
    }

    fn share_a_name(&self, one: ast::ExprId, other: ast::ExprId) -> bool {
        match (self.names(one), self.names(other)) {
            (Some(some), Some(others)) => some.iter().any(|name| others.contains(name)),
            (_, _) => true,
        }
    }

    /// The variables that an expression names; none if it is not looked through.
    fn names(&self, expr: ast::ExprId) -> Option<Vec<ast::Symbol>> {
        let (mut found, mut open) = (Vec::new(), vec![expr]);
        for _ in 0..MOST_PARTS {
            let Some(expr) = open.pop() else { return Some(found) };
            if let ExprKind::Name(name) = self.ast[expr].kind {
                found.push(name);
            }
            open.extend(self.parts(expr)?);
        }
        None
    }

    /// The expressions that one is made of; none if it is not looked through.
    pub(super) fn parts(&self, expr: ast::ExprId) -> Option<Vec<ast::ExprId>> {
        Some(match &self.ast[expr].kind {
            ExprKind::Name(_) | ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_) | ExprKind::String(_) => Vec::new(),
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } | ExprKind::VaArg { list: operand, .. } => {
                vec![*operand]
            }
            ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => vec![*left, *right],
            ExprKind::Assign { target, value, .. } => vec![*target, *value],
            ExprKind::Index { base, index } => vec![*base, *index],
            ExprKind::Member { base, .. } => vec![*base],
            ExprKind::Conditional { condition, then, otherwise } => {
                [Some(*condition), *then, Some(*otherwise)].into_iter().flatten().collect()
            }
            ExprKind::Call { callee, arguments } => std::iter::once(*callee).chain(arguments.iter().copied()).collect(),
            ExprKind::Statement(block) => {
                let mut parts = Vec::new();
                self.parts_of_statement(*block, &mut parts)?;
                parts
            }
            _ => return None,
        })
    }

    /// The expressions that a statement is made of.
    fn parts_of_statement(&self, statement: ast::StmtId, parts: &mut Vec<ast::ExprId>) -> Option<()> {
        match &self.ast[statement].kind {
            StmtKind::Empty { .. } => {}
            StmtKind::Expr(expr) => parts.push(*expr),
            StmtKind::Compound { items, .. } => {
                for item in items {
                    self.parts_of_statement(*item, parts)?;
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                parts.push(*condition);
                self.parts_of_statement(*then, parts)?;
                otherwise.map_or(Some(()), |otherwise| self.parts_of_statement(otherwise, parts))?;
            }
            StmtKind::Declaration(id) => {
                for declared in &self.ast[*id].declarators {
                    let is_plain = |derived: &Derived| matches!(derived, Derived::Pointer { .. });
                    let lasts = self.ast[*id].specifiers.storage.is_some();
                    if lasts || !self.ast[*declared].declarator.derived.iter().all(is_plain) {
                        return None;
                    }
                    match self.ast[*declared].initializer.map(|value| &self.ast[value].kind) {
                        None => {}
                        Some(InitializerKind::Expr(value)) => parts.push(*value),
                        Some(InitializerKind::List(_)) => return None,
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The expression of a statement expression that has one statement.
    fn only_expression(&self, mut value: ast::ExprId) -> ast::ExprId {
        while let ExprKind::Statement(block) = self.ast[value].kind
            && let StmtKind::Compound { labels, items, .. } = &self.ast[block].kind
            && let [only] = &items[..]
            && labels.is_empty()
            && let StmtKind::Expr(inner) = self.ast[*only].kind
        {
            value = inner;
        }
        value
    }

    /// The call that a value is, under casts.
    fn bare_call(&self, mut value: ast::ExprId) -> Option<ast::ExprId> {
        while let ExprKind::Cast { operand, .. } = self.ast[value].kind {
            value = operand;
        }
        matches!(self.ast[value].kind, ExprKind::Call { .. }).then_some(value)
    }

    /// The order if the value is a call, perhaps under casts.
    fn first_of_call(&mut self, target: ast::ExprId, value: ast::ExprId, call: ast::ExprId) -> Lowered<First> {
        let ExprKind::Call { callee, arguments } = &self.ast[call].kind else { return Ok(First::Value) };
        if let ExprKind::Name(name) = self.ast[*callee].kind
            && self.is_lowered_by_name(name)
        {
            return Ok(First::Value);
        }
        if self.body.assigning > DEEPEST_ASSIGNMENTS {
            let message = format!("assignments whose order can be noticed are nested more than {DEEPEST_ASSIGNMENTS} deep");
            return Err(self.error(self.ast[target].span, message, "too deep to be analysed"));
        }
        let (to, from) = (self.type_of(target)?.ty, self.type_of(call)?.ty);
        // Pointers are all alike to gcc.
        let is_alike = to == from || self.class(to) == Class::Pointer && self.class(from) == Class::Pointer;
        let is_stored = is_alike && self.casts_keep(value, call)? && !self.quietly(|this| this.is_bit_field(target))?.0;
        if !is_stored {
            return Ok(First::Value);
        }
        let before =
            |argument: &ast::ExprId| self.is_noticed(*argument) || self.has_effect(target) && !self.is_written(*argument);
        let is_prepared =
            arguments.iter().any(before) || self.has_effect(target) && !matches!(self.ast[*callee].kind, ExprKind::Name(_));
        Ok(if is_prepared { First::Arguments(call) } else { First::Place })
    }

    /// Whether casts of the result of a call lose nothing of it, so that nothing is left of them where its type is wanted again.
    fn casts_keep(&mut self, mut value: ast::ExprId, call: ast::ExprId) -> Lowered<bool> {
        let result = self.type_of(call)?.ty;
        while value != call {
            let ExprKind::Cast { operand, .. } = self.ast[value].kind else { return Ok(false) };
            let ty = self.type_of(value)?.ty;
            let is_wider = match (self.class(ty), self.class(result)) {
                (Class::Integer, Class::Integer) => match (self.format(ty), self.format(result)) {
                    (Some(to), Some(from)) => to.bits >= from.bits && ty != self.basic.bool_,
                    (_, _) => false,
                },
                (Class::Pointer, Class::Pointer) => true,
                (_, _) => false,
            };
            if !is_wider {
                return Ok(false);
            }
            value = operand;
        }
        Ok(true)
    }

    fn is_record(&mut self, value: ast::ExprId) -> Lowered<bool> {
        let ty = self.type_of(value)?.ty;
        Ok(self.class(ty) == Class::Record)
    }

    /// A place whose address is evaluated now.
    pub(super) fn settled(&mut self, target: ast::ExprId, mut place: Place) -> Place {
        place.expr = self.freeze(place.expr, self.ast[target].span);
        place
    }
}
