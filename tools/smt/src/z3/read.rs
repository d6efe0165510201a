//! Formulas of Z3 about the arguments of a predicate, as terms.
//!
//! Numbers are computed in bit vectors that are wide enough for whatever their parts can be, so that they mean what they mean to
//! Z3. Where several variables are computed with, the same is said once more in their own width, where sums wrap: how far one counter
//! is ahead of another is kept when both wrap. What has an operator that is not known here is left out.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most operators of Z3 do not occur, and those that are not known are left out"
)]

use indexmap::IndexSet;
use z3::ast::{Ast, BV, Bool, Dynamic};
use z3::{AstKind, DeclKind};

use super::whole::Sign;
use crate::terms::{Sort, TermId, TermStore};

/// An argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The variable.
    pub(super) variable: TermId,
    /// How it is read as a number; `None` if it is not.
    pub(super) reading: Option<Sign>,
}

/// Bits of the widest numbers that are computed.
const WIDEST: u32 = 120;

/// Parts of a formula that is read.
const PARTS: usize = 20_000;

/// How wide numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// As wide as they must be.
    Enough,
    /// As wide as the variables are.
    Own,
}

/// The conjuncts of a formula that can be read.
pub(super) fn conjuncts(store: &mut TermStore, formula: &Bool, places: &[Place]) -> Vec<TermId> {
    let (mut found, mut open) = (IndexSet::new(), vec![Dynamic::from_ast(formula)]);
    let mut reader = Reader { store, places, left: PARTS, width: Width::Enough };
    while let Some(next) = open.pop() {
        if next.kind() == AstKind::App && next.decl().kind() == DeclKind::And {
            open.extend(next.children());
            continue;
        }
        for width in [Width::Enough, Width::Own] {
            reader.width = width;
            found.extend(reader.formula(&next).filter(|term| *term != reader.store.tt()));
        }
    }
    found.into_iter().rev().collect()
}

struct Reader<'s> {
    store: &'s mut TermStore,
    places: &'s [Place],
    /// Parts that may still be read: shared ones are read each time.
    left: usize,
    width: Width,
}

