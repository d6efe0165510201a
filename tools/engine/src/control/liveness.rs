//! Which local variables may still be read at a location.
//!
//! Backward data flow within each function over its scalar locals whose address is not taken; everything else is always
//! live. Locals of a caller are live where the call returns to.

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};

/// Locals times locations of a function whose locals are tracked; where there are more, all of them are always live.
const MOST_BITS: usize = 1 << 29;

/// Liveness of the locals of all functions.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Position among the tracked locals of its function; `None`: always live.
    number: Vec<Option<u32>>,
    live: Vec<FixedBitSet>,
}

impl Liveness {
    /// Solves a program. Time O(edges · locals) per pass, few passes.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let mut number = vec![None; cfa.variables.len()];
        let mut counts = vec![0u32; cfa.functions.len()];
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            if let Some(function) = variable.function
                && !variable.address_taken
                && variable.initializer.is_none()
            {
                number[id.index()] = Some(counts[function.index()]);
                counts[function.index()] += 1;
            }
        }
        let crowded = crowded(cfa, &counts);
        for id in cfa.variable_ids() {
            if cfa.variable(id).function.is_some_and(|function| crowded[function.index()]) {
                number[id.index()] = None;
            }
        }
        for (count, crowded) in counts.iter_mut().zip(crowded) {
            *count = if crowded { 0 } else { *count };
        }
        let live =
            cfa.locations.iter().map(|location| FixedBitSet::with_capacity(counts[location.function.index()] as usize)).collect();
        let mut liveness = Self { number, live };
        let mut by_function: Vec<Vec<EdgeId>> = vec![Vec::new(); cfa.functions.len()];
        for edge in cfa.edge_ids() {
            by_function[cfa.location(cfa.edge(edge).source).function.index()].push(edge);
        }
        for edges in by_function {
            liveness.solve(cfa, &edges);
        }
        liveness
    }

    /// Whether a variable may still be read from a location of its function on.
    #[must_use]
    pub fn is_live(&self, location: LocationId, variable: VarId) -> bool {
        self.number[variable.index()].is_none_or(|number| self.live[location.index()].contains(number as usize))
    }

    fn solve(&mut self, cfa: &Cfa, edges: &[EdgeId]) {
        let effects: Vec<(EdgeId, Option<u32>, Vec<u32>)> = edges
            .iter()
            .map(|edge| {
                let (written, read) = effect(cfa, *edge);
                let number = |variable: VarId| self.number[variable.index()];
                (*edge, written.and_then(number), read.into_iter().filter_map(number).collect())
            })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (edge, written, read) in effects.iter().rev() {
                let edge = cfa.edge(*edge);
                let mut live = self.live[edge.target.index()].clone();
                if let Some(written) = written {
                    live.remove(*written as usize);
                }
                for variable in read {
                    live.insert(*variable as usize);
                }
                let known = &mut self.live[edge.source.index()];
                if !live.is_subset(known) {
                    known.union_with(&live);
                    changed = true;
                }
            }
        }
    }
}

/// Whether the locals of a function, taken at each of its locations, are too many to be tracked.
fn crowded(cfa: &Cfa, locals: &[u32]) -> Vec<bool> {
    let mut locations = vec![0usize; locals.len()];
    cfa.locations.iter().for_each(|location| locations[location.function.index()] += 1);
    let product = |(locals, locations): (&u32, usize)| (*locals as usize).saturating_mul(locations);
    locals.iter().zip(locations).map(|pair| product(pair) > MOST_BITS).collect()
}

/// The function a variable is a local of, if its liveness is tracked through calls.
#[must_use]
pub fn owner(cfa: &Cfa, variable: VarId) -> Option<FunctionId> {
    let variable = cfa.variable(variable);
    variable.function.filter(|_| variable.initializer.is_none())
}

/// The variable an edge overwrites, and those it reads.
fn effect(cfa: &Cfa, edge: EdgeId) -> (Option<VarId>, Vec<VarId>) {
    let mut read = Vec::new();
    let written = match &cfa.edge(edge).operation {
        Operation::Declare { variable } => Some(*variable),
        Operation::Assume { condition, .. } => {
            variables(cfa, *condition, &mut read);
            None
        }
        Operation::Assign { place, value } => {
            variables(cfa, *value, &mut read);
            if let Expr::Variable(variable) = *cfa.exprs.get(*place) {
                Some(variable)
            } else {
                // A part is overwritten: what is not stays, so the whole counts as read.
                variables(cfa, *place, &mut read);
                None
            }
        }
        Operation::Havoc { variable, .. } => *variable,
        Operation::Call { arguments, result, .. } => {
            for argument in arguments {
                variables(cfa, *argument, &mut read);
            }
            *result
        }
        Operation::Return { value } => {
            if let Some(value) = value {
                variables(cfa, *value, &mut read);
            }
            None
        }
        Operation::Asm(asm) => {
            for operand in asm.outputs.iter().chain(&asm.inputs) {
                variables(cfa, operand.expr, &mut read);
            }
            None
        }
        Operation::Blank | Operation::Unsupported { .. } => None,
    };
    (written, read)
}

/// The variables an expression mentions.
pub(super) fn variables(cfa: &Cfa, root: ExprId, found: &mut Vec<VarId>) {
    let mut open = vec![root];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        let expr = cfa.exprs.get(expr);
        if let Expr::Variable(variable) = *expr {
            found.push(variable);
        }
        open.extend(expr.operands());
    }
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;

    use super::*;

    fn live_at_line(text: &str, line: u32) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program.c");
        std::fs::write(&file, text).unwrap();
        let cfa = program::load(&file, &ProgramOptions::default()).unwrap();
        let liveness = Liveness::new(&cfa);
        let edge = cfa.edge_ids().find(|edge| cfa.source.location(cfa.edge(*edge).span.lo).line == line).unwrap();
        let location = cfa.edge(edge).source;
        let locals = cfa.variable_ids().filter(|id| liveness.is_live(location, *id));
        locals.map(|id| cfa.variable(id).name.to_string()).collect()
    }

    #[test]
    fn a_local_is_live_until_its_last_read() {
        let text = "int f(int a, int b) {\n  int c = a;\n  b = c + 1;\n  return b;\n}\nint main(void) { return f(1, 2); }\n";
        let at = |line| live_at_line(text, line);
        assert!(at(2).contains(&"a".to_owned()) && !at(2).contains(&"b".to_owned()));
        assert!(at(3).contains(&"c".to_owned()) && !at(3).contains(&"a".to_owned()));
        assert!(at(4).contains(&"b".to_owned()) && !at(4).contains(&"c".to_owned()));
    }

    #[test]
    fn what_a_pointer_may_reach_is_always_live() {
        let text = "int g;\nint main(void) {\n  int a = 1; int *p = &a;\n  g = 2;\n  return *p;\n}\n";
        let live = live_at_line(text, 4);
        assert!(live.contains(&"a".to_owned()) && live.contains(&"g".to_owned()));
    }
}
