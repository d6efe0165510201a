//! Writes the man pages and shell completions of all tools, from the definitions their command lines are parsed with.
//!
//! `make install` runs it; the folder it fills has the layout of `share`, so that it is copied as it is.
//! Does not know what the tools do.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Command, CommandFactory, Parser};
use clap_complete::{Generator, Shell};

/// Where each shell looks for completions, below `share`.
const SHELLS: &[(Shell, &str)] = &[
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Zsh, "zsh/site-functions"),
    (Shell::Fish, "fish/vendor_completions.d"),
];

/// Writes man pages and shell completions of all tools
#[derive(Debug, Parser)]
#[command(name = "manual", version)]
struct Arguments {
    /// The folder to fill
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    let folder = Arguments::parse().folder;
    match commands().into_iter().try_for_each(|command| describe(command, &folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a program of the build that has no console")]
            {
                eprintln!("{}: {error}", folder.display());
            }
            ExitCode::from(2)
        }
    }
}

fn commands() -> Vec<Command> {
    vec![
        diffcond::Options::command(),
        diffdp::Options::command(),
        condgen::Options::command(),
        reduce::Options::command(),
        verify::Arguments::command(),
        propdiff::Arguments::command(),
        invdiff::Arguments::command(),
        cse::Arguments::command(),
        circuit::Arguments::command(),
        pipelines::Arguments::command(),
    ]
}

fn describe(mut command: Command, folder: &Path) -> io::Result<()> {
    let name = command.get_name().to_owned();
    let pages = folder.join("man/man1");
    std::fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(command.clone(), &pages)?;
    for (shell, place) in SHELLS {
        let place = folder.join(place);
        std::fs::create_dir_all(&place)?;
        // Bash loads the completions of a command from the file that is named like it.
        let file = if *shell == Shell::Bash { name.clone() } else { shell.file_name(&name) };
        let mut text = Vec::new();
        clap_complete::generate(*shell, &mut command, &name, &mut text);
        std::fs::write(place.join(file), text)?;
    }
    Ok(())
}
