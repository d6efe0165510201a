//! Difference graphs and conditions as pictures.
//!
//! A small graph is drawn whole, a large one folded: one node per function, one edge where paths cross from one to another.
//! Layers and coordinates come from `rust-sugiyama`. It is asked twice: the first answer tells the layers, the second one
//! has a node on every layer that an edge crosses, so that edges run around nodes.
//! Does not know how a picture is written.

use std::collections::BTreeMap;

use formats::{Condition, DifferenceGraph, EdgeInfo, OperationKind, StateKind};
use rust_sugiyama::configure::Config;
use serde::Serialize;

/// The largest graph that is drawn whole, in nodes.
const WHOLE: usize = 150;
/// Functions drawn of a folded graph; the smallest ones beyond share a node.
const MOST_FUNCTIONS: usize = 60;
/// With more, the layout would take seconds; edges are drawn straight then.
const MOST_WAY_POINTS: usize = 1_500;
/// Characters of a label.
const LABEL: usize = 26;

/// A graph with coordinates, ready to be written as SVG.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Picture {
    /// What it shows.
    pub(crate) title: String,
    /// How much it shows.
    pub(crate) note: String,
    /// One node per function.
    pub(crate) folded: bool,
    /// Extent.
    pub(crate) width: f64,
    /// Extent.
    pub(crate) height: f64,
    /// Nodes.
    pub(crate) nodes: Vec<Node>,
    /// Edges.
    pub(crate) edges: Vec<Edge>,
}

/// A node of a picture.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Node {
    /// Centre.
    pub(crate) x: f64,
    /// Centre.
    pub(crate) y: f64,
    /// Half of the width of its box.
    pub(crate) half: f64,
    /// `open`, `accepting` or `indicator`.
    pub(crate) kind: &'static str,
    /// Where paths begin.
    pub(crate) initial: bool,
    /// Short text.
    pub(crate) label: String,
    /// Long text.
    pub(crate) tip: String,
}

/// An edge of a picture.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Edge {
    /// Path data.
    pub(crate) path: String,
    /// Where the label is.
    pub(crate) x: f64,
    /// Where the label is.
    pub(crate) y: f64,
    /// Which end of the label is there: `start` or `end`.
    pub(crate) anchor: &'static str,
    /// Short text.
    pub(crate) label: String,
    /// Long text.
    pub(crate) tip: String,
}

/// A graph before it is drawn.
#[derive(Default)]
struct Graph {
    /// Kind, function and text of each node.
    nodes: Vec<Raw>,
    edges: Vec<Labelled>,
}

/// An edge with its source, target, short and long text.
type Labelled = (usize, usize, String, String);

#[derive(Clone)]
struct Raw {
    kind: StateKind,
    function: String,
    label: String,
    tip: String,
}

/// The picture of a difference graph.
pub(crate) fn of_difference_graph(graph: &DifferenceGraph) -> Picture {
    let mut kinds = vec![StateKind::Accepting; graph.nodes as usize];
    for edge in &graph.edges {
        set(&mut kinds, edge.from, StateKind::Open);
    }
    for indicator in &graph.indicators {
        set(&mut kinds, *indicator, StateKind::Indicator);
    }
    let mut reasons: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for reason in &graph.reasons {
        let place = reason.edge.and_then(|edge| graph.cfa_edges.get(&edge)).map(|edge| format!(" at `{}`", edge.text));
        let text = format!("{}{}: {}", reason.rule, place.unwrap_or_default(), reason.detail);
        reasons.entry(reason.indicator).or_default().push(text);
    }
    let edges = graph.edges.iter().filter_map(|edge| Some((edge.from, edge.to, graph.cfa_edges.get(&edge.edge)?)));
    picture("Difference graph", &raw(&kinds, edges, &reasons), Wording::DIFFERENCE)
}

/// The picture of a condition.
pub(crate) fn of_condition(condition: &Condition) -> Picture {
    let info = |edge: u32| condition.cfa_edges().get(edge as usize);
    let edges = condition.edges().filter_map(|(from, edge)| Some((from, edge.to, info(edge.edge)?)));
    let stay = |state: u32| condition.stays(state).then(|| (state, vec!["an edge that is not drawn leads back here".to_owned()]));
    let staying = (0..formats::dense(condition.states().len())).filter_map(stay).collect();
    picture("Condition", &raw(condition.states(), edges, &staying), Wording::CONDITION)
}

/// What the kinds of nodes mean.
struct Wording {
    open: &'static str,
    accepting: &'static str,
    indicator: &'static str,
}

impl Wording {
    const DIFFERENCE: Self = Self {
        open: "both programs are aligned",
        accepting: "aligned, and nothing new can happen behind",
        indicator: "alignment ended: everything behind is checked again",
    };
    const CONDITION: Self = Self {
        open: "not decided yet",
        accepting: "accepting: every path that gets here is covered",
        indicator: "every path that gets here is checked again",
    };

