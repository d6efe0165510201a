//! Verdicts of the assertions of one program, and what changed in the assertions between two.
//!
//! A *site* is an assertion, a *clause* one of its conjuncts in the order of evaluation, each guarded by those before. A
//! verdict is that of an observer: an assertion records and lets execution go on, so that one that fails hides no other.
//! Does not know how verdicts are found.

use std::io;

use serde::{Deserialize, Serialize};

use crate::artifact::{Inconsistency, read_json, sha256_hex};
use crate::verdict::{InputValue, as_text};
use crate::{ArtifactError, EdgeKey, Producer, ProgramFile, ProgramOptions, Verdict};

/// The name of the format of verdicts.
pub const VERDICTS: &str = "assertion-verdicts";
/// The name of the format of differences.
pub const DIFFERENCE: &str = "property-difference";
/// The newest version of both.
pub const VERSION: u64 = 1;

/// The verdicts of all assertions of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionVerdicts {
    format: String,
    version: u64,
    /// Who found them.
    pub producer: Producer,
    /// The program.
    pub program: ProgramFile,
    /// How it was read.
    pub options: ProgramOptions,
    /// The assertions, in the order of the text.
    pub sites: Vec<SiteVerdict>,
    /// Inputs that violate clauses.
    #[serde(default)]
    pub counterexamples: Vec<Violating>,
    /// What holds at loops, as far as proofs rest on it and C can say it. A reader proves it again before it uses it.
    #[serde(default)]
    pub invariants: Vec<LoopInvariant>,
    /// SHA-256 of all the rest: a file that was edited is refused.
    digest: String,
}

/// What holds whenever the condition of a loop is evaluated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LoopInvariant {
    /// The function of the loop.
    pub function: String,
    /// The position of the loop among those of its function, in the order of the text.
    #[serde(rename = "loop")]
    pub number: usize,
    /// What holds, in C.
    pub expression: String,
}

/// An assertion and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteVerdict {
    /// The edge that calls the error function, or the call of a function that asserts its argument.
    pub edge: EdgeKey,
    /// The line people look at.
    pub line: u32,
    /// How it is written: `assert`, `wrapper`, `branch`, `bare`, or what an operation may violate.
    pub style: String,
    /// Its text.
    pub text: String,
    /// The worst verdict of its clauses and, where it is violated, of its evaluation.
    #[serde(with = "as_text")]
    pub verdict: Verdict,
    /// Its clauses.
    pub clauses: Vec<ClauseVerdict>,
    /// Whether it can be evaluated, where an operation in it may go wrong and that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
}

/// What is known of the evaluation of an assertion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluation {
    /// TRUE: it never goes wrong. FALSE with the property of the operation that does: a division by zero, an access that leads
    /// nowhere.
    #[serde(with = "as_text")]
    pub verdict: Verdict,
    /// For FALSE, the position of the inputs among the counterexamples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<usize>,
}

/// The verdict of an assertion: the worst of its clauses, and of its evaluation if that is shown to go wrong. Where nobody knows
/// of the evaluation, the verdict is about runs on which it is defined.
#[must_use]
pub fn verdict_of(clauses: &[ClauseVerdict], evaluation: Option<&Evaluation>) -> Verdict {
    let violated = evaluation.map(|one| &one.verdict).filter(|verdict| matches!(verdict, Verdict::False(_)));
    Verdict::worst(clauses.iter().map(|clause| &clause.verdict).chain(violated))
}

/// A clause and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClauseVerdict {
    /// Its text, for people.
    pub text: String,
    /// What is known.
    #[serde(with = "as_text")]
    pub verdict: Verdict,
    /// How: the analysis, or the stage of a difference that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// A TRUE that was taken from earlier verdicts and not proved again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rests_on_file: bool,
    /// For FALSE, the position of the inputs among the counterexamples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<usize>,
}

/// Inputs that violate a clause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violating {
    /// The inputs, in the order in which they are read.
    pub inputs: Vec<InputValue>,
}

impl AssertionVerdicts {
    /// Verdicts of nothing yet.
    #[must_use]
    pub fn new(producer: Producer, program: ProgramFile, options: ProgramOptions) -> Self {
        let (format, version) = (VERDICTS.to_owned(), VERSION);
        let (sites, counterexamples, invariants) = (Vec::new(), Vec::new(), Vec::new());
        let digest = String::new();
        Self { format, version, producer, program, options, sites, counterexamples, invariants, digest }
    }

    /// SHA-256 of everything but the digest itself.
    fn sum(&self) -> String {
        let plain = Self { digest: String::new(), ..self.clone() };
        serde_json::to_vec(&plain).map(|bytes| sha256_hex(&bytes)).unwrap_or_default()
    }

