//! Whether an assume of the modified program implies one of the original.
//!
//! Asked in this order: comparisons of one value with constants are decided by intervals; conditions that read nothing in
//! common imply nothing; the solver decides the rest under a resource limit that is no clock. Each question is answered
//! once, "unknown" (which counts as no) included, so that both passes of the search see the same answers.

use program::cfa::{Cfa, EdgeId, FunctionId, Operation};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;
use rustc_hash::FxHashMap;
use semantics::compare::{Comparison, Side, ValueClass};
use smt::encode::Implications;
use smt::queries::Queries;
use smt::solver::Limits;

use crate::effects::Effects;

/// Steps the solver may take for one question.
const RESOURCES: u32 = 300_000;

/// Answers questions about implication.
pub(crate) trait Implies {
    /// Whether whatever passes the modified assume passes the original one, given that they agree on what they read.
    fn implies(&mut self, modified: EdgeId, original: EdgeId) -> bool;

    /// How many questions reached a solver.
    fn queries(&self) -> u64;
}

/// Only identical conditions match: nothing is implied.
#[derive(Debug)]
pub(crate) struct Never;

impl Implies for Never {
    fn implies(&mut self, _: EdgeId, _: EdgeId) -> bool {
        false
    }

    fn queries(&self) -> u64 {
        0
    }
}

/// Implication decided by intervals or a solver.
#[derive(Debug)]
pub(crate) struct Decided<'a> {
    comparison: &'a Comparison<'a>,
    effects: &'a Effects<'a>,
    known: FxHashMap<(Literal, Literal), bool>,
    solver: Option<Solver<'a>>,
    failed: bool,
}

#[derive(Debug)]
struct Solver<'a> {
    implications: Implications<'a>,
    queries: Queries,
}

type Literal = (ValueClass, bool);

impl<'a> Decided<'a> {
    pub(crate) fn new(comparison: &'a Comparison<'a>, effects: &'a Effects<'a>) -> Self {
        Self { comparison, effects, known: FxHashMap::default(), solver: None, failed: false }
    }

    fn literal(&self, side: Side, edge: EdgeId) -> Option<(Literal, ExprId)> {
        match self.comparison.program(side).edge(edge).operation {
            Operation::Assume { condition, truth } => Some(((self.comparison.value(side, condition), truth), condition)),
            Operation::Declare { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        }
    }

    fn decide(&mut self, modified: (EdgeId, ExprId, bool), original: (EdgeId, ExprId, bool)) -> bool {
        let (m, o) = (self.range(Side::Modified, modified.1, modified.2), self.range(Side::Original, original.1, original.2));
        if let (Some(m), Some(o)) = (&m, &o)
            && m.value == o.value
            && m.signed == o.signed
        {
            return m.is_within(o);
        }
        let reads = self.effects.reads(Side::Modified, modified.1);
        if !reads.objects.intersects(self.effects.reads(Side::Original, original.1).objects) {
            return false;
        }
        self.ask(modified.0, original.0)
    }

    fn ask(&mut self, modified: EdgeId, original: EdgeId) -> bool {
        if self.solver.is_none() && !self.failed {
            let limits = Limits { timeout: None, resources: Some(RESOURCES), stop: None };
            let implications = implications(self.comparison);
            match Queries::z3(limits) {
                Ok(queries) => self.solver = Some(Solver { implications, queries }),
                // Without a solver only less is covered.
                Err(_) => self.failed = true,
            }
        }
        self.solver.as_mut().is_some_and(|s| s.implications.implies(&mut s.queries, modified, original).unwrap_or(false))
    }

    /// The values for which a comparison of one value with a constant holds.
    #[allow(clippy::fn_params_excessive_bools, reason = "the flag is the truth of a condition, as edges have it")]
    fn range(&self, side: Side, condition: ExprId, truth: bool) -> Option<Range> {
        let program = self.comparison.program(side);
        let Expr::Binary(op, left, right) = *program.exprs.get(condition) else { return None };
        let ty = program.types.get(program.exprs.ty(left));
        let (signed, bits) = match ty {
            Type::Int { rank, signed } => (*signed, program.machine.int_size(*rank) * 8),
            Type::Bool => (false, 8),
            Type::Void
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Pointer(_)
            | Type::Array { .. }
            | Type::Function(_)
            | Type::Record(_)
            | Type::Enum(_)
            | Type::Vector { .. }
            | Type::VaList => return None,
        };
        let shift = u32::try_from(128u64.checked_sub(bits)?).ok()?;
        let constant = |e: ExprId| {
            let Expr::Int(value) = program.exprs.get(e) else { return None };
            // Wide constants do not fit.
            let value = i128::try_from(*value).ok().filter(|_| shift > 0)?;
            Some(if signed { (value << shift) >> shift } else { value })
        };
        let (op, value, bound) = match (constant(left), constant(right)) {
            (None, Some(bound)) => (op, left, bound),
            (Some(bound), None) => (mirrored(op), right, bound),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        Some(Range { value: self.comparison.value(side, value), signed, set: Set::new(op, bound, truth)? })
    }
}

impl Implies for Decided<'_> {
    fn implies(&mut self, modified: EdgeId, original: EdgeId) -> bool {
        let (Some((m, premise)), Some((o, conclusion))) =
            (self.literal(Side::Modified, modified), self.literal(Side::Original, original))
        else {
            return false;
        };
        if let Some(known) = self.known.get(&(m, o)) {
            return *known;
        }
        let answer = m == o || self.decide((modified, premise, m.1), (original, conclusion, o.1));
        self.known.insert((m, o), answer);
        answer
    }

    fn queries(&self) -> u64 {
        self.solver.as_ref().map_or(0, |s| s.queries.statistics().queries)
    }
}

/// Questions about what the programs of a comparison have in common.
pub(crate) fn implications<'a>(comparison: &'a Comparison<'a>) -> Implications<'a> {
    let (modified, original, map) = (comparison.modified, comparison.original, comparison.correspondence());
    let has_body = |cfa: &Cfa, function: FunctionId| cfa.function(function).entry.is_some();
    let function = move |f| map.function(f).filter(|g| has_body(modified, f) == has_body(original, *g));
    Implications::new(modified, original, move |variable| map.content(variable), function)
}

/// The comparison with its operands exchanged.
pub(crate) fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::Divide
        | BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr => op,
    }
}

