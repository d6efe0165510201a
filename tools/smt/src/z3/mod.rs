//! The Z3 back end.
//!
//! Uses the context of the current thread: a [`Z3`] and its solvers stay on the thread that made
//! them. Terms arrive well sorted, so the wrapper's panics on ill-sorted terms cannot happen.
//! The choice of logic, and of a fresh solver for long formulas, decides between milliseconds and
//! minutes: after a push or an assumption Z3 switches to its weaker incremental engine. Questions
//! about floats are put to a search over ranges first.

mod model;
mod read;
mod spacer;
mod translate;
mod whole;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use z3::ast::Bool;
use z3::{Params, SatResult};

use crate::intervals::RangesFirst;
use crate::solver::{Answer, Backend, Limits, Meter, Mode, Model, Reason, Solver, Wanted};
use crate::terms::{Features, TermId, TermStore};
use translate::{Translator, z3_sort};

/// The oldest Z3 whose numbering of operators the wrapper reads correctly.
const OLDEST: (u32, u32) = (5, 3);

/// How often the stop flag is looked at during a query.
const POLL: Duration = Duration::from_millis(20);

/// Why Z3 cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Z3Error {
    /// The linked library is too old: its answers would be misread.
    #[error("the linked Z3 is {found}, but 5.3 or later is needed: run `make z3` and build again")]
    TooOld {
        /// What the library says about itself.
        found: String,
    },
}

/// The version of the linked Z3, as it names itself.
#[must_use]
pub fn version() -> &'static str {
    z3::full_version()
}

/// The Z3 of this thread.
#[derive(Debug, Clone)]
pub struct Z3 {
    translator: Rc<RefCell<Translator>>,
    meter: Rc<Meter>,
}

thread_local! {
    /// What Z3's counter of resources said last; there is one for all solvers of a thread.
    static COUNT: Cell<u32> = const { Cell::new(0) };
    /// Whether somebody watches the stop flag for all of this thread's questions.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
}

/// What a question costs besides Z3's own resources.
const QUESTION: u64 = 2_000;

/// How many times what is left a question may take: to break it off and ask again costs more.
const OVERDRAFT: u64 = 8;

/// Nanoseconds a unit takes, about: where a clock may decide, a question costs at least its time, for Z3 counts little of what
/// some of them take.
const UNIT: u64 = 260;

/// What a term costs that is put to a new solver: Z3 counts little of what it does before it searches.
const NODE: u64 = 128;

impl Z3 {
    /// Connects to the linked library.
    ///
    /// # Errors
    /// [`Z3Error::TooOld`] if the library is older than the wrapper's reading of it.
    pub fn new() -> Result<Z3, Z3Error> {
        if parse_version(version()) < Some(OLDEST) {
            return Err(Z3Error::TooOld { found: z3::full_version().to_owned() });
        }
        Ok(Z3 { translator: Rc::default(), meter: Rc::default() })
    }

    /// What its solvers may still do together, and what they did.
    #[must_use]
    pub fn meter(&self) -> &Rc<Meter> {
        &self.meter
    }
}

/// Does some work with solvers of this thread beside a thread that interrupts them when the stop flag is raised, those for
/// short queries included. Outside of this each question is watched by itself: that takes longer for many, but where there is
/// none Z3 need not start.
pub fn interruptible<T>(stop: &AtomicBool, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    let context = z3::Context::thread_local();
    let handle = context.handle();
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                std::thread::park_timeout(POLL);
                if stop.load(Ordering::Relaxed) && !done.load(Ordering::Relaxed) {
                    handle.interrupt();
                }
            }
        });
        // Also if the work panics, or nobody would ever end the thread.
        let _end = End { done: &done, watcher: watcher.thread().clone(), before: WATCHED.replace(true) };
        work()
    })
}

struct End<'a> {
    done: &'a AtomicBool,
    watcher: std::thread::Thread,
    /// Whether this thread was watched already.
    before: bool,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        WATCHED.set(self.before);
        self.done.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

impl Z3 {
    /// A solver that is Z3 alone.
    fn plain(&self, store: &TermStore, mode: Mode, formulas: &[TermId]) -> Z3Solver {
        self.meter.charge(NODE * store.dag_size(formulas) as u64);
        let logic = logic(store, formulas);
        let solver = z3::Solver::new_for_logic(logic).unwrap_or_default();
        Z3Solver {
            solver: Rc::new(solver),
            translator: Rc::clone(&self.translator),
            asserted: Vec::new(),
            defined: Vec::new(),
            levels: Vec::new(),
            limits: Limits::default(),
            mode,
            meter: Rc::clone(&self.meter),
            resources: 0,
        }
    }
}

