//! Violation witnesses in the GraphML format of SV-COMP, version 1.0: one path to the error.
//!
//! Does not know how the path was found or whether it is feasible.

use super::creation_time;
use crate::graphml::{self, Key};
use crate::{EdgeInfo, OperationKind, Producer, ProgramFile, ProgramOptions};
use std::io::{self, Write};

/// Keys of this writer beyond those of every automaton.
const KEYS: &[Key] = &[
    ("assumption", "string", "edge", None),
    ("assumption.scope", "string", "edge", None),
    ("assumption.resultfunction", "string", "edge", None),
];

/// A path of a program to a violation of its property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationWitness {
    /// The verifier.
    pub producer: Producer,
    /// The program the path belongs to.
    pub program: ProgramFile,
    /// How the program was read.
    pub options: ProgramOptions,
    /// The path from the entry function to the violation.
    pub steps: Vec<WitnessStep>,
}

/// One edge on the path to the violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// The edge.
    pub edge: EdgeInfo,
    /// A C expression that holds behind the edge; for an input `\result == VALUE`.
    pub assumption: Option<String>,
    /// The function whose variables the assumption mentions.
    pub scope: Option<String>,
    /// The input function whose result `\result` means.
    pub result_function: Option<String>,
}

impl WitnessStep {
    /// A step without an assumption.
    #[must_use]
    pub const fn plain(edge: EdgeInfo) -> Self {
        Self { edge, assumption: None, scope: None, result_function: None }
    }

    /// A step that reads `value` (a C expression) from input function `function`.
    #[must_use]
    pub fn input(edge: EdgeInfo, function: &str, value: &str) -> Self {
        let scope = Some(edge.key.function.clone());
        Self { edge, assumption: Some(format!("\\result == {value}")), scope, result_function: Some(function.to_owned()) }
    }
}

impl ViolationWitness {
    /// Writes the witness.
    ///
    /// Edges that do nothing and carry no assumption are left out: they would be no help to a validator.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        graphml::begin(&mut out, &[graphml::GRAPH_KEYS, graphml::NODE_KEYS, graphml::EDGE_KEYS, KEYS])?;
        let data = [
            ("witness-format-version", "1.0"),
            ("witness-type", "violation_witness"),
            ("sourcecodelang", "C"),
            ("producer", &self.producer.to_string()),
            ("specification", &self.options.specification()),
            ("programfile", &self.program.path),
            ("programhash", &self.program.sha256),
            ("architecture", self.options.data_model.architecture()),
            ("creationtime", &creation_time()),
        ];
        for (key, value) in data {
            graphml::graph_data(&mut out, key, value)?;
        }
        let steps: Vec<&WitnessStep> = self.steps.iter().filter(|step| step.is_useful()).collect();
        for node in 0..=steps.len() {
            write!(out, "<node id=\"N{node}\">")?;
            if node == 0 {
                graphml::data(&mut out, "entry", "true")?;
            }
            if node == steps.len() {
                graphml::data(&mut out, "violation", "true")?;
            }
            writeln!(out, "</node>")?;
        }
        for (index, step) in steps.into_iter().enumerate() {
            step.write(&mut out, index)?;
        }
        graphml::end(&mut out)?;
        out.flush()
    }
}

impl WitnessStep {
    const fn is_useful(&self) -> bool {
        self.assumption.is_some() || !matches!(self.edge.key.kind, OperationKind::Blank | OperationKind::EndOfLife)
    }

    fn write(&self, out: &mut impl Write, index: usize) -> io::Result<()> {
        write!(out, "<edge source=\"N{index}\" target=\"N{}\">", index + 1)?;
        graphml::edge_guards(out, &self.edge)?;
        let data =
            [("assumption", &self.assumption), ("assumption.scope", &self.scope), ("assumption.resultfunction", &self.result_function)];
        for (key, value) in data {
            if let Some(value) = value {
                graphml::data(out, key, value)?;
            }
        }
        writeln!(out, "</edge>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EdgeKey;

    #[test]
    fn a_short_path() {
        let edge = |line, kind, text: &str| EdgeInfo {
            key: EdgeKey { function: "main".to_owned(), line, column: 3, end_line: line, end_column: 9, kind, branch: None, ordinal: 0 },
            start_offset: 10,
            end_offset: 16,
            enters: (kind == OperationKind::Call).then(|| "reach_error".to_owned()),
            text: text.to_owned(),
        };
        let witness = ViolationWitness {
            producer: Producer::new("verify", "0.1.0"),
            program: ProgramFile { path: "a.c".to_owned(), sha256: "00".to_owned(), cfa: "11".to_owned() },
            options: ProgramOptions::default(),
            steps: vec![
                WitnessStep::input(edge(3, OperationKind::Havoc, "x = __VERIFIER_nondet_int();"), "__VERIFIER_nondet_int", "-1"),
                WitnessStep::plain(edge(4, OperationKind::Blank, "")),
                WitnessStep::plain(edge(5, OperationKind::Call, "reach_error();")),
            ],
        };
        let mut bytes = Vec::new();
        witness.write(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        insta::assert_snapshot!(text.split_once("<graph edge").unwrap().1);
    }
}
