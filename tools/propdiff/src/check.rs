//! A verdict for each clause: goals for the engine, and the judge of what it claims.
//!
//! All clauses that are asked about are goals of one program, in which an assertion records and lets execution go on. A
//! violation counts if the program without any assertion passes the clause's failing edge on the same inputs.
//! Does not know where the other clauses' verdicts come from.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use console::{Budget, Exhaustion, Progress};
use engine::control::{Cause, Obstacle, Stop};
use engine::evidence::counterexample::Counterexample;
use engine::goal::{Goal, GoalId, Goals, Referee, Replay, Ruling, Status, Until};
use engine::portfolio::{self, Kind, Numbers, Plan, Recheck};
use engine::session::{Clock, Session, Sessions};
use formats::{Reason, Verdict};
use program::cfa::{Cfa, EdgeId, VarId};
use program::source::Span;
use semantics::interpreter::{EdgeObserver, Limits, Origin, Request, Run, ValueRead, run};
use smt::z3::{Z3Error, interruptible};
use transform::assertions::{ClauseId, Semantics, Site, Treat, Treated, ids, treat};

/// How often the budget is looked at while the solver runs.
const POLL: Duration = Duration::from_millis(25);
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
    let watch = Watch::start(budget);
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
        let of = asked.iter().zip(goals.all()).map(|(id, goal)| (*id, answer(&treated, goal, watch.exhaustion()))).collect();
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
        Status::Unknown(cause) => unknown(reason(cfa, cause, exhaustion)),
        Status::Open => unknown(Reason::NoProgress),
    }
}

fn is_choice(read: &ValueRead, choice: Option<VarId>) -> bool {
    matches!(read.request.origin, Origin::Object { variable: Some(variable), .. } if Some(variable) == choice)
}

/// Why there is no answer, as users know it.
fn reason(cfa: &Cfa, cause: &Cause, exhaustion: Option<Exhaustion>) -> Reason {
    let unsupported = |construct: &str, span: Span| {
        let place = cfa.source.location(span.lo);
        Reason::Unsupported { construct: construct.to_owned(), file: place.file.to_owned(), line: place.line }
    };
    match cause {
        Cause::Obstacle(Obstacle::Unsupported { construct, edge }) => unsupported(construct, cfa.edge(*edge).span),
        Cause::Obstacle(Obstacle::Initializer { construct, span }) => unsupported(construct, *span),
        Cause::Obstacle(Obstacle::Recursion { .. }) => Reason::Recursion,
        Cause::Stopped(Stop::Interrupted) => exhaustion.map_or(Reason::Budget, Exhaustion::reason),
        Cause::Stopped(_) => Reason::Memory,
        Cause::Solver => Reason::Solver,
        Cause::Unconfirmed(Some((edge, construct))) => unsupported(construct, cfa.edge(*edge).span),
        Cause::NoProgress | Cause::Unconfirmed(None) => Reason::NoProgress,
    }
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

/// A thread that raises the stop flag when the budget is used up: the solver cannot poll.
struct Watch {
    done: Arc<AtomicBool>,
    found: Arc<std::sync::Mutex<Option<Exhaustion>>>,
}

impl Watch {
    fn start(budget: &Budget) -> Self {
        let watch = Self { done: Arc::default(), found: Arc::default() };
        let (budget, done, found) = (budget.clone(), Arc::clone(&watch.done), Arc::clone(&watch.found));
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                if let Some(exhaustion) = budget.check() {
                    if let Ok(mut found) = found.lock() {
                        found.get_or_insert(exhaustion);
                    }
                    budget.stop();
                    return;
                }
                std::thread::sleep(POLL);
            }
        });
        watch
    }

    fn exhaustion(&self) -> Option<Exhaustion> {
        self.found.lock().ok().and_then(|found| *found)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
