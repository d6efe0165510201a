//! What the command line of `residue invariants` says.
//!
//! Does not know what is done with it.

use std::path::PathBuf;

use clap::Args;
use console::SharedOptions;
use formats::invariant_table::ChurnKind;

use crate::run::outcome::Verifier;

const EXAMPLES: &str = "\
Examples:
  residue invariants --git v1.2..HEAD --at ring_push:exit --of 'r->len <= r->cap' --entry ring_push src/ring.c
  residue invariants --git HEAD~20 --link 'src/*.c' --with harness.c --at harness:exit --of 'used <= size' --entry harness
  residue invariants --git HEAD~20 --at label:step --report invariants.html --fail-on broken src/ring.c
  residue invariants --report table.html v1.c v2.c v3.c
  residue invariants --verifier esbmc --budget 60 --at label:P --of 'x <= 100' v1.c v2.c

Exit codes: 0, 1 with --fail-on, 2 unusable input, 3 nothing could be decided, 101 a bug of ours.";

/// Which facts hold in which versions of a file, and which commit broke them
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "residue invariants [OPTIONS] --git BASE[..HEAD] FILE...
       residue invariants [OPTIONS] --git BASE[..HEAD] --link PATTERN
       residue invariants [OPTIONS] VERSION VERSION...")]
pub(crate) struct InvariantsArguments {
    /// The versions, oldest first: files, folders, or lists `@name.list` of files; with --git the files whose commits are the versions, each for itself
    #[arg(value_name = "FILE", required_unless_present_any = ["link", "with"])]
    pub(super) files: Vec<PathBuf>,
    /// The versions are that of BASE and the commits up to HEAD that change the file or its headers; without HEAD the working
    /// tree is the last
    #[arg(long, value_name = "BASE[..HEAD]")]
    pub(super) git: Option<String>,
    /// The versions are programs of the files that a pattern names (several separated by commas), in the commits or in folders;
    /// may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(super) link: Vec<String>,
    /// Lay a file over all versions, e.g. a harness that is not in their history; of files and folders it becomes one of their
    /// files; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) with: Vec<PathBuf>,
    /// Where, as for `invdiff`: `exit`, `FUNCTION:entry`, `FUNCTION:exit`, `FUNCTION:loops`, `label:NAME`, `calls:NAME`, or a
    /// line of the last version; can be repeated [default: exit]
    #[arg(long, value_name = "POINT")]
    pub(super) at: Vec<String>,
    /// A fact, as for `invdiff`; can be repeated
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub(super) of: Vec<String>,
    /// Facts that are proposed, as for `invdiff`
    #[arg(long, value_name = "LIST")]
    pub(super) families: Option<String>,
    /// Facts of a file, as for `invdiff`
    #[arg(long, value_name = "FILE")]
    pub(super) invariants: Vec<PathBuf>,
    /// Ask about runs in which nothing undefined happens
    #[arg(long)]
    pub(super) defined: bool,
    /// End with exit code 1 if a fact changed in one of these ways
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(super) fail_on: Vec<FailOn>,
    /// Who is asked for what is left: `verify` (all analyses of `invdiff`), or a BenchExec tool-info module with options for the
    /// tool, e.g. esbmc; given several times, each is asked in turn
    #[arg(long, value_name = "NAME[:OPTIONS]", default_value = "verify")]
    pub(super) verifier: Vec<Verifier>,
    /// Keep tables in this folder, and use those that are there
    #[arg(long, value_name = "DIR")]
    pub(super) cache: Option<PathBuf>,
    /// Use the cache although others may write to it: whoever does chooses the tables
    #[arg(long, requires = "cache")]
    pub(super) trust_cache: bool,
    /// End after this much work on each program that is looked at, in steps that no clock decides
    #[arg(long, value_name = "N")]
    pub(super) steps: Option<u64>,
    /// Write a report for people (.html), code hosts (.sarif) or programs (.json); may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) shared: SharedOptions,
}

/// A kind of change that ends with exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum FailOn {
    /// A fact held and fails
    Broken,
    /// A fact failed and holds
    Gained,
    /// Nobody knows
    Open,
}

impl FailOn {
    pub(super) const fn kind(self) -> ChurnKind {
        match self {
            Self::Broken => ChurnKind::Broken,
            Self::Gained => ChurnKind::Gained,
            Self::Open => ChurnKind::Open,
        }
    }
}
