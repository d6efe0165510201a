//! Weaves of random chains of versions: each version is in the weave as it is, and runs there as it runs alone.

#![expect(clippy::wildcard_enum_match_arm, reason = "few outcomes have a treatment of their own")]
#![expect(clippy::too_many_lines, reason = "a table of mutations")]

use program::cfa::{Cfa, EdgeId, Operation};
use program::expr::Expr;
use residue_tests::generate::Generator;
use residue_tests::oracle::{for_seeds, load};
use residue_tests::proofs::number;
use semantics::interpreter::{Limits, Origin, Outcome, Request, Run, run};
use transform::weave::{Weave, WeaveError, weave};

/// Chains that are tried; `RESIDUE_CHAINS` changes it.
const CHAINS: u64 = 300;
/// Runs of each version.
const RUNS: usize = 4;
/// More than a generated program takes unless it spins.
const STEPS: usize = 3000;

/// The texts of a chain of 2 to 8 versions.
fn chain(seed: u64) -> Vec<String> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut generator = Generator::new(seed);
    let mut program = generator.program();
    let mut texts = vec![program.to_string()];
    for _ in 1..rng.usize(2..=8) {
        // Now and then an unrelated program comes next, or the same one.
        program = match rng.u8(..12) {
            0 => generator.program(),
            1 => program,
            _ => generator.change(&program),
        };
        texts.push(program.to_string());
    }
    texts
}

/// A run whose inputs are given in the order in which they are asked for.
fn execute(cfa: &Cfa, values: &[u128], choice: Option<(program::cfa::VarId, u128)>) -> Run {
    let mut next = 0;
    let mut inputs = |request: &Request| match (request.origin, choice) {
        (Origin::Object { variable: Some(variable), .. }, Some((chosen, value))) if variable == chosen => Some(value),
        _ => {
            let value = values.get(next).copied().unwrap_or(0);
            next += 1;
            Some(value)
        }
    };
    // Choices of versions are steps too.
    let steps = if choice.is_some() { STEPS * 8 } else { STEPS };
    run(cfa, &mut inputs, &mut (), Limits { steps, ..Limits::default() })
}

/// Whether a version and the weave ran alike.
fn alike(weave: &Weave, version: usize, own: &Run, woven: &Run) -> bool {
    let path: Vec<EdgeId> = weave.project(version, &woven.trace).collect();
    match own.outcome {
        // A loop without effect: the weave is somewhere in it.
        Outcome::StepLimit => path.starts_with(&own.trace) || own.trace.starts_with(&path),
        _ => std::mem::discriminant(&own.outcome) == std::mem::discriminant(&woven.outcome) && path == own.trace,
    }
}

struct Row {
    versions: usize,
    edges: usize,
    woven: usize,
    degraded: usize,
    violations: usize,
}

fn examine(seed: u64) -> Row {
    let texts = chain(seed);
    let programs: Vec<Cfa> = texts.iter().enumerate().map(|(n, text)| load(&format!("v{n}.c"), text)).collect();
    let versions: Vec<&Cfa> = programs.iter().collect();
    let woven = weave(&versions).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", texts.join("\n----\n")));
    let mut rng = fastrand::Rng::with_seed(seed ^ 0x5eed);
    let mut violations = 0;
    for (version, own) in versions.iter().enumerate() {
        for _ in 0..RUNS {
            let values: Vec<u128> = (0..12).map(|_| rng.u128(0..3)).collect();
            let alone = execute(own, &values, None);
            let together = execute(&woven.recast.cfa, &values, Some((woven.version, version as u128)));
            let what =
                || format!("seed {seed}, version {version}: {:?} / {:?}\n{}", alone.outcome, together.outcome, texts[version]);
            assert!(alike(&woven, version, &alone, &together), "{}", what());
            assert!(together.trace.iter().all(|edge| woven.edges[edge.index()] >> version & 1 == 1), "{}", what());
            violations += usize::from(alone.outcome == Outcome::ErrorReached);
        }
    }
    let none = execute(&woven.recast.cfa, &[], Some((woven.version, versions.len() as u128)));
    assert_eq!((none.outcome, none.trace.len()), (Outcome::Aborted, 1), "seed {seed}: a version that there is not runs");
    Row {
        versions: versions.len(),
        edges: versions.iter().map(|cfa| cfa.edges.len()).sum(),
        woven: woven.woven_edges(),
        degraded: woven.degraded.len(),
        violations,
    }
}

#[test]
fn weaves_are_exact_and_run_alike() {
    let first = number("RESIDUE_SEED", 0);
    let rows = for_seeds(first..first + number("RESIDUE_CHAINS", CHAINS), examine);
    let sum = |of: fn(&Row) -> usize| rows.iter().map(of).sum::<usize>();
    let (versions, edges, woven) = (sum(|row| row.versions), sum(|row| row.edges), sum(|row| row.woven));
    eprintln!(
        "{} chains, {versions} versions, {edges} edges, {woven} in weaves, {} functions taken apart, {} violating runs",
        rows.len(),
        sum(|row| row.degraded),
        sum(|row| row.violations),
    );
    // Versions share most of what they are made of.
    assert!(woven * 2 < edges, "{woven} of {edges}");
    assert!(sum(|row| row.violations) > rows.len() / 2);
}

