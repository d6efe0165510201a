//! Which facts hold in which versions of a program, and between which they changed.
//!
//! * `asked` puts together what is asked: `points` finds places that versions have in common, `expression` reads facts,
//!   `families`, `shapes` and `definitions` propose some, `foreign` has those of witnesses;
//! * `prepare` says what each fact is in a version, with `definedness` for when it has a value;
//! * `judge` runs versions on inputs: nothing but such a run makes a fact fail;
//! * `settle` weaves the versions and has the engine answer for all of them at once; what is left is asked of each alone;
//!   `obstacles` says what need not be asked before it is known that a run comes there at all;
//! * `table` makes letters of answers, `tidy` leaves out what says little, `blame` finds the code behind what changed, `report`
//!   says them to people, `witness` and `emit` to other tools, `dot` draws the weave; `earlier` knows tables of other runs, `shown` writes one again.
//!
//! Source: Kallingal Joshy, Le, *Invariant Diffs* (arXiv 1911.07988), with three-valued results: that nothing was found is
//! not that nothing holds.
//! Does not know revisions.

mod arguments;
mod asked;
mod blame;
mod definedness;
mod definitions;
mod dot;
mod earlier;
mod emit;
mod expression;
mod families;
mod foreign;
mod judge;
mod marks;
mod observe;
mod obstacles;
mod points;
mod prepare;
mod question;
mod renames;
mod report;
mod settle;
mod shapes;
mod shown;
mod solve;
mod table;
mod templates;
mod tidy;
mod watch;
mod witness;

use std::collections::VecDeque;

use console::{Budget, Console, Exit, Output};
use engine::assumed::{VACUOUS, is_unsatisfiable};
use engine::session::Clock;
use formats::invariant_table::{InvariantTable, VersionFile};
use formats::{Producer, ProgramOptions};
use program::preprocess::read_source;

pub use arguments::{Arguments, FailOn, Family, Form};
pub use emit::EmitError;

use crate::asked::{add, once};
use crate::earlier::Earlier;
use crate::emit::{Emission, Left};
use crate::expression::Text;
use crate::judge::Judges;
use crate::points::Point;
use crate::prepare::{Fact, Prepared, Version};
use crate::question::Questions;
use crate::renames::Renames;
use crate::settle::{Means, Numbers, settle};
use crate::shown::tell;
use crate::solve::TEMPLATE;
use crate::table::Rows;

/// Versions that are compared.
const VERSIONS: std::ops::RangeInclusive<usize> = 2..=transform::weave::MOST_VERSIONS;

/// Steps for all versions together, and for each alone, if nobody says how many.
const STEPS: u64 = 600_000;
const ALONE: u64 = 400_000;

/// How many times as many are given next, where a budget is left.
const MORE: u64 = 8;

/// The versions that could be read.
fn readable(prepared: &[Option<Prepared>]) -> Vec<usize> {
    (0..prepared.len()).filter(|at| prepared[*at].is_some()).collect()
}

