//! All paths, where those that a condition leaves are no easier.
//!
//! A condition tells states apart by what lies behind them, and only some paths through a loop are left of many. Mostly that
//! saves work; but a program that has a short proof may have none as short of half of its paths, and what nobody has
//! verified before is as well proved for all paths at once. So a program that is not easy is looked at from two sides: along the
//! condition, and without it, where a violation counts only if the condition does not cover its path.
//!
//! One side comes first, and the other one gets a small part of its steps, so that being wrong about which costs little. Where
//! telling the states of the condition apart makes the program no smaller, all paths are first: on drivers, where the product has
//! up to seven times as many nodes as the program, that took half of the time or less. Everything that only a condition decides has a
//! smaller product, and is hardly ever decided later along the condition than without it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::analysis::Observer;
use engine::control::{Cause, Stop};
use engine::goal::{GoalId, Goals, Replay, Status};
use engine::portfolio::{self, Kind, Plan, Rounds};
use engine::session::{Clock, Sessions};
use program::cfa::{Cfa, Operation};
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::interpreter::Run;
use semantics::product::Product;
use smt::z3::Z3Error;

/// The second side gets one in so many of the steps of the first, and some more, after each stretch of steps of the first: little
/// enough that what one side decides alone takes at most a tenth more time.
const PART: u64 = 16;
const BONUS: u64 = 20_000;
const STRETCH: u64 = 320_000;

/// From here on what a condition leaves gets as many steps as all paths, where these come first. Drivers that are proved within ten
/// seconds take up to 4 million.
const ALL_PATHS_FIRST: u64 = 5_000_000;

/// Steps for all paths where nothing more is to be found out along the condition.
const WITHOUT_CONDITION: u64 = 300_000;

/// What the second side does: an execution is the same on both.
const BESIDE: &[Kind] = Kind::ALL.split_at(1).1;

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

/// Which paths the analyses look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paths {
    /// All of them, although there is a condition.
    All,
    /// Those of the task: what its condition leaves, or all if it has none.
    Asked,
}

/// The analyses of a program on some of its paths, with what has become of them.
pub(crate) struct Side<'p> {
    paths: Paths,
    pub(crate) sessions: Sessions<'p>,
    pub(crate) goals: Goals,
    rounds: Rounds<'p>,
}

impl<'p> Side<'p> {
    /// Begins with the analyses of a plan.
    pub(crate) fn begin(paths: Paths, mut sessions: Sessions<'p>, plan: Plan<'_>) -> Self {
        let mut goals = Goals::every_error(sessions.cfa());
        let rounds = Rounds::begin(&mut sessions, (&mut goals, &mut Replay), plan);
        Self { paths, sessions, goals, rounds }
    }

    /// Steps done.
    pub(crate) fn steps(&self) -> u64 {
        portfolio::steps(&self.sessions)
    }

    fn is_over(&self) -> bool {
        self.rounds.is_over() || self.goals.done()
    }

    /// Goes on until so many steps are done; whether that has settled what is asked. A violation on a path that `condition` covers
    /// is thrown away.
    fn work(&mut self, limit: u64, condition: Option<&ConditionCursor>, stop: &AtomicBool, observer: &mut dyn Observer) -> bool {
        self.rounds.work(&mut self.sessions, (&mut self.goals, &mut Replay), limit, (stop, observer));
        let cfa = self.sessions.cfa();
        match (&self.goals.get(GoalId(0)).status, condition) {
            (Status::Unsafe(run), Some(condition)) if self.paths == Paths::All && !is_left(cfa, condition, run) => {
                self.goals.settle(GoalId(0), Status::Unknown(Cause::Stopped(Stop::Interrupted)));
                false
            }
            (Status::Safe(_) | Status::Unsafe(_), _) => true,
            (Status::Unknown(_) | Status::Open, _) => false,
        }
    }

    /// Ends the run: `limit` is that of its last steps.
    fn end(&mut self, limit: u64, stop: &AtomicBool) -> portfolio::Numbers {
        self.rounds.end(&mut self.sessions, &mut self.goals, limit, stop)
    }
}

