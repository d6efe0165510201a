//! Where execution goes on behind an assertion whose condition is made by more than branches.
//!
//! `assert(a > 3 && f(a))` calls `f` on one of the ways to its end. Such an assertion stays one clause, at the call of the error
//! function, so that all it does is done once and in order; a run that violates it goes on where those go on that pass it.
//! Does not know what an assertion consists of.

use std::collections::BTreeSet;

use program::cfa::{Cfa, EdgeId, LocationId, Operation};
use program::source::Span;

use super::{Style, passed};

/// What is known of the way behind a call of an error function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behind {
    /// No condition guards it that is of the same statement, or other code stands in a branch of that statement.
    Nothing,
    /// Runs that pass the assertion, which is this statement, go on there.
    At(LocationId, Span),
    /// Execution goes on, and nobody knows where.
    Somewhere,
}

/// Statements of which the way on is not the end: they come back to their conditions, or have many ways.
const OTHERS: [&str; 5] = ["while", "for", "do", "switch", "else"];

/// Where execution would go on behind a call of an error function, by the edges that lead to it.
pub(super) fn behind(cfa: &Cfa, failing: &[EdgeId], error: EdgeId, style: Style) -> Behind {
    let call = cfa.edge(error);
    if failing.is_empty() {
        return Behind::Nothing;
    }
    let statement = failing.iter().fold(call.statement, |all, edge| all.to(cfa.edge(*edge).statement));
    let text = String::from_utf8_lossy(cfa.source.slice(statement)).into_owned();
    let first = word(&text);
    let condition = if first == "if" {
        let Some((lo, hi)) = parentheses(&text) else { return Behind::Nothing };
        Span::new(statement.lo + lo, statement.lo + hi)
    } else {
        // What an expression does behind the call is no part of the condition.
        Span::new(statement.lo, call.span.lo)
    };
    let fails = failing_part(cfa, call.source);
    let inside = inside(cfa, condition, &fails);
    let guards =
        |edge: &EdgeId| cfa.edge(*edge).statement == statement && matches!(cfa.edge(*edge).operation, Operation::Assume { .. });
    let is_guarded = inside.iter().any(|location| cfa.out_edges(*location).iter().any(guards));
    if !is_guarded || condition.contains(call.span) || has_other_branch(cfa, statement, call.span) {
        return Behind::Nothing;
    }
    if OTHERS.contains(&first) {
        return if style == Style::Assert { Behind::Somewhere } else { Behind::Nothing };
    }
    end(cfa, condition, (inside, &fails)).map_or(Behind::Somewhere, |after| Behind::At(after, statement))
}

fn is_part(cfa: &Cfa, condition: Span, edge: EdgeId) -> bool {
    !cfa.edge(edge).span.is_empty() && condition.contains(cfa.edge(edge).span)
}

/// The locations from which evaluating a condition leads to where it fails.
fn inside(cfa: &Cfa, condition: Span, fails: &BTreeSet<LocationId>) -> BTreeSet<LocationId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<LocationId> = fails.iter().copied().collect();
    while let Some(location) = pending.pop() {
        let edges = cfa.in_edges(location).iter().filter(|edge| is_part(cfa, condition, **edge));
        let sources = edges.map(|edge| cfa.edge(*edge).source).filter(|source| !fails.contains(source));
        pending.extend(sources.filter(|source| found.insert(*source)));
    }
    found
}

/// The one place to which the ways lead that evaluate a condition and do not fail.
fn end(cfa: &Cfa, condition: Span, (inside, fails): (BTreeSet<LocationId>, &BTreeSet<LocationId>)) -> Option<LocationId> {
    let (mut pending, mut seen, mut ends) = (Vec::from_iter(inside.iter().copied()), inside, BTreeSet::new());
    while let Some(location) = pending.pop() {
        let location = passed(cfa, location)?;
        let edges = cfa.out_edges(location);
        let is_exit = cfa.function(cfa.location(location).function).exit == Some(location);
        if fails.contains(&location) || (edges.is_empty() && !is_exit) {
            // It fails, or nobody goes on from here, be it that another assertion failed.
            continue;
        }
        if is_exit || !edges.iter().all(|edge| is_part(cfa, condition, *edge)) {
            ends.insert(location);
            continue;
        }
        let targets = edges.iter().map(|edge| cfa.edge(*edge).target).filter(|target| !fails.contains(target));
        pending.extend(targets.filter(|target| seen.insert(*target)));
    }
    let mut ends = ends.into_iter();
    ends.next().filter(|_| ends.next().is_none())
}

