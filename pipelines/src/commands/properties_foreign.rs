//! Verifiers that are not ours, on the clauses that a difference leaves open.
//!
//! They get the modified program with these clauses alone. TRUE: all of them hold, and it is their word. FALSE: the inputs are
//! run on the modified program, which says what they violate; the next question is about the rest. Everything else is UNKNOWN.
//! Does not know how a clause was found to be open, nor any verifier.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use formats::assertions::{AssertionVerdicts, ClauseVerdict, PropertyDifference, Violating, verdict_of};
use formats::{Property, Verdict, shown};
use miette::{Context, IntoDiagnostic};

use crate::run::chain::flags;
use crate::run::foreign::{self, Said};
use crate::run::outcome::Verifier;
use crate::run::stage::{Allowance, Messages, Stage};
use crate::run::unit::{Location, Unit};

/// Questions to a verifier at most: each answer FALSE settles a clause.
const MOST_QUESTIONS: usize = 64;

/// What a verifier is asked about.
pub(super) struct Open<'a> {
    pub(super) unit: &'a Unit,
    pub(super) folder: &'a Path,
    /// The verdicts so far, of the modified program.
    pub(super) verdicts: PathBuf,
    /// Options of `propdiff` for the modified program alone.
    pub(super) properties: Vec<String>,
}

/// What verifiers found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Inputs that violate something.
    pub(super) inputs: Vec<Violating>,
    /// Clauses that inputs violate, by the positions of the site and of the clause there.
    pub(super) violated: BTreeMap<(usize, usize), Violating>,
    /// The clauses of the last question.
    asked: BTreeSet<(usize, usize)>,
    /// Who says that all of them hold.
    pub(super) proved_by: Option<String>,
    /// Why the rest is open.
    pub(super) left: Vec<String>,
}

impl Open<'_> {
    /// Asks one verifier after the other until nothing is open.
    pub(super) fn ask(&self, verifiers: &[Verifier], allowance: &mut Allowance) -> miette::Result<Found> {
        let mut found = Found::default();
        for (number, (name, options)) in verifiers.iter().filter_map(Verifier::foreign).enumerate() {
            for question in 0..MOST_QUESTIONS {
                let own = self.folder.join(format!("foreign-{number}-{question}"));
                let Some(residual) = self.goals(&own, &mut found, allowance)? else { return Ok(found) };
                let program_options = &formats::ProgramOptions { preprocessor: Vec::new(), ..self.unit.options.clone() };
                let job = foreign::Job {
                    name,
                    options,
                    residual: &residual,
                    program_options,
                    folder: &own,
                    messages: Messages::Collected,
                };
                match foreign::question(&job, allowance)? {
                    Said::True(by) => {
                        found.proved_by = Some(by);
                        return Ok(found);
                    }
                    Said::False(inputs) if self.violates(&inputs, &mut found)? => {}
                    Said::False(_) => {
                        let verdict = Verdict::False(self.unit.options.property);
                        found.left.push(format!("{name}: {verdict}"));
                        break;
                    }
                    Said::Nothing(why) => {
                        found.left.push(why);
                        break;
                    }
                }
            }
        }
        Ok(found)
    }

    /// Adds inputs to the verdicts so far, if they are new.
    fn violates(&self, inputs: &[formats::verdict::InputValue], found: &mut Found) -> miette::Result<bool> {
        let one =
            Violating { inputs: inputs.iter().map(|input| formats::verdict::InputValue { line: 0, ..input.clone() }).collect() };
        if found.inputs.contains(&one) {
            return Ok(false);
        }
        found.inputs.push(one.clone());
        add(&self.verdicts, std::slice::from_ref(&one))?;
        Ok(true)
    }

    /// The residual program with the open clauses alone, in a folder; `None` if there are none.
    fn goals(&self, own: &Path, found: &mut Found, allowance: &mut Allowance) -> miette::Result<Option<PathBuf>> {
        std::fs::create_dir_all(own).into_diagnostic().wrap_err_with(|| shown::name(own))?;
        let file = |name: &str| own.join(name);
        let (goals, difference) = (file("goals.c"), file("left.json"));
        let modified = &self.unit.modified.file;
        let stage = |to: &str, output: &Path| {
            let stage = Stage::new("propdiff", Messages::Collected).args(flags(&self.unit.options)).args(self.properties.clone());
            let stage = stage.arg("--verdicts").arg(&self.verdicts).arg("--to").arg(to).arg("-o").arg(output).arg("--");
            let stage = stage.arg(modified).arg(modified);
            match self.unit.location {
                Location::Named => stage,
                Location::Folder => stage.within_folder(self.folder),
            }
        };
        let mut run = |stage: Stage| -> miette::Result<()> {
            let done = stage.run(allowance)?;
            allowance.spend(done.cpu);
            Ok(())
        };
        run(stage("json", &difference))?;
        let bytes = std::fs::read(&difference).into_diagnostic()?;
        let left = PropertyDifference::read(&bytes, "left.json")?;
        found.asked.clear();
        for (place, clauses) in left.assertions.iter().filter_map(|one| Some((one.modified.as_ref()?, &one.clauses))) {
            for (position, clause) in clauses.iter().enumerate() {
                let inputs = clause.counterexample.and_then(|at| left.counterexamples.get(at));
                match (&clause.verdict, inputs) {
                    (Verdict::False(_), Some(inputs)) => _ = found.violated.insert((place.site, position), inputs.clone()),
                    (Verdict::Unknown(_), _) => _ = found.asked.insert((place.site, position)),
                    _ => {}
                }
            }
        }
        if found.asked.is_empty() {
            return Ok(None);
        }
        run(stage("c", &goals))?;
        let options = formats::ProgramOptions { preprocessor: Vec::new(), ..self.unit.options.clone() };
        foreign::compare_nothing(&goals, &goals, &options, &file("graph.json"))?;
        run(Stage::new("condgen", Messages::Collected)
            .arg("-o")
            .arg(file("condition.graphml"))
            .arg("--")
            .arg(file("graph.json")))?;
        let residual = file("residual.c");
        run(Stage::new("reduce", Messages::Collected).arg("-o").arg(&residual).arg("--").arg(file("condition.graphml")))?;
        Ok(Some(residual))
    }
}