/// What may be wrong with what is asked.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum InvdiffError {
    /// Too few or too many.
    #[error("{0} versions: 2 to {most} can be compared", most = VERSIONS.end())]
    Count(usize),
    /// Too few of them are C.
    #[error("fewer than two versions can be read; {label}: {reason}")]
    Unreadable {
        /// One that cannot.
        label: String,
        /// Why.
        reason: String,
    },
    /// A point cannot be used.
    #[error("{0}")]
    Point(String),
    /// Fewer than two versions have it.
    #[error("fewer than two versions have the point {point}: {reason}")]
    #[diagnostic(help("versions have in common: {common}"))]
    Unmatched {
        /// Its name.
        point: String,
        /// Why one has not.
        reason: String,
        /// Others that they have.
        common: String,
    },
    /// A fact is no expression.
    #[error("`{fact}`: {reason}")]
    #[diagnostic(help("write a C expression over what is in scope at the point in some version"))]
    Fact {
        /// Its text.
        fact: String,
        /// What is wrong.
        reason: String,
    },
    /// A file has no facts.
    #[error("{file}: line {line} is not `POINT: EXPRESSION`")]
    Line {
        /// The file.
        file: String,
        /// The line.
        line: usize,
    },
    /// A witness of what is no program.
    #[error("version {0} cannot have a witness: it is not there, or could not be read")]
    Witness(usize),
    /// A witness would be read as one of all runs.
    #[error("a witness is about all runs, and --defined asks about some")]
    #[diagnostic(help("leave out --defined"))]
    SomeRuns,
    /// A witness says that something happens.
    #[error("{0} is no correctness witness: it says nothing that holds")]
    NoInvariants(String),
    /// A witness is of another program.
    #[error("{file}: the witness is of none of the versions: none has the hash {hash}")]
    OtherProgram {
        /// The file.
        file: String,
        /// The hash of its program.
        hash: String,
    },
    /// A table is no program.
    #[error("one table is written once more as text or json, and nothing else can be asked of it")]
    #[diagnostic(help("give the versions, and the table with --invariants or --reuse"))]
    Again,
    /// Nothing is open, for nothing is decided.
    #[error("--open says what `--to c` leaves out")]
    #[diagnostic(help("give --to c, or --reuse to go on from a table"))]
    Open,
    /// A table is of other versions.
    #[error("{file}: the table is of other versions: {why}")]
    OtherVersions {
        /// The file.
        file: String,
        /// How they differ.
        why: String,
    },
    /// What is asked of a program for others.
    #[error("no fact is asked for: `--to c` decides nothing, and so proposes nothing")]
    #[diagnostic(help("give --of, --invariants or --open"))]
    NoFact,
    /// Constants are to be found, and nothing is decided.
    #[error("`--to c` decides nothing, and so finds no constants for `?`")]
    #[diagnostic(help("write a table first, and give it with --invariants"))]
    Unsolved,
    /// There is no picture.
    #[error("the versions cannot be drawn as one program: {0}")]
    Weave(#[from] transform::weave::WeaveError),
    /// What is written cannot be put together.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// Properties are asked elsewhere.
    #[error("invdiff asks for facts, not for a property")]
    #[diagnostic(help("leave out --property"))]
    Property,
    /// The linked solver cannot be used.
    #[error(transparent)]
    Solver(#[from] smt::z3::Z3Error),
}

/// Runs the tool.
///
/// # Errors
/// A report of what cannot be read, used or written.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let budget = arguments.shared.budget()?;
    let task = arguments.shared.load_task()?;
    if let [path] = arguments.versions.as_slice()
        && let Some(table) = shown::table(path)?
    {
        return shown::again(&arguments, &table);
    }
    if !VERSIONS.contains(&arguments.versions.len()) {
        return Err(InvdiffError::Count(arguments.versions.len()).into());
    }
    if !arguments.shared.property.is_empty() {
        return Err(InvdiffError::Property.into());
    }
    if let Form::Witness(number) = arguments.to {
        if number > arguments.versions.len() {
            return Err(InvdiffError::Witness(number).into());
        }
        if arguments.defined {
            return Err(InvdiffError::SomeRuns.into());
        }
    }
    if arguments.open.is_some() && arguments.to != Form::C {
        return Err(InvdiffError::Open.into());
    }
    let given = arguments.invariants.iter().chain(&arguments.open).chain(&arguments.reuse);
    let inputs = arguments.versions.iter().chain(given).map(std::path::PathBuf::as_path);
    console::keep_apart(inputs, arguments.output.as_deref())?;
    let options = ProgramOptions { property: formats::Property::UnreachCall, ..arguments.shared.program_options(task.as_ref())? };
    let (versions, files) = read(&arguments, &options, &console)?;
    let earlier = Earlier::read(&arguments, &files)?;
    let renames = Renames::new(&versions);
    let job = Job { arguments: &arguments, versions, files: files.clone(), budget: &budget, earlier, renames };
    let mut table = InvariantTable::new(Producer::new("invdiff", env!("CARGO_PKG_VERSION")), options, files);
    let is_vacuous = |version: &Version| is_unsatisfiable(version.source.clone(), &version.cfa.options, &budget.stop_flag());
    if job.versions.iter().flatten().any(is_vacuous) {
        console.warning(VACUOUS);
        table.assumptions.push(VACUOUS.to_owned());
    }
    job.run(table)
}

