//! One stage of the chain as a process.
//!
//! A stage gets what is left of the allowance of its unit, writes its messages to our stderr or into a text that is shown
//! when the unit is finished, and is ended with us.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use console::{Budget, Exhaustion};
use formats::Reason;
use program::executable::{absolute_folders, find, search_path};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// How often a running stage is looked at, at most.
const LONGEST_NAP: Duration = Duration::from_millis(20);

/// The exit codes of a tool that could not write its artifact: the CPU budget or the memory limit ended it, or a bug.
const OUT_OF_TIME: i32 = 4;
const OUT_OF_MEMORY: i32 = 5;
const BUG: i32 = 101;
/// The signal that ends processes when the machine has no memory left.
const SIGKILL: i32 = 9;

/// What a unit may use. Clones share what ends them.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    /// CPU time of all its stages.
    pub(crate) cpu: Option<Duration>,
    /// Memory of each stage in bytes.
    pub(crate) memory: Option<u64>,
    /// That of the whole run: it says when everything has to end.
    pub(crate) run: Budget,
}

impl Allowance {
    /// Why everything has to end, if it has to.
    pub(crate) fn ended(&self) -> Option<Exhaustion> {
        self.run.check()
    }

    /// Whether everything has to end.
    pub(crate) fn stopped(&self) -> bool {
        self.ended().is_some()
    }

    /// Why nothing more can be done for this unit, if so.
    fn nothing_left(&self) -> Option<Exhaustion> {
        self.ended().or_else(|| self.cpu.is_some_and(|left| left.is_zero()).then_some(Exhaustion::Cpu))
    }

    /// Takes off what was used.
    pub(crate) fn spend(&mut self, used: Duration) {
        self.cpu = self.cpu.map(|left| left.saturating_sub(used));
    }
}

/// Where a stage's messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Messages {
    /// Straight to our stderr.
    Direct,
    /// Into [`Finished::messages`].
    Collected,
}

/// A tool with its arguments.
pub(crate) struct Stage {
    tool: &'static str,
    executable: Option<PathBuf>,
    arguments: Vec<OsString>,
    messages: Messages,
    folder: Option<PathBuf>,
}

/// What a stage left behind.
pub(crate) struct Finished {
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error, if it was collected.
    pub(crate) messages: String,
    /// CPU time it used.
    pub(crate) cpu: Duration,
}

/// Why a stage left nothing.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum StageError {
    /// It did not start.
    #[error("cannot start {}: {source}", formats::shown::name(path))]
    #[diagnostic(help("is it built? it is looked for beside `residue`, then on the path"))]
    Start {
        /// The executable.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// It ended before it could write its artifact because it had to.
    #[error("{tool} did not come to its end: {exhaustion}")]
    Ended {
        /// The tool.
        tool: &'static str,
        /// What was used up.
        exhaustion: Exhaustion,
    },
    /// It refused its input or could not write (2), or has a bug (101), and has told so on stderr.
    #[error("{tool} failed with exit code {code}{}", if messages.is_empty() { String::new() } else { format!(":\n{}", messages.trim_end()) })]
    Failed {
        /// The tool.
        tool: &'static str,
        /// Its exit code.
        code: i32,
        /// Standard error, if it was collected.
        messages: String,
        /// Standard output.
        stdout: String,
    },
    /// A signal ended it.
    #[error("{tool} was ended by a signal: {status}")]
    Killed {
        /// The tool.
        tool: &'static str,
        /// How it ended.
        status: std::process::ExitStatus,
        /// Standard error, if it was collected.
        messages: String,
    },
}

impl StageError {
    /// The same with what the stage has told in other words.
    pub(crate) fn reworded(mut self, words: &dyn Fn(&str) -> String) -> Self {
        if let Self::Failed { messages, .. } | Self::Killed { messages, .. } = &mut self {
            *messages = words(messages);
        }
        self
    }

    /// Whether the stage itself has said on stderr what is wrong with its input.
    pub(crate) fn was_told(&self) -> bool {
        matches!(self, Self::Failed { code: 2, messages, .. } if messages.is_empty())
    }

    /// Why the unit is not decided; `None` if the input is to blame.
    pub(crate) fn reason(&self) -> Option<Reason> {
        match self {
            Self::Ended { exhaustion, .. } => Some(exhaustion.reason()),
            Self::Failed { code: BUG, .. } => Some(Reason::Internal),
            Self::Killed { status, .. } if status.signal() == Some(SIGKILL) => Some(Reason::Memory),
            Self::Killed { .. } => Some(Reason::Internal),
            Self::Start { .. } | Self::Failed { .. } => None,
        }
    }

    /// What people should know of it beside the reason.
    pub(crate) fn note(&self) -> String {
        match self {
            Self::Ended { .. } => String::new(),
            Self::Failed { messages, .. } => messages.clone(),
            Self::Killed { status, .. } if status.signal() == Some(SIGKILL) => {
                format!("warning: {self}: most likely the memory of the machine is used up; --memory keeps a tool below it\n")
            }
            Self::Killed { messages, .. } => {
                format!("{messages}error: {self}: this is a bug: please report it with the command line and its input files\n")
            }
            Self::Start { .. } => format!("error: {self}\n"),
        }
    }
}

