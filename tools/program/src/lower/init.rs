//! Initialisers: designators, omitted braces, ranges, strings. Walks them, and finds which part of the object gets what.
//!
//! Does not know what becomes of a part that is given twice, nor how parts are written: that is `given`.

use super::given::{Given, Parts, Slot, Target, What};
use super::place::Operand;
use super::{Lowered, Lowerer, RED_ZONE, STACK_STEP};
use crate::ast::{self, Designator, ExprKind, InitializerId, InitializerItem, InitializerKind};
use crate::cfa::{Operation, StaticInitializer, VarId, VarKind};
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, Type, TypeId};

/// What walking an initialiser collects.
#[derive(Debug, Default)]
struct Collected {
    parts: Parts,
    unsupported: Option<Box<str>>,
    /// Scalars that were given.
    leaves: u64,
    /// Elements of the outermost array.
    length: u64,
    /// How many ranges of elements the walk is in.
    ranges: usize,
    /// Within braces inside of a range.
    in_braces_of_range: bool,
}

/// Elements of a range `[a ... b]` that are listed one by one.
const LONGEST_RANGE: u64 = 1 << 20;

impl Lowerer<'_> {
    /// Sets the initialiser of a static object.
    pub(super) fn initialize_static(&mut self, variable: VarId, initializer: InitializerId) -> Lowered<()> {
        self.complete_array(variable, initializer)?;
        let ty = self.variables[variable.index()].ty.ty;
        let mut collected = Collected::default();
        self.object(Slot { target: Target::Static, bit: 0, ty, bits: None }, initializer, &mut collected)?;
        let (scalars, unsupported) = self.given_scalars(collected.parts)?;
        let mut unsupported = collected.unsupported.or(unsupported);
        if self.has_reversed(ty) && !scalars.is_empty() {
            unsupported.get_or_insert_with(|| super::reversed::NAME.into());
        }
        let end = self.size_of(ty).map_or(u64::MAX, |bytes| bytes.saturating_mul(8));
        self.variables[variable.index()].initializer =
            Some(StaticInitializer { scalars: super::given::sorted(scalars, end), unsupported });
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
        let slot = Slot { target: Target::Measure, bit: 0, ty, bits: None };
        self.object(slot, initializer, &mut measured)?;
        let length = ArrayLength::Constant(measured.length);
        Ok(Some(self.types.intern(Type::Array { element, length })))
    }

    /// Assigns an initialiser to a place that has just been declared.
    pub(super) fn initialize_dynamic(&mut self, place: ExprId, initializer: InitializerId, span: Span) -> Lowered<()> {
        let ty = self.ty(place);
        let mut collected = Collected::default();
        self.object(Slot { target: Target::Dynamic(place), bit: 0, ty, bits: None }, initializer, &mut collected)?;
        if let Some(construct) = collected.unsupported {
            self.unsupported(&construct, span);
        }
        let is_list = matches!(self.ast[initializer].kind, InitializerKind::List(_));
        let mut is_zeroed = false;
        if is_list && !self.is_scalar(ty) && !self.is_braced_string(ty, initializer) {
            is_zeroed = collected.parts.overrides() || self.leaves(ty) != Some(collected.leaves);
        }
        if is_zeroed {
            let value = self.zero(ty);
            self.emit(Operation::Assign { place, value }, span);
        }
        self.assign_given(collected.parts, is_zeroed)
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
        // Braces stand for the whole of a part: what was given of it before is forgotten.
        let (from, to) = self.extent(slot);
        collected.parts.forget(ast, from, to);
        let in_braces = std::mem::replace(&mut collected.in_braces_of_range, collected.ranges > 0);
        let done = if matches!(self.types.get(slot.ty), Type::Array { .. } | Type::Record(_)) {
            let mut position = 0;
            self.fill(slot, items, &mut position, true, None, collected)
        } else {
            match items.first() {
                Some(item) => self.object(slot, item.value, collected),
                None => self.give(slot, What::Zero, ast[id].span, collected),
            }
        };
        collected.in_braces_of_range = in_braces;
        done
    }

    /// The bits of a part within the object.
    fn extent(&self, slot: Slot) -> (u64, u64) {
        let width = match slot.bits {
            Some(bits) => u64::from(bits),
            // A flexible array member ends nowhere.
            None => self.size_of(slot.ty).map_or(u64::MAX, |bytes| bytes.saturating_mul(8)),
        };
        let to = if self.is_flexible(slot.ty) { u64::MAX } else { slot.bit.saturating_add(width) };
        (slot.bit, to)
    }

    fn is_flexible(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Array { length: ArrayLength::Incomplete, .. })
    }

    /// A scalar, a text or a value of a whole record for a part.
    #[allow(clippy::unnecessary_wraps, reason = "a step of the walk like the others")]
    fn give(&mut self, slot: Slot, what: What, span: Span, collected: &mut Collected) -> Lowered<()> {
        let (ast, (from, to)) = (self.ast, self.extent(slot));
        let (leaves, to) = match what {
            What::Record(_) => (self.leaves(slot.ty).unwrap_or(0), to),
            What::Text { count, width, .. } => (count, from.saturating_add(count.saturating_mul(u64::from(width)))),
            What::Value(_) | What::Unit { .. } | What::Zero => (1, to),
        };
        collected.leaves = collected.leaves.saturating_add(leaves);
        if !matches!(slot.target, Target::Measure) {
            let is_literal = match what {
                What::Value(expr) => self.is_literal(expr),
                What::Record(_) => false,
                What::Text { .. } | What::Unit { .. } | What::Zero => true,
            };
            let shared = collected.in_braces_of_range && !is_literal;
            collected.parts.add(ast, Given { slot, to, what, span, in_range: collected.ranges > 0, shared });
        }
        Ok(())
    }

    fn is_literal(&self, mut expr: ast::ExprId) -> bool {
        while let ExprKind::Unary { op: ast::UnaryOp::Minus, operand } = self.ast[expr].kind {
            expr = operand;
        }
        matches!(self.ast[expr].kind, ExprKind::Integer(_) | ExprKind::Char(_) | ExprKind::Float(_) | ExprKind::String(_))
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
            _ => self.give(slot, What::Value(expr), span, collected),
        }
    }

    fn record_value(&mut self, slot: Slot, expr: ast::ExprId, span: Span, collected: &mut Collected) -> Lowered<()> {
        match (slot.target, &self.ast[expr].kind) {
            (Target::Static, ExprKind::CompoundLiteral { initializer, .. }) => self.object(slot, *initializer, collected),
            _ => self.give(slot, What::Record(expr), span, collected),
        }
    }

    fn string(&mut self, slot: Slot, text: ast::StringId, collected: &mut Collected) -> Lowered<()> {
        let Type::Array { element, length } = *self.types.get(slot.ty) else { return Ok(()) };
        let literal = &self.ast[text];
        let count = match length {
            ArrayLength::Constant(count) => count,
            ArrayLength::Incomplete | ArrayLength::Variable(_) => literal.units.len() as u64 + 1,
        };
        if matches!(slot.target, Target::Measure) {
            collected.length = collected.length.max(count);
        }
        let width = 8 * u32::try_from(self.size_of(element.ty).unwrap_or(1)).unwrap_or(1);
        self.give(slot, What::Text { text, element: element.ty, count, width }, literal.span, collected)
    }

    /// The part of a slot that is member or element number `index`.
    fn part(&mut self, slot: Slot, index: u64) -> Option<Slot> {
        match *self.types.get(slot.ty) {
            Type::Array { element, .. } => {
                let width = 8 * self.size_of(element.ty).ok()?;
                let target = match slot.target {
                    Target::Dynamic(place) => {
                        let number = self.int(self.basic.int, i128::from(index));
                        Target::Dynamic(self.exprs.intern(Expr::Index(place, number), element.ty))
                    }
                    other => other,
                };
                let bit = slot.bit.saturating_add(index.saturating_mul(width));
                Some(Slot { target, bit, ty: element.ty, bits: None })
            }
            Type::Record(id) => {
                let position = usize::try_from(index).ok()?;
                let field = self.types.record(id).fields.get(position)?;
                let (ty, bits) = (field.ty.ty, field.bits);
                let first_bit = bits.map_or(8 * field.offset, |bits| bits.first_bit);
                let target = match slot.target {
                    Target::Dynamic(place) => {
                        let number = u32::try_from(index).ok()?;
                        Target::Dynamic(self.exprs.intern(Expr::Field(place, number), ty))
                    }
                    other => other,
                };
                Some(Slot { target, bit: slot.bit + first_bit, ty, bits: bits.map(|bits| bits.width) })
            }
            _ => None,
        }
    }

    /// The part of a slot that gets something next. Of a union only the member counts that was chosen last.
    fn entered(&mut self, slot: Slot, index: u64, collected: &mut Collected) -> Option<Slot> {
        if self.is_union(slot.ty) {
            let (from, to) = self.extent(slot);
            collected.parts.choose(self.ast, (from, slot.ty), index, to);
        }
        self.part(slot, index)
    }

    fn is_union(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Record(id) if self.types.record(*id).is_union)
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
        let is_union = self.is_union(slot.ty);
        if !braced {
            let (from, to) = self.extent(slot);
            if let Some(item) = items.get(*position) {
                collected.parts.go_on(from, to, item.span);
            }
        }
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
            if let Some(first) = designators.first() {
                collected.parts.override_from_here();
                next = self.designated(slot, *first, designators, items, position, collected)?;
            } else if next < count {
                match self.entered(slot, next, collected) {
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
        designators: &[Designator],
        items: &[InitializerItem],
        position: &mut usize,
        collected: &mut Collected,
    ) -> Lowered<u64> {
        let span = items[*position].span;
        // A member of an unnamed member is one of both: what comes behind it in the text goes to what comes behind it there.
        let (low, high, rest) = match first {
            Designator::Index(index) => {
                let index = self.part_number(slot, index)?;
                (index, index, &designators[1..])
            }
            Designator::Range(low, high) => (self.part_number(slot, low)?, self.part_number(slot, high)?, &designators[1..]),
            Designator::Member(member) => {
                let name = self.ast.name(member.name);
                let found = match *self.types.get(slot.ty) {
                    Type::Record(id) => self.find_member(id, name),
                    _ => None,
                };
                let Some(path) = found else {
                    return Err(self.error(member.span, format!("no member named `{name}`"), "unknown member"));
                };
                let rest = if path.len() > 1 { designators } else { &designators[1..] };
                (path[0] as u64, path[0] as u64, rest)
            }
        };
        if low > high {
            return Err(self.error(span, "a range of elements that ends before it begins", "an empty range"));
        }
        let before = *position;
        let is_range = matches!(first, Designator::Range(..));
        collected.ranges += usize::from(is_range);
        for index in low..=high {
            if index - low > LONGEST_RANGE {
                collected.unsupported = Some("initialiser of a long range of elements".into());
                break;
            }
            *position = before;
            let Some(part) = self.entered(slot, index, collected) else {
                return Err(self.error(span, "this designator names nothing", "no such part"));
            };
            // The items behind it go on with the last of several elements.
            let items = if index < high { &items[..=before] } else { items };
            if rest.is_empty() {
                self.element_of(part, items, position, true, collected)?;
            } else {
                self.fill(part, items, position, false, Some(rest), collected)?;
            }
        }
        collected.ranges -= usize::from(is_range);
        Ok(high.saturating_add(1))
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
