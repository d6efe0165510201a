//! The last word of a tool: what it says if it cannot come to its end itself.
//!
//! A tool that gives a verdict says beforehand how it would give none ([`set_last_word`]) and gives its own through
//! [`answer`]; whoever comes first has said it. Tools whose output is an artifact have nothing to say on stdout.
//! Does not know when a run has to end.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use formats::{ErrorReport, Reason, Verdict};

use crate::colours::shows_colours;
use crate::diagnostics::line;
use crate::exhaustion::Exhaustion;
use crate::exit::Exit;
use crate::output::{Output, OutputError};
use crate::processes::kill_descendants;
use crate::told;

/// Why a tool does not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// What it may use is used up.
    Exhausted(Exhaustion),
    /// It panicked.
    Internal,
}

/// What a tool says on stdout in place of its verdict.
pub type LastWord = Box<dyn Fn(Ending) -> String + Send>;

/// What was said and what is left to do.
struct State {
    /// How the process ends if it is ended after its verdict.
    answered: Option<Exit>,
    words: Option<LastWord>,
    /// Folders that nobody else removes.
    folders: Vec<PathBuf>,
}

static STATE: Mutex<State> = Mutex::new(State { answered: None, words: None, folders: Vec::new() });

impl Ending {
    /// The reason of the verdict UNKNOWN.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::Exhausted(exhaustion) => exhaustion.reason(),
            Self::Internal => Reason::Internal,
        }
    }

    /// The verdict.
    #[must_use]
    pub const fn verdict(self) -> Verdict {
        Verdict::Unknown(self.reason())
    }
}

/// Says what stdout gets if this process is ended before [`answer`].
pub fn set_last_word(words: impl Fn(Ending) -> String + Send + 'static) {
    state().words = Some(Box::new(words));
}

/// Removes the folder if this process is ended from inside, where no destructor runs.
pub fn remove_at_the_end(folder: &Path) {
    state().folders.push(folder.to_owned());
}

/// Writes the verdict, which from then on is said. Should the process be ended afterwards, it ends so: [`Exit::Usage`] if there
/// is more to be written.
///
/// # Errors
/// [`OutputError`] if stdout cannot be written.
pub fn answer(text: &str, ended: Exit) -> Result<(), OutputError> {
    // The lock is kept while it is written, so that nobody else writes meanwhile.
    let mut state = state();
    state.answered = Some(ended);
    let text = if shows_colours(&io::stdout()) { Cow::Owned(coloured(text)) } else { Cow::Borrowed(text) };
    Output::new(None).write_text(&text)
}

/// The text with its verdicts in colour: lines that are one, or a property with its verdict.
fn coloured(text: &str) -> String {
    let paint = |line: &str| {
        let at = line.rfind(": ").map_or(0, |colon| colon + 2);
        let colour = [0, at].into_iter().find_map(|at| Some((at, colour_of(line.get(at..)?)?)));
        match colour {
            Some((at, colour)) => format!("{}\u{1b}[1;{colour}m{}\u{1b}[0m", &line[..at], &line[at..]),
            None => line.to_owned(),
        }
    };
    let lines: Vec<String> = text.split('\n').map(paint).collect();
    lines.join("\n")
}

/// The colour of a verdict; `None` for any other text.
fn colour_of(text: &str) -> Option<u8> {
    match text {
        "TRUE" | "EQUIVALENT" => Some(32),
        "NOT EQUIVALENT" => Some(31),
        _ if text.starts_with("FALSE(") && text.ends_with(')') => Some(31),
        _ if text.starts_with("UNKNOWN(") && text.ends_with(')') => Some(33),
        _ => None,
    }
}

/// Writes the object of an error, if nothing was said yet.
pub(crate) fn answer_error(report: &ErrorReport) {
    let mut state = state();
    if state.answered.is_none() {
        state.answered = Some(Exit::Usage);
        // The error is on stderr already; there is nobody left to tell that it cannot be written here.
        let _ = Output::new(None).write_text(&report.write());
    }
}

/// Says what is left to be said, and how the process ends.
pub(crate) fn last_word(ending: Ending, signal: Option<u8>) -> Exit {
    last_word_of(&mut state(), ending, signal)
}

