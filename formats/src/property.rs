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
    /// No integer is divided by zero.
    DivZero,
    /// Every shift is by at least 0 and less than the width, and no `<<` of a signed number loses a bit.
    Shift,
    /// Signed arithmetic does not overflow.
    NoOverflow,
    /// Every access is to an object that is there.
    ValidDeref,
    /// What is freed was allocated, and not freed before.
    ValidFree,
    /// All that was allocated is freed, or still pointed to.
    ValidMemtrack,
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::UnreachCall,
        Self::Assert,
        Self::DivZero,
        Self::Shift,
        Self::NoOverflow,
        Self::ValidDeref,
        Self::ValidFree,
        Self::ValidMemtrack,
    ];

    /// What the name `valid-memsafety` stands for.
    pub const MEMORY_SAFETY: [Self; 3] = [Self::ValidDeref, Self::ValidFree, Self::ValidMemtrack];

    /// Whether it is about accesses to memory and its life: see [`Self::MEMORY_SAFETY`].
    #[must_use]
    pub fn is_of_memory(self) -> bool {
        Self::MEMORY_SAFETY.contains(&self)
    }

    /// The property as text of a property file for a program that starts at `entry`.
    #[must_use]
    pub fn specification(self, entry: &str) -> String {
        format!("CHECK( init({entry}()), LTL({}) )", self.formula())
    }

    const fn formula(self) -> &'static str {
        match self {
            Self::UnreachCall => "G ! call(reach_error())",
            Self::Assert => "G assert",
            Self::DivZero => "G ! division-by-zero",
            Self::Shift => "G ! invalid-shift",
            Self::NoOverflow => "G ! overflow",
            Self::ValidDeref => "G valid-deref",
            Self::ValidFree => "G valid-free",
            Self::ValidMemtrack => "G valid-memtrack",
        }
    }

    /// Reads the text of a property file with one property: that and the entry function it names.
    ///
    /// Blanks do not matter. `__VERIFIER_error`, the former name of `reach_error`, is accepted.
    ///
    /// # Errors
    /// [`UnknownProperty`] if the text is no property this project can check.
    pub fn parse_specification(text: &str) -> Result<(Self, String), UnknownProperty> {
        match Self::parse_specifications(text)?.as_slice() {
            [one] => Ok(one.clone()),
            _ => Err(UnknownProperty { text: text.trim().to_owned() }),
        }
    }

    /// As [`Property::parse_specification`], for a file with one or several properties, each once.
    ///
    /// # Errors
    /// [`UnknownProperty`] if there is none, or one that this project cannot check.
    pub fn parse_specifications(text: &str) -> Result<Vec<(Self, String)>, UnknownProperty> {
        let unknown = || UnknownProperty { text: text.trim().to_owned() };
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut rest = compact.as_str();
        let mut found: Vec<(Self, String)> = Vec::new();
        while !rest.is_empty() {
            let inner = rest.strip_prefix("CHECK(init(").ok_or_else(unknown)?;
            let (entry, inner) = inner.split_once("()),LTL(").ok_or_else(unknown)?;
            let end = inner.find("))CHECK(").unwrap_or(inner.len().saturating_sub(2));
            let (formula, end) = inner.split_at_checked(end).ok_or_else(unknown)?;
            rest = end.strip_prefix("))").ok_or_else(unknown)?;
            let blank = |text: &str| text.replace(' ', "");
            let property = match formula {
                "G!call(__VERIFIER_error())" => Self::UnreachCall,
                "G!call(__assert_fail())" => Self::Assert,
                _ => Self::ALL.into_iter().find(|property| blank(property.formula()) == formula).ok_or_else(unknown)?,
            };
            let is_name = entry.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
            if entry.is_empty() || !is_name {
                return Err(unknown());
            }
            if !found.iter().any(|(other, _)| *other == property) {
                found.push((property, entry.to_owned()));
            }
        }
        if found.is_empty() { Err(unknown()) } else { Ok(found) }
    }

    /// Reads names separated by commas, `valid-memsafety` included; each property once, in the order given.
    ///
    /// # Errors
    /// [`UnknownProperty`] with the first name that is none.
    pub fn parse_names(names: &str) -> Result<Vec<Self>, UnknownProperty> {
        let mut found = Vec::new();
        for name in names.split(',').map(str::trim) {
            let named = match name {
                "valid-memsafety" => Self::MEMORY_SAFETY.to_vec(),
                name => vec![name.parse()?],
            };
            for property in named {
                if !found.contains(&property) {
                    found.push(property);
                }
            }
        }
        Ok(found)
    }

    /// Whether a program violates the property by what its operations do, not by a function that it calls.
    #[must_use]
    pub const fn is_of_operations(self) -> bool {
        !matches!(self, Self::UnreachCall | Self::Assert)
    }

    /// What brackets behind FALSE hold: a failing assertion is a call of the error function for those who read verdicts.
    #[must_use]
    pub fn violated(self) -> String {
        if self == Self::Assert { Self::UnreachCall.to_string() } else { self.to_string() }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnreachCall => "unreach-call",
            Self::Assert => "assert",
            Self::DivZero => "div-zero",
            Self::Shift => "shift",
            Self::NoOverflow => "no-overflow",
            Self::ValidDeref => "valid-deref",
            Self::ValidFree => "valid-free",
            Self::ValidMemtrack => "valid-memtrack",
        })
    }
}

impl FromStr for Property {
    type Err = UnknownProperty;

    fn from_str(name: &str) -> Result<Self, UnknownProperty> {
        let found = Self::ALL.into_iter().find(|property| property.to_string() == name);
        found.ok_or_else(|| UnknownProperty { text: name.to_owned() })
    }
}

/// A property that cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown property `{text}`: use unreach-call, assert, div-zero, shift, no-overflow, valid-deref, valid-free, \
     valid-memtrack, valid-memsafety (the last three), or a property file"
)]
pub struct UnknownProperty {
    /// What was given.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specification_round_trip() {
        for property in Property::ALL {
            let text = property.specification("start");
            assert_eq!(Property::parse_specification(&text), Ok((property, "start".to_owned())));
            assert_eq!(property.to_string().parse(), Ok(property));
        }
    }

    #[test]
    fn tolerates_blanks_and_refuses_other_properties() {
        let text = "\nCHECK( init( main() ),  LTL( G ! call( __VERIFIER_error() ) ) )\n\n";
        assert_eq!(Property::parse_specification(text), Ok((Property::UnreachCall, "main".to_owned())));
        let text = "CHECK( init(main()), LTL(G ! overflow) )";
        assert_eq!(Property::parse_specification(text), Ok((Property::NoOverflow, "main".to_owned())));
        for text in ["", "CHECK( init(main()), LTL(F end) )", "G assert", "CHECK( init(main()), LTL(G assert)", "CHECK("] {
            assert!(Property::parse_specifications(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_may_have_several_properties() {
        let lines: Vec<String> = Property::MEMORY_SAFETY.iter().map(|property| property.specification("main")).collect();
        let read = Property::parse_specifications(&(lines.join("\n") + "\n")).unwrap();
        assert_eq!(read.iter().map(|(property, _)| *property).collect::<Vec<_>>(), Property::MEMORY_SAFETY);
        assert!(Property::parse_specification(&lines.join("\n")).is_err());
        assert_eq!(Property::parse_names("shift, valid-memsafety,shift").unwrap().len(), 4);
        assert!(Property::parse_names("shift,,").is_err());
    }
}
