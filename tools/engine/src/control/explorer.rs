//! Steps of the composite analysis: location, call stack and condition state, with the symbolic effect of each edge.
//!
//! [`Explorer`] is the only place of the engine that moves a position along an edge. The condition steps on every edge;
//! an edge into an accepting state ends the path, even if it leads to the error. Recursive functions are followed up to a
//! bounded number of open calls.
//! Does not know guards, abstractions or solvers.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation};
use program::expr::ExprId;
use rustc_hash::FxHashMap;
use semantics::facts::Facts;
use semantics::reach::{self, Assembly};
use semantics::stack::{Point, StackId, StackTable, Step};
use smt::encode::{Depth, Encoder, Origin, State, Unsupported};
use smt::terms::{Arrival, Input, Symbol, Which};
use smt::{Meter, Sort, TermId, TermStore};

use super::condition::Condition;
use super::later::LaterReads;
use super::liveness::{self, Liveness};
use super::position::Position;
use super::state::SymbolicState;
use super::target::{Obstacle, Stop, Target};

/// What an encoded edge costs, in units of the [`Meter`].
const EDGE: u64 = 3;

/// So many terms that are asked for, new or known, cost a unit.
const TERMS: u64 = 2;

/// Copies of edges in one block.
const LARGEST_BLOCK: usize = 2_000_000;

/// Open calls before recursion counts as unbounded.
const DEEPEST: u32 = 250;

/// What follows a position along an edge.
#[derive(Clone, Debug)]
pub struct Successor {
    /// Conditions, over the values at the start of the block, under which the edge is passed.
    pub conditions: Vec<TermId>,
    /// The values behind the edge.
    pub state: SymbolicState,
    /// The next position inside the block, or the end of the block.
    pub target: Result<Position, Target>,
}

/// The program as the engine explores it.
pub struct Explorer<'p> {
    /// The program.
    pub cfa: &'p Cfa,
    /// What operations mean.
    pub encoder: Encoder<'p>,
    facts: Rc<Facts<'p>>,
    liveness: Liveness,
    later: OnceCell<LaterReads>,
    stacks: StackTable,
    condition: Option<Box<dyn Condition + 'p>>,
    orders: FxHashMap<StackId, Rc<[u32]>>,
    cuts: BTreeSet<LocationId>,
    stop: Arc<AtomicBool>,
    meter: Rc<Meter>,
    /// How many terms had been asked for when the meter was last charged.
    requests: u64,
    inputs: FxHashMap<(u32, Position, EdgeId), Vec<(TermId, Origin)>>,
    round: u32,
    /// What never changes, once something is encoded.
    constants: Option<Rc<FxHashMap<TermId, TermId>>>,
}

impl std::fmt::Debug for Explorer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Explorer").field("stacks", &self.stacks.len()).finish_non_exhaustive()
    }
}

impl<'p> Explorer<'p> {
    /// Explores a program, along a condition if there is one, until `stop` is raised.
    #[must_use]
    pub fn new(
        facts: Rc<Facts<'p>>,
        encoder: Encoder<'p>,
        condition: Option<Box<dyn Condition + 'p>>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let cfa = facts.cfa();
        Self {
            cfa,
            encoder,
            facts,
            liveness: Liveness::new(cfa),
            later: OnceCell::new(),
            stacks: StackTable::new(),
            condition,
            orders: FxHashMap::default(),
            cuts: BTreeSet::new(),
            stop,
            meter: Rc::default(),
            requests: 0,
            inputs: FxHashMap::default(),
            round: 0,
            constants: None,
        }
    }

    /// Charges a meter from now on for what is encoded.
    pub fn set_meter(&mut self, meter: Rc<Meter>) {
        self.meter = meter;
    }

    /// Ends blocks at these locations as well. To be said before anything is encoded.
    pub fn cut_at(&mut self, cuts: BTreeSet<LocationId>) {
        self.cuts = cuts;
    }

    /// Where the program starts; `None` if the condition covers everything or the error cannot be reached at all.
    #[must_use]
    pub fn start(&self) -> Option<Position> {
        let point = StackTable::start(self.cfa);
        let condition = match &self.condition {
            Some(condition) => condition.initial()?,
            None => 0,
        };
        let position = Position { location: point.location, stack: point.stack, condition };
        self.matters(point).then_some(position)
    }

