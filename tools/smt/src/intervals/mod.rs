//! A branch-and-prune solver for formulas over floats of few variables.
//!
//! Terms are evaluated over boxes: a range for each variable. A box on which the formula is
//! certainly false is dropped, a point on which it is true is a model, anything else is cut in
//! two. Bit-precise solvers multiply such formulas out into circuits, which takes minutes where a
//! few hundred boxes suffice. Ranges may be wider than the truth, so `Unsat` is certain; a model is
//! checked by evaluation.
//! Source: the interval search of D'Silva, Haller, Kroening and Tautschnig, TACAS 2012, without its learning.

#![expect(clippy::wildcard_enum_match_arm, reason = "an operator without a rule has any value")]

mod domain;
mod first;

use formats::dense;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::solver::{Limits, Model};
use crate::terms::{Op, Sort, TermId, TermStore, Value, mask, to_signed};
use domain::{ANY, Floats, Range, Same};
pub(crate) use first::RangesFirst;

/// Formulas with more terms than this are not tried.
const LARGEST: usize = 20_000;

/// The most variables that are cut.
const CUT_VARIABLES: usize = 6;

/// What came of the search.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// A model, checked.
    Sat(Model),
    /// There is none.
    Unsat,
    /// Not found out within the effort, or not a formula for this solver.
    Unknown,
}

/// Searches for a model of a conjunction that uses floats; at once `Unknown` for others. Gives up
/// after evaluating `effort` terms.
fn solve(store: &TermStore, conjuncts: &[TermId], limits: &Limits, effort: usize) -> Outcome {
    let Some(mut search) = Search::new(store, conjuncts) else { return Outcome::Unknown };
    search.run(limits, effort)
}

/// A box: a range for each cut variable.
type Ranges = Vec<Range>;

struct Search<'s> {
    store: &'s TermStore,
    conjuncts: &'s [TermId],
    /// All terms, arguments first.
    order: Vec<TermId>,
    /// Positions of the arguments of each term, from `starts` on.
    arguments: Vec<u32>,
    starts: Vec<u32>,
    /// Positions of the conjuncts.
    roots: Vec<u32>,
    /// Variables whose ranges are cut.
    cut: Vec<TermId>,
    /// Those of them that are integers converted to floats, in order.
    numbers: Vec<TermId>,
    /// Values of the other variables at sample points.
    others: BTreeMap<TermId, Range>,
    /// Truth values that a conjunct equates with the term at a position.
    definitions: Vec<(TermId, u32)>,
    values: Vec<Range>,
    effort: usize,
}

