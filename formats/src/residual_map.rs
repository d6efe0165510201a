//! The map of a residual program: which line of it comes from where in the modified program.

use crate::artifact::{Inconsistency, read_json};
use crate::{ArtifactError, Producer, ProgramFile};
use serde::{Deserialize, Serialize};
use std::io;

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "residual-map";
/// The newest format version.
pub const VERSION: u64 = 1;

/// Where the lines of a residual program come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResidualMap {
    /// The tool that built the residual program.
    pub producer: Producer,
    /// The program the residual program was built from.
    pub modified: ProgramFile,
    /// SHA-256 of the residual program's bytes.
    pub residual_sha256: String,
    /// Source spans, ascending by residual line; a line may have several.
    pub lines: Vec<SourceSpan>,
}

/// One line of a residual program and the text of the modified program it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourceSpan {
    /// Line of the residual program, from 1.
    pub residual_line: u32,
    /// First line in the (preprocessed) modified program.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
    producer: Producer,
    modified: ProgramFile,
    residual_sha256: String,
    lines: Vec<SourceSpan>,
}

impl ResidualMap {
    /// Reads a map; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no consistent map of a known version.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let wire: Wire = read_json(bytes, file, FORMAT, VERSION)?;
        if !wire.lines.is_sorted_by_key(|span| span.residual_line) {
            return Err(Inconsistency::new("lines", "not ascending").in_file(file, FORMAT));
        }
        Ok(Self { producer: wire.producer, modified: wire.modified, residual_sha256: wire.residual_sha256, lines: wire.lines })
    }

    /// Writes the map as one line of JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        let mut lines = self.lines.clone();
        lines.sort_unstable();
        lines.dedup();
        let wire = Wire {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer: self.producer.clone(),
            modified: self.modified.clone(),
            residual_sha256: self.residual_sha256.clone(),
            lines,
        };
        serde_json::to_writer(&mut out, &wire)?;
        out.write_all(b"\n")
    }

    /// The source spans of a line of the residual program.
    #[must_use]
    pub fn spans_of(&self, residual_line: u32) -> &[SourceSpan] {
        let start = self.lines.partition_point(|span| span.residual_line < residual_line);
        let end = self.lines.partition_point(|span| span.residual_line <= residual_line);
        self.lines.get(start..end).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_lookup() {
        let span = |residual_line, line| SourceSpan { residual_line, line, column: 1, end_line: line, end_column: 5 };
        let map = ResidualMap {
            producer: Producer::new("reduce", "0.1.0"),
            modified: ProgramFile { path: "a.c".to_owned(), sha256: "00".to_owned(), cfa: "11".to_owned(), files: Vec::new() },
            residual_sha256: "22".to_owned(),
            lines: vec![span(3, 7), span(3, 9), span(5, 8)],
        };
        let mut bytes = Vec::new();
        map.write(&mut bytes).unwrap();
        assert_eq!(ResidualMap::read(&bytes, "m.json"), Ok(map.clone()));
        assert_eq!(map.spans_of(3), [span(3, 7), span(3, 9)]);
        assert_eq!(map.spans_of(4), []);
        assert!(matches!(ResidualMap::read(&bytes[..40], "m.json"), Err(ArtifactError::Truncated { .. })));
        assert!(matches!(ResidualMap::read(b"{\"format\":\"x\"}", "m.json"), Err(ArtifactError::OtherFormat { .. })));
    }
}
