//! Which variables a branch may depend on, in any number of steps.
//!
//! What a state or an invariant says of others says nothing about which paths there are: in a program of hundreds of files it
//! would be nearly all. One table for the whole program, without the order of operations; memory that pointers lead to is one
//! thing. What ends a run, or is not followed for some values, counts as a branch: divisors, indices, pointers that are followed
//! or compared, and arguments of functions without a body. Forgetting a variable makes a state stand for more and an invariant
//! weaker, so no verdict becomes wrong by it.

#![allow(clippy::wildcard_enum_match_arm, reason = "few of the many forms of expressions matter here")]

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;
use rustc_hash::FxHashSet;

/// What branches depend on.
#[derive(Debug, Default)]
pub struct Deciding {
    variables: FxHashSet<VarId>,
    /// Functions whose results they depend on.
    results: FxHashSet<FunctionId>,
    /// Whatever pointers lead to.
    memory: bool,
}

/// What an edge reads: variables, and whether through pointers.
#[derive(Default)]
struct Read {
    variables: Vec<VarId>,
    memory: bool,
}

impl Deciding {
    /// Computes what the branches of a program depend on.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let mut found = Self::default();
        for id in cfa.exprs.ids() {
            match *cfa.exprs.get(id) {
                Expr::Dereference { pointer: ends, .. }
                | Expr::Index(_, ends)
                | Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, ends) => found.take(cfa, &[ends]),
                Expr::PointerDifference { left, right, .. } => found.take(cfa, &[left, right]),
                Expr::Binary(_, left, right) if is_pointer(cfa, left) => found.take(cfa, &[left, right]),
                _ => {}
            }
        }
        loop {
            let before = (found.variables.len(), found.results.len(), found.memory);
            for edge in (0..cfa.edges.len()).map(EdgeId::new) {
                found.pass(cfa, edge);
            }
            if before == (found.variables.len(), found.results.len(), found.memory) {
                return found;
            }
        }
    }

    /// Whether they may depend on a variable; on memory that was allocated, if it is none of the program.
    #[must_use]
    pub fn depends_on(&self, cfa: &Cfa, object: VarId) -> bool {
        match cfa.variables.get(object.index()) {
            Some(variable) => self.variables.contains(&object) || self.memory && variable.address_taken,
            None => self.memory,
        }
    }

    /// Takes in what an edge reads, if a branch depends on what it writes.
    fn pass(&mut self, cfa: &Cfa, edge: EdgeId) {
        match &cfa.edge(edge).operation {
            Operation::Assume { condition, .. } => self.take(cfa, &[*condition]),
            Operation::Assign { place, value } => {
                let written = match base(cfa, *place) {
                    Some(variable) => self.depends_on(cfa, variable),
                    None => self.memory,
                };
                if written {
                    self.take(cfa, &[*place, *value]);
                }
            }
            Operation::Call { callee, arguments, result } => {
                let function = cfa.function(*callee);
                if function.entry.is_none() {
                    return self.take(cfa, arguments);
                }
                if result.is_some_and(|result| self.depends_on(cfa, result)) {
                    self.results.insert(*callee);
                }
                for (parameter, argument) in function.parameters.iter().zip(arguments) {
                    if self.depends_on(cfa, *parameter) {
                        self.take(cfa, &[*argument]);
                    }
                }
            }
            Operation::Return { value: Some(value) } => {
                let function = cfa.location(cfa.edge(edge).source).function;
                if self.results.contains(&function) {
                    self.take(cfa, &[*value]);
                }
            }
            Operation::Asm(asm) => {
                let all: Vec<ExprId> = asm.outputs.iter().chain(&asm.inputs).map(|operand| operand.expr).collect();
                self.take(cfa, &all);
            }
            Operation::Return { value: None }
            | Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Blank
            | Operation::Unsupported { .. } => {}
        }
    }

    fn take(&mut self, cfa: &Cfa, values: &[ExprId]) {
        for value in values {
            let Read { variables, memory } = read(cfa, *value);
            self.memory |= memory || variables.iter().any(|variable| cfa.variable(*variable).address_taken);
            self.variables.extend(variables);
        }
    }
}

fn is_pointer(cfa: &Cfa, value: ExprId) -> bool {
    matches!(cfa.types.get(cfa.exprs.ty(value)), Type::Pointer(_))
}

/// The variable that a place is a part of; nothing for what a pointer leads to.
fn base(cfa: &Cfa, mut place: ExprId) -> Option<VarId> {
    loop {
        place = match *cfa.exprs.get(place) {
            Expr::Variable(variable) => return Some(variable),
            Expr::Field(outer, _) | Expr::Index(outer, _) => outer,
            _ => return None,
        };
    }
}

fn read(cfa: &Cfa, root: ExprId) -> Read {
    let mut found = Read::default();
    let mut open = vec![root];
    let mut seen = FxHashSet::default();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let expr = cfa.exprs.get(expr);
        match *expr {
            Expr::Variable(variable) => found.variables.push(variable),
            Expr::Dereference { .. } => found.memory = true,
            _ => {}
        }
        open.extend(expr.operands());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::load;

    fn names(text: &str) -> Vec<String> {
        let cfa = load(text);
        let deciding = Deciding::new(&cfa);
        let all = (0..cfa.variables.len()).map(VarId::new).filter(|variable| deciding.depends_on(&cfa, *variable));
        let mut names: Vec<String> = all.map(|variable| cfa.variable(variable).name.to_string()).collect();
        names.retain(|name| !name.starts_with("__"));
        names.sort();
        names
    }

    #[test]
    fn branches_depend_on_what_flows_into_them() {
        let text = "int table[4], kept, other, seen; int twice(int n) { return n * 2; }
            int main(void) { int a = 1, b = 2, c = 3; kept = b; table[kept] = c; other = c; seen = twice(a); if (seen > 3) return 1; return 0; }";
        assert_eq!(names(text), ["a", "b", "kept", "n", "seen"]);
    }

    #[test]
    fn what_pointers_lead_to_is_one_thing() {
        let text = "int x, y, z; int main(void) { int *p = &x, *q = &y; *q = z; if (*p) return 1; return 0; }";
        assert_eq!(names(text), ["p", "q", "x", "y", "z"]);
    }
}