/// Reads all versions. One that is no program takes part in nothing.
fn read(
    arguments: &Arguments,
    options: &ProgramOptions,
    console: &Console,
) -> miette::Result<(Vec<Option<Version>>, Vec<VersionFile>)> {
    let (mut versions, mut files) = (Vec::new(), Vec::new());
    let mut unreadable = None;
    for path in &arguments.versions {
        let label = path.display().to_string();
        let source = read_source(path, options)?;
        let found = program::load_source(source.clone(), options);
        let (version, file) = match found {
            Ok(cfa) => {
                let program = Some(cfa.program_file(&*label));
                (Some(Version { source, cfa }), VersionFile { label, program, unreadable: None })
            }
            Err(error) => {
                console.warning_at(&error);
                let reason = error.to_string();
                unreadable.get_or_insert_with(|| (label.clone(), reason.clone()));
                (None, VersionFile { label, program: None, unreadable: Some(reason) })
            }
        };
        versions.push(version);
        files.push(file);
    }
    match unreadable {
        Some((label, reason)) if versions.iter().flatten().count() < 2 => Err(InvdiffError::Unreadable { label, reason }.into()),
        _ => Ok((versions, files)),
    }
}

struct Job<'a> {
    arguments: &'a Arguments,
    versions: Vec<Option<Version>>,
    files: Vec<VersionFile>,
    budget: &'a Budget,
    earlier: Earlier,
    renames: Renames,
}

