//! Properties: what a program must not do, as text of SV-COMP property files and as short names.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What must not happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// `reach_error` is never called.
    #[default]
    UnreachCall,
    /// No `assert` fails.
    Assert,
}

impl Property {
    /// The property as text of a property file for a program that starts at `entry`.
    #[must_use]
    pub fn specification(self, entry: &str) -> String {
        let formula = match self {
            Self::UnreachCall => "G ! call(reach_error())",
            Self::Assert => "G assert",
        };
        format!("CHECK( init({entry}()), LTL({formula}) )")
    }

    /// Reads the text of a property file: the property and the entry function it names.
    ///
    /// Blanks do not matter. `__VERIFIER_error`, the former name of `reach_error`, is accepted.
    ///
    /// # Errors
    /// [`UnknownProperty`] if the text is no property this project can check.
    pub fn parse_specification(text: &str) -> Result<(Self, String), UnknownProperty> {
        let unknown = || UnknownProperty { text: text.trim().to_owned() };
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let rest = compact.strip_prefix("CHECK(init(").ok_or_else(unknown)?;
        let (entry, rest) = rest.split_once("()),LTL(").ok_or_else(unknown)?;
        let formula = rest.strip_suffix("))").ok_or_else(unknown)?;
        let property = match formula {
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" => Self::UnreachCall,
            "Gassert" | "G!call(__assert_fail())" => Self::Assert,
            _ => return Err(unknown()),
        };
        let is_name = entry.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if entry.is_empty() || !is_name {
            return Err(unknown());
        }
        Ok((property, entry.to_owned()))
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnreachCall => "unreach-call",
            Self::Assert => "assert",
        })
    }
}

impl FromStr for Property {
    type Err = UnknownProperty;

    fn from_str(name: &str) -> Result<Self, UnknownProperty> {
        match name {
            "unreach-call" => Ok(Self::UnreachCall),
            "assert" => Ok(Self::Assert),
            _ => Err(UnknownProperty { text: name.to_owned() }),
        }
    }
}

/// A property that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown property `{text}`: use unreach-call, assert, or a property file with one of them")]
pub struct UnknownProperty {
    /// What was given.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specification_round_trip() {
        for property in [Property::UnreachCall, Property::Assert] {
            let text = property.specification("start");
            assert_eq!(Property::parse_specification(&text), Ok((property, "start".to_owned())));
            assert_eq!(property.to_string().parse(), Ok(property));
        }
    }

    #[test]
    fn tolerates_blanks_and_refuses_other_properties() {
        let text = "\nCHECK( init( main() ),  LTL( G ! call( __VERIFIER_error() ) ) )\n\n";
        assert_eq!(Property::parse_specification(text), Ok((Property::UnreachCall, "main".to_owned())));
        for text in ["", "CHECK( init(main()), LTL(G ! overflow) )", "CHECK( init(main()), LTL(F end) )", "G assert"] {
            assert!(Property::parse_specification(text).is_err(), "{text}");
        }
    }
}
