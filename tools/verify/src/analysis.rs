//! One verification: from an automaton and a condition to a conclusion with its evidence.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use console::{Budget, Deadline, Exhaustion, Progress, Statistics};
use engine::analyses::candidates::Candidate;
use engine::analysis::Observer;
use engine::control::Cause;
use engine::evidence::invariant::Invariant;
use engine::evidence::recheck::Gap;
use engine::goal::{GoalId, Goals, Replay, Status};
use engine::portfolio::{self, take_terms};
use engine::portfolio::{Executions, Lead};
pub use engine::portfolio::{Kind, Plan, Recheck};
use engine::session::{Clock, Memory, Session, Sessions};
use evidence::Claim;
use evidence::proof::{self, Proposal};
use formats::Reason;
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use semantics::cursor::ConditionCursor;
use semantics::facts::Facts;
use semantics::interpreter::Run;
use smt::z3::{Z3Error, interruptible};
use smt::{Op, Sort, TermId, TermStore};
use transform::contracts::Depth::{Asked, Cases, Numbers as OfText, Related};
use transform::focus;

use crate::claims::{Found, Search};
use crate::contracts::Source::{self, Tables, Text};
use crate::whole::Whole;
use crate::{contracts, objects, whole};

/// Steps for proposals that are looked at first.
const HEAD_START: u64 = 4_000;

/// Steps for the paths that a condition leaves before all paths are looked at, which is hardly ever longer than an easy program
/// takes, and steps for all paths: a driver takes 180,000.
const UNDER_CONDITION: u64 = 100_000;
const WITHOUT_CONDITION: u64 = 300_000;

/// Steps for all paths where these come first. Drivers that are proved within ten seconds take up to 1.5 million.
const ALL_PATHS_FIRST: u64 = 2_500_000;

/// For programs with objects on the heap that can be looked at one at a time, or with recursive functions: steps of the analyses
/// of the program as it is, and then of those of the program that is made of it. Most proofs of that kind take a few ten thousand.
const PHASES: [Phase; 3] = [
    Phase { own: 40_000, others: 120_000, objects: true, contracts: &[Text(Asked), Text(Related)] },
    Phase { own: 160_000, others: 400_000, objects: false, contracts: &[Tables, Text(OfText)] },
    Phase { own: 600_000, others: 2_000_000, objects: true, contracts: &[Text(Cases)] },
];

/// Part of a verification of such a program.
#[derive(Clone, Copy, Debug)]
struct Phase {
    /// Steps for the program as it is.
    own: u64,
    /// Steps for each proof by claims.
    others: u64,
    /// Objects on the heap are looked at.
    objects: bool,
    /// What is guessed of recursive functions.
    contracts: &'static [Source],
}

/// From so many steps on a verification was hard.
const HARD: u64 = 20_000;

/// From so many steps on it was not easy: more than a first share of one analysis.
const NOT_EASY: u64 = 3_000;

/// Before the analysis that found a proof takes the lead, the others get one in so many of the steps that it took.
const PEEK: u64 = 40;

/// What a verification found.
#[derive(Debug)]
pub enum Conclusion {
    /// The error cannot be reached, with the formulas the proof rests on.
    Safe(Vec<Invariant>, TermStore),
    /// It can: a replayed run.
    Unsafe(Box<Run>),
    /// Nobody knows.
    Unknown(Reason),
}

/// Numbers of a verification.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Solver queries.
    pub queries: u64,
    /// What the second look at a proof by invariants said; `None` without such a proof or without a second look.
    pub recheck: Option<Result<(), Gap>>,
    /// Which of the proposed expressions hold, by their place among them, where the proof rests on them.
    pub held: Vec<usize>,
    /// The analysis behind a TRUE.
    pub by: Option<&'static str>,
    /// The same with its own steps; `None` if others proposed what it rests on.
    pub found: Option<(Kind, u64)>,
    /// Steps done.
    pub steps: u64,
    /// What every object of a class on the heap keeps, in words, where the proof rests on it.
    pub objects: Vec<String>,
    /// What calls of recursive functions see to and leave, in words, where the proof rests on it.
    pub contracts: Vec<String>,
    /// The proof is one of all paths, whatever the condition covers.
    pub whole: bool,
}

impl Numbers {
    /// Those of a proof by claims.
    fn of_claims(found: Found) -> Self {
        let numbers = Self { by: Some(found.by), recheck: found.rechecked.then_some(Ok(())), ..Self::default() };
        match found.by {
            contracts::NAME => Self { contracts: found.claims, ..numbers },
            _ => Self { objects: found.claims, ..numbers },
        }
    }
}

