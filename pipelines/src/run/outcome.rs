//! Outcomes: what was checked, with what, and what came out, for programs and for reports.
//!
//! One [`Outcome`] per unit, i.e. per file × entry function. Paths of programs are those the user knows; artifacts are
//! named relative to the folder of their unit.
//! Invariant: the verdict and the class agree: [`Class::NoRegression`] and [`Class::Vacuous`] with TRUE, [`Class::Undecided`] with UNKNOWN, the
//! other classes with FALSE.
//! Does not know how a unit is checked or how a report looks.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use formats::{Producer, ProgramOptions, Reason, Validation, Verdict, VerdictReport};
use serde::{Deserialize, Serialize};

/// The format name of [`CheckReport`].
pub const FORMAT: &str = "residue-check";
/// The format version of [`CheckReport`].
pub const VERSION: u32 = 1;

/// What `residue check --json` prints: everything about one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The driver.
    pub producer: Producer,
    /// The worst verdict of all units.
    #[serde(with = "formats::verdict::as_text")]
    pub verdict: Verdict,
    /// What is worst, as a class.
    pub class: Class,
    /// The units, in the order in which they were asked for.
    pub outcomes: Vec<Outcome>,
    /// Units that could not be checked: their input cannot be used, or a stage failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// What was not checked, and why; if that is not right ([`Why::is_missing`]) the verdict is not TRUE.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Skipped>,
}

/// A unit that could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The path of the modified program.
    pub path: String,
    /// The entry function; absent if it did not come so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What went wrong.
    pub message: String,
}

impl Failure {
    /// What is known of the unit: nothing.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let (file, line) = self.place();
        Verdict::Unknown(Reason::Unsupported { construct: "unusable input".to_owned(), file, line })
    }

    /// Where the message says that it went wrong; at the begin of the file where it says nothing.
    #[must_use]
    pub fn place(&self) -> (String, u32) {
        let places = self.message.lines().filter_map(|line| place(line.trim_start().trim_start_matches("error: ")));
        let mut places = places.filter(|(_, line)| *line > 0);
        places.next().unwrap_or_else(|| (self.path.clone(), 1))
    }

    /// The line in the place of a verdict.
    #[must_use]
    pub fn line(&self) -> String {
        let entry = self.entry.iter().map(|entry| format!(" {entry}")).collect::<String>();
        format!("{}{entry}: not checked, see the error", self.path)
    }
}

/// The file and the line that a message begins with: `FILE:LINE:COLUMN: …` or `FILE:LINE: …`.
fn place(message: &str) -> Option<(String, u32)> {
    let (begin, _) = message.split_once(": ")?;
    let (before, last) = begin.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let of_column = before.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    let (file, line) = of_column.unwrap_or((before, last));
    (!file.is_empty()).then(|| (file.to_owned(), line))
}

/// A file, or a function of it, that is not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The path of the program.
    pub path: String,
    /// The entry function; absent if the whole file is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Why.
    pub why: Why,
    /// What exactly stands in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Why something is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Both revisions have the same text.
    Unchanged,
    /// The text changed, what the compiler sees did not.
    Invisible,
    /// Nothing that the entry function leads to has changed.
    Unaffected,
    /// The modified revision does not have the file, and nobody uses what it defined.
    Deleted,
    /// The modified revision does not have the file, but uses what it defined.
    DeletedInUse,
    /// The modified program does not define the entry function.
    NoEntry,
    /// What the entry function does has changed in another file, which is no part of the program.
    Elsewhere,
    /// The file is no C, but part of the program.
    NotC,
    /// The file is compiled with other flags, which are not followed and may change what it means.
    Build,
    /// It is built otherwise: only one revision compiles it, or it is a file of the build whose flags have changed.
    Built,
    /// A symbolic link leads to another folder: what is found in it has changed.
    Link,
}

