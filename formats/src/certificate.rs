//! Certificates: what makes each step of a difference graph right, for a checker that shares nothing with the detector.
//!
//! A node of a difference graph stands for a place in each of the two programs and for the objects that may differ there; an
//! edge, for what the original does while the modified program makes one step. The graph says nothing of either; a
//! certificate does, so that every edge can be checked by itself. Places are not written down: they follow from the moves.
//! Invariant of a consistent certificate: it speaks of every node and of every edge of the graph it was written with, and of
//! nothing else.
//! Does not know what makes a move right; that is for `residue validate` to say.

use std::io;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::artifact::{Inconsistency, read_json};
use crate::{ArtifactError, DifferenceGraph, Producer};

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "certificate";
/// The newest format version.
pub const VERSION: u64 = 1;

/// What makes a difference graph right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Which tool wrote it.
    pub producer: Producer,
    /// For each variable of the modified program, by number, the one of the original that it is; `None` if it is new.
    pub variables: Vec<Option<u32>>,
    /// Pairs of functions, of the modified program and of the original, that are one although their names are not the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<[u32; 2]>,
    /// Pairs of CFA edges, of the modified program and of the original, that allocate the same memory.
    pub allocations: Vec<[u32; 2]>,
    /// The objects that `sets` name: objects of the modified program.
    pub objects: Vec<CertifiedObject>,
    /// Sets of objects, ascending numbers in `objects`.
    pub sets: Vec<Vec<u32>>,
    /// For each node of the graph, the number of the set of objects that may differ there; `None` for indicators and leaves.
    pub nodes: Vec<Option<u32>>,
    /// What the original does before the first node.
    pub start: Moves,
    /// What the original does while the modified program passes the edge, for each edge of the graph in its order.
    pub moves: Vec<Moves>,
}

/// An object of the modified program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CertifiedObject {
    /// Memory that belongs to no object of the program.
    External,
    /// A variable by number, and the numbers of members from the outside in if only a part of it is meant.
    Variable(u32, Vec<u32>),
    /// What the call on a CFA edge allocates.
    Allocation(u32),
}

/// One thing the original does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Comes to a location of its function, whatever its data.
    To(u32),
    /// Enters the function that the only edge here calls.
    Enter,
    /// Leaves its function at the exit.
    Leave,
    /// Passes an edge together with the modified program.
    With(u32),
    /// Leaves its function at the exit together with the modified program.
    LeaveWith,
}

/// What the original does in one step of the modified program, in order; at most one move is made together.
///
/// Written as words with spaces between: `12`, `(`, `)`, `=7`, `=`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Moves(pub Vec<Move>);

impl Serialize for Moves {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let word = |step: &Move| match step {
            Move::To(location) => location.to_string(),
            Move::Enter => "(".to_owned(),
            Move::Leave => ")".to_owned(),
            Move::With(edge) => format!("={edge}"),
            Move::LeaveWith => "=".to_owned(),
        };
        serializer.serialize_str(&self.0.iter().map(word).collect::<Vec<String>>().join(" "))
    }
}

impl<'de> Deserialize<'de> for Moves {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let number = |digits: &str| digits.parse::<u32>().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
        let read = |word: &str| match word {
            "(" => Some(Move::Enter),
            ")" => Some(Move::Leave),
            "=" => Some(Move::LeaveWith),
            _ => match word.strip_prefix('=') {
                Some(edge) => number(edge).map(Move::With),
                None => number(word).map(Move::To),
            },
        };
        let words = text.split_ascii_whitespace();
        let moves: Option<Vec<Move>> = words.map(read).collect();
        moves.map(Self).ok_or_else(|| serde::de::Error::custom("moves are words like `12`, `(`, `)`, `=7` and `=`"))
    }
}

/// What the original does along the edges of a graph that is being built, under the numbers it is built with.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Before the first node.
    pub start: Moves,
    /// By node and CFA edge: the node it leads to, and the moves.
    pub along: FxHashMap<(u32, u32), (u32, Moves)>,
}

