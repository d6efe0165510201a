//! The elements of a witness in GraphML, with their keys resolved, and what is wrong with each of them.
//!
//! A key is resolved by its identifier, then by its `attr.name`: tools agree on neither.
//! Does not know what the elements mean together; see [`super::rules`].

use super::{Finding, Severity};
use crate::ArtifactError;
use crate::witness::FORMAT;
use roxmltree::{Document, Error, Node, ParsingOptions};
use std::collections::BTreeMap;

/// The namespace of GraphML.
const NAMESPACE: &str = "http://graphml.graphdrawing.org/xmlns";
/// The namespace of the attributes that name a schema.
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// More elements than this are no witness any more.
const LARGEST: u32 = 20_000_000;

/// More attributes than any element of a witness has; comparing each with all others would take too long.
const MOST_ATTRIBUTES: usize = 100;
/// What begins with `<` and is no element, and how it ends.
const NO_ELEMENTS: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// What carries data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The graph.
    Graph,
    /// A node.
    Node,
    /// An edge.
    Edge,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Node => "node",
            Self::Edge => "edge",
        }
    }
}

/// The published keys, and what carries them.
const KEYS: &[(&str, Part)] = &[
    ("witness-format-version", Part::Graph),
    ("witness-type", Part::Graph),
    ("sourcecodelang", Part::Graph),
    ("producer", Part::Graph),
    ("specification", Part::Graph),
    ("programfile", Part::Graph),
    ("programhash", Part::Graph),
    ("architecture", Part::Graph),
    ("creationtime", Part::Graph),
    ("entry", Part::Node),
    ("sink", Part::Node),
    ("violation", Part::Node),
    ("invariant", Part::Node),
    ("invariant.scope", Part::Node),
    ("cyclehead", Part::Node),
    ("assumption", Part::Edge),
    ("assumption.scope", Part::Edge),
    ("assumption.resultfunction", Part::Edge),
    ("control", Part::Edge),
    ("startline", Part::Edge),
    ("endline", Part::Edge),
    ("startoffset", Part::Edge),
    ("endoffset", Part::Edge),
    ("enterLoopHead", Part::Edge),
    ("enterFunction", Part::Edge),
    ("returnFromFunction", Part::Edge),
    ("threadId", Part::Edge),
    ("createThread", Part::Edge),
];

/// Other names of published keys.
const ALIASES: &[(&str, &str)] = &[
    ("returnFrom", "returnFromFunction"),
    ("isEntryNode", "entry"),
    ("isSinkNode", "sink"),
    ("isViolationNode", "violation"),
    ("sourcecodeLanguage", "sourcecodelang"),
    ("programFile", "programfile"),
    ("programHash", "programhash"),
    ("creationTime", "creationtime"),
    ("originFileName", "originfile"),
];

/// A data element.
#[derive(Clone, Debug)]
pub(super) struct Data {
    /// The resolved key.
    pub(super) key: String,
    /// Its text without blanks at the ends.
    pub(super) value: String,
    /// Where it stands.
    pub(super) offset: usize,
}

/// The data of one element, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct DataSet(pub(super) Vec<Data>);

impl DataSet {
    /// The value of a key; the first one if there are several.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|data| data.key == key).map(|data| data.value.as_str())
    }
}

/// A node.
#[derive(Clone, Debug)]
pub(super) struct AutomatonNode {
    pub(super) id: String,
    pub(super) data: DataSet,
    pub(super) offset: usize,
}

/// An edge.
#[derive(Clone, Debug)]
pub(super) struct AutomatonEdge {
    pub(super) source: String,
    pub(super) target: String,
    pub(super) data: DataSet,
    pub(super) offset: usize,
}

/// A witness as its file has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Automaton {
    pub(super) graph: DataSet,
    /// Where the graph begins.
    pub(super) offset: usize,
    pub(super) nodes: Vec<AutomatonNode>,
    pub(super) edges: Vec<AutomatonEdge>,
    /// Declared keys by identifier: resolved name and what carries them.
    declared: BTreeMap<String, (String, String)>,
    pub(super) findings: Vec<(usize, Finding)>,
}

impl Automaton {
    /// Reads the elements.
    ///
    /// # Errors
    /// [`ArtifactError`] if the text is no GraphML.
    pub(super) fn parse(text: &str, file: &str) -> Result<Self, ArtifactError> {
        if let Some(offset) = wide_element(text) {
            let (line, message) = (Lines::new(text).line(offset) as usize, "an element with too many attributes".to_owned());
            return Err(ArtifactError::Malformed {
                file: file.to_owned(),
                expected: FORMAT.to_owned(),
                line,
                column: 1,
                message,
            });
        }
        let options = ParsingOptions { allow_dtd: false, nodes_limit: LARGEST, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| xml_error(&error, text, file))?;
        let root = document.root_element();
        if root.tag_name().name() != "graphml" {
            let found = "an XML file that is no GraphML".to_owned();
            return Err(ArtifactError::OtherFormat { file: file.to_owned(), expected: FORMAT.to_owned(), found });
        }
        let mut automaton = Self::default();
        automaton.root(root);
        automaton.place_findings(text);
        Ok(automaton)
    }