impl Why {
    /// Whether something that changed was not looked at, whatever else was.
    #[must_use]
    pub const fn is_missing(self) -> bool {
        match self {
            Self::Unchanged | Self::Invisible | Self::Unaffected | Self::Deleted | Self::NoEntry => false,
            Self::DeletedInUse | Self::Elsewhere | Self::NotC | Self::Build | Self::Built | Self::Link => true,
        }
    }
}

/// What came out for one file and one entry function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The program before the change; absent if there is none.
    pub original: Option<CheckedProgram>,
    /// The program after the change.
    pub modified: CheckedProgram,
    /// How the programs were read, the entry function included.
    pub options: ProgramOptions,
    /// How differences were detected.
    pub detector: Detector,
    /// How the verifier was restricted to what can be new.
    pub via: Via,
    /// Who verified: of several the one that decided, or the last that was asked.
    pub verifier: Verifier,
    /// Who was to be asked, in this order, until one decides.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// The verdict.
    #[serde(with = "formats::verdict::as_text")]
    pub verdict: Verdict,
    /// What kind of result it is.
    pub class: Class,
    /// What the verdict is about: the line above the verdict.
    pub about: String,
    /// What the caller of the entry function takes for granted, if one was made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// Where the modified program violates the property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<Place>,
    /// With `--validated`: whether what the condition leaves out may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// Whether it is the outcome of an earlier check with the same inputs; no stage ran then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached: bool,
    /// CPU seconds per stage, in the order in which they ran (in the earlier check, if the outcome is cached).
    pub stages: Vec<StageTime>,
    /// The files in the folder of the unit.
    pub artifacts: Artifacts,
    /// What the verifier said; absent if it was never asked or never answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<VerdictReport>,
}

/// A verifier's turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who is asked.
    pub verifier: Verifier,
    /// How it is restricted to what can be new.
    pub via: Via,
    /// What it is asked.
    pub about: Asked,
    /// The verdict, if it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

impl Turn {
    /// Whether both ask the same.
    pub(crate) fn asks_as(&self, other: &Self) -> bool {
        (&self.verifier, self.via, self.about) == (&other.verifier, other.via, other.about)
    }

    /// Why it did not decide, in parentheses.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.verdict.as_deref()?.strip_prefix("UNKNOWN(")?.strip_suffix(')')
    }
}

/// What a verifier is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// Whether the change can violate the property.
    Change,
    /// Whether the modified program can.
    Program,
}

/// A program that was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedProgram {
    /// Its path as the user knows it.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal digits; of several files that of the lines `SHA256  PATH`.
    pub sha256: String,
    /// The files of a program of several files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<formats::FileOfProgram>,
    /// The git revision it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// For a program of a revision: its file in the folder of the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// For a program of a revision: its preprocessed text in the folder of the unit, which is what the stages read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preprocessed: Option<String>,
    /// For a program of a revision: the flags it was preprocessed with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

/// A line of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// What kind of result a verdict is; ordered from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// TRUE.
    NoRegression,
    /// TRUE, but the modified program has nothing that could be violated.
    Vacuous,
    /// UNKNOWN.
    Undecided,
    /// FALSE, and the original violates the property on the same inputs.
    ViolationInBoth,
    /// FALSE, and the original could not be compared.
    NotCompared,
    /// FALSE, and the original passes on the same inputs.
    Regression,
}

/// CPU time of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// The tool.
    pub stage: String,
    /// CPU seconds of its process and of the children it waited for.
    pub cpu_seconds: f64,
}

/// Names of the files a unit left, relative to its folder; absent where the stage did not run or had nothing to write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifacts {
    /// The difference graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference_graph: Option<String>,
    /// Which changes are behind its indicators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// What makes the graph right, if the condition had to be validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// The condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The residual program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_program: Option<String>,
    /// The map from lines of the residual program to the modified one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_map: Option<String>,
    /// The witness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<String>,
    /// The counterexample as a C program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    /// What the verifier printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<String>,
    /// What the verifier had said about the change before the whole modified program was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_verification: Option<String>,
}

