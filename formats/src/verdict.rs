//! Verdicts: what a check says, on the last line of stdout or as one JSON object.

use crate::{EdgeInfo, Producer, ProgramFile, Property};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The answer to the question whether the property holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    True,
    /// It does not.
    False(Property),
    /// The tool cannot tell.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A construct without sound treatment was reached.
    Unsupported {
        /// The construct.
        construct: String,
        /// The file it is in.
        file: String,
        /// The line it is on.
        line: u32,
    },
    /// The CPU budget is used up.
    Budget,
    /// A signal ended the run.
    Interrupted,
    /// A tool has a bug: it panicked, or a signal that nobody sent ended it.
    Internal,
    /// Something that changed was not looked at; the lines before say what, and what to do.
    NotChecked,
    /// The memory limit is reached.
    Memory,
    /// The solver gave no answer.
    Solver,
    /// Refinement found nothing new.
    NoProgress,
    /// The program is recursive.
    Recursion,
    /// A verifier that is not ours gave no verdict that can be relied on; what happened.
    Verifier(String),
    /// The verdict would rest on a condition, and what makes it right was refused; where and why.
    Refused(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { construct, file, line } => write!(f, "unsupported: {construct} at {file}:{line}"),
            Self::Budget => f.write_str("budget"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Internal => f.write_str("internal"),
            Self::NotChecked => f.write_str("not checked"),
            Self::Memory => f.write_str("memory"),
            Self::Solver => f.write_str("solver"),
            Self::NoProgress => f.write_str("no progress"),
            Self::Recursion => f.write_str("recursion"),
            Self::Verifier(what) => write!(f, "verifier: {what}"),
            Self::Refused(why) => write!(f, "certificate refused: {why}"),
        }
    }
}

impl FromStr for Reason {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        let unknown = || UnknownVerdict { text: text.to_owned() };
        Ok(match text {
            "budget" => Self::Budget,
            "interrupted" => Self::Interrupted,
            "internal" => Self::Internal,
            "not checked" => Self::NotChecked,
            "memory" => Self::Memory,
            "solver" => Self::Solver,
            "no progress" => Self::NoProgress,
            "recursion" => Self::Recursion,
            _ if text.starts_with("verifier: ") => Self::Verifier(text["verifier: ".len()..].to_owned()),
            _ if text.starts_with("certificate refused: ") => Self::Refused(text["certificate refused: ".len()..].to_owned()),
            _ => {
                let rest = text.strip_prefix("unsupported: ").ok_or_else(unknown)?;
                let (construct, place) = rest.rsplit_once(" at ").ok_or_else(unknown)?;
                let (file, line) = place.rsplit_once(':').ok_or_else(unknown)?;
                let line = line.parse().map_err(|_| unknown())?;
                Self::Unsupported { construct: construct.to_owned(), file: file.to_owned(), line }
            }
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("TRUE"),
            Self::False(property) => write!(f, "FALSE({})", property.violated()),
            Self::Unknown(reason) => write!(f, "UNKNOWN({reason})"),
        }
    }
}

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        match text.trim() {
            "TRUE" => Ok(Self::True),
            text if text.starts_with("FALSE(") => {
                let property = text.strip_prefix("FALSE(").and_then(|rest| rest.strip_suffix(')'));
                let property =
                    property.and_then(|name| name.parse().ok()).ok_or_else(|| UnknownVerdict { text: text.to_owned() });
                Ok(Self::False(property?))
            }
            text => {
                let reason = text.strip_prefix("UNKNOWN(").and_then(|rest| rest.strip_suffix(')'));
                reason.ok_or_else(|| UnknownVerdict { text: text.to_owned() })?.parse().map(Self::Unknown)
            }
        }
    }
}

/// A line that is no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a verdict: `{text}`")]
pub struct UnknownVerdict {
    /// The line.
    pub text: String,
}

/// Everything a verifier says about its verdict: the object `--json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictReport {
    /// The name of the format; earlier reports have none.
    #[serde(default = "format_name")]
    pub format: String,
    /// The version of the format.
    #[serde(default = "format_version")]
    pub version: u64,
    /// The verifier.
    pub producer: Producer,
    /// The program.
    pub program: ProgramFile,
    /// The verdict as its line of text.
    #[serde(with = "as_text")]
    pub verdict: Verdict,
    /// Why the verdict is UNKNOWN.
    #[serde(with = "as_optional_text", default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Whether there is nothing to violate: the program calls no error function, so that TRUE says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vacuous: bool,
    /// What was checked.
    #[serde(default)]
    pub property: Property,
    /// For FALSE with a property of operations: what is wrong, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<String>,
    /// With several properties in one run, the verdict about each; the verdict of the report is the worst.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<PropertyVerdict>,
    /// What the verdict takes for granted.
    pub assumptions: Vec<String>,
    /// CPU seconds of the process and its children.
    pub cpu_seconds: f64,
    /// Peak of resident memory in bytes.
    pub peak_memory: u64,
    /// Questions asked to the solver.
    pub solver_queries: u64,
    /// Counts and seconds by name.
    pub statistics: BTreeMap<String, f64>,
    /// For TRUE: the loop invariants the proof rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invariants: Vec<Invariant>,
    /// For TRUE: those of the proposed invariants (`--invariants`) that the proof rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proposals_used: Vec<String>,
    /// For TRUE: what every object of a type on the heap keeps, where the proof rests on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub object_invariants: Vec<String>,
    /// For TRUE: what every call of a recursive function sees to and leaves, where the proof rests on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contracts: Vec<String>,
    /// For FALSE: the path, replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

