//! What is asked, as one C program for any verifier: it calls `reach_error` iff a fact fails in a version.
//!
//! The program is the weave of the versions with one choice of the version and one of the question, which are its first two
//! inputs. What an earlier table knows can be left out. Nothing is decided here.

use std::collections::BTreeSet;

use cwriter::Style;
use formats::artifact::ProgramFile;
use formats::invariant_table::InvariantTable;
use formats::shown::one_line;
use program::cfa::Cfa;
use program::print::PrintError;
use transform::standalone::{Clash, standalone};
use transform::weave::{WeaveError, weave};

use crate::points::Point;
use crate::prepare::{Fact, Prepared};
use crate::question::{Answer, Questions};
use crate::settle::Asked;

/// How deep blocks nest.
const NESTING: u32 = 64;

/// Why there is no program.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum EmitError {
    /// The versions are no program together.
    #[error("the versions cannot be written as one program: {0}")]
    Weave(#[from] WeaveError),
    /// A part of a version has no C text.
    #[error("the versions cannot be written as one program: {0}")]
    Print(#[from] PrintError),
    /// A version uses a name that others have to know.
    #[error("the versions cannot be written as one program: {0}")]
    Clash(#[from] Clash),
}

/// What a table leaves open.
pub(crate) struct Left<'a>(pub(crate) &'a InvariantTable);

impl Left<'_> {
    fn is_open(letters: Option<&str>, version: usize) -> bool {
        letters.and_then(|letters| letters.as_bytes().get(version)) == Some(&b'?')
    }

    fn fact(&self, (point, text): (&str, &str), version: usize) -> bool {
        let table = self.0;
        let found = table.instances.iter().find(|one| table.points[one.point].name == point && one.expression == text);
        Self::is_open(found.map(|one| one.status.as_str()), version)
    }

    fn point(&self, name: &str, version: usize) -> bool {
        let found = self.0.points.iter().find(|point| point.name == name);
        Self::is_open(found.map(|point| point.reachable.as_str()), version)
    }
}

/// Versions with what is asked of them.
pub(crate) struct Emission<'a> {
    pub(crate) prepared: &'a [Option<Prepared>],
    pub(crate) files: Vec<(&'a str, Option<&'a ProgramFile>)>,
    pub(crate) asked: (&'a [Point], &'a [Fact]),
    pub(crate) left: Option<Left<'a>>,
}

impl Emission<'_> {
    /// The text. Answers that are in `questions` are replaced.
    pub(crate) fn text(&self, questions: &mut Questions) -> Result<String, EmitError> {
        self.choose(questions);
        let read = (0..self.prepared.len()).filter(|at| self.prepared[*at].is_some());
        let mut group: Vec<usize> = read.clone().filter(|version| questions.any_open(*version)).collect();
        if group.is_empty() {
            group = read.collect();
        }
        let cfas: Vec<&Cfa> = group.iter().filter_map(|at| self.prepared[*at].as_ref()).map(|one| &one.cfa).collect();
        let weave = weave(&cfas)?;
        let asked = Asked::new(&weave, &group, questions);
        let goals: BTreeSet<_> = asked.goals.iter().flatten().copied().collect();
        let cfa = standalone(&asked.cfa, &[weave.version, asked.choice], &goals)?;
        let header = self.header(&cfa, &group, &asked, questions);
        let functions = cwriter::smaller(&cfa, cwriter::whole(&cfa));
        Ok(cwriter::write(&cfa, &functions, (Style::Structured, NESTING), &header)?.text)
    }

    /// Marks as settled what is not asked: without a table facts are, of all versions, and whether points are reached is not.
    fn choose(&self, questions: &mut Questions) {
        questions.answers.clear();
        let (points, facts) = self.asked;
        let mut settled = Vec::new();
        for version in 0..self.prepared.len() {
            for (point, (here, any)) in points.iter().zip(&questions.points) {
                let wanted = self.left.as_ref().is_some_and(|left| left.point(&point.name, version));
                settled.extend([Some(*here), *any].into_iter().flatten().filter(|_| !wanted).map(|one| (one, version)));
            }
            for (fact, (holds, value)) in facts.iter().zip(&questions.facts) {
                let text = fact.text.to_string();
                let name = points[fact.point].name.as_str();
                let wanted = self.left.as_ref().is_none_or(|left| left.fact((name, &text), version));
                settled.extend([Some(*holds), *value].into_iter().flatten().filter(|_| !wanted).map(|one| (one, version)));
            }
        }
        settled.into_iter().for_each(|key| _ = questions.answers.insert(key, Answer::Falsified(Vec::new())));
    }

    /// The lines of the first comment: who chooses what, and how the text is to be read.
    fn header(&self, cfa: &Cfa, group: &[usize], asked: &Asked, questions: &Questions) -> Vec<String> {
        let mut lines = vec![format!("producer: invdiff {}", env!("CARGO_PKG_VERSION"))];
        for (number, version) in group.iter().enumerate() {
            let (label, file) = self.files[*version];
            let hash = file.map_or_else(String::new, |file| format!(", SHA-256 {}", file.sha256));
            lines.push(format!("version {number}: {} {label}{hash}", version + 1));
        }
        for (number, question) in asked.of.iter().enumerate() {
            let (what, text) = self.called(*question, questions);
            let of = group.iter().enumerate().filter(|(_, version)| asked.covers(*question, **version));
            let of: Vec<String> = of.map(|(number, _)| number.to_string()).collect();
            lines.push(format!("question {number}: {what}, versions {}: {text}", of.join(" ")));
        }
        lines.push(format!("data-model: {}", cfa.options.data_model));
        lines.push(format!("entry: {}", cfa.function(cfa.entry).name));
        lines.push(format!("property: {}", cfa.options.property));
        lines.iter().map(|line| one_line(line).into_owned()).collect()
    }

    /// Which row of a table a question is of, and what it asks. With a table of what is open, rows are those of that table.
    fn called(&self, question: usize, questions: &Questions) -> (String, String) {
        let (points, facts) = self.asked;
        let is = |one: &(usize, Option<usize>)| one.0 == question || one.1 == Some(question);
        let table = self.left.as_ref().map(|left| left.0);
        if let Some(at) = questions.points.iter().position(is) {
            let name = &points[at].name;
            let row = table.and_then(|table| table.points.iter().position(|point| point.name == *name)).unwrap_or(at);
            return (format!("point {row}"), format!("no run comes to {name}"));
        }
        let Some(at) = questions.facts.iter().position(is) else { return Default::default() };
        let (name, text) = (&points[facts[at].point].name, facts[at].text.to_string());
        let same = |one: &formats::invariant_table::Instance| {
            one.expression == text && table.is_some_and(|table| table.points[one.point].name == *name)
        };
        let row = table.and_then(|table| table.instances.iter().position(same)).unwrap_or(at);
        let (of, what) = if questions.all[question].is_value { ("value of ", " has a value") } else { ("", "") };
        (format!("{of}instance {row}"), format!("{text} at {name}{what}"))
    }
}