    /// The positions of a location, for all that the calls in the text say; `None` for a location in or behind recursion, or if
    /// there are more than a few. To be asked where there is no condition.
    pub fn positions(&mut self, location: LocationId, most: usize) -> Option<Vec<Position>> {
        let stacks = self.stacks_of(self.cfa.location(location).function, most, &mut FxHashMap::default())?;
        Some(stacks.into_iter().map(|stack| Position { location, stack, condition: 0 }).collect())
    }

    fn stacks_of(
        &mut self,
        function: FunctionId,
        most: usize,
        known: &mut FxHashMap<FunctionId, Option<Vec<StackId>>>,
    ) -> Option<Vec<StackId>> {
        if let Some(known) = known.get(&function) {
            return known.clone();
        }
        // What is found for a function that calls itself is `None`, also on the way to it.
        known.insert(function, None);
        let start = StackTable::start(self.cfa);
        let of_start = (self.cfa.location(start.location).function == function).then_some(start.stack);
        let mut found: Vec<StackId> = of_start.into_iter().collect();
        let facts = Rc::clone(&self.facts);
        let (cfa, is_recursive) = (self.cfa, facts.calls().is_recursive(function));
        for edge in facts.calls().call_sites(function).iter().copied().filter(|_| !is_recursive) {
            let source = cfa.edge(edge).source;
            for stack in self.stacks_of(cfa.location(source).function, most, known)? {
                found.push(self.stacks.step(cfa, Point { location: source, stack }, edge).point()?.stack);
            }
            if found.len() > most {
                return None;
            }
        }
        let found = Some(found).filter(|_| !is_recursive);
        known.insert(function, found.clone());
        found
    }

    /// The values of the variables at the start of the program.
    ///
    /// # Errors
    /// An initialiser that cannot be treated.
    pub fn initial_state(&mut self, store: &mut TermStore) -> Result<SymbolicState, Unsupported> {
        let mut names = self.names(store, SymbolicState::unchanged(), Place::Start);
        self.encoder.initialise(store, &mut names);
        Ok(names.state)
    }

    /// What an expression says as a condition at a location, over variables without instance, in the first activation of its
    /// function; `None` if it speaks of what is not modelled.
    pub fn formula(&mut self, store: &mut TermStore, at: program::cfa::LocationId, expr: ExprId) -> Option<TermId> {
        let edge = *self.cfa.out_edges(at).first()?;
        let mut names = self.names(store, SymbolicState::unchanged(), Place::Start);
        self.encoder.set_caller(None);
        let formula = self.encoder.formula(store, &mut names, (edge, 0), expr).ok()?;
        names.fresh.is_empty().then_some(formula)
    }

    /// Whether a variable term belongs to an object that exists at a position: a global, or a local of an open call.
    #[must_use]
    pub fn exists_at(&self, store: &TermStore, position: Position, variable: TermId) -> bool {
        let Some(object) = self.encoder.variable_of(store, variable) else { return true };
        let declared = self.cfa.variable(object);
        let Some(owner) = declared.function.filter(|_| declared.initializer.is_none()) else { return true };
        let here = self.cfa.location(position.location).function == owner;
        let of = |call: EdgeId| self.cfa.location(self.cfa.edge(call).source).function;
        let open = usize::from(here) + self.stacks.calls(position.stack).filter(|call| of(*call) == owner).count();
        self.encoder.depth_of(store, variable).is_none_or(|depth| (depth as usize) < open)
    }

    /// Whether a function that the program may come to calls itself.
    #[must_use]
    pub fn has_recursion(&self) -> bool {
        let calls = self.facts.calls();
        calls.reachable_from(self.cfa.entry).into_iter().any(|function| calls.is_recursive(function))
    }

    /// Whether a variable term belongs to an object that exists at a position and may still be read.
    #[must_use]
    pub fn is_live_at(&self, store: &TermStore, position: Position, variable: TermId) -> bool {
        if !self.exists_at(store, position, variable) {
            return false;
        }
        let Some(object) = self.encoder.variable_of(store, variable) else { return true };
        let Some(owner) = liveness::owner(self.cfa, object) else { return true };
        if self.facts.calls().is_recursive(owner) {
            return true;
        }
        if self.cfa.location(position.location).function == owner {
            return self.liveness.is_live(position.location, object);
        }
        let of = |call: &EdgeId| self.cfa.location(self.cfa.edge(*call).source).function;
        let call = self.stacks.calls(position.stack).find(|call| of(call) == owner);
        call.is_none_or(|call| self.liveness.is_live(self.cfa.edge(call).target, object))
    }

