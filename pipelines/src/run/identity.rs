//! Which build of a tool runs: a hash of its executable and of the solver it is linked with.
//!
//! Versions name releases; between two of them the same version may give another verdict.
//! Does not know what the tools do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use formats::sha256_hex;
use object::Endianness;
use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, FileHeader64};
use object::read::elf::{Dyn, FileHeader};

/// Libraries that take part in a verdict, by the beginning of their names.
const LIBRARIES: [&str; 1] = ["libz3"];

/// The identities of executables, in their order; `None` if one cannot be told, so that nothing may be concluded from it.
///
/// Files are read at the same time and each only once: the solver is larger than all tools together.
pub(crate) fn of_executables(paths: &[PathBuf]) -> Option<Vec<String>> {
    let executables = at_once(paths, |path| {
        let bytes = std::fs::read(path).ok()?;
        Some((sha256_hex(&bytes), libraries(&bytes, path)?))
    })?;
    let needed: BTreeSet<&PathBuf> = executables.iter().flat_map(|(_, libraries)| libraries).collect();
    let needed: Vec<PathBuf> = needed.into_iter().cloned().collect();
    let hashes = at_once(&needed, |path| Some(sha256_hex(&std::fs::read(path).ok()?)))?;
    let hashes: BTreeMap<&PathBuf, &String> = needed.iter().zip(&hashes).collect();
    let identity = |(own, libraries): &(String, Vec<PathBuf>)| {
        let parts = libraries.iter().filter_map(|library| hashes.get(library).map(|hash| hash.as_str()));
        std::iter::once(own.as_str()).chain(parts).collect::<Vec<_>>().join(" ")
    };
    Some(executables.iter().map(identity).collect())
}

/// What each path gives, each in a thread of its own; `None` if one gives nothing.
fn at_once<T: Send>(paths: &[PathBuf], work: impl Fn(&Path) -> Option<T> + Sync) -> Option<Vec<T>> {
    std::thread::scope(|scope| {
        let started: Vec<_> = paths.iter().map(|path| scope.spawn(|| work(path))).collect();
        started.into_iter().map(|thread| thread.join().ok().flatten()).collect()
    })
}

/// The files of [`LIBRARIES`] that the dynamic linker would load.
fn libraries(bytes: &[u8], path: &Path) -> Option<Vec<PathBuf>> {
    let header = FileHeader64::<Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let sections = header.sections(endian, bytes).ok()?;
    // A program without a dynamic section needs no libraries.
    let Some((entries, link)) = sections.dynamic(endian, bytes).ok()? else { return Some(Vec::new()) };
    let strings = sections.strings(endian, bytes, link).ok()?;
    let (mut needed, mut folders) = (Vec::new(), Vec::new());
    folders.extend(std::env::var_os("LD_LIBRARY_PATH").iter().flat_map(std::env::split_paths));
    let origin = std::fs::canonicalize(path).ok()?.parent()?.to_string_lossy().into_owned();
    for entry in entries {
        let tag = entry.d_tag.get(endian);
        let text = || Some(String::from_utf8_lossy(entry.string(endian, strings).ok()?).into_owned());
        if tag == DT_NEEDED {
            needed.extend(text());
        } else if tag == DT_RUNPATH || tag == DT_RPATH {
            folders.extend(text()?.split(':').map(|folder| PathBuf::from(folder.replace("$ORIGIN", &origin))));
        }
    }
    needed.retain(|name| LIBRARIES.iter().any(|library| name.starts_with(library)));
    needed.iter().map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_is_another_identity() {
        let of_executable = |path: &Path| of_executables(&[path.to_owned()]).map(|identities| identities.concat());
        let own = std::env::current_exe().unwrap();
        let identity = of_executable(&own).unwrap();
        assert_eq!(of_executables(&[own.clone(), own.clone()]), Some(vec![identity.clone(), identity.clone()]));
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        let mut bytes = std::fs::read(&own).unwrap();
        bytes.push(0);
        std::fs::write(&other, bytes).unwrap();
        assert_ne!(of_executable(&other), Some(identity));
        std::fs::write(&other, "#!/bin/sh").unwrap();
        assert_eq!(of_executable(&other), None, "a script may run anything");
    }
}
