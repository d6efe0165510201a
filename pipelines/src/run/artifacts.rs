//! The files a unit leaves in its folder: their names, and which of them are there.
//!
//! Does not know what is in them.

use std::path::Path;

use formats::shown;
use miette::{Context, IntoDiagnostic};

use super::outcome::Artifacts;

/// Names of the artifacts in the folder of a unit.
pub(crate) const GRAPH: &str = "difference-graph.json";
pub(crate) const EXPLANATION: &str = "explanation.json";
pub(crate) const CERTIFICATE: &str = "certificate.json";
pub(super) const CONDITION: &str = "condition.graphml";
pub(super) const RESIDUAL: &str = "residual.c";
pub(super) const RESIDUAL_MAP: &str = "residual-map.json";
pub(super) const WITNESS: &str = "witness.graphml";
pub(super) const HARNESS: &str = "harness.c";
pub(super) const REPORT: &str = "verdict.json";
/// The folder of a verifier that is not ours.
const FOREIGN: &str = "verifier";
/// What the verifier said about the change before the whole modified program was verified.
pub(super) const CHANGE_REPORT: &str = "change-verdict.json";

/// All of them.
const ARTIFACTS: [&str; 10] =
    [GRAPH, EXPLANATION, CERTIFICATE, CONDITION, RESIDUAL, RESIDUAL_MAP, WITNESS, HARNESS, REPORT, CHANGE_REPORT];

/// Whether a unit has an artifact of this name.
pub(crate) fn is_artifact(name: &str) -> bool {
    ARTIFACTS.contains(&name)
}

/// The folder of the verifier that is the `number`th of those that are not ours, from 0.
pub(super) fn foreign(number: usize) -> String {
    if number == 0 { FOREIGN.to_owned() } else { format!("{FOREIGN}-{}", number + 1) }
}

/// Removes what an earlier check left, which would be taken for artifacts of this one.
pub(crate) fn clear(folder: &Path) -> miette::Result<()> {
    for name in ARTIFACTS {
        let path = folder.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).into_diagnostic().wrap_err_with(|| format!("cannot remove {}", shown::name(&path)));
            }
            Ok(()) | Err(_) => {}
        }
    }
    for number in 0.. {
        let other = folder.join(foreign(number));
        if !other.is_dir() {
            break;
        }
        std::fs::remove_dir_all(&other).into_diagnostic().wrap_err_with(|| format!("cannot remove {}", shown::name(&other)))?;
    }
    Ok(())
}

/// The artifacts that are there.
pub(super) fn found(folder: &Path) -> Artifacts {
    let found = |name: &str| folder.join(name).is_file().then(|| name.to_owned());
    Artifacts {
        difference_graph: found(GRAPH),
        explanation: found(EXPLANATION),
        certificate: found(CERTIFICATE),
        condition: found(CONDITION),
        residual_program: found(RESIDUAL),
        residual_map: found(RESIDUAL_MAP),
        witness: found(WITNESS),
        harness: found(HARNESS),
        verification: found(REPORT),
        change_verification: found(CHANGE_REPORT),
    }
}
