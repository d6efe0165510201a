//! Each analysis alone and all together on small programs whose truth is known.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is not expected fails")]

pub(crate) mod random;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use formats::{DataModel, ProgramOptions};
use program::cfa::{Cfa, EdgeId, LocationId};
use program::expr::{BinaryOp, Expr};
use semantics::facts::Facts;
use smt::encode::Origin;
use smt::terms::Assignment;
use smt::{TermId, Value};

use self::random::{Draw, Loops, Program, State, Truth};
use crate::analyses::candidates::{Candidate, settle};
use crate::analysis::Share;
use crate::control::{Cause, Position, Stop, SymbolicState, Target};
use crate::evidence::counterexample::Counterexample;
use crate::evidence::invariant::Invariant;
use crate::evidence::recheck::check;
use crate::evidence::replay::reaches_error;
use crate::goal::{Goal, GoalId, Goals, Referee, Replay, Ruling, Status, Until};
use crate::portfolio::{Executions, Kind, Lead, Numbers, Plan, Recheck, run};
use crate::session::{Clock, Memory, Session, Sessions};

/// What every program begins with.
const HEAD: &str = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);\n";

pub(crate) fn load(text: &str) -> Cfa {
    load_for(text, DataModel::LP64)
}

fn load_for(text: &str, data_model: DataModel) -> Cfa {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEAD}{text}")).unwrap();
    program::load(&file, &ProgramOptions { data_model, ..ProgramOptions::default() }).unwrap()
}

pub(crate) fn sessions(cfa: &Cfa) -> Sessions<'_> {
    Sessions::open(cfa, None, &Arc::new(AtomicBool::new(false)), Clock::None).unwrap()
}

fn settle_goals(cfa: &Cfa, goals: &mut Goals, analyses: &[Kind], steps: u64) -> Numbers {
    let mut sessions = sessions(cfa);
    let plan = Plan { analyses, steps: Some(steps), recheck: Recheck::Always, executions: Executions::Several, ..Plan::FULL };
    run(&mut sessions, (goals, &mut Replay), plan, (&AtomicBool::new(false), &mut ()))
}

fn verdict(text: &str, analyses: &[Kind]) -> Option<bool> {
    answer(text, analyses, 3_000_000)
}

/// `Some(true)`: safe, and the proof was confirmed if it is one by invariants; `Some(false)`: violated by a run.
pub(crate) fn answer(text: &str, analyses: &[Kind], steps: u64) -> Option<bool> {
    answer_for(&load(text), analyses, steps)
}

fn answer_for(cfa: &Cfa, analyses: &[Kind], steps: u64) -> Option<bool> {
    let mut goals = Goals::every_error(cfa);
    let numbers = settle_goals(cfa, &mut goals, analyses, steps);
    assert!(numbers.rechecks.iter().all(Result::is_ok), "{:?}", numbers.rechecks);
    match &goals.get(GoalId(0)).status {
        Status::Safe(_) => Some(true),
        Status::Unsafe(run) => {
            assert!(reaches_error(run));
            Some(false)
        }
        Status::Open => panic!("nothing is open at the end"),
        Status::Unknown(_) => None,
    }
}

/// The variables of random programs as terms.
pub(crate) fn variables(session: &mut Session<'_>) -> [TermId; 3] {
    let cfa = session.cfa();
    ["a", "b", "c"].map(|name| {
        let id = cfa.variable_ids().find(|id| &*cfa.variable(*id).name == name).unwrap();
        session.explorer.encoder.terms_of(&mut session.store, id, 0)[0]
    })
}

/// A state of a random program as values of its variables.
pub(crate) fn values(variables: [TermId; 3], state: State) -> Assignment {
    let mut values = Assignment::new();
    for (variable, value) in variables.into_iter().zip(state) {
        values.set(variable, Value::Bits { width: 32, value: u128::from(value) });
    }
    values
}

