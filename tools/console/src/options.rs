//! The options every tool has, and how they become [`ProgramOptions`].
//!
//! A flag that contradicts what a task or an upstream artifact fixes is an error, never an override.

use crate::budget::{Budget, BudgetError, Watched};
use crate::diagnostics::Console;
use crate::input::{Input, InputError};
use crate::preprocessor::PreprocessorArguments;
use crate::progress::Progress;
use crate::task::{Task, TaskLoadError};
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, ValueEnum};
use formats::flags::RefusedFlag;
use formats::property::UnknownProperty;
use formats::{CallerOptions, DataModel, Library, ProgramOptions, Property};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The heading of what is said about programs.
const ABOUT_PROGRAMS: &str = "C programs";
/// The option that allows what an artifact of somebody else asks of the preprocessor.
const ALLOWS: &str = "cpp-arg";

/// Options of every tool.
#[derive(Args, Clone, Debug)]
pub struct SharedOptions {
    /// What must not happen: a property file, or unreach-call (`reach_error` is called), assert (an assertion fails),
    /// div-zero, shift, no-overflow, valid-deref, valid-free, valid-memtrack, or valid-memsafety for the last three; several
    /// by commas or by giving the option again [default: unreach-call; assert for a program that calls no `reach_error` and
    /// has assertions]
    #[arg(long, value_name = "FILE.prp|NAME[,NAME]", help_heading = "C programs")]
    pub property: Vec<String>,
    /// Sizes of types: ILP32 or LP64 [default: LP64]
    #[arg(long, value_name = "MODEL", help_heading = "C programs")]
    pub data_model: Option<DataModel>,
    /// Short for `--data-model ILP32`
    #[arg(long = "32", conflicts_with_all = ["data_model", "lp64"], help_heading = "C programs")]
    pub ilp32: bool,
    /// Short for `--data-model LP64`
    #[arg(long = "64", conflicts_with = "data_model", help_heading = "C programs")]
    pub lp64: bool,
    /// Function where the program starts [default: main]
    #[arg(long, value_name = "FUNCTION", help_heading = "C programs")]
    pub entry: Option<String>,
    /// For an entry function that takes pointers: how many structs a chain of pointers passes at most [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=8), help_heading = "C programs")]
    pub entry_depth: Option<u32>,
    /// For an entry function that takes pointers: how many elements or characters they lead to at most [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "C programs")]
    pub entry_length: Option<u32>,
    /// What holds of the arguments of the entry function, as C: `n <= 8`; can be repeated
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true, help_heading = "C programs")]
    pub assume: Vec<String>,
    /// Let `malloc` and its relatives return null whenever the environment wants
    #[arg(long, help_heading = "C programs")]
    pub malloc_may_fail: bool,
    /// Arguments for the C preprocessor.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
    /// Take no bodies of C library functions from the tools: what is known of them by name is all
    #[arg(long, conflicts_with = "libc", help_heading = "C programs")]
    pub no_libc: bool,
    /// Take missing bodies from the C files of DIR instead of the C library of the tools
    #[arg(long, value_name = "DIR", help_heading = "C programs")]
    pub libc: Option<String>,
    /// Task file that names property, data model and input files
    #[arg(long, value_name = "FILE.yml", help_heading = "C programs")]
    pub task: Option<PathBuf>,
    /// CPU seconds this run may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Run")]
    pub budget: Option<Duration>,
    /// Memory this run may take, in MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Run")]
    pub memory: Option<u64>,
    /// Print no warnings
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Run")]
    pub quiet: bool,
    /// Print notes
    #[arg(short, long, help_heading = "Run")]
    pub verbose: bool,
    /// Whether a terminal shows progress
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Run")]
    pub progress: ProgressMode,
}

/// The options of a stage whose artifact says how programs are read. What is said about programs is understood, and refused
/// where it says something else than the artifact; as it changes nothing, help does not offer it.
#[derive(Clone, Debug)]
pub struct StageOptions(SharedOptions);

impl Deref for StageOptions {
    type Target = SharedOptions;

    fn deref(&self) -> &SharedOptions {
        &self.0
    }
}

impl FromArgMatches for StageOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        SharedOptions::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Args for StageOptions {
    fn augment_args(command: Command) -> Command {
        let about_programs = |arg: &Arg| arg.get_help_heading() == Some(ABOUT_PROGRAMS) && arg.get_id() != ALLOWS;
        SharedOptions::augment_args(command).mut_args(|arg| if about_programs(&arg) { arg.hide(true) } else { arg })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Whether progress is shown.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressMode {
    /// If stderr is a terminal.
    #[default]
    Auto,
    /// Never.
    Never,
}

/// Why the options do not fit together.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum OptionError {
    /// The property file cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Input(#[from] InputError),
    /// The property cannot be checked.
    #[error(transparent)]
    Property {
        /// What was given.
        #[from]
        source: UnknownProperty,
    },
    /// A stage works for one property.
    #[error("several properties, {properties}, where one is needed")]
    #[diagnostic(help("run the stage once for each of them; `verify` without a condition and `residue check` take several"))]
    Several {
        /// Their names.
        properties: String,
    },
    /// A flag says something else than the task or artifact.
    #[error("{flag} says {given}, but {origin} fixes {fixed}")]
    #[diagnostic(help("leave out the flag, or run the earlier stages again with it"))]
    Contradiction {
        /// The flag.
        flag: &'static str,
        /// Its value.
        given: String,
        /// The task or artifact.
        origin: String,
        /// The value there.
        fixed: String,
    },
    /// An artifact wants the preprocessor to be called in a way that only the user may ask for.
    #[error("{artifact}: {source}")]
    #[diagnostic(help(
        "if this is what you want, give all preprocessor arguments of the artifact on the command line with --cpp-arg"
    ))]
    Refused {
        /// The artifact.
        artifact: String,
        /// The argument.
        source: RefusedFlag,
    },
}

