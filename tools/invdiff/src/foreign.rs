//! Correctness witnesses of one of the versions, of any tool: what they say, at points that the versions may have in common.
//!
//! Nothing is believed: each fact is asked of all versions as if a user had given it. A wrong place makes a comparison odd,
//! never a letter wrong.

use console::Console;
use formats::invariant_table::VersionFile;
use formats::shown::one_line;
use formats::witness::{CorrectnessWitness, Invariant, InvariantKind, Witness};

use crate::InvdiffError;
use crate::expression::Text;
use crate::points::{named_line, named_loop};
use crate::prepare::Version;

/// The family of facts of witnesses.
pub(crate) const WITNESS: &str = "witness";

/// A fact of a file.
pub(crate) struct Given {
    /// The name of its point.
    pub(crate) point: String,
    pub(crate) text: Text,
    /// Who says it.
    pub(crate) family: &'static str,
}

/// Whether a file of facts is a witness, in GraphML or YAML.
pub(crate) fn is_witness(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let is_entry = |line: &str| line.trim_start_matches([' ', '-']).starts_with("entry_type:");
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<') || text.lines().any(is_entry)
}

/// The facts of a witness, with the names of their points. What has no place is left out with a warning.
///
/// # Errors
/// If it cannot be read, or is of none of the versions.
pub(crate) fn facts(
    bytes: &[u8],
    file: &str,
    (versions, files): (&[Option<Version>], &[VersionFile]),
    console: &Console,
) -> miette::Result<Vec<Given>> {
    let Witness::Correctness(witness) = Witness::read(bytes, file)? else {
        return Err(InvdiffError::NoInvariants(file.to_owned()).into());
    };
    let number = version(&witness, files)
        .ok_or_else(|| InvdiffError::OtherProgram { file: file.to_owned(), hash: witness.metadata.program_hash.clone() })?;
    let mut found = Vec::new();
    for one in &witness.invariants {
        match (point(one, number, versions), Text::parse(&one.expression)) {
            (Some(point), Ok(text)) => found.push(Given { point, text, family: WITNESS }),
            _ => console.warning(format!(
                "{}: `{}` at line {} is left out: the last version has no such place, or it is no expression",
                one_line(file),
                one_line(&one.expression),
                one.place.line
            )),
        }
    }
    Ok(found)
}

/// The version that a witness is of.
fn version(witness: &CorrectnessWitness, files: &[VersionFile]) -> Option<usize> {
    let hash = &witness.metadata.program_hash;
    files.iter().position(|file| file.program.as_ref().is_some_and(|program| program.sha256.eq_ignore_ascii_case(hash)))
}

fn point(one: &Invariant, number: usize, versions: &[Option<Version>]) -> Option<String> {
    let place = &one.place;
    match one.kind {
        InvariantKind::Loop => named_loop(versions[number].as_ref()?, place.line, place.column.filter(|column| *column > 0)),
        InvariantKind::Location => named_line(number, place.line, versions),
    }
}
