//! The words of a command that compiles a file: which compiler it is, what files of flags hold, and other spellings of flags.
//!
//! Does not know what flags mean, nor which of them are passed on.
//! Source: the manual of GCC, "Overall Options" (`@FILE`) and "Option Index"; `buildargv` of libiberty.

use std::path::Path;

/// Programs that run the compiler that follows.
const LAUNCHERS: [&str; 9] = ["ccache", "distcc", "sccache", "icecc", "gomacc", "buildcache", "env", "time", "colorgcc"];
/// Compilers whose flags are those that are read here, without a target before the name and a version behind it.
const C_COMPILERS: [&str; 10] = ["cc", "gcc", "clang", "c89", "c99", "c17", "icc", "icx", "tcc", "pcc"];
/// The names of the compiler that reads programs here: another one may have other macros and sizes.
const OURS: [&str; 2] = ["cc", "gcc"];

/// Long flags with a value, behind `=` or as a word of its own, and what they stand for.
const LONG_WITH_VALUE: [(&str, &str); 20] = [
    ("--define-macro", "-D"),
    ("--undefine-macro", "-U"),
    ("--include", "-include"),
    ("--imacros", "-imacros"),
    ("--include-directory", "-I"),
    ("--include-directory-after", "-idirafter"),
    ("--include-prefix", "-iprefix"),
    ("--include-with-prefix", "-iwithprefix"),
    ("--include-with-prefix-after", "-iwithprefix"),
    ("--include-with-prefix-before", "-iwithprefixbefore"),
    ("--isystem", "-isystem"),
    ("--iquote", "-iquote"),
    ("--idirafter", "-idirafter"),
    ("--isysroot", "-isysroot"),
    ("--assert", "-A"),
    ("--language", "-x"),
    ("--output", "-o"),
    ("--prefix", "-B"),
    ("--library-directory", "-L"),
    ("--std", "-std="),
];

/// Long flags without one.
const LONG_WORDS: [(&str, &str); 22] = [
    ("--ansi", "-ansi"),
    ("--optimize", "-O"),
    ("--no-standard-includes", "-nostdinc"),
    ("--compile", "-c"),
    ("--assemble", "-S"),
    ("--preprocess", "-E"),
    ("--debug", "-g"),
    ("--pipe", "-pipe"),
    ("--verbose", "-v"),
    ("--no-warnings", "-w"),
    ("--all-warnings", "-Wall"),
    ("--extra-warnings", "-Wextra"),
    ("--pedantic", "-pedantic"),
    ("--pedantic-errors", "-pedantic-errors"),
    ("--save-temps", "-save-temps"),
    ("--dependencies", "-M"),
    ("--user-dependencies", "-MM"),
    ("--write-dependencies", "-MD"),
    ("--write-user-dependencies", "-MMD"),
    ("--signed-char", "-fsigned-char"),
    ("--unsigned-char", "-funsigned-char"),
    ("--profile", "-p"),
];

/// The command without what runs the compiler.
pub(super) struct Command {
    /// The name of the compiler without its folder.
    pub(super) compiler: String,
    /// What stands before it and may matter: variables of the environment, and flags of what runs it.
    pub(super) before: Vec<String>,
    /// The arguments, long flags as short ones.
    pub(super) arguments: Vec<String>,
}

impl Command {
    /// Takes a command apart.
    pub(super) fn of(words: Vec<String>) -> Self {
        let (mut before, mut words) = (Vec::new(), words.into_iter());
        let mut compiler = String::new();
        for word in words.by_ref() {
            let name = name_of_program(&word);
            if word.starts_with('-') || is_variable(&word) {
                before.push(word);
            } else if !LAUNCHERS.contains(&name) {
                compiler = name.to_owned();
                break;
            }
        }
        let arguments = words.flat_map(short).collect();
        Self { compiler, before, arguments }
    }

    /// Whether its flags are those that are read here.
    pub(super) fn is_c_compiler(&self) -> bool {
        C_COMPILERS.contains(&plain_name(&self.compiler))
    }

