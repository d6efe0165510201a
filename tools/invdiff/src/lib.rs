//! Which facts hold in which versions of a program, and between which they changed.
//!
//! * `points` finds places that versions have in common, `expression` reads facts, `families` proposes some;
//! * `prepare` says what each fact is in a version, with `definedness` for when it has a value;
//! * `judge` runs versions on inputs: nothing but such a run makes a fact fail;
//! * `settle` weaves the versions and has the engine answer for all of them at once; what is left is asked of each alone;
//! * `table` makes letters of answers, `blame` finds the code behind what changed, `report` says them to people,
//!   `witness` and `emit` to other tools, `dot` draws the weave; `earlier` knows tables of other runs.
//!
//! Source: Kallingal Joshy, Le, *Invariant Diffs* (arXiv 1911.07988), with three-valued results: that nothing was found is
//! not that nothing holds.
//! Does not know revisions.

mod arguments;
mod blame;
mod definedness;
mod dot;
mod earlier;
mod emit;
mod expression;
mod families;
mod judge;
mod marks;
mod observe;
mod points;
mod prepare;
mod question;
mod renames;
mod report;
mod settle;
mod solve;
mod table;
mod templates;
mod watch;
mod witness;

use std::collections::{BTreeMap, VecDeque};

use console::{Budget, Console, Exit, Input, Output, Statistics};
use engine::session::Clock;
use formats::invariant_table::{ChurnKind, InvariantTable, VersionFile};
use formats::{Producer, ProgramOptions};
use program::diagnostic::Diagnostic;
use program::preprocess::read_source;

pub use arguments::{Arguments, FailOn, Family, Form};
pub use emit::EmitError;

use crate::earlier::{EARLIER, Earlier};
use crate::emit::{Emission, Left};
use crate::expression::Text;
use crate::judge::Judges;
use crate::points::Point;
use crate::prepare::{Fact, Meaning, Prepared, Runs, Spot, Version, prepare};
use crate::question::Questions;
use crate::renames::Renames;
use crate::settle::{Means, Numbers, settle};
use crate::solve::TEMPLATE;
use crate::table::Rows;
use crate::templates::Template;

/// Versions that are compared.
const VERSIONS: std::ops::RangeInclusive<usize> = 2..=transform::weave::MOST_VERSIONS;

/// Steps for all versions together, and for each alone, if nobody says how many.
const STEPS: u64 = 600_000;
const ALONE: u64 = 400_000;

/// Facts for each point that nobody asks for.
const HELPING: usize = 16;

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
    let job = Job { arguments: &arguments, versions, budget: &budget, earlier, renames };
    job.run(InvariantTable::new(Producer::new("invdiff", env!("CARGO_PKG_VERSION")), options, files))
}

