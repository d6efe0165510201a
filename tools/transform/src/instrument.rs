//! Checks and ghosts at places of a program: goals and facts that no assertion of its text says.
//!
//! A *check* is a condition at a location; what happens where it does not hold is what happens to a clause ([`Treat`]). A
//! *ghost* is a variable that only added edges write: the value of a parameter at the entry of its function, the n-th input.
//! All is put where it is asked for at once, so that the places that a caller has from the program stay true.

use std::collections::BTreeMap;

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::source::Span;
use program::types::{IntRank, QualType, Type, TypeId};

use crate::Recast;
use crate::assertions::Treat;
use crate::editor::Editor;

/// A condition at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// Where: it is evaluated whenever control is there.
    pub at: LocationId,
    /// A scalar that is to be other than zero; its evaluation neither traps nor has effects.
    pub holds: ExprId,
    /// What happens where it is zero.
    pub otherwise: Treat,
    /// Which place of the text speaks of it.
    pub span: Span,
}

/// A value to be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ghost {
    /// What an expression is at the entry of a function, each time it is entered. Calls of the function within itself overwrite
    /// it: a function that may call itself has none.
    AtEntry(FunctionId, ExprId),
    /// The n-th value, from 0, that calls of an input function give; zero before.
    Input(FunctionId, u64),
}

/// A program with checks and ghosts.
#[derive(Debug)]
pub struct Instrumented {
    /// The program; what it has of the old one has the same number there.
    pub recast: Recast,
    /// The error locations of each goal.
    pub goals: BTreeMap<u32, Vec<LocationId>>,
}

/// Instruments one program.
#[derive(Debug)]
pub struct Instrumenter<'a> {
    cfa: &'a Cfa,
    editor: Editor,
    checks: Vec<Check>,
    counters: BTreeMap<FunctionId, VarId>,
    /// Assignments behind edges and at entries, in order.
    behind: BTreeMap<EdgeId, Vec<Step>>,
    entering: BTreeMap<FunctionId, Vec<Step>>,
}

/// Something to be done when a place is passed.
#[derive(Clone, Copy, Debug)]
enum Step {
    Assign(VarId, ExprId),
    /// Assigns if a counter has a value.
    AssignAt(VarId, ExprId, VarId, u64),
    /// Counts up; stays at the largest value.
    Count(VarId),
}

impl<'a> Instrumenter<'a> {
    /// Begins with a program.
    #[must_use]
    pub fn new(cfa: &'a Cfa) -> Self {
        Self {
            cfa,
            editor: Editor::new(cfa),
            checks: Vec::new(),
            counters: BTreeMap::new(),
            behind: BTreeMap::new(),
            entering: BTreeMap::new(),
        }
    }

    /// For expressions that name ghosts.
    pub fn editor(&mut self) -> &mut Editor {
        &mut self.editor
    }

    /// Adds a check.
    pub fn check(&mut self, check: Check) {
        self.checks.push(check);
    }

    /// A variable with a value to be remembered. `None` for an input function without a result.
    pub fn ghost(&mut self, ghost: Ghost) -> Option<VarId> {
        match ghost {
            Ghost::AtEntry(function, value) => {
                let ty = self.editor.type_of(value);
                let variable = self.editor.ghost("entry", QualType::plain(ty));
                self.entering.entry(function).or_default().push(Step::Assign(variable, value));
                Some(variable)
            }
            Ghost::Input(function, number) => self.input(function, number),
        }
    }

    /// How many values calls of an input function have given so far, as an `unsigned long long`.
    pub fn counter(&mut self, function: FunctionId) -> VarId {
        let count = self.editor.ty(Type::Int { rank: IntRank::LongLong, signed: false });
        let known = self.counters.get(&function).copied();
        let counter = known.unwrap_or_else(|| self.editor.ghost("inputs", QualType::plain(count)));
        self.counters.insert(function, counter);
        counter
    }

    fn input(&mut self, function: FunctionId, number: u64) -> Option<VarId> {
        let Type::Function(ty) = self.cfa.types.get(self.cfa.function(function).ty) else { return None };
        if matches!(self.cfa.types.get(ty.result.ty), Type::Void) {
            return None;
        }
        let result = QualType::plain(ty.result.ty);
        let variable = self.editor.ghost("input", result);
        let counter = self.counter(function);
        for edge in self.cfa.edge_ids() {
            let Operation::Havoc { variable: read, input } = self.cfa.edge(edge).operation else { continue };
            if input != function {
                continue;
            }
            let read = read.unwrap_or_else(|| {
                // The value is dropped by the program: it goes to a ghost first.
                let dropped = self.editor.ghost("dropped", result);
                self.editor.parts.edges[edge.index()].operation = Operation::Havoc { variable: Some(dropped), input };
                dropped
            });
            let value = self.editor.load(read);
            self.behind.entry(edge).or_default().push(Step::AssignAt(variable, value, counter, number));
        }
        Some(variable)
    }

