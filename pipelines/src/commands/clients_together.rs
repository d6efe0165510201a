//! All clients of a library in one run of `cse`, which reads the library once and shares what holds of it whoever calls it.
//!
//! What it leaves out (a client that cannot be read, or the rest where it ended early) is asked about alone, as one client is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use formats::equivalence::EquivalenceResult;
use serde_json::{Deserializer, Value};

use super::clients::{ClientsArguments, Versions, asked};
use crate::run::stage::{Allowance, Messages, Stage};

/// Clients of one run: their names have to fit on a command line.
const MOST: usize = 200;

/// What became of clients, by number.
pub(super) fn results(
    arguments: &ClientsArguments,
    versions: &Versions,
    allowance: &mut Allowance,
) -> BTreeMap<usize, EquivalenceResult> {
    let numbered = versions.clients.iter().enumerate();
    let seen: Vec<(usize, &[PathBuf; 2])> =
        numbered.filter_map(|(number, client)| Some((number, client.files.as_ref()?))).collect();
    let mut found = BTreeMap::new();
    for several in seen.chunks(MOST).filter(|several| several.len() > 1) {
        let files: Vec<&[PathBuf; 2]> = several.iter().map(|(_, files)| *files).collect();
        let stage = Stage::new("cse", Messages::Collected).arg("--json");
        // Why it failed is told by the clients that are asked about alone.
        let Ok(text) = asked(arguments, versions, &files, (stage, allowance)) else { continue };
        let objects = Deserializer::from_str(&text).into_iter::<Value>().map_while(Result::ok);
        for ((number, _), object) in several.iter().zip(objects) {
            let result = EquivalenceResult::read(object.to_string().as_bytes(), "cse").ok();
            found.extend(result.map(|result| (*number, result)));
        }
    }
    found
}
