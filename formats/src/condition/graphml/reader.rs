//! The reader of conditions in GraphML.

use super::CONDITION_TYPE;
use crate::artifact::{Inconsistency, check_version, kind_of, text_of};
use crate::condition::{Condition, FORMAT, StateKind, VERSION};
use crate::{
    ArtifactError, DataModel, EdgeInfo, EdgeKey, OperationKind, Producer, ProgramFile, ProgramOptions, Property, Provenance,
};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Error, Reader, XmlVersion};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Data elements of one graph, node or edge, by resolved key.
type Data = BTreeMap<String, String>;

/// Reads a condition; `file` is its name in messages.
pub(in crate::condition) fn read(bytes: &[u8], file: &str) -> Result<Condition, ArtifactError> {
    let text = text_of(bytes, file, FORMAT)?;
    let start = text.trim_start();
    if !start.starts_with('<') {
        let found = kind_of(text).to_owned();
        return Err(ArtifactError::OtherFormat { file: file.to_owned(), expected: FORMAT.to_owned(), found });
    }
    let mut document = Document { file, text, ..Document::default() };
    document.parse()?;
    let header = document.check_header()?;
    document.condition(header).map_err(|error| error.in_file(file, FORMAT))
}

/// What was read so far.
#[derive(Default)]
struct Document<'a> {
    file: &'a str,
    text: &'a str,
    /// `attr.name` by identifier of declared keys.
    keys: FxHashMap<String, String>,
    is_graphml: bool,
    graph: Data,
    nodes: Vec<(String, Data)>,
    /// Source, target, and index into `contents`.
    edges: Vec<(String, String, usize)>,
    /// What stands inside the edges; an automaton names few CFA edges many times, in the same words.
    contents: Vec<Data>,
    /// Index into `contents` by text.
    known: FxHashMap<&'a str, usize>,
    /// The text inside the edge that is open, and where it ends.
    content: Option<(&'a str, usize)>,
    /// Elements that are open at the moment.
    open: Vec<Element>,
    /// Key of the data element that is open.
    key: Option<String>,
    value: String,
}

/// The elements a condition consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Graph,
    Node,
    Edge,
    Data,
    Other,
}

