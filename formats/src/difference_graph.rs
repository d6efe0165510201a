//! Difference graphs: along which paths of the modified program a violation could be new.
//!
//! Nodes are numbered densely in breadth-first order from the initial node 0. An edge carries the number of an edge
//! of the modified program's automaton. From an indicator on, everything has to be checked; a node without edges that
//! is no indicator is a leaf behind which nothing new can happen.
//! Invariant: no edge leaves an indicator, and no node has two edges with the same CFA edge.
//! Does not know how a graph is computed (`diffcond`, `diffdp`) or used (`condgen`).

use crate::artifact::{Inconsistency, read_json};
use crate::{ArtifactError, CallerOptions, DataModel, EdgeInfo, Producer, ProgramFile, ProgramOptions, Property, Provenance};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::io;

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "difference-graph";
/// The newest format version.
pub const VERSION: u64 = 1;

/// A difference graph (N, E, n0, R) over the edges of the modified program; n0 is node 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceGraph {
    /// Where the graph comes from.
    pub provenance: Provenance,
    /// Number of nodes.
    pub nodes: u32,
    /// The indicators, ascending.
    pub indicators: Vec<u32>,
    /// The edges, ascending by source and CFA edge.
    pub edges: Vec<GraphEdge>,
    /// The edges of the modified program that `edges` and `reasons` name.
    pub cfa_edges: BTreeMap<u32, EdgeInfo>,
    /// Why each indicator is one, ascending by indicator.
    pub reasons: Vec<IndicatorReason>,
}

/// An edge of a difference graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Source node.
    pub from: u32,
    /// Target node.
    pub to: u32,
    /// Number of the modified program's CFA edge.
    pub edge: u32,
}

/// Why a node is an indicator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IndicatorReason {
    /// The indicator.
    pub indicator: u32,
    /// The CFA edge of the modified program at which alignment failed; `None` if no edge is to blame.
    pub edge: Option<u32>,
    /// Short name of the rule that failed.
    pub rule: String,
    /// What happened, for people.
    pub detail: String,
}

impl DifferenceGraph {
    /// Reads a difference graph; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no consistent difference graph of a known version.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let wire: WireGraph = read_json(bytes, file, FORMAT, VERSION)?;
        let graph = from_wire(wire).map_err(|error| error.in_file(file, FORMAT))?;
        graph.check().map_err(|error| error.in_file(file, FORMAT))?;
        Ok(graph)
    }

    /// Writes the graph as one line of JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        let provenance = &self.provenance;
        let wire = WireGraphRef {
            format: FORMAT,
            version: VERSION,
            producer: &provenance.producer,
            original: &provenance.original,
            modified: &provenance.modified,
            data_model: provenance.options.data_model,
            entry: &provenance.options.entry,
            property: provenance.options.specification(),
            preprocessor: &provenance.options.preprocessor,
            caller: &provenance.options.caller,
            degraded: provenance.degraded.as_deref(),
            initial: 0,
            nodes: self.nodes,
            indicators: &self.indicators,
            reasons: &self.reasons,
            edges: &self.edges,
            cfa_edges: &self.cfa_edges,
        };
        serde_json::to_writer(&mut out, &wire)?;
        out.write_all(b"\n")
    }

    /// Checks the invariants of the type.
    ///
    /// # Errors
    /// [`Inconsistency`] names the first part that breaks one.
    pub fn check(&self) -> Result<(), Inconsistency> {
        if self.nodes == 0 {
            return Err(Inconsistency::new("nodes", "there is no initial node"));
        }
        // Memory is taken for every node, so that a number alone must not be able to claim it.
        let named = 1 + self.indicators.len() + 2 * self.edges.len();
        if self.nodes as usize > named {
            return Err(Inconsistency::new("nodes", format!("{} are claimed, at most {named} are named", self.nodes)));
        }
        let node = |place: String, node: u32| {
            if node < self.nodes { Ok(()) } else { Err(Inconsistency::new(place, format!("node {node} does not exist"))) }
        };
        let mut is_indicator = vec![false; self.nodes as usize];
        for (index, &indicator) in self.indicators.iter().enumerate() {
            node(format!("indicators[{index}]"), indicator)?;
            if let Some(flag) = is_indicator.get_mut(indicator as usize) {
                *flag = true;
            }
        }
        let mut seen = FxHashSet::default();
        for (index, edge) in self.edges.iter().enumerate() {
            let place = || format!("edges[{index}]");
            node(place(), edge.from)?;
            node(place(), edge.to)?;
            if !self.cfa_edges.contains_key(&edge.edge) {
                return Err(Inconsistency::new(place(), format!("CFA edge {} is not listed", edge.edge)));
            }
            if is_indicator.get(edge.from as usize) == Some(&true) {
                return Err(Inconsistency::new(place(), format!("an edge leaves indicator {}", edge.from)));
            }
            if !seen.insert((edge.from, edge.edge)) {
                let message = format!("node {} has two edges with CFA edge {}", edge.from, edge.edge);
                return Err(Inconsistency::new(place(), message));
            }
        }
        self.check_reasons(&is_indicator)?;
        let mut keys = FxHashSet::default();
        match self.cfa_edges.iter().find(|(_, info)| !keys.insert(&info.key)) {
            Some((number, info)) => {
                Err(Inconsistency::new(format!("cfa_edges[{number}]"), format!("another CFA edge has the same key {}", info.key)))
            }
            None => Ok(()),
        }
    }

    fn check_reasons(&self, is_indicator: &[bool]) -> Result<(), Inconsistency> {
        for (index, reason) in self.reasons.iter().enumerate() {
            let place = || format!("reasons[{index}]");
            if is_indicator.get(reason.indicator as usize) != Some(&true) {
                return Err(Inconsistency::new(place(), format!("node {} is no indicator", reason.indicator)));
            }
            if let Some(edge) = reason.edge.filter(|edge| !self.cfa_edges.contains_key(edge)) {
                return Err(Inconsistency::new(place(), format!("CFA edge {edge} is not listed")));
            }
        }
        Ok(())
    }
}

