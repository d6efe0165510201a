//! Invariants of model checkers, as cubes over latches that no run comes to: the PLA files of ABC's `pdr -d -I`.

use std::collections::BTreeMap;

use engine::circuit::Job;
use engine::circuit::invariant::Cubes;
use engine::circuit::sequential::Held;

/// Why a text is no invariant of a circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvariantError {
    /// A line that says something else.
    #[error("line {0}: not understood")]
    Line(usize),
    /// A latch that the circuit does not have.
    #[error("line {0}: the circuit has no latch of this name")]
    Name(usize),
    /// It does not end.
    #[error("the end of the file (.e) is missing")]
    Truncated,
}

/// Reads an invariant.
///
/// # Errors
/// [`InvariantError`].
pub fn read(text: &str, job: &Job) -> Result<Cubes, InvariantError> {
    let known: BTreeMap<String, Held> =
        job.circuit.latches.iter().map(|latch| (job.names.latch(latch.held), latch.held)).collect();
    let (mut columns, mut cubes) = (Vec::new(), Cubes::new());
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            [".e"] => return Ok(cubes),
            [".i" | ".o" | ".p" | ".ob", ..] => {}
            [".ilb", names @ ..] => {
                let held = names.iter().map(|name| known.get(*name).copied()).collect::<Option<Vec<Held>>>();
                columns = held.ok_or(InvariantError::Name(number))?;
            }
            [values, "1"] if values.len() == columns.len() && values.chars().all(|value| "01-".contains(value)) => {
                let given = columns.iter().zip(values.chars()).filter(|(_, value)| *value != '-');
                cubes.push(given.map(|(held, value)| (*held, value == '1')).collect());
            }
            _ => return Err(InvariantError::Line(number)),
        }
    }
    Err(InvariantError::Truncated)
}
