//! Initialisers: designators, omitted braces, ranges, strings; of static objects as scalars, of automatic ones as
//! assignments in the order of the text.

use super::expression::{RED_ZONE, STACK_STEP};
use super::flags::{EDGES, EFFECT};
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, Designator, ExprKind, InitializerId, InitializerItem, InitializerKind};
use crate::cfa::{ConstantValue, InitialScalar, Operation, StaticInitializer, VarId, VarKind};
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, Qualifiers, Type, TypeId};

/// Where an initialiser goes.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// Bits of a static object.
    Static(u64),
    /// A place that is assigned to.
    Dynamic(ExprId),
    /// Nowhere: the initialiser is only measured.
    Measure,
}

/// A part of the object that is initialised.
#[derive(Clone, Copy, Debug)]
struct Slot {
    target: Target,
    ty: TypeId,
    /// Width of a bit-field.
    bits: Option<u32>,
}

/// What walking an initialiser collects.
#[derive(Debug, Default)]
struct Collected {
    scalars: Vec<InitialScalar>,
    unsupported: Option<Box<str>>,
    /// Scalars that were given.
    leaves: u64,
    /// A designator was used.
    designated: bool,
    /// The object is zero already: zeros need not be written.
    zeroed: bool,
    /// Elements of the outermost array.
    length: u64,
    /// The places that were assigned, in order.
    assigned: Vec<ExprId>,
    /// The next of them to copy from: its initialiser stands for this element as well, but is evaluated once.
    copied: Option<usize>,
}

/// Elements of a range `[a ... b]` that are listed one by one.
const LONGEST_RANGE: u64 = 1 << 20;

