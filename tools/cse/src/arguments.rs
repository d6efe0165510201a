//! The command line of `cse`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser;
use console::SharedOptions;
use formats::file_names;

use crate::CseError;

/// Says whether a client notices how a library changed
#[derive(Clone, Debug, Parser)]
#[command(name = "cse", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// The library before and after the change; without `--client` whole programs
    #[arg(value_name = "PROGRAM", num_args = 2, required = true)]
    pub programs: Vec<PathBuf>,
    /// The files that use the library, and that are the same for both versions; several by commas, and a comma of a name as `\,`
    /// (a backslash before it as `\\`)
    #[arg(long, value_name = "FILE[,FILE]")]
    pub client: Vec<Files>,
    /// The same files once more, beside the headers of the modified version
    #[arg(long, value_name = "FILE[,FILE]", requires = "client")]
    pub modified_client: Vec<Files>,
    /// Another client, as --client takes it, several times: each is decided as if it were alone, and an object printed for each
    #[arg(long, value_name = "FILE[,FILE]", requires_all = ["client", "json"], conflicts_with_all = ["harness", "to"])]
    pub also: Vec<Files>,
    /// The same client once more, beside the headers of the modified version
    #[arg(long, value_name = "FILE[,FILE]", requires_all = ["also", "modified_client"])]
    pub modified_also: Vec<Files>,
    /// Of whole programs, the functions that may have changed, with what only they call; several by commas
    #[arg(long, value_name = "FUNCTION[,FUNCTION]", value_delimiter = ',', conflicts_with = "client")]
    pub library: Vec<String>,
    /// What is observed of a run
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_values_t = [Observed::Return, Observed::Globals, Observed::Memory, Observed::Events])]
    pub observe: Vec<Observed>,
    /// Whether the modified version must be defined wherever the original is, or only runs count that are defined in both
    #[arg(long, value_name = "HOW", default_value = "preserve")]
    pub undefined: Undefined,
    /// What signed arithmetic does that does not fit
    #[arg(long, value_name = "HOW", default_value = "undefined")]
    pub overflow: Overflow,
    /// Folders of headers for the original version only
    #[arg(long, value_name = "DIR")]
    pub original_include: Vec<String>,
    /// Folders of headers for the modified version only
    #[arg(long, value_name = "DIR")]
    pub modified_include: Vec<String>,
    /// For NOT EQUIVALENT, write both versions on these inputs as one C file that gcc builds; it says what each does
    #[arg(long, value_name = "FILE.c")]
    pub harness: Option<PathBuf>,
    /// Decide nothing, and print the question as one program for any verifier: it reaches `reach_error` iff the versions differ
    /// (a run of more than 16 inputs or events may reach it although they do the same)
    #[arg(long, value_name = "FORM", conflicts_with_all = ["harness", "json"])]
    pub to: Option<Form>,
    /// Where that program goes; stdout if there is none
    #[arg(long, short, value_name = "FILE", requires = "to")]
    pub output: Option<PathBuf>,
    /// Print the result as one JSON object instead of lines
    #[arg(long)]
    pub json: bool,
    /// End after this much work, in steps that no clock decides
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Leave out a part of the work, to see what it saves; verdicts rest on what is left
    #[arg(long, value_name = "PART")]
    pub without: Option<Part>,
    /// Print numbers of the run on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

/// The files of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(Vec<PathBuf>);

impl From<OsString> for Files {
    fn from(list: OsString) -> Self {
        Self(file_names::split(&list))
    }
}

impl Arguments {
    /// The files of the client.
    pub(crate) fn client_files(&self) -> Vec<&Path> {
        all_of(&self.client)
    }

    /// The same files beside the modified library, where they are given.
    pub(crate) fn modified_client_files(&self) -> Vec<&Path> {
        all_of(&self.modified_client)
    }