impl Stage {
    pub(crate) fn new(tool: &'static str, messages: Messages) -> Self {
        Self { tool, executable: None, arguments: Vec::new(), messages, folder: None }
    }

    /// Runs this file instead of the tool beside the driver.
    pub(crate) fn executable(mut self, path: PathBuf) -> Self {
        self.executable = Some(path);
        self
    }

    /// Runs the stage in a folder.
    pub(crate) fn within_folder(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    pub(crate) fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Passes on what is left.
    pub(crate) fn within(self, allowance: &Allowance) -> Self {
        let limited = match allowance.cpu {
            Some(left) => self.arg("--budget").arg(format!("{:.3}", left.as_secs_f64())),
            None => self,
        };
        match allowance.memory {
            Some(bytes) => limited.arg("--memory").arg((bytes >> 20).max(1).to_string()),
            None => limited,
        }
    }

    /// Runs the stage to its end. An interruption of the driver is passed on, and what the stage then writes is used.
    pub(crate) fn run(self, allowance: &Allowance) -> Result<Finished, StageError> {
        let tool = self.tool;
        if let Some(exhaustion) = allowance.nothing_left() {
            return Err(StageError::Ended { tool, exhaustion });
        }
        let start = |source| StageError::Start { path: tool.into(), source };
        let path = self.executable.map_or_else(|| binary(tool), Ok).map_err(start)?;
        let command =
            duct::cmd(path.as_os_str(), &self.arguments).env("PATH", search_path()).stdin_null().stdout_capture().unchecked();
        // An empty entry of it would be the current folder.
        let modules = std::env::var_os("PYTHONPATH").map(|list| absolute_folders(&list));
        let command = modules.into_iter().fold(command, |command, list| command.env("PYTHONPATH", list));
        let command = self.folder.iter().fold(command, |command, folder| command.dir(folder));
        let (variable, value) = console::ends_with_us();
        let command = command.env(variable, value);
        let command = if self.messages == Messages::Collected { command.stderr_capture() } else { command };
        let ended = wait(&command, &allowance.run).map_err(|source| StageError::Start { path, source })?;
        let (output, cpu) = ended;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        match (output.status.code(), allowance.ended()) {
            (Some(0 | 1 | 3), _) => Ok(Finished { stdout, messages, cpu }),
            (_, Some(exhaustion)) => Err(StageError::Ended { tool, exhaustion }),
            (Some(OUT_OF_TIME), None) => Err(StageError::Ended { tool, exhaustion: Exhaustion::Cpu }),
            (Some(OUT_OF_MEMORY), None) => Err(StageError::Ended { tool, exhaustion: Exhaustion::Memory }),
            // Somebody else has ended it.
            (Some(code), None) if code > 128 => Err(StageError::Ended { tool, exhaustion: Exhaustion::Interrupted }),
            // The stage has told on stderr what is wrong; 101 is a bug of ours.
            (Some(code), None) => Err(StageError::Failed { tool, code, messages, stdout }),
            (None, None) => Err(StageError::Killed { tool, status: output.status, messages }),
        }
    }
}

/// Runs a command to its end, which an ended run asks for early; its output and CPU time.
fn wait(command: &duct::Expression, run: &Budget) -> io::Result<(Output, Duration)> {
    let handle = command.start()?;
    let processes = handle.pids();
    let mut told = false;
    let mut nap = Duration::from_micros(500);
    while !processes.iter().all(|process| has_ended(*process)) {
        if !told && run.exhausted() {
            told = true;
            terminate(&processes);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(LONGEST_NAP);
    }
    let cpu = processes.iter().map(|process| cpu_time(*process)).sum();
    handle.into_output().map(|output| (output, cpu))
}

/// Whether a child has ended; it is not reaped.
fn has_ended(process: u32) -> bool {
    let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    // An error means that there is no such child any more.
    waitid(WaitId::Pid(pid), options).map_or(true, |status| status.is_some())
}

/// CPU time of a process that has ended and is not reaped, and of the children it waited for: fields 14 to 17 of
/// `/proc/PID/stat`, in clock ticks, counted from behind the name, which may contain anything.
fn cpu_time(process: u32) -> Duration {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return Duration::ZERO };
    let Some((_, fields)) = stat.rsplit_once(')') else { return Duration::ZERO };
    let ticks: u64 = fields.split_whitespace().skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks.saturating_mul(1000) / per_second)
}

fn terminate(processes: &[u32]) {
    for process in processes {
        let pid = i32::try_from(*process).ok().and_then(Pid::from_raw);
        // A process that has ended meanwhile needs no signal.
        let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
    }
}

/// The tool beside the driver, else the one on the path.
pub(crate) fn binary(tool: &str) -> io::Result<PathBuf> {
    let beside = std::env::current_exe().ok().and_then(|own| own.parent().map(|folder| folder.join(tool)));
    beside.filter(|path| path.is_file()).map_or_else(|| find(tool), Ok)
}