/// What is verified, and what others say of it.
#[derive(Clone, Debug, Default)]
pub struct Task<'a> {
    /// The condition to follow.
    pub cursor: Option<ConditionCursor>,
    /// Expressions of the program that may be invariants at their locations. A wrong one costs time only.
    pub proposed: &'a [(LocationId, ExprId)],
    /// What the proof of another version rested on: as little believed.
    pub proof: Option<&'a formats::proof::Proof>,
}

/// One of the analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Analysis {
    /// The execution with all inputs zero, and a few short ones
    SingleExecution,
    /// Constants of live variables, from loop head to loop head
    Values,
    /// Constants and ranges between the numbers that a program compares with, from loop head to loop head
    Ranges,
    /// A short search for a counterexample
    Bounded,
    /// Templates and atoms of conditions of which the inductive ones are kept
    Candidates,
    /// Candidates that are said of all cells of an array
    Cells,
    /// Induction over several blocks
    Induction,
    /// The program as one circuit: induction and property-directed reachability with a SAT solver
    Circuit,
    /// Predicate abstraction with refinement, of what no pointer writes without saying where
    Localized,
    /// Predicate abstraction with refinement
    Predicates,
}

impl From<Analysis> for Kind {
    fn from(analysis: Analysis) -> Self {
        match analysis {
            Analysis::SingleExecution => Kind::Execution,
            Analysis::Values => Kind::Values,
            Analysis::Ranges => Kind::Ranges,
            Analysis::Bounded => Kind::Bounded,
            Analysis::Candidates => Kind::Candidates,
            Analysis::Cells => Kind::Cells,
            Analysis::Induction => Kind::Induction,
            Analysis::Circuit => Kind::Circuit,
            Analysis::Localized => Kind::Localized,
            Analysis::Predicates => Kind::Predicates,
        }
    }
}

/// Verifies a program on the paths that a condition leaves uncovered.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub fn analyse(
    cfa: &Cfa,
    cursor: Option<ConditionCursor>,
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    analyse_with(cfa, Task { cursor, ..Task::default() }, budget, progress, statistics, plan)
}

/// As [`analyse`], with what others propose.
///
/// # Errors
/// As [`analyse`].
pub fn analyse_with(
    cfa: &Cfa,
    task: Task<'_>,
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let stop = budget.stop_flag();
    interruptible(&stop, || explore(cfa, task, budget, progress, statistics, plan))
}

/// What is the same for every part of a verification.
#[derive(Clone, Copy)]
struct Setting<'a, 'p> {
    cfa: &'p Cfa,
    budget: &'a Budget,
    progress: &'a Progress,
    clock: Clock,
}

/// Whether all paths are looked at beside those that a condition leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    AllPaths,
    Nothing,
}

fn explore(
    cfa: &Cfa,
    task: Task<'_>,
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let clock = if plan.steps.is_some() { Clock::None } else { Clock::Seconds };
    let setting = Setting { cfa, budget, progress, clock };
    match &task.cursor {
        Some(cursor) if plan.analyses == Kind::ALL && whole::comes_first(cfa, cursor) => {
            all_paths_first(setting, &task, cursor, statistics, plan)
        }
        _ => follow(setting, task, statistics, plan, Beside::AllPaths),
    }
}

/// Looks at all paths, and then, if that does not decide it, at those that the condition leaves.
fn all_paths_first(
    setting: Setting<'_, '_>,
    task: &Task<'_>,
    cursor: &ConditionCursor,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let limit = plan.steps.unwrap_or(u64::MAX);
    let all = Task { cursor: None, ..task.clone() };
    let mut own = Statistics::new();
    let first = Plan { steps: Some(limit.min(ALL_PATHS_FIRST)), ..plan };
    let (conclusion, numbers) = follow(setting, all, &mut own, first, Beside::Nothing)?;
    match &conclusion {
        Conclusion::Safe(..) => {
            statistics.append(own);
            return Ok((conclusion, Numbers { whole: true, ..numbers }));
        }
        Conclusion::Unsafe(run) if whole::is_left(setting.cfa, cursor, run) => {
            statistics.append(own);
            return Ok((conclusion, numbers));
        }
        Conclusion::Unsafe(_) | Conclusion::Unknown(_) => {}
    }
    statistics.count("steps without the condition", numbers.steps);
    let rest = Plan { steps: plan.steps.map(|steps| steps.saturating_sub(numbers.steps)), ..plan };
    let (conclusion, behind) = follow(setting, task.clone(), statistics, rest, Beside::Nothing)?;
    let (queries, steps) = (behind.queries + numbers.queries, behind.steps + numbers.steps);
    Ok((conclusion, Numbers { queries, steps, ..behind }))
}

