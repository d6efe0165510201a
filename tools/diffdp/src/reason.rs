//! Why an edge of the modified program leads to an indicator.

use program::cfa::{Cfa, EdgeId, FunctionId};
use semantics::object_set::ObjectSet;

use crate::effects::Effects;

/// Objects named in a reason at most.
const NAMED: usize = 3;

/// The rule that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The modified program calls a function that is active.
    Recursion(FunctionId),
    /// The operation has no sound treatment.
    Unsupported,
    /// Inline assembly the original does not execute in the same way.
    Assembly,
    /// The original would follow along this assume, but affected objects decide.
    Affected {
        /// The assume of the original.
        original: EdgeId,
        /// The objects.
        objects: ObjectSet,
    },
    /// Only the modified program is at an error location.
    ErrorOnlyInModified,
    /// The original cannot fail from where it is.
    OriginalCannotFail,
    /// The search ended before this was settled.
    Interrupted,
}

impl Reason {
    /// The short name of the rule.
    pub(crate) fn rule(&self) -> &'static str {
        match self {
            Self::Recursion(_) => "recursion",
            Self::Unsupported => "unsupported",
            Self::Assembly => "assembly",
            Self::Affected { .. } => "affected-condition",
            Self::ErrorOnlyInModified => "new-violation",
            Self::OriginalCannotFail => "original-cannot-fail",
            Self::Interrupted => "interrupted",
        }
    }

    /// What happened, for people.
    pub(crate) fn detail(&self, modified: &Cfa, effects: &Effects) -> String {
        match self {
            Self::Recursion(function) => format!("{} is called while it is active", modified.function(*function).name),
            Self::Unsupported => "the operation has no sound treatment".to_owned(),
            Self::Assembly => "the original does not execute this assembly here".to_owned(),
            Self::Affected { objects, .. } => {
                let names: Vec<String> = objects.iter().take(NAMED).map(|o| effects.name(o)).collect();
                let more = if objects.len() > NAMED { ", …" } else { "" };
                match names.as_slice() {
                    [] => "the condition depends on an object the other program does not have".to_owned(),
                    names => format!("the condition depends on what the change affects: {}{more}", names.join(", ")),
                }
            }
            Self::ErrorOnlyInModified => "the original is not at an error location".to_owned(),
            Self::OriginalCannotFail => "from where the original is it cannot reach an error location".to_owned(),
            Self::Interrupted => "the search ended before this was settled".to_owned(),
        }
    }
}
