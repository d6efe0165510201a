//! What is said of the assertions, to people and to programs.

use std::collections::BTreeMap;

use console::{Budget, Exhaustion, Exit, Statistics};
use formats::assertions::{
    AssertionChange, AssertionPlace, AssertionVerdicts, ClauseChange, ClauseStatus, ClauseVerdict, Code, Evaluation, Fact,
    LoopInvariant, PropertyDifference, Relation, SiteVerdict, Violating, verdict_of,
};
use formats::verdict::InputValue;
use formats::{Producer, Reason, Verdict};
use transform::assertions::{ClauseId, Style};

use crate::Loaded;
use crate::arguments::{Denied, Stage};
use crate::check::{Answer, Answers};
use crate::clauses;
use crate::difference::Difference;
use crate::known::Known;

/// Invariants that are written down.
const MOST_INVARIANTS: usize = 400;

/// The verdicts of a program, with how each was found.
pub(crate) struct Outcome<'a> {
    modified: &'a Loaded,
    /// The file that some of them may rest on.
    file: &'a str,
    pub(crate) verdicts: AssertionVerdicts,
}

impl<'a> Outcome<'a> {
    pub(crate) fn new(modified: &'a Loaded, answers: &Answers, known: Option<&'a Known>, budget: &Budget) -> Self {
        let producer = Producer::new("propdiff", env!("CARGO_PKG_VERSION"));
        let program = modified.cfa.program_file(&modified.name);
        let mut verdicts = AssertionVerdicts::new(producer, program, modified.cfa.options.clone());
        let reason = if budget.check() == Some(Exhaustion::Interrupted) { Reason::Interrupted } else { Reason::NotChecked };
        for (number, site) in modified.sites.iter().enumerate() {
            let mut clauses = Vec::new();
            for (position, clause) in site.clauses.iter().enumerate() {
                let id = ClauseId { site: number, clause: position };
                let answer = answers.of.get(&id).cloned().unwrap_or_else(|| Answer::of(Verdict::Unknown(reason.clone())));
                let counterexample = answer.inputs.map(|inputs| kept(&mut verdicts.counterexamples, inputs));
                let (text, by) = (clauses::text(&modified.cfa, site, clause), answer.by.map(str::to_owned));
                let (verdict, rests_on_file) = (answer.verdict, answer.rests_on_file);
                clauses.push(ClauseVerdict { text, verdict, by, rests_on_file, counterexample });
            }
            let evaluation = answers.evaluations.get(&number).map(|answer| Evaluation {
                verdict: answer.verdict.clone(),
                counterexample: answer.inputs.clone().map(|inputs| kept(&mut verdicts.counterexamples, inputs)),
            });
            verdicts.sites.push(SiteVerdict {
                edge: modified.key(site),
                line: modified.place(number).line,
                style: style(site.style),
                text: clauses::site_text(&modified.cfa, site),
                verdict: verdict_of(&clauses, evaluation.as_ref()),
                clauses,
                evaluation,
            });
        }
        verdicts.invariants = invariants(answers, known);
        let file = known.map_or("", |known| known.file.as_str());
        Self { modified, file, verdicts }
    }

