//! All paths, where those that a condition leaves are no easier.
//!
//! A condition tells states apart by what lies behind them, and only some paths through a loop are left of many. Mostly that
//! saves work; but a program that has a short proof may have none as short of half of its paths, and what nobody has
//! verified before is as well proved for all paths at once. So a program that is not easy is also looked at without the condition, for
//! some steps. Only a proof counts: a violation may lie on a covered path.
//!
//! Where telling the states of the condition apart makes the program no smaller, all paths come first: on drivers, where the product
//! has up to four times as many nodes as the program, that took half of the time or less. There a violation counts
//! as well, if its path is not covered.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::analysis::Observer;
use engine::goal::{GoalId, Goals, Replay, Status};
use engine::portfolio::{self, Plan};
use engine::session::{Clock, Sessions};
use program::cfa::{Cfa, Operation};
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::Run;
use semantics::product::Product;
use smt::z3::Z3Error;

/// Whether following a condition makes a program no smaller: as many pairs of a location and a state are left as there are
/// locations. Time and space linear in the program, however many states the condition has.
pub(crate) fn comes_first(cfa: &Cfa, cursor: &ConditionCursor) -> bool {
    let all = Product::count(cfa, Coverage::Uncovered, &|coverage, _| coverage, usize::MAX);
    let start = cursor.start();
    !start.is_covered() && Product::count(cfa, start, &|coverage, edge| cursor.step(coverage, edge), all) >= all
}

/// Whether a condition leaves the path of a run. Of a run with gaps nobody can say that: it does not.
pub(crate) fn is_left(cfa: &Cfa, cursor: &ConditionCursor, run: &Run) -> bool {
    let mut coverage = cursor.start();
    let mut callers = Vec::new();
    let mut at = cfa.entry_location();
    for &edge in &run.trace {
        if cfa.edge(edge).source != at {
            return false;
        }
        coverage = cursor.step(coverage, edge);
        let callee = cfa.entered_callee(edge).and_then(|callee| cfa.function(callee).entry);
        at = match (callee, &cfa.edge(edge).operation) {
            (Some(entry), _) => {
                callers.push(cfa.edge(edge).target);
                entry
            }
            (None, Operation::Return { .. }) => match callers.pop() {
                Some(caller) => caller,
                None => return false,
            },
            (None, _) => cfa.edge(edge).target,
        };
    }
    !coverage.is_covered() && cfa.location(at).is_error
}

/// What was done without the condition.
#[derive(Default)]
pub(crate) struct Whole<'p> {
    /// The proof that no path violates the property, with where it was found.
    pub(crate) proof: Option<(Sessions<'p>, Goals, portfolio::Numbers)>,
    /// Steps that brought no proof.
    pub(crate) steps: u64,
}

/// Looks at all paths with the analyses of a plan and so many steps.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub(crate) fn prove<'p>(
    cfa: &'p Cfa,
    steps: u64,
    plan: Plan<'_>,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    observer: &mut dyn Observer,
) -> Result<Whole<'p>, Z3Error> {
    let mut sessions = Sessions::open(cfa, None, stop, clock)?;
    // What is proposed speaks of the terms of the other sessions.
    let plan = Plan { steps: Some(steps), proposals: &[], head_start: 0, lead: None, ..plan };
    let mut goals = Goals::every_error(cfa);
    let numbers = portfolio::run(&mut sessions, (&mut goals, &mut Replay), plan, (stop.as_ref(), observer));
    Ok(match &goals.get(GoalId(0)).status {
        Status::Safe(_) => Whole { proof: Some((sessions, goals, numbers)), steps: 0 },
        Status::Unsafe(_) | Status::Unknown(_) | Status::Open => Whole { proof: None, steps: portfolio::steps(&sessions) },
    })
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use smt::z3::interruptible;

    use super::*;

    /// Whether a program is proved in so many steps, and how many brought nothing.
    fn proved(condition: &str, steps: u64) -> (bool, u64) {
        let text = format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{ int x = 0, n = __VERIFIER_nondet_int(); while (n-- > 0) if (x < 40) x += 2;\n\
             if ({condition}) reach_error(); return 0; }}"
        );
        let cfa = program::load_source(SourceFile::new("program.c", text), &ProgramOptions::default()).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let whole = interruptible(&stop, || prove(&cfa, steps, Plan::FULL, (&stop, Clock::None), &mut ()).unwrap());
        (whole.proof.is_some(), whole.steps)
    }

    #[test]
    fn a_proof_of_all_paths_counts() {
        assert_eq!(proved("x % 2", 200_000), (true, 0));
    }

    #[test]
    fn a_violation_says_nothing_of_the_uncovered_paths() {
        let (is_proved, spent) = proved("x == 40", 200_000);
        assert!(!is_proved && spent > 0);
    }

    #[test]
    fn what_takes_more_steps_is_left() {
        let (is_proved, spent) = proved("x % 2", 1);
        assert!(!is_proved && spent > 0);
    }
}
