//! The contract of an analysis: it settles goals as far as its share goes, and goes on there when it gets another.
//!
//! Knows goals and sessions. Does not know which analyses there are.

use smt::Meter;

use crate::control::{Cause, Stop};
use crate::goal::{Goals, Referee};
use crate::session::Session;

/// How many units of the [`Meter`] a step is: about what encoding an edge costs.
pub const STEP: u64 = 10;

/// What an analysis may use.
pub struct Share<'a> {
    /// Steps: each is worth an encoded edge, or [`STEP`] resource units of a solver.
    pub steps: u64,
    /// Is told how it goes.
    pub observer: &'a mut dyn Observer,
}

impl std::fmt::Debug for Share<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Share").field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// Watches a run.
pub trait Observer {
    /// An analysis begins or goes on.
    fn analysis(&mut self, _name: &'static str) {}
    /// A round of refinement begins.
    fn round(&mut self, _refinements: usize, _nodes: usize, _predicates: usize) {}
}

impl Observer for () {}

/// Why an analysis returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Its share is used up: it would go on.
    Share,
    /// It has nothing more to say; why goals are still open, if it knows.
    Done(Option<Cause>),
}

/// One way to settle goals.
pub trait Analysis<'p> {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// Settles goals as far as the share goes. Called again with more, it goes on where it stopped.
    ///
    /// Soundness: a goal becomes `Safe` only if no run that counts reaches it along a path that the condition leaves
    /// uncovered, and `Unsafe` only by the referee.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the share is used up or the stop flag raised: the analysis can be called again.
    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        share: &mut Share<'_>,
    ) -> Result<Pause, Stop>;

    /// Why goals are still open, as far as it knows now.
    fn obstacle(&self) -> Option<Cause> {
        None
    }

    /// How many shares it is worth in the place of one, for all that its work so far shows. That changes how long something takes,
    /// never what comes out.
    fn worth(&self) -> u64 {
        1
    }

    /// Which of the formulas it was offered hold, by their place among those: wherever control comes to their location.
    fn held(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Numbers of its work so far.
    fn numbers(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// Lets an analysis use its share.
pub fn run_share<'p>(
    analysis: &mut dyn Analysis<'p>,
    session: &mut Session<'p>,
    goals: &mut Goals,
    referee: &mut dyn Referee,
    share: &mut Share<'_>,
) -> Pause {
    share.observer.analysis(analysis.name());
    let units = share.steps.saturating_mul(STEP);
    session.meter().grant(if share.steps == u64::MAX { u64::MAX } else { units });
    goals.enter(session);
    let paused = analysis.run(session, goals, referee, share);
    let meter: &Meter = session.meter();
    meter.grant(u64::MAX);
    match paused {
        Ok(pause) => pause,
        Err(Stop::Interrupted) => Pause::Share,
        Err(stop) => Pause::Done(Some(Cause::Stopped(stop))),
    }
}