/// Points, facts at them, and templates with the positions of their points.
type Wanted = (Vec<Point>, Vec<Fact>, Vec<(usize, Template)>);

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
        Rows { points: &points, facts, prepared: &prepared, questions: &questions }.write(&mut table);
        tidy(&mut table);
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
        self.tell(&table, &form)
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
            Form::Json => table.write(&mut bytes).map_err(InvdiffError::from)?,
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

    fn tell(&self, table: &InvariantTable, form: &str) -> miette::Result<Exit> {
        if self.arguments.stats {
            let mut statistics = Statistics::new();
            table.statistics.iter().for_each(|(name, number)| statistics.count(name, *number));
            statistics.seconds("cpu", Budget::cpu_used().as_secs_f64());
            statistics.print();
        }
        Output::new(self.arguments.output.as_deref()).write_text(form)?;
        let is_bad = |kind: ChurnKind| {
            self.arguments.fail_on.iter().any(|bad| match bad {
                FailOn::Broken => kind == ChurnKind::Broken,
                FailOn::Gained => kind == ChurnKind::Gained,
                FailOn::Open => kind == ChurnKind::Open,
            })
        };
        let is_open = |one: &formats::invariant_table::Instance| one.status.chars().all(|letter| letter == '?');
        Ok(if table.churns.iter().any(|churn| is_bad(churn.kind)) {
            Exit::Negative
        } else if !table.instances.is_empty() && table.instances.iter().all(is_open) {
            Exit::Unknown
        } else {
            Exit::Success
        })
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

    /// What is asked, and where.
    fn asked(&self) -> miette::Result<Wanted> {
        let arguments = self.arguments;
        let given = self.given()?;
        let mut points: Vec<Point> = Vec::new();
        let find = |name: &str| points::find(name, &self.versions).map_err(InvdiffError::Point);
        let default = if given.is_empty() { vec!["exit".to_owned()] } else { Vec::new() };
        for name in if arguments.at.is_empty() { &default } else { &arguments.at } {
            let found = find(name)?;
            if found.is_empty() {
                return Err(InvdiffError::Point(format!("no version has a place for {name}")).into());
            }
            points.extend(found.into_iter().filter(|one| !points.iter().any(|known| known.name == one.name)).collect::<Vec<_>>());
        }
        let (mut facts, mut templates): (Vec<Fact>, Vec<(usize, Template)>) = Default::default();
        let own = points.len();
        for text in &arguments.of {
            if let Some(template) = Template::parse(text) {
                let template = template.map_err(|reason| InvdiffError::Fact { fact: text.clone(), reason })?;
                templates.extend((0..own).map(|point| (point, template.clone())));
                continue;
            }
            let parsed = parse(text)?;
            (0..own).for_each(|point| add(&mut facts, Fact { point, text: parsed.clone(), family: "user" }));
        }
        for (name, text) in &given {
            let point = match points.iter().position(|point| point.name == *name) {
                Some(point) => point,
                None => {
                    let found = find(name)?;
                    points.extend(found);
                    points.len().saturating_sub(1)
                }
            };
            if points.get(point).is_none_or(|point| point.name != *name) {
                return Err(InvdiffError::Point(format!("{name} is not one point")).into());
            }
            add(&mut facts, Fact { point, text: parse(text)?, family: "user" });
        }
        let families: Vec<Family> = match arguments.families.as_slice() {
            _ if arguments.to == Form::C => Vec::new(),
            [] if facts.is_empty() && templates.is_empty() => Family::ALL.to_vec(),
            some => some.iter().copied().filter(|family| *family != Family::None).collect(),
        };
        if arguments.to == Form::C && !templates.is_empty() {
            return Err(InvdiffError::Unsolved.into());
        }
        if arguments.to == Form::C && facts.is_empty() && arguments.open.is_none() {
            return Err(InvdiffError::NoFact.into());
        }
        if !families.is_empty() {
            let proposed = families::propose(&families, &self.versions, &points)?;
            proposed.into_iter().for_each(|fact| add(&mut facts, fact));
        }
        Ok((points, facts, templates))
    }

    /// What nobody asks for, but may help to prove the rest.
    fn helping(&self, points: &[Point], facts: &[Fact]) -> Result<Vec<Fact>, Diagnostic> {
        let families = [Family::Bounds, Family::Order, Family::Parity, Family::Definition];
        let mut all = self.earlier.facts(points);
        let known = all.len();
        for one in families::propose(&families, &self.versions, points)? {
            if !all[..known].iter().any(|other| (other.point, &other.text) == (one.point, &one.text)) {
                all.push(one);
            }
        }
        all.retain(|one| !facts.iter().any(|known| (known.point, &known.text) == (one.point, &one.text)));
        let mut of_point = vec![0; points.len()];
        all.retain(|one| {
            of_point[one.point] += usize::from(one.family != EARLIER);
            of_point[one.point] <= HELPING
        });
        Ok(all)
    }

    /// The facts of files, with the names of their points.
    fn given(&self) -> miette::Result<Vec<(String, String)>> {
        let mut given = self.earlier.left();
        for path in &self.arguments.invariants {
            let file = path.display().to_string();
            let bytes = Input::read(path)?.bytes;
            if bytes.trim_ascii_start().starts_with(b"{") {
                let table = InvariantTable::read(&bytes, &file)?;
                let name = |at: usize| table.points[at].name.clone();
                given.extend(table.instances.iter().map(|one| (name(one.point), one.expression.clone())));
                continue;
            }
            for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (name, text) =
                    line.split_once(": ").ok_or_else(|| InvdiffError::Line { file: file.clone(), line: number + 1 })?;
                given.push((name.trim().to_owned(), text.trim().to_owned()));
            }
        }
        Ok(given)
    }

    fn prepared(&self, points: &[Point], facts: &[Fact]) -> Result<Vec<Option<Prepared>>, Diagnostic> {
        let runs = if self.arguments.defined { Runs::Defined } else { Runs::All };
        let spots = |number: usize| points.iter().map(|point| point.spots[number].clone()).collect::<Vec<Spot>>();
        let one = |(number, version): (usize, &Option<Version>)| {
            version.as_ref().map(|version| prepare(version, &spots(number), facts, runs)).transpose()
        };
        let mut prepared: Vec<Option<Prepared>> = self.versions.iter().enumerate().map(one).collect::<Result<_, _>>()?;
        if !self.renames.is_empty() {
            let all: Vec<BTreeMap<usize, Text>> = (0..prepared.len()).map(|at| self.renamed(&prepared, facts, at)).collect();
            for (number, renamed) in all.into_iter().enumerate().filter(|(_, renamed)| !renamed.is_empty()) {
                let Some(version) = &self.versions[number] else { continue };
                let said = |(at, fact): (usize, &Fact)| {
                    let text = renamed.get(&at).unwrap_or(&fact.text).clone();
                    Fact { text, ..fact.clone() }
                };
                let facts: Vec<Fact> = facts.iter().enumerate().map(said).collect();
                let mut again = prepare(version, &spots(number), &facts, runs)?;
                let is_said = |at: &usize| !matches!(again.facts[*at], Meaning::Missing(_));
                again.renamed = renamed.into_iter().filter(|(at, _)| is_said(at)).collect();
                prepared[number] = Some(again);
            }
        }
        Ok(prepared)
    }

    /// How a version may say the facts that it has no names for, by what the next version that has them calls it.
    fn renamed(&self, prepared: &[Option<Prepared>], facts: &[Fact], number: usize) -> BTreeMap<usize, Text> {
        let mut found = BTreeMap::new();
        let Some(own) = &prepared[number] else { return found };
        for (at, fact) in facts.iter().enumerate() {
            let (Meaning::Missing(_), Some(function)) = (&own.facts[at], &own.functions[fact.point]) else { continue };
            let says = |other: &usize| {
                let one = prepared[*other].as_ref();
                one.is_some_and(|one| {
                    let is_said = matches!(one.facts[at], Meaning::Says { .. } | Meaning::Unreached);
                    is_said && one.functions[fact.point].as_ref() == Some(function)
                })
            };
            let others = (0..prepared.len()).filter(says);
            let Some(nearest) = others.min_by_key(|other| other.abs_diff(number)) else { continue };
            let text = fact.text.renamed(&self.renames.names(function, nearest, number));
            if text != fact.text {
                found.insert(at, text);
            }
        }
        found
    }

    /// Refuses points and facts that hardly any version has.
    fn refuse(&self, points: &[Point], facts: &[Fact], prepared: &[Option<Prepared>]) -> Result<(), InvdiffError> {
        for (number, point) in points.iter().enumerate() {
            let missing = prepared.iter().flatten().filter_map(|one| match &one.points[number] {
                Meaning::Missing(reason) => Some(reason),
                Meaning::Says { .. } | Meaning::Unreached | Meaning::Unusable(_) => None,
            });
            let missing: Vec<&String> = missing.collect();
            if let Some(reason) = missing.first()
                && missing.len() + 2 > prepared.iter().flatten().count()
            {
                let common = points::common(&self.versions).join(", ");
                return Err(InvdiffError::Unmatched { point: point.name.clone(), reason: (*reason).clone(), common });
            }
        }
        let is_user = |(_, fact): &(usize, &Fact)| fact.family == "user";
        for (number, fact) in facts.iter().enumerate().filter(is_user) {
            let wrong: Vec<&String> = prepared
                .iter()
                .flatten()
                .filter_map(|one| match (&one.points[fact.point], &one.facts[number]) {
                    (Meaning::Says { .. }, Meaning::Missing(reason) | Meaning::Unusable(reason)) => Some(reason),
                    _ => None,
                })
                .collect();
            let asked = |one: &&Prepared| matches!(one.points[fact.point], Meaning::Says { .. });
            if let Some(reason) = wrong.first()
                && wrong.len() == prepared.iter().flatten().filter(asked).count()
            {
                return Err(InvdiffError::Fact { fact: fact.text.to_string(), reason: (*reason).clone() });
            }
        }
        Ok(())
    }

    /// Tries inputs, then asks of all versions together, then of each alone.
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
        let read: Vec<usize> = (0..prepared.len()).filter(|at| prepared[*at].is_some()).collect();
        for version in &read {
            if let Some(one) = &prepared[*version] {
                self.earlier.inputs.iter().for_each(|inputs| judges.replay(one, *version, questions, inputs));
                judges.sample(one, *version, questions, &|| !self.budget.exhausted());
            }
        }
        let clock = if self.arguments.steps.is_some() { Clock::None } else { Clock::Seconds };
        // All together, then halves of those of which something is open, down to each alone.
        let mut groups: VecDeque<Vec<usize>> = VecDeque::new();
        if self.arguments.separate {
            groups.extend(read.iter().map(|version| vec![*version]))
        } else {
            groups.push_back(read.clone())
        }
        while let Some(group) = groups.pop_front() {
            if self.budget.exhausted() {
                break;
            }
            if !group.iter().any(|version| questions.any_open(*version)) {
                continue;
            }
            let names: Vec<String> = group.iter().map(|version| (version + 1).to_string()).collect();
            progress.phase(&format!("versions {}", names.join(", ")));
            let steps = if group.len() == read.len() || self.arguments.separate { steps.0 } else { steps.1 };
            // Many versions are one program that is larger, if by little.
            let steps = steps.saturating_mul(u64::from(group.len().ilog2().max(1)));
            let open = questions.open(&group);
            let means = Means { budget: self.budget, steps, clock };
            let is_asked = settle(&group, prepared, (questions, &mut judges), means, numbers)?;
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
        progress.finish();
        Ok(())
    }
}