/// Adds inputs to a file of verdicts.
pub(super) fn add(file: &Path, inputs: &[Violating]) -> miette::Result<()> {
    let bytes = std::fs::read(file).into_diagnostic().wrap_err_with(|| shown::name(file))?;
    let mut verdicts = AssertionVerdicts::read(&bytes, &shown::name(file))?;
    verdicts
        .counterexamples
        .extend(inputs.iter().filter(|one| !verdicts.counterexamples.contains(one)).cloned().collect::<Vec<_>>());
    let mut bytes = Vec::new();
    verdicts.write(&mut bytes).into_diagnostic()?;
    std::fs::write(file, bytes).into_diagnostic().wrap_err_with(|| shown::name(file))
}

/// Takes down what verifiers found of clauses that are open; the lines of `propdiff` say so too.
pub(super) fn told(
    found: &Found,
    property: Property,
    verdicts: &mut AssertionVerdicts,
    mut difference: Option<&mut PropertyDifference>,
    lines: &str,
) -> String {
    // What was said of each open clause, in the order of the lines.
    let mut words: Vec<Option<String>> = Vec::new();
    let ids: Vec<(usize, usize)> =
        verdicts.sites.iter().enumerate().flat_map(|(site, one)| (0..one.clauses.len()).map(move |at| (site, at))).collect();
    for id in ids {
        let clause = &mut verdicts.sites[id.0].clauses[id.1];
        let said = match (&clause.verdict, found.violated.get(&id), &found.proved_by) {
            (Verdict::Unknown(_), Some(inputs), _) => {
                let known = verdicts.counterexamples.iter().position(|one| one == inputs);
                clause.counterexample = Some(known.unwrap_or(verdicts.counterexamples.len()));
                if known.is_none() {
                    verdicts.counterexamples.push(inputs.clone());
                }
                clause.verdict = Verdict::False(property);
                Some(clause.verdict.to_string())
            }
            (Verdict::Unknown(_), None, Some(by)) if found.asked.contains(&id) => {
                (clause.verdict, clause.by) = (Verdict::True, Some(by.clone()));
                Some(format!("TRUE, {by} says so"))
            }
            _ => None,
        };
        if let (Some(difference), true) = (difference.as_deref_mut(), said.is_some()) {
            difference.counterexamples.clone_from(&verdicts.counterexamples);
            let own = difference.assertions.iter_mut().filter(|one| one.modified.as_ref().is_some_and(|at| at.site == id.0));
            for one in own.filter_map(|one| one.clauses.get_mut(id.1)) {
                (one.verdict, one.stage) = (clause.verdict.clone(), Some("S5".to_owned()));
                one.counterexample = clause.counterexample;
            }
        }
        words.push(said);
    }
    for site in &mut verdicts.sites {
        site.verdict = verdict_of(&site.clauses, site.evaluation.as_ref());
    }
    let own: Vec<&str> = lines.lines().collect();
    let mut text = String::new();
    for (at, line) in own.iter().take(own.len().saturating_sub(1)).enumerate() {
        let said = words.get(at).cloned().flatten();
        match (line.rsplit_once(": UNKNOWN"), said) {
            (Some((place, _)), Some(said)) => text += &format!("{place}: {said}\n"),
            _ => text += &format!("{line}\n"),
        }
    }
    text + &sums(verdicts, property)
}

/// The line of sums, as `propdiff` has it.
fn sums(verdicts: &AssertionVerdicts, property: Property) -> String {
    let count = |fits: &dyn Fn(&ClauseVerdict) -> bool| {
        verdicts.sites.iter().flat_map(|site| &site.clauses).filter(|clause| fits(clause)).count()
    };
    let resting = match count(&|one| one.rests_on_file) {
        0 => String::new(),
        number => format!("{number} resting on earlier verdicts, "),
    };
    format!(
        "{resting}{} proved, {} violated, {} unknown; property: {property}\n",
        count(&|one| one.verdict == Verdict::True && !one.rests_on_file),
        count(&|one| matches!(one.verdict, Verdict::False(_))),
        count(&|one| matches!(one.verdict, Verdict::Unknown(_)))
    )
}
