//! What of two programs only code outside of them sees.

use std::collections::BTreeSet;

use program::cfa::{Linkage, VarId, VarKind};

use super::external::{Leaving, leaving};
use super::handed::addresses;
use super::parts::{mentions, reachable};
use super::plan::Pairing;

/// What of two programs only code outside sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// A function is called of which nothing is known.
    pub calls: bool,
    /// A run may exit before the entry function returns.
    pub exits: bool,
    /// A variable is used that is defined elsewhere.
    pub elsewhere: bool,
}

impl Pairing<'_> {
    /// What of both programs only code outside sees.
    #[must_use]
    pub fn outside(&self) -> Outside {
        let mut outside = Outside::default();
        for cfa in [self.original, self.modified] {
            let inside = reachable(cfa, addresses(cfa).into_iter().chain([cfa.entry]));
            for edge in cfa.edge_ids().filter(|edge| inside.contains(&cfa.location(cfa.edge(*edge).source).function)) {
                outside.exits |= matches!(leaving(cfa, edge), Some(Leaving::Exit(_)));
                let callee = cfa.edge(edge).operation.call().map(|call| cfa.function(call.callee));
                outside.calls |= callee.is_some_and(|callee| callee.entry.is_none() && callee.known.is_none());
            }
            let is_elsewhere =
                |id: &VarId| matches!(cfa.variable(*id).kind, VarKind::Global { linkage: Linkage::External, defined: false });
            let elsewhere: BTreeSet<VarId> = cfa.variable_ids().filter(is_elsewhere).collect();
            outside.elsewhere |= !mentions(cfa, &elsewhere).is_disjoint(&inside);
        }
        outside
    }
}
