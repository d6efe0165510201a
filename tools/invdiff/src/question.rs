//! What is asked of all versions, and what is known of each.

use std::collections::BTreeMap;

use formats::verdict::InputValue;

use crate::prepare::{Conditions, Meaning, Prepared};

/// Conditions that are to hold whenever control is at their locations, for each version that has them.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) of: Vec<Option<Conditions>>,
    /// The condition says whether an expression has a value.
    pub(crate) is_value: bool,
    /// Evaluation may end a run.
    pub(crate) traps: bool,
    /// Nobody asks it: what is not falsified may help to prove others.
    pub(crate) helps: bool,
}

/// What is known of a question in a version.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// No run falsifies it.
    Proved { by: &'static str, inductive: bool },
    /// This run does.
    Falsified(Vec<InputValue>),
    /// Nobody knows, and why.
    Unknown(String),
}

/// The questions about points and facts.
#[derive(Debug)]
pub(crate) struct Questions {
    pub(crate) all: Vec<Question>,
    /// For each point whether control comes there: falsified where it does. If runs are marked, first without a mark, then at all.
    pub(crate) points: Vec<(usize, Option<usize>)>,
    /// For each fact whether it holds, and if that is one, whether it has a value.
    pub(crate) facts: Vec<(usize, Option<usize>)>,
    /// By question and version.
    pub(crate) answers: BTreeMap<(usize, usize), Answer>,
}

impl Questions {
    /// What is asked of versions; a version that could not be read is `None`.
    pub(crate) fn new(prepared: &[Option<Prepared>], points: usize, (facts, helping): (usize, usize)) -> Self {
        let mut all: Vec<Question> = Vec::new();
        let mut ask = |of: Vec<Option<Conditions>>, is_value: bool, traps: bool| {
            all.push(Question { of, is_value, traps, helps: false });
            all.len() - 1
        };
        let says = |meaning: Option<&Meaning>| match meaning {
            Some(Meaning::Says { holds, defined, traps }) => Some((holds.clone(), defined.clone(), *traps)),
            _ => None,
        };
        let mut of_points = Vec::new();
        for point in 0..points {
            let of = |one: &Option<Prepared>| Some(says(one.as_ref().map(|one| &one.points[point]))?.0);
            let any = |one: &Option<Prepared>| {
                let (_, defined, _) = says(one.as_ref().map(|one| &one.points[point]))?;
                Some(defined).filter(|defined| !defined.is_empty())
            };
            let any: Vec<Option<Conditions>> = prepared.iter().map(any).collect();
            let here = ask(prepared.iter().map(of).collect(), false, false);
            let any = any.iter().any(Option::is_some).then(|| ask(any, false, false));
            of_points.push((here, any));
        }
        let mut of_facts = Vec::new();
        for fact in 0..facts {
            let said: Vec<_> = prepared.iter().map(|one| says(one.as_ref().map(|one| &one.facts[fact]))).collect();
            let traps = said.iter().flatten().any(|(.., traps)| *traps);
            let partial = said.iter().flatten().any(|(_, defined, _)| !defined.is_empty());
            let holds = ask(said.iter().map(|one| Some(one.as_ref()?.0.clone())).collect(), false, traps);
            let value = (partial || traps).then(|| {
                let defined = |one: &Option<(Conditions, Conditions, bool)>| {
                    one.as_ref().map(|(_, defined, _)| defined.clone()).filter(|defined| !defined.is_empty())
                };
                ask(said.iter().map(defined).collect(), true, traps)
            });
            of_facts.push((holds, value));
        }
        for fact in facts..facts + helping {
            let of = |one: &Option<Prepared>| {
                let (holds, defined, traps) = says(one.as_ref().map(|one| &one.facts[fact]))?;
                (defined.is_empty() && !traps).then_some(holds)
            };
            let of = prepared.iter().map(of).collect();
            all.push(Question { of, is_value: false, traps: false, helps: true });
        }
        Self { all, points: of_points, facts: of_facts, answers: BTreeMap::new() }
    }

    /// Whether a question is about a point alone.
    pub(crate) fn is_point(&self, question: usize) -> bool {
        self.points.iter().any(|(here, any)| *here == question || *any == Some(question))
    }

    /// What is known of a question in a version.
    pub(crate) fn answer(&self, question: usize, version: usize) -> Option<&Answer> {
        self.answers.get(&(question, version))
    }

    /// Whether a question is asked of a version and not settled.
    pub(crate) fn is_open(&self, question: usize, version: usize) -> bool {
        let settled = matches!(self.answer(question, version), Some(Answer::Proved { .. } | Answer::Falsified(_)));
        self.all[question].of[version].is_some() && !settled
    }

    /// How many questions that somebody asks of versions are not settled.
    pub(crate) fn open(&self, versions: &[usize]) -> usize {
        let asked = (0..self.all.len()).filter(|question| !self.all[*question].helps);
        asked.map(|question| versions.iter().filter(|version| self.is_open(question, **version)).count()).sum()
    }

    /// Whether anything that somebody asks of a version is not settled.
    pub(crate) fn any_open(&self, version: usize) -> bool {
        (0..self.all.len()).any(|question| !self.all[question].helps && self.is_open(question, version))
    }

    /// Notes a run.
    pub(crate) fn falsified(&mut self, question: usize, version: usize, inputs: &[InputValue]) {
        if self.is_open(question, version) {
            self.answers.insert((question, version), Answer::Falsified(inputs.to_vec()));
        }
    }
}