    /// The file of C functions that say which runs count.
    ///
    /// # Errors
    /// [`CseError::SeveralAssumptions`].
    pub(crate) fn assumed(&self) -> Result<Option<&Path>, CseError> {
        let mut files = self.shared.assume.iter().filter_map(|assumed| assumed.strip_prefix('@'));
        match (files.next(), files.next()) {
            (_, Some(_)) => Err(CseError::SeveralAssumptions),
            (file, None) => Ok(file.map(Path::new)),
        }
    }

    /// Checks that both versions have the same client.
    ///
    /// # Errors
    /// [`CseError::OtherClient`].
    pub(crate) fn checked(&self) -> Result<(), CseError> {
        if !self.modified_also.is_empty() && self.modified_also.len() != self.also.len() {
            return Err(CseError::OtherClients { also: self.also.len(), modified: self.modified_also.len() });
        }
        self.each().iter().try_for_each(Self::checked_alone)
    }

    fn checked_alone(&self) -> Result<(), CseError> {
        let (files, modified) = (self.client_files(), self.modified_client_files());
        if modified.is_empty() {
            return Ok(());
        }
        let mut pairs = files.iter().zip(&modified);
        let other = pairs.find(|(one, other)| !matches!((std::fs::read(one), std::fs::read(other)), (Ok(a), Ok(b)) if a == b));
        let beyond = (files.len() != modified.len()).then(|| modified.last()).flatten();
        match other.map(|(_, file)| file).or(beyond) {
            Some(file) => Err(CseError::OtherClient { file: formats::shown::name(file) }),
            None => Ok(()),
        }
    }

    /// The arguments for each client.
    pub(crate) fn each(&self) -> Vec<Self> {
        let alone = Self { also: Vec::new(), modified_also: Vec::new(), ..self.clone() };
        let other = |(number, client): (usize, &Files)| Self {
            client: vec![client.clone()],
            modified_client: self.modified_also.get(number).cloned().into_iter().collect(),
            ..alone.clone()
        };
        let others: Vec<Self> = self.also.iter().enumerate().map(other).collect();
        std::iter::once(alone.clone()).chain(others).collect()
    }
}

fn all_of(several: &[Files]) -> Vec<&Path> {
    several.iter().flat_map(|files| &files.0).map(PathBuf::as_path).collect()
}

/// Something that is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Observed {
    /// What the entry function returns
    Return,
    /// Variables of external linkage that both versions define
    Globals,
    /// What the pointers that are passed to the entry function lead to
    Memory,
    /// Calls of functions without a body, in their order and with their arguments
    Events,
}

impl std::fmt::Display for Observed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Return => "return",
            Self::Globals => "globals",
            Self::Memory => "memory",
            Self::Events => "events",
        })
    }
}

/// How the question is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// As C, for verifiers of reachability
    C,
}

/// A part of the work that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// That both versions are one program as long as they do the same: they run one after the other from the entry function on
    Lockstep,
}

/// What becomes of operations that are not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Undefined {
    /// Where the original is defined, the modified version must be
    Preserve,
    /// Runs that are undefined in either version do not count
    Both,
}

/// What signed arithmetic does that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Overflow {
    /// It is not defined
    Undefined,
    /// It wraps, as with gcc's `-fwrapv`
    Wrap,
}

const EXAMPLES: &str = "\
Examples:
  cse --client app.c old/lib.c new/lib.c
  cse --client app.c,main.c --undefined both old/lib.c new/lib.c
  cse --client app.c --original-include old/include --modified-include new/include old/lib.c new/lib.c
  cse --library parse original.c modified.c
  cse --assume 'n <= 8' --client app.c old/lib.c new/lib.c
  cse --assume @calls.c --client app.c old/lib.c new/lib.c
  cse --to c --client app.c old/lib.c new/lib.c | verify
  cse --harness both.c --client app.c old/lib.c new/lib.c
  cse --json --client app.c --also tool.c --also test.c,check.c old/lib.c new/lib.c

The last line of stdout is EQUIVALENT, NOT EQUIVALENT or UNKNOWN(reason); exit code 0, 1 or 3, and 2 for unusable input.";
