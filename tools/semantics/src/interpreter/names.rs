//! Names of what a run asks values for, so that a counterexample can be handed to another program.
//!
//! A name says nothing about order: values of one name are handed out in the order in which they are asked for.

use program::cfa::Cfa;

use super::Origin;

/// The name of an origin: `f()` for the result of a function, otherwise a phrase that names function and object.
///
/// Equal names in two programs mean the same input, as far as names can tell.
#[must_use]
pub fn origin_name(cfa: &Cfa, origin: Origin) -> String {
    match origin {
        Origin::Input(function) | Origin::External(function) => format!("{}()", cfa.function(function).name),
        Origin::Parameter(number) => format!("parameter {number} of {}", cfa.function(cfa.entry).name),
        Origin::Object { variable: None, offset, .. } => format!("allocated memory + {offset}"),
        Origin::Object { variable: Some(variable), offset, .. } => {
            let variable = cfa.variable(variable);
            let owner = variable.function.map_or_else(String::new, |f| format!("{}::", cfa.function(f).name));
            format!("{owner}{}#{} + {offset}", variable.name, variable.ordinal)
        }
        Origin::MissingResult(function) => format!("missing result of {}", cfa.function(function).name),
        Origin::Volatile(address) => format!("volatile memory at {address}"),
        Origin::Allocation(function) => format!("success of {}", cfa.function(function).name),
    }
}
