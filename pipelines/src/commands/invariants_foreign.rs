//! Verifiers that are not ours, on the letters that a table leaves open.
//!
//! They get one program of all versions, which `invdiff` writes: an error is reached iff something that is open is not so.
//! TRUE: all that was asked is so, and it is their word. FALSE: the inputs are run on the versions, by `invdiff`, which says what
//! fails on them; the next question is about the rest. Everything else leaves letters as they are.
//! Does not know how a letter was left open, nor any verifier.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use formats::invariant_table::{Evidence, EvidenceKind, InvariantTable};
use formats::verdict::InputValue;
use formats::{ProgramOptions, shown};
use miette::{Context, IntoDiagnostic};
use program::seal;

use crate::run::chain::flags;
use crate::run::foreign::{self, Said};
use crate::run::outcome::Verifier;
use crate::run::stage::{Allowance, Messages, Stage};

/// Questions to a verifier at most: each answer FALSE settles a letter.
const MOST_QUESTIONS: usize = 64;

/// What a verifier is asked about.
pub(super) struct Open<'a> {
    pub(super) table: InvariantTable,
    /// Files of the versions.
    pub(super) versions: Vec<&'a Path>,
    /// Where these are, if not where the user has them.
    pub(super) within: Option<&'a Path>,
    pub(super) options: &'a ProgramOptions,
    pub(super) defined: bool,
    pub(super) folder: PathBuf,
}

/// What is asked by a program, by positions in the table: versions of facts, and of points.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    facts: BTreeMap<usize, Vec<usize>>,
    points: BTreeMap<usize, Vec<usize>>,
}

