//! What an initialiser gives to which part of an object: the last one counts, and parts are written in the order of the object.
//!
//! Both are what gcc does where C leaves it open: an initialiser that a later one overrides is not evaluated at all, and those
//! that are left are evaluated in the order of members and elements, not of the text. A value of a whole record is lost when a
//! part of it is given anew; of a record in braces and of a string the rest stays.
//! Does not know designators nor omitted braces: that is `init`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::flags::{EDGES, EFFECT};
use super::place::Place;
use super::{Lowered, Lowerer};
use crate::ast::{self, Ast};
use crate::cfa::{ConstantValue, InitialScalar, Operation};
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{ArrayLength, Qualifiers, Type, TypeId};

/// Where an initialiser goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// A static object.
    Static,
    /// A place that is assigned to.
    Dynamic(ExprId),
    /// Nowhere: the initialiser is only measured.
    Measure,
}

/// A part of the object that is initialised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) target: Target,
    /// Its first bit within the object.
    pub(super) bit: u64,
    pub(super) ty: TypeId,
    /// Width of a bit-field.
    pub(super) bits: Option<u32>,
}

/// What is given.
#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// A scalar.
    Value(ast::ExprId),
    /// A structure or union as a whole.
    Record(ast::ExprId),
    /// A string for an array of `count` elements of `width` bits.
    Text {
        /// The literal.
        text: ast::StringId,
        /// The type of the elements.
        element: TypeId,
        /// How many.
        count: u64,
        /// Bits of each.
        width: u32,
    },
    /// One element of a string: the slot is the whole array, but for its bits.
    Unit {
        /// The character.
        unit: u32,
        /// The number of the element.
        at: u64,
        /// Its type.
        element: TypeId,
    },
    /// Empty braces for a scalar.
    Zero,
}

/// What a part is given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) slot: Slot,
    /// The bit behind it.
    pub(super) to: u64,
    pub(super) what: What,
    pub(super) span: Span,
    /// Several elements get it; it is evaluated once.
    pub(super) in_range: bool,
    /// It is in braces that several elements get, and is no literal: gcc then forgets all of an element whose part is
    /// given anew.
    pub(super) shared: bool,
}

/// What all parts are given, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Parts {
    given: Vec<Option<Given>>,
    /// What counts, by first bit; none overlaps another. Kept from the first designator on: before, nothing is given twice.
    counts: Option<BTreeMap<u64, usize>>,
    /// The member of each union that was chosen, by first bit and type.
    chosen: BTreeMap<(u64, TypeId), u64>,
    /// Where a part of an element was given anew that shares its initialiser with others.
    torn: Option<Span>,
}

impl Parts {
    /// Whether something may be given twice, or not in order.
    pub(super) const fn overrides(&self) -> bool {
        self.counts.is_some()
    }

    /// From here on something may be given twice.
    pub(super) fn override_from_here(&mut self) {
        let parts = self.given.iter().enumerate().filter_map(|(index, given)| Some((given.as_ref()?.slot.bit, index)));
        self.counts.get_or_insert_with(|| parts.collect());
    }

    /// The parts that overlap some bits.
    fn overlapping(&self, from: u64, to: u64) -> Vec<usize> {
        let Some(counts) = &self.counts else { return Vec::new() };
        let reaches = |index: &usize| self.given.get(*index).copied().flatten().is_some_and(|given| given.to > from);
        let before = counts.range(..from).next_back().map(|(_, index)| *index).filter(reaches);
        before.into_iter().chain(counts.range(from..to.max(from)).map(|(_, index)| *index)).collect()
    }

    /// Forgets what was given to some bits. Of a string the rest stays.
    pub(super) fn forget(&mut self, ast: &Ast, from: u64, to: u64) {
        for index in self.overlapping(from, to) {
            let Some(given) = self.given[index].take() else { continue };
            if let Some(counts) = &mut self.counts {
                counts.remove(&given.slot.bit);
            }
            if let What::Text { text, element, count, width } = given.what
                && (given.slot.bit < from || given.to > to)
            {
                self.keep_units(&ast[text].units, given, (element, count, width), |bit, end| end <= from || bit >= to);
            }
        }
    }

    /// Goes on with those elements of a string that are still wanted.
    fn keep_units(
        &mut self,
        units: &[u32],
        text: Given,
        (element, count, width): (TypeId, u64, u32),
        wanted: impl Fn(u64, u64) -> bool,
    ) {
        let units = units.iter().copied().chain(std::iter::repeat(0));
        for (at, unit) in (0..count).zip(units) {
            let bit = text.slot.bit + at * u64::from(width);
            let to = bit + u64::from(width);
            if wanted(bit, to) {
                self.put(Given { slot: Slot { bit, ..text.slot }, to, what: What::Unit { unit, at, element }, ..text });
            }
        }
    }

    /// Chooses a member of the union at some bits: what was given to another one is forgotten.
    pub(super) fn choose(&mut self, ast: &Ast, union: (u64, TypeId), member: u64, to: u64) {
        if self.chosen.insert(union, member).is_some_and(|before| before != member) {
            self.forget(ast, union.0, to);
        }
    }

    /// A part of what was given to some bits is given anew.
    pub(super) fn go_on(&mut self, from: u64, to: u64, span: Span) {
        let shared = |index: usize| self.given[index].is_some_and(|given| given.shared);
        if self.torn.is_none() && self.overlapping(from, to).into_iter().any(shared) {
            self.torn = Some(span);
        }
    }

    /// Gives something to a part; what was given to any of its bits before is forgotten.
    pub(super) fn add(&mut self, ast: &Ast, given: Given) {
        self.forget(ast, given.slot.bit, given.to);
        self.put(given);
    }

