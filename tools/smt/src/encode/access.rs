//! Reading and writing the leaves that a place denotes.

use super::memory::{Object, leaf_sort};
use super::place::{Case, Node, Target};
use super::shape::{Class, Kind, Scalar, ShapeId};
use super::{Context, MISFIT, Unsupported};
use crate::terms::{Sort, TermId};
use program::types::TypeId;

impl Context<'_, '_> {
    /// The value of a scalar type at a place.
    pub(super) fn read(&mut self, cases: &[Case], ty: TypeId) -> Result<TermId, Unsupported> {
        let scalar = self.scalar(ty)?;
        let sort = Sort::BitVec(scalar.width);
        let mut value = None;
        for case in cases.iter().rev() {
            let here = match case.target {
                Target::Node(node) => self.read_node(node, scalar),
                Target::Bytes(object, address) => match self.read_bytes(object, address, 0, scalar.width) {
                    Some(value) if scalar.class == Class::Bool => self.truth(value),
                    Some(value) => value,
                    None => self.arbitrary(MISFIT, sort),
                },
                Target::Misfit(_) => self.arbitrary(MISFIT, sort),
                Target::Elsewhere => self.arbitrary("memory that is no object of the program", sort),
            };
            value = Some(match value {
                // The last case needs no guard: anything else is undefined.
                None => here,
                Some(others) => self.store.ite(case.guard, here, others),
            });
        }
        match value {
            Some(value) => Ok(value),
            None => Ok(self.arbitrary("memory that is no object of the program", sort)),
        }
    }

    /// Writes a scalar of type `ty` to a place.
    pub(super) fn write(&mut self, cases: &[Case], value: TermId, ty: TypeId) -> Result<(), Unsupported> {
        let scalar = self.scalar(ty)?;
        for (case, guard) in self.exclusive(cases) {
            match case.target {
                Target::Node(node) => self.write_node(node, value, scalar, guard),
                Target::Bytes(object, address) => {
                    let value = self.store.resize_unsigned(value, scalar.width);
                    if !self.write_bytes(object, address, 0, value, guard) {
                        self.damage((object, 0), guard, MISFIT);
                    }
                }
                Target::Misfit(object) => self.damage(object, guard, MISFIT),
                Target::Elsewhere => {}
            }
        }
        Ok(())
    }

    /// The cases with guards that imply that no earlier case holds.
    pub(super) fn exclusive(&mut self, cases: &[Case]) -> Vec<(Case, TermId)> {
        let mut earlier: Vec<TermId> = Vec::new();
        let mut found = Vec::with_capacity(cases.len());
        for case in cases {
            // Guards of different addresses exclude each other by themselves.
            let guard = if case.guard == self.store.tt() && !earlier.is_empty() {
                let any = self.store.or(&earlier);
                self.store.not(any)
            } else {
                case.guard
            };
            earlier.push(case.guard);
            if guard != self.store.ff() {
                found.push((*case, guard));
            }
        }
        found
    }

    /// Gives every leaf of an object an arbitrary value where the guard holds, for what is not modelled.
    pub(super) fn damage(&mut self, object: Object, guard: TermId, construct: &'static str) {
        for leaf in self.leaf_terms(object) {
            let sort = self.store.sort(leaf);
            let new = self.arbitrary(construct, sort);
            let old = self.state.get(self.store, leaf);
            let value = self.store.ite(guard, new, old);
            self.state.set(self.store, leaf, value);
        }
    }

    pub(super) fn leaf_terms(&mut self, (variable, depth): Object) -> Vec<TermId> {
        let encoder = &mut *self.encoder;
        let (cfa, shapes) = (encoder.cfa, &mut encoder.shapes);
        encoder.objects.leaves(cfa, shapes, self.store, variable, depth).to_vec()
    }

    fn leaf_term(&mut self, node: Node) -> Option<TermId> {
        let encoder = &mut *self.encoder;
        let (cfa, shapes, (variable, depth)) = (encoder.cfa, &mut encoder.shapes, node.object);
        let leaves = encoder.objects.leaves(cfa, shapes, self.store, variable, depth);
        leaves.get(node.leaf as usize).copied()
    }