    /// Whether a variable term is live at a position and, if it is of a global, may be read by what follows there.
    #[must_use]
    pub fn is_read_behind(&self, store: &TermStore, position: Position, variable: TermId) -> bool {
        if !self.is_live_at(store, position, variable) {
            return false;
        }
        let Some(object) = self.encoder.variable_of(store, variable) else { return true };
        let later = self.later.get_or_init(|| LaterReads::new(self.cfa, self.facts.calls()));
        let mut behind = self.stacks.calls(position.stack).map(|call| self.cfa.edge(call).target);
        later.may_read(position.location, object) || behind.any(|location| later.may_read(location, object))
    }

    /// The edges that leave a position.
    #[must_use]
    pub fn out_edges(&self, position: Position) -> Vec<EdgeId> {
        self.cfa.out_edges(position.location).to_vec()
    }

    /// What follows `position` along `edge`: nothing if the path ends, is covered, or cannot lead to the error any more.
    pub fn successors(
        &mut self,
        store: &mut TermStore,
        position: Position,
        edge: EdgeId,
        state: &SymbolicState,
    ) -> Option<Successor> {
        let condition = match &self.condition {
            Some(condition) => condition.step(position.condition, edge)?,
            None => 0,
        };
        let from = Point { location: position.location, stack: position.stack };
        let step = self.stacks.step_unbounded(self.cfa, from, edge);
        let point = step.point()?;
        // What is not understood may itself reach the error, wherever it leads.
        let opaque = reach::is_opaque(self.cfa, edge, Assembly::Understood);
        if !opaque && (matches!(step, Step::End(_)) || !self.matters(point)) {
            return None;
        }
        let next = Position { location: point.location, stack: point.stack, condition };
        self.meter.charge(EDGE + store.requests().saturating_sub(self.requests) / TERMS);
        self.requests = store.requests();
        let place = Place::Edge(position, decision(self.cfa, edge), self.round);
        let mut names = self.names(store, state.clone(), place);
        let passed = match self.unbounded_recursion(from, &step) {
            true => Err(Obstacle::Recursion { edge }),
            false => self
                .effect(store, &mut names, from, &step, edge)
                .map_err(|unsupported| Obstacle::Unsupported { construct: unsupported.construct, edge }),
        };
        if !names.fresh.is_empty() {
            self.inputs.insert((self.round, position, edge), std::mem::take(&mut names.fresh));
        }
        let (conditions, target) = match passed {
            Ok(condition) => (vec![condition], self.classify(next)),
            Err(obstacle) => (Vec::new(), Err(Target::Obstacle(position, obstacle))),
        };
        Some(Successor { conditions, state: names.state, target })
    }

    fn names(&mut self, store: &mut TermStore, state: SymbolicState, place: Place) -> Names {
        let encoder = &mut self.encoder;
        let constants = Rc::clone(self.constants.get_or_insert_with(|| Rc::new(encoder.constants(store))));
        Names { state, constants, place, count: 0, fresh: Vec::new() }
    }

    /// A key by which positions of one block come after everything that leads to them.
    pub fn order(&mut self, position: Position) -> Vec<u32> {
        let prefix = self.stack_order(position.stack);
        let mut key = prefix.to_vec();
        key.push(self.facts.loops().order(position.location).unwrap_or(u32::MAX));
        key
    }

    /// Whether blocks end at a position.
    #[must_use]
    pub fn is_head(&self, position: Position) -> bool {
        if self.facts.loops().is_head(position.location) || self.cuts.contains(&position.location) {
            return true;
        }
        let function = self.cfa.location(position.location).function;
        self.cfa.function(function).entry == Some(position.location)
            && self.facts.calls().is_recursive(function)
            && self.depth(position.location, position.stack, function) > 0
    }

    /// The open calls of a position, innermost first.
    #[must_use]
    pub fn calls_of(&self, stack: StackId) -> Vec<EdgeId> {
        self.stacks.calls(stack).collect()
    }

    /// Inputs get names of their own in each round; blocks are encoded in round 0.
    pub fn set_round(&mut self, round: u32) {
        self.round = round;
    }

