//! Programs made from programs.
//!
//! Every question that is asked of a program beyond "is the error reached?" becomes a question about an ordinary program,
//! which encoder, explorer and interpreter understand as any other: a clause with an error location of its own
//! ([`assertions`]), a check or a ghost at a place ([`instrument`]), operations that must be defined ([`definedness`]),
//! several versions in one ([`weave`]). What comes out says for each edge where it comes from ([`Recast::origin`]).
//!
//! Does not know what is asked, nor how it is answered. Invariant: no function of this crate changes what its program does
//! but where its documentation says so.

pub mod assertions;
mod certificate;
pub mod contracts;
pub mod definedness;
mod dispatch;
mod editor;
pub mod emit;
pub mod focus;
pub mod fold;
pub mod instrument;
pub mod lockstep;
mod merge;
mod merge_types;
mod mismatch;
pub mod pair;
pub mod question;
pub mod standalone;
pub mod weave;

use program::cfa::{Cfa, EdgeId};

pub use editor::Editor;

/// A program that was made from others.
#[derive(Debug)]
pub struct Recast {
    /// The program.
    ///
    /// Its fingerprint is that of no text: artifacts name the programs it was made from.
    pub cfa: Cfa,
    /// For each edge the program it was taken from, by number, and the edge there; `None` for edges that were added.
    pub origin: Vec<Option<(u8, EdgeId)>>,
}

impl Recast {
    /// The edges of a path that come from the program, as edges of it.
    pub fn lift<'a>(&'a self, path: &'a [EdgeId]) -> impl Iterator<Item = (u8, EdgeId)> + 'a {
        path.iter().filter_map(|edge| self.origin.get(edge.index()).copied().flatten())
    }
}
