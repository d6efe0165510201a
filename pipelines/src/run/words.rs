//! Errors, and what is not checked, as plain words.

use formats::shown::one_line;

use super::outcome::{Skipped, Why};
use crate::sources::entries;

/// An error with its causes and what to do, as plain text.
pub(crate) fn words(error: &miette::Report) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    let help = error.help().map(|help| format!("\n  help: {help}")).unwrap_or_default();
    format!("{}{help}", causes.join(": "))
}

/// What people should know about what was not checked.
pub(crate) fn note(skipped: &Skipped) -> String {
    let Skipped { path, entry, why, detail } = skipped;
    let path = one_line(path);
    let entry = one_line(entry.as_deref().unwrap_or("the entry function"));
    let detail = one_line(detail.as_deref().unwrap_or_default());
    match why {
        Why::Unchanged => format!("{path} is unchanged: not checked"),
        Why::Invisible => format!("{path}: the text changed, what the compiler sees did not: not checked"),
        Why::Unaffected => format!("{path} {entry}: nothing that it leads to has changed: not checked"),
        Why::Deleted => format!("{path} is deleted: not checked"),
        Why::DeletedInUse => {
            format!("{path} is deleted, but {detail}: not checked; link the files of the program with --link 'PATTERN'")
        }
        Why::NoEntry if entries::is_pattern(&entry) => {
            format!(
                "{path} defines no function that other files can call and {entry} means: not checked; name its functions with --entry"
            )
        }
        Why::NoEntry => format!("{path} does not define {entry}: not checked; name its functions with --entry"),
        Why::Elsewhere => {
            format!("{path} {entry}: {detail}: not checked together; link the files of a program with --link 'PATTERN'")
        }
        Why::NotC if detail.is_empty() => format!("{path} is no C: not checked; name the files that are meant"),
        Why::NotC => format!("{path} is no C, and {detail}: not checked"),
        Why::Build => format!("{path} is compiled with other flags, which may change what it means ({detail}): not checked"),
        Why::Built => format!("{path}: {detail}: not checked"),
        Why::Link => {
            format!("{path} is a symbolic link that leads to another folder now: not checked; name the files that are meant")
        }
    }
}
