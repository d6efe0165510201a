//! The constants of templates in each version: rounds of questions until nothing is learned any more.

use formats::invariant_table::{InvariantTable, Solution, Template as TableTemplate};
use formats::verdict::InputValue;
use semantics::interpreter::Recorded;

use crate::expression::Text;
use crate::families::thresholds;
use crate::judge::{Tried, constants};
use crate::observe::{Observed, noted};
use crate::points::Point;
use crate::prepare::Fact;
use crate::question::{Answer, Questions};
use crate::settle::Numbers;
use crate::templates::{ROUNDS, Search, Side, Template};
use crate::{InvdiffError, Job};

/// Runs of a version that are looked at.
const RUNS: u64 = 120;
/// Steps for all versions together in a round, and for each alone.
const STEPS: (u64, u64) = (200_000, 120_000);
/// The family of facts with constants that were found.
pub(crate) const TEMPLATE: &str = "template";

/// A template at a point, with the facts that came out: how far each bound is, and its text.
pub(crate) struct Solved {
    pub(crate) point: usize,
    pub(crate) template: Template,
    pub(crate) facts: Vec<(i128, String)>,
}

/// What is known of a template in a version.
struct Progress {
    search: Search,
    observed: Option<Observed>,
    thresholds: Vec<i128>,
}

impl Progress {
    /// What a run on these inputs shows.
    fn replay(&mut self, template: &Template, inputs: &[InputValue]) {
        let Some(observed) = &self.observed else { return };
        let rows = observed.run(&mut Recorded::new(observed.cfa(), inputs));
        self.search.see(template, rows);
    }
}

