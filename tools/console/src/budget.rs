//! The CPU and memory budget of a run, and the signals that end it early.
//!
//! CPU time is that of the process, of the children it has waited for, and, while [`Budget::watch`] watches, of everything
//! that runs below it. A tool polls [`Budget::check`] and, once it is exhausted, still writes a valid artifact or UNKNOWN. One
//! that does not get there is ended by the watchdog, which says the last word ([`crate::ending`]).

use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::ending::{self, Ending};
use crate::exhaustion::Exhaustion;
use crate::processes::{descendants, kill_descendants};

/// Own CPU time between two looks at children and memory, which cost more than a look at the clock.
const SLOW_CHECK: Duration = Duration::from_millis(10);
/// Polls between two such looks, however little time has passed.
const POLLS: u64 = 256;
/// How often the watchdog looks, and every how many times at other processes.
const WATCH: Duration = Duration::from_millis(20);
const OTHERS: u32 = 5;
/// What a run may overdraw before it is ended: a share of its budget, and a time.
const OVERDRAFT: (u32, Duration) = (20, Duration::from_millis(500));
/// What it may overdraw more to put its affairs in order once its stages are ended.
const ORDER: Duration = Duration::from_millis(250);
/// How long a run that was interrupted may take to end.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long signals count as one: `timeout` sends one to its child and the same to the group that the child is in.
const ECHO: Duration = Duration::from_millis(300);

/// How much a run may use. Clones share their state.
#[derive(Clone, Debug)]
pub struct Budget {
    cpu: Option<Duration>,
    memory: Option<u64>,
    stop: Arc<AtomicBool>,
    /// The signal that ended the run; 0 if none did.
    signal: Arc<AtomicUsize>,
    /// Whether a further signal ends the process at once.
    insists: Arc<AtomicBool>,
    /// What the run was stopped for, as [`Exhaustion::code`]; 0 if that was nothing that was used up.
    cause: Arc<AtomicU8>,
    slow: Arc<SlowCheck>,
    /// When the clock of CPU time was last looked at, by [`tick`].
    looked: Arc<AtomicU64>,
}

/// What the last look at children and memory found.
#[derive(Debug, Default)]
struct SlowCheck {
    polls: AtomicU64,
    /// Own CPU time at the last look, in nanoseconds.
    at: AtomicU64,
    /// CPU time of children, in nanoseconds.
    children: AtomicU64,
    /// CPU time of everything below the process that nobody has waited for yet, in nanoseconds.
    others: AtomicU64,
    over_memory: AtomicBool,
}

