//! What is left to check, as programs for any verifier.
//!
//! `--to c`: the modified program with the goals alone. What is known to hold is assumed at its place (a run that violates it
//! would end there, and there is none: rule R7), what is known to fail is left out: a violation of the program is one of a goal,
//! and if there is none all goals hold (in either semantics, for the first violation of a run counts in both). Only what was
//! proved is assumed, not what rests on verdicts of a version before, and only what can be evaluated on every run that comes there. `--to pair`: for changed code, assertions that hold in the original and are there with the same
//! operations in the modified program stay in both, so that the original has no violating run: if the change is no regression,
//! they hold. The rest is a third program. Texts are read again before they are given out.

use std::collections::BTreeSet;

use evidence::harness::text::Patch;
use formats::Verdict;
use formats::assertions::Relation;
use formats::verdict::InputValue;
use program::cfa::{Cfa, Edge, EdgeId, Function, Operation, VarKind, Variable};
use program::known::{Known as KnownFunction, is_assertion};
use semantics::compare::{Comparison, Side};
use semantics::interpreter::{Limits, Outcome, Recorded, run};
use transform::assertions::{ClauseId, Site, Style};

use crate::check::Answers;
use crate::clauses::{edge_ways, is_plain, ways};
use crate::difference::Difference;
use crate::known::Known;
use crate::statements::{in_place, one_line, patched, read, statement};
use crate::{Loaded, PropdiffError};

/// What an emitted program has of an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kept {
    All,
    Nothing,
    /// These clauses, and others as facts.
    Some {
        goals: Vec<usize>,
        facts: Vec<usize>,
    },
}

/// The program with its goals alone, and the lines of assertions that could not be taken out although something is known of them.
pub(crate) fn goals(
    modified: &Loaded,
    answers: &Answers,
    (without, is_proved): (&BTreeSet<usize>, &dyn Fn(ClauseId) -> bool),
) -> Result<(String, Vec<u32>), PropdiffError> {
    let is_goal = |id: ClauseId| {
        let verdict = answers.of.get(&id).map(|answer| &answer.verdict);
        !without.contains(&id.site) && !matches!(verdict, Some(Verdict::True | Verdict::False(_)))
    };
    let can_assume = has_abort(&modified.cfa);
    let is_fact = |id: ClauseId| {
        let is_true = answers.of.get(&id).is_some_and(|answer| answer.verdict == Verdict::True);
        can_assume && is_true && !without.contains(&id.site) && is_proved(id) && is_defined(modified, id)
    };
    let kept = |(number, site): (usize, &Site), assumes: bool| {
        let those = |fits: &dyn Fn(ClauseId) -> bool| -> Vec<usize> {
            (0..site.clauses.len()).filter(|clause| fits(ClauseId { site: number, clause: *clause })).collect()
        };
        let (open, facts) = (those(&is_goal), if assumes { those(&is_fact) } else { Vec::new() });
        match (open.len(), facts.len()) {
            (0, 0) => Kept::Nothing,
            (all, _) if all == site.clauses.len() => Kept::All,
            _ => Kept::Some { goals: open, facts },
        }
    };
    let kept = |assumes| modified.sites.iter().enumerate().map(|one| kept(one, assumes)).collect::<Vec<Kept>>();
    // Whatever the text makes of `abort`, without it there is the program with its goals.
    emitted(modified, &kept(true)).or_else(|_| emitted(modified, &kept(false)))
}

/// Whether `abort` is, or can be declared to be, that of the C library.
fn has_abort(cfa: &Cfa) -> bool {
    let is_other = |function: &Function| &*function.name == "abort" && function.known != Some(KnownFunction::NoReturn);
    let is_object = |variable: &Variable| matches!(variable.kind, VarKind::Global { .. }) && &*variable.name == "abort";
    !cfa.functions.iter().any(|function| is_other(function) || (&*function.name == "abort" && function.entry.is_some()))
        && !cfa.variables.iter().any(is_object)
}

/// Whether a clause can be evaluated on every run that comes to it, any number of times.
fn is_defined(program: &Loaded, id: ClauseId) -> bool {
    let (cfa, site) = (&program.cfa, &program.sites[id.site]);
    let calls = |edge: &Edge| matches!(edge.operation, Operation::Call { .. }) && site.span.contains(edge.span);
    let is_part = |edge: EdgeId| edge == site.error || Some(edge) == site.call;
    let ways = ways(cfa, site, id.clause);
    !cfa.edge_ids().any(|edge| !is_part(edge) && calls(cfa.edge(edge)))
        && ways.is_some_and(|ways| ways.iter().flatten().all(|(condition, _)| is_plain(cfa, *condition)))
}

