//! Where pointers may lead: whole-program, flow- and context-insensitive inclusion (Andersen).
//!
//! Sound for programs without undefined behaviour: dereferencing an indeterminate pointer, and arithmetic that leaves an
//! object, are undefined. Everything else is conservative:
//! * integers carry the pointers they were cast from; casting an integer that is no constant to a pointer yields
//!   *anything*, a constant other than zero external memory; a pointer that becomes data escapes what it points to;
//! * *anything* is external memory and every object that escaped: was passed to an external or to inline assembly,
//!   stored to external memory, cast to an integer, or is reachable from such an object; undefined globals have escaped.
//!   Externals return anything and may store anything in what escaped. Globals with external linkage that are defined
//!   here and never escape are not written by externals, and externals do not call back;
//! * members of one object are not told apart, so the contents of an object are one set.
//!
//! Does not know values or branches.

mod exposure;
mod expressions;
mod operations;
mod solver;
#[cfg(test)]
mod tests;

use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use program::cfa::{Cfa, FunctionId};
use program::expr::ExprId;
use program::known::{Moves, special};

use self::exposure::Contents;
use self::solver::{Node, Solver};
use crate::callgraph::CallGraph;
use crate::object_set::{ObjectId, ObjectSet};
use crate::objects::Objects;

/// Where the pointers of a program may lead.
#[derive(Clone, Debug)]
pub struct PointsTo {
    sets: IndexSet<ObjectSet, rustc_hash::FxBuildHasher>,
    of_expression: Vec<u32>,
    anything: ObjectSet,
}

/// The number of the set `{external memory}` among the sets.
const EXTERNAL_ONLY: u32 = 0;

impl PointsTo {
    /// Solves the program. Time cubic at worst, near linear on real programs.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph, objects: &Objects) -> Self {
        let mut builder = Builder::new(cfa, calls, objects);
        builder.add_constraints();
        builder.solver.solve();
        builder.finish()
    }

    /// The objects a pointer may point into; never empty. Also for an integer or aggregate that is kept somewhere or passed
    /// on: the objects of the pointers it was made of.
    #[must_use]
    pub fn targets(&self, pointer: ExprId) -> &ObjectSet {
        let number = self.of_expression.get(pointer.index()).copied().unwrap_or(EXTERNAL_ONLY);
        self.sets.get_index(number as usize).unwrap_or(&self.anything)
    }

    /// External memory and every object that escaped: what code outside the program may read and write.
    #[must_use]
    pub fn anything(&self) -> &ObjectSet {
        &self.anything
    }

    /// Whether code outside the program may know the address of an object.
    #[must_use]
    pub fn is_escaped(&self, object: ObjectId) -> bool {
        self.anything.contains(object)
    }
}

/// The effect of a function known as [`Known::Memory`](program::cfa::Known::Memory), if its name is in the table.
pub(crate) fn memory_function(name: &str) -> Option<Moves> {
    special(name)?.moves
}

struct Builder<'a> {
    cfa: &'a Cfa,
    objects: &'a Objects,
    solver: Solver,
    /// Functions that can be called at all.
    live: FixedBitSet,
    /// Expressions whose pointers matter, and their nodes. No node: no pointer.
    flows: FixedBitSet,
    nodes: Vec<Option<Node>>,
    results: Vec<Option<Node>>,
    contents: Contents<'a>,
    /// What constant addresses point to: external memory.
    constant: Node,
}

impl<'a> Builder<'a> {
    fn new(cfa: &'a Cfa, calls: &CallGraph, objects: &'a Objects) -> Self {
        let mut solver = Solver::new(objects.len());
        let constant = solver.node();
        solver.contains(constant, ObjectId::EXTERNAL);
        let live = calls.reachable_from(cfa.entry).into_iter().map(FunctionId::index).collect();
        Self {
            cfa,
            objects,
            solver,
            live,
            flows: FixedBitSet::with_capacity(cfa.exprs.len()),
            nodes: vec![None; cfa.exprs.len()],
            results: vec![None; cfa.functions.len()],
            contents: Contents::new(cfa),
            constant,
        }
    }

    fn add_constraints(&mut self) {
        self.find_exposing_loads();
        self.find_flows();
        for id in (0..self.cfa.exprs.len()).map(ExprId::new) {
            if self.flows.contains(id.index()) {
                self.nodes[id.index()] = self.expression(id);
            }
        }
        self.add_exposures();
        for variable in self.cfa.variable_ids() {
            self.add_initial(variable);
        }
        for edge in self.cfa.edge_ids() {
            if self.live.contains(self.cfa.location(self.cfa.edge(edge).source).function.index()) {
                self.add_edge(edge);
            }
        }
        for &parameter in &self.cfa.function(self.cfa.entry).parameters {
            for object in self.objects.of_variable(parameter).iter() {
                self.solver.contains(Node::content(object), ObjectId::EXTERNAL);
            }
        }
    }

    fn finish(self) -> PointsTo {
        let mut anything = self.solver.escaped().clone();
        anything.insert(ObjectId::EXTERNAL);
        let external = ObjectSet::single(ObjectId::EXTERNAL);
        let mut sets: IndexSet<ObjectSet, rustc_hash::FxBuildHasher> = std::iter::once(external).collect();
        let pseudo = self.solver.anything();
        let mut of_expression = vec![EXTERNAL_ONLY; self.nodes.len()];
        for (slot, node) in of_expression.iter_mut().zip(&self.nodes) {
            let Some(node) = *node else { continue };
            let mut set = self.solver.set(node).clone();
            set.remove(self.solver.made());
            set.remove(self.solver.punned());
            if set.remove(pseudo) {
                set.union_with(&anything);
            }
            if !set.is_empty() {
                *slot = u32::try_from(sets.insert_full(set).0).unwrap_or(u32::MAX);
            }
        }
        PointsTo { sets, of_expression, anything }
    }
}
