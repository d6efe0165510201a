//! Invariants that other tools propose: read from their witnesses, placed in the program, never believed.
//!
//! The expressions are read with the program's own front end where the witness says; what does not parse or has no place is
//! left out with a warning. Whether one holds is for the engine to find out.

use std::path::PathBuf;

use console::{Console, Input};
use formats::shown;
use formats::witness::{CorrectnessWitness, InvariantKind, Witness};
use program::cfa::{Cfa, Edge, LocationId, Operation};
use program::expr::ExprId;
use program::load_with;
use program::probe::{Probe, ProbePlace};
use program::source::SourceFile;

/// A program read together with what is proposed of it: edge by edge, location by location and variable by variable the
/// program itself, with more expressions.
#[derive(Debug)]
pub(crate) struct Proposed {
    /// The program, with the expressions.
    pub(crate) cfa: Cfa,
    /// Each proposal with one of its places.
    pub(crate) formulas: Vec<(LocationId, ExprId)>,
    /// The texts of the proposals.
    pub(crate) texts: Vec<String>,
}

/// Reads a program with the invariants of witnesses; `None` if there is nothing that can be looked at.
///
/// # Errors
/// A witness that cannot be read, and what is wrong with the program.
pub(crate) fn read(files: &[PathBuf], source: SourceFile, plain: &Cfa, console: &Console) -> miette::Result<Option<Proposed>> {
    let mut probes = Vec::new();
    for file in files {
        let input = Input::read(file)?;
        match Witness::read(&input.bytes, &input.name)? {
            Witness::Correctness(witness) => probes.extend(placed(&witness)),
            _ => console.warning(format!("{}: not a correctness witness: it proposes nothing", input.name)),
        }
    }
    let (cfa, found) = load_with(source, &plain.options, &probes)?;
    let Some((cfa, locations)) = without_probes(plain, &cfa) else {
        console.warning("proposed invariants are left out: the program cannot be read with them");
        return Ok(None);
    };
    let (mut formulas, mut texts) = (Vec::new(), Vec::new());
    for (probe, found) in probes.iter().zip(found) {
        match found {
            Ok(probed) => {
                formulas.extend(probed.locations.iter().map(|at| (locations[at.index()], probed.expr)));
                texts.resize(formulas.len(), shown::one_line(&probe.text).into_owned());
            }
            Err(_) => console.warning(format!("a proposed invariant is left out: {}", shown::one_line(&probe.text))),
        }
    }
    Ok(Some(Proposed { cfa, formulas, texts }))
}

/// The automaton of a program that was read with probes, without their edges, and where each location went; `None` unless
/// it is then that of the program as it is read without, up to expressions.
fn without_probes(plain: &Cfa, probed: &Cfa) -> Option<(Cfa, Vec<LocationId>)> {
    let end = formats::dense(plain.source.text().len());
    let is_probe = |edge: &Edge| matches!(edge.operation, Operation::Blank) && edge.span.lo >= end;
    // Where a probe leads is where it stands.
    let mut before: Vec<Option<LocationId>> = vec![None; probed.locations.len()];
    for edge in probed.edges.iter().filter(|edge| is_probe(edge)) {
        if probed.in_edges(edge.target).len() != 1 {
            return None;
        }
        before[edge.target.index()] = Some(edge.source);
    }
    let mut kept = 0;
    let mut numbers = Vec::with_capacity(before.len());
    for at in &before {
        numbers.push(LocationId::new(kept));
        kept += usize::from(at.is_none());
    }
    let find = |mut at: LocationId| {
        while let Some(earlier) = before[at.index()] {
            at = earlier;
        }
        numbers[at.index()]
    };
    let locations: Vec<LocationId> = probed.location_ids().map(find).collect();
    let moved = |at: LocationId| locations[at.index()];
    let mut parts = probed.parts();
    parts.locations = probed.location_ids().filter(|at| before[at.index()].is_none()).map(|at| *probed.location(at)).collect();
    parts.edges.retain(|edge| !is_probe(edge));
    for edge in &mut parts.edges {
        (edge.source, edge.target) = (moved(edge.source), moved(edge.target));
    }
    for function in &mut parts.functions {
        (function.entry, function.exit) = (function.entry.map(moved), function.exit.map(moved));
    }
    let cfa = Cfa::new(parts);
    is_same(plain, &cfa).then_some((cfa, locations))
}

/// Whether two automata of one text are the same but for their expressions.
pub(crate) fn is_same(plain: &Cfa, other: &Cfa) -> bool {
    let edges = plain
        .edges
        .iter()
        .zip(&other.edges)
        .all(|(a, b)| (a.source, a.target, a.span, a.operation.kind()) == (b.source, b.target, b.span, b.operation.kind()));
    let variables = plain.variables.iter().zip(&other.variables).all(|(a, b)| (&a.name, a.function) == (&b.name, b.function));
    let functions = plain.functions.iter().zip(&other.functions).all(|(a, b)| (&a.name, a.entry) == (&b.name, b.entry));
    let sizes = |cfa: &Cfa| [cfa.edges.len(), cfa.locations.len(), cfa.variables.len(), cfa.functions.len()];
    edges && variables && functions && sizes(plain) == sizes(other) && plain.entry == other.entry
}

fn placed(witness: &CorrectnessWitness) -> impl Iterator<Item = Probe> {
    witness.invariants.iter().filter_map(|invariant| {
        let place = &invariant.place;
        if place.line == 0 {
            return None;
        }
        let at = match invariant.kind {
            InvariantKind::Loop => ProbePlace::Loop { line: place.line, column: place.column.unwrap_or(0) },
            InvariantKind::Location => ProbePlace::Line(place.line),
        };
        Some(Probe { at, text: invariant.expression.clone() })
    })
}
