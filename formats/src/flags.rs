//! Which arguments of the preprocessor others may choose: artifacts and compilation databases.
//!
//! An argument is passed on only if it is in one list and its value is of the kind the list says. Everything else could run
//! code (`-fplugin`, `-wrapper`, `-B`, `-specs`), write files (`-o`, `-MF`, `-dumpdir`, `-save-temps`), or smuggle in more
//! arguments (`@FILE`, `-Wp,`, `-Xpreprocessor`).
//! What the user gives on the command line is the user's own word and does not come here.

/// What an argument may be followed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Nothing.
    None,
    /// A macro, with parameters and text.
    Definition,
    /// The name of a macro.
    Macro,
    /// The path of a folder or file.
    Path,
    /// The name of a language standard.
    Standard,
}

/// The arguments with their values; a value stands in the same argument or is the next one. Of two arguments with the same
/// beginning the longer comes first.
const HARMLESS: &[(&str, Value)] = &[
    ("-D", Value::Definition),
    ("-U", Value::Macro),
    ("-iwithprefixbefore", Value::Path),
    ("-iwithprefix", Value::Path),
    ("-idirafter", Value::Path),
    ("-isysroot", Value::Path),
    ("-imacros", Value::Path),
    ("-include", Value::Path),
    ("-isystem", Value::Path),
    ("-iprefix", Value::Path),
    ("-iquote", Value::Path),
    ("--sysroot=", Value::Path),
    ("-I", Value::Path),
    ("--std=", Value::Standard),
    ("-std=", Value::Standard),
    ("-ansi", Value::None),
    ("-nostdinc", Value::None),
    ("-undef", Value::None),
    ("-pthread", Value::None),
    ("-fopenmp", Value::None),
    ("-ffreestanding", Value::None),
    ("-fhosted", Value::None),
    ("-m32", Value::None),
    ("-m64", Value::None),
    ("-fpic", Value::None),
    ("-fPIC", Value::None),
    ("-fpie", Value::None),
    ("-fPIE", Value::None),
    ("-fno-pic", Value::None),
    ("-fno-PIC", Value::None),
    ("-fno-pie", Value::None),
    ("-fno-PIE", Value::None),
    ("-fstack-protector", Value::None),
    ("-fstack-protector-strong", Value::None),
    ("-fstack-protector-all", Value::None),
    ("-fstack-protector-explicit", Value::None),
    ("-fno-stack-protector", Value::None),
    ("-fasynchronous-unwind-tables", Value::None),
    ("-fno-asynchronous-unwind-tables", Value::None),
];

/// An argument that others may not choose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the preprocessor argument `{argument}` is refused: {why}")]
pub struct RefusedFlag {
    /// The argument, on one line.
    pub argument: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Checks the arguments for the preprocessor that somebody else than the user has chosen.
///
/// # Errors
/// [`RefusedFlag`] for the first one that is not in the list or has a value that does not fit.
pub fn check(arguments: &[String]) -> Result<(), RefusedFlag> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let refused = |why| RefusedFlag { argument: crate::shown::one_line(argument).into_owned(), why };
        let (value, joined) = entry(argument).ok_or_else(|| refused("it is not in the list of harmless ones"))?;
        let text = match value {
            Value::None => continue,
            _ if !joined.is_empty() || argument.ends_with('=') => joined,
            Value::Definition | Value::Macro | Value::Path | Value::Standard => {
                rest.next().ok_or_else(|| refused("its value is missing"))?
            }
        };
        if !fits(value, text) {
            return Err(refused("its value could be taken for something else"));
        }
    }
    Ok(())
}

/// The kind of value an argument takes, and what is joined to it.
fn entry(argument: &str) -> Option<(Value, &str)> {
    let found = HARMLESS.iter().find(|(flag, value)| match value {
        Value::None => argument == *flag,
        Value::Definition | Value::Macro | Value::Path | Value::Standard => argument.starts_with(flag),
    });
    found.map(|(flag, value)| (*value, &argument[flag.len()..]))
}

