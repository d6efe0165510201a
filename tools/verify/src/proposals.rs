//! Invariants that other tools propose: read from their witnesses, placed in the program, never believed.
//!
//! The expressions are read with the program's own front end where the witness says; what does not parse or has no place is
//! left out with a warning. Whether one holds is for the engine to find out.

use std::path::PathBuf;

use console::{Console, Input};
use formats::ProgramOptions;
use formats::witness::{CorrectnessWitness, InvariantKind, Witness};
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use program::load_with;
use program::probe::{Probe, ProbePlace};
use program::source::SourceFile;

/// A program read together with what is proposed of it. Its edges and locations are numbered as without.
#[derive(Debug)]
pub(crate) struct Proposed {
    /// The program, with the expressions.
    pub(crate) cfa: Cfa,
    /// Each proposal with one of its places.
    pub(crate) formulas: Vec<(LocationId, ExprId)>,
}

/// Reads a program with the invariants of witnesses.
///
/// # Errors
/// A witness that cannot be read, and what is wrong with the program.
pub(crate) fn read(
    files: &[PathBuf],
    source: SourceFile,
    options: &ProgramOptions,
    console: &Console,
) -> miette::Result<Proposed> {
    let mut probes = Vec::new();
    for file in files {
        let input = Input::read(file)?;
        match Witness::read(&input.bytes, &input.name)? {
            Witness::Correctness(witness) => probes.extend(placed(&witness)),
            _ => console.warning(&format!("{}: not a correctness witness: it proposes nothing", input.name)),
        }
    }
    let (cfa, found) = load_with(source, options, &probes)?;
    let mut formulas = Vec::new();
    for (probe, found) in probes.iter().zip(found) {
        match found {
            Ok(probed) => formulas.extend(probed.locations.iter().map(|at| (*at, probed.expr))),
            Err(_) => console.warning(&format!("a proposed invariant is left out: {}", formats::shown::one_line(&probe.text))),
        }
    }
    Ok(Proposed { cfa, formulas })
}

/// Whether edges, locations and variables mean the same in both readings of a program.
pub(crate) fn numbered_alike(plain: &Cfa, other: &Cfa) -> bool {
    let edges = plain.edges.iter().zip(&other.edges).all(|(a, b)| {
        (a.source, a.target, a.span) == (b.source, b.target, b.span)
            && std::mem::discriminant(&a.operation) == std::mem::discriminant(&b.operation)
    });
    let variables = plain.variables.iter().zip(&other.variables).all(|(a, b)| (&a.name, a.function) == (&b.name, b.function));
    edges
        && variables
        && (plain.edges.len(), plain.variables.len(), plain.locations.len())
            == (other.edges.len(), other.variables.len(), other.locations.len())
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