/// The path from a position that a run with these inputs takes, edge by edge until `end` says so or the next loop head: the
/// values of all inputs on the way are added to `values`. What is met on the way: the state behind each edge.
pub(crate) fn drive(
    session: &mut Session<'_>,
    (from, state): (Position, SymbolicState),
    values: &mut Assignment,
    inputs: &mut dyn Iterator<Item = u8>,
) -> (Vec<(EdgeId, SymbolicState)>, Option<Target>) {
    let (mut position, mut state, mut path) = (from, state, Vec::new());
    loop {
        let mut taken = Vec::new();
        for edge in session.explorer.out_edges(position) {
            let Some(next) = session.explorer.successors(&mut session.store, position, edge, &state) else { continue };
            let asked = session.explorer.inputs_of(position, edge).to_vec();
            for (input, origin) in asked {
                if matches!(origin, Origin::Input(_)) {
                    let value = u128::from(inputs.next().unwrap());
                    values.set(input, Value::Bits { width: 32, value });
                }
            }
            let holds = |condition: &TermId| session.store.eval(*condition, values).unwrap().as_bool() == Some(true);
            if next.conditions.iter().all(holds) {
                taken.push((edge, next));
            }
        }
        assert!(taken.len() <= 1, "a run takes one way");
        let Some((edge, next)) = taken.pop() else { return (path, None) };
        path.push((edge, next.state.clone()));
        match next.target {
            Ok(to) => (position, state) = (to, next.state),
            Err(end) => return (path, Some(end)),
        }
    }
}

/// Whether all states of a random program at the heads of its loops, tried out, are in its invariants.
pub(crate) fn contains_all_states(session: &mut Session<'_>, invariants: &[Invariant], truth: &Truth) -> bool {
    let variables = variables(session);
    let cfa = session.cfa();
    let mut heads: Vec<LocationId> = Facts::new(cfa).loops().all().iter().map(|one| one.head).collect();
    heads.sort_by_key(|head| cfa.out_edges(*head).iter().map(|edge| cfa.edge(*edge).span.lo).min());
    heads.dedup();
    assert_eq!(heads.len(), truth.heads.len());
    heads.iter().zip(&truth.heads).all(|(head, states)| {
        states.iter().all(|state| {
            let values = values(variables, *state);
            let holds = |one: &&Invariant| session.store.eval(one.formula, &values).unwrap().as_bool() == Some(true);
            invariants.iter().filter(|one| one.position.location == *head).any(|one| holds(&one))
        })
    })
}

const COUNTER: &str = "int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
  while (i < n) { i = i + 1; j = j + 1; } if (i != j) reach_error(); }";

const STATES: &str = "int main(void) { int state = 1, seen = 0; while (1) { unsigned input = __VERIFIER_nondet_uint();
  if (state == 1 && input == 3) state = 2; else if (state == 2 && input == 4) { state = 3; seen = 1; }
  else if (state == 3 && input == 5) state = 1; if (state == 3 && !seen) reach_error(); } }";

const DEEP: &str = "int main(void) { unsigned i = 0, x = __VERIFIER_nondet_uint(); while (i < 5) { i = i + 1; x = x + 3; }
  if (x == 77) reach_error(); }";

const CONSTANT: &str = "int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += i; if (s != 45) reach_error(); }";

/// Not inductive in one step: what `b` was decides what `a` will be.
const SHIFTED: &str = "int main(void) { unsigned a = 1, b = 1, c = 1; while (__VERIFIER_nondet_uint()) {
  if (a != 1) reach_error(); a = b; b = c; c = c * c; } }";

#[test]
fn execution_settles_programs_without_inputs() {
    assert_eq!(verdict(CONSTANT, &[Kind::Execution]), Some(true));
    assert_eq!(verdict(&CONSTANT.replace("45", "44"), &[Kind::Execution]), Some(false));
    assert_eq!(verdict(COUNTER, &[Kind::Execution]), None);
}

#[test]
fn executions_with_small_inputs_go_where_much_is_computed_from_little() {
    let text = |least: u32| {
        format!(
            "unsigned f(unsigned n) {{ return n < 2 ? n : f(n - 1) + f(n - 2); }}\n\
             int main(void) {{ unsigned x = __VERIFIER_nondet_uint(); if (x >= {least} && x < 16 && f(x) == 233) reach_error(); }}\n"
        )
    };
    assert_eq!(verdict(&text(8), &[Kind::Execution]), Some(false));
    // That they reach no error says nothing.
    assert_eq!(verdict(&text(14), &[Kind::Execution]), None);
}

