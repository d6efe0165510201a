//! Automatic objects whose declarations jumps pass: `switch (k) { int x; case 0: …` and `goto` into a scope.
//!
//! Such an object exists from when its block is entered, with an indeterminate value (C17 6.2.4p6), like any other that its
//! function reads before it writes. What an earlier activation left there is not the program's to know: the function begins
//! by declaring the object, so that every analysis treats it as it treats the others.
//! Does not know jumps within one activation: what was there stays.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowerer;
use crate::cfa::{Edge, FunctionId, LocationId, Operation, VarId, VarKind};
use crate::expr::{Expr, ExprId};

impl Lowerer<'_> {
    /// Takes note that a label may be reached past declarations.
    pub(super) fn may_bypass(&mut self) {
        self.beginnings.bypassing.extend(self.body.function);
    }

    /// Declares where a function begins what it may mention before its declaration.
    pub(super) fn declare_bypassed(&mut self) {
        let functions = std::mem::take(&mut self.beginnings.bypassing);
        if functions.is_empty() {
            return;
        }
        let mut edges: BTreeMap<FunctionId, Vec<usize>> = functions.iter().map(|function| (*function, Vec::new())).collect();
        for (index, edge) in self.edges.iter().enumerate() {
            if let Some(own) = edges.get_mut(&self.locations[edge.source.index()].function) {
                own.push(index);
            }
        }
        let mut seen = vec![None; self.locations.len()];
        for (function, edges) in edges {
            for variable in self.bypassed(function, &edges, &mut seen) {
                let Some(old) = self.functions[function.index()].entry else { continue };
                let (span, new) = (self.variables[variable.index()].span, self.sibling(old));
                let operation = Operation::Declare { variable };
                self.edges.push(Edge { source: new, target: old, operation, span, statement: span, choice: None });
                self.functions[function.index()].entry = Some(new);
            }
        }
    }

    /// The locals of a function that some path mentions with neither a declaration nor an assignment before. `seen` has, by
    /// location, the variable that was last looked for there.
    ///
    /// From each mention backwards, to what gives the variable a value: mostly no further than its block.
    fn bypassed(&self, function: FunctionId, edges: &[usize], seen: &mut [Option<VarId>]) -> Vec<VarId> {
        let Some(entry) = self.functions[function.index()].entry else { return Vec::new() };
        let mut into: FxHashMap<LocationId, Vec<usize>> = FxHashMap::default();
        let mut mentions: BTreeMap<VarId, Vec<LocationId>> = BTreeMap::new();
        for &edge in edges {
            into.entry(self.edges[edge].target).or_default().push(edge);
            for variable in self.mentioned(edge).into_iter().filter(|variable| self.is_local(function, *variable)) {
                mentions.entry(variable).or_default().push(self.edges[edge].source);
            }
        }
        let mut is_bypassed = |variable: VarId, mut pending: Vec<LocationId>| {
            while let Some(location) = pending.pop() {
                if location == entry {
                    return true;
                }
                if seen[location.index()].replace(variable) != Some(variable) {
                    let open = into.get(&location).into_iter().flatten().filter(|edge| !self.gives(**edge, variable));
                    pending.extend(open.map(|edge| self.edges[*edge].source));
                }
            }
            false
        };
        mentions.into_iter().filter_map(|(variable, at)| is_bypassed(variable, at).then_some(variable)).collect()
    }

    fn is_local(&self, function: FunctionId, variable: VarId) -> bool {
        let known = &self.variables[variable.index()];
        // No jump passes the declaration of an array of variable length.
        known.kind == VarKind::Local && known.function == Some(function) && !self.arrays.contains_key(&variable)
    }

    /// Whether an edge declares a variable or gives it a whole value.
    fn gives(&self, edge: usize, variable: VarId) -> bool {
        self.edges[edge].operation.sets(&self.exprs).iter().any(|(given, _)| *given == variable)
    }

    /// The variables that an edge reads, writes in part, or takes the address of.
    fn mentioned(&self, edge: usize) -> FxHashSet<VarId> {
        let mut pending: Vec<ExprId> = Vec::new();
        match &self.edges[edge].operation {
            Operation::Assume { condition, .. } => pending.push(*condition),
            Operation::Assign { place, value } => {
                pending.push(*value);
                if !matches!(self.exprs.get(*place), Expr::Variable(_)) {
                    pending.push(*place);
                }
            }
            Operation::Call { arguments, .. } => pending.extend(arguments),
            Operation::Return { value } => pending.extend(value),
            Operation::Asm(asm) => pending.extend(asm.outputs.iter().chain(&asm.inputs).map(|operand| operand.expr)),
            Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => {}
        }
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut found = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if seen.insert(id) {
                let expr = *self.exprs.get(id);
                found.extend(if let Expr::Variable(variable) = expr { Some(variable) } else { None });
                pending.extend(expr.operands());
            }
        }
        found
    }
}
