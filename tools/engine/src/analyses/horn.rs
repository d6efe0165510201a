//! Horn clauses: the program's blocks as clauses about its positions, solved by property-directed reachability over numbers (Spacer).
//!
//! Bit vectors are solved as they are and as whole numbers, in turns. Whole numbers do not wrap, so that what they say is only
//! guessed; of either solution what is inductive over blocks is kept as facts, and a proof is looked at block by block before it
//! counts. The state of the condition is part of a position.
//! Does not take part where there is no transition system ([`System`]), and finds no violations.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use smt::horn::{Answer, Arithmetic, Clause, Clauses};
use smt::terms::Substitution;
use smt::{Limits, TermId, TermStore};

use super::candidates;
use crate::analysis::{Analysis, Pause, Share};
use crate::circuit::system::{Step, System};
use crate::control::Stop;
use crate::evidence::invariant::Invariant;
use crate::evidence::recheck;
use crate::goal::{Goals, Proof, Referee};
use crate::session::{Memory, Session};

/// Terms of a system that is solved.
const TERMS: usize = 300_000;

/// Units of the first turn; every turn is twice as long.
const TURN: u64 = 1_000_000;

/// How many times what is left of its share a turn may take: it cannot be broken off and taken up again.
const OVERDRAFT: u64 = 2;

/// Units of the longest turn.
const LONGEST: u64 = 1 << 31;

/// The analysis.
#[derive(Debug, Default)]
pub struct Horn {
    task: Option<Task>,
    /// Conjuncts of solutions, and how many of them were proved.
    read: u64,
    kept: u64,
}

/// A program as clauses.
#[derive(Debug)]
struct Task {
    system: System,
    clauses: Clauses,
    /// What is left to try, each with the length of its next turn.
    turns: Vec<(Arithmetic, u64)>,
}

impl<'p> Analysis<'p> for Horn {
    fn name(&self) -> &'static str {
        "horn"
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        _referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        if goals.all_open().any(|goal| goals.get(goal).only.is_some()) {
            return Ok(Pause::Done(None));
        }
        let mut task = match self.task.take().or_else(|| Task::of(session, goals)) {
            Some(task) => task,
            None => return Ok(Pause::Done(None)),
        };
        let outcome = self.go_on(&mut task, session, goals);
        self.task = Some(task);
        outcome.map(|()| Pause::Done(None))
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        if self.task.is_none() {
            return Vec::new();
        }
        vec![("conjuncts of solutions of clauses", self.read), ("of these, proved", self.kept)]
    }
}

