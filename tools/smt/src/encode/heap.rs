//! Memory that the program allocates.
//!
//! Of each call that allocates, the first few pieces of memory it yields are objects of their own, numbered behind the
//! variables of the program; which comes next is a number in the state. What later calls yield, and pieces larger than an
//! object can be, is memory that is no variable. An object has the shape of what the memory is used as, or of several of
//! these behind each other; any other access of it is one that fits no scalar.
//! Soundness: a piece is arbitrary when it is allocated for the first time, and it is allocated only once; where the number
//! is arbitrary, so is which piece comes next. Allocation never fails (an assumption of every verdict), `realloc` may leave
//! a piece where it is.

use program::cfa::{Cfa, EdgeId, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::types::{ArrayLength, Type, TypeId};

use super::operation::Values;
use super::shape::{Kind, ShapeId, Shapes};
use super::{Context, HeapSite, Origin, Unsupported};
use crate::terms::{Sort, TermId, TermStore};

/// Width of the number of pieces that a call has yielded.
pub(super) const COUNT: u32 = 8;

/// Bytes of a piece whose size is not known before.
const LARGEST: u64 = 1 << 16;

/// A call with the objects it yields.
#[derive(Clone, Debug)]
struct Site {
    call: EdgeId,
    /// The first of its objects.
    first: VarId,
    instances: u32,
    shape: ShapeId,
    element: TypeId,
    capacity: u64,
    grows: bool,
    /// Its pieces are zero behind what was asked for, too.
    zeroed: bool,
}

/// A piece of memory as an object.
pub(super) struct Piece {
    pub(super) name: String,
    pub(super) shape: ShapeId,
    pub(super) capacity: u64,
}

/// The allocations of a program that are modelled.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    /// By call.
    sites: Vec<Site>,
}

impl Heap {
    pub(super) fn new(cfa: &Cfa, shapes: &mut Shapes, sites: &[HeapSite]) -> Self {
        let mut heap = Self::default();
        let Some(void) = cfa.types.types().find(|(_, ty)| matches!(ty, Type::Void)).map(|(id, _)| id) else { return heap };
        let mut next = cfa.variables.len();
        for site in sites {
            let Operation::Call { callee, arguments, .. } = &cfa.edge(site.call).operation else { continue };
            let name = &*cfa.function(*callee).name;
            let Some((shape, capacity)) = piece(cfa, shapes, void, site, wanted_bytes(cfa, name, arguments)) else { continue };
            let HeapSite { call, element, instances, grows } = *site;
            let zeroed = name == "calloc";
            heap.sites.push(Site { call, first: VarId::new(next), instances, shape, element, capacity, grows, zeroed });
            next += instances as usize;
        }
        heap.sites.sort_by_key(|site| site.call);
        heap.sites.iter_mut().fold(cfa.variables.len(), |next, site| {
            site.first = VarId::new(next);
            next + site.instances as usize
        });
        heap
    }

    /// All pieces, in the order of their numbers.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.sites.iter().flat_map(|site| {
            (0..site.instances).map(|number| Piece {
                name: format!("heap!{}!{number}", site.call.index()),
                shape: site.shape,
                capacity: site.capacity,
            })
        })
    }

    /// The pieces that some calls yield.
    pub(super) fn pieces_of(&self, calls: &[EdgeId]) -> Vec<VarId> {
        let sites = calls.iter().filter_map(|call| self.site(*call));
        sites.flat_map(|site| (0..site.instances).map(|number| site.piece(number))).collect()
    }

    /// The numbers of pieces that have been yielded, as term variables.
    pub(super) fn counts(&self, store: &mut TermStore) -> Vec<TermId> {
        self.sites.iter().map(|site| count_of(store, site)).collect()
    }

    fn site(&self, call: EdgeId) -> Option<&Site> {
        self.sites.binary_search_by_key(&call, |site| site.call).ok().and_then(|at| self.sites.get(at))
    }
}

impl Site {
    fn piece(&self, number: u32) -> VarId {
        VarId::new(self.first.index() + number as usize)
    }
}

