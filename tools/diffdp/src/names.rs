//! What steps of one program do to what its variables are known to hold.
//!
//! An assignment of a whole variable gives it a name for the value: an equation. So do a parameter and the result of a call.
//! Everything else drops the equations that it may make wrong. A call that is passed as a whole is executed operation by
//! operation if the function has one path only; what else the program gets past as a whole drops all that it may write.
//! Source: ALGORITHM.md 4.13.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::compare::{Comparison, Side};
use semantics::object_set::ObjectSet;
use semantics::stack::{Point, Step};

use crate::constants::Constants;
use crate::effects::Effects;
use crate::equations::{Equations, Reading, Says, Sides};
use crate::points::Walker;
use crate::rules::Rules;
use crate::terms::{Known, Term, TermId, Terms, may_hold};

/// Calls within calls that are executed.
const NESTED: usize = 8;
/// Operations of one function that are executed.
const PATH: usize = 200;

/// What is known of variables that may differ only.
struct Apart<'w> {
    effects: &'w Effects<'w>,
    w: &'w ObjectSet,
    known: &'w Sides,
}

impl Known for Apart<'_> {
    fn value(&self, side: Side, variable: VarId) -> Option<&Rc<Term>> {
        let shared = self.effects.variable(side, variable);
        let agrees = !shared.is_empty() && !shared.intersects(self.w);
        if agrees { None } else { self.known.value(side, variable) }
    }
}

/// Follows what variables hold.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    comparison: &'a Comparison<'a>,
    effects: &'a Effects<'a>,
    terms: Terms<'a>,
    constants: Constants,
    rules: Rules,
    /// What may be written between two locations of the original.
    pieces: RefCell<FxHashMap<(LocationId, LocationId), Rc<ObjectSet>>>,
    /// The automatic variables by function, of the original and of the modified program.
    automatic: [OnceCell<Vec<Rc<ObjectSet>>>; 2],
}

impl<'a> Names<'a> {
    pub(crate) fn new(comparison: &'a Comparison<'a>, effects: &'a Effects<'a>, rules: Rules) -> Self {
        let (terms, constants) = (Terms::new(comparison, effects), Constants::of(comparison));
        let automatic = [OnceCell::new(), OnceCell::new()];
        Self { comparison, effects, terms, constants, rules, pieces: RefCell::default(), automatic }
    }

    /// What variables hold before the first operation, of those for which that is worth knowing.
    pub(crate) fn at_start(&self) -> Equations {
        let mut known = Equations::default();
        known.change(Says::One, |_, known| {
            for side in [Side::Original, Side::Modified] {
                for (variable, value) in self.constants.initial(self.comparison, side) {
                    if let Some(term) = self.terms.of(side, value, known) {
                        known.learn(side, variable, term);
                    }
                }
            }
        });
        known
    }

    /// Whether two values are the same term of what agrees.
    pub(crate) fn same_value(&self, modified: ExprId, original: ExprId, w: &ObjectSet, known: &Equations) -> bool {
        self.agreeing(modified, original, w, known, |x, y| x == y)
    }

    /// Whether the condition of an assume implies that of another, both terms of what agrees.
    pub(crate) fn implied_condition(&self, modified: EdgeId, original: EdgeId, w: &ObjectSet, known: &Equations) -> bool {
        let condition = |side: Side, edge: EdgeId| {
            let Operation::Assume { condition, truth } = self.comparison.program(side).edge(edge).operation else { return None };
            Some((condition, truth))
        };
        let (Some((x, p)), Some((y, q))) = (condition(Side::Modified, modified), condition(Side::Original, original)) else {
            return false;
        };
        self.agreeing(x, y, w, known, |x, y| self.terms.implies((x, p), (y, q)))
    }

    /// Whether the modified program cannot pass an assume, as far as it is known what its variables hold.
    pub(crate) fn is_impossible(&self, edge: EdgeId, known: &Equations) -> bool {
        let Operation::Assume { condition, truth } = self.comparison.modified.edge(edge).operation else { return false };
        known.readings().any(|known| {
            !known.of(Side::Modified).is_empty()
                && self.terms.of(Side::Modified, condition, known).is_some_and(|term| self.terms.never((term.id, truth)))
        })
    }

    fn agreeing(
        &self,
        modified: ExprId,
        original: ExprId,
        w: &ObjectSet,
        known: &Equations,
        same: impl Fn(TermId, TermId) -> bool,
    ) -> bool {
        let agree = |x: Option<Rc<Term>>, y: Option<Rc<Term>>| {
            let (Some(x), Some(y)) = (x, y) else { return false };
            same(x.id, y.id) && self.agrees(Side::Modified, &x, w) && self.agrees(Side::Original, &y, w)
        };
        known.readings().filter(|known| !known.is_empty()).any(|known| {
            let apart = Apart { effects: self.effects, w, known };
            agree(self.terms.of(Side::Modified, modified, known), self.terms.of(Side::Original, original, known))
                || agree(self.terms.of(Side::Modified, modified, &apart), self.terms.of(Side::Original, original, &apart))
        })
    }

