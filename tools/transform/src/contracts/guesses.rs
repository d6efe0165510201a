//! Clauses worth asking for.
//!
//! What callers ask of a result on the way to an error, and of the arguments on the way to the call; the same where a function
//! hands on what another one gives; comparisons of arguments, results and written variables with each other and with numbers of
//! the text; and, looking deeper, each of these where a condition of the body holds. A wrong guess costs time only.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use rustc_hash::FxHashMap;
use semantics::facts::Facts;

use super::arithmetic::Arithmetic;
use super::frame::{Opening, Setting, opening};
use super::ways::{self, Condition, before, is_small, said};
use super::{Clause, When, numbers};

/// Numbers of the text that comparisons are made with, for each function.
const NUMBERS: usize = 10;

/// Conditions of a body under which something else may hold.
const CASES: usize = 8;

/// Parts of one clause.
const LARGEST: usize = 400;

/// Clauses in all.
const MOST: usize = 2_000;

/// When a condition is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Entry,
    End,
}

/// How many guesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// What callers ask for.
    Asked,
    /// Besides, comparisons of arguments and results with each other, and with zero.
    Related,
    /// Besides, comparisons with numbers of the text.
    Numbers,
    /// Besides, what holds in one case of a body and not in another.
    Cases,
}

/// A setting for the recursive functions of a program, with guesses; `None` if there are none, or they can have no contract.
#[must_use]
pub fn guesses(facts: &Facts<'_>, depth: Depth) -> Option<(Setting, Vec<Clause>)> {
    let opening = opening(facts)?;
    let mut guessing = Guessing { cfa: facts.cfa(), facts, opening, found: Vec::new(), seen: BTreeSet::new() };
    guessing.of_calls();
    guessing.handed_on();
    if depth >= Depth::Related {
        guessing.of_signatures(depth);
    }
    guessing.found.truncate(MOST);
    let cases = guessing.functions().into_iter().map(|function| (function, guessing.conditions(function, At::Entry))).collect();
    Some((guessing.opening.close(cases), guessing.found))
}

struct Guessing<'a> {
    cfa: &'a Cfa,
    facts: &'a Facts<'a>,
    opening: Opening,
    found: Vec<Clause>,
    seen: BTreeSet<Clause>,
}