    /// Prints a line for each clause that was looked at, the sums, and the verdict.
    pub(crate) fn answer(&self, answers: &Answers, ended: Exit) -> miette::Result<()> {
        let mut text = String::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, site) in self.verdicts.sites.iter().enumerate() {
            for (position, clause) in site.clauses.iter().enumerate() {
                let answer = answers.of.get(&ClauseId { site: number, clause: position });
                let behind = answer.and_then(|answer| answer.attribution).map(|found| format!(", {}", found.name()));
                let word = match &clause.verdict {
                    Verdict::True if clause.rests_on_file => "resting",
                    Verdict::True => "proved",
                    Verdict::False(_) => "violated",
                    Verdict::Unknown(_) => "unknown",
                };
                *counts.entry(word).or_default() += 1;
                let rests = if clause.rests_on_file { format!(", rests on {}", self.file) } else { String::new() };
                let line = format!("{}:{}: {}: {}{rests}", self.modified.name, site.line, clause.text, clause.verdict);
                let line = line + &behind.unwrap_or_default();
                text += &format!("{}\n", formats::shown::one_line(&line));
            }
            if let Some(found) = site.evaluation.as_ref().filter(|found| found.verdict != Verdict::True) {
                let line = format!("{}:{}: {}: evaluation: {}", self.modified.name, site.line, site.text, found.verdict);
                text += &format!("{}\n", formats::shown::one_line(&line));
            }
        }
        let count = |word: &str| counts.get(word).copied().unwrap_or_default();
        let resting = match count("resting") {
            0 => String::new(),
            number => format!("{number} resting on {}, ", formats::shown::one_line(self.file)),
        };
        text += &format!(
            "{resting}{} proved, {} violated, {} unknown; property: {}\n",
            count("proved"),
            count("violated"),
            count("unknown"),
            self.modified.cfa.options.property
        );
        let worst = self.worst().0;
        text += &format!("{}\n", formats::shown::one_line(&worst.to_string()));
        console::answer(&formats::shown::lines(&text), ended)?;
        Ok(())
    }

    /// The verdict of the whole program.
    pub(crate) fn worst(&self) -> (Verdict, Exit) {
        let worst = Verdict::worst(self.verdicts.sites.iter().map(|site| &site.verdict));
        let exit = Exit::from(&worst);
        (worst, exit)
    }

    /// Prints the difference as one object, or without one the verdicts.
    pub(crate) fn json(&self, report: Option<&PropertyDifference>, ended: Exit) -> miette::Result<()> {
        let mut text = Vec::new();
        match report {
            Some(report) => report.write(&mut text),
            None => self.verdicts.write(&mut text),
        }
        .map_err(|error| miette::miette!("{error}"))?;
        console::answer(&String::from_utf8_lossy(&text), ended)?;
        Ok(())
    }

    pub(crate) fn difference(&self, original: &Loaded, difference: &Difference, answers: &Answers) -> PropertyDifference {
        let modified = self.modified;
        let producer = Producer::new("propdiff", env!("CARGO_PKG_VERSION"));
        let programs = (original.cfa.program_file(&original.name), modified.cfa.program_file(&modified.name));
        let mut report = PropertyDifference::new(producer, programs, modified.cfa.options.clone(), difference.code);
        report.counterexamples.clone_from(&self.verdicts.counterexamples);
        for (number, change) in difference.changes.iter().enumerate() {
            let clauses = change.clauses.iter().zip(&self.verdicts.sites[number].clauses).enumerate();
            let clauses = clauses.map(|(position, ((status, reason), known))| {
                let id = ClauseId { site: number, clause: position };
                let answer = answers.of.get(&id);
                ClauseChange {
                    text: known.text.clone(),
                    status: *status,
                    verdict: known.verdict.clone(),
                    stage: answer.and_then(|answer| answer.stage).map(|stage| stage.name().to_owned()),
                    rests_on_file: known.rests_on_file,
                    counterexample: known.counterexample,
                    attribution: answer.and_then(|answer| answer.attribution),
                    reason: said(*status, reason, answer),
                    facts: change.facts.get(&position).into_iter().flatten().map(|id| fact(original, *id)).collect(),
                }
            });
            report.assertions.push(AssertionChange {
                modified: Some(modified.place(number)),
                original: change.original.map(|site| original.place(site)),
                relation: change.relation,
                clauses: clauses.collect(),
                evaluation: self.verdicts.sites[number].evaluation.clone(),
            });
        }
        let removed = difference.removed.iter().map(|site| AssertionChange {
            modified: None,
            original: Some(original.place(*site)),
            relation: Relation::Removed,
            clauses: Vec::new(),
            evaluation: None,
        });
        report.assertions.extend(removed);
        report.statistics.insert("queries of the difference".to_owned(), difference.questions);
        report.statistics.insert("queries of the check".to_owned(), answers.queries);
        report.statistics.insert("queries to prove again what is known".to_owned(), answers.confirming);
        report
    }
}

/// The position of inputs among those that violate something; they are added if they are not there.
fn kept(all: &mut Vec<Violating>, inputs: Vec<InputValue>) -> usize {
    let violating = Violating { inputs };
    let known = all.iter().position(|known| *known == violating);
    known.unwrap_or_else(|| {
        all.push(violating);
        all.len() - 1
    })
}

/// A clause of the original that another one follows from.
fn fact(original: &Loaded, id: ClauseId) -> Fact {
    let site = &original.sites[id.site];
    let text = clauses::text(&original.cfa, site, &site.clauses[id.clause]);
    Fact { site: id.site, clause: id.clause, line: original.place(id.site).line, text }
}

