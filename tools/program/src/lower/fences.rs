//! Scopes that no jump may enter: that of what has a variably modified type (C17 6.8.6.1p1, 6.8.4.2p2), and a statement
//! expression, as in gcc. A text with such a jump is no program.
//!
//! Does not know computed jumps, which nobody checks.

use rustc_hash::FxHashMap;

use super::{Lowered, Lowerer};
use crate::cfa::LocationId;
use crate::source::Span;
use crate::types::TypeId;

/// The fences around the jumps and labels of a function, by their numbers, outermost first.
#[derive(Debug, Default)]
pub(super) struct Fences {
    jumps: Vec<(LocationId, Vec<u32>, Span)>,
    labels: FxHashMap<LocationId, Vec<u32>>,
}

impl Lowerer<'_> {
    /// A scope begins that no jump may enter; it ends with the block.
    pub(super) fn fence(&mut self) {
        if self.quiet == 0 {
            self.scopes.fence();
        }
    }

    /// The same for that of a name, if its type is a variably modified one.
    pub(super) fn fence_type(&mut self, ty: TypeId) {
        if self.scopes.depth() > 0 && self.is_variably_modified(ty) {
            self.fence();
        }
    }

    /// Takes note of what is around a jump.
    pub(super) fn fence_jump(&mut self, target: LocationId, span: Span) {
        let around = self.scopes.fences().to_vec();
        self.body.fences.jumps.push((target, around, span));
    }

    /// Whether a jump leads to a location.
    pub(super) fn fences_lead_to(&self, location: LocationId) -> bool {
        self.body.fences.jumps.iter().any(|(target, ..)| *target == location)
    }

    /// Takes note of what is around a label.
    pub(super) fn fence_label(&mut self, location: LocationId) {
        if self.quiet == 0 && !self.scopes.fences().is_empty() {
            self.body.fences.labels.insert(location, self.scopes.fences().to_vec());
        }
    }

    /// A `case` or `default` whose `switch` has `outside` fences around it.
    pub(super) fn fence_case(&self, outside: usize, span: Span) -> Lowered<()> {
        if self.quiet == 0 && self.scopes.fences().len() > outside { Err(self.fenced(span)) } else { Ok(()) }
    }

    /// Every jump stays within the fences around its label.
    pub(super) fn check_fences(&self) -> Lowered<()> {
        let fences = &self.body.fences;
        let enters =
            |target: &LocationId, around: &[u32]| fences.labels.get(target).is_some_and(|into| !around.starts_with(into));
        let jumps = fences.jumps.iter().filter(|(target, around, _)| enters(target, around));
        jumps.map(|(.., span)| *span).min().map_or(Ok(()), |span| Err(self.fenced(span)))
    }

    fn fenced(&self, span: Span) -> crate::diagnostic::Diagnostic {
        let message = "a jump into the scope of an array of variable length, or into a statement expression";
        self.error(span, message, "jumps past where the scope begins")
    }
}
