//! Where lowering stands: at a location, behind edges that lead nowhere yet, or where nothing can come.

use crate::cfa::{EdgeId, LocationId};

/// Where lowering stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cursor {
    /// Nowhere: the text cannot be reached from here.
    Dead,
    /// At a location without outgoing edges.
    At(LocationId),
    /// Behind these edges, whose targets are not set yet.
    Behind(Vec<EdgeId>),
}

impl Cursor {
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::Dead)
    }
}
