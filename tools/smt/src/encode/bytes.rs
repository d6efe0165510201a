//! Views of objects by bytes: accesses that are no node of an object's shape, put together from the leaves they touch.
//!
//! The first bit of an object is the lowest of its first byte; all machines here are little endian. Bits that belong to no
//! leaf are padding, and arbitrary when read.

use program::cfa::VarId;
use program::expr::ExprId;
use program::types::Type;

use super::memory::INDEX;
use super::place::{Case, Target};
use super::shape::{Kind, ShapeId};
use super::{Context, MISFIT, Unsupported};
use crate::terms::{Sort, TermId};

/// Bytes that one call copies at most leaf by leaf.
const MOST_BYTES: u64 = 1 << 20;

/// Leaves, elements counted, that one access may touch.
const MOST_PARTS: usize = 64;

/// Widest value that is put together.
const WIDEST: u32 = 128;

/// Bits of a leaf that an access touches.
#[derive(Clone, Copy, Debug)]
struct Part {
    leaf: u32,
    /// The element of an SMT array.
    index: Option<u64>,
    /// The first bit within the leaf.
    low: u32,
    width: u32,
    /// The first bit within the access.
    at: u32,
}

impl Context<'_, '_> {
    /// Whether an access at a symbolic offset of an object can be put together: the object is an array of bytes.
    pub(super) fn is_byte_array(&self, object: VarId) -> bool {
        let shapes = &self.encoder.shapes;
        match shapes.get(self.encoder.objects.shape(object)).kind {
            Kind::Array { element, .. } => {
                let element = shapes.get(element);
                matches!(element.kind, Kind::Scalar) && element.bits == 8 && element.leaf_width == 8
            }
            Kind::Scalar | Kind::Record(_) | Kind::Union(_) | Kind::Fixed { .. } | Kind::Opaque => false,
        }
    }

    /// The offset of an address in an object, in bytes.
    pub(super) fn offset_in(&mut self, object: VarId, address: TermId) -> TermId {
        let base = self.encoder.objects.base(object);
        let base = self.store.bits(self.word(), u128::from(base));
        self.store.sub(address, base)
    }

    /// So many bits at an address in an object, some of them further on; `None` if they cannot be put together.
    pub(super) fn read_bytes(&mut self, object: VarId, address: TermId, skipped: u64, width: u32) -> Option<TermId> {
        let offset = self.offset_in(object, address);
        match self.store.as_bits(offset) {
            Some(offset) => self.read_range(object, u64::try_from(offset).ok()?.checked_mul(8)?.checked_add(skipped)?, width),
            None if skipped == 0 && width.is_multiple_of(8) && self.is_byte_array(object) => {
                self.read_elements(object, offset, width)
            }
            None => None,
        }
    }

    fn read_elements(&mut self, object: VarId, offset: TermId, width: u32) -> Option<TermId> {
        let leaf = *self.leaf_terms((object, 0)).first()?;
        let held = self.state.get(self.store, leaf);
        let mut value: Option<TermId> = None;
        for byte in 0..width / 8 {
            let index = self.element_index(offset, byte);
            let element = self.store.select(held, index);
            value = Some(value.map_or(element, |low| self.store.concat(element, low)));
        }
        value
    }

    fn element_index(&mut self, offset: TermId, byte: u32) -> TermId {
        let first = self.store.resize_unsigned(offset, INDEX);
        let byte = self.store.bits(INDEX, u128::from(byte));
        self.store.add(first, byte)
    }

    fn read_range(&mut self, object: VarId, first: u64, width: u32) -> Option<TermId> {
        let parts = self.parts(object, first, u64::from(width)).filter(|_| width <= WIDEST)?;
        let leaves = self.leaf_terms((object, 0));
        let mut value: Option<TermId> = None;
        let mut end = 0;
        for part in parts {
            if part.at > end {
                let gap = self.padding(part.at - end);
                value = Some(value.map_or(gap, |low| self.store.concat(gap, low)));
            }
            let held = self.state.get(self.store, *leaves.get(part.leaf as usize)?);
            let held = match part.index {
                Some(index) => {
                    let index = self.store.bits(INDEX, u128::from(index));
                    self.store.select(held, index)
                }
                None => held,
            };
            let bits = self.store.extract(held, part.low + part.width - 1, part.low);
            let bits = self.part_of_pointers(object, held, (part.low, part.width), bits);
            value = Some(value.map_or(bits, |low| self.store.concat(bits, low)));
            end = part.at + part.width;
        }
        if end < width {
            let gap = self.padding(width - end);
            value = Some(value.map_or(gap, |low| self.store.concat(gap, low)));
        }
        value
    }

    fn padding(&mut self, width: u32) -> TermId {
        self.arbitrary("padding between members", Sort::BitVec(width))
    }

