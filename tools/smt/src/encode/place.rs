//! Places: which leaves an lvalue denotes, and reading and writing them.
//!
//! A place is a list of cases, each a guard and what the place is under it. Guards exclude each
//! other as far as the program's behaviour is defined; the first that holds counts.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is no place, and what is no record, has one treatment")]

use program::cfa::VarId;
use program::expr::{Expr, ExprId};
use program::types::TypeId;

use super::memory::{INDEX, Object};
use super::reach;
use super::shape::{Class, Kind, Scalar, ShapeId};
use super::{Context, Unsupported};
use crate::terms::{Op, Role, TermId};

/// A part of an object that has a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) object: Object,
    pub(super) shape: ShapeId,
    /// Its first leaf among those of the object.
    pub(super) leaf: u32,
    /// The element, flattened over all dimensions passed, if an array was passed.
    pub(super) index: Option<TermId>,
    /// Inside a union: the first bit within the one leaf.
    pub(super) slice: Option<u64>,
}

/// The objects that an address can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    /// None.
    Nothing,
    /// This one, and nothing else.
    One(VarId),
    /// More than one, or what is no object of the program.
    Several,
}

/// What a place denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// Leaves.
    Node(Node),
    /// Some part of an object that is no node of its shape.
    Misfit(Object),
    /// What begins at an address in an object, seen by its bytes.
    Bytes(VarId, TermId),
    /// Memory that is no object of the program.
    Elsewhere,
}

/// Whether an address that may lie in an object may as well lie in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rivals {
    None,
    Some,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) guard: TermId,
    pub(super) target: Target,
}

/// How often a symbolic index is split into constants.
const SPLIT: u64 = 64;

impl Context<'_, '_> {
    /// The cases of a place.
    pub(super) fn place(&mut self, place: ExprId) -> Result<Vec<Case>, Unsupported> {
        let cfa = self.encoder.cfa;
        match *cfa.exprs.get(place) {
            Expr::Variable(variable) if self.encoder.objects.is_forgotten(variable) => Ok(self.sure(Target::Elsewhere)),
            Expr::Variable(variable) => {
                let node = self.root((variable, self.frame_of(variable)));
                Ok(vec![Case { guard: self.store.tt(), target: Target::Node(node) }])
            }
            Expr::Field(record, number) => {
                let cases = stacker::maybe_grow(64 << 10, 1 << 20, || self.place(record))?;
                let offset = self.offset_of(cfa.exprs.ty(record), number);
                let views = (offset, cfa.exprs.ty(place));
                Ok(self.each(cases, views, |context, node| context.field(node, number)))
            }
            Expr::Index(array, index) => {
                let cases = stacker::maybe_grow(64 << 10, 1 << 20, || self.place(array))?;
                let index = self.index_value(index)?;
                let bytes = self.bytes_of(cfa.exprs.ty(place));
                let stride = self.store.bits(self.word(), u128::from(bytes));
                let here = self.store.resize_signed(index, self.word());
                let offset = self.store.mul(here, stride);
                let views = (Some(offset), cfa.exprs.ty(place));
                let is_open = self.behind_pointer(array) && is_trailing(cfa, array);
                Ok(self.each(cases, views, |context, node| context.element(node, index, is_open)))
            }
            Expr::Dereference { pointer, .. } => {
                let address = self.value(pointer)?;
                Ok(self.dereference(pointer, address, cfa.exprs.ty(place)))
            }
            ref other => Err(self.unsupported(format!("{other:?} as a place"))),
        }
    }