/// Who is watched: what has to go first when the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// A tool, which ends.
    Tool,
    /// A driver, whose stages end first so that it can still say what is known.
    Driver,
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
    /// A budget of `cpu` and of `memory` bytes that SIGINT, SIGTERM and SIGHUP end, unless the process was started to ignore
    /// them; where somebody watches, a further signal later than [`ECHO`] ends the process at once. Without a limit on memory
    /// the machine's own counts: a verdict is worth more than a killed process.
    ///
    /// # Errors
    /// [`BudgetError`] if the signals cannot be caught.
    pub fn new(cpu: Option<Duration>, memory: Option<u64>) -> Result<Self, BudgetError> {
        let budget = Self { cpu, memory: memory.or_else(available_memory), ..Self::unlimited() };
        let ignored = ignored_signals();
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0) {
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&budget.insists))?;
            let number = usize::try_from(signal).unwrap_or_default();
            signal_hook::flag::register_usize(signal, Arc::clone(&budget.signal), number)?;
            signal_hook::flag::register(signal, Arc::clone(&budget.stop))?;
        }
        Ok(budget)
    }

    /// A budget without limits that only [`Self::stop`] ends.
    #[must_use]
    pub fn unlimited() -> Self {
        Self {
            cpu: None,
            memory: None,
            stop: Arc::default(),
            signal: Arc::default(),
            insists: Arc::default(),
            cause: Arc::default(),
            slow: Arc::default(),
            looked: Arc::default(),
        }
    }

    /// Starts a thread that stops the run when the budget is used up, and ends the process if it does not end then.
    ///
    /// # Errors
    /// [`BudgetError`] if there is no thread to be had.
    pub fn watch(&self, watched: Watched) -> Result<(), BudgetError> {
        let budget = self.clone();
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || budget.watchdog(watched))?;
        Ok(())
    }

    /// A budget for a part of the run: it ends when the run does, and the run goes on when it ends. Without `cpu` it ends with
    /// the run only.
    ///
    /// # Errors
    /// [`BudgetError`] if there is no thread to be had.
    pub fn share(&self, cpu: Option<Duration>) -> Result<Self, BudgetError> {
        let Some(cpu) = cpu else { return Ok(self.clone()) };
        let limit = Self::cpu_used() + cpu;
        let cpu = Some(self.cpu.map_or(limit, |all| all.min(limit)));
        let part = Self { cpu, stop: Arc::default(), cause: Arc::default(), looked: Arc::default(), ..self.clone() };
        let (run, stop) = (self.clone(), Arc::downgrade(&part.stop));
        let watched = Self { stop: Arc::default(), looked: Arc::default(), ..part.clone() };
        let watch = move || {
            loop {
                std::thread::sleep(WATCH);
                // Whoever had the part has it no more.
                let Some(stop) = stop.upgrade() else { return };
                if let Some(exhaustion) = run.check().or_else(|| watched.check()) {
                    watched.cause.store(exhaustion.code(), Ordering::Relaxed);
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(watch)?;
        Ok(part)
    }

    /// The signal that ended the run, if one did.
    #[must_use]
    pub fn signal(&self) -> Option<u8> {
        u8::try_from(self.signal.load(Ordering::Relaxed)).ok().filter(|signal| *signal != 0)
    }

    fn watchdog(&self, watched: Watched) {
        let (mut stopped, mut signalled, mut told) = (None::<Instant>, None::<Instant>, false);
        for look in 0u32.. {
            std::thread::sleep(WATCH);
            if look.is_multiple_of(OTHERS) {
                self.slow.look_at_others();
            }
            if self.signal().is_some() && signalled.get_or_insert_with(Instant::now).elapsed() >= ECHO {
                self.insists.store(true, Ordering::Relaxed);
            }
            let Some(exhaustion) = self.check() else { continue };
            let since = *stopped.get_or_insert_with(Instant::now);
            self.stop_for(exhaustion);
            let over = self.overdrawn(exhaustion, since.elapsed());
            match (watched, over) {
                (_, None) => {}
                (Watched::Driver, Some(over)) if over < ORDER && !told => {
                    told = true;
                    kill_descendants();
                }
                (Watched::Driver, Some(over)) if over < ORDER => {}
                (Watched::Tool | Watched::Driver, Some(_)) => ending::end(Ending::Exhausted(exhaustion), self.signal()),
            }
        }
    }

    /// By how much a run that should have ended has gone on too long; `None` while it may still end by itself.
    fn overdrawn(&self, exhaustion: Exhaustion, since: Duration) -> Option<Duration> {
        match (exhaustion, self.cpu) {
            (Exhaustion::Cpu, Some(limit)) => {
                (own_cpu() + self.slow.look_at_others()).checked_sub(limit + limit / OVERDRAFT.0 + OVERDRAFT.1)
            }
            (Exhaustion::Memory, _) if resident_memory() / 5 >= self.memory.unwrap_or(u64::MAX) / 4 => Some(Duration::MAX),
            (Exhaustion::Cpu | Exhaustion::Memory | Exhaustion::Interrupted, _) => since.checked_sub(PATIENCE),
        }
    }

    /// Stops the run for what is used up, so that it is known later why.
    pub(crate) fn stop_for(&self, exhaustion: Exhaustion) {
        if !self.stop.load(Ordering::Relaxed) {
            self.cause.store(exhaustion.code(), Ordering::Relaxed);
            self.stop();
        }
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

    /// Whether anything is used up. Costs some nanoseconds; what is used up is seen a few milliseconds later.
    #[must_use]
    pub fn exhausted(&self) -> bool {
        self.check().is_some()
    }

    /// What is used up, if anything. Costs some nanoseconds; what is used up is seen a few milliseconds later.
    #[must_use]
    pub fn check(&self) -> Option<Exhaustion> {
        if self.stop.load(Ordering::Relaxed) {
            let causes = [Exhaustion::Cpu, Exhaustion::Memory].into_iter();
            let mut causes = causes.filter(|cause| cause.code() == self.cause.load(Ordering::Relaxed));
            return Some(causes.next().unwrap_or(Exhaustion::Interrupted));
        }
        if self.cpu.is_none() && self.memory.is_none() {
            return None;
        }
        // The clock of CPU time costs a call of the system, and those who poll do little between two calls.
        let now = tick();
        if self.looked.swap(now, Ordering::Relaxed) == now {
            return None;
        }
        let own = own_cpu();
        self.slow.look(own, self.memory);
        let [children, others] = [&self.slow.children, &self.slow.others].map(|time| time.load(Ordering::Relaxed));
        let over = |below| self.cpu.is_some_and(|limit| own + below >= limit);
        // Who has ended since others were looked at may be among both.
        let is_over = over(Duration::from_nanos(children + others)) && (others == 0 || over(self.slow.look_at_others()));
        let exhaustion = if is_over {
            Exhaustion::Cpu
        } else if self.slow.over_memory.load(Ordering::Relaxed) {
            Exhaustion::Memory
        } else {
            return None;
        };
        self.stop_for(exhaustion);
        Some(exhaustion)
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
        let now = nanoseconds(own);
        let polls = self.polls.fetch_add(1, Ordering::Relaxed);
        let elapsed = Duration::from_nanos(now.saturating_sub(self.at.load(Ordering::Relaxed)));
        if !polls.is_multiple_of(POLLS) && elapsed < SLOW_CHECK {
            return;
        }
        self.at.store(now, Ordering::Relaxed);
        self.children.store(nanoseconds(children_cpu()), Ordering::Relaxed);
        self.over_memory.store(memory.is_some_and(|limit| resident_memory() >= limit), Ordering::Relaxed);
    }

    /// CPU time of everything below the process, waited for or not, as it is now.
    ///
    /// Children that were waited for come first: one that ends between the two looks is in none of them, and the next look
    /// finds it. In the other order its time would count twice, and end a run that has half of its budget left.
    fn look_at_others(&self) -> Duration {
        let children = children_cpu();
        let others: Duration = descendants().iter().map(|descendant| descendant.cpu).sum();
        self.children.store(nanoseconds(children), Ordering::Relaxed);
        self.others.store(nanoseconds(others), Ordering::Relaxed);
        children + others
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The signals that whoever started this process wants ignored, as with `nohup`: bit 0 is signal 1.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// A number that changes every few milliseconds and is never 0.
fn tick() -> u64 {
    let time = clock_gettime(ClockId::MonotonicCoarse);
    nanoseconds(Duration::try_from(time).unwrap_or_default()) | 1
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
        assert_eq!(memory.check(), Some(Exhaustion::Memory), "the cause is remembered");
        assert!(memory.stop.load(Ordering::Relaxed));
        assert!(Budget::peak_memory() > 0);
    }

    #[test]
    fn a_part_ends_alone_or_with_the_run() {
        let run = Budget { cpu: Some(Duration::from_secs(1 << 20)), ..Budget::unlimited() };
        let part = run.share(Some(Duration::ZERO)).unwrap();
        assert_eq!((part.check(), run.check()), (Some(Exhaustion::Cpu), None));
        let part = run.share(Some(Duration::from_secs(1 << 10))).unwrap();
        assert!(!part.exhausted() && part.remaining() <= Some(Duration::from_secs(1 << 10)));
        let whole = run.share(None).unwrap();
        run.stop();
        assert_eq!(whole.check(), Some(Exhaustion::Interrupted));
        while !part.exhausted() {
            std::thread::sleep(WATCH);
        }
        assert_eq!(part.check(), Some(Exhaustion::Interrupted));
    }

    #[test]
    fn children_count() {
        let before = children_cpu();
        let burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done";
        std::process::Command::new("sh").args(["-c", burn]).status().unwrap();
        assert!(children_cpu() > before);
    }

    #[test]
    fn a_child_that_ended_counts_once() {
        let budget = Budget { cpu: Some(Budget::cpu_used() + Duration::from_secs(1 << 10)), ..Budget::unlimited() };
        // What was seen of a child while it ran is still there when it has ended.
        budget.slow.others.store(nanoseconds(Duration::from_secs(1 << 11)), Ordering::Relaxed);
        assert_eq!(budget.check(), None);
        assert!(budget.slow.others.load(Ordering::Relaxed) < nanoseconds(Duration::from_secs(1 << 9)));
        budget.slow.others.store(nanoseconds(Duration::from_secs(1 << 11)), Ordering::Relaxed);
        assert_eq!(budget.overdrawn(Exhaustion::Cpu, Duration::ZERO), None);
        let used_up = Budget { cpu: Some(Duration::ZERO), ..Budget::unlimited() };
        used_up.slow.others.store(1, Ordering::Relaxed);
        assert_eq!(used_up.check(), Some(Exhaustion::Cpu));
    }

    #[test]
    fn a_signal_sets_the_flag() {
        let budget = Budget::new(None, None).unwrap();
        assert!(!budget.exhausted());
        signal_hook::low_level::raise(SIGTERM).unwrap();
        assert_eq!(budget.check(), Some(Exhaustion::Interrupted));
        assert_eq!(budget.signal(), Some(15));
    }
}
