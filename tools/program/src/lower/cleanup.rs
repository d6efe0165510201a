//! What runs where a scope is left: the functions of `__attribute__((cleanup(f)))`, last declared first.
//!
//! Every way out of a scope runs them: its end, `break`, `continue`, `goto` and `return`, whose value is computed before.
//! What ends the program or the path (`exit`, `abort`) does not. A jump is followed when all labels of the function are
//! known, for only then is it clear which scopes it leaves; one that enters the scope of such an object is unsupported.
//! The initialiser belongs to the time before: leaving a scope from within it runs nothing for the object.

use super::Lowerer;
use super::call::Destination;
use super::cursor::Cursor;
use super::place::{Operand, Place};
use super::scope::Entity;
use crate::ast;
use crate::cfa::{FunctionId, LocationId, Operation, VarId};
use crate::source::Span;
use crate::types::{Qualifiers, Type};

/// An object that a function is called for when its scope is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cleanup {
    variable: VarId,
    function: FunctionId,
    span: Span,
}

/// A `goto` that waits for its label.
#[derive(Debug)]
pub(super) struct Jump {
    cursor: Cursor,
    target: LocationId,
    /// The objects whose scopes are around it.
    around: Vec<Cleanup>,
    span: Span,
    statement: Span,
}

impl Lowerer<'_> {
    /// The function of a cleanup attribute, if the object can be given to it.
    pub(super) fn cleanup_function(&self, names: &[ast::Ident], variable: VarId) -> Option<FunctionId> {
        let [name] = names else { return None };
        let Some(Entity::Function(function)) = self.scopes.lookup(name.name) else { return None };
        let Type::Function(ty) = self.types.get(self.functions[function.index()].ty) else { return None };
        let takes_one = ty.parameters.len() == 1 && self.pointee(ty.parameters[0].ty).is_some();
        let plain = takes_one && !ty.variadic && !ty.unprototyped;
        (plain && !self.arrays.contains_key(&variable)).then_some(function)
    }

    /// From here on, leaving the scope calls the function.
    pub(super) fn clean_up(&mut self, variable: VarId, function: FunctionId, span: Span) {
        if self.quiet == 0 {
            self.body.cleanups.push(Cleanup { variable, function, span });
        }
    }

    /// Calls the functions of all objects but the first `mark`.
    pub(super) fn run_cleanups(&mut self, mark: usize) {
        let leaving = self.body.cleanups.get(mark..).unwrap_or_default().to_vec();
        for cleanup in leaving.into_iter().rev() {
            self.run_cleanup(cleanup);
        }
    }

    fn run_cleanup(&mut self, cleanup: Cleanup) {
        let Type::Function(ty) = self.types.get(self.functions[cleanup.function.index()].ty).clone() else { return };
        let Some(parameter) = ty.parameters.first() else { return };
        let place = Place { expr: self.variable(cleanup.variable), qualifiers: Qualifiers::default(), bits: None };
        let pointer = self.address_of(place);
        let argument = self.convert(pointer, parameter.ty);
        self.call_function(cleanup.function, vec![argument], ty.result.ty, cleanup.span, Destination::Nowhere);
    }

    /// Leaves the scopes of all objects but the first `mark`.
    pub(super) fn leave_cleanups(&mut self, mark: usize) {
        if self.quiet == 0 {
            self.run_cleanups(mark);
            self.body.cleanups.truncate(mark);
        }
    }

    /// The value of a scope, saved where leaving the scope calls something.
    pub(super) fn before_cleanups(&mut self, mark: usize, result: Operand, span: Span) -> super::Lowered<Operand> {
        if self.body.cleanups.len() <= mark || matches!(result, Operand::Void) || self.quiet > 0 {
            return Ok(result);
        }
        let value = self.rvalue(result, span)?;
        Ok(Operand::Value(self.save(value, span)))
    }

    /// `goto` in a program with cleanups.
    pub(super) fn jump_later(&mut self, target: LocationId, span: Span) {
        let cursor = self.body.cursor.take();
        let (around, statement) = (self.body.cleanups.clone(), self.body.statement);
        if cursor != Cursor::Dead {
            self.body.jumps.push(Jump { cursor, target, around, span, statement });
        }
    }

    /// Takes note of the scopes around a label.
    pub(super) fn note_label(&mut self, location: LocationId) {
        if self.cleans_up && self.quiet == 0 {
            let around = self.body.cleanups.clone();
            self.body.label_scopes.insert(location, around);
        }
    }

    /// Follows the jumps that waited for their labels.
    pub(super) fn link_jumps(&mut self) {
        for jump in std::mem::take(&mut self.body.jumps) {
            self.body.cursor = jump.cursor;
            self.body.statement = jump.statement;
            let into = self.body.label_scopes.get(&jump.target).cloned().unwrap_or_default();
            if !jump.around.starts_with(&into) {
                let end = self.dead_end();
                let construct = "jump into the scope of an object with cleanup".into();
                self.emit_last(Operation::Unsupported { construct }, jump.span, end);
                continue;
            }
            for cleanup in jump.around[into.len()..].iter().rev() {
                self.run_cleanup(*cleanup);
            }
            self.jump(jump.target, jump.span);
        }
    }

    /// A `case` that the `switch` reaches past the declaration of an object with a cleanup.
    pub(super) fn check_case(&mut self, span: Span) {
        let outside = self.body.switch_marks.last().copied().unwrap_or(0);
        if self.body.cleanups.len() > outside {
            self.before_entry.push(("`case` in the scope of an object with cleanup".into(), span));
        }
    }
}
