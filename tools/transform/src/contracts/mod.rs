//! Recursive functions by contracts: what callers see to, and what a call that ends leaves.
//!
//! A *clause* says something of the arguments of every call of a function (*requires*), or of its arguments, its result and
//! the variables that it writes, before and after, wherever a call ends (*ensures*). In the program that is made here no function
//! calls itself any more: a call of a recursive function is a step that leaves any result and any values in what the function
//! may write, as long as they are what the function ensures. Besides, the program may begin with one call of such a function,
//! with any arguments that it requires and any values of what it depends on; there its body is executed. Each clause is a
//! goal: of what is required, wherever a call is passed; of what is ensured, behind the call that the program began with.
//!
//! Soundness: let no goal and no error location be reached in the program that is made. By induction on the length of a run of the
//! program up to a call, to its end or to an error: a call that ends has only passed calls that were required and ended before,
//! each of which is a step of the program that is made; what the body of the outermost open call does until then is a
//! run that begins there (or at the start). So its requirements hold at every call, what it ensures holds at its end, and
//! errors of its body are errors of the run that begins there. Nothing is said of whether calls end. Nothing follows
//! from a goal that is reached: what a call leaves may be more than what it can leave.
//!
//! A function has a contract only if all that it reads and writes is known one by one: numbers as parameters and result, its own
//! variables, constants, and outer numbers that there are only once: globals, and variables of functions that are never active
//! twice, however it comes to them. A parameter that is the address of one such variable in every call is that address.
//!
//! The rule is Hoare's for recursive procedures (*Procedures and parameters*, 1971); keeping the greatest set of
//! clauses that all calls keep is Houdini (Flanagan, Leino, 2001); what some run of the program does not keep ([`observed`])
//! need not be asked for (Daikon, Ernst et al., 2001). Does not know which clauses are worth asking for
//! ([`guesses`] proposes some from the text, [`Pieces`] some from calls that were executed one at a time in what [`separate()`]
//! makes), nor how goals are settled.

mod arithmetic;
mod callers;
mod frame;
mod guesses;
mod made;
mod numbers;
mod observed;
mod pieces;
mod separate;
mod text;
mod ways;

use program::cfa::FunctionId;
use program::expr::ExprId;

pub use callers::{Known, behind_calls};
pub use frame::Setting;
pub use guesses::{Depth, guesses};
pub use made::{Contracted, contracted};
pub use observed::{Observed, observed};
pub use pieces::{Claimed, Pieces, Point, as_clauses};
pub use separate::{Separate, Tabled, separate};
pub use text::texts;

/// When a clause is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum When {
    /// Whenever the function is called.
    Requires,
    /// Whenever a call ends.
    Ensures,
}

/// One clause of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clause {
    /// Whose contract.
    pub function: FunctionId,
    /// When it is to hold.
    pub when: When,
    /// A scalar over the variables of a [`Setting`] that is to be other than zero.
    pub holds: ExprId,
}
