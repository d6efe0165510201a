//! What is asked about each client, as C programs for any verifier: one file for each.
//!
//! `cse` writes them. Does not know what is asked.

use std::collections::BTreeSet;
use std::path::Path;

use console::{Budget, Exit};
use formats::shown;
use miette::{Context, IntoDiagnostic};

use super::clients::{ClientsArguments, UNSEEN, Versions, asked};
use crate::run::stage::{Allowance, Messages, Stage};
use crate::run::words::words;

/// Writes a program for each client that the change can be seen in.
///
/// # Errors
/// If the folder or a file in it cannot be written.
pub(super) fn write(arguments: &ClientsArguments, versions: &Versions, folder: &Path, budget: &Budget) -> miette::Result<Exit> {
    std::fs::create_dir_all(folder).into_diagnostic().wrap_err_with(|| shown::name(folder).to_string())?;
    let mut allowance = Allowance { cpu: arguments.shared.budget, memory: budget.memory_limit(), run: budget.clone() };
    let (mut lines, mut taken, mut exit) = (Vec::new(), BTreeSet::new(), Exit::Success);
    for client in &versions.clients {
        let Some(files) = &client.files else {
            lines.push(format!("{}: {UNSEEN}", client.path));
            continue;
        };
        let stage = Stage::new("cse", Messages::Collected).arg("--to=c");
        match asked(arguments, versions, files, (stage, &mut allowance)) {
            Ok(text) => {
                let path = folder.join(free_name(&client.path, &mut taken));
                std::fs::write(&path, text).into_diagnostic().wrap_err_with(|| shown::name(&path).to_string())?;
                lines.push(format!("{}: {}", client.path, shown::name(&path)));
            }
            Err(error) => {
                let message = words(&error);
                arguments.shared.console().print(format!("error: {}: {}", shown::one_line(&client.path), message.trim()));
                exit = Exit::Usage;
            }
        }
    }
    let text: String = lines.iter().map(|line| format!("{}\n", shown::one_line(line))).collect();
    console::answer(&text, exit)?;
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