impl Job<'_> {
    fn run(&self, mut table: InvariantTable) -> miette::Result<Exit> {
        let (points, mut facts, templates) = self.asked()?;
        let mut numbers = Numbers::default();
        let solved = self.solved(&points, templates, &mut numbers)?;
        for one in &solved {
            let texts = one.facts.iter().filter_map(|(_, text)| Text::parse(text).ok());
            let new = texts.map(|text| Fact { point: one.point, text, family: TEMPLATE });
            new.for_each(|fact| add(&mut facts, fact));
        }
        let asked = facts.len();
        if self.arguments.to != Form::C {
            facts.extend(self.helping(&points, &facts)?);
        }
        let mut prepared = self.prepared(&points, &facts)?;
        let asked = once(&mut facts, &mut prepared, asked);
        let (facts, helping) = facts.split_at(asked);
        self.refuse(&points, facts, &prepared)?;
        let mut questions = Questions::new(&prepared, points.len(), (facts.len(), helping.len()));
        if self.arguments.to == Form::C {
            return self.emit(&table, &prepared, (&points, facts), &mut questions);
        }
        let steps = self.arguments.steps.map_or((STEPS, ALONE), |steps| (steps, steps));
        self.answer(&prepared, &mut questions, &mut numbers, steps)?;
        self.persist(&prepared, &mut questions, &mut numbers, steps)?;
        Rows { points: &points, facts, prepared: &prepared, questions: &questions }.write(&mut table);
        tidy::tidy(&mut table);
        solve::tell(&mut table, &solved);
        blame::blame(&mut table, facts, &prepared, &questions);
        table.assumptions = self.assumptions();
        for (name, number) in [
            ("queries", numbers.queries),
            ("steps", numbers.steps),
            ("programs", numbers.programs),
            ("edges of the weave", numbers.woven),
            ("edges of all versions", self.versions.iter().flatten().map(|one| one.cfa.edges.len() as u64).sum()),
        ] {
            table.statistics.insert(name.to_owned(), number);
        }
        let form = self.form(&table, &prepared, (&points, facts))?;
        tell(self.arguments, &table, &form)
    }

    /// Writes what is asked as a program, and decides nothing.
    fn emit(
        &self,
        table: &InvariantTable,
        prepared: &[Option<Prepared>],
        asked: (&[Point], &[Fact]),
        questions: &mut Questions,
    ) -> miette::Result<Exit> {
        let files = table.versions.iter().map(|file| (file.label.as_str(), file.program.as_ref())).collect();
        let left = self.earlier.open.as_ref().map(Left);
        let text = Emission { prepared, files, asked, left }.text(questions)?;
        Output::new(self.arguments.output.as_deref()).write_text(&text)?;
        Ok(Exit::Success)
    }

    /// What is written.
    fn form(&self, table: &InvariantTable, prepared: &[Option<Prepared>], asked: (&[Point], &[Fact])) -> miette::Result<String> {
        let mut bytes = Vec::new();
        match self.arguments.to {
            Form::Text | Form::C => return Ok(report::text(table)),
            Form::Dot => return Ok(dot::dot(prepared, asked.0).map_err(InvdiffError::from)?),
            Form::Json => return Ok(shown::json(table)?),
            Form::Witness(number) => {
                let number = number - 1;
                let (Some(version), Some(one)) = (&self.versions[number], &prepared[number]) else {
                    return Err(InvdiffError::Witness(number + 1).into());
                };
                let found = witness::witness(table, number, (version, one), asked)?;
                let found = found.ok_or(InvdiffError::Witness(number + 1))?;
                found.write_yaml(&mut bytes).map_err(InvdiffError::from)?;
            }
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn assumptions(&self) -> Vec<String> {
        let mut all = vec![
            (if self.arguments.defined {
                "nothing undefined happens; what pointers lead to is supposed to be there"
            } else {
                "undefined behaviour does not occur; signed overflow wraps, and what is indeterminate has any value"
            })
            .to_owned(),
            "memory that is asked for is there".to_owned(),
        ];
        for version in self.versions.iter().flatten() {
            let new: Vec<String> = version.cfa.assumptions.iter().filter(|one| !all.contains(one)).cloned().collect();
            all.extend(new);
        }
        all
    }

    /// Tries inputs, then asks with so many steps.
    fn answer(
        &self,
        prepared: &[Option<Prepared>],
        questions: &mut Questions,
        numbers: &mut Numbers,
        steps: (u64, u64),
    ) -> Result<(), InvdiffError> {
        let progress = self.arguments.shared.progress();
        let mut judges = Judges::default();
        progress.phase("running versions");
        let read = readable(prepared);
        for version in &read {
            if let Some(one) = &prepared[*version] {
                self.earlier.inputs.iter().for_each(|inputs| judges.replay(one, *version, questions, inputs));
                judges.sample(one, *version, questions, &|| !self.budget.exhausted());
            }
        }
        self.ask((prepared, &read), (questions, &mut judges), numbers, steps)?;
        progress.finish();
        Ok(())
    }

    /// Asks what is open again with more steps, as long as these find something to do and a budget is left that somebody gave.
    fn persist(
        &self,
        prepared: &[Option<Prepared>],
        questions: &mut Questions,
        numbers: &mut Numbers,
        mut steps: (u64, u64),
    ) -> Result<(), InvdiffError> {
        let read = readable(prepared);
        let is_limited = || self.arguments.steps.is_some() || self.budget.remaining().is_none() || self.budget.exhausted();
        let mut before = 0;
        while !is_limited() && read.iter().any(|version| questions.any_open(*version)) {
            steps = (steps.0.saturating_mul(MORE), steps.1.saturating_mul(MORE));
            let begin = numbers.steps;
            self.ask((prepared, &read), (questions, &mut Judges::default()), numbers, steps)?;
            let spent = numbers.steps - begin;
            if spent <= before {
                break;
            }
            before = spent;
        }
        self.arguments.shared.progress().finish();
        Ok(())
    }

    /// Asks of all versions together, then of each alone.
    fn ask(
        &self,
        (prepared, read): (&[Option<Prepared>], &[usize]),
        (questions, judges): (&mut Questions, &mut Judges),
        numbers: &mut Numbers,
        steps: (u64, u64),
    ) -> Result<(), InvdiffError> {
        let progress = self.arguments.shared.progress();
        let clock = if self.arguments.steps.is_some() { Clock::None } else { Clock::Seconds };
        // All together, then halves of those of which something is open, down to each alone.
        let first =
            if self.arguments.separate { read.iter().map(|version| vec![*version]).collect() } else { judges.groups(read) };
        let most = first.iter().map(Vec::len).max().unwrap_or(0);
        let mut groups: VecDeque<Vec<usize>> = first.into();
        while let Some(group) = groups.pop_front() {
            if self.budget.exhausted() {
                break;
            }
            if !group.iter().any(|version| questions.any_open(*version)) {
                continue;
            }
            let names: Vec<String> = group.iter().map(|version| (version + 1).to_string()).collect();
            progress.phase(&format!("versions {}", names.join(", ")));
            let steps = if group.len() == most || self.arguments.separate { steps.0 } else { steps.1 };
            // Many versions are one program that is larger, if by little.
            let steps = steps.saturating_mul(u64::from(group.len().ilog2().max(1)));
            let open = questions.open(&group);
            let means = Means { budget: self.budget, steps, clock };
            let is_asked = settle(&group, prepared, (questions, judges), means, numbers)?;
            if group.len() > 1 {
                let (first, second) = group.split_at(group.len().div_ceil(2));
                if !is_asked || questions.open(&group) < open {
                    groups.extend([first.to_vec(), second.to_vec()]);
                } else {
                    // Fewer of them would not be easier: each with all that is known of it.
                    groups.extend(group.iter().map(|version| vec![*version]));
                }
            }
        }
        Ok(())
    }
}
