//! One verification: from an automaton and a condition to a conclusion with its evidence.

use console::{Budget, Deadline, Exhaustion, Progress, Statistics};
use engine::analyses::candidates::Candidate;
use engine::analysis::Observer;
use engine::evidence::invariant::Invariant;
use engine::evidence::recheck::Gap;
use engine::goal::{GoalId, Goals, Replay, Status};
use engine::portfolio::{self, take_terms};
pub use engine::portfolio::{Kind, Plan, Recheck};
use engine::session::{Clock, Memory, Sessions};
use formats::Reason;
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use semantics::cursor::ConditionCursor;
use semantics::interpreter::Run;
use smt::TermStore;
use smt::z3::{Z3Error, interruptible};

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

/// One of the analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Analysis {
    /// The execution with all inputs zero
    SingleExecution,
    /// Constants of live variables, from loop head to loop head
    Values,
    /// A short search for a counterexample
    Bounded,
    /// Templates and atoms of conditions of which the inductive ones are kept
    Candidates,
    /// Induction over several blocks
    Induction,
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
            Analysis::Bounded => Kind::Bounded,
            Analysis::Candidates => Kind::Candidates,
            Analysis::Induction => Kind::Induction,
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
    analyse_with(cfa, (cursor, &[]), budget, progress, statistics, plan)
}

/// As [`analyse`], with expressions of the program that may be invariants at their locations. A wrong one costs time only.
///
/// # Errors
/// As [`analyse`].
pub fn analyse_with(
    cfa: &Cfa,
    task: (Option<ConditionCursor>, &[(LocationId, ExprId)]),
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
    (cursor, proposed): (Option<ConditionCursor>, &[(LocationId, ExprId)]),
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let deadline = Deadline::start(budget);
    let stop = budget.stop_flag();
    let clock = if plan.steps.is_some() { Clock::None } else { Clock::Seconds };
    let mut sessions = Sessions::open(cfa, cursor.as_ref(), &stop, clock)?;
    let mut proposals = Vec::new();
    if !proposed.is_empty() {
        let session = sessions.of(Memory::Abstracted);
        let formula = |(at, expr): &(LocationId, ExprId)| {
            Some(Candidate { at: *at, formula: session.formula(*expr, *at)?, versions: u64::MAX })
        };
        proposals.extend(proposed.iter().filter_map(formula));
    }
    let plan = Plan { proposals: &proposals, ..plan };
    let mut goals = Goals::every_error(cfa);
    let numbers =
        portfolio::run(&mut sessions, (&mut goals, &mut Replay), plan, (stop.as_ref(), &mut Shown { progress, name: "" }));
    let conclusion = match &goals.get(GoalId(0)).status {
        Status::Safe(proof) => Conclusion::Safe(proof.invariants.clone(), take_terms(&mut sessions, proof)),
        Status::Unsafe(run) => Conclusion::Unsafe(Box::new((**run).clone())),
        Status::Unknown(cause) => Conclusion::Unknown(cause.reason(cfa, deadline.exhaustion().map(Exhaustion::reason))),
        Status::Open => Conclusion::Unknown(Reason::NoProgress),
    };
    show(statistics, &numbers);
    Ok((conclusion, Numbers { queries: numbers.queries, recheck: numbers.rechecks.into_iter().next() }))
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
