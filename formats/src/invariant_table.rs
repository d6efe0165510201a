//! Invariants of several versions of a program: which hold where, on what evidence, and what changed between versions.
//!
//! An *instance* is an expression at a point; its status is a letter for each version: `H` holds, `F` fails, `U` nothing comes
//! to the point, `X` the expression may be undefined there, `N` the version has no such point or name, `?` nobody knows.
//! Does not know how letters are found.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use crate::artifact::{Inconsistency, read_json};
use crate::verdict::InputValue;
use crate::{ArtifactError, Producer, ProgramFile, ProgramOptions, shown};

/// The name of the format.
pub const FORMAT: &str = "invariant-table";
/// Its newest version.
pub const VERSION: u64 = 1;

/// The letters of a status.
const LETTERS: &str = "HFUXN?";

/// Invariants of several versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvariantTable {
    format: String,
    version: u64,
    /// Who found them.
    pub producer: Producer,
    /// How all versions were read.
    pub options: ProgramOptions,
    /// The versions, oldest first.
    pub versions: Vec<VersionFile>,
    /// The points, in the order in which they were asked for.
    pub points: Vec<Point>,
    /// What was asked at them.
    pub instances: Vec<Instance>,
    /// Facts with constants that were asked for, and what came out in each version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<Template>,
    /// What changed between a version and the next that could be read.
    pub churns: Vec<Churn>,
    /// What was supposed of all versions.
    pub assumptions: Vec<String>,
    /// Counts by name.
    pub statistics: BTreeMap<String, u64>,
}

/// One version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionFile {
    /// What people call it.
    pub label: String,
    /// The program; `None` if it could not be read.
    pub program: Option<ProgramFile>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// A place that versions have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// How it was asked for.
    pub name: String,
    /// The lines where it is in each version; none where there is no such place.
    pub lines: Vec<Vec<u32>>,
    /// For each version `H` if control comes there, `U` if not, `N` if there is no such place, `?` if nobody knows.
    pub reachable: String,
}

/// An expression at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The position of the point.
    pub point: usize,
    /// Who proposed it: `user`, or the name of a family.
    pub family: String,
    /// The expression, in C with `old(E)` and `in(N)`.
    pub expression: String,
    /// The expression where a version has other names for its variables, by the position of the version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<usize, String>,
    /// A letter for each version.
    pub status: String,
    /// What the letters rest on.
    pub evidence: Vec<Evidence>,
    /// Why a letter is `?`, `N` or `X`, by the position of the version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<usize, String>,
}

/// A fact with `?` for constants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The position of the point.
    pub point: usize,
    /// The fact as it was asked for.
    pub expression: String,
    /// For each version the constants with which it holds, if some are known.
    pub solutions: Vec<Option<Solution>>,
}

/// What stands beside a change of an instance whose constants were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// The version before has the constants of this instance instead.
    Before(usize),
    /// The version after has.
    After(usize),
    /// The constants are those of neither version: the change says nothing that others do not say.
    Hidden,
}

/// The constants of a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Solution {
    /// The position of the instance that holds.
    pub instance: usize,
    /// For a bound the position of the instance with the next constant, which fails: no bound says more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tight: Option<usize>,
}

/// What letters rest on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The versions it is about.
    pub versions: Vec<usize>,
    /// What it is.
    pub kind: EvidenceKind,
    /// The analysis that found a proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What the execution reads, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<InputValue>>,
}

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    /// Invariants that are inductive together.
    Inductive,
    /// All paths were looked at.
    Exhaustive,
    /// An execution, replayed on the version itself.
    Execution,
    /// The program has no way to the point.
    Structure,
    /// Another verifier says so of a program that was made of the versions: its word.
    External,
}

/// How a letter changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChurnKind {
    /// It held and fails: `H` to `F`.
    Broken,
    /// It failed and holds: `F` to `H`.
    Gained,
    /// Nobody knows one of the two.
    Open,
    /// Nothing comes to the point any more.
    Dead,
    /// Something comes to the point again.
    Revived,
    /// The expression may be undefined there now.
    Undefined,
    /// It is defined now.
    Defined,
    /// The version has no such point or name any more.
    OutOfScope,
    /// It has now.
    InScope,
}

