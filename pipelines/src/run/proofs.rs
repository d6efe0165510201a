//! What proofs rested on, from one version to the next: in a file that the user names, or in the cache by program.
//!
//! `verify` gets a file in the folder of the unit, with what is known of the original if anything is, and leaves there what a
//! TRUE of the modified program rests on. Nothing in it is believed, so it does not matter who wrote it.
//! Does not know what is in the file.

use std::path::{Path, PathBuf};

use console::Output;
use formats::proof::Proof;
use formats::shown;
use miette::IntoDiagnostic;

use super::cache::{Cache, Key};

/// The file in the folder of a unit.
pub(crate) const PROOF: &str = "proof.json";

/// Where proofs come from and go.
#[derive(Clone, Copy)]
pub(crate) struct Proofs<'a> {
    /// The file that the user names.
    pub(crate) file: Option<&'a Path>,
    /// The cache, with the key of the unit.
    pub(crate) cache: Option<(&'a Cache, &'a Key)>,
}

impl Proofs<'_> {
    /// Puts what is known of the original into the folder of a unit; what is there of an earlier check is removed. What is
    /// wrong with the file that the user names, if anything is.
    pub(crate) fn lay_out(&self, folder: &Path) -> Option<String> {
        let own = folder.join(PROOF);
        // Without it the check only takes longer.
        let _ = std::fs::remove_file(&own);
        let named = self.file.and_then(|file| Some((file, std::fs::read(file).ok()?)));
        let wrong = named.as_ref().and_then(|(file, bytes)| Proof::read(bytes, &shown::name(file)).err());
        let named = named.filter(|_| wrong.is_none()).map(|(_, bytes)| bytes);
        let cached = || self.cache.and_then(|(cache, key)| cache.proof_of_original(key));
        if let Some(bytes) = named.or_else(|| cached().filter(|bytes| Proof::read(bytes, "").is_ok())) {
            let _ = std::fs::write(own, bytes);
        }
        wrong.map(|error| error.to_string())
    }

    /// Keeps what a TRUE of the modified program rests on.
    ///
    /// # Errors
    /// If it cannot be written; the check itself is not concerned.
    pub(crate) fn keep(&self, folder: &Path) -> miette::Result<()> {
        let Ok(text) = std::fs::read_to_string(folder.join(PROOF)) else { return Ok(()) };
        // What is no proof is nobody's to replace.
        let is_proof = |file: &&Path| std::fs::read(file).is_ok_and(|bytes| Proof::read(&bytes, "").is_ok());
        if let Some(file) = self.file.filter(|file| !file.exists() || is_proof(file)) {
            Output::File(PathBuf::from(file)).write_text(&text)?;
        }
        if let Some((cache, key)) = self.cache {
            cache.keep_proof(key, &text).into_diagnostic()?;
        }
        Ok(())
    }
}
