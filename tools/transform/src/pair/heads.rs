//! Loops of one version: what its function was given is kept where the function changes it, so that something can hold in terms
//! of it. Does not know what holds.

use std::collections::BTreeSet;

use program::cfa::{FunctionId, LocationId, VarId};
use program::expr::ExprId;
use program::types::{QualType, Type};
use rustc_hash::FxHashMap;

use super::Meeting;
use super::bodies::Bodies;
use super::call::Site;
use super::writer::Writer;

impl Bodies<'_> {
    /// Notes the loops of a function that changes its own parameters.
    pub(super) fn heads(&mut self, side: usize, own: FunctionId, places: &FxHashMap<LocationId, LocationId>) {
        let cfa = self.pairing.cfa(side);
        let heads: Vec<LocationId> = self.loops[side].of_function(own).map(|inner| inner.head).collect();
        if heads.is_empty() || self.plan.in_turns {
            return;
        }
        let edges = places.keys().flat_map(|location| cfa.out_edges(*location));
        let written: BTreeSet<VarId> =
            edges.flat_map(|edge| cfa.edge(*edge).operation.sets(&cfa.exprs)).map(|(variable, _)| variable).collect();
        let is_number = |id: &VarId| {
            let variable = cfa.variable(*id);
            matches!(cfa.types.get(variable.ty.ty), Type::Int { .. })
                && !variable.address_taken
                && !variable.ty.qualifiers.is_volatile
        };
        let function = self.function(side, own);
        let own_variables = cfa.variable_ids().filter(|id| cfa.variable(*id).function == Some(own) && is_number(id));
        let mut variables: Vec<VarId> = own_variables.map(|id| self.merged.maps[side].variable(id)).collect();
        let before = variables.len();
        for (number, parameter) in cfa.function(own).parameters.iter().enumerate() {
            if is_number(parameter) && written.contains(parameter) {
                let parameter = self.merged.maps[side].variable(*parameter);
                let ty = QualType::plain(self.editor.parts.variables[parameter.index()].ty.ty);
                let given = self.editor.ghost("given", ty);
                self.given.insert((function, number), given);
                variables.push(given);
            }
        }
        if variables.len() > before {
            let heads = heads.iter().filter_map(|head| places.get(head));
            self.heads.extend(heads.map(|head| Meeting { at: *head, variables: variables.clone(), known: Vec::new() }));
        }
    }

    /// Keeps what a call from outside gives to functions that change it; the arguments of the call, and what is to be set in front
    /// of the call of the second version: at its loops it counts what it was given there, and at those of the first what that was.
    pub(super) fn keep_given(&mut self, callees: [FunctionId; 2], (here, site): (LocationId, &Site)) -> Given {
        let mut writer = Writer { editor: &mut self.editor, here, at: site.at };
        let mut arguments = site.arguments.clone();
        let mut later = Vec::new();
        for (number, argument) in arguments.iter_mut().enumerate() {
            let ty = writer.editor.type_of(*argument);
            let ghosts = callees.map(|callee| self.given.get(&(callee, number)).copied());
            let mut ghosts =
                ghosts.into_iter().flatten().filter(|ghost| writer.editor.parts.variables[ghost.index()].ty.ty == ty);
            let (first, second) = (ghosts.next(), ghosts.next());
            if let Some(ghost) = first {
                writer.set(ghost, *argument);
                *argument = writer.editor.load(ghost);
            }
            later.extend(second.map(|ghost| (ghost, *argument)));
        }
        Given { here: writer.here, arguments, later }
    }
}

/// What a call gives.
pub(super) struct Given {
    pub(super) here: LocationId,
    pub(super) arguments: Vec<ExprId>,
    /// Variables that keep it for the second version, with their values.
    pub(super) later: Vec<(VarId, ExprId)>,
}
