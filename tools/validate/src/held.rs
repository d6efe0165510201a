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

/// What variables hold: of the modified program, and of the original.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held {
    pub(crate) mine: Facts,
    pub(crate) theirs: Facts,
}

impl Held {
    /// Keeps what the other knows as well; whether that is less than before.
    pub(crate) fn meet(&mut self, (modified, original): (&Cfa, &Cfa), other: &Self) -> bool {
        let mine = meet(modified, &mut self.mine, &other.mine);
        let theirs = meet(original, &mut self.theirs, &other.theirs);
        mine || theirs
    }

    /// Whether this says exactly what the other does.
    pub(crate) fn is(&self, (modified, original): (&Cfa, &Cfa), other: &Self) -> bool {
        is(modified, &self.mine, &other.mine) && is(original, &self.theirs, &other.theirs)
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
    pub(crate) fn step(&mut self, program: &Program, edge: EdgeId, agrees: &dyn Fn(VarId, ExprId) -> bool, facts: &mut Facts) {
        let cfa = program.cfa;
        let mut taken: Vec<(VarId, Option<Fact>)> = Vec::new();
        match &cfa.edge(edge).operation {
            Operation::Assign { place, value } => {
                if let Expr::Variable(variable) = *cfa.exprs.get(*place)
                    && !agrees(variable, *value)
                {
                    let value = cfa.edge(edge).choice.unwrap_or(*value);
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
        facts: &mut Facts,
    ) {
        let cfa = program.cfa;
        let result = cfa.edge(call).operation.result();
        let returned = edge.map(|edge| (&cfa.edge(edge).operation, cfa.edge(edge).choice));
        let value = match (returned, result) {
            (Some((Operation::Return { value: Some(value) }, choice)), Some(result)) => {
                self.taken(program, facts, result, choice.unwrap_or(*value)).map(|fact| (*value, fact))
            }
            (_, _) => None,
        };
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
    pub(crate) fn piece(&mut self, program: &Program, from: LocationId, to: LocationId, facts: &mut Facts) {
        let mut at = from;
        for _ in 0..LONGEST {
            if at == to {
                return;
            }
            let &[edge] = program.cfa.out_edges(at) else { break };
            if matches!(program.cfa.edge(edge).operation, Operation::Assume { .. }) {
                break;
            }
            self.passed(program, edge, facts);
            at = program.cfa.edge(edge).target;
        }
        let (mut most, mut chosen) = (CONDITIONS, None);
        if decided(program.cfa, (at, to), &mut most, &mut chosen)
            && let Some((variable, value)) = chosen
        {
            let fact = self.taken(program, facts, variable, value);
            let written = program.objects.of_variable(variable).set();
            forget(program, &written, facts);
            if let Some(fact) = fact.filter(|fact| !fact.reads.intersects(&written) && facts.len() < MOST) {
                facts.insert(variable, Rc::new(fact));
            }
            return;
        }
        if facts.is_empty() {
            return;
        }
        let written = match self.pieces.get(&(at, to)) {
            Some(known) => Rc::clone(known),
            None => {
                let written = Rc::new(self.between(program, at, to));
                self.pieces.insert((at, to), Rc::clone(&written));
                written
            }
        };
        forget(program, &written, facts);
    }

    /// An operation that is passed, a call as a whole.
    fn passed(&mut self, program: &Program, edge: EdgeId, facts: &mut Facts) {
        let Some(callee) = program.cfa.entered_callee(edge) else {
            return self.step(program, edge, &|_, _| false, facts);
        };
        let mut inside = facts.clone();
        let mut most = LONGEST;
        if self.inside(program, edge, &mut vec![callee], &mut most, &mut inside).is_some() {
            *facts = inside;
        } else {
            let written = self.of_call(program, edge, callee);
            forget(program, &written, facts);
        }
    }

    /// A call operation by operation, if there is one way through the function only, and through all that it calls.
    fn inside(
        &mut self,
        program: &Program,
        call: EdgeId,
        active: &mut Vec<FunctionId>,
        most: &mut usize,
        facts: &mut Facts,
    ) -> Option<()> {
        let cfa = program.cfa;
        let function = cfa.function(*active.last()?);
        let (mut at, exit) = (function.entry?, function.exit?);
        self.step(program, call, &|_, _| false, facts);
        loop {
            if at == exit {
                self.leave(program, (None, call), &|_, _| false, facts);
                return Some(());
            }
            *most = most.checked_sub(1)?;
            let &[edge] = cfa.out_edges(at) else { return None };
            match &cfa.edge(edge).operation {
                Operation::Return { .. } => {
                    self.leave(program, (Some(edge), call), &|_, _| false, facts);
                    return Some(());
                }
                Operation::Assume { .. } | Operation::Asm(_) | Operation::Unsupported { .. } => return None,
                Operation::Call { callee, .. } if cfa.enters(*callee) => {
                    if active.contains(callee) || active.len() > 20 {
                        return None;
                    }
                    active.push(*callee);
                    self.inside(program, edge, active, most, facts)?;
                    active.pop();
                }
                Operation::Call { .. }
                | Operation::Blank
                | Operation::Declare { .. }
                | Operation::Assign { .. }
                | Operation::Havoc { .. } => self.step(program, edge, &|_, _| false, facts),
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

/// Whether every way from one location to another consists of conditions and then one of the values of a choice for a variable,
/// which is the same on all of them.
fn decided(cfa: &Cfa, (at, to): (LocationId, LocationId), most: &mut usize, chosen: &mut Option<(VarId, ExprId)>) -> bool {
    let edges = cfa.out_edges(at);
    at != to
        && !edges.is_empty()
        && edges.iter().all(|&id| {
            let edge = cfa.edge(id);
            *most = most.saturating_sub(1);
            match edge.operation {
                Operation::Assume { .. } => *most > 0 && decided(cfa, (edge.target, to), most, chosen),
                Operation::Assign { place, .. } => match (edge.choice, cfa.exprs.get(place)) {
                    (Some(value), Expr::Variable(variable)) if edge.target == to => {
                        *chosen.get_or_insert((*variable, value)) == (*variable, value)
                    }
                    _ => false,
                },
                Operation::Declare { .. }
                | Operation::Havoc { .. }
                | Operation::Call { .. }
                | Operation::Return { .. }
                | Operation::Blank
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => false,
            }
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
