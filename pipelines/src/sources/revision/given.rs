//! Arguments of the command line with a folder or file: where each revision has its own.
//!
//! Does not know what the arguments of a build lead to.

use std::path::{Path, PathBuf};

use super::Reader;
use crate::sources::command_flags::{Place, Translate, with_paths_led};
use crate::sources::git::Repository;

/// Leads paths of the user into a checkout.
struct OfUser<'r, 'a>(&'r Reader<'a>);

impl Translate for OfUser<'_, '_> {
    fn translate(&self, path: &Path) -> PathBuf {
        let Self(reader) = self;
        match inside(reader.repository, path) {
            Some(inside) => reader.in_checkout(&reader.repository.top.join(inside), &reader.repository.top),
            None => path.to_owned(),
        }
    }
}

impl Reader<'_> {
    /// The arguments of the command line, whose paths are relative to where the user is, led into the checkout.
    pub(super) fn given(&self) -> Vec<String> {
        let place = Place { directory: &self.repository.here, file: Path::new(""), translate: &OfUser(self) };
        with_paths_led(&self.options.preprocessor, &place)
    }
}

/// A path of the user below the root of the repository. What is a link may lead elsewhere in each revision: as it is written, if
/// that is in the repository.
pub(crate) fn inside(repository: &Repository, path: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(path).ok();
    let places = [Some(path), real.as_deref()];
    places.into_iter().flatten().find_map(|path| path.strip_prefix(&repository.top).ok()).map(Path::to_owned)
}
