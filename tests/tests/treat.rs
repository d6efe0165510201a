//! Programs whose assertions have other consequences run as the assertions say.

#![expect(clippy::wildcard_enum_match_arm, reason = "one form of many expressions is looked for")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, Operation, VarId};
use residue_tests::generate::Generator;
use residue_tests::oracle::{for_seeds, load};
use residue_tests::proofs::number;
use semantics::interpreter::{EdgeObserver, Limits, Observer, Origin, Outcome, Request, Run, run};
use transform::assertions::{ClauseId, Semantics, Style, Treat, ids, sites, treat};

fn execute(cfa: &Cfa, values: &[u128], choice: Option<(VarId, u128)>, observer: &mut dyn Observer) -> Run {
    let mut next = 0;
    let mut inputs = |request: &Request| match (request.origin, choice) {
        (Origin::Object { variable: Some(variable), .. }, Some((chosen, value))) if variable == chosen => Some(value),
        _ => {
            let value = values.get(next).copied().unwrap_or(0);
            next += 1;
            Some(value)
        }
    };
    run(cfa, &mut inputs, observer, Limits { steps: 20_000, ..Limits::default() })
}

/// What a random program with all kinds of goals does; how many goals were violated in runs.
fn examine(seed: u64) -> usize {
    let text = Generator::new(seed).program().to_string();
    let cfa = load("program.c", &text);
    let sites = sites(&cfa);
    let all: Vec<ClauseId> = ids(&sites).collect();
    let goal = |id: ClauseId| u32::try_from(all.iter().position(|other| *other == id).unwrap()).unwrap();
    let stopping = treat(&cfa, &sites, &|id| Treat::Goal(goal(id)), Semantics::Stop);
    let observing = treat(&cfa, &sites, &|id| Treat::Goal(goal(id)), Semantics::Observer);
    let nothing = treat(&cfa, &sites, &|_| Treat::Nothing, Semantics::Stop);
    let facts = treat(&cfa, &sites, &|_| Treat::Fact, Semantics::Stop);
    assert_eq!((observing.goals.len(), facts.goals.len()), (all.len(), 0));
    let (goals, choice, failing_edges) = (observing.goals, observing.choice, nothing.fails);
    let (stopping, observing, nothing, facts) = (stopping.recast, observing.recast, nothing.recast, facts.recast);
    assert!(!nothing.cfa.locations.iter().any(|location| location.is_error));
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut violated = 0;
    for _ in 0..4 {
        let values: Vec<u128> = (0..12).map(|_| rng.u128(0..3)).collect();
        let what = || format!("seed {seed}, {values:?}\n{text}");
        let plain = execute(&cfa, &values, None, &mut ());
        if plain.outcome == Outcome::StepLimit {
            continue;
        }
        let stopped = execute(&stopping.cfa, &values, None, &mut ());
        assert_eq!(stopped.outcome, plain.outcome, "{}", what());
        let excluded = execute(&facts.cfa, &values, None, &mut ());
        let expected = if plain.outcome == Outcome::ErrorReached { Outcome::Aborted } else { plain.outcome.clone() };
        assert_eq!(excluded.outcome, expected, "{}", what());
        // The clauses that fail when nothing stops at them.
        let mut failing: BTreeSet<ClauseId> = BTreeSet::new();
        let mut watch = EdgeObserver(|edge: EdgeId| {
            failing.extend(failing_edges.iter().filter(|(_, fails)| *fails == edge).map(|(id, _)| *id));
            ControlFlow::Continue(())
        });
        let free = execute(&nothing.cfa, &values, None, &mut watch);
        if free.outcome == Outcome::StepLimit {
            continue;
        }
        assert_eq!(!failing.is_empty(), plain.outcome == Outcome::ErrorReached, "{}", what());
        for id in &all {
            let observed = execute(&observing.cfa, &values, choice.map(|choice| (choice, u128::from(goal(*id)))), &mut ());
            assert_eq!(observed.outcome == Outcome::ErrorReached, failing.contains(id), "{id:?}, {}", what());
            if observed.outcome == Outcome::ErrorReached {
                assert!(goals[&goal(*id)].contains(&observed.location));
            }
        }
        violated += failing.len();
    }
    violated
}

#[test]
fn goals_facts_and_nothing_in_random_programs() {
    let first = number("RESIDUE_SEED", 0);
    let count = number("RESIDUE_CHAINS", 300);
    let violated: usize = for_seeds(first..first + count, examine).into_iter().sum();
    eprintln!("{count} programs, {violated} violated clauses in runs");
    assert!(violated > count as usize);
}

const HEAD: &str = "void reach_error(void); void abort(void); int __VERIFIER_nondet_int(void);\n\
    void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } return; }\n";

fn styles(text: &str) -> Vec<(Style, usize)> {
    let cfa = load("program.c", &format!("{HEAD}{text}"));
    sites(&cfa).iter().map(|site| (site.style, site.clauses.len())).collect()
}

