//! Evaluation of terms under an assignment of their variables.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::compare::order_key;
use super::fold::{self, mask, to_signed};
use super::{Op, Sort, TermId, TermStore};

/// A value of some sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// A bit vector of at most 128 bits, reduced modulo 2 to the width.
    Bits {
        /// Number of bits.
        width: u32,
        /// The unsigned reading.
        value: u128,
    },
    /// An array.
    Array(ArrayValue),
}

impl Value {
    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// The unsigned reading of a bit vector.
    #[must_use]
    pub fn as_bits(&self) -> Option<u128> {
        if let Value::Bits { value, .. } = self { Some(*value) } else { None }
    }

    /// The zero of a sort; `None` when it is too wide.
    #[must_use]
    pub fn zero(sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => Some(Value::Bool(false)),
            Sort::BitVec(width) => (width <= 128).then_some(Value::Bits { width, value: 0 }),
            Sort::Array { index, element } => (index <= 128 && element <= 128)
                .then(|| Value::Array(ArrayValue { index, element, default: 0, entries: BTreeMap::new() })),
        }
    }
}

/// An array value: a default and the elements that differ from it.
#[derive(Clone, Debug)]
pub struct ArrayValue {
    /// Width of an index in bits.
    pub index: u32,
    /// Width of an element in bits.
    pub element: u32,
    /// The element at every index not in `entries`.
    pub default: u128,
    /// The other elements by index.
    pub entries: BTreeMap<u128, u128>,
}

impl ArrayValue {
    /// The element at an index.
    #[must_use]
    pub fn get(&self, index: u128) -> u128 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }
}

impl PartialEq for ArrayValue {
    fn eq(&self, other: &ArrayValue) -> bool {
        let named = |at: &u128| self.get(*at) == other.get(*at);
        if !self.entries.keys().all(named) || !other.entries.keys().all(named) {
            return false;
        }
        // Different defaults do not matter when every index is named.
        self.default == other.default || {
            let count = self.entries.keys().chain(other.entries.keys().filter(|at| !self.entries.contains_key(at)));
            self.index < 64 && count.count() as u64 == 1 << self.index
        }
    }
}

impl Eq for ArrayValue {}

/// Values of variables; a variable without one is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    values: BTreeMap<TermId, Value>,
}

impl Assignment {
    /// The assignment of zero to everything.
    #[must_use]
    pub fn new() -> Assignment {
        Assignment::default()
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: TermId, value: Value) {
        self.values.insert(variable, value);
    }

    /// The value of a variable, if it was given one.
    #[must_use]
    pub fn get(&self, variable: TermId) -> Option<&Value> {
        self.values.get(&variable)
    }

    /// The variables with a value, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, &Value)> {
        self.values.iter().map(|(variable, value)| (*variable, value))
    }
}

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A part of the term is wider than evaluation handles.
    #[error("a bit vector of more than 128 bits cannot be evaluated")]
    TooWide,
    /// The assignment gives a variable a value of another sort.
    #[error("the assignment gives a term of sort {0} a value of another sort")]
    WrongSort(Sort),
}

impl TermStore {
    /// The value of a term.
    ///
    /// # Errors
    /// [`EvalError`] if a part is wider than 128 bits or the assignment is ill sorted.
    pub fn eval(&self, term: TermId, assignment: &Assignment) -> Result<Value, EvalError> {
        let mut cache = FxHashMap::default();
        self.eval_with(term, assignment, &mut cache)
    }

    /// The value of a term; `cache` holds values under the same assignment and is extended.
    ///
    /// # Errors
    /// As [`TermStore::eval`].
    pub fn eval_with(
        &self,
        term: TermId,
        assignment: &Assignment,
        cache: &mut FxHashMap<TermId, Value>,
    ) -> Result<Value, EvalError> {
        for part in self.post_order(&[term], |part| cache.contains_key(&part)) {
            let value = self.eval_one(part, assignment, cache)?;
            cache.insert(part, value);
        }
        cache.get(&term).cloned().ok_or(EvalError::TooWide)
    }

    /// The value of a bit-vector operator like that of `term` on arguments of these values; `None`
    /// for variables, floats, arrays and choices.
    pub(crate) fn fold(&self, term: TermId, values: &[u128]) -> Option<u128> {
        let args = self.args(term);
        let width = if let Sort::BitVec(width) = self.sort(term) { width } else { return None };
        let value = match (self.op(term), values) {
            (Op::Add, values) => values.iter().fold(0u128, |sum, value| sum.wrapping_add(*value)),
            (Op::Neg, &[value]) => value.wrapping_neg(),
            (Op::BitNot, &[value]) => !value,
            (Op::Concat, &[top, bottom]) => top.checked_shl(self.width(args[1]))? | bottom,
            (Op::Extract { low }, &[value]) => value >> low,
            (Op::ZeroExtend, &[value]) => value,
            (Op::SignExtend, &[value]) => to_signed(self.width(args[0]), value) as u128,
            (op, &[a, b]) => fold::binary(op, width, a, b)?,
            _ => return None,
        };
        Some(value & mask(width))
    }

