//! Execution: the run with all inputs zero, and a few others. A program that reads nothing has no other than the first.
//!
//! The others are short: they find what needs many steps from few small inputs, which no path-wise search is good at.
//!
//! Knows the concrete interpreter only.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, Operation};
use program::expr::Expr;
use semantics::cursor::ConditionCursor;
use semantics::interpreter::{self, EdgeObserver, Run};

use crate::goal::{Goals, Proof, Referee};
use crate::session::Memory;

/// What this calls itself.
pub(crate) const NAME: &str = "execution";

/// Edges of the execution, and of it behind its first input: from there on it is one of many, and a program that reacts to its
/// inputs for ever has better uses for its first second.
const STEPS: usize = 3_000_000;
const ONE_OF_MANY: usize = 2_000_000;

/// Bytes of its objects.
const MEMORY: usize = 256 << 20;

/// Other runs: with the same small number for every input, or with small numbers that differ.
const SAME: u64 = 16;
const OTHERS: u64 = 24;

/// Numbers that conditions compare with, which every input is in one more run each.
const COMPARED: usize = 16;

/// Inputs of each of these at most: where many are read, others choose better, and programs made from two versions, which remember
/// only so many, mean less.
const FEW: u32 = 12;

/// Edges of each of these, and of all together, once with small inputs and once with those that are compared with.
const SHORT: usize = 20_000;
const TOGETHER: usize = 200_000;

/// Executions before any other analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executions {
    /// The one with all inputs zero.
    Single,
    /// Besides, a few short ones with few small inputs. A program that stands for several, and remembers only so many inputs, has
    /// better questions to ask.
    Several,
}

/// What an execution says.
enum Found {
    /// A run that reaches an error.
    Violation(Run),
    /// There is no other run, and it reaches no error.
    OnlyRun,
}

/// Settles goals by executions, on the paths that a condition leaves uncovered. They need neither terms nor a solver, so this is
/// no analysis of a session.
pub fn settle(cfa: &Cfa, cursor: Option<&ConditionCursor>, executions: Executions, goals: &mut Goals, referee: &mut dyn Referee) {
    // Where nothing is an error no run shows anything, however long it is; whoever knows all paths says so at once.
    if goals.all().iter().all(|goal| goal.at.is_empty()) {
        return;
    }
    match single_execution(cfa, cursor) {
        Some(Found::Violation(run)) => take(cfa, run, goals, referee),
        Some(Found::OnlyRun) => {
            let proof = Proof { invariants: Vec::new(), inductive: false, memory: Memory::Exact, by: NAME };
            goals.settle_safe(&Rc::new(proof), |_| false);
        }
        None => {}
    }
    if executions == Executions::Several {
        others(cfa, cursor, goals, referee);
    }
}

/// Settles goals by short executions with small inputs, and with numbers that conditions compare with: what happens at the end of so
/// many calls or rounds is found so.
fn others(cfa: &Cfa, cursor: Option<&ConditionCursor>, goals: &mut Goals, referee: &mut dyn Referee) {
    let small = (1..OTHERS).map(|number| if number <= SAME { Other::Same(number.into()) } else { Other::Drawn(number) });
    short(cfa, cursor, small, goals, referee);
    let compared: Vec<Other> = compared(cfa).into_iter().map(Other::Same).collect();
    short(cfa, cursor, compared.into_iter(), goals, referee);
}

/// The inputs of a short execution.
#[derive(Clone, Copy)]
enum Other {
    /// All the same.
    Same(u128),
    /// Small ones, drawn.
    Drawn(u64),
}

fn short(
    cfa: &Cfa,
    cursor: Option<&ConditionCursor>,
    all: impl Iterator<Item = Other>,
    goals: &mut Goals,
    referee: &mut dyn Referee,
) {
    let mut edges = 0;
    for mut other in all {
        if goals.done() || edges >= TOGETHER {
            return;
        }
        let limits = interpreter::Limits { steps: SHORT, memory: MEMORY, skips_library: false };
        let mut read = 0;
        let mut inputs = |request: &interpreter::Request| {
            read += u32::from(matches!(request.origin, interpreter::Origin::Input(_)));
            (read <= FEW).then(|| other.input(request))
        };
        let run = execute(cfa, cursor, (&mut inputs, &mut || true), limits);
        edges += run.trace.len();
        if run.outcome == interpreter::Outcome::ErrorReached && rests_on_inputs(&run) {
            take(cfa, run, goals, referee);
        }
    }
}

/// Numbers that conditions compare something with, as bits, but those that are small.
fn compared(cfa: &Cfa) -> BTreeSet<u128> {
    let mut found = BTreeSet::new();
    for edge in &cfa.edges {
        let Operation::Assume { condition, truth: true } = edge.operation else { continue };
        let Expr::Binary(relation, left, right) = *cfa.exprs.get(condition) else { continue };
        if !relation.is_predicate() {
            continue;
        }
        for side in [left, right] {
            let Expr::Int(number) = *cfa.exprs.get(side) else { continue };
            if number > u128::from(SAME) && found.len() < COMPARED {
                found.insert(number);
            }
        }
    }
    found
}