impl ChurnKind {
    /// What a change of letters is; `None` if it is none.
    #[must_use]
    pub const fn of(from: char, to: char) -> Option<Self> {
        Some(match (from, to) {
            ('H', 'F') => Self::Broken,
            ('F', 'H') => Self::Gained,
            ('H', 'H') | ('F', 'F') | ('U', 'U') | ('X', 'X') | ('N', 'N') => return None,
            ('U', 'X' | 'N') | ('X', 'U' | 'N') | ('N', 'U' | 'X') => return None,
            (_, 'U') => Self::Dead,
            (_, 'X') => Self::Undefined,
            (_, 'N') => Self::OutOfScope,
            ('U', _) => Self::Revived,
            ('X', _) => Self::Defined,
            ('N', _) => Self::InScope,
            _ => Self::Open,
        })
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Gained => "gained",
            Self::Open => "open",
            Self::Dead => "dead",
            Self::Revived => "revived",
            Self::Undefined => "undefined",
            Self::Defined => "defined",
            Self::OutOfScope => "out of scope",
            Self::InScope => "in scope",
        }
    }
}

/// What became of an instance between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Churn {
    /// The position of the instance.
    pub instance: usize,
    /// The position of the version before.
    pub from: usize,
    /// The position of the version after.
    pub to: usize,
    /// What it is.
    pub kind: ChurnKind,
    /// For what is broken or gained, the code behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
}

/// The code that the run behind a change passes, in the version in which the fact fails and in the other one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blame {
    /// Statements of the version after that the version before does not have.
    pub added: Vec<Line>,
    /// Statements of the version before that the version after does not have.
    pub removed: Vec<Line>,
    /// Statements that write something and that both have, as they are in the version in which the fact fails.
    pub shared: Vec<Line>,
}

/// Lines of a version that are shown behind a change.
const SHOWN: usize = 5;

impl Blame {
    /// The code that only one of the versions has, as the lines of a diff.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (sign, lines) in [('-', &self.removed), ('+', &self.added)] {
            for line in lines.iter().take(SHOWN) {
                let line = format!("    {sign} {}:{}: {}", line.file, line.line, line.text);
                out += &format!("{}\n", shown::one_line(&line));
            }
            let more = lines.len().saturating_sub(SHOWN);
            out += &if more > 0 { format!("    {sign} and {more} more\n") } else { String::new() };
        }
        out
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Line {
    /// Its file.
    pub file: String,
    /// Where it begins.
    pub line: u32,
    /// Its text on one line, cut where it is long.
    pub text: String,
}

/// What the facts that hold at a point say in a version, against what they said in the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// The same facts hold.
    Equal,
    /// More of them hold.
    Strengthened,
    /// Fewer of them hold.
    Weakened,
    /// Some hold that did not, and some do not that did.
    Incomparable,
}

impl Strength {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Strengthened => "strengthened",
            Self::Weakened => "weakened",
            Self::Incomparable => "incomparable",
        }
    }
}

