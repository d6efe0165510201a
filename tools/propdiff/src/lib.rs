//! What changed in the assertions of a program, and a verdict for each with as little new work as possible.
//!
//! * `difference` finds which assertion was which, and which clauses keep their TRUE without any exploration (stages S0, S1);
//! * `check` has the engine decide the rest, each clause on its own: an assertion that fails hides no other (stage S4);
//! * `clauses` turns clauses into formulas.
//!
//! Source: Yang, Khurshid, Person, Rungta, *Property Differencing for Incremental Checking*, ICSE 2014, with its rules corrected:
//! a FALSE is never handed on to an assertion that says less, and facts come from all clauses of a place.
//! Does not know external verifiers or revisions.

mod arguments;
mod check;
mod clauses;
mod difference;

use std::collections::BTreeMap;
use std::path::Path;

use console::{Budget, Ending, Exhaustion, Exit, Input, Output, Statistics};
use formats::assertions::{
    AssertionChange, AssertionPlace, AssertionVerdicts, ClauseChange, ClauseStatus, ClauseVerdict, Code, PropertyDifference,
    Relation, SiteVerdict, Violating,
};
use formats::verdict::InputValue;
use formats::{EdgeKey, Producer, Reason, Verdict};
use program::Choice;
use program::cfa::Cfa;
use semantics::interpreter::{origin_constant, origin_name};
use transform::assertions::{ClauseId, Site, Style, sites};

pub use arguments::{Arguments, Denied};

use crate::check::{Answer, Answers};
use crate::difference::{Difference, Program};

/// What may be wrong with verdicts of the original.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum PropdiffError {
    /// The assertions are others.
    #[error("{file}: the verdicts are of other assertions than those of {program}")]
    #[diagnostic(help("write them again: propdiff --check --save-verdicts {file} {program}"))]
    OtherAssertions {
        /// The file.
        file: String,
        /// The program.
        program: String,
    },
    /// Only a difference has an original.
    #[error("{option} needs two programs")]
    #[diagnostic(help("give ORIGINAL and MODIFIED"))]
    OneProgram {
        /// The option.
        option: &'static str,
    },
    /// Nothing is asked.
    #[error("one program has no difference")]
    #[diagnostic(help("give ORIGINAL and MODIFIED, or `--check` for verdicts of one program"))]
    NothingAsked,
    /// The linked solver cannot be used.
    #[error(transparent)]
    Solver(#[from] smt::z3::Z3Error),
}

/// A program with its assertions.
struct Loaded {
    cfa: Cfa,
    sites: Vec<Site>,
    name: String,
}

impl Loaded {
    fn new(cfa: Cfa, path: &Path) -> Self {
        let sites = sites(&cfa);
        Self { cfa, sites, name: path.display().to_string() }
    }

    fn place(&self, site: usize) -> AssertionPlace {
        let one = &self.sites[site];
        AssertionPlace {
            site,
            function: self.cfa.function(self.cfa.location(one.at).function).name.to_string(),
            line: self.cfa.source.location(one.span.lo).line,
            text: clauses::site_text(&self.cfa, one),
        }
    }

    fn key(&self, site: &Site) -> EdgeKey {
        self.cfa.edge_key(site.call.unwrap_or(site.error))
    }
}

