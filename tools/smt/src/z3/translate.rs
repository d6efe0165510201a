//! From our terms to Z3's, each once.

use rustc_hash::FxHashMap;
use z3::ast::{Array, Ast, BV, Bool, Dynamic, Float, RoundingMode};

use crate::terms::{Op, Sort, TermId, TermStore};

/// Translated terms of one store.
#[derive(Debug, Default)]
pub(super) struct Translator {
    done: FxHashMap<TermId, Dynamic>,
    /// The results of floating-point operators, and choices among them, in Z3's own sort.
    floats: FxHashMap<TermId, Float>,
}

/// An assumption as Z3 wants it.
#[derive(Debug)]
pub(super) struct Literal {
    /// A Boolean constant or its negation.
    pub(super) plain: Bool,
    /// What the constant stands for, if it was introduced for an assumption that is no literal.
    pub(super) definition: Option<(TermId, Bool)>,
}

impl Translator {
    /// A formula.
    pub(super) fn formula(&mut self, store: &TermStore, formula: TermId) -> Bool {
        as_bool(&self.term(store, formula))
    }

    /// Any term.
    pub(super) fn term(&mut self, store: &TermStore, term: TermId) -> Dynamic {
        if let Some(known) = self.done.get(&term) {
            return known.clone();
        }
        let mut last = None;
        for part in store.post_order(&[term], |part| self.done.contains_key(&part)) {
            let args: Vec<Dynamic> = store.args(part).iter().filter_map(|arg| self.done.get(arg).cloned()).collect();
            let ast = match self.translate_float(store, part, &args) {
                Some(ast) => ast,
                None => translate(store, part, &args),
            };
            self.done.insert(part, ast.clone());
            last = Some(ast);
        }
        last.unwrap_or_else(|| Bool::from_bool(false).into())
    }

    /// Assumptions as literals.
    pub(super) fn literals(&mut self, store: &TermStore, assumptions: &[TermId]) -> Vec<Literal> {
        assumptions
            .iter()
            .map(|&assumption| {
                let formula = self.formula(store, assumption);
                let (atom, _) = store.without_not(assumption);
                if store.as_variable(atom).is_some() {
                    return Literal { plain: formula, definition: None };
                }
                let name = format!("assumption!{}", assumption.index());
                let plain = Bool::new_const(name);
                Literal { definition: Some((assumption, plain.implies(&formula))), plain }
            })
            .collect()
    }
}

impl Translator {
    /// Floating-point operators; `None` for the others.
    fn translate_float(&mut self, store: &TermStore, term: TermId, args: &[Dynamic]) -> Option<Dynamic> {
        let (op, ids) = (store.op(term), store.args(term));
        let width = if let Sort::BitVec(width) = store.sort(term) { width } else { 0 };
        let rounding = RoundingMode::round_nearest_ties_to_even();
        let result = match (op, ids, args) {
            (Op::FEq, &[a, b], _) => return Some(self.float(store, a).eq_fpa(self.float(store, b)).into()),
            (Op::FLt, &[a, b], _) => return Some(self.float(store, a).lt(self.float(store, b)).into()),
            (Op::FLe, &[a, b], _) => return Some(self.float(store, a).le(self.float(store, b)).into()),
            (Op::FToSigned, &[a], _) => {
                let truncate = RoundingMode::round_towards_zero();
                return Some(self.float(store, a).to_sbv_with_rounding_mode(&truncate, width).into());
            }
            (Op::FToUnsigned, &[a], _) => {
                let truncate = RoundingMode::round_towards_zero();
                return Some(self.float(store, a).to_ubv_with_rounding_mode(&truncate, width).into());
            }
            (Op::Ite, &[_, a, b], [condition, yes, no]) if self.floats.contains_key(&a) || self.floats.contains_key(&b) => {
                let chosen = as_bool(condition).ite(&self.float(store, a), &self.float(store, b));
                self.floats.insert(term, chosen);
                // The choice of the bits, not the bits of the choice: Z3 has one NaN, and its bits are not those of a branch.
                return Some(as_bool(condition).ite(&as_bits(yes), &as_bits(no)).into());
            }
            (Op::FAdd, &[a, b], _) => self.float(store, a).add_with_rounding_mode(self.float(store, b), &rounding),
            (Op::FSub, &[a, b], _) => self.float(store, a).sub_with_rounding_mode(self.float(store, b), &rounding),
            (Op::FMul, &[a, b], _) => self.float(store, a).mul_with_rounding_mode(self.float(store, b), &rounding),
            (Op::FDiv, &[a, b], _) => self.float(store, a).div_with_rounding_mode(self.float(store, b), &rounding),
            (Op::FConvert, &[a], _) => self.float(store, a).to_fp_with_rounding_mode(&rounding, &float_sort(width)),
            (Op::FFromSigned, _, [a]) => float_from_integer(&as_bits(a), &rounding, width, Signedness::Signed)?,
            (Op::FFromUnsigned, _, [a]) => float_from_integer(&as_bits(a), &rounding, width, Signedness::Unsigned)?,
            _ => return None,
        };
        let bits = result.to_ieee_bv();
        self.floats.insert(term, result);
        Some(bits.into())
    }