    /// The address of a place.
    pub(super) fn address(&mut self, place: ExprId) -> Result<TermId, Unsupported> {
        let cfa = self.encoder.cfa;
        let word = self.word();
        match *cfa.exprs.get(place) {
            Expr::Variable(variable) => {
                if self.frame_of(variable) > 0 {
                    return Err(self.unsupported("address of a local variable in a recursive call"));
                }
                if self.encoder.symbolic {
                    return Ok(self.encoder.objects.address_symbol(cfa, self.store, variable));
                }
                Ok(self.store.bits(word, u128::from(self.encoder.objects.base(variable))))
            }
            Expr::Field(record, number) => {
                let ty = cfa.exprs.ty(record);
                let base = stacker::maybe_grow(64 << 10, 1 << 20, || self.address(record))?;
                let shape = self.encoder.shapes.of(cfa, ty);
                let offset = match &self.encoder.shapes.get(shape).kind {
                    Kind::Record(fields) | Kind::Union(fields) => fields.get(number as usize).map(|field| field.first_bit / 8),
                    Kind::Scalar | Kind::Fixed { .. } | Kind::Array { .. } | Kind::Opaque => field_offset(cfa, ty, number),
                };
                let Some(offset) = offset else {
                    return Err(self.unsupported("member of an incomplete record"));
                };
                let offset = self.store.bits(word, u128::from(offset));
                Ok(self.store.add(base, offset))
            }
            Expr::Index(array, index) => {
                let base = stacker::maybe_grow(64 << 10, 1 << 20, || self.address(array))?;
                let index = self.index_value(index)?;
                let bytes = self.bytes_of(cfa.exprs.ty(place));
                let stride = self.store.bits(word, u128::from(bytes));
                let index = self.store.resize_signed(index, word);
                let offset = self.store.mul(index, stride);
                Ok(self.store.add(base, offset))
            }
            Expr::Dereference { pointer, .. } => self.value(pointer),
            ref other => Err(self.unsupported(format!("address of {other:?}"))),
        }
    }

    /// Whether a place is reached through a pointer.
    pub(super) fn behind_pointer(&self, place: ExprId) -> bool {
        let mut at = place;
        loop {
            match *self.encoder.cfa.exprs.get(at) {
                Expr::Field(outer, _) | Expr::Index(outer, _) => at = outer,
                Expr::Dereference { .. } => return true,
                _ => return false,
            }
        }
    }

    /// Reads a scalar behind a pointer from one arbitrary memory.
    pub(super) fn read_symbolic(&mut self, place: ExprId, ty: TypeId) -> Result<TermId, Unsupported> {
        let exprs = &self.encoder.cfa.exprs;
        let scalar = self.scalar(ty)?;
        let element = crate::terms::Sort::BitVec(scalar.width);
        let mut at = place;
        let is_input = loop {
            at = match *exprs.get(at) {
                Expr::Field(record, number) => {
                    if !is_plain_member(self.encoder.cfa, exprs.ty(record), number) {
                        break true;
                    }
                    record
                }
                Expr::Index(array, _) => array,
                Expr::Dereference { volatile, .. } => break volatile,
                _ => break false,
            };
        };
        if is_input {
            return Ok(self.arbitrary("bit-field or volatile object behind a pointer", element));
        }
        let address = self.address(place)?;
        let index = self.word();
        let sort = crate::terms::Sort::Array { index, element: scalar.width };
        let memory = self.store.fresh_variable(Role::Memory, scalar.width, sort);
        Ok(self.store.select(memory, address))
    }

    /// Bits of a pointer.
    pub(super) fn word(&self) -> u32 {
        self.encoder.cfa.machine.word_bits()
    }

    /// Bytes of a type in memory.
    pub(super) fn bytes_of(&mut self, ty: TypeId) -> u64 {
        let shape = self.encoder.shapes.of(self.encoder.cfa, ty);
        self.encoder.shapes.get(shape).bits / 8
    }

    /// An array index, extended to at least the width of a pointer.
    fn index_value(&mut self, index: ExprId) -> Result<TermId, Unsupported> {
        let scalar = self.scalar(self.encoder.cfa.exprs.ty(index))?;
        let value = self.value(index)?;
        let width = self.word().max(scalar.width);
        Ok(if scalar.signed { self.store.resize_signed(value, width) } else { self.store.resize_unsigned(value, width) })
    }

    /// The whole of an object.
    fn root(&mut self, object: Object) -> Node {
        let shape = self.encoder.objects.shape(object.0);
        let union = matches!(self.encoder.shapes.get(shape).kind, Kind::Union(_));
        Node { object, shape, leaf: 0, index: None, slice: union.then_some(0) }
    }

    /// Replaces every node case by the cases below it, and every view of an object's bytes by what of a type begins an offset
    /// further on.
    fn each(
        &mut self,
        cases: Vec<Case>,
        (offset, ty): (Option<TermId>, TypeId),
        mut below: impl FnMut(&mut Self, Node) -> Vec<Case>,
    ) -> Vec<Case> {
        let mut found = Vec::with_capacity(cases.len());
        for case in cases {
            let inner = match (case.target, offset) {
                (Target::Node(node), _) => below(self, node),
                (Target::Bytes(object, address), Some(offset)) => {
                    let address = self.store.add(address, offset);
                    self.located(object, address, ty, Rivals::None)
                }
                (Target::Bytes(object, _), None) => self.sure(Target::Misfit((object, 0))),
                (Target::Misfit(_) | Target::Elsewhere, _) => self.sure(case.target),
            };
            for inner in inner {
                let guard = self.store.and(&[case.guard, inner.guard]);
                found.push(Case { guard, target: inner.target });
            }
        }
        found
    }