#[test]
fn values_settle_state_machines() {
    assert_eq!(verdict(STATES, &[Kind::Values]), Some(true));
    assert_eq!(verdict(&STATES.replace("!seen", "seen"), &[Kind::Values]), Some(false));
    assert_eq!(verdict(COUNTER, &[Kind::Values]), None);
}

#[test]
fn bounded_search_finds_violations_and_proves_what_ends() {
    assert_eq!(verdict(DEEP, &[Kind::Bounded]), Some(false));
    assert_eq!(verdict(&DEEP.replace("x == 77", "i != 5"), &[Kind::Bounded]), Some(true));
    assert_eq!(verdict(COUNTER, &[Kind::Bounded]), None);
}

#[test]
fn any_number_of_pieces_of_memory_has_room_in_32_bits() {
    for pieces in 1..6 {
        let get = |n| format!("unsigned *p{n} = malloc(8); if (!p{n}) return 0; p{n}[1] = x + {n};");
        let mut text = String::from("void *malloc(__SIZE_TYPE__); int main(void) { unsigned x = __VERIFIER_nondet_uint();");
        text.extend((0..pieces).map(get));
        text += &format!("if (p0[1] != x || p{0}[1] != x + {0}) reach_error(); }}", pieces - 1);
        for data_model in [DataModel::ILP32, DataModel::LP64] {
            let found = answer_for(&load_for(&text, data_model), &[Kind::Bounded], 3_000_000);
            assert_eq!(found, Some(true), "{pieces} {data_model:?}");
        }
    }
}

#[test]
fn candidates_prove_by_templates_and_never_a_violated_goal() {
    assert_eq!(verdict(COUNTER, &[Kind::Candidates]), Some(true));
    assert_eq!(verdict(&COUNTER.replace("i != j", "i == 3"), &[Kind::Candidates]), None);
    assert_eq!(verdict(DEEP, &[Kind::Candidates]), None);
}

/// What is read is what was written, in any number of cells.
const CELLS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int main(void) {
    int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; int a[1000];
    for (int i = 0; i < n; i++) a[i] = i + 1;
    for (int i = 0; i < n; i++) if (a[i] != i + 1) reach_error(); return 0; }";

#[test]
fn candidates_of_cells_prove_what_holds_of_all_elements() {
    assert_eq!(verdict(CELLS, &[Kind::Cells]), Some(true));
    assert_eq!(verdict(CELLS, &[Kind::Candidates, Kind::Induction]), None);
    // The first one, one in the middle, or one too many is another.
    for broken in [
        CELLS.replace("i = 0; i < n; i++) a", "i = 1; i < n; i++) a"),
        CELLS.replace("a[i] = i + 1", "a[i] = i == 500 ? 0 : i + 1"),
        CELLS.replace("i = 0; i < n; i++) if", "i = 0; i <= n; i++) if"),
    ] {
        assert_eq!(verdict(&broken, &[Kind::Cells]), None, "{broken}");
    }
}