/// Changes something that matters; `None` if this program has nothing of the kind.
fn mutate(weave: &Weave, kind: usize, rng: &mut fastrand::Rng) -> Option<Cfa> {
    let mut parts = weave.recast.cfa.parts();
    let taken: Vec<usize> = (0..parts.edges.len()).filter(|edge| weave.recast.origin[*edge].is_some()).collect();
    let edge = *taken.get(rng.usize(..taken.len().max(1)))?;
    match kind {
        // A set of versions in a condition gains or loses one.
        0 => {
            let all: Vec<usize> = (0..parts.edges.len()).filter(|edge| weave.recast.origin[*edge].is_none()).collect();
            let edge = *all.get(rng.usize(..all.len().max(1)))?;
            let Operation::Assume { condition, truth } = parts.edges[edge].operation else { return None };
            let Expr::Binary(op, bit, zero) = *parts.exprs.get(condition) else { return None };
            let Expr::Binary(and, shifted, one) = *parts.exprs.get(bit) else { return None };
            let Expr::Binary(shift, set, version) = *parts.exprs.get(shifted) else { return None };
            let Expr::Int(bits) = *parts.exprs.get(set) else { return None };
            let (set_ty, int) = (parts.exprs.ty(set), parts.exprs.ty(condition));
            let set = parts.exprs.intern(Expr::Int(bits ^ 1), set_ty);
            let shifted = parts.exprs.intern(Expr::Binary(shift, set, version), set_ty);
            let bit = parts.exprs.intern(Expr::Binary(and, shifted, one), set_ty);
            let condition = parts.exprs.intern(Expr::Binary(op, bit, zero), int);
            let partner = parts.edges.iter().position(|other| {
                other.source == parts.edges[edge].source
                    && matches!(other.operation, Operation::Assume { truth: other, .. } if other != truth)
            })?;
            parts.edges[edge].operation = Operation::Assume { condition, truth };
            parts.edges[partner].operation = Operation::Assume { condition, truth: !truth };
        }
        // An operation is left out.
        1 => {
            if matches!(parts.edges[edge].operation, Operation::Blank | Operation::Assume { .. }) {
                return None;
            }
            parts.edges[edge].operation = Operation::Blank;
        }
        // An edge leads elsewhere.
        2 => {
            let function = parts.locations[parts.edges[edge].source.index()].function;
            let target = taken[rng.usize(..taken.len())];
            let target = parts.edges[target].source;
            let own = parts.edges[edge].target;
            if parts.locations[target.index()].function != function || target == own {
                return None;
            }
            parts.edges[edge].target = target;
        }
        // A condition holds the other way round.
        3 => {
            let Operation::Assume { condition, truth } = parts.edges[edge].operation else { return None };
            parts.edges[edge].operation = Operation::Assume { condition, truth: !truth };
        }
        // A variable starts with another value.
        4 => {
            let globals = parts.variables.iter_mut().filter(|variable| !variable.name.starts_with("__residue"));
            let mut mentioned = globals.filter(|variable| ["k0", "a"].contains(&&*variable.name));
            let variable = mentioned.next()?;
            let initializer = variable.initializer.as_mut()?;
            let scalar = program::cfa::InitialScalar {
                first_bit: 0,
                width: 32,
                ty: parts.exprs.ids().map(|id| parts.exprs.ty(id)).next()?,
                value: program::cfa::ConstantValue::Int(7),
            };
            initializer.scalars.insert(0, scalar);
        }
        // The error is none.
        _ => {
            let error = parts.locations.iter_mut().find(|location| location.is_error)?;
            error.is_error = false;
        }
    }
    Some(Cfa::new(parts))
}

#[test]
fn a_weave_that_was_tampered_with_has_no_certificate() {
    let mut caught = [0; 6];
    let mut passed = [0; 6];
    for seed in 0..40 {
        let texts = chain(seed);
        let programs: Vec<Cfa> = texts.iter().enumerate().map(|(n, text)| load(&format!("v{n}.c"), text)).collect();
        let versions: Vec<&Cfa> = programs.iter().collect();
        let mut rng = fastrand::Rng::with_seed(seed);
        for kind in 0..6 {
            let mut woven = weave(&versions).unwrap();
            woven.check(&versions).unwrap();
            let Some(mutant) = mutate(&woven, kind, &mut rng) else { continue };
            woven.recast.cfa = mutant;
            match woven.check(&versions) {
                Err(WeaveError::Certificate { .. }) => caught[kind] += 1,
                Err(other) => panic!("{other}"),
                Ok(()) => passed[kind] += 1,
            }
        }
    }
    eprintln!("caught {caught:?}, passed {passed:?}");
    // What no version passes may be changed, and nothing else: an edge behind a choice that was emptied, a version that does
    // not come to a location.
    assert!(caught.iter().all(|count| *count > 3), "{caught:?}");
    assert_eq!(passed[1..4].iter().sum::<usize>() + passed[5], 0, "{passed:?}");
}

