//! Builds the block that starts at a position.
//!
//! Positions are taken up in an order in which all ways to one come before it, so that every path that meets there is
//! joined once. Paths end at loop heads, at entries of recursive functions, at errors and at obstacles; paths that the
//! condition covers or that can no longer reach the error are dropped.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use indexmap::IndexMap;
use smt::TermStore;

use super::guard::{GuardId, Guards};
use super::{Block, Exit};
use crate::control::explorer::{Explorer, Successor};
use crate::control::{Position, Stop, SymbolicState, Target};

/// Control stands at a position under a guard with a state.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Under which condition.
    pub guard: GuardId,
    /// With which values.
    pub state: SymbolicState,
}

/// Builds the block from `entry`, where the variables have the values of `state`.
///
/// # Errors
/// [`Stop`] if the run was interrupted or the block grew beyond the limit.
pub fn build(explorer: &mut Explorer, store: &mut TermStore, entry: Position, state: SymbolicState) -> Result<Block, Stop> {
    let mut build = Build { guards: Guards::new(store), pending: BTreeMap::new(), ends: IndexMap::new(), edges: 0 };
    build.expand(explorer, store, entry, GuardId::ROOT, &state)?;
    while let Some(((_, position), arrivals)) = build.pending.pop_first() {
        let whole = join(&mut build.guards, store, arrivals);
        build.expand(explorer, store, position, whole.guard, &whole.state)?;
    }
    build.finish(store, entry)
}

struct Build {
    guards: Guards,
    pending: BTreeMap<(Vec<u32>, Position), Vec<Arrival>>,
    ends: IndexMap<Target, Vec<Arrival>>,
    edges: usize,
}

impl Build {
    fn expand(
        &mut self,
        explorer: &mut Explorer,
        store: &mut TermStore,
        position: Position,
        guard: GuardId,
        state: &SymbolicState,
    ) -> Result<(), Stop> {
        explorer.check_limits(self.edges)?;
        for edge in explorer.out_edges(position) {
            self.edges += 1;
            if let Some(Successor { conditions, state, target }) = explorer.successors(store, position, edge, state) {
                let Some(guard) = self.guards.passing(store, guard, &conditions) else { continue };
                let arrival = Arrival { guard, state };
                match target {
                    Ok(next) => {
                        let key = (explorer.order(next), next);
                        self.pending.entry(key).or_default().push(arrival);
                    }
                    Err(end) => self.ends.entry(end).or_default().push(arrival),
                }
            }
        }
        Ok(())
    }

    fn finish(mut self, store: &mut TermStore, entry: Position) -> Result<Block, Stop> {
        let mut exits = Vec::with_capacity(self.ends.len());
        for (target, arrivals) in std::mem::take(&mut self.ends) {
            let whole = join(&mut self.guards, store, arrivals);
            let guard = self.guards.term(store, whole.guard);
            exits.push(Exit { target, guard, state: whole.state });
        }
        exits.sort_by_key(|exit| matches!(exit.target, Target::Head(_)));
        Ok(Block { entry, exits, edges: self.edges })
    }
}

/// The arrivals at a node of the decision tree, deepest first.
type Meetings = BTreeMap<(Reverse<u32>, GuardId), Arrival>;

/// One arrival for all: those that separated last are joined first.
pub fn join(guards: &mut Guards, store: &mut TermStore, arrivals: Vec<Arrival>) -> Arrival {
    let mut open = Meetings::new();
    for arrival in arrivals {
        meet(guards, store, &mut open, arrival.guard, arrival);
    }
    while open.len() > 1 {
        let Some(((_, at), arrival)) = open.pop_first() else { break };
        let parent = guards.parent(at);
        meet(guards, store, &mut open, parent, arrival);
    }
    open.pop_first().map_or(Arrival { guard: GuardId::ROOT, state: SymbolicState::unchanged() }, |(_, a)| a)
}

/// Puts an arrival at a node of the decision tree, joining it with one that is there.
fn meet(guards: &mut Guards, store: &mut TermStore, open: &mut Meetings, at: GuardId, arrival: Arrival) {
    let key = (Reverse(guards.depth(at)), at);
    let met = match open.remove(&key) {
        None => arrival,
        Some(other) => {
            let join = guards.join(store, other.guard, arrival.guard);
            let state = SymbolicState::choose(store, join.first, &other.state, &arrival.state);
            // A joined guard that did not collapse hangs below `at`; it is still met at `at`.
            Arrival { guard: join.guard, state }
        }
    };
    open.insert(key, met);
}
