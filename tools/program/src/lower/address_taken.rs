//! Which objects and functions have their address taken: by an operation that is left in the automaton, or by a static
//! initialiser, or named by inline assembly.

use rustc_hash::FxHashSet;

use super::Lowerer;
use crate::cfa::{ConstantValue, Operation};
use crate::expr::{Expr, ExprId};

impl Lowerer<'_> {
    /// Sets `address_taken` of variables and functions.
    pub(super) fn mark_addresses(&mut self) {
        let mut pending = Vec::new();
        for edge in &self.edges {
            match &edge.operation {
                Operation::Assume { condition, .. } => pending.push(*condition),
                Operation::Assign { place, value } => pending.extend([*place, *value]),
                Operation::Call { arguments, .. } => pending.extend(arguments),
                Operation::Return { value } => pending.extend(value),
                Operation::Asm(asm) => pending.extend(asm.outputs.iter().chain(&asm.inputs).map(|o| o.expr)),
                Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => {}
            }
        }
        pending.extend(self.indirect.iter().flat_map(super::indirect::IndirectCall::operands));
        let mut seen = vec![false; self.exprs.len()];
        while let Some(id) = pending.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let expr = *self.exprs.get(id);
            match expr {
                Expr::AddressOf(place) => self.mark_place(place),
                Expr::FunctionAddress(function) => self.functions[function.index()].address_taken = true,
                _ => {}
            }
            pending.extend(expr.operands());
        }
        self.mark_initializers();
        self.mark_named();
    }

    /// Assembly may take the address of a function that its text names.
    fn mark_named(&mut self) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut names: FxHashSet<&str> = FxHashSet::default();
        for edge in &self.edges {
            if let Operation::Asm(asm) = &edge.operation {
                names.extend(asm.template.split(|c| !is_part(c)).filter(|word| !word.is_empty()));
            }
        }
        for function in self.functions.iter_mut().filter(|function| names.contains(&*function.name)) {
            function.address_taken = true;
        }
    }

    fn mark_place(&mut self, mut place: ExprId) {
        loop {
            match *self.exprs.get(place) {
                Expr::Variable(variable) => {
                    self.variables[variable.index()].address_taken = true;
                    return;
                }
                Expr::Field(outer, _) | Expr::Index(outer, _) => place = outer,
                _ => return,
            }
        }
    }

    fn mark_initializers(&mut self) {
        let mut variables = Vec::new();
        for initializer in self.variables.iter().filter_map(|variable| variable.initializer.as_ref()) {
            for scalar in &initializer.scalars {
                match scalar.value {
                    ConstantValue::Address { variable, .. } => variables.push(variable),
                    ConstantValue::Function(function) => self.functions[function.index()].address_taken = true,
                    ConstantValue::Int(_) | ConstantValue::Float(_) => {}
                }
            }
        }
        for variable in variables {
            self.variables[variable.index()].address_taken = true;
        }
    }
}
