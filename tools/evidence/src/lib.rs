//! What a verdict rests on, in the forms in which others read it.
//!
//! Of a run that reaches the error: a C file that gcc builds ([`harness`]), the path as a witness ([`witness`]) and a listing
//! ([`trace`]). Of a proof: its formulas as C expressions ([`c_expression`], exact or left out), as text for people
//! ([`invariant_text`]), as a correctness witness, and whole, for the verification of another version ([`proof`]).
//! Does not know how a run or a proof was found, and writes no files.

pub mod c_expression;
pub mod harness;
pub mod invariant_text;
pub mod proof;
pub mod trace;
pub mod witness;

use program::cfa::LocationId;
use smt::TermId;

/// A formula over variables of a program that holds whenever control is at a location, in one of the ways to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Where.
    pub at: LocationId,
    /// What holds.
    pub formula: TermId,
}