impl Open<'_> {
    /// Asks one verifier after the other until nothing is open. The table, and why letters are left open.
    pub(super) fn ask(
        mut self,
        verifiers: &[Verifier],
        allowance: &mut Allowance,
    ) -> miette::Result<(InvariantTable, Vec<String>)> {
        let mut left = Vec::new();
        for (number, (name, options)) in verifiers.iter().filter_map(Verifier::foreign).enumerate() {
            for question in 0..MOST_QUESTIONS {
                let own = self.folder.join(format!("foreign-{number}-{question}"));
                std::fs::create_dir_all(&own).into_diagnostic().wrap_err_with(|| shown::name(&own))?;
                let Some((residual, asked)) = self.program(&own, allowance)? else { return Ok((self.table, left)) };
                let text = std::fs::read(&residual).into_diagnostic()?;
                let entry = seal::reading(&text).map_or_else(|| "main".to_owned(), |reading| reading.entry);
                let program_options = ProgramOptions { preprocessor: Vec::new(), entry, ..self.options.clone() };
                let job = foreign::Job {
                    name,
                    options,
                    residual: &residual,
                    program_options: &program_options,
                    folder: &own,
                    messages: Messages::Collected,
                };
                match foreign::question(&job, allowance)? {
                    Said::True(by) => {
                        self.believe(&asked, &by);
                        return Ok((self.table, left));
                    }
                    Said::False(inputs) if self.run(&own, &inputs, allowance)? => {}
                    Said::False(_) => {
                        left.push(format!("{name}: its inputs show nothing of a version alone"));
                        break;
                    }
                    Said::Nothing(why) => {
                        left.push(why);
                        break;
                    }
                }
            }
        }
        Ok((self.table, left))
    }

    fn stage(&self, own: &Path, to: &str, output: &Path) -> miette::Result<Stage> {
        let open = own.join("open.json");
        write(&open, &self.table)?;
        let options = flags(self.options).into_iter().filter(|flag| !flag.starts_with("--property="));
        let stage = Stage::new("invdiff", Messages::Collected).args(options).args(self.defined.then_some("--defined"));
        let stage = stage.arg("--families=none").arg("--to").arg(to).arg("-o").arg(output);
        let stage = if to == "c" { stage.arg("--open").arg(&open) } else { stage.arg("--invariants").arg(&open) };
        Ok(self.within.iter().fold(stage, |stage, folder| stage.within_folder(folder)))
    }

    /// The program of what is open, and what that is; `None` if there is nothing that can be asked.
    fn program(&self, own: &Path, allowance: &mut Allowance) -> miette::Result<Option<(PathBuf, Asked)>> {
        if !self.table.instances.iter().any(|one| one.status.contains('?')) {
            return Ok(None);
        }
        let residual = own.join("versions.c");
        let done = self.stage(own, "c", &residual)?.arg("--").args(&self.versions).run(allowance)?;
        allowance.spend(done.cpu);
        let text = std::fs::read_to_string(&residual).into_diagnostic()?;
        let asked = asked(&text, self.table.versions.len());
        Ok(asked.filter(|asked| !asked.facts.is_empty() || !asked.points.is_empty()).map(|asked| (residual, asked)))
    }

    /// Runs inputs on all versions. Whether a letter came out that was open.
    fn run(&mut self, own: &Path, inputs: &[InputValue], allowance: &mut Allowance) -> miette::Result<bool> {
        // The first two choose the version and the question.
        let inputs: Vec<InputValue> = inputs.iter().skip(2).map(|one| InputValue { line: 0, ..one.clone() }).collect();
        let mut proposed = self.table.clone();
        let run = Evidence { versions: Vec::new(), kind: EvidenceKind::Execution, by: None, inputs: Some(inputs) };
        let Some(first) = proposed.instances.first_mut() else { return Ok(false) };
        first.evidence.push(run);
        let (tried, found) = (own.join("tried.json"), own.join("found.json"));
        write(&tried, &proposed)?;
        let stage = self.stage(own, "json", &found)?.arg("--steps=1").arg("--reuse").arg(&tried);
        let done = stage.arg("--").args(&self.versions).run(allowance)?;
        allowance.spend(done.cpu);
        let found = InvariantTable::read(&std::fs::read(&found).into_diagnostic()?, "found.json")?;
        let before = letters(&self.table);
        self.take(&found);
        Ok(letters(&self.table) != before)
    }

    /// Takes over what another table of the same versions knows and this one does not.
    fn take(&mut self, found: &InvariantTable) {
        for point in &mut self.table.points {
            let Some(other) = found.points.iter().find(|other| other.name == point.name) else { continue };
            let letters = point.reachable.chars().zip(other.reachable.chars());
            point.reachable = letters.map(|(own, other)| if own == '?' { other } else { own }).collect();
        }
        let names: Vec<String> = self.table.points.iter().map(|point| point.name.clone()).collect();
        for one in &mut self.table.instances {
            let is_same = |other: &&formats::invariant_table::Instance| {
                (&found.points[other.point].name, &other.expression) == (&names[one.point], &one.expression)
            };
            let Some(other) = found.instances.iter().find(is_same) else { continue };
            let mut status: Vec<char> = one.status.chars().collect();
            for (version, letter) in other.status.chars().enumerate() {
                if status[version] != '?' || letter == '?' {
                    continue;
                }
                status[version] = letter;
                one.reasons.remove(&version);
                one.reasons.extend(other.reasons.get(&version).map(|why| (version, why.clone())));
                let of = other.evidence.iter().filter(|evidence| evidence.versions.contains(&version));
                one.evidence.extend(of.map(|evidence| Evidence { versions: vec![version], ..evidence.clone() }));
            }
            one.status = status.into_iter().collect();
        }
        self.table.churns = with_blame(&self.table);
    }

    /// Takes a verifier at its word.
    fn believe(&mut self, asked: &Asked, by: &str) {
        for (point, versions) in &asked.points {
            let Some(point) = self.table.points.get_mut(*point) else { continue };
            let is_asked = |version: usize| versions.contains(&version);
            let letters = point.reachable.chars().enumerate();
            point.reachable =
                letters.map(|(version, letter)| if letter == '?' && is_asked(version) { 'U' } else { letter }).collect();
        }
        let reachable: Vec<String> = self.table.points.iter().map(|point| point.reachable.clone()).collect();
        for (number, one) in self.table.instances.iter_mut().enumerate() {
            let mut status: Vec<char> = one.status.chars().collect();
            let mut settled = Vec::new();
            for (version, letter) in status.iter_mut().enumerate() {
                let is_asked = asked.facts.get(&number).is_some_and(|versions| versions.contains(&version));
                let becomes = match reachable[one.point].as_bytes().get(version) {
                    Some(b'U') => 'U',
                    Some(b'H') if is_asked => 'H',
                    _ => '?',
                };
                if *letter == '?' && becomes != '?' {
                    *letter = becomes;
                    one.reasons.remove(&version);
                    settled.push(version);
                }
            }
            one.status = status.into_iter().collect();
            let kind = EvidenceKind::External;
            if !settled.is_empty() {
                one.evidence.push(Evidence { versions: settled, kind, by: Some(by.to_owned()), inputs: None });
            }
        }
        self.table.churns = with_blame(&self.table);
    }
}

