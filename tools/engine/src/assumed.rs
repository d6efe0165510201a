//! Whether some arguments of the entry function satisfy what the user says of them: otherwise a verdict says nothing.
//!
//! Does not know what the verdict is about.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use formats::ProgramOptions;
use program::cfa::Cfa;
use program::load_assumed;
use program::source::SourceFile;
use smt::z3::{Z3Error, interruptible};

use crate::goal::{GoalId, Goals, Replay, Status};
use crate::portfolio::{self, Plan, Recheck};
use crate::session::{Clock, Sessions};

/// What is to be told where no arguments do.
pub const VACUOUS: &str = "no arguments satisfy what is assumed of them: the verdict is vacuous";

/// Steps for it: what is assumed of arguments mostly is a few conditions, without a loop.
const STEPS: u64 = 100_000;

/// Whether it is proved that no arguments satisfy what the options assume of them.
///
/// What is no program, and what is not decided soon, is not.
#[must_use]
pub fn is_unsatisfiable(source: SourceFile, options: &ProgramOptions, stop: &Arc<AtomicBool>) -> bool {
    load_assumed(source, options).is_ok_and(|cfa| cfa.is_some_and(|cfa| is_safe(&cfa, stop)))
}

/// Whether it is soon proved that a program reaches no error.
#[must_use]
pub fn is_safe(cfa: &Cfa, stop: &Arc<AtomicBool>) -> bool {
    let ask = || {
        let mut sessions = Sessions::open(cfa, None, stop, Clock::None)?;
        let mut goals = Goals::every_error(cfa);
        let plan = Plan { steps: Some(STEPS), recheck: Recheck::Always, ..Plan::FULL };
        let numbers = portfolio::run(&mut sessions, (&mut goals, &mut Replay), plan, (stop.as_ref(), &mut ()));
        let is_proved = matches!(goals.get(GoalId(0)).status, Status::Safe(_));
        Ok::<bool, Z3Error>(is_proved && numbers.rechecks.iter().all(Result::is_ok))
    };
    interruptible(stop, ask).unwrap_or(false)
}