fn count_of(store: &mut TermStore, site: &Site) -> TermId {
    store.variable(&format!("heap!{}!count", site.call.index()), Sort::BitVec(COUNT))
}

/// The bytes that a call asks for, if they are constant.
fn wanted_bytes(cfa: &Cfa, name: &str, arguments: &[ExprId]) -> Option<u64> {
    let constant = |argument: &ExprId| {
        let Expr::Int(bits) = *cfa.exprs.get(*argument) else { return None };
        u64::try_from(bits).ok()
    };
    match (name, arguments) {
        ("malloc", [size]) => constant(size),
        ("calloc", [count, size]) => constant(count)?.checked_mul(constant(size)?),
        _ => None,
    }
}

/// Shape and size of the pieces of a call; `None` if what they are used as has no shape.
fn piece(cfa: &Cfa, shapes: &mut Shapes, void: TypeId, site: &HeapSite, bytes: Option<u64>) -> Option<(ShapeId, u64)> {
    let element = shapes.of(cfa, site.element);
    let own = shapes.get(element).bits / 8;
    let opaque = shapes.get(element).leaves == 0 || matches!(shapes.get(element).kind, Kind::Opaque);
    // An array without an end would take the addresses of all that lies behind it.
    if own == 0 || own > LARGEST || opaque || is_flexible(cfa, site.element) {
        return None;
    }
    let Some(bytes) = bytes.filter(|_| !site.grows) else {
        return Some((shapes.piece(void, element, LARGEST / own), LARGEST));
    };
    if bytes < own || bytes > 1 << 24 {
        return None;
    }
    if bytes == own { Some((element, bytes)) } else { Some((shapes.piece(void, element, bytes / own), bytes)) }
}

/// Whether a structure ends in an array of as many elements as there is room for.
fn is_flexible(cfa: &Cfa, ty: TypeId) -> bool {
    let Type::Record(record) = cfa.types.get(ty) else { return false };
    let last = cfa.types.record(*record).fields.last().map(|field| cfa.types.get(field.ty.ty));
    matches!(last, Some(Type::Array { length: ArrayLength::Incomplete | ArrayLength::Constant(0), .. }))
}

