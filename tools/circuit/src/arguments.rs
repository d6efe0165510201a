//! The command line of `circuit`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use console::SharedOptions;

/// Turn a program with its property into a sequential circuit for hardware model checkers
#[derive(Clone, Debug, Parser)]
#[command(name = "circuit", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// C program; stdin if absent or `-`
    #[arg(value_name = "PROGRAM")]
    pub program: Option<PathBuf>,
    /// Condition: paths it covers are not in the circuit
    #[arg(long, value_name = "FILE")]
    pub condition: Option<PathBuf>,
    /// Where to write the circuit [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format of the circuit
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub to: Format,
    /// Where to write which latch and input is which bit of what
    #[arg(long, value_name = "FILE.json")]
    pub map: Option<PathBuf>,
    /// A counterexample of a model checker to this circuit: it is replayed on the program, and the verdict printed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["map", "output", "invariant"])]
    pub trace: Option<PathBuf>,
    /// Where the witness of a counterexample goes that replays (format 2.0)
    #[arg(long, value_name = "FILE.yml", requires = "trace")]
    pub witness: Option<PathBuf>,
    /// An invariant of this circuit, as cubes over its latches that no run comes to: it is proved again with the solver, and
    /// the verdict printed
    #[arg(long, value_name = "FILE.pla", conflicts_with_all = ["map", "output"])]
    pub invariant: Option<PathBuf>,
    /// Print one JSON object instead of the verdict line
    #[arg(long)]
    pub json: bool,
    /// Print sizes and times on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

/// How a circuit is written.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Latches and gates, in binary, with symbols.
    #[default]
    Aiger,
    /// States and operations on bit vectors, as text.
    Btor2,
}

const EXAMPLES: &str = "\
Examples:
  circuit --32 -o program.aig --map program.json program.c
  circuit --to btor2 --property assert program.c
  circuit --condition condition.graphml -o modified.aig modified.c
  circuit --32 --trace counterexample.txt --witness error.yml program.c

A program that has no circuit ends with the line UNKNOWN(reason) on stdout and nothing in the output file.
Exit codes: 0 the circuit is written, or TRUE, 1 FALSE, 2 unusable input, 3 UNKNOWN; after signal n 128 + n.";
