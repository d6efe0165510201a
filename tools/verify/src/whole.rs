//! All paths, where those that a condition leaves are no easier.
//!
//! A condition tells states apart by what lies behind them, and only some paths through a loop are left of many. Mostly that
//! saves work; but a program that has a short proof may have none as short of half of its paths, and what nobody has
//! verified before is as well proved for all paths at once. So the program without the condition gets as many steps as it had
//! with it, round by round. Only a proof counts: a violation may lie on a covered path.
//!
//! Does not know which paths are covered.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::analysis::Observer;
use engine::goal::{GoalId, Goals, Replay, Status};
use engine::portfolio::{self, Kind, Plan};
use engine::session::{Clock, Sessions};
use program::cfa::Cfa;
use smt::z3::Z3Error;

/// What is done without the condition.
pub(crate) enum Whole<'p> {
    /// There is no condition, or nothing is to be had without it.
    Nothing {
        /// Steps that were done.
        steps: u64,
    },
    /// Not begun.
    Waiting,
    /// What was found so far.
    Open(Box<Sessions<'p>>),
    /// No path violates the property.
    Proved(Box<(Sessions<'p>, Goals, portfolio::Numbers)>),
}

impl<'p> Whole<'p> {
    /// Beside what is done with a condition, if there is one and all analyses are asked.
    pub(crate) fn beside(sessions: &Sessions<'p>, plan: Plan<'_>) -> Self {
        let is_asked = sessions.cursor().is_some() && plan.analyses == Kind::ALL;
        if is_asked { Self::Waiting } else { Self::Nothing { steps: 0 } }
    }

    /// Whether there may be a proof.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Waiting | Self::Open(_))
    }

    /// Whether there is a proof.
    pub(crate) fn is_proved(&self) -> bool {
        matches!(self, Self::Proved(_))
    }

    /// Steps done so far.
    pub(crate) fn steps(&self) -> u64 {
        match self {
            Self::Nothing { steps } => *steps,
            Self::Waiting => 0,
            Self::Open(sessions) => portfolio::steps(sessions),
            // They are among the numbers of the proof.
            Self::Proved(_) => 0,
        }
    }

    /// Works for so many steps more.
    ///
    /// # Errors
    /// [`Z3Error`] if the linked solver cannot be used.
    pub(crate) fn work(
        &mut self,
        cfa: &'p Cfa,
        steps: u64,
        plan: Plan<'_>,
        (stop, clock): (&Arc<AtomicBool>, Clock),
        observer: &mut dyn Observer,
    ) -> Result<(), Z3Error> {
        let mut sessions = match std::mem::replace(self, Self::Nothing { steps: 0 }) {
            Self::Waiting => Box::new(Sessions::open(cfa, None, stop, clock)?),
            Self::Open(sessions) => sessions,
            other @ (Self::Nothing { .. } | Self::Proved(_)) => {
                *self = other;
                return Ok(());
            }
        };
        let steps = Some(portfolio::steps(&sessions).saturating_add(steps));
        // What is proposed speaks of the terms of the other sessions.
        let plan = Plan { steps, proposals: &[], head_start: 0, lead: None, ..plan };
        let mut goals = Goals::every_error(cfa);
        let numbers = portfolio::run(&mut sessions, (&mut goals, &mut Replay), plan, (stop.as_ref(), observer));
        *self = match &goals.get(GoalId(0)).status {
            Status::Safe(_) => Self::Proved(Box::new((*sessions, goals, numbers))),
            Status::Unsafe(_) => Self::Nothing { steps: portfolio::steps(&sessions) },
            Status::Unknown(_) | Status::Open => Self::Open(sessions),
        };
        Ok(())
    }

    /// The proof, with where it was found.
    pub(crate) fn proof(self) -> Option<(Sessions<'p>, Goals, portfolio::Numbers)> {
        if let Self::Proved(found) = self { Some(*found) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use smt::z3::interruptible;

    use super::*;

    /// What becomes of a program in so many steps.
    fn worked(condition: &str, steps: &[u64]) -> (bool, bool, u64) {
        let text = format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{ int x = 0, n = __VERIFIER_nondet_int(); while (n-- > 0) if (x < 40) x += 2;\n\
             if ({condition}) reach_error(); return 0; }}"
        );
        let cfa = program::load_source(SourceFile::new("program.c", text), &ProgramOptions::default()).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let mut whole = Whole::Waiting;
        interruptible(&stop, || {
            for steps in steps {
                whole.work(&cfa, *steps, Plan::FULL, (&stop, Clock::None), &mut ()).unwrap();
            }
        });
        let spent = whole.steps();
        (whole.is_open(), whole.proof().is_some(), spent)
    }

    #[test]
    fn a_proof_of_all_paths_counts() {
        assert_eq!(worked("x % 2", &[200_000]), (false, true, 0));
    }

    #[test]
    fn a_violation_says_nothing_of_the_uncovered_paths() {
        let (is_open, is_proved, spent) = worked("x == 40", &[200_000, 200_000]);
        assert!(!is_open && !is_proved && spent > 0, "it is looked for once");
    }

    #[test]
    fn what_is_not_settled_goes_on_where_it_stopped() {
        let (is_open, is_proved, spent) = worked("x % 2", &[1]);
        assert!(is_open && !is_proved && spent > 0);
        assert!(worked("x % 2", &[1, 200_000]).1);
    }
}
