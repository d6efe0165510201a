//! The whole of the `main` function of a tool.

use crate::diagnostics::render;
use crate::ending::{Ending, answer_error, last_word};
use crate::exit::Exit;
use crate::output::OutputError;
use crate::preprocessor::as_spelled_here;
use crate::processes::follow_the_driver;
use crate::told;
use clap::{ArgMatches, Parser};
use formats::ErrorReport;
use std::process::ExitCode;

/// Stack of the thread a tool runs on: the C front end and the solver recurse on the depth of expressions.
const STACK_BYTES: usize = 256 << 20;
/// The signal by which a stage whose driver is gone would have ended.
const SIGKILL: u8 = 9;

/// Parses the command line and runs `tool` with it; the whole of a `main` function.
///
/// `solver` names the linked solver and its version, for `--version`. An error is rendered on stderr and ends with
/// exit code 2, a broken pipe quietly with the same code, as does the empty output of a stage that has said why it failed, a
/// panic with 101 and, from a tool that gives a verdict, UNKNOWN. With `--json` an error is an object on stdout too. A stage
/// ends with its driver.
pub fn main<A: Parser + Send + 'static>(solver: Option<fn() -> String>, tool: fn(A) -> miette::Result<Exit>) -> ExitCode {
    if !follow_the_driver() {
        return Exit::Interrupted(SIGKILL).into();
    }
    let exit = match parse::<A>(solver) {
        Ok((arguments, errors)) => run(errors, move || tool(arguments)),
        Err(exit) => exit,
    };
    if matches!(exit, Exit::Usage | Exit::Exhausted(_) | Exit::Internal) {
        told::tell_reader();
    }
    exit.into()
}

/// Where errors go besides stderr.
#[derive(Clone, Debug)]
enum Errors {
    /// Nowhere.
    Told,
    /// To stdout as an object, from the tool of this name and version.
    Object(String, String),
}

/// Whether the command line asks for an object on stdout, whatever the subcommand.
fn asks_for_json(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("json").is_ok_and(|json| json.is_some_and(|json| *json))
        || matches.subcommand().is_some_and(|(_, inner)| asks_for_json(inner))
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

fn parse<A: Parser>(solver: Option<fn() -> String>) -> Result<(A, Errors), Exit> {
    let mut command = A::command();
    let (name, version) = (command.get_name().to_owned(), command.get_version().unwrap_or_default().to_owned());
    if let Some(version) = command.get_version() {
        let text = version_text(version, solver.map(|solver| solver()).as_deref());
        // The command line wants text that lives as long as the process; it is made once.
        command = command.version(&*Box::leak(text.into_boxed_str()));
    }
    let mut command = command;
    let parsed = command.try_get_matches_from_mut(as_spelled_here(std::env::args_os())).and_then(|mut matches| {
        let errors = if asks_for_json(&matches) { Errors::Object(name.clone(), version.clone()) } else { Errors::Told };
        Ok((A::from_arg_matches_mut(&mut matches)?, errors))
    });
    parsed.map_err(|error| {
        let error = error.format(&mut command);
        // Help that cannot be printed is no reason for another exit code.
        let _ = error.print();
        if !error.use_stderr() {
            return Exit::Success;
        }
        if std::env::args_os().any(|argument| argument == "--json") {
            let producer = formats::Producer::new(&name, &version);
            answer_error(&ErrorReport::new(producer, first_paragraph(&error.to_string()), None));
        }
        Exit::Usage
    })
}

/// What an error of the command line says, without its usage.
fn first_paragraph(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.split("\n\n").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs `tool` on a thread with a large stack.
fn run(errors: Errors, tool: impl FnOnce() -> miette::Result<Exit> + Send + 'static) -> Exit {
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK_BYTES).spawn(move || match tool() {
        Ok(exit) => exit,
        Err(report) => {
            tell(&report, errors);
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

/// Says why a run ends without a result, unless nobody listens or somebody has said so already.
fn tell(report: &miette::Report, errors: Errors) {
    if matches!(report.downcast_ref(), Some(OutputError::BrokenPipe)) {
        return;
    }
    if !(told::is_about_empty_stdin(report) && told::was_told()) {
        render(report.as_ref());
    }
    if let Errors::Object(tool, version) = errors {
        let help = report.help().map(|help| help.to_string());
        let message = report.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
        answer_error(&ErrorReport::new(formats::Producer::new(&tool, &version), message, help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Reason, Verdict};

    #[test]
    fn exit_codes() {
        assert_eq!(run(Errors::Told, || Ok(Exit::from(&Verdict::True))).code(), 0);
        assert_eq!(run(Errors::Told, || Ok(Exit::from(&Verdict::False(formats::Property::UnreachCall)))).code(), 1);
        assert_eq!(run(Errors::Told, || Err(miette::miette!("not to be found"))).code(), 2);
        assert_eq!(run(Errors::Told, || Ok(Exit::from(&Verdict::Unknown(Reason::Budget)))).code(), 3);
        assert_eq!(run(Errors::Told, || panic!("a bug")).code(), 101);
        assert_eq!(Exit::Interrupted(2).code(), 130);
    }

    #[test]
    fn deep_recursion_fits_the_stack() {
        fn depth(levels: u32) -> u32 {
            let frame = std::hint::black_box([levels; 64]);
            if levels == 0 { 0 } else { depth(levels - 1) + frame[1] - levels + 1 }
        }
        run(Errors::Told, || {
            assert_eq!(depth(300_000), 300_000);
            Ok(Exit::Success)
        });
    }
}