    /// The offset of a member that has an address.
    fn offset_of(&mut self, record: TypeId, number: u32) -> Option<TermId> {
        let shape = self.encoder.shapes.of(self.encoder.cfa, record);
        let bits = match &self.encoder.shapes.get(shape).kind {
            Kind::Record(fields) | Kind::Union(fields) => fields.get(number as usize)?.first_bit,
            Kind::Scalar | Kind::Fixed { .. } | Kind::Array { .. } | Kind::Opaque => return None,
        };
        let plain = is_plain_member(self.encoder.cfa, record, number);
        (plain && bits % 8 == 0).then(|| self.store.bits(self.word(), u128::from(bits / 8)))
    }

    pub(super) fn sure(&self, target: Target) -> Vec<Case> {
        vec![Case { guard: self.store.tt(), target }]
    }

    fn field(&mut self, node: Node, number: u32) -> Vec<Case> {
        let shape = self.encoder.shapes.get(node.shape);
        let field = match &shape.kind {
            Kind::Record(fields) | Kind::Union(fields) => fields.get(number as usize),
            Kind::Scalar | Kind::Fixed { .. } | Kind::Array { .. } | Kind::Opaque => None,
        };
        let Some(field) = field.cloned() else { return self.sure(Target::Misfit(node.object)) };
        self.sure(Target::Node(self.child(node, field.shape, field.first_leaf, field.first_bit)))
    }

    /// The node of a member or constant element.
    fn child(&self, node: Node, shape: ShapeId, leaf: u32, first_bit: u64) -> Node {
        let shapes = &self.encoder.shapes;
        let slice = match node.slice {
            Some(start) => Some(start + first_bit),
            None => matches!(shapes.get(shape).kind, Kind::Union(_)).then_some(0),
        };
        // All members of a union share its one leaf.
        let leaf = if node.slice.is_some() { node.leaf } else { node.leaf + leaf };
        Node { object: node.object, shape, leaf, index: node.index, slice }
    }

    /// An element. Behind an array that is `is_open` the object may go on.
    #[expect(clippy::fn_params_excessive_bools, reason = "whether an end is one")]
    fn element(&mut self, node: Node, index: TermId, is_open: bool) -> Vec<Case> {
        let kind = self.encoder.shapes.get(node.shape).kind.clone();
        let constant = self.store.as_bits(index);
        match kind {
            Kind::Array { count, element } if node.slice.is_none() => {
                let flat = self.flat_index(node.index, count, index);
                let mut child = self.child(node, element, 0, 0);
                child.index = Some(flat);
                let mut cases = self.sure(Target::Node(child));
                if let (Some(count), true) = (count, is_open && self.is_block(node.object)) {
                    // What is behind belongs to the next element of the block.
                    let count = self.store.bits(self.store.width(index), u128::from(count));
                    cases[0].guard = self.store.ult(index, count);
                    cases.push(Case { guard: self.store.tt(), target: Target::Misfit(node.object) });
                }
                cases
            }
            Kind::Fixed { count, element } => match constant {
                Some(at) if at < u128::from(count) => self.sure(Target::Node(self.constant_element(node, element, at as u64))),
                Some(_) => self.sure(Target::Elsewhere),
                None if count <= SPLIT => self.split_index(node, (count, element), index, is_open && self.goes_on(node.object)),
                None => self.sure(Target::Misfit(node.object)),
            },
            Kind::Scalar | Kind::Record(_) | Kind::Union(_) | Kind::Array { .. } | Kind::Opaque => {
                self.sure(Target::Misfit(node.object))
            }
        }
    }

    /// Whether an object is memory that was allocated, and more of it than one element of its type.
    fn goes_on(&self, object: Object) -> bool {
        let objects = &self.encoder.objects;
        let shape = self.encoder.shapes.get(objects.shape(object.0));
        self.is_block(object) || objects.is_hidden(object.0) && objects.size(object.0) * 8 > shape.bits
    }

