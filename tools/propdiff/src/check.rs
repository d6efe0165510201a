//! A verdict for each clause: goals for the engine, and the judge of what it claims.
//!
//! All clauses that are asked about are goals of one program, in which an assertion records and lets execution go on. A
//! violation counts if the program without any assertion passes the clause's failing edge on the same inputs. What is known
//! comes first (S3): invariants of an earlier proof are proved again, and all clauses asked in one question per block.
//! Does not know where the other clauses' verdicts come from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

use console::{Budget, Deadline, Exhaustion, Progress};
use engine::analyses::candidates::{Candidate, Candidates};
use engine::analysis::{STEP, Share, run_share};
use engine::control::Cause;
use engine::evidence::counterexample::Counterexample;
use engine::evidence::invariant::Invariant;
use engine::goal::{Goal, GoalId, Goals, Proof, Referee, Replay, Ruling, Status, Until};
use engine::portfolio::{self, Kind, Plan};
use engine::session::{Clock, Memory, Session, Sessions};
use evidence::Claim;
use evidence::witness::{AtLoop, at_loops};
use formats::assertions::Attribution;
use formats::verdict::InputValue;
use formats::{Reason, Verdict};
use program::cfa::{Cfa, EdgeId, LocationId, VarId};
use program::expr::ExprId;
use semantics::interpreter::{EdgeObserver, Limits, Origin, Request, Run, ValueRead, run};
use smt::z3::{Z3Error, interruptible};
use transform::assertions::{ClauseId, Semantics, Site, Treat, Treated, treat};

use crate::replay::named;

/// Steps for what is proposed before anything else is tried.
const HEAD_START: u64 = 10_000;

/// What a run without assertions may take: it was replayed before, and is at most as long.
const LIMITS: Limits = Limits { steps: 50_000_000, memory: 1 << 30, skips_library: false };

/// Steps for what earlier verdicts say: who wrote them knew more than this takes, or it is asked as if nobody had.
const CONFIRMATION: u64 = 60_000;
/// Analyses that end soon, or are what the program needs, and the steps they get.
const QUIET: &[Kind] = &[Kind::Execution, Kind::Values];
const QUIET_STEPS: u64 = 30_000;
/// Invariants that are kept for later.
const MOST_INVARIANTS: usize = 200;

/// What was found out about a clause.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    /// The analysis behind a TRUE.
    pub(crate) by: Option<&'static str>,
    /// What decided it.
    pub(crate) stage: Option<&'static str>,
    /// What a violating run read.
    pub(crate) inputs: Option<Vec<InputValue>>,
    /// A TRUE of earlier verdicts that was not proved again.
    pub(crate) rests_on_file: bool,
    /// What of the change is behind a failure.
    pub(crate) attribution: Option<Attribution>,
}

impl Answer {
    pub(crate) const fn of(verdict: Verdict) -> Self {
        Self { verdict, by: None, stage: None, inputs: None, rests_on_file: false, attribution: None }
    }
}

/// Answers, and what they took.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) of: BTreeMap<ClauseId, Answer>,
    pub(crate) queries: u64,
    /// Of these, to prove again what is known.
    pub(crate) confirming: u64,
    pub(crate) steps: u64,
    /// What holds at loops.
    pub(crate) invariants: BTreeSet<AtLoop>,
}

/// What is asked.
pub(crate) struct Task<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) sites: &'a [Site],
    /// Expressions that may be invariants at their locations.
    pub(crate) proposals: &'a [(LocationId, ExprId)],
    /// Clauses that are TRUE if earlier verdicts are right, with the stage that says so.
    pub(crate) expected: BTreeMap<ClauseId, &'static str>,
    /// Clauses of which nothing is known.
    pub(crate) open: BTreeSet<ClauseId>,
    /// What is expected and cannot be proved cheaply is checked as if nothing were known.
    pub(crate) audit: bool,
    /// Earlier verdicts are there to profit from.
    pub(crate) confirms: bool,
}

/// The means of a check.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) budget: &'a Budget,
    pub(crate) progress: &'a Progress,
    pub(crate) steps: Option<u64>,
}