    /// Writes a value to an address in an object where the guard holds; whether that could be done.
    pub(super) fn write_bytes(&mut self, object: VarId, address: TermId, skipped: u64, value: TermId, guard: TermId) -> bool {
        let offset = self.offset_in(object, address);
        let width = self.store.width(value);
        if let Some(offset) = self.store.as_bits(offset) {
            let first = u64::try_from(offset).ok().and_then(|offset| offset.checked_mul(8)?.checked_add(skipped));
            return first.is_some_and(|first| self.write_range(object, first, value, guard));
        }
        if skipped > 0 || !width.is_multiple_of(8) || !self.is_byte_array(object) {
            return false;
        }
        let Some(leaf) = self.leaf_terms((object, 0)).first().copied() else { return false };
        let mut held = self.state.get(self.store, leaf);
        for byte in 0..width / 8 {
            let index = self.element_index(offset, byte);
            let bits = self.store.extract(value, 8 * byte + 7, 8 * byte);
            let before = self.store.select(held, index);
            let bits = self.store.ite(guard, bits, before);
            held = self.store.store(held, index, bits);
        }
        self.state.set(self.store, leaf, held);
        true
    }

    fn write_range(&mut self, object: VarId, first: u64, value: TermId, guard: TermId) -> bool {
        let width = self.store.width(value);
        let Some(parts) = self.parts(object, first, u64::from(width)).filter(|_| width <= WIDEST) else { return false };
        let leaves = self.leaf_terms((object, 0));
        for part in parts {
            let Some(leaf) = leaves.get(part.leaf as usize).copied() else { return false };
            let held = self.state.get(self.store, leaf);
            let bits = self.store.extract(value, part.at + part.width - 1, part.at);
            let new = match part.index {
                Some(index) => {
                    let index = self.store.bits(INDEX, u128::from(index));
                    let before = self.store.select(held, index);
                    let bits = self.copied(object, before, bits);
                    let after = self.spliced(before, part.low, bits);
                    let after = self.store.ite(guard, after, before);
                    self.store.store(held, index, after)
                }
                None => {
                    let bits = self.copied(object, held, bits);
                    let after = self.spliced(held, part.low, bits);
                    self.store.ite(guard, after, held)
                }
            };
            self.state.set(self.store, leaf, new);
        }
        true
    }

    /// Passes `memcpy`, `memmove` or `memset` of a constant number of bytes; whether that could be done.
    pub(super) fn block(&mut self, name: &str, arguments: &[ExprId], result: Option<VarId>) -> Result<bool, Unsupported> {
        let cfa = self.encoder.cfa;
        let name = program::known::plain(name);
        let &[to, from, size] = arguments else { return Ok(false) };
        if !matches!(name, "memcpy" | "memmove" | "memset") || self.encoder.symbolic {
            return Ok(false);
        }
        let size = self.value(size)?;
        let Some(bytes) = self.store.as_bits(size).and_then(|size| u64::try_from(size).ok()).filter(|bytes| *bytes <= MOST_BYTES)
        else {
            return Ok(false);
        };
        let Some(void) = cfa.types.types().find(|(_, ty)| matches!(ty, Type::Void)).map(|(id, _)| id) else { return Ok(false) };
        let (target, source) = (self.value(to)?, self.value(from)?);
        if bytes > 0 {
            let targets = self.dereference(to, target, void);
            let sources = if name == "memset" { Vec::new() } else { self.dereference(from, source, void) };
            let byte = (name == "memset").then(|| self.store.extract(source, 7, 0));
            self.move_block(&targets, &sources, byte, bytes);
        }
        if let Some(result) = result {
            let depth = self.frame_of(result);
            for term in self.leaf_terms((result, depth)) {
                self.state.set(self.store, term, target);
            }
        }
        Ok(true)
    }

    /// Writes so many bytes from other places, or of one value, to some.
    fn move_block(&mut self, targets: &[Case], sources: &[Case], byte: Option<TermId>, bytes: u64) {
        let zero = byte.is_some_and(|byte| self.store.as_bits(byte) == Some(0));
        let mut writes = Vec::new();
        for (case, guard) in self.exclusive(targets) {
            let Target::Bytes(object, address) = case.target else {
                if let Target::Misfit(object) = case.target {
                    self.damage(object, guard, MISFIT);
                }
                continue;
            };
            let offset = self.offset_in(object, address);
            let offset = self.store.as_bits(offset).and_then(|offset| u64::try_from(offset).ok());
            if offset == Some(0) && zero && bytes == self.encoder.objects.size(object) {
                for leaf in self.leaf_terms((object, 0)) {
                    let nothing = super::value::zero(self.store, self.store.sort(leaf));
                    writes.push((object, None, nothing, leaf, guard));
                }
                continue;
            }
            let parts = offset.and_then(|offset| self.parts(object, offset.checked_mul(8)?, bytes.checked_mul(8)?));
            let Some((offset, parts)) = offset.zip(parts).filter(|(_, parts)| parts.iter().all(|part| part.width <= WIDEST))
            else {
                self.damage((object, 0), guard, MISFIT);
                continue;
            };
            for part in parts {
                let value = match byte {
                    Some(byte) => self.repeated(byte, part.at, part.width),
                    None => self.read_sources(sources, part.at, part.width),
                };
                writes.push((object, Some(8 * offset + u64::from(part.at)), value, value, guard));
            }
        }
        for (object, first, value, leaf, guard) in writes {
            match first {
                Some(first) if self.write_range(object, first, value, guard) => {}
                Some(_) => self.damage((object, 0), guard, MISFIT),
                None => {
                    let old = self.state.get(self.store, leaf);
                    let new = self.store.ite(guard, value, old);
                    self.state.set(self.store, leaf, new);
                }
            }
        }
    }