    /// Whether an object is memory that was allocated for several elements.
    fn is_block(&self, (variable, _): Object) -> bool {
        let shape = self.encoder.shapes.get(self.encoder.objects.shape(variable));
        self.encoder.objects.is_hidden(variable) && !matches!(shape.kind, Kind::Record(_) | Kind::Union(_))
    }

    /// One case per element; out of bounds is undefined, so the last takes what is left, unless the array is open.
    #[expect(clippy::fn_params_excessive_bools, reason = "whether an end is one")]
    fn split_index(&mut self, node: Node, (count, element): (u64, ShapeId), index: TermId, is_open: bool) -> Vec<Case> {
        let width = self.store.width(index);
        let mut earlier = Vec::new();
        let mut cases = Vec::new();
        for at in 0..count {
            let guard = if at + 1 == count && !is_open {
                let any = self.store.or(&earlier);
                self.store.not(any)
            } else {
                let at = self.store.bits(width, u128::from(at));
                self.store.eq(index, at)
            };
            earlier.push(guard);
            let target = Target::Node(self.constant_element(node, element, at));
            cases.push(Case { guard, target });
        }
        if is_open {
            cases.push(Case { guard: self.store.tt(), target: Target::Misfit(node.object) });
        }
        cases
    }

    fn constant_element(&self, node: Node, element: ShapeId, at: u64) -> Node {
        let shape = self.encoder.shapes.get(element);
        self.child(node, element, formats::small(at) * shape.leaves, at * shape.bits)
    }

    /// The index into the SMT array when one more dimension is passed.
    fn flat_index(&mut self, outer: Option<TermId>, count: Option<u64>, index: TermId) -> TermId {
        let index = self.store.resize_unsigned(index, INDEX);
        match outer {
            None => index,
            Some(outer) => {
                let count = self.store.bits(INDEX, u128::from(count.unwrap_or(0)));
                let skipped = self.store.mul(outer, count);
                self.store.add(skipped, index)
            }
        }
    }

    /// The cases of an access of type `ty` at an address.
    pub(super) fn dereference(&mut self, pointer: ExprId, address: TermId, ty: TypeId) -> Vec<Case> {
        if let Some(variable) = self.named_object(address) {
            let mut cases = self.located(variable, address, ty, Rivals::None);
            if cases.is_empty() {
                cases = self.sure(Target::Elsewhere);
            } else if let [only] = cases.as_mut_slice() {
                // Any other address is undefined.
                only.guard = self.store.tt();
            }
            return cases;
        }
        if let Some(cases) = self.alternatives(address, ty) {
            return cases;
        }
        let mut targets = self.encoder.points_to.targets(pointer);
        let before = targets.variables.len();
        targets.variables.retain(|variable| !self.encoder.objects.is_forgotten(*variable));
        targets.elsewhere |= targets.variables.len() < before;
        let mut cases = Vec::new();
        let mut pieces = self.encoder.heap.pieces(&targets.sites);
        pieces.retain(|piece| self.is_in_use(*piece));
        let rivals = if targets.variables.len() + pieces.len() > 1 { Rivals::Some } else { Rivals::None };
        for variable in targets.variables.into_iter().chain(pieces) {
            // Whoever takes addresses of locals in an inner activation is unsupported, so they are the outermost one's.
            cases.extend(self.located(variable, address, ty, rivals));
        }
        cases.retain(|case| case.guard != self.store.ff());
        if targets.elsewhere || self.encoder.heap.has_more(&targets.sites) || cases.is_empty() {
            cases.push(Case { guard: self.store.tt(), target: Target::Elsewhere });
        } else if let [only] = cases.as_mut_slice() {
            // Any other address is undefined.
            only.guard = self.store.tt();
        }
        cases
    }

    /// The only object that an address can be in: that of a constant, or the one that a sum reaches whatever its parts are.
    ///
    /// What the constant part of a sum lies in says nothing: the address may have been computed from another object.
    pub(super) fn named_object(&self, address: TermId) -> Option<VarId> {
        self.constant_part(address)?;
        if let Reached::One(object) = self.reached(address) { Some(object) } else { None }
    }

