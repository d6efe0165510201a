//! Memory on the heap as one object at a time: what all objects of a class have in common.
//!
//! The objects that some calls allocate form a *class* where they are records of one type that are only ever accessed member by
//! member through pointers to them. In the program that is made here at most one object of a class is in *focus*: its members
//! are variables. Of all others nothing is known but an *object invariant*, a conjunction of [`Claim`]s. Before another object
//! comes into focus, the one that was there must have the invariant: that is a goal for each claim; what comes into focus
//! has it, with arbitrary members besides. A fresh object comes into focus with arbitrary members (zero for `calloc`).
//!
//! Soundness: along each run of the program there is a run of the one made here, up to the first claim that does not hold,
//! with the same values in all other variables. By induction on its length: an object that is not in focus had the invariant
//! when it last was, and nothing has written to it since: every access brings it into focus first. So where neither a claim nor
//! the property is violated in the program that is made, the property holds in the program. Nothing follows from a violation:
//! the variables forget. As everywhere, runs that use memory after its end or beyond an object are none; a null
//! pointer may be read, and reads anything.
//!
//! The method is that of adoption and focus (Fähndrich, DeLine: *Adoption and Focus*, PLDI 2002), with invariants in place of
//! protocols. Does not know which claims are worth asking for ([`claims`] proposes some), nor how goals are settled.

mod claims;
mod classes;
mod forms;
mod held;
mod made;
mod protocol;
mod split;

use program::cfa::EdgeId;
use program::expr::BinaryOp;
use program::types::RecordId;

pub use claims::{claims, text};
pub(crate) use claims::{constant, integer};
pub use classes::classes;
pub use made::{Blame, Focused, focused};
pub use split::split;

/// Objects that are treated alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What each of them is.
    pub record: RecordId,
    /// The calls that allocate them, in order.
    pub sites: Vec<EdgeId>,
    /// The members that the program reads or writes, in order.
    pub members: Vec<u32>,
}

/// What is claimed of the members of every object of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A member compares to a number, both as integers.
    Number(u32, BinaryOp, i128),
    /// A member compares to another one, both as integers.
    Member(u32, BinaryOp, u32),
    /// A member is one of a few numbers.
    OneOf(u32, Vec<i128>),
    /// A pointer is null, or is not.
    Null(u32, bool),
}

/// A claim about a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The class, by its place among those of the program.
    pub class: usize,
    /// What is claimed.
    pub claim: Claim,
}
