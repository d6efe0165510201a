//! Tables of earlier runs: what they leave open, and what helps to find letters again.
//!
//! Nothing is believed: inputs are run on the versions, and facts are proposals. A table that says what is not so costs time.

use console::Input;
use formats::invariant_table::{InvariantTable, VersionFile};
use formats::verdict::InputValue;

use crate::InvdiffError;
use crate::arguments::Arguments;
use crate::expression::Text;
use crate::points::Point;
use crate::prepare::Fact;

/// Runs of earlier tables that are tried on each version, and facts of theirs for each point.
const MOST_INPUTS: usize = 400;
const MOST_FACTS: usize = 24;

/// The family of facts of earlier tables.
pub(crate) const EARLIER: &str = "earlier";

/// What earlier tables say.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// The table that says what is open.
    pub(crate) open: Option<InvariantTable>,
    /// Inputs of runs, each once.
    pub(crate) inputs: Vec<Vec<InputValue>>,
    /// Facts that hold somewhere, with the names of their points.
    proposals: Vec<(String, String)>,
}

impl Earlier {
    /// Reads the tables that are named.
    pub(crate) fn read(arguments: &Arguments, files: &[VersionFile]) -> miette::Result<Self> {
        let mut earlier = Self::default();
        if let Some(path) = &arguments.open {
            let file = path.display().to_string();
            let table = InvariantTable::read(&Input::read(path)?.bytes, &file)?;
            same_versions(&file, &table.versions, files)?;
            earlier.open = Some(table);
        }
        for path in &arguments.reuse {
            let table = InvariantTable::read(&Input::read(path)?.bytes, &path.display().to_string())?;
            for one in &table.instances {
                let fact = (table.points[one.point].name.clone(), one.expression.clone());
                if one.status.contains('H') && !earlier.proposals.contains(&fact) {
                    earlier.proposals.push(fact);
                }
                for inputs in one.evidence.iter().filter_map(|evidence| evidence.inputs.as_ref()) {
                    if earlier.inputs.len() < MOST_INPUTS && !earlier.inputs.contains(inputs) {
                        earlier.inputs.push(inputs.clone());
                    }
                }
            }
        }
        Ok(earlier)
    }

    /// The facts that are open in some version, with the names of their points.
    pub(crate) fn left(&self) -> Vec<(String, String)> {
        let Some(table) = &self.open else { return Vec::new() };
        let open = table.instances.iter().filter(|one| one.status.contains('?'));
        open.map(|one| (table.points[one.point].name.clone(), one.expression.clone())).collect()
    }

    /// What may help at points.
    pub(crate) fn facts(&self, points: &[Point]) -> Vec<Fact> {
        let mut found = Vec::new();
        for (point, one) in points.iter().enumerate() {
            let of_point = self.proposals.iter().filter(|(name, _)| *name == one.name);
            let texts = of_point.filter_map(|(_, text)| Text::parse(text).ok()).take(MOST_FACTS);
            found.extend(texts.map(|text| Fact { point, text, family: EARLIER }));
        }
        found
    }
}

/// Whether a table is of these versions.
fn same_versions(file: &str, known: &[VersionFile], files: &[VersionFile]) -> Result<(), InvdiffError> {
    let other = |why: String| InvdiffError::OtherVersions { file: file.to_owned(), why };
    if known.len() != files.len() {
        return Err(other(format!("{} of them, not {}", known.len(), files.len())));
    }
    for (number, (known, own)) in known.iter().zip(files).enumerate() {
        let hash = |one: &VersionFile| one.program.as_ref().map_or_else(String::new, |program| program.sha256.clone());
        if hash(known) != hash(own) {
            return Err(other(format!("version {} has the SHA-256 {}, not {}", number + 1, hash(known), hash(own))));
        }
    }
    Ok(())
}
