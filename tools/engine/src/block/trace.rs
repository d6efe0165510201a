//! Follows one path through a block: the one that given values at the start and given inputs select.

use program::cfa::EdgeId;
use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::{TermId, TermStore};

use crate::control::{Explorer, Position, Stop, SymbolicState, Target};

/// A path through a block.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Its edges, each with the position it leaves.
    pub steps: Vec<(Position, EdgeId)>,
    /// The conditions under which it is taken, over the values at the start of the block and inputs.
    pub conditions: Vec<TermId>,
    /// The values of the variables at its end.
    pub state: SymbolicState,
    /// Where it ends; `None` if the path is dropped before (covered, or away from the error).
    pub target: Option<Target>,
}

/// The path from `entry` that `values` select.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn trace(
    explorer: &mut Explorer,
    store: &mut TermStore,
    entry: Position,
    state: SymbolicState,
    values: &Assignment,
) -> Result<Trace, Stop> {
    let mut trace = Trace { steps: Vec::new(), conditions: Vec::new(), state, target: None };
    let mut cache = FxHashMap::default();
    let mut position = entry;
    'path: loop {
        explorer.check_limits(trace.steps.len())?;
        for edge in explorer.out_edges(position) {
            if let Some(successor) = explorer.successors(store, position, edge, &trace.state) {
                let holds = successor.conditions.iter().all(|condition| {
                    store.eval_with(*condition, values, &mut cache).ok().and_then(|v| v.as_bool()) == Some(true)
                });
                if !holds {
                    continue;
                }
                trace.steps.push((position, edge));
                trace.conditions.extend(successor.conditions.iter().filter(|c| store.as_bool(**c).is_none()));
                trace.state = successor.state;
                match successor.target {
                    Ok(next) => {
                        position = next;
                        continue 'path;
                    }
                    Err(end) => {
                        trace.target = Some(end);
                        return Ok(trace);
                    }
                }
            }
        }
        return Ok(trace);
    }
}
