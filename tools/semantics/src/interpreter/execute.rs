//! A run from the entry until something ends it.
//!
//! Knows: what a machine decides and C does not, and that a counterexample must not rest on that. Does not know: operations
//! (`machine`).

use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId};

use super::addresses::LAYOUTS;
use super::fault::Fault;
use super::machine::{Machine, Missing};
use super::{DECIDED_BY_THE_MACHINE, Inputs, Limits, Observer, Origin, Outcome, Request, Run, ValueRead};

/// Runs the program until something ends the run.
///
/// What a machine decides and C does not must not decide how a run ends that is to be a counterexample: the bits of addresses,
/// which are tried in several layouts, and what a function gives back that ends without a value, which nobody may look at then.
pub(super) fn execute(cfa: &Cfa, inputs: &mut dyn Inputs, observer: &mut dyn Observer, limits: Limits) -> Run {
    let [first, others @ ..] = LAYOUTS;
    let [address, missing] = DECIDED_BY_THE_MACHINE;
    let mut run = execute_in(cfa, inputs, observer, limits, first);
    if run.looks_at_addresses && others.iter().any(|layout| again(cfa, &run, limits, *layout).outcome != run.outcome) {
        run.outcome = Outcome::Unsupported { construct: address.into(), edge: run.trace.last().copied() };
    }
    if let Some(read) = run.reads.iter().find(|read| is_missing(read))
        && run.outcome == Outcome::ErrorReached
        && without_missing(cfa, &run, limits) != run.outcome
    {
        run.outcome = Outcome::Unsupported {
            construct: missing.into(),
            edge: run.trace.get(read.request.step).or(run.trace.last()).copied(),
        };
    }
    run
}

fn is_missing(read: &ValueRead) -> bool {
    matches!(read.request.origin, Origin::MissingResult(_))
}

/// The run once more, in another layout of memory.
fn again(cfa: &Cfa, run: &Run, limits: Limits, layout: u64) -> Run {
    // What the program decides it does not ask for.
    let mut answers = run.reads.iter().filter(|read| !read.decided).map(|read| read.value);
    let mut inputs = |_: &Request| answers.next();
    execute_in(cfa, &mut inputs, &mut (), limits, layout)
}

/// How the run ends if nobody may look at what functions give back that end without a value.
fn without_missing(cfa: &Cfa, run: &Run, limits: Limits) -> Outcome {
    let mut answers = run.reads.iter().filter(|read| !read.decided && !is_missing(read)).map(|read| read.value);
    let mut inputs = |_: &Request| answers.next();
    let mut machine = Machine::new(cfa, &mut inputs, limits, LAYOUTS[0]);
    machine.missing = Missing::Unreadable;
    finish(machine, limits, &mut ()).outcome
}

/// Runs the program in one layout of memory.
fn execute_in(cfa: &Cfa, inputs: &mut dyn Inputs, observer: &mut dyn Observer, limits: Limits, layout: u64) -> Run {
    finish(Machine::new(cfa, inputs, limits, layout), limits, observer)
}

fn finish(mut machine: Machine<'_>, limits: Limits, observer: &mut dyn Observer) -> Run {
    let cfa = machine.cfa;
    let mut trace = Vec::new();
    let mut location = cfa.entry_location();
    let outcome = match machine.start() {
        Err(fault) => before_first_edge(fault),
        Ok(()) => loop {
            if cfa.location(location).is_error {
                break Outcome::ErrorReached;
            }
            let edge = match machine.choose(location) {
                Ok(Some(edge)) => edge,
                Ok(None) => break machine.end(location),
                Err((edge, fault)) => break outcome(fault, edge),
            };
            if trace.len() >= limits.steps {
                break Outcome::StepLimit;
            }
            location = match machine.pass(edge) {
                Ok(target) => target,
                Err(fault) => break outcome(fault, edge),
            };
            trace.push(edge);
            machine.step = trace.len();
            if observer.edge(edge, &machine.state()) == ControlFlow::Break(()) {
                break Outcome::Stopped;
            }
        },
    };
    Run { outcome, location, trace, reads: machine.reads, looks_at_addresses: machine.looks_at_addresses }
}

fn outcome(fault: Fault, edge: EdgeId) -> Outcome {
    match fault {
        Fault::Undefined(kind) => Outcome::Undefined { kind, edge },
        Fault::Unsupported(construct) => Outcome::Unsupported { construct, edge: Some(edge) },
        Fault::Exhausted => Outcome::InputsExhausted(edge),
        Fault::Memory => Outcome::MemoryLimit,
    }
}

fn before_first_edge(fault: Fault) -> Outcome {
    match fault {
        Fault::Memory => Outcome::MemoryLimit,
        Fault::Unsupported(construct) => Outcome::Unsupported { construct, edge: None },
        Fault::Undefined(kind) => Outcome::Unsupported { construct: kind.name().into(), edge: None },
        Fault::Exhausted => Outcome::Unsupported { construct: "entry parameter".into(), edge: None },
    }
}
