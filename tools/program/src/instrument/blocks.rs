//! Which calls allocate memory whose blocks are followed, and the ghosts that describe these blocks.

use std::collections::{BTreeMap, BTreeSet};

use formats::Property;
use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::Builder;
use crate::cfa::{EdgeId, FunctionId, Known, LocationId, Operation, VarId};
use crate::expr::Expr;
use crate::known::{Allocation, special};

/// As many blocks of one allocation are told apart at the same time, if there may be more than one.
const MOST_BLOCKS: usize = 4;
/// As many as all allocations have together, if each has one: every guard looks at all of them.
const MOST_TOGETHER: usize = 16;

/// A block of memory that is there, or room for one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its first address; null if there is none.
    pub(super) base: VarId,
    /// Its bytes.
    pub(super) size: VarId,
}

/// A call that allocates.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The blocks of it that are told apart.
    pub(super) blocks: Box<[Block]>,
    /// The bytes that it was asked for last.
    pub(super) asked: VarId,
    /// Whether the call has only freed, of one that may.
    pub(super) freed: Option<VarId>,
    /// The function whose end is that of the blocks.
    pub(super) ends_with: Option<FunctionId>,
}

/// How a function without a body allocates, if its blocks are there until they are freed, or the function that calls it ends.
pub(super) fn followed(builder: &Builder<'_>, callee: FunctionId) -> Option<Allocation> {
    let function = &builder.parts.functions[callee.index()];
    if function.known != Some(Known::Allocate) || function.entry.is_some() {
        return None;
    }
    let is_like_malloc = |allocation: &Allocation| {
        use Allocation::{Again, Aligned, Local, Product, Size};
        matches!(allocation, Size | Product | Again | Aligned | Local)
    };
    special(&function.name)?.allocation.filter(is_like_malloc)
}

/// Whether a call may free without allocating: `realloc` to size 0.
fn may_only_free(builder: &Builder<'_>, edge: EdgeId) -> bool {
    let Operation::Call { callee, arguments, .. } = &builder.parts.edges[edge.index()].operation else { return false };
    let again = followed(builder, *callee) == Some(Allocation::Again);
    again && !matches!(arguments.get(1).map(|size| builder.get(*size)), Some(Expr::Int(1..)))
}

/// The calls that allocate, each with ghosts of its own.
///
/// A call that is passed once at most has one block; the others share what guards can bear. What is on the stack matters for
/// accesses only.
pub(super) fn sites(builder: &mut Builder<'_>, property: Property) -> BTreeMap<EdgeId, Site> {
    let counts = |edge: &EdgeId| {
        allocation(builder, *edge).is_some_and(|one| one != Allocation::Local || property == Property::ValidDeref)
    };
    let calls: Vec<EdgeId> = (0..builder.parts.edges.len()).map(EdgeId::new).filter(counts).collect();
    if calls.is_empty() {
        return BTreeMap::new();
    }
    let repeated = Repeated::new(builder);
    let several: BTreeSet<EdgeId> = calls.iter().copied().filter(|edge| repeated.is_passed_again(builder, *edge)).collect();
    let left = MOST_TOGETHER.saturating_sub(calls.len() - several.len());
    let each = left.checked_div(several.len()).unwrap_or(1).clamp(1, MOST_BLOCKS);
    let mut numbers: BTreeMap<FunctionId, u32> = BTreeMap::new();
    let mut sites = BTreeMap::new();
    for edge in calls {
        let caller = function_of(builder, edge);
        let number = numbers.entry(caller).or_insert(0);
        let name = format!("{}_{number}", builder.parts.functions[caller.index()].name);
        *number += 1;
        let count = if several.contains(&edge) { each } else { 1 };
        let (pointer, word) = (builder.pointer, builder.word);
        let mut blocks = Vec::new();
        for block in 0..count {
            let base = builder.ghost(&format!("block_{name}_{block}"), pointer);
            let size = builder.ghost(&format!("size_{name}_{block}"), word);
            blocks.push(Block { base, size });
        }
        let int = builder.int;
        let freed = may_only_free(builder, edge).then(|| builder.ghost(&format!("freed_{name}"), int));
        // One block's size may be what was asked for: the block there before is described no longer.
        let alone = count == 1 && freed.is_none();
        let asked = if alone { blocks[0].size } else { builder.ghost(&format!("asked_{name}"), word) };
        let ends_with = (allocation(builder, edge) == Some(Allocation::Local)).then_some(caller);
        sites.insert(edge, Site { blocks: blocks.into(), asked, freed, ends_with });
    }
    sites
}

/// How a call allocates.
fn allocation(builder: &Builder<'_>, edge: EdgeId) -> Option<Allocation> {
    match builder.parts.edges[edge.index()].operation {
        Operation::Call { callee, .. } => followed(builder, callee),
        _ => None,
    }
}

/// Which edges a run may pass more than once.
pub(super) struct Repeated {
    /// The edges that leave each location.
    leaving: FxHashMap<LocationId, Vec<EdgeId>>,
    /// The calls of each function.
    calls: FxHashMap<FunctionId, Vec<EdgeId>>,
}

impl Repeated {
    pub(super) fn new(builder: &Builder<'_>) -> Self {
        let mut found = Self { leaving: FxHashMap::default(), calls: FxHashMap::default() };
        for (index, edge) in builder.parts.edges.iter().enumerate() {
            found.leaving.entry(edge.source).or_default().push(EdgeId::new(index));
            if let Operation::Call { callee, .. } = edge.operation {
                found.calls.entry(callee).or_default().push(EdgeId::new(index));
            }
        }
        found
    }

    /// Whether a run may enter a function again.
    pub(super) fn is_entered_again(&self, builder: &Builder<'_>, function: FunctionId) -> bool {
        match self.calls.get(&function).map_or(&[][..], Vec::as_slice) {
            [] => false,
            [only] => self.is_passed_again(builder, *only),
            _ => true,
        }
    }

    /// Whether a run may pass an edge again: on a circle, or in a function that is entered again. Up the calls, as long as a
    /// function is called in one place only.
    fn is_passed_again(&self, builder: &Builder<'_>, edge: EdgeId) -> bool {
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        let mut at = edge;
        loop {
            let function = function_of(builder, at);
            if !seen.insert(function) || self.is_on_a_circle(builder, at) {
                return true;
            }
            let calls = self.calls.get(&function).map_or(&[][..], Vec::as_slice);
            match (calls, function == builder.parts.entry) {
                ([], _) => return false,
                ([only], false) => at = *only,
                _ => return true,
            }
        }
    }

    /// Whether an edge may be passed again without leaving its function.
    fn is_on_a_circle(&self, builder: &Builder<'_>, edge: EdgeId) -> bool {
        let edge = &builder.parts.edges[edge.index()];
        let mut seen: FxHashSet<LocationId> = FxHashSet::default();
        let mut pending = vec![edge.target];
        while let Some(location) = pending.pop() {
            if location == edge.source {
                return true;
            }
            if seen.insert(location) {
                let edges = self.leaving.get(&location).into_iter().flatten();
                pending.extend(edges.map(|edge| builder.parts.edges[edge.index()].target));
            }
        }
        false
    }
}

fn function_of(builder: &Builder<'_>, edge: EdgeId) -> FunctionId {
    builder.parts.locations[builder.parts.edges[edge.index()].source.index()].function
}