    /// Notes what is wrong at an offset.
    pub(super) fn note(&mut self, severity: Severity, offset: usize, message: impl Into<String>) {
        self.findings.push((offset, Finding { line: 0, severity, message: message.into() }));
    }

    /// Turns the offsets of findings into lines and sorts them.
    pub(super) fn place_findings(&mut self, text: &str) {
        self.findings.sort_by_key(|(offset, _)| *offset);
        let mut lines = Lines::new(text);
        for (offset, finding) in &mut self.findings {
            finding.line = lines.line(*offset);
        }
    }

    fn deviation(&mut self, node: Node<'_, '_>, message: impl Into<String>) {
        self.note(Severity::Deviation, node.range().start, message);
    }

    fn fault(&mut self, node: Node<'_, '_>, message: impl Into<String>) {
        self.note(Severity::Fault, node.range().start, message);
    }

    fn root(&mut self, root: Node<'_, '_>) {
        if root.tag_name().namespace() != Some(NAMESPACE) {
            self.deviation(root, format!("the default namespace is not {NAMESPACE}"));
        }
        if root.lookup_namespace_uri(Some("xsi")) != Some(XSI) {
            self.deviation(root, format!("the prefix `xsi` does not name {XSI}"));
        }
        for attribute in root.attributes().filter(|attribute| attribute.name() != "schemaLocation") {
            self.deviation(root, format!("unexpected attribute `{}` of graphml", attribute.name()));
        }
        for key in children(root).filter(|child| child.tag_name().name() == "key") {
            self.key(key);
        }
        let mut graphs = 0;
        for child in children(root) {
            match child.tag_name().name() {
                "key" => {}
                "graph" => {
                    graphs += 1;
                    if graphs == 1 {
                        self.graph_element(child);
                    } else {
                        self.fault(child, "there is more than one graph");
                    }
                }
                other => self.deviation(child, format!("unexpected element `{other}` in graphml")),
            }
        }
        if graphs == 0 {
            self.fault(root, "there is no graph");
        }
    }

    fn key(&mut self, key: Node<'_, '_>) {
        for child in children(key) {
            let name = child.tag_name().name();
            if name != "default" {
                self.deviation(key, format!("unexpected element `{name}` in a key"));
            }
        }
        let (Some(id), Some(domain)) = (key.attribute("id"), key.attribute("for")) else {
            self.deviation(key, "a key without `id` or `for`");
            return;
        };
        let name = resolve(id).or_else(|| key.attribute("attr.name").and_then(resolve)).unwrap_or_else(|| id.to_owned());
        let default = children(key).find(|child| child.tag_name().name() == "default").map(text_of_element);
        let is_flag = ["entry", "sink", "violation", "enterLoopHead"].contains(&name.as_str());
        if is_flag && default.is_some_and(|value| value != "false") {
            self.fault(key, format!("the default of `{id}` is not false"));
        }
        if let Some(part) = published(&name).filter(|part| part.name() != domain) {
            self.deviation(key, format!("key `{id}` belongs to the {}, not to the {domain}", part.name()));
        }
        if self.declared.insert(id.to_owned(), (name, domain.to_owned())).is_some() {
            self.deviation(key, format!("key `{id}` is declared twice"));
        }
    }

    fn graph_element(&mut self, graph: Node<'_, '_>) {
        self.offset = graph.range().start;
        if graph.attribute("edgedefault") != Some("directed") {
            self.deviation(graph, "`edgedefault` is not directed");
        }
        for child in children(graph) {
            match child.tag_name().name() {
                "data" => {
                    let data = self.data(child, Part::Graph);
                    self.graph.0.extend(data);
                }
                "node" => self.node(child),
                "edge" => self.edge(child),
                other => self.deviation(child, format!("unexpected element `{other}` in the graph")),
            }
        }
    }

    fn node(&mut self, node: Node<'_, '_>) {
        let data = self.data_set(node, Part::Node);
        match node.attribute("id") {
            Some(id) => self.nodes.push(AutomatonNode { id: id.to_owned(), data, offset: node.range().start }),
            None => self.fault(node, "a node without `id`"),
        }
        if let Some(other) = node.attributes().find(|attribute| attribute.name() != "id") {
            self.deviation(node, format!("unexpected attribute `{}` of a node", other.name()));
        }
    }

    fn edge(&mut self, edge: Node<'_, '_>) {
        let data = self.data_set(edge, Part::Edge);
        let (source, target) = (edge.attribute("source"), edge.attribute("target"));
        for (end, name) in [(source, "source"), (target, "target")] {
            if end.is_none() {
                self.fault(edge, format!("an edge without `{name}`"));
            }
        }
        if let (Some(source), Some(target)) = (source, target) {
            self.edges.push(AutomatonEdge {
                source: source.to_owned(),
                target: target.to_owned(),
                data,
                offset: edge.range().start,
            });
        }
    }