impl Recorded {
    /// The numbers under which the nodes of the finished graph were built, from `initial` on, and the moves along its edges.
    #[must_use]
    pub fn renumbered(mut self, graph: &DifferenceGraph, initial: u32) -> (Vec<Option<u32>>, Vec<Moves>) {
        // Nodes are numbered breadth-first, so that each is led to by an edge of one before it.
        let mut built = vec![None; graph.nodes as usize];
        built[0] = Some(initial);
        let mut moves = Vec::with_capacity(graph.edges.len());
        for edge in &graph.edges {
            let known = built[edge.from as usize].and_then(|from| self.along.remove(&(from, edge.edge)));
            let (to, along) = known.unwrap_or_default();
            built[edge.to as usize].get_or_insert(to);
            moves.push(along);
        }
        (built, moves)
    }
}

impl Certificate {
    /// Reads a certificate; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no certificate of a known version, or one that names what it does not list.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let certificate: Self = read_json(bytes, file, FORMAT, VERSION)?;
        certificate.check().map_err(|error| error.in_file(file, FORMAT))?;
        Ok(certificate)
    }

    /// Writes the certificate as one line of JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Wire<'a> {
            format: &'a str,
            version: u64,
            #[serde(flatten)]
            certificate: &'a Certificate,
        }
        serde_json::to_writer(&mut out, &Wire { format: FORMAT, version: VERSION, certificate: self })?;
        out.write_all(b"\n")
    }

    /// Checks that sets and objects named are listed.
    fn check(&self) -> Result<(), Inconsistency> {
        let objects = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
        for (index, set) in self.sets.iter().enumerate() {
            if let Some(object) = set.iter().find(|object| **object >= objects) {
                return Err(Inconsistency::new(format!("sets[{index}]"), format!("object {object} is not listed")));
            }
        }
        let sets = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        let unknown = |node: &Option<u32>| node.filter(|set| *set >= sets);
        match self.nodes.iter().enumerate().find_map(|(index, node)| Some((index, unknown(node)?))) {
            Some((index, set)) => Err(Inconsistency::new(format!("nodes[{index}]"), format!("set {set} is not listed"))),
            None => Ok(()),
        }
    }

    /// Checks that the certificate speaks of all nodes and edges of a graph.
    ///
    /// # Errors
    /// [`Inconsistency`] if it was written with another graph.
    pub fn check_against(&self, graph: &DifferenceGraph) -> Result<(), Inconsistency> {
        let compare = |place: &str, found: usize, wanted: usize| {
            let message = || format!("there are {found} of them, the graph has {wanted}: it was written with another graph");
            if found == wanted { Ok(()) } else { Err(Inconsistency::new(place, message())) }
        };
        compare("nodes", self.nodes.len(), graph.nodes as usize)?;
        compare("moves", self.moves.len(), graph.edges.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate() -> Certificate {
        Certificate {
            producer: Producer::new("diffdp", "0"),
            variables: vec![Some(1), None],
            renamed: vec![[2, 3]],
            allocations: vec![[3, 4]],
            objects: vec![CertifiedObject::External, CertifiedObject::Variable(1, vec![0, 2]), CertifiedObject::Allocation(3)],
            sets: vec![vec![], vec![0, 2]],
            nodes: vec![Some(0), Some(1), None],
            start: Moves(vec![Move::To(4)]),
            moves: vec![Moves(vec![Move::To(12), Move::Enter, Move::With(7), Move::Leave]), Moves(vec![Move::LeaveWith])],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        certificate().write(&mut bytes).expect("written");
        assert_eq!(Certificate::read(&bytes, "c.json"), Ok(certificate()));
        let text = String::from_utf8(bytes).expect("text");
        assert!(text.contains(r#""moves":["12 ( =7 )","="]"#), "{text}");
    }

    #[test]
    fn what_names_the_unlisted_is_refused() {
        let read = |change: &dyn Fn(&mut Certificate)| {
            let mut changed = certificate();
            change(&mut changed);
            let mut bytes = Vec::new();
            changed.write(&mut bytes).expect("written");
            Certificate::read(&bytes, "c.json").map_err(|error| error.to_string())
        };
        assert!(read(&|c| c.sets[1].push(3)).is_err_and(|error| error.contains("object 3")));
        assert!(read(&|c| c.nodes[0] = Some(2)).is_err_and(|error| error.contains("set 2")));
        let text = r#"{"format":"certificate","version":1,"producer":{"tool":"t","version":"0"},"variables":[],"allocations":[],"objects":[],"sets":[],"nodes":[],"start":"+3","moves":[]}"#;
        assert!(Certificate::read(text.as_bytes(), "c.json").is_err_and(|error| error.to_string().contains("start")));
    }
}
