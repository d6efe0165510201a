//! The command line of `verify`.

use std::path::PathBuf;

use clap::Parser;
use console::SharedOptions;

use crate::analysis::{Analysis, Kind};

/// Proves or refutes that a C program can violate a property, on the paths a condition leaves uncovered
#[derive(Clone, Debug, Parser)]
#[command(name = "verify", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// C program; stdin if absent or `-`
    #[arg(value_name = "PROGRAM")]
    pub program: Option<PathBuf>,
    /// Condition: paths it covers are not examined
    #[arg(long, value_name = "FILE")]
    pub condition: Option<PathBuf>,
    /// Where the witness of a TRUE or FALSE goes: .graphml (format 1.0) or .yml (format 2.0)
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Where a C file goes that gcc builds and that reaches the error
    #[arg(long, value_name = "FILE.c")]
    pub harness: Option<PathBuf>,
    /// Print the counterexample of a FALSE on stderr: inputs and statements with values
    #[arg(long)]
    pub trace: bool,
    /// Use these analyses only; they take turns
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub analysis: Vec<Analysis>,
    /// Correctness witness in YAML, by any tool, whose invariants are proposed: a wrong one costs time only; may be given
    /// several times
    #[arg(long, value_name = "FILE")]
    pub invariants: Vec<PathBuf>,
    /// What is in this file, by another version's TRUE, is proposed: a wrong formula costs time only. What a TRUE rests on
    /// is kept there
    #[arg(long, value_name = "FILE.json")]
    pub proof: Option<PathBuf>,
    /// End after this much work, in steps that no clock decides: two runs with the same limit do the same. A step is about an
    /// encoded statement
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Say no more than whether it is proved that no arguments satisfy what is assumed of them: TRUE, else UNKNOWN
    #[arg(long, hide = true)]
    pub only_assumed: bool,
    /// Print one JSON object instead of the verdict line
    #[arg(long)]
    pub json: bool,
    /// Print numbers of the run on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

impl Arguments {
    /// The analyses: all, unless some are named.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        if self.analysis.is_empty() { Kind::ALL.to_vec() } else { self.analysis.iter().map(|one| Kind::from(*one)).collect() }
    }
}

const EXAMPLES: &str = "\
Examples:
  verify --32 program.c
  verify --condition condition.graphml modified.c
  verify --property no-overflow,valid-memsafety program.c
  verify --trace --analysis bounded program.c
  verify --32 --witness error.graphml --harness error.c program.c && gcc -m32 -nostdlib -static error.c

The last line of stdout is TRUE, FALSE(PROPERTY) or UNKNOWN(reason); exit code 0, 1 or 3, and 2 for unusable input.";