impl Job<'_> {
    /// The constants of templates, each at a point.
    pub(crate) fn solved(
        &self,
        points: &[Point],
        asked: Vec<(usize, Template)>,
        numbers: &mut Numbers,
    ) -> miette::Result<Vec<Solved>> {
        let mut solved: Vec<Solved> =
            asked.into_iter().map(|(point, template)| Solved { point, template, facts: Vec::new() }).collect();
        if solved.is_empty() {
            return Ok(solved);
        }
        let mut all = self.begin(points, &solved)?;
        for _ in 0..ROUNDS {
            if self.budget.exhausted() || !self.round(points, &solved, &mut all, numbers)? {
                break;
            }
        }
        for (one, of) in solved.iter_mut().zip(&all) {
            for progress in of.iter().flatten() {
                let found = progress.search.found(&one.template);
                one.facts.extend(found.into_iter().filter(|fact| !one.facts.contains(fact)).collect::<Vec<_>>());
            }
        }
        Ok(solved)
    }

    /// Runs all versions on inputs that are tried.
    fn begin(&self, points: &[Point], solved: &[Solved]) -> miette::Result<Vec<Vec<Option<Progress>>>> {
        let (mut facts, mut of) = (Vec::new(), Vec::new());
        for one in solved {
            let begin = facts.len();
            for column in &one.template.columns {
                let wrong = |reason| InvdiffError::Fact { fact: one.template.text.clone(), reason };
                Text::parse(column).map_err(wrong)?;
                let text = Text::parse(&noted(column)).map_err(wrong)?;
                facts.push(Fact { point: one.point, text, family: "user" });
            }
            of.push((begin..facts.len()).collect::<Vec<usize>>());
        }
        let prepared = self.prepared(points, &facts)?;
        self.refuse(points, &facts, &prepared)?;
        let mut all = Vec::new();
        for (one, facts) in solved.iter().zip(&of) {
            let mut versions = Vec::new();
            for (version, prepared) in self.versions.iter().zip(&prepared) {
                let (Some(version), Some(prepared)) = (version, prepared) else {
                    versions.push(None);
                    continue;
                };
                let observed = Observed::new(prepared, facts);
                let (mut search, constants) = (Search::default(), constants(&version.cfa));
                for seed in 0..RUNS {
                    search.see(&one.template, observed.run(&mut Tried::new(seed, &constants)));
                }
                versions.push(Some(Progress { search, observed: Some(observed), thresholds: thresholds(&version.cfa) }));
            }
            all.push(versions);
        }
        Ok(all)
    }

    /// Asks for the next constants. Whether there were some.
    fn round(
        &self,
        points: &[Point],
        solved: &[Solved],
        all: &mut [Vec<Option<Progress>>],
        numbers: &mut Numbers,
    ) -> miette::Result<bool> {
        let mut facts: Vec<Fact> = Vec::new();
        // Of which template and version each fact is, with its constants.
        let mut wanted: Vec<(usize, usize, usize, Vec<i128>)> = Vec::new();
        for (number, (one, of)) in solved.iter().zip(&*all).enumerate() {
            for (version, progress) in of.iter().enumerate() {
                let Some(progress) = progress else { continue };
                for (constants, text) in progress.search.next(&one.template, &progress.thresholds) {
                    let Ok(text) = Text::parse(&text) else { continue };
                    let known = facts.iter().position(|fact| (fact.point, &fact.text) == (one.point, &text));
                    let fact = known.unwrap_or_else(|| {
                        facts.push(Fact { point: one.point, text, family: TEMPLATE });
                        facts.len() - 1
                    });
                    wanted.push((fact, number, version, constants));
                }
            }
        }
        if wanted.is_empty() {
            return Ok(false);
        }
        let prepared = self.prepared(points, &facts)?;
        let mut questions = Questions::new(&prepared, points.len(), (facts.len(), 0));
        let mut unasked = Vec::new();
        for version in 0..self.versions.len() {
            unasked
                .extend(questions.points.iter().flat_map(|(here, any)| [Some(*here), *any]).flatten().map(|one| (one, version)));
            for (fact, (holds, value)) in questions.facts.iter().enumerate() {
                if !wanted.iter().any(|one| (one.0, one.2) == (fact, version)) {
                    unasked.extend([Some(*holds), *value].into_iter().flatten().map(|one| (one, version)));
                }
            }
        }
        unasked.into_iter().for_each(|key| _ = questions.answers.insert(key, Answer::Falsified(Vec::new())));
        self.answer(&prepared, &mut questions, numbers, STEPS)?;
        for (fact, number, version, constants) in wanted {
            let (holds, value) = questions.facts[fact];
            let value = value.and_then(|value| questions.all[value].of[version].as_ref().map(|_| value));
            let has_value = value.is_none_or(|value| matches!(questions.answer(value, version), Some(Answer::Proved { .. })));
            let Some(progress) = &mut all[number][version] else { continue };
            let template = &solved[number].template;
            let is_right = match questions.answer(holds, version) {
                Some(Answer::Proved { .. }) if has_value => Some(true),
                Some(Answer::Falsified(inputs)) => {
                    progress.replay(template, inputs);
                    Some(false)
                }
                _ => None,
            };
            progress.search.answer(template, &constants, is_right);
        }
        Ok(true)
    }
}

/// Says in a table which instances are the constants of each version. Letters decide, whatever was found before.
pub(crate) fn tell(table: &mut InvariantTable, solved: &[Solved]) {
    let versions = table.versions.len();
    for one in solved {
        let mut known: Vec<(i128, usize)> = Vec::new();
        for (bound, text) in &one.facts {
            let instance = |row: &formats::invariant_table::Instance| row.point == one.point && row.expression == *text;
            known.extend(table.instances.iter().position(instance).map(|at| (*bound, at)));
        }
        let letter = |at: usize, version: usize| table.instances[at].status.chars().nth(version);
        let solution = |version: usize| {
            let holds = known.iter().copied().filter(|(_, at)| letter(*at, version) == Some('H'));
            let (bound, instance) = match one.template.side() {
                Some(Side::Above) => holds.min(),
                Some(Side::Below) => holds.max(),
                None => holds.min_by_key(|(_, at)| *at),
            }?;
            let next = one.template.side().map(|side| if side == Side::Above { bound - 1 } else { bound + 1 });
            let tight = known.iter().find(|(bound, at)| next == Some(*bound) && letter(*at, version) == Some('F'));
            Some(Solution { instance, tight: tight.map(|(_, at)| *at) })
        };
        let solutions = (0..versions).map(solution).collect();
        table.templates.push(TableTemplate { point: one.point, expression: one.template.text.clone(), solutions });
    }
}