    /// Reads verdicts.
    ///
    /// # Errors
    /// [`ArtifactError`] for what is no such file, or contradicts itself.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let read: Self = read_json(bytes, file, VERDICTS, VERSION)?;
        read.check().map_err(|error| error.in_file(file, VERDICTS))?;
        Ok(read)
    }

    fn check(&self) -> Result<(), Inconsistency> {
        self.program.check_files().map_err(|message| Inconsistency::new("program", message))?;
        if self.digest != self.sum() {
            return Err(Inconsistency::new("digest", "the file was edited after it was written"));
        }
        for (number, site) in self.sites.iter().enumerate() {
            let place = || format!("sites[{number}]");
            if verdict_of(&site.clauses, site.evaluation.as_ref()) != site.verdict {
                return Err(Inconsistency::new(place(), "the verdict is not the worst of its clauses"));
            }
            let known = |at: Option<usize>| at.is_none_or(|at| at < self.counterexamples.len());
            let evaluated = site.evaluation.as_ref().is_none_or(|one| known(one.counterexample));
            if site.clauses.is_empty() || !evaluated || !site.clauses.iter().all(|clause| known(clause.counterexample)) {
                return Err(Inconsistency::new(place(), "a clause is missing, or the inputs of one"));
            }
        }
        Ok(())
    }

    /// Writes the verdicts.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        let sealed = Self { digest: self.sum(), ..self.clone() };
        serde_json::to_writer_pretty(&mut out, &sealed)?;
        out.write_all(b"\n")
    }
}

/// How an assertion of the modified program relates to one of the original at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The same operations.
    Same,
    /// Each implies the other.
    Equivalent,
    /// What holds at the place implies it.
    Implied,
    /// The original one implies it.
    Weaker,
    /// It implies the original one.
    Stronger,
    /// Neither.
    Incomparable,
    /// It stands where the original one stood, and nobody knows whether it says less.
    Unknown,
    /// There is one like it at another place.
    Moved,
    /// There is none in the original.
    New,
    /// There is none in the modified program.
    Removed,
}

/// What became of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClauseStatus {
    /// The original has it and it holds there.
    Inherited,
    /// It follows from what holds at the place.
    Implied,
    /// Inputs that are known violate it.
    Replayed,
    /// It is to be checked.
    Goal,
}

/// What is behind a failure: the same inputs on either code, with either assertion. Exact for these inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attribution {
    /// The assertion holds with the original code, and the original assertion fails with the modified code.
    Regression,
    /// The assertion fails with the original code too, and the original assertion holds with the modified code.
    PropertyUpdate,
    /// The assertion holds with the original code, and the original assertion with the modified code: they do not go together.
    FeatureAgainstProperty,
    /// Everything fails, the original program too.
    PreExisting,
    /// The assertion fails with the original code, the original assertion with the modified code, but not both originals.
    Both,
    /// As a regression, and the original program fails too.
    MovedFailure,
    /// The programs do not read the same inputs, or the assertion has no place in the original.
    NotAttributable,
}

impl Attribution {
    /// The reading of three runs: whether the modified assertion holds with the original code, the original one with the
    /// modified code, and the original one with the original code.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "three runs that pass or fail")]
    pub const fn of(old_code: bool, old_property: bool, both_old: bool) -> Self {
        match (old_code, old_property, both_old) {
            (true, false, true) => Self::Regression,
            (true, false, false) => Self::MovedFailure,
            (false, true, _) => Self::PropertyUpdate,
            (true, true, _) => Self::FeatureAgainstProperty,
            (false, false, false) => Self::PreExisting,
            (false, false, true) => Self::Both,
        }
    }

    /// Its name, for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression (passes with the original code)",
            Self::PropertyUpdate => "property update (fails with the original code too, where the original assertion passes)",
            Self::FeatureAgainstProperty => "new code against new assertion (either passes with the other's original)",
            Self::PreExisting => "pre-existing (the original program fails on these inputs too)",
            Self::Both => "both changes (either alone fails, the original program passes)",
            Self::MovedFailure => "moved failure (passes with the original code; the original assertion fails with either)",
            Self::NotAttributable => "not attributable (the programs cannot be compared on these inputs)",
        }
    }
}

/// What changed in the assertions of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyDifference {
    format: String,
    version: u64,
    /// Who found it.
    pub producer: Producer,
    /// The program before the change.
    pub original: ProgramFile,
    /// The program after it.
    pub modified: ProgramFile,
    /// How both were read.
    pub options: ProgramOptions,
    /// Whether the code without the assertions is the same.
    pub code: Code,
    /// All assertions of the modified program in order, then those that were removed.
    pub assertions: Vec<AssertionChange>,
    /// Inputs that violate clauses.
    #[serde(default)]
    pub counterexamples: Vec<Violating>,
    /// Counts by name.
    pub statistics: std::collections::BTreeMap<String, u64>,
}

/// Whether the code around assertions changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Code {
    /// It is the same.
    Equal,
    /// It is not, or nobody can tell.
    Changed,
}