impl Backend for Z3 {
    fn solver(&mut self, store: &TermStore, mode: Mode, formulas: &[TermId]) -> Box<dyn Solver> {
        Box::new(RangesFirst::new(self.plain(store, mode, formulas), mode))
    }
}

/// What a question costs for which Z3 counted so many resources.
fn cost(counted: u32, elapsed: Duration, limits: &Limits) -> u64 {
    let counted = u64::from(counted);
    let taken = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX) / UNIT;
    if limits.timeout.is_some() { counted.max(taken) } else { counted }
}

/// CPU time of this thread.
fn cpu_used() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Major and minor number of a text such as `Z3 5.4.0.0`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let word = text.split_whitespace().find(|word| word.contains('.'))?;
    let mut numbers = word.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// The smallest logic that holds the formulas.
fn logic(store: &TermStore, formulas: &[TermId]) -> &'static str {
    let features = formulas.iter().fold(Features::default(), |all, formula| all.with(store.features(*formula)));
    match (features.arrays, features.floats) {
        (false, false) => "QF_BV",
        (true, false) => "QF_ABV",
        (false, true) => "QF_FPBV",
        (true, true) => "ALL",
    }
}

struct Z3Solver {
    solver: Rc<z3::Solver>,
    translator: Rc<RefCell<Translator>>,
    asserted: Vec<TermId>,
    /// Assumptions whose literals have been tied to them.
    defined: Vec<TermId>,
    /// For each open level, the lengths of the two lists above.
    levels: Vec<(usize, usize)>,
    limits: Limits,
    mode: Mode,
    meter: Rc<Meter>,
    /// The limit that Z3 was given; 0 is none.
    resources: u32,
}

impl Drop for Z3Solver {
    /// Z3 takes seconds to free what it holds. Once the stop flag is raised the process is about to end, which frees
    /// everything at once.
    fn drop(&mut self) {
        if self.limits.stopped() {
            std::mem::forget((Rc::clone(&self.solver), Rc::clone(&self.translator)));
        }
    }
}

impl Solver for Z3Solver {
    fn assert(&mut self, store: &TermStore, formula: TermId) {
        let ast = self.translator.borrow_mut().formula(store, formula);
        self.solver.assert(&ast);
        self.asserted.push(formula);
    }

    fn push(&mut self) {
        self.solver.push();
        self.levels.push((self.asserted.len(), self.defined.len()));
    }

    fn pop(&mut self) {
        if let Some((asserted, defined)) = self.levels.pop() {
            self.solver.pop(1);
            self.asserted.truncate(asserted);
            self.defined.truncate(defined);
        }
    }

    fn check_for(&mut self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Answer {
        if self.limits.stopped() || self.meter.is_empty() {
            return Answer::Unknown(Reason::Interrupted);
        }
        let share = self.set_resources();
        let literals = self.translator.borrow_mut().literals(store, assumptions);
        self.add_definitions(&literals);
        let plain: Vec<Bool> = literals.iter().map(|literal| literal.plain.clone()).collect();
        let begin = cpu_used();
        let result = self.run(&plain);
        self.charge(cpu_used().saturating_sub(begin));
        match result {
            SatResult::Unsat => Answer::Unsat(self.core(assumptions, &plain)),
            SatResult::Sat => self.model(store, assumptions, wanted),
            SatResult::Unknown => Answer::Unknown(self.reason(share)),
        }
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        // Before anything is asserted: changing a parameter later costs more.
        self.resources = self.next_resources().0;
        self.set_parameters();
    }
}

impl Z3Solver {
    fn set_parameters(&self) {
        let mut params = Params::new();
        // Zero would mean at once; the largest number means never.
        let timeout = self.limits.timeout.map_or(u32::MAX, |limit| {
            // A few times what is left, of which others may have the processor for a part.
            let share = Duration::from_nanos(u64::from(self.resources).saturating_mul(UNIT / 2));
            let limit = if self.next_resources().1 { limit.min(share) } else { limit };
            u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(1)
        });
        params.set_u32("timeout", timeout);
        params.set_u32("rlimit", self.resources);
        self.solver.set_params(&params);
    }

