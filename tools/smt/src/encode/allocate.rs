//! Allocation: which piece a call yields, what it holds, and what is known of addresses of pieces.

use formats::Property;
use program::cfa::VarId;
use program::expr::{Expr, ExprId};
use program::types::TypeId;
use rustc_hash::FxHashMap;

use super::heap::{self, Pieces, factors};
use super::place::{Case, Reached, Rivals, Target};
use super::shape::{Class, Kind, Scalar};
use super::{Context, OUTSIDE, Origin, Unsupported};
use crate::terms::{Op, Sort, TermId};

/// Different constants that a pointer may be before it counts as unknown.
const ALTERNATIVES: usize = 64;

/// Subterms looked at to find them.
const LOOKED_AT: usize = 4096;

/// What an allocating call puts into its memory.
struct Filling {
    zero: bool,
    /// The address of what is moved there.
    old: Option<(TermId, Vec<VarId>)>,
}

impl Context<'_, '_> {
    /// Passes a call that allocates; the condition under which it can be passed. `None` if its memory is not modelled.
    pub(super) fn allocate(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        result: Option<VarId>,
    ) -> Result<Option<TermId>, Unsupported> {
        let Some(result) = result else { return Ok(None) };
        let Some(site) = self.encoder.heap.at(self.edge, self.encoder.caller).cloned() else { return Ok(None) };
        let Some(fits) = self.fits_in(name, arguments, site.size)? else { return Ok(None) };
        let name = name.strip_prefix("__builtin_").unwrap_or(name);
        let old = match (name.starts_with("realloc"), arguments.first()) {
            (true, Some(old)) => {
                let address = self.value(*old)?;
                let targets = self.encoder.points_to.targets(*old);
                Some((address, self.encoder.heap.pieces(&targets.sites)))
            }
            _ => None,
        };
        let filling = Filling { zero: name == "calloc", old };
        let (chosen, mut address, condition) = self.choose(&site, fits);
        let always = self.store.tt();
        let contents: Vec<Vec<TermId>> = chosen.iter().map(|(piece, _)| self.contents(&site, *piece, &filling)).collect();
        for ((piece, guard), values) in chosen.iter().zip(contents) {
            for (leaf, value) in self.leaf_terms((*piece, 0)).into_iter().zip(values) {
                self.set_where(*guard, leaf, value);
            }
            let one = self.store.bits(1, 1);
            let used = heap::used(self.store, *piece);
            self.set_where(*guard, used, one);
            if self.keeps_pieces() {
                let (ended, zero) = (heap::ended(self.store, *piece), self.store.bits(1, 0));
                self.set_where(*guard, ended, zero);
            }
            let base = self.base_of(*piece);
            address = Some(match address {
                None => base,
                Some(other) => self.store.ite(*guard, base, other),
            });
        }
        if let Some((old, pieces)) = filling.old {
            self.release_pieces(old, &pieces);
        }
        let Some(address) = address else { return Ok(None) };
        let depth = self.frame_of(result);
        for term in self.leaf_terms((result, depth)) {
            self.set_where(always, term, address);
        }
        Ok(Some(condition))
    }

    /// Whether what is asked for fits into so many bytes; `None` for functions that are not modelled.
    fn fits_in(&mut self, name: &str, arguments: &[ExprId], bytes: u64) -> Result<Option<TermId>, Unsupported> {
        let Some((first, second)) = factors(name) else { return Ok(None) };
        let cfa = self.encoder.cfa;
        let mut size: Option<TermId> = None;
        for at in [Some(first), second].into_iter().flatten() {
            let Some(argument) = arguments.get(at) else { return Ok(None) };
            let scalar = self.scalar(cfa.exprs.ty(*argument))?;
            if scalar.class != Class::Integer || scalar.width > 64 {
                return Ok(None);
            }
            let value = self.value(*argument)?;
            // Wide enough for the product of two.
            let value = self.store.resize_unsigned(value, 128);
            size = Some(match size {
                None => value,
                Some(other) => self.store.mul(other, value),
            });
        }
        let Some(size) = size else { return Ok(None) };
        let bound = self.store.bits(128, u128::from(bytes));
        Ok(Some(self.store.ule(size, bound)))
    }