fn emitted(program: &Loaded, kept: &[Kept]) -> Result<(String, Vec<u32>), PropdiffError> {
    let (mut patches, mut stuck) = (Vec::new(), Vec::new());
    let mut left = 0usize;
    for ((site, kept), number) in program.sites.iter().zip(kept).zip(0..) {
        let instead = match kept {
            Kept::All => None,
            Kept::Nothing => Some("{ }".to_owned()),
            Kept::Some { goals, facts } => match only(&program.cfa, site, (goals, facts)) {
                Some(text) => Some(text),
                // What nobody asks about can be left out as well as assumed.
                None if goals.is_empty() => Some("{ }".to_owned()),
                None => only(&program.cfa, site, (goals, &[])),
            },
        };
        let is_asked = match kept {
            Kept::All => true,
            Kept::Nothing => false,
            Kept::Some { goals, .. } => !goals.is_empty(),
        };
        let span = statement(&program.cfa, site);
        match (instead, span) {
            (Some(text), Some(span)) => {
                left += usize::from(is_asked);
                patches.push(in_place(&program.cfa, span, &text));
            }
            _ => {
                left += 1;
                if *kept != Kept::All {
                    stuck.push(program.place(number).line);
                }
            }
        }
    }
    let text = text(program, patches);
    let again = read(program, &text, &program.cfa.options);
    // One assertion may have become several, a call for each way to fail.
    if again.is_none_or(|again| again.sites.len() < left || (left == 0 && !again.sites.is_empty())) {
        return Err(PropdiffError::NotWritten { program: program.name.clone() });
    }
    Ok((text, stuck))
}

fn text(program: &Loaded, patches: Vec<Patch>) -> String {
    patched(&program.cfa, patches).text
}

/// A statement that fails where one of some clauses does, each guarded by what was evaluated before, behind one that ends the
/// program where a fact does not hold.
fn only(cfa: &Cfa, site: &Site, (goals, facts): (&[usize], &[usize])) -> Option<String> {
    let Operation::Call { callee, .. } = &cfa.edge(site.error).operation else { return None };
    let error = cfa.edge(site.error).span;
    let name = &cfa.function(*callee).name;
    let takes_condition =
        goals.iter().all(|clause| site.clauses[*clause].fails.iter().all(|edge| error.contains(cfa.edge(*edge).span)));
    let fails = match site.style {
        Style::Assert if is_assertion(name) && takes_condition => format!("{name}(0)"),
        Style::Assert | Style::Branch => one_line(&cfa.source.snippet(error))?.trim_end_matches(';').to_owned(),
        Style::Wrapper | Style::Bare | Style::Guard(_) => return None,
    };
    let is_declared = facts.is_empty() || cfa.functions.iter().any(|function| &*function.name == "abort");
    let mut text = String::from(if is_declared { "{" } else { "{ extern void abort(void);" });
    let statements = facts.iter().map(|clause| (clause, "abort()")).chain(goals.iter().map(|clause| (clause, fails.as_str())));
    for (clause, instead) in statements {
        for way in edge_ways(cfa, site, *clause)? {
            let literal = |edge: &EdgeId| {
                let condition = one_line(&cfa.source.snippet(cfa.edge(*edge).span))?;
                let holds = cfa.edge(*edge).operation.branch() == Some(true);
                Some(if holds { format!("({condition})") } else { format!("!({condition})") })
            };
            let condition: Vec<String> = way.iter().map(literal).collect::<Option<_>>()?;
            text += &format!(" if ({}) {instead};", condition.join(" && "));
        }
    }
    Some(text + " }")
}

/// A C file that fails with one clause on some inputs: gcc builds it. `None` if the other assertions cannot be taken out.
pub(crate) fn harness(modified: &Loaded, id: ClauseId, inputs: &[InputValue]) -> Option<String> {
    let keep = |site: usize| if site == id.site { Kept::All } else { Kept::Nothing };
    let kept: Vec<Kept> = (0..modified.sites.len()).map(keep).collect();
    let (text, _) = emitted(modified, &kept).ok().filter(|(_, stuck)| stuck.is_empty())?;
    let alone = read(modified, &text, &modified.cfa.options)?;
    let mut recorded = Recorded::new(&alone.cfa, inputs);
    let done = run(&alone.cfa, &mut recorded, &mut (), Limits { steps: 50_000_000, memory: 1 << 30, skips_library: false });
    (done.outcome == Outcome::ErrorReached).then(|| evidence::harness::harness(&alone.cfa, &done))
}

