//! Difference detection with data dependencies and property [DiffDP23].
//!
//! The modified program is explored in step with the original: each node of the difference graph is a *pair* of points,
//! one of each program, with the objects the change may have affected there. The invariant of every pair: for each
//! execution of the modified program that comes there, some execution of the original from the same start comes to its
//! point, and the two data states agree but for the affected objects. Where it cannot be kept, the modified program's edge
//! leads to an indicator, and everything behind it has to be checked.
//!
//! * [`Comparison`](semantics::compare::Comparison) says which objects and operations of the two programs are the same;
//! * [`Alignment`](semantics::compare::Alignment) guesses which edge was which; nothing rests on it but precision;
//! * `skip` and `points` say what the original certainly gets past;
//! * `semantic` asks a solver whether values that are computed differently are equal;
//! * `names` follows what variables are known to hold (`equations`), so that values compare as `terms` of what agrees;
//! * `effects` says what operations read and write, over objects of both programs (`combined`, `leads`);
//! * `matching` has the rules for common steps, `step` chooses among all rules, `search` runs the two passes.
//!
//! * `kinds` names what can be left out, `rules` (for tests) what cannot;
//! * `certificate` writes down what the original does in every step, for `residue validate`;
//! * `trail` remembers where affected objects came from, `explain` tells why each indicator is one; both only look on.
//!
//! Does not know the command line, files, clocks.
//! Source: [DiffDP23 Alg. 2]; ALGORITHM.md says which rules are built, and why they are sound.

mod by_name;
mod certificate;
mod combined;
mod command;
mod constants;
mod detect;
mod effects;
mod equations;
mod explain;
mod implication;
mod kinds;
mod leads;
mod matching;
mod names;
mod points;
mod postdominators;
#[cfg(test)]
mod random;
mod raw;
mod reason;
mod rules;
mod search;
mod semantic;
mod skip;
mod step;
mod terms;
mod trail;

pub use command::{Matching, Options, run};
pub use detect::{Config, Detected, Match, Statistics, Wanted, detect, detect_and_explain, detect_with};
pub use kinds::{Kind, LeftOut};
pub use rules::Rules;