    /// The pieces a call may yield, last resort first, each with the condition under which it does; the address of memory
    /// that is no piece, if that may be what it yields, and what is known of it.
    fn choose(&mut self, site: &Pieces, fits: TermId) -> (Vec<(VarId, TermId)>, Option<TermId>, TermId) {
        let truth = self.store.tt();
        let mut chosen = Vec::new();
        let mut none_before = fits;
        for piece in site.all() {
            let (used, zero) = (heap::used(self.store, piece), self.store.bits(1, 0));
            let used = self.state.get(self.store, used);
            let is_free = self.store.eq(used, zero);
            let guard = self.store.and(&[none_before, is_free]);
            let is_used = self.store.not(is_free);
            none_before = self.store.and(&[none_before, is_used]);
            if guard != self.store.ff() {
                chosen.push((piece, guard));
            }
        }
        chosen.reverse();
        if !site.more && fits == truth {
            return (chosen, None, truth);
        }
        let word = self.word();
        let elsewhere = self.state.fresh(self.store, Origin::Unknown(self.edge), Sort::BitVec(word));
        self.encoder.beyond.insert(elsewhere);
        let heap = self.store.bits(word, u128::from(self.encoder.objects.heap()));
        (chosen, Some(elsewhere), self.store.ule(heap, elsewhere))
    }

    /// What the leaves of a piece hold at first.
    fn contents(&mut self, site: &Pieces, piece: VarId, filling: &Filling) -> Vec<TermId> {
        let leaves = self.encoder.shapes.leaves(self.encoder.cfa, site.shape);
        let mut values = Vec::with_capacity(leaves.len());
        for (at, leaf) in leaves.iter().enumerate() {
            let sort = super::memory::leaf_sort(leaf.width, leaf.dimensions);
            if filling.zero {
                values.push(super::value::zero(self.store, sort));
                continue;
            }
            let origin = Origin::Contents { object: piece, leaf: formats::dense(at), offset: leaf.first_bit / 8 };
            let fresh = self.state.fresh(self.store, origin, sort);
            self.encoder.indeterminate.insert(fresh);
            values.push(fresh);
        }
        if let Some((old, pieces)) = &filling.old {
            self.move_contents(site, *old, pieces, &mut values);
        }
        values
    }

    /// Replaces contents by those of the piece that starts at an address, where both have one shape.
    ///
    /// What lies behind the end of the old piece is arbitrary, unless `calloc` made it zero: then nothing is known.
    fn move_contents(&mut self, site: &Pieces, old: TermId, pieces: &[VarId], values: &mut [TermId]) {
        for piece in pieces {
            let base = self.base_of(*piece);
            let is_it = self.equals(old, base, &mut FxHashMap::default());
            if is_it == self.store.ff() || !self.is_in_use(*piece) {
                continue;
            }
            let from = self.encoder.heap.of_piece(*piece).cloned();
            let same = from.is_some_and(|from| self.is_movable(&from, site));
            for (at, leaf) in self.leaf_terms((*piece, 0)).into_iter().enumerate() {
                let Some(value) = values.get_mut(at).filter(|_| same) else { break };
                let held = self.state.get(self.store, leaf);
                *value = self.store.ite(is_it, held, *value);
            }
            if !same {
                self.encoder.approximations.entry(self.edge).or_insert("moved memory of another shape");
            }
        }
    }

    fn is_movable(&self, from: &Pieces, to: &Pieces) -> bool {
        let cfa = self.encoder.cfa;
        let kind = |site: &Pieces| match self.encoder.shapes.get(site.shape).kind {
            Kind::Array { element, .. } => Some(element),
            Kind::Scalar | Kind::Record(_) | Kind::Union(_) | Kind::Fixed { .. } | Kind::Opaque => None,
        };
        let zeroed = matches!(
            &cfa.edge(from.call).operation,
            program::cfa::Operation::Call { callee, .. } if cfa.function(*callee).name.contains("calloc")
        );
        !zeroed && kind(from).is_some() && kind(from) == kind(to)
    }

    /// Ends the life of the piece that an argument of `free` points to.
    pub(super) fn release(&mut self, block: ExprId) -> Result<(), Unsupported> {
        let targets = self.encoder.points_to.targets(block);
        let pieces = self.encoder.heap.pieces(&targets.sites);
        if !pieces.is_empty() {
            let address = self.value(block)?;
            self.release_pieces(address, &pieces);
        }
        Ok(())
    }

