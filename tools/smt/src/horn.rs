//! Constrained Horn clauses over variables of a store: which formulas make all of them hold.
//!
//! A predicate is about some variables; a clause leads from the values that one predicate allows, under a guard, to values that
//! another has to allow, or to a violation. A solution says of each predicate what it is. Over whole numbers arithmetic does not
//! wrap and what is no arithmetic may be anything, so that a solution is a guess. Does not know who solves them.

use crate::terms::TermId;

/// A clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The predicate it begins with, by its place; `None`: with anything.
    pub from: Option<usize>,
    /// When it leads anywhere, over the variables of that predicate and others, which may have any value.
    pub guard: TermId,
    /// The predicate it leads to, with the values of its variables; `None`: a violation.
    pub to: Option<(usize, Vec<TermId>)>,
}

/// Clauses.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    /// The variables of each predicate, bit vectors and truth values.
    pub predicates: Vec<Vec<TermId>>,
    /// What has to hold.
    pub clauses: Vec<Clause>,
}

/// How bit vectors are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arithmetic {
    /// As they are: a solution is one.
    Bits,
    /// As whole numbers in the ranges of their types: a solution is a guess.
    Whole,
}

/// What is known of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// For each predicate formulas that hold together. What could not be read is left out.
    Solution(Vec<Vec<TermId>>),
    /// No formulas make all of them hold.
    Violated,
    /// Neither, within the limits.
    Unknown,
}
