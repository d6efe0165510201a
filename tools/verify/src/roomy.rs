//! Programs with arrays of variable length that are too long for them: proofs, by a reading that has all of their room.
//!
//! Does not know how the readings differ, only that they have the same edges, locations and variables.

use console::{Budget, Progress, Statistics};
use program::cfa::Cfa;
use smt::z3::Z3Error;

use crate::analysis::{Conclusion, Numbers, Plan, Task, analyse_with};

/// Steps for a program whose arrays may be too long before it is looked at with all of their room, and steps for that.
const BEFORE_ROOM: u64 = 300_000;
const WITH_ROOM: u64 = 8_000_000;

/// As [`analyse_with`], for a program that has arrays too long for it and is also given with all of their room: there a proof
/// counts, while a violation may be one that no program is run with.
///
/// # Errors
/// As [`analyse`].
pub(crate) fn analyse_roomy(
    (cfa, roomy): (&Cfa, &Cfa),
    task: Task<'_>,
    budget: &Budget,
    progress: &Progress,
    statistics: &mut Statistics,
    plan: Plan<'_>,
) -> Result<(Conclusion, Numbers), Z3Error> {
    let limit = plan.steps.unwrap_or(u64::MAX);
    let mut beside = Numbers::default();
    for (program, steps) in [(cfa, BEFORE_ROOM), (roomy, WITH_ROOM)] {
        let left = limit.saturating_sub(beside.steps);
        let part = Plan { steps: Some(left.min(steps)), ..plan };
        let mut own = Statistics::new();
        let (conclusion, numbers) = analyse_with(program, task.clone(), budget, progress, &mut own, part)?;
        let counts = match conclusion {
            Conclusion::Safe(..) => true,
            Conclusion::Unsafe(_) => std::ptr::eq(program, cfa),
            Conclusion::Unknown(_) => false,
        };
        let (queries, steps) = (numbers.queries + beside.queries, numbers.steps + beside.steps);
        if counts || budget.check().is_some() {
            statistics.append(own);
            return Ok((conclusion, Numbers { queries, steps, ..numbers }));
        }
        beside = Numbers { queries, steps, ..beside };
    }
    statistics.count("steps of long arrays", beside.steps);
    let rest = Plan { steps: plan.steps.map(|steps| steps.saturating_sub(beside.steps)), ..plan };
    let (conclusion, numbers) = analyse_with(cfa, task, budget, progress, statistics, rest)?;
    let (queries, steps) = (numbers.queries + beside.queries, numbers.steps + beside.steps);
    Ok((conclusion, Numbers { queries, steps, ..numbers }))
}