/// Decides clauses: first all together by what is known (stage S3), then what is left one by one (S4). What was expected and not
/// proved again rests on the file, and nothing else is concluded from it.
pub(crate) fn check(mut task: Task<'_>, means: Means<'_>) -> Result<Answers, Z3Error> {
    let mut answers = Answers::default();
    let stop = means.budget.stop_flag();
    interruptible(&stop, || {
        if task.confirms && !(task.expected.is_empty() && task.open.is_empty()) {
            means.progress.phase("proving again what is known");
            confirm(&task, means, &mut answers)?;
        }
        let proved: BTreeSet<ClauseId> = answers.of.keys().copied().filter(|id| task.expected.contains_key(id)).collect();
        for (id, stage) in std::mem::take(&mut task.expected) {
            if task.audit {
                task.open.insert(id);
            } else if !proved.contains(&id) {
                let answer =
                    Answer { by: Some("difference"), stage: Some(stage), rests_on_file: true, ..Answer::of(Verdict::True) };
                answers.of.insert(id, answer);
            }
        }
        task.open.retain(|id| !answers.of.contains_key(id));
        if !task.open.is_empty() {
            means.progress.phase("checking assertions");
            explore(&task, &proved, means, &mut answers)?;
        }
        means.progress.finish();
        Ok(answers)
    })
}

/// The goals of a program, with whose they are.
struct Asked {
    treated: Treated,
    goals: Goals,
    of: Vec<ClauseId>,
}

impl Asked {
    fn new(task: &Task<'_>, of: Vec<ClauseId>, facts: &BTreeSet<ClauseId>) -> Self {
        let number = |id: ClauseId| of.binary_search(&id).ok().and_then(|at| u32::try_from(at).ok());
        let treat_one = |id: ClauseId| match number(id) {
            Some(number) => Treat::Goal(number),
            None if facts.contains(&id) => Treat::Fact,
            None => Treat::Nothing,
        };
        let treated = treat(task.cfa, task.sites, &treat_one, Semantics::Observer);
        let goals = Goals::new(treated.goals.values().cloned().collect(), Until::Each);
        Self { treated, goals, of }
    }
}

/// What one run of analyses gave up is for the next.
fn reopen(goals: &mut Goals) {
    for id in (0..goals.all().len()).map(GoalId) {
        if matches!(goals.get(id).status, Status::Unknown(_)) {
            goals.settle(id, Status::Open);
        }
    }
}

/// Stage S3: known invariants are proved again, and all clauses asked together on top of them.
fn confirm(task: &Task<'_>, means: Means<'_>, answers: &mut Answers) -> Result<(), Z3Error> {
    let all: BTreeSet<ClauseId> = task.expected.keys().chain(&task.open).copied().collect();
    let mut asked = Asked::new(task, all.into_iter().collect(), &BTreeSet::new());
    let free = treat(task.cfa, task.sites, &|_| Treat::Nothing, Semantics::Observer);
    let stop = means.budget.stop_flag();
    let mut sessions = Sessions::open(&asked.treated.recast.cfa, None, &stop, Clock::None)?;
    let proposals = proposals(&mut sessions, task);
    let mut judge = Judge { free: &free, asked: &asked.of, choice: asked.treated.choice };
    // What asks nobody comes first, as it does where nothing is known.
    let plan = Plan { analyses: QUIET, steps: Some(QUIET_STEPS), ..Plan::FULL };
    portfolio::run(&mut sessions, (&mut asked.goals, &mut judge), plan, (stop.as_ref(), &mut ()));
    reopen(&mut asked.goals);
    let mut analysis = Candidates::given(proposals);
    let steps = CONFIRMATION.min(means.steps.unwrap_or(u64::MAX));
    let mut share = Share { steps, observer: &mut () };
    let session = sessions.of(Memory::Abstracted);
    // Whether it ended or was cut off: what is settled is.
    _ = run_share(&mut analysis, session, &mut asked.goals, &mut judge, &mut share);
    for (id, goal) in asked.of.iter().zip(asked.goals.all()) {
        let settled = !matches!(goal.status, Status::Open | Status::Unknown(_));
        if settled {
            let answer = answer(&asked.treated, goal, None);
            let stage = task.expected.get(id).copied().filter(|_| answer.verdict == Verdict::True).unwrap_or("S3");
            answers.of.insert(*id, Answer { stage: Some(stage), ..answer });
        }
    }
    answers.queries += sessions.asked();
    answers.confirming += sessions.asked();
    answers.steps += sessions.spent() / STEP;
    keep_invariants(&asked, &mut sessions, answers);
    Ok(())
}

