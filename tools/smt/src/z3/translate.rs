//! From our terms to Z3's, each once.

use rustc_hash::FxHashMap;
use z3::ast::{Array, BV, Bool, Dynamic};

use crate::terms::{Op, Sort, TermId, TermStore};

/// Translated terms of one store.
#[derive(Debug, Default)]
pub(super) struct Translator {
    done: FxHashMap<TermId, Dynamic>,
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
            let args: Vec<Dynamic> =
                store.args(part).iter().filter_map(|arg| self.done.get(arg).cloned()).collect();
            let ast = translate(store, part, &args);
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

fn translate(store: &TermStore, term: TermId, args: &[Dynamic]) -> Dynamic {
    match (store.op(term), store.sort(term), args) {
        (Op::Variable { variable, instance }, sort, _) => {
            Dynamic::new_const(store.symbol(variable, instance), &z3_sort(sort))
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
        (Op::Extract { low }, Sort::BitVec(width)) => {
            as_bits(a).extract(low + width - 1, low).into()
        }
        (Op::ZeroExtend, Sort::BitVec(width)) => {
            let a = as_bits(a);
            a.zero_ext(width - a.get_size()).into()
        }
        (Op::SignExtend, Sort::BitVec(width)) => {
            let a = as_bits(a);
            a.sign_ext(width - a.get_size()).into()
        }
        (Op::ConstArray, Sort::Array { index, .. }) => {
            Array::const_array(&z3::Sort::bitvector(index), a).into()
        }
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

fn z3_sort(sort: Sort) -> z3::Sort {
    match sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::BitVec(width) => z3::Sort::bitvector(width),
        Sort::Array { index, element } => {
            z3::Sort::array(&z3::Sort::bitvector(index), &z3::Sort::bitvector(element))
        }
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