impl InvariantTable {
    /// A table of nothing yet.
    #[must_use]
    pub fn new(producer: Producer, options: ProgramOptions, versions: Vec<VersionFile>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer,
            options,
            versions,
            points: Vec::new(),
            instances: Vec::new(),
            templates: Vec::new(),
            churns: Vec::new(),
            assumptions: Vec::new(),
            statistics: BTreeMap::new(),
        }
    }

    /// The changes of all instances, from each version that could be read to the next.
    #[must_use]
    pub fn changes(&self) -> Vec<Churn> {
        let read: Vec<usize> = (0..self.versions.len()).filter(|at| self.versions[*at].program.is_some()).collect();
        let mut churns = Vec::new();
        for pair in read.windows(2) {
            let &[from, to] = pair else { continue };
            for (instance, one) in self.instances.iter().enumerate() {
                let letter = |at: usize| one.status.chars().nth(at).unwrap_or('?');
                let kind = ChurnKind::of(letter(from), letter(to));
                churns.extend(kind.map(|kind| Churn { instance, from, to, kind, blame: None }));
            }
        }
        churns
    }

    /// What a change is to those who asked for constants.
    #[must_use]
    pub fn beside(&self, churn: &Churn) -> Beside {
        let mut beside = Beside::Nothing;
        for template in &self.templates {
            let of = |version: usize| template.solutions.get(version).and_then(Option::as_ref);
            let (from, to) = (of(churn.from), of(churn.to));
            let is = |one: Option<&Solution>| one.is_some_and(|one| one.instance == churn.instance);
            // What changes itself is told where that is told.
            let stays = |one: &Solution| {
                let letter = |at: usize| self.instances[one.instance].status.chars().nth(at).unwrap_or('?');
                ChurnKind::of(letter(churn.from), letter(churn.to)).is_none()
            };
            match (from, to) {
                (Some(_), Some(other)) if is(from) && !is(to) && stays(other) => return Beside::After(other.instance),
                (Some(other), Some(_)) if is(to) && !is(from) && stays(other) => return Beside::Before(other.instance),
                _ if is(from) || is(to) => return Beside::Nothing,
                _ => {}
            }
            let is_own = |one: &Solution| one.instance == churn.instance || one.tight == Some(churn.instance);
            if template.solutions.iter().flatten().any(is_own) {
                beside = Beside::Hidden;
            }
        }
        beside
    }

    /// How the conjunction of the facts that hold at a point changed between two versions; `None` if a letter of one of them is
    /// neither `H` nor `F`.
    ///
    /// No solver is needed: every fact is asked of both versions, and one that fails in a version follows from nothing that
    /// holds there.
    #[must_use]
    pub fn strength(&self, point: usize, (from, to): (usize, usize)) -> Option<Strength> {
        let (mut lost, mut won, mut any) = (false, false, false);
        for one in self.instances.iter().filter(|one| one.point == point) {
            let letter = |at: usize| one.status.chars().nth(at);
            match (letter(from)?, letter(to)?) {
                ('H', 'F') => lost = true,
                ('F', 'H') => won = true,
                ('H', 'H') | ('F', 'F') => {}
                _ => return None,
            }
            any = true;
        }
        any.then_some(match (lost, won) {
            (false, false) => Strength::Equal,
            (false, true) => Strength::Strengthened,
            (true, false) => Strength::Weakened,
            (true, true) => Strength::Incomparable,
        })
    }

    /// Reads a table.
    ///
    /// # Errors
    /// [`ArtifactError`] for what is no such file, or contradicts itself.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let read: Self = read_json(bytes, file, FORMAT, VERSION)?;
        read.check().map_err(|error| error.in_file(file, FORMAT))?;
        Ok(read)
    }

    fn check(&self) -> Result<(), Inconsistency> {
        let versions = self.versions.len();
        let fits = |letters: &str| letters.len() == versions && letters.chars().all(|letter| LETTERS.contains(letter));
        for (number, version) in self.versions.iter().enumerate() {
            let place = format!("versions[{number}]");
            match &version.program {
                Some(program) => program.check_files().map_err(|message| Inconsistency::new(place, message))?,
                None if version.unreadable.is_none() => return Err(Inconsistency::new(place, "there is no program")),
                None => {}
            }
        }
        for (number, point) in self.points.iter().enumerate() {
            if !fits(&point.reachable) || point.lines.len() != versions {
                return Err(Inconsistency::new(format!("points[{number}]"), "not one letter and place for each version"));
            }
        }
        for (number, one) in self.instances.iter().enumerate() {
            let place = || format!("instances[{number}]");
            if !fits(&one.status) || one.point >= self.points.len() {
                return Err(Inconsistency::new(place(), "not one letter for each version, or no point"));
            }
            for (at, letter) in one.status.chars().enumerate() {
                let kind = |kind: EvidenceKind| one.evidence.iter().any(|e| e.kind == kind && e.versions.contains(&at));
                let fine = match letter {
                    'F' => kind(EvidenceKind::Execution),
                    'H' => kind(EvidenceKind::Inductive) || kind(EvidenceKind::Exhaustive) || kind(EvidenceKind::External),
                    _ => true,
                };
                if !fine {
                    return Err(Inconsistency::new(place(), format!("version {at} has no evidence for its letter")));
                }
            }
        }
        for (number, template) in self.templates.iter().enumerate() {
            let letter = |at: usize, version: usize| {
                self.instances.get(at).filter(|one| one.point == template.point)?.status.chars().nth(version)
            };
            let fits = |(version, solution): (usize, &Option<Solution>)| {
                solution.as_ref().is_none_or(|one| {
                    let is_tight = one.tight.is_none_or(|at| letter(at, version) == Some('F'));
                    letter(one.instance, version) == Some('H') && is_tight
                })
            };
            if template.solutions.len() != versions || !template.solutions.iter().enumerate().all(fits) {
                return Err(Inconsistency::new(format!("templates[{number}]"), "they are not those of the letters"));
            }
        }
        let bare = |churn: &Churn| Churn { blame: None, ..churn.clone() };
        if self.churns.iter().map(bare).collect::<Vec<_>>() != self.changes() {
            return Err(Inconsistency::new("churns", "they are not those of the letters"));
        }
        Ok(())
    }

    /// Writes the table.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> InvariantTable {
        let file = |label: &str| VersionFile { label: label.to_owned(), program: Some(ProgramFile::default()), unreadable: None };
        let producer = Producer::new("invdiff", "1");
        let mut table = InvariantTable::new(producer, ProgramOptions::default(), vec![file("a.c"), file("b.c")]);
        let (name, reachable) = ("label:P".to_owned(), "HH".to_owned());
        table.points.push(Point { name, lines: vec![vec![3], vec![4]], reachable });
        let proof = Evidence { versions: vec![0], kind: EvidenceKind::Inductive, by: None, inputs: None };
        let run = Evidence { versions: vec![1], kind: EvidenceKind::Execution, by: None, inputs: Some(Vec::new()) };
        table.instances.push(Instance {
            point: 0,
            family: "user".to_owned(),
            expression: "x <= 100".to_owned(),
            names: BTreeMap::new(),
            status: "HF".to_owned(),
            evidence: vec![proof, run],
            reasons: BTreeMap::new(),
        });
        table.churns = table.changes();
        table
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let (table, mut bytes) = (table(), Vec::new());
        table.write(&mut bytes).unwrap();
        assert_eq!(InvariantTable::read(&bytes, "t.json").unwrap(), table);
        for length in 0..bytes.len() - 2 {
            assert!(InvariantTable::read(&bytes[..length], "t.json").is_err());
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for change in [
            |t: &mut InvariantTable| t.instances[0].status = "HH".to_owned(),
            |t: &mut InvariantTable| t.instances[0].status = "H".to_owned(),
            |t: &mut InvariantTable| t.instances[0].status = "HZ".to_owned(),
            |t: &mut InvariantTable| t.instances[0].point = 1,
            |t: &mut InvariantTable| t.instances[0].evidence.clear(),
            |t: &mut InvariantTable| t.churns.clear(),
            |t: &mut InvariantTable| t.points[0].reachable.clear(),
            |t: &mut InvariantTable| t.versions[0].program = None,
            |t: &mut InvariantTable| t.version = 9,
        ] {
            let (mut changed, mut bytes) = (table(), Vec::new());
            change(&mut changed);
            changed.write(&mut bytes).unwrap();
            assert!(InvariantTable::read(&bytes, "t.json").is_err(), "{changed:?}");
        }
    }

    #[test]
    fn facts_that_hold_say_more_or_less() {
        let mut table = table();
        let strength = |table: &InvariantTable| table.strength(0, (0, 1));
        assert_eq!(strength(&table), Some(Strength::Weakened));
        let mut second = table.instances[0].clone();
        for (status, expected) in [
            ("HH", Some(Strength::Weakened)),
            ("FF", Some(Strength::Weakened)),
            ("FH", Some(Strength::Incomparable)),
            ("H?", None),
            ("UH", None),
        ] {
            second.status = status.to_owned();
            table.instances.truncate(1);
            table.instances.push(second.clone());
            assert_eq!(strength(&table), expected, "{status}");
        }
        table.instances.remove(0);
        table.instances[0].status = "FH".to_owned();
        assert_eq!(strength(&table), Some(Strength::Strengthened));
        table.instances[0].status = "HH".to_owned();
        assert_eq!(strength(&table), Some(Strength::Equal));
        table.instances.clear();
        assert_eq!(strength(&table), None);
    }

    #[test]
    fn only_theorems_are_broken_or_gained() {
        for from in LETTERS.chars() {
            for to in LETTERS.chars() {
                let kind = ChurnKind::of(from, to);
                assert_eq!(kind == Some(ChurnKind::Broken), (from, to) == ('H', 'F'));
                assert_eq!(kind == Some(ChurnKind::Gained), (from, to) == ('F', 'H'));
                assert!(kind.is_some() || from == to || "UXN".contains(from) && "UXN".contains(to));
            }
        }
    }
}