fn last_word_of(state: &mut State, ending: Ending, signal: Option<u8>) -> Exit {
    let exit = match (ending, signal, state.answered) {
        (Ending::Internal, _, _) => Exit::Internal,
        (Ending::Exhausted(_), Some(signal), _) => Exit::Interrupted(signal),
        (Ending::Exhausted(_), None, Some(exit)) => exit,
        (Ending::Exhausted(_), None, None) if state.words.is_some() => Exit::Unknown,
        (Ending::Exhausted(exhaustion), None, None) => Exit::Exhausted(exhaustion),
    };
    match (ending, state.answered, &state.words) {
        (Ending::Internal, _, _) => {
            line(format_args!("error: this is a bug of {}: please report it with the command line and its input files", name()))
        }
        (Ending::Exhausted(exhaustion), Some(Exit::Usage), _) => {
            line(format_args!("error: {exhaustion}: the verdict holds, but not every file was written"));
        }
        (Ending::Exhausted(exhaustion), None, None) => line(format_args!("error: {exhaustion}: no artifact was written")),
        (Ending::Exhausted(_), Some(_), _) | (Ending::Exhausted(_), None, Some(_)) => {}
    }
    if let (None, Some(words)) = (state.answered, &state.words) {
        let text = words(ending);
        state.answered = Some(exit);
        // There is nobody left to tell that it cannot be written.
        let _ = Output::new(None).write_text(&text);
    }
    exit
}

/// Says the last word and ends the process with everything below it.
pub(crate) fn end(ending: Ending, signal: Option<u8>) -> ! {
    kill_descendants();
    // Kept to the end: a verdict that is found meanwhile waits in `answer` and is never said, as one has been said.
    let mut state = state();
    let exit = last_word_of(&mut state, ending, signal);
    for folder in &state.folders {
        // It is a temporary one.
        let _ = std::fs::remove_dir_all(folder);
    }
    if matches!(exit, Exit::Exhausted(_)) {
        told::tell_reader();
    }
    // Destructors of the solver would wait for threads that run on.
    signal_hook::low_level::exit(exit.code().into())
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the tool is called.
fn name() -> String {
    let executable = std::env::current_exe().ok();
    let name = executable.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "this tool".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const CHILD: &str = "RESIDUE_TEST_ENDING";

    /// A run that is ended while it finds its verdict: the last word takes its time, the verdict comes meanwhile.
    fn ended_while_it_answers() {
        let (begun, begins) = std::sync::mpsc::channel();
        let begun = Mutex::new(begun);
        set_last_word(move |_| {
            let _ = begun.lock().map(|begun| begun.send(()));
            std::thread::sleep(Duration::from_millis(200));
            "LAST WORD\n".to_owned()
        });
        std::thread::spawn(|| end(Ending::Exhausted(Exhaustion::Cpu), None));
        begins.recv().unwrap();
        answer("VERDICT\n", Exit::Success).unwrap();
        std::thread::sleep(Duration::from_secs(60));
    }

    #[test]
    fn verdicts_have_colours_and_nothing_else_has() {
        let text =
            "assumed: n <= 8\nno regression: TRUE or so; property: assert\ndiv-zero: UNKNOWN(budget)\nFALSE(no-overflow)\n";
        let painted = "assumed: n <= 8\nno regression: TRUE or so; property: assert\ndiv-zero: \u{1b}[1;33mUNKNOWN(budget)\u{1b}[0m\n\
                       \u{1b}[1;31mFALSE(no-overflow)\u{1b}[0m\n";
        assert_eq!(coloured(text), painted);
        let reason = "UNKNOWN(verifier: X: TRUE)";
        assert_eq!(coloured(reason), format!("\u{1b}[1;33m{reason}\u{1b}[0m"));
        assert_eq!(coloured("{\"verdict\":\"TRUE\"}\n"), "{\"verdict\":\"TRUE\"}\n");
    }

    #[test]
    fn a_run_says_one_verdict() {
        if std::env::var_os(CHILD).is_some() {
            return ended_while_it_answers();
        }
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "ending::tests::a_run_says_one_verdict", "--nocapture"]).env(CHILD, "1");
        let ran = command.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(said.contains("LAST WORD") && !said.contains("VERDICT"), "{said}");
        assert_eq!(ran.status.code(), Some(i32::from(Exit::Unknown.code())), "{said}");
    }
}
