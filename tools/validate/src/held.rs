//! What variables of each program hold at a node, and what its operations do to that.
//!
//! Inferred, not claimed: at the first node nothing is known; along an edge of the graph each program's operations are executed
//! on what is known of its own variables; a node knows what all edges that lead to it bring. An assignment of a whole variable
//! makes known what it holds, a parameter and a result likewise. What may be written by anything else is not known any more,
//! nor is what depends on it, nor what depends on a function's variables when it ends.
//! Does not know what the other program does.

use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::object_set::ObjectSet;

use crate::access::Program;
use crate::terms::{Fact, Facts, Maker, is_same};
use crate::types::Types;

/// Variables of which it is known what they hold, at most, of one program.
const MOST: usize = 120;
/// Conditions of a choice.
const CONDITIONS: usize = 400;
/// Operations of a call that are executed one by one.
const LONGEST: usize = 4000;

/// Which of the two things a number of a choice is taken to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sense {
    Number,
    Choice,
}

/// What variables of one program hold. A number that is assigned as a value of a choice says two things: that the variable holds
/// it, and that it holds what the whole choice is. Both are followed, each by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    numbers: Facts,
    /// With the choices; the same as with the numbers if absent.
    choices: Option<Facts>,
}

impl Known {
    pub(crate) fn new(facts: Facts) -> Self {
        Self { numbers: facts, choices: None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.choices().is_empty()
    }

    fn choices(&self) -> &Facts {
        self.choices.as_ref().unwrap_or(&self.numbers)
    }

    /// What holds, said once or twice.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Facts> {
        [Some(&self.numbers), self.choices.as_ref()].into_iter().flatten()
    }

    /// The same of two programs.
    pub(crate) fn pairs<'k>(&'k self, other: &'k Self) -> Vec<(&'k Facts, &'k Facts)> {
        let mut found = vec![(&self.numbers, &other.numbers)];
        if self.choices.is_some() || other.choices.is_some() {
            found.push((self.choices(), other.choices()));
        }
        found
    }

    fn meet(&mut self, cfa: &Cfa, other: &Self) -> bool {
        let mut less = false;
        if self.choices.is_some() || other.choices.is_some() {
            let mut choices = self.choices().clone();
            less = meet(cfa, &mut choices, other.choices());
            self.choices = Some(choices);
        }
        less |= meet(cfa, &mut self.numbers, &other.numbers);
        self.simplify(cfa);
        less
    }

    fn is(&self, cfa: &Cfa, other: &Self) -> bool {
        self.pairs(other).into_iter().all(|(one, another)| is(cfa, one, another))
    }

    fn simplify(&mut self, cfa: &Cfa) {
        if self.choices.as_ref().is_some_and(|choices| is(cfa, choices, &self.numbers)) {
            self.choices = None;
        }
    }

    /// From here on the two may differ.
    fn split(&mut self) {
        if self.choices.is_none() {
            self.choices = Some(self.numbers.clone());
        }
    }

    /// An operation of the program, or something else that it does.
    fn follow(&mut self, cfa: &Cfa, mut act: impl FnMut(Sense, &mut Facts)) {
        act(Sense::Number, &mut self.numbers);
        if let Some(choices) = &mut self.choices {
            act(Sense::Choice, choices);
            self.simplify(cfa);
        }
    }
}

/// What variables hold: of the modified program, and of the original.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    pub(crate) mine: Known,
    pub(crate) theirs: Known,
}

impl Held {
    /// Keeps what the other knows as well; whether that is less than before.
    pub(crate) fn meet(&mut self, (modified, original): (&Cfa, &Cfa), other: &Self) -> bool {
        let mine = self.mine.meet(modified, &other.mine);
        let theirs = self.theirs.meet(original, &other.theirs);
        mine || theirs
    }

    /// Whether this says exactly what the other does.
    pub(crate) fn is(&self, (modified, original): (&Cfa, &Cfa), other: &Self) -> bool {
        self.mine.is(modified, &other.mine) && self.theirs.is(original, &other.theirs)
    }
}