/// Verifies the paths of a task.
fn follow(
    setting: Setting<'_, '_>,
    task: Task<'_>,
    statistics: &mut Statistics,
    plan: Plan<'_>,
    beside: Beside,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let Setting { cfa, budget, progress, clock } = setting;
    let deadline = Deadline::start(budget);
    let stop = budget.stop_flag();
    let mut sessions = Sessions::open(cfa, task.cursor.as_ref(), &stop, clock)?;
    let (proposals, places) = proposals(&mut sessions, &task);
    let (head_start, lead) = (head_start(&task), lead(&task));
    let plan = Plan { proposals: &proposals, head_start, lead, executions: Executions::Several, ..plan };
    let mut shown = Shown { progress, name: "" };
    let mut goals = Goals::every_error(cfa);
    let (mut decided, whole) = match beside {
        Beside::AllPaths => beside_condition(&mut sessions, &mut goals, plan, (&stop, clock), &mut shown)?,
        Beside::Nothing => (None, Whole::default()),
    };
    let plan = Plan { steps: plan.steps.map(|steps| steps.saturating_sub(whole.steps)), ..plan };
    let mut search = Search::default();
    if decided.is_none() && whole.proof.is_none() {
        (decided, search) = by_claims(&mut sessions, &mut goals, plan, (&stop, clock), &mut shown)?;
    }
    if search.steps > 0 {
        statistics.count("steps of proofs by claims", search.steps);
    }
    let mut beside = search.steps + whole.steps;
    if whole.steps > 0 {
        statistics.count("steps without the condition", whole.steps);
    }
    if let Some(found) = search.found {
        statistics.count("steps", portfolio::steps(&sessions));
        let numbers = Numbers {
            queries: search.queries + sessions.asked(),
            steps: beside + portfolio::steps(&sessions),
            ..Numbers::of_claims(found)
        };
        return Ok((Conclusion::Safe(Vec::new(), TermStore::new()), numbers));
    }
    let is_whole = whole.proof.is_some();
    if is_whole {
        beside += portfolio::steps(&sessions);
        statistics.count("steps with the condition", portfolio::steps(&sessions));
    }
    let plan = Plan { steps: plan.steps.map(|steps| steps.saturating_sub(search.steps)), ..plan };
    let (mut sessions, goals, numbers) = match (whole.proof, decided) {
        (Some(proved), _) => proved,
        (None, Some(numbers)) => (sessions, goals, numbers),
        (None, None) => {
            let numbers = portfolio::run(&mut sessions, (&mut goals, &mut Replay), plan, (stop.as_ref(), &mut shown));
            (sessions, goals, numbers)
        }
    };
    let numbers_beside = Numbers { queries: search.queries, steps: beside, whole: is_whole, ..Numbers::default() };
    let reason = |cause: &Cause| cause.reason(cfa, deadline.exhaustion().map(Exhaustion::reason));
    let conclusion = match &goals.get(GoalId(0)).status {
        Status::Safe(proof) => Conclusion::Safe(proof.invariants.clone(), take_terms(&mut sessions, proof)),
        Status::Unsafe(run) => Conclusion::Unsafe(Box::new((**run).clone())),
        Status::Unknown(cause) => Conclusion::Unknown(reason(cause)),
        Status::Open => Conclusion::Unknown(Reason::NoProgress),
    };
    show(statistics, &numbers);
    Ok((conclusion, summed(numbers_beside, &goals, numbers, &places)))
}

/// The numbers of a verification whose goals the analyses of one program have settled, behind what was done beside that.
fn summed(beside: Numbers, goals: &Goals, numbers: portfolio::Numbers, places: &[usize]) -> Numbers {
    let settled = Numbers { queries: numbers.queries + beside.queries, steps: numbers.steps + beside.steps, ..beside };
    let Status::Safe(proof) = &goals.get(GoalId(0)).status else { return settled };
    let mut held: Vec<usize> = numbers.held.iter().filter_map(|number| places.get(*number).copied()).collect();
    held.dedup();
    let steps_of = |kind: Kind| Some((kind, numbers.by.iter().find(|(name, _)| *name == kind.name())?.1));
    Numbers {
        recheck: numbers.rechecks.into_iter().next(),
        held,
        by: Some(proof.by),
        found: Kind::behind(proof).and_then(steps_of),
        ..settled
    }
}