fn fits(value: Value, text: &str) -> bool {
    if text.is_empty() || text.starts_with(['@', '-']) || text.chars().any(char::is_control) {
        return false;
    }
    match value {
        Value::None => false,
        Value::Path => true,
        Value::Standard => text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b':'),
        Value::Macro => is_name(text),
        Value::Definition => is_name(text.split(['=', '(']).next().unwrap_or_default()),
    }
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !text.is_empty() && text.chars().all(is_part) && !text.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(arguments: &[&str]) -> Result<(), RefusedFlag> {
        check(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn harmless_arguments_pass() {
        let harmless = [
            "-Iinclude", "-I", "include", "-DX=1 2", "-DF(x)=((x) + 1)", "-D", "Y", "-UZ", "-isystem/usr/x", "-includeconf.h",
            "-include", "conf.h", "-imacrosm.h", "--sysroot=/opt/s", "-std=gnu99", "-ansi", "-m32", "-nostdinc", "-iquote.",
            "-fPIC", "-fno-pie", "-fstack-protector-strong",
        ];
        assert_eq!(told(&harmless), Ok(()));
        assert_eq!(told(&[]), Ok(()));
    }

    #[test]
    fn arguments_that_run_code_or_write_files_are_refused() {
        for arguments in [
            &["-fplugin=./evil.so"][..],
            &["-fplugin-arg-x-y"],
            &["-wrapper", "sh,-c"],
            &["-o", "x"],
            &["-ox"],
            &["-MF", "x"],
            &["-MD"],
            &["-MMD"],
            &["-Wp,-MD,x"],
            &["-Xpreprocessor", "-MD"],
            &["-specs=x"],
            &["-Bx"],
            &["-B", "x"],
            &["-dumpdir", "x"],
            &["-dumpbase", "x"],
            &["-save-temps"],
            &["-save-temps=cwd"],
            &["@file"],
            &["-x", "c"],
            &["-"],
            &["other.c"],
            &["-E"],
            &["-v"],
            &["-P"],
            &["-fpreprocessed"],
            &["-no-integrated-cpp"],
            &["-iplugindir=x"],
            &["-fdump-tree-all"],
            &["-aux-info", "x"],
            &["-fmacro-prefix-map=a=b"],
            &["-imultilib", "x"],
            &["-Wa,x"],
            &["-Wl,x"],
            &["-c"],
            &["-S"],
            &["-pipe"],
            &["-time=x"],
            &["--specs=x"],
            &["--output=x"],
            &["--include=x"],
            &["-fopenmp-x"],
            &["-mx32"],
            &["-fPICx"],
            &["-fstack-protector=x"],
            &["-fdiagnostics-format=json-file"],
            &[""],
        ] {
            assert!(told(arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn values_that_could_be_more_than_values_are_refused() {
        for arguments in [
            &["-D"][..],
            &["-I"],
            &["-include"],
            &["-include", "@x"],
            &["-include@x"],
            &["-include", "-fplugin=x"],
            &["-D", "@x"],
            &["-D@x"],
            &["-D", "-o"],
            &["-U", "-o"],
            &["-U@x"],
            &["-UX=1"],
            &["-I", "@x"],
            &["-I@x"],
            &["-I-"],
            &["-DX=1\n#include \"y\""],
            &["-D1"],
            &["-D=1"],
            &["--sysroot="],
            &["-std="],
            &["-std=../x"],
            &["-isysroot", "-x"],
            &["-iquote\u{1b}"],
        ] {
            assert!(told(arguments).is_err(), "{arguments:?}");
        }
        let refused = told(&["-Ia", "-fplugin=\u{1b}x"]).unwrap_err();
        assert_eq!(refused.argument, "-fplugin=\\u{1b}x");
    }
}
