//! Whether the evaluation of an assertion itself may go wrong: a division that traps, an access that leads nowhere.
//!
//! An assertion that cannot be evaluated says nothing, so that it can is a question of its own (trap T11 of the corrected method:
//! solvers have a value for `1 / 0`, machines have none). Operations inside assertions get guards, and the guards are goals of
//! the same check as clauses are. What earlier verdicts say is not used: the question is small, and asked of the program as it is.
//!
//! A guard counts as part of the assertion whose text it is in: what a function does that an assertion calls is not asked here.
//! A division is looked at on every run that comes to it, an access only on runs that no assertion has ended before.

#![expect(clippy::wildcard_enum_match_arm, reason = "a guard is one of many operations")]

use std::collections::{BTreeMap, BTreeSet};

use formats::{ProgramOptions, Property, Verdict};
use program::Guards;
use program::cfa::{Cfa, EdgeId, Operation};
use program::expr::{BinaryOp, Expr, ExprId};
use program::source::{SourceFile, Span};
use program::violation::Violation;
use transform::assertions::{ClauseId, Site, sites};

use crate::check::{self, Answer, Means, Task};
use crate::{Loaded, PropdiffError};

/// What is known of the evaluation of assertions, by their positions; those that cannot go wrong are not among them. And what it took.
#[derive(Debug, Default)]
pub(crate) struct Evaluations {
    pub(crate) of: BTreeMap<usize, Answer>,
    pub(crate) queries: u64,
    pub(crate) steps: u64,
}

/// The kinds of operations that may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Danger {
    Division,
    Access,
}

/// Asks whether assertions can be evaluated.
///
/// # Errors
/// What the solver reports.
pub(crate) fn evaluations(modified: &Loaded, source: &SourceFile, means: Means<'_>) -> Result<Evaluations, PropdiffError> {
    let mut found = Evaluations::default();
    if modified.cfa.options.property.is_of_operations() {
        return Ok(found);
    }
    let texts = Texts::new(&modified.sites);
    for danger in [Danger::Division, Danger::Access] {
        let concerned = concerned(&modified.cfa, &texts, danger);
        if concerned.is_empty() {
            continue;
        }
        let Some(guarded) = guarded(source, &modified.cfa.options, danger) else { continue };
        let all = sites(&guarded);
        // One that always fails has no branch of its own, and takes one before it for it.
        let own = |guard: &Site| texts.around(guarded.edge(guard.error).span).or_else(|| texts.around(guard.span));
        let within = |guard: &Site| own(guard).filter(|site| concerned.contains(site));
        let guards: BTreeMap<ClauseId, usize> = all
            .iter()
            .enumerate()
            .filter(|(_, site)| violation(&guarded, site).is_some())
            .filter_map(|(number, guard)| Some((number, within(guard)?, guard.clauses.len())))
            .flat_map(|(site, of, clauses)| (0..clauses).map(move |clause| (ClauseId { site, clause }, of)))
            .collect();
        let open = guards.keys().copied().collect();
        let expected = BTreeMap::new();
        let (audit, confirms, without) = (None, false, &[][..]);
        let task = Task { cfa: &guarded, sites: &all, proposals: &[], expected, open, audit, confirms, without };
        let answers = check::check(&task, means, &mut |_| Ok(BTreeSet::new()))?;
        found.queries += answers.queries;
        found.steps += answers.steps;
        for (id, answer) in answers.of {
            let Some(site) = guards.get(&id) else { continue };
            let answer = named(answer, violation(&guarded, &all[id.site]));
            let worst = found.of.entry(*site).or_insert_with(|| answer.clone());
            if Verdict::worst([&worst.verdict, &answer.verdict]) != worst.verdict {
                *worst = answer;
            }
        }
    }
    Ok(found)
}

/// What a guard finds violated; `None` for an assertion.
fn violation(cfa: &Cfa, site: &Site) -> Option<Violation> {
    match &cfa.edge(site.error).operation {
        Operation::Call { callee, .. } => Violation::of_function(&cfa.function(*callee).name),
        _ => None,
    }
}

/// A violation is one of what the guard is about.
fn named(answer: Answer, violation: Option<Violation>) -> Answer {
    match (&answer.verdict, violation) {
        (Verdict::False(_), Some(violation)) => Answer { verdict: Verdict::False(violation.property()), ..answer },
        _ => answer,
    }
}

/// The program with guards before operations. `None` if it cannot be read so: then nobody says anything.
fn guarded(source: &SourceFile, options: &ProgramOptions, danger: Danger) -> Option<Cfa> {
    match danger {
        Danger::Division => {
            let guards = Guards { division: true, quotient: true, ..Guards::default() };
            program::load_guarded(source.clone(), options, guards).ok()
        }
        Danger::Access => {
            let options = ProgramOptions { property: Property::ValidDeref, ..options.clone() };
            program::load_source(source.clone(), &options).ok()
        }
    }
}

/// Where assertions stand in the text: the end and the position of each, by the beginning.
struct Texts(BTreeMap<u32, (Span, usize)>);

impl Texts {
    fn new(sites: &[Site]) -> Self {
        Self(sites.iter().enumerate().map(|(number, site)| (site.span.lo, (site.span, number))).collect())
    }

    /// The assertion whose text something is in.
    fn around(&self, span: Span) -> Option<usize> {
        let (_, (text, site)) = self.0.range(..=span.lo).next_back()?;
        text.contains(span).then_some(*site)
    }
}

/// The assertions in whose text there is an operation of a kind.
fn concerned(cfa: &Cfa, texts: &Texts, danger: Danger) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for edge in cfa.edge_ids() {
        let Some(site) = texts.around(cfa.edge(edge).span).filter(|site| !found.contains(site)) else { continue };
        let mut pending = values(cfa, edge);
        while let Some(value) = pending.pop() {
            if is_dangerous(cfa.exprs.get(value), danger) {
                found.insert(site);
                break;
            }
            pending.extend(cfa.exprs.get(value).operands());
        }
    }
    found
}

fn is_dangerous(value: &Expr, danger: Danger) -> bool {
    match danger {
        Danger::Division => matches!(value, Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..)),
        Danger::Access => matches!(value, Expr::Dereference { .. } | Expr::Index(..)),
    }
}

/// The expressions that an edge evaluates.
fn values(cfa: &Cfa, edge: EdgeId) -> Vec<ExprId> {
    match &cfa.edge(edge).operation {
        Operation::Assume { condition, .. } => vec![*condition],
        Operation::Assign { place, value } => vec![*place, *value],
        Operation::Call { arguments, .. } => arguments.clone(),
        Operation::Return { value } => value.iter().copied().collect(),
        Operation::Declare { .. }
        | Operation::Havoc { .. }
        | Operation::Asm(_)
        | Operation::Unsupported { .. }
        | Operation::Blank => Vec::new(),
    }
}
