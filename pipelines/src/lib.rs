//! The driver: runs the chain of tools for people and for CI.
//!
//! The tools are reached as processes and files only, so that any stage can be replaced. What the driver does itself is
//! the last judgement: it replays a counterexample on both programs and says what the verdict is about.
//! Does not know how a difference is detected or a program verified.

mod commands;
mod report;
mod run;
mod sources;
mod witness;

use clap::{Parser, Subcommand};
use console::Exit;

use commands::{bench, check, clients, entries, explain, invariants, invariants_arguments, properties, show, validate};
pub use run::outcome;

/// Verifies only what a change can break.
#[derive(Debug, Parser)]
#[command(
    name = "residue",
    version,
    about,
    after_help = "Examples:
  residue check original.c modified.c
  residue check --git HEAD~1 src/queue.c
  residue explain artifacts

Exit codes: 0 TRUE or done, 1 FALSE, 2 unusable input or output, 3 UNKNOWN, 101 a bug, 128 + n after signal n"
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge a stage of one's own by pairs whose regressions are known
    BenchStage(bench::BenchArguments),
    /// Check a change: can the modified program violate its property where the original does not?
    Check(Box<commands::CheckArguments>),
    /// Say who notices that a library changed, and by which call
    Clients(Box<clients::ClientsArguments>),
    /// Show the control-flow automaton of a program
    Cfa(Box<show::CfaArguments>),
    /// List the functions a check can start with, and what it would assume of their arguments
    Entries(entries::EntriesArguments),
    /// Say which changes a check could not dismiss, and why
    Explain(explain::ExplainArguments),
    /// Say which facts hold in which versions of a file, and which commit broke them
    Invariants(Box<invariants_arguments::InvariantsArguments>),
    /// Say what changed in the assertions, with a verdict for each
    Properties(Box<properties::PropertiesArguments>),
    /// Check a difference graph edge by edge by its certificate, and a condition by its graph
    Validate(Box<validate::ValidateArguments>),
    /// Check a witness by the rules of its format and show what it says
    Witness(witness::WitnessArguments),
}

/// Runs the driver.
///
/// # Errors
/// A report for people if the input cannot be used or a stage failed.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    match arguments.command {
        Command::BenchStage(arguments) => bench::bench(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Clients(arguments) => clients::clients(&arguments),
        Command::Cfa(arguments) => show::cfa(&arguments),
        Command::Entries(arguments) => entries::entries(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Invariants(arguments) => invariants::invariants(&arguments),
        Command::Properties(arguments) => properties::properties(&arguments),
        Command::Validate(arguments) => validate::validate(&arguments),
        Command::Witness(arguments) => witness::witness(&arguments),
    }
}
