//! A verdict for each clause: goals for the engine, and the judge of what it claims.
//!
//! All clauses that are asked about are goals of one program, in which an assertion records and lets execution go on. A
//! violation counts if the program without any assertion passes the clause's failing edge on the same inputs.
//! Does not know where the other clauses' verdicts come from.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

use console::{Budget, Deadline, Exhaustion, Progress};
use engine::control::Cause;
use engine::evidence::counterexample::Counterexample;
use engine::goal::{Goal, GoalId, Goals, Referee, Replay, Ruling, Status, Until};
use engine::portfolio::{self, Kind, Numbers, Plan, Recheck};
use engine::session::{Clock, Session, Sessions};
use formats::{Reason, Verdict};
use program::cfa::{Cfa, EdgeId, VarId};
use semantics::interpreter::{EdgeObserver, Limits, Origin, Request, Run, ValueRead, run};
use smt::z3::{Z3Error, interruptible};
use transform::assertions::{ClauseId, Semantics, Site, Treat, Treated, ids, treat};

/// What a run without assertions may take: it was replayed before, and is at most as long.
const LIMITS: Limits = Limits { steps: 50_000_000, memory: 1 << 30, skips_library: false };

/// What was found out about a clause.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    /// The analysis behind a TRUE.
    pub(crate) by: Option<&'static str>,
    /// What a violating run read.
    pub(crate) reads: Option<Vec<ValueRead>>,
}

/// Answers, and what they took.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) of: BTreeMap<ClauseId, Answer>,
    pub(crate) numbers: Numbers,
}

/// Decides the clauses that are no facts. A fact is a clause that holds in every run.
pub(crate) fn check(
    cfa: &Cfa,
    sites: &[Site],
    is_fact: &dyn Fn(ClauseId) -> bool,
    (budget, progress, steps): (&Budget, &Progress, Option<u64>),
) -> Result<Answers, Z3Error> {
    let asked: Vec<ClauseId> = ids(sites).filter(|id| !is_fact(*id)).collect();
    if asked.is_empty() {
        return Ok(Answers::default());
    }
    let number = |id: ClauseId| asked.binary_search(&id).ok().and_then(|at| u32::try_from(at).ok());
    let of = |id: ClauseId| number(id).map_or(Treat::Fact, Treat::Goal);
    let treated = treat(cfa, sites, &of, Semantics::Observer);
    let free = treat(cfa, sites, &|_| Treat::Nothing, Semantics::Observer);
    let stop = budget.stop_flag();
    let deadline = Deadline::start(budget);
    interruptible(&stop, || {
        let groups = treated.goals.values().cloned().collect();
        let mut goals = Goals::new(groups, Until::Each);
        let clock = if steps.is_some() { Clock::None } else { Clock::Seconds };
        let mut sessions = Sessions::open(&treated.recast.cfa, None, &stop, clock)?;
        let plan = Plan { analyses: Kind::ALL, proposals: &[], steps, recheck: Recheck::Never };
        let mut judge = Judge { free: &free, asked: &asked, choice: treated.choice };
        progress.phase("checking assertions");
        let numbers = portfolio::run(&mut sessions, (&mut goals, &mut judge), plan, (stop.as_ref(), &mut ()));
        progress.finish();
        let of = asked.iter().zip(goals.all()).map(|(id, goal)| (*id, answer(&treated, goal, deadline.exhaustion()))).collect();
        Ok(Answers { of, numbers })
    })
}

fn answer(treated: &Treated, goal: &Goal, exhaustion: Option<Exhaustion>) -> Answer {
    let cfa = &treated.recast.cfa;
    let unknown = |reason| Answer { verdict: Verdict::Unknown(reason), by: None, reads: None };
    match &goal.status {
        Status::Safe(proof) => Answer { verdict: Verdict::True, by: Some(proof.by), reads: None },
        Status::Unsafe(run) => {
            let reads = run.reads.iter().copied().filter(|read| !is_choice(read, treated.choice)).collect();
            Answer { verdict: Verdict::False(cfa.options.property), by: None, reads: Some(reads) }
        }
        Status::Unknown(cause) => unknown(cause.reason(cfa, exhaustion.map(Exhaustion::reason))),
        Status::Open => unknown(Reason::NoProgress),
    }
}

fn is_choice(read: &ValueRead, choice: Option<VarId>) -> bool {
    matches!(read.request.origin, Origin::Object { variable: Some(variable), .. } if Some(variable) == choice)
}

/// Judges by the program without assertions.
struct Judge<'a> {
    free: &'a Treated,
    asked: &'a [ClauseId],
    choice: Option<VarId>,
}

impl Judge<'_> {
    fn judged(&self, goal: GoalId, ruling: Ruling) -> Ruling {
        match ruling {
            Ruling::Confirmed(found) if !self.violates(goal, &found) => Ruling::Unconfirmed(Cause::Unconfirmed(None)),
            other @ (Ruling::Confirmed(_) | Ruling::ConfirmedFor { .. } | Ruling::Unconfirmed(_)) => other,
        }
    }

    fn violates(&self, goal: GoalId, found: &Run) -> bool {
        let Some(id) = self.asked.get(goal.0) else { return false };
        let mut left: VecDeque<ValueRead> =
            found.reads.iter().copied().filter(|read| !read.decided && !is_choice(read, self.choice)).collect();
        // What the run read was for its own steps: here the same things are asked for in the same order.
        let mut inputs = |request: &Request| {
            let next = left.front().filter(|next| same_thing(next.request.origin, request.origin))?.value;
            left.pop_front();
            Some(next)
        };
        let mut violated = false;
        let mut watch = EdgeObserver(|edge: EdgeId| {
            violated |= self.free.fails.contains(&(*id, edge));
            if violated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        run(&self.free.recast.cfa, &mut inputs, &mut watch, LIMITS);
        violated
    }
}

/// Whether two values are asked for by the same thing, at whatever step.
fn same_thing(a: Origin, b: Origin) -> bool {
    match (a, b) {
        (Origin::Object { variable: a, offset: x, .. }, Origin::Object { variable: b, offset: y, .. }) => (a, x) == (b, y),
        _ => a == b,
    }
}

impl Referee for Judge<'_> {
    fn claim(&mut self, session: &mut Session<'_>, goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        let ruling = Replay.claim(session, goal, path);
        self.judged(goal.0, ruling)
    }

    fn execution(&mut self, goal: GoalId, run: Run) -> Ruling {
        self.judged(goal, Ruling::Confirmed(Rc::new(run)))
    }
}
