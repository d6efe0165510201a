//! The program as one circuit, searched with a SAT solver: induction and property-directed reachability, in turns.
//!
//! State machines whose variables are flags and small numbers are what it is for: what other analyses enumerate value by value
//! is one clause here. A violation is replayed, an invariant is proved again block by block before it counts.
//! Does not take part where there is no circuit, where that is large, and where a goal asks about some runs only.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use smt::Meter;

use crate::analysis::{Analysis, Pause, Share};
use crate::circuit::search::directed::{self, Directed};
use crate::circuit::search::induction::{self, Induction};
use crate::circuit::search::sat::Effort;
use crate::circuit::search::{Cube, Trace};
use crate::circuit::sequential::Unread;
use crate::circuit::system::System;
use crate::circuit::{Job, differences, invariant, trace};
use crate::control::Stop;
use crate::evidence::recheck;
use crate::goal::{Goals, Proof, Referee};
use crate::session::{Memory, Session};

/// Terms of a system that is searched.
const TERMS: usize = 2_000_000;

/// Gates and inputs of all steps that a circuit is made of.
const NODES: usize = 1_500_000;

/// Gates of a circuit that is searched.
const GATES: usize = 400_000;

/// Latches of a circuit that is searched.
const LATCHES: usize = 6_000;

/// Gates that cost a unit of the meter while the circuit is made.
const GATES_PER_UNIT: u64 = 4;

/// Units of the first turn; every turn is twice as long.
const TURN: u64 = 1_000_000;

/// Gates of a circuit that gets its whole share. A larger one gets as much less as it is larger, down to one in [`UNPROMISING`].
const SMALL: usize = 20_000;

/// Gates for each latch of a circuit that gets its whole share. More are products and remainders, which proofs of a SAT solver
/// have to look into at each step; machines of flags and counters have some ten, rings of processes up to two hundred.
const DENSE: usize = 300;

/// Units after which a search of no more than [`STUCK`] steps is taken to be stuck.
const FIRST_LOOK: u64 = 2 * TURN;

/// Steps that some search looks at before it counts.
const STUCK: usize = 3;

/// Steps that a search of a circuit which is not small looks at when it has come far, and how many shares it is worth then: what
/// others enumerate in the end, it has mostly behind it, and each step takes it longer. Small ones come as far by counting.
const FAR: usize = 10;
const WORTH: u64 = 3;

/// A circuit that promises little gets one in so many of its units.
const UNPROMISING: u64 = 10;

/// How many turns the search gets for one that looks at more steps than the other.
const AHEAD: u64 = 8;

/// The analysis.
#[derive(Debug, Default)]
pub struct Circuits {
    machine: Option<Machine>,
}

/// A circuit with its searches.
#[derive(Debug)]
struct Machine {
    job: Job,
    induction: Option<Induction>,
    directed: Option<Directed>,
    /// Which of the two have nothing to say: first the directed search, then induction.
    ended: [bool; 2],
    /// Whose turn it is, how long it is, and what is left of it.
    at: usize,
    turn: u64,
    left: u64,
    spent: u64,
}

/// What the searches say.
enum Word {
    Violation(Trace),
    Invariant(Vec<Cube>),
    /// An induction over some steps.
    Inductive,
    Nothing,
}

impl<'p> Analysis<'p> for Circuits {
    fn name(&self) -> &'static str {
        "circuit"
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        if goals.all_open().any(|goal| goals.get(goal).only.is_some()) {
            return Ok(Pause::Done(None));
        }
        let machine = match self.machine.take() {
            Some(machine) => machine,
            None => match Machine::of(session, goals) {
                Some(machine) => machine,
                None => return Ok(Pause::Done(None)),
            },
        };
        let machine = self.machine.insert(machine);
        match machine.search(session)? {
            Word::Violation(found) => machine.claim(session, goals, referee, &found)?,
            Word::Invariant(cubes) => machine.prove(session, goals, &cubes),
            Word::Inductive => {
                let proof = Proof { invariants: Vec::new(), inductive: false, memory: Memory::Exact, by: "circuit" };
                goals.settle_safe(&Rc::new(proof), |_| false);
            }
            Word::Nothing => {}
        }
        Ok(Pause::Done(None))
    }

    fn worth(&self) -> u64 {
        if self.machine.as_ref().is_some_and(Machine::is_far) { WORTH } else { 1 }
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        let Some(machine) = &self.machine else { return Vec::new() };
        let [levels, steps] = machine.depths();
        vec![
            ("latches of the circuit", machine.job.circuit.latches.len() as u64),
            ("gates of the circuit", machine.job.circuit.aig.len() as u64),
            ("steps of its unrolling", steps as u64),
            ("levels of its search", levels as u64),
        ]
    }
}

