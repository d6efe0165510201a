//! Arguments for the C preprocessor, in the order of the command line.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// A flag and how it is passed on.
struct Flag {
    id: &'static str,
    short: Option<char>,
    long: Option<&'static str>,
    value: &'static str,
    prefix: &'static str,
    help: &'static str,
}

const FLAGS: [Flag; 4] = [
    Flag { id: "include", short: Some('I'), long: None, value: "DIR", prefix: "-I", help: "Look for header files in DIR" },
    Flag { id: "define", short: Some('D'), long: None, value: "NAME[=V]", prefix: "-D", help: "Define a macro" },
    Flag { id: "undefine", short: Some('U'), long: None, value: "NAME", prefix: "-U", help: "Undefine a macro" },
    Flag { id: "cpp-arg", short: None, long: Some("cpp-arg"), value: "ARG", prefix: "", help: "Pass ARG to the C preprocessor" },
];

/// `-I`, `-D`, `-U` and `--cpp-arg`, each as one argument for the preprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PreprocessorArguments {
    /// The arguments in the order in which they were given.
    pub arguments: Vec<String>,
}

impl FromArgMatches for PreprocessorArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut found = Vec::new();
        for Flag { id, prefix, .. } in FLAGS {
            let values = matches.get_many::<String>(id).into_iter().flatten();
            found.extend(matches.indices_of(id).into_iter().flatten().zip(values.map(|value| format!("{prefix}{value}"))));
        }
        found.sort();
        Ok(Self { arguments: found.into_iter().map(|(_, argument)| argument).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PreprocessorArguments {
    fn augment_args(command: Command) -> Command {
        FLAGS.into_iter().fold(command, |command, flag| {
            let mut arg =
                Arg::new(flag.id).value_name(flag.value).help(flag.help).action(ArgAction::Append).help_heading("C programs");
            arg = flag.short.into_iter().fold(arg, Arg::short);
            arg = flag.long.into_iter().fold(arg, |arg, long| arg.long(long).allow_hyphen_values(true));
            command.arg(arg)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
