//! Git repositories made for tests, and `residue check` in them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{Ran, run};

/// A repository in a temporary folder.
pub(crate) struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    /// An empty repository.
    pub(crate) fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "--quiet", "--initial-branch=main", "."]);
        repository
    }

    /// Its root.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file and the folders it is in.
    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// Runs git, without the settings of the machine; its output.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org"];
        let command = duct::cmd("git", identity.iter().chain(arguments)).dir(self.path());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").read().unwrap()
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// `residue check` with these arguments in the root.
    pub(crate) fn check(&self, arguments: &[&str]) -> Ran {
        run(&[&["check"], arguments].concat(), self.path())
    }
}