    /// Whether a term reads nothing that may differ.
    fn agrees(&self, side: Side, term: &Term, w: &ObjectSet) -> bool {
        let (reads, foreign) = self.effects.translate(side, &term.reads);
        !foreign && !reads.intersects(w)
    }

    /// Takes from `w` what both programs are known to hold the same in.
    pub(crate) fn reconcile(&self, known: &Equations, w: &mut ObjectSet) {
        known.readings().for_each(|known| self.reconciled(known, w));
    }

    fn reconciled(&self, known: &Sides, w: &mut ObjectSet) {
        while !known.of(Side::Modified).is_empty() && !known.of(Side::Original).is_empty() {
            let mut agreed = ObjectSet::new();
            for (variable, term) in known.of(Side::Modified) {
                let Some(other) = self.comparison.correspondence().content(*variable) else { continue };
                let Some(value) = known.of(Side::Original).get(&other) else { continue };
                if value.id != term.id || !self.effects.variable(Side::Modified, *variable).intersects(w) {
                    continue;
                }
                let whole = self.effects.whole(Side::Modified, *variable).intersection(self.effects.whole(Side::Original, other));
                if whole.intersects(w) && self.agrees(Side::Modified, term, w) && self.agrees(Side::Original, value, w) {
                    agreed.union_with(&whole);
                }
            }
            if agreed.is_empty() {
                return;
            }
            w.subtract(&agreed);
        }
    }

    fn objects(&self, side: Side) -> impl Fn(VarId) -> ObjectSet {
        let raw = self.effects.raw(side);
        move |variable| raw.objects.of_variable(variable).set()
    }

    fn written(&self, side: Side, written: &ObjectSet, known: &mut Sides) {
        if self.rules.forgetting {
            known.drop_reading(side, written, self.objects(side));
        } else {
            // What the variable itself was known to hold is replaced all the same.
            known.retain(side, |variable, _| !self.objects(side)(variable).intersects(written));
        }
    }

    /// The term of a value that a variable takes as it is, if that is worth knowing: what agrees needs no name.
    fn value(&self, side: Side, (variable, value): (VarId, ExprId), w: Option<&ObjectSet>, known: &Sides) -> Option<Rc<Term>> {
        let program = self.comparison.program(side);
        let shared = self.effects.variable(side, variable);
        let agrees = w.is_some_and(|w| !shared.is_empty() && !shared.intersects(w));
        if agrees && !self.constants.counts(program, side, (variable, value)) {
            return None;
        }
        let same = self.comparison.type_of(side, value) == self.comparison.type_class(side, program.variable(variable).ty.ty);
        if !same || !may_hold(program, variable) {
            return None;
        }
        self.terms.of(side, value, known)
    }

    /// A step of one program within a function, or into one. `w` is what may differ behind it, if that is known.
    pub(crate) fn step(&self, side: Side, edge: EdgeId, w: Option<&ObjectSet>, known: &mut Equations) {
        let program = self.comparison.program(side);
        if !matches!(program.edge(edge).operation, Operation::Blank | Operation::Assume { .. }) {
            known.change(says(program, Some(edge)), |reading, known| self.stepped(side, (edge, reading), w, known));
        }
    }

    fn stepped(&self, side: Side, (edge, reading): (EdgeId, Reading), w: Option<&ObjectSet>, known: &mut Sides) {
        let program = self.comparison.program(side);
        let mut named: Vec<(VarId, Option<Rc<Term>>)> = Vec::new();
        match &program.edge(edge).operation {
            Operation::Blank | Operation::Assume { .. } => return,
            Operation::Assign { place, value } => {
                if let Expr::Variable(variable) = *program.exprs.get(*place) {
                    let value = read(program, (edge, reading), *value);
                    named.push((variable, self.value(side, (variable, value), w, known)));
                }
            }
            Operation::Call { callee, arguments, .. } if program.enters(*callee) => {
                let bound = program.function(*callee).parameters.iter().zip(arguments);
                // Also of parameters that agree: they end with the function, and what it returns may be a term of them.
                named.extend(bound.map(|(one, value)| (*one, self.value(side, (*one, *value), None, known))));
            }
            Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => {}
        }
        let written = self.effects.raw(side).effects.of(edge).defs;
        self.written(side, written, known);
        for (variable, term) in named {
            if let Some(term) = term.filter(|term| !term.reads.intersects(written)) {
                known.learn(side, variable, term);
            }
        }
    }

