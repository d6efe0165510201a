//! Values of the two programs that are equal although they are computed in different ways.
//!
//! The solver reads both expressions in two data states that agree but for the affected objects, which are renamed apart:
//! `x' + y` and `y + x` are equal if `x` is not affected, `x' - x'` and `0` are equal whatever `x` is. It works under a limit
//! that is no clock, and each question is answered once, "unknown" (which counts as no) included, so that both passes of the
//! search see the same answers. What is read behind a pointer must not be affected at all. Numbers with a floating point are
//! never proved equal: the bits of a result that is no number depend on how it was computed.
//! Source: ALGORITHM.md 4.1, 4.8.

use std::cell::RefCell;

use program::cfa::{Cfa, EdgeId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::compare::{Comparison, Side};
use semantics::object_set::ObjectSet;
use semantics::objects::{Root, root};
use smt::encode::{Claim, Implications, Question};
use smt::queries::Queries;
use smt::solver::Limits;

use crate::effects::Effects;
use crate::implication::implications;
use crate::rules::Rules;

/// Steps the solver may take for one question.
const RESOURCES: u32 = 300_000;
/// Expressions larger than this are not compared.
const LARGEST: usize = 200;

/// Answers questions about equal values.
#[derive(Debug)]
pub(crate) struct Semantic<'a> {
    comparison: &'a Comparison<'a>,
    effects: &'a Effects<'a>,
    rules: Rules,
    prover: RefCell<Prover<'a>>,
}

/// The solver, made when it is first asked, and what it has said: of a claim, when some variables differ.
#[derive(Debug, Default)]
struct Prover<'a> {
    solver: Option<(Implications<'a>, Queries)>,
    failed: bool,
    known: FxHashMap<(Claim, Vec<VarId>), bool>,
}

impl<'a> Semantic<'a> {
    pub(crate) fn new(comparison: &'a Comparison<'a>, effects: &'a Effects<'a>, rules: Rules) -> Self {
        Self { comparison, effects, rules, prover: RefCell::default() }
    }

    /// How many questions reached the solver.
    pub(crate) fn queries(&self) -> u64 {
        self.prover.borrow().solver.as_ref().map_or(0, |(_, queries)| queries.statistics().queries)
    }

    /// Whether two values are equal when at most the objects in `w` differ; each with the edge that computes it.
    pub(crate) fn equal(&self, modified: (EdgeId, ExprId), original: (EdgeId, ExprId), w: &ObjectSet) -> bool {
        self.proved(Claim::Equal(modified, original), (modified.1, original.1), w)
    }

    /// Whether the original gets past its assume wherever the modified program gets past its own, when at most the objects in
    /// `w` differ.
    pub(crate) fn implied(&self, modified: EdgeId, original: EdgeId, w: &ObjectSet) -> bool {
        let condition = |side: Side, edge: EdgeId| match self.comparison.program(side).edge(edge).operation {
            Operation::Assume { condition, .. } => Some(condition),
            Operation::Declare { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        };
        let (Some(x), Some(y)) = (condition(Side::Modified, modified), condition(Side::Original, original)) else {
            return false;
        };
        self.proved(Claim::Implied(modified, original), (x, y), w)
    }

    fn proved(&self, claim: Claim, (x, y): (ExprId, ExprId), w: &ObjectSet) -> bool {
        let (Some(mine), Some(_)) = (self.variables(Side::Modified, x, w), self.variables(Side::Original, y, w)) else {
            return false;
        };
        let differing: Vec<VarId> = mine.into_iter().filter(|variable| !self.agrees(*variable, w)).collect();
        // The same expression of what differs differs.
        let same = self.comparison.value(Side::Modified, x) == self.comparison.value(Side::Original, y);
        if same && !differing.is_empty() {
            return false;
        }
        let key = (claim, differing);
        let prover = &mut *self.prover.borrow_mut();
        if let Some(known) = prover.known.get(&key) {
            return *known;
        }
        let agrees = |variable: VarId| !key.1.contains(&variable);
        let answer = prover.ask(self.comparison, &Question { claim, agrees: &agrees });
        prover.known.insert(key, answer);
        answer
    }

    /// Whether all of a variable of the modified program is the same in both states.
    fn agrees(&self, variable: VarId, w: &ObjectSet) -> bool {
        if !self.rules.renaming {
            return true;
        }
        if matches!(self.comparison.modified.variable(variable).kind, VarKind::StringLiteral(_)) {
            return true;
        }
        let objects = self.effects.variable(Side::Modified, variable);
        let counterpart = self.comparison.correspondence().content(variable);
        counterpart.is_some_and(|other| !objects.is_empty() && objects == self.effects.variable(Side::Original, other))
            && !objects.intersects(w)
    }

    /// The variables an expression reads by name; none if it is not to be compared: it is large, reads what may differ
    /// behind a pointer, or computes with a floating point.
    fn variables(&self, side: Side, expr: ExprId, w: &ObjectSet) -> Option<Vec<VarId>> {
        let program = self.comparison.program(side);
        let (mut open, mut met, mut read) = (vec![expr], FxHashSet::default(), Vec::new());
        while let Some(at) = open.pop() {
            if !met.insert(at) {
                continue;
            }
            if met.len() > LARGEST || is_floating(program, at) {
                return None;
            }
            if let Expr::Load(place) = *program.exprs.get(at) {
                match root(program, place) {
                    Some(Root::Variable(variable)) if is_direct(program, place) => read.push(variable),
                    Some(Root::Variable(_) | Root::Pointer { .. }) | None => {
                        let reads = self.effects.reads(side, at);
                        if self.rules.renaming && (reads.foreign || reads.objects.intersects(w)) {
                            return None;
                        }
                    }
                }
            }
            open.extend(program.exprs.get(at).operands());
        }
        read.sort_unstable();
        read.dedup();
        Some(read)
    }
}

impl<'a> Prover<'a> {
    fn ask(&mut self, comparison: &'a Comparison<'a>, question: &Question) -> bool {
        if self.solver.is_none() && !self.failed {
            let limits = Limits { timeout: None, resources: Some(RESOURCES), stop: None };
            match Queries::z3(limits) {
                Ok(queries) => self.solver = Some((implications(comparison), queries)),
                // Without a solver only less is covered.
                Err(_) => self.failed = true,
            }
        }
        self.solver.as_mut().is_some_and(|(asked, queries)| asked.prove(queries, question).unwrap_or(false))
    }
}

/// Whether no pointer is followed on the way to a place, not even one that is known to lead to a variable.
fn is_direct(program: &Cfa, place: ExprId) -> bool {
    let mut at = place;
    while let Expr::Field(outer, _) | Expr::Index(outer, _) = *program.exprs.get(at) {
        at = outer;
    }
    matches!(program.exprs.get(at), Expr::Variable(_))
}

/// Whether an expression is a number with a floating point.
fn is_floating(program: &Cfa, expr: ExprId) -> bool {
    matches!(program.types.get(program.exprs.ty(expr)), Type::Float(_) | Type::Complex(_) | Type::Vector { .. })
}
