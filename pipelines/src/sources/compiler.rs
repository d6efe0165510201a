//! What the installed preprocessor says of itself: which one it is, and where it looks for headers.
//!
//! Does not know what it is used for.

use std::path::PathBuf;

use formats::sha256_hex;
use program::executable::compiler;

/// The preprocessor.
#[derive(Debug)]
pub(super) struct Compiler {
    /// Its version, options and macros.
    pub(super) identity: String,
    /// Where it looks for headers.
    pub(super) folders: Vec<PathBuf>,
}

/// The folders in which the preprocessor looks for headers that no flag leads to.
pub(super) fn searched_anyway() -> Vec<PathBuf> {
    Compiler::ask(None).map(|compiler| compiler.folders).unwrap_or_default()
}

impl Compiler {
    /// Asks the preprocessor, with a flag for another data model if there is one; `None` if it does not tell.
    pub(super) fn ask(flag: Option<&str>) -> Option<Self> {
        let arguments = flag.into_iter().chain(["-E", "-v", "-dM", "-x", "c", "/dev/null"]).map(str::to_owned);
        let command = compiler(&arguments.collect::<Vec<_>>()).ok()?;
        let ran = command.stdin_null().stdout_capture().stderr_capture().run().ok()?;
        let told = String::from_utf8(ran.stderr).ok()?;
        let identity = sha256_hex(&[&ran.stdout, told.as_bytes()].concat());
        let inside = told.lines().skip_while(|line| !line.starts_with("#include")).take_while(|line| !line.starts_with("End of"));
        let folders: Vec<PathBuf> = inside.filter(|line| !line.starts_with('#')).map(|line| line.trim().into()).collect();
        (!folders.is_empty()).then_some(Self { identity, folders })
    }
}
