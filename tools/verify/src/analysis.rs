//! One verification: from an automaton and a condition to a conclusion with its evidence.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use console::{Budget, Exhaustion, Progress, Statistics};
use engine::aliases::Aliases;
use engine::block::Obstacle;
use engine::bounded::{Bound, Found, search};
use engine::cegar::{Cause, Cegar, Observer, Outcome, Session};
use engine::explore::{Condition, Explorer, Stop};
use engine::invariant::{self, Gap, Invariant};
use engine::values;
use formats::Reason;
use program::cfa::{Cfa, EdgeId, Operation};
use program::source::Span;
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::{self, EdgeObserver, Run};
use smt::encode::Encoder;
use smt::z3::{Z3, Z3Error, interruptible};
use smt::{Limits, TermStore};

use crate::replay::{reaches_error, replay};

/// Time an incremental query may take before the abstraction does without its answer.
const QUERY: Duration = Duration::from_secs(10);

/// Edges of the execution with all inputs zero.
const STEPS: usize = 3_000_000;

/// Bytes of its objects.
const MEMORY: usize = 256 << 20;

/// How far the bounded search goes, and for how long.
const BOUND: Bound = Bound { edges: 400_000, terms: 4_000_000 };
const LONGEST_SLICE: Duration = Duration::from_secs(4);

/// How long explicit values are tried.
const VALUES_SLICE: Duration = Duration::from_secs(60);

/// Pieces of memory per call that allocates which are told apart where paths are followed one by one.
const EXPLORED_PIECES: u32 = 32;

/// The same where pointers are variables, each of which may lead to all of them.
const ABSTRACTED_PIECES: u32 = 3;

/// How often the budget is looked at while the solver runs.
const POLL: Duration = Duration::from_millis(25);

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
}

/// Whether a proof by invariants is looked at a second time: encoded anew, every question put to a fresh solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// The proof is believed.
    Never,
    /// It is, and [`Numbers::recheck`] says what came out.
    Always,
}

/// One of the analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Analysis {
    /// The execution with all inputs zero
    SingleExecution,
    /// Constants of live variables, from loop head to loop head
    Values,
    /// A short search for a counterexample
    Bounded,
    /// Predicate abstraction with refinement
    Predicates,
}

/// What is done.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The analyses, in the order in which [`Plan::FULL`] names them; the first that has an answer gives it.
    pub analyses: &'a [Analysis],
    /// Whether proofs are looked at twice.
    pub recheck: Recheck,
}

impl Plan<'_> {
    /// What `verify` does: cheap analyses first.
    pub const FULL: Self = Self {
        analyses: &[Analysis::SingleExecution, Analysis::Values, Analysis::Bounded, Analysis::Predicates],
        recheck: Recheck::Never,
    };

    fn has(self, analysis: Analysis) -> bool {
        self.analyses.contains(&analysis)
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
    let stop = budget.stop_flag();
    interruptible(&stop, || explore(cfa, cursor, budget, progress, statistics, plan))
}

