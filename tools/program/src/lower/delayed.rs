//! `*to++ = *from++`, `a[i++] = v` and `x = y++` as what statements of their own are: the assignment, then the steps.
//!
//! C lets `++` and `--` happen at any time within the expression, and where somebody could tell when, the program is undefined
//! (C11 6.5 paragraph 2). So a program that takes its steps behind the assignment is the same automaton, without a temporary for
//! what was there before. Only where nothing else in the expression names what is stepped or has an effect, nobody takes its
//! address anywhere and no union gives it another name, so that undefined programs that alias without casts stay as gcc has them.
//! Does not know orders that gcc chooses: `first` does, for everything else.

use super::flags::{CHANGE, EDGES, EFFECT};
use super::{Lowered, Lowerer};
use crate::ast::{self, ExprKind, Symbol, UnaryOp};
use crate::types::{Type, TypeId};

/// A `++` or `--` that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    whole: ast::ExprId,
    op: UnaryOp,
    operand: ast::ExprId,
}

/// The steps in an expression, and the expressions that have an effect because of them.
#[derive(Debug, Default)]
struct Found {
    steps: Vec<Waiting>,
    around: Vec<ast::ExprId>,
}

impl Lowerer<'_> {
    /// Does something with expressions whose steps are taken behind it; nothing, if there are none that can be.
    pub(super) fn then_steps<T>(
        &mut self,
        exprs: &[ast::ExprId],
        work: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<Option<T>> {
        if self.quiet > 0 || !exprs.iter().any(|expr| self.has_effect(*expr)) {
            return Ok(None);
        }
        let mut found = Found::default();
        let can_wait = exprs.iter().all(|expr| self.find_steps(*expr, &mut found).is_some()) && self.are_apart(exprs, &found);
        if !can_wait {
            return Ok(None);
        }
        for step in &found.steps {
            if self.is_in_union(step.operand)? {
                return Ok(None);
            }
        }
        let flags: Vec<u8> = found.around.iter().map(|expr| self.flags[expr.index()]).collect();
        for expr in &found.around {
            self.flags[expr.index()] &= !(EFFECT | CHANGE);
        }
        self.body.stepped.extend(found.steps.iter().map(|step| step.whole));
        let done = work(self);
        for step in &found.steps {
            self.body.stepped.remove(&step.whole);
        }
        for (expr, flags) in found.around.iter().zip(flags) {
            self.flags[expr.index()] = flags;
        }
        let done = done?;
        for Waiting { whole, op, operand } in found.steps {
            self.step(op, operand, self.ast[whole].span, false)?;
        }
        Ok(Some(done))
    }

    /// Adds the steps that an expression takes; none if it does anything else that somebody notices.
    fn find_steps(&self, expr: ast::ExprId, found: &mut Found) -> Option<()> {
        if self.flags[expr.index()] & EDGES != 0 {
            return None;
        }
        if !self.has_effect(expr) {
            return Some(());
        }
        found.around.push(expr);
        match self.ast[expr].kind {
            ExprKind::Unary { op: op @ (UnaryOp::PostIncrement | UnaryOp::PostDecrement), operand } => {
                self.stepped_name(operand)?;
                found.steps.push(Waiting { whole: expr, op, operand });
                Some(())
            }
            ExprKind::Unary { op: UnaryOp::Deref | UnaryOp::Minus | UnaryOp::BitNot, operand }
            | ExprKind::Cast { operand, .. } => self.find_steps(operand, found),
            ExprKind::Index { base, index } => {
                self.find_steps(base, found)?;
                self.find_steps(index, found)
            }
            ExprKind::Member { base, .. } => self.find_steps(base, found),
            _ => None,
        }
    }

    /// The name by which a variable or a member is stepped.
    fn stepped_name(&self, operand: ast::ExprId) -> Option<Symbol> {
        match self.ast[operand].kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Member { member, .. } if self.flags[operand.index()] & (EFFECT | EDGES) == 0 => Some(member.name),
            _ => None,
        }
    }

    /// Whether the names of what is stepped stand nowhere else in the expressions.
    fn are_apart(&self, exprs: &[ast::ExprId], found: &Found) -> bool {
        let Some(names) = self.all_names(exprs) else { return false };
        let once = |name: Symbol| names.iter().filter(|other| **other == name).count() == 1;
        let is_apart = |step: &Waiting| {
            let is_pointed_to = match self.ast[step.operand].kind {
                ExprKind::Name(name) => !self.is_unaddressed(self.item_of(step.operand), name),
                ExprKind::Member { member, .. } => self.is_pointed_member(member.name),
                _ => true,
            };
            !is_pointed_to && self.stepped_name(step.operand).is_some_and(once)
        };
        !found.steps.is_empty() && found.steps.iter().all(is_apart)
    }

    /// Whether a place may be another member of a union as well.
    fn is_in_union(&mut self, mut place: ast::ExprId) -> Lowered<bool> {
        loop {
            place = match self.ast[place].kind {
                ExprKind::Member { base, .. } => {
                    let ty = self.type_of(base)?.ty;
                    let record = self.pointee(ty).map_or(ty, |to| to.ty);
                    if self.holds_union(record) {
                        return Ok(true);
                    }
                    base
                }
                ExprKind::Index { base, .. } => base,
                _ => return Ok(false),
            };
        }
    }

    fn holds_union(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Array { element, .. } => self.holds_union(element.ty),
            Type::Record(id) => {
                let record = self.types.record(*id);
                record.is_union || record.fields.iter().any(|field| self.holds_union(field.ty.ty))
            }
            _ => false,
        }
    }

    /// The variables and members that expressions name, each as often as it stands there; none if they are not looked through.
    fn all_names(&self, exprs: &[ast::ExprId]) -> Option<Vec<Symbol>> {
        let (mut names, mut open) = (Vec::new(), exprs.to_vec());
        while let Some(expr) = open.pop() {
            match self.ast[expr].kind {
                ExprKind::Name(name) => names.push(name),
                ExprKind::Member { member, .. } => names.push(member.name),
                _ => {}
            }
            open.extend(self.parts(expr)?);
            if names.len() > super::first::MOST_PARTS || open.len() > super::first::MOST_PARTS {
                return None;
            }
        }
        Some(names)
    }
}