/// Whether nothing in a run was for the machine or the library to decide.
fn rests_on_inputs(run: &Run) -> bool {
    use interpreter::Origin::{Allocation, External, Input, Parameter};
    let is_input =
        |read: &interpreter::ValueRead| matches!(read.request.origin, Input(_) | Parameter(_) | External(_) | Allocation(_));
    !run.looks_at_addresses && run.reads.iter().all(is_input)
}

/// Puts a run that reaches an error before the judge.
fn take(cfa: &Cfa, run: Run, goals: &mut Goals, referee: &mut dyn Referee) {
    let at = run.trace.last().map(|edge| cfa.edge(*edge).target);
    if let Some((goal, _)) = at.and_then(|at| goals.open(at)) {
        let ruling = referee.execution(goal, run);
        goals.take(goal, ruling);
    }
}

impl Other {
    /// The next input; what is no input is zero.
    fn input(&mut self, request: &interpreter::Request) -> u128 {
        if !matches!(request.origin, interpreter::Origin::Input(_) | interpreter::Origin::Parameter(_)) {
            return 0;
        }
        match self {
            Other::Same(number) => *number,
            Other::Drawn(drawn) => {
                // The generator of Knuth's MMIX.
                *drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                u128::from((*drawn >> 33) % 20).wrapping_sub(2)
            }
        }
    }
}

/// Executes the program with all inputs zero: a program that reads nothing has only this execution.
///
/// Where a comparison of texts is left open by the library, both answers are tried and have to agree. Bodies of the C library
/// are passed over first: what they do on known values is computed much faster than it is executed. A condition has to see
/// every edge, so there it is not done.
fn single_execution(cfa: &Cfa, cursor: Option<&ConditionCursor>) -> Option<Found> {
    let limits = interpreter::Limits { steps: STEPS, memory: MEMORY, skips_library: false };
    let has_bodies = cfa.functions.iter().any(|function| cfa.source.is_library(function.span));
    let fast = if has_bodies && cursor.is_none() {
        one_execution(cfa, cursor, interpreter::Limits { skips_library: true, ..limits })
    } else {
        None
    };
    match fast {
        // A counterexample has all edges, unless there are too many.
        Some(found @ Found::Violation(_)) => match one_execution(cfa, cursor, limits) {
            Some(full @ Found::Violation(_)) => Some(full),
            _ => Some(found),
        },
        Some(safe) => Some(safe),
        None => one_execution(cfa, cursor, limits),
    }
}

fn one_execution(cfa: &Cfa, cursor: Option<&ConditionCursor>, limits: interpreter::Limits) -> Option<Found> {
    let run = single(cfa, cursor, 0, limits);
    let open = run.reads.iter().any(|read| matches!(read.request.origin, interpreter::Origin::Comparison(_)));
    let conclusion = concluded(cfa, run)?;
    if open {
        let other = concluded(cfa, single(cfa, cursor, 1, limits))?;
        if std::mem::discriminant(&other) != std::mem::discriminant(&conclusion) {
            return None;
        }
    }
    Some(conclusion)
}

/// The execution with all inputs zero, and one answer to comparisons.
fn single(cfa: &Cfa, cursor: Option<&ConditionCursor>, comparisons: u128, limits: interpreter::Limits) -> Run {
    let is_chosen = Cell::new(false);
    let mut inputs = |request: &interpreter::Request| {
        let is_comparison = matches!(request.origin, interpreter::Origin::Comparison(_));
        is_chosen.set(is_chosen.get() || matches!(request.origin, interpreter::Origin::Input(_)));
        Some(if is_comparison { comparisons } else { 0 })
    };
    let mut edges = 0;
    let mut goes_on = || {
        edges += usize::from(is_chosen.get());
        edges <= ONE_OF_MANY
    };
    execute(cfa, cursor, (&mut inputs, &mut goes_on), limits)
}

/// An execution with some inputs, as long as no path that a condition covers is taken.
fn execute(
    cfa: &Cfa,
    cursor: Option<&ConditionCursor>,
    (inputs, goes_on): (&mut dyn interpreter::Inputs, &mut dyn FnMut() -> bool),
    limits: interpreter::Limits,
) -> Run {
    let mut coverage = cursor.map(ConditionCursor::start);
    let mut observer = EdgeObserver(|edge| {
        if !goes_on() {
            return ControlFlow::Break(());
        }
        if let (Some(cursor), Some(coverage)) = (cursor, &mut coverage) {
            *coverage = cursor.step(*coverage, edge);
            if coverage.is_covered() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    interpreter::run(cfa, inputs, &mut observer, limits)
}

fn concluded(cfa: &Cfa, run: Run) -> Option<Found> {
    match run.outcome {
        interpreter::Outcome::ErrorReached => Some(Found::Violation(run)),
        interpreter::Outcome::Finished | interpreter::Outcome::Aborted | interpreter::Outcome::Stopped
            if !run.looks_at_addresses
                && run.reads.iter().all(is_no_choice)
                && !run.trace.iter().any(|edge| may_write_unseen(cfa, *edge)) =>
        {
            Some(Found::OnlyRun)
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