fn add(facts: &mut Vec<Fact>, fact: Fact) {
    if !facts.iter().any(|known| (known.point, &known.text) == (fact.point, &fact.text)) {
        facts.push(fact);
    }
}

fn parse(text: &str) -> Result<Text, InvdiffError> {
    Text::parse(text).map_err(|reason| InvdiffError::Fact { fact: text.to_owned(), reason })
}

/// Leaves out proposals that are another fact in every version, where names changed. How many are asked for then.
fn once(facts: &mut Vec<Fact>, prepared: &mut [Option<Prepared>], asked: usize) -> usize {
    if prepared.iter().flatten().all(|one| one.renamed.is_empty()) {
        return asked;
    }
    let said =
        |at: usize, one: &Option<Prepared>| one.as_ref().map(|one| one.renamed.get(&at).unwrap_or(&facts[at].text).to_string());
    let all: Vec<(usize, Vec<Option<String>>)> =
        facts.iter().enumerate().map(|(at, fact)| (fact.point, prepared.iter().map(|one| said(at, one)).collect())).collect();
    let is_kept = |at: usize| facts[at].family == "user" || facts[at].family == TEMPLATE || !all[..at].contains(&all[at]);
    let kept: Vec<usize> = (0..facts.len()).filter(|at| is_kept(*at)).collect();
    for one in prepared.iter_mut().flatten() {
        one.facts = kept.iter().map(|at| one.facts[*at].clone()).collect();
        one.renamed = kept.iter().enumerate().filter_map(|(new, at)| Some((new, one.renamed.get(at)?.clone()))).collect();
    }
    *facts = kept.iter().map(|at| facts[*at].clone()).collect();
    kept.iter().filter(|at| **at < asked).count()
}

/// Leaves out proposals that hold nowhere, and bounds that say less than others and hold in the same versions.
fn tidy(table: &mut InvariantTable) {
    let bound = |one: &formats::invariant_table::Instance| -> Option<(String, bool, i128)> {
        let (name, rest) = one.expression.split_once(' ')?;
        let (op, value) = rest.split_once(' ')?;
        let upper = match op {
            "<=" => true,
            ">=" => false,
            _ => return None,
        };
        Some((name.to_owned(), upper, value.parse().ok()?))
    };
    let all = table.instances.clone();
    table.instances.retain(|one| {
        if one.family == "user" || one.family == TEMPLATE {
            return true;
        }
        let says_more = |other: &formats::invariant_table::Instance| match (bound(one), bound(other)) {
            (Some((a, upper, value)), Some((b, other_upper, other_value))) => {
                (a, upper) == (b, other_upper) && if upper { other_value < value } else { other_value > value }
            }
            _ => false,
        };
        let implied = all.iter().any(|other| {
            other.family != "user"
                && other.family != TEMPLATE
                && (other.point, &other.status) == (one.point, &one.status)
                && says_more(other)
        });
        one.status.contains('H') && !implied
    });
    table.churns = table.changes();
}