/// Looks at the paths that a condition leaves, and then at all, with few steps each: the numbers of the former if they have settled
/// the goals. Without a condition there is nothing to do.
fn beside_condition<'p>(
    sessions: &mut Sessions<'p>,
    goals: &mut Goals,
    plan: Plan<'_>,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    shown: &mut Shown<'_>,
) -> Result<(Option<portfolio::Numbers>, Whole<'p>), Z3Error> {
    if sessions.cursor().is_none() || plan.analyses != Kind::ALL {
        return Ok((None, Whole::default()));
    }
    let limit = plan.steps.unwrap_or(u64::MAX);
    let own = UNDER_CONDITION.max(ahead(plan));
    let numbers = settle(sessions, goals, Plan { steps: Some(limit.min(own)), ..plan }, (stop, shown));
    if numbers.is_some() || stop.load(Ordering::Relaxed) {
        return Ok((numbers, Whole::default()));
    }
    let left = limit.saturating_sub(portfolio::steps(sessions));
    Ok((None, whole::prove(sessions.cfa(), left.min(WITHOUT_CONDITION), plan, (stop, clock), shown)?))
}

/// Steps of whoever goes first, and of the others before that.
fn ahead(plan: Plan<'_>) -> u64 {
    plan.lead.map_or(0, |lead| lead.steps + Kind::ALL.len() as u64 * lead.others)
}