/// The head of a program about arrays of `n` elements, whose first loop lets them be anything.
const ARRAYS: &str =
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int a[1000], b[1000]; int main(void) {
    int n = __VERIFIER_nondet_int(), i, j = 0, flag = 1; long long sum = 0; if (n < 1 || n > 1000) return 0;
    for (i = 0; i < n; i++) { a[i] = __VERIFIER_nondet_int(); b[i] = __VERIFIER_nondet_int(); }";

/// What is said of all cells under a condition, of cells at places that run side by side, and of sums; and what breaks it.
#[test]
fn candidates_of_cells_know_flags_strides_and_sums() {
    for (right, there, broken) in [
        (
            "for (i = 0; i < n; i++) if (a[i] != b[i]) flag = 0;
             if (flag) for (i = 0; i < n; i++) if (a[i] != b[i]) reach_error();",
            "flag = 0;",
            "flag = i == 500;",
        ),
        (
            "for (i = 1; i < n; i += 2) a[j++] = b[i];
             j = 0; for (i = 1; i < n; i += 2) { if (a[j] != b[i]) reach_error(); j++; }",
            "if (a[j]",
            "if (a[j + 1]",
        ),
        (
            "for (i = 0; i < n; i++) a[i] = i % 3 ? 1 : 4;
             for (i = 0; i < n; i++) sum += a[i];
             if (sum < n || sum > 4LL * n) reach_error();",
            "? 1 : 4",
            "? 1 : 5",
        ),
        (
            "for (i = 0; i < n; i++) if (a[i] < 0) b[i] = 1; else b[i] = 0;
             for (i = 0; i < n; i++) if ((a[i] < 0) != b[i]) flag = 0;
             if (!flag) reach_error();",
            "if (a[i] < 0) b",
            "if (a[i] < -7) b",
        ),
    ] {
        assert_eq!(verdict(&format!("{ARRAYS} {right} }}"), &[Kind::Cells]), Some(true), "{right}");
        let broken = right.replacen(there, broken, 1);
        assert_ne!(broken, right);
        assert_eq!(verdict(&format!("{ARRAYS} {broken} }}"), &[Kind::Cells]), None, "{broken}");
    }
}

/// What gcc makes of a search for a bit of 0 depends on the instruction: no path has one.
#[test]
fn no_path_searches_a_bit_of_zero() {
    for (scan, holds) in [("clz", Some(true)), ("ctz", Some(true)), ("ffs", Some(false)), ("popcount", Some(false))] {
        let text = format!(
            "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
             int main(void) {{ unsigned x = __VERIFIER_nondet_uint(); int n = __builtin_{scan}(x); if (x == 0 || n > 32) reach_error(); }}"
        );
        assert_eq!(verdict(&text, Kind::ALL), holds, "{scan}");
    }
}

#[test]
fn induction_goes_deeper_than_one_block() {
    assert_eq!(verdict(SHIFTED, &[Kind::Induction]), Some(true));
    assert_eq!(verdict(&SHIFTED.replace("c * c", "c + 1"), &[Kind::Induction]), None);
    assert_eq!(verdict(DEEP, &[Kind::Induction]), None);
}

#[test]
fn predicates_settle_both_ways() {
    for (text, expected) in [(COUNTER, true), (DEEP, false), (SHIFTED, true), (STATES, true)] {
        assert_eq!(verdict(text, &[Kind::Predicates]), Some(expected), "{text}");
    }
}

/// What is asked of depends on a variable that no pointer leads to; the others are written through a pointer to one of many.
const DRIVER: &str = "struct device { int state, users; struct device *next; } a, b, c; int held;
  static struct device *some(void) { int n = __VERIFIER_nondet_uint(); return n == 0 ? &a : n == 1 ? &b : &c; }
  int main(void) { while (__VERIFIER_nondet_uint()) { struct device *d = some(); d->next = some(); d->next->users += d->state;
      if (!held) { held = 1; d->state = 1; if (d->next->state) d->users = 0; held = 0; } }
    for (int i = 0; i < 3; i++) some()->users = i;
    if (held) reach_error(); }";

#[test]
fn what_depends_on_no_memory_behind_pointers_is_proved_without_it() {
    assert_eq!(verdict(DRIVER, &[Kind::Localized]), Some(true));
    assert_eq!(verdict(&DRIVER.replace("held = 0; }", "}"), &[Kind::Localized]), Some(false), "a run that replays is one");
    // What is forgotten decides these: neither a proof nor a path.
    let by_memory = DRIVER.replace("if (held)", "if (a.state > 1)");
    assert_eq!(verdict(&by_memory, &[Kind::Localized]), None);
    assert_eq!(verdict(&DRIVER.replace("if (held)", "if (a.state == 1)"), &[Kind::Bounded]), Some(false));
    assert_ne!(verdict(&DRIVER.replace("if (held)", "if (a.state == 1)"), &[Kind::Localized]), Some(true));
}

#[test]
fn a_path_through_a_loop_is_excluded_by_what_excluded_others() {
    let text = "int main(void) { int held = 0; while (__VERIFIER_nondet_uint()) { if (held) reach_error(); held = 1;
      for (unsigned i = 0; i < 100000; i++) if (__VERIFIER_nondet_uint()) break;
      for (unsigned j = 0; j < 100000; j++) if (__VERIFIER_nondet_uint()) break;
      held = 0; } if (held) reach_error(); }";
    let cfa = load(text);
    let mut goals = Goals::every_error(&cfa);
    let numbers = settle_goals(&cfa, &mut goals, &[Kind::Predicates], 100_000);
    assert!(matches!(goals.get(GoalId(0)).status, Status::Safe(_)), "{:?}", goals.get(GoalId(0)).status);
    let predicates = numbers.work.iter().find(|(name, _)| *name == "predicates").map(|(_, number)| *number);
    assert!(predicates.is_some_and(|number| number <= 4), "the loops' counters do not matter: {:?}", numbers.work);
}

