//! The points-to analysis of `semantics` as the encoder of `smt` asks for it.

use program::cfa::{Cfa, VarId};
use program::expr::ExprId;
use semantics::callgraph::CallGraph;
use semantics::loops::Loops;
use semantics::objects::Objects;
use smt::encode::Targets;

/// Where pointers may lead, by variables.
#[derive(Clone, Debug)]
pub struct Aliases {
    objects: Objects,
    points_to: semantics::pointsto::PointsTo,
}

impl Aliases {
    /// Solves a program.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let loops = Loops::new(cfa);
        let calls = CallGraph::new(cfa, &loops);
        let objects = Objects::new(cfa, &calls);
        let points_to = semantics::pointsto::PointsTo::new(cfa, &calls, &objects);
        Self { objects, points_to }
    }
}

impl smt::encode::PointsTo for Aliases {
    fn targets(&self, pointer: ExprId) -> Targets {
        let mut targets = Targets::default();
        let mut variables: Vec<VarId> = Vec::new();
        for object in self.points_to.targets(pointer).iter() {
            match self.objects.variable_of(object) {
                Some(variable) => variables.push(variable),
                None => targets.elsewhere = true,
            }
        }
        variables.sort_unstable();
        variables.dedup();
        targets.variables = variables;
        targets
    }

    fn escaped(&self) -> Vec<VarId> {
        let escaped = self.points_to.anything().iter();
        let mut variables: Vec<VarId> = escaped.filter_map(|object| self.objects.variable_of(object)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}