/// Runs the analyses of a plan; their numbers if they settle the goals.
fn settle(
    sessions: &mut Sessions<'_>,
    goals: &mut Goals,
    plan: Plan<'_>,
    (stop, shown): (&Arc<AtomicBool>, &mut Shown<'_>),
) -> Option<portfolio::Numbers> {
    let mut tried = goals.clone();
    let numbers = portfolio::run(sessions, (&mut tried, &mut Replay), plan, (stop.as_ref(), shown));
    matches!(tried.get(GoalId(0)).status, Status::Safe(_) | Status::Unsafe(_)).then(|| {
        *goals = tried;
        numbers
    })
}

/// Looks for a proof about one object of the heap at a time, and for one by contracts of recursive functions, where the program is
/// not easy and has what these are for; the numbers of the analyses of the program as it is, if these have settled the goals
/// by then.
fn by_claims(
    sessions: &mut Sessions<'_>,
    goals: &mut Goals,
    plan: Plan<'_>,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    shown: &mut Shown<'_>,
) -> Result<(Option<portfolio::Numbers>, Search), Z3Error> {
    let mut search = Search::default();
    if plan.analyses != Kind::ALL {
        return Ok((None, search));
    }
    let cfa = sessions.cfa();
    let (facts, split) = (Facts::new(cfa), objects::may_be_there(cfa).then(|| focus::split(cfa)));
    let split_facts = split.as_ref().map(|split| Facts::new(&split.cfa));
    let classes = split_facts.as_ref().map(focus::classes).unwrap_or_default();
    let is_recursive = contracts::may_be_there(&facts);
    if classes.is_empty() && !is_recursive {
        return Ok((None, search));
    }
    let limit = plan.steps.unwrap_or(u64::MAX);
    let concerns = |phase: &Phase| (phase.objects && !classes.is_empty()) || is_recursive;
    for Phase { own, others, objects, contracts: sources } in PHASES.into_iter().filter(concerns) {
        let spent = portfolio::steps(sessions);
        let left = limit.saturating_sub(search.steps);
        let part = Plan { steps: Some(left.min(spent + own.max(ahead(plan)))), ..plan };
        if let Some(numbers) = settle(sessions, goals, part, (stop, shown)) {
            return Ok((Some(numbers), search));
        }
        let left = left.saturating_sub(portfolio::steps(sessions)).min(others);
        if let Some(split_facts) = split_facts.as_ref().filter(|_| objects && !classes.is_empty()) {
            objects::prove((split_facts, &classes), (stop, clock), left, shown, &mut search)?;
        }
        for source in sources.iter().filter(|_| is_recursive) {
            contracts::prove(&facts, *source, (stop, clock), left, shown, &mut search)?;
        }
        if search.found.is_some() || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok((None, search))
}

/// What is proposed, as formulas of the session that abstracts; the place among [`Task::proposed`] of those from there, which
/// come first. Atoms worth tracking are offered to the predicate analysis as well.
fn proposals(sessions: &mut Sessions<'_>, task: &Task<'_>) -> (Vec<Candidate>, Vec<usize>) {
    let (mut proposals, mut places) = (Vec::new(), Vec::new());
    if task.proposed.is_empty() && task.proof.is_none() {
        return (proposals, places);
    }
    let facts = Rc::clone(sessions.facts());
    let session = sessions.of(Memory::Abstracted);
    for (number, (at, expr)) in task.proposed.iter().enumerate() {
        if let Some(formula) = session.formula(*expr, *at) {
            proposals.push(Candidate { at: *at, formula, versions: u64::MAX });
            places.push(number);
        }
    }
    let Some(proof) = task.proof else { return (proposals, places) };
    for Claim { at, formula } in read_into(session, &facts, proof) {
        proposals.push(Candidate { at, formula, versions: u64::MAX });
    }
    if sessions.is_localizable() {
        read_into(sessions.of(Memory::Localized), &facts, proof);
    }
    (proposals, places)
}

/// The formulas of a proof in the terms of a session, to whose predicates those of their atoms are added that are worth it.
fn read_into(session: &mut Session<'_>, facts: &Facts<'_>, proof: &formats::proof::Proof) -> Vec<Claim> {
    let kept = proof::read(facts, proof, &mut session.explorer.encoder, &mut session.store);
    for Proposal { claim, atoms } in &kept {
        if *atoms {
            let atoms = atoms_of(&session.store, claim.formula);
            session.seed(claim.at, &atoms);
        }
    }
    kept.into_iter().map(|proposal| proposal.claim).collect()
}

/// Steps for the proposals before anything else: some where the user proposes, or where the version before was hard and its
/// proof is more than a list of states.
fn head_start(task: &Task<'_>) -> u64 {
    let is_hard = |proof: &formats::proof::Proof| proof.steps >= HARD && proof.facts.iter().any(|fact| fact.atoms);
    if !task.proposed.is_empty() || task.proof.is_some_and(is_hard) { HEAD_START } else { 0 }
}

/// Who goes first: the analysis behind the proof of another version that was not easy to find.
fn lead(task: &Task<'_>) -> Option<Lead> {
    let proof = task.proof.filter(|proof| proof.steps >= NOT_EASY)?;
    let by = proof.by.as_ref()?;
    let kind = Kind::named(&by.name)?;
    let steps = match kind {
        // It only looks whether the predicates are enough.
        Kind::Localized | Kind::Predicates => proof.steps / 4 * 3,
        // Where others took little besides, its turn comes soon anyway.
        _ if by.steps > proof.steps / 2 => return None,
        Kind::Execution
        | Kind::Values
        | Kind::Ranges
        | Kind::Bounded
        | Kind::Candidates
        | Kind::Cells
        | Kind::Induction
        | Kind::Circuit => by.steps / 4 * 5,
    };
    Some(Lead { kind, steps, others: proof.steps / PEEK })
}

/// The comparisons in a formula.
#[expect(clippy::wildcard_enum_match_arm, reason = "few operators compare")]
fn atoms_of(store: &TermStore, formula: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    store.visit(&[formula], |term, op| {
        let compares = match op {
            Op::ULt | Op::SLt => true,
            Op::Eq => store.args(term).first().is_some_and(|arg| store.sort(*arg) != Sort::Bool),
            _ => false,
        };
        if compares {
            found.push(term);
        }
        !compares
    });
    found
}

/// The numbers of a run: none of them depends on a clock unless one ended it.
fn show(statistics: &mut Statistics, numbers: &portfolio::Numbers) {
    statistics.count("rounds", numbers.rounds);
    statistics.count("steps", numbers.steps);
    for (name, steps) in &numbers.by {
        statistics.count(&format!("steps of {name}"), *steps);
    }
    for (name, number) in &numbers.work {
        statistics.count(name, *number);
    }
    let counts = numbers.counts;
    statistics.count("abstract posts", counts.posts);
    statistics.count("abstract posts without a query", counts.posts_without_query);
    statistics.count("abstract posts as products", counts.products);
    statistics.count("valuations from remembered models", counts.reused_models);
    statistics.count("solver queries", numbers.queries);
    statistics.count("solver queries on whole paths", numbers.queries - counts.queries);
    statistics.count("solver queries for abstract posts", counts.post_queries);
}

struct Shown<'a> {
    progress: &'a Progress,
    name: &'static str,
}

impl Observer for Shown<'_> {
    fn analysis(&mut self, name: &'static str) {
        self.name = name;
        self.progress.update(|| name.to_owned());
    }

    fn round(&mut self, refinements: usize, nodes: usize, predicates: usize) {
        let name = self.name;
        self.progress.update(|| format!("{name}: {refinements} refinements, {nodes} states, {predicates} predicates"));
    }
}
