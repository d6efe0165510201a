//! `residue check` as users run it: the executables are those of this build.

#![allow(clippy::unwrap_used, clippy::panic, reason = "everything here is a test")]

mod documents;
mod endings;
mod entries;
mod given;
mod ignored;
mod left_alone;
mod linked;
mod properties;
mod reach;
mod repository;
mod revisions;
mod runs;
mod scope;
mod seen;
mod texts;
mod unseen;

use std::path::{Path, PathBuf};

/// What the driver did.
#[derive(Clone, Debug)]
struct Ran {
    /// Exit code; 128 + n after signal n.
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    /// The verdict, unless `--json` was asked for.
    fn last_line(&self) -> &str {
        self.stdout.trim_end().lines().last().unwrap_or("")
    }
}

/// The driver; the tools are beside it.
fn residue() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_residue"))
}

/// Runs the driver in a folder.
fn run(arguments: &[&str], folder: &Path) -> Ran {
    finish(&duct::cmd(residue(), arguments).dir(folder))
}

fn finish(command: &duct::Expression) -> Ran {
    use std::os::unix::process::ExitStatusExt;
    let output = command.stdin_null().stdout_capture().stderr_capture().unchecked().run().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
    Ran { code, stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
