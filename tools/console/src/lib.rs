//! What every command line shares: options, diagnostics, exit codes, output, budget, progress.
//!
//! stdout carries the artifact or the verdict and nothing else; everything for people goes to stderr. An output file
//! appears complete or not at all.
//! Does not know what a tool does, nor C text or solvers.

mod budget;
mod change;
mod colours;
mod deadline;
mod diagnostics;
mod ending;
mod exhaustion;
mod exit;
mod explanation;
mod folder;
mod input;
mod options;
mod output;
mod preprocessor;
mod processes;
mod progress;
mod statistics;
mod task;
mod told;
mod tool;

pub use budget::{Budget, BudgetError, Watched};
pub use change::ChangeArguments;
pub use deadline::Deadline;
pub use diagnostics::Console;
pub use ending::{Ending, LastWord, answer, remove_at_the_end, set_last_word};
pub use exhaustion::Exhaustion;
pub use exit::Exit;
pub use explanation::{Look, change_line, explanation_text};
pub use folder::{FolderError, Held, claim, hold, refuse_link};
pub use input::{Input, InputError};
pub use options::{OptionError, ProgressMode, SharedOptions, StageOptions, check_flags};
pub use output::{Output, OutputError, keep_apart};
pub use preprocessor::PreprocessorArguments;
pub use processes::ends_with_us;
pub use progress::Progress;
pub use statistics::Statistics;
pub use task::{Task, TaskLoadError};
pub use tool::{main, version_text};
