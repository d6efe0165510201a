//! Calls through pointers that lead to no function of the program: a step like any other where the original makes the same call
//! and the function sees the same; left to check everywhere else. The certificates are found right, and one that claims too
//! much is refused.

use diffdp::{Config, Detected, Wanted, detect_with};
use formats::ProgramOptions;
use program::cfa::Cfa;
use program::source::SourceFile;

/// `CODE` stands for what differs.
const PROGRAM: &str = "
    extern void reach_error(void); extern int in(void); extern void give(int *); extern int used(int *);
    struct operations { int (*ask)(int); void (*tell)(void); };
    extern struct operations *find(void);
    static int hidden, count; int *shown; static int given;
    static int next(int x) { return x + 1; }
    int main(void) {
        struct operations *o = find();
        int x = in(), r = 0, own = 0;
        CODE
        if (r > 3) count = next(2);
        if (count > 100 || given > 5) reach_error();
        return 0;
    }";

fn load(code: &str) -> Cfa {
    let source = SourceFile::new("program.c", PROGRAM.replace("CODE", code));
    program::load_source(source, &ProgramOptions::default()).expect("a program")
}

fn detect(original: &Cfa, modified: &Cfa) -> Detected {
    let wanted = Wanted { explanation: false, certificate: true };
    detect_with(original, modified, &Config::default(), wanted, &mut || false)
}

/// Whether something is left to check.
fn is_left(original: &str, modified: &str) -> bool {
    let (original, modified) = (load(original), load(modified));
    let Detected { graph, certificate, .. } = detect(&original, &modified);
    let checked = validate::validate(&original, &modified, &graph, &certificate.unwrap());
    assert!(checked.is_ok(), "{}", checked.unwrap_err());
    !graph.indicators.is_empty()
}

const CALLS: &str = "r = o->ask(x); o->tell();";

#[test]
fn the_same_call_that_sees_the_same_is_a_step() {
    for (what, original, modified) in [
        ("nothing has changed", CALLS, CALLS),
        ("another statement before it", CALLS, "hidden = 1; r = o->ask(x); o->tell();"),
        ("a local variable that nobody else sees", CALLS, "own = 7; r = o->ask(x); own = 8; o->tell();"),
        ("what is affected is not passed on", "count = 1; o->tell(); count = 0;", "count = 2; o->tell(); count = 0;"),
        ("the pointer in a variable of another name", "int (*f)(int) = o->ask; r = f(x);", "int (*g)(int) = o->ask; r = g(x);"),
        (
            "a function of the program may be meant",
            "int (*f)(int) = x ? next : o->ask; r = f(1);",
            "int (*f)(int) = x ? next : o->ask; hidden = 3; r = f(1);",
        ),
    ] {
        assert!(!is_left(original, modified), "{what}");
    }
}

#[test]
fn any_other_call_is_left_to_check() {
    for (what, original, modified) in [
        ("another argument", CALLS, "r = o->ask(x + 1); o->tell();"),
        ("an argument with another value", "r = o->ask(x);", "x = x + 1; r = o->ask(x);"),
        ("a call more", CALLS, "r = o->ask(x); o->tell(); o->tell();"),
        ("a call less", CALLS, "r = o->ask(x);"),
        ("a call less, and nothing can be violated behind it", "o->tell(); return 0;", "o->ask(1); return 0;"),
        ("another pointer", "o->ask(1);", "o->tell();"),
        ("an order", CALLS, "o->tell(); r = o->ask(x);"),
        (
            "another pointer in the same variable",
            "void (*f)(void) = o->tell; f();",
            "void (*f)(void) = (void (*)(void))o->ask; f();",
        ),
        ("what an argument leads to", "own = 1; give(&own); o->tell();", "own = 2; give(&own); o->tell();"),
        ("what outside was led to", "give(&own); o->tell();", "give(&own); own = 2; o->tell();"),
        (
            "what it was led to through a variable",
            "shown = &own; give((int *)&shown); o->tell();",
            "shown = &own; give((int *)&shown); own = 2; o->tell();",
        ),
        ("memory of the structure", "o->tell();", "o->ask = next; o->tell();"),
        ("another variable takes the result", "r = 0; own = o->ask(x);", "own = 0; r = o->ask(x);"),
        ("no variable takes the result", "r = o->ask(x);", "o->ask(x);"),
    ] {
        assert!(is_left(original, modified), "{what}");
    }
}

/// The address of `given` leaves the program in the modified one only, by a call that yields nothing that is used. Behind the call of
/// the function that is not known `given` may be another value there, and the original does not have it.
#[test]
fn what_only_one_program_has_given_away_may_differ_behind_it() {
    assert!(is_left("o->tell();", "give(&given); o->tell();"));
    assert!(is_left("give(&given); o->tell();", "o->tell();"));
    assert!(!is_left("give(&given); o->tell();", "give(&given); hidden = 1; o->tell();"));
}

/// What makes the unchanged call right does not make a changed one right that looks alike.
#[test]
fn a_certificate_for_another_call_is_refused() {
    let original = load(CALLS);
    let same = load("hidden = 1; r = o->ask(x); o->tell();");
    let Detected { graph, certificate, .. } = detect(&original, &same);
    let certificate = certificate.unwrap();
    assert!(graph.indicators.is_empty() && validate::validate(&original, &same, &graph, &certificate).is_ok());
    for other in ["hidden = 1; r = o->ask(r); o->tell();", "hidden = 1; x = o->ask(x); o->tell();"] {
        let modified = load(other);
        let refused = validate::validate(&original, &modified, &graph, &certificate).unwrap_err();
        assert!(refused.to_string().contains("not known") || refused.to_string().contains("may differ"), "{other}: {refused}");
    }
}

/// `diffcond` goes on behind a call that is the same, as long as nothing has changed before it.
#[test]
fn a_change_behind_the_call_is_found_where_it_is() {
    let (original, modified) = (load(CALLS), load("r = o->ask(x); o->tell(); r = r + 1;"));
    let graph = diffcond::detect(&original, &modified, &mut || false);
    let places: Vec<String> =
        graph.reasons.iter().filter_map(|reason| Some(modified.edge_text(program::cfa::EdgeId(reason.edge?)))).collect();
    assert!(!places.is_empty() && places.iter().all(|text| text.contains("r + 1")), "{places:?}");
}
