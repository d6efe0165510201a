//! Automatic objects whose declarations jumps pass: `switch (k) { int x; case 0: …` and `goto` into a scope.
//!
//! Such an object exists from when its block is entered, with an indeterminate value (C17 6.2.4p6), like any other that its
//! function reads before it writes. What an earlier activation left there is not the program's to know: the function begins
//! by declaring the object, so that every analysis treats it as it treats the others.
//! Does not know jumps within one activation: what was there stays.

use std::collections::{BTreeMap, BTreeSet};

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
        for (function, edges) in edges {
            for variable in self.bypassed(function, &edges) {
                let Some(old) = self.functions[function.index()].entry else { continue };
                let (span, new) = (self.variables[variable.index()].span, self.sibling(old));
                let operation = Operation::Declare { variable };
                self.edges.push(Edge { source: new, target: old, operation, span, statement: span, choice: None });
                self.functions[function.index()].entry = Some(new);
            }
        }
    }

    /// The locals of a function that some path mentions with neither a declaration nor an assignment before.
    fn bypassed(&self, function: FunctionId, edges: &[usize]) -> BTreeSet<VarId> {
        let Some(entry) = self.functions[function.index()].entry else { return BTreeSet::new() };
        let mut out: FxHashMap<LocationId, Vec<usize>> = FxHashMap::default();
        for &edge in edges {
            out.entry(self.edges[edge].source).or_default().push(edge);
        }
        // What may be without a value at each location: all locals where the function begins.
        let locals = edges.iter().flat_map(|edge| self.mentioned(*edge)).filter(|variable| self.is_local(function, *variable));
        let mut open: FxHashMap<LocationId, FxHashSet<VarId>> = FxHashMap::default();
        open.insert(entry, locals.collect());
        let mut pending = vec![entry];
        while let Some(location) = pending.pop() {
            let here = open.get(&location).cloned().unwrap_or_default();
            for &edge in out.get(&location).into_iter().flatten() {
                let given = self.given(edge);
                let target = self.edges[edge].target;
                let is_new = !open.contains_key(&target);
                let there = open.entry(target).or_default();
                let before = there.len();
                there.extend(here.iter().filter(|variable| !given.contains(variable)));
                if is_new || there.len() > before {
                    pending.push(target);
                }
            }
        }
        let too_early = |edge: &usize| {
            let without = open.get(&self.edges[*edge].source);
            self.mentioned(*edge).into_iter().filter(move |variable| without.is_some_and(|open| open.contains(variable)))
        };
        edges.iter().flat_map(too_early).collect()
    }

    fn is_local(&self, function: FunctionId, variable: VarId) -> bool {
        let known = &self.variables[variable.index()];
        // No jump passes the declaration of an array of variable length.
        known.kind == VarKind::Local && known.function == Some(function) && !self.arrays.contains_key(&variable)
    }

    /// The variables that an edge declares or gives a whole value.
    fn given(&self, edge: usize) -> Vec<VarId> {
        self.edges[edge].operation.sets(&self.exprs).into_iter().map(|(variable, _)| variable).collect()
    }

    /// The variables that an edge reads, writes in part, or takes the address of.
    fn mentioned(&self, edge: usize) -> FxHashSet<VarId> {
        let mut pending: Vec<ExprId> = Vec::new();
        match &self.edges[edge].operation {
            Operation::Assume { condition, .. } => pending.push(*condition),
            Operation::Assign { place, value } => {
                pending.push(*value);
                if self.given(edge).is_empty() {
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
