//! The CPU and memory budget of a run, and the signals that end it early.
//!
//! CPU time is that of the process and of the children it has waited for. A tool polls [`Budget::check`] and, once it
//! is exhausted, still writes a valid artifact or UNKNOWN.

use formats::Reason;
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Own CPU time between two looks at children and memory, which cost more than a look at the clock.
const SLOW_CHECK: Duration = Duration::from_millis(10);
/// Polls between two such looks, however little time has passed.
const POLLS: u64 = 256;

/// How much a run may use. Clones share their state.
#[derive(Clone, Debug)]
pub struct Budget {
    cpu: Option<Duration>,
    memory: Option<u64>,
    stop: Arc<AtomicBool>,
    slow: Arc<SlowCheck>,
}

/// What the last look at children and memory found.
#[derive(Debug, Default)]
struct SlowCheck {
    polls: AtomicU64,
    /// Own CPU time at the last look, in nanoseconds.
    at: AtomicU64,
    /// CPU time of children, in nanoseconds.
    children: AtomicU64,
    over_memory: AtomicBool,
}

/// What is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaustion {
    /// The CPU budget.
    Cpu,
    /// The memory limit.
    Memory,
    /// Nothing, but a signal or [`Budget::stop`] ended the run.
    Interrupted,
}

impl Exhaustion {
    /// The reason of a verdict UNKNOWN.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::Cpu | Self::Interrupted => Reason::Budget,
            Self::Memory => Reason::Memory,
        }
    }
}

impl std::fmt::Display for Exhaustion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cpu => "the CPU budget is used up",
            Self::Memory => "the memory limit is reached",
            Self::Interrupted => "the run was interrupted",
        })
    }
}

/// Why a budget cannot be kept.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("cannot listen to signals: {source}")]
pub struct BudgetError {
    /// What the operating system says.
    #[from]
    source: io::Error,
}

/// Three quarters of what the process can have: of its address space if that is limited, else of the machine's memory.
fn available_memory() -> Option<u64> {
    let space = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let information = std::fs::read_to_string("/proc/meminfo").ok();
    let total = information.and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
    });
    let least = space.into_iter().chain(total).min()?;
    Some(least / 4 * 3)
}

impl Budget {
    /// A budget of `cpu` and of `memory` bytes that SIGINT and SIGTERM end; a second signal ends the process. Without a
    /// limit on memory the machine's own counts: a verdict is worth more than a killed process.
    ///
    /// # Errors
    /// [`BudgetError`] if the signals cannot be caught.
    pub fn new(cpu: Option<Duration>, memory: Option<u64>) -> Result<Self, BudgetError> {
        let budget = Self { cpu, memory: memory.or_else(available_memory), ..Self::unlimited() };
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&budget.stop))?;
            signal_hook::flag::register(signal, Arc::clone(&budget.stop))?;
        }
        Ok(budget)
    }

    /// A budget without limits that only [`Self::stop`] ends.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { cpu: None, memory: None, stop: Arc::new(AtomicBool::new(false)), slow: Arc::default() }
    }

    /// Ends the run as a signal would.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The flag that [`Self::stop`] and signals set, for code that cannot poll.
    #[must_use]
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Whether anything is used up. Costs well under a microsecond.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.check().is_some()
    }

    /// What is used up, if anything. Costs well under a microsecond.
    #[must_use]
    pub fn check(&self) -> Option<Exhaustion> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Exhaustion::Interrupted);
        }
        if self.cpu.is_none() && self.memory.is_none() {
            return None;
        }
        let own = own_cpu();
        self.slow.look(own, self.memory);
        let children = Duration::from_nanos(self.slow.children.load(Ordering::Relaxed));
        if self.cpu.is_some_and(|limit| own + children >= limit) {
            return Some(Exhaustion::Cpu);
        }
        self.slow.over_memory.load(Ordering::Relaxed).then_some(Exhaustion::Memory)
    }

    /// CPU time that is left; `None` without a limit.
    #[must_use]
    pub fn remaining(&self) -> Option<Duration> {
        self.cpu.map(|limit| limit.saturating_sub(Self::cpu_used()))
    }

    /// The memory limit in bytes, if there is one.
    #[must_use]
    pub const fn memory_limit(&self) -> Option<u64> {
        self.memory
    }

    /// CPU time of the process and of the children it has waited for.
    #[must_use]
    pub fn cpu_used() -> Duration {
        own_cpu() + children_cpu()
    }

    /// Peak of the process's resident memory in bytes; 0 if unknown.
    #[must_use]
    pub fn peak_memory() -> u64 {
        let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        kibibytes.unwrap_or(0) * 1024
    }
}

impl SlowCheck {
    fn look(&self, own: Duration, memory: Option<u64>) {
        let now = u64::try_from(own.as_nanos()).unwrap_or(u64::MAX);
        let polls = self.polls.fetch_add(1, Ordering::Relaxed);
        let elapsed = Duration::from_nanos(now.saturating_sub(self.at.load(Ordering::Relaxed)));
        if !polls.is_multiple_of(POLLS) && elapsed < SLOW_CHECK {
            return;
        }
        self.at.store(now, Ordering::Relaxed);
        let children = u64::try_from(children_cpu().as_nanos()).unwrap_or(u64::MAX);
        self.children.store(children, Ordering::Relaxed);
        self.over_memory.store(memory.is_some_and(|limit| resident_memory() >= limit), Ordering::Relaxed);
    }
}

fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or(Duration::MAX)
}

/// Fields 16 and 17 of `/proc/self/stat`, in clock ticks; counted from behind the name, which may contain anything.
fn children_cpu() -> Duration {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return Duration::ZERO };
    let Some((_, fields)) = stat.rsplit_once(')') else { return Duration::ZERO };
    let ticks: u64 = fields.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_secs(ticks / per_second) + Duration::from_millis(ticks % per_second * 1000 / per_second)
}

fn resident_memory() -> u64 {
    let Ok(statm) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    let pages = statm.split_whitespace().nth(1).and_then(|field| field.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        let budget = Budget::unlimited();
        assert_eq!(budget.check(), None);
        let cpu = Budget { cpu: Some(Duration::ZERO), ..Budget::unlimited() };
        assert_eq!(cpu.check(), Some(Exhaustion::Cpu));
        assert_eq!(cpu.remaining(), Some(Duration::ZERO));
        let memory = Budget { memory: Some(1), ..Budget::unlimited() };
        assert_eq!(memory.check(), Some(Exhaustion::Memory));
        let roomy = Budget { cpu: Some(Duration::from_secs(1 << 20)), memory: Some(1 << 50), ..Budget::unlimited() };
        assert!(!roomy.exhausted());
        roomy.clone().stop();
        assert_eq!(roomy.check(), Some(Exhaustion::Interrupted));
        assert!(Budget::peak_memory() > 0);
    }

    #[test]
    fn children_count() {
        let before = children_cpu();
        let burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        std::process::Command::new("sh").args(["-c", burn]).status().unwrap();
        assert!(children_cpu() > before);
    }

    #[test]
    fn a_signal_sets_the_flag() {
        let budget = Budget::new(None, None).unwrap();
        assert!(!budget.exhausted());
        signal_hook::low_level::raise(SIGTERM).unwrap();
        assert_eq!(budget.check(), Some(Exhaustion::Interrupted));
    }
}
