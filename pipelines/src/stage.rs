//! One stage of the chain as a process.
//!
//! A stage gets what is left of the budget, writes its messages straight to our stderr, and is ended with us.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use console::Budget;
use miette::{Context, IntoDiagnostic, miette};
use rustix::process::{Pid, Signal, kill_process};

/// How often a running stage is looked at, at most.
const LONGEST_NAP: Duration = Duration::from_millis(20);

/// A tool with its arguments.
pub(crate) struct Stage {
    tool: &'static str,
    arguments: Vec<OsString>,
}

/// What a stage left behind.
pub(crate) struct Finished {
    /// Standard output.
    pub(crate) stdout: String,
    /// CPU seconds it used.
    pub(crate) cpu_seconds: f64,
}

impl Stage {
    pub(crate) fn new(tool: &'static str) -> Self {
        Self { tool, arguments: Vec::new() }
    }

    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Passes on what is left of the budget, at least a second so that the stage can still write its artifact.
    pub(crate) fn within(self, budget: &Budget) -> Self {
        let limited = match budget.remaining() {
            Some(left) => self.arg("--budget").arg(format!("{:.3}", left.as_secs_f64().max(1.0))),
            None => self,
        };
        match budget.memory_limit() {
            Some(bytes) => limited.arg("--memory").arg((bytes >> 20).max(1).to_string()),
            None => limited,
        }
    }

    /// Runs the stage to its end. An interruption of the driver is passed on, and what the stage then writes is used.
    pub(crate) fn run(self, budget: &Budget) -> miette::Result<Finished> {
        let before = Budget::cpu_used();
        let path = binary(self.tool);
        let command = duct::cmd(&path, &self.arguments).stdin_null().stdout_capture().unchecked();
        let started = command.start().into_diagnostic();
        let handle = started.wrap_err_with(|| format!("cannot start {}: is it built?", path.display()))?;
        let stop = budget.stop_flag();
        let mut told = false;
        let mut nap = Duration::from_micros(500);
        let output = loop {
            if let Some(output) = handle.try_wait().into_diagnostic()? {
                break output;
            }
            if !told && stop.load(std::sync::atomic::Ordering::Relaxed) {
                told = true;
                terminate(&handle.pids());
            }
            std::thread::sleep(nap);
            nap = (nap * 2).min(LONGEST_NAP);
        };
        let cpu_seconds = Budget::cpu_used().saturating_sub(before).as_secs_f64();
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        match output.status.code() {
            Some(0 | 1 | 3) => Ok(Finished { stdout, cpu_seconds }),
            // The stage has told on stderr what is wrong; 101 is a bug of ours.
            Some(code) => Err(miette!("{} failed with exit code {code}", self.tool)),
            None => Err(miette!("{} was ended by a signal: {}", self.tool, output.status)),
        }
    }
}

fn terminate(processes: &[u32]) {
    for process in processes {
        let pid = i32::try_from(*process).ok().and_then(Pid::from_raw);
        // A process that has ended meanwhile needs no signal.
        let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
    }
}

/// The tool beside the driver, else the one on the path.
fn binary(tool: &str) -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|own| own.parent().map(|folder| folder.join(tool)));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(tool))
}