    /// The pieces that end may be given out again, unless they stay as they are.
    fn release_pieces(&mut self, address: TermId, pieces: &[VarId]) {
        for piece in pieces {
            if self.is_in_use(*piece) {
                let base = self.base_of(*piece);
                let is_it = self.equals(address, base, &mut FxHashMap::default());
                let (bit, value) = self.end_of_piece(*piece);
                self.set_where(is_it, bit, value);
            }
        }
    }

    /// Whether it is asked if something points to memory that is gone: then pieces are not given out again, since a block in the
    /// place of another would make what points there right again.
    fn keeps_pieces(&self) -> bool {
        matches!(self.encoder.cfa.options.property, Property::ValidDeref | Property::ValidFree)
    }

    /// The bit that says of a piece whether it ended, and its value then.
    pub(super) fn end_of_piece(&mut self, piece: VarId) -> (TermId, TermId) {
        match self.keeps_pieces() {
            true => (heap::ended(self.store, piece), self.store.bits(1, 1)),
            false => (heap::used(self.store, piece), self.store.bits(1, 0)),
        }
    }

    /// Whether a piece may be in use: an access to one that is not is undefined.
    pub(super) fn is_in_use(&mut self, piece: VarId) -> bool {
        let used = heap::used(self.store, piece);
        let held = self.state.get(self.store, used);
        self.store.as_bits(held) != Some(0)
    }

    /// Code that is not there may have written to what it knows.
    pub(super) fn damage_escaped(&mut self) {
        let always = self.store.tt();
        for piece in self.encoder.heap.escaped() {
            self.damage((piece, 0), always, OUTSIDE);
        }
    }

    fn set_where(&mut self, guard: TermId, variable: TermId, value: TermId) {
        if guard == self.store.ff() {
            return;
        }
        let old = self.state.get(self.store, variable);
        let value = self.store.ite(guard, value, old);
        self.state.set(self.store, variable, value);
    }

    fn base_of(&mut self, piece: VarId) -> TermId {
        let word = self.word();
        self.store.bits(word, u128::from(self.encoder.objects.base(piece)))
    }

    /// The cases of an access at an address whose pointer is one of a few constants; `None` if it is not.
    pub(super) fn alternatives(&mut self, address: TermId, ty: TypeId) -> Option<Vec<Case>> {
        let parts = if self.store.op(address) == Op::Add { self.store.args(address).to_vec() } else { vec![address] };
        let (part, constants, beyond) = parts.into_iter().find_map(|part| {
            let (constants, beyond) = self.constants(part)?;
            constants.iter().any(|c| self.is_address(*c)).then_some((part, constants, beyond))
        })?;
        let word = self.word();
        let rest = self.store.sub(address, part);
        let mut cases = Vec::new();
        for constant in constants {
            let value = self.store.bits(word, constant);
            let here = self.store.add(rest, value);
            let is_it = self.equals(part, value, &mut FxHashMap::default());
            let found = match self.reached(here) {
                Reached::One(variable) => self.located(variable, here, ty, Rivals::None),
                Reached::Several => return None,
                Reached::Nothing if constant >= u128::from(self.encoder.objects.heap()) => self.sure(Target::Elsewhere),
                // Null, a function, or a number: undefined.
                Reached::Nothing => Vec::new(),
            };
            for case in found {
                let guard = self.store.and(&[is_it, case.guard]);
                if guard != self.store.ff() {
                    cases.push(Case { guard, target: case.target });
                }
            }
        }
        if beyond {
            cases.extend(self.sure(Target::Elsewhere));
        }
        match cases.as_mut_slice() {
            [] => cases = self.sure(Target::Elsewhere),
            // Any other address is undefined.
            [only] => only.guard = self.store.tt(),
            _ => {}
        }
        Some(cases)
    }

    /// Equality with a constant, decided where the term is one: conditions alone are left of a choice among constants.
    fn equals(&mut self, term: TermId, constant: TermId, known: &mut FxHashMap<TermId, TermId>) -> TermId {
        if let Some(found) = known.get(&term) {
            return *found;
        }
        let args = self.store.args(term).to_vec();
        let found = match (self.store.op(term), args.as_slice()) {
            (Op::Ite, &[condition, yes, no]) => stacker::maybe_grow(64 << 10, 1 << 20, || {
                let yes = self.equals(yes, constant, known);
                let no = self.equals(no, constant, known);
                self.store.ite(condition, yes, no)
            }),
            _ => self.store.eq(term, constant),
        };
        known.insert(term, found);
        found
    }