/// A value and a set it lies in.
#[derive(Debug)]
struct Range {
    value: ValueClass,
    signed: bool,
    set: Set,
}

impl Range {
    fn is_within(&self, other: &Self) -> bool {
        self.set.is_within(&other.set)
    }
}

/// A set of integers: an interval, or all but one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    Interval(i128, i128),
    AllBut(i128),
}

impl Set {
    #[allow(clippy::fn_params_excessive_bools, reason = "the flag is the truth of a condition, as edges have it")]
    pub(crate) fn new(op: BinaryOp, bound: i128, truth: bool) -> Option<Self> {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        Some(match (op, truth) {
            (Equal, true) | (NotEqual, false) => Self::Interval(bound, bound),
            (Equal, false) | (NotEqual, true) => Self::AllBut(bound),
            (Less, true) | (GreaterEqual, false) => Self::Interval(i128::MIN, bound - 1),
            (LessEqual, true) | (Greater, false) => Self::Interval(i128::MIN, bound),
            (Greater, true) | (LessEqual, false) => Self::Interval(bound + 1, i128::MAX),
            (GreaterEqual, true) | (Less, false) => Self::Interval(bound, i128::MAX),
            (_, _) => return None,
        })
    }

    /// Whether every value of this set is in the other, whatever the width of the type (a bound at the end of the type's
    /// values may make "no" too strict, never "yes" wrong).
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Interval(a, b), Self::Interval(c, d)) => c <= a && b <= d,
            (Self::Interval(a, b), Self::AllBut(c)) => c < a || b < c,
            (Self::AllBut(a), Self::AllBut(b)) => a == b,
            (Self::AllBut(_), Self::Interval(..)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Set;
    use program::expr::BinaryOp::{Equal, GreaterEqual, Less, NotEqual};

    #[test]
    fn intervals_imply_wider_ones() {
        let set = |op, bound, truth| Set::new(op, bound, truth).unwrap_or(Set::AllBut(0));
        assert!(set(Less, 5, true).is_within(&set(Less, 10, true)));
        assert!(!set(Less, 10, true).is_within(&set(Less, 5, true)));
        assert!(set(Less, 10, false).is_within(&set(GreaterEqual, 5, true)));
        assert!(set(Equal, 3, true).is_within(&set(NotEqual, 4, true)));
        assert!(!set(NotEqual, 4, true).is_within(&set(Equal, 3, true)));
        assert!(set(Less, 4, true).is_within(&set(NotEqual, 4, true)));
    }
}
