//! Abstract states of ranges: what variables hold at a position, and how that was come to.

use smt::{TermId, TermStore};

use super::interval::Interval;
use crate::control::{Position, SymbolicState};

/// What a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Held {
    /// This value.
    Exactly(TermId),
    /// A number in here.
    Within(Interval),
}

/// What is known of variables, oldest variable first.
pub(super) type Values = Vec<(TermId, Held)>;

/// An abstract state.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    pub(super) position: Position,
    pub(super) values: Values,
    /// `None` at the start.
    pub(super) origin: Option<Origin>,
}

/// How a state was come to.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// From which state.
    pub(super) parent: usize,
    /// What a run on the way fulfils there.
    pub(super) when: TermId,
    /// What the way does.
    pub(super) state: SymbolicState,
    /// What was known of variables before they fell into a part.
    pub(super) before: Vec<(TermId, Interval)>,
}

/// That a variable holds this.
pub(super) fn literal(store: &mut TermStore, variable: TermId, held: Held) -> TermId {
    match held {
        Held::Exactly(value) => store.eq(variable, value),
        Held::Within(Interval { low, high }) => {
            let width = store.width(variable);
            let (low, high) = (store.signed_bits(width, low), store.signed_bits(width, high));
            let (above, below) = (store.sle(low, variable), store.sle(variable, high));
            store.and(&[above, below])
        }
    }
}
