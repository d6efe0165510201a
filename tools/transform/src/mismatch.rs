//! Where a weave is not what was woven.

use std::fmt;

use program::cfa::FunctionId;

/// Where a version and what was woven of it differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// In which function of the version; `None` if it is not about one.
    pub function: Option<FunctionId>,
    /// What differs.
    pub what: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