impl<'s> Search<'s> {
    fn new(store: &'s TermStore, conjuncts: &'s [TermId]) -> Option<Search<'s>> {
        let order = store.post_order(conjuncts, |_| false);
        if order.len() > LARGEST {
            return None;
        }
        let (mut floats, mut numbers) = (Vec::new(), Vec::new());
        for term in order.iter().filter(|term| store.op(**term).is_float()) {
            let from_integer = matches!(store.op(*term), Op::FFromSigned | Op::FFromUnsigned);
            for arg in store.args(*term) {
                add_cut(store, *arg, if from_integer { &mut numbers } else { &mut floats });
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        // A variable that is read both ways, or none at all, is not for this solver.
        if floats.iter().any(|variable| numbers.binary_search(variable).is_ok()) {
            return None;
        }
        let mut cut = floats;
        cut.extend_from_slice(&numbers);
        cut.sort_unstable();
        cut.dedup();
        if cut.is_empty() || cut.len() > CUT_VARIABLES {
            return None;
        }
        let position: FxHashMap<TermId, u32> = order.iter().copied().zip(0..).collect();
        let at = |term: &TermId| position.get(term).copied().unwrap_or(0);
        let (mut arguments, mut starts) = (Vec::new(), Vec::with_capacity(order.len() + 1));
        for term in &order {
            starts.push(dense(arguments.len()));
            arguments.extend(store.args(*term).iter().map(at));
        }
        starts.push(dense(arguments.len()));
        let mut search = Search {
            store,
            conjuncts,
            values: vec![ANY; order.len()],
            roots: conjuncts.iter().map(at).collect(),
            order,
            arguments,
            starts,
            cut,
            numbers,
            others: BTreeMap::new(),
            definitions: Vec::new(),
            effort: 0,
        };
        search.choose_others();
        search.find_definitions(&position);
        Some(search)
    }

    /// Sample values for variables that are not cut: what a conjunct asks of them directly.
    fn choose_others(&mut self) {
        for conjunct in self.conjuncts {
            let (atom, negated) = self.store.without_not(*conjunct);
            if self.store.as_variable(atom).is_some() {
                self.others.insert(atom, Range::Bool(Some(!negated)));
            }
            if let (Op::Eq, &[a, b]) = (self.store.op(atom), self.store.args(atom)) {
                for (variable, value) in [(a, b), (b, a)] {
                    if let (Some(_), Some(bits), Sort::BitVec(width)) =
                        (self.store.as_variable(variable), self.store.as_bits(value), self.store.sort(variable))
                    {
                        let other = bits.wrapping_add(u128::from(negated)) & mask(width);
                        self.others.insert(variable, Range::constant(width, other));
                    }
                }
            }
        }
    }

    /// Truth values that stand for another term take its value at a sample point.
    fn find_definitions(&mut self, position: &FxHashMap<TermId, u32>) {
        for conjunct in self.conjuncts {
            let &[a, b] = self.store.args(*conjunct) else { continue };
            if self.store.op(*conjunct) != Op::Eq || self.store.sort(a) != Sort::Bool {
                continue;
            }
            for (variable, term) in [(a, b), (b, a)] {
                if self.store.as_variable(variable).is_some()
                    && !self.others.contains_key(&variable)
                    && let Some(at) = position.get(&term)
                {
                    self.definitions.push((variable, *at));
                    break;
                }
            }
        }
    }

    fn run(&mut self, limits: &Limits, effort: usize) -> Outcome {
        let start: Ranges = self.cut.iter().map(|variable| self.everything(*variable)).collect();
        let start = self.contracted(start);
        let mut open = vec![start];
        let mut undecided = false;
        while let Some(ranges) = open.pop() {
            if self.effort > effort || limits.stopped() {
                return Outcome::Unknown;
            }
            if self.evaluate(&ranges, None) == Some(false) {
                continue;
            }
            if let Some(model) = self.sample(&ranges) {
                return Outcome::Sat(model);
            }
            match self.split(&ranges) {
                Some((left, right)) => open.extend([left, right]),
                None => undecided = true,
            }
            // A point that stays undecided depends on what is not cut; more of them will not help.
            if undecided {
                return Outcome::Unknown;
            }
        }
        Outcome::Unsat
    }

    fn everything(&self, variable: TermId) -> Range {
        let width = self.store.width(variable);
        if self.numbers.binary_search(&variable).is_ok() {
            Range::between(width, 0, mask(width))
        } else {
            Range::Bits { bits: None, float: Some(Floats::ALL) }
        }
    }

    /// Narrows the ranges by the conjuncts that bound a variable with a constant.
    fn contracted(&self, mut ranges: Ranges) -> Ranges {
        for conjunct in self.conjuncts {
            let &[a, b] = self.store.args(*conjunct) else { continue };
            let op = self.store.op(*conjunct);
            if op == Op::Eq {
                for (variable, value) in [(a, b), (b, a)] {
                    if let (Ok(at), Some(bits)) = (self.cut.binary_search(&variable), self.store.as_bits(value)) {
                        ranges[at] = Range::constant(self.store.width(variable), bits);
                    }
                }
            }
            if !matches!(op, Op::FLt | Op::FLe | Op::FEq) {
                continue;
            }
            for (at, variable) in self.cut.iter().enumerate() {
                let Range::Bits { float: Some(range), .. } = &mut ranges[at] else { continue };
                let width = self.store.width(*variable);
                let constant = |term| self.store.as_bits(term).and_then(|bits| domain::read(width, bits));
                if a == *variable || b == *variable {
                    range.nan = false;
                }
                if a == *variable
                    && let Some(bound) = constant(b)
                {
                    range.high = range.high.min(bound);
                }
                if b == *variable
                    && let Some(bound) = constant(a)
                {
                    range.low = range.low.max(bound);
                }
            }
        }
        ranges
    }

    /// The truth of all conjuncts together over a box. With `others`, these variables are points.
    fn evaluate(&mut self, ranges: &Ranges, others: Option<&BTreeMap<TermId, Range>>) -> Option<bool> {
        self.effort += self.order.len();
        for at in 0..self.order.len() {
            self.values[at] = self.value(at, ranges, others);
        }
        let mut all = Some(true);
        for root in &self.roots {
            match self.values[*root as usize].truth() {
                Some(false) => return Some(false),
                Some(true) => {}
                None => all = None,
            }
        }
        all
    }

    /// Values of the arguments of the term at a position.
    fn arguments(&self, at: usize) -> impl Iterator<Item = Range> + '_ {
        let (from, to) = (self.starts[at] as usize, self.starts[at + 1] as usize);
        self.arguments[from..to].iter().map(|argument| self.values[*argument as usize])
    }

