//! What changed in the assertions of a program, and a verdict for each with as little new work as possible.
//!
//! * `beside` writes assertions that are given in a file of their own into the program;
//! * `known` reads earlier verdicts and says how far they can be relied on;
//! * `difference` finds which assertion was which, and which clauses keep their TRUE without any exploration (stages S0, S1),
//!   with `implication` for what follows from what and `clauses` for clauses as formulas;
//! * `replay` runs the program on known inputs (S2);
//! * `check` proves again what is known (S3), then has the engine decide the rest, each clause on its own: an assertion that
//!   fails hides no other (S4);
//! * `evaluation` asks whether assertions can be evaluated at all;
//! * `attribution` says what of the change is behind a failure;
//! * `emit` writes what is left as programs, with `statements` for assertions as text;
//! * `report` says all that to people and programs.
//!
//! Source: Yang, Khurshid, Person, Rungta, *Property Differencing for Incremental Checking*, ICSE 2014, with its rules corrected:
//! a FALSE is never handed on to an assertion that says less, and facts come from all clauses of a place.
//! Does not know external verifiers or revisions.

mod arguments;
mod attribution;
mod beside;
mod check;
mod clauses;
mod defined;
mod difference;
mod emit;
mod evaluation;
mod implication;
mod known;
mod matching;
mod replay;
mod report;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use console::{Budget, Ending, Exit, Output};
use engine::assumed::{VACUOUS, is_unsatisfiable};
use formats::assertions::{AssertionPlace, Attribution, ClauseStatus, Code, PropertyDifference};
use formats::verdict::InputValue;
use formats::{EdgeKey, ProgramOptions, Property, Verdict, shown};
use program::Choice;
use program::cfa::Cfa;
use program::preprocess::read_source;
use program::source::SourceFile;
use transform::assertions::{ClauseId, Site, ids, sites};

pub use arguments::{Arguments, Denied, Form, Stage};

use crate::attribution::Attributing;
use crate::beside::Beside;
use crate::check::{Answer, Answers, Audit, Means, Task};
use crate::difference::Difference;
use crate::known::{Known, propose};
use crate::matching::Program;
use crate::replay::{Observed, Seen, similar};
use crate::report::{Outcome, denied_in, explain};

/// The file that says that a folder is this tool's own.
const MARKER: &str = ".propdiff-output";

