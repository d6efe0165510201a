//! The two data models of the field: sizes of the basic types and of pointers.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which sizes `long` and pointers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    ILP32,
    /// `int` has 32 bits, `long` and pointers have 64.
    LP64,
}

impl DataModel {
    /// Width of a pointer (and of `long`) in bits.
    #[must_use]
    pub const fn pointer_bits(self) -> u32 {
        match self {
            Self::ILP32 => 32,
            Self::LP64 => 64,
        }
    }

    /// The word of witness files: `32bit` or `64bit`.
    #[must_use]
    pub const fn architecture(self) -> &'static str {
        match self {
            Self::ILP32 => "32bit",
            Self::LP64 => "64bit",
        }
    }

    /// The inverse of [`Self::architecture`].
    #[must_use]
    pub fn from_architecture(text: &str) -> Option<Self> {
        match text {
            "32bit" => Some(Self::ILP32),
            "64bit" => Some(Self::LP64),
            _ => None,
        }
    }
}

impl fmt::Display for DataModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ILP32 => "ILP32",
            Self::LP64 => "LP64",
        })
    }
}

impl FromStr for DataModel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "ILP32" => Ok(Self::ILP32),
            "LP64" => Ok(Self::LP64),
            _ => Err(format!("unknown data model `{text}`: use ILP32 or LP64")),
        }
    }
}
