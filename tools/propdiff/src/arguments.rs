//! The command line of `propdiff`.

use std::path::{Path, PathBuf};

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
    /// Assertions given beside the program: location invariants as in correctness witnesses 2.x. Once, for all programs, or twice:
    /// for ORIGINAL, then for MODIFIED; twice with one program compares the two
    #[arg(long, value_name = "FILE.yml")]
    pub properties: Vec<PathBuf>,
    /// Check also of what cannot be proved again cheaply so many percent, which the modified program chooses; with 100 nothing
    /// rests on the verdicts
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub audit: Option<u8>,
    /// Where the verdicts of the (modified) program go
    #[arg(long, value_name = "FILE")]
    pub save_verdicts: Option<PathBuf>,
    /// What to write: the difference, a program with the goals that are left, or for changed code a folder `-o DIR` with
    /// `original.c`, `modified.c` and `goals.c`
    #[arg(long, value_name = "FORM", default_value = "json")]
    pub to: Form,
    /// Where that goes; stdout without `--check`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print the difference, or the verdicts of one program, as one JSON object instead of lines
    #[arg(long)]
    pub json: bool,
    /// A folder for a C file per failing clause, which gcc builds and which reaches the error
    #[arg(long, value_name = "DIR")]
    pub harness: Option<PathBuf>,
    /// Refuse changes of these kinds with exit code 1: `unmatched` is what stands where another one stood and neither implies the
    /// other. Where nobody knows whether an assertion says less, `weaker` and `unmatched` refuse it
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub deny: Vec<Denied>,
    /// Tell on stderr what became of every clause, and why
    #[arg(long)]
    pub explain: bool,
    /// Leave out stages, to see what each is worth: verdicts stay right, but fewer are found, or more is asked
    #[arg(long, value_name = "STAGE", value_delimiter = ',', ignore_case = true)]
    pub without: Vec<Stage>,
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

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// The difference
    Json,
    /// A program with the goals that are left
    C,
    /// Two programs with what held before, and one with the goals that are left
    Pair,
}

/// What settles a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Stage {
    /// The same clause holds at the same place of the original
    #[value(name = "S0")]
    Same,
    /// It follows from clauses that hold there
    #[value(name = "S1")]
    Implied,
    /// Known inputs violate it
    #[value(name = "S2")]
    Replayed,
    /// What is known of loops is proved again
    #[value(name = "S3")]
    Confirmed,
    /// All analyses
    #[value(name = "S4")]
    Explored,
}

impl Stage {
    /// All, in the order of their names.
    pub(crate) const ALL: [Self; 5] = [Self::Same, Self::Implied, Self::Replayed, Self::Confirmed, Self::Explored];

    /// Its name in files and options.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Same => "S0",
            Self::Implied => "S1",
            Self::Replayed => "S2",
            Self::Confirmed => "S3",
            Self::Explored => "S4",
        }
    }
}

/// A kind of change that a review may refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Denied {
    /// An assertion says less than before, or nobody knows that it does not
    Weaker,
    /// An assertion is gone
    Removed,
    /// An assertion has become another one, or nobody knows
    Unmatched,
}

const EXAMPLES: &str = "\
Examples:
  propdiff --check --save-verdicts v1.json v1.c
  propdiff --verdicts v1.json --check --save-verdicts v2.json --explain v1.c v2.c
  propdiff --deny weaker,removed v1.c v2.c
  propdiff --verdicts v1.json --to c v1.c v2.c | verify

With --check the last line of stdout is TRUE, FALSE(PROPERTY) or UNKNOWN(reason); exit code 0, 1 or 3, and 2 for unusable input.";

impl Arguments {
    /// The files that are read.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.programs.iter().chain(&self.verdicts).chain(&self.properties).map(PathBuf::as_path)
    }
}
