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
use engine::analysis::{Pause, STEP, Share, run_share};
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

use crate::arguments::Stage;
use crate::replay::named;

/// Steps for what is proposed before anything else is tried.
const HEAD_START: u64 = 10_000;

/// What a run without assertions may take: it was replayed before, and is at most as long.
const LIMITS: Limits = Limits { steps: 50_000_000, memory: 1 << 30, skips_library: false };

/// Steps for what earlier verdicts say: who wrote them knew more than this takes, or it is asked as if nobody had.
const CONFIRMATION: u64 = 60_000;
/// Analyses that end soon, or are what the program needs, and the steps they get.
const QUIET: &[Kind] = Kind::ALL.split_at(2).0;
const QUIET_STEPS: u64 = 30_000;
/// The analyses that are left when those have ended.
const OTHERS: &[Kind] = Kind::ALL.split_at(2).1;
/// Invariants that are kept for later.
const MOST_INVARIANTS: usize = 200;

/// What was found out about a clause.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    /// The analysis behind a TRUE.
    pub(crate) by: Option<&'static str>,
    /// What decided it.
    pub(crate) stage: Option<Stage>,
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
    /// Whether assertions can be evaluated, by their positions.
    pub(crate) evaluations: BTreeMap<usize, Answer>,
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
    pub(crate) expected: BTreeMap<ClauseId, Stage>,
    /// Clauses of which nothing is known.
    pub(crate) open: BTreeSet<ClauseId>,
    /// Which of what is expected and cannot be proved cheaply is checked as if nothing were known.
    pub(crate) audit: Option<Audit<'a>>,
    /// Earlier verdicts are there to profit from.
    pub(crate) confirms: bool,
    /// Stages that are left out.
    pub(crate) without: &'a [Stage],
}

/// A share of the clauses.
#[derive(Clone, Copy)]
pub(crate) struct Audit<'a> {
    pub(crate) percent: u8,
    /// What decides which clauses these are: the same for the same program.
    pub(crate) seed: &'a str,
}

impl Audit<'_> {
    fn has(self, id: ClauseId) -> bool {
        let digest = formats::sha256_hex(format!("{} {} {}", self.seed, id.site, id.clause).as_bytes());
        let drawn = digest.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0);
        drawn % 100 < u32::from(self.percent)
    }
}

/// The means of a check.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) budget: &'a Budget,
    pub(crate) progress: &'a Progress,
    pub(crate) steps: Option<u64>,
}

/// Says which clauses follow from clauses that hold at their place, if earlier verdicts are right.
pub(crate) type Follows<'a> = &'a mut dyn FnMut(&BTreeSet<ClauseId>) -> Result<BTreeSet<ClauseId>, Z3Error>;

/// Decides clauses: first all together by what is known (stage S3), then what is left one by one (S4). What was expected and not
/// proved again rests on the file, and nothing else is concluded from it. `follows` is asked for what S3 leaves open.
///
/// All is one run: what the first analyses and the proof of known invariants found out is not asked again.
pub(crate) fn check(task: &Task<'_>, means: Means<'_>, follows: Follows<'_>) -> Result<Answers, Z3Error> {
    let mut answers = Answers::default();
    let all: BTreeSet<ClauseId> = task.expected.keys().chain(&task.open).copied().collect();
    if all.is_empty() {
        return Ok(answers);
    }
    let stop = means.budget.stop_flag();
    interruptible(&stop, || {
        let mut asked = Asked::new(task, all.into_iter().collect());
        let free = treat(task.cfa, task.sites, &|_| Treat::Nothing, Semantics::Observer);
        let deadline = Deadline::start(means.budget);
        let clock = if means.steps.is_some() { Clock::None } else { Clock::Seconds };
        let mut sessions = Sessions::open(&asked.treated.recast.cfa, None, &stop, clock)?;
        let proposals = proposals(&mut sessions, task);
        let runs = |stage: Stage| !task.without.contains(&stage);
        let mut plan = Plan { proposals: &proposals, head_start: HEAD_START, steps: means.steps, ..Plan::FULL };
        if task.confirms && runs(Stage::Confirmed) {
            means.progress.phase("proving again what is known");
            let mut judge = Judge { free: &free, asked: &asked.of, choice: asked.treated.choice };
            let done = confirm(&mut sessions, (&mut asked.goals, &mut judge), &proposals, means);
            plan.analyses = done.left;
            if done.ended {
                plan.proposals = &[];
            }
            plan.head_start = 0;
            asked.tell(task, &mut answers);
            answers.confirming = sessions.asked();
        }
        if task.confirms {
            rest(task, (&asked.of, &mut asked.goals), &mut answers, follows)?;
        }
        if runs(Stage::Explored) && !asked.goals.done() {
            means.progress.phase("checking assertions");
            let mut judge = Judge { free: &free, asked: &asked.of, choice: asked.treated.choice };
            portfolio::run(&mut sessions, (&mut asked.goals, &mut judge), plan, (stop.as_ref(), &mut ()));
        }
        asked.tell_rest(&mut answers, deadline.exhaustion());
        if !runs(Stage::Explored) {
            leave_open(&mut answers);
        }
        answers.queries += sessions.asked();
        answers.steps += sessions.spent() / STEP;
        keep_invariants(&asked, &mut sessions, &mut answers);
        means.progress.finish();
        Ok(answers)
    })
}