fn woven(texts: &[&str]) -> (Vec<Cfa>, Weave) {
    let programs: Vec<Cfa> = texts.iter().enumerate().map(|(n, text)| load(&format!("v{n}.c"), text)).collect();
    let versions: Vec<&Cfa> = programs.iter().collect();
    let weave = weave(&versions).unwrap();
    (programs, weave)
}

/// Runs every version on some inputs, and in the weave.
fn run_alike(texts: &[&str], inputs: &[u128]) -> Vec<Outcome> {
    let (programs, weave) = woven(texts);
    let mut outcomes = Vec::new();
    for (version, own) in programs.iter().enumerate() {
        let alone = execute(own, inputs, None);
        let together = execute(&weave.recast.cfa, inputs, Some((weave.version, version as u128)));
        assert!(alike(&weave, version, &alone, &together), "version {version}: {:?} / {:?}", alone.outcome, together.outcome);
        outcomes.push(alone.outcome);
    }
    outcomes
}

const HEAD: &str = "void reach_error(void); int __VERIFIER_nondet_int(void);\n";

#[test]
fn records_that_clash_stay_apart() {
    let first = "struct p { int a; char b; }; struct p x; int main(void) { x.b = 1; if (x.a) reach_error(); return 0; }";
    let second = "struct p { char b; int a; }; struct p x; int main(void) { x.b = 1; if (x.a == 0) reach_error(); return 0; }";
    let third = "struct q { struct q *next; int a; }; struct q y; int main(void) { y.next = &y; y.next->a = 3; if (y.a == 3) reach_error(); return 0; }";
    let fourth = "struct q { struct q *next; long a; }; struct q y; int main(void) { y.next = &y; y.next->a = 3; if (y.a == 4) reach_error(); return 0; }";
    let texts = [first, second, third, fourth, first].map(|text| format!("{HEAD}{text}"));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ends = run_alike(&texts, &[]);
    assert_eq!(ends, [Outcome::Finished, Outcome::ErrorReached, Outcome::ErrorReached, Outcome::Finished, Outcome::Finished]);
}

#[test]
fn statics_and_initial_values_are_those_of_the_version() {
    let first = "static int g = 1; int t[2] = { 1, 2 }; int f(void) { static int n = 5; return n++; } int main(void) { f(); if (g + t[1] + f() != 9) reach_error(); return 0; }";
    let second = "static int g = 4; int t[2] = { 1, 3 }; int f(void) { static int n = 6; return n++; } int main(void) { f(); if (g + t[1] + f() != 14) reach_error(); return 0; }";
    let third = "static unsigned char g; int t[3]; long f(void) { static int n; return n++; } int main(void) { f(); if (g + t[2] + f() != 2) reach_error(); return 0; }";
    let texts = [first, second, third, second].map(|text| format!("{HEAD}{text}"));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ends = run_alike(&texts, &[]);
    assert_eq!(ends, [Outcome::Finished, Outcome::Finished, Outcome::ErrorReached, Outcome::Finished]);
}

#[test]
fn entry_functions_may_differ_and_call_themselves() {
    let first = "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 2) reach_error(); return 0; }";
    let second = "int n; int main(void) { int x = __VERIFIER_nondet_int(); if (n++ < 3) main(); if (x == 2 && n == 9) reach_error(); return 0; }";
    let third = "int n = 5; int main(void) { int x = __VERIFIER_nondet_int(); if (n++ < 8) main(); if (x == 2 && n == 9) reach_error(); return 0; }";
    let fourth = "int main(int argc) { if (argc == 2) reach_error(); return 0; }";
    let texts = [first, second, third, fourth].map(|text| format!("{HEAD}{text}"));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ends = run_alike(&texts[..3], &[2, 2, 2, 2, 2, 2, 2]);
    assert_eq!(ends, [Outcome::ErrorReached, Outcome::Finished, Outcome::ErrorReached]);
    let (programs, weave) = woven(&texts);
    let alone = execute(&programs[3], &[2], None);
    let together = execute(&weave.recast.cfa, &[2], Some((weave.version, 3)));
    assert_eq!((alone.outcome, together.outcome), (Outcome::ErrorReached, Outcome::ErrorReached));
}

#[test]
fn what_cannot_be_woven_is_refused() {
    assert!(matches!(weave(&[]), Err(WeaveError::Count(0))));
    let program = load("a.c", "int main(void) { return 0; }");
    assert!(matches!(weave(&[&program; 65]), Err(WeaveError::Count(65))));
    assert!(weave(&[&program; 64]).is_ok_and(|weave| weave.woven_edges() == program.edges.len()));
    let options = formats::ProgramOptions { data_model: formats::DataModel::ILP32, ..formats::ProgramOptions::default() };
    let source = program::source::SourceFile::new("a.c", "int main(void) { return 0; }");
    let narrow = program::load_source(source, &options).unwrap();
    assert!(matches!(weave(&[&program, &narrow]), Err(WeaveError::Options)));
}