/// The locations from which edges that do nothing are the only way, and lead to the call of the error function.
fn failing_part(cfa: &Cfa, error: LocationId) -> BTreeSet<LocationId> {
    let mut found = BTreeSet::from([error]);
    let mut pending = vec![error];
    while let Some(location) = pending.pop() {
        for edge in cfa.in_edges(location) {
            let edge = cfa.edge(*edge);
            if matches!(edge.operation, Operation::Blank) && found.insert(edge.source) {
                pending.push(edge.source);
            }
        }
    }
    found
}

/// Whether an `if` or `switch` that fails in one branch does something in another. A jump leaves no edge, so the text is asked.
pub(super) fn has_other_branch(cfa: &Cfa, statement: Span, call: Span) -> bool {
    let text = String::from_utf8_lossy(cfa.source.slice(statement)).into_owned();
    let first = word(&text);
    if !statement.contains(call) || !matches!(first, "if" | "switch") {
        return false;
    }
    let Some((_, close)) = parentheses(&text) else { return true };
    let body = close as usize + 1;
    let (lo, hi) = ((call.lo - statement.lo) as usize, (call.hi - statement.lo) as usize);
    let piece = |range: std::ops::Range<usize>| words(text.get(range).unwrap_or("goto"));
    if first == "switch" || lo < body {
        return piece(body..text.len()).any(|word| matches!(word, "goto" | "continue" | "return"));
    }
    let before: Vec<&str> = piece(body..lo).collect();
    let then = before.iter().position(|word| *word == "else").unwrap_or(0);
    before[..then].iter().any(|word| does(word)) || piece(hi..text.len()).skip_while(|word| *word != "else").any(does)
}

/// Whether a word of a branch may be one of something that is done: `(void)0;` is nothing.
fn does(word: &str) -> bool {
    !matches!(word, "else" | "void" | "0")
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// The words of a text but for markers of the preprocessor.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(|line| line.split(|character: char| !is_word(character))).filter(|word| !word.is_empty())
}

/// The word that a text begins with.
fn word(text: &str) -> &str {
    text.split(|character: char| !is_word(character)).next().unwrap_or_default()
}