impl Machine {
    /// The circuit of a program, if there is one that is small enough.
    fn of(session: &mut Session<'_>, goals: &Goals) -> Option<Self> {
        // Allocated memory has no circuit, and every depth of a recursion has positions of its own, which would be encoded until
        // there are too many.
        if session.explorer.encoder.has_pieces() || session.explorer.has_recursion() {
            return None;
        }
        let mut system = session.unmetered(|session| System::of(session, TERMS)).ok()?;
        system.keep(|position| goals.open(position.location).is_some());
        let job = smallest(session, system)?;
        session.meter().charge((job.steps.aig.len() + job.circuit.aig.len()) as u64 / GATES_PER_UNIT);
        let is_small = job.circuit.aig.len() <= GATES && job.circuit.latches.len() <= LATCHES;
        is_small.then_some(Self {
            job,
            induction: None,
            directed: None,
            ended: [false; 2],
            at: 0,
            turn: TURN,
            left: TURN,
            spent: 0,
        })
    }

    /// Lets the searches take turns until one of them has something to say.
    fn search(&mut self, session: &Session<'_>) -> Result<Word, Stop> {
        let stop = session.limits.stop.clone().unwrap_or_default();
        let granted = session.meter().left();
        let kept = if granted == u64::MAX { 0 } else { granted - self.own(granted) };
        while !self.ended.iter().all(|ended| *ended) {
            if self.left == 0 || self.ended[self.at] {
                self.pass_on();
                continue;
            }
            // The searches are told when their turn ends, whatever the share.
            let own = Meter::default();
            own.grant(self.left.min(session.meter().left().saturating_sub(kept)));
            let said = self.work(Effort { meter: &own, stop: &stop });
            session.meter().charge(own.spent());
            self.spent += own.spent();
            self.left = self.left.saturating_sub(own.spent());
            match said {
                Ok(Word::Nothing) => self.ended[self.at] = true,
                Ok(word) => return Ok(word),
                Err(_) => {}
            }
            if session.meter().left() <= kept || stop.load(Ordering::Relaxed) {
                return Err(Stop::Interrupted);
            }
        }
        Ok(Word::Nothing)
    }

    /// How many units of a share are used. What is left to others is missed less where the circuit is small and its state is not
    /// the result of arithmetic, and the searches have not got stuck at once.
    fn own(&self, granted: u64) -> u64 {
        let is_stuck = self.spent > FIRST_LOOK && self.depths().into_iter().all(|depth| depth <= STUCK);
        let (gates, latches) = (self.job.circuit.aig.len(), self.job.circuit.latches.len());
        let least = granted / UNPROMISING;
        if is_stuck || gates > latches.saturating_mul(DENSE) {
            return least;
        }
        if self.is_far() {
            return granted;
        }
        let (small, gates) = (SMALL as u64, gates.max(SMALL) as u64);
        (granted / gates).saturating_mul(small).max(least)
    }

    /// Whether one of the searches has come far although the circuit is not small.
    fn is_far(&self) -> bool {
        self.job.circuit.aig.len() > SMALL && self.depths().into_iter().any(|depth| depth >= FAR)
    }

    /// Gives the turn to the other search. The one that has come further gets more.
    fn pass_on(&mut self) {
        self.at = 1 - self.at;
        if self.at == 0 {
            self.turn = self.turn.saturating_mul(2);
        }
        let depths = self.depths();
        let is_ahead = depths[self.at] > depths[1 - self.at];
        self.left = if is_ahead { self.turn.saturating_mul(AHEAD) } else { self.turn };
    }

    /// How many steps each of the searches looks at.
    fn depths(&self) -> [usize; 2] {
        [self.directed.as_ref().map_or(0, Directed::depth), self.induction.as_ref().map_or(0, Induction::depth)]
    }

    fn work(&mut self, effort: Effort<'_>) -> Result<Word, Stop> {
        let circuit = &self.job.circuit;
        if self.at == 0 {
            self.directed.get_or_insert_with(|| Directed::new(circuit)).run(effort).map(Word::from)
        } else {
            self.induction.get_or_insert_with(|| Induction::new(circuit)).run(circuit, effort).map(Word::from)
        }
    }