impl Guessing<'_> {
    fn add(&mut self, function: FunctionId, when: When, holds: Option<ExprId>) {
        let Some(holds) = holds.filter(|holds| is_small(&self.opening.editor.parts.exprs, *holds, LARGEST)) else { return };
        let clause = Clause { function, when, holds };
        let says = mentions(&self.opening, holds);
        if !says.is_empty() && is_total(&self.opening, holds) && self.seen.insert(clause) {
            self.found.push(clause);
        }
    }

    fn arithmetic(&mut self) -> Arithmetic<'_> {
        Arithmetic { editor: &mut self.opening.editor }
    }

    fn functions(&self) -> Vec<FunctionId> {
        self.opening.signatures.keys().copied().collect()
    }

    /// The calls of functions that have contracts.
    fn calls(&self) -> Vec<(EdgeId, FunctionId)> {
        let called = |edge| Some((edge, self.cfa.entered_callee(edge)?));
        let calls = self.cfa.edge_ids().filter_map(called);
        calls.filter(|(_, callee)| self.opening.signatures.contains_key(callee)).collect()
    }

    /// What is asked of calls and of what they give.
    fn of_calls(&mut self) {
        for (call, callee) in self.calls() {
            for conditions in ways::to_errors(self.cfa, &mut self.opening, call) {
                self.way(callee, &conditions);
            }
        }
        for (call, callee) in self.calls() {
            self.asked_before(call, callee);
        }
    }

    /// That a way to an error is not gone.
    fn way(&mut self, callee: FunctionId, conditions: &[Condition]) {
        let not = |guessing: &mut Self, (condition, truth): &Condition| {
            if *truth { guessing.arithmetic().not(*condition) } else { *condition }
        };
        let all: Vec<ExprId> = conditions.iter().map(|condition| not(self, condition)).collect();
        let outputs = self.outputs(callee);
        let of_output: Vec<ExprId> = all
            .iter()
            .copied()
            .filter(|one| mentions(&self.opening, *one).iter().any(|variable| outputs.contains(variable)))
            .collect();
        if of_output.is_empty() {
            return;
        }
        for part in [&all, &of_output] {
            let any = self.arithmetic().any(part);
            self.add(callee, When::Ensures, any);
        }
        for one in of_output {
            self.add(callee, When::Ensures, Some(one));
        }
    }

    /// The conditions in a caller from which control comes to a call.
    fn asked_before(&mut self, call: EdgeId, callee: FunctionId) {
        let known = before(self.cfa, &mut self.opening, call);
        let mut seen = BTreeSet::from([self.cfa.edge(call).source]);
        let mut pending: Vec<_> = seen.iter().copied().collect();
        while let Some(at) = pending.pop() {
            for edge in self.cfa.in_edges(at) {
                let edge = self.cfa.edge(*edge);
                if let Operation::Assume { condition, truth } = edge.operation
                    && let Some(said) = said(self.cfa, &mut self.opening, &known, condition)
                {
                    let holds = if truth { said } else { self.arithmetic().not(said) };
                    self.add(callee, When::Requires, Some(holds));
                }
                if seen.insert(edge.source) {
                    pending.push(edge.source);
                }
            }
        }
    }

    /// Where a function returns what a call of another one gives: the same of the other one, over its own arguments.
    fn handed_on(&mut self) {
        let tails: Vec<(FunctionId, EdgeId, FunctionId)> = self
            .calls()
            .into_iter()
            .map(|(call, callee)| (self.cfa.location(self.cfa.edge(call).source).function, call, callee))
            .filter(|(caller, _, callee)| caller != callee && self.opening.signatures.contains_key(caller))
            .collect();
        for _ in 0..self.opening.signatures.len().min(4) {
            for (caller, call, callee) in &tails {
                let own: Vec<Clause> = self.found.iter().copied().filter(|clause| clause.function == *caller).collect();
                for clause in own {
                    let holds = self.over_arguments(clause, *call, *callee);
                    self.add(*callee, clause.when, holds);
                    let same = self.same_of(clause, *callee);
                    self.add(*callee, clause.when, same);
                }
            }
        }
    }

    /// A clause of a caller over the arguments that it hands on, which are its own plus or minus something.
    fn over_arguments(&mut self, clause: Clause, call: EdgeId, callee: FunctionId) -> Option<ExprId> {
        let Operation::Call { arguments, .. } = &self.cfa.edge(call).operation else { return None };
        let (own, other) = (self.frame(clause.function), self.frame(callee));
        let mut known = FxHashMap::default();
        for (argument, ghost) in arguments.iter().zip(&other.0) {
            let Some(ghost) = ghost else { continue };
            let ghost = self.opening.editor.load(*ghost);
            let (variable, value) = match *self.cfa.exprs.get(*argument) {
                Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), load, number)
                    if matches!(self.cfa.exprs.get(number), Expr::Int(_)) =>
                {
                    let back = if op == BinaryOp::Add { BinaryOp::Subtract } else { BinaryOp::Add };
                    (load, self.arithmetic().sum(back, ghost, number)?)
                }
                _ => (*argument, ghost),
            };
            let position = self.parameter(clause.function, variable);
            if let Some(Some(argument)) = position.and_then(|position| own.0.get(position)) {
                let old = self.opening.editor.load(*argument);
                known.entry(old).or_insert(value);
            }
        }
        if let (Some(old), Some(new)) = (own.1, other.1) {
            known.insert(self.opening.editor.load(old), self.opening.editor.load(new));
        }
        self.moved(clause, callee, &known)
    }

    /// A clause as it is, of another function with as many arguments.
    fn same_of(&mut self, clause: Clause, callee: FunctionId) -> Option<ExprId> {
        let (own, other) = (self.frame(clause.function), self.frame(callee));
        let mut known = FxHashMap::default();
        let arguments = own.0.iter().zip(&other.0).filter_map(|(old, new)| old.as_ref().zip(new.as_ref()));
        for (old, new) in arguments.chain(own.1.iter().zip(&other.1)) {
            known.insert(self.opening.editor.load(*old), self.opening.editor.load(*new));
        }
        self.moved(clause, callee, &known)
    }

    /// A clause with other values, if it then speaks of a function alone and the types fit.
    fn moved(&mut self, clause: Clause, callee: FunctionId, known: &FxHashMap<ExprId, ExprId>) -> Option<ExprId> {
        let fits = known.iter().all(|(old, new)| self.opening.editor.type_of(*old) == self.opening.editor.type_of(*new));
        let moved = fits.then(|| self.opening.editor.substituted(clause.holds, known))?;
        let signature = &self.opening.signatures[&callee];
        let own: BTreeSet<VarId> = signature
            .call
            .arguments
            .iter()
            .flatten()
            .chain(&signature.call.result)
            .chain(signature.call.before.iter().map(|(_, before)| before))
            .chain(&signature.touched)
            .copied()
            .collect();
        mentions(&self.opening, moved).is_subset(&own).then_some(moved)
    }

    fn frame(&self, function: FunctionId) -> (Vec<Option<VarId>>, Option<VarId>) {
        let call = &self.opening.signatures[&function].call;
        (call.arguments.clone(), call.result)
    }

    /// Which parameter of a function a value is.
    fn parameter(&self, function: FunctionId, value: ExprId) -> Option<usize> {
        let Expr::Load(place) = *self.cfa.exprs.get(value) else { return None };
        let Expr::Variable(variable) = *self.cfa.exprs.get(place) else { return None };
        self.cfa.function(function).parameters.iter().position(|parameter| *parameter == variable)
    }

    /// What a call leaves: its result and the globals that it may write.
    fn outputs(&self, function: FunctionId) -> BTreeSet<VarId> {
        let call = &self.opening.signatures[&function].call;
        call.result.into_iter().chain(call.before.iter().map(|(global, _)| *global)).collect()
    }

    /// Comparisons of what a function gets and leaves.
    fn of_signatures(&mut self, depth: Depth) {
        let numbers = if depth >= Depth::Numbers { self.numbers() } else { BTreeMap::new() };
        for function in self.functions() {
            let signature = self.opening.signatures[&function].clone();
            let (call, editor) = (&signature.call, &mut self.opening.editor);
            let arguments: Vec<ExprId> = call.arguments.iter().flatten().map(|argument| editor.load(*argument)).collect();
            let outer: Vec<ExprId> = signature.touched.iter().map(|variable| editor.load(*variable)).collect();
            let written: Vec<ExprId> = call.before.iter().map(|(variable, _)| editor.load(*variable)).collect();
            let before: Vec<ExprId> = call.before.iter().map(|(_, before)| editor.load(*before)).collect();
            let outputs: Vec<ExprId> = call.result.map(|result| editor.load(result)).into_iter().chain(written).collect();
            let numbers = numbers.get(&function).cloned().unwrap_or_default();
            let given = [arguments.clone(), outer.clone()].concat();
            for holds in self.among(&given, &[], &numbers) {
                self.add(function, When::Requires, Some(holds));
            }
            let unchanged: Vec<ExprId> = outer.into_iter().filter(|one| !outputs.contains(one)).collect();
            let mut left = self.among(&outputs, &[arguments, before, unchanged].concat(), &numbers);
            let (then, now) = (self.conditions(function, At::Entry), self.conditions(function, At::End));
            for condition in now {
                left.extend([condition, self.arithmetic().not(condition)]);
            }
            for holds in &left {
                self.add(function, When::Ensures, Some(*holds));
            }
            if depth >= Depth::Cases {
                self.cases(function, &then, &left);
            }
        }
    }

    /// Comparisons of values with numbers, with each other, and with others.
    fn among(&mut self, values: &[ExprId], others: &[ExprId], numbers: &[i128]) -> Vec<ExprId> {
        let mut found = Vec::new();
        for (number, value) in values.iter().enumerate() {
            found.extend(self.bounds(*value, numbers));
            found.extend(self.relations(*value, &[others, &values[number + 1..]].concat()));
        }
        found
    }

    /// The conditions in the body of a function, on its arguments and outer variables as they are at its entry or at its end.
    fn conditions(&mut self, function: FunctionId, at: At) -> Vec<ExprId> {
        let signature = &self.opening.signatures[&function];
        let editor = &mut self.opening.editor;
        let arguments = self.cfa.function(function).parameters.iter().zip(&signature.call.arguments);
        let mut known: FxHashMap<VarId, ExprId> =
            arguments.filter_map(|(one, ghost)| Some((*one, editor.load((*ghost)?)))).collect();
        known.extend(signature.touched.iter().map(|variable| (*variable, editor.load(*variable))));
        if at == At::Entry {
            known.extend(signature.call.before.iter().map(|(variable, before)| (*variable, editor.load(*before))));
        }
        let mut conditions = Vec::new();
        for edge in self.cfa.edge_ids() {
            let edge = self.cfa.edge(edge);
            if self.cfa.location(edge.source).function == function
                && let Operation::Assume { condition, truth: true } = edge.operation
                && let Some(said) = said(self.cfa, &mut self.opening, &known, condition)
                && !conditions.contains(&said)
            {
                conditions.push(said);
            }
        }
        conditions.truncate(CASES);
        conditions
    }

    /// Each of some formulas where a condition holds, or does not.
    fn cases(&mut self, function: FunctionId, conditions: &[ExprId], left: &[ExprId]) {
        for condition in conditions {
            let other = self.arithmetic().not(*condition);
            for case in [*condition, other] {
                for holds in left {
                    let either = self.arithmetic().any(&[case, *holds]);
                    self.add(function, When::Ensures, either);
                }
            }
        }
    }

    /// Comparisons of a value with numbers.
    fn bounds(&mut self, value: ExprId, numbers: &[i128]) -> Vec<ExprId> {
        let mut arithmetic = self.arithmetic();
        let mut found: Vec<ExprId> = arithmetic.bound(BinaryOp::GreaterEqual, value, 0).into_iter().collect();
        for number in numbers {
            let ops = [BinaryOp::LessEqual, BinaryOp::GreaterEqual, BinaryOp::NotEqual];
            found.extend(ops.into_iter().filter_map(|op| arithmetic.bound(op, value, *number)));
        }
        found
    }

    /// Comparisons of what is left with what was there.
    fn relations(&mut self, output: ExprId, inputs: &[ExprId]) -> Vec<ExprId> {
        let mut arithmetic = self.arithmetic();
        let mut found = Vec::new();
        for (number, input) in inputs.iter().enumerate() {
            let ops = [BinaryOp::Equal, BinaryOp::LessEqual, BinaryOp::GreaterEqual];
            found.extend(ops.into_iter().filter_map(|op| arithmetic.compare(op, output, *input)));
            for other in &inputs[number + 1..] {
                for op in [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply] {
                    let sum = arithmetic.sum(op, *input, *other);
                    found.extend(sum.and_then(|sum| arithmetic.compare(BinaryOp::Equal, output, sum)));
                }
            }
        }
        found
    }

    /// The numbers in the text of each function and of those that call it, small ones first.
    fn numbers(&self) -> BTreeMap<FunctionId, Vec<i128>> {
        let own = numbers::of_functions(self.cfa);
        let mut found: BTreeMap<FunctionId, BTreeSet<i128>> = BTreeMap::new();
        for function in self.functions() {
            let sites = self.facts.calls().call_sites(function);
            let around = sites.iter().map(|edge| self.cfa.location(self.cfa.edge(*edge).source).function);
            let all = around.chain([function]).filter_map(|one| own.get(&one)).flatten().copied();
            found.entry(function).or_default().extend(all);
        }
        let sorted = |numbers: BTreeSet<i128>| {
            let mut numbers: Vec<i128> = numbers.into_iter().collect();
            numbers.sort_by_key(|number| number.unsigned_abs());
            numbers.truncate(NUMBERS);
            numbers
        };
        found.into_iter().map(|(function, numbers)| (function, sorted(numbers))).collect()
    }
}

/// Whether an expression has a value whatever its variables hold.
fn is_total(opening: &Opening, expr: ExprId) -> bool {
    use BinaryOp::{Divide, Remainder, ShiftLeft, ShiftRight};
    let exprs = &opening.editor.parts.exprs;
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        let one = exprs.get(expr);
        if let Expr::Binary(Divide | Remainder | ShiftLeft | ShiftRight, _, right) = one {
            // One that is neither zero nor -1, nor as large as any width.
            if !matches!(exprs.get(*right), Expr::Int(1..=7)) {
                return false;
            }
        }
        pending.extend(one.operands());
    }
    true
}

/// The variables that an expression mentions.
fn mentions(opening: &Opening, expr: ExprId) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        let one = opening.editor.parts.exprs.get(expr);
        if let Expr::Variable(variable) = one {
            found.insert(*variable);
        }
        pending.extend(one.operands());
    }
    found
}