impl<'a> Document<'a> {
    fn parse(&mut self) -> Result<(), ArtifactError> {
        let mut reader = Reader::from_str(self.text);
        reader.config_mut().expand_empty_elements = true;
        loop {
            let event = reader.read_event().map_err(|error| self.xml_error(&error, reader.error_position()))?;
            let position = reader.buffer_position();
            match event {
                Event::Start(start)
                    if self.is_known_edge(&start, position).map_err(|message| self.malformed(message, position))? =>
                {
                    reader.read_to_end(start.name()).map_err(|error| self.xml_error(&error, position))?;
                }
                Event::Start(start) => self.start(&start).map_err(|message| self.malformed(message, position))?,
                Event::End(_) => self.end(position),
                Event::Text(text) if self.key.is_some() => self.value.push_str(&text.xml_content(XmlVersion::default())),
                Event::CData(text) if self.key.is_some() => self.value.push_str(&text.xml_content(XmlVersion::default())),
                Event::GeneralRef(reference) if self.key.is_some() => {
                    let name = reference.xml_content(XmlVersion::default());
                    let resolved = quick_xml::escape::unescape(&format!("&{name};")).map(|text| text.into_owned());
                    self.value.push_str(&resolved.map_err(|error| self.malformed(error.to_string(), position))?);
                }
                Event::Eof if self.open.is_empty() => break,
                Event::Eof => return Err(self.truncated()),
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {}
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        if self.is_graphml {
            return Ok(());
        }
        Err(self.other_format("an XML file that is no GraphML"))
    }

    /// Takes an edge whose content was met before, word by word; any other is left to [`Self::start`].
    fn is_known_edge(&mut self, start: &BytesStart<'_>, position: u64) -> Result<bool, String> {
        if start.local_name().as_ref() != "edge" {
            return Ok(false);
        }
        // Else the text behind each of many edges that never end would be searched for the end.
        if self.open.contains(&Element::Edge) {
            return Err("an edge inside an edge".to_owned());
        }
        self.content = None;
        let begin = usize::try_from(position).unwrap_or(usize::MAX);
        let text: &'a str = self.text;
        let (Some(before), Some(rest)) = (text.get(..begin), text.get(begin..)) else { return Ok(false) };
        let Some(length) = rest.find(EDGE_END).filter(|_| !before.ends_with("/>")) else { return Ok(false) };
        let content = &rest[..length];
        self.content = Some((content, begin + length + EDGE_END.len()));
        let Some(&index) = self.known.get(content) else { return Ok(false) };
        self.edges.push((attribute(start, "source")?, attribute(start, "target")?, index));
        Ok(true)
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), String> {
        if self.open.len() >= DEEPEST {
            return Err("the elements are nested too deeply".to_owned());
        }
        let element = match start.local_name().as_ref() {
            "graphml" => {
                self.is_graphml = true;
                Element::Other
            }
            "key" => {
                let id = attribute(start, "id")?;
                let name = attribute(start, "attr.name").unwrap_or_else(|_| id.clone());
                self.keys.insert(id, name);
                Element::Other
            }
            "graph" => Element::Graph,
            "node" => {
                self.nodes.push((attribute(start, "id")?, Data::new()));
                Element::Node
            }
            "edge" => {
                self.edges.push((attribute(start, "source")?, attribute(start, "target")?, self.contents.len()));
                self.contents.push(Data::new());
                Element::Edge
            }
            "data" => {
                let id = attribute(start, "key")?;
                self.key = Some(if is_known(&id) { id } else { self.keys.get(&id).cloned().unwrap_or(id) });
                self.value.clear();
                Element::Data
            }
            _ => Element::Other,
        };
        self.open.push(element);
        Ok(())
    }

    fn end(&mut self, position: u64) {
        match self.open.pop() {
            Some(Element::Data) => {}
            Some(Element::Edge) => {
                // Remembered only if the text up to the first end tag was the whole content.
                if let Some((content, _)) = self.content.take().filter(|&(_, end)| end as u64 == position) {
                    self.known.insert(content, self.contents.len() - 1);
                }
                return;
            }
            Some(Element::Graph | Element::Node | Element::Other) | None => return,
        }
        let Some(key) = self.key.take() else { return };
        let data = match self.open.last() {
            Some(Element::Graph) => Some(&mut self.graph),
            Some(Element::Node) => self.nodes.last_mut().map(|(_, data)| data),
            Some(Element::Edge) => self.contents.last_mut(),
            Some(Element::Data | Element::Other) | None => None,
        };
        if let Some(data) = data.filter(|_| is_known(&key)) {
            // The name of a file may end with a blank; one that is indented on a line of its own is not meant so.
            let is_name = matches!(key.as_str(), "programfile" | "originalfile") && !self.value.contains('\n');
            let value = if is_name { self.value.as_str() } else { self.value.trim() };
            data.insert(key, value.to_owned());
        }
    }

    /// Checks that this is a condition of a known version, and reads what it says about itself.
    fn check_header(&self) -> Result<(Producer, Provenance), ArtifactError> {
        match self.graph.get("condition-type").map(String::as_str) {
            Some(CONDITION_TYPE) => {}
            Some(other) => return Err(self.other_format(&format!("a condition of type `{other}`"))),
            None => {
                let found =
                    self.graph.get("witness-type").map_or("a GraphML file that is no condition", |kind| match kind.as_str() {
                        "correctness_witness" => "a correctness witness",
                        _ => "a violation witness",
                    });
                return Err(self.other_format(found));
            }
        }
        check_version(self.version(), self.file, FORMAT, VERSION)?;
        self.header().map_err(|error| error.in_file(self.file, FORMAT))
    }

    fn header(&self) -> Result<(Producer, Provenance), Inconsistency> {
        let get = |key: &str| required(&self.graph, key).map_err(|message| Inconsistency::new("graph", message));
        let (property, entry) = Property::parse_specification(get("specification")?)
            .map_err(|error| Inconsistency::new("specification", error.to_string()))?;
        if entry != get("entry-function")? {
            return Err(Inconsistency::new("specification", format!("it starts at `{entry}`, unlike entry-function")));
        }
        let data_model = DataModel::from_architecture(get("architecture")?)
            .ok_or_else(|| Inconsistency::new("architecture", "neither 32bit nor 64bit"))?;
        let options = ProgramOptions {
            data_model,
            entry,
            property,
            preprocessor: self.graph_json("preprocessor")?.unwrap_or_default(),
            caller: self.graph_json("caller")?.unwrap_or_default(),
            library: self.graph_json("library")?.unwrap_or_default(),
        };
        let mut detector = producer(get("detector")?);
        detector.options = self.graph_json("detector-options")?.unwrap_or_default();
        let mut writer = producer(get("producer")?);
        writer.options = self.graph_json("producer-options")?.unwrap_or_default();
        let file = |path: &str, hash: &str, cfa: &str, files: &str| {
            let program = ProgramFile {
                path: get(path)?.to_owned(),
                sha256: get(hash)?.to_owned(),
                cfa: get(cfa)?.to_owned(),
                files: self.graph_json(files)?.unwrap_or_default(),
            };
            program.check_files().map_err(|message| Inconsistency::new(files, message))?;
            Ok::<_, Inconsistency>(program)
        };
        let provenance = Provenance {
            producer: detector,
            original: file("originalfile", "originalhash", "original-cfa-fingerprint", "originalfiles")?,
            modified: file("programfile", "programhash", "cfa-fingerprint", "programfiles")?,
            options,
            degraded: self.graph_json("degraded")?,
        };
        Ok((writer, provenance))
    }

    fn graph_json<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Inconsistency> {
        let parse = |text: &String| serde_json::from_str(text).map_err(|error| Inconsistency::new(key, error.to_string()));
        self.graph.get(key).map(parse).transpose()
    }

    fn condition(&self, (producer, provenance): (Producer, Provenance)) -> Result<Condition, Inconsistency> {
        let (numbers, mut states) = self.states()?;
        let mut edges = Vec::with_capacity(self.edges.len());
        let mut staying: Vec<(u32, usize)> = Vec::new();
        let mut infos: BTreeMap<EdgeKey, (u32, EdgeInfo)> = BTreeMap::new();
        let mut numbered: Vec<Option<u32>> = vec![None; self.contents.len()];
        for (index, (source, target, content)) in self.edges.iter().enumerate() {
            let Some((data, cached)) = self.contents.get(*content).zip(numbered.get_mut(*content)) else { continue };
            let place = || format!("edge {index} from {source} to {target}");
            let number = |name: &str| {
                numbers.get(name).copied().ok_or_else(|| Inconsistency::new(place(), format!("node {name} does not exist")))
            };
            let (from, to) = (number(source)?, number(target)?);
            if data.is_empty() && from == to {
                if let Some(kind) = states.get_mut(from as usize) {
                    if *kind == StateKind::Accepting {
                        return Err(Inconsistency::new(place(), "a sink cannot be an indicator"));
                    }
                    *kind = StateKind::Indicator;
                }
                continue;
            }
            if let Some(others) = self.stay(data).map_err(|message| Inconsistency::new(place(), message))? {
                if from != to {
                    return Err(Inconsistency::new(place(), "`stay` leads to another state"));
                }
                staying.push((from, others));
                continue;
            }
            let edge = match *cached {
                Some(edge) => edge,
                None => {
                    let info = edge_info(data).map_err(|message| Inconsistency::new(place(), message))?;
                    let next = u32::try_from(infos.len()).unwrap_or(u32::MAX);
                    infos.entry(info.key.clone()).or_insert((next, info)).0
                }
            };
            *cached = Some(edge);
            edges.push((from, edge, to));
        }
        let infos: BTreeMap<u32, EdgeInfo> = infos.into_values().collect();
        let mut listed: FxHashMap<u32, usize> = FxHashMap::default();
        for (from, ..) in &edges {
            *listed.entry(*from).or_default() += 1;
        }
        // Somebody has removed an edge of the others: what they do not list is uncovered, as everywhere.
        staying.retain(|(state, others)| listed.get(state).copied().unwrap_or_default() == *others);
        Condition::new(producer, provenance, states, &edges, &infos)?.with_staying(staying.into_iter().map(|(state, _)| state))
    }

    /// How many edges a state lists that stays on all others, if an edge says so. Version 1 does not know that.
    fn stay(&self, data: &Data) -> Result<Option<usize>, String> {
        if self.version() == Some(1) || !data.contains_key("stay") {
            return Ok(None);
        }
        number(data, "stay", None).map(Some)
    }

    fn version(&self) -> Option<u64> {
        self.graph.get("condition-format-version").and_then(|text| text.parse().ok())
    }

    /// Numbers the nodes, the entry first.
    fn states(&self) -> Result<(FxHashMap<&str, u32>, Vec<StateKind>), Inconsistency> {
        let is_entry = |data: &Data| data.get("entry").is_some_and(|value| value == "true");
        let entries = self.nodes.iter().filter(|(_, data)| is_entry(data)).count();
        if entries != 1 {
            return Err(Inconsistency::new("nodes", format!("{entries} nodes are marked as entry, expected 1")));
        }
        let first = self.nodes.iter().filter(|(_, data)| is_entry(data));
        let others = self.nodes.iter().filter(|(_, data)| !is_entry(data));
        let mut numbers = FxHashMap::default();
        let mut states = Vec::with_capacity(self.nodes.len());
        for ((id, data), number) in first.chain(others).zip(0..) {
            if numbers.insert(id.as_str(), number).is_some() {
                return Err(Inconsistency::new(format!("node {id}"), "there are two nodes of this name"));
            }
            let is_sink = data.get("sink").is_some_and(|value| value == "true");
            states.push(if is_sink { StateKind::Accepting } else { StateKind::Open });
        }
        Ok((numbers, states))
    }

    fn xml_error(&self, error: &Error, position: u64) -> ArtifactError {
        match error {
            Error::Syntax(_) => self.truncated(),
            Error::Io(_)
            | Error::IllFormed(_)
            | Error::InvalidAttr(_)
            | Error::Encoding(_)
            | Error::Escape(_)
            | Error::Namespace(_) => self.malformed(error.to_string(), position),
        }
    }

    fn malformed(&self, message: String, position: u64) -> ArtifactError {
        let (line, column) = self.place(usize::try_from(position).unwrap_or(usize::MAX));
        ArtifactError::Malformed { file: self.file.to_owned(), expected: FORMAT.to_owned(), line, column, message }
    }

    fn truncated(&self) -> ArtifactError {
        let (line, column) = self.place(self.text.len());
        ArtifactError::Truncated { file: self.file.to_owned(), expected: FORMAT.to_owned(), line, column }
    }

    fn other_format(&self, found: &str) -> ArtifactError {
        ArtifactError::OtherFormat { file: self.file.to_owned(), expected: FORMAT.to_owned(), found: found.to_owned() }
    }

    /// Line and column of a byte offset.
    fn place(&self, offset: usize) -> (usize, usize) {
        let before = self.text.as_bytes().get(..offset).unwrap_or(self.text.as_bytes());
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
        (line, column)
    }
}

/// No condition nests its elements deeper than this: graphml, graph, edge, data.
const DEEPEST: usize = 16;
/// How the content of an edge ends.
const EDGE_END: &str = "</edge>";

/// Whether a reader looks at this key.
fn is_known(key: &str) -> bool {
    use crate::graphml::{EDGE_KEYS, GRAPH_KEYS, NODE_KEYS};
    [GRAPH_KEYS, NODE_KEYS, EDGE_KEYS, super::KEYS, super::STAY_KEYS].into_iter().flatten().any(|known| known.0 == key)
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Result<String, String> {
    let found = start.try_get_attribute(name).map_err(|error| error.to_string())?;
    let attribute = found.ok_or_else(|| format!("<{}> has no attribute `{name}`", start.name().as_ref()))?;
    attribute.normalized_value(XmlVersion::default()).map(|value| value.into_owned()).map_err(|error| error.to_string())
}

fn required<'a>(data: &'a Data, key: &str) -> Result<&'a str, String> {
    data.get(key).map(String::as_str).ok_or_else(|| format!("`{key}` is missing"))
}

/// The number under `key`; `absent` if there is none.
fn number<T: FromStr>(data: &Data, key: &str, absent: Option<T>) -> Result<T, String> {
    match (data.get(key), absent) {
        (Some(text), _) => text.parse().map_err(|_| format!("`{key}` is not a number: {text}")),
        (None, Some(value)) => Ok(value),
        (None, None) => Err(format!("`{key}` is missing")),
    }
}

fn edge_info(data: &Data) -> Result<EdgeInfo, String> {
    let branch = match data.get("control").map(String::as_str) {
        None => None,
        Some("condition-true") => Some(true),
        Some("condition-false") => Some(false),
        Some(other) => return Err(format!("`control` is neither condition-true nor condition-false: {other}")),
    };
    let kind = required(data, "edge-kind")?.parse::<OperationKind>()?;
    let start_offset = number(data, "startoffset", Some(0))?;
    let end_offset = match data.get("endoffset") {
        Some(_) => number::<u64>(data, "endoffset", None)?.saturating_add(1),
        None => start_offset,
    };
    Ok(EdgeInfo {
        key: EdgeKey {
            function: required(data, "function")?.to_owned(),
            line: number(data, "startline", Some(0))?,
            column: number(data, "startcolumn", None)?,
            end_line: number(data, "endline", Some(0))?,
            end_column: number(data, "endcolumn", None)?,
            kind,
            branch,
            ordinal: number(data, "edge-ordinal", Some(0))?,
        },
        start_offset,
        end_offset,
        enters: data.get("enterFunction").cloned(),
        text: data.get("sourcecode").cloned().unwrap_or_default(),
        leaves: None,
    })
}

/// `NAME VERSION`, as [`Producer`] prints it.
fn producer(text: &str) -> Producer {
    match text.rsplit_once(' ') {
        Some((tool, version)) => Producer::new(tool, version),
        None => Producer::new(text, ""),
    }
}