    const fn of(&self, kind: StateKind) -> &'static str {
        match kind {
            StateKind::Open => self.open,
            StateKind::Accepting => self.accepting,
            StateKind::Indicator => self.indicator,
        }
    }
}

fn set(kinds: &mut [StateKind], node: u32, kind: StateKind) {
    if let Some(slot) = kinds.get_mut(node as usize) {
        *slot = kind;
    }
}

/// Nodes and edges with their texts.
fn raw<'a>(
    kinds: &[StateKind],
    edges: impl Iterator<Item = (u32, u32, &'a EdgeInfo)>,
    reasons: &BTreeMap<u32, Vec<String>>,
) -> Graph {
    let mut functions: Vec<Option<String>> = vec![None; kinds.len()];
    let mut guesses: Vec<Option<String>> = vec![None; kinds.len()];
    let mut graph = Graph::default();
    for (from, to, info) in edges {
        let (from, to) = (from as usize, to as usize);
        if let Some(slot) = functions.get_mut(from) {
            slot.get_or_insert_with(|| info.key.function.clone());
        }
        // A node without edges of its own is where its way in leads; behind a return only the caller would know.
        if let Some(slot) = guesses.get_mut(to) {
            slot.get_or_insert_with(|| info.enters.clone().unwrap_or_else(|| info.key.function.clone()));
        }
        let text = if info.text.is_empty() { info.key.kind.name().to_owned() } else { info.text.clone() };
        let shown = if info.key.kind == OperationKind::Return && !text.starts_with("return") { "return" } else { &text };
        graph.edges.push((from, to, shorten(shown), format!("{}, line {}: {text}", info.key.function, info.key.line)));
    }
    for (index, kind) in kinds.iter().enumerate() {
        let function = functions.get(index).cloned().flatten().or_else(|| guesses.get(index).cloned().flatten());
        let why = u32::try_from(index).ok().and_then(|node| reasons.get(&node)).map(|texts| texts.join("\n"));
        let tip = why.map_or_else(String::new, |why| format!("\n{why}"));
        graph.nodes.push(Raw { kind: *kind, function: function.unwrap_or_default(), label: index.to_string(), tip });
    }
    graph
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LABEL) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn picture(title: &str, graph: &Graph, wording: Wording) -> Picture {
    let count = graph.nodes.len();
    let described = |graph: &Graph| -> Vec<Raw> {
        let tip = |index: usize, node: &Raw| {
            let place = if node.function.is_empty() { String::new() } else { format!(" in {}", node.function) };
            format!("node {index}{place}: {}{}", wording.of(node.kind), node.tip)
        };
        graph.nodes.iter().enumerate().map(|(index, node)| Raw { tip: tip(index, node), ..node.clone() }).collect()
    };
    if count <= WHOLE {
        let note = format!("{}, {}", counted(count, "node"), counted(graph.edges.len(), "edge"));
        return draw(title, note, Extent { width: 170.0, height: 62.0, half: 11.0 }, described(graph), &graph.edges);
    }
    let (nodes, edges) = fold(graph);
    let note = format!(
        "{count} nodes and {} edges, folded into {} functions; the numbers say how many nodes lie in a function and how many edges cross",
        graph.edges.len(),
        nodes.len()
    );
    Picture { folded: true, ..draw(title, note, Extent { width: 240.0, height: 64.0, half: 108.0 }, nodes, &edges) }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// One node per function, in the order in which functions are first met, and the edges that cross.
fn fold(graph: &Graph) -> (Vec<Raw>, Vec<Labelled>) {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for node in &graph.nodes {
        *sizes.entry(&node.function).or_default() += 1;
    }
    let initial = graph.nodes.first().map_or("", |node| node.function.as_str());
    let mut largest: Vec<(&str, usize)> = sizes.into_iter().collect();
    largest.sort_by_key(|(function, size)| (*function != initial, std::cmp::Reverse(*size), *function));
    largest.truncate(MOST_FUNCTIONS);
    let group = |function: &str| largest.iter().position(|(name, _)| *name == function).unwrap_or(largest.len());
    let groups: Vec<usize> = graph.nodes.iter().map(|node| group(&node.function)).collect();
    let mut counts = vec![[0usize; 3]; largest.len() + 1];
    for (node, group) in graph.nodes.iter().zip(&groups) {
        counts[*group][node.kind as usize] += 1;
    }
    if counts.last() == Some(&[0; 3]) {
        counts.pop();
    }
    let nodes = counts.iter().enumerate().map(|(index, [open, accepting, indicators])| {
        let name = largest.get(index).map_or("other functions", |(name, _)| *name);
        let kind = match (indicators, open) {
            (0, 0) => StateKind::Accepting,
            (0, _) => StateKind::Open,
            (_, _) => StateKind::Indicator,
        };
        let tip = format!("{name}: {open} open nodes, {accepting} accepting ones, {indicators} indicators");
        Raw { kind, function: name.to_owned(), label: format!("{} ({})", shorten(name), open + accepting + indicators), tip }
    });
    let mut crossing: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (from, to, _, _) in &graph.edges {
        let pair = (groups.get(*from).copied(), groups.get(*to).copied());
        if let (Some(from), Some(to)) = pair
            && from != to
        {
            *crossing.entry((from, to)).or_default() += 1;
        }
    }
    let edges = crossing.into_iter().map(|((from, to), count)| (from, to, count.to_string(), counted(count, "edge")));
    (nodes.collect(), edges.collect())
}

/// Room for a node, and half the width of what is drawn of it.
#[derive(Clone, Copy)]
struct Extent {
    width: f64,
    height: f64,
    half: f64,
}

/// Short and long texts of the edges between two nodes.
type Texts<'a> = (Vec<&'a str>, Vec<&'a str>);

fn draw(title: &str, note: String, extent: Extent, raw: Vec<Raw>, labelled: &[Labelled]) -> Picture {
    let mut merged: BTreeMap<(usize, usize), Texts<'_>> = BTreeMap::new();
    for (from, to, label, tip) in labelled {
        let texts = merged.entry((*from, *to)).or_default();
        texts.0.push(label);
        texts.1.push(tip);
    }
    let pairs: Vec<(usize, usize)> = merged.keys().copied().collect();
    let layout = Layout::new(raw.len(), &pairs, extent);
    let nodes = raw.into_iter().enumerate().map(|(index, node)| {
        let (x, y) = layout.points.get(index).copied().unwrap_or_default();
        let kind = match node.kind {
            StateKind::Open => "open",
            StateKind::Accepting => "accepting",
            StateKind::Indicator => "indicator",
        };
        Node { x, y, half: extent.half, kind, initial: index == 0, label: node.label, tip: node.tip }
    });
    let edges = merged.iter().zip(&layout.routes).map(|((_, (labels, tips)), route)| {
        let label = match labels.as_slice() {
            [label] => (*label).to_owned(),
            [label, rest @ ..] => format!("{label} +{}", rest.len()),
            [] => String::new(),
        };
        let (path, (x, y), anchor) = curve(route, extent);
        Edge { path, x, y, anchor, label, tip: tips.join("\n") }
    });
    let edges = edges.collect();
    Picture {
        title: title.to_owned(),
        note,
        folded: false,
        width: layout.width,
        height: layout.height,
        nodes: nodes.collect(),
        edges,
    }
}

/// Coordinates of nodes and way points of edges.
struct Layout {
    points: Vec<(f64, f64)>,
    /// By edge: the points from source to target.
    routes: Vec<Vec<(f64, f64)>>,
    width: f64,
    height: f64,
}

impl Layout {
    fn new(count: usize, edges: &[(usize, usize)], extent: Extent) -> Self {
        let first = place(count, &downwards(count, edges), count, extent);
        let layer = |node: usize| first.get(node).map_or(0.0, |(_, y)| (y / extent.height).round());
        // Way points: one on every layer between source and target.
        let layers_between = |from: usize, to: usize| {
            let distance = if from == to { 0.0 } else { (layer(to) - layer(from)).abs() - 1.0 };
            (0..).take_while(|passed| f64::from(*passed) < distance).count()
        };
        let all: usize = edges.iter().map(|(from, to)| layers_between(*from, *to)).sum();
        let mut total = count;
        let mut links = Vec::new();
        let ways: Vec<Vec<usize>> = edges
            .iter()
            .map(|(from, to)| {
                let between = if all <= MOST_WAY_POINTS { layers_between(*from, *to) } else { 0 };
                let way: Vec<usize> = std::iter::once(*from).chain(total..total + between).chain(std::iter::once(*to)).collect();
                total += between;
                let is_down = layer(*from) <= layer(*to);
                links.extend(way.array_windows().map(|[a, b]| if is_down { (*a, *b) } else { (*b, *a) }));
                way
            })
            .collect();
        links.retain(|(from, to)| from != to);
        let mut points = place(total, &links, count, extent);
        let lowest = |axis: fn(&(f64, f64)) -> f64| points.iter().map(axis).fold(f64::INFINITY, f64::min);
        let (left, top) = (lowest(|point| point.0) - extent.width / 2.0, lowest(|point| point.1) - extent.height);
        points.iter_mut().for_each(|point| *point = (point.0 - left, point.1 - top));
        let highest = |axis: fn(&(f64, f64)) -> f64| points.iter().map(axis).fold(0.0, f64::max);
        let (width, height) = (highest(|point| point.0) + extent.width / 2.0, highest(|point| point.1) + extent.height);
        let route = |way: &Vec<usize>| way.iter().filter_map(|node| points.get(*node).copied()).collect();
        let routes = ways.iter().map(route).collect();
        points.truncate(count);
        Self { points, routes, width, height }
    }
}

/// The edges without loops, turned around where they close a cycle of paths from node 0, which so comes to lie on top.
fn downwards(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges.iter().filter(|(from, to)| from != to) {
        if let Some(list) = next.get_mut(*from) {
            list.push(*to);
        }
    }
    let (mut entered, mut on_path) = (vec![false; count], vec![false; count]);
    let mut found = Vec::new();
    for root in 0..count {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if !std::mem::replace(&mut entered[root], true) {
            on_path[root] = true;
            path.push((root, 0));
        }
        while let Some((node, index)) = path.last_mut() {
            let Some(target) = next[*node].get(*index).copied() else {
                on_path[*node] = false;
                path.pop();
                continue;
            };
            *index += 1;
            found.push(if on_path[target] { (target, *node) } else { (*node, target) });
            if !std::mem::replace(&mut entered[target], true) {
                on_path[target] = true;
                path.push((target, 0));
            }
        }
    }
    found
}

/// Coordinates for `total` nodes, of which those from `real` on are way points; source above target.
fn place(total: usize, edges: &[(usize, usize)], real: usize, extent: Extent) -> Vec<(f64, f64)> {
    let number = |node: usize| u32::try_from(node).unwrap_or(u32::MAX);
    let size =
        |node: usize| if node < real { (extent.width, extent.height * 0.6) } else { (extent.width * 0.25, extent.height * 0.6) };
    let vertices: Vec<(u32, (f64, f64))> = (0..total).map(|node| (number(node), size(node))).collect();
    let mut pairs: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (number(*from), number(*to))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let config = Config { vertex_spacing: extent.height * 0.4, ..Config::default() };
    let mut points = vec![(0.0, 0.0); total];
    let mut shift = 0.0;
    for (part, _, _) in rust_sugiyama::from_vertices_and_edges(&vertices, &pairs, &config) {
        let mut right = shift;
        for (node, (x, y)) in part {
            right = f64::max(right, x + shift + extent.width);
            if let Some(point) = points.get_mut(node) {
                *point = (x + shift, y);
            }
        }
        shift = right;
    }
    points
}

/// A smooth path through the way points, from border to border, and the place of its label.
fn curve(route: &[(f64, f64)], extent: Extent) -> (String, (f64, f64), &'static str) {
    let reach = 13.0;
    if let [(x, y), end] = route
        && (x, y) == (&end.0, &end.1)
    {
        let (near, far) = (x + extent.half, x + extent.half + 34.0);
        let path =
            format!("M{near:.0} {:.0}C{far:.0} {:.0} {far:.0} {:.0} {near:.0} {:.0}", y - 5.0, y - 22.0, y + 22.0, y + 5.0);
        return (path, (far - 4.0, *y), "start");
    }
    let mut points = route.to_vec();
    let down = match (points.first(), points.last()) {
        (Some(first), Some(last)) => {
            if first.1 <= last.1 {
                1.0
            } else {
                -1.0
            }
        }
        _ => return (String::new(), (0.0, 0.0), "start"),
    };
    if let Some(first) = points.first_mut() {
        first.1 += reach * down;
    }
    if let Some(last) = points.last_mut() {
        last.1 -= (reach + 4.0) * down;
    }
    let mut path = points.first().map_or_else(String::new, |(x, y)| format!("M{x:.0} {y:.0}"));
    for [(ax, ay), (bx, by)] in points.array_windows() {
        let bend = (by - ay) / 2.0;
        path.push_str(&format!("C{ax:.0} {:.0} {bx:.0} {:.0} {bx:.0} {by:.0}", ay + bend, by - bend));
    }
    // Beside the first stretch, nearer to its end: there the ways of several edges have parted.
    let label = match points.as_slice() {
        [a, b, ..] => (a.0 + (b.0 - a.0) * 0.85, a.1 + (b.1 - a.1) * 0.6),
        [..] => (0.0, 0.0),
    };
    // The way back of a straight edge lies on it: its label is on the other side.
    let to_left = matches!(points.as_slice(), [a, b, ..] if b.0 < a.0 - 1.0 || (b.0 <= a.0 + 1.0 && down < 0.0));
    let (shift, anchor) = if to_left { (-5.0, "end") } else { (5.0, "start") };
    (path, (label.0 + shift, label.1 + 3.0), anchor)
}
