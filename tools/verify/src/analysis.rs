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
use engine::goal::{GoalId, Goals, Status};
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
use crate::whole::{Ended, Paths, Side, Sides};
use crate::{contracts, objects, whole};

/// Steps for proposals that are looked at first.
const HEAD_START: u64 = 4_000;

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
    /// What those contracts say of the program as it is, behind calls.
    pub said: Rc<(Vec<Invariant>, TermStore)>,
    /// The proof is one of all paths, whatever the condition covers.
    pub whole: bool,
}

impl Numbers {
    /// Those of a proof by claims.
    fn of_claims(found: Found) -> Self {
        let recheck = found.rechecked.then_some(Ok(()));
        let numbers = Self { by: Some(found.by), recheck, said: found.known, ..Self::default() };
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
    /// Horn clauses about the positions of the program: property-directed reachability over bit vectors and whole numbers
    Horn,
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
            Analysis::Horn => Kind::Horn,
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

fn explore(
    cfa: &Cfa,
    task: Task<'_>,
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let clock = if plan.steps.is_some() { Clock::None } else { Clock::Seconds };
    let deadline = Deadline::start(budget);
    let stop = budget.stop_flag();
    let mut shown = Shown { progress, name: "" };
    let (mut sides, places) = sides(cfa, &task, plan, (&stop, clock))?;
    let search = by_claims(&mut sides, plan, (&stop, clock), &mut shown)?;
    if search.steps > 0 {
        statistics.count("steps of proofs by claims", search.steps);
    }
    if let Some(found) = search.found {
        statistics.count("steps", sides.steps());
        let (queries, steps) = (search.queries + sides.asked(), search.steps + sides.steps());
        return Ok((Conclusion::Safe(Vec::new(), TermStore::new()), Numbers { queries, steps, ..Numbers::of_claims(found) }));
    }
    sides.work(u64::MAX, &stop, &mut shown)?;
    let ended = sides.end(&stop);
    let is_whole = ended.is_whole();
    let Ended { side: Side { mut sessions, goals, .. }, numbers, others } = ended;
    if let Some(others) = others {
        let which = if is_whole { "with" } else { "without" };
        statistics.count(&format!("steps {which} the condition"), others);
    }
    let reason = |cause: &Cause| cause.reason(cfa, deadline.exhaustion().map(Exhaustion::reason));
    let conclusion = match &goals.get(GoalId(0)).status {
        Status::Safe(proof) => Conclusion::Safe(proof.invariants.clone(), take_terms(&mut sessions, proof)),
        Status::Unsafe(run) => Conclusion::Unsafe(Box::new((**run).clone())),
        Status::Unknown(cause) => Conclusion::Unknown(reason(cause)),
        Status::Open => Conclusion::Unknown(Reason::NoProgress),
    };
    show(statistics, &numbers);
    let whole = is_whole && matches!(conclusion, Conclusion::Safe(..));
    let steps = search.steps + others.unwrap_or(0);
    let beside = Numbers { queries: search.queries, steps, whole, ..Numbers::default() };
    Ok((conclusion, summed(beside, &goals, numbers, &places)))
}

/// The sides from which a program is looked at, and the places among [`Task::proposed`] of what is proposed to the first.
fn sides<'p>(
    cfa: &'p Cfa,
    task: &Task<'_>,
    plan: Plan<'_>,
    (stop, clock): (&Arc<AtomicBool>, Clock),
) -> Result<(Sides<'p>, Vec<usize>), Z3Error> {
    let condition = task.cursor.as_ref();
    let all_first = condition.is_some_and(|cursor| plan.analyses == Kind::ALL && whole::comes_first(cfa, cursor));
    let (paths, followed) = if all_first { (Paths::All, None) } else { (Paths::Asked, condition) };
    let mut sessions = Sessions::open(cfa, followed, stop, clock)?;
    let (proposals, places) = proposals(&mut sessions, task);
    let (head_start, lead) = (head_start(task), lead(task));
    let plan = Plan { proposals: &proposals, head_start, lead, executions: Executions::Several, ..plan };
    let first = Side::begin(paths, sessions, plan);
    Ok((Sides::begin(first, condition, plan, clock), places))
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

/// Looks for a proof about one object of the heap at a time, and for one by contracts of recursive functions, where the program is
/// not easy and has what these are for.
fn by_claims(
    sides: &mut Sides<'_>,
    plan: Plan<'_>,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    shown: &mut Shown<'_>,
) -> Result<Search, Z3Error> {
    let mut search = Search::default();
    if plan.analyses != Kind::ALL {
        return Ok(search);
    }
    let cfa = sides.cfa();
    let (facts, split) = (Facts::new(cfa), objects::may_be_there(cfa).then(|| focus::split(cfa)));
    let split_facts = split.as_ref().map(|split| Facts::new(&split.cfa));
    let classes = split_facts.as_ref().map(focus::classes).unwrap_or_default();
    let is_recursive = contracts::may_be_there(&facts);
    if classes.is_empty() && !is_recursive {
        return Ok(search);
    }
    let concerns = |phase: &Phase| (phase.objects && !classes.is_empty()) || is_recursive;
    for Phase { own, others, objects, contracts: sources } in PHASES.into_iter().filter(concerns) {
        if sides.work(sides.first_steps() + own, stop, shown)? {
            break;
        }
        let left = sides.left().min(others);
        let before = search.steps;
        if let Some(split_facts) = split_facts.as_ref().filter(|_| objects && !classes.is_empty()) {
            objects::prove((split_facts, &classes), (stop, clock), left, shown, &mut search)?;
        }
        for source in sources.iter().filter(|_| is_recursive) {
            contracts::prove(&facts, *source, (stop, clock), left, shown, &mut search)?;
        }
        sides.take(search.steps - before);
        if search.found.is_some() || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(search)
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
        | Kind::Horn
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
