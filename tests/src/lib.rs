//! What the end-to-end tests share: where the tasks and the built tools are, how a test says that it was skipped, and how
//! a tool is run.
//!
//! Tests reach the tools as processes, the way a user does. Tasks lie in the folder that `RESIDUE_SHARED` names (default:
//! `../shared` beside the checkout); a test that needs them is skipped with a message where they are missing, and the
//! message is kept in `target/skipped.txt` so that `make test` can tell how many were.

pub mod compiled;
pub mod documents;
pub mod generate;
pub mod oracle;
pub mod programs;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The root of the checkout.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}

/// A folder or file of the tasks, or `None` (recorded as skipped) where the tasks are missing.
#[must_use]
pub fn shared(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("RESIDUE_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let wanted = folder.join(path);
    if wanted.exists() {
        return Some(wanted);
    }
    skip(&format!("tasks are missing: {path} (set RESIDUE_SHARED)"));
    None
}

/// Records that a test was skipped and why.
pub fn skip(reason: &str) {
    let file = target().join("skipped.txt");
    let line = format!("skipped: {reason}\n");
    #[allow(clippy::print_stderr)]
    {
        eprint!("{line}");
    }
    let opened = fs::OpenOptions::new().create(true).append(true).open(file);
    // A message that cannot be kept was at least printed.
    let _ = opened.and_then(|mut f| f.write_all(line.as_bytes()));
}

/// The build folder.
#[must_use]
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

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