/// One assertion that is there now, or was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionChange {
    /// In the modified program.
    pub modified: Option<AssertionPlace>,
    /// In the original, as far as one of its assertions is the counterpart.
    pub original: Option<AssertionPlace>,
    /// How they relate.
    pub relation: Relation,
    /// The clauses of the modified one.
    pub clauses: Vec<ClauseChange>,
    /// Whether the modified one can be evaluated, where an operation in it may go wrong and that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
}

/// Where an assertion is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionPlace {
    /// Its position among the assertions of its program.
    pub site: usize,
    /// Its function.
    pub function: String,
    /// Its line.
    pub line: u32,
    /// Its text.
    pub text: String,
}

/// A clause of an assertion of the modified program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClauseChange {
    /// Its text, for people.
    pub text: String,
    /// What became of it.
    pub status: ClauseStatus,
    /// What is known of it in the modified program.
    #[serde(with = "as_text")]
    pub verdict: Verdict,
    /// What decided it: `S0` (same clause), `S1` (implied), `S2` (known inputs), `S3` (known invariants), `S4` (an analysis), `S5`
    /// (another verifier);
    /// nothing if nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// A TRUE that was taken from earlier verdicts and not proved again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rests_on_file: bool,
    /// For FALSE, the position of the inputs among the counterexamples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<usize>,
    /// For FALSE, what of the change is behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attribution: Option<Attribution>,
    /// Why, in a sentence.
    pub reason: String,
    /// The clauses of the original that it is inherited or follows from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// A clause of the original that another one follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Position of its assertion among the sites of the original.
    pub site: usize,
    /// Its position in the assertion.
    pub clause: usize,
    /// Where it stands.
    pub line: u32,
    /// Its text, for people.
    pub text: String,
}

impl PropertyDifference {
    /// A difference without assertions.
    #[must_use]
    pub fn new(
        producer: Producer,
        (original, modified): (ProgramFile, ProgramFile),
        options: ProgramOptions,
        code: Code,
    ) -> Self {
        Self {
            format: DIFFERENCE.to_owned(),
            version: VERSION,
            producer,
            original,
            modified,
            options,
            code,
            assertions: Vec::new(),
            counterexamples: Vec::new(),
            statistics: std::collections::BTreeMap::new(),
        }
    }

    /// Reads a difference.
    ///
    /// # Errors
    /// [`ArtifactError`] for what is no such file.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        read_json(bytes, file, DIFFERENCE, VERSION)
    }

    /// Writes the difference.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Property;

    fn verdicts() -> AssertionVerdicts {
        let producer = Producer::new("propdiff", "1");
        let mut verdicts = AssertionVerdicts::new(producer, ProgramFile::default(), ProgramOptions::default());
        let clause = ClauseVerdict {
            text: "x > 0".to_owned(),
            verdict: Verdict::False(Property::UnreachCall),
            by: Some("bounded".to_owned()),
            rests_on_file: false,
            counterexample: Some(0),
        };
        let (line, style, text) = (3, "assert".to_owned(), "assert(x > 0)".to_owned());
        let edge = EdgeKey {
            function: "main".to_owned(),
            line: 3,
            column: 1,
            end_line: 3,
            end_column: 14,
            kind: crate::OperationKind::Call,
            branch: None,
            ordinal: 0,
        };
        let verdict = clause.verdict.clone();
        verdicts.sites.push(SiteVerdict { edge, line, style, text, verdict, clauses: vec![clause], evaluation: None });
        verdicts.counterexamples.push(Violating { inputs: Vec::new() });
        verdicts
    }

    #[test]
    fn verdicts_are_read_as_they_are_written() {
        let (verdicts, mut bytes) = (verdicts(), Vec::new());
        verdicts.write(&mut bytes).unwrap();
        let read = AssertionVerdicts::read(&bytes, "v.json").unwrap();
        assert_eq!(AssertionVerdicts { digest: String::new(), ..read }, verdicts);
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for change in [
            |v: &mut AssertionVerdicts| v.sites[0].verdict = Verdict::True,
            |v: &mut AssertionVerdicts| v.counterexamples.clear(),
            |v: &mut AssertionVerdicts| v.sites[0].clauses.clear(),
            |v: &mut AssertionVerdicts| v.version = 9,
            |v: &mut AssertionVerdicts| v.format = DIFFERENCE.to_owned(),
        ] {
            let (mut changed, mut bytes) = (verdicts(), Vec::new());
            change(&mut changed);
            changed.write(&mut bytes).unwrap();
            assert!(AssertionVerdicts::read(&bytes, "v.json").is_err());
        }
        let mut bytes = Vec::new();
        verdicts().write(&mut bytes).unwrap();
        // An edit that fits all the rest.
        let edited = String::from_utf8(bytes.clone()).unwrap().replace("FALSE(unreach-call)", "TRUE");
        let refused = AssertionVerdicts::read(edited.as_bytes(), "v.json").unwrap_err();
        assert!(refused.to_string().contains("edited"), "{refused}");
        for length in 0..bytes.len() - 2 {
            assert!(AssertionVerdicts::read(&bytes[..length], "v.json").is_err());
        }
    }
}