/// What may be wrong with verdicts of the original.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum PropdiffError {
    /// The program, or how it is read, is another one now.
    #[error("{file}: not the verdicts of {program}: {why}")]
    #[diagnostic(help(
        "the program was edited since, or another file was given; write the verdicts again, with the same options: propdiff --check --save-verdicts {file} {program}"
    ))]
    Stale {
        /// The file.
        file: String,
        /// The program.
        program: String,
        /// What differs.
        why: String,
    },
    /// The assertions are others.
    #[error("{file}: the verdicts are of other assertions than those of {program}")]
    #[diagnostic(help("write them again: propdiff --check --save-verdicts {file} {program}"))]
    OtherAssertions {
        /// The file.
        file: String,
        /// The program.
        program: String,
    },
    /// Inputs of the file show that it is wrong.
    #[error("{file}: says {verdict} of {program}:{line}, but its inputs show otherwise")]
    #[diagnostic(help("write them again: propdiff --check --save-verdicts {file} {program}"))]
    Contradicted {
        /// The file.
        file: String,
        /// The program.
        program: String,
        /// The line of the assertion.
        line: u32,
        /// What the file says.
        verdict: String,
    },
    /// Only a difference has an original.
    #[error("{option} needs two programs")]
    #[diagnostic(help("give ORIGINAL and MODIFIED"))]
    OneProgram {
        /// The option.
        option: &'static str,
    },
    /// A folder is wanted.
    #[error("--to pair writes several files")]
    #[diagnostic(help("name a folder: --to pair -o DIR"))]
    NoFolder,
    /// An assertion is part of something else, or has effects.
    #[error("{program}:{line}: the assertion cannot be taken out of the text: it is no statement of its own, or has effects")]
    #[diagnostic(help("use --check, which needs no text"))]
    Stuck {
        /// The program.
        program: String,
        /// The line.
        line: u32,
    },
    /// What was written would not be read as it should.
    #[error("{program}: the assertions cannot be separated in the text")]
    #[diagnostic(help("use --check, which needs no text; a program of several files has no one text"))]
    NotWritten {
        /// The program.
        program: String,
    },
    /// A property cannot be asserted.
    #[error("{file}: property {number}: {why}")]
    #[diagnostic(help("name a line on which a statement of the program begins, and an expression in C without effects"))]
    NoPlace {
        /// The file of properties.
        file: String,
        /// The property, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
    /// There are more files of properties than programs.
    #[error("--properties is given {number} times")]
    #[diagnostic(help("give it once, for all programs, or twice: first for the original, then for the modified program"))]
    ManyProperties {
        /// How often.
        number: usize,
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
    /// That it is about another property than the one that is looked at.
    aside: Option<String>,
}

impl Loaded {
    fn new(cfa: Cfa, path: &Path) -> Self {
        let sites = sites(&cfa);
        Self { cfa, sites, name: path.display().to_string(), aside: None }
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
    console::keep_apart(arguments.inputs(), arguments.save_verdicts.as_deref().into_iter().chain(arguments.output.as_deref()))?;
    if arguments.check {
        console::set_last_word(|ending: Ending| format!("{}\n", ending.verdict()));
    }
    let mut options = arguments.shared.program_options(task.as_ref())?;
    let choice = if arguments.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
    let (original, modified, source) = programs(&arguments, &mut options, choice)?;
    let known = match (&arguments.verdicts, &original) {
        (Some(file), Some(original)) => Some(Known::read(original, file, &budget)?),
        _ => None,
    };
    if modified.sites.is_empty() {
        console.warning("the program has no assertion: every verdict about it is vacuous");
    }
    if is_unsatisfiable(source.clone(), &options, &budget.stop_flag()) {
        console.warning(VACUOUS);
    }
    original.iter().filter_map(|original| original.aside.as_ref()).for_each(|aside| console.warning(aside));
    let job = Job { arguments: &arguments, original, modified, known, source, budget: &budget };
    job.run()
}

/// The programs with their assertions, and the text of the modified one. Says which property they are about.
fn programs(
    arguments: &Arguments,
    options: &mut ProgramOptions,
    choice: Choice,
) -> miette::Result<(Option<Loaded>, Loaded, SourceFile)> {
    let sets: Vec<Beside> = arguments.properties.iter().map(|file| Beside::read(file)).collect::<miette::Result<_>>()?;
    let (first, last) = match arguments.programs.as_slice() {
        [original, modified] => (Some(original), modified),
        // One program with two sets of properties is its own original.
        [program] if sets.len() == 2 => (Some(program), program),
        [modified, ..] => (None, modified),
        [] => return Err(PropdiffError::NothingAsked.into()),
    };
    let plain = read_source(last, options)?;
    let about = program::load_source_about(plain.clone(), options, choice)?;
    options.property = about.options.property;
    let text = |source: SourceFile, set: Option<&Beside>, options: &ProgramOptions| match set {
        Some(set) => set.written(&source, options),
        None => Ok(source),
    };
    let mut source = text(plain.clone(), sets.last(), options)?;
    let cfa = if sets.is_empty() { about } else { program::load_source(source.clone(), options)? };
    let mut modified = Loaded::new(cfa, last);
    let mut original = None;
    if let Some(path) = first {
        let mut before = read_source(path, options)?;
        let mut aside = None;
        if let Some(implied) = implied(&before, options, choice)? {
            // Where all assertions were taken out, those of the original say what it is about.
            if modified.sites.is_empty() {
                options.property = implied;
                source = text(plain, sets.last(), options)?;
                modified = Loaded::new(program::load_source(source.clone(), options)?, last);
            } else {
                aside = Some(not_compared(path, implied, options.property));
            }
        }
        before = text(before, sets.first(), options)?;
        original = Some(Loaded { aside, ..Loaded::new(program::load_source(before, options)?, path) });
    }
    Ok((original, modified, source))
}

/// The property that the original is about if that is another one than the modified program is about, and nobody has named any.
fn implied(original: &SourceFile, options: &ProgramOptions, choice: Choice) -> miette::Result<Option<Property>> {
    if choice == Choice::Named {
        return Ok(None);
    }
    let unnamed = ProgramOptions { property: Property::UnreachCall, ..options.clone() };
    let about = program::load_source_about(original.clone(), &unnamed, choice)?;
    let implied = about.options.property;
    Ok((program::can_violate(&about) && implied != options.property).then_some(implied))
}

fn not_compared(original: &Path, implied: Property, looked_at: Property) -> String {
    let name = shown::name(original);
    format!("{name} is about {implied}, which is not compared: the modified program is about {looked_at} (--property {implied})")
}

fn refuse(arguments: &Arguments) -> Result<(), PropdiffError> {
    let one = arguments.programs.len() == 1 && arguments.properties.len() < 2;
    match () {
        () if arguments.properties.len() > 2 => Err(PropdiffError::ManyProperties { number: arguments.properties.len() }),
        () if one && arguments.verdicts.is_some() => Err(PropdiffError::OneProgram { option: "--verdicts" }),
        () if one && !arguments.deny.is_empty() => Err(PropdiffError::OneProgram { option: "--deny" }),
        () if one && arguments.output.is_some() => Err(PropdiffError::OneProgram { option: "--output" }),
        () if one && arguments.to != Form::Json => Err(PropdiffError::OneProgram { option: "--to" }),
        () if one && arguments.audit.is_some() => Err(PropdiffError::OneProgram { option: "--audit" }),
        () if arguments.to == Form::Pair && arguments.output.is_none() => Err(PropdiffError::NoFolder),
        () if one && !arguments.check => Err(PropdiffError::NothingAsked),
        () => Ok(()),
    }
}

struct Job<'a> {
    arguments: &'a Arguments,
    original: Option<Loaded>,
    modified: Loaded,
    known: Option<Known>,
    /// The text of the modified program.
    source: SourceFile,
    budget: &'a Budget,
}

impl Job<'_> {
    fn run(&self) -> miette::Result<Exit> {
        let arguments = self.arguments;
        let mut answers = Answers::default();
        let mut difference = None;
        if let Some(original) = &self.original {
            difference = Some(self.difference(original, &mut answers)?);
        }
        if arguments.check {
            self.check(difference.as_mut(), &mut answers)?;
        } else if let Some(difference) = &difference {
            self.believe(difference, &mut answers);
        }
        if let (Some(difference), Some(original)) = (&mut difference, &self.original) {
            self.attribute(original, difference, &mut answers)?;
        }
        let difference = difference;
        let outcome = Outcome::new(&self.modified, &answers, self.known.as_ref(), self.budget);
        let mut denied = Vec::new();
        let mut report = None;
        if let (Some(difference), Some(original)) = (&difference, &self.original) {
            let told = outcome.difference(original, difference, &answers);
            if arguments.explain {
                explain(&arguments.shared.console(), &self.modified.name, &original.name, &told);
            }
            denied = denied_in(&told, &arguments.deny);
            // What is not compared may be gone.
            let aside = original.aside.iter().filter(|_| arguments.deny.contains(&Denied::Removed));
            denied.extend(aside.map(|aside| format!("denied: {aside}")));
            for line in &denied {
                arguments.shared.console().print(line);
            }
            report = Some(told);
        }
        if arguments.stats {
            report::stats(&answers, difference.as_ref());
        }
        let exit = if arguments.check { outcome.worst().1 } else { Exit::Success };
        let exit = if denied.is_empty() || exit == Exit::Negative { exit } else { Exit::Negative };
        if arguments.check {
            // What is yet to be written may fail: the verdict does not depend on it.
            let ended = if self.writes() { Exit::Usage } else { exit };
            match arguments.json {
                true => outcome.json(report.as_ref(), ended)?,
                false => outcome.answer(&answers, ended)?,
            }
        }
        if let Some(file) = &arguments.save_verdicts {
            Output::new(Some(file)).write(|out| outcome.verdicts.write(out))?;
        }
        if let Some(folder) = &arguments.harness {
            self.harnesses(folder, &answers)?;
        }
        if let (Some(difference), Some(original), Some(told)) = (&difference, &self.original, &report) {
            self.write(original, (difference, told), &answers)?;
        }
        Ok(exit)
    }

    /// Whether files are written.
    fn writes(&self) -> bool {
        let Arguments { save_verdicts, harness, output, .. } = self.arguments;
        save_verdicts.is_some() || harness.is_some() || output.is_some()
    }

    /// Writes what was asked for.
    fn write(
        &self,
        original: &Loaded,
        (difference, report): (&Difference, &PropertyDifference),
        answers: &Answers,
    ) -> miette::Result<()> {
        let (modified, output) = (&self.modified, self.arguments.output.as_deref());
        let console = self.arguments.shared.console();
        match self.arguments.to {
            Form::Json if output.is_some() || !self.arguments.check => Output::new(output).write(|out| report.write(out))?,
            Form::C if output.is_some() || !self.arguments.check => {
                let is_proved = |id| self.is_proved(difference, answers, id);
                let (text, stuck) = emit::goals(modified, answers, (&BTreeSet::new(), &is_proved))?;
                for line in stuck {
                    console.warning(format!("{}:{line}: the assertion stays as it is: it cannot be taken out", modified.name));
                }
                Output::new(output).write_text(&text)?;
            }
            Form::Pair => {
                let folder = output.ok_or(PropdiffError::NoFolder)?;
                let (files, number) = emit::pair((original, modified), (difference, answers), self.known.as_ref())?;
                self.fill(folder, &files)?;
                console.note(format!("{number} assertions are in both programs of the pair"));
            }
            Form::Json | Form::C => {}
        }
        Ok(())
    }

    /// Whether a clause was proved, of this program or, where that is enough, of the original.
    fn is_proved(&self, difference: &Difference, answers: &Answers, id: ClauseId) -> bool {
        let from = difference.changes[id.site].facts.get(&id.clause).filter(|facts| !facts.is_empty());
        let known = |from: &Vec<ClauseId>| self.known.as_ref().is_some_and(|known| from.iter().all(|id| known.is_proved(*id)));
        answers.of.get(&id).is_some_and(|answer| !answer.rests_on_file || from.is_some_and(known))
    }

    /// Says of every failure what of the change is behind it.
    fn attribute(&self, original: &Loaded, difference: &mut Difference, answers: &mut Answers) -> miette::Result<()> {
        if answers.of.values().all(|answer| answer.inputs.is_none()) {
            return Ok(());
        }
        // Most failures are told without asking how assertions relate.
        let early = Attributing::new(original, &self.modified, difference, self.budget);
        let mut known: Vec<(usize, Vec<InputValue>, Option<Attribution>)> = Vec::new();
        for (id, answer) in &answers.of {
            let Some(inputs) = &answer.inputs else { continue };
            if !known.iter().any(|(site, read, _)| *site == id.site && read == inputs) {
                known.push((id.site, inputs.clone(), early.of_any(id.site, inputs)));
            }
        }
        if known.iter().any(|(.., found)| found.is_none()) {
            let [old, new] = [original, &self.modified].map(|loaded| Program { cfa: &loaded.cfa, sites: &loaded.sites });
            let stop = self.budget.stop_flag();
            let related = smt::z3::interruptible(&stop, || difference.relate(&old, &new, &stop));
            related.map_err(PropdiffError::from)?;
        }
        let mut attributing = Attributing::new(original, &self.modified, difference, self.budget);
        for (site, inputs, found) in &mut known {
            found.get_or_insert_with(|| attributing.of(*site, inputs));
        }
        for (id, answer) in &mut answers.of {
            let Some(inputs) = &answer.inputs else { continue };
            let found = known.iter().find(|(site, read, _)| *site == id.site && read == inputs);
            answer.attribution = found.and_then(|(.., found)| *found);
        }
        Ok(())
    }

    /// Whether anybody will read how assertions relate.
    fn reports(&self) -> bool {
        let Arguments { check, json, explain, output, deny, .. } = self.arguments;
        !check || *json || *explain || output.is_some() || !deny.is_empty()
    }

    /// A C file for each clause that fails: the program, in which only that clause is left.
    fn harnesses(&self, folder: &Path, answers: &Answers) -> miette::Result<()> {
        let modified = &self.modified;
        let failing = answers.of.iter().filter_map(|(id, answer)| Some((*id, answer.inputs.as_ref()?)));
        let mut files = Vec::new();
        for (id, inputs) in failing {
            let name = format!("line-{}-site-{}-clause-{}.c", modified.place(id.site).line, id.site, id.clause);
            match emit::harness(modified, id, inputs) {
                Some(text) => files.push((name, text)),
                None => self.arguments.shared.console().warning(format!(
                    "{}:{}: no harness: other assertions cannot be taken out of the text",
                    modified.name,
                    modified.place(id.site).line
                )),
            }
        }
        if files.is_empty() { Ok(()) } else { self.fill(folder, &files) }
    }

    /// Writes files into a folder that is this tool's own.
    fn fill(&self, folder: &Path, files: &[(String, String)]) -> miette::Result<()> {
        let _held = console::claim(folder, MARKER, "propdiff")?;
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.join(name)).collect();
        for path in &paths {
            console::refuse_link(path)?;
        }
        console::keep_apart(self.arguments.inputs(), paths.iter().map(PathBuf::as_path))?;
        for (path, (_, text)) in paths.iter().zip(files) {
            Output::new(Some(path)).write_text(text)?;
        }
        Ok(())
    }

    /// What changed, and which clauses known inputs violate.
    fn difference(&self, original: &Loaded, answers: &mut Answers) -> miette::Result<Difference> {
        let programs = [original, &self.modified].map(|loaded| Program { cfa: &loaded.cfa, sites: &loaded.sites });
        let stop = self.budget.stop_flag();
        let mut contradicted = None;
        let mut replays = |code: Code, inherited: &[ClauseId]| {
            let violated = self.replay(answers);
            // The same code violates what the file says it does not.
            contradicted = inherited.iter().find(|id| code == Code::Equal && violated.contains(id)).copied();
            violated
        };
        let known = self.known.as_ref();
        let found = smt::z3::interruptible(&stop, || {
            difference::difference(
                &programs[0],
                &programs[1],
                known,
                (&mut replays, self.reports(), &self.arguments.without),
                &stop,
            )
        });
        let found = found.map_err(PropdiffError::from)?;
        if let (Some(id), Some(known)) = (contradicted, known) {
            let other = found.changes[id.site].original.unwrap_or(id.site);
            return Err(known.contradicted(original, ClauseId { site: other, ..id }).into());
        }
        Ok(found)
    }

    fn runs(&self, stage: Stage) -> bool {
        !self.arguments.without.contains(&stage)
    }

    /// Stage S2: the clauses that known inputs violate, or inputs near them.
    fn replay(&self, answers: &mut Answers) -> BTreeSet<ClauseId> {
        let inputs: Vec<_> = self.known.iter().flat_map(Known::inputs).collect();
        if inputs.is_empty() || !self.runs(Stage::Replayed) {
            return BTreeSet::new();
        }
        let observed = Observed::new(&self.modified.cfa, &self.modified.sites);
        let mut seen: Vec<Seen> = inputs.iter().map(|(one, length)| observed.on(one, similar(*length), self.budget)).collect();
        if self.arguments.check {
            let longest = inputs.iter().map(|(_, length)| *length).max().unwrap_or(0);
            let inputs: Vec<&[InputValue]> = inputs.iter().map(|(one, _)| *one).collect();
            seen.extend(observed.near(&inputs, longest, self.budget));
        }
        let property = self.modified.cfa.options.property;
        let mut violated = BTreeSet::new();
        for one in seen {
            for id in one.violated {
                let inputs = Some(one.inputs.clone());
                let answer = Answer { inputs, stage: Some(Stage::Replayed), ..Answer::of(Verdict::False(property)) };
                answers.of.entry(id).or_insert(answer);
                violated.insert(id);
            }
        }
        violated
    }

    fn check(&self, mut difference: Option<&mut Difference>, answers: &mut Answers) -> miette::Result<()> {
        let modified = &self.modified;
        let proposed = self
            .known
            .as_ref()
            .filter(|_| self.runs(Stage::Confirmed))
            .and_then(|known| propose(known.invariants(), modified, self.source.clone(), &modified.cfa.options));
        let (cfa, sites, proposals) = match &proposed {
            Some(proposed) => (&proposed.cfa, &proposed.sites, proposed.formulas.as_slice()),
            None => (&modified.cfa, &modified.sites, &[][..]),
        };
        let (mut expected, mut open) = (BTreeMap::new(), BTreeSet::new());
        for id in ids(&modified.sites).filter(|id| !answers.of.contains_key(id)) {
            match difference.as_ref().map(|difference| difference.status(id)) {
                Some(ClauseStatus::Inherited) => _ = expected.insert(id, Stage::Same),
                Some(ClauseStatus::Implied) => _ = expected.insert(id, Stage::Implied),
                Some(ClauseStatus::Replayed | ClauseStatus::Goal) | None => _ = open.insert(id),
            }
        }
        let same = difference.as_ref().is_some_and(|difference| difference.code == Code::Equal);
        let confirms = self.known.is_some() && (same || !proposals.is_empty());
        let seed = modified.cfa.program_file(&modified.name).sha256;
        let audit = self.arguments.audit.map(|percent| Audit { percent, seed: &seed });
        let task = Task { cfa, sites, proposals, expected, open, audit, confirms, without: &self.arguments.without };
        let progress = self.arguments.shared.progress();
        let means = Means { budget: self.budget, progress: &progress, steps: self.arguments.steps };
        let stop = self.budget.stop_flag();
        let mut follows = |open: &BTreeSet<ClauseId>| match (&mut difference, &self.original) {
            (Some(difference), Some(original)) if self.runs(Stage::Implied) => {
                let [old, new] = [original, &self.modified].map(|loaded| Program { cfa: &loaded.cfa, sites: &loaded.sites });
                difference.implied((&old, &new), self.known.as_ref(), open, &stop)
            }
            _ => Ok(BTreeSet::new()),
        };
        let found = check::check(&task, means, &mut follows).map_err(PropdiffError::from)?;
        let replayed = std::mem::take(&mut answers.of);
        *answers = found;
        answers.of.extend(replayed);
        let evaluated = evaluation::evaluations(modified, &self.source, means)?;
        answers.evaluations = evaluated.of;
        answers.queries += evaluated.queries;
        answers.steps += evaluated.steps;
        Ok(())
    }

    /// Without a check, what is inherited rests on the file.
    fn believe(&self, difference: &Difference, answers: &mut Answers) {
        for id in ids(&self.modified.sites) {
            let stage = match difference.status(id) {
                ClauseStatus::Inherited => Stage::Same,
                ClauseStatus::Implied => Stage::Implied,
                ClauseStatus::Replayed | ClauseStatus::Goal => continue,
            };
            let answer = Answer { by: Some("difference"), stage: Some(stage), rests_on_file: true, ..Answer::of(Verdict::True) };
            answers.of.entry(id).or_insert(answer);
        }
    }
}