impl Reader<'_> {
    fn place(&self, ast: &Dynamic) -> Option<Place> {
        (ast.kind() == AstKind::Var).then(|| self.places.get(index(ast)).copied()).flatten()
    }

    fn count(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    fn formulas(&mut self, ast: &Dynamic) -> Option<Vec<TermId>> {
        ast.children().iter().map(|child| self.formula(child)).collect()
    }

    fn formula(&mut self, ast: &Dynamic) -> Option<TermId> {
        self.count()?;
        if let Some(place) = self.place(ast) {
            return (self.store.sort(place.variable) == Sort::Bool).then_some(place.variable);
        }
        let kind = (ast.kind() == AstKind::App).then(|| ast.decl().kind())?;
        match kind {
            DeclKind::True => Some(self.store.tt()),
            DeclKind::False => Some(self.store.ff()),
            DeclKind::Not => {
                let inner = self.formula(&ast.nth_child(0)?)?;
                Some(self.store.not(inner))
            }
            DeclKind::And => {
                let parts = self.formulas(ast)?;
                Some(self.store.and(&parts))
            }
            DeclKind::Or => {
                let parts = self.formulas(ast)?;
                Some(self.store.or(&parts))
            }
            DeclKind::Implies => {
                let parts = self.formulas(ast)?;
                Some(self.store.implies(*parts.first()?, *parts.get(1)?))
            }
            DeclKind::Ite => {
                let parts = self.formulas(ast)?;
                Some(self.store.ite(*parts.first()?, *parts.get(1)?, *parts.get(2)?))
            }
            DeclKind::Bit2bool => {
                let (bits, at) = (self.bits(&ast.nth_child(0)?)?, parameter(ast, 0));
                let (bit, one) = (self.store.extract(bits, at, at), self.store.bits(1, 1));
                Some(self.store.eq(bit, one))
            }
            _ if ast.num_children() == 2 => self.comparison(kind, &ast.nth_child(0)?, &ast.nth_child(1)?),
            _ => None,
        }
    }

    fn comparison(&mut self, kind: DeclKind, left: &Dynamic, right: &Dynamic) -> Option<TermId> {
        if left.as_bool().is_some() {
            let (a, b) = (self.formula(left)?, self.formula(right)?);
            let same = self.store.eq(a, b);
            return match kind {
                DeclKind::Eq | DeclKind::Iff => Some(same),
                DeclKind::Xor | DeclKind::Distinct => Some(self.store.not(same)),
                _ => None,
            };
        }
        if left.as_bv().is_some() {
            let (a, b) = (self.bits(left)?, self.bits(right)?);
            return self.compared_bits(kind, a, b);
        }
        left.as_int()?;
        let bounds = self.bounds(left)?.join(self.bounds(right)?);
        let width = match self.width {
            Width::Own if bounds.sums => bounds.own,
            Width::Own | Width::Enough => bounds.width()?,
        };
        let (a, b) = (self.number(left, width)?, self.number(right, width)?);
        let store = &mut *self.store;
        Some(match kind {
            DeclKind::Eq => store.eq(a, b),
            DeclKind::Distinct => store.ne(a, b),
            DeclKind::Lt => store.slt(a, b),
            DeclKind::Le => store.sle(a, b),
            DeclKind::Gt => store.slt(b, a),
            DeclKind::Ge => store.sle(b, a),
            _ => return None,
        })
    }

    fn compared_bits(&mut self, kind: DeclKind, a: TermId, b: TermId) -> Option<TermId> {
        let store = &mut *self.store;
        Some(match kind {
            DeclKind::Eq => store.eq(a, b),
            DeclKind::Distinct => store.ne(a, b),
            DeclKind::Ult => store.ult(a, b),
            DeclKind::Uleq => store.ule(a, b),
            DeclKind::Ugt => store.ult(b, a),
            DeclKind::Ugeq => store.ule(b, a),
            DeclKind::Slt => store.slt(a, b),
            DeclKind::Sleq => store.sle(a, b),
            DeclKind::Sgt => store.slt(b, a),
            DeclKind::Sgeq => store.sle(b, a),
            _ => return None,
        })
    }

    fn bits(&mut self, ast: &Dynamic) -> Option<TermId> {
        self.count()?;
        if let Some(place) = self.place(ast) {
            return matches!(self.store.sort(place.variable), Sort::BitVec(_)).then_some(place.variable);
        }
        let kind = (ast.kind() != AstKind::Quantifier).then(|| ast.decl().kind())?;
        let bits = ast.as_bv()?;
        let width = bits.get_size();
        match kind {
            DeclKind::Bnum => super::model::bits(&bits, width).map(|value| self.store.bits(width, value)),
            DeclKind::Ite => {
                let condition = self.formula(&ast.nth_child(0)?)?;
                let (yes, no) = (self.bits(&ast.nth_child(1)?)?, self.bits(&ast.nth_child(2)?)?);
                Some(self.store.ite(condition, yes, no))
            }
            _ => {
                let parts = ast.children().iter().map(|child| self.bits(child)).collect::<Option<Vec<TermId>>>()?;
                self.applied(kind, &parts, &bits)
            }
        }
    }

    fn applied(&mut self, kind: DeclKind, parts: &[TermId], ast: &BV) -> Option<TermId> {
        let store = &mut *self.store;
        let width = ast.get_size();
        let fold = |store: &mut TermStore, join: fn(&mut TermStore, TermId, TermId) -> TermId| {
            let (first, rest) = parts.split_first()?;
            Some(rest.iter().fold(*first, |all, part| join(store, all, *part)))
        };
        match kind {
            DeclKind::Badd => fold(store, TermStore::add),
            DeclKind::Bmul => fold(store, TermStore::mul),
            DeclKind::Band => fold(store, TermStore::bit_and),
            DeclKind::Bor => fold(store, TermStore::bit_or),
            DeclKind::Bxor => fold(store, TermStore::bit_xor),
            DeclKind::Concat => fold(store, TermStore::concat),
            DeclKind::Bsub => fold(store, TermStore::sub),
            DeclKind::Bneg => Some(store.neg(*parts.first()?)),
            DeclKind::Bnot => Some(store.bit_not(*parts.first()?)),
            DeclKind::ZeroExt => Some(store.zero_extend(*parts.first()?, width)),
            DeclKind::SignExt => Some(store.sign_extend(*parts.first()?, width)),
            DeclKind::Extract => {
                let low = parameter(ast, 1);
                Some(store.extract(*parts.first()?, low + width - 1, low))
            }
            _ => None,
        }
    }

    /// What a number lies between, with all that it is computed from.
    fn bounds(&mut self, ast: &Dynamic) -> Option<Bounds> {
        self.count()?;
        if let Some(place) = self.place(ast) {
            let width = self.store.width(place.variable);
            let bounds = Bounds::of(width, place.reading.unwrap_or(Sign::Signed));
            return (width < WIDEST).then_some(Bounds { own: width, ..bounds });
        }
        let int = ast.as_int()?;
        if let Some(value) = int.as_i128() {
            return Some(Bounds::constant(value));
        }
        let kind = (ast.kind() == AstKind::App).then(|| ast.decl().kind())?;
        let children = ast.children();
        let joined: fn(Bounds, Bounds) -> Option<Bounds> = match kind {
            DeclKind::Add => Bounds::plus,
            DeclKind::Sub => Bounds::minus,
            DeclKind::Mul => Bounds::times,
            DeclKind::Uminus => {
                let inner = self.bounds(children.first()?)?;
                return Bounds::constant(0).minus(inner);
            }
            DeclKind::Ite => {
                let (yes, no) = (self.bounds(children.get(1)?)?, self.bounds(children.get(2)?)?);
                return Some(yes.join(no));
            }
            DeclKind::Mod => {
                let by = children.get(1)?.as_int()?.as_i128().filter(|by| by.count_ones() == 1 && *by > 0)?;
                return Some(self.bounds(children.first()?)?.join(Bounds::constant(by)));
            }
            _ => return None,
        };
        let (first, rest) = children.split_first()?;
        let mut all = self.bounds(first)?;
        for part in rest {
            all = joined(all, self.bounds(part)?)?;
        }
        Some(all)
    }

    /// A number in so many bits.
    fn number(&mut self, ast: &Dynamic, width: u32) -> Option<TermId> {
        if let Some(place) = self.place(ast) {
            return Some(match place.reading {
                Some(Sign::Unsigned | Sign::Either) => self.store.resize_unsigned(place.variable, width),
                Some(Sign::Signed) | None => self.store.resize_signed(place.variable, width),
            });
        }
        if let Some(value) = ast.as_int()?.as_i128() {
            return Some(self.store.signed_bits(width, value));
        }
        let children = ast.children();
        match ast.decl().kind() {
            DeclKind::Ite => {
                let condition = self.formula(children.first()?)?;
                let (yes, no) = (self.number(children.get(1)?, width)?, self.number(children.get(2)?, width)?);
                return Some(self.store.ite(condition, yes, no));
            }
            DeclKind::Mod => {
                // A power of two.
                let by = children.get(1)?.as_int()?.as_i128()?;
                let (number, mask) = (self.number(children.first()?, width)?, self.store.signed_bits(width, by - 1));
                return Some(self.store.bit_and(number, mask));
            }
            _ => {}
        }
        let parts = children.iter().map(|child| self.number(child, width)).collect::<Option<Vec<TermId>>>()?;
        let (first, rest) = parts.split_first()?;
        let store = &mut *self.store;
        match ast.decl().kind() {
            DeclKind::Uminus => Some(store.neg(*first)),
            DeclKind::Add => Some(rest.iter().fold(*first, |all, part| store.add(all, *part))),
            DeclKind::Sub => Some(rest.iter().fold(*first, |all, part| store.sub(all, *part))),
            DeclKind::Mul => Some(rest.iter().fold(*first, |all, part| store.mul(all, *part))),
            _ => None,
        }
    }
}