impl Lowerer<'_> {
    /// Sets the initialiser of a static object.
    pub(super) fn initialize_static(&mut self, variable: VarId, initializer: InitializerId) -> Lowered<()> {
        self.complete_array(variable, initializer)?;
        let ty = self.variables[variable.index()].ty.ty;
        let mut collected = Collected::default();
        let slot = Slot { target: Target::Static(0), ty, bits: None };
        self.object(slot, initializer, &mut collected)?;
        if self.has_reversed(ty) && !collected.scalars.is_empty() {
            collected.unsupported.get_or_insert_with(|| super::reversed::NAME.into());
        }
        let end = self.size_of(ty).map_or(u64::MAX, |bytes| bytes.saturating_mul(8));
        self.variables[variable.index()].initializer =
            Some(StaticInitializer { scalars: sorted(collected.scalars, end), unsupported: collected.unsupported });
        Ok(())
    }

    /// Gives an array without a length the length of its initialiser.
    pub(super) fn complete_array(&mut self, variable: VarId, initializer: InitializerId) -> Lowered<()> {
        let ty = self.variables[variable.index()].ty.ty;
        if let Some(complete) = self.completed(ty, initializer)? {
            self.variables[variable.index()].ty.ty = complete;
        }
        Ok(())
    }

    fn completed(&mut self, ty: TypeId, initializer: InitializerId) -> Lowered<Option<TypeId>> {
        let Type::Array { element, length: ArrayLength::Incomplete } = *self.types.get(ty) else { return Ok(None) };
        let mut measured = Collected::default();
        let slot = Slot { target: Target::Measure, ty, bits: None };
        self.object(slot, initializer, &mut measured)?;
        let length = ArrayLength::Constant(measured.length);
        Ok(Some(self.types.intern(Type::Array { element, length })))
    }

    /// Assigns an initialiser to a place that has just been declared.
    pub(super) fn initialize_dynamic(&mut self, place: ExprId, initializer: InitializerId, span: Span) -> Lowered<()> {
        let ty = self.ty(place);
        let mut collected = Collected::default();
        let is_list = matches!(self.ast[initializer].kind, InitializerKind::List(_));
        if is_list && !self.is_scalar(ty) && !self.is_braced_string(ty, initializer) {
            let mut measured = Collected::default();
            self.object(Slot { target: Target::Measure, ty, bits: None }, initializer, &mut measured)?;
            let complete = !measured.designated && self.leaves(ty) == Some(measured.leaves);
            if !complete {
                let value = self.zero(ty);
                self.emit(Operation::Assign { place, value }, span);
                collected.zeroed = !measured.designated;
            }
        }
        self.object(Slot { target: Target::Dynamic(place), ty, bits: None }, initializer, &mut collected)
    }

    /// `(T) { … }`
    pub(super) fn compound_literal(&mut self, ty: ast::TypeNameId, initializer: InitializerId, span: Span) -> Lowered<Operand> {
        let ty = self.type_name(ty)?.ty;
        let name = "__literal".into();
        let variable = self.new_variable(name, VarKind::CompoundLiteral, ty, span);
        if self.body.function.is_none() {
            self.initialize_static(variable, initializer)?;
        } else {
            self.complete_array(variable, initializer)?;
            self.emit(Operation::Declare { variable }, span);
            let place = self.variable(variable);
            self.initialize_dynamic(place, initializer, span)?;
        }
        Ok(self.variable_place(variable, ty.qualifiers))
    }

    /// How many scalars a type consists of; `None` if that is no fixed number of places.
    fn leaves(&self, ty: TypeId) -> Option<u64> {
        match self.types.get(ty) {
            Type::Array { element, length: ArrayLength::Constant(count) } => self.leaves(element.ty)?.checked_mul(*count),
            Type::Array { .. } => None,
            Type::Record(id) => {
                let record = self.types.record(*id);
                if record.is_union {
                    return None;
                }
                record.fields.iter().try_fold(0u64, |sum, field| sum.checked_add(self.leaves(field.ty.ty)?))
            }
            _ => Some(1),
        }
    }

    /// Initialises an object by a whole initialiser.
    fn object(&mut self, slot: Slot, id: InitializerId, collected: &mut Collected) -> Lowered<()> {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.object_here(slot, id, collected))
    }

    fn object_here(&mut self, slot: Slot, id: InitializerId, collected: &mut Collected) -> Lowered<()> {
        let ast = self.ast;
        let items = match &ast[id].kind {
            InitializerKind::Expr(expr) => return self.whole(slot, *expr, ast[id].span, collected),
            InitializerKind::List(items) => items,
        };
        if self.is_braced_string(slot.ty, id) {
            return self.object(slot, items[0].value, collected);
        }
        if matches!(self.types.get(slot.ty), Type::Array { .. } | Type::Record(_)) {
            let mut position = 0;
            return self.fill(slot, items, &mut position, true, None, collected);
        }
        match items.first() {
            Some(item) => self.object(slot, item.value, collected),
            None => self.leaf_zero(slot, ast[id].span, collected),
        }
    }

    /// `{ "text" }` for an array of characters.
    fn is_braced_string(&self, ty: TypeId, id: InitializerId) -> bool {
        let InitializerKind::List(items) = &self.ast[id].kind else { return false };
        let [item] = &**items else { return false };
        let InitializerKind::Expr(expr) = self.ast[item.value].kind else { return false };
        item.designators.is_empty() && self.string_for(ty, expr).is_some()
    }

    /// The string literal that initialises an array of characters as a whole.
    fn string_for(&self, ty: TypeId, expr: ast::ExprId) -> Option<ast::StringId> {
        let Type::Array { element, .. } = self.types.get(ty) else { return None };
        let mut expr = expr;
        while let ExprKind::Unary { op: ast::UnaryOp::Extension, operand } = self.ast[expr].kind {
            expr = operand;
        }
        let ExprKind::String(string) = self.ast[expr].kind else { return None };
        let width = match self.ast[string].encoding {
            ast::Encoding::Plain | ast::Encoding::Utf8 => 1,
            ast::Encoding::Char16 => 2,
            ast::Encoding::Char32 | ast::Encoding::Wide => 4,
        };
        let integer = matches!(self.types.get(element.ty), Type::Int { .. });
        (integer && self.size_of(element.ty) == Ok(width)).then_some(string)
    }

    /// Initialises an object by an expression.
    fn whole(&mut self, slot: Slot, expr: ast::ExprId, span: Span, collected: &mut Collected) -> Lowered<()> {
        if let Some(string) = self.string_for(slot.ty, expr) {
            return self.string(slot, string, collected);
        }
        match self.types.get(slot.ty) {
            Type::Array { .. } => match self.ast[expr].kind {
                // GNU: an array may be initialised by a compound literal.
                ExprKind::CompoundLiteral { initializer, .. } => self.object(slot, initializer, collected),
                _ => Err(self.error(span, "an array needs a list or a string as initialiser", "not a list")),
            },
            Type::Record(_) => self.record_value(slot, expr, span, collected),
            _ => self.leaf(slot, expr, span, collected),
        }
    }

    fn record_value(&mut self, slot: Slot, expr: ast::ExprId, span: Span, collected: &mut Collected) -> Lowered<()> {
        match slot.target {
            Target::Measure => {
                collected.leaves = collected.leaves.saturating_add(self.leaves(slot.ty).unwrap_or(0));
                Ok(())
            }
            Target::Static(_) => match self.ast[expr].kind {
                ExprKind::CompoundLiteral { initializer, .. } => self.object(slot, initializer, collected),
                _ => {
                    collected.unsupported = Some("initialiser that is no constant".into());
                    Ok(())
                }
            },
            Target::Dynamic(place) => {
                let value = match self.copied_value(expr, place, slot.ty, collected)? {
                    Some(value) => value,
                    None => {
                        let value = self.value(expr)?;
                        self.assign_convert(value, slot.ty, span)?
                    }
                };
                self.emit(Operation::Assign { place, value }, span);
                Ok(())
            }
        }
    }

    /// In the later elements of a range, the value that the first one got from an expression with side effects.
    fn copied_value(
        &mut self,
        expr: ast::ExprId,
        place: ExprId,
        ty: TypeId,
        collected: &mut Collected,
    ) -> Lowered<Option<ExprId>> {
        collected.assigned.push(place);
        let Some(next) = &mut collected.copied else { return Ok(None) };
        let source = collected.assigned.get(*next).copied();
        *next += 1;
        match source {
            Some(source) if self.flags[expr.index()] & (EFFECT | EDGES) != 0 => {
                Ok(Some(self.exprs.intern(Expr::Load(source), ty)))
            }
            _ => Ok(None),
        }
    }

    fn string(&mut self, slot: Slot, string: ast::StringId, collected: &mut Collected) -> Lowered<()> {
        let Type::Array { element, length } = *self.types.get(slot.ty) else { return Ok(()) };
        let literal = &self.ast[string];
        let count = match length {
            ArrayLength::Constant(count) => count,
            ArrayLength::Incomplete | ArrayLength::Variable(_) => literal.units.len() as u64 + 1,
        };
        match slot.target {
            Target::Measure => {
                collected.leaves = collected.leaves.saturating_add(count);
                collected.length = collected.length.max(count);
            }
            Target::Static(first_bit) => {
                collected.scalars.extend(self.unit_scalars(&literal.units, element.ty, count, first_bit));
                if length == ArrayLength::Incomplete {
                    // A flexible array member: its length counts, and so does the terminating zero.
                    let width = 8 * self.size_of(element.ty).unwrap_or(1);
                    let last = Slot { target: slot.target, ty: element.ty, bits: None };
                    self.static_scalar(last, first_bit + (count - 1) * width, ConstantValue::Int(0), collected);
                }
            }
            Target::Dynamic(place) => {
                let variable = self.string_object(&literal.units, element.ty, count, literal.span);
                let source = self.variable(variable);
                let value = self.exprs.intern(Expr::Load(source), slot.ty);
                self.emit(Operation::Assign { place, value }, literal.span);
            }
        }
        Ok(())
    }

    /// Initialises a scalar.
    fn leaf(&mut self, slot: Slot, expr: ast::ExprId, span: Span, collected: &mut Collected) -> Lowered<()> {
        collected.leaves = collected.leaves.saturating_add(1);
        match slot.target {
            Target::Measure => Ok(()),
            Target::Static(first_bit) => {
                let (value, effects) = self.quietly(|this| {
                    let value = this.value(expr)?;
                    this.assign_convert(value, slot.ty, span)
                })?;
                match self.evaluate(value).filter(|_| !effects) {
                    Some(value) => self.static_scalar(slot, first_bit, value, collected),
                    None => collected.unsupported = Some("initialiser that is no constant".into()),
                }
                Ok(())
            }
            Target::Dynamic(place) => {
                let value = match self.copied_value(expr, place, slot.ty, collected)? {
                    Some(value) => value,
                    None => {
                        let value = self.value(expr)?;
                        self.assign_convert(value, slot.ty, span)?
                    }
                };
                let zero = matches!(self.exprs.get(value), Expr::Int(0) | Expr::Float(0));
                if !(zero && collected.zeroed) {
                    let place = Place { expr: place, qualifiers: Qualifiers::default(), bits: slot.bits };
                    self.store(place, value, span);
                }
                Ok(())
            }
        }
    }

    fn leaf_zero(&mut self, slot: Slot, span: Span, collected: &mut Collected) -> Lowered<()> {
        collected.leaves = collected.leaves.saturating_add(1);
        if let Target::Dynamic(place) = slot.target {
            let value = self.zero(slot.ty);
            self.emit(Operation::Assign { place, value }, span);
        }
        Ok(())
    }

    fn static_scalar(&mut self, slot: Slot, first_bit: u64, value: ConstantValue, collected: &mut Collected) {
        let bytes = self.size_of(slot.ty).unwrap_or(0);
        let width = slot.bits.unwrap_or_else(|| u32::try_from(8 * bytes).unwrap_or(0));
        let value = match value {
            ConstantValue::Int(bits) if width < 128 => ConstantValue::Int(bits & ((1 << width) - 1)),
            value => value,
        };
        // What is not listed is zero, but an earlier initialiser of the same place must be overridden.
        collected.scalars.push(InitialScalar { first_bit, width, ty: slot.ty, value });
    }

    /// The part of a slot that is member or element number `index`.
    fn part(&mut self, slot: Slot, index: u64) -> Option<Slot> {
        match *self.types.get(slot.ty) {
            Type::Array { element, .. } => {
                let target = match slot.target {
                    Target::Measure => Target::Measure,
                    Target::Static(bit) => Target::Static(bit + 8 * index * self.size_of(element.ty).ok()?),
                    Target::Dynamic(place) => {
                        let number = self.int(self.basic.int, i128::from(index));
                        Target::Dynamic(self.exprs.intern(Expr::Index(place, number), element.ty))
                    }
                };
                Some(Slot { target, ty: element.ty, bits: None })
            }
            Type::Record(id) => {
                let position = usize::try_from(index).ok()?;
                let field = self.types.record(id).fields.get(position)?;
                let (ty, bits) = (field.ty.ty, field.bits);
                let first_bit = bits.map_or(8 * field.offset, |bits| bits.first_bit);
                let target = match slot.target {
                    Target::Measure => Target::Measure,
                    Target::Static(bit) => Target::Static(bit + first_bit),
                    Target::Dynamic(place) => {
                        let number = u32::try_from(index).ok()?;
                        Target::Dynamic(self.exprs.intern(Expr::Field(place, number), ty))
                    }
                };
                Some(Slot { target, ty, bits: bits.map(|bits| bits.width) })
            }
            _ => None,
        }
    }

    /// How many parts are initialised in turn: all elements or members, of a union one.
    fn part_count(&self, ty: TypeId) -> u64 {
        match self.types.get(ty) {
            Type::Array { length: ArrayLength::Constant(count), .. } => *count,
            Type::Array { .. } => u64::MAX,
            Type::Record(id) => {
                let record = self.types.record(*id);
                let count = record.fields.len() as u64;
                if record.is_union { count.min(1) } else { count }
            }
            _ => 0,
        }
    }

    /// Initialises the parts of an aggregate from the items at `position` on: all items if they stand in braces of their
    /// own, else as many as there are parts. `start` are designators that say where to begin.
    fn fill(
        &mut self,
        slot: Slot,
        items: &[InitializerItem],
        position: &mut usize,
        braced: bool,
        start: Option<&[Designator]>,
        collected: &mut Collected,
    ) -> Lowered<()> {
        let count = self.part_count(slot.ty);
        let is_union = matches!(self.types.get(slot.ty), Type::Record(id) if self.types.record(*id).is_union);
        let outermost = braced && matches!(self.types.get(slot.ty), Type::Array { .. });
        let mut next = 0;
        let mut start = start;
        while let Some(item) = items.get(*position) {
            let given = start.take();
            let designated = given.is_some();
            let designators = match given {
                Some(designators) => designators,
                None if item.designators.is_empty() => &[],
                None if braced => &item.designators,
                None => return Ok(()),
            };
            if let Some((first, rest)) = designators.split_first() {
                collected.designated = true;
                next = self.designated(slot, *first, rest, items, position, collected)?;
            } else if next < count {
                match self.part(slot, next) {
                    Some(part) => self.element_of(part, items, position, designated, collected)?,
                    None => *position += 1,
                }
                next += 1;
            } else if braced {
                // Surplus items: gcc warns and ignores them.
                *position += 1;
            } else {
                return Ok(());
            }
            if outermost {
                collected.length = collected.length.max(next);
            }
            if is_union {
                next = next.max(count);
            }
            if !braced && next >= count {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Initialises what a designation names; the number of the part that comes after it.
    fn designated(
        &mut self,
        slot: Slot,
        first: Designator,
        rest: &[Designator],
        items: &[InitializerItem],
        position: &mut usize,
        collected: &mut Collected,
    ) -> Lowered<u64> {
        let span = items[*position].span;
        let (low, high, path) = match first {
            Designator::Index(index) => {
                let index = self.part_number(slot, index)?;
                (index, index, Vec::new())
            }
            Designator::Range(low, high) => (self.part_number(slot, low)?, self.part_number(slot, high)?, Vec::new()),
            Designator::Member(member) => {
                let name = self.ast.name(member.name);
                let found = match *self.types.get(slot.ty) {
                    Type::Record(id) => self.find_member(id, name),
                    _ => None,
                };
                let Some(path) = found else {
                    return Err(self.error(member.span, format!("no member named `{name}`"), "unknown member"));
                };
                (path[0] as u64, path[0] as u64, path[1..].to_vec())
            }
        };
        let before = *position;
        let first_assigned = collected.assigned.len();
        let outer = collected.copied;
        for index in low..=high {
            if index > low && outer.is_none() {
                collected.copied = Some(first_assigned);
            }
            if index - low > LONGEST_RANGE {
                self.give_up_range(slot, span, collected);
                break;
            }
            *position = before;
            let Some(part) = self.part(slot, index) else {
                return Err(self.error(span, "this designator names nothing", "no such part"));
            };
            self.designated_part(part, &path, rest, items, position, collected)?;
        }
        if outer.is_none() {
            collected.copied = None;
        }
        Ok(high.saturating_add(1))
    }

    /// A range with more elements than can be listed one by one.
    fn give_up_range(&mut self, slot: Slot, span: Span, collected: &mut Collected) {
        let construct = "initialiser of a long range of elements";
        match slot.target {
            Target::Measure => {}
            Target::Static(_) => collected.unsupported = Some(construct.into()),
            Target::Dynamic(_) => self.unsupported(construct, span),
        }
    }

    /// Goes on along a designation: through unnamed members, then the remaining designators, then the value.
    fn designated_part(
        &mut self,
        slot: Slot,
        path: &[usize],
        rest: &[Designator],
        items: &[InitializerItem],
        position: &mut usize,
        collected: &mut Collected,
    ) -> Lowered<()> {
        if let Some((index, path)) = path.split_first() {
            return match self.part(slot, *index as u64) {
                Some(part) => self.designated_part(part, path, rest, items, position, collected),
                None => Ok(()),
            };
        }
        if rest.is_empty() {
            self.element_of(slot, items, position, true, collected)
        } else {
            self.fill(slot, items, position, false, Some(rest), collected)
        }
    }

    fn part_number(&mut self, slot: Slot, index: ast::ExprId) -> Lowered<u64> {
        let value = self.integer_constant(index)?.0;
        let count = match self.types.get(slot.ty) {
            Type::Array { .. } => self.part_count(slot.ty),
            _ => 0,
        };
        u64::try_from(value)
            .ok()
            .filter(|value| *value < count)
            .ok_or_else(|| self.error(self.ast[index].span, "this index is not within the array", "no such element"))
    }

    /// Initialises one part from the item at `position`, and more items if its braces are omitted. `designated` says that
    /// the designation of the item, if it has one, was followed already.
    fn element_of(
        &mut self,
        slot: Slot,
        items: &[InitializerItem],
        position: &mut usize,
        designated: bool,
        collected: &mut Collected,
    ) -> Lowered<()> {
        let item = &items[*position];
        let ast = self.ast;
        let InitializerKind::Expr(expr) = ast[item.value].kind else {
            *position += 1;
            return self.inner(slot, item.value, collected);
        };
        let aggregate = matches!(self.types.get(slot.ty), Type::Array { .. } | Type::Record(_));
        if !aggregate || self.string_for(slot.ty, expr).is_some() || self.initializes_whole(slot.ty, expr)? {
            *position += 1;
            return self.inner(slot, item.value, collected);
        }
        if self.part_count(slot.ty) == 0 {
            return Ok(());
        }
        // The designation of the item has led here: what is left of it goes to the first part.
        let start: Option<&[Designator]> = designated.then_some(&[]);
        self.fill(slot, items, position, false, start, collected)
    }

    /// As [`Self::object`], for a part: the length it may measure is not that of the outermost array.
    fn inner(&mut self, slot: Slot, id: InitializerId, collected: &mut Collected) -> Lowered<()> {
        let length = collected.length;
        self.object(slot, id, collected)?;
        collected.length = length;
        Ok(())
    }

    /// Whether an expression is a value for a whole structure or union.
    fn initializes_whole(&mut self, ty: TypeId, expr: ast::ExprId) -> Lowered<bool> {
        let array = matches!(self.types.get(ty), Type::Array { .. });
        match self.ast[expr].kind {
            ExprKind::Integer(_) | ExprKind::Char(_) | ExprKind::Float(_) | ExprKind::String(_) => Ok(false),
            ExprKind::CompoundLiteral { .. } if array => {
                let found = self.type_of(expr)?;
                Ok(self.compatible(found.ty, ty))
            }
            _ if array => Ok(false),
            _ => Ok(self.type_of(expr)?.ty == ty),
        }
    }
}

/// Scalars in order of position; of several for the same bits the last one stays, and zeros are left out, but for those
/// behind the `end` of the type: elements of a flexible array member say by being there how long it is.
fn sorted(scalars: Vec<InitialScalar>, end: u64) -> Vec<InitialScalar> {
    let in_order = scalars.windows(2).all(|pair| pair[0].first_bit + u64::from(pair[0].width) <= pair[1].first_bit);
    let kept = if in_order { scalars } else { without_overridden(scalars) };
    let is_zero = |scalar: &InitialScalar| matches!(scalar.value, ConstantValue::Int(0) | ConstantValue::Float(0));
    kept.into_iter().filter(|scalar| !is_zero(scalar) || scalar.first_bit >= end).collect()
}

fn without_overridden(scalars: Vec<InitialScalar>) -> Vec<InitialScalar> {
    let mut kept = std::collections::BTreeMap::<u64, InitialScalar>::new();
    for scalar in scalars {
        let end = scalar.first_bit + u64::from(scalar.width);
        let before = kept.range(..scalar.first_bit).next_back();
        let overlapping_before =
            before.filter(|(start, earlier)| **start + u64::from(earlier.width) > scalar.first_bit).map(|(start, _)| *start);
        let within: Vec<u64> = kept.range(scalar.first_bit..end).map(|(start, _)| *start).collect();
        for start in overlapping_before.into_iter().chain(within) {
            kept.remove(&start);
        }
        kept.insert(scalar.first_bit, scalar);
    }
    kept.into_values().collect()
}