/// The paths that are looked at, and the others that are for some of the steps: all beside those that a condition leaves, or
/// these beside all. Both go on where they were.
pub(crate) struct Sides<'p> {
    first: Side<'p>,
    second: Option<Side<'p>>,
    condition: Option<ConditionCursor>,
    /// What the second does, if there is one.
    plan: Plan<'static>,
    has_second: bool,
    /// The one that has settled what is asked.
    settled: Option<Which>,
    limit: u64,
    /// Steps of whoever goes first on the first side, and of the others before that: they are not cut short.
    ahead: u64,
    clock: Clock,
}

/// One of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    First,
    Second,
}

/// What both sides did.
pub(crate) struct Ended<'p> {
    /// The side that counts: the one that settled what is asked, else that along the condition.
    pub(crate) side: Side<'p>,
    /// Its numbers.
    pub(crate) numbers: portfolio::Numbers,
    /// Steps of the other one, if there was one.
    pub(crate) others: Option<u64>,
}

impl<'p> Sides<'p> {
    /// Begins with one side; the other one comes in later, unless there is nothing else to look at.
    pub(crate) fn begin(first: Side<'p>, condition: Option<&ConditionCursor>, plan: Plan<'_>, clock: Clock) -> Self {
        let has_second = condition.is_some() && plan.analyses == Kind::ALL;
        let limit = plan.steps.unwrap_or(u64::MAX);
        let ahead = plan.lead.map_or(0, |lead| lead.others.saturating_mul(Kind::ALL.len() as u64).saturating_add(lead.steps));
        // What is proposed speaks of the terms of the first, and executions have been tried.
        let Plan { recheck, executions, .. } = plan;
        let plan = Plan { analyses: BESIDE, recheck, executions, ..Plan::FULL };
        Self { first, second: None, condition: condition.cloned(), plan, has_second, settled: None, limit, ahead, clock }
    }

    /// The program.
    pub(crate) fn cfa(&self) -> &'p Cfa {
        self.first.sessions.cfa()
    }

    /// Steps of the first side.
    pub(crate) fn first_steps(&self) -> u64 {
        self.first.steps()
    }

    /// Steps of both sides.
    pub(crate) fn steps(&self) -> u64 {
        self.first.steps() + self.second_steps()
    }

    fn second_steps(&self) -> u64 {
        self.second.as_ref().map_or(0, Side::steps)
    }

    /// Questions of both sides.
    pub(crate) fn asked(&self) -> u64 {
        self.first.sessions.asked() + self.second.as_ref().map_or(0, |side| side.sessions.asked())
    }

    /// Steps that are left for both.
    pub(crate) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.steps())
    }

    /// Steps that others have taken of those for both.
    pub(crate) fn take(&mut self, steps: u64) {
        self.limit = self.limit.saturating_sub(steps);
    }

    /// Goes on until the first side has done so many steps; whether what is asked is settled.
    ///
    /// # Errors
    /// [`Z3Error`] if the linked solver cannot be used.
    pub(crate) fn work(&mut self, until: u64, stop: &Arc<AtomicBool>, observer: &mut dyn Observer) -> Result<bool, Z3Error> {
        let until = until.max(self.ahead);
        while self.settled.is_none() {
            let stretch = self.first.steps().saturating_add(STRETCH).max(self.ahead);
            let own = if self.has_second { stretch } else { u64::MAX };
            let own = own.min(until).min(self.limit.saturating_sub(self.second_steps()));
            if self.first.work(own, self.condition.as_ref(), stop, observer) {
                self.settled = Some(Which::First);
                break;
            }
            let is_over = self.first.is_over();
            let is_used_up = stop.load(Ordering::Relaxed) || self.steps() >= self.limit;
            if is_used_up || !is_over && self.first.steps() >= until {
                break;
            }
            if self.has_second {
                self.work_beside(until, stop, observer)?;
            }
            if is_over {
                break;
            }
        }
        Ok(self.settled.is_some())
    }

    /// Lets the second side do what is its part by now.
    fn work_beside(&mut self, until: u64, stop: &Arc<AtomicBool>, observer: &mut dyn Observer) -> Result<(), Z3Error> {
        let limit = self.part_of_second(until).min(self.limit.saturating_sub(self.first.steps()));
        let second = match &mut self.second {
            Some(second) => second,
            none => {
                let (paths, cursor) = match self.first.paths {
                    Paths::All => (Paths::Asked, self.condition.as_ref()),
                    Paths::Asked => (Paths::All, None),
                };
                let sessions = Sessions::open(self.first.sessions.cfa(), cursor, stop, self.clock)?;
                none.insert(Side::begin(paths, sessions, self.plan))
            }
        };
        if second.work(limit, self.condition.as_ref(), stop, observer) {
            self.settled = Some(Which::Second);
        }
        Ok(())
    }

    /// Steps that the second side may have done by now, where the first is to do so many.
    fn part_of_second(&self, until: u64) -> u64 {
        let steps = self.first.steps();
        let some = BONUS + steps / PART;
        match (self.first.paths, self.first.is_over()) {
            // What was asked goes on to the end; all paths are more than that.
            (Paths::All, true) => until,
            (Paths::Asked, true) => steps.max(WITHOUT_CONDITION).min(until),
            (Paths::All, false) => some + steps.saturating_sub(ALL_PATHS_FIRST),
            (Paths::Asked, false) => some,
        }
    }

    /// Ends both.
    pub(crate) fn end(self, stop: &AtomicBool) -> Ended<'p> {
        let limit = self.limit;
        let (steps, second_steps) = (self.first.steps(), self.second_steps());
        let (mut side, others) = match (self.settled, self.second) {
            (_, None) => (self.first, None),
            (Some(Which::Second), Some(second)) => (second, Some(steps)),
            (None, Some(second)) if second.paths == Paths::Asked => (second, Some(steps)),
            (_, Some(_)) => (self.first, Some(second_steps)),
        };
        let numbers = side.end(limit.saturating_sub(others.unwrap_or(0)), stop);
        Ended { side, numbers, others }
    }
}

