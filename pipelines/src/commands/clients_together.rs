//! All clients of a library in one run of `cse`, which reads the library once and shares what holds of it whoever calls it.
//!
//! What it leaves out (a client that cannot be read, or the rest where it ended early) is asked about alone, as one client is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use formats::equivalence::EquivalenceResult;
use serde_json::{Deserializer, Value};

use crate::run::stage::{Messages, Stage};

/// Clients of one run: their names have to fit on a command line.
const MOST: usize = 200;

/// What became of clients, by number; of each the files beside both versions of the library, if the change can be seen there.
/// What `cse` prints of some clients is asked for by `ask`.
pub(super) fn results<'a>(
    clients: impl Iterator<Item = Option<&'a [PathBuf; 2]>>,
    mut ask: impl FnMut(&[&[PathBuf; 2]], Stage) -> miette::Result<String>,
) -> BTreeMap<usize, EquivalenceResult> {
    let seen: Vec<(usize, &[PathBuf; 2])> = clients.enumerate().filter_map(|(number, files)| Some((number, files?))).collect();
    let mut found = BTreeMap::new();
    for several in seen.chunks(MOST).filter(|several| several.len() > 1) {
        let files: Vec<&[PathBuf; 2]> = several.iter().map(|(_, files)| *files).collect();
        // Why it failed is told by the clients that are asked about alone.
        let Ok(text) = ask(&files, Stage::new("cse", Messages::Collected).arg("--json")) else { continue };
        let objects = Deserializer::from_str(&text).into_iter::<Value>().map_while(Result::ok);
        for ((number, _), object) in several.iter().zip(objects) {
            let result = EquivalenceResult::read(object.to_string().as_bytes(), "cse").ok();
            found.extend(result.map(|result| (*number, result)));
        }
    }
    found
}