    #[expect(clippy::too_many_lines, reason = "one line or two per operator")]
    fn eval_one(&self, term: TermId, assignment: &Assignment, cache: &FxHashMap<TermId, Value>) -> Result<Value, EvalError> {
        let sort = self.sort(term);
        let args = self.args(term);
        let arg = |at: usize| args.get(at).and_then(|arg| cache.get(arg)).ok_or(EvalError::TooWide);
        let bits = |at: usize| arg(at)?.as_bits().ok_or(EvalError::WrongSort(sort));
        let truth = |at: usize| arg(at)?.as_bool().ok_or(EvalError::WrongSort(sort));
        let from = || self.width(args[0]);
        let width = if let Sort::BitVec(width) = sort { width } else { 0 };
        if width > 128 {
            return Err(EvalError::TooWide);
        }
        let op = self.op(term);
        let value = match op {
            Op::True => return Ok(Value::Bool(true)),
            Op::False => return Ok(Value::Bool(false)),
            Op::Variable { .. } => return self.eval_variable(term, assignment),
            Op::Not => return Ok(Value::Bool(!truth(0)?)),
            Op::And | Op::Or => {
                let mut all = op == Op::And;
                for at in 0..args.len() {
                    all = if op == Op::And { all & truth(at)? } else { all | truth(at)? };
                }
                return Ok(Value::Bool(all));
            }
            Op::Ite => return arg(if truth(0)? { 1 } else { 2 }).cloned(),
            Op::Eq => return Ok(Value::Bool(arg(0)? == arg(1)?)),
            Op::ULt | Op::SLt => {
                let key = |value| order_key(op, from(), value);
                return Ok(Value::Bool(key(bits(0)?) < key(bits(1)?)));
            }
            Op::FEq | Op::FLt | Op::FLe => {
                let holds = super::floats::compare(op, from(), bits(0)?, bits(1)?);
                return Ok(Value::Bool(holds.ok_or(EvalError::TooWide)?));
            }
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => {
                super::floats::arithmetic(op, width, bits(0)?, bits(1)?).ok_or(EvalError::TooWide)?
            }
            // A number that does not fit may become any.
            Op::FConvert | Op::FFromSigned | Op::FFromUnsigned | Op::FToSigned | Op::FToUnsigned => {
                super::floats::convert(op, from(), bits(0)?, width).unwrap_or(0)
            }
            Op::Select | Op::Store | Op::ConstArray => return eval_array(op, sort, args, cache),
            Op::Bits(value) => value,
            Op::Add => {
                let mut sum = 0u128;
                for at in 0..args.len() {
                    sum = sum.wrapping_add(bits(at)?);
                }
                sum
            }
            Op::Neg => bits(0)?.wrapping_neg(),
            Op::BitNot => !bits(0)?,
            Op::Concat => bits(0)? << self.width(args[1]) | bits(1)?,
            Op::Extract { low } => bits(0)? >> low,
            Op::ZeroExtend => bits(0)?,
            Op::SignExtend => to_signed(from(), bits(0)?) as u128,
            Op::Mul
            | Op::UDiv
            | Op::SDiv
            | Op::URem
            | Op::SRem
            | Op::BitAnd
            | Op::BitOr
            | Op::BitXor
            | Op::Shl
            | Op::LShr
            | Op::AShr => fold::binary(op, width, bits(0)?, bits(1)?).ok_or(EvalError::TooWide)?,
        };
        Ok(Value::Bits { width, value: value & mask(width) })
    }

    fn eval_variable(&self, term: TermId, assignment: &Assignment) -> Result<Value, EvalError> {
        let sort = self.sort(term);
        let zero = Value::zero(sort).ok_or(EvalError::TooWide)?;
        let Some(value) = assignment.get(term) else { return Ok(zero) };
        let fits = match (value, sort) {
            (Value::Bool(_), Sort::Bool) => true,
            (Value::Bits { width, .. }, Sort::BitVec(wanted)) => *width == wanted,
            (Value::Array(value), Sort::Array { index, element }) => value.index == index && value.element == element,
            _ => false,
        };
        if fits { Ok(value.clone()) } else { Err(EvalError::WrongSort(sort)) }
    }
}

fn eval_array(op: Op, sort: Sort, args: &[TermId], cache: &FxHashMap<TermId, Value>) -> Result<Value, EvalError> {
    let values: Option<Vec<&Value>> = args.iter().map(|arg| cache.get(arg)).collect();
    match (op, values.as_deref(), sort) {
        (Op::Select, Some(&[Value::Array(array), Value::Bits { value: at, .. }]), Sort::BitVec(width)) => {
            Ok(Value::Bits { width, value: array.get(*at) })
        }
        (Op::Store, Some(&[Value::Array(array), Value::Bits { value: at, .. }, Value::Bits { value: new, .. }]), _) => {
            let mut array = array.clone();
            array.entries.insert(*at, *new);
            Ok(Value::Array(array))
        }
        (Op::ConstArray, Some(&[Value::Bits { value, .. }]), Sort::Array { index, element }) => {
            Ok(Value::Array(ArrayValue { index, element, default: *value, entries: BTreeMap::new() }))
        }
        _ => Err(EvalError::TooWide),
    }
}