/// Runs the tool.
///
/// # Errors
/// A report of what cannot be read, used or written.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let budget = arguments.shared.budget()?;
    let task = arguments.shared.load_task()?;
    refuse(&arguments)?;
    console::keep_apart(
        arguments.programs.iter().chain(&arguments.verdicts).map(std::path::PathBuf::as_path),
        arguments.save_verdicts.as_deref().into_iter().chain(arguments.output.as_deref()),
    )?;
    if arguments.check {
        console::set_last_word(|ending: Ending| format!("{}\n", ending.verdict()));
    }
    let mut options = arguments.shared.program_options(task.as_ref())?;
    let choice = if arguments.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
    let (original, modified) = match arguments.programs.as_slice() {
        [original, modified] => (Some(original), modified),
        [modified, ..] => (None, modified),
        [] => return Err(PropdiffError::NothingAsked.into()),
    };
    let modified = Loaded::new(program::load_about(modified, &options, choice)?, modified);
    options.property = modified.cfa.options.property;
    let original = match original {
        Some(path) => Some(Loaded::new(program::load(path, &options)?, path)),
        None => None,
    };
    let known = match (&arguments.verdicts, &original) {
        (Some(file), Some(original)) => Some(verdicts_of(original, file)?),
        _ => None,
    };
    if modified.sites.is_empty() {
        console.warning("the program has no assertion: every verdict about it is vacuous");
    }
    let job = Job { arguments: &arguments, original, modified, known };
    job.run(&budget)
}

fn refuse(arguments: &Arguments) -> Result<(), PropdiffError> {
    let one = arguments.programs.len() == 1;
    match () {
        () if one && arguments.verdicts.is_some() => Err(PropdiffError::OneProgram { option: "--verdicts" }),
        () if one && !arguments.deny.is_empty() => Err(PropdiffError::OneProgram { option: "--deny" }),
        () if one && arguments.output.is_some() => Err(PropdiffError::OneProgram { option: "--output" }),
        () if one && !arguments.check => Err(PropdiffError::NothingAsked),
        () => Ok(()),
    }
}

/// Earlier verdicts, if they are those of this program.
fn verdicts_of(original: &Loaded, file: &Path) -> miette::Result<AssertionVerdicts> {
    let input = Input::read(file)?;
    let verdicts = AssertionVerdicts::read(&input.bytes, &input.name)?;
    let own = original.cfa.program_file(&original.name);
    verdicts.program.check_sha256(&input.name, &original.name, &own.sha256)?;
    verdicts.program.check_fingerprint(&input.name, &original.name, &own.cfa)?;
    let same = verdicts.sites.len() == original.sites.len()
        && verdicts
            .sites
            .iter()
            .zip(&original.sites)
            .all(|(one, site)| one.edge == original.key(site) && one.clauses.len() == site.clauses.len())
        && verdicts.options == original.cfa.options;
    if same {
        return Ok(verdicts);
    }
    Err(PropdiffError::OtherAssertions { file: input.name, program: original.name.clone() }.into())
}

struct Job<'a> {
    arguments: &'a Arguments,
    original: Option<Loaded>,
    modified: Loaded,
    known: Option<AssertionVerdicts>,
}

