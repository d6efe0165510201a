//! The code behind what is broken or gained: the statements that only one of two versions has, on the run on which the fact
//! fails, and on what the other version does on the same inputs.
//!
//! If the run passed nothing but code of both, from the same values, it would be one of the other version, in which the fact
//! holds: what is empty is explained by values that variables begin with, or by their types.

use std::collections::{BTreeMap, BTreeSet};

use formats::invariant_table::{Blame, ChurnKind, EvidenceKind, InvariantTable, Line};
use formats::shown::one_line;
use formats::verdict::InputValue;
use program::cfa::{Cfa, EdgeId, Operation};
use program::source::Span;
use semantics::interpreter::{Limits, Recorded};
use transform::weave::weave;

use crate::prepare::{Fact, Prepared};
use crate::question::Questions;
use crate::watch::Watched;

/// What a run may take that was judged before.
const LIMITS: Limits = Limits { steps: 5_000_000, memory: 1 << 30, skips_library: false };
/// Changes that are explained, and statements of each kind.
const MOST: usize = 200;
const MOST_LINES: usize = 40;
/// Characters of a statement that are kept.
const WIDTH: usize = 100;

/// Says of each change that is a theorem which code is behind it.
pub(crate) fn blame(table: &mut InvariantTable, facts: &[Fact], prepared: &[Option<Prepared>], questions: &Questions) {
    let mut shared: BTreeMap<(usize, usize), Option<[BTreeSet<EdgeId>; 2]>> = BTreeMap::new();
    let mut churns = std::mem::take(&mut table.churns);
    let told = churns.iter_mut().filter(|churn| matches!(churn.kind, ChurnKind::Broken | ChurnKind::Gained)).take(MOST);
    for churn in told {
        let one = &table.instances[churn.instance];
        let fails = if churn.kind == ChurnKind::Broken { churn.to } else { churn.from };
        let of = one.evidence.iter().find(|one| one.kind == EvidenceKind::Execution && one.versions.contains(&fails));
        let fact = facts.iter().position(|fact| fact.point == one.point && fact.text.to_string() == one.expression);
        let (Some(inputs), Some(fact)) = (of.and_then(|one| one.inputs.as_deref()), fact) else { continue };
        let (Some(before), Some(after)) = (&prepared[churn.from], &prepared[churn.to]) else { continue };
        let both = shared.entry((churn.from, churn.to)).or_insert_with(|| in_both([&before.cfa, &after.cfa]));
        let Some(both) = both else { continue };
        let question = (questions.facts[fact].0, questions);
        let passed = [(before, churn.from), (after, churn.to)].map(|(one, number)| passed(one, number, question, inputs));
        let only = |side: usize, cfa: &Cfa| lines(cfa, passed[side].iter().filter(|edge| !both[side].contains(edge)));
        let (side, cfa) = if fails == churn.from { (0, &before.cfa) } else { (1, &after.cfa) };
        let writes = |edge: &&EdgeId| {
            let operation = &cfa.edge(**edge).operation;
            both[side].contains(edge)
                && matches!(operation, Operation::Assign { .. } | Operation::Havoc { .. } | Operation::Call { .. })
        };
        let written = lines(cfa, passed[side].iter().filter(writes));
        churn.blame = Some(Blame { added: only(1, &after.cfa), removed: only(0, &before.cfa), shared: written });
    }
    table.churns = churns;
}

/// The edges of two versions that the other one has too.
fn in_both(versions: [&Cfa; 2]) -> Option<[BTreeSet<EdgeId>; 2]> {
    let woven = weave(&versions).ok()?;
    let pairs = woven.own[0].iter().zip(&woven.own[1]).filter_map(|(first, second)| Some(((*first)?, (*second)?)));
    let (first, second) = pairs.unzip();
    Some([first, second])
}

fn passed(prepared: &Prepared, version: usize, (question, questions): (usize, &Questions), inputs: &[InputValue]) -> Vec<EdgeId> {
    let watched = Watched::new(prepared, version, &[(question, &questions.all[question])]);
    watched.passed(&mut Recorded::new(watched.cfa(), inputs), LIMITS)
}

/// Where edges are in the text, each line once, in the order in which it is passed first.
fn lines<'a>(cfa: &Cfa, edges: impl Iterator<Item = &'a EdgeId>) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    for edge in edges.map(|edge| cfa.edge(*edge)) {
        if matches!(edge.operation, Operation::Blank) || edge.span == Span::default() || cfa.source.is_library(edge.span) {
            continue;
        }
        let place = cfa.source.location(edge.span.lo);
        let text = cfa.source.line(cfa.source.position(edge.span.lo).line).map(|line| cfa.source.snippet(line));
        let text: String = one_line(text.unwrap_or_default().trim()).chars().take(WIDTH).collect();
        let line = Line { file: place.file.to_owned(), line: place.line.max(1), text };
        if found.len() < MOST_LINES && !found.contains(&line) {
            found.push(line);
        }
    }
    found
}
