//! The command line of `propdiff`.

use std::path::PathBuf;

use clap::Parser;
use console::SharedOptions;

/// Says what changed in the assertions of a program, and checks only that
#[derive(Clone, Debug, Parser)]
#[command(name = "propdiff", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// ORIGINAL and MODIFIED; with `--check` one program is enough
    #[arg(value_name = "PROGRAM", num_args = 1..=2, required = true)]
    pub programs: Vec<PathBuf>,
    /// Decide what is not known: a verdict for every assertion
    #[arg(long)]
    pub check: bool,
    /// Verdicts of ORIGINAL, as `--save-verdicts` wrote them
    #[arg(long, value_name = "FILE")]
    pub verdicts: Option<PathBuf>,
    /// Where the verdicts of the (modified) program go
    #[arg(long, value_name = "FILE")]
    pub save_verdicts: Option<PathBuf>,
    /// Where the difference goes; stdout without `--check`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Refuse changes of these kinds with exit code 1: `unmatched` is what has no counterpart, or one that has nothing to do with it
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub deny: Vec<Denied>,
    /// Tell on stderr what became of every clause, and why
    #[arg(long)]
    pub explain: bool,
    /// End after this much work, in steps that no clock decides
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Print numbers of the run on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

/// A kind of change that a review may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Denied {
    /// An assertion says less than before
    Weaker,
    /// An assertion is gone
    Removed,
    /// An assertion has become another one
    Unmatched,
}

const EXAMPLES: &str = "\
Examples:
  propdiff --check --save-verdicts v1.json v1.c
  propdiff --verdicts v1.json --check --save-verdicts v2.json --explain v1.c v2.c
  propdiff --deny weaker,removed v1.c v2.c

With --check the last line of stdout is TRUE, FALSE(PROPERTY) or UNKNOWN(reason); exit code 0, 1 or 3, and 2 for unusable input.";
