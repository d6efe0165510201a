//! The program in which no function calls itself.

use std::collections::BTreeMap;

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::ExprId;
use program::source::Span;
use program::types::TypeId;
use rustc_hash::FxHashMap;

use super::frame::{Setting, Signature};
use super::{Clause, When};
use crate::focus::Blame;
use crate::{Editor, Recast};

/// A program with contracts.
#[derive(Debug)]
pub struct Contracted {
    /// The program.
    pub recast: Recast,
    /// For each clause the locations that say it does not hold.
    pub goals: Vec<Vec<LocationId>>,
    /// The error locations of the program itself.
    pub property: Vec<LocationId>,
    /// Says with which call the program begins: with that of the function of this place among those with contracts, counted from
    /// one, or else as it always does.
    pub(super) first: VarId,
}

/// The program in which calls of recursive functions do what their clauses say, and in which each clause is a goal.
#[must_use]
pub fn contracted(setting: &Setting, clauses: &[Clause], blame: Blame) -> Contracted {
    let cfa = &setting.base;
    let mut editor = Editor::new(cfa);
    let property = cfa.location_ids().filter(|at| cfa.location(*at).is_error).collect();
    let int = editor.int();
    let asked = (blame == Blame::Each).then(|| editor.choice("asked", int));
    let goals = vec![Vec::new(); clauses.len()];
    let mut making = Making { cfa, setting, clauses, editor, asked, goals, wrong: BTreeMap::new(), inputs: BTreeMap::new() };
    for edge in cfa.edge_ids() {
        if let Operation::Call { callee, arguments, result } = &cfa.edge(edge).operation
            && let Some(signature) = setting.signatures.get(callee)
        {
            making.step(edge, (*callee, signature), arguments, *result);
        }
    }
    let first = making.calls_at_the_start();
    Contracted { recast: making.editor.finish(), goals: making.goals, property, first }
}

/// Which place of the text something is about.
type At = (Span, Span);

struct Making<'a> {
    cfa: &'a Cfa,
    setting: &'a Setting,
    clauses: &'a [Clause],
    editor: Editor,
    /// Which clause is asked about: any.
    asked: Option<VarId>,
    goals: Vec<Vec<LocationId>>,
    wrong: BTreeMap<(usize, FunctionId), LocationId>,
    /// For types the input functions that give their values.
    inputs: BTreeMap<TypeId, FunctionId>,
}