    fn is_address(&self, constant: u128) -> bool {
        u64::try_from(constant).is_ok_and(|address| self.encoder.objects.at(address).is_some())
    }

    /// The values of a term that is one of a few constants, or of a pointer that nobody set, and whether it may be an address
    /// of allocated memory that is no object.
    fn constants(&self, term: TermId) -> Option<(Vec<u128>, bool)> {
        let mut found = std::collections::BTreeSet::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![term];
        let mut beyond = false;
        while let Some(term) = open.pop() {
            if self.encoder.beyond.contains(&term) {
                beyond = true;
                continue;
            }
            if !seen.insert(term) || self.encoder.indeterminate.contains(&term) {
                continue;
            }
            if seen.len() > LOOKED_AT || found.len() > ALTERNATIVES {
                return None;
            }
            match (self.store.op(term), self.store.args(term)) {
                (Op::Bits(value), _) => {
                    found.insert(value);
                }
                (Op::Ite, &[_, yes, no]) => open.extend([yes, no]),
                (Op::Select, &[array, _]) => open.push(array),
                (Op::ConstArray, &[element]) => open.push(element),
                (Op::Store, &[array, _, value]) => open.extend([array, value]),
                (Op::Variable { variable, .. }, _) if self.encoder.from_start => {
                    let object = self.encoder.objects.object_of(variable);
                    if !object.is_some_and(|(piece, _)| self.encoder.objects.is_hidden(piece)) {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        Some((found.into_iter().collect(), beyond))
    }

    /// Whether two addresses, at least one of which may be of a piece, lie in one object, and an arbitrary order for where
    /// they do not; `None` if neither can be in a piece.
    pub(super) fn order_of_pieces(&mut self, (left, a): (ExprId, TermId), (right, b): (ExprId, TermId)) -> Option<[TermId; 2]> {
        if !self.may_be_piece(left) && !self.may_be_piece(right) {
            return None;
        }
        let (region, word) = (self.encoder.heap.region(), self.word());
        let (a, b) = (self.store.extract(a, word - 1, region), self.store.extract(b, word - 1, region));
        let same = self.store.eq(a, b);
        let other = if same == self.store.tt() { same } else { self.arbitrary("order of allocated objects", Sort::Bool) };
        Some([same, other])
    }

    pub(super) fn may_be_piece(&self, pointer: ExprId) -> bool {
        let targets = self.encoder.points_to.targets(pointer);
        targets.sites.iter().any(|call| !self.encoder.heap.pieces(&[*call]).is_empty())
    }

    /// The pointer that an integer is, which a conversion makes a pointer again.
    pub(super) fn pointer_behind(&self, operand: ExprId) -> Option<ExprId> {
        let cfa = self.encoder.cfa;
        let Expr::Cast(inner) = *cfa.exprs.get(operand) else { return None };
        let class = |expr: ExprId| Scalar::of(cfa, cfa.exprs.ty(expr));
        let (middle, pointer) = (class(operand)?, class(inner)?);
        let keeps = middle.class == Class::Integer && middle.width >= self.word() && pointer.class == Class::Pointer;
        keeps.then_some(inner)
    }

    /// An address as a number: that of a piece is any that is a multiple of what its offset is.
    pub(super) fn as_number(&mut self, pointer: ExprId, address: TermId) -> TermId {
        if !self.may_be_piece(pointer) {
            return address;
        }
        let word = self.word();
        let (low, high) = self.encoder.heap.range();
        let (low, high) = (self.store.bits(word, u128::from(low)), self.store.bits(word, u128::from(high)));
        let behind = self.store.ule(low, address);
        let before = self.store.ult(address, high);
        let inside = self.store.and(&[behind, before]);
        if inside == self.store.ff() {
            return address;
        }
        let top = self.arbitrary("address of allocated memory as a number", Sort::BitVec(word - 4));
        let bottom = self.store.extract(address, 3, 0);
        let number = self.store.concat(top, bottom);
        self.store.ite(inside, number, address)
    }
}
