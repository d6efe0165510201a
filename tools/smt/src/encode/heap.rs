//! Allocated memory as objects: which calls are modelled, how many pieces of each, and what shape they have.
//!
//! A call that allocates has a few *pieces*: objects behind those of the program, with addresses of their own. One bit of
//! the state per piece says whether it is in use. A piece is never smaller than what was asked for, since an access beyond
//! an object counts as undefined: pieces whose size the program decides are as long as addresses allow. Once all pieces
//! are in use, and where more is asked for than a piece holds, the memory is no object and reads as arbitrary.
//! Invariant: the addresses of two pieces, or of a piece and anything else, differ in more than their lowest `region` bits.

use std::collections::BTreeMap;

use program::cfa::{Cfa, EdgeId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::layout::size_of;
use program::types::{IntRank, Type, TypeId};

use super::State;
use super::memory::Objects;
use super::shape::{Kind, Rows, ShapeId, Shapes};
use crate::terms::{Role, Sort, TermId, TermStore};

/// A call that allocates memory, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The call.
    pub call: EdgeId,
    /// Only in activations that this call began.
    pub caller: Option<EdgeId>,
    /// What the memory is taken to hold, one or more of them in a row; `None`: bytes.
    pub element: Option<TypeId>,
    /// How many bytes it asks for, where its text says so.
    pub size: Option<u64>,
    /// A run passes the call at most so often.
    pub times: Option<u32>,
    /// How many pieces are told apart at most.
    pub pieces: u32,
    /// Code that is not there may write to the memory.
    pub escapes: bool,
    /// The memory may become the first argument of `realloc`.
    pub grows: bool,
}

/// The pieces of one site.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    pub(super) call: EdgeId,
    pub(super) first: VarId,
    pub(super) count: u32,
    /// A run may ask for another piece when all are in use.
    pub(super) more: bool,
    /// Bytes of each.
    pub(super) size: u64,
    pub(super) shape: ShapeId,
    /// What it was taken to hold.
    element: TypeId,
    pub(super) escapes: bool,
}

impl Pieces {
    pub(super) fn all(&self) -> impl Iterator<Item = VarId> + use<> {
        (self.first.index()..self.first.index() + self.count as usize).map(VarId::new)
    }
}

#[derive(Debug, Default)]
pub(super) struct Heap {
    sites: Vec<Pieces>,
    of: BTreeMap<(EdgeId, Option<EdgeId>), usize>,
    /// What the memory holds that a temporary variable gets from calls; `None`: not one type.
    held: BTreeMap<VarId, Option<TypeId>>,
    /// Where the first piece lies.
    low: u64,
    /// Behind the last one.
    high: u64,
    /// The lowest bits of an address that say where in a piece it is.
    region: u32,
}

/// Bits of an offset in a piece at most: indices of SMT arrays are no wider.
const WIDEST_PIECE: u32 = 32;

/// Bits of the part of the address space of one piece at most: so many that the sum of an address and an `int` never leads to another
/// piece.
const WIDEST_REGION: u32 = 40;

/// Pieces smaller than this many bytes of address space are not worth having.
const NARROWEST_REGION: u32 = 16;

/// Bits of the part of the address space that pieces share where addresses have 32 bits.
const SHARE: u32 = 31;

