//! The whole of the `main` function of a tool.

use crate::diagnostics::render;
use crate::ending::{Ending, last_word};
use crate::exit::Exit;
use crate::output::OutputError;
use crate::preprocessor::as_spelled_here;
use crate::processes::follow_the_driver;
use clap::Parser;
use std::process::ExitCode;

/// Stack of the thread a tool runs on: the C front end and the solver recurse on the depth of expressions.
const STACK_BYTES: usize = 256 << 20;
/// The signal by which a stage whose driver is gone would have ended.
const SIGKILL: u8 = 9;

/// Parses the command line and runs `tool` with it; the whole of a `main` function.
///
/// `solver` names the linked solver and its version, for `--version`. An error is rendered on stderr and ends with
/// exit code 2, a broken pipe quietly with the same code, a panic with 101 and, from a tool that gives a verdict, UNKNOWN.
/// A stage ends with its driver.
pub fn main<A: Parser + Send + 'static>(solver: Option<fn() -> String>, tool: fn(A) -> miette::Result<Exit>) -> ExitCode {
    if !follow_the_driver() {
        return Exit::Interrupted(SIGKILL).into();
    }
    match parse::<A>(solver) {
        Ok(arguments) => run(move || tool(arguments)).into(),
        Err(exit) => exit.into(),
    }
}

/// What `--version` prints behind the tool's name: version, commit if known, solver if linked.
#[must_use]
pub fn version_text(version: &str, solver: Option<&str>) -> String {
    let mut text = version.to_owned();
    if let Some(commit) = option_env!("RESIDUE_COMMIT") {
        text = format!("{text} ({commit})");
    }
    if let Some(solver) = solver {
        text = format!("{text}, {solver}");
    }
    text
}

fn parse<A: Parser>(solver: Option<fn() -> String>) -> Result<A, Exit> {
    let mut command = A::command();
    if let Some(version) = command.get_version() {
        let text = version_text(version, solver.map(|solver| solver()).as_deref());
        // The command line wants text that lives as long as the process; it is made once.
        command = command.version(&*Box::leak(text.into_boxed_str()));
    }
    let mut command = command;
    let parsed = command
        .try_get_matches_from_mut(as_spelled_here(std::env::args_os()))
        .and_then(|mut matches| A::from_arg_matches_mut(&mut matches));
    parsed.map_err(|error| {
        let error = error.format(&mut command);
        // Help that cannot be printed is no reason for another exit code.
        let _ = error.print();
        if error.use_stderr() { Exit::Usage } else { Exit::Success }
    })
}

/// Runs `tool` on a thread with a large stack.
fn run(tool: impl FnOnce() -> miette::Result<Exit> + Send + 'static) -> Exit {
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES).spawn(|| match tool() {
        Ok(exit) => exit,
        Err(report) => {
            if !matches!(report.downcast_ref(), Some(OutputError::BrokenPipe)) {
                render(report.as_ref());
            }
            Exit::Usage
        }
    });
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit,
        // The panic itself has told where.
        Ok(Err(_)) => last_word(Ending::Internal, None),
        Err(error) => {
            render(miette::miette!("cannot start a thread: {error}").as_ref());
            Exit::Usage
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Reason, Verdict};

    #[test]
    fn exit_codes() {
        assert_eq!(run(|| Ok(Exit::from(&Verdict::True))).code(), 0);
        assert_eq!(run(|| Ok(Exit::from(&Verdict::False(formats::Property::UnreachCall)))).code(), 1);
        assert_eq!(run(|| Err(miette::miette!("not to be found"))).code(), 2);
        assert_eq!(run(|| Ok(Exit::from(&Verdict::Unknown(Reason::Budget)))).code(), 3);
        assert_eq!(run(|| panic!("a bug")).code(), 101);
        assert_eq!(Exit::Interrupted(2).code(), 130);
    }

    #[test]
    fn deep_recursion_fits_the_stack() {
        fn depth(levels: u32) -> u32 {
            let frame = std::hint::black_box([levels; 64]);
            if levels == 0 { 0 } else { depth(levels - 1) + frame[1] - levels + 1 }
        }
        run(|| {
            assert_eq!(depth(300_000), 300_000);
            Ok(Exit::Success)
        });
    }
}
