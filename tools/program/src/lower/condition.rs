//! Conditions: `&&`, `||`, `!`, `?:` as branches, or as values where nothing depends on what is evaluated.

use super::build::Class;
use super::cursor::Cursor;
use super::place::Operand;
use super::{Lowered, Lowerer, RED_ZONE, STACK_STEP};
use crate::ast::{self, BinaryOp, ExprKind, UnaryOp};
use crate::cfa::Operation;
use crate::expr::{self, Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, Type, TypeId};

impl Lowerer<'_> {
    /// Branches on an expression: the cursors where it holds and where it does not.
    pub(super) fn condition(&mut self, expr: ast::ExprId) -> Lowered<(Cursor, Cursor)> {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.condition_here(expr))
    }

    fn condition_here(&mut self, expr: ast::ExprId) -> Lowered<(Cursor, Cursor)> {
        let ast = self.ast;
        let span = ast[expr].span;
        match &ast[expr].kind {
            ExprKind::Binary { op: BinaryOp::LogicalAnd, left, right } => {
                let (holds, fails) = self.condition(*left)?;
                self.body.cursor = holds;
                let (both, second) = self.condition(*right)?;
                Ok((both, self.merge(fails, second, span)))
            }
            ExprKind::Binary { op: BinaryOp::LogicalOr, left, right } => {
                let (holds, fails) = self.condition(*left)?;
                self.body.cursor = fails;
                let (second, neither) = self.condition(*right)?;
                Ok((self.merge(holds, second, span), neither))
            }
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                let (holds, fails) = self.condition(*operand)?;
                Ok((fails, holds))
            }
            ExprKind::Unary { op: UnaryOp::Extension, operand } => self.condition(*operand),
            ExprKind::Comma { left, right } => {
                self.discard(*left)?;
                self.condition(*right)
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                let (holds, fails) = self.condition(*condition)?;
                self.body.cursor = holds;
                let (then_holds, then_fails) = self.condition(*then)?;
                self.body.cursor = fails;
                let (else_holds, else_fails) = self.condition(*otherwise)?;
                Ok((self.merge(then_holds, else_holds, span), self.merge(then_fails, else_fails, span)))
            }
            ExprKind::Call { callee, arguments }
                if arguments.len() == 2 && self.is_builtin(*callee, "expect") && self.flags[arguments[1].index()] == 0 =>
            {
                let (holds, fails) = self.condition(arguments[0])?;
                Ok((holds, fails))
            }
            _ => {
                let value = self.scalar(expr)?;
                let truth = self.truth(value);
                let truth = self.decided(truth);
                Ok(self.fork(truth, span))
            }
        }
    }

    /// A condition on the address of an object or function holds always.
    fn decided(&mut self, truth: ExprId) -> ExprId {
        match *self.exprs.get(truth) {
            Expr::Int(_) => truth,
            Expr::Binary(_, left, _) if matches!(self.exprs.get(left), Expr::FunctionAddress(_)) => self.folded(truth),
            _ => truth,
        }
    }

    /// Whether `callee` names the builtin `__builtin_NAME`, not redefined.
    pub(super) fn is_builtin(&self, callee: ast::ExprId, name: &str) -> bool {
        let ExprKind::Name(symbol) = self.ast[callee].kind else { return false };
        self.ast.name(symbol).strip_prefix("__builtin_") == Some(name)
    }

    /// Whether evaluating an expression early would make no difference.
    fn is_harmless(&self, expr: ast::ExprId) -> bool {
        self.flags[expr.index()] == 0 || self.quiet > 0
    }

    /// `left && right` or `left || right` as a value.
    pub(super) fn logical(&mut self, expr: ast::ExprId, left: ast::ExprId, right: ast::ExprId) -> Lowered<ExprId> {
        let span = self.ast[expr].span;
        if self.is_harmless(right) {
            let op = match self.ast[expr].kind {
                ExprKind::Binary { op: BinaryOp::LogicalOr, .. } => expr::BinaryOp::LogicalOr,
                _ => expr::BinaryOp::LogicalAnd,
            };
            let a = self.scalar(left)?;
            let b = self.scalar(right)?;
            self.body.written.extend([(a, self.ast[left].span), (b, self.ast[right].span)]);
            return Ok(self.binary(op, a, b));
        }
        let result = self.temporary(self.basic.int);
        let (holds, fails) = self.condition(expr)?;
        let place = self.variable(result);
        let mut end = Cursor::Dead;
        for (cursor, value) in [(holds, 1), (fails, 0)] {
            self.body.cursor = cursor;
            let value = self.int(self.basic.int, value);
            self.emit(Operation::Assign { place, value }, span);
            let here = self.body.cursor.take();
            end = self.merge(end, here, span);
        }
        self.body.cursor = end;
        Ok(self.load_variable(result))
    }

    /// `condition ? then : otherwise` whose value is dropped.
    pub(super) fn discard_conditional(
        &mut self,
        condition: ast::ExprId,
        then: ast::ExprId,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Lowered<()> {
        let (holds, fails) = self.condition(condition)?;
        self.body.cursor = holds;
        self.discard(then)?;
        let end = self.body.cursor.take();
        self.body.cursor = fails;
        self.discard(otherwise)?;
        self.join(end, span);
        Ok(())
    }

    /// `condition ? then : otherwise`, or `condition ?: otherwise`.
    pub(super) fn conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Lowered<Operand> {
        let harmless = then.is_none_or(|then| self.is_harmless(then)) && self.is_harmless(otherwise);
        if harmless {
            return self.pure_conditional(condition, then, otherwise, span);
        }
        let Some(then) = then else {
            let value = self.scalar(condition)?;
            let value = self.save(value, span);
            let truth = self.truth(value);
            let (holds, fails) = self.fork(truth, self.ast[condition].span);
            let first = (condition, |_: &mut Self| Ok(Operand::Value(value)));
            return self.branches(holds, fails, first, otherwise, span);
        };
        let (holds, fails) = self.condition(condition)?;
        self.branches(holds, fails, (then, |this: &mut Self| this.operand(then)), otherwise, span)
    }

    /// Both values may be computed: an expression is enough, records excepted.
    fn pure_conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> Lowered<Operand> {
        let tested = self.scalar(condition)?;
        let truth = self.truth(tested);
        let a = match then {
            Some(then) => self.operand(then)?,
            None => Operand::Value(tested),
        };
        let b = self.operand(otherwise)?;
        let (Some(a), Some(b)) = (self.or_void(a, span)?, self.or_void(b, span)?) else {
            return Ok(Operand::Void);
        };
        let (a, b, odd) = self.in_common_width(a, b);
        let ty = self.joined_type((then.unwrap_or(condition), a), (otherwise, b), span)?;
        if let Some(chosen) = self.known_truth(truth) {
            let chosen = if chosen { a } else { b };
            let value = self.convert_joined(chosen, ty, span);
            return Ok(Operand::Value(odd.map_or(value, |odd| self.with_width(value, odd))));
        }
        if self.is_scalar(ty) || self.quiet > 0 {
            let (a, b) = (self.convert_joined(a, ty, span), self.convert_joined(b, ty, span));
            let value = self.exprs.intern(Expr::Conditional(truth, a, b), ty);
            self.body.written.insert(truth, self.ast[condition].span);
            let value = self.choice(value);
            return Ok(Operand::Value(odd.map_or(value, |odd| self.with_width(value, odd))));
        }
        let (holds, fails) = self.fork(truth, self.ast[condition].span);
        let result = self.temporary(ty);
        let place = self.variable(result);
        let mut end = Cursor::Dead;
        for (cursor, value) in [(holds, a), (fails, b)] {
            self.body.cursor = cursor;
            let value = self.convert_joined(value, ty, span);
            self.emit(Operation::Assign { place, value }, span);
            let here = self.body.cursor.take();
            end = self.merge(end, here, span);
        }
        self.body.cursor = end;
        Ok(Operand::Value(self.load_variable(result)))
    }

    fn known_truth(&self, truth: ExprId) -> Option<bool> {
        match *self.exprs.get(truth) {
            Expr::Int(bits) => Some(bits != 0),
            _ if self.quiet > 0 => match self.evaluate(truth) {
                Some(crate::cfa::ConstantValue::Int(bits)) => Some(bits != 0),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of an operand, or nothing if it is `void`.
    fn or_void(&mut self, operand: Operand, span: Span) -> Lowered<Option<ExprId>> {
        match operand {
            Operand::Void => Ok(None),
            Operand::Place(place) if self.ty(place.expr) == self.basic.void => Ok(None),
            operand => self.rvalue(operand, span).map(Some),
        }
    }

    /// Both branches as ways of their own that leave their value in one temporary.
    fn branches(
        &mut self,
        holds: Cursor,
        fails: Cursor,
        (written, then): (ast::ExprId, impl FnOnce(&mut Self) -> Lowered<Operand>),
        otherwise: ast::ExprId,
        span: Span,
    ) -> Lowered<Operand> {
        // The temporary's type is known only when both branches are; its number must not depend on them.
        let number = self.body.next_temporary;
        self.body.next_temporary += 1;
        let decided = (holds == Cursor::Dead) != (fails == Cursor::Dead);
        let then_lives = holds != Cursor::Dead;
        self.body.cursor = holds;
        let a = then(self)?;
        let a = self.or_void(a, span)?;
        let then_end = self.body.cursor.take();
        self.body.cursor = fails;
        let b = self.operand(otherwise)?;
        let b = self.or_void(b, span)?;
        let (Some(a), Some(b)) = (a, b) else {
            self.join(then_end, span);
            return Ok(Operand::Void);
        };
        let (a, b, odd) = self.in_common_width(a, b);
        let ty = self.joined_type((written, a), (otherwise, b), span)?;
        if decided {
            if then_lives {
                self.body.cursor = then_end;
            }
            let chosen = if then_lives { a } else { b };
            let value = self.convert_joined(chosen, ty, span);
            return Ok(Operand::Value(odd.map_or(value, |odd| self.with_width(value, odd))));
        }
        let next = std::mem::replace(&mut self.body.next_temporary, number);
        let result = self.temporary(ty);
        self.body.next_temporary = next;
        let place = self.variable(result);
        let value = self.convert_joined(b, ty, span);
        self.emit(Operation::Assign { place, value }, span);
        let else_end = self.body.cursor.take();
        self.body.cursor = then_end;
        let value = self.convert_joined(a, ty, span);
        self.emit(Operation::Assign { place, value }, span);
        self.join(else_end, span);
        let value = self.load_variable(result);
        Ok(Operand::Value(odd.map_or(value, |odd| self.with_width(value, odd))))
    }

    fn convert_joined(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        if self.is_scalar(ty) {
            return self.convert(value, ty);
        }
        if self.ty(value) == ty { value } else { self.unsupported_value(self.strange_name(ty), span, ty) }
    }

    /// The type of `c ? a : b`, both as they are written and lowered.
    fn joined_type(&mut self, a: (ast::ExprId, ExprId), b: (ast::ExprId, ExprId), span: Span) -> Lowered<TypeId> {
        let (x, y) = (self.ty(a.1), self.ty(b.1));
        match (self.class(x), self.class(y)) {
            _ if self.is_arithmetic(x) && self.is_arithmetic(y) => Ok(self.common_type(x, y)),
            (Class::Pointer, Class::Pointer) => Ok(self.joined_pointer(a, b)),
            (Class::Pointer, Class::Integer) => Ok(x),
            (Class::Integer, Class::Pointer) => Ok(y),
            _ if x == y => Ok(x),
            _ if self.is_real_or_complex(x) && self.is_real_or_complex(y) => Ok(self.joined_complex(x, y)),
            _ => Err(self.error(span, "the branches of `?:` have types that do not fit", "different types")),
        }
    }

    fn is_real_or_complex(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || matches!(self.types.get(ty), Type::Complex(_))
    }

    /// The type of two numbers of which one is complex: as wide as the wider one.
    fn joined_complex(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let kind = |ty| match *self.types.get(ty) {
            Type::Complex(kind) | Type::Float(kind) => Some(kind),
            _ => None,
        };
        kind(a).max(kind(b)).map_or(a, |kind| self.types.intern(Type::Complex(kind)))
    }

    /// `void *` wins over other pointers, a null pointer constant over none; qualifiers add up.
    fn joined_pointer(&mut self, a: (ast::ExprId, ExprId), b: (ast::ExprId, ExprId)) -> TypeId {
        let (x, y) = (self.ty(a.1), self.ty(b.1));
        if self.is_null_pointer_constant(a.0, a.1) {
            return y;
        }
        if self.is_null_pointer_constant(b.0, b.1) {
            return x;
        }
        let (Some(p), Some(q)) = (self.pointee(x), self.pointee(y)) else { return x };
        let is_open = |ty| matches!(self.types.get(ty), Type::Array { length: ArrayLength::Incomplete, .. });
        let ty = if q.ty == self.basic.void || (is_open(p.ty) && !is_open(q.ty)) { q.ty } else { p.ty };
        let ty = if p.ty == self.basic.void { p.ty } else { ty };
        let qualifiers = p.qualifiers.and(q.qualifiers);
        self.pointer_to(crate::types::QualType { ty, qualifiers })
    }
}