/// Whether two say the same, by terms that depend on the same.
fn is(cfa: &Cfa, facts: &Facts, other: &Facts) -> bool {
    let same = |a: &Rc<Fact>, b: &Rc<Fact>| {
        Rc::ptr_eq(a, b) || a.reads == b.reads && a.names == b.names && is_same(cfa, &a.term, &b.term)
    };
    facts.len() == other.len() && facts.iter().zip(other).all(|((v, fact), (w, also))| v == w && same(fact, also))
}

fn meet(cfa: &Cfa, facts: &mut Facts, other: &Facts) -> bool {
    let mut less = false;
    facts.retain(|variable, fact| {
        let Some(also) = other.get(variable).filter(|also| is_same(cfa, &fact.term, &also.term)) else {
            less = true;
            return false;
        };
        if !(also.reads.is_subset(&fact.reads) && also.names.is_subset(&fact.names)) {
            let known = Rc::make_mut(fact);
            known.reads.union_with(&also.reads);
            known.names.union_with(&also.names);
            less = true;
        }
        true
    });
    less
}

/// Executes operations of one program on what its variables hold.
#[derive(Debug, Default)]
pub(crate) struct Executor {
    types: Types,
    pieces: FxHashMap<(LocationId, LocationId), Rc<ObjectSet>>,
    calls: FxHashMap<FunctionId, Rc<ObjectSet>>,
    automatic: Option<Vec<Rc<ObjectSet>>>,
}

impl Executor {
    /// The value of an expression.
    pub(crate) fn value(&mut self, program: &Program, facts: &Facts, expr: ExprId) -> Option<Fact> {
        Maker { program, facts, types: &mut self.types }.value(expr)
    }

    fn taken(&mut self, program: &Program, facts: &Facts, variable: VarId, expr: ExprId) -> Option<Fact> {
        Maker { program, facts, types: &mut self.types }.taken(variable, expr)
    }

    /// An operation of a function, or the binding of parameters. What `agrees` is not worth knowing, but of parameters: they end
    /// with the function, and what it returns may be a term of them.
    pub(crate) fn step(&mut self, program: &Program, edge: EdgeId, agrees: &dyn Fn(VarId, ExprId) -> bool, known: &mut Known) {
        if chosen_number(program.cfa, edge) {
            known.split();
        }
        known.follow(program.cfa, |sense, facts| self.step_by(program, (edge, sense), agrees, facts));
    }

    fn step_by(
        &mut self,
        program: &Program,
        (edge, sense): (EdgeId, Sense),
        agrees: &dyn Fn(VarId, ExprId) -> bool,
        facts: &mut Facts,
    ) {
        let cfa = program.cfa;
        let mut taken: Vec<(VarId, Option<Fact>)> = Vec::new();
        match &cfa.edge(edge).operation {
            Operation::Assign { place, value } => {
                let value = said(cfa, (edge, sense), *value);
                if let Expr::Variable(variable) = *cfa.exprs.get(*place)
                    && !agrees(variable, value)
                {
                    taken.push((variable, self.taken(program, facts, variable, value)));
                }
            }
            Operation::Call { callee, arguments, .. } if cfa.enters(*callee) => {
                for (parameter, argument) in cfa.function(*callee).parameters.iter().zip(arguments) {
                    taken.push((*parameter, self.taken(program, facts, *parameter, *argument)));
                }
            }
            Operation::Blank
            | Operation::Assume { .. }
            | Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => {}
        }
        let written = program.raw_writes(edge);
        forget(program, &written, facts);
        for (variable, fact) in taken {
            let Some(fact) = fact.filter(|fact| !fact.reads.intersects(&written)) else { continue };
            if facts.len() < MOST {
                facts.insert(variable, Rc::new(fact));
            }
        }
    }