/// The files of the pair and the goals, and the number of assertions in the pair.
pub(crate) fn pair(
    (original, modified): (&Loaded, &Loaded),
    (difference, answers): (&Difference, &Answers),
    known: Option<&Known>,
) -> Result<(Vec<(String, String)>, usize), PropdiffError> {
    let holds = |site: usize| {
        let clauses = original.sites[site].clauses.len();
        known.is_some_and(|known| (0..clauses).all(|clause| known.is_true(ClauseId { site, clause })))
    };
    let mut both: Vec<(usize, usize)> = Vec::new();
    for (number, change) in difference.changes.iter().enumerate() {
        let movable = |program: &Loaded, site: usize| statement(&program.cfa, &program.sites[site]).is_some();
        let failing = |clause| {
            answers.of.get(&ClauseId { site: number, clause }).is_some_and(|one| matches!(one.verdict, Verdict::False(_)))
        };
        let fails = (0..change.clauses.len()).any(failing);
        if let Some(other) = change.original.filter(|other| change.relation == Relation::Same && holds(*other))
            && !fails
            && movable(original, other)
            && movable(modified, number)
        {
            both.push((other, number));
        }
    }
    let only = |program: &Loaded, sites: &BTreeSet<usize>| {
        let keep = |site: usize| if sites.contains(&site) { Kept::All } else { Kept::Nothing };
        let kept: Vec<Kept> = (0..program.sites.len()).map(keep).collect();
        match emitted(program, &kept) {
            Ok((text, stuck)) if stuck.is_empty() => Ok(text),
            Ok((_, stuck)) => Err(PropdiffError::Stuck { program: program.name.clone(), line: stuck[0] }),
            Err(error) => Err(error),
        }
    };
    let texts =
        (only(original, &both.iter().map(|pair| pair.0).collect())?, only(modified, &both.iter().map(|pair| pair.1).collect())?);
    check_pair((original, &texts.0), (modified, &texts.1), both.len())?;
    // What the pair is about is no fact yet.
    let (goals, stuck) = goals(modified, answers, (&both.iter().map(|pair| pair.1).collect(), &|_| false))?;
    if let Some(line) = stuck.first() {
        return Err(PropdiffError::Stuck { program: modified.name.clone(), line: *line });
    }
    let files = [("original.c", texts.0), ("modified.c", texts.1), ("goals.c", goals)];
    Ok((files.map(|(name, text)| (name.to_owned(), text)).into(), both.len()))
}

/// A clause by classes of conditions, equal in both programs iff they are identical.
type Form = Vec<Vec<(u32, bool)>>;

/// Reads both programs again: they have the same assertions.
fn check_pair(original: (&Loaded, &str), modified: (&Loaded, &str), number: usize) -> Result<(), PropdiffError> {
    let again = |(program, text): (&Loaded, &str)| {
        read(program, text, &program.cfa.options).ok_or(PropdiffError::NotWritten { program: program.name.clone() })
    };
    let (original, modified) = (again(original)?, again(modified)?);
    let comparison = Comparison::new(&original.cfa, &modified.cfa);
    let forms = |side: Side, program: &Loaded| -> Option<Vec<Form>> {
        let class = |(condition, truth): &(program::expr::ExprId, bool)| (comparison.value(side, *condition).number(), *truth);
        let mut forms = Vec::new();
        for site in &program.sites {
            for clause in 0..site.clauses.len() {
                let form = if site.style == Style::Bare { Vec::new() } else { ways(&program.cfa, site, clause)? };
                forms.push(form.iter().map(|way| way.iter().map(class).collect()).collect());
            }
        }
        forms.sort();
        Some(forms)
    };
    let same = original.sites.len() == number && modified.sites.len() == number;
    let forms = (forms(Side::Original, &original), forms(Side::Modified, &modified));
    if same && forms.0.is_some() && forms.0 == forms.1 {
        return Ok(());
    }
    Err(PropdiffError::NotWritten { program: modified.name })
}