impl Context<'_, '_> {
    /// Gives the result of a call of `malloc`, `calloc` or `realloc` that is modelled; `None` if it is not.
    ///
    /// # Errors
    /// As [`super::Encoder::pass`].
    pub(super) fn allocate(&mut self, name: &str, arguments: &[ExprId], result: VarId) -> Result<Option<TermId>, Unsupported> {
        if self.encoder.symbolic {
            return Ok(None);
        }
        let Some(site) = self.encoder.heap.site(self.edge).cloned() else { return Ok(None) };
        let word = self.word();
        let mut sizes = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.value(*argument)?;
            sizes.push(self.store.resize_unsigned(value, word));
        }
        let (size, old) = match (name, sizes.as_slice()) {
            ("malloc", [size]) => (*size, None),
            ("calloc", [count, size]) => (self.store.mul(*count, *size), None),
            ("realloc", [old, size]) => (*size, Some((*old, arguments[0]))),
            _ => return Ok(None),
        };
        let capacity = self.store.bits(word, u128::from(site.capacity));
        let fits = self.store.ule(size, capacity);
        let guards = self.next_piece(&site, fits);
        let mut holds = self.store.tt();
        let mut address = match guards.iter().position(|guard| *guard == self.store.tt()) {
            Some(number) => self.base_of(site.piece(number as u32)),
            None => {
                let address = self.state.fresh(self.store, Origin::Unknown(self.edge), Sort::BitVec(word));
                let heap = self.store.bits(word, u128::from(self.encoder.objects.heap()));
                holds = self.store.ule(heap, address);
                address
            }
        };
        for (number, guard) in (0..).zip(&guards) {
            let base = self.base_of(site.piece(number));
            address = self.store.ite(*guard, base, address);
            if site.zeroed {
                self.clear(site.piece(number), *guard);
            }
        }
        if let Some((old, pointer)) = old {
            address = self.grow(&site, (old, pointer), &guards, address);
        }
        self.assign_variable(result, &Values::Scalar(address));
        Ok(Some(holds))
    }

    /// For each piece of a call the condition under which it comes next; it is taken.
    fn next_piece(&mut self, site: &Site, fits: TermId) -> Vec<TermId> {
        let count_term = count_of(self.store, site);
        let count = self.state.get(self.store, count_term);
        let mut guards = Vec::with_capacity(site.instances as usize);
        for number in 0..site.instances {
            let number = self.store.bits(COUNT, u128::from(number));
            let is_it = self.store.eq(count, number);
            guards.push(self.store.and(&[is_it, fits]));
        }
        let one = self.store.bits(COUNT, 1);
        let more = self.store.add(count, one);
        let any = self.store.or(&guards);
        let after = self.store.ite(any, more, count);
        self.state.set(self.store, count_term, after);
        guards
    }

    fn base_of(&mut self, piece: VarId) -> TermId {
        let base = self.encoder.objects.base(piece);
        self.store.bits(self.word(), u128::from(base))
    }

    /// Makes an object zero where the guard holds.
    fn clear(&mut self, piece: VarId, guard: TermId) {
        if guard == self.store.ff() {
            return;
        }
        for leaf in self.leaf_terms((piece, 0)) {
            let old = self.state.get(self.store, leaf);
            let sort = self.store.sort(old);
            let zero = super::value::zero(self.store, sort);
            let value = self.store.ite(guard, zero, old);
            self.state.set(self.store, leaf, value);
        }
    }

    /// Moves what was in a piece into the one that comes next, or leaves it where it is: the address of what is there now.
    fn grow(&mut self, site: &Site, (old, pointer): (TermId, ExprId), guards: &[TermId], address: TermId) -> TermId {
        let stays = self.state.fresh(self.store, Origin::Unknown(self.edge), Sort::Bool);
        let null = self.store.bits(self.word(), 0);
        let some = self.store.ne(old, null);
        let stays = self.store.and(&[stays, some]);
        let targets = self.encoder.points_to.targets(pointer);
        let sites: Vec<Site> = targets.sites.iter().filter_map(|call| self.encoder.heap.site(*call)).cloned().collect();
        // What was allocated as zero is so up to its end only, which is not known here.
        let alike = |other: &&Site| other.grows && !other.zeroed && other.element == site.element;
        let pieces: Vec<VarId> =
            sites.iter().filter(alike).flat_map(|other| (0..other.instances).map(|number| other.piece(number))).collect();
        for (number, guard) in (0..).zip(guards) {
            let to = self.leaf_terms((site.piece(number), 0));
            for from in &pieces {
                let base = self.base_of(*from);
                let is_it = self.store.eq(old, base);
                let moved = self.store.and(&[*guard, is_it]);
                if moved == self.store.ff() || *from == site.piece(number) {
                    continue;
                }
                let from = self.leaf_terms((*from, 0));
                for (to, from) in to.iter().zip(from) {
                    let (new, old) = (self.state.get(self.store, *to), self.state.get(self.store, from));
                    let value = self.store.ite(moved, old, new);
                    self.state.set(self.store, *to, value);
                }
            }
        }
        self.store.ite(stays, old, address)
    }

    /// A function that nobody knows may write wherever it gets from its arguments.
    pub(super) fn damage_heap(&mut self, arguments: &[ExprId]) {
        let cfa = self.encoder.cfa;
        let leads_there = |argument: &ExprId| {
            let Type::Pointer(to) = cfa.types.get(cfa.exprs.ty(*argument)) else { return false };
            !to.qualifiers.is_const && !matches!(cfa.types.get(to.ty), Type::Function(_))
        };
        if self.encoder.symbolic || !arguments.iter().any(leads_there) {
            return;
        }
        let always = self.store.tt();
        let sites = &self.encoder.heap.sites;
        let pieces: Vec<VarId> = sites.iter().flat_map(|site| (0..site.instances).map(|number| site.piece(number))).collect();
        for piece in pieces {
            self.damage((piece, 0), always);
        }
    }
}