    /// The end of a function: by a return, or at the exit with a value that is not known.
    pub(crate) fn leave(
        &mut self,
        program: &Program,
        (edge, call): (Option<EdgeId>, EdgeId),
        agrees: &dyn Fn(VarId, ExprId) -> bool,
        known: &mut Known,
    ) {
        if edge.is_some_and(|edge| chosen_number(program.cfa, edge)) {
            known.split();
        }
        let returned = edge.map(|edge| (edge, &program.cfa.edge(edge).operation));
        known.follow(program.cfa, |sense, facts| {
            let value = match returned {
                Some((edge, Operation::Return { value: Some(value) })) => Some(said(program.cfa, (edge, sense), *value)),
                _ => None,
            };
            self.leave_with(program, (value, call), agrees, facts);
        });
    }

    fn leave_with(
        &mut self,
        program: &Program,
        (value, call): (Option<ExprId>, EdgeId),
        agrees: &dyn Fn(VarId, ExprId) -> bool,
        facts: &mut Facts,
    ) {
        let cfa = program.cfa;
        let result = cfa.edge(call).operation.result();
        let value = value.zip(result).and_then(|(value, result)| Some((value, self.taken(program, facts, result, value)?)));
        let ended = cfa.entered_callee(call).map(|function| self.automatic(program, function)).unwrap_or_default();
        let outlives = |fact: &Fact| !fact.reads.intersects(&ended) && !fact.names.intersects(&ended);
        facts.retain(|variable, fact| outlives(fact) && !program.objects.of_variable(*variable).set().intersects(&ended));
        let Some(result) = result else { return };
        let written = program.objects.of_variable(result).set();
        forget(program, &written, facts);
        if let Some((value, fact)) = value.filter(|(_, fact)| outlives(fact) && !fact.reads.intersects(&written))
            && !agrees(result, value)
            && facts.len() < MOST
        {
            facts.insert(result, Rc::new(fact));
        }
    }

    /// The way from one location to another of the same function, which the program gets along for certain.
    pub(crate) fn piece(&mut self, program: &Program, from: LocationId, to: LocationId, known: &mut Known) {
        let cfa = program.cfa;
        let mut at = from;
        for _ in 0..LONGEST {
            if at == to {
                return;
            }
            let &[edge] = cfa.out_edges(at) else { break };
            if matches!(cfa.edge(edge).operation, Operation::Assume { .. }) {
                break;
            }
            self.passed(program, edge, known);
            at = cfa.edge(edge).target;
        }
        let (mut most, mut found) = (CONDITIONS, None);
        if decided(cfa, at, &mut most, &mut found)
            && let Some(Decision { variable: Some(variable), value, end }) = found
            && end == to
        {
            return self.decide(program, (variable, value), known);
        }
        if known.is_empty() {
            return;
        }
        let written = match self.pieces.get(&(at, to)) {
            Some(written) => Rc::clone(written),
            None => {
                let written = Rc::new(self.between(program, at, to));
                self.pieces.insert((at, to), Rc::clone(&written));
                written
            }
        };
        known.follow(cfa, |_, facts| forget(program, &written, facts));
    }

    /// One of the values of a choice is assigned, whichever it is.
    fn decide(&mut self, program: &Program, (variable, value): (VarId, ExprId), known: &mut Known) {
        let written = program.objects.of_variable(variable).set();
        known.follow(program.cfa, |_, facts| {
            let fact = self.taken(program, facts, variable, value);
            forget(program, &written, facts);
            if let Some(fact) = fact.filter(|fact| !fact.reads.intersects(&written) && facts.len() < MOST) {
                facts.insert(variable, Rc::new(fact));
            }
        });
    }