impl Job<'_> {
    fn run(&self, budget: &Budget) -> miette::Result<Exit> {
        let (arguments, modified) = (self.arguments, &self.modified);
        let difference = match &self.original {
            Some(original) => {
                let [original, modified] = [original, modified].map(|loaded| Program { cfa: &loaded.cfa, sites: &loaded.sites });
                let stop = budget.stop_flag();
                let found =
                    smt::z3::interruptible(&stop, || difference::difference(&original, &modified, self.known.as_ref(), &stop));
                Some(found.map_err(PropdiffError::from)?)
            }
            None => None,
        };
        let is_fact = |id: ClauseId| {
            let status = difference.as_ref().map(|difference| difference.changes[id.site].clauses[id.clause].0);
            matches!(status, Some(ClauseStatus::Inherited | ClauseStatus::Implied))
        };
        let mut answers = Answers::default();
        if arguments.check {
            let progress = arguments.shared.progress();
            answers = check::check(&modified.cfa, &modified.sites, &is_fact, (budget, &progress, arguments.steps))
                .map_err(PropdiffError::from)?;
        }
        let verdicts = self.verdicts(&answers, &is_fact, budget);
        if let Some(file) = &arguments.save_verdicts {
            Output::new(Some(file)).write(|out| verdicts.write(out))?;
        }
        let mut denied = Vec::new();
        if let (Some(difference), Some(original)) = (&difference, &self.original) {
            let report = self.report(original, difference, &verdicts, &answers);
            if arguments.output.is_some() || !arguments.check {
                Output::new(arguments.output.as_deref()).write(|out| report.write(out))?;
            }
            if arguments.explain {
                explain(&self.arguments.shared.console(), &self.modified.name, &original.name, &report);
            }
            denied = denied_in(&report, &arguments.deny);
            for line in &denied {
                self.arguments.shared.console().print(line);
            }
        }
        if arguments.stats {
            stats(&answers, difference.as_ref());
        }
        let exit = if arguments.check { self.answer(&verdicts)? } else { Exit::Success };
        Ok(if denied.is_empty() || exit == Exit::Negative { exit } else { Exit::Negative })
    }

    fn verdicts(&self, answers: &Answers, is_fact: &dyn Fn(ClauseId) -> bool, budget: &Budget) -> AssertionVerdicts {
        let modified = &self.modified;
        let producer = Producer::new("propdiff", env!("CARGO_PKG_VERSION"));
        let program = modified.cfa.program_file(&modified.name);
        let mut verdicts = AssertionVerdicts::new(producer, program, modified.cfa.options.clone());
        let reason = if budget.check() == Some(Exhaustion::Interrupted) { Reason::Interrupted } else { Reason::NotChecked };
        for (number, site) in modified.sites.iter().enumerate() {
            let mut clauses = Vec::new();
            for (position, clause) in site.clauses.iter().enumerate() {
                let id = ClauseId { site: number, clause: position };
                let answer = match answers.of.get(&id) {
                    Some(answer) => answer.clone(),
                    None if is_fact(id) => Answer { verdict: Verdict::True, by: Some("difference"), reads: None },
                    None => Answer { verdict: Verdict::Unknown(reason.clone()), by: None, reads: None },
                };
                let counterexample = answer.reads.map(|reads| {
                    let inputs = reads.iter().map(|read| InputValue {
                        source: origin_name(&modified.cfa, read.request.origin),
                        line: 0,
                        value: origin_constant(&modified.cfa, read.request.origin, read.value),
                        bits: read.value,
                    });
                    let violating = Violating { inputs: inputs.collect() };
                    let known = verdicts.counterexamples.iter().position(|known| *known == violating);
                    known.unwrap_or_else(|| {
                        verdicts.counterexamples.push(violating);
                        verdicts.counterexamples.len() - 1
                    })
                });
                let (text, by) = (clauses::text(&modified.cfa, site, clause), answer.by.map(str::to_owned));
                clauses.push(ClauseVerdict { text, verdict: answer.verdict, by, counterexample });
            }
            verdicts.sites.push(SiteVerdict {
                edge: modified.key(site),
                line: modified.place(number).line,
                style: style(site.style),
                text: clauses::site_text(&modified.cfa, site),
                verdict: Verdict::worst(clauses.iter().map(|clause| &clause.verdict)),
                clauses,
            });
        }
        verdicts
    }

    /// Prints a line for each clause that was looked at, the sums, and the verdict.
    fn answer(&self, verdicts: &AssertionVerdicts) -> miette::Result<Exit> {
        let mut text = String::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for site in &verdicts.sites {
            for clause in &site.clauses {
                let inherited = clause.by.as_deref() == Some("difference");
                let word = match &clause.verdict {
                    Verdict::True if inherited => "inherited",
                    Verdict::True => "proved",
                    Verdict::False(_) => "violated",
                    Verdict::Unknown(_) => "unknown",
                };
                *counts.entry(word).or_default() += 1;
                if !inherited {
                    let line = format!("{}:{}: {}: {}", self.modified.name, site.line, clause.text, clause.verdict);
                    text += &format!("{}\n", formats::shown::one_line(&line));
                }
            }
        }
        let count = |word: &str| counts.get(word).copied().unwrap_or_default();
        text += &format!(
            "{} inherited, {} proved, {} violated, {} unknown; property: {}\n",
            count("inherited"),
            count("proved"),
            count("violated"),
            count("unknown"),
            self.modified.cfa.options.property
        );
        let worst = Verdict::worst(verdicts.sites.iter().map(|site| &site.verdict));
        let exit = Exit::from(&worst);
        console::answer(&format!("{text}{}\n", formats::shown::one_line(&worst.to_string())), exit)?;
        Ok(exit)
    }

    fn report(
        &self,
        original: &Loaded,
        difference: &Difference,
        verdicts: &AssertionVerdicts,
        answers: &Answers,
    ) -> PropertyDifference {
        let modified = &self.modified;
        let producer = Producer::new("propdiff", env!("CARGO_PKG_VERSION"));
        let programs = (original.cfa.program_file(&original.name), modified.cfa.program_file(&modified.name));
        let mut report = PropertyDifference::new(producer, programs, modified.cfa.options.clone(), difference.code);
        for (number, change) in difference.changes.iter().enumerate() {
            let clauses = change.clauses.iter().zip(&verdicts.sites[number].clauses);
            let clauses = clauses.map(|((status, reason), known)| ClauseChange {
                text: known.text.clone(),
                status: *status,
                verdict: known.verdict.clone(),
                stage: match status {
                    ClauseStatus::Inherited => Some("S0".to_owned()),
                    ClauseStatus::Implied => Some("S1".to_owned()),
                    ClauseStatus::Replayed => Some("S2".to_owned()),
                    ClauseStatus::Goal if matches!(known.verdict, Verdict::Unknown(_)) => None,
                    ClauseStatus::Goal => Some("S4".to_owned()),
                },
                reason: reason.clone(),
            });
            report.assertions.push(AssertionChange {
                modified: Some(modified.place(number)),
                original: change.original.map(|site| original.place(site)),
                relation: change.relation,
                clauses: clauses.collect(),
            });
        }
        let removed = difference.removed.iter().map(|site| AssertionChange {
            modified: None,
            original: Some(original.place(*site)),
            relation: Relation::Removed,
            clauses: Vec::new(),
        });
        report.assertions.extend(removed);
        report.statistics.insert("queries of the difference".to_owned(), difference.questions);
        report.statistics.insert("queries of the check".to_owned(), answers.numbers.queries);
        report
    }
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
fn denied_in(report: &PropertyDifference, denied: &[Denied]) -> Vec<String> {
    let kind = |change: &AssertionChange| match change.relation {
        Relation::Weaker => Some(Denied::Weaker),
        Relation::Removed => Some(Denied::Removed),
        Relation::Incomparable => Some(Denied::Unmatched),
        Relation::Same | Relation::Equivalent | Relation::Implied | Relation::Stronger | Relation::Moved | Relation::New => None,
    };
    let refused = report.assertions.iter().filter(|change| kind(change).is_some_and(|kind| denied.contains(&kind)));
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

fn explain(console: &console::Console, modified: &str, original: &str, report: &PropertyDifference) {
    console.print(match report.code {
        Code::Equal => "the code without its assertions is the same",
        Code::Changed => "the code has changed: every clause is checked",
    });
    for change in &report.assertions {
        console.print(told(change, modified, original));
        for clause in &change.clauses {
            console.print(format!("  {}: {}: {}", clause.text, clause.verdict, clause.reason));
        }
    }
}

fn stats(answers: &Answers, difference: Option<&Difference>) {
    let mut numbers = Statistics::new();
    let numbers_of = &answers.numbers;
    numbers.count("queries of the difference", difference.map_or(0, |difference| difference.questions));
    numbers.count("queries of the check", numbers_of.queries);
    numbers.count("steps of the check", numbers_of.steps);
    numbers.seconds("CPU time", Budget::cpu_used().as_secs_f64());
    numbers.print();
}
