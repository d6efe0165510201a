//! What a run says in the end: a line per unit, a summary, the verdict, the exit code.
//!
//! Invariant: `--fail-on` decides about the exit code only, never about a line. What changed and was not looked at makes the
//! whole UNKNOWN, unless something is violated.
//! Does not know how units are checked.

use std::collections::BTreeSet;

use clap::ValueEnum;
use console::Exit;
use formats::shown::one_line;
use formats::{Producer, Property, Reason, Verdict};

use crate::run::outcome::{CheckReport, Class, FORMAT, Failure, Outcome, Skipped, VERSION, Why};
use crate::run::validated::is_told;
use crate::run::words::note;

/// A class of results that `--fail-on` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// The original passes where the modified program fails, or could not be compared
    Regression,
    /// The modified program violates the property, whether the original does or not
    Violation,
    /// Not decided, or not looked at
    Unknown,
    /// The modified program has nothing that could be violated
    Vacuous,
}

/// The report of a run.
///
/// The worst verdict is FALSE, then UNKNOWN, then TRUE; a unit that could not be checked is UNKNOWN here.
pub(crate) fn report(outcomes: Vec<Outcome>, failures: Vec<Failure>, skipped: Vec<Skipped>) -> CheckReport {
    let worst = match properties(&outcomes).len() {
        // Of several properties the first that is violated counts.
        2.. => outcomes.iter().rev().max_by_key(|outcome| outcome.class),
        _ => outcomes.iter().max_by_key(|outcome| outcome.class),
    };
    let (mut verdict, mut class) =
        worst.map_or((Verdict::True, Class::NoRegression), |worst| (worst.verdict.clone(), worst.class));
    if let (Some(failure), Class::NoRegression | Class::Vacuous | Class::Undecided) = (failures.first(), class) {
        (verdict, class) = (failure.verdict(), Class::Undecided);
    }
    if let (true, Class::NoRegression | Class::Vacuous) = (!missing(&outcomes, &failures, &skipped).is_empty(), class) {
        (verdict, class) = (Verdict::Unknown(Reason::NotChecked), Class::Undecided);
    }
    CheckReport {
        format: FORMAT.to_owned(),
        version: VERSION,
        producer: Producer::new("residue", env!("CARGO_PKG_VERSION")),
        verdict,
        class,
        outcomes,
        failures,
        skipped,
    }
}

/// What changed and was not looked at: files in use that are gone, changes in other files, files that are no C, and files of
/// which nothing is checked because they define none of the entry functions.
pub(crate) fn missing<'a>(outcomes: &[Outcome], failures: &[Failure], skipped: &'a [Skipped]) -> Vec<&'a Skipped> {
    missing_beside(outcomes.iter().map(|outcome| &outcome.modified.path), failures, skipped)
}

/// The same where the files of these paths were looked at.
pub(super) fn missing_beside<'a: 'o, 'o>(
    looked_at: impl Iterator<Item = &'o String>,
    failures: &'o [Failure],
    skipped: &'a [Skipped],
) -> Vec<&'a Skipped> {
    let unaffected = skipped.iter().filter(|skipped| skipped.why == Why::Unaffected).map(|skipped| skipped.path.as_str());
    let looked_at: BTreeSet<&str> =
        looked_at.chain(failures.iter().map(|failure| &failure.path)).map(String::as_str).chain(unaffected).collect();
    let mut told = BTreeSet::new();
    let mut without_entry = |skipped: &'a Skipped| {
        skipped.why == Why::NoEntry && !looked_at.contains(skipped.path.as_str()) && told.insert(&skipped.path)
    };
    skipped.iter().filter(|skipped| skipped.why.is_missing() || without_entry(skipped)).collect()
}

/// The exit code: 101 if a tool has a bug, else 2 if a unit could not be checked, else 1 for a violation, else 3 for UNKNOWN,
/// else 0, as far as `fail_on` names the class.
pub(crate) fn exit(report: &CheckReport, fail_on: &[FailOn]) -> Exit {
    if report.outcomes.iter().any(|outcome| outcome.verdict == Verdict::Unknown(Reason::Internal)) {
        return Exit::Internal;
    }
    if !report.failures.is_empty() {
        return Exit::Usage;
    }
    // A run that was interrupted before the first unit has a verdict and no outcome.
    let classes = report.outcomes.iter().map(|outcome| outcome.class).chain([report.class]);
    let exits: Vec<Exit> = classes.map(|class| exit_of(class, fail_on)).collect();
    let worst = [Exit::Negative, Exit::Unknown].into_iter().find(|exit| exits.contains(exit));
    worst.unwrap_or(Exit::Success)
}