impl Heap {
    pub(super) fn new(cfa: &Cfa, sites: Vec<Site>, shapes: &mut Shapes, objects: &mut Objects) -> Heap {
        let mut heap = Heap::default();
        let word = cfa.machine.word_bits();
        let count = |site: &Site| site.times.map_or(site.pieces, |times| times.min(site.pieces));
        let total: u64 = sites.iter().map(|site| u64::from(count(site))).sum();
        let Some((void, byte)) = common_types(cfa) else { return heap };
        let share = if word >= 64 { 60 } else { SHARE };
        let spent = total.next_power_of_two().trailing_zeros();
        // Something must be left for what is no object.
        let limit = if word >= 64 { 1 << 62 } else { 0xf000_0000 };
        let low = |region: u32| objects.heap().next_multiple_of(1 << region);
        let widest = share.saturating_sub(spent).min(WIDEST_REGION);
        let region = (NARROWEST_REGION..=widest).rev().find(|region| low(*region) + (total << region) <= limit);
        let Some(region) = region.filter(|_| total > 0) else { return heap };
        (heap.region, heap.low) = (region, low(region));
        heap.high = heap.low + (total << region);
        let mut base = heap.low;
        for site in sites {
            let count = count(&site);
            let element = site.element.filter(|ty| size_of(&cfa.types, cfa.machine, *ty).is_ok_and(|size| size > 0));
            let Some(element) = element.or(byte) else { continue };
            let bound = 1 << (heap.region.min(WIDEST_PIECE) - 1);
            let Some((shape, size)) = shape_of(cfa, shapes, &site, (void, element), bound) else { continue };
            let mut first = None;
            for number in 0..count {
                let name = heap_name(cfa, &site, number);
                let piece = objects.add_hidden(name, base, size, shape, heap.high);
                first.get_or_insert(piece);
                base += 1 << heap.region;
            }
            let Some(first) = first else { continue };
            let more = site.times.is_none_or(|times| times > count);
            let pieces = Pieces { call: site.call, first, count, more, size, shape, element, escapes: site.escapes };
            heap.of.insert((site.call, site.caller), heap.sites.len());
            heap.sites.push(pieces);
        }
        heap.find_held(cfa);
        heap
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The pieces that a call allocates in an activation begun by another call.
    pub(super) fn at(&self, call: EdgeId, caller: Option<EdgeId>) -> Option<&Pieces> {
        let number = self.of.get(&(call, caller)).or_else(|| self.of.get(&(call, None)))?;
        self.sites.get(*number)
    }

    /// All pieces of some calls.
    pub(super) fn pieces(&self, calls: &[EdgeId]) -> Vec<VarId> {
        self.sites.iter().filter(|site| calls.contains(&site.call)).flat_map(Pieces::all).collect()
    }

    /// Whether some memory of these calls is no object.
    pub(super) fn has_more(&self, calls: &[EdgeId]) -> bool {
        calls.iter().any(|call| {
            let mut known = self.sites.iter().filter(|site| site.call == *call).peekable();
            known.peek().is_none() || known.any(|site| site.more)
        })
    }

    /// The pieces that code which is not there may write to.
    pub(super) fn escaped(&self) -> Vec<VarId> {
        self.sites.iter().filter(|site| site.escapes).flat_map(Pieces::all).collect()
    }

    pub(super) fn of_piece(&self, piece: VarId) -> Option<&Pieces> {
        self.sites.iter().find(|site| site.all().any(|other| other == piece))
    }

    /// The lowest bits of an address, those that say where in a piece it is.
    pub(super) fn region(&self) -> u32 {
        self.region
    }

    /// Where pieces lie.
    pub(super) fn range(&self) -> (u64, u64) {
        (self.low, self.high)
    }

    /// Nothing is in use at the start.
    pub(super) fn initialise(&self, store: &mut TermStore, state: &mut dyn State) {
        for piece in self.sites.iter().flat_map(Pieces::all) {
            let (used, zero) = (used(store, piece), store.bits(1, 0));
            state.set(store, used, zero);
        }
    }

    /// Whether an expression converts fresh memory to a pointer to what it is modelled as.
    pub(super) fn is_first_view(&self, cfa: &Cfa, cast: ExprId) -> bool {
        let Expr::Cast(operand) = *cfa.exprs.get(cast) else { return false };
        let (Expr::Load(place), Type::Pointer(to)) = (cfa.exprs.get(operand), cfa.types.get(cfa.exprs.ty(cast))) else {
            return false;
        };
        let Expr::Variable(variable) = *cfa.exprs.get(*place) else { return false };
        self.held.get(&variable) == Some(&Some(to.ty))
    }

    /// Notes what the memory holds that temporary variables get from calls, where it is one type for all of them.
    fn find_held(&mut self, cfa: &Cfa) {
        if self.is_empty() {
            return;
        }
        for edge in cfa.edge_ids() {
            if let Operation::Call { result: Some(result), .. } = cfa.edge(edge).operation
                && matches!(cfa.variable(result).kind, VarKind::Temporary(_))
            {
                let element = self.at(edge, None).map(|site| site.element);
                let known = self.held.entry(result).or_insert(element);
                *known = (*known).filter(|known| Some(*known) == element);
            }
        }
    }
}

/// The bit that says whether a piece is in use.
pub(super) fn used(store: &mut TermStore, piece: VarId) -> TermId {
    store.fresh_variable(Role::Used, piece.0, Sort::BitVec(1))
}

/// The bit that says whether a piece was freed, where it is asked whether something points to memory that is gone.
pub(super) fn ended(store: &mut TermStore, piece: VarId) -> TermId {
    store.fresh_variable(Role::Ended, piece.0, Sort::BitVec(1))
}

fn heap_name(cfa: &Cfa, site: &Site, number: u32) -> String {
    let edge = cfa.edge(site.call);
    let function = &cfa.function(cfa.location(edge.source).function).name;
    let caller = site.caller.map_or(String::new(), |call| format!("~{}", call.0));
    format!("heap!{function}.{}{caller}.{number}", site.call.0)
}

/// The type `void`, and one of a byte, if the program has some.
fn common_types(cfa: &Cfa) -> Option<(TypeId, Option<TypeId>)> {
    let find = |wanted: fn(&Type) -> bool| cfa.types.types().find(|(_, ty)| wanted(ty)).map(|(id, _)| id);
    Some((find(|ty| matches!(ty, Type::Void))?, find(|ty| matches!(ty, Type::Int { rank: IntRank::Char, .. }))))
}

/// The shape of the pieces of a site, and how many bytes they have.
fn shape_of(
    cfa: &Cfa,
    shapes: &mut Shapes,
    site: &Site,
    (void, element): (TypeId, TypeId),
    bound: u64,
) -> Option<(ShapeId, u64)> {
    let one = shapes.of(cfa, element);
    let stride = shapes.get(one).bits / 8;
    let wanted = site.size;
    if ends_openly(shapes, one) {
        return Some((one, wanted.unwrap_or(bound).max(stride)));
    }
    let count = match wanted {
        Some(bytes) if bytes <= stride && !site.grows => return Some((one, stride)),
        Some(bytes) => bytes.checked_add(stride - 1)?.checked_div(stride)?,
        None => bound.checked_div(stride)?,
    };
    let size = count.checked_mul(stride).filter(|size| *size <= bound)?;
    let rows = if site.grows { Rows::OneArray } else { Rows::AsFit };
    Some((shapes.block(cfa, void, (one, count), rows), size))
}

/// Whether a record ends in an array without a length.
fn ends_openly(shapes: &Shapes, shape: ShapeId) -> bool {
    let mut at = shape;
    loop {
        match &shapes.get(at).kind {
            Kind::Array { count: None, .. } => return true,
            Kind::Record(fields) => match fields.last() {
                Some(last) => at = last.shape,
                None => return false,
            },
            Kind::Scalar | Kind::Union(_) | Kind::Fixed { .. } | Kind::Array { .. } | Kind::Opaque => return false,
        }
    }
}

/// Which arguments say how many bytes a function allocates: one of them, or the product of two.
#[must_use]
pub fn factors(name: &str) -> Option<(usize, Option<usize>)> {
    program::known::special(name)?.allocation?.factors()
}