    fn argument(&self, at: usize, number: usize) -> Range {
        self.values[self.arguments[self.starts[at] as usize + number] as usize]
    }

    fn value(&self, at: usize, ranges: &Ranges, others: Option<&BTreeMap<TermId, Range>>) -> Range {
        let store = self.store;
        let term = self.order[at];
        let sort = store.sort(term);
        match store.op(term) {
            Op::True => Range::Bool(Some(true)),
            Op::False => Range::Bool(Some(false)),
            Op::Variable { .. } => self.variable(term, ranges, others),
            _ => match sort {
                Sort::Bool => Range::Bool(self.truth(at)),
                Sort::BitVec(width) if width <= 128 => self.bits(at, width),
                Sort::BitVec(_) | Sort::Array { .. } => ANY,
            },
        }
    }

    fn variable(&self, term: TermId, ranges: &Ranges, others: Option<&BTreeMap<TermId, Range>>) -> Range {
        if let Ok(at) = self.cut.binary_search(&term) {
            return ranges[at];
        }
        match (others, self.store.sort(term)) {
            (None, Sort::Bool) => Range::Bool(None),
            (None, _) | (_, Sort::Array { .. }) => ANY,
            (Some(others), Sort::Bool) => {
                let defined = self.definitions.iter().any(|(variable, _)| *variable == term);
                let default = Range::Bool((!defined).then_some(false));
                others.get(&term).copied().unwrap_or(default)
            }
            (Some(others), Sort::BitVec(width)) => others.get(&term).copied().unwrap_or(Range::constant(width, 0)),
        }
    }

    fn truth(&self, at: usize) -> Option<bool> {
        let store = self.store;
        let term = self.order[at];
        let args = store.args(term);
        let arg = |number: usize| self.argument(at, number);
        match store.op(term) {
            Op::Not => arg(0).truth().map(|value| !value),
            op @ (Op::And | Op::Or) => {
                let zero = op == Op::Or;
                let mut all = Some(!zero);
                for argument in self.arguments(at) {
                    match argument.truth() {
                        Some(value) if value == zero => return Some(zero),
                        Some(_) => {}
                        None => all = None,
                    }
                }
                all
            }
            Op::Ite => self.choice(at).truth(),
            Op::Eq => match store.sort(args[0]) {
                Sort::Array { .. } => None,
                Sort::Bool | Sort::BitVec(_) => arg(0).equal(arg(1)),
            },
            op @ (Op::ULt | Op::SLt) => {
                let width = store.width(args[0]);
                if width > 128 { None } else { domain::less(op, width, arg(0), arg(1)) }
            }
            op @ (Op::FEq | Op::FLt | Op::FLe) => domain::compare(op, arg(0).float(), arg(1).float()),
            _ => None,
        }
    }

    fn choice(&self, at: usize) -> Range {
        let (yes, no) = (self.argument(at, 1), self.argument(at, 2));
        match self.argument(at, 0).truth() {
            Some(true) => yes,
            Some(false) => no,
            None => yes.union(no),
        }
    }

    fn bits(&self, at: usize, width: u32) -> Range {
        let store = self.store;
        let term = self.order[at];
        let args = store.args(term);
        let arg = |number: usize| self.argument(at, number);
        match store.op(term) {
            Op::Bits(value) => Range::constant(width, value),
            Op::Ite => self.choice(at),
            op @ (Op::FAdd | Op::FSub | Op::FMul | Op::FDiv) => {
                let same = if args[0] == args[1] { Same::Yes } else { Same::No };
                let result = domain::arithmetic(op, width, arg(0).float(), arg(1).float(), same);
                Range::floats(width, result)
            }
            op @ (Op::FConvert | Op::FFromSigned | Op::FFromUnsigned | Op::FToSigned | Op::FToUnsigned) => {
                domain::convert(op, store.width(args[0]), arg(0), width)
            }
            Op::BitXor if store.as_bits(args[1]) == Some(1 << (width - 1)) => domain::negated(width, arg(0)),
            Op::BitXor if store.as_bits(args[0]) == Some(1 << (width - 1)) => domain::negated(width, arg(1)),
            Op::ZeroExtend => match arg(0).bits() {
                Some((low, high)) => Range::between(width, low, high),
                None if store.width(args[0]) <= 128 => Range::between(width, 0, mask(store.width(args[0]))),
                None => ANY,
            },
            Op::SignExtend => match arg(0).bits() {
                Some((low, high)) if (low ^ high) >> (store.width(args[0]) - 1) == 0 => {
                    let extended = |bits| to_signed(store.width(args[0]), bits) as u128 & mask(width);
                    Range::between(width, extended(low), extended(high))
                }
                _ => ANY,
            },
            _ => self.folded(at, width),
        }
    }

