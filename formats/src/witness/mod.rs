//! Witnesses: evidence for a verdict that other tools can check, and what their evidence says.
//!
//! Two formats carry the same facts: GraphML 1.0 ([`graphml`]) and YAML 2.0 and 2.1 ([`yaml`]). [`Witness::read`] tells them
//! apart. Witnesses of other tools are read as far as they can be understood; what breaks the published rules without
//! being in the way is a [`graphml::Finding`], the rest an error.
//! Does not know programs: neither whether a path is feasible nor whether an invariant holds.

pub mod graphml;
mod reading;
pub mod yaml;

pub use reading::{Format, Mention, Reading};

use crate::artifact::{kind_of, sha1_hex, sha256_hex, text_of};
use crate::{ArtifactError, DataModel, Producer, ProgramFile, ProgramOptions};

/// The name of the format in messages.
pub const FORMAT: &str = "witness";

/// A witness of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    /// Evidence that the property is violated.
    Violation(ViolationWitness),
    /// Evidence that the property holds.
    Correctness(CorrectnessWitness),
}

impl Reading {
    /// Reads a witness in GraphML or YAML; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no witness, of a version that is not read, or break a rule without which they
    /// cannot be understood.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let text = text_of(bytes, file, FORMAT)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match text.trim_start().chars().next() {
            Some('<') => graphml::read(text, file),
            Some('-' | '#' | '[' | '%') => yaml::read(text, file),
            _ => Err(ArtifactError::OtherFormat {
                file: file.to_owned(),
                expected: FORMAT.to_owned(),
                found: kind_of(text).to_owned(),
            }),
        }
    }
}

/// What a witness says about itself.
///
/// Witnesses of other tools may lack whatever is an option or an empty text here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The tool that wrote it, with its version where the format has a place for it.
    pub producer: String,
    /// Version of that tool.
    pub producer_version: String,
    /// What the reader should know beside the facts.
    pub description: Option<String>,
    /// Path of the program.
    pub program: String,
    /// Hash of the program in hexadecimal digits: SHA-256, in witnesses from before 2018 SHA-1.
    pub program_hash: String,
    /// The property as text; other tools write more than a property file into it.
    pub specification: String,
    /// Sizes of types.
    pub data_model: Option<DataModel>,
    /// When it was written.
    pub creation_time: Option<String>,
}

/// One path of a program to a violation of its property, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationWitness {
    /// Who says so, of which program.
    pub metadata: Metadata,
    /// What the path passes, from the entry function to the violation.
    pub steps: Vec<Step>,
}

/// Something a path passes. Whatever is not told is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// Whether the path passes it or must not pass it (YAML 2.x only).
    pub action: Action,
    /// Direction of a branch.
    pub branch: Option<bool>,
    /// The label a switch goes to: a number or `default` (YAML 2.x only).
    pub label: Option<String>,
    /// The function that is called at the place is entered; its name is not told (YAML 2.x only).
    pub enters_callee: bool,
    /// The function that is entered.
    pub enters: Option<String>,
    /// The function that is left.
    pub returns_from: Option<String>,
    /// C expressions that hold; `\result` is the result of `result_function`, or of the call that ends at `place`.
    pub assumption: Option<String>,
    /// The function whose variables the assumption mentions.
    pub scope: Option<String>,
    /// The function whose result `\result` means.
    pub result_function: Option<String>,
    /// The text of the program there, for people.
    pub text: String,
    /// Whether the violation happens here.
    pub is_violation: bool,
}

/// Whether a path passes a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// It does.
    #[default]
    Follow,
    /// It does not, before the next step that it passes.
    Avoid,
}

/// A place in a program. Lines and columns count from 1, offsets from 0; line 0 means "not told".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Option<String>,
    /// The function it is in.
    pub function: Option<String>,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
    /// Offset of the first byte.
    pub start_offset: Option<u64>,
    /// Offset of the last byte.
    pub end_offset: Option<u64>,
}

/// Facts that hold whenever control is at certain places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorrectnessWitness {
    /// Who says so, of which program.
    pub metadata: Metadata,
    /// The facts.
    pub invariants: Vec<Invariant>,
}

/// A fact that holds whenever control is at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Where.
    pub place: Place,
    /// Where exactly.
    pub kind: InvariantKind,
    /// The fact as a C expression.
    pub expression: String,
}

/// What the place of an invariant means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvariantKind {
    /// The place is a loop: the fact holds whenever its condition is about to be evaluated.
    Loop,
    /// The place is a statement: the fact holds before it.
    Location,
}