/// Stage S4: the analyses, with what was proved for facts.
fn explore(task: &Task<'_>, proved: &BTreeSet<ClauseId>, means: Means<'_>, answers: &mut Answers) -> Result<(), Z3Error> {
    let mut asked = Asked::new(task, task.open.iter().copied().collect(), proved);
    let free = treat(task.cfa, task.sites, &|_| Treat::Nothing, Semantics::Observer);
    let stop = means.budget.stop_flag();
    let deadline = Deadline::start(means.budget);
    let clock = if means.steps.is_some() { Clock::None } else { Clock::Seconds };
    let mut sessions = Sessions::open(&asked.treated.recast.cfa, None, &stop, clock)?;
    let proposals = proposals(&mut sessions, task);
    let steps = means.steps.map(|steps| steps.saturating_sub(answers.steps));
    let plan = Plan { proposals: &proposals, head_start: HEAD_START, steps, ..Plan::FULL };
    let mut judge = Judge { free: &free, asked: &asked.of, choice: asked.treated.choice };
    let numbers = portfolio::run(&mut sessions, (&mut asked.goals, &mut judge), plan, (stop.as_ref(), &mut ()));
    for (id, goal) in asked.of.iter().zip(asked.goals.all()) {
        let answer = answer(&asked.treated, goal, deadline.exhaustion());
        let stage = (!matches!(answer.verdict, Verdict::Unknown(_))).then_some("S4");
        answers.of.insert(*id, Answer { stage, ..answer });
    }
    answers.queries += numbers.queries;
    answers.steps += numbers.steps;
    keep_invariants(&asked, &mut sessions, answers);
    Ok(())
}

fn proposals(sessions: &mut Sessions<'_>, task: &Task<'_>) -> Vec<Candidate> {
    if task.proposals.is_empty() {
        return Vec::new();
    }
    let session = sessions.of(Memory::Abstracted);
    let candidate = |(at, expr): &(LocationId, ExprId)| {
        Some(Candidate { at: *at, formula: session.formula(*expr, *at)?, versions: u64::MAX })
    };
    task.proposals.iter().filter_map(candidate).collect()
}

/// What proofs say of loops is written down for the next version.
fn keep_invariants(asked: &Asked, sessions: &mut Sessions<'_>, answers: &mut Answers) {
    let mut seen: Vec<*const Proof> = Vec::new();
    for goal in asked.goals.all() {
        let Status::Safe(proof) = &goal.status else { continue };
        if seen.contains(&Rc::as_ptr(proof)) || answers.invariants.len() >= MOST_INVARIANTS {
            continue;
        }
        seen.push(Rc::as_ptr(proof));
        let claim = |one: &Invariant| Claim { at: one.location(), formula: one.formula };
        let claims: Vec<Claim> = proof.invariants.iter().map(claim).collect();
        let told = at_loops(&asked.treated.recast.cfa, &claims, &sessions.of(proof.memory).store);
        answers.invariants.extend(told);
    }
}

fn answer(treated: &Treated, goal: &Goal, exhaustion: Option<Exhaustion>) -> Answer {
    let cfa = &treated.recast.cfa;
    match &goal.status {
        Status::Safe(proof) => Answer { by: Some(proof.by), ..Answer::of(Verdict::True) },
        Status::Unsafe(run) => {
            let inputs = named(cfa, run, &|origin| !is_choice(origin, treated.choice));
            Answer { inputs: Some(inputs), ..Answer::of(Verdict::False(cfa.options.property)) }
        }
        Status::Unknown(cause) => Answer::of(Verdict::Unknown(cause.reason(cfa, exhaustion.map(Exhaustion::reason)))),
        Status::Open => Answer::of(Verdict::Unknown(Reason::NoProgress)),
    }
}

fn is_choice(origin: Origin, choice: Option<VarId>) -> bool {
    matches!(origin, Origin::Object { variable: Some(variable), .. } if Some(variable) == choice)
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
            found.reads.iter().copied().filter(|read| !read.decided && !is_choice(read.request.origin, self.choice)).collect();
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