    /// The limit of the next question: some times what the meter has left, if that is less than its own; and whether it is. It
    /// is a power of two, so that it seldom changes.
    fn next_resources(&self) -> (u32, bool) {
        let own = self.limits.resources.map_or(u64::MAX, u64::from);
        let left = self.meter.left().saturating_mul(OVERDRAFT).checked_next_power_of_two().unwrap_or(u64::MAX);
        let limit = u32::try_from(own.min(left)).unwrap_or(0);
        (limit, left < own && limit != 0)
    }

    /// Limits the next question; whether by what the meter has left.
    fn set_resources(&mut self) -> bool {
        let (limit, by_meter) = self.next_resources();
        if limit != self.resources {
            self.resources = limit;
            self.set_parameters();
        }
        by_meter
    }

    fn charge(&self, elapsed: Duration) {
        let count = match self.solver.get_statistics().value("rlimit count") {
            Some(z3::StatisticsValue::UInt(count)) => count,
            Some(z3::StatisticsValue::Double(_)) | None => COUNT.get(),
        };
        // The counter wraps.
        let counted = count.wrapping_sub(COUNT.replace(count));
        self.meter.charge(QUESTION + cost(counted, elapsed, &self.limits));
    }

    /// Assumptions that are no literals were given one; ties it to its meaning.
    fn add_definitions(&mut self, literals: &[translate::Literal]) {
        for literal in literals {
            if let Some((assumption, definition)) = &literal.definition
                && !self.defined.contains(assumption)
            {
                self.solver.assert(definition);
                self.defined.push(*assumption);
            }
        }
    }

    /// Runs the check; for a long one, and where nobody watches, beside a thread that watches the stop flag.
    fn run(&self, assumptions: &[Bool]) -> SatResult {
        let check = || {
            if assumptions.is_empty() { self.solver.check() } else { self.solver.check_assumptions(assumptions) }
        };
        match &self.limits.stop {
            Some(stop) if self.mode == Mode::Fresh || !WATCHED.get() => interruptible(stop, check),
            Some(_) | None => check(),
        }
    }

    fn core(&self, assumptions: &[TermId], plain: &[Bool]) -> Vec<TermId> {
        let core = self.solver.get_unsat_core();
        let mut found: Vec<TermId> = assumptions
            .iter()
            .zip(plain)
            .filter(|(_, literal)| core.contains(literal))
            .map(|(assumption, _)| *assumption)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn model(&self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Answer {
        let variables;
        let terms = match wanted {
            Wanted::Nothing => return Answer::Sat(Model::new()),
            Wanted::Terms(terms) => terms,
            Wanted::Variables => {
                let mut roots = self.asserted.clone();
                roots.extend_from_slice(assumptions);
                variables = store.variables_of(&roots);
                &variables
            }
        };
        let Some(z3_model) = self.solver.get_model() else {
            return Answer::Unknown(Reason::UnreadableModel);
        };
        let mut model = Model::new();
        let mut translator = self.translator.borrow_mut();
        for &term in terms {
            let ast = translator.term(store, term);
            match model::value(&z3_model, &ast, store.sort(term)) {
                Some(value) => model.set(term, value),
                None => return Answer::Unknown(Reason::UnreadableModel),
            }
        }
        Answer::Sat(model)
    }

    /// Why there is no answer; `share`: the limit on resources was what the meter had left.
    #[expect(clippy::fn_params_excessive_bools, reason = "whether the share limited the question")]
    fn reason(&self, share: bool) -> Reason {
        if self.limits.stopped() {
            return Reason::Interrupted;
        }
        // Z3 gives its reasons as text only; a part of it says `sat.canceled`.
        let text = self.solver.get_reason_unknown().unwrap_or_default();
        match text.strip_prefix("sat.").unwrap_or(&text) {
            // Its time was up, of which others may have used most.
            "timeout" | "canceled" if share && self.limits.timeout.is_some() => Reason::Interrupted,
            "timeout" => Reason::Timeout,
            "canceled" | "max. resource limit exceeded" if share && self.meter.is_empty() => Reason::Interrupted,
            "canceled" if self.limits.resources.is_some() && self.limits.timeout.is_none() => Reason::ResourceLimit,
            "max. resource limit exceeded" => Reason::ResourceLimit,
            "canceled" | "interrupted" | "interrupted from keyboard" => Reason::Timeout,
            other => Reason::Other(other.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
