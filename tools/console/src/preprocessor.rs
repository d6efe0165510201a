//! Arguments for the C preprocessor, in the order of the command line.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// The flags and how they are passed on: identifier, short name, long name, value name, prefix, help.
const FLAGS: [(&str, Option<char>, Option<&str>, &str, &str, &str); 4] = [
    ("include", Some('I'), None, "DIR", "-I", "Look for header files in DIR"),
    ("define", Some('D'), None, "NAME[=V]", "-D", "Define a macro"),
    ("undefine", Some('U'), None, "NAME", "-U", "Undefine a macro"),
    ("cpp-arg", None, Some("cpp-arg"), "ARG", "", "Pass ARG to the C preprocessor"),
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
        for (id, .., prefix, _) in FLAGS {
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
        FLAGS.into_iter().fold(command, |command, (id, short, long, value, _, help)| {
            let mut arg = Arg::new(id).value_name(value).help(help).action(ArgAction::Append).help_heading("C programs");
            arg = short.into_iter().fold(arg, Arg::short);
            arg = long.into_iter().fold(arg, |arg, long| arg.long(long).allow_hyphen_values(true));
            command.arg(arg)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