fn exit_of(class: Class, fail_on: &[FailOn]) -> Exit {
    let (fails, exit) = match class {
        Class::NoRegression => (false, Exit::Success),
        Class::Vacuous => (fail_on.contains(&FailOn::Vacuous), Exit::Unknown),
        Class::Undecided => (fail_on.contains(&FailOn::Unknown), Exit::Unknown),
        Class::ViolationInBoth => (fail_on.contains(&FailOn::Violation), Exit::Negative),
        Class::NotCompared | Class::Regression => {
            (fail_on.contains(&FailOn::Violation) || fail_on.contains(&FailOn::Regression), Exit::Negative)
        }
    };
    if fails { exit } else { Exit::Success }
}

/// The lines of a run; the last is the verdict, the one before says what it is about.
pub(crate) fn text(report: &CheckReport) -> String {
    if let ([outcome], [], []) = (report.outcomes.as_slice(), report.failures.as_slice(), report.skipped.as_slice()) {
        let assumed = if outcome.assumed.is_empty() { String::new() } else { one_line(&assumed(outcome)).into_owned() + "\n" };
        let (about, verifier) = (one_line(&outcome.about), one_line(&decided_by(outcome)).into_owned());
        let about = format!("{about}{}", validated(outcome));
        return format!("{assumed}{about}{}{verifier}\n{}\n", property(report), one_line(&outcome.verdict.to_string()));
    }
    let mut text = String::new();
    let several = properties(&report.outcomes);
    let mut line = |line: String| {
        // A line can name files and constructs of others; a verdict stands alone on its line.
        text.push_str(&one_line(&line));
        text.push('\n');
    };
    for outcome in &report.outcomes {
        let property = if several.len() > 1 { format!(" {}", outcome.options.property) } else { String::new() };
        if !outcome.assumed.is_empty() {
            line(format!("{} {}{property}: {}", outcome.modified.path, outcome.options.entry, assumed(outcome)));
        }
        line(format!(
            "{} {}{property}: {}{}{}: {}",
            outcome.modified.path,
            outcome.options.entry,
            outcome.about,
            validated(outcome),
            decided_by(outcome),
            outcome.verdict
        ));
    }
    for failure in &report.failures {
        line(failure.line());
    }
    for skipped in missing(&report.outcomes, &report.failures, &report.skipped) {
        line(note(skipped));
    }
    line(summary(report) + &property(report));
    for property in several.iter().filter(|_| several.len() > 1) {
        let about = report.outcomes.iter().filter(|outcome| outcome.options.property == *property);
        line(format!("{property}: {}", Verdict::worst(about.map(|outcome| &outcome.verdict))));
    }
    line(report.verdict.to_string());
    text
}

/// What the made caller of the entry function takes for granted: the verdict holds under it.
fn assumed(outcome: &Outcome) -> String {
    format!("assumed: {}", outcome.assumed.join("; "))
}

/// That the condition was found right, behind a line.
fn validated(outcome: &Outcome) -> &'static str {
    if is_told(outcome) { "; condition validated" } else { "" }
}

/// Which of several verifiers decided, behind a line.
fn decided_by(outcome: &Outcome) -> String {
    let decided = !matches!(outcome.verdict, Verdict::Unknown(_)) && outcome.has_choice();
    if decided { format!("; verifier: {}", outcome.verifier) } else { String::new() }
}

/// The properties that were checked, each once, in the order of the command line.
fn properties(outcomes: &[Outcome]) -> Vec<Property> {
    let mut found: Vec<Property> = Vec::new();
    for outcome in outcomes {
        if !found.contains(&outcome.options.property) {
            found.push(outcome.options.property);
        }
    }
    found
}

/// The property that was checked, behind a line.
fn property(report: &CheckReport) -> String {
    let names: Vec<String> = properties(&report.outcomes).iter().map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!("; property: {}", names.join(", ")) }
}