fn explore(
    cfa: &Cfa,
    cursor: Option<ConditionCursor>,
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let watch = Watch::start(budget);
    if plan.has(Analysis::SingleExecution)
        && let Some(conclusion) = single_execution(cfa, cursor.as_ref())
    {
        return Ok((conclusion, Numbers::default()));
    }
    let stop = budget.stop_flag();
    let limits = Limits { timeout: Some(QUERY), resources: None, stop: Some(Arc::clone(&stop)) };
    let open = |pieces: u32| {
        let encoder = Encoder::new(cfa, Aliases::new(cfa, pieces));
        let condition = cursor.clone().map(|cursor| Box::new(Covered(cursor)) as Box<dyn Condition>);
        let explorer = Explorer::new(cfa, encoder, condition, Arc::clone(&stop));
        Ok::<_, Z3Error>(Session::new(explorer, Z3::new()?, limits.clone()))
    };
    let mut session = open(EXPLORED_PIECES)?;
    if let Some((conclusion, recheck)) = early(&mut session, budget, statistics, plan) {
        let queries = session.queries.statistics().queries;
        return Ok((conclusion, Numbers { queries, recheck }));
    }
    if session.explorer.encoder.has_pieces() {
        session = open(ABSTRACTED_PIECES)?;
    }
    if !plan.has(Analysis::Predicates) {
        return Ok((Conclusion::Unknown(Reason::NoProgress), Numbers::default()));
    }
    let mut cegar = Cegar::new(&mut session);
    let outcome = cegar.run(&mut Shown(progress));
    let numbers = cegar.statistics;
    let mut second = None;
    let conclusion = match outcome {
        Outcome::Safe(invariants) => {
            second = look_again(&mut session, &invariants, plan.recheck);
            Conclusion::Safe(invariants, std::mem::take(&mut session.store))
        }
        Outcome::Unsafe(counterexample) => {
            let run = replay(cfa, &counterexample);
            if reaches_error(&run) {
                Conclusion::Unsafe(Box::new(run))
            } else {
                Conclusion::Unknown(unconfirmed(cfa, &session, &counterexample))
            }
        }
        Outcome::Unknown(cause) => Conclusion::Unknown(reason(cfa, cause, watch.exhaustion())),
    };
    statistics.count("refinements", numbers.refinements);
    statistics.count("abstraction states", numbers.nodes);
    statistics.count("blocks", numbers.blocks);
    statistics.count("encoded edges", numbers.edges);
    statistics.count("predicates", session.precision.len());
    statistics.count("abstract posts", session.counts.posts);
    statistics.count("abstract posts without a query", session.counts.posts_without_query);
    statistics.count("abstract posts as products", session.counts.products);
    statistics.count("valuations from remembered models", session.counts.reused_models);
    let queries = session.counts.queries + session.queries.statistics().queries;
    statistics.count("solver queries", queries);
    statistics.count("solver queries on whole paths", session.queries.statistics().queries);
    statistics.count("solver queries for abstract posts", session.counts.post_queries);
    Ok((conclusion, Numbers { queries, recheck: second }))
}

