//! What is asked about each client, as C programs for any verifier: one file for each.
//!
//! `cse` writes them. Does not know what is asked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use console::{Console, Exit};
use formats::shown;
use miette::{Context, IntoDiagnostic};

use crate::run::stage::{Messages, Stage};
use crate::run::words::words;

/// Of a client that no file of a change can be seen in.
pub(super) const UNSEEN: &str = "nothing of the change can be seen in it";

/// A client's name, its files beside both versions unless the change cannot be seen in it, and what else has changed.
pub(super) type Question<'a> = (&'a str, Option<&'a [PathBuf; 2]>, Option<&'a str>);

/// Writes a program for each client that the change can be seen in; `ask` runs a stage about its files.
///
/// # Errors
/// If the folder or a file in it cannot be written.
pub(super) fn write<'a>(
    questions: impl Iterator<Item = Question<'a>>,
    mut ask: impl FnMut(&[PathBuf; 2], Stage) -> miette::Result<String>,
    folder: &Path,
    console: Console,
) -> miette::Result<Exit> {
    std::fs::create_dir_all(folder).into_diagnostic().wrap_err_with(|| shown::name(folder).to_string())?;
    let _held = console::hold(folder)?;
    let (mut lines, mut taken, mut exit) = (Vec::new(), BTreeSet::new(), Exit::Success);
    for (client, files, otherwise) in questions {
        let Some(files) = files else {
            lines.push(format!("{client}: {}", otherwise.unwrap_or(UNSEEN)));
            continue;
        };
        match ask(files, Stage::new("cse", Messages::Collected).arg("--to=c")) {
            Ok(text) => {
                let path = folder.join(free_name(client, &mut taken));
                std::fs::write(&path, text).into_diagnostic().wrap_err_with(|| shown::name(&path).to_string())?;
                let otherwise = otherwise.map(|otherwise| format!("; {otherwise}")).unwrap_or_default();
                lines.push(format!("{client}: {}{otherwise}", shown::name(&path)));
            }
            Err(error) => {
                let message = words(&error);
                console.print(format!("error: {}: {}", shown::one_line(client), message.trim()));
                exit = Exit::Usage;
            }
        }
    }
    let text: String = lines.iter().map(|line| format!("{}\n", shown::one_line(line))).collect();
    console::answer(&shown::lines(&text), exit)?;
    Ok(exit)
}

/// The name of a client's file without its folders, with a number where another client has it.
fn free_name(path: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = Path::new(path).file_stem().map_or_else(|| "client".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let names = (1u32..).map(|number| if number == 1 { format!("{stem}.c") } else { format!("{stem}-{number}.c") });
    let name = names.into_iter().find(|name| !taken.contains(name)).unwrap_or(stem);
    taken.insert(name.clone());
    name
}
