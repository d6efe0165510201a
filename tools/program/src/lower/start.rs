//! What the system gives `main` when a process starts: a number of arguments that is not negative.
//!
//! Only of a `main` that nothing in the program calls, and in the form that has lists: `main(int x)` is a function that somebody
//! gave this name, and so is the client of a library.
//! Does not know what the arguments are, nor that their list is there: what it leads to is no object of the program.

use super::Lowerer;
use crate::cfa::{Edge, FunctionId, Operation, VarId};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::source::Span;
use crate::types::Type;

impl Lowerer<'_> {
    /// Lets only runs begin that a system starts.
    pub(super) fn begin_process(&mut self, entry: FunctionId) {
        let function = &self.functions[entry.index()];
        let is_main = self.options.entry == "main" && &*function.name == "main";
        // Who compares versions of a library asks about any arguments of its client.
        if !is_main || self.manner.guards.promises || function.address_taken || self.is_called(entry) {
            return;
        }
        let parameters = function.parameters.clone();
        let [count, lists @ ..] = &parameters[..] else { return };
        let ty = |variable: &VarId| self.variables[variable.index()].ty.ty;
        if ty(count) != self.basic.int || lists.is_empty() || !lists.iter().all(|list| self.leads_to_pointers(ty(list))) {
            return;
        }
        let count = *count;
        if self.is_mentioned(count) {
            let value = self.load_variable(count);
            let zero = self.zero(self.ty(value));
            let holds = self.binary(BinaryOp::GreaterEqual, value, zero);
            let span = self.variables[count.index()].span;
            self.begin_if(entry, holds, span);
        }
    }

    fn leads_to_pointers(&self, ty: crate::types::TypeId) -> bool {
        self.pointee(ty).is_some_and(|to| matches!(self.types.get(to.ty), Type::Pointer(_)))
    }

    fn is_mentioned(&self, variable: VarId) -> bool {
        self.exprs.ids().any(|id| *self.exprs.get(id) == Expr::Variable(variable))
    }

    /// Puts a condition in front of a function; where it does not hold there is no run.
    fn begin_if(&mut self, entry: FunctionId, condition: ExprId, span: Span) {
        let Some(old) = self.functions[entry.index()].entry else { return };
        let (new, none) = (self.sibling(old), self.shared_end(old, false));
        for (truth, target) in [(true, old), (false, none)] {
            let operation = Operation::Assume { condition, truth };
            self.edges.push(Edge { source: new, target, operation, span, statement: span, choice: None });
        }
        self.functions[entry.index()].entry = Some(new);
    }
}