/// Nobody has looked at what is open.
fn leave_open(answers: &mut Answers) {
    for answer in answers.of.values_mut().filter(|answer| answer.verdict == Verdict::Unknown(Reason::NoProgress)) {
        answer.verdict = Verdict::Unknown(Reason::NotChecked);
    }
}

/// What S3 leaves and earlier verdicts say is TRUE rests on them: it is no goal any more, unless all is to be proved.
fn rest(
    task: &Task<'_>,
    (of, goals): (&[ClauseId], &mut Goals),
    answers: &mut Answers,
    follows: Follows<'_>,
) -> Result<(), Z3Error> {
    if task.audit.is_some_and(|audit| audit.percent >= 100) {
        return Ok(());
    }
    let left = |id: &&ClauseId| !answers.of.contains_key(*id);
    let open: BTreeSet<ClauseId> = task.open.iter().filter(left).copied().collect();
    let implied = if open.is_empty() { BTreeSet::new() } else { follows(&open)? };
    let expected = task.expected.iter().filter(|(id, _)| left(id)).map(|(id, stage)| (*id, *stage));
    let resting: Vec<(ClauseId, Stage)> = expected.chain(implied.into_iter().map(|id| (id, Stage::Implied))).collect();
    for (id, stage) in resting.into_iter().filter(|(id, _)| !task.audit.is_some_and(|audit| audit.has(*id))) {
        let Ok(at) = of.binary_search(&id) else { continue };
        goals.settle(GoalId(at), Status::Unknown(Cause::NoProgress));
        let answer = Answer { by: Some("difference"), stage: Some(stage), rests_on_file: true, ..Answer::of(Verdict::True) };
        answers.of.insert(id, answer);
    }
    Ok(())
}

/// The goals of a program, with whose they are.
struct Asked {
    treated: Treated,
    goals: Goals,
    of: Vec<ClauseId>,
}

impl Asked {
    fn new(task: &Task<'_>, of: Vec<ClauseId>) -> Self {
        let number = |id: ClauseId| of.binary_search(&id).ok().and_then(|at| u32::try_from(at).ok());
        let treat_one = |id: ClauseId| number(id).map_or(Treat::Nothing, Treat::Goal);
        let treated = treat(task.cfa, task.sites, &treat_one, Semantics::Observer);
        let goals = Goals::new(treated.goals.values().cloned().collect(), Until::Each);
        Self { treated, goals, of }
    }

    /// Takes down what S3 has settled.
    fn tell(&self, task: &Task<'_>, answers: &mut Answers) {
        for (id, goal) in self.of.iter().zip(self.goals.all()) {
            if matches!(goal.status, Status::Open | Status::Unknown(_)) {
                continue;
            }
            let answer = answer(&self.treated, goal, None);
            let stage = task.expected.get(id).copied().filter(|_| answer.verdict == Verdict::True).unwrap_or(Stage::Confirmed);
            answers.of.insert(*id, Answer { stage: Some(stage), ..answer });
        }
    }

    /// Takes down what became of all others.
    fn tell_rest(&self, answers: &mut Answers, exhaustion: Option<Exhaustion>) {
        for (id, goal) in self.of.iter().zip(self.goals.all()) {
            if answers.of.contains_key(id) {
                continue;
            }
            let answer = answer(&self.treated, goal, exhaustion);
            let stage = (!matches!(answer.verdict, Verdict::Unknown(_))).then_some(Stage::Explored);
            answers.of.insert(*id, Answer { stage, ..answer });
        }
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

/// How far S3 came.
struct Confirmed {
    /// Analyses that have not ended.
    left: &'static [Kind],
    /// All proposals were looked at.
    ended: bool,
}

/// Stage S3: known invariants are proved again, and all clauses asked together on top of them.
fn confirm(
    sessions: &mut Sessions<'_>,
    (goals, judge): (&mut Goals, &mut Judge<'_>),
    proposals: &[Candidate],
    means: Means<'_>,
) -> Confirmed {
    let stop = means.budget.stop_flag();
    // What asks nobody comes first, as it does where nothing is known.
    let most = means.steps.unwrap_or(u64::MAX);
    let plan = Plan { analyses: QUIET, steps: Some(QUIET_STEPS.min(most)), ..Plan::FULL };
    let numbers = portfolio::run(sessions, (goals, judge), plan, (stop.as_ref(), &mut ()));
    let left = if numbers.steps < QUIET_STEPS { OTHERS } else { Kind::ALL };
    reopen(goals);
    if goals.done() {
        return Confirmed { left, ended: true };
    }
    let mut analysis = Candidates::given(proposals.to_vec());
    let spent = sessions.spent() / STEP;
    let mut share = Share { steps: CONFIRMATION.min(most.saturating_sub(spent)), observer: &mut () };
    let session = sessions.of(Memory::Abstracted);
    let paused = run_share(&mut analysis, session, goals, judge, &mut share);
    Confirmed { left, ended: matches!(paused, Pause::Done(_)) }
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
            let next = left.front().filter(|next| next.request.origin.is_same_thing(request.origin))?.value;
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

impl Referee for Judge<'_> {
    fn claim(&mut self, session: &mut Session<'_>, goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        let ruling = Replay.claim(session, goal, path);
        self.judged(goal.0, ruling)
    }

    fn execution(&mut self, goal: GoalId, run: Run) -> Ruling {
        self.judged(goal, Ruling::Confirmed(Rc::new(run)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, QUIET};

    #[test]
    fn those_that_ask_nobody_come_first() {
        assert_eq!(QUIET, [Kind::Execution, Kind::Values]);
    }
}