impl Making<'_> {
    /// Turns a call into a step that does what the callee's contract says.
    fn step(&mut self, edge: EdgeId, (callee, signature): (FunctionId, &Signature), arguments: &[ExprId], result: Option<VarId>) {
        let (target, at) = (self.cfa.edge(edge).target, (self.cfa.edge(edge).span, self.cfa.edge(edge).statement));
        self.editor.parts.edges[edge.index()].operation = Operation::Blank;
        let mut here = self.editor.location_beside(target);
        self.editor.lead(edge, here);
        let frame = &signature.call;
        for (ghost, argument) in frame.arguments.iter().zip(arguments) {
            if let Some(ghost) = ghost {
                here = self.assign(here, *ghost, *argument, at);
            }
        }
        for (number, holds) in self.of(callee, When::Requires) {
            here = self.check(here, number, holds, at);
        }
        for (global, before) in &frame.before {
            let old = self.editor.load(*global);
            here = self.assign(here, *before, old, at);
        }
        for (global, _) in &frame.before {
            here = self.arbitrary(here, *global, at);
        }
        if let Some(ghost) = frame.result {
            here = self.arbitrary(here, ghost, at);
        }
        for (_, holds) in self.of(callee, When::Ensures) {
            here = self.assume(here, holds, at);
        }
        if let (Some(variable), Some(ghost)) = (result, frame.result) {
            let value = self.editor.load(ghost);
            here = self.assign(here, variable, value, at);
        }
        self.editor.add(here, target, Operation::Blank, at);
    }

    /// Lets the program begin with any call of a function that has a contract.
    fn calls_at_the_start(&mut self) -> VarId {
        let int = self.editor.int();
        let first = self.editor.choice("first", int);
        let start = self.cfa.entry_location();
        let behind = self.editor.before(start);
        let mut here = start;
        let span = self.cfa.function(self.cfa.entry).span;
        for (number, (function, signature)) in self.setting.signatures.iter().enumerate() {
            let (value, wanted) = (self.editor.load(first), self.editor.number(int, number as u128 + 1));
            let condition = self.editor.equal(value, wanted);
            let (chosen, next) = (self.editor.location_beside(start), self.editor.location_beside(start));
            self.editor.branch(here, condition, (chosen, next), (span, span));
            self.call(chosen, *function, signature);
            here = next;
        }
        self.editor.add(here, behind, Operation::Blank, (span, span));
        first
    }

    /// One call with any arguments that are required, whose end has to be what is ensured.
    fn call(&mut self, from: LocationId, function: FunctionId, signature: &Signature) {
        let span = self.cfa.function(function).span;
        let at = (span, span);
        let frame = &signature.checked;
        let mut here = from;
        for variable in frame.arguments.iter().flatten().chain(&signature.touched) {
            here = self.arbitrary(here, *variable, at);
        }
        let known = self.checked(signature);
        for (_, holds) in self.of(function, When::Requires) {
            let holds = self.editor.substituted(holds, &known);
            here = self.assume(here, holds, at);
        }
        for (global, before) in &frame.before {
            let old = self.editor.load(*global);
            here = self.assign(here, *before, old, at);
        }
        let given = frame.arguments.iter().zip(&signature.fixed);
        let arguments = given.filter_map(|(ghost, fixed)| ghost.map(|ghost| self.editor.load(ghost)).or(*fixed)).collect();
        let ended = self.editor.location_beside(from);
        self.editor.add(here, ended, Operation::Call { callee: function, arguments, result: frame.result }, at);
        here = ended;
        for (number, holds) in self.of(function, When::Ensures) {
            let holds = self.editor.substituted(holds, &known);
            here = self.check(here, number, holds, at);
        }
    }

    /// The values of the call that is looked at, for those that clauses speak of.
    fn checked(&mut self, signature: &Signature) -> FxHashMap<ExprId, ExprId> {
        let (call, checked) = (&signature.call, &signature.checked);
        let arguments = call.arguments.iter().copied().flatten().zip(checked.arguments.iter().copied().flatten());
        let before = call.before.iter().zip(&checked.before).map(|((_, old), (_, new))| (*old, *new));
        let all = arguments.chain(call.result.zip(checked.result)).chain(before);
        all.map(|(old, new)| (self.editor.load(old), self.editor.load(new))).collect()
    }

    /// The clauses of a function, with their numbers.
    fn of(&self, function: FunctionId, when: When) -> Vec<(usize, ExprId)> {
        let own = self.clauses.iter().enumerate().filter(|(_, clause)| clause.function == function && clause.when == when);
        own.map(|(number, clause)| (number, clause.holds)).collect()
    }

    fn assign(&mut self, from: LocationId, variable: VarId, value: ExprId, at: At) -> LocationId {
        let next = self.editor.location_beside(from);
        let place = self.editor.place(variable);
        self.editor.add(from, next, Operation::Assign { place, value }, at);
        next
    }

    fn arbitrary(&mut self, from: LocationId, variable: VarId, at: At) -> LocationId {
        let next = self.editor.location_beside(from);
        let ty = self.editor.parts.variables[variable.index()].ty.ty;
        let known = self.inputs.get(&ty).copied();
        let input = known.unwrap_or_else(|| self.editor.input_function(ty));
        self.inputs.insert(ty, input);
        self.editor.add(from, next, Operation::Havoc { variable: Some(variable), input }, at);
        next
    }

    /// Goes on only where a clause holds.
    fn assume(&mut self, from: LocationId, holds: ExprId, at: At) -> LocationId {
        let (next, end) = (self.editor.location_beside(from), self.editor.location_beside(from));
        let condition = self.editor.truth(holds);
        self.editor.branch(from, condition, (next, end), at);
        next
    }

    /// The goal of a clause where it does not hold.
    fn check(&mut self, from: LocationId, number: usize, holds: ExprId, at: At) -> LocationId {
        let (next, fails) = (self.editor.location_beside(from), self.editor.location_beside(from));
        let tested = match self.asked {
            None => from,
            Some(asked) => {
                let tested = self.editor.location_beside(from);
                let int = self.editor.int();
                let (value, wanted) = (self.editor.load(asked), self.editor.number(int, number as u128));
                let condition = self.editor.equal(value, wanted);
                self.editor.branch(from, condition, (tested, next), at);
                tested
            }
        };
        let condition = self.editor.truth(holds);
        self.editor.branch(tested, condition, (next, fails), at);
        let function = self.editor.parts.locations[from.index()].function;
        let known = self.wrong.get(&(number, function)).copied();
        let error = self.editor.error_behind(fails, known, at);
        if self.wrong.insert((number, function), error).is_none() {
            self.goals[number].push(error);
        }
        next
    }
}
