//! The map of a circuit: which latches and inputs stand for which bits of which variables and values of the program.

use std::io;

use serde::{Deserialize, Serialize};

use crate::artifact::{Inconsistency, read_json};
use crate::{ArtifactError, Producer, ProgramFile};

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "circuit-map";
/// The newest format version.
pub const VERSION: u64 = 1;

/// What the parts of a circuit stand for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitMap {
    /// [`FORMAT`].
    #[serde(default)]
    format: String,
    /// [`VERSION`].
    #[serde(default)]
    version: u64,
    /// The tool that made the circuit.
    pub producer: Producer,
    /// The program.
    pub program: ProgramFile,
    /// What the bad output says is violated.
    pub property: String,
    /// SHA-256 of the circuit's bytes.
    pub circuit_sha256: String,
    /// Where steps begin, by their code in the program counter.
    pub positions: Vec<CircuitPosition>,
    /// The bits of the program counter, lowest first.
    pub counter: Vec<CircuitBit>,
    /// The variables.
    pub variables: Vec<CircuitVariable>,
    /// The values that the program does not determine.
    pub inputs: Vec<CircuitInput>,
    /// The steps.
    pub steps: Vec<CircuitStep>,
    /// Operations of which only some of the meaning is in the circuit, the rest being inputs.
    pub approximations: Vec<CircuitPlace>,
}

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitPlace {
    /// The function.
    pub function: String,
    /// The line in the preprocessed program.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// What is there.
    pub what: String,
}

/// A position at which a step may begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitPosition {
    /// Its code.
    pub code: u32,
    /// Where it is; nothing for the end of all runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<CircuitPlace>,
    /// Lines of the open calls, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<u32>,
    /// The state of the condition, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub condition: Option<u32>,
}

/// What holds a bit of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CircuitBit {
    /// The latch of this number.
    Latch(u32),
    /// It never changes.
    Constant(u8),
    /// Nothing: nobody reads it.
    Unread,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitVariable {
    /// Its name: function, object and part.
    pub name: String,
    /// Its bits, lowest first.
    pub bits: Vec<CircuitBit>,
}

/// A value that the program does not determine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitInput {
    /// Its name.
    pub name: String,
    /// The position at whose step it counts.
    pub position: u32,
    /// Where it comes up; nothing for values before the first operation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<CircuitPlace>,
    /// The inputs of the circuit that are its bits, lowest first; nothing where nobody reads one.
    pub bits: Vec<Option<u32>>,
}

/// A step from one position to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CircuitStep {
    /// Code of the position where it begins.
    pub from: u32,
    /// Code of the position where it ends; nothing for a violation.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub to: Option<u32>,
    /// For a violation, where it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub violation: Option<CircuitPlace>,
}

impl CircuitMap {
    /// An empty map.
    #[must_use]
    pub fn new(producer: Producer, program: ProgramFile, property: String) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer,
            program,
            property,
            circuit_sha256: String::new(),
            positions: Vec::new(),
            counter: Vec::new(),
            variables: Vec::new(),
            inputs: Vec::new(),
            steps: Vec::new(),
            approximations: Vec::new(),
        }
    }

    /// Reads a map; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no consistent map of a known version.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let map: Self = read_json(bytes, file, FORMAT, VERSION)?;
        let codes = |code: u32| map.positions.iter().any(|position| position.code == code);
        if !map.steps.iter().all(|step| codes(step.from) && step.to.is_none_or(codes)) {
            return Err(Inconsistency::new("steps", "a position that is not listed").in_file(file, FORMAT));
        }
        Ok(map)
    }

    /// Writes the map as one line of JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let program = ProgramFile { path: "a.c".to_owned(), sha256: "00".to_owned(), cfa: "11".to_owned(), files: Vec::new() };
        let mut map = CircuitMap::new(Producer::new("circuit", "0.1.0"), program, "unreach-call".to_owned());
        map.positions.push(CircuitPosition { code: 0, at: None, calls: Vec::new(), condition: None });
        map.counter = vec![CircuitBit::Latch(0), CircuitBit::Constant(0), CircuitBit::Unread];
        map.steps.push(CircuitStep { from: 0, to: Some(0), violation: None });
        let mut bytes = Vec::new();
        map.write(&mut bytes).unwrap();
        assert_eq!(CircuitMap::read(&bytes, "map.json"), Ok(map.clone()));
        map.steps.push(CircuitStep { from: 7, to: None, violation: None });
        let mut bytes = Vec::new();
        map.write(&mut bytes).unwrap();
        assert!(matches!(CircuitMap::read(&bytes, "map.json"), Err(ArtifactError::Inconsistent { .. })));
    }
}
