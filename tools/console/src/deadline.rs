//! The end of a budget for work that cannot ask: a solver that runs does not poll.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::{Budget, Exhaustion};

/// How often the budget is looked at.
const POLL: Duration = Duration::from_millis(25);

/// A thread that raises the stop flag of a budget when it is used up. It ends when this is dropped.
#[derive(Debug)]
pub struct Deadline {
    done: Arc<AtomicBool>,
    found: Arc<Mutex<Option<Exhaustion>>>,
}

impl Deadline {
    /// Begins to look.
    #[must_use]
    pub fn start(budget: &Budget) -> Self {
        let deadline = Self { done: Arc::default(), found: Arc::default() };
        // Nobody is faster than no time at all, whoever has looked just before.
        if budget.remaining().is_some_and(|left| left.is_zero()) {
            budget.stop_for(Exhaustion::Cpu);
        }
        let (budget, done, found) = (budget.clone(), Arc::clone(&deadline.done), Arc::clone(&deadline.found));
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                if let Some(exhaustion) = budget.check() {
                    if let Ok(mut found) = found.lock() {
                        found.get_or_insert(exhaustion);
                    }
                    budget.stop();
                    return;
                }
                std::thread::sleep(POLL);
            }
        });
        deadline
    }

    /// What was used up first, if anything was.
    #[must_use]
    pub fn exhaustion(&self) -> Option<Exhaustion> {
        self.found.lock().ok().and_then(|found| *found)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}