impl Ended<'_> {
    /// Whether this is about all paths, although there is a condition.
    pub(crate) fn is_whole(&self) -> bool {
        self.side.paths == Paths::All
    }
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use smt::z3::interruptible;

    use super::*;

    /// A program that goes wrong if this holds at its end. No range of `x` shows that it is even.
    fn load(error: &str) -> Cfa {
        let text = format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{ int x = 0, n = __VERIFIER_nondet_int(); while (n-- > 0) if (x < 40) x += 2;\n\
             if ({error}) reach_error(); return 0; }}"
        );
        program::load_source(SourceFile::new("program.c", text), &ProgramOptions::default()).unwrap()
    }

    /// Whether all paths of a program are proved right, or shown to be wrong, in so many steps.
    fn settled(error: &str, steps: u64) -> Option<bool> {
        let cfa = load(error);
        let stop = Arc::new(AtomicBool::new(false));
        interruptible(&stop, || {
            let sessions = Sessions::open(&cfa, None, &stop, Clock::None).unwrap();
            let plan = Plan { steps: Some(steps), ..Plan::FULL };
            let mut sides = Sides::begin(Side::begin(Paths::All, sessions, plan), None, plan, Clock::None);
            // Pieces of any size are as good as one.
            while !sides.work(sides.first_steps() + 700, &stop, &mut ()).unwrap() && sides.left() > 0 {}
            let ended = sides.end(&stop);
            match ended.side.goals.get(GoalId(0)).status {
                Status::Safe(_) => Some(true),
                Status::Unsafe(_) => Some(false),
                Status::Unknown(_) | Status::Open => None,
            }
        })
    }

    #[test]
    fn what_is_interrupted_goes_on() {
        assert_eq!(settled("x % 2", 200_000), Some(true));
        assert_eq!(settled("x == 4", 200_000), Some(false));
    }

    #[test]
    fn what_takes_more_steps_is_left() {
        assert_eq!(settled("x % 2", 1), None);
    }
}
