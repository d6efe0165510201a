//! Many units: in parallel, within one budget, each on its own.
//!
//! Invariant: whatever happens to one unit, the others are checked, and results come in the order of the units.
//! Does not know how a unit is checked.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use console::{Budget, Progress};
use rustix::time::{ClockId, clock_gettime};

use super::stage::Allowance;
use super::unit::Checked;

/// Stack of a worker: the C front end recurses on the depth of expressions.
const STACK_BYTES: usize = 256 << 20;
/// What a unit gets at least, if it is there: with less it could only give up.
const LEAST: Duration = Duration::from_secs(1);

/// A thread that may read programs: deeply nested ones take a deep stack.
pub(crate) fn thread() -> std::thread::Builder {
    std::thread::Builder::new().name("unit".to_owned()).stack_size(STACK_BYTES)
}

/// How many units run at once, and on what.
pub(crate) struct Schedule<'a> {
    pub(crate) jobs: NonZero<usize>,
    pub(crate) budget: &'a Budget,
    pub(crate) progress: &'a Progress,
}

/// CPU time that is not given out yet, and to how many units it will be given.
struct Purse {
    left: Option<Duration>,
    waiting: usize,
}

/// A panic while a unit was checked, which has told where.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("this is a bug of residue: please report it with the command line and its input files")]
pub(crate) struct DriverBug;

/// What came of a unit.
pub(crate) type Result = miette::Result<Checked>;

impl Schedule<'_> {
    /// Runs `check` for every unit with its share of the budget; `name` says what is running.
    ///
    /// Each unit gets an equal share of what is left when it starts, so that what one does not use is for the others; at
    /// least a second, as long as there is one.
    pub(crate) fn run<U: Sync>(
        &self,
        units: &[U],
        name: impl Fn(&U) -> String + Sync,
        check: impl Fn(&U, Allowance) -> Result + Sync,
    ) -> Vec<Result> {
        let purse = Mutex::new(Purse { left: self.budget.remaining(), waiting: units.len() });
        let workers = self.jobs.get().min(units.len());
        let memory = self.budget.memory_limit().map(|bytes| bytes / workers.max(1) as u64);
        let work = |unit: &U| {
            let cpu = lock(&purse).take();
            let before = own_cpu();
            let allowance = Allowance { cpu, memory, run: self.budget.clone() };
            let result = catch_unwind(AssertUnwindSafe(|| check(unit, allowance)));
            let result = result.unwrap_or_else(|_| Err(DriverBug.into()));
            let ran = result.iter().filter(|checked| !checked.outcome.cached);
            let stages = ran.flat_map(|checked| &checked.outcome.stages);
            let seconds: f64 = stages.map(|stage| stage.cpu_seconds).sum();
            let used = Duration::try_from_secs_f64(seconds).unwrap_or_default() + own_cpu().saturating_sub(before);
            lock(&purse).give_back(cpu, used);
            result
        };
        self.parallel(units, name, work)
    }

    /// Does `work` for all items, [`Schedule::jobs`] at a time; results come in the order of the items.
    pub(crate) fn parallel<U: Sync, R: Send>(
        &self,
        items: &[U],
        name: impl Fn(&U) -> String + Sync,
        work: impl Fn(&U) -> R + Sync,
    ) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
        let running: Mutex<Vec<String>> = Mutex::default();
        let worker = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(index) else { return };
                let shown = name(item);
                lock(&running).push(shown.clone());
                self.show(&running, lock(&results).len(), items.len());
                let result = work(item);
                lock(&running).retain(|other| *other != shown);
                lock(&results).push((index, result));
                self.show(&running, lock(&results).len(), items.len());
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(items.len()) {
                if thread().spawn_scoped(scope, worker).is_err() {
                    // No further thread is to be had: what is left is done here.
                    worker();
                }
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn show(&self, running: &Mutex<Vec<String>>, done: usize, all: usize) {
        self.progress.update(|| format!("{done}/{all} {}", lock(running).join(", ")));
    }
}

impl Purse {
    fn take(&mut self) -> Option<Duration> {
        let waiting = u32::try_from(self.waiting).unwrap_or(u32::MAX).max(1);
        self.waiting = self.waiting.saturating_sub(1);
        let left = self.left.as_mut()?;
        let share = (*left / waiting).max(LEAST).min(*left);
        *left = left.saturating_sub(share);
        Some(share)
    }

    fn give_back(&mut self, share: Option<Duration>, used: Duration) {
        if let (Some(left), Some(share)) = (self.left.as_mut(), share) {
            *left = (*left + share).saturating_sub(used);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// CPU time of this thread.
fn own_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use miette::miette;

    use super::*;

    fn schedule(progress: &Progress, budget: &Budget, run: impl Fn(&Schedule<'_>)) {
        run(&Schedule { jobs: NonZero::new(4).unwrap(), budget, progress });
    }

    #[test]
    fn results_come_in_order_and_a_panic_hides_no_other() {
        let budget = Budget::unlimited();
        schedule(&Progress::none(), &budget, |schedule| {
            let numbers: Vec<u64> = (0..40).collect();
            let results = schedule.parallel(&numbers, u64::to_string, |number| {
                std::thread::sleep(Duration::from_millis(40 - number));
                number * 2
            });
            assert_eq!(results, numbers.iter().map(|number| number * 2).collect::<Vec<_>>());
            let results = schedule.run(&numbers, u64::to_string, |number, _| {
                assert!(*number != 7, "seven");
                Err(miette!("{number}"))
            });
            assert_eq!(results.len(), 40);
            assert!(results[7].as_ref().is_err_and(|error| error.to_string().contains("bug")));
            assert!(results[8].as_ref().is_err_and(|error| error.to_string() == "8"));
        });
    }

    #[test]
    fn what_one_unit_leaves_is_for_the_others() {
        let seconds = Duration::from_secs;
        let mut purse = Purse { left: Some(seconds(12)), waiting: 3 };
        assert_eq!(purse.take(), Some(seconds(4)));
        purse.give_back(Some(seconds(4)), seconds(2));
        assert_eq!(purse.take(), Some(seconds(5)));
        assert_eq!(purse.take(), Some(seconds(5)));
        assert_eq!(purse.take(), Some(Duration::ZERO), "nothing is left");
        let mut purse = Purse { left: Some(seconds(2)), waiting: 100 };
        assert_eq!(purse.take(), Some(LEAST), "too little for all");
        let mut purse = Purse { left: None, waiting: 1 };
        assert_eq!(purse.take(), None);
    }
}