    fn data_set(&mut self, element: Node<'_, '_>, part: Part) -> DataSet {
        let mut set = DataSet::default();
        for child in children(element) {
            match child.tag_name().name() {
                "data" => set.0.extend(self.data(child, part)),
                other => self.deviation(child, format!("unexpected element `{other}` in a {}", part.name())),
            }
        }
        set
    }

    fn data(&mut self, data: Node<'_, '_>, part: Part) -> Option<Data> {
        let Some(id) = data.attribute("key") else {
            self.fault(data, "a data element without `key`");
            return None;
        };
        if data.attributes().len() > 1 || data.has_children() && data.children().any(|child| child.is_element()) {
            self.deviation(data, format!("data element `{id}` has other attributes or elements"));
        }
        let value = text_of_element(data);
        if data.text().is_none() {
            self.deviation(data, format!("data element `{id}` is empty"));
        }
        let known = resolve(id);
        let declared = self.declared.get(id).cloned();
        match (&known, &declared) {
            (_, None) => self.deviation(data, format!("key `{id}` is used, but not declared")),
            (None, Some((_, domain))) if domain != part.name() => {
                self.deviation(data, format!("key `{id}` is declared for the {domain}, but used in a {}", part.name()));
            }
            (_, Some(_)) => {}
        }
        let key = known.or_else(|| declared.map(|(name, _)| name)).unwrap_or_else(|| id.to_owned());
        if published(&key).is_some_and(|owner| owner != part) {
            self.deviation(data, format!("key `{id}` does not belong to a {}", part.name()));
            return None;
        }
        Some(Data { key, value, offset: data.range().start })
    }
}

/// Counts the lines of a text up to offsets that do not decrease.
pub(super) struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// The line of an offset.
    pub(super) fn line(&mut self, offset: usize) -> u32 {
        let between = self.text.as_bytes().get(self.at..offset).unwrap_or_default();
        let breaks = between.iter().filter(|&&byte| byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.at = self.at.max(offset);
        self.line
    }
}

/// The key that a name stands for, if it is one that tools agree on.
fn resolve(name: &str) -> Option<String> {
    match ALIASES.iter().find(|(alias, _)| *alias == name) {
        Some((_, key)) => Some((*key).to_owned()),
        None => published(name).map(|_| name.to_owned()),
    }
}

fn published(name: &str) -> Option<Part> {
    KEYS.iter().find(|(key, _)| *key == name).map(|(_, part)| *part)
}

fn children<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn text_of_element(node: Node<'_, '_>) -> String {
    let text: String = node.children().filter_map(|child| child.text()).collect();
    text.trim().to_owned()
}

/// Where an element with too many attributes begins.
fn wide_element(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(begin) = text.get(at..)?.find('<').map(|found| at + found) {
        let rest = text.get(begin..)?;
        if let Some((_, end)) = NO_ELEMENTS.iter().find(|(start, _)| rest.starts_with(start)) {
            at = begin + rest.find(end)? + end.len();
            continue;
        }
        let (mut count, mut quote, mut length) = (0, None, rest.len());
        for (offset, byte) in rest.bytes().enumerate() {
            match (quote, byte) {
                (None, b'>') => {
                    length = offset + 1;
                    break;
                }
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => count += 1,
                (Some(open), byte) if open == byte => quote = None,
                (None | Some(_), _) => {}
            }
            if count > MOST_ATTRIBUTES {
                return Some(begin);
            }
        }
        at = begin + length;
    }
    None
}

fn xml_error(error: &Error, text: &str, file: &str) -> ArtifactError {
    let (file, expected) = (file.to_owned(), FORMAT.to_owned());
    let place = error.pos();
    let (line, column) = (place.row as usize, place.col as usize);
    if matches!(error, Error::UnclosedRootNode | Error::UnexpectedEndOfStream) {
        let line = text.lines().count();
        let column = text.lines().last().map_or(1, |last| last.len() + 1);
        return ArtifactError::Truncated { file, expected, line, column };
    }
    let message = error.to_string();
    let message = message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message).to_owned();
    ArtifactError::Malformed { file, expected, line, column, message }
}

#[cfg(test)]
mod tests {
    use super::wide_element;

    #[test]
    fn elements_have_few_attributes() {
        let many: String = (0..200_000).map(|n| format!(" a{n}=\"\"")).collect();
        assert_eq!(wide_element(&format!("<a b='='>x = y <c{many}/></a>")), Some(15));
        assert_eq!(wide_element("<a b=\"=====\" c='\"=\"'/>"), None);
        assert_eq!(wide_element(&format!("<?x don't?><!-- don't --><c{many}/>")), Some(25));
        assert_eq!(wide_element(&format!("<a><!-- {many} --></a><![CDATA[<x {many}>]]>")), None);
        assert_eq!(wide_element("<a b='"), None);
    }
}