#[test]
fn without_any_one_analysis_the_others_answer_the_same() {
    let programs = [(COUNTER, true), (DEEP, false), (SHIFTED, true), (STATES, true), (CONSTANT, true)];
    for without in Kind::ALL {
        let others: Vec<Kind> = Kind::ALL.iter().copied().filter(|kind| kind != without).collect();
        for (text, expected) in programs {
            assert_eq!(verdict(text, &others), Some(expected), "without {without:?}: {text}");
        }
    }
}

/// 30 assertions about one loop, each in a function of its own; `true` for those that hold.
fn assertions() -> (String, Vec<bool>) {
    let holding = ["s == 2 * i", "i <= n", "i <= 1000", "s <= 2000", "s % 2 == 0", "j == i"];
    let (mut functions, mut calls, mut truth) = (String::new(), String::new(), Vec::new());
    for at in 0..30 {
        let holds = at % 5 >= 2;
        let claim = if holds { holding[at % holding.len()].to_owned() } else { format!("i != {}", at + 1) };
        functions += &format!("void check{at}(int holds) {{ if (!holds) reach_error(); }}\n");
        calls += &format!("  check{at}({claim});\n");
        truth.push(holds);
    }
    let text = format!(
        "{functions}int main(void) {{ unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0, j = 0;
        while (i < n && i < 1000) {{ i = i + 1; s = s + 2; j = j + 1; }}\n{calls} }}"
    );
    (text, truth)
}

#[test]
fn one_run_settles_thirty_assertions_each_with_evidence() {
    let (text, truth) = assertions();
    let cfa = load(&text);
    let mut goals = Goals::each(cfa.location_ids().filter(|at| cfa.location(*at).is_error));
    assert_eq!((goals.all().len(), goals.until), (30, Until::Each));
    let numbers = settle_goals(&cfa, &mut goals, Kind::ALL, 60_000_000);
    eprintln!("{} queries, {} steps, {:?}", numbers.queries, numbers.steps, numbers.by);
    assert!(numbers.rechecks.iter().all(Result::is_ok), "{:?}", numbers.rechecks);
    for goal in goals.all() {
        let function = &cfa.function(cfa.location(goal.at[0]).function).name;
        let number: usize = function.trim_start_matches("check").parse().unwrap();
        match &goal.status {
            Status::Safe(_) => assert!(truth[number], "{function} is violated"),
            Status::Unsafe(run) => {
                assert!(!truth[number], "{function} holds");
                assert_eq!(cfa.edge(*run.trace.last().unwrap()).target, goal.at[0], "{function}: another error");
            }
            Status::Open | Status::Unknown(_) => panic!("{function} is open: {:?}", goal.status),
        }
    }
}

#[test]
fn small_shares_end_where_one_great_share_does() {
    for (text, expected) in [(COUNTER, true), (DEEP, false), (SHIFTED, true)] {
        let cfa = load(text);
        // The portfolio's own shares begin small; a limit that cuts every query makes all of them begin again.
        for steps in [50, 400, 3_000] {
            let mut goals = Goals::every_error(&cfa);
            let numbers = settle_goals(&cfa, &mut goals, &[Kind::Bounded, Kind::Predicates], steps);
            match &goals.get(GoalId(0)).status {
                Status::Safe(_) => assert!(expected),
                Status::Unsafe(_) => assert!(!expected),
                Status::Unknown(cause) => assert_eq!(*cause, Cause::Stopped(Stop::Interrupted), "{numbers:?}"),
                Status::Open => panic!("open"),
            }
        }
        assert_eq!(verdict(text, &[Kind::Bounded, Kind::Predicates]), Some(expected));
    }
}

