//! Why an execution cannot go on.

use super::UndefinedKind;

/// Why an operation could not be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Undefined(UndefinedKind),
    Unsupported(Box<str>),
    Exhausted,
    Memory,
}
