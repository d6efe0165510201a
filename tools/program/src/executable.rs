//! Other people's programs that we start: the preprocessor, git, an interpreter.
//!
//! They are found by name in the absolute folders of `PATH` only: whoever has written the current folder (a repository, an
//! archive) must not choose what is executed because `PATH` has an entry `.` or an empty one.
//! Does not know what the programs do.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// Where systems without `PATH` have their programs.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// What gcc takes from the environment to run other programs, to write files, or to behave differently.
const OF_THE_COMPILER: [&str; 8] = [
    "GCC_EXEC_PREFIX", "COMPILER_PATH", "LIBRARY_PATH", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "GCC_COMPARE_DEBUG",
    "COLLECT_GCC_OPTIONS", "COLLECT_GCC",
];

/// The absolute folders of a list such as `PATH`.
#[must_use]
pub fn absolute_folders(list: &OsStr) -> OsString {
    let folders = std::env::split_paths(list).filter(|folder| folder.is_absolute());
    // A folder that was split off can be joined again.
    std::env::join_paths(folders).unwrap_or_default()
}

/// The path that programs are looked for in, for us and for what we start.
#[must_use]
pub fn search_path() -> OsString {
    absolute_folders(&std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into()))
}

/// The file of a program.
///
/// # Errors
/// [`io::ErrorKind::NotFound`] if no absolute folder of `PATH` has it.
pub fn find(name: &str) -> io::Result<PathBuf> {
    let is_program = |file: &PathBuf| {
        std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    let found = std::env::split_paths(&search_path()).map(|folder| folder.join(name)).find(is_program);
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no absolute folder of PATH has the program {name}")))
}

/// The compiler driver with its arguments, to preprocess: found by [`find`], without what the environment could make it do.
///
/// # Errors
/// As [`find`].
pub fn compiler(arguments: &[String]) -> io::Result<duct::Expression> {
    let command = duct::cmd(find(COMPILER)?, arguments).env("LC_ALL", "C").env("PATH", search_path());
    Ok(OF_THE_COMPILER.iter().fold(command, |command, name| command.env_remove(name)))
}

/// The compiler driver that preprocesses.
pub const COMPILER: &str = "cc";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_are_searched() {
        assert_eq!(absolute_folders(OsStr::new(":.:/usr/bin::bin:../x:/bin:")), "/usr/bin:/bin");
        assert_eq!(absolute_folders(OsStr::new("")), "");
        assert!(find("cc").is_ok_and(|file| file.is_absolute()));
        assert!(find("no such program").is_err());
    }
}
