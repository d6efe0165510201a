//! Assignments, compound assignments, `++` and `--`.

use rustc_hash::FxHashSet;

use super::build::Class;
use super::call::Destination;
use super::first::First;
use super::order::OPEN;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, BinaryOp, ExprKind, UnaryOp};
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{IntRank, QualType, Type, TypeId};

impl Lowerer<'_> {
    /// `target = value` or `target op= value`; the result is only meaningful if the value is `wanted`.
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        target: ast::ExprId,
        value: ast::ExprId,
        span: Span,
        wanted: bool,
    ) -> Lowered<Operand> {
        self.body.assigning += 1;
        let done = self.assign_here(op, target, value, span, wanted);
        self.body.assigning -= 1;
        done
    }

    fn assign_here(
        &mut self,
        op: Option<BinaryOp>,
        target: ast::ExprId,
        value: ast::ExprId,
        span: Span,
        wanted: bool,
    ) -> Lowered<Operand> {
        if op.is_none()
            && !wanted
            && self.then_steps(&[target, value], |this| this.assign_here(None, target, value, span, false))?.is_some()
        {
            return Ok(Operand::Void);
        }
        if self.is_open(op, target, value)? || op.is_some() && self.is_read_elsewhere(target)? {
            self.unsupported(OPEN, span);
        }
        let early = match self.first(op, target, value)? {
            First::Value => {
                let right = self.value(value)?;
                if self.is_ordered(right) && self.quietly(|this| this.is_bit_field(target))?.0 {
                    self.refuse_value(right, span);
                }
                Some(if self.has_effect(target) { self.save(right, self.ast[value].span) } else { right })
            }
            First::Source => return self.assign_read(target, value, span, wanted),
            First::Arguments(call) => return self.assign_prepared(target, call, span, wanted),
            First::Left(left, right) => {
                self.discard(left)?;
                return self.assign_here(None, target, right, span, wanted);
            }
            First::Place => None,
        };
        let mut place = self.modifiable(target)?;
        if early.is_none() && self.has_effect(value) || (op.is_some() && self.has_effect(target)) {
            place = self.settled(target, place);
        }
        let result = match op {
            None => {
                if early.is_none() && self.assign_call(place, value)? {
                    return Ok(self.assigned(place, None, span, wanted));
                }
                let right = early.map_or_else(|| self.value(value), Ok)?;
                self.assign_convert(right, self.ty(place.expr), self.ast[value].span)?
            }
            Some(op) => {
                let right = early.map_or_else(|| self.value(value), Ok)?;
                let left = self.rvalue(Operand::Place(place), self.ast[target].span)?;
                let computed = self.update_by(place, op, (left, right), span)?;
                self.assign_convert(computed, self.ty(place.expr), span)?
            }
        };
        Ok(self.store_and_yield(place, result, span, wanted))
    }

    /// What is stored by an operator that updates a place. To atomic integers gcc adds by `__atomic_fetch_add`, which wraps.
    fn update_by(&mut self, place: Place, op: BinaryOp, (left, right): (ExprId, ExprId), span: Span) -> Lowered<ExprId> {
        let ty = self.ty(place.expr);
        let is_sum = matches!(op, BinaryOp::Add | BinaryOp::Subtract) && self.class(self.ty(right)) == Class::Integer;
        let is_fetched = matches!(self.types.get(ty), Type::Int { rank, .. } if *rank != IntRank::Int128);
        let guards = self.manner.guards;
        self.manner.guards.overflow &= !(place.qualifiers.is_atomic && is_sum && is_fetched);
        let computed = self.operate(op, left, right, span);
        self.manner.guards = guards;
        computed
    }

    /// `target = a[i]`: where the value is, then the place, then what is there.
    fn assign_read(&mut self, target: ast::ExprId, value: ast::ExprId, span: Span, wanted: bool) -> Lowered<Operand> {
        let mut source = self.operand(value)?;
        if let Operand::Place(place) = source {
            source = Operand::Place(self.settled(value, place));
        }
        let place = self.modifiable(target)?;
        let place = self.settled(target, place);
        let right = self.rvalue(source, self.ast[value].span)?;
        let right = self.assign_convert(right, self.ty(place.expr), self.ast[value].span)?;
        Ok(self.store_and_yield(place, right, span, wanted))
    }

    /// Whether `p[f()] op= value` may write elsewhere than it reads: gcc reads `p` again behind the call.
    fn is_read_elsewhere(&mut self, target: ast::ExprId) -> Lowered<bool> {
        let ExprKind::Index { base, index } = self.ast[target].kind else { return Ok(false) };
        if self.quiet > 0 || !self.has_effect(index) {
            return Ok(false);
        }
        let (base, _) = self.quietly(|this| this.value(base))?;
        Ok(self.may_be_changed(base, index))
    }

    /// `target = f(…)`: arguments, place, call.
    fn assign_prepared(&mut self, target: ast::ExprId, value: ast::ExprId, span: Span, wanted: bool) -> Lowered<Operand> {
        let (ast, call) = (self.ast, self.ast[value].span);
        let ExprKind::Call { callee, arguments } = &ast[value].kind else { return Ok(Operand::Void) };
        let mut prepared = self.prepare_call(*callee, arguments, call)?;
        prepared.pointer = self.save(prepared.pointer, call);
        for value in &mut prepared.values {
            *value = self.save(*value, call);
        }
        let place = self.modifiable(target)?;
        let place = self.settled(target, place);
        let result = self.call_prepared(prepared, call, Destination::Temporary).unwrap_or(Operand::Void);
        let result = self.rvalue(result, call)?;
        let result = self.assign_convert(result, self.ty(place.expr), call)?;
        Ok(self.store_and_yield(place, result, span, wanted))
    }

    /// Writes a value; yields it if it is wanted. What is cut to a bit-field gcc takes apart.
    fn store_and_yield(&mut self, place: Place, value: ExprId, span: Span, wanted: bool) -> Operand {
        if place.bits.is_some() && self.is_ordered(value) {
            self.refuse_value(value, span);
        }
        let simple = matches!(self.exprs.get(place.expr), Expr::Variable(_));
        let value = if wanted && !simple && place.bits.is_none() { self.save(value, span) } else { value };
        self.store(place, value, span);
        self.assigned(place, Some(value), span, wanted)
    }

    /// The value of an assignment that has been done.
    fn assigned(&mut self, place: Place, value: Option<ExprId>, span: Span, wanted: bool) -> Operand {
        let simple = matches!(self.exprs.get(place.expr), Expr::Variable(_));
        match value {
            Some(value) if !wanted => Operand::Value(value),
            Some(value) if !simple && place.bits.is_none() => Operand::Value(value),
            _ => match self.rvalue(Operand::Place(place), span) {
                Ok(value) => Operand::Value(value),
                Err(_) => Operand::Void,
            },
        }
    }

    /// `variable = f(…)`: the call writes the variable itself if it has exactly the result type.
    fn assign_call(&mut self, place: Place, value: ast::ExprId) -> Lowered<bool> {
        let ast = self.ast;
        let (ExprKind::Call { callee, arguments }, Expr::Variable(variable)) = (&ast[value].kind, *self.exprs.get(place.expr))
        else {
            return Ok(false);
        };
        let span = ast[value].span;
        let result = self.call_into(*callee, arguments, span, Destination::Variable(variable))?;
        if let Some(operand) = result {
            let right = self.rvalue(operand, span)?;
            let right = self.assign_convert(right, self.ty(place.expr), span)?;
            self.store(place, right, span);
        }
        Ok(true)
    }

    /// As [`Self::assign_call`] for the initialiser of a variable.
    pub(super) fn initialize_by_call(&mut self, place: Place, value: ast::ExprId) -> Lowered<bool> {
        self.assign_call(place, value)
    }

    /// A place that may be written.
    fn modifiable(&mut self, target: ast::ExprId) -> Lowered<Place> {
        let span = self.ast[target].span;
        let Operand::Place(place) = self.operand(target)? else {
            return Err(self.error(span, "only an object can be assigned to", "not an object"));
        };
        match self.class(self.ty(place.expr)) {
            Class::Array | Class::Function | Class::Void => {
                Err(self.error(span, "an object of this type cannot be assigned to", "not assignable"))
            }
            _ if place.qualifiers.is_const || self.has_constant(self.ty(place.expr)) => {
                Err(self.error(span, "an object that is `const` cannot be assigned to", "read-only"))
            }
            _ => Ok(place),
        }
    }

    /// Whether a record has a member that is `const`.
    fn has_constant(&self, ty: TypeId) -> bool {
        let (mut pending, mut seen) = (vec![ty], FxHashSet::default());
        while let Some(ty) = pending.pop() {
            let Type::Record(id) = self.types.get(ty) else { continue };
            if !seen.insert(*id) {
                continue;
            }
            for field in &self.types.record(*id).fields {
                let mut member = field.ty;
                while let Type::Array { element, .. } = self.types.get(member.ty) {
                    member = QualType { qualifiers: member.qualifiers.and(element.qualifiers), ..*element };
                }
                if member.qualifiers.is_const {
                    return true;
                }
                pending.push(member.ty);
            }
        }
        false
    }

    /// Conversion as by assignment (C11 6.5.16.1), with what gcc only warns about allowed.
    pub(super) fn assign_convert(&mut self, value: ExprId, to: TypeId, span: Span) -> Lowered<ExprId> {
        let from = self.ty(value);
        if from == to {
            return Ok(value);
        }
        match (self.class(from), self.class(to)) {
            (Class::Integer, Class::Integer | Class::Float | Class::Pointer)
            | (Class::Float, Class::Integer | Class::Float)
            | (Class::Pointer, Class::Integer | Class::Pointer) => Ok(self.convert(value, to)),
            (Class::Strange, _) | (_, Class::Strange) => {
                let strange = if self.class(from) == Class::Strange { from } else { to };
                let name = self.strange_name(strange);
                Ok(self.unsupported_value(name, span, to))
            }
            // What a list holds is only read by `va_arg`, which is not supported.
            (Class::Pointer | Class::Record, Class::VaList) => Ok(self.arbitrary(to, span)),
            (Class::VaList, _) | (_, Class::VaList) => Ok(self.unsupported_value("va_list", span, to)),
            (_, Class::Record) => match self.transparent_member(value, to) {
                Some(member) => {
                    let value = self.assign_convert(value, member, span)?;
                    let union = self.cast_to_union(value, to, span)?;
                    self.rvalue(union, span)
                }
                None => Err(self.error(span, "this value does not have the type that is needed here", "incompatible types")),
            },
            _ => Err(self.error(span, "this value does not have the type that is needed here", "incompatible types")),
        }
    }

    /// The type of the member that a value becomes where a union with `transparent_union` is wanted; without that attribute
    /// gcc takes no such value.
    fn transparent_member(&self, value: ExprId, to: TypeId) -> Option<TypeId> {
        let crate::types::Type::Record(id) = self.types.get(to) else { return None };
        let record = self.types.record(*id);
        let from = self.ty(value);
        let pointer = self.class(from) == Class::Pointer || self.is_null_constant(value);
        let exact = record.fields.iter().find(|field| field.ty.ty == from);
        let fitting = || record.fields.iter().find(|field| pointer && self.class(field.ty.ty) == Class::Pointer);
        exact.or_else(fitting).filter(|_| record.is_union).map(|field| field.ty.ty)
    }

    /// `++` and `--`, before and after.
    pub(super) fn step(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span, wanted: bool) -> Lowered<Operand> {
        let mut place = self.modifiable(operand)?;
        if wanted && self.has_effect(operand) {
            place.expr = self.freeze(place.expr, span);
        }
        let after = matches!(op, UnaryOp::PostIncrement | UnaryOp::PostDecrement);
        let direction = match op {
            UnaryOp::PreIncrement | UnaryOp::PostIncrement => BinaryOp::Add,
            _ => BinaryOp::Subtract,
        };
        let mut before = self.rvalue(Operand::Place(place), span)?;
        if !self.is_scalar(self.ty(before)) {
            return Err(self.error(span, "`++` and `--` need a number or pointer", "wrong operand"));
        }
        if wanted && after {
            before = self.save_always(before, span);
        }
        let one = self.int(self.basic.int, 1);
        let computed = self.update_by(place, direction, (before, one), span)?;
        let result = self.convert(computed, self.ty(place.expr));
        if wanted && after {
            self.store(place, result, span);
            return Ok(Operand::Value(before));
        }
        Ok(self.store_and_yield(place, result, span, wanted))
    }
}