impl Horn {
    /// Lets both ways of reading numbers take turns.
    fn go_on(&mut self, task: &mut Task, session: &mut Session<'_>, goals: &mut Goals) -> Result<(), Stop> {
        while let Some((arithmetic, turn)) = task.turns.first().copied() {
            let stopped = session.limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            let left = session.meter().left();
            if stopped || left < turn / OVERDRAFT {
                // Who has next to nothing left ends with that, or nobody would.
                session.meter().charge(left);
                return Err(Stop::Interrupted);
            }
            task.turns.remove(0);
            let limits = Limits { resources: u32::try_from(turn).ok(), timeout: None, stop: session.limits.stop.clone() };
            match session.solve_clauses(&task.clauses, arithmetic, &limits) {
                Answer::Unknown if turn < LONGEST => task.turns.push((arithmetic, turn * 2)),
                // A violation over whole numbers is none, and one over bits is for others to find.
                Answer::Unknown | Answer::Violated => {}
                Answer::Solution(solution) => self.prove(task, session, goals, &solution)?,
            }
            if goals.done() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Keeps what is inductive, and settles the goals if that proves them.
    fn prove(&mut self, task: &Task, session: &mut Session<'_>, goals: &mut Goals, solution: &[Vec<TermId>]) -> Result<(), Stop> {
        let offered = task.of_program(&mut session.store, solution);
        self.read += offered.len() as u64;
        // A share that ends in the middle of it would cost the solution.
        let kept = session.unmetered(|session| candidates::settle_at(session, offered))?;
        let conjuncts = |invariant: &Invariant| session.store.conjuncts(invariant.formula).len() as u64;
        self.kept += kept.iter().map(conjuncts).sum::<u64>();
        session.assume(&kept);
        let invariants: Vec<Invariant> =
            kept.iter().map(|one| Invariant { formula: session.fact(one.position).unwrap_or(one.formula), ..*one }).collect();
        let is_open = |at| goals.open(at).is_some();
        if session.unmetered(|session| recheck::check(session, &invariants, &is_open)).is_ok() {
            let proof = Proof { invariants, inductive: true, memory: Memory::Exact, by: "horn" };
            goals.settle_safe(&Rc::new(proof), |_| false);
        }
        Ok(())
    }
}

impl Task {
    /// The clauses of a program, if it has a transition system that is small enough.
    fn of(session: &mut Session<'_>, goals: &Goals) -> Option<Self> {
        if session.explorer.encoder.has_pieces() || session.explorer.has_recursion() {
            return None;
        }
        let mut system = session.unmetered(|session| System::of(session, TERMS)).ok()?;
        system.keep(|position| goals.open(position.location).is_some());
        if system.positions.is_empty() {
            return None;
        }
        let clauses = clauses(&system);
        Some(Self { system, clauses, turns: vec![(Arithmetic::Whole, TURN), (Arithmetic::Bits, TURN)] })
    }

    /// A solution as formulas over variables of the program.
    fn of_program(&self, store: &mut TermStore, solution: &[Vec<TermId>]) -> Vec<Invariant> {
        let pairs = self.system.elements_of_program(store);
        let mut substitution = Substitution::of(store, &pairs);
        let mut found = Vec::new();
        for (position, formulas) in self.system.positions.iter().zip(solution).skip(1) {
            for formula in formulas {
                found.push(Invariant { position: *position, formula: substitution.apply(store, *formula) });
            }
        }
        found
    }
}

/// A clause for each step: the first position needs no predicate, as nothing leads there. A step has a value for each variable that
/// is live where it ends, in the same order.
fn clauses(system: &System) -> Clauses {
    let predicates = system.live.iter().map(|live| live.iter().copied().collect()).collect();
    let clause = |step: &Step| {
        let to = step.to.ok().map(|to| (to, step.values.iter().map(|(_, value)| *value).collect()));
        Clause { from: (step.from != 0).then_some(step.from), guard: step.guard, to }
    };
    Clauses { predicates, clauses: system.steps.iter().map(clause).collect() }
}

#[cfg(test)]
mod tests {
    use crate::portfolio::Kind;
    use crate::tests::answer;
    use crate::tests::random::{Loops, Program};

    const INPUT: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";

    fn horn(text: &str) -> Option<bool> {
        answer(&format!("{INPUT}{text}"), &[Kind::Horn], 1_000_000)
    }

    /// What is safe is proved, and nothing else is.
    #[test]
    fn random_programs_are_proved_where_no_state_is_a_violation() {
        let (mut safe, mut proved) = (0, 0);
        for seed in 0..60 {
            let program = Program::draw(seed, Loops::Any);
            let violated = program.truth().violated;
            let found = answer(&program.text(), &[Kind::Horn], 600_000);
            assert_ne!(found, Some(violated), "{seed}\n{}", program.text());
            safe += usize::from(!violated);
            proved += usize::from(found == Some(true));
        }
        assert!(safe >= 30 && proved == safe, "{proved} of {safe}");
    }

    /// How far counters are apart is kept when they wrap, but not which of them is greater.
    #[test]
    fn counters_that_wrap_stay_as_far_apart_as_they_are() {
        let text = |claim: &str| {
            format!(
                "int main(void) {{ unsigned a = 0, b = 0; int f = 0; while (1) {{\n\
                 if (f) {{ b = b + 1; f = 0; }} else if (__VERIFIER_nondet_int()) {{ a = a + 1; f = 1; }}\n\
                 if ({claim}) reach_error(); }} }}"
            )
        };
        assert_eq!(horn(&text("a - b > 1")), Some(true));
        assert_eq!(horn(&text("f == 0 && a != b")), Some(true));
        assert_eq!(horn(&text("a < b")), None, "a comes to 0 while b is at its greatest");
    }

    /// Whole numbers find it, and it holds of bit vectors.
    #[test]
    fn multiples_of_counters_are_found() {
        let text = |claim: &str| {
            format!(
                "int main(void) {{ int n = __VERIFIER_nondet_int(), i = 0, j = 0; if (n < 0) return 0;\n\
                 while (i < n) {{ if (__VERIFIER_nondet_int()) break; j += 2; i++; }}\n\
                 if ({claim}) reach_error(); return 0; }}"
            )
        };
        assert_eq!(horn(&text("j != 2 * i || i > n")), Some(true));
        assert_eq!(horn(&text("j == 2 * i")), None);
    }
}