/// Why a clause has the verdict it has.
fn said(status: ClauseStatus, reason: &str, answer: Option<&Answer>) -> String {
    match answer {
        Some(answer) if answer.rests_on_file => format!("{reason}; this rests on the earlier verdicts"),
        Some(Answer { stage: Some(Stage::Confirmed), verdict: Verdict::True, .. }) => {
            format!("{reason}; proved together with the others, by what is known of the loops")
        }
        Some(Answer { verdict: Verdict::True, by: Some(by), .. })
            if matches!(status, ClauseStatus::Inherited | ClauseStatus::Implied) =>
        {
            format!("{reason}; proved again ({by})")
        }
        _ => reason.to_owned(),
    }
}

/// What holds at loops. What rests on the file is still proved by what the file says.
fn invariants(answers: &Answers, known: Option<&Known>) -> Vec<LoopInvariant> {
    let own = answers.invariants.iter().map(|one| LoopInvariant {
        function: one.function.clone(),
        number: one.number,
        expression: one.expression.clone(),
    });
    let mut all: Vec<LoopInvariant> = own.collect();
    if answers.of.values().any(|answer| answer.rests_on_file) {
        all.extend(known.iter().flat_map(|known| known.invariants()).cloned());
    }
    all.sort();
    all.dedup();
    all.truncate(MOST_INVARIANTS);
    all
}

fn style(style: Style) -> String {
    match style {
        Style::Assert => "assert".to_owned(),
        Style::Wrapper => "wrapper".to_owned(),
        Style::Branch => "branch".to_owned(),
        Style::Bare => "bare".to_owned(),
        Style::Guard(violation) => violation.name().to_owned(),
    }
}

/// The changes that are refused, a line each.
pub(crate) fn denied_in(report: &PropertyDifference, denied: &[Denied]) -> Vec<String> {
    let kinds = |change: &AssertionChange| match change.relation {
        Relation::Weaker => &[Denied::Weaker][..],
        Relation::Removed => &[Denied::Removed],
        Relation::Incomparable => &[Denied::Unmatched],
        // It may be either: what is not excluded is refused.
        Relation::Unknown => &[Denied::Weaker, Denied::Unmatched],
        Relation::Same | Relation::Equivalent | Relation::Implied | Relation::Stronger | Relation::Moved | Relation::New => &[],
    };
    let refused = report.assertions.iter().filter(|change| kinds(change).iter().any(|kind| denied.contains(kind)));
    refused.map(|change| format!("denied: {}", told(change, &report.modified.path, &report.original.path))).collect()
}

/// One line about an assertion.
fn told(change: &AssertionChange, modified: &str, original: &str) -> String {
    let place = |file: &str, place: &AssertionPlace| format!("{file}:{}: {}", place.line, place.text);
    let relation = serde_json::to_string(&change.relation).unwrap_or_default();
    let relation = relation.trim_matches('"');
    match (&change.modified, &change.original) {
        (Some(now), Some(before)) if change.relation != Relation::Same => {
            format!("{}: {relation}, was {}", place(modified, now), place(original, before))
        }
        (Some(now), _) => format!("{}: {relation}", place(modified, now)),
        (None, Some(before)) => format!("{}: {relation}", place(original, before)),
        (None, None) => relation.to_owned(),
    }
}

pub(crate) fn explain(console: &console::Console, modified: &str, original: &str, report: &PropertyDifference) {
    console.print(match report.code {
        Code::Equal => "the code without its assertions is the same",
        Code::Changed => "the code has changed: every clause is checked",
    });
    for change in &report.assertions {
        console.print(told(change, modified, original));
        for clause in &change.clauses {
            console.print(format!("  {}: {}: {}", clause.text, clause.verdict, clause.reason));
            for fact in clause.facts.iter().filter(|_| clause.status == ClauseStatus::Implied) {
                console.print(format!("    from {original}:{}: {}", fact.line, fact.text));
            }
        }
        if let Some(found) = &change.evaluation {
            console.print(format!("  its evaluation: {}", found.verdict));
        }
    }
}

pub(crate) fn stats(answers: &Answers, difference: Option<&Difference>) {
    let mut numbers = Statistics::new();
    numbers.count("queries of the difference", difference.map_or(0, |difference| difference.questions));
    numbers.count("queries to prove again what is known", answers.confirming);
    numbers.count("queries of the check", answers.queries);
    numbers.count("steps of the check", answers.steps);
    for stage in Stage::ALL {
        let settled = answers.of.values().filter(|answer| answer.stage == Some(stage)).count();
        numbers.count(&format!("clauses settled by {}", stage.name()), settled as u64);
    }
    numbers.seconds("CPU time", Budget::cpu_used().as_secs_f64());
    numbers.print();
}
