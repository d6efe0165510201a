//! `residue witness`: whether a witness keeps the rules of its format, whether it fits a program, and what it says.
//!
//! A fault ends the command with one diagnostic; what only deviates from the rules is a warning, or with `--strict` a fault.
//! Does not know whether what a witness says is true: that is for validators.

mod faults;
mod json;
mod program;
mod text;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use console::{Console, Exit, Input, Output};
use formats::witness::{Format, Reading, graphml::Finding};
use miette::miette;

use faults::Faults;
use program::Comparison;

/// Deviations that are printed; the others are counted.
const PRINTED: usize = 10;

const EXAMPLES: &str = "\
Examples:
  residue witness proof.yml
  residue witness --program program.c error.graphml

Exit codes: 0 it keeps the rules of its format, 2 it does not, or unusable input or output, 101 a bug of ours.";

/// Check a witness by the rules of its format and show what it says.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WitnessArguments {
    /// The witness in GraphML 1.0 or YAML 2.x, told apart by content; `-` is stdin
    file: PathBuf,
    /// The program: its hash has to agree, and the places that the witness names have to exist in it
    #[arg(long, value_name = "FILE.c")]
    program: Option<PathBuf>,
    /// Refuse what only deviates from the rules, too
    #[arg(long)]
    strict: bool,
    /// How it is shown
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    to: Shape,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print no warnings
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Shape {
    /// A summary for people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// A witness that can be relied on as far as its format and its program go.
struct Checked {
    /// The name of the file in messages.
    file: String,
    reading: Reading,
    deviations: Vec<Finding>,
    program: Option<Comparison>,
}

pub(crate) fn witness(arguments: &WitnessArguments) -> miette::Result<Exit> {
    let stdin = Path::new("-");
    if arguments.file == stdin && arguments.program.as_deref() == Some(stdin) {
        return Err(miette!(help = "name a file for one of them", "both the witness and the program are to be read from stdin"));
    }
    let inputs = std::iter::once(&arguments.file).chain(&arguments.program).map(PathBuf::as_path);
    console::keep_apart(inputs, arguments.output.as_deref())?;
    let checked = check(arguments)?;
    warn(&checked, &Console::new(arguments.quiet, false));
    let text = match arguments.to {
        Shape::Text => text::text(&checked),
        Shape::Json => json::json(&checked)?,
    };
    Output::new(arguments.output.as_deref()).write_text(&text)?;
    Ok(Exit::Success)
}

fn check(arguments: &WitnessArguments) -> miette::Result<Checked> {
    let input = Input::read(&arguments.file)?;
    let faults = Faults::new(&input);
    let reading = Reading::read(&input.bytes, &input.name).map_err(|error| faults.unreadable(&error))?;
    let deviations = match reading.format {
        Format::Graphml => reading.deviations.clone(),
        Format::Yaml => faults::against_the_schema(faults.text())?,
    };
    if arguments.strict && !deviations.is_empty() {
        return Err(faults.deviating(&deviations));
    }
    let program = match &arguments.program {
        Some(path) => Some(program::compare(&reading, &Input::read(path)?, &faults)?),
        None => None,
    };
    Ok(Checked { file: input.name.clone(), reading, deviations, program })
}

fn warn(checked: &Checked, console: &Console) {
    let file = &checked.file;
    for finding in checked.deviations.iter().take(PRINTED) {
        console.warning(format!("{file}:{}: {}", finding.line, finding.message));
    }
    if let Some(more @ 1..) = checked.deviations.len().checked_sub(PRINTED) {
        console.warning(format!("{file}: {more} more (`--to json` lists all deviations)"));
    }
    let Some(program) = &checked.program else { return };
    if program.algorithm.is_none() {
        console.warning(format!("{file}: names no hash that {} could be compared with", program.file));
    }
    if program.elsewhere > 0 {
        let (count, places) = (program.elsewhere, if program.elsewhere == 1 { "place" } else { "places" });
        console.warning(format!("{file}: {count} {places} in other files than {}, not looked for", program.file));
    }
}