/// The analyses before predicate abstraction.
fn early(
    session: &mut Session,
    budget: &Budget,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Option<(Conclusion, Option<Result<(), Gap>>)> {
    let first = if plan.has(Analysis::Values) { explicit(session, budget, statistics, plan.recheck) } else { None };
    if first.is_some() || !plan.has(Analysis::Bounded) {
        return first;
    }
    bounded(session, budget, statistics).map(|conclusion| (conclusion, None))
}

fn look_again(session: &mut Session, invariants: &[Invariant], recheck: Recheck) -> Option<Result<(), Gap>> {
    (recheck == Recheck::Always).then(|| invariant::check(session, invariants))
}

/// Executes the program with all inputs zero: a program that reads nothing has only this execution.
///
/// Where a comparison of texts is left open by the library, both answers are tried and have to agree. Bodies of the C library
/// are passed over first: what they do on known values is computed much faster than it is executed.
fn single_execution(cfa: &Cfa, cursor: Option<&ConditionCursor>) -> Option<Conclusion> {
    let limits = interpreter::Limits { steps: STEPS, memory: MEMORY, skips_library: false };
    let has_bodies = cfa.functions.iter().any(|function| cfa.source.is_library(function.span));
    let fast = if has_bodies { one_execution(cfa, cursor, interpreter::Limits { skips_library: true, ..limits }) } else { None };
    match fast {
        // A counterexample has all edges, unless there are too many.
        Some(found @ Conclusion::Unsafe(_)) => match one_execution(cfa, cursor, limits) {
            Some(full @ Conclusion::Unsafe(_)) => Some(full),
            _ => Some(found),
        },
        Some(safe) => Some(safe),
        None => one_execution(cfa, cursor, limits),
    }
}

fn one_execution(cfa: &Cfa, cursor: Option<&ConditionCursor>, limits: interpreter::Limits) -> Option<Conclusion> {
    let run = execute(cfa, cursor, 0, limits);
    let open = run.reads.iter().any(|read| matches!(read.request.origin, interpreter::Origin::Comparison(_)));
    let conclusion = concluded(cfa, run)?;
    if open {
        let other = concluded(cfa, execute(cfa, cursor, 1, limits))?;
        if std::mem::discriminant(&other) != std::mem::discriminant(&conclusion) {
            return None;
        }
    }
    Some(conclusion)
}

/// The execution with all inputs zero and one answer to comparisons.
fn execute(cfa: &Cfa, cursor: Option<&ConditionCursor>, comparisons: u128, limits: interpreter::Limits) -> Run {
    let mut coverage = cursor.map(ConditionCursor::start);
    let mut observer = EdgeObserver(|edge| {
        if let (Some(cursor), Some(coverage)) = (cursor, &mut coverage) {
            *coverage = cursor.step(*coverage, edge);
            if coverage.is_covered() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    let mut inputs = |request: &interpreter::Request| {
        Some(if matches!(request.origin, interpreter::Origin::Comparison(_)) { comparisons } else { 0 })
    };
    interpreter::run(cfa, &mut inputs, &mut observer, limits)
}

fn concluded(cfa: &Cfa, run: Run) -> Option<Conclusion> {
    match run.outcome {
        interpreter::Outcome::ErrorReached => Some(Conclusion::Unsafe(Box::new(run))),
        interpreter::Outcome::Finished | interpreter::Outcome::Aborted | interpreter::Outcome::Stopped
            if !run.looks_at_addresses
                && run.reads.iter().all(is_no_choice)
                && !run.trace.iter().any(|edge| may_write_unseen(cfa, *edge)) =>
        {
            Some(Conclusion::Safe(Vec::new(), TermStore::new()))
        }
        interpreter::Outcome::Finished
        | interpreter::Outcome::Aborted
        | interpreter::Outcome::Stopped
        | interpreter::Outcome::StepLimit
        | interpreter::Outcome::MemoryLimit
        | interpreter::Outcome::InputsExhausted(_)
        | interpreter::Outcome::Undefined { .. }
        | interpreter::Outcome::Unsupported { .. } => None,
    }
}

/// Whether a value that was asked for could not have been another one.
fn is_no_choice(read: &interpreter::ValueRead) -> bool {
    // Memory allocation is assumed to succeed.
    read.decided || matches!(read.request.origin, interpreter::Origin::Allocation(_) | interpreter::Origin::Comparison(_))
}

/// Whether an edge calls a function nobody knows: it may write what it is given pointers to, which one concrete execution
/// does not show. What functions of the C library write the interpreter computes, or it ends where it would be read.
fn may_write_unseen(cfa: &Cfa, edge: EdgeId) -> bool {
    let Operation::Call { callee, .. } = cfa.edge(edge).operation else { return false };
    cfa.function(callee).known.is_none() && !cfa.enters(callee)
}

/// A short search for a counterexample before anything is abstracted.
fn bounded(session: &mut Session, budget: &Budget, statistics: &mut Statistics) -> Option<Conclusion> {
    let begin = Budget::cpu_used();
    let slice = match budget.remaining() {
        // Predicates say little of what is reached through pointers from piece to piece.
        Some(left) if session.explorer.encoder.has_pieces() => left / 3,
        left => left.map_or(LONGEST_SLICE, |left| (left / 10).min(LONGEST_SLICE)),
    };
    let found = search(session, BOUND, || Budget::cpu_used() - begin > slice);
    statistics.seconds("bounded search", (Budget::cpu_used() - begin).as_secs_f64());
    match found {
        Ok(Found::Safe { rounds }) => {
            statistics.count("rounds until all paths ended", rounds);
            Some(Conclusion::Safe(Vec::new(), TermStore::new()))
        }
        Ok(Found::Unsafe(counterexample)) => {
            let run = replay(session.cfa(), &counterexample);
            reaches_error(&run).then(|| Conclusion::Unsafe(Box::new(run)))
        }
        Ok(Found::Nothing) | Err(_) => None,
    }
}

/// Explicit values, for state machines.
fn explicit(
    session: &mut Session,
    budget: &Budget,
    statistics: &mut Statistics,
    recheck: Recheck,
) -> Option<(Conclusion, Option<Result<(), Gap>>)> {
    let begin = Budget::cpu_used();
    let slice = budget.remaining().map_or(VALUES_SLICE, |left| (left / 3).min(VALUES_SLICE));
    let found = values::analyse(session, || Budget::cpu_used() - begin > slice);
    statistics.seconds("explicit values", (Budget::cpu_used() - begin).as_secs_f64());
    match found {
        Ok(values::Found::Safe(invariants)) => {
            let second = look_again(session, &invariants, recheck);
            Some((Conclusion::Safe(invariants, std::mem::take(&mut session.store)), second))
        }
        Ok(values::Found::Unsafe(counterexample)) => {
            let run = replay(session.cfa(), &counterexample);
            reaches_error(&run).then(|| (Conclusion::Unsafe(Box::new(run)), None))
        }
        Ok(values::Found::Nothing) | Err(_) => None,
    }
}

/// A condition as the engine steps it.
struct Covered(ConditionCursor);

/// The number of the state that stands for "uncovered for ever".
const UNCOVERED: u32 = u32::MAX;

impl Covered {
    fn state(coverage: Coverage) -> Option<u32> {
        match coverage {
            Coverage::Open(state) => Some(state),
            Coverage::Uncovered => Some(UNCOVERED),
            Coverage::Covered => None,
        }
    }
}

impl Condition for Covered {
    fn initial(&self) -> Option<u32> {
        Self::state(self.0.start())
    }

    fn step(&self, state: u32, edge: EdgeId) -> Option<u32> {
        let coverage = if state == UNCOVERED { Coverage::Uncovered } else { Coverage::Open(state) };
        Self::state(self.0.step(coverage, edge))
    }
}

struct Shown<'a>(&'a Progress);

impl Observer for Shown<'_> {
    fn round(&mut self, refinements: usize, nodes: usize, predicates: usize) {
        self.0.update(|| format!("{refinements} refinements, {nodes} states, {predicates} predicates"));
    }
}

/// Why a counterexample that did not replay is no FALSE: something on its way was approximated.
fn unconfirmed(cfa: &Cfa, session: &Session, counterexample: &engine::counterexample::Counterexample) -> Reason {
    let approximations = session.explorer.encoder.approximations();
    let place = counterexample.edges.iter().find_map(|edge| Some((*edge, *approximations.get(edge)?)));
    match place {
        Some((edge, construct)) => unsupported(cfa, construct, cfa.edge(edge).span),
        None => Reason::NoProgress,
    }
}

fn reason(cfa: &Cfa, cause: Cause, exhaustion: Option<Exhaustion>) -> Reason {
    match cause {
        Cause::Obstacle(Obstacle::Unsupported { construct, edge }) => unsupported(cfa, &construct, cfa.edge(edge).span),
        Cause::Obstacle(Obstacle::Initializer { construct, span }) => unsupported(cfa, &construct, span),
        Cause::Obstacle(Obstacle::Recursion { .. }) => Reason::Recursion,
        Cause::Stopped(Stop::Interrupted) => exhaustion.map_or(Reason::Budget, Exhaustion::reason),
        Cause::Stopped(_) => Reason::Memory,
        Cause::Solver => Reason::Solver,
        Cause::NoProgress => Reason::NoProgress,
    }
}

fn unsupported(cfa: &Cfa, construct: &str, span: Span) -> Reason {
    let place = cfa.source.location(span.lo);
    Reason::Unsupported { construct: construct.to_owned(), file: place.file.to_owned(), line: place.line }
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