    /// A translated term as a float.
    fn float(&self, store: &TermStore, term: TermId) -> Float {
        if let Some(float) = self.floats.get(&term) {
            return float.clone();
        }
        let bits = self.done.get(&term).map(as_bits);
        bits.and_then(|bits| float_from_bits(&bits, store.width(term)))
            .unwrap_or_else(|| unreachable!("a translated float expected"))
    }
}

enum Signedness {
    Signed,
    Unsigned,
}

fn float_sort(width: u32) -> z3::Sort {
    let (exponent, significand) = crate::terms::float_format(width);
    z3::Sort::float(exponent, significand)
}

/// The float of a bit pattern, which the wrapper does not offer.
#[expect(unsafe_code, reason = "the wrapper lacks this conversion")]
fn float_from_bits(bits: &BV, width: u32) -> Option<Float> {
    let context = bits.get_ctx();
    let sort = float_sort(width);
    // SAFETY: term and sort belong to the context of this thread and are kept alive by their
    // owners until the result holds its own reference.
    unsafe {
        let ast = z3_sys::Z3_mk_fpa_to_fp_bv(context.get_z3_context(), bits.get_z3_ast(), sort.get_z3_sort())?;
        Some(Float::wrap(context, ast))
    }
}

/// The float nearest to an integer, which the wrapper does not offer.
#[expect(unsafe_code, reason = "the wrapper lacks this conversion")]
fn float_from_integer(integer: &BV, rounding: &RoundingMode, width: u32, signedness: Signedness) -> Option<Float> {
    let context = integer.get_ctx();
    let sort = float_sort(width);
    let convert = match signedness {
        Signedness::Signed => z3_sys::Z3_mk_fpa_to_fp_signed,
        Signedness::Unsigned => z3_sys::Z3_mk_fpa_to_fp_unsigned,
    };
    // SAFETY: as in `float_from_bits`.
    unsafe {
        let ast = convert(context.get_z3_context(), rounding.get_z3_ast(), integer.get_z3_ast(), sort.get_z3_sort())?;
        Some(Float::wrap(context, ast))
    }
}

fn translate(store: &TermStore, term: TermId, args: &[Dynamic]) -> Dynamic {
    match (store.op(term), store.sort(term), args) {
        (Op::Variable { variable, instance }, sort, _) => {
            Dynamic::new_const(store.instance_name(variable, instance), &z3_sort(sort))
        }
        (Op::Bits(value), Sort::BitVec(width), _) => numeral(width, value).into(),
        (Op::And, ..) => Bool::and(&args.iter().map(as_bool).collect::<Vec<_>>()).into(),
        (Op::Or, ..) => Bool::or(&args.iter().map(as_bool).collect::<Vec<_>>()).into(),
        (Op::Not, _, [a]) => as_bool(a).not().into(),
        (Op::Ite, _, [condition, yes, no]) => as_bool(condition).ite(yes, no),
        (Op::Eq, _, [a, b]) => a.eq(b).into(),
        (Op::Add, _, [first, rest @ ..]) => {
            let first = as_bits(first);
            rest.iter().fold(first, |sum, part| sum.bvadd(as_bits(part))).into()
        }
        (op, sort, [a]) => translate_unary(op, sort, a),
        (op, _, [a, b]) => translate_binary(op, a, b),
        (Op::Store, _, [array, index, value]) => as_array(array).store(index, value).into(),
        (op, ..) => Bool::from_bool(op == Op::True).into(),
    }
}

