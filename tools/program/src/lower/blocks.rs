//! The blocks of the text that locals are declared in, for who has to know where they are alive.
//!
//! Does not know which pointers lead to them.

use rustc_hash::FxHashSet;

use crate::cfa::VarId;
use crate::instrument::Lifetime;
use crate::source::Span;

/// What is found while the text is read.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    declared: Vec<Declared>,
    /// Where labels stand.
    labels: Vec<u32>,
    /// Loops: what their headers evaluate runs behind their bodies, too.
    loops: FxHashSet<Span>,
}

/// A local.
#[derive(Clone, Copy, Debug)]
struct Declared {
    variable: VarId,
    block: Span,
    /// The block is the body of its function.
    is_body: bool,
    /// It has a name, and is no compound literal.
    is_named: bool,
    /// Its declarator, or the literal.
    at: Span,
}

impl Blocks {
    /// A local of the last of these blocks, each within the one before.
    pub(super) fn declare(&mut self, variable: VarId, blocks: &[Span], at: Span) {
        self.push(variable, (blocks, true), at);
    }

    /// As [`Blocks::declare`], of a compound literal.
    pub(super) fn literal(&mut self, variable: VarId, blocks: &[Span], at: Span) {
        self.push(variable, (blocks, false), at);
    }

    fn push(&mut self, variable: VarId, (blocks, is_named): (&[Span], bool), at: Span) {
        if let Some(block) = blocks.last() {
            self.declared.push(Declared { variable, block: *block, is_body: blocks.len() == 1, is_named, at });
        }
    }

    /// A loop, which is a block by itself.
    pub(super) fn repeat(&mut self, block: Span) {
        self.loops.insert(block);
    }

    /// A label that a `goto` may lead to.
    pub(super) fn label(&mut self, at: Span) {
        self.labels.push(at.lo);
    }

    /// Where each local is alive. A jump back within its block does not end its life (C11 6.2.4p6): in one with a label it counts
    /// as alive everywhere. So does a compound literal in the header of a loop.
    pub(super) fn lifetimes(mut self) -> Vec<(VarId, Lifetime)> {
        self.labels.sort_unstable();
        let has_label = |block: Span| {
            let first = self.labels.partition_point(|label| *label < block.lo);
            self.labels.get(first).is_some_and(|label| *label < block.hi)
        };
        let lifetime = |declared: Declared| {
            let Declared { variable, block, is_body, is_named, at } = declared;
            let has_label = has_label(block);
            let is_repeated = has_label || (!is_named && self.loops.contains(&block));
            let begin = if is_repeated { 0 } else { at.lo };
            (variable, Lifetime { block, is_body, has_label, begin, is_named })
        };
        self.declared.iter().copied().map(lifetime).collect()
    }
}
