//! Property-directed reachability: for each number of steps cubes of latches that no run comes to within them, found by going
//! back from the output, until one set of them is an invariant.
//!
//! A cube is blocked at a level by *relative induction*: no step leads into it from outside, from what is known of the level
//! before. What leads into it is an obligation of the level before. Blocked cubes are made larger as long as they stay
//! inductive, and are carried on to later levels.
//! Source: Bradley, VMCAI 2011 (IC3); Eén, Mishchenko, Brayton, FMCAD 2011 (PDR): obligations by level, cubes widened by
//! asking what of a state a step needs; counterexamples to widening as in Hassan, Bradley, Somenzi, FMCAD 2013.

use std::collections::BTreeSet;

use super::super::sequential::Circuit;
use super::clauses::Clauses;
use super::sat::{Clausal, Effort, Found, Literal, Sat};
use super::{Cube, Trace};
use crate::control::Stop;

/// Questions with a clause of their own after which a solver is begun anew.
const WORN: usize = 400;

/// Literals in a row that could not be left out before a cube is taken as it is.
const FAILURES: usize = 12;

/// Obligations kept.
const OBLIGATIONS: usize = 200_000;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A violation.
    Violation(Trace),
    /// There is none: every step keeps clear of these cubes, and no violation is outside of them.
    Invariant(Vec<Cube>),
    /// There are too many obligations.
    TooLarge,
}

/// A level: what is reached within so many steps is outside of its cubes and of those of all later levels.
#[derive(Debug)]
struct Level {
    cubes: Vec<Cube>,
    sat: Sat,
    worn: usize,
}

/// A cube from which the output is reached, with the inputs of the next step.
#[derive(Debug)]
struct Node {
    cube: Cube,
    inputs: Vec<bool>,
    next: Option<usize>,
}

/// What comes of asking whether a cube is inductive.
enum Step {
    /// It is, and these of its literals are what makes it so.
    Blocked(Cube),
    /// This state leads into it, with these inputs.
    From(Vec<bool>, Vec<bool>),
}

/// The search.
#[derive(Debug)]
pub struct Directed {
    clauses: Clauses,
    levels: Vec<Level>,
    lift: Sat,
    lifted: usize,
    nodes: Vec<Node>,
    /// Level and place of each obligation, lowest level first.
    open: BTreeSet<(usize, usize)>,
    /// How often a latch was in a cube that was blocked.
    activity: Vec<u32>,
    /// The level from which cubes are still to be carried on.
    carried: Option<usize>,
}

