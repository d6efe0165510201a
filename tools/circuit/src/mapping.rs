//! The map of a circuit, as others read it.

use engine::control::Position;
use engine::session::Session;
use formats::circuit_map::{CircuitBit, CircuitInput, CircuitMap, CircuitPlace, CircuitPosition, CircuitStep, CircuitVariable};
use formats::{Producer, ProgramFile};
use program::cfa::{Cfa, EdgeId};
use smt::terms::Symbol;
use smt::{TermId, TermStore};

use engine::circuit::job::Job;
use engine::circuit::sequential::Held;
use engine::circuit::steps::Bit;

/// The map of a circuit whose bytes have this hash.
#[must_use]
pub fn map(session: &Session<'_>, job: &Job, (producer, program): (Producer, ProgramFile), sha256: String) -> CircuitMap {
    let cfa = session.explorer.cfa;
    let mut map = CircuitMap::new(producer, program, cfa.options.property.to_string());
    map.circuit_sha256 = sha256;
    map.positions = positions(session, job);
    let width = 32 - job.circuit.end.leading_zeros();
    map.counter = (0..width).map(|at| held(job, Held::Counter(at))).collect();
    map.variables = job
        .steps
        .variables
        .iter()
        .map(|(variable, bits)| CircuitVariable {
            name: job.names.variables.get(variable).cloned().unwrap_or_default(),
            bits: bits.iter().map(|bit| of_bit(job, *bit)).collect(),
        })
        .collect();
    map.inputs = inputs(cfa, &session.store, job);
    map.steps = job
        .system
        .steps
        .iter()
        .filter_map(|step| {
            let from = job.circuit.codes[step.from]?;
            Some(match step.to {
                Ok(to) => CircuitStep { from, to: Some(job.circuit.codes[to]?), violation: None },
                Err(position) => CircuitStep { from, to: None, violation: Some(place_of(cfa, position)) },
            })
        })
        .collect();
    map.approximations = job.system.approximations.iter().map(|(edge, what)| at_edge(cfa, *edge, what)).collect();
    map
}

fn held(job: &Job, wanted: Held) -> CircuitBit {
    let latch = job.circuit.latches.iter().position(|latch| latch.held == wanted);
    latch.map_or(CircuitBit::Unread, |at| CircuitBit::Latch(formats::dense(at)))
}

fn of_bit(job: &Job, bit: Bit) -> CircuitBit {
    match job.facts.constant(&job.steps, bit) {
        Some(value) => CircuitBit::Constant(value),
        None => held(job, Held::Bit(job.facts.representative[bit.0 as usize])),
    }
}

fn positions(session: &Session<'_>, job: &Job) -> Vec<CircuitPosition> {
    let cfa = session.explorer.cfa;
    let line = |edge: EdgeId| cfa.source.position(cfa.edge(edge).span.lo).line;
    let follows = job.system.positions.iter().any(|position| position.condition != 0);
    let mut found: Vec<CircuitPosition> = Vec::new();
    for (position, code) in job.system.positions.iter().zip(&job.circuit.codes) {
        let Some(code) = *code else { continue };
        let calls = session.explorer.calls_of(position.stack).into_iter().map(line).collect();
        let condition = follows.then_some(position.condition);
        found.push(CircuitPosition { code, at: Some(place_of(cfa, *position)), calls, condition });
    }
    found.push(CircuitPosition { code: job.circuit.end, at: None, calls: Vec::new(), condition: None });
    found
}

fn inputs(cfa: &Cfa, store: &TermStore, job: &Job) -> Vec<CircuitInput> {
    let bit = |term: TermId, at: u32| {
        let found = job.circuit.inputs.iter().position(|(own, bit, _)| *own == term && *bit == at);
        found.map(formats::dense)
    };
    let of = |(term, from): &(TermId, usize)| {
        let whole = job.system.elements.get(term).map_or(*term, |element| element.array);
        let at = match store.symbol_of(whole) {
            Some(Symbol::Input(input)) => input.at.map(|at| at_edge(cfa, at.edge, "a value that comes up")),
            _ => None,
        };
        Some(CircuitInput {
            name: job.names.inputs.get(term).cloned().unwrap_or_default(),
            position: job.circuit.codes[*from]?,
            at,
            bits: (0..).zip(job.steps.inputs.get(term)?).map(|(at, _)| bit(*term, at)).collect(),
        })
    };
    job.system.inputs.iter().filter_map(of).collect()
}

fn at_edge(cfa: &Cfa, edge: EdgeId, what: &str) -> CircuitPlace {
    let place = cfa.source.position(cfa.edge(edge).span.lo);
    let function = cfa.function(cfa.location(cfa.edge(edge).source).function).name.to_string();
    CircuitPlace { function, line: place.line, column: place.column, what: what.to_owned() }
}

/// Where a position is, by the operation that follows or, at a violation, the one before.
fn place_of(cfa: &Cfa, position: Position) -> CircuitPlace {
    let edge = cfa.out_edges(position.location).first().or_else(|| cfa.in_edges(position.location).first());
    let Some(edge) = edge else { return CircuitPlace::default() };
    let what = cfa.edge_info(*edge).text;
    CircuitPlace { what, ..at_edge(cfa, *edge, "") }
}
