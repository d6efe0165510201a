//! What `residue invariants` prints: a letter for each version, then what changed, commit by commit, as a diff.

use formats::invariant_table::Blame;
use formats::shown::one_line;

use super::invariants_listing::{Change, Told, VersionTold, on_one_line};

/// Inputs of a run that are shown.
const MOST_INPUTS: usize = 6;

/// The rows and changes of a file.
pub(super) fn text(told: &Told) -> String {
    let mut out = format!("{}\n", one_line(&told.path));
    for (number, version) in told.versions.iter().enumerate() {
        let gap = version.unreadable.as_ref().map_or_else(String::new, |why| {
            // What a preprocessor shows of the text is left out.
            format!(" (not read: {})", why.lines().take(2).collect::<Vec<_>>().join(" "))
        });
        out += &format!("{}\n", one_line(&format!("{:>3} {}{gap}", number + 1, called(version))));
    }
    let mut known = None;
    for row in &told.rows {
        if known != Some(&row.point) {
            known = Some(&row.point);
            out += &format!("\n{}\n", one_line(&format!("at {}", row.point)));
        }
        let mut names: Vec<&String> = row.names.values().collect();
        names.dedup();
        let names: String = names.iter().map(|name| format!("; also {name}")).collect();
        out += &format!("{}\n", one_line(&format!("  {}  {}{names}", row.letters, row.expression)));
    }
    out + &changes(told)
}

fn called(version: &VersionTold) -> String {
    match &version.subject {
        Some(subject) => format!("{} {subject}", version.name),
        None => version.name.clone(),
    }
}

fn changes(told: &Told) -> String {
    let mut out = String::new();
    let mut all: Vec<&Change> = told.changes.iter().collect();
    // What nobody knows comes last.
    all.sort_by_key(|change| (change.to, change.sign() == '?'));
    let mut known = None;
    for change in all {
        if known != Some(change.to) {
            known = Some(change.to);
            out += &format!("\n{}\n", one_line(&called(&told.versions[change.to])));
        }
        let row = &told.rows[change.row];
        if let Some(before) = &change.before {
            out += &format!("{}\n", one_line(&format!("- {before} at {}", row.point)));
        }
        let line = format!("{} {} at {}: {}{}", change.sign(), row.expression, row.point, change.kind.name(), with(change));
        out += &format!("{}\n", one_line(&line));
        out += &change.blame.as_ref().map(Blame::text).unwrap_or_default();
        if let Some(after) = &change.after {
            out += &format!("{}\n", one_line(&format!("+ {after} at {}", row.point)));
        }
    }
    out
}

fn with(change: &Change) -> String {
    match change.inputs.as_deref() {
        None => String::new(),
        Some([]) => "; fails without inputs".to_owned(),
        Some(inputs) => format!("; fails with {}", on_one_line(inputs, MOST_INPUTS)),
    }
}