fn translate_unary(op: Op, sort: Sort, a: &Dynamic) -> Dynamic {
    match (op, sort) {
        (Op::Neg, _) => as_bits(a).bvneg().into(),
        (Op::BitNot, _) => as_bits(a).bvnot().into(),
        (Op::Extract { low }, Sort::BitVec(width)) => as_bits(a).extract(low + width - 1, low).into(),
        (Op::ZeroExtend, Sort::BitVec(width)) => {
            let a = as_bits(a);
            a.zero_ext(width - a.get_size()).into()
        }
        (Op::SignExtend, Sort::BitVec(width)) => {
            let a = as_bits(a);
            a.sign_ext(width - a.get_size()).into()
        }
        (Op::ConstArray, Sort::Array { index, .. }) => Array::const_array(&z3::Sort::bitvector(index), a).into(),
        _ => unreachable!("{op:?} is not unary"),
    }
}

fn translate_binary(op: Op, a: &Dynamic, b: &Dynamic) -> Dynamic {
    if op == Op::Select {
        return as_array(a).select(b);
    }
    let (a, b) = (as_bits(a), as_bits(b));
    match op {
        Op::Mul => a.bvmul(b).into(),
        Op::UDiv => a.bvudiv(b).into(),
        Op::SDiv => a.bvsdiv(b).into(),
        Op::URem => a.bvurem(b).into(),
        Op::SRem => a.bvsrem(b).into(),
        Op::BitAnd => a.bvand(b).into(),
        Op::BitOr => a.bvor(b).into(),
        Op::BitXor => a.bvxor(b).into(),
        Op::Shl => a.bvshl(b).into(),
        Op::LShr => a.bvlshr(b).into(),
        Op::AShr => a.bvashr(b).into(),
        Op::ULt => a.bvult(b).into(),
        Op::SLt => a.bvslt(b).into(),
        Op::Concat => a.concat(b).into(),
        Op::True
        | Op::False
        | Op::Bits(_)
        | Op::Variable { .. }
        | Op::Not
        | Op::And
        | Op::Or
        | Op::Ite
        | Op::Eq
        | Op::Add
        | Op::Neg
        | Op::BitNot
        | Op::Extract { .. }
        | Op::ZeroExtend
        | Op::SignExtend
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FEq
        | Op::FLt
        | Op::FLe
        | Op::FConvert
        | Op::FFromSigned
        | Op::FFromUnsigned
        | Op::FToSigned
        | Op::FToUnsigned
        | Op::Select
        | Op::Store
        | Op::ConstArray => unreachable!("{op:?} has no two arguments"),
    }
}

pub(super) fn numeral(width: u32, value: u128) -> BV {
    match u64::try_from(value) {
        Ok(small) => BV::from_u64(small, width),
        Err(_) => {
            let high = BV::from_u64((value >> 64) as u64, width - 64);
            high.concat(BV::from_u64(value as u64, 64))
        }
    }
}

pub(super) fn z3_sort(sort: Sort) -> z3::Sort {
    match sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::BitVec(width) => z3::Sort::bitvector(width),
        Sort::Array { index, element } => z3::Sort::array(&z3::Sort::bitvector(index), &z3::Sort::bitvector(element)),
    }
}

/// The store guarantees the sorts, so the views below exist.
fn as_bool(ast: &Dynamic) -> Bool {
    ast.as_bool().unwrap_or_else(|| unreachable!("a truth value expected"))
}

fn as_bits(ast: &Dynamic) -> BV {
    ast.as_bv().unwrap_or_else(|| unreachable!("a bit vector expected"))
}

fn as_array(ast: &Dynamic) -> Array {
    ast.as_array().unwrap_or_else(|| unreachable!("an array expected"))
}
