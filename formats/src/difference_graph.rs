//! Difference graphs: along which paths of the modified program a violation could be new.
//!
//! Nodes are numbered densely in breadth-first order from the initial node 0. An edge carries the number of an edge
//! of the modified program's automaton. From an indicator on, everything has to be checked; a node without edges that
//! is no indicator is a leaf behind which nothing new can happen.
//! Invariant: no edge leaves an indicator, and no node has two edges with the same CFA edge.
//! Does not know how a graph is computed (`diffcond`, `diffdp`) or used (`condgen`).

mod interned;

use crate::artifact::{Inconsistency, preamble, read_body};
use crate::{
    ArtifactError, CallerOptions, DataModel, EdgeInfo, Library, Producer, ProgramFile, ProgramOptions, Property, Provenance,
};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::io;

use self::interned::Interned;

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "difference-graph";
/// The newest format version.
pub const VERSION: u64 = 2;

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
        let (text, version) = preamble(bytes, file, FORMAT, VERSION)?;
        let graph = if version == 1 {
            let wire: WireGraph<Vec<GraphEdge>, BTreeMap<u32, EdgeInfo>> = read_body(text, file, FORMAT)?;
            from_wire(wire, |edges, cfa_edges, _, _| Ok((edges, cfa_edges)))
        } else {
            let wire: WireGraph<Vec<i64>, Vec<u32>> = read_body(text, file, FORMAT)?;
            let size = bytes.len();
            from_wire(wire, |edges, cfa_edges, strings, rows| {
                interned::expand(&Interned { edges, strings, rows, cfa_edges }, size)
            })
        };
        let graph = graph.map_err(|error| error.in_file(file, FORMAT))?;
        graph.check().map_err(|error| error.in_file(file, FORMAT))?;
        Ok(graph)
    }

    /// Writes the graph as one line of JSON, of the newest version.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, out: impl io::Write) -> io::Result<()> {
        match interned::intern(&self.edges, &self.cfa_edges) {
            Some(Interned { edges, strings, rows, cfa_edges }) => {
                self.write_parts(out, VERSION, (&edges, &cfa_edges), (Some(&strings), Some(&rows)))
            }
            None => self.write_version_1(out),
        }
    }

    /// Writes the graph as version 1: everything by its name, wherever it occurs.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_version_1(&self, out: impl io::Write) -> io::Result<()> {
        self.write_parts(out, 1, (&self.edges, &self.cfa_edges), (None, None))
    }

    fn write_parts<E: Serialize, C: Serialize>(
        &self,
        mut out: impl io::Write,
        version: u64,
        (edges, cfa_edges): (&E, &C),
        (strings, rows): (Option<&Vec<String>>, Option<&Vec<interned::Numbers>>),
    ) -> io::Result<()> {
        let provenance = &self.provenance;
        let wire = WireGraphRef {
            format: FORMAT,
            version,
            producer: &provenance.producer,
            original: &provenance.original,
            modified: &provenance.modified,
            data_model: provenance.options.data_model,
            entry: &provenance.options.entry,
            property: provenance.options.specification(),
            preprocessor: &provenance.options.preprocessor,
            caller: &provenance.options.caller,
            library: &provenance.options.library,
            degraded: provenance.degraded.as_deref(),
            initial: 0,
            nodes: self.nodes,
            indicators: &self.indicators,
            reasons: &self.reasons,
            edges,
            strings,
            rows,
            cfa_edges,
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
struct WireGraphRef<'a, E, C> {
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
    #[serde(skip_serializing_if = "is_own")]
    library: &'a Library,
    degraded: Option<&'a [String]>,
    initial: u32,
    nodes: u32,
    indicators: &'a [u32],
    reasons: &'a [IndicatorReason],
    edges: &'a E,
    #[serde(skip_serializing_if = "Option::is_none")]
    strings: Option<&'a Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<&'a Vec<interned::Numbers>>,
    cfa_edges: &'a C,
}

/// As serde asks.
fn is_own(library: &&Library) -> bool {
    library.is_own()
}

/// The graph as it is read; unknown fields are ignored.
#[derive(Deserialize)]
struct WireGraph<E, C> {
    producer: Producer,
    original: ProgramFile,
    modified: ProgramFile,
    data_model: DataModel,
    entry: String,
    property: String,
    preprocessor: Vec<String>,
    #[serde(default)]
    caller: CallerOptions,
    #[serde(default)]
    library: Library,
    degraded: Option<Vec<String>>,
    initial: u32,
    nodes: u32,
    indicators: Vec<u32>,
    #[serde(default)]
    reasons: Vec<IndicatorReason>,
    edges: E,
    #[serde(default)]
    strings: Vec<String>,
    #[serde(default)]
    rows: Vec<interned::Numbers>,
    cfa_edges: C,
}

/// The edges of a graph, and those of the program that they name.
type Parts = (Vec<GraphEdge>, BTreeMap<u32, EdgeInfo>);

fn from_wire<E, C>(
    wire: WireGraph<E, C>,
    parts: impl FnOnce(E, C, Vec<String>, Vec<interned::Numbers>) -> Result<Parts, Inconsistency>,
) -> Result<DifferenceGraph, Inconsistency> {
    let (property, entry) =
        Property::parse_specification(&wire.property).map_err(|error| Inconsistency::new("property", error.to_string()))?;
    if entry != wire.entry {
        let message = format!("the property starts at `{entry}`, the program at `{}`", wire.entry);
        return Err(Inconsistency::new("property", message));
    }
    if wire.initial != 0 {
        return Err(Inconsistency::new("initial", "the initial node is not 0"));
    }
    let options = ProgramOptions {
        data_model: wire.data_model,
        entry,
        property,
        preprocessor: wire.preprocessor,
        caller: wire.caller,
        library: wire.library,
    };
    let (edges, cfa_edges) = parts(wire.edges, wire.cfa_edges, wire.strings, wire.rows)?;
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
        edges,
        cfa_edges,
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
