//! What operations read, may write and certainly overwrite, as sets of memory objects.
//!
//! In the interprocedural form: the step along a call edge into a body binds the parameters, the step along a return edge
//! assigns the result at the call site returned to, the call of a function without a body is one operation.
//! * `uses`: objects the operation's outcome depends on, those that determine *where* it writes included;
//! * `defs`: objects it may change; a store through a pointer may change all its targets;
//! * `kills ⊆ defs`: objects it overwrites completely for certain: single ones, whole (a store to a member, element or
//!   bit-field of an object never is whole).
//!
//! Externals (ALGORITHM.md 2.5 of `diffdp`): write everything that escaped, yield arbitrary results. Their outcome is an input that
//! may depend on the arguments and what these are known to point to; it is not traced through their hidden state.
//! Does not know values: whether two operations agree is the matter of the detectors.

mod build;

use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use program::cfa::{Cfa, EdgeId, FunctionId, Operation};
use program::expr::ExprId;

use self::build::Builder;
use crate::callgraph::CallGraph;
use crate::object_set::ObjectSet;
use crate::objects::Objects;
use crate::pointsto::PointsTo;

/// What an operation does to memory.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'a> {
    /// What its outcome depends on.
    pub uses: &'a ObjectSet,
    /// What it may change.
    pub defs: &'a ObjectSet,
    /// What it certainly overwrites as a whole.
    pub kills: &'a ObjectSet,
    /// It always completes, whatever the data: it may be skipped or taken like an assignment. Undefined behaviour is
    /// ignored. For a call that enters a body only the binding of the parameters is meant.
    pub completes: bool,
    /// What it writes is an input or indeterminate, so any value may be chosen.
    pub arbitrary: bool,
}

/// What a whole call of a function may read and write, with all it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Objects that may be read.
    pub refs: ObjectSet,
    /// Objects that may be written.
    pub mods: ObjectSet,
}

/// The effects of all operations of a program.
#[derive(Clone, Debug)]
pub struct Effects {
    sets: Sets,
    of_expression: Vec<SetId>,
    reads_input: FixedBitSet,
    edges: Vec<Stored>,
    results: Vec<Stored>,
    summaries: Vec<Summary>,
}

impl Effects {
    /// Computes the effects of all operations. Time linear in the program and the sizes of the sets.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph, objects: &Objects, points_to: &PointsTo) -> Self {
        let mut builder = Builder::new(cfa, objects, points_to);
        builder.add_expressions();
        for edge in cfa.edge_ids() {
            let stored = builder.edge(edge);
            builder.effects.edges.push(stored);
            let result = builder.result_at(edge);
            builder.effects.results.push(result);
        }
        let mut effects = builder.effects;
        effects.summarise(cfa, calls);
        effects
    }

    /// The effect of the step along an edge. For a call that enters a body: binding the parameters. For a return:
    /// reading the value; see [`Self::returning`] for the whole step.
    #[must_use]
    pub fn of(&self, edge: EdgeId) -> Effect<'_> {
        self.effect(self.edges[edge.index()])
    }

    /// The effect of the step along return edge `from` to behind the call edge `to`: the result is assigned there.
    #[must_use]
    pub fn returning(&self, cfa: &Cfa, from: EdgeId, to: EdgeId) -> Effect<'_> {
        let (read, write) = (self.edges[from.index()], self.results[to.index()]);
        let arbitrary = matches!(cfa.edge(from).operation, Operation::Return { value: None });
        self.effect(Stored { uses: read.uses, arbitrary, ..write })
    }

    /// What the value of an expression depends on; for a place, what its address depends on.
    #[must_use]
    pub fn uses_of(&self, expr: ExprId) -> &ObjectSet {
        self.sets.get(self.of_expression[expr.index()])
    }

    /// Whether evaluating an expression reads an input: a volatile access that may be outside the program.
    #[must_use]
    pub fn reads_input(&self, expr: ExprId) -> bool {
        self.reads_input.contains(expr.index())
    }

    /// What a call of a function with a body may read and write, parameters and locals included.
    #[must_use]
    pub fn summary(&self, function: FunctionId) -> &Summary {
        &self.summaries[function.index()]
    }

    /// What a call edge may read and write until behind the call, arguments and result included.
    #[must_use]
    pub fn whole_call(&self, cfa: &Cfa, edge: EdgeId) -> Summary {
        let binding = self.of(edge);
        let mut whole = Summary { refs: binding.uses.clone(), mods: binding.defs.clone() };
        if let Some(callee) = cfa.entered_callee(edge) {
            let summary = self.summary(callee);
            whole.refs.union_with(&summary.refs);
            whole.mods.union_with(&summary.mods);
            whole.mods.union_with(self.sets.get(self.results[edge.index()].defs));
        }
        whole
    }

    fn effect(&self, stored: Stored) -> Effect<'_> {
        Effect {
            uses: self.sets.get(stored.uses),
            defs: self.sets.get(stored.defs),
            kills: self.sets.get(stored.kills),
            completes: stored.completes,
            arbitrary: stored.arbitrary,
        }
    }

    fn summarise(&mut self, cfa: &Cfa, calls: &CallGraph) {
        let mut own = vec![Summary::default(); cfa.functions.len()];
        for edge in cfa.edge_ids() {
            let function = cfa.location(cfa.edge(edge).source).function;
            let summary = &mut own[function.index()];
            let effect = self.of(edge);
            summary.refs.union_with(effect.uses);
            summary.mods.union_with(effect.defs);
            summary.mods.union_with(self.sets.get(self.results[edge.index()].defs));
        }
        // Callees first; the functions of a recursive component share one summary.
        for group in calls.bottom_up().chunk_by(|&a, &b| calls.same_component(a, b)) {
            let mut shared = Summary::default();
            for &function in group {
                let callees = calls.callees(function).iter().map(|c| &own[c.index()]);
                for summary in std::iter::once(&own[function.index()]).chain(callees) {
                    shared.refs.union_with(&summary.refs);
                    shared.mods.union_with(&summary.mods);
                }
            }
            for &function in group {
                own[function.index()] = shared.clone();
            }
        }
        self.summaries = own;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SetId(u32);

impl SetId {
    const EMPTY: Self = Self(0);
}

/// Sets by number, each once.
#[derive(Clone, Debug)]
struct Sets {
    sets: IndexSet<ObjectSet, rustc_hash::FxBuildHasher>,
}

impl Sets {
    fn add(&mut self, set: ObjectSet) -> SetId {
        SetId(u32::try_from(self.sets.insert_full(set).0).unwrap_or(0))
    }

    fn get(&self, id: SetId) -> &ObjectSet {
        &self.sets[id.0 as usize]
    }
}

#[derive(Clone, Copy, Debug)]
struct Stored {
    uses: SetId,
    defs: SetId,
    kills: SetId,
    completes: bool,
    arbitrary: bool,
}

impl Stored {
    const NOTHING: Self = Self { uses: SetId::EMPTY, defs: SetId::EMPTY, kills: SetId::EMPTY, completes: true, arbitrary: false };
}

#[cfg(test)]
mod tests;