impl Directed {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        let clauses = Clauses::of(circuit);
        let lift = clauses.solver();
        let activity = vec![0; circuit.latches.len()];
        let mut new = Self {
            clauses,
            levels: Vec::new(),
            lift,
            lifted: 0,
            nodes: Vec::new(),
            open: BTreeSet::new(),
            activity,
            carried: None,
        };
        new.levels.push(new.level(0));
        new
    }

    /// How many steps are looked at.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    fn level(&self, at: usize) -> Level {
        let mut sat = self.clauses.solver();
        if at == 0 {
            self.clauses.now.iter().for_each(|latch| sat.add(&[!*latch]));
        }
        for cube in self.levels.iter().skip(at.max(1)).flat_map(|level| &level.cubes) {
            sat.add(&self.clauses.clause(cube));
        }
        Level { cubes: Vec::new(), sat, worn: 0 }
    }

    /// Goes on until something is found out.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the effort is used up: it can be called again.
    pub fn run(&mut self, effort: Effort<'_>) -> Result<Answer, Stop> {
        loop {
            if let Some(from) = self.carried {
                if let Some(cubes) = self.carry(from, effort)? {
                    return Ok(Answer::Invariant(cubes));
                }
                self.carried = None;
            }
            if let Some(trace) = self.block_all(effort)? {
                return Ok(Answer::Violation(trace));
            }
            if self.nodes.len() > OBLIGATIONS {
                return Ok(Answer::TooLarge);
            }
            let last = self.levels.len() - 1;
            let bad = self.clauses.bad;
            if self.levels[last].sat.solve(&[bad], None, effort)? == Found::Model {
                let (state, inputs) = self.model(last);
                let cube = self.widened(&state, &inputs, None, effort)?;
                self.oblige(last, Node { cube, inputs, next: None });
                continue;
            }
            self.nodes.clear();
            self.levels.push(self.level(self.levels.len()));
            self.carried = Some(1);
        }
    }

    fn oblige(&mut self, level: usize, node: Node) {
        self.nodes.push(node);
        self.open.insert((level, self.nodes.len() - 1));
    }

    fn model(&self, level: usize) -> (Vec<bool>, Vec<bool>) {
        let sat = &self.levels[level].sat;
        let values = |literals: &[Literal]| literals.iter().map(|literal| sat.value(*literal)).collect();
        (values(&self.clauses.now), values(&self.clauses.inputs))
    }

    /// What of a state suffices to come into a cube with these inputs, or to the output.
    fn widened(&mut self, state: &[bool], inputs: &[bool], cube: Option<&Cube>, effort: Effort<'_>) -> Result<Cube, Stop> {
        let clauses = &self.clauses;
        if self.lifted > WORN {
            (self.lift, self.lifted) = (clauses.solver(), 0);
        }
        let mut assumed: Vec<Literal> = Vec::with_capacity(1 + state.len() + inputs.len());
        let outside = match cube {
            None => !clauses.bad,
            Some(cube) => {
                let own = self.lift.variable();
                let mut clause: Vec<Literal> = cube.iter().map(|(at, value)| clauses.next[*at as usize].is(!*value)).collect();
                clause.push(!own);
                self.lift.add(&clause);
                self.lifted += 1;
                own
            }
        };
        assumed.push(outside);
        assumed.extend(clauses.inputs.iter().zip(inputs).map(|(literal, value)| literal.is(*value)));
        assumed.extend(clauses.now.iter().zip(state).map(|(literal, value)| literal.is(*value)));
        let found = self.lift.solve(&assumed, None, effort);
        let needed = |at: &usize| !matches!(found, Ok(Found::None)) || self.lift.needs(clauses.now[*at].is(state[*at]));
        let wide = (0..state.len()).filter(needed).map(|at| (formats::dense(at), state[at])).collect();
        if cube.is_some() {
            self.lift.add(&[!outside]);
        }
        found.map(|_| wide)
    }

    /// Blocks all obligations; the inputs of a violation if one cannot be.
    fn block_all(&mut self, effort: Effort<'_>) -> Result<Option<Trace>, Stop> {
        while let Some(&(level, at)) = self.open.first() {
            if self.nodes.len() > OBLIGATIONS {
                return Ok(None);
            }
            // All latches start with 0.
            if level == 0 || self.nodes[at].cube.iter().all(|(_, value)| !value) {
                return Ok(Some(self.trace(at)));
            }
            let cube = self.nodes[at].cube.clone();
            if !self.is_blocked(level, &cube) {
                match self.ask(level, &cube, effort)? {
                    Step::From(state, inputs) => {
                        let wide = self.widened(&state, &inputs, Some(&cube), effort)?;
                        self.oblige(level - 1, Node { cube: wide, inputs, next: Some(at) });
                        continue;
                    }
                    Step::Blocked(core) => {
                        let core = self.generalized(level, core, effort)?;
                        self.carry_on(level, core, effort)?;
                    }
                }
            }
            self.open.remove(&(level, at));
            if level + 1 < self.levels.len() {
                self.open.insert((level + 1, at));
            }
        }
        Ok(None)
    }

    fn trace(&self, from: usize) -> Trace {
        let mut found = Trace::new();
        let mut at = Some(from);
        while let Some(node) = at.map(|at| &self.nodes[at]) {
            found.push(node.inputs.clone());
            at = node.next;
        }
        found
    }

    fn is_blocked(&self, level: usize, cube: &Cube) -> bool {
        self.levels[level..].iter().flat_map(|level| &level.cubes).any(|known| is_part(known, cube))
    }

    /// Whether a step leads into a cube from outside of it, from what is known one step before.
    fn ask(&mut self, level: usize, cube: &Cube, effort: Effort<'_>) -> Result<Step, Stop> {
        if self.levels[level - 1].worn > WORN {
            let new = self.level(level - 1);
            let before = &mut self.levels[level - 1];
            (before.sat, before.worn) = (new.sat, 0);
        }
        let clauses = &self.clauses;
        let before = &mut self.levels[level - 1];
        let own = before.sat.variable();
        let mut outside = clauses.clause(cube);
        outside.push(!own);
        before.sat.add(&outside);
        before.worn += 1;
        let mut assumed = vec![own];
        assumed.extend(cube.iter().map(|(at, value)| clauses.next[*at as usize].is(*value)));
        let found = before.sat.solve(&assumed, None, effort);
        let step = match found {
            Ok(Found::None) => {
                let mut core: Cube =
                    cube.iter().copied().filter(|(at, value)| before.sat.needs(clauses.next[*at as usize].is(*value))).collect();
                keep_clear_of_the_start(&mut core, cube);
                Ok(Step::Blocked(core))
            }
            Ok(_) => {
                let values = |literals: &[Literal]| literals.iter().map(|literal| before.sat.value(*literal)).collect();
                Ok(Step::From(values(&clauses.now), values(&clauses.inputs)))
            }
            Err(stop) => Err(stop),
        };
        before.sat.add(&[!own]);
        step
    }

    /// A larger cube that is still inductive: literals are left out one by one, those first that are seldom in cubes.
    fn generalized(&mut self, level: usize, mut cube: Cube, effort: Effort<'_>) -> Result<Cube, Stop> {
        let mut order: Vec<u32> = cube.iter().map(|(at, _)| *at).collect();
        order.sort_by_key(|at| (self.activity[*at as usize], *at));
        let mut failures = 0;
        for latch in order {
            if cube.len() < 2 || failures > FAILURES {
                break;
            }
            let Some(place) = cube.iter().position(|(at, _)| *at == latch) else { continue };
            let mut smaller = cube.clone();
            smaller.remove(place);
            if smaller.iter().all(|(_, value)| !value) {
                continue;
            }
            match self.without(level, smaller, effort)? {
                Some(found) => (cube, failures) = (found, 0),
                None => failures += 1,
            }
        }
        for (at, _) in &cube {
            self.activity[*at as usize] += 1;
        }
        Ok(cube)
    }

    /// The cube or a larger one, if it is inductive, perhaps after what leads into it was blocked.
    fn without(&mut self, level: usize, cube: Cube, effort: Effort<'_>) -> Result<Option<Cube>, Stop> {
        for _ in 0..2 {
            let (state, inputs) = match self.ask(level, &cube, effort)? {
                Step::Blocked(core) => return Ok(Some(core)),
                Step::From(state, inputs) => (state, inputs),
            };
            if level < 2 {
                return Ok(None);
            }
            let wide = self.widened(&state, &inputs, Some(&cube), effort)?;
            if wide.iter().all(|(_, value)| !value) {
                return Ok(None);
            }
            let Step::Blocked(core) = self.ask(level - 1, &wide, effort)? else { return Ok(None) };
            self.carry_on(level - 1, core, effort)?;
        }
        Ok(None)
    }

    /// Adds a cube, at the highest level where it is inductive.
    fn carry_on(&mut self, mut level: usize, mut cube: Cube, effort: Effort<'_>) -> Result<(), Stop> {
        while level + 1 < self.levels.len() {
            let Step::Blocked(core) = self.ask(level + 1, &cube, effort)? else { break };
            (level, cube) = (level + 1, core);
        }
        self.add(level, cube);
        Ok(())
    }

    fn add(&mut self, level: usize, cube: Cube) {
        let clause = self.clauses.clause(&cube);
        for known in &mut self.levels[1..=level] {
            known.cubes.retain(|known| !is_part(&cube, known));
        }
        for known in &mut self.levels[1..=level] {
            known.sat.add(&clause);
        }
        self.levels[level].cubes.push(cube);
    }

    /// Carries cubes on to later levels; the invariant if a level has none of its own left.
    fn carry(&mut self, from: usize, effort: Effort<'_>) -> Result<Option<Vec<Cube>>, Stop> {
        for level in from..self.levels.len() - 1 {
            self.carried = Some(level);
            let mut cubes = self.levels[level].cubes.clone();
            cubes.sort_by_key(Vec::len);
            for cube in cubes {
                if !self.levels[level].cubes.contains(&cube) {
                    continue;
                }
                if let Step::Blocked(core) = self.ask(level + 1, &cube, effort)? {
                    self.add(level + 1, core);
                }
            }
            if self.levels[level].cubes.is_empty() {
                return Ok(Some(self.levels[level..].iter().flat_map(|level| level.cubes.clone()).collect()));
            }
        }
        Ok(None)
    }
}

/// Whether all literals of a cube are among those of another.
fn is_part(cube: &Cube, of: &Cube) -> bool {
    let mut rest = of.iter();
    cube.len() <= of.len() && cube.iter().all(|literal| rest.by_ref().any(|other| other == literal))
}

/// A literal that the start does not have stays in.
fn keep_clear_of_the_start(core: &mut Cube, cube: &Cube) {
    if core.iter().any(|(_, value)| *value) {
        return;
    }
    if let Some(literal) = cube.iter().find(|(_, value)| *value) {
        core.push(*literal);
        core.sort_unstable();
    }
}