    /// The objects that an address can be in.
    pub(super) fn reached(&self, address: TermId) -> Reached {
        let objects = &self.encoder.objects;
        if let Some(constant) = self.store.as_bits(address) {
            let object = u64::try_from(constant).ok().and_then(|constant| objects.at(constant));
            return object.map_or(Reached::Nothing, Reached::One);
        }
        let heap = i128::from(objects.heap());
        let Some(range) = reach::of(self.store, address).filter(|(_, high)| *high < heap) else { return Reached::Several };
        match objects.between(range) {
            None => Reached::Nothing,
            Some((object, true)) => Reached::One(object),
            Some((_, false)) => Reached::Several,
        }
    }

    /// The object that an address was most likely computed from.
    pub(super) fn nearest_object(&self, address: TermId) -> Option<VarId> {
        self.encoder.objects.near(self.constant_part(address)?)
    }

    /// The constant part of a sum.
    pub(super) fn constant_part(&self, address: TermId) -> Option<u64> {
        let constant = match (self.store.op(address), self.store.args(address)) {
            (Op::Bits(value), _) => value,
            (Op::Add, args) => self.store.as_bits(*args.last()?)?,
            _ => return None,
        };
        u64::try_from(constant).ok()
    }

    /// The cases of an access of type `ty` at an address in this variable.
    ///
    /// Where the address may as well lie in another object, what begins at an unknown offset of this one and is no node
    /// is not put together from bytes: in code that casts much (drivers) nearly every access has such cases, they decide
    /// next to nothing, and each costs a few reads or writes of an SMT array.
    pub(super) fn located(&mut self, variable: VarId, address: TermId, ty: TypeId, rivals: Rivals) -> Vec<Case> {
        if self.encoder.objects.is_forgotten(variable) {
            return self.sure(Target::Elsewhere);
        }
        let word = self.word();
        let base = self.encoder.objects.base(variable);
        let base = self.store.bits(word, u128::from(base));
        let offset = self.store.sub(address, base);
        let root = self.root((variable, 0));
        let mut found = Vec::new();
        let always = self.store.tt();
        self.locate(root, offset, ty, always, &mut found);
        let whole = match self.encoder.shapes.get(root.shape).kind {
            Kind::Array { element, .. } => self.fits(Node { shape: element, ..root }, ty),
            Kind::Scalar | Kind::Record(_) | Kind::Union(_) | Kind::Fixed { .. } | Kind::Opaque => false,
        };
        let exact = whole || found.iter().any(|case| case.guard == always);
        if !exact && (self.encoder.punning || found.is_empty()) {
            let bytes = self.encoder.objects.size(variable).max(1);
            let size = self.store.bits(word, u128::from(bytes));
            let mut inside = vec![self.store.ult(offset, size)];
            for case in &found {
                inside.push(self.store.not(case.guard));
            }
            let inside = self.store.and(&inside);
            if inside != self.store.ff() {
                // Of an aggregate a part will be looked for.
                let is_part = matches!(
                    self.encoder.cfa.types.get(ty),
                    program::types::Type::Record(_) | program::types::Type::Array { .. } | program::types::Type::Void
                );
                let constant = self.store.as_bits(offset).is_some();
                let composed = rivals == Rivals::None && (is_part || self.is_byte_array(variable));
                let target = if constant || composed { Target::Bytes(variable, address) } else { Target::Misfit((variable, 0)) };
                found.push(Case { guard: inside, target });
            }
        }
        found
    }