    /// Bits of a text of equal bytes.
    fn repeated(&mut self, byte: TermId, first: u32, width: u32) -> TermId {
        let mut value = byte;
        while self.store.width(value) < width + 8 {
            value = self.store.concat(byte, value);
        }
        self.store.extract(value, first % 8 + width - 1, first % 8)
    }

    fn read_sources(&mut self, sources: &[Case], first: u32, width: u32) -> TermId {
        let mut value: Option<TermId> = None;
        for case in sources.iter().rev() {
            let read = match case.target {
                Target::Bytes(object, address) => self.read_bytes(object, address, u64::from(first), width),
                Target::Node(_) | Target::Misfit(_) | Target::Elsewhere => None,
            };
            let here = match read {
                Some(value) => value,
                None => self.arbitrary("copied memory", Sort::BitVec(width)),
            };
            value = Some(value.map_or(here, |others| self.store.ite(case.guard, here, others)));
        }
        match value {
            Some(value) => value,
            None => self.arbitrary("copied memory", Sort::BitVec(width)),
        }
    }

    /// A value with some of its bits replaced.
    pub(super) fn spliced(&mut self, before: TermId, first: u32, bits: TermId) -> TermId {
        let (total, end) = (self.store.width(before), first + self.store.width(bits));
        let mut result = bits;
        if first > 0 {
            let low = self.store.extract(before, first - 1, 0);
            result = self.store.concat(result, low);
        }
        if end < total {
            let high = self.store.extract(before, total - 1, end);
            result = self.store.concat(high, result);
        }
        result
    }

    /// The leaves that some bits of an object lie in, ascending; `None` if that cannot be told or they are too many.
    fn parts(&self, object: VarId, first: u64, width: u64) -> Option<Vec<Part>> {
        let end = first.checked_add(width)?;
        if end > self.encoder.objects.size(object).checked_mul(8)? {
            return None;
        }
        let mut parts = Vec::new();
        let root = self.encoder.objects.shape(object);
        self.collect((root, 0, None, 0), (first, end), &mut parts)?;
        parts.sort_by_key(|part| part.at);
        Some(parts)
    }

    fn collect(
        &self,
        (shape, leaf, index, start): (ShapeId, u32, Option<u64>, u64),
        (first, end): (u64, u64),
        parts: &mut Vec<Part>,
    ) -> Option<()> {
        let here = self.encoder.shapes.get(shape);
        match &here.kind {
            Kind::Scalar | Kind::Union(_) => {
                let (low, high) = (first.max(start), end.min(start + here.bits));
                if low >= high {
                    return Some(());
                }
                if u64::from(here.leaf_width) != here.bits || parts.len() >= MOST_PARTS {
                    // A `_Bool` holds one bit of its byte.
                    return None;
                }
                let [low_bit, width, at] = [low - start, high - low, low - first].map(u32::try_from);
                parts.push(Part { leaf, index, low: low_bit.ok()?, width: width.ok()?, at: at.ok()? });
            }
            Kind::Record(fields) => {
                for field in fields {
                    let inner = (field.shape, leaf + field.first_leaf, index, start.checked_add(field.first_bit)?);
                    self.collect(inner, (first, end), parts)?;
                }
            }
            Kind::Fixed { count, element } => {
                let inner = self.encoder.shapes.get(*element);
                for at in elements(start, inner.bits, Some(*count), (first, end))? {
                    let leaf = leaf + u32::try_from(at).ok()? * inner.leaves;
                    self.collect((*element, leaf, index, start + at * inner.bits), (first, end), parts)?;
                }
            }
            Kind::Array { count, element } => {
                let inner = self.encoder.shapes.get(*element);
                for at in elements(start, inner.bits, *count, (first, end))? {
                    let outer = index.unwrap_or(0).checked_mul(count.unwrap_or(0))?;
                    let flat = outer.checked_add(at).filter(|flat| *flat < 1 << INDEX)?;
                    self.collect((*element, leaf, Some(flat), start + at * inner.bits), (first, end), parts)?;
                }
            }
            Kind::Opaque if here.bits > 0 && (start >= end || start + here.bits <= first) => {}
            Kind::Opaque => return None,
        }
        Some(())
    }
}

/// The elements of an array from bit `start` on that some bits lie in; `None` if they are too many.
fn elements(start: u64, stride: u64, count: Option<u64>, (first, end): (u64, u64)) -> Option<std::ops::Range<u64>> {
    let from = first.saturating_sub(start).checked_div(stride)?;
    let to = end.saturating_sub(start).div_ceil(stride).min(count.unwrap_or(u64::MAX));
    (to.saturating_sub(from) <= MOST_PARTS as u64).then_some(from..to.max(from))
}
