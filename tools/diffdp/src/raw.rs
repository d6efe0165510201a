//! One program for itself: its objects, where its pointers lead, and what its operations do, by numbers of its own.
//!
//! What only one program has is in no set that both see; here it is.

use program::cfa::{Cfa, EdgeId};
use program::expr::ExprId;
use semantics::callgraph::CallGraph;
use semantics::effects::Effects;
use semantics::object_set::ObjectSet;
use semantics::objects::{Objects, Root, root};
use semantics::pointsto::PointsTo;

/// What is known of one program.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) objects: Objects,
    pub(crate) points_to: PointsTo,
    pub(crate) effects: Effects,
}

impl Raw {
    pub(crate) fn new(cfa: &Cfa, calls: &CallGraph, objects: Objects) -> Self {
        let points_to = PointsTo::new(cfa, calls, &objects);
        let effects = Effects::new(cfa, calls, &objects, &points_to);
        Self { objects, points_to, effects }
    }

    /// The objects a place may be in.
    pub(crate) fn place(&self, cfa: &Cfa, place: ExprId) -> ObjectSet {
        match (self.objects.direct(cfa, place), root(cfa, place)) {
            (Some(range), _) => range.set(),
            (None, Some(Root::Pointer { pointer, .. })) => self.points_to.targets(pointer).clone(),
            (None, Some(Root::Variable(_)) | None) => self.points_to.anything().clone(),
        }
    }

    /// What an operation may write; for a call that enters a body, all that happens until behind it.
    pub(crate) fn writes(&self, cfa: &Cfa, edge: EdgeId) -> ObjectSet {
        match cfa.entered_callee(edge) {
            Some(_) => self.effects.whole_call(cfa, edge).mods,
            None => self.effects.of(edge).defs.clone(),
        }
    }
}