fn format_name() -> String {
    "verdict".to_owned()
}

const fn format_version() -> u64 {
    1
}

impl VerdictReport {
    /// A report that says nothing but the verdict.
    #[must_use]
    pub fn new(producer: Producer, program: ProgramFile, verdict: Verdict) -> Self {
        let reason = match &verdict {
            Verdict::Unknown(reason) => Some(reason.clone()),
            Verdict::True | Verdict::False(_) => None,
        };
        Self {
            format: format_name(),
            version: format_version(),
            producer,
            program,
            verdict,
            reason,
            vacuous: false,
            property: Property::default(),
            violation: None,
            properties: Vec::new(),
            assumptions: Vec::new(),
            cpu_seconds: 0.0,
            peak_memory: 0,
            solver_queries: 0,
            statistics: BTreeMap::new(),
            invariants: Vec::new(),
            proposals_used: Vec::new(),
            object_invariants: Vec::new(),
            contracts: Vec::new(),
            counterexample: None,
        }
    }
}

/// The verdict about one of several properties.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyVerdict {
    /// The property.
    pub property: Property,
    /// The verdict as its line of text.
    #[serde(with = "as_text")]
    pub verdict: Verdict,
    /// For FALSE with a property of operations: what is wrong, and where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation: Option<String>,
}

impl Verdict {
    /// The worst of several verdicts: the first FALSE, else the first UNKNOWN, else TRUE.
    pub fn worst<'a>(verdicts: impl IntoIterator<Item = &'a Self>) -> Self {
        let rank = |verdict: &Self| match verdict {
            Self::True => 0,
            Self::Unknown(_) => 1,
            Self::False(_) => 2,
        };
        let worse = |worst: &'a Self, next: &'a Self| if rank(next) > rank(worst) { next } else { worst };
        verdicts.into_iter().reduce(worse).cloned().unwrap_or(Self::True)
    }
}

/// A fact that holds whenever control is at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invariant {
    /// The function the place is in.
    pub function: String,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The fact as a C expression (or, where C cannot say it, a formula).
    pub expression: String,
}

/// A path to the violation and the inputs that drive a program along it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counterexample {
    /// The edge on which the property is violated.
    pub violation: EdgeInfo,
    /// The inputs, in the order in which they are read.
    pub inputs: Vec<InputValue>,
}

/// One input that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputValue {
    /// The input function, or the name of an object that starts with any value.
    pub source: String,
    /// The line where it is read.
    pub line: u32,
    /// The value as a C constant, for people and other tools.
    pub value: String,
    /// The bits of the value as it is stored: what a replay hands out.
    #[serde(with = "as_hexadecimal")]
    pub bits: u128,
}

/// For `serde(with)`: bit patterns as text such as `0xbf400000`, because JSON numbers are exact up to 53 bits only.
mod as_hexadecimal {
    use super::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bits: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{bits:#x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").and_then(|digits| u128::from_str_radix(digits, 16).ok());
        digits.ok_or_else(|| serde::de::Error::custom(format_args!("no bit pattern such as 0x2a: `{text}`")))
    }
}

/// For `serde(with)`: types that are written as their text.
pub mod as_text {
    use super::{Deserialize, Deserializer, FromStr, Serializer, fmt};

    /// Writes the text.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: fmt::Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    /// Reads the text.
    ///
    /// # Errors
    /// Those of the deserializer, and text that is no such value.
    pub fn deserialize<'de, T: FromStr<Err: fmt::Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Optional types that are written as their text.
mod as_optional_text {
    use super::{Deserialize, Deserializer, FromStr, Serialize, Serializer, fmt};

    pub(super) fn serialize<T: fmt::Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(ToString::to_string).serialize(serializer)
    }

    pub(super) fn deserialize<'de, T: FromStr<Err: fmt::Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdict_lines() {
        let unsupported = Reason::Unsupported { construct: "cast (a) at all".to_owned(), file: "a:b.c".to_owned(), line: 7 };
        for (verdict, text) in [
            (Verdict::True, "TRUE"),
            (Verdict::False(Property::UnreachCall), "FALSE(unreach-call)"),
            (Verdict::False(Property::NoOverflow), "FALSE(no-overflow)"),
            (Verdict::Unknown(Reason::NoProgress), "UNKNOWN(no progress)"),
            (Verdict::Unknown(Reason::Interrupted), "UNKNOWN(interrupted)"),
            (Verdict::Unknown(Reason::Internal), "UNKNOWN(internal)"),
            (Verdict::Unknown(Reason::NotChecked), "UNKNOWN(not checked)"),
            (
                Verdict::Unknown(Reason::Verifier("X: it (does) not: know".to_owned())),
                "UNKNOWN(verifier: X: it (does) not: know)",
            ),
            (
                Verdict::Unknown(Reason::Refused("graph: node 3, edge 7: x (a.c:4)".to_owned())),
                "UNKNOWN(certificate refused: graph: node 3, edge 7: x (a.c:4))",
            ),
            (Verdict::Unknown(unsupported), "UNKNOWN(unsupported: cast (a) at all at a:b.c:7)"),
        ] {
            assert_eq!(verdict.to_string(), text);
            assert_eq!(text.parse(), Ok(verdict));
        }
        for text in ["", "FALSE", "FALSE(x)", "FALSE(", "UNKNOWN", "UNKNOWN()", "true"] {
            assert!(text.parse::<Verdict>().is_err(), "{text}");
        }
    }
}
