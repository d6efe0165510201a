//! What the command line of `residue check` says.
//!
//! Does not know what is done with it.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use console::SharedOptions;
use miette::miette;

use super::summary::FailOn;
use crate::report::ReportFile;
use crate::run::cache::Trust;
use crate::run::outcome::{Asked, Detector, Turn, Verifier, Via};
use crate::run::stage::Messages;
use crate::run::unit::Settings;

const EXAMPLES: &str = "\
Examples:
  residue check original.c modified.c
  residue check --entry push,pop original.c modified.c
  residue check --git HEAD~1 src/queue.c
  residue check --git origin/main..HEAD --entry 'queue_*' --fail-on regression -- 'src/**/*.c'

Exit codes: 0 TRUE, 1 FALSE, 2 unusable input (also of a single unit) or an output that cannot be written, 3 UNKNOWN, 101 a
bug of ours; of several units the worst in the order 101, 2, 1, 3, 0. --fail-on chooses which results count. After signal n
128 + n.";

/// Check a change: can the modified program violate its property where the original does not?
///
/// A program is a C file, a folder (its files *.c, as one program), or a list of files @NAME.list
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "residue check [OPTIONS] ORIGINAL MODIFIED
       residue check [OPTIONS] --git BASE[..HEAD] [FILE]...
       residue check [OPTIONS] --task FILE.yml")]
pub(crate) struct CheckArguments {
    /// The program before and the one after the change; with --git files, folders or patterns of the repository (all C
    /// files if there are none)
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Compare two git revisions; without HEAD the modified one is the working tree
    #[arg(long, value_name = "BASE[..HEAD]", conflicts_with = "task", help_heading = "Revisions")]
    pub(super) git: Option<String>,
    /// The flags of each file [default: compile_commands.json or build/compile_commands.json of the revision, else of the
    /// working tree]
    #[arg(long, value_name = "FILE", requires = "git", help_heading = "Revisions")]
    pub(super) compile_commands: Option<PathBuf>,
    /// Check the files that a pattern names (several separated by commas) as one program; may be given several times
    #[arg(long, value_name = "PATTERN", conflicts_with = "task", help_heading = "Programs of several files")]
    pub(super) link: Vec<String>,
    /// Check the files that the compilation database compiles for a target as one program; without a name all of its files
    #[arg(long, value_name = "NAME", requires = "git", num_args = 0..=1, require_equals = true, default_missing_value = "",
        help_heading = "Programs of several files")]
    pub(super) target: Vec<String>,
    /// Lay a file over both revisions, e.g. a harness that is not in their history; of two programs it becomes one of their
    /// files; may be given several times
    #[arg(long, value_name = "FILE", conflicts_with = "task", help_heading = "Programs of several files")]
    pub(super) with: Vec<PathBuf>,
    /// How differences are detected
    #[arg(long, value_enum, default_value_t, value_name = "NAME")]
    pub(super) detector: Detector,
    /// Say TRUE only if what the condition covers was checked edge by edge by the certificate of the detector, with rules of
    /// its own (`residue validate`)
    #[arg(long)]
    pub(super) validated: bool,
    /// Whether the verifier follows the condition itself or checks the residual program [default: native; reduce for
    /// verifiers that are not ours]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) via: Option<Via>,
    /// Who verifies: `verify`, or a BenchExec tool-info module with options for the tool, e.g. esbmc or
    /// `cpachecker:--svcomp25 --heap 2000M`; given several times, each is asked in turn, with its share of the budget, until
    /// one decides
    #[arg(long, value_name = "NAME[:OPTIONS]", default_value = "verify")]
    pub(super) verifier: Vec<Verifier>,
    /// Where all are UNKNOWN about the change, ask the first verifier about the whole modified program
    #[arg(long)]
    pub(super) fallback: bool,
    /// End the verification after this much work, in steps that no clock decides (`verify --steps`)
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) steps: Option<u64>,
    /// What the proof of a TRUE rests on is kept in this file, and what is there, of another version, is proposed: that
    /// costs little and often saves much. With --cache this is done for all units without it
    #[arg(long, value_name = "FILE.json", help_heading = "Run")]
    pub(super) proof: Option<PathBuf>,
    /// Which results are failures for the exit code: regression, violation, unknown, vacuous
    #[arg(long, value_enum, value_delimiter = ',', default_value = "violation,unknown", value_name = "CLASS[,CLASS]")]
    pub(super) fail_on: Vec<FailOn>,
    /// How many units are checked at once [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub(super) jobs: Option<NonZero<usize>>,
    /// Keep outcomes, and preprocessed texts of revisions, in this folder, which may be shared, and use those that are there
    #[arg(long, value_name = "DIR", help_heading = "Run")]
    pub(super) cache: Option<PathBuf>,
    /// Use the cache although others may write to it: whoever does chooses the verdicts
    #[arg(long, requires = "cache", help_heading = "Run")]
    pub(super) trust_cache: bool,
    /// Keep all artifacts in this folder, which is new, empty or of an earlier run
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print one JSON object instead of the verdict lines
    #[arg(long)]
    pub(super) json: bool,
    /// Write the map from the lines of the residual program to those of the modified one
    #[arg(long, value_name = "FILE.json", requires = "via")]
    pub(super) map: Option<PathBuf>,
    /// Write a report for people (.html), code hosts (.sarif) or programs (.json); may be given several times
    #[arg(long, value_name = "FILE")]
    pub(super) report: Vec<ReportFile>,
    /// Print what each stage counted and its CPU seconds on stderr
    #[arg(long)]
    pub(super) stats: bool,
    #[command(flatten)]
    pub(super) shared: SharedOptions,
}

impl CheckArguments {
    /// The folder of the cache, and who may write to it.
    pub(super) fn trusted_cache(&self) -> Option<(&Path, Trust)> {
        let trust = if self.trust_cache { Trust::Everybody } else { Trust::Ourselves };
        Some((self.cache.as_deref()?, trust))
    }
}

/// Who is asked what, in this order.
///
/// # Errors
/// If a verifier that is not ours is to follow a condition.
pub(super) fn turns(arguments: &CheckArguments) -> miette::Result<Vec<Turn>> {
    let mut turns: Vec<Turn> = Vec::new();
    let fallback = arguments.verifier.first().filter(|_| arguments.fallback).map(|first| (first, Asked::Program));
    for (verifier, about) in arguments.verifier.iter().map(|verifier| (verifier, Asked::Change)).chain(fallback) {
        let via = match (arguments.via, verifier) {
            (Some(Via::Native), Verifier::Foreign { name, .. }) => {
                return Err(miette!(
                    help = "use --via reduce, or leave it out",
                    "{name} cannot follow a condition: --via native is for `verify`"
                ));
            }
            (None, Verifier::Foreign { .. }) => Via::Reduce,
            (via, Verifier::Native | Verifier::Foreign { .. }) => via.unwrap_or_default(),
        };
        let turn = Turn { verifier: verifier.clone(), via, about, verdict: None };
        turns.extend((!turns.contains(&turn)).then_some(turn));
    }
    Ok(turns)
}

pub(super) fn settings(arguments: &CheckArguments, turns: Vec<Turn>, messages: Messages) -> Settings {
    let shared = &arguments.shared;
    Settings {
        detector: arguments.detector,
        validated: arguments.validated,
        turns,
        verbosity: if shared.quiet { Some("-q") } else { shared.verbose.then_some("-v") },
        steps: arguments.steps,
        proof: arguments.proof.clone(),
        keeps_proofs: arguments.proof.is_some() || arguments.cache.is_some(),
        statistics: arguments.stats.then_some("--stats"),
        messages,
    }
}
