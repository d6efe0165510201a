//! The command line of `invdiff`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Parser};
use console::SharedOptions;

/// Says which facts hold in which versions of a program, and between which they changed
#[derive(Clone, Debug, Parser)]
#[command(name = "invdiff", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// The versions, oldest first: 2 to 64 files, folders, or lists `@name.list` of files; or one table, to write it once more
    #[arg(value_name = "VERSION", required = true)]
    pub versions: Vec<PathBuf>,
    /// Where: `exit` (of the entry function), `FUNCTION:entry`, `FUNCTION:exit`, `FUNCTION:loops`, `label:NAME`, `calls:NAME`,
    /// or a line of the last version; can be repeated [default: exit]
    #[arg(long, value_name = "POINT")]
    pub at: Vec<String>,
    /// A fact, in C over what is in scope there; `old(E)` is a value at the entry of the function, `in(N)` the N-th input
    /// from 0, `in(FUNCTION, N)` that of one input function; can be repeated
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub of: Vec<String>,
    /// Facts to ask for: an earlier table, a correctness witness of one of the versions, or lines `POINT: EXPRESSION`; what they
    /// say is proved again
    #[arg(long, value_name = "FILE")]
    pub invariants: Vec<PathBuf>,
    /// With `--to c`: only what this table of the same versions leaves open
    #[arg(long, value_name = "FILE")]
    pub open: Option<PathBuf>,
    /// An earlier table: its inputs are run first, and what it says to hold helps where it is proved again
    #[arg(long, value_name = "FILE")]
    pub reuse: Vec<PathBuf>,
    /// Facts that the tool proposes [default: the first six of these if no fact is given]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub families: Vec<Family>,
    /// What to write
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = Forms)]
    pub to: Form,
    /// Where that goes [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// End with exit code 1 if a fact changed in one of these ways
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
    /// Ask about runs in which nothing undefined happens: no division by zero, no shift too far, no signed overflow, no index
    /// out of an array, no read of a local before it is written
    #[arg(long)]
    pub defined: bool,
    /// Look at each version by itself, and share nothing between them
    #[arg(long)]
    pub separate: bool,
    /// End after this much work on each program that is looked at, in steps that no clock decides
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Print numbers of the run on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: SharedOptions,
}

/// A kind of facts that the tool proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Family {
    /// `x == 3`
    Constant,
    /// `x <= 100`, `x >= 0`
    Bounds,
    /// `x <= y`, `x == y`
    Order,
    /// `x % 2 == 0`
    Parity,
    /// `x == in(0)`, `x == y + 3`, and what the text assigns
    Definition,
    /// `x == x`: a floating-point variable that is a number
    Number,
    /// `x == 1 || x == 4`: at most four values
    OneOf,
    /// `y == 3 * x + 1`
    Linear,
    /// `(x & 6) == 4`: bits that never change
    Mask,
    /// `__builtin_signbit(x) == 0`, which tells `-0.0` from `0.0`
    SignBit,
    /// Nothing
    None,
}

impl Family {
    /// Those that propose something where nobody says which.
    pub(crate) const USUAL: [Self; 6] = [Self::Constant, Self::Bounds, Self::Order, Self::Parity, Self::Definition, Self::Number];

    /// Its name in tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Bounds => "bounds",
            Self::Order => "order",
            Self::Parity => "parity",
            Self::Definition => "definition",
            Self::Number => "number",
            Self::OneOf => "one-of",
            Self::Linear => "linear",
            Self::Mask => "mask",
            Self::SignBit => "sign-bit",
            Self::None => "none",
        }
    }
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// What changed, as people read it.
    Text,
    /// The table.
    Json,
    /// All versions in one picture for Graphviz.
    Dot,
    /// What is asked, as a C program that reaches an error where a fact fails.
    C,
    /// What holds in a version, from 1, as a correctness witness in YAML.
    Witness(usize),
}

/// Reads the name of a form.
#[derive(Clone, Debug)]
struct Forms;

impl TypedValueParser for Forms {
    type Value = Form;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<Form, clap::Error> {
        let text = value.to_str().unwrap_or_default();
        let number = text.strip_prefix("witness:").and_then(|number| number.parse().ok());
        match (text, number) {
            ("text", _) => Ok(Form::Text),
            ("json", _) => Ok(Form::Json),
            ("dot", _) => Ok(Form::Dot),
            ("c", _) => Ok(Form::C),
            (_, Some(number)) if number > 0 => Ok(Form::Witness(number)),
            _ => {
                let names = PossibleValuesParser::new(["text", "json", "dot", "c", "witness:N"]);
                // None of them is one: the error lists all.
                let wrong = if text == "witness:N" { OsStr::new("witness:") } else { value };
                names.parse_ref(command, argument, wrong).map(|_| Form::Text)
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = [
            ("text", "What changed, as people read it"),
            ("json", "The table"),
            ("dot", "All versions in one picture for Graphviz"),
            ("c", "One C program of all versions that calls `reach_error` iff a fact fails in one of them"),
            ("witness:N", "What holds in version N, from 1, as a correctness witness in YAML"),
        ];
        Some(Box::new(names.into_iter().map(|(name, help)| PossibleValue::new(name).help(help))))
    }
}

/// A kind of change that ends with exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    /// A fact held and fails
    Broken,
    /// A fact failed and holds
    Gained,
    /// Nobody knows
    Open,
}

const EXAMPLES: &str = "\
Examples:
  invdiff --at label:P1 --of 'x <= 100' v1.c v2.c v3.c
  invdiff --at push:exit --families bounds,order v1.c v2.c
  invdiff --to json -o table.json v1.c v2.c
  invdiff --to witness:2 -o v2.yml --at f:loops v1.c v2.c
  invdiff --to c --at push:exit --of 'len <= 16' v1.c v2.c v3.c | verify
  invdiff --invariants table.json --fail-on broken v1.c v2.c v3.c
  invdiff --invariants witness-of-v1.yml v1.c v2.c v3.c
  invdiff table.json

Exit code 0, 1 with --fail-on, 2 for unusable input, 3 if nothing at all could be decided.";