/// What a number and its parts lie between.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: i128,
    high: i128,
    /// The size of the largest part.
    most: i128,
    /// The width of the widest variable.
    own: u32,
    /// Whether variables are summed.
    sums: bool,
}

impl Bounds {
    fn of(width: u32, sign: Sign) -> Self {
        let (low, high) = match sign {
            Sign::Unsigned | Sign::Either => (0, (1 << width) - 1),
            Sign::Signed => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        };
        Self::between(low, high, 0)
    }

    fn constant(value: i128) -> Self {
        Self::between(value, value, 0)
    }

    fn between(low: i128, high: i128, most: i128) -> Self {
        Self { low, high, most: most.max(high.saturating_abs()).max(low.saturating_abs()), own: 0, sums: false }
    }

    /// The same as a result of two numbers.
    fn of_both(self, a: Self, b: Self) -> Self {
        Self { most: self.most.max(a.most).max(b.most), own: a.own.max(b.own), sums: a.sums || b.sums, ..self }
    }

    fn join(self, other: Self) -> Self {
        Self::between(self.low.min(other.low), self.high.max(other.high), 0).of_both(self, other)
    }

    fn plus(self, other: Self) -> Option<Self> {
        let sum = Self::between(self.low.checked_add(other.low)?, self.high.checked_add(other.high)?, 0).of_both(self, other);
        Some(Self { sums: sum.sums || (self.own > 0 && other.own > 0), ..sum })
    }

    fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self::constant(-1).times(other)?)
    }

    fn times(self, other: Self) -> Option<Self> {
        let ends = [
            self.low.checked_mul(other.low)?,
            self.low.checked_mul(other.high)?,
            self.high.checked_mul(other.low)?,
            self.high.checked_mul(other.high)?,
        ];
        let (low, high) = (ends.into_iter().min()?, ends.into_iter().max()?);
        Some(Self::between(low, high, 0).of_both(self, other))
    }

    /// Bits that are enough, with a sign.
    fn width(self) -> Option<u32> {
        let width = 129 - self.most.leading_zeros();
        (width <= WIDEST).then_some(width)
    }
}

/// The number of a bound variable, which the wrapper does not tell.
#[expect(unsafe_code, reason = "the wrapper lacks this question")]
fn index(ast: &Dynamic) -> usize {
    // SAFETY: the term is a bound variable of the context of this thread.
    unsafe { z3_sys::Z3_get_index_value(ast.get_ctx().get_z3_context(), ast.get_z3_ast()) as usize }
}

/// A parameter of the operator of a term, which the wrapper does not tell.
#[expect(unsafe_code, reason = "the wrapper lacks this question")]
fn parameter(ast: &impl Ast, at: u32) -> u32 {
    let context = ast.get_ctx().get_z3_context();
    // SAFETY: the term is an application of the context of this thread, of an operator with that many parameters, all numbers.
    unsafe {
        let Some(application) = z3_sys::Z3_to_app(context, ast.get_z3_ast()) else { return 0 };
        let Some(declaration) = z3_sys::Z3_get_app_decl(context, application) else { return 0 };
        u32::try_from(z3_sys::Z3_get_decl_int_parameter(context, declaration, at)).unwrap_or(0)
    }
}