    fn read_node(&mut self, node: Node, wanted: Scalar) -> TermId {
        let sort = Sort::BitVec(wanted.width);
        let Some(leaf) = self.leaf_term(node) else {
            return self.arbitrary("object without a modelled shape", sort);
        };
        let held = self.state.get(self.store, leaf);
        let held = match (self.store.sort(held), node.index) {
            (Sort::Array { .. }, Some(index)) => self.store.select(held, index),
            (Sort::Array { .. }, None) => {
                return self.arbitrary("object without a modelled shape", sort);
            }
            _ => held,
        };
        let stored = self.stored_width(node, wanted);
        let raw = match node.slice {
            Some(first) => {
                let Some(first) = within(first, stored, self.store.width(held)) else {
                    return self.arbitrary(MISFIT, sort);
                };
                let part = self.store.extract(held, first + stored - 1, first);
                self.part_of_pointers(node.object.0, held, (first, stored), part)
            }
            None => held,
        };
        let signed = wanted.signed && wanted.class == Class::Integer;
        if node.slice.is_some() && wanted.class == Class::Bool && stored > 1 {
            return self.truth(raw);
        }
        if signed { self.store.resize_signed(raw, wanted.width) } else { self.store.resize_unsigned(raw, wanted.width) }
    }

    /// The value of a `_Bool` that a byte stands for: compilers do not agree on what neither 0 nor 1 is.
    fn truth(&mut self, byte: TermId) -> TermId {
        let sort = self.store.sort(byte);
        let one = self.store.bits(self.store.width(byte), 1);
        let is_value = self.store.ule(byte, one);
        if is_value == self.store.tt() {
            return byte;
        }
        let any = self.arbitrary("`_Bool` that is neither 0 nor 1", sort);
        self.store.ite(is_value, byte, any)
    }

    /// How many bits a scalar node holds: fewer than its type has for a bit-field or `_Bool`, which in a union is a whole byte.
    fn stored_width(&self, node: Node, scalar: Scalar) -> u32 {
        let shape = self.encoder.shapes.get(node.shape);
        match shape.kind {
            Kind::Scalar if node.slice.is_some() && scalar.class == Class::Bool => formats::small(shape.bits),
            Kind::Scalar => shape.leaf_width,
            Kind::Record(_) | Kind::Union(_) | Kind::Fixed { .. } | Kind::Array { .. } | Kind::Opaque => scalar.width,
        }
    }

    fn write_node(&mut self, node: Node, value: TermId, scalar: Scalar, guard: TermId) {
        let stored = self.stored_width(node, scalar);
        let value = self.store.resize_unsigned(value, stored);
        self.write_bits(node, value, guard);
    }

    /// Writes the stored form of a scalar.
    pub(super) fn write_bits(&mut self, node: Node, value: TermId, guard: TermId) {
        // Without a leaf nothing is remembered, so there is nothing to update.
        let Some(leaf) = self.leaf_term(node) else { return };
        let old = self.state.get(self.store, leaf);
        let is_array = !matches!(self.store.sort(old), Sort::BitVec(_));
        let new = match (node.index, is_array) {
            (Some(index), true) => {
                let before = self.store.select(old, index);
                let value = self.merged(node, before, value);
                let value = self.store.ite(guard, value, before);
                self.store.store(old, index, value)
            }
            (None, false) => {
                let value = self.merged(node, old, value);
                self.store.ite(guard, value, old)
            }
            (Some(_), false) | (None, true) => {
                return self.damage(node.object, guard, MISFIT);
            }
        };
        self.state.set(self.store, leaf, new);
    }

    /// The leaf's value after a member of a union was written.
    fn merged(&mut self, node: Node, before: TermId, value: TermId) -> TermId {
        let Some(first) = node.slice else { return value };
        let (total, width) = (self.store.width(before), self.store.width(value));
        let Some(first) = within(first, width, total) else {
            let sort = self.store.sort(before);
            return self.arbitrary(MISFIT, sort);
        };
        let value = self.copied(node.object.0, before, value);
        self.spliced(before, first, value)
    }