    /// An operation that is passed, a call as a whole.
    fn passed(&mut self, program: &Program, edge: EdgeId, known: &mut Known) {
        let Some(callee) = program.cfa.entered_callee(edge) else {
            return self.step(program, edge, &|_, _| false, known);
        };
        let mut inside = known.clone();
        let mut most = LONGEST;
        if self.inside(program, edge, &mut vec![callee], &mut most, &mut inside).is_some() {
            *known = inside;
        } else {
            let written = self.of_call(program, edge, callee);
            known.follow(program.cfa, |_, facts| forget(program, &written, facts));
        }
    }

    /// A call operation by operation, if there is one way through the function only, and through all that it calls.
    fn inside(
        &mut self,
        program: &Program,
        call: EdgeId,
        active: &mut Vec<FunctionId>,
        most: &mut usize,
        known: &mut Known,
    ) -> Option<()> {
        let cfa = program.cfa;
        let function = cfa.function(*active.last()?);
        let (mut at, exit) = (function.entry?, function.exit?);
        self.step(program, call, &|_, _| false, known);
        loop {
            if at == exit {
                self.leave(program, (None, call), &|_, _| false, known);
                return Some(());
            }
            *most = most.checked_sub(1)?;
            let &[edge] = cfa.out_edges(at) else {
                let (mut conditions, mut found) = (CONDITIONS, None);
                let is_choice = decided(cfa, at, &mut conditions, &mut found);
                let decision = found.filter(|_| is_choice)?;
                let Some(variable) = decision.variable else {
                    let value = Some(decision.value);
                    known.follow(cfa, |_, facts| self.leave_with(program, (value, call), &|_, _| false, facts));
                    return Some(());
                };
                self.decide(program, (variable, decision.value), known);
                at = decision.end;
                continue;
            };
            match &cfa.edge(edge).operation {
                Operation::Return { .. } => {
                    self.leave(program, (Some(edge), call), &|_, _| false, known);
                    return Some(());
                }
                Operation::Assume { .. } | Operation::Asm(_) | Operation::Unsupported { .. } => return None,
                Operation::Call { callee, .. } if cfa.enters(*callee) => {
                    if active.contains(callee) || active.len() > 20 {
                        return None;
                    }
                    active.push(*callee);
                    self.inside(program, edge, active, most, known)?;
                    active.pop();
                }
                Operation::Call { .. }
                | Operation::Blank
                | Operation::Declare { .. }
                | Operation::Assign { .. }
                | Operation::Havoc { .. } => self.step(program, edge, &|_, _| false, known),
            }
            at = cfa.edge(edge).target;
        }
    }

    /// All that may be written on the ways between two locations.
    fn between(&mut self, program: &Program, from: LocationId, to: LocationId) -> ObjectSet {
        let cfa = program.cfa;
        let (mut written, mut met, mut open) = (ObjectSet::new(), FxHashSet::default(), vec![from]);
        while let Some(at) = open.pop() {
            if at == to || !met.insert(at) {
                continue;
            }
            for &edge in cfa.out_edges(at) {
                written.union_with(&match cfa.entered_callee(edge) {
                    Some(callee) => self.of_call(program, edge, callee),
                    None => program.raw_writes(edge),
                });
                open.push(cfa.edge(edge).target);
            }
        }
        written
    }

    /// All that may be written by a call until behind it.
    fn of_call(&mut self, program: &Program, call: EdgeId, callee: FunctionId) -> ObjectSet {
        let mut written = program.raw_writes(call);
        if let Some(result) = program.cfa.edge(call).operation.result() {
            written.union_with(&program.objects.of_variable(result).set());
        }
        written.union_with(&self.of_function(program, callee));
        written
    }