/// The changes of a table, with what is known to be behind them.
fn with_blame(table: &InvariantTable) -> Vec<formats::invariant_table::Churn> {
    let mut churns = table.changes();
    for churn in &mut churns {
        let same = |known: &&formats::invariant_table::Churn| {
            (known.instance, known.from, known.to, known.kind) == (churn.instance, churn.from, churn.to, churn.kind)
        };
        churn.blame = table.churns.iter().find(same).and_then(|known| known.blame.clone());
    }
    churns
}

fn letters(table: &InvariantTable) -> String {
    let facts = table.instances.iter().map(|one| one.status.as_str());
    facts.chain(table.points.iter().map(|point| point.reachable.as_str())).collect::<Vec<_>>().join(" ")
}

fn write(file: &Path, table: &InvariantTable) -> miette::Result<()> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).into_diagnostic()?;
    std::fs::write(file, bytes).into_diagnostic().wrap_err_with(|| shown::name(file))
}

/// What the first comment of a program says that it asks; `None` if it is not as `invdiff` writes it.
fn asked(text: &str, versions: usize) -> Option<Asked> {
    let comment = text.split_once("*/")?.0;
    let (mut of, mut asked) = (Vec::new(), Asked::default());
    for line in comment.lines().filter_map(|line| line.strip_prefix(" * ")) {
        if let Some(rest) = line.strip_prefix("version ") {
            let number: usize = rest.split_once(": ")?.1.split_once(' ')?.0.parse().ok()?;
            of.push(number.checked_sub(1).filter(|at| *at < versions)?);
        } else if let Some(rest) = line.strip_prefix("question ") {
            let (what, rest) = rest.split_once(": ")?.1.split_once(", versions ")?;
            let numbers = rest.split_once(':')?.0.split_whitespace();
            let numbers = numbers.map(|number| of.get(number.parse::<usize>().ok()?).copied()).collect::<Option<Vec<_>>>()?;
            let (kind, row) = what.rsplit_once(' ')?;
            match (kind, row.parse().ok()?) {
                ("instance", row) => _ = asked.facts.insert(row, numbers),
                // Runs without a mark and runs with one are asked for apart.
                ("point", row) => asked.points.entry(row).or_default().extend(numbers),
                _ => {}
            }
        }
    }
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comment_says_what_is_asked() {
        let text = "/* residual program\n * version 0: 2 a, b.c, SHA-256 12\n * version 1: 3 c.c, SHA-256 34\n \
                    * question 0: instance 2, versions 0 1: x at P\n * question 1: value of instance 2, versions 1: x\n \
                    * question 2: point 0, versions 1: no run\n */\nint x;\n";
        let found = asked(text, 3).unwrap();
        assert_eq!(found, Asked { facts: BTreeMap::from([(2, vec![1, 2])]), points: BTreeMap::from([(0, vec![2])]) });
        assert_eq!(asked(&text.replace("versions 1", "versions 2"), 3), None);
        assert_eq!(asked("int x;", 3), None);
    }
}