#[test]
fn sites_and_clauses_as_they_are_written() {
    for (body, expected) in [
        ("__VERIFIER_assert(x > 0 && x < 5 && (x != 3 || x == 9));", vec![(Style::Wrapper, 3)]),
        ("__VERIFIER_assert(x);", vec![(Style::Wrapper, 1)]),
        ("if (!(x > 0 && x < 5)) reach_error();", vec![(Style::Branch, 2)]),
        ("if (x == 3) { ERROR: reach_error(); }", vec![(Style::Branch, 1)]),
        ("if (x > 3 ? x == 5 : x == 7) reach_error(); x++;", vec![(Style::Branch, 2)]),
        ("if (x == 3) { x = 1; reach_error(); }", vec![(Style::Bare, 1)]),
        ("if (x == 3) reach_error(); else x = 2;", vec![(Style::Bare, 1)]),
        ("reach_error();", vec![(Style::Bare, 1)]),
        ("while (x < 9) { if (x == 3) reach_error(); x++; }", vec![(Style::Branch, 1)]),
        ("if (x == 1) { if (x == 3) reach_error(); } else x = 4;", vec![(Style::Branch, 1)]),
    ] {
        let found = styles(&format!("int main(void) {{ int x = __VERIFIER_nondet_int(); {body} return x; }}"));
        assert_eq!(found, expected, "{body}");
    }
}

#[test]
fn assertions_of_the_library() {
    let text = "void assert(int); int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); assert(x > 1 && x < 9); assert(x == 1 || x == 2); return 0; }";
    let source = program::source::SourceFile::new("a.c", text);
    let options = formats::ProgramOptions { property: formats::Property::Assert, ..formats::ProgramOptions::default() };
    let cfa = program::load_source(source, &options).unwrap();
    let found: Vec<(Style, usize)> = sites(&cfa).iter().map(|site| (site.style, site.clauses.len())).collect();
    assert_eq!(found, [(Style::Assert, 2), (Style::Assert, 1)]);
}

/// Undefined operations become what they are told to.
#[test]
fn guards_with_other_ends() {
    use transform::definedness::{Sink, checks, load};
    let text = "int __VERIFIER_nondet_int(void); int f(int d) { return 12 / d; }\n\
        int main(void) { int x = __VERIFIER_nondet_int(); int y = f(x); return y % (x - 2); }";
    let source = || program::source::SourceFile::new("a.c", text);
    let cfa = load(source(), &formats::ProgramOptions::default(), formats::Property::DivZero).unwrap();
    let end = |sink: Sink, x: u128| {
        let guarded = checks(&cfa, &|_| sink);
        let mut flagged = false;
        let mut watch = EdgeObserver(|edge: EdgeId| {
            let operation = &guarded.recast.cfa.edge(edge).operation;
            flagged |= guarded.recast.origin[edge.index()].is_none() && matches!(operation, Operation::Assign { .. });
            ControlFlow::Continue(())
        });
        let done = execute(&guarded.recast.cfa, &[x], None, &mut watch);
        (done.outcome, flagged)
    };
    for x in [0, 2] {
        assert_eq!(end(Sink::Goal, x), (Outcome::ErrorReached, false));
        assert_eq!(end(Sink::Excluded, x), (Outcome::Aborted, false));
        assert!(end(Sink::Flag, x).1);
    }
    for sink in [Sink::Goal, Sink::Excluded, Sink::Flag] {
        assert_eq!(end(sink, 5), (Outcome::Finished, false));
    }
}

/// Checks and ghosts hold what they say.
#[test]
fn checks_and_ghosts_at_places() {
    use transform::instrument::{Check, Ghost, Instrumenter};
    let text = "int __VERIFIER_nondet_int(void); int f(int a) { a = a + 1; return a; }\n\
        int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_nondet_int(); int y = f(x); return y; }";
    let cfa = load("a.c", text);
    let function = |name: &str| cfa.function_ids().find(|id| &*cfa.function(*id).name == name).unwrap();
    let (f, input) = (function("f"), function("__VERIFIER_nondet_int"));
    let value_of = |name: &str| {
        cfa.exprs.ids().find(|id| match *cfa.exprs.get(*id) {
            program::expr::Expr::Load(place) => {
                matches!(*cfa.exprs.get(place), program::expr::Expr::Variable(v) if &*cfa.variable(v).name == name)
            }
            _ => false,
        })
    };
    let a = value_of("a").unwrap();
    // At the exit of `f` the parameter is one more than at its entry, so that equality fails always.
    for (second, expected) in [(7_u128, Outcome::ErrorReached), (4, Outcome::Finished)] {
        let mut made = Instrumenter::new(&cfa);
        let entry = made.ghost(Ghost::AtEntry(f, a)).unwrap();
        let ghost = made.ghost(Ghost::Input(input, 1)).unwrap();
        let (entry, ghost) = (made.editor().load(entry), made.editor().load(ghost));
        let same = made.editor().equal(entry, ghost);
        let at = cfa.edge(cfa.in_edges(cfa.function(f).exit.unwrap())[0]).source;
        let span = cfa.function(f).span;
        made.check(Check { at, holds: same, otherwise: Treat::Goal(3), span });
        let plain = made.finish();
        let done = execute(&plain.recast.cfa, &[4, second], None, &mut ());
        assert_eq!(done.outcome, expected);
        if done.outcome == Outcome::ErrorReached {
            assert_eq!(plain.goals[&3], [done.location]);
        }
        let mut made = Instrumenter::new(&cfa);
        let entry = made.ghost(Ghost::AtEntry(f, a)).unwrap();
        let entry = made.editor().load(entry);
        let unchanged = made.editor().equal(a, entry);
        made.check(Check { at, holds: unchanged, otherwise: Treat::Fact, span });
        let fact = made.finish();
        assert_eq!(execute(&fact.recast.cfa, &[4, second], None, &mut ()).outcome, Outcome::Aborted);
        assert!(fact.goals.is_empty());
    }
}
