//! What a difference graph says about the programs it was computed from.

use formats::artifact::ProgramFile;
use formats::{Producer, Provenance};
use program::cfa::Cfa;

/// The provenance of a difference graph of two programs; `degraded` names what made more uncovered than necessary.
#[must_use]
pub fn provenance(original: &Cfa, modified: &Cfa, producer: Producer, degraded: Vec<String>) -> Provenance {
    Provenance {
        producer,
        original: file(original),
        modified: file(modified),
        options: modified.options.clone(),
        degraded: (!degraded.is_empty()).then_some(degraded),
    }
}

fn file(program: &Cfa) -> ProgramFile {
    program.program_file(program.source.path())
}