    /// The values of all leaves of an aggregate at a place, each of its leaf's sort below the
    /// aggregate.
    pub(super) fn read_aggregate(&mut self, cases: &[Case], shape: ShapeId) -> Vec<TermId> {
        let leaves = self.encoder.shapes.leaves(self.encoder.cfa, shape);
        let mut values: Option<Vec<TermId>> = None;
        for case in cases.iter().rev() {
            let mut here = Vec::with_capacity(leaves.len());
            for (at, leaf) in leaves.iter().enumerate() {
                let sort = leaf_sort(leaf.width, leaf.dimensions);
                let value = match case.target {
                    Target::Node(node) if leaf.dimensions == 0 || node.index.is_none() => {
                        self.read_leaf(node, formats::dense(at), leaf.first_bit, leaf.width)
                    }
                    Target::Bytes(object, address) if leaf.dimensions == 0 => {
                        self.read_bytes(object, address, leaf.first_bit, leaf.width)
                    }
                    Target::Node(_) | Target::Bytes(..) | Target::Misfit(_) | Target::Elsewhere => None,
                };
                here.push(match value {
                    Some(value) if self.store.sort(value) == sort => value,
                    Some(_) | None => self.arbitrary("copy of an aggregate", sort),
                });
            }
            values = Some(match values {
                None => here,
                Some(others) => {
                    here.into_iter().zip(others).map(|(here, other)| self.store.ite(case.guard, here, other)).collect()
                }
            });
        }
        values.unwrap_or_default()
    }

    fn read_leaf(&mut self, node: Node, at: u32, first_bit: u64, width: u32) -> Option<TermId> {
        let sliced = node.slice;
        let leaf = if sliced.is_some() { node.leaf } else { node.leaf + at };
        let term = self.leaf_term(Node { leaf, ..node })?;
        let held = self.state.get(self.store, term);
        let held = match node.index {
            Some(index) if matches!(self.store.sort(held), Sort::Array { .. }) => self.store.select(held, index),
            Some(_) => return None,
            None => held,
        };
        let Some(start) = sliced else { return Some(held) };
        if !matches!(self.store.sort(held), Sort::BitVec(_)) {
            return None;
        }
        let first = within(start + first_bit, width, self.store.width(held))?;
        Some(self.store.extract(held, first + width - 1, first))
    }

    /// Writes the values of all leaves of an aggregate.
    pub(super) fn write_aggregate(&mut self, cases: &[Case], shape: ShapeId, values: &[TermId]) {
        let leaves = self.encoder.shapes.leaves(self.encoder.cfa, shape);
        for (case, guard) in self.exclusive(cases) {
            let node = match case.target {
                Target::Node(node) => node,
                Target::Bytes(object, address) => {
                    let copied = leaves.iter().zip(values).all(|(leaf, value)| {
                        // A `_Bool` is a whole byte.
                        let whole = leaf.dimensions == 0 && leaf.width.is_multiple_of(8);
                        whole && self.write_bytes(object, address, leaf.first_bit, *value, guard)
                    });
                    if !copied {
                        self.damage((object, 0), guard, MISFIT);
                    }
                    continue;
                }
                Target::Misfit(object) => {
                    self.damage(object, guard, MISFIT);
                    continue;
                }
                Target::Elsewhere => continue,
            };
            for ((at, leaf), value) in leaves.iter().enumerate().zip(values) {
                let target = match node.slice {
                    Some(start) => Node { slice: Some(start + leaf.first_bit), ..node },
                    None => Node { leaf: node.leaf + formats::dense(at), ..node },
                };
                if leaf.dimensions == 0 {
                    self.write_bits(target, *value, guard);
                } else if node.index.is_none() && node.slice.is_none() {
                    if let Some(term) = self.leaf_term(target) {
                        let old = self.state.get(self.store, term);
                        let new = self.store.ite(guard, *value, old);
                        self.state.set(self.store, term, new);
                    }
                } else {
                    self.damage(node.object, guard, MISFIT);
                }
            }
        }
    }
}

/// The first of so many bits, if all of them are among the `total` bits of a scalar.
fn within(first: u64, width: u32, total: u32) -> Option<u32> {
    let first = u32::try_from(first).ok()?;
    (first.checked_add(width)? <= total).then_some(first)
}