    /// A return to behind a call; without an edge at the exit, with a value of which nothing is known.
    pub(crate) fn leave(&self, side: Side, (edge, call): (Option<EdgeId>, EdgeId), w: Option<&ObjectSet>, known: &mut Equations) {
        let program = self.comparison.program(side);
        known.change(says(program, edge), |reading, known| {
            let value = edge.and_then(|edge| {
                let Operation::Return { value } = program.edge(edge).operation else { return None };
                value.map(|value| read(program, (edge, reading), value))
            });
            self.left(side, (value, call), w, known);
        });
    }

    /// A return of a value.
    fn left(&self, side: Side, (value, call): (Option<ExprId>, EdgeId), w: Option<&ObjectSet>, known: &mut Sides) {
        let program = self.comparison.program(side);
        let result = program.edge(call).operation.result();
        let term = result.zip(value).and_then(|(result, value)| self.value(side, (result, value), w, known));
        let ended = program.entered_callee(call).map(|callee| self.automatic(side, callee)).unwrap_or_default();
        known.drop_naming(side, &ended, self.objects(side));
        let Some(result) = result else { return };
        let written = self.objects(side)(result);
        self.written(side, &written, known);
        let outlives = |term: &Rc<Term>| {
            [&*ended, &written].iter().all(|gone| !term.reads.intersects(gone)) && !term.names.intersects(&ended)
        };
        if let Some(term) = term.filter(outlives) {
            known.learn(side, result, term);
        }
    }

    /// The variables of a function that end with it.
    fn automatic(&self, side: Side, function: FunctionId) -> Rc<ObjectSet> {
        let found = || {
            let program = self.comparison.program(side);
            let mut all = vec![ObjectSet::new(); program.functions.len()];
            for variable in program.variable_ids() {
                let known = program.variable(variable);
                if let Some(function) = known.function.filter(|_| known.is_automatic()) {
                    all[function.index()].union_with(&self.objects(side)(variable));
                }
            }
            all.into_iter().map(Rc::new).collect()
        };
        Rc::clone(&self.automatic[usize::from(side == Side::Modified)].get_or_init(found)[function.index()])
    }

    /// A walk of the original from one point to another.
    pub(crate) fn walk(&self, walker: &mut Walker, from: Point, to: Point, known: &mut Equations) {
        let program = self.comparison.original;
        let mut reached = from;
        for (at, next, _) in walker.steps(from, Some(to)) {
            reached = next;
            let below = walker.stacks.pop(next.stack).map(|(_, below)| below);
            if next.stack == at.stack {
                self.piece(at.location, next.location, known);
            } else if below == Some(at.stack) {
                if let &[edge] = program.out_edges(at.location)
                    && let Step::Enter { .. } = walker.stacks.step(program, at, edge)
                {
                    self.step(Side::Original, edge, None, known);
                }
            } else if let Some((call, _)) = walker.stacks.pop(at.stack) {
                self.leave(Side::Original, (None, call), None, known);
            }
        }
        if reached != to {
            known.forget(Side::Original);
        }
    }

    /// The original gets from one location to another of the same function.
    fn piece(&self, from: LocationId, to: LocationId, known: &mut Equations) {
        let program = self.comparison.original;
        if let &[edge] = program.out_edges(from)
            && program.edge(edge).target == to
            && !matches!(program.edge(edge).operation, Operation::Assume { .. })
        {
            if program.entered_callee(edge).is_some() {
                self.whole_call(edge, known);
            } else {
                self.step(Side::Original, edge, None, known);
            }
            return;
        }
        if let Some(Chosen { variable: Some(variable), value, end }) = chosen(program, from)
            && end == to
        {
            return self.choose(variable, value, known);
        }
        if known.readings().all(|known| known.of(Side::Original).is_empty()) {
            return;
        }
        let written = Rc::clone(self.pieces.borrow_mut().entry((from, to)).or_insert_with(|| {
            let raw = self.effects.raw(Side::Original);
            Rc::new(between(program, from, to, |edge| raw.writes(program, edge)))
        }));
        known.change(Says::One, |_, known| self.written(Side::Original, &written, known));
    }

    /// The original makes a choice, whichever it is.
    fn choose(&self, variable: VarId, value: ExprId, known: &mut Equations) {
        let written = self.objects(Side::Original)(variable);
        known.change(Says::One, |_, known| {
            let term = self.value(Side::Original, (variable, value), None, known);
            self.written(Side::Original, &written, known);
            if let Some(term) = term.filter(|term| !term.reads.intersects(&written)) {
                known.learn(Side::Original, variable, term);
            }
        });
    }

