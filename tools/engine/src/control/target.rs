//! Where paths end, and why an exploration does.

use formats::Reason;
use program::cfa::{Cfa, EdgeId};
use program::source::Span;

use super::position::Position;

/// What the verifier cannot treat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// An operation without sound treatment.
    Unsupported {
        /// Its name.
        construct: String,
        /// The edge it is on.
        edge: EdgeId,
    },
    /// An initialiser without sound treatment.
    Initializer {
        /// Its name.
        construct: String,
        /// Where it stands.
        span: Span,
    },
    /// Recursion deeper than is followed.
    Recursion {
        /// The call.
        edge: EdgeId,
    },
}

/// Where a block ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// At a position where an abstraction is computed and the next block starts.
    Head(Position),
    /// At a violation of the property.
    Error(Position),
    /// At something the verifier cannot treat; reaching it makes the verdict UNKNOWN.
    Obstacle(Position, Obstacle),
}

/// Why the exploration ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// The stop flag was raised (the budget is used up, or a signal came), or the share of the analysis is used up.
    #[error("interrupted")]
    Interrupted,
    /// A block has more copies of edges than can be encoded.
    #[error("a block has too many paths")]
    TooLarge,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Something that cannot be treated is reached.
    Obstacle(Obstacle),
    /// The exploration was ended.
    Stopped(Stop),
    /// The solver has no answer.
    Solver,
    /// No analysis has anything new.
    NoProgress,
    /// A claimed path did not replay; the first edge on it that was encoded as an arbitrary value, and what was.
    Unconfirmed(Option<(EdgeId, &'static str)>),
}

impl From<Stop> for Cause {
    fn from(stop: Stop) -> Self {
        Cause::Stopped(stop)
    }
}

impl Cause {
    /// The cause as users know it; `interrupted` is why the stop flag was raised, if anybody knows.
    #[must_use]
    pub fn reason(&self, cfa: &Cfa, interrupted: Option<Reason>) -> Reason {
        let unsupported = |construct: &str, span: Span| {
            let place = cfa.source.location(span.lo);
            Reason::Unsupported { construct: construct.to_owned(), file: place.file.to_owned(), line: place.line }
        };
        match self {
            Self::Obstacle(Obstacle::Unsupported { construct, edge }) => unsupported(construct, cfa.edge(*edge).span),
            Self::Obstacle(Obstacle::Initializer { construct, span }) => unsupported(construct, *span),
            Self::Obstacle(Obstacle::Recursion { .. }) => Reason::Recursion,
            Self::Stopped(Stop::Interrupted) => interrupted.unwrap_or(Reason::Budget),
            Self::Stopped(Stop::TooLarge) => Reason::Memory,
            Self::Solver => Reason::Solver,
            // Something on the way of a path that did not replay was approximated.
            Self::Unconfirmed(Some((edge, construct))) => unsupported(construct, cfa.edge(*edge).span),
            Self::NoProgress | Self::Unconfirmed(None) => Reason::NoProgress,
        }
    }
}
