//! Invariants that other tools propose: read from their witnesses, placed in the program, never believed.
//!
//! The expressions are read with the program's own front end where the witness says; what does not parse or has no place is
//! left out with a warning. Whether one holds is for the engine to find out.

use std::path::PathBuf;

use console::{Console, Input};
use engine::evidence::replay::reaches_error;
use formats::witness::{CorrectnessWitness, InvariantKind, Witness};
use formats::{ProgramOptions, Reason};
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use program::load_with;
use program::probe::{Probe, ProbePlace};
use program::source::SourceFile;
use semantics::interpreter;
use smt::TermStore;

use crate::Conclusion;

/// A program read together with what is proposed of it.
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
            _ => console.warning(format!("{}: not a correctness witness: it proposes nothing", input.name)),
        }
    }
    let (cfa, found) = load_with(source, options, &probes)?;
    let mut formulas = Vec::new();
    for (probe, found) in probes.iter().zip(found) {
        match found {
            Ok(probed) => formulas.extend(probed.locations.iter().map(|at| (*at, probed.expr))),
            Err(_) => console.warning(format!("a proposed invariant is left out: {}", formats::shown::one_line(&probe.text))),
        }
    }
    Ok(Proposed { cfa, formulas })
}

/// What was concluded of the program with proposals in it, for the program without: its edges and locations have other numbers.
/// A violation is executed again with the same values; a proof keeps no invariants.
pub(crate) fn translated(plain: &Cfa, conclusion: Conclusion) -> Conclusion {
    match conclusion {
        Conclusion::Safe(..) => Conclusion::Safe(Vec::new(), TermStore::new()),
        Conclusion::Unsafe(run) => {
            let mut values = run.reads.iter().map(|read| read.value);
            let mut inputs = |_: &interpreter::Request| values.next();
            let again = interpreter::run(plain, &mut inputs, &mut (), interpreter::Limits::default());
            if reaches_error(&again) { Conclusion::Unsafe(Box::new(again)) } else { Conclusion::Unknown(Reason::NoProgress) }
        }
        Conclusion::Unknown(reason) => Conclusion::Unknown(reason),
    }
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