/// Where the first parenthesis of a text opens and where it closes, literals and comments passed over.
fn parentheses(text: &str) -> Option<(u32, u32)> {
    let bytes = text.as_bytes();
    let open = bytes.iter().position(|byte| *byte == b'(')?;
    let (mut depth, mut at) = (0usize, open);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some((u32::try_from(open + 1).ok()?, u32::try_from(at).ok()?)),
            b')' => depth -= 1,
            b'/' if rest.starts_with(b"/*") => at += rest.windows(2).skip(2).position(|end| end == b"*/")? + 3,
            b'/' if rest.starts_with(b"//") => at += rest.iter().position(|byte| *byte == b'\n')?,
            b'"' | b'\'' => {
                let mut escaped = false;
                let is_end = |other: &u8| {
                    let ends = other == byte && !escaped;
                    escaped = *other == b'\\' && !escaped;
                    ends
                };
                at += rest[1..].iter().position(is_end)? + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use semantics::interpreter::{Limits, Outcome, Request, run};

    use super::*;
    use crate::assertions::{Semantics, Site, Style, Treat, sites, treat};

    fn load(body: &str) -> Cfa {
        let text = format!(
            "void reach_error(void); unsigned char __VERIFIER_nondet_uchar(void); int arr[4], calls;\n\
             int f(int x) {{ calls++; return x > 255; }}\n\
             int main(void) {{ unsigned char a = __VERIFIER_nondet_uchar(); {body} return 0; }}"
        );
        program::load_source(SourceFile::new("a.c", text), &ProgramOptions::default()).unwrap()
    }

    fn end_of(body: &str, goal: usize) -> Outcome {
        let cfa = load(body);
        let sites = sites(&cfa);
        let of = |id: crate::assertions::ClauseId| if id.site == goal { Treat::Goal(0) } else { Treat::Nothing };
        let treated = treat(&cfa, &sites, &of, Semantics::Observer);
        let mut inputs = |_: &Request| Some(0);
        run(&treated.recast.cfa, &mut inputs, &mut (), Limits { steps: 1000, ..Limits::default() }).outcome
    }

    /// For 0 the first assertion fails, and so does the second behind it.
    #[test]
    fn runs_go_on_behind_conditions_that_do_more_than_branch() {
        for first in [
            "if (!(a > 3 && f(a))) reach_error();",
            "if (!(a > 255 || f(a))) reach_error();",
            "if (!(a > 3 && (a ? arr[a & 3] : a) > 3)) reach_error();",
            "if (!(a > 255 || arr[0]++ > 3)) reach_error();",
            "if (!(a > 255 && ({ int q = a; q; }) > 3)) { ERROR: reach_error(); }",
            "if (a > 3 && f(a)) ; else reach_error();",
            "(a > 3 && f(a)) ? (void)0 : reach_error();",
            "if (!(a > 255 || (f(a), 0))) reach_error();",
            "if (a < 9) { if (!(a > 3 && f(a))) reach_error(); } else a = 5;",
        ] {
            let body = format!("{first} if (!(a > 2)) reach_error();");
            let found: Vec<Site> = sites(&load(&body));
            assert_eq!((found.len(), found[0].clauses.len()), (2, 1), "{first}");
            assert!(found[0].after.is_some() && !found[0].is_lost, "{first}: {:?}", found[0]);
            for goal in [0, 1] {
                assert_eq!(end_of(&body, goal), Outcome::ErrorReached, "{first}");
            }
        }
    }

    #[test]
    fn effects_of_a_condition_are_there_once() {
        for first in [
            "if (!(a > 255 || f(a))) reach_error();",
            "if (!(a < 255 && f(a) && f(a))) reach_error();",
            "if (!(a > 255 || ({ int q = f(a); q; }) > 3)) reach_error();",
        ] {
            assert_eq!(end_of(&format!("{first} if (calls == 1) reach_error();"), 1), Outcome::ErrorReached, "{first}");
        }
    }

    #[test]
    fn runs_end_where_another_branch_does_something() {
        for first in [
            "if (a > 3) a = 1; else reach_error();",
            "if (a < 3) reach_error(); else a = 1;",
            "while (1) { if (a > 3) break; else reach_error(); }",
            "if (a > 3 && f(a)) return 0; else reach_error();",
            "if (a < 3) { a = 1; reach_error(); }",
            "reach_error();",
        ] {
            let found = sites(&load(first));
            assert!(found.len() == 1 && found[0].style == Style::Bare, "{first}: {found:?}");
            assert!(found[0].after.is_none() && !found[0].is_lost, "{first}: {found:?}");
        }
    }

    #[test]
    fn what_is_behind_is_not_understood_where_no_way_leads_out() {
        let cfa = load("for (;;) if (!(a > 3 && f(a))) reach_error();");
        let found = sites(&cfa);
        assert!(found.len() == 1 && found[0].is_lost && found[0].after.is_none(), "{found:?}");
        let treated = treat(&cfa, &found, &|_| Treat::Nothing, Semantics::Observer).recast.cfa;
        assert!(treated.edge_ids().any(|edge| matches!(treated.edge(edge).operation, Operation::Unsupported { .. })));
    }

    #[test]
    fn parentheses_close_behind_literals_and_comments() {
        let text = r#"if (f(')', "\")") /* ) */ > 3) g();"#;
        let (lo, hi) = parentheses(text).unwrap();
        assert_eq!(&text[lo as usize..hi as usize], r#"f(')', "\")") /* ) */ > 3"#);
        assert_eq!(parentheses("if (f("), None);
    }
}
