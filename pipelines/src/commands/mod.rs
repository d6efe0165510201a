//! The commands: from arguments to what is printed.
//!
//! Knows the command line and the lines of an answer. Does not know how files are found (`sources`), how a unit is checked
//! (`run`) or what a report looks like (`report`).

mod arguments;
pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod clients;
mod clients_listing;
mod clients_questions;
mod clients_sarif;
mod clients_together;
pub(crate) mod entries;
pub(crate) mod explain;
pub(crate) mod invariants;
pub(crate) mod invariants_arguments;
mod invariants_foreign;
mod invariants_listing;
mod invariants_sarif;
mod invariants_text;
mod invariants_versions;
pub(crate) mod properties;
mod properties_foreign;
mod properties_listing;
mod properties_sarif;
pub(crate) mod show;
mod summary;
mod units;
pub(crate) mod validate;

pub(crate) use arguments::CheckArguments;