    /// A call of the original that is passed as a whole.
    fn whole_call(&self, call: EdgeId, known: &mut Equations) {
        let mut inside = known.clone();
        if self.executed(call, NESTED, &mut inside).is_some() {
            *known = inside;
            return;
        }
        let written = self.effects.raw(Side::Original).writes(self.comparison.original, call);
        known.change(Says::One, |_, known| self.written(Side::Original, &written, known));
    }

    /// A call of the original, operation by operation; nothing if it may take several ways.
    fn executed(&self, call: EdgeId, nested: usize, known: &mut Equations) -> Option<()> {
        let program = self.comparison.original;
        let function = program.function(program.entered_callee(call)?);
        let (mut at, exit) = (function.entry?, function.exit?);
        self.step(Side::Original, call, None, known);
        for _ in 0..PATH {
            if at == exit {
                self.leave(Side::Original, (None, call), None, known);
                return Some(());
            }
            let &[edge] = program.out_edges(at) else {
                let choice = chosen(program, at)?;
                let Some(variable) = choice.variable else {
                    known.change(Says::One, |_, known| self.left(Side::Original, (Some(choice.value), call), None, known));
                    return Some(());
                };
                self.choose(variable, choice.value, known);
                at = choice.end;
                continue;
            };
            match &program.edge(edge).operation {
                Operation::Return { .. } => {
                    self.leave(Side::Original, (Some(edge), call), None, known);
                    return Some(());
                }
                Operation::Assume { .. } | Operation::Asm(_) | Operation::Unsupported { .. } => return None,
                Operation::Call { .. } if program.entered_callee(edge).is_some() => {
                    self.executed(edge, nested.checked_sub(1)?, known)?;
                }
                Operation::Call { .. }
                | Operation::Declare { .. }
                | Operation::Assign { .. }
                | Operation::Havoc { .. }
                | Operation::Blank => self.step(Side::Original, edge, None, known),
            }
            at = program.edge(edge).target;
        }
        None
    }
}

fn says(program: &Cfa, edge: Option<EdgeId>) -> Says {
    if edge.is_some_and(|edge| is_number_of_choice(program, edge)) { Says::Two } else { Says::One }
}

/// Whether an edge assigns or returns a number that is a value of a choice.
fn is_number_of_choice(program: &Cfa, edge: EdgeId) -> bool {
    let edge = program.edge(edge);
    let (Operation::Assign { value, .. } | Operation::Return { value: Some(value) }) = edge.operation else { return false };
    edge.choice.is_some() && matches!(program.exprs.get(value), Expr::Int(_))
}

/// The value that an edge assigns or returns: the whole choice says the same on the other way.
fn read(program: &Cfa, (edge, reading): (EdgeId, Reading), value: ExprId) -> ExprId {
    match program.edge(edge).choice {
        Some(choice) if reading == Reading::Choice || !is_number_of_choice(program, edge) => choice,
        _ => value,
    }
}

/// What may be written on the ways from one location to another of the same function.
fn between(program: &Cfa, from: LocationId, to: LocationId, writes: impl Fn(EdgeId) -> ObjectSet) -> ObjectSet {
    let mut written = ObjectSet::new();
    let mut open = vec![from];
    let mut met = FxHashSet::default();
    while let Some(at) = open.pop() {
        if at == to || !met.insert(at) {
            continue;
        }
        for edge in program.out_edges(at) {
            written.union_with(&writes(*edge));
            open.push(program.edge(*edge).target);
        }
    }
    written
}

/// A choice that is made on all ways from a location: nothing else is done there.
struct Chosen {
    /// The variable that it is assigned to, unless it is returned.
    variable: Option<VarId>,
    value: ExprId,
    /// Where all ways lead.
    end: LocationId,
}

/// The choice that is made on all ways from a location.
fn chosen(program: &Cfa, from: LocationId) -> Option<Chosen> {
    let (mut open, mut met, mut found) = (vec![from], FxHashSet::default(), None::<Chosen>);
    while let Some(at) = open.pop() {
        if program.out_edges(at).is_empty() || met.len() > PATH {
            return None;
        }
        if !met.insert(at) {
            continue;
        }
        for edge in program.out_edges(at).iter().map(|edge| program.edge(*edge)) {
            let variable = match (&edge.operation, edge.choice) {
                (Operation::Assume { .. }, _) => {
                    open.push(edge.target);
                    continue;
                }
                (Operation::Assign { place, .. }, Some(_)) => {
                    let Expr::Variable(variable) = *program.exprs.get(*place) else { return None };
                    Some(variable)
                }
                (Operation::Return { .. }, Some(_)) => None,
                _ => return None,
            };
            let here = Chosen { variable, value: edge.choice?, end: edge.target };
            match &found {
                Some(one) if (one.variable, one.value, one.end) != (here.variable, here.value, here.end) => return None,
                Some(_) => {}
                None => found = Some(here),
            }
        }
    }
    found
}