    /// Puts a violation before the judge.
    fn claim(&self, session: &mut Session<'_>, goals: &mut Goals, referee: &mut dyn Referee, found: &Trace) -> Result<(), Stop> {
        let frames = trace::frames(&self.job.circuit, found);
        let path = session.unmetered(|session| trace::follow(session, &self.job.system, &frames))?;
        let end = path.edges.last().map(|edge| session.cfa().edge(*edge).target);
        if let Some((goal, _)) = end.and_then(|end| goals.open(end)) {
            goals.claim(goal, session, referee, &path);
        }
        Ok(())
    }

    /// Settles everything with an invariant, if it is one of the program.
    fn prove(&self, session: &mut Session<'_>, goals: &mut Goals, cubes: &[Cube]) {
        let latches = &self.job.circuit.latches;
        let held = |cube: &Cube| cube.iter().map(|(at, value)| (latches[*at as usize].held, *value)).collect();
        let cubes = cubes.iter().map(held).collect();
        let invariants = invariant::of_program(&mut session.store, &self.job, &cubes);
        let is_open = |at| goals.open(at).is_some();
        // A share that ends in the middle of it would cost the proof.
        if session.unmetered(|session| recheck::check(session, &invariants, &is_open)).is_err() {
            return;
        }
        let proof = Proof { invariants, inductive: true, memory: Memory::Exact, by: "circuit" };
        goals.settle_safe(&Rc::new(proof), |_| false);
    }
}

/// The circuit of a system, with counters or with distances between them, whichever has fewer latches.
fn smallest(session: &mut Session<'_>, system: System) -> Option<Job> {
    let changed = differences::introduced(&mut session.store, &system);
    let job = Job::of(&session.store, system, (Unread::Zero, NODES)).ok()?;
    let other = changed.and_then(|changed| Job::of(&session.store, changed, (Unread::Zero, NODES)).ok());
    let is_smaller = |other: &Job| other.circuit.latches.len() < job.circuit.latches.len();
    Some(match other {
        Some(other) if is_smaller(&other) => other,
        Some(_) | None => job,
    })
}

impl From<induction::Answer> for Word {
    fn from(answer: induction::Answer) -> Self {
        match answer {
            induction::Answer::Violation(trace) => Word::Violation(trace),
            induction::Answer::Safe(_) => Word::Inductive,
            induction::Answer::TooLarge => Word::Nothing,
        }
    }
}

impl From<directed::Answer> for Word {
    fn from(answer: directed::Answer) -> Self {
        match answer {
            directed::Answer::Violation(trace) => Word::Violation(trace),
            directed::Answer::Invariant(cubes) => Word::Invariant(cubes),
            directed::Answer::TooLarge => Word::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::portfolio::Kind;
    use crate::tests::answer;
    use crate::tests::random::{Loops, Program};

    /// A program has 64 states: all of them are looked at in the end.
    #[test]
    fn random_programs_are_decided_as_all_their_states_say() {
        let mut violated = 0;
        for seed in 0..300 {
            let program = Program::draw(seed, Loops::Any);
            let expected = program.truth().violated;
            violated += usize::from(expected);
            let found = answer(&program.text(), &[Kind::Circuit], 4_000_000);
            assert_eq!(found, Some(!expected), "{seed}\n{}", program.text());
        }
        assert!((60..240).contains(&violated), "{violated} of 300 say little");
    }

    /// Counters without a bound of which only the distance matters, set and moved on different ways.
    #[test]
    fn distances_between_counters_are_enough() {
        let text = |claim: &str| {
            format!(
                "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
                 int main(void) {{ int x = 0, y = 0, s = 0; while (1) {{ int c = __VERIFIER_nondet_int();\n\
                 if (c) {{ x = __VERIFIER_nondet_int(); y = x; s = 0; }} else if (s < 3) {{ x = (int)((unsigned)x + 2u); s++; }}\n\
                 else {{ y = (int)((unsigned)y + 6u); s = 0; }}\n\
                 if ((unsigned)x != (unsigned)y + 2u * {claim}) reach_error(); }} }}"
            )
        };
        assert_eq!(answer(&text("s"), &[Kind::Circuit], 4_000_000), Some(true));
        assert_eq!(answer(&text("(s == 3 ? 2u : (unsigned)s)"), &[Kind::Circuit], 4_000_000), Some(false));
    }
}