    /// The program with everything that was asked for.
    #[must_use]
    pub fn finish(mut self) -> Instrumented {
        for (function, counter) in std::mem::take(&mut self.counters) {
            for edge in self.cfa.edge_ids() {
                if matches!(self.cfa.edge(edge).operation, Operation::Havoc { input, .. } if input == function) {
                    self.behind.entry(edge).or_default().push(Step::Count(counter));
                }
            }
        }
        for (edge, steps) in std::mem::take(&mut self.behind) {
            let at = (self.editor.edge(edge).span, self.editor.edge(edge).statement);
            let target = self.editor.edge(edge).target;
            let begin = self.editor.location_beside(target);
            self.editor.lead(edge, begin);
            self.steps(begin, target, &steps, at);
        }
        let goals = self.place_checks();
        // Entries come first: what is checked there may speak of them.
        for (function, steps) in std::mem::take(&mut self.entering) {
            let Some(entry) = self.editor.parts.functions[function.index()].entry else { continue };
            let begin = self.editor.location_beside(entry);
            let span = self.cfa.function(function).span;
            self.steps(begin, entry, &steps, (span, span));
            self.editor.parts.functions[function.index()].entry = Some(begin);
        }
        Instrumented { recast: self.editor.finish(), goals }
    }

    fn steps(&mut self, from: LocationId, to: LocationId, steps: &[Step], at: (Span, Span)) {
        let mut here = from;
        for (number, step) in steps.iter().enumerate() {
            let next = if number + 1 == steps.len() { to } else { self.editor.location_beside(from) };
            match *step {
                Step::Assign(variable, value) => self.assign(here, next, variable, value, at),
                Step::AssignAt(variable, value, counter, number) => {
                    let (count, ty) = self.count(counter);
                    let wanted = self.editor.number(ty, u128::from(number));
                    let condition = self.editor.equal(count, wanted);
                    let chosen = self.editor.location_beside(from);
                    self.editor.branch(here, condition, (chosen, next), at);
                    self.assign(chosen, next, variable, value, at);
                }
                Step::Count(counter) => {
                    let (count, ty) = self.count(counter);
                    let (most, one) = (self.editor.number(ty, u128::from(u64::MAX)), self.editor.number(ty, 1));
                    let is_full = self.editor.equal(count, most);
                    let more = self.editor.expr(Expr::Binary(BinaryOp::Add, count, one), ty);
                    let counting = self.editor.location_beside(from);
                    self.editor.branch(here, is_full, (next, counting), at);
                    self.assign(counting, next, counter, more, at);
                }
            }
            here = next;
        }
    }

    fn count(&mut self, counter: VarId) -> (ExprId, TypeId) {
        let count = self.editor.load(counter);
        (count, self.editor.type_of(count))
    }

    fn assign(&mut self, from: LocationId, to: LocationId, variable: VarId, value: ExprId, at: (Span, Span)) {
        let place = self.editor.place(variable);
        self.editor.add(from, to, Operation::Assign { place, value }, at);
    }

    fn place_checks(&mut self) -> BTreeMap<u32, Vec<LocationId>> {
        let mut by_place: BTreeMap<LocationId, Vec<Check>> = BTreeMap::new();
        for check in std::mem::take(&mut self.checks) {
            by_place.entry(check.at).or_default().push(check);
        }
        let mut goals: BTreeMap<u32, Vec<LocationId>> = BTreeMap::new();
        let mut errors: BTreeMap<(u32, FunctionId), LocationId> = BTreeMap::new();
        for (at, checks) in by_place {
            let behind = self.editor.before(at);
            let mut here = at;
            for (number, check) in checks.iter().enumerate() {
                let next = if number + 1 == checks.len() { behind } else { self.editor.location_beside(at) };
                let place = (check.span, check.span);
                let fails = match check.otherwise {
                    Treat::Nothing => next,
                    Treat::Fact | Treat::Goal(_) => self.editor.location_beside(at),
                };
                let condition = self.editor.truth(check.holds);
                if fails == next {
                    self.editor.add(here, next, Operation::Blank, place);
                } else {
                    self.editor.branch(here, condition, (next, fails), place);
                }
                if let Treat::Goal(goal) = check.otherwise {
                    let function = self.cfa.location(at).function;
                    let error = self.editor.error_behind(fails, errors.get(&(goal, function)).copied(), place);
                    if errors.insert((goal, function), error).is_none() {
                        goals.entry(goal).or_default().push(error);
                    }
                }
                here = next;
            }
        }
        goals
    }
}