/// Collects a difference graph under any node numbers and renumbers it when it is complete.
#[derive(Clone, Debug, Default)]
pub struct DifferenceGraphBuilder {
    edges: Vec<GraphEdge>,
    indicators: BTreeMap<u32, Vec<(Option<u32>, String, String)>>,
}

impl DifferenceGraphBuilder {
    /// An empty graph.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an edge that carries CFA edge `edge` of the modified program.
    pub fn add_edge(&mut self, from: u32, edge: u32, to: u32) {
        self.edges.push(GraphEdge { from, to, edge });
    }

    /// Makes `node` an indicator because `rule` failed at CFA edge `edge`; edges that leave it are ignored.
    ///
    /// A node may become an indicator for several reasons; equal ones count once.
    pub fn add_indicator(&mut self, node: u32, edge: Option<u32>, rule: impl Into<String>, detail: impl Into<String>) {
        self.indicators.entry(node).or_default().push((edge, rule.into(), detail.into()));
    }

    /// Whether `node` was made an indicator.
    #[must_use]
    pub fn is_indicator(&self, node: u32) -> bool {
        self.indicators.contains_key(&node)
    }

    /// Numbers the nodes in breadth-first order from `initial` and drops what cannot be reached.
    ///
    /// `describe` tells what to print of a CFA edge. Time O(E log E).
    #[must_use]
    pub fn finish(mut self, provenance: Provenance, initial: u32, mut describe: impl FnMut(u32) -> EdgeInfo) -> DifferenceGraph {
        self.edges.retain(|edge| !self.indicators.contains_key(&edge.from));
        self.edges.sort_unstable_by_key(|edge| (edge.from, edge.edge, edge.to));
        self.edges.dedup();
        let numbers = breadth_first(&self.edges, initial);
        let mut edges: Vec<GraphEdge> = self
            .edges
            .iter()
            .filter_map(|edge| Some(GraphEdge { from: *numbers.get(&edge.from)?, to: *numbers.get(&edge.to)?, edge: edge.edge }))
            .collect();
        edges.sort_unstable_by_key(|edge| (edge.from, edge.edge, edge.to));
        let mut reasons = Vec::new();
        let mut indicators = Vec::new();
        for (node, why) in &self.indicators {
            let Some(&indicator) = numbers.get(node) else { continue };
            indicators.push(indicator);
            let named = |(edge, rule, detail): &(Option<u32>, String, String)| IndicatorReason {
                indicator,
                edge: *edge,
                rule: rule.clone(),
                detail: detail.clone(),
            };
            reasons.extend(why.iter().map(named));
        }
        indicators.sort_unstable();
        reasons.sort_unstable();
        reasons.dedup();
        let named = edges.iter().map(|edge| edge.edge).chain(reasons.iter().filter_map(|reason| reason.edge));
        let mut cfa_edges = BTreeMap::new();
        for number in named {
            cfa_edges.entry(number).or_insert_with(|| describe(number));
        }
        DifferenceGraph {
            provenance,
            nodes: u32::try_from(numbers.len()).unwrap_or(u32::MAX),
            indicators,
            edges,
            cfa_edges,
            reasons,
        }
    }
}

