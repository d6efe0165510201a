//! Both versions of some functions in one run: whoever calls them goes on only if both did the same.
//!
//! Functions inside the *boundary* are there twice, those of the original and those of the modified program; everything else
//! is there once, and is the same in both. A call from outside of the boundary into it becomes a *pair*: what it may write is
//! saved, the original is called, what it wrote is put aside, the modified function is called in the saved state, and results
//! and written objects are compared. So if no comparison fails, a run of the whole is a run of both programs, by induction
//! over the calls. At the *outermost* boundary, the entry function, only what is observed is compared.
//!
//! Inputs are handed to both sides in the order of their calls, events are compared with those of the original, and a side that
//! ends the program comes back and says so. A run in which the original does something undefined ends and counts as none.
//! Source: client-specific equivalence, with a boundary that grows.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

mod align;
mod bodies;
mod call;
mod checks;
mod compare;
mod condition;
mod external;
mod followed;
mod handed;
mod heads;
mod journal;
mod observed;
mod outside;
mod padding;
mod parts;
mod plan;
mod reached;
mod recursion;
mod regardless;
mod site;
mod tabled;
mod writer;

use std::collections::BTreeSet;

use program::cfa::{Cfa, CfaParts, EdgeId, FunctionId, LocationId, VarId};
use program::expr::ExprId;

use crate::Recast;
use crate::editor::Editor;
use crate::merge::{Apart, Merged, merge};

pub use self::condition::{Atom, Condition, With};
pub use self::external::{External, Leaving, external, leaving};
pub use self::journal::ROOM;
pub use self::observed::{End, Happening, Observed, Seen, looked_at, observed};
pub use self::outside::Outside;
pub use self::parts::{operands, values as expressions};
pub use self::plan::{Handed, Pairing, Plan};
pub use self::reached::{Reached, reached};
pub use self::recursion::recursions;
pub use self::tabled::{Entry, Table, Tabled, alone, goes_around, is_closed, tabled};

/// What is observed of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// What the entry function returns.
    pub returned: bool,
    /// Variables of external linkage that both programs define.
    pub globals: bool,
    /// What the pointers that are passed to the entry function lead to.
    pub memory: bool,
    /// Calls of functions without a body, in their order and with their arguments, and how the program ends.
    pub events: bool,
    /// Whether the modified program must be defined where the original is.
    pub preserve: bool,
}

/// Why an error location of a pair is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// The versions do other things.
    Differs,
    /// The modified version does something undefined where the original does not.
    LessDefined,
}

/// Why there is no pair.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The boundary is too small: what is called writes where its caller cannot look.
    #[error("the boundary has to grow")]
    Grow,
    /// It cannot be said in one program.
    #[error("{0}")]
    Unsupported(String),
    /// The texts are too long together.
    #[error("the texts of the programs are longer than 4 GiB together")]
    TooLong,
}

/// A call from outside of the boundary.
#[derive(Clone, Copy, Debug)]
pub struct PairedCall {
    /// The call in the original program; `None` for the call of the entry function that is made here.
    pub edge: Option<EdgeId>,
    /// What is called there.
    pub callee: FunctionId,
    /// Where its results differ.
    pub differs: LocationId,
}

/// Where both versions of a call wait for each other, at the same loop; or a loop of one of them.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// The place.
    pub at: LocationId,
    /// Variables of both versions, and of what is between them.
    pub variables: Vec<VarId>,
    /// What may hold there.
    pub known: Vec<ExprId>,
}

/// Both programs in one.
#[derive(Debug)]
pub struct Pair {
    /// The program.
    pub recast: Recast,
    /// Its error locations.
    pub goals: Vec<(Event, LocationId)>,
    /// The calls from outside of the boundary.
    pub calls: Vec<PairedCall>,
    /// The boundary is the entry function: what differs, differs for whoever runs the programs.
    pub is_outermost: bool,
    /// The arguments of the entry function, where a caller was made here.
    pub parameters: Vec<VarId>,
    /// Where both versions of a call wait for each other in front of loops.
    pub meetings: Vec<Meeting>,
    /// Loops of functions that change their own parameters, with what they were given.
    pub heads: Vec<Meeting>,
    /// Both versions of some call wait for each other.
    pub is_in_turns: bool,
}

/// Makes one program of both, with a boundary.
///
/// # Errors
/// [`PairError`]; with [`PairError::Grow`] a larger boundary may do.
pub fn pair(pairing: &Pairing<'_>, plan: &Plan, relation: Relation) -> Result<Pair, PairError> {
    let mut plan = plan.clone();
    let mut merged = merged(pairing, &mut plan).ok_or(PairError::TooLong)?;
    if plan.is_beyond(pairing) {
        return Err(PairError::Unsupported("the arguments of the entry function changed".to_owned()));
    }
    let editor = empty(pairing.original, &mut merged);
    bodies::Bodies::new(pairing, &plan, relation, merged, editor).build()
}

/// The common tables of both programs; what they do not make one is taken inside. `None` if the texts are too long.
fn merged(pairing: &Pairing<'_>, plan: &mut Plan) -> Option<Merged> {
    loop {
        let functions = plan.apart().map(|function| (1, function)).collect();
        let apart = Apart { functions, other_initials: true };
        let comparisons = std::slice::from_ref(pairing.comparison);
        let merged = merge(&[pairing.original, pairing.modified], comparisons, &apart)?;
        if !plan.correct(pairing, &merged) {
            return Some(merged);
        }
    }
}

/// The common tables without any edge.
fn empty(original: &Cfa, merged: &mut Merged) -> Editor {
    let parts = CfaParts {
        source: merged.source.clone(),
        options: original.options.clone(),
        machine: original.machine,
        types: std::mem::take(&mut merged.types),
        exprs: std::mem::take(&mut merged.exprs),
        variables: std::mem::take(&mut merged.variables),
        functions: std::mem::take(&mut merged.functions),
        locations: Vec::new(),
        edges: Vec::new(),
        entry: FunctionId(0),
        digest: None,
    };
    Editor::of(parts, Vec::new())
}

/// Functions of one program.
type Functions = BTreeSet<FunctionId>;