/// Checks that the preprocessor arguments of an artifact can do no harm.
///
/// # Errors
/// [`OptionError::Refused`] for the first one that could.
pub fn check_flags(fixed: &ProgramOptions, artifact: &str) -> Result<(), OptionError> {
    formats::flags::check(&fixed.preprocessor).map_err(|source| OptionError::Refused { artifact: artifact.to_owned(), source })
}

impl SharedOptions {
    /// Where warnings and notes go.
    #[must_use]
    pub fn console(&self) -> Console {
        Console::new(self.quiet, self.verbose)
    }

    /// The progress line.
    #[must_use]
    pub fn progress(&self) -> Progress {
        match self.progress {
            ProgressMode::Auto if !self.quiet => Progress::on_terminal(self.budget),
            ProgressMode::Auto | ProgressMode::Never => Progress::none(),
        }
    }

    /// The budget of the run; from now on signals end it, and a watchdog holds it.
    ///
    /// # Errors
    /// [`BudgetError`] if the signals cannot be caught.
    pub fn budget(&self) -> Result<Budget, BudgetError> {
        self.budget_of(Watched::Tool)
    }

    /// As [`Self::budget`], for a tool or a driver.
    ///
    /// # Errors
    /// [`BudgetError`] if the signals cannot be caught.
    pub fn budget_of(&self, watched: Watched) -> Result<Budget, BudgetError> {
        let budget = Budget::new(self.budget, self.memory.map(|mebibytes| mebibytes.saturating_mul(1 << 20)))?;
        budget.watch(watched)?;
        Ok(budget)
    }

    /// The task `--task` names.
    ///
    /// # Errors
    /// [`TaskLoadError`] if it cannot be used.
    pub fn load_task(&self) -> Result<Option<Task>, TaskLoadError> {
        self.task.as_deref().map(Task::load).transpose()
    }

    /// Whether the command line or a task names the property; otherwise a program may imply it.
    #[must_use]
    pub fn names_property(&self, task: Option<&Task>) -> bool {
        !self.property.is_empty() || task.is_some()
    }

    /// How programs are to be read, when no artifact fixes it: from the flags, else from the task, else the defaults.
    ///
    /// # Errors
    /// [`OptionError`] if a flag contradicts the task, the property cannot be read, or there are several.
    pub fn program_options(&self, task: Option<&Task>) -> Result<ProgramOptions, OptionError> {
        let mut all = self.all_program_options(task)?;
        match all.pop() {
            Some(one) if all.is_empty() => Ok(one),
            last => {
                let names: Vec<String> = all.iter().chain(&last).map(|options| options.property.to_string()).collect();
                Err(OptionError::Several { properties: names.join(", ") })
            }
        }
    }

    /// As [`Self::program_options`], once for each property.
    ///
    /// # Errors
    /// As there, but there may be several properties.
    pub fn all_program_options(&self, task: Option<&Task>) -> Result<Vec<ProgramOptions>, OptionError> {
        let given = self.given_properties()?;
        let chosen: Vec<(Property, Option<String>)> = match task {
            None if given.is_empty() => vec![(Property::default(), None)],
            None => given,
            Some(task) if given.is_empty() => task.properties.iter().take(task.together).cloned().collect(),
            Some(task) => {
                let mut chosen = Vec::with_capacity(given.len());
                for (property, entry) in given {
                    let Some((_, named)) = task.properties.iter().find(|(other, _)| *other == property) else {
                        let fixed: Vec<String> = task.properties.iter().map(|(property, _)| property.to_string()).collect();
                        return Err(contradiction("--property", property, &task.file, fixed.join(", ")));
                    };
                    chosen.push((property, entry.or_else(|| named.clone())));
                }
                chosen
            }
        };
        chosen.into_iter().map(|(property, entry)| self.options_for(property, entry, task)).collect()
    }