#[test]
fn two_runs_with_the_same_steps_do_the_same() {
    let (text, _) = assertions();
    let cfa = load(&text);
    for steps in [20_000, 300_000] {
        let once = || {
            let mut goals = Goals::each(cfa.location_ids().filter(|at| cfa.location(*at).is_error));
            let numbers = settle_goals(&cfa, &mut goals, Kind::ALL, steps);
            let statuses: Vec<String> = goals.all().iter().map(|goal| format!("{:?}", goal.status)).collect();
            (format!("{numbers:?}"), statuses)
        };
        // What Z3 counts depends on what its context has seen: one per thread.
        let in_a_thread = || std::thread::scope(|scope| scope.spawn(once).join().unwrap());
        assert_eq!(in_a_thread(), in_a_thread());
    }
}

/// A variable of `main` as a term.
fn variable(sessions: &mut Sessions<'_>, name: &str) -> TermId {
    let cfa = sessions.cfa();
    let id = cfa.variable_ids().find(|id| &*cfa.variable(*id).name == name).unwrap();
    let session = sessions.of(Memory::Abstracted);
    session.explorer.encoder.terms_of(&mut session.store, id, 0)[0]
}

#[test]
fn wrong_proposals_are_dropped_and_cost_no_verdict() {
    for (text, expected) in [(COUNTER, true), (DEEP, false)] {
        let cfa = load(text);
        let mut sessions = sessions(&cfa);
        let i = variable(&mut sessions, "i");
        let session = sessions.of(Memory::Abstracted);
        let mut proposals = Vec::new();
        for at in cfa.location_ids() {
            for constant in 0..4 {
                let constant = session.store.bits(32, constant);
                let wrong = [session.store.eq(i, constant), session.store.ult(i, constant), session.store.ff()];
                proposals.extend(wrong.map(|formula| Candidate { at, formula, versions: u64::MAX }));
            }
        }
        let plan = Plan { proposals: &proposals, recheck: Recheck::Always, ..Plan::FULL };
        for analyses in [Kind::ALL, &[Kind::Candidates, Kind::Predicates], &[Kind::Candidates, Kind::Induction, Kind::Predicates]]
        {
            let mut goals = Goals::every_error(&cfa);
            let numbers =
                run(&mut sessions, (&mut goals, &mut Replay), Plan { analyses, ..plan }, (&AtomicBool::new(false), &mut ()));
            assert!(numbers.rechecks.iter().all(Result::is_ok), "{:?}", numbers.rechecks);
            match &goals.get(GoalId(0)).status {
                Status::Safe(_) => assert!(expected),
                Status::Unsafe(_) => assert!(!expected),
                other => panic!("{other:?}"),
            }
        }
    }
}

/// What is dropped at one loop may be what another rested on: that one is looked at again, wherever it lies.
#[test]
fn what_rested_on_a_dropped_proposal_is_dropped_at_other_loops() {
    let inwards = "unsigned x = 0, y = 0; while (__VERIFIER_nondet_uint()) { y = x; while (__VERIFIER_nondet_uint()) x = 1; }";
    let outwards = "unsigned x = 0, y = 0; while (__VERIFIER_nondet_uint()) { while (__VERIFIER_nondet_uint()) y = x; x = 1; }";
    let in_a_row = "unsigned x = 0, y = 0; while (__VERIFIER_nondet_uint()) { while (__VERIFIER_nondet_uint()) y = x;
      while (__VERIFIER_nondet_uint()) x = y + 1; }";
    for body in [inwards, outwards, in_a_row] {
        let cfa = load(&format!("int main(void) {{ {body} if (y > 1000) reach_error(); }}"));
        let mut sessions = sessions(&cfa);
        let both = ["x", "y"].map(|name| variable(&mut sessions, name));
        let session = sessions.of(Memory::Abstracted);
        let zero = session.store.bits(32, 0);
        let zeros = both.map(|one| session.store.eq(one, zero));
        let offer = |at| zeros.map(|formula| Candidate { at, formula, versions: u64::MAX });
        let offered: Vec<Candidate> = cfa.location_ids().flat_map(offer).collect();
        let settled = settle(session, offered, None, &mut Share { steps: 1_000_000, observer: &mut () }).unwrap();
        assert!(settled.facts.len() > 1, "{body}: {:?}", settled.facts);
        assert!(check(session, &settled.facts, &|_| false).is_ok(), "{body}: {:?}", settled.facts);
        // At some loop either variable may be anything but zero.
        for claimed in zeros {
            let kept = |fact: &Invariant, session: &mut Session<'_>| {
                let violated = session.store.not(claimed);
                matches!(session.check(&[fact.formula, violated]).unwrap(), smt::Answer::Unsat(_))
            };
            assert!(settled.facts.iter().any(|fact| !kept(fact, session)), "{body}");
        }
    }
}

