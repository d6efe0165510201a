//! Whether a witness fits a program: the hash, and the places it names.
//!
//! Columns and offsets count bytes; a tool that counts characters names smaller ones, which exist all the same.
//! Does not know C: what stands at a place is not looked at.

use console::Input;
use formats::witness::{HashComparison, Mention, Metadata, Place, Reading};
use miette::Report;

use super::faults::Faults;

/// How a witness and a program fit.
pub(super) struct Comparison {
    /// The program that was given.
    pub(super) file: String,
    /// By which hash they agree; `None` if the witness names none that is known.
    pub(super) algorithm: Option<&'static str>,
    /// The number of places that exist.
    pub(super) places: usize,
    /// The number of places in other files, which were not looked for.
    pub(super) elsewhere: usize,
    lines: Vec<String>,
}

/// Compares hash and places.
///
/// # Errors
/// A report of the first thing that does not fit.
pub(super) fn compare(reading: &Reading, program: &Input, faults: &Faults<'_>) -> Result<Comparison, Report> {
    let metadata = reading.witness.metadata();
    let algorithm = match metadata.compare_program(&program.bytes) {
        HashComparison::Agrees { algorithm } => Some(algorithm),
        HashComparison::Impossible => None,
        HashComparison::Differs { algorithm, found } => {
            return Err(faults.whole(
                &format!(
                    "written for {} with {algorithm} {}, but {} has {found}",
                    metadata.program, metadata.program_hash, program.name
                ),
                "the program was edited since, or another file was given: pass the one that the verifier read".to_owned(),
            ));
        }
    };
    let text = String::from_utf8_lossy(&program.bytes);
    let mut comparison = Comparison {
        file: program.name.clone(),
        algorithm,
        places: 0,
        elsewhere: 0,
        lines: text.lines().map(str::to_owned).collect(),
    };
    let lengths: Vec<usize> = program.bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).collect();
    let size = Size { lines: &lengths, bytes: program.bytes.len() };
    for mention in &reading.mentions {
        if !is_in_program(metadata, &mention.place) {
            comparison.elsewhere += 1;
        } else if let Some(missing) = size.missing(&mention.place) {
            return Err(not_there(mention, &missing, &program.name, faults));
        } else {
            comparison.places += 1;
        }
    }
    Ok(comparison)
}

impl Comparison {
    /// The line of the program at a place, without blanks at its ends.
    pub(super) fn line(&self, metadata: &Metadata, place: &Place) -> Option<&str> {
        let number = (place.line as usize).checked_sub(1)?;
        self.lines.get(number).filter(|_| is_in_program(metadata, place)).map(|line| line.trim())
    }
}

/// Whether a place is in the program. Folders may have been moved since, so that only the name of the file counts.
pub(super) fn is_in_program(metadata: &Metadata, place: &Place) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    place.file.as_ref().is_none_or(|file| name(file) == name(&metadata.program))
}

fn not_there(mention: &Mention, missing: &str, program: &str, faults: &Faults<'_>) -> Report {
    let help = "the witness belongs to another program, or the tool that wrote it counts in the preprocessed text";
    faults.at_line(mention.line, &format!("there is no {missing} of {program}"), help.to_owned())
}

/// The extent of a program.
struct Size<'a> {
    /// The bytes of each line; what is behind the last line break counts as one.
    lines: &'a [usize],
    bytes: usize,
}

impl Size<'_> {
    /// The part of a place that does not exist.
    fn missing(&self, place: &Place) -> Option<String> {
        for line in [Some(place.line), place.end_line].into_iter().flatten() {
            if line as usize > self.lines.len() {
                return Some(format!("line {line} in the {} lines", self.lines.len()));
            }
        }
        let length = self.lines.get((place.line as usize).saturating_sub(1)).copied().unwrap_or(0);
        if let Some(column) = place.column
            && place.line > 0
            && column as usize > length
        {
            return Some(format!("column {column} in line {}, which has {length} columns,", place.line));
        }
        let offsets = [place.start_offset, place.end_offset].into_iter().flatten();
        let beyond = offsets.into_iter().find(|&offset| usize::try_from(offset).is_ok_and(|offset| offset >= self.bytes));
        beyond.map(|offset| format!("offset {offset} in the {} bytes", self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_at_the_edge_of_a_program() {
        let size = Size { lines: &[4, 0, 9, 0], bytes: 16 };
        let at = |line, column| Place { line, column: Some(column), ..Place::default() };
        for (place, missing) in [
            (at(1, 4), None),
            (at(1, 5), Some("column 5 in line 1, which has 4 columns,")),
            (at(2, 1), Some("column 1 in line 2, which has 0 columns,")),
            (at(3, 9), None),
            (at(5, 1), Some("line 5 in the 4 lines")),
            (Place { line: 4, ..Place::default() }, None),
            (Place { line: 0, ..Place::default() }, None),
            (Place { line: 1, end_line: Some(7), ..Place::default() }, Some("line 7 in the 4 lines")),
            (Place { line: 1, start_offset: Some(15), ..Place::default() }, None),
            (Place { line: 1, end_offset: Some(16), ..Place::default() }, Some("offset 16 in the 16 bytes")),
        ] {
            assert_eq!(size.missing(&place).as_deref(), missing, "{place:?}");
        }
    }
}