    fn put(&mut self, given: Given) {
        if let Some(counts) = &mut self.counts
            && given.to > given.slot.bit
        {
            counts.insert(given.slot.bit, self.given.len());
        }
        self.given.push(Some(given));
    }
}

impl Lowerer<'_> {
    /// Assigns what is given to the parts of an object; `is_zeroed` says that it is zero already.
    pub(super) fn assign_given(&mut self, parts: Parts, is_zeroed: bool) -> Lowered<()> {
        if let Some(span) = parts.torn {
            self.unsupported("initialiser that overrides a part of a range", span);
        }
        let overrides = parts.overrides();
        let mut given: Vec<Given> = parts.given.into_iter().flatten().collect();
        if overrides {
            given.sort_by_key(|given| given.slot.bit);
        }
        let mut evaluated = FxHashMap::default();
        for given in given {
            if let Target::Dynamic(place) = given.slot.target {
                self.assign_part(place, given, is_zeroed, &mut evaluated)?;
            }
        }
        Ok(())
    }

    fn assign_part(
        &mut self,
        place: ExprId,
        Given { slot, what, span, in_range, .. }: Given,
        is_zeroed: bool,
        evaluated: &mut FxHashMap<ast::ExprId, ExprId>,
    ) -> Lowered<()> {
        let (place, value) = match what {
            What::Value(expr) | What::Record(expr) => {
                let known = evaluated.get(&expr).copied();
                // An initialiser with side effects that several elements get is evaluated once.
                if in_range && known.is_none() && self.flags[expr.index()] & (EFFECT | EDGES) != 0 {
                    evaluated.insert(expr, place);
                }
                let value = match known {
                    Some(source) => self.exprs.intern(Expr::Load(source), slot.ty),
                    None => {
                        let value = self.value(expr)?;
                        self.assign_convert(value, slot.ty, span)?
                    }
                };
                (place, value)
            }
            What::Text { text, element, count, .. } => {
                let literal = &self.ast[text];
                let variable = self.string_object(&literal.units, element, count, literal.span);
                let source = self.variable(variable);
                (place, self.exprs.intern(Expr::Load(source), slot.ty))
            }
            What::Unit { unit, at, element } => {
                let number = self.int(self.basic.int, i128::from(at));
                let place = self.exprs.intern(Expr::Index(place, number), element);
                (place, self.int(element, i128::from(unit)))
            }
            What::Zero => (place, self.zero(slot.ty)),
        };
        let is_zero = matches!(self.exprs.get(value), Expr::Int(0) | Expr::Float(0));
        match what {
            _ if is_zero && is_zeroed => {}
            What::Value(_) => self.store(Place { expr: place, qualifiers: Qualifiers::default(), bits: slot.bits }, value, span),
            What::Record(_) | What::Text { .. } | What::Unit { .. } | What::Zero => {
                self.emit(Operation::Assign { place, value }, span);
            }
        }
        Ok(())
    }

    /// The scalars of a static object, and why these may not be all.
    pub(super) fn given_scalars(&mut self, parts: Parts) -> Lowered<(Vec<InitialScalar>, Option<Box<str>>)> {
        let (mut scalars, mut unsupported) = (Vec::new(), None);
        for Given { slot, what, span, .. } in parts.given.into_iter().flatten() {
            let value = match what {
                What::Value(expr) => {
                    let outer = std::mem::replace(&mut self.reading.is_static_value, true);
                    let read = self.quietly(|this| {
                        let value = this.value(expr)?;
                        this.assign_convert(value, slot.ty, span)
                    });
                    self.reading.is_static_value = outer;
                    let (value, effects) = read?;
                    self.evaluate_initial(value).filter(|_| !effects)
                }
                What::Record(_) => None,
                What::Text { text, element, count, width } => {
                    scalars.extend(self.unit_scalars(&self.ast[text].units, element, count, slot.bit));
                    if matches!(self.types.get(slot.ty), Type::Array { length: ArrayLength::Incomplete, .. }) {
                        // A flexible array member: its length counts, and so does the terminating zero.
                        let first_bit = slot.bit + (count - 1) * u64::from(width);
                        scalars.push(InitialScalar { first_bit, width, ty: element, value: ConstantValue::Int(0) });
                    }
                    continue;
                }
                What::Unit { unit, element, .. } => {
                    let unit = ConstantValue::Int(u128::from(unit));
                    scalars.push(self.scalar_at(Slot { ty: element, ..slot }, unit));
                    continue;
                }
                What::Zero => Some(ConstantValue::Int(0)),
            };
            match value {
                Some(value) => scalars.push(self.scalar_at(slot, value)),
                None => unsupported = Some("initialiser that is no constant".into()),
            }
        }
        Ok((scalars, unsupported))
    }

    fn scalar_at(&self, slot: Slot, value: ConstantValue) -> InitialScalar {
        let bytes = self.size_of(slot.ty).unwrap_or(0);
        let width = slot.bits.unwrap_or_else(|| u32::try_from(8 * bytes).unwrap_or(0));
        let value = match value {
            ConstantValue::Int(bits) if width < 128 => ConstantValue::Int(bits & ((1 << width) - 1)),
            value => value,
        };
        InitialScalar { first_bit: slot.bit, width, ty: slot.ty, value }
    }
}

/// Scalars in order of position. Zeros are left out, but for those behind the `end` of the type: elements of a flexible array
/// member say by being there how long it is.
pub(super) fn sorted(mut scalars: Vec<InitialScalar>, end: u64) -> Vec<InitialScalar> {
    scalars.sort_by_key(|scalar| scalar.first_bit);
    let is_zero = |scalar: &InitialScalar| matches!(scalar.value, ConstantValue::Int(0) | ConstantValue::Float(0));
    scalars.retain(|scalar| !is_zero(scalar) || scalar.first_bit >= end);
    scalars
}