#[test]
fn a_selector_keeps_a_proposal_for_the_versions_it_holds_in() {
    let text = "extern unsigned version; int main(void) { unsigned x = 0;
      while (__VERIFIER_nondet_uint()) { if (version == 1) x = x + 1; else x = x + 2; } if (x == 3) reach_error(); }";
    let cfa = load(text);
    let mut sessions = sessions(&cfa);
    let (x, version) = (variable(&mut sessions, "x"), variable(&mut sessions, "version"));
    let session = sessions.of(Memory::Abstracted);
    let (low, zero) = (session.store.extract(x, 0, 0), session.store.bits(1, 0));
    let even = session.store.eq(low, zero);
    let offered: Vec<Candidate> = cfa.location_ids().map(|at| Candidate { at, formula: even, versions: 0b111 }).collect();
    let mut share = Share { steps: 1_000_000, observer: &mut () };
    let settled = settle(session, offered, Some(version), &mut share).unwrap();
    let [fact] = settled.facts.as_slice() else { panic!("{:?}", settled.facts) };
    for (number, holds) in [(0, true), (1, false), (2, true)] {
        let number = session.store.bits(32, number);
        let chosen = session.store.eq(version, number);
        let odd = session.store.not(even);
        let answer = session.check(&[fact.formula, chosen, odd]).unwrap();
        assert_eq!(matches!(answer, smt::Answer::Unsat(_)), holds, "{number:?}");
    }
    assert!(!settled.lost.is_empty());
    assert!(check(session, &settled.facts, &|_| false).is_ok());
}

/// Leaves out one version after another.
struct Leaving(Vec<program::expr::ExprId>);

impl Referee for Leaving {
    fn claim(&mut self, session: &mut Session<'_>, goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        match Replay.claim(session, goal, path) {
            Ruling::Confirmed(run) => Ruling::ConfirmedFor { run, except: self.0.pop().into_iter().collect() },
            other => other,
        }
    }
}

#[test]
fn what_no_longer_counts_is_said_in_the_terms_of_each_session() {
    // Memory that is followed in two ways has sessions with terms of their own.
    let text = "void *malloc(unsigned long); extern unsigned version; int main(void) { unsigned *p = malloc(4); if (!p) return 0;
      *p = 0; while (__VERIFIER_nondet_uint()) { if (version == 1) *p = *p + 2; else *p = *p + 4; }
      int two = version == 2; if (two) *p = 3; if (*p % 2 == 1) reach_error(); }";
    let cfa = load(text);
    let is_two = |expr: &program::expr::ExprId| {
        let Expr::Binary(BinaryOp::Equal, _, number) = *cfa.exprs.get(*expr) else { return false };
        matches!(cfa.exprs.get(number), Expr::Int(2))
    };
    let two = cfa.exprs.ids().find(is_two).unwrap();
    for analyses in [Kind::ALL, &[Kind::Bounded, Kind::Predicates], &[Kind::Predicates], &[Kind::Values, Kind::Induction]] {
        let mut sessions = sessions(&cfa);
        let mut goals = Goals::every_error(&cfa);
        goals.until = Until::Each;
        let plan = Plan { analyses, steps: Some(300_000), ..Plan::FULL };
        let mut referee = Leaving(vec![two]);
        run(&mut sessions, (&mut goals, &mut referee), plan, (&AtomicBool::new(false), &mut ()));
        let goal = &goals.all()[0];
        // Nothing is found twice: the referee has nothing more to leave out.
        assert!(!matches!(goal.status, Status::Unsafe(_)) && goal.except.len() == 1, "{analyses:?} {:?}", goal.status);
        if analyses == Kind::ALL {
            assert!(matches!(goal.status, Status::Safe(_)), "{:?}", goal.status);
        }
    }
}