    /// All that may be written by a function and what it calls.
    fn of_function(&mut self, program: &Program, function: FunctionId) -> Rc<ObjectSet> {
        if let Some(known) = self.calls.get(&function) {
            return Rc::clone(known);
        }
        let cfa = program.cfa;
        let (mut met, mut open, mut written) = (FxHashSet::default(), vec![function], ObjectSet::new());
        let mut of: FxHashMap<FunctionId, Vec<EdgeId>> = FxHashMap::default();
        for edge in cfa.edge_ids() {
            of.entry(cfa.location(cfa.edge(edge).source).function).or_default().push(edge);
        }
        while let Some(at) = open.pop() {
            if !met.insert(at) {
                continue;
            }
            for &edge in of.get(&at).into_iter().flatten() {
                written.union_with(&program.raw_writes(edge));
                if let Some(result) = cfa.edge(edge).operation.result() {
                    written.union_with(&program.objects.of_variable(result).set());
                }
                open.extend(cfa.entered_callee(edge));
            }
        }
        let written = Rc::new(written);
        self.calls.insert(function, Rc::clone(&written));
        written
    }

    fn automatic(&mut self, program: &Program, function: FunctionId) -> Rc<ObjectSet> {
        let found = || {
            let cfa = program.cfa;
            let mut all = vec![ObjectSet::new(); cfa.functions.len()];
            for id in cfa.variable_ids() {
                let variable = cfa.variable(id);
                if let Some(function) = variable.function.filter(|_| variable.is_automatic()) {
                    all[function.index()].union_with(&program.objects.of_variable(id).set());
                }
            }
            all.into_iter().map(Rc::new).collect()
        };
        Rc::clone(&self.automatic.get_or_insert_with(found)[function.index()])
    }
}

/// Whether an edge assigns or returns one number of a choice.
fn chosen_number(cfa: &Cfa, edge: EdgeId) -> bool {
    let edge = cfa.edge(edge);
    let value = match edge.operation {
        Operation::Assign { value, .. } | Operation::Return { value: Some(value) } => value,
        Operation::Return { value: None }
        | Operation::Assume { .. }
        | Operation::Declare { .. }
        | Operation::Havoc { .. }
        | Operation::Call { .. }
        | Operation::Blank
        | Operation::Asm(_)
        | Operation::Unsupported { .. } => return false,
    };
    edge.choice.is_some() && matches!(cfa.exprs.get(value), Expr::Int(_))
}

/// What an edge says of the value that it assigns or returns: the number if it is one and the choice is not asked for, else the
/// choice if there is one.
fn said(cfa: &Cfa, (edge, sense): (EdgeId, Sense), value: ExprId) -> ExprId {
    let is_number = sense == Sense::Number && matches!(cfa.exprs.get(value), Expr::Int(_));
    cfa.edge(edge).choice.filter(|_| !is_number).unwrap_or(value)
}

/// A choice whose values are assigned or returned, one on each way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decision {
    /// None if it is returned.
    variable: Option<VarId>,
    value: ExprId,
    end: LocationId,
}

/// Whether every way from a location consists of conditions and then one of the values of a choice, which is the same on all of
/// them, and leads to the same place.
fn decided(cfa: &Cfa, at: LocationId, most: &mut usize, found: &mut Option<Decision>) -> bool {
    let edges = cfa.out_edges(at);
    !edges.is_empty()
        && edges.iter().all(|&id| {
            let edge = cfa.edge(id);
            *most = most.saturating_sub(1);
            let variable = match edge.operation {
                Operation::Assume { .. } => return *most > 0 && decided(cfa, edge.target, most, found),
                Operation::Assign { place, .. } => {
                    let Expr::Variable(variable) = *cfa.exprs.get(place) else { return false };
                    Some(variable)
                }
                Operation::Return { .. } => None,
                Operation::Declare { .. }
                | Operation::Havoc { .. }
                | Operation::Call { .. }
                | Operation::Blank
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => return false,
            };
            edge.choice.is_some_and(|value| {
                let here = Decision { variable, value, end: edge.target };
                *found.get_or_insert(here) == here
            })
        })
}

/// Nothing is known any more that depends on what was written.
fn forget(program: &Program, written: &ObjectSet, facts: &mut Facts) {
    if !written.is_empty() {
        facts.retain(|variable, fact| {
            !fact.reads.intersects(written) && !program.objects.of_variable(*variable).set().intersects(written)
        });
    }
}