    /// The inputs that come up on an edge at a position, in order.
    #[must_use]
    pub fn inputs_of(&self, position: Position, edge: EdgeId) -> &[(TermId, Origin)] {
        self.inputs.get(&(self.round, position, edge)).map_or(&[], Vec::as_slice)
    }

    /// Reports a raised stop flag, a share that is used up, or a block that is too large.
    ///
    /// # Errors
    /// [`Stop`].
    pub fn check_limits(&self, edges: usize) -> Result<(), Stop> {
        if self.stop.load(Ordering::Relaxed) || self.meter.is_empty() {
            return Err(Stop::Interrupted);
        }
        if edges > LARGEST_BLOCK { Err(Stop::TooLarge) } else { Ok(()) }
    }

    fn matters(&self, point: Point) -> bool {
        self.cfa.location(point.location).is_error
            || self.facts.reach(Assembly::Understood).can_reach(self.cfa, &self.stacks, point)
    }

    fn classify(&self, next: Position) -> Result<Position, Target> {
        if self.cfa.location(next.location).is_error {
            Err(Target::Error(next))
        } else if self.is_head(next) {
            Err(Target::Head(next))
        } else {
            Ok(next)
        }
    }

    fn effect(
        &mut self,
        store: &mut TermStore,
        names: &mut Names,
        from: Point,
        step: &Step,
        edge: EdgeId,
    ) -> Result<TermId, Unsupported> {
        let own = self.cfa.location(from.location).function;
        let depth = self.depth(from.location, from.stack, own);
        let caller = self.stacks.calls(from.stack).next();
        self.encoder.set_caller(caller);
        match *step {
            Step::Enter { callee, point } => {
                let inner = self.depth(point.location, point.stack, callee);
                self.encoder.enter(store, names, edge, depth, inner)
            }
            Step::Return { call, point } => {
                let caller = self.cfa.location(point.location).function;
                let outer = self.depth(point.location, point.stack, caller);
                self.encoder.leave(store, names, edge, depth, call, outer)
            }
            Step::Within(_) | Step::End(_) | Step::Recursion { .. } => self.encoder.pass(store, names, edge, depth),
        }
    }

    /// Earlier activations of a function at a point in it.
    fn depth(&self, location: program::cfa::LocationId, stack: StackId, function: FunctionId) -> Depth {
        debug_assert_eq!(self.cfa.location(location).function, function);
        if !self.facts.calls().is_recursive(function) {
            return 0;
        }
        let callers = self.stacks.calls(stack).filter(|call| self.cfa.location(self.cfa.edge(*call).source).function == function);
        u32::try_from(callers.count()).unwrap_or(Depth::MAX)
    }

    /// Recursion that is not followed: too deep, or with objects whose addresses several frames would share.
    fn unbounded_recursion(&self, from: Point, step: &Step) -> bool {
        let Step::Enter { callee, point } = *step else { return false };
        if self.depth(point.location, point.stack, callee) == 0 {
            return false;
        }
        let _ = from;
        let shared = self.cfa.variables.iter().any(|v| v.address_taken && v.function == Some(callee) && v.is_automatic());
        shared || self.stacks.depth(point.stack) > DEEPEST
    }

    fn stack_order(&mut self, stack: StackId) -> Rc<[u32]> {
        if let Some(known) = self.orders.get(&stack) {
            return Rc::clone(known);
        }
        let mut calls: Vec<EdgeId> = self.stacks.calls(stack).collect();
        calls.reverse();
        let order: Rc<[u32]> =
            calls.into_iter().map(|call| self.facts.loops().order(self.cfa.edge(call).source).unwrap_or(u32::MAX)).collect();
        self.orders.insert(stack, Rc::clone(&order));
        order
    }
}

/// The edge after which the arbitrary values of an edge are named: the branches of a decision read the same ones, so that
/// exactly one of them is taken.
fn decision(cfa: &Cfa, edge: EdgeId) -> EdgeId {
    let condition = |edge: EdgeId| {
        if let Operation::Assume { condition, .. } = cfa.edge(edge).operation { Some(condition) } else { None }
    };
    let Some(asked) = condition(edge) else { return edge };
    let branches = cfa.out_edges(cfa.edge(edge).source);
    branches.iter().copied().find(|other| condition(*other) == Some(asked)).unwrap_or(edge)
}

/// Where an arbitrary value comes up.
#[derive(Clone, Copy)]
enum Place {
    Start,
    Edge(Position, EdgeId, u32),
}

