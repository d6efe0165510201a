//! Proofs: what a verification rested on, kept as proposals for the verification of another version.
//!
//! A formula stands at the head of a loop, which is named by its function, the text of the operation behind it and its number
//! among the heads of that function with this text; variables are named by function, name, kind and number. So a proof can be
//! read against any version: what it names and the version lacks is left out. A proof proves nothing by itself: whoever
//! reads it asks again whether the formulas hold.
//! Does not know what operators mean.

use serde::{Deserialize, Serialize};

use crate::artifact::read_json;
use crate::{ArtifactError, Producer};

/// The name of the format.
pub const FORMAT: &str = "proof";
/// The newest version.
pub const VERSION: u64 = 1;

/// Larger files are refused.
const LARGEST: usize = 64 << 20;

/// What a verification rested on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u64,
    /// Who wrote it.
    pub producer: Producer,
    /// Steps that the verification took.
    #[serde(default)]
    pub steps: u64,
    /// The analysis that found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<ProofAnalysis>,
    /// The variables that terms name.
    pub variables: Vec<ProofVariable>,
    /// The terms; arguments of a term come before it.
    pub terms: Vec<ProofTerm>,
    /// What holds.
    pub facts: Vec<ProofFact>,
}

/// The analysis behind a proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProofAnalysis {
    /// Its name.
    pub name: String,
    /// Steps that it took of all those of the verification.
    pub steps: u64,
}

/// A variable of the program, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProofVariable {
    /// The function that declares it; none for a global one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Its name.
    pub name: String,
    /// What kind of variable it is.
    pub kind: String,
    /// Its number among those of the same name and kind in the function.
    pub ordinal: u32,
    /// Which part of it, as C writes it behind the name; empty for all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
}

/// A term: an operator with the numbers of its arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ProofTerm {
    /// The operator.
    pub op: String,
    /// Arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<u32>,
    /// Of a constant its value, in decimal digits; of a variable its number; of an operator that has one, its parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Width in bits of a constant or of what is extended or cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u32>,
}

/// A formula at the head of a loop.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProofFact {
    /// The function.
    pub function: String,
    /// The text of the operation behind the head.
    pub text: String,
    /// Its number among the heads of the function with this text.
    pub ordinal: u32,
    /// The term.
    pub formula: u32,
    /// Whether its atoms are worth tracking.
    pub atoms: bool,
}

impl Proof {
    /// Reads a proof; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no proof of this version, or a term names one that does not come before it.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let inconsistent = |place: &str, message: String| ArtifactError::Inconsistent {
            file: file.to_owned(),
            expected: FORMAT.to_owned(),
            place: place.to_owned(),
            message,
        };
        if bytes.len() > LARGEST {
            return Err(inconsistent("file", format!("larger than {LARGEST} bytes")));
        }
        let proof: Self = read_json(bytes, file, FORMAT, VERSION)?;
        for (at, term) in proof.terms.iter().enumerate() {
            if term.args.iter().any(|arg| *arg as usize >= at) {
                return Err(inconsistent("terms", format!("term {at} names one that does not come before it")));
            }
        }
        if proof.facts.iter().any(|fact| fact.formula as usize >= proof.terms.len()) {
            return Err(inconsistent("facts", "a formula is no term".to_owned()));
        }
        Ok(proof)
    }

    /// The text of the file.
    #[must_use]
    pub fn write(&self) -> String {
        // Plain data is always written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof() -> Proof {
        let variable = ProofVariable {
            function: Some("f".to_owned()),
            name: "x".to_owned(),
            kind: "local".to_owned(),
            ordinal: 1,
            part: String::new(),
        };
        let term = |op: &str, args: &[u32], value: Option<&str>, width| ProofTerm {
            op: op.to_owned(),
            args: args.to_vec(),
            value: value.map(str::to_owned),
            width,
        };
        Proof {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer: Producer::new("verify", "0"),
            steps: 7,
            by: Some(ProofAnalysis { name: "predicates".to_owned(), steps: 5 }),
            variables: vec![variable],
            terms: vec![
                term("variable", &[], Some("0"), Some(32)),
                term("bits", &[], Some("7"), Some(32)),
                term("slt", &[0, 1], None, None),
            ],
            facts: vec![ProofFact { function: "f".to_owned(), text: "[x < n]".to_owned(), ordinal: 0, formula: 2, atoms: true }],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let proof = proof();
        assert_eq!(Proof::read(proof.write().as_bytes(), "p.json").unwrap(), proof);
        assert!(proof.write().starts_with("{\"format\":\"proof\",\"version\":1,\"producer\":"), "{}", proof.write());
    }

    #[test]
    fn what_is_no_proof_is_refused() {
        let text = proof().write();
        for (from, to) in [
            ("\"proof\"", "\"roof\""),
            ("\"version\":1", "\"version\":2"),
            ("[0,1]", "[0,2]"),
            ("\"formula\":2", "\"formula\":3"),
            ("{", "["),
        ] {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text);
            assert!(Proof::read(broken.as_bytes(), "p.json").is_err(), "{broken}");
        }
    }
}