    /// Other operators on arguments that are single values.
    fn folded(&self, at: usize, width: u32) -> Range {
        let mut values = [0u128; 16];
        let mut count = 0;
        for argument in self.arguments(at) {
            match (argument.single(), values.get_mut(count)) {
                (Some(value), Some(slot)) => *slot = value,
                _ => return ANY,
            }
            count += 1;
        }
        match self.store.fold(self.order[at], &values[..count]) {
            Some(value) => Range::constant(width, value),
            None => ANY,
        }
    }

    /// A model at the middle of a box, if there is one.
    fn sample(&mut self, ranges: &Ranges) -> Option<Model> {
        let point: Ranges = self
            .cut
            .iter()
            .zip(ranges)
            .map(|(variable, range)| Range::constant(self.store.width(*variable), self.middle(*variable, *range)))
            .collect();
        let mut others = self.others.clone();
        let mut holds = self.evaluate(&point, Some(&others));
        if holds.is_none() && !self.definitions.is_empty() {
            for (variable, at) in &self.definitions {
                others.insert(*variable, self.values[*at as usize]);
            }
            holds = self.evaluate(&point, Some(&others));
        }
        if holds != Some(true) {
            return None;
        }
        let mut model = Model::new();
        let given = others.iter().map(|(variable, range)| (*variable, *range));
        for (variable, range) in given.chain(self.cut.iter().copied().zip(point)) {
            match (range, self.store.sort(variable)) {
                (Range::Bool(Some(value)), _) => model.set(variable, Value::Bool(value)),
                (range, Sort::BitVec(width)) => {
                    let value = range.single()?;
                    model.set(variable, Value::Bits { width, value });
                }
                _ => return None,
            }
        }
        let mut cache = FxHashMap::default();
        for conjunct in self.conjuncts {
            if self.store.eval_with(*conjunct, &model, &mut cache) != Ok(Value::Bool(true)) {
                return None;
            }
        }
        Some(model)
    }

    /// Bits of a value in the middle of a range.
    fn middle(&self, variable: TermId, range: Range) -> u128 {
        let width = self.store.width(variable);
        match range {
            Range::Bits { bits: Some((low, high)), .. } => low + (high - low) / 2,
            Range::Bits { float: Some(float), .. } => domain::write(width, middle(width, float)),
            Range::Bits { .. } | Range::Bool(_) => 0,
        }
    }

    /// Cuts a box in two along its widest side; `None` for a point.
    fn split(&self, ranges: &Ranges) -> Option<(Ranges, Ranges)> {
        let width = |at: usize| self.store.width(self.cut[at]);
        let widest = (0..ranges.len())
            .filter(|at| size(width(*at), ranges[*at]) > 0)
            .max_by_key(|at| (size(width(*at), ranges[*at]), std::cmp::Reverse(*at)))?;
        let (left, right) = halves(width(widest), ranges[widest])?;
        let (mut first, mut second) = (ranges.clone(), ranges.clone());
        first[widest] = left;
        second[widest] = right;
        Some((first, second))
    }
}

/// The variables that an operand is, through choices and sign changes, and for an integer through
/// extensions.
fn add_cut(store: &TermStore, operand: TermId, cut: &mut Vec<TermId>) {
    let mut open = vec![operand];
    while let Some(term) = open.pop() {
        match store.op(term) {
            Op::Variable { .. } if store.width(term) <= 64 => cut.push(term),
            Op::Ite => open.extend(&store.args(term)[1..]),
            Op::BitXor | Op::SignExtend | Op::ZeroExtend => {
                open.extend(store.args(term).iter().filter(|arg| store.as_bits(**arg).is_none()));
            }
            _ => {}
        }
    }
}

/// The rank of a float among those of its width, by value.
fn rank(width: u32, value: f64) -> i128 {
    let bits = domain::write(width, value);
    let magnitude = (bits & mask(width - 1)) as i128;
    if bits >> (width - 1) == 1 { -magnitude } else { magnitude }
}

fn unrank(width: u32, rank: i128) -> f64 {
    let sign = if rank < 0 { 1u128 << (width - 1) } else { 0 };
    domain::read(width, sign | rank.unsigned_abs()).unwrap_or(0.0)
}

