//! What the end-to-end tests share: where the tasks and the built tools are, how a test says that it was skipped, and how
//! a tool is run.
//!
//! Tests reach the tools as processes, the way a user does. Where something is missing that a test needs, it passes the
//! gate (`gate`): the reason is kept in `target/skipped.txt`, so that `make test` can tell how many were skipped.

pub mod compiled;
pub mod documents;
pub mod generate;
pub mod interpreted;
pub mod libraries;
pub mod mutants;
pub mod naming;
pub mod oracle;
pub mod programs;
pub mod proofs;
pub mod respell;
pub mod schemas;
pub mod tasks;
pub mod traps;
pub mod verifier;

use std::path::{Path, PathBuf};

pub use gate::{has, root, shared, skip, target};

/// The release binary of a tool; `make test` builds it before the tests run.
#[must_use]
pub fn tool(name: &str) -> PathBuf {
    target().join("release").join(name)
}

/// What a tool did.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Exit code; 128 + n after signal n.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Ran {
    /// The last line of standard output: a verdict, for tools that print one.
    #[must_use]
    pub fn last_line(&self) -> &str {
        self.stdout.trim_end().lines().last().unwrap_or("")
    }
}

/// Runs a tool with arguments in a folder.
///
/// # Errors
/// If the tool cannot be started, most likely because it was not built.
pub fn run<I, S>(name: &str, arguments: I, folder: &Path) -> std::io::Result<Ran>
where
    I: IntoIterator<Item = S>,
    S: Into<std::ffi::OsString>,
{
    let output = duct::cmd(tool(name), arguments).dir(folder).stdin_null().stdout_capture().stderr_capture().unchecked().run()?;
    let code = {
        use std::os::unix::process::ExitStatusExt;
        output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0))
    };
    Ok(Ran {
        code,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}