fn summary(report: &CheckReport) -> String {
    let class = |wanted| report.outcomes.iter().filter(|outcome| outcome.class == wanted).count();
    let why = |wanted| report.skipped.iter().filter(|skipped| skipped.why == wanted).count();
    let counts = [
        (class(Class::Regression), "with a regression"),
        (class(Class::NotCompared), "with a violation that was not compared"),
        (class(Class::ViolationInBoth), "with a violation that the original has too"),
        (class(Class::Undecided), "undecided"),
        (class(Class::Vacuous), "with nothing to violate"),
        (class(Class::NoRegression), "without a regression"),
        (report.failures.len(), "failed"),
        (missing(&report.outcomes, &report.failures, &report.skipped).len(), "not checked"),
        (why(Why::Unchanged), "unchanged"),
        (why(Why::Invisible), "changed in the text but not for the compiler"),
        (why(Why::Unaffected), "unaffected by the change"),
        (why(Why::Deleted), "deleted"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let checked = report.outcomes.len();
    let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    format!("{checked} checked{counts}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_by_class() {
        use FailOn::{Regression, Unknown, Violation};
        let default = [Violation, Unknown].as_slice();
        for (class, fail_on, code) in [
            (Class::NoRegression, [Regression, Violation, Unknown].as_slice(), 0),
            (Class::Vacuous, default, 0),
            (Class::Vacuous, &[FailOn::Vacuous], 3),
            (Class::Undecided, default, 3),
            (Class::Undecided, &[Regression], 0),
            (Class::ViolationInBoth, default, 1),
            (Class::ViolationInBoth, &[Regression], 0),
            (Class::ViolationInBoth, &[Unknown], 0),
            (Class::NotCompared, &[Regression], 1),
            (Class::NotCompared, default, 1),
            (Class::NotCompared, &[Unknown], 0),
            (Class::Regression, &[Regression], 1),
            (Class::Regression, &[Violation], 1),
            (Class::Regression, &[Unknown], 0),
        ] {
            assert_eq!(exit_of(class, fail_on).code(), code, "{class:?} {fail_on:?}");
        }
    }

    #[test]
    fn a_name_is_no_line_of_its_own() {
        let failure = Failure { path: "x\nTRUE\r\u{1b}[2K".to_owned(), entry: None, message: String::new() };
        let text = text(&report(Vec::new(), vec![failure], Vec::new()));
        assert!(text.starts_with("x\\nTRUE\\r\\u{1b}[2K: not checked"), "{text}");
        assert_eq!(text.lines().count(), 3);
    }

    #[test]
    fn what_was_not_looked_at_is_never_true() {
        let skipped =
            |why, detail: Option<&str>| Skipped { path: "a.c".to_owned(), entry: None, why, detail: detail.map(str::to_owned) };
        for (why, code) in [
            (Why::Unchanged, 0),
            (Why::Invisible, 0),
            (Why::Unaffected, 0),
            (Why::Deleted, 0),
            (Why::DeletedInUse, 3),
            (Why::NoEntry, 3),
            (Why::Elsewhere, 3),
            (Why::NotC, 3),
            (Why::Build, 3),
            (Why::Built, 3),
            (Why::Link, 3),
        ] {
            let report = report(Vec::new(), Vec::new(), vec![skipped(why, Some("b.c uses f"))]);
            assert_eq!(exit(&report, &[FailOn::Unknown]).code(), code, "{why:?}");
            let text = text(&report);
            assert_eq!(text.ends_with("UNKNOWN(not checked)\n"), code == 3, "{text}");
            assert_eq!(text.contains("a.c"), code == 3, "the line says which: {text}");
        }
    }

    #[test]
    fn a_failure_is_never_a_success() {
        let failure = Failure { path: "a.c".to_owned(), entry: None, message: "unreadable".to_owned() };
        let report = report(Vec::new(), vec![failure], Vec::new());
        assert_eq!(exit(&report, &[]).code(), 2);
        assert_eq!(
            text(&report),
            "a.c: not checked, see the error\n0 checked: 1 failed\nUNKNOWN(unsupported: unusable input at a.c:1)\n"
        );
    }

    #[test]
    fn the_verdict_of_a_failure_names_its_line() {
        for (message, place) in [
            ("a.c:7:7: expected an expression, found `=`\n  help: correct the program", "a.c:7"),
            ("propdiff failed with exit code 2:\nerror: inc/h.h:3:1: expected a name\n", "inc/h.h:3"),
            (
                "the preprocessor refuses the file in HEAD:\nIn file included from a.c:2:\nd e/h.h:12:2: error: #error x",
                "d e/h.h:12",
            ),
            ("a.c:9: no function", "a.c:9"),
            ("b.c of HEAD cannot be read: no such file", "a.c:1"),
            ("expected 1:2 here", "a.c:1"),
        ] {
            let failure = Failure { path: "a.c".to_owned(), entry: None, message: message.to_owned() };
            let text = text(&report(Vec::new(), vec![failure], Vec::new()));
            assert!(text.ends_with(&format!("unusable input at {place})\n")), "{message}: {text}");
        }
    }
}
