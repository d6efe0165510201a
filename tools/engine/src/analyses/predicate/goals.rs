//! Predicate abstraction as an analysis: a refinement loop for each goal, cheap goals first.
//!
//! Predicates of several goals would meet at one loop head and drown the enumeration of valuations, so each goal has its own.
//! What is proved of one is a fact for the next.

use std::collections::BTreeMap;

use crate::analysis::{Analysis, Pause, Share};
use crate::control::{Cause, Stop};
use crate::goal::{Focus, GoalId, Goals, Referee, Status};
use crate::session::Session;

use super::cegar::Cegar;

/// A loop of one goal, what it has cost, and why it ended.
#[derive(Debug, Default)]
struct Loop {
    cegar: Cegar,
    cost: u64,
    ended: Option<Cause>,
}

/// Predicate abstraction, goal by goal.
#[derive(Debug)]
pub struct Predicates {
    name: &'static str,
    loops: BTreeMap<GoalId, Loop>,
}

impl Predicates {
    /// The analysis under a name.
    #[must_use]
    pub fn named(name: &'static str) -> Self {
        Self { name, loops: BTreeMap::new() }
    }

    /// Works on one goal with a share of the steps; the goals are looked at one at a time while it does.
    fn work(
        &mut self,
        session: &mut Session,
        (goals, goal): (&mut Goals, GoalId),
        referee: &mut dyn Referee,
        share: &mut Share<'_>,
    ) {
        let own = self.loops.entry(goal).or_default();
        let before = session.meter().spent();
        goals.focus(Focus::One(goal));
        let result = own.cegar.run(session, goals, referee, share.observer);
        goals.focus(Focus::All);
        own.cost += session.meter().spent() - before;
        match result {
            Ok(()) | Err(Cause::Stopped(Stop::Interrupted)) => {}
            Err(cause) => own.ended = Some(cause),
        }
        if let Status::Safe(proof) = &goals.get(goal).status
            && goals.all_open().next().is_some()
        {
            session.assume(&proof.invariants);
        }
    }
}

impl<'p> Analysis<'p> for Predicates {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        let cost = |loops: &BTreeMap<GoalId, Loop>, goal: &GoalId| loops.get(goal).map_or(0, |own| own.cost);
        let mut open: Vec<GoalId> = goals.all_open().collect();
        open.sort_by_key(|goal| (cost(&self.loops, goal), *goal));
        open.retain(|goal| self.loops.get(goal).is_none_or(|own| own.ended.is_none()));
        let whole = session.meter().left();
        for (at, goal) in open.iter().enumerate() {
            if goals.done() {
                break;
            }
            // What a goal leaves of its part goes to those behind it.
            let left = session.meter().left();
            let waiting = (open.len() - at) as u64;
            if whole != u64::MAX && waiting > 1 {
                session.meter().grant(left / waiting);
                self.work(session, (goals, *goal), referee, share);
                let used = left / waiting - session.meter().left();
                session.meter().grant(left.saturating_sub(used));
            } else {
                self.work(session, (goals, *goal), referee, share);
            }
        }
        let ended = |goal: GoalId| self.loops.get(&goal).and_then(|own| own.ended.clone());
        match goals.all_open().find(|goal| ended(*goal).is_none()) {
            Some(_) if !goals.done() => Ok(Pause::Share),
            _ => Ok(Pause::Done(goals.all_open().find_map(ended))),
        }
    }

    fn obstacle(&self) -> Option<Cause> {
        self.loops.values().find_map(|own| own.ended.clone().or_else(|| own.cegar.obstacle().cloned().map(Cause::Obstacle)))
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        let sum = |number: &dyn Fn(&Cegar) -> u64| self.loops.values().map(|own| number(&own.cegar)).sum();
        vec![
            ("refinements", sum(&|cegar| cegar.statistics.refinements)),
            ("abstraction states", sum(&|cegar| cegar.statistics.nodes)),
            ("blocks", sum(&|cegar| cegar.statistics.blocks)),
            ("encoded edges", sum(&|cegar| cegar.statistics.edges)),
            ("predicates", sum(&|cegar| cegar.predicates() as u64)),
        ]
    }
}
