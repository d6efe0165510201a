//! The name of an edge of a control-flow automaton across processes.
//!
//! Invariant: within one program of known hash and fingerprint, an [`EdgeKey`] names at most one edge.
//! Printed text and offsets accompany a key ([`EdgeInfo`]) but are no part of the identity.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What kind of operation an edge carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OperationKind {
    /// An object comes into being and gets its initial value.
    Declare,
    /// An object ceases to be.
    EndOfLife,
    /// A branch is taken.
    Assume,
    /// A value is stored.
    Assign,
    /// An input is read.
    Havoc,
    /// A function is entered.
    Call,
    /// A function is left.
    Return,
    /// Nothing happens.
    Blank,
    /// Something without sound treatment.
    Unsupported,
}

impl OperationKind {
    /// All kinds, in order.
    pub const ALL: [Self; 9] = [
        Self::Declare,
        Self::EndOfLife,
        Self::Assume,
        Self::Assign,
        Self::Havoc,
        Self::Call,
        Self::Return,
        Self::Blank,
        Self::Unsupported,
    ];

    /// The name in artifacts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Declare => "declare",
            Self::EndOfLife => "end-of-life",
            Self::Assume => "assume",
            Self::Assign => "assign",
            Self::Havoc => "havoc",
            Self::Call => "call",
            Self::Return => "return",
            Self::Blank => "blank",
            Self::Unsupported => "unsupported",
        }
    }
}

impl fmt::Display for OperationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for OperationKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| format!("unknown edge kind `{name}`"))
    }
}

/// The identity of an edge: where its operation stands, of which kind it is, and which of several there.
///
/// Lines and columns are physical ones of the preprocessed text and count from 1; 0 if the edge has no text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EdgeKey {
    /// The function the edge's source location belongs to.
    pub function: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
    /// Kind of the operation.
    pub kind: OperationKind,
    /// Direction of an assume; `None` for all other kinds.
    pub branch: Option<bool>,
    /// Number among the edges that agree in all other fields, in the order of the automaton.
    pub ordinal: u32,
}

impl fmt::Display for EdgeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}-{}:{} {}", self.function, self.line, self.column, self.end_line, self.end_column, self.kind)?;
        if let Some(branch) = self.branch {
            write!(f, "({branch})")?;
        }
        write!(f, "#{}", self.ordinal)
    }
}

/// An edge as artifacts list it: its identity and what people and foreign tools want to see.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "WireEdge", into = "WireEdge")]
pub struct EdgeInfo {
    /// The identity.
    pub key: EdgeKey,
    /// Offset of the first byte in the preprocessed text.
    pub start_offset: u64,
    /// Offset behind the last byte in the preprocessed text.
    pub end_offset: u64,
    /// The function a call edge enters.
    pub enters: Option<String>,
    /// The operation for people.
    pub text: String,
    /// Where it begins; `None` if nobody says.
    pub leaves: Option<Leaves>,
}

/// The location of an automaton that an edge leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Leaves {
    /// Its number.
    pub location: u32,
    /// How many edges leave it.
    pub edges: u32,
}

impl From<(u32, u32)> for Leaves {
    fn from((location, edges): (u32, u32)) -> Self {
        Self { location, edges }
    }
}

impl From<Leaves> for (u32, u32) {
    fn from(leaves: Leaves) -> Self {
        (leaves.location, leaves.edges)
    }
}

/// [`EdgeInfo`] as one flat JSON object.
#[derive(Serialize, Deserialize)]
struct WireEdge {
    function: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    kind: OperationKind,
    branch: Option<bool>,
    ordinal: u32,
    start_offset: u64,
    end_offset: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    enters: Option<String>,
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leaves: Option<Leaves>,
}

impl From<WireEdge> for EdgeInfo {
    fn from(wire: WireEdge) -> Self {
        Self {
            key: EdgeKey {
                function: wire.function,
                line: wire.line,
                column: wire.column,
                end_line: wire.end_line,
                end_column: wire.end_column,
                kind: wire.kind,
                branch: wire.branch,
                ordinal: wire.ordinal,
            },
            start_offset: wire.start_offset,
            end_offset: wire.end_offset,
            enters: wire.enters,
            text: wire.text,
            leaves: wire.leaves,
        }
    }
}

impl From<EdgeInfo> for WireEdge {
    fn from(info: EdgeInfo) -> Self {
        Self {
            function: info.key.function,
            line: info.key.line,
            column: info.key.column,
            end_line: info.key.end_line,
            end_column: info.key.end_column,
            kind: info.key.kind,
            branch: info.key.branch,
            ordinal: info.key.ordinal,
            start_offset: info.start_offset,
            end_offset: info.end_offset,
            enters: info.enters,
            text: info.text,
            leaves: info.leaves,
        }
    }
}
