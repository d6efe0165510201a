//! Arguments for the C preprocessor, in the order of the command line.

use std::ffi::OsString;

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

const FLAGS: [Flag; 7] = [
    Flag { id: "include", short: Some('I'), long: None, value: "DIR", prefix: "-I", help: "Look for header files in DIR" },
    Flag { id: "define", short: Some('D'), long: None, value: "NAME[=V]", prefix: "-D", help: "Define a macro" },
    Flag { id: "undefine", short: Some('U'), long: None, value: "NAME", prefix: "-U", help: "Undefine a macro" },
    Flag {
        id: "include-first",
        short: None,
        long: Some("include"),
        value: "FILE",
        prefix: "-include",
        help: "Read FILE before each program, as `-include FILE` does for gcc",
    },
    Flag {
        id: "isystem",
        short: None,
        long: Some("isystem"),
        value: "DIR",
        prefix: "-isystem",
        help: "Look for header files of the system in DIR, as `-isystem DIR` does for gcc",
    },
    Flag {
        id: "std",
        short: None,
        long: Some("std"),
        value: "STANDARD",
        prefix: "-std=",
        help: "The language standard for the preprocessor and for the types of constants, as `-std=STANDARD` is for gcc",
    },
    Flag { id: "cpp-arg", short: None, long: Some("cpp-arg"), value: "ARG", prefix: "", help: "Pass ARG to the C preprocessor" },
];

/// An argument as it is passed on; programs for `-mx32` have a data model that no tool has.
fn passed_on(argument: &str) -> Result<String, &'static str> {
    if argument == "-mx32" { Err("the data models are ILP32 (--32) and LP64 (--64)") } else { Ok(argument.to_owned()) }
}

/// The flags that gcc spells with one dash and clap with two.
const OF_GCC: [&str; 2] = ["-include", "-isystem"];

/// The command line with flags as gcc spells them as this project does: `-include FILE`, `-isystemDIR`, `-std=c99`.
#[must_use]
pub(crate) fn as_spelled_here(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut all = Vec::new();
    let (mut names_follow, mut is_value) = (false, false);
    for argument in arguments {
        names_follow |= argument == "--";
        let text = argument.to_str().filter(|_| !names_follow && !is_value);
        is_value = argument == "--cpp-arg";
        let standard = text.filter(|text| text.starts_with("-std="));
        let flag = text.and_then(|text| OF_GCC.iter().find_map(|flag| Some((*flag, text.strip_prefix(flag)?))));
        match (standard, flag) {
            (Some(standard), _) => all.push(format!("-{standard}").into()),
            (None, Some((flag, ""))) => all.push(format!("-{flag}").into()),
            (None, Some((flag, value))) => all.push(format!("-{flag}={value}").into()),
            (None, None) => all.push(argument),
        }
    }
    all
}

/// `-I`, `-D`, `-U`, `--include`, `--isystem`, `--std` and `--cpp-arg`, each as one argument for the preprocessor.
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
            arg = if flag.prefix.is_empty() { arg.value_parser(passed_on) } else { arg };
            arg = flag.short.into_iter().fold(arg, Arg::short);
            arg = flag.long.into_iter().fold(arg, |arg, long| arg.long(long).allow_hyphen_values(flag.prefix.is_empty()));
            command.arg(arg)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_may_be_spelled_as_for_gcc() {
        let given = "verify -include a.h -std=c99 -isystem/x -includeb.h -i --cpp-arg -std=c11 -- -std=c.c";
        let expected = "verify --include a.h --std=c99 --isystem=/x --include=b.h -i --cpp-arg -std=c11 -- -std=c.c";
        assert_eq!(as_spelled_here(given.split(' ').map(OsString::from)).join(" ".as_ref()), expected);
    }

    #[test]
    fn a_third_data_model_is_refused() {
        let command = || PreprocessorArguments::augment_args(Command::new("tool"));
        let error = command().try_get_matches_from(["tool", "--cpp-arg", "-mx32"]).unwrap_err().to_string();
        assert!(error.contains("the data models are ILP32 (--32) and LP64 (--64)"), "{error}");
        assert!(command().try_get_matches_from(["tool", "--cpp-arg", "-fPIC", "-DX"]).is_ok());
    }
}
