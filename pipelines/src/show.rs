//! `residue cfa`: the control-flow automaton of a program, for people.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use console::{Exit, Output, SharedOptions};
use miette::miette;
use program::cfa::{Cfa, Operation};

/// Show the control-flow automaton of a program.
#[derive(Args, Debug)]
pub(crate) struct CfaArguments {
    /// The program
    #[arg(required_unless_present = "task")]
    file: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    to: Format,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    shared: SharedOptions,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// One line per edge
    #[default]
    Text,
    /// For Graphviz
    Dot,
}

pub(crate) fn cfa(arguments: &CfaArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let task = shared.load_task()?;
    let options = shared.program_options(task.as_ref())?;
    let named = arguments.file.clone().or_else(|| task.map(|task| task.modified));
    let file = named.ok_or_else(|| miette!("no program is given"))?;
    let cfa = program::load(&file, &options)?;
    warn_of_unsupported(&cfa, &shared.console());
    let text = match arguments.to {
        Format::Text => cfa.to_text(),
        Format::Dot => cfa.to_dot(),
    };
    Output::new(arguments.output.as_deref()).write_text(&text)?;
    Ok(Exit::Success)
}

/// Names every construct without sound treatment; analyses answer UNKNOWN when they reach one.
fn warn_of_unsupported(cfa: &Cfa, console: &console::Console) {
    for edge in &cfa.edges {
        if let Operation::Unsupported { construct } = &edge.operation {
            let place = cfa.source.location(edge.span.lo);
            console.warning(format!("{}:{}: unsupported: {construct}", place.file, place.line));
        }
    }
}