/// A symbolic state that names arbitrary values by the place where they come up.
struct Names {
    state: SymbolicState,
    constants: Rc<FxHashMap<TermId, TermId>>,
    place: Place,
    count: u32,
    fresh: Vec<(TermId, Origin)>,
}

impl State for Names {
    fn get(&mut self, _store: &mut TermStore, variable: TermId) -> TermId {
        self.constants.get(&variable).copied().unwrap_or_else(|| self.state.get(variable))
    }

    fn set(&mut self, _store: &mut TermStore, variable: TermId, value: TermId) {
        if !self.constants.contains_key(&variable) {
            self.state.set(variable, value);
        }
    }

    fn fresh(&mut self, store: &mut TermStore, origin: Origin, sort: Sort) -> TermId {
        // Two ways to one place may ask for values of different sorts there: what a pointer leads to depends on the way.
        // They may also choose among different pieces of memory.
        let (which, counted) = match origin {
            Origin::Contents { object, leaf, .. } => (Which::Contents { object, leaf }, 0),
            Origin::Input(_) | Origin::Declaration(_) | Origin::Unknown(_) | Origin::Approximated(_) => {
                (Which::Counted(self.count), 1)
            }
        };
        let at = match self.place {
            Place::Start => None,
            Place::Edge(Position { stack, condition, .. }, edge, round) => {
                Some(Arrival { edge, stack: stack.0, condition, round })
            }
        };
        let term = store.symbol_variable(Symbol::Input(Input { at, which, sort }), sort);
        self.count += counted;
        self.fresh.push((term, origin));
        term
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use semantics::interpreter::{self, DataState, Observer, ValueList};

    use super::*;
    use crate::session::Memory;
    use crate::tests::random::{Draw, Loops, Program};
    use crate::tests::{drive, load, sessions};

    /// The edges of a run with the values of the three variables behind each.
    struct Seen<'p>(&'p Cfa, Vec<(EdgeId, [Option<u128>; 3])>);

    impl Observer for Seen<'_> {
        fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
            let id = |name: &str| self.0.variable_ids().find(|id| &*self.0.variable(*id).name == name).unwrap();
            self.1.push((edge, ["a", "b", "c"].map(|name| state.scalar(id(name)))));
            ControlFlow::Continue(())
        }
    }

    /// Along a run of the interpreter, exactly the way that the run takes is open, and the symbolic values are its values.
    #[test]
    fn a_run_takes_the_same_way_with_the_same_values() {
        let (mut edges, mut heads) = (0, 0);
        for seed in 0..150 {
            let cfa = load(&Program::draw(seed, Loops::Any).text());
            let mut draw = Draw::new(seed);
            let inputs: Vec<u8> = (0..400).map(|_| u8::try_from(draw.below(4)).unwrap()).collect();
            let mut seen = Seen(&cfa, Vec::new());
            let limits = interpreter::Limits { steps: 300, ..interpreter::Limits::default() };
            let mut list = ValueList::new(inputs.iter().map(|value| u128::from(*value)).collect());
            interpreter::run(&cfa, &mut list, &mut seen, limits);

            let mut sessions = sessions(&cfa);
            let session = sessions.of(Memory::Exact);
            let variables = crate::tests::variables(session);
            let Some(mut position) = session.explorer.start() else { continue };
            let mut state = session.explorer.initial_state(&mut session.store).unwrap();
            let (mut values, mut inputs, mut run) = (smt::terms::Assignment::new(), inputs.into_iter(), seen.1.into_iter());
            'run: for round in 0.. {
                session.explorer.set_round(round);
                let (path, end) = drive(session, (position, state), &mut values, &mut inputs);
                for (edge, here) in &path {
                    let Some((taken, expected)) = run.next() else { break 'run };
                    assert_eq!(*edge, taken, "{seed}");
                    for (variable, expected) in variables.into_iter().zip(expected) {
                        let value = session.store.eval(here.get(variable), &values).unwrap().as_bits();
                        assert!(expected.is_none() || value == expected, "{seed} {edge:?}: {value:?} for {expected:?}");
                    }
                    edges += 1;
                }
                let Some(Target::Head(head)) = end else { break };
                state = path.last().unwrap().1.clone();
                (position, heads) = (head, heads + 1);
            }
        }
        assert!(edges > 3_000 && heads > 500, "{edges} edges, {heads} heads");
    }
}
