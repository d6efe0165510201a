//! The blocks of the text that locals are declared in, for who has to know where they are alive.
//!
//! Does not know which pointers lead to them.

use crate::cfa::VarId;
use crate::instrument::Lifetime;
use crate::source::Span;

/// What is found while the text is read.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Each local with its block, whether that is the body of its function, and, if it has a name, its declarator.
    declared: Vec<(VarId, (Span, bool), Option<Span>)>,
    /// Where labels stand.
    labels: Vec<u32>,
}

impl Blocks {
    /// A local of the last of these blocks, each within the one before.
    pub(super) fn declare(&mut self, variable: VarId, blocks: &[Span], declarator: Option<Span>) {
        if let Some(block) = blocks.last() {
            self.declared.push((variable, (*block, blocks.len() == 1), declarator));
        }
    }

    /// A label that a `goto` may lead to.
    pub(super) fn label(&mut self, at: Span) {
        self.labels.push(at.lo);
    }

    /// Where each local is alive. A jump back within its block does not end its life (C11 6.2.4p6): in one with a label it counts
    /// as alive everywhere.
    pub(super) fn lifetimes(mut self) -> Vec<(VarId, Lifetime)> {
        self.labels.sort_unstable();
        let has_label = |block: Span| {
            let first = self.labels.partition_point(|label| *label < block.lo);
            self.labels.get(first).is_some_and(|label| *label < block.hi)
        };
        let lifetime = |(variable, (block, is_body), declarator): (VarId, (Span, bool), Option<Span>)| {
            let has_label = has_label(block);
            let begin = declarator.filter(|_| !has_label).map_or(0, |declarator| declarator.lo);
            (variable, Lifetime { block, is_body, has_label, begin })
        };
        self.declared.iter().copied().map(lifetime).collect()
    }
}