    /// Collects the nodes of type `ty` at a byte offset from `node`, with their guards.
    fn locate(&mut self, node: Node, offset: TermId, ty: TypeId, guard: TermId, found: &mut Vec<Case>) {
        let zero = self.store.bits(self.word(), 0);
        if self.fits(node, ty) {
            let at_start = self.store.eq(offset, zero);
            let guard = self.store.and(&[guard, at_start]);
            if guard != self.store.ff() {
                found.push(Case { guard, target: Target::Node(node) });
            }
            if guard == self.store.tt() {
                return;
            }
        }
        match self.encoder.shapes.get(node.shape).kind.clone() {
            Kind::Record(fields) | Kind::Union(fields) => {
                for field in fields {
                    if field.first_bit % 8 != 0 {
                        continue;
                    }
                    let start = self.store.bits(self.word(), u128::from(field.first_bit / 8));
                    let inner = self.store.sub(offset, start);
                    let child = self.child(node, field.shape, field.first_leaf, field.first_bit);
                    if self.may_be_inside(child, inner) {
                        self.locate(child, inner, ty, guard, found);
                    }
                }
            }
            Kind::Fixed { count, element } => {
                let bits = self.encoder.shapes.get(element).bits;
                for at in 0..count {
                    let start = self.store.bits(self.word(), u128::from(at * bits / 8));
                    let inner = self.store.sub(offset, start);
                    let child = self.constant_element(node, element, at);
                    if self.may_be_inside(child, inner) {
                        self.locate(child, inner, ty, guard, found);
                    }
                }
            }
            Kind::Array { count, element } if node.slice.is_none() => {
                self.locate_element(node, count, element, offset, ty, guard, found);
            }
            Kind::Scalar | Kind::Array { .. } | Kind::Opaque => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the walk's state, used in one place")]
    fn locate_element(
        &mut self,
        node: Node,
        count: Option<u64>,
        element: ShapeId,
        offset: TermId,
        ty: TypeId,
        guard: TermId,
        found: &mut Vec<Case>,
    ) {
        let stride = self.encoder.shapes.get(element).bits / 8;
        if stride == 0 {
            return;
        }
        let (index, rest) = self.store.divide(offset, u128::from(stride));
        let inside = match count {
            Some(count) => {
                let count = self.store.bits(self.word(), u128::from(count));
                self.store.ult(index, count)
            }
            None => self.store.tt(),
        };
        let guard = self.store.and(&[guard, inside]);
        if guard == self.store.ff() {
            return;
        }
        let flat = self.flat_index(node.index, count, index);
        let mut child = self.child(node, element, 0, 0);
        child.index = Some(flat);
        self.locate(child, rest, ty, guard, found);
    }

    /// Whether a constant offset lies in a node; true for a symbolic one.
    fn may_be_inside(&self, node: Node, offset: TermId) -> bool {
        let bytes = self.encoder.shapes.get(node.shape).bits.div_ceil(8);
        match (self.store.as_bits(offset), &self.encoder.shapes.get(node.shape).kind) {
            (Some(offset), Kind::Array { count: None, .. }) => offset < 1 << (self.word() - 1),
            (Some(offset), _) => offset < u128::from(bytes),
            (None, _) => true,
        }
    }

    /// Whether an access of type `ty` at the start of a node is exactly that node.
    fn fits(&self, node: Node, ty: TypeId) -> bool {
        let cfa = self.encoder.cfa;
        let shape = self.encoder.shapes.get(node.shape);
        if shape.ty == ty {
            // A bit-field has no address.
            return !matches!(shape.kind, Kind::Scalar) || Scalar::of(cfa, ty).is_some_and(|s| u64::from(s.width) == shape.bits);
        }
        match (Scalar::of(cfa, shape.ty), Scalar::of(cfa, ty)) {
            (Some(here), Some(wanted)) => {
                here.width == wanted.width
                    && u64::from(here.width) == shape.bits
                    && (here.class == Class::Bool) == (wanted.class == Class::Bool)
            }
            _ => false,
        }
    }
}

/// Whether a member has an address and keeps its value between reads.
fn is_plain_member(cfa: &program::cfa::Cfa, ty: TypeId, number: u32) -> bool {
    match cfa.types.get(ty) {
        program::types::Type::Record(record) => {
            let fields = &cfa.types.record(*record).fields;
            fields.get(number as usize).is_some_and(|field| field.bits.is_none() && !field.ty.qualifiers.is_volatile)
        }
        _ => false,
    }
}

/// The byte offset of a member of a record whose shape is not modelled.
fn field_offset(cfa: &program::cfa::Cfa, ty: TypeId, number: u32) -> Option<u64> {
    match cfa.types.get(ty) {
        program::types::Type::Record(record) => cfa.types.record(*record).fields.get(number as usize).map(|field| field.offset),
        _ => None,
    }
}

/// Whether an array is what a structure ends with, at every level: it may have more elements than its type says.
fn is_trailing(cfa: &program::cfa::Cfa, array: ExprId) -> bool {
    let mut at = array;
    let mut is_member = false;
    loop {
        match *cfa.exprs.get(at) {
            Expr::Field(outer, number) => {
                let program::types::Type::Record(id) = cfa.types.get(cfa.exprs.ty(outer)) else { return false };
                let record = cfa.types.record(*id);
                if !record.is_union && number as usize + 1 < record.fields.len() {
                    return false;
                }
                (is_member, at) = (true, outer);
            }
            Expr::Index(outer, _) => at = outer,
            _ => return is_member,
        }
    }
}