    fn options_for(
        &self,
        property: Property,
        named_entry: Option<String>,
        task: Option<&Task>,
    ) -> Result<ProgramOptions, OptionError> {
        let default = ProgramOptions::default();
        let entry = match (&self.entry, named_entry) {
            // Property files of the field say `main` whatever the entry is.
            (Some(entry), _) => entry.clone(),
            (None, Some(named)) => named,
            (None, None) => default.entry,
        };
        let data_model = match (self.given_data_model(), task.and_then(|task| Some((task.data_model?, &task.file)))) {
            (Some(given), Some((fixed, file))) if given != fixed => {
                return Err(contradiction("--data-model", given, file, fixed));
            }
            (given, fixed) => given.or(fixed.map(|(fixed, _)| fixed)).unwrap_or(default.data_model),
        };
        Ok(ProgramOptions {
            data_model,
            entry,
            property,
            preprocessor: self.preprocessor.arguments.clone(),
            caller: self.caller(),
            library: self.library(),
        })
    }

    /// What a made caller passes.
    fn caller(&self) -> CallerOptions {
        let default = CallerOptions::default();
        CallerOptions {
            depth: self.entry_depth.unwrap_or(default.depth),
            length: self.entry_length.unwrap_or(default.length),
            assume: self.assume.clone(),
            malloc_may_fail: self.malloc_may_fail,
        }
    }

    /// Where missing bodies come from.
    fn library(&self) -> Library {
        match &self.libc {
            Some(folder) => Library::Folder(folder.clone()),
            None if self.no_libc => Library::None,
            None => Library::Own,
        }
    }

    /// Checks that no flag (and no task) contradicts what `artifact` fixes; absent flags contradict nothing. Preprocessor
    /// arguments of the artifact that the user does not repeat have to be harmless.
    ///
    /// # Errors
    /// [`OptionError::Contradiction`] for the first flag that does, [`OptionError::Refused`] for an argument that is not.
    pub fn check_against(&self, task: Option<&Task>, fixed: &ProgramOptions, artifact: &str) -> Result<(), OptionError> {
        let artifact = Path::new(artifact);
        let chosen = self.program_options(task)?;
        let says_data_model = self.given_data_model().is_some() || task.is_some_and(|task| task.data_model.is_some());
        if says_data_model && chosen.data_model != fixed.data_model {
            return Err(contradiction("--data-model", chosen.data_model, artifact, fixed.data_model));
        }
        if self.names_property(task) && chosen.property != fixed.property {
            return Err(contradiction("--property", chosen.property, artifact, fixed.property));
        }
        if self.entry.as_ref().is_some_and(|entry| *entry != fixed.entry) {
            return Err(contradiction("--entry", &chosen.entry, artifact, &fixed.entry));
        }
        let says_caller =
            self.entry_depth.is_some() || self.entry_length.is_some() || !self.assume.is_empty() || self.malloc_may_fail;
        if says_caller && chosen.caller != fixed.caller {
            let text = |caller: &CallerOptions| serde_json::to_string(caller).unwrap_or_default();
            return Err(contradiction(
                "--entry-depth, --entry-length, --assume, --malloc-may-fail",
                text(&chosen.caller),
                artifact,
                text(&fixed.caller),
            ));
        }
        if !chosen.library.is_own() && chosen.library != fixed.library {
            let text = |library: &Library| format!("`{}`", library.flags().join(" "));
            return Err(contradiction("the C library", text(&chosen.library), artifact, text(&fixed.library)));
        }
        let preprocessor = &self.preprocessor.arguments;
        if !preprocessor.is_empty() && *preprocessor != fixed.preprocessor {
            let text = |arguments: &[String]| if arguments.is_empty() { "none".to_owned() } else { arguments.join(" ") };
            return Err(contradiction("the preprocessor options", text(preprocessor), artifact, text(&fixed.preprocessor)));
        }
        if preprocessor.is_empty() {
            check_flags(fixed, &artifact.to_string_lossy())?;
        }
        Ok(())
    }

    fn given_data_model(&self) -> Option<DataModel> {
        match (self.ilp32, self.lp64) {
            (true, _) => Some(DataModel::ILP32),
            (false, true) => Some(DataModel::LP64),
            (false, false) => self.data_model,
        }
    }

    /// The properties of the flag, each once, and the entry functions if they come from a file.
    fn given_properties(&self) -> Result<Vec<(Property, Option<String>)>, OptionError> {
        let mut all: Vec<(Property, Option<String>)> = Vec::new();
        for given in &self.property {
            let found = match Property::parse_names(given) {
                Ok(properties) => properties.into_iter().map(|property| (property, None)).collect(),
                Err(error) => {
                    let path = Path::new(given);
                    if !path.exists() && path.extension().is_none() {
                        return Err(OptionError::Property { source: error });
                    }
                    let input = Input::read(path)?;
                    let read = Property::parse_specifications(&String::from_utf8_lossy(&input.bytes))?;
                    read.into_iter().map(|(property, entry)| (property, Some(entry))).collect::<Vec<_>>()
                }
            };
            for (property, entry) in found {
                if !all.iter().any(|(other, _)| *other == property) {
                    all.push((property, entry));
                }
            }
        }
        Ok(all)
    }
}

fn contradiction(flag: &'static str, given: impl ToString, origin: &Path, fixed: impl ToString) -> OptionError {
    OptionError::Contradiction { flag, given: given.to_string(), origin: origin.display().to_string(), fixed: fixed.to_string() }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
