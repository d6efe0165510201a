//! The command line of a detector: two programs in, a difference graph out, an explanation on request.

use std::path::{Path, PathBuf};

use clap::Args;
use formats::difference_graph::VERSION;
use formats::{DifferenceGraph, Explanation};

use crate::{Console, Output, SharedOptions, Task};

/// What every detector takes.
#[derive(Args, Clone, Debug)]
pub struct ChangeArguments {
    /// The program before the change
    #[arg(value_name = "ORIGINAL", required_unless_present = "task", conflicts_with = "task")]
    pub original: Option<PathBuf>,
    /// The program after the change
    #[arg(value_name = "MODIFIED", required_unless_present = "task", conflicts_with = "task")]
    pub modified: Option<PathBuf>,
    /// Where to write the difference graph [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Tell on stderr which change is behind each indicator, and how its effect gets there
    #[arg(long)]
    pub explain: bool,
    /// Write the same as JSON
    #[arg(long, value_name = "FILE")]
    pub explain_json: Option<PathBuf>,
    /// Version of the difference graph: 1 names everything where it occurs, 2 writes once what occurs often
    #[arg(long, default_value_t = VERSION, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=VERSION))]
    pub format_version: u64,
    /// Print sizes and times on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

impl ChangeArguments {
    /// The two programs: named on the command line or by the task.
    ///
    /// # Errors
    /// A report if there are not two that can both be read, or one of them would be overwritten.
    pub fn programs(&self, task: Option<&Task>) -> miette::Result<(PathBuf, PathBuf)> {
        let (original, modified) = self.named(task)?;
        let inputs = [&original, &modified].into_iter().chain(&self.shared.task).map(PathBuf::as_path);
        crate::keep_apart(inputs, self.output.as_deref().into_iter().chain(self.explain_json.as_deref()))?;
        Ok((original, modified))
    }

    fn named(&self, task: Option<&Task>) -> miette::Result<(PathBuf, PathBuf)> {
        let task = task.map(|task| (task.original.as_deref(), task.modified.as_path()));
        match (task, &self.original, &self.modified) {
            (Some((Some(original), modified)), _, _) => Ok((original.to_owned(), modified.to_owned())),
            (None, Some(original), Some(modified)) => {
                let stdin = Path::new("-");
                if original == stdin && modified == stdin {
                    return Err(miette::miette!("only one of the two programs can be read from standard input"));
                }
                Ok((original.clone(), modified.clone()))
            }
            (Some((None, _)), _, _) | (None, _, _) => {
                Err(miette::miette!(help = "name a file of two programs", "the task is not about a change"))
            }
        }
    }

    /// Whether the indicators are to be explained.
    #[must_use]
    pub fn wants_explanation(&self) -> bool {
        self.explain || self.explain_json.is_some()
    }

    /// Writes the graph and what is wanted of its explanation; warns of what the detector did not understand.
    ///
    /// # Errors
    /// A report of what cannot be written.
    pub fn write(&self, console: &Console, graph: &DifferenceGraph, explanation: Option<&Explanation>) -> miette::Result<()> {
        for construct in graph.provenance.degraded.iter().flatten() {
            console.warning(format_args!("more than necessary is left to check: {construct}"));
        }
        if let (Some(explanation), Some(path)) = (explanation, &self.explain_json) {
            Output::new(Some(path)).write(|out| explanation.write(out))?;
        }
        Output::new(self.output.as_deref())
            .write(|out| if self.format_version == 1 { graph.write_version_1(out) } else { graph.write(out) })?;
        if let Some(explanation) = explanation.filter(|_| self.explain) {
            console.explanation(explanation);
        }
        Ok(())
    }
}