/// An input that a violation witness names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessInput<'a> {
    /// The input function, if it is named.
    pub function: Option<&'a str>,
    /// Where its result is used.
    pub place: &'a Place,
    /// The value as a C constant.
    pub value: &'a str,
}

impl Witness {
    /// Reads a witness in GraphML or YAML; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no witness, of a version that is not read, or break a rule without which they
    /// cannot be understood.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        Reading::read(bytes, file).map(|reading| reading.witness)
    }

    /// What the witness says about itself.
    #[must_use]
    pub const fn metadata(&self) -> &Metadata {
        match self {
            Self::Violation(witness) => &witness.metadata,
            Self::Correctness(witness) => &witness.metadata,
        }
    }
}

impl Metadata {
    /// What a tool of this project says about itself.
    #[must_use]
    pub fn new(producer: &Producer, program: &ProgramFile, options: &ProgramOptions) -> Self {
        Self {
            producer: producer.tool.clone(),
            producer_version: producer.version.clone(),
            description: None,
            program: program.path.clone(),
            program_hash: program.sha256.clone(),
            specification: options.specification(),
            data_model: Some(options.data_model),
            creation_time: Some(creation_time()),
        }
    }

    /// Whether a file with these bytes is the program of the witness.
    #[must_use]
    pub fn compare_program(&self, bytes: &[u8]) -> HashComparison {
        let named = self.program_hash.to_ascii_lowercase();
        let is_hash = named.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (algorithm, found) = match named.len() {
            64 if is_hash => ("SHA-256", sha256_hex(bytes)),
            40 if is_hash => ("SHA-1", sha1_hex(bytes)),
            _ => return HashComparison::Impossible,
        };
        if found == named { HashComparison::Agrees { algorithm } } else { HashComparison::Differs { algorithm, found } }
    }
}

/// Whether a file is the program of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HashComparison {
    /// The hash is the one the witness names.
    Agrees {
        /// SHA-256, or SHA-1 in witnesses from before 2018.
        algorithm: &'static str,
    },
    /// It is another one.
    Differs {
        /// SHA-256, or SHA-1 in witnesses from before 2018.
        algorithm: &'static str,
        /// The hash of the file.
        found: String,
    },
    /// The witness names no hash that is known.
    Impossible,
}

impl ViolationWitness {
    /// The inputs the path reads, in order: assumptions of the form `\result == VALUE` on steps that are followed.
    pub fn inputs(&self) -> impl Iterator<Item = WitnessInput<'_>> {
        self.steps.iter().filter(|step| step.action == Action::Follow).filter_map(Step::input)
    }
}

impl Step {
    /// The input that is read here: a single assumption of the form `\result == VALUE`.
    #[must_use]
    pub fn input(&self) -> Option<WitnessInput<'_>> {
        let assumption = self.assumption.as_deref()?.trim();
        let assumption = assumption.strip_suffix(';').unwrap_or(assumption);
        let assumption = assumption.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(assumption);
        let value = assumption.trim().strip_prefix("\\result")?.trim_start().strip_prefix("==")?.trim();
        let value = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(value).trim();
        let is_constant = !value.is_empty() && !value.contains(['=', '&', '|', ';', '\\']);
        is_constant.then_some(WitnessInput { function: self.result_function.as_deref(), place: &self.place, value })
    }
}

/// The time written into files whose format demands one.
///
/// `SOURCE_DATE_EPOCH` if it is set, else the beginning of time: a file must not depend on when it was written.
#[must_use]
pub fn creation_time() -> String {
    let seconds = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    iso_8601(seconds.unwrap_or(0))
}

/// Seconds since 1970 as a date of the Gregorian calendar (days-from-civil algorithm, inverted).
fn iso_8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3_600, rest % 3_600 / 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::{HashComparison, Metadata, iso_8601};

    #[test]
    fn hashes_of_programs() {
        let compare = |hash: &str| Metadata { program_hash: hash.to_owned(), ..Metadata::default() }.compare_program(b"abc");
        let sha256 = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
        assert_eq!(compare(sha256), HashComparison::Agrees { algorithm: "SHA-256" });
        assert_eq!(compare("a9993e364706816aba3e25717850c26c9cd0d89d"), HashComparison::Agrees { algorithm: "SHA-1" });
        let found = sha256.to_ascii_lowercase();
        assert_eq!(compare(&"0".repeat(64)), HashComparison::Differs { algorithm: "SHA-256", found });
        for unknown in ["", "00", &"x".repeat(64)] {
            assert_eq!(compare(unknown), HashComparison::Impossible, "{unknown}");
        }
    }

    #[test]
    fn dates() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso_8601(1_785_801_599), "2026-08-03T23:59:59Z");
    }
}