    /// What tells its compiler from the one that reads programs here.
    pub(super) fn other_compiler(&self) -> Option<String> {
        (!OURS.contains(&self.compiler.as_str())).then(|| format!("the compiler {}", self.compiler))
    }
}

fn name_of_program(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Whether a word of a command sets a variable of the environment.
fn is_variable(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name).unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The name of a compiler without the target before it and the version behind it.
fn plain_name(name: &str) -> &str {
    let is_version = |version: &str| !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.');
    let name = name.rsplit_once('-').filter(|(_, version)| is_version(version)).map_or(name, |(name, _)| name);
    name.rsplit('-').next().unwrap_or(name)
}

/// A flag as gcc's manual spells it first.
fn short(word: String) -> Vec<String> {
    if !word.starts_with("--") {
        return vec![word];
    }
    if let Some((_, short)) = LONG_WORDS.iter().find(|(long, _)| *long == word) {
        return vec![(*short).to_owned()];
    }
    if let Some((_, short)) = LONG_WITH_VALUE.iter().find(|(long, _)| *long == word) {
        // What takes no value of its own as a short flag is left as it is.
        return vec![if short.ends_with('=') { word } else { (*short).to_owned() }];
    }
    let (flag, value) = word.split_once('=').unwrap_or((&word, ""));
    let found = LONG_WITH_VALUE.iter().find(|(long, _)| *long == flag && !value.is_empty());
    match (found, flag) {
        (Some((_, short)), _) => vec![format!("{short}{value}")],
        (None, "--optimize") => vec![format!("-O{value}")],
        (None, "--debug") => vec![format!("-g{value}")],
        (None, _) => vec![word],
    }
}

/// Files of more bytes hold no flags.
pub(super) const LARGEST: u64 = 1 << 20;

/// The words of a file of flags: apart by white space, within quotes, and behind backslashes.
pub(super) fn words_of_file(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            (c, Some(mark)) if c == mark => quote = None,
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_ascii_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The text of a file of flags; `None` if it is none.
pub(super) fn text_of_file(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= LARGEST);
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Command {
        Command::of(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn the_compiler_is_found_behind_what_runs_it() {
        let found = command(&["/usr/bin/ccache", "X=1", "/opt/bin/gcc", "-c", "a.c"]);
        assert_eq!((found.compiler.as_str(), found.before, found.arguments.len()), ("gcc", vec!["X=1".to_owned()], 2));
        for (name, is_known, is_other) in [
            ("cc", true, false),
            ("gcc.exe", true, false),
            ("gcc-13.2", true, true),
            ("arm-none-eabi-gcc", true, true),
            ("x86_64-linux-gnu-gcc-12", true, true),
            ("clang", true, true),
            ("g++", false, true),
            ("sh", false, true),
        ] {
            let found = command(&[name]);
            assert_eq!((found.is_c_compiler(), found.other_compiler().is_some()), (is_known, is_other), "{name}");
        }
    }

    #[test]
    fn long_flags_are_read_as_short_ones() {
        for (long, short) in [
            (&["--define-macro", "K=1"][..], &["-D", "K=1"][..]),
            (&["--define-macro=K=1"], &["-DK=1"]),
            (&["--include=k.h"], &["-includek.h"]),
            (&["--include-directory-after", "d"], &["-idirafter", "d"]),
            (&["--include-directory=d"], &["-Id"]),
            (&["--optimize=2"], &["-O2"]),
            (&["--std", "c99"], &["--std", "c99"]),
            (&["--std=c99"], &["-std=c99"]),
            (&["--define-macro="], &["--define-macro="]),
            (&["--unknown=1"], &["--unknown=1"]),
        ] {
            assert_eq!(command(&[&["cc"], long].concat()).arguments, short, "{long:?}");
        }
    }

    #[test]
    fn files_of_flags_have_words() {
        assert_eq!(words_of_file(" -DA='1 2'\n\t-DB=\"x\\\"y\" '' \\# -I\\ d"), ["-DA=1 2", "-DB=x\"y", "", "#", "-I d"]);
        assert_eq!(words_of_file(" \n"), Vec::<String>::new());
    }
}
