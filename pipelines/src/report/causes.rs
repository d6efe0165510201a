//! Why paths had to be checked again: from the reasons of the difference graph, with the changes behind them where an
//! explanation is there.
//!
//! Does not know which lines are marked because of it.

use std::collections::BTreeMap;

use formats::explanation::{self, Explanation, Finding, Link, ProgramSide};
use formats::report::{Cause, CauseChange, ChainLink, ChainPlace, Place};
use formats::{DifferenceGraph, EdgeInfo, IndicatorReason};
use program::cfa::Cfa;

use super::places::{Places, Row};

/// The causes of a unit.
pub(crate) struct Causes {
    /// Each once, however many contexts it fails in.
    pub(crate) causes: Vec<Cause>,
    /// Indices into `causes` by line of the modified texts shown.
    pub(crate) by_row: BTreeMap<Row, Vec<usize>>,
}

impl Causes {
    /// The causes that graph and explanation name.
    pub(crate) fn new(
        cfa: &Cfa,
        places: &Places<'_>,
        graph: Option<&DifferenceGraph>,
        explanation: Option<&Explanation>,
    ) -> Self {
        let mut found = Self { causes: Vec::new(), by_row: BTreeMap::new() };
        let Some(graph) = graph else { return found };
        for reason in &graph.reasons {
            let edge = reason.edge.and_then(|edge| graph.cfa_edges.get(&edge));
            let offset = edge.and_then(|edge| u32::try_from(edge.start_offset).ok());
            let offset = offset.filter(|offset| (*offset as usize) < cfa.source.text().len());
            let changes = explanation.map(|explanation| changes(explanation, reason, places)).unwrap_or_default();
            let cause = Cause {
                place: edge.zip(offset).map(|(edge, offset)| place(places, edge, offset)),
                text: edge.map_or_else(String::new, |edge| edge.text.clone()),
                rule: reason.rule.clone(),
                detail: reason.detail.clone(),
                changes,
            };
            // The same statement fails alike in several contexts.
            if found.causes.contains(&cause) {
                continue;
            }
            if let Some(row) = offset.and_then(|offset| places.row(offset)) {
                found.by_row.entry(row).or_default().push(found.causes.len());
            }
            found.causes.push(cause);
        }
        found
    }
}

fn place(places: &Places<'_>, edge: &EdgeInfo, offset: u32) -> Place {
    let (file, line, column) = places.file_line(offset);
    Place { file, line, column, function: edge.key.function.clone() }
}

/// The changes behind the indicator of a reason.
fn changes(explanation: &Explanation, reason: &IndicatorReason, places: &Places<'_>) -> Vec<CauseChange> {
    let about = |finding: &&Finding| {
        finding.rule == reason.rule
            && finding.indicators.contains(&reason.indicator)
            && reason.edge.is_none_or(|edge| finding.edges.contains(&edge))
    };
    let Some(finding) = explanation.findings.iter().find(about) else { return Vec::new() };
    let change = |cause: &explanation::Cause| {
        let change = explanation.changes.get(cause.change as usize)?;
        let at = change.modified.as_ref().or(change.original.as_ref())?;
        Some(CauseChange {
            kind: change.kind.name().to_owned(),
            at: chain_place(places, at),
            links: cause.chain.iter().map(|link| chain_link(places, link)).collect(),
        })
    };
    finding.causes.iter().filter_map(change).collect()
}

fn chain_link(places: &Places<'_>, link: &Link) -> ChainLink {
    let name = |object: &Option<explanation::Object>| object.as_ref().map(|object| object.name.clone());
    ChainLink {
        kind: link.kind.name().to_owned(),
        object: name(&link.object),
        from: name(&link.from),
        at: chain_place(places, &link.place),
    }
}

fn chain_place(places: &Places<'_>, place: &explanation::Place) -> ChainPlace {
    let (original, (file, line)) = match place.program {
        ProgramSide::Original => (true, (place.file.clone(), place.line)),
        ProgramSide::Modified => {
            let (file, line, _) = places.file_line(place.start_offset);
            (false, (file, line))
        }
    };
    ChainPlace { original, file, line, text: place.text.clone() }
}
