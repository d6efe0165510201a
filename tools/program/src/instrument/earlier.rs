//! Locals of a function that is called again while a pointer to the local of an earlier call may still be there.
//!
//! The object of each call is another one (C11 6.2.4p6), although all of them are one variable, at one address. What may be
//! kept from call to call is found as for rounds of a loop (`rounds`), without an order of statements.
//!
//! * Soundness: a pointer that reaches a later call has come along such a way. Where all ends of these ways are plain pointers
//!   that the function can set, they lead nowhere from where it is entered again; otherwise an access through a pointer to the
//!   local of a later call is unsupported.
//!
//! Does not know recursion: there, pointers to locals are unknown altogether.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::Step;
use super::blocks::Repeated;
use super::builder::Builder;
use super::callers::{calls, reaches};
use super::rounds::{Locals, MOST_HOLDERS, is_plain, lead_away};
use super::ways::Ways;
use crate::cfa::{FunctionId, VarId, VarKind};

/// The locals that somebody may point to after the call that they belong to.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    found: BTreeMap<FunctionId, Again>,
    /// An object that nothing may be accessed in.
    nowhere: Option<VarId>,
}

/// What happens where a function is entered again.
#[derive(Debug, Default)]
struct Again {
    /// Locals with their bytes, and the pointers that lead nowhere from then on if they lead to them.
    reset: Vec<(VarId, u64, Vec<VarId>)>,
    /// Locals of which nobody knows which pointers lead to them.
    lost: FxHashSet<VarId>,
    /// For these: set from the first call on, and from the second.
    counts: Option<(VarId, VarId)>,
}

impl Earlier {
    /// Adds the ghosts that are needed.
    pub(super) fn new(builder: &mut Builder<'_>, locals: &Locals<'_>) -> Self {
        let repeated = Repeated::new(builder);
        let is_again = |function: &FunctionId| repeated.is_entered_again(builder, *function);
        let functions: Vec<FunctionId> = locals.automatic.keys().copied().filter(is_again).collect();
        let mut earlier = Self::default();
        if functions.is_empty() {
            return earlier;
        }
        let (ways, calls) = (Ways::new(builder), calls(builder));
        for function in functions {
            let mut again = Again::default();
            for &(variable, size) in &locals.automatic[&function] {
                let (reached, is_moved) = ways.from(variable);
                let holders = (0..ways.variables).filter(|node| reached.contains(node)).map(VarId::new);
                let holders: Vec<VarId> = holders.filter(|holder| outlives(builder, &calls, *holder, function)).collect();
                let is_stored = reached.contains(&ways.stored());
                if !is_stored && holders.is_empty() {
                    continue;
                }
                let is_known = !is_stored && !is_moved && size > 0 && locals.fixed.contains(&variable);
                let is_settable = |holder: &VarId| is_plain(builder, *holder, Some(function));
                if is_known && holders.len() <= MOST_HOLDERS && holders.iter().all(is_settable) {
                    again.reset.push((variable, size, holders));
                } else {
                    again.lost.insert(variable);
                }
            }
            earlier.add(builder, function, again);
        }
        earlier
    }

    fn add(&mut self, builder: &mut Builder<'_>, function: FunctionId, mut again: Again) {
        if !again.reset.is_empty() && self.nowhere.is_none() {
            let nowhere = builder.ghost("gone", builder.int);
            builder.parts.variables[nowhere.index()].address_taken = true;
            self.nowhere = Some(nowhere);
        }
        if !again.lost.is_empty() {
            let name = builder.parts.functions[function.index()].name.clone();
            let int = builder.int;
            again.counts = Some((builder.ghost(&format!("called_{name}"), int), builder.ghost(&format!("recalled_{name}"), int)));
        }
        self.found.insert(function, again);
    }

    /// Whether an access to a local through a pointer may mean that of an earlier call.
    pub(super) fn again(&self, function: FunctionId, variable: VarId) -> Option<VarId> {
        let again = self.found.get(&function).filter(|again| again.lost.contains(&variable))?;
        again.counts.map(|(_, recalled)| recalled)
    }

    /// Where a call of a function begins.
    pub(super) fn enter(&self, builder: &mut Builder<'_>, function: FunctionId) -> Vec<Step> {
        let mut steps = Vec::new();
        let Some(again) = self.found.get(&function) else { return steps };
        if let Some((called, recalled)) = again.counts {
            let before = builder.load(called);
            let one = builder.number(builder.int, 1);
            steps.extend([Step::Assign(recalled, before), Step::Assign(called, one)]);
        }
        for (variable, size, holders) in &again.reset {
            let Some(nowhere) = self.nowhere else { continue };
            steps.extend(holders.iter().map(|holder| lead_away(builder, *holder, (*variable, size - 1), nowhere)));
        }
        steps
    }
}

/// Whether a variable may keep its value into the next call of a function: it is static, belongs to a function that waits, or
/// gets it as an argument.
fn outlives(builder: &Builder<'_>, calls: &BTreeMap<FunctionId, Vec<FunctionId>>, holder: VarId, own: FunctionId) -> bool {
    let variable = &builder.parts.variables[holder.index()];
    let Some(function) = variable.function.filter(|_| variable.is_automatic()) else { return true };
    if function == own {
        return matches!(variable.kind, VarKind::Parameter(_));
    }
    calls.get(&function).is_some_and(|callees| reaches(calls, callees, own))
}
