//! Names of edges across processes, and their text for people.

use formats::{EdgeInfo, EdgeKey, FileOfProgram, Leaves, OperationKind, ProgramFile};

use crate::cfa::{Cfa, EdgeId, Operation, VarKind, Variable};
use crate::expr::Expr;
use crate::source::Span;

/// Longer texts are cut: they are for people only.
const LONGEST_TEXT: usize = 160;

impl Operation {
    /// The kind of the operation in artifacts.
    #[must_use]
    pub fn kind(&self) -> OperationKind {
        match self {
            Self::Declare { .. } => OperationKind::Declare,
            Self::Assume { .. } => OperationKind::Assume,
            Self::Assign { .. } => OperationKind::Assign,
            Self::Havoc { .. } => OperationKind::Havoc,
            Self::Call { .. } => OperationKind::Call,
            Self::Return { .. } => OperationKind::Return,
            Self::Blank => OperationKind::Blank,
            Self::Asm(_) | Self::Unsupported { .. } => OperationKind::Unsupported,
        }
    }

    /// The branch of an assume.
    #[must_use]
    pub fn branch(&self) -> Option<bool> {
        match self {
            Self::Assume { truth, .. } => Some(*truth),
            Self::Declare { .. }
            | Self::Assign { .. }
            | Self::Havoc { .. }
            | Self::Call { .. }
            | Self::Return { .. }
            | Self::Blank
            | Self::Asm(_)
            | Self::Unsupported { .. } => None,
        }
    }
}

impl Cfa {
    /// The program as artifacts name it, under the path it was given by.
    #[must_use]
    pub fn program_file(&self, path: impl Into<String>) -> ProgramFile {
        let files = self.source.files_of_program().map(|(path, sha256)| FileOfProgram { path, sha256 }).collect();
        ProgramFile { path: path.into(), sha256: self.source.sha256_hex(), cfa: self.fingerprint(), files }
    }

    /// The name of an edge across processes.
    #[must_use]
    pub fn edge_key(&self, id: EdgeId) -> EdgeKey {
        let edge = self.edge(id);
        let start = self.source.position(edge.span.lo);
        let end = self.source.position(edge.span.hi);
        EdgeKey {
            function: self.function(self.location(edge.source).function).name.to_string(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            kind: edge.operation.kind(),
            branch: edge.operation.branch(),
            ordinal: self.ordinals[id.index()],
        }
    }

    /// The name of an edge with what people and witness formats want to know of it.
    #[must_use]
    pub fn edge_info(&self, id: EdgeId) -> EdgeInfo {
        let edge = self.edge(id);
        EdgeInfo {
            key: self.edge_key(id),
            start_offset: u64::from(edge.span.lo),
            end_offset: u64::from(edge.span.hi),
            enters: self.entered_callee(id).map(|callee| self.function(callee).name.to_string()),
            text: self.edge_text(id),
            leaves: None,
        }
    }

    /// [`Self::edge_info`], and where the edge begins.
    #[must_use]
    pub fn placed_edge_info(&self, id: EdgeId) -> EdgeInfo {
        let source = self.edge(id).source;
        let leaves = Leaves { location: formats::dense(source.index()), edges: formats::dense(self.out_edges(source).len()) };
        EdgeInfo { leaves: Some(leaves), ..self.edge_info(id) }
    }

    /// The source text of an edge on one line; an assume in brackets, with `!` on its false branch.
    #[must_use]
    pub fn edge_text(&self, id: EdgeId) -> String {
        let edge = self.edge(id);
        let text = self.bare_text(id);
        match &edge.operation {
            Operation::Assume { truth: true, .. } => format!("[{text}]"),
            Operation::Assume { truth: false, .. } => format!("[!({text})]"),
            Operation::Unsupported { construct } => format!("{text} (unsupported: {construct})"),
            Operation::Declare { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_) => text,
        }
    }

    /// The same without a word about what the edge is: a branch looks like its condition.
    #[must_use]
    pub fn bare_text(&self, id: EdgeId) -> String {
        self.one_line(self.shown_span(id))
    }

    /// The text people recognise an edge by: that of its span, but for an initialiser the declarator with its name.
    #[must_use]
    pub fn shown_span(&self, id: EdgeId) -> Span {
        let edge = self.edge(id);
        let Operation::Assign { place, .. } = edge.operation else { return edge.span };
        let mut at = place;
        while let Expr::Field(inner, _) | Expr::Index(inner, _) = *self.exprs.get(at) {
            at = inner;
        }
        let Expr::Variable(variable) = *self.exprs.get(at) else { return edge.span };
        let Variable { kind, span, .. } = self.variable(variable);
        // A temporary stands for the part of the statement that its edge names, not for the whole.
        let is_declared = !matches!(kind, VarKind::Temporary(_));
        if is_declared && span.contains(edge.span) { *span } else { edge.span }
    }

    /// The text of a span on one line, without the line markers that a preprocessor leaves in it, and cut if it is long.
    #[must_use]
    pub fn one_line(&self, span: Span) -> String {
        let snippet = self.source.snippet(span);
        let lines = snippet.lines().filter(|line| !crate::source::is_line_marker(line));
        let mut text = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = text.char_indices().nth(LONGEST_TEXT) {
            text.truncate(cut);
            text.push('…');
        }
        text
    }
}