/// New numbers of the nodes that can be reached from `initial` over `edges` sorted by source.
fn breadth_first(edges: &[GraphEdge], initial: u32) -> rustc_hash::FxHashMap<u32, u32> {
    let mut numbers = rustc_hash::FxHashMap::default();
    numbers.insert(initial, 0);
    let mut queue = VecDeque::from([initial]);
    while let Some(node) = queue.pop_front() {
        let start = edges.partition_point(|edge| edge.from < node);
        for edge in edges.iter().skip(start).take_while(|edge| edge.from == node) {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            numbers.entry(edge.to).or_insert_with(|| {
                queue.push_back(edge.to);
                next
            });
        }
    }
    numbers
}

/// The graph as it is written.
#[derive(Serialize)]
struct WireGraphRef<'a> {
    format: &'a str,
    version: u64,
    producer: &'a Producer,
    original: &'a ProgramFile,
    modified: &'a ProgramFile,
    data_model: DataModel,
    entry: &'a str,
    property: String,
    preprocessor: &'a [String],
    #[serde(skip_serializing_if = "CallerOptions::is_default")]
    caller: &'a CallerOptions,
    degraded: Option<&'a [String]>,
    initial: u32,
    nodes: u32,
    indicators: &'a [u32],
    reasons: &'a [IndicatorReason],
    edges: &'a [GraphEdge],
    cfa_edges: &'a BTreeMap<u32, EdgeInfo>,
}

/// The graph as it is read; unknown fields are ignored.
#[derive(Deserialize)]
struct WireGraph {
    producer: Producer,
    original: ProgramFile,
    modified: ProgramFile,
    data_model: DataModel,
    entry: String,
    property: String,
    preprocessor: Vec<String>,
    #[serde(default)]
    caller: CallerOptions,
    degraded: Option<Vec<String>>,
    initial: u32,
    nodes: u32,
    indicators: Vec<u32>,
    #[serde(default)]
    reasons: Vec<IndicatorReason>,
    edges: Vec<GraphEdge>,
    cfa_edges: BTreeMap<u32, EdgeInfo>,
}

fn from_wire(wire: WireGraph) -> Result<DifferenceGraph, Inconsistency> {
    let (property, entry) =
        Property::parse_specification(&wire.property).map_err(|error| Inconsistency::new("property", error.to_string()))?;
    if entry != wire.entry {
        let message = format!("the property starts at `{entry}`, the program at `{}`", wire.entry);
        return Err(Inconsistency::new("property", message));
    }
    if wire.initial != 0 {
        return Err(Inconsistency::new("initial", "the initial node is not 0"));
    }
    let options =
        ProgramOptions { data_model: wire.data_model, entry, property, preprocessor: wire.preprocessor, caller: wire.caller };
    let mut graph = DifferenceGraph {
        provenance: Provenance {
            producer: wire.producer,
            original: wire.original,
            modified: wire.modified,
            options,
            degraded: wire.degraded,
        },
        nodes: wire.nodes,
        indicators: wire.indicators,
        edges: wire.edges,
        cfa_edges: wire.cfa_edges,
        reasons: wire.reasons,
    };
    graph.indicators.sort_unstable();
    graph.indicators.dedup();
    graph.edges.sort_unstable_by_key(|edge| (edge.from, edge.edge, edge.to));
    graph.reasons.sort_unstable();
    Ok(graph)
}

#[cfg(test)]
pub(crate) mod tests;