/// Whatever is offered and whoever goes first: random formulas at random places, as candidates and as predicates.
#[test]
fn what_was_true_of_another_version_changes_no_verdict() {
    let mut open = 0;
    for seed in 0..120 {
        let program = Program::draw(seed, Loops::Any);
        let (cfa, truth) = (load(&program.text()), program.truth());
        let (mut draw, mut sessions) = (Draw::new(seed), sessions(&cfa));
        let mut proposals = Vec::new();
        let session = sessions.of(Memory::Abstracted);
        let variables = variables(session);
        for at in cfa.location_ids() {
            let constant = session.store.bits(32, draw.below(4) as u128);
            let (x, y) = (variables[draw.below(3)], variables[draw.below(3)]);
            let atoms = [session.store.eq(x, constant), session.store.ult(x, y)];
            session.seed(at, &atoms);
            let either = session.store.or(&atoms);
            proposals.extend([atoms[0], atoms[1], either].map(|formula| Candidate { at, formula, versions: u64::MAX }));
        }
        let kind = Kind::ALL[draw.below(Kind::ALL.len())];
        let lead = Some(Lead { kind, steps: 100 << draw.below(12), others: 10 << draw.below(8) });
        let head_start = 4_000 * draw.below(2) as u64;
        let plan = Plan { proposals: &proposals, head_start, lead, steps: Some(500_000), recheck: Recheck::Always, ..Plan::FULL };
        let mut goals = Goals::every_error(&cfa);
        let numbers = run(&mut sessions, (&mut goals, &mut Replay), plan, (&AtomicBool::new(false), &mut ()));
        assert!(numbers.rechecks.iter().all(Result::is_ok), "{seed} {:?}", numbers.rechecks);
        match &goals.get(GoalId(0)).status {
            Status::Safe(_) => assert!(!truth.violated, "{seed} {lead:?}\n{}", program.text()),
            Status::Unsafe(_) => assert!(truth.violated, "{seed} {lead:?}\n{}", program.text()),
            Status::Unknown(_) => open += 1,
            Status::Open => panic!("open"),
        }
    }
    assert!(open < 5, "{open} of 120 are not decided");
}

/// Who goes first does its own later shares in advance: if that was in vain, the others come to theirs all the same, and what it
/// did is not done again.
#[test]
fn working_ahead_is_paid_back() {
    let text = "int main(void) { unsigned i = 0, x = 0; while (i < 100000) { i = i + 1; x = __VERIFIER_nondet_uint(); }
      if (i < 100000) reach_error(); return x; }";
    let cfa = load(text);
    let steps = |lead: Option<Lead>| {
        let mut goals = Goals::every_error(&cfa);
        let plan = Plan { lead, steps: Some(3_000_000), ..Plan::FULL };
        let numbers = run(&mut sessions(&cfa), (&mut goals, &mut Replay), plan, (&AtomicBool::new(false), &mut ()));
        assert!(matches!(goals.get(GoalId(0)).status, Status::Safe(_)));
        numbers.steps
    };
    let alone = steps(None);
    assert!(alone > 10_000, "{alone} steps: too easy");
    let ahead = steps(Some(Lead { kind: Kind::Predicates, steps: alone, others: 100 }));
    assert!(ahead * 5 < alone, "{ahead} of {alone}");
    let in_vain = steps(Some(Lead { kind: Kind::Bounded, steps: 8_000, others: 100 }));
    assert!(in_vain * 10 < alone * 11, "{in_vain} of {alone}");
}