/// A float of the width inside the range: the arithmetic middle where that is sensible, else the
/// middle by rank.
fn middle(width: u32, float: Floats) -> f64 {
    if !float.has_numbers() {
        return f64::NAN;
    }
    let moderate = float.low.abs() <= 1e9 && float.high.abs() <= 1e9;
    if moderate {
        let middle = domain::read(width, domain::write(width, float.low / 2.0 + float.high / 2.0));
        if let Some(middle) = middle.filter(|m| float.low < *m && *m < float.high) {
            return middle;
        }
    }
    let (low, high) = (rank(width, float.low), rank(width, float.high));
    unrank(width, low + (high - low) / 2)
}

/// How much there is to cut.
fn size(width: u32, range: Range) -> u128 {
    match range {
        Range::Bits { bits: Some((low, high)), .. } => high - low,
        Range::Bits { float: Some(float), .. } => {
            let numbers = if float.has_numbers() { (rank(width, float.high) - rank(width, float.low)).unsigned_abs() } else { 0 };
            numbers + u128::from(float.nan && float.has_numbers())
        }
        Range::Bits { .. } | Range::Bool(_) => 0,
    }
}

fn halves(width: u32, range: Range) -> Option<(Range, Range)> {
    match range {
        Range::Bits { bits: Some((low, high)), .. } if low < high => {
            let middle = low + (high - low) / 2;
            Some((Range::between(width, low, middle), Range::between(width, middle + 1, high)))
        }
        Range::Bits { float: Some(float), .. } => {
            if float.nan {
                let numbers = Floats { nan: false, ..float };
                return Some((Range::floats(width, numbers), Range::floats(width, Floats::point(f64::NAN))));
            }
            let middle = middle(width, float);
            let (at, last) = (rank(width, middle), rank(width, float.high));
            // The middle goes to the left; it may be the upper end when only two are left.
            let at = if at == last { at - 1 } else { at };
            let left = Floats { high: unrank(width, at), ..float };
            let right = Floats { low: unrank(width, at + 1), ..float };
            Some((Range::floats(width, left), Range::floats(width, right)))
        }
        Range::Bits { .. } | Range::Bool(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(store: &mut TermStore, value: f64) -> TermId {
        store.bits(64, u128::from(value.to_bits()))
    }

    /// `1 + x/2 - x²/8 + x³/16 - 5x⁴/128 >= bound` for x in [0, 1].
    fn square_root(store: &mut TermStore, bound: f64) -> Vec<TermId> {
        let x = store.variable("x", Sort::BitVec(64));
        let (zero, one) = (double(store, 0.0), double(store, 1.0));
        let mut sum = one;
        let mut power = one;
        for factor in [0.5, -0.125, 0.0625, -0.039_062_5] {
            power = store.float_arithmetic(Op::FMul, power, x);
            let factor = double(store, factor);
            let part = store.float_arithmetic(Op::FMul, factor, power);
            sum = store.float_arithmetic(Op::FAdd, sum, part);
        }
        let bound = double(store, bound);
        vec![
            store.float_compare(Op::FLe, zero, x),
            store.float_compare(Op::FLe, x, one),
            store.float_compare(Op::FLe, bound, sum),
        ]
    }

    #[test]
    fn polynomials_are_bounded() {
        for (bound, reachable) in [(1.5, false), (1.4, false), (1.39844, false), (1.3984, true), (1.39, true)] {
            let mut store = TermStore::new();
            let formula = square_root(&mut store, bound);
            let outcome = solve(&store, &formula, &Limits::default(), 10_000_000);
            assert_eq!(matches!(outcome, Outcome::Sat(_)), reachable, "{bound}: {outcome:?}");
            assert_eq!(outcome == Outcome::Unsat, !reachable, "{bound}: {outcome:?}");
        }
    }

    #[test]
    fn nan_and_infinity_are_values() {
        let mut store = TermStore::new();
        let x = store.variable("x", Sort::BitVec(64));
        let itself = store.float_compare(Op::FEq, x, x);
        let not_itself = store.not(itself);
        let outcome = solve(&store, &[not_itself], &Limits::default(), 100_000);
        assert!(matches!(outcome, Outcome::Sat(_)), "{outcome:?}");
        // x - x is zero for every number but the infinite ones.
        let zero = double(&mut store, 0.0);
        let difference = store.float_arithmetic(Op::FSub, x, x);
        let is_zero = store.float_compare(Op::FEq, difference, zero);
        let other = store.not(is_zero);
        let outcome = solve(&store, &[itself, other], &Limits::default(), 100_000);
        assert_ne!(outcome, Outcome::Unsat);
    }
}
