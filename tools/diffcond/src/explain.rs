//! Which difference is behind each indicator: the first one on the way there.
//!
//! There are no chains: nothing is known of data. One operation of look-ahead in each program tells what was inserted or
//! deleted from what was replaced.

use std::collections::BTreeMap;

use formats::DifferenceGraph;
use formats::explanation::{Cause, Explanation, Finding, Place};
use indexmap::IndexMap;
use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, VarKind};
use program::source::Span;
use semantics::compare::{Changes, Comparison, Side, edge_place, function_place};
use semantics::stack::Point;

/// The text of an edge and the function it stands in, where there is an edge.
type Text = Option<(Span, FunctionId)>;

/// Where the comparison ended.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// The edge without an identical one; none if the comparison did not begin.
    pub(crate) edge: Option<EdgeId>,
    /// Where the original was.
    pub(crate) original: Point,
    pub(crate) rule: &'static str,
    pub(crate) detail: String,
}

/// Explains all indicators of a graph.
pub(crate) fn explain(comparison: &Comparison, ends: &[End], graph: &DifferenceGraph) -> Explanation {
    let numbers: BTreeMap<_, _> =
        graph.reasons.iter().map(|r| ((r.edge, r.rule.as_str(), r.detail.as_str()), r.indicator)).collect();
    let mut changes = Changes::new(comparison);
    // One finding per text and rule: both branches of a condition belong together.
    let mut findings: IndexMap<(Text, &str), Finding> = IndexMap::new();
    for end in ends {
        let Some(indicator) = numbers.get(&(end.edge.map(|e| e.0), end.rule, end.detail.as_str())) else { continue };
        let program = comparison.modified;
        let text = end.edge.map(|e| (program.shown_span(e), program.location(program.edge(e).source).function));
        let finding = findings.entry((text, end.rule)).or_insert_with(|| finding(comparison, end));
        finding.indicators.push(*indicator);
        finding.edges.extend(end.edge.map(|e| e.0));
        for change in causes(comparison, end, &mut changes) {
            if finding.causes.iter().all(|cause| cause.change != change) {
                finding.causes.push(Cause { change, chain: Vec::new() });
            }
        }
    }
    for finding in findings.values_mut() {
        finding.indicators.sort_unstable();
        finding.indicators.dedup();
        finding.edges.sort_unstable();
    }
    findings.sort_by(|a, _, b, _| a.cmp(b));
    let findings = findings.into_values().collect();
    Explanation { provenance: graph.provenance.clone(), changes: changes.finish(), findings }
}

fn finding(comparison: &Comparison, end: &End) -> Finding {
    Finding {
        rule: end.rule.to_owned(),
        message: match end.rule {
            "unmatched" => "the original does something else here".to_owned(),
            "new-violation" => "only the modified program violates the property here".to_owned(),
            _ => end.detail.clone(),
        },
        indicators: Vec::new(),
        edges: Vec::new(),
        place: end.edge.map(|edge| edge_place(Side::Modified, comparison.modified, edge)),
        original: original_place(comparison.original, end.original.location),
        causes: Vec::new(),
    }
}

fn original_place(program: &Cfa, location: LocationId) -> Option<Place> {
    match program.out_edges(location) {
        [edge, ..] => Some(edge_place(Side::Original, program, *edge)),
        [] => Some(function_place(Side::Original, program, program.location(location).function)),
    }
}

/// The differences an end is due to.
fn causes(comparison: &Comparison, end: &End, changes: &mut Changes) -> Vec<u32> {
    match (end.rule, end.edge) {
        ("differing-global", _) => differing(comparison, &end.detail, changes),
        ("unmatched" | "new-violation", Some(edge)) => vec![difference(comparison, edge, end.original.location, changes)],
        _ => Vec::new(),
    }
}

/// The globals whose declarations differ and that a detail names.
fn differing(comparison: &Comparison, detail: &str, changes: &mut Changes) -> Vec<u32> {
    let program = comparison.modified;
    let named = |v: &program::cfa::VarId| {
        let variable = program.variable(*v);
        let is_static = matches!(variable.kind, VarKind::Global { .. } | VarKind::StaticLocal);
        is_static && detail.split_once(' ').is_some_and(|(name, _)| name == &*variable.name)
    };
    let mut found: Vec<u32> =
        comparison.initially_different().iter().filter(|v| named(v)).map(|v| changes.initial_value(*v)).collect();
    let retyped = comparison.without_counterpart(Side::Modified).iter().filter(|v| named(v));
    found.extend(retyped.map(|v| changes.retyped(*v)));
    found
}

/// What an operation of the modified program is where the original has something else.
fn difference(comparison: &Comparison, edge: EdgeId, there: LocationId, changes: &mut Changes) -> u32 {
    let (mine, theirs) = (comparison.modified, comparison.original);
    let others = theirs.out_edges(there);
    let behind = mine.out_edges(mine.edge(edge).target);
    if behind.iter().any(|next| others.iter().any(|other| comparison.identical(*next, *other))) {
        return changes.inserted(edge);
    }
    for &other in others {
        let next = theirs.out_edges(theirs.edge(other).target);
        if next.iter().any(|next| comparison.identical(edge, *next)) {
            return changes.deleted(other);
        }
    }
    let alike = others.iter().find(|o| {
        let (a, b) = (&theirs.edge(**o).operation, &mine.edge(edge).operation);
        a.kind() == b.kind() && a.branch() == b.branch()
    });
    match alike.or(others.first()) {
        Some(other) => changes.replaced(edge, *other),
        None => changes.inserted(edge),
    }
}