/// How differences are detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detector {
    /// Verify the modified program as a whole
    None,
    /// Syntactic differences
    Diffcond,
    /// Data dependencies and the property
    #[default]
    Diffdp,
}

/// How the verifier is restricted to what can be new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// The verifier follows the condition
    #[default]
    Native,
    /// The verifier gets the residual program
    Reduce,
}

/// Who verifies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Verifier {
    /// Our own `verify`.
    #[default]
    Native,
    /// Another verifier.
    Foreign {
        /// Its name.
        name: String,
        /// Its options.
        options: Vec<String>,
    },
}

impl Verifier {
    /// The name and the options of another verifier.
    pub(crate) fn foreign(&self) -> Option<(&str, &[String])> {
        match self {
            Self::Native => None,
            Self::Foreign { name, options } => Some((name, options)),
        }
    }
}

impl fmt::Display for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Diffcond => "diffcond",
            Self::Diffdp => "diffdp",
        })
    }
}

impl fmt::Display for Via {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Native => "native",
            Self::Reduce => "reduce",
        })
    }
}

impl Class {
    /// The name in artifacts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoRegression => "no-regression",
            Self::Vacuous => "vacuous",
            Self::Undecided => "undecided",
            Self::ViolationInBoth => "violation-in-both",
            Self::NotCompared => "not-compared",
            Self::Regression => "regression",
        }
    }

    /// Whether the modified program violates its property.
    #[must_use]
    pub const fn is_violation(self) -> bool {
        match self {
            Self::NoRegression | Self::Vacuous | Self::Undecided => false,
            Self::ViolationInBoth | Self::NotCompared | Self::Regression => true,
        }
    }
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native => f.write_str("verify"),
            Self::Foreign { name, options } if options.is_empty() => f.write_str(name),
            Self::Foreign { name, options } => {
                let words: Vec<_> = options.iter().map(|word| shlex::try_quote(word).unwrap_or_default()).collect();
                write!(f, "{name}:{}", words.join(" "))
            }
        }
    }
}

impl FromStr for Verifier {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let options = shlex::split(options).ok_or_else(|| "a quotation mark in the options has no partner".to_owned())?;
        match (name, options.is_empty()) {
            ("", _) => Err("the name is missing".to_owned()),
            ("verify", true) => Ok(Self::Native),
            ("verify", false) => Err("`verify` takes its options from `residue check`".to_owned()),
            _ => Ok(Self::Foreign { name: name.to_owned(), options }),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl Verifier {
    /// Its version; `None` if it cannot be told. Our own verifier is identified by its executable.
    pub(crate) fn version(&self) -> Option<String> {
        match self {
            Self::Native => Some(String::new()),
            Self::Foreign { name, .. } => super::foreign::identity(name),
        }
    }
}

impl Artifacts {
    /// All names there are.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let Self {
            difference_graph,
            explanation,
            certificate,
            condition,
            residual_program,
            residual_map,
            witness,
            harness,
            verification,
            change_verification,
        } = self;
        let all = [
            difference_graph, explanation, certificate, condition, residual_program, residual_map, witness, harness,
            verification, change_verification,
        ];
        all.into_iter().flatten().map(String::as_str).collect()
    }
}

impl Outcome {
    /// The turns before the one that the verdict is from.
    pub(crate) fn tried(&self) -> &[Turn] {
        let asked = self.turns.iter().rposition(|turn| turn.verdict.is_some()).unwrap_or(0);
        &self.turns[..asked]
    }

    /// Whether several verifiers were to be asked.
    pub(crate) fn has_choice(&self) -> bool {
        self.turns.iter().any(|turn| turn.verifier != self.verifier)
    }

    /// CPU seconds by name, as `--stats` prints them.
    #[must_use]
    pub fn cpu_seconds(&self) -> BTreeMap<String, f64> {
        let mut sums = BTreeMap::new();
        for stage in &self.stages {
            *sums.entry(stage.stage.clone()).or_insert(0.0) += stage.cpu_seconds;
        }
        sums
    }
}
