//! Whether a client notices how a library changed: the result of `cse`.
//!
//! Does not know how it is found out.

use std::io;

use serde::{Deserialize, Serialize};

use crate::artifact::{Inconsistency, read_json};
use crate::verdict::InputValue;
use crate::{ArtifactError, EdgeKey, Producer, ProgramFile, ProgramOptions};

/// The name of the format.
pub const EQUIVALENCE: &str = "equivalence";
/// Its newest version.
pub const VERSION: u64 = 1;

/// The verdict about two versions of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equivalence {
    /// No input shows a difference.
    Equivalent,
    /// Some input does.
    NotEquivalent,
    /// Nobody knows.
    Unknown,
}

/// What is observed, and which runs count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRelation {
    /// `return`, `globals`, `memory`, `events`.
    pub observe: Vec<String>,
    /// `preserve` or `both`.
    pub undefined: String,
    /// `undefined` or `wrap`.
    pub overflow: String,
    /// `partial`: runs that do not end in one of the versions are not compared; `total` if both end or neither.
    pub termination: String,
    /// What the user says of the inputs that count, each as the end of a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assume: Vec<String>,
}

/// What became of a call from code that is the same in both versions into code that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    /// In this call no run of the original comes to where the versions differ.
    Inactive,
    /// Such code may be reached, and no difference gets out.
    Digested,
    /// They differ, and it is observed.
    Different,
    /// Nobody knows.
    Unknown,
}

/// Such a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallContext {
    /// The call, in the original program.
    pub call: EdgeKey,
    /// The file it is in.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// What is called.
    pub callee: String,
    /// What became of it.
    pub status: CallStatus,
    /// For what is digested, the functions that return the same in both versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<String>,
    /// For which arguments the versions were seen to differ, as the call itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// What the arguments satisfy, as C over the names of the parameters in the original version, wherever the versions do not do
    /// the same in this call: proved, and necessary, but not for all of them sufficient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
    /// The branches that this call takes with `arguments` in the original and then in the modified version, each text once.
    /// The last is `…` where there are more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<String>,
}

impl CallContext {
    /// The condition on the arguments as the end of a sentence, or what is known of it, or nothing.
    #[must_use]
    pub fn condition(&self) -> String {
        match &self.only {
            Some(only) => format!(", only where {only}"),
            None if self.along.is_empty() => String::new(),
            None => format!(", along {}", self.along.join(" ")),
        }
    }
}

/// Inputs that tell the versions apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TellingInputs {
    /// The inputs, in the order in which they are read.
    pub inputs: Vec<InputValue>,
    /// What the original and the modified version do.
    pub outcomes: [String; 2],
    /// What differs first.
    pub difference: String,
    /// The call, in the original program, in which the versions part with these inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<EdgeKey>,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EquivalenceResult {
    format: String,
    version: u64,
    /// Who found it.
    pub producer: Producer,
    /// The files of the client.
    pub client: Vec<String>,
    /// The program with the original library.
    pub original: ProgramFile,
    /// The program with the modified library.
    pub modified: ProgramFile,
    /// How both were read.
    pub options: ProgramOptions,
    /// What is compared.
    pub relation: ObservedRelation,
    /// The verdict.
    pub verdict: Equivalence,
    /// Why nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For what the verdict holds, in one sentence.
    pub scope: String,
    /// Whether it is proved that no arguments satisfy what is assumed of them: the verdict says nothing then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    /// The functions that differ, or call one that does, as far as the boundary goes.
    pub changed: Vec<String>,
    /// The calls into them.
    pub contexts: Vec<CallContext>,
    /// What was assumed.
    pub assumptions: Vec<String>,
    /// The analysis behind a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Inputs that tell the versions apart; both programs were run on them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<TellingInputs>,
}

impl EquivalenceResult {
    /// The call that the counterexample is about, or one of those in which the versions differ if it says none.
    #[must_use]
    pub fn telling(&self) -> Option<&CallContext> {
        let shown = self.counterexample.as_ref().and_then(|shown| shown.call.as_ref());
        let is_shown = |context: &&CallContext| shown.is_none_or(|call| *call == context.call);
        self.contexts.iter().filter(is_shown).find(|context| context.status == CallStatus::Different)
    }

    /// A result about two programs that nobody has looked at yet.
    #[must_use]
    pub fn new(
        producer: Producer,
        (original, modified): (ProgramFile, ProgramFile),
        options: ProgramOptions,
        relation: ObservedRelation,
    ) -> Self {
        Self {
            format: EQUIVALENCE.to_owned(),
            version: VERSION,
            producer,
            client: Vec::new(),
            original,
            modified,
            options,
            relation,
            verdict: Equivalence::Unknown,
            reason: None,
            scope: String::new(),
            vacuous: false,
            changed: Vec::new(),
            contexts: Vec::new(),
            assumptions: Vec::new(),
            by: None,
            counterexample: None,
        }
    }

    /// Reads a result.
    ///
    /// # Errors
    /// [`ArtifactError`] for what is no such file, or contradicts itself.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let read: Self = read_json(bytes, file, EQUIVALENCE, VERSION)?;
        let is_shown = (read.verdict == Equivalence::NotEquivalent) == read.counterexample.is_some();
        let is_explained = (read.verdict == Equivalence::Unknown) == read.reason.is_some();
        if is_shown && is_explained {
            return Ok(read);
        }
        Err(Inconsistency::new("verdict", "evidence or reason do not fit the verdict").in_file(file, EQUIVALENCE))
    }

    /// Writes the result.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")
    }
}
