//! Every proof by invariants is looked at a second time: encoded anew, with every question put to a fresh solver, the
//! invariants hold at the start, every block preserves them, and none leads to the error.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use console::{Budget, Progress, Statistics};
use formats::{DataModel, ProgramOptions};
use residue_tests::{root, shared};
use verify::{Conclusion, Plan, Recheck, analyse};

/// CPU time for one program. It is that of the process, so programs are proved one after another.
const SLICE: Duration = Duration::from_secs(2);

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const PLAN: Plan<'static> = Plan { recheck: Recheck::Always, ..Plan::FULL };

/// What became of a program: not proved, proved without invariants, or proved with invariants that were looked at again.
enum Proof {
    None,
    WithoutInvariants,
    Rechecked,
}

fn prove(file: &Path, options: &ProgramOptions) -> Proof {
    let cfa = program::load(file, options).unwrap();
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let budget = Budget::new(Some(Budget::cpu_used() + SLICE), None).unwrap();
    let mut statistics = Statistics::new();
    let found = analyse(&cfa, None, &budget, &Progress::none(), &mut statistics, PLAN).unwrap();
    match found {
        (Conclusion::Safe(invariants, _), numbers) => match numbers.recheck {
            Some(Ok(())) => Proof::Rechecked,
            Some(Err(engine::evidence::recheck::Gap::Undecided)) | None => {
                assert!(numbers.recheck.is_some() || invariants.is_empty(), "{}: nobody looked again", file.display());
                Proof::WithoutInvariants
            }
            Some(Err(gap)) => panic!("{}: {gap}", file.display()),
        },
        (Conclusion::Unsafe(_) | Conclusion::Unknown(_), _) => Proof::None,
    }
}

fn options(model: &str) -> ProgramOptions {
    ProgramOptions { data_model: model.parse::<DataModel>().unwrap(), ..ProgramOptions::default() }
}

/// Proves programs and returns how many were proved with invariants.
fn prove_all(programs: impl Iterator<Item = (std::path::PathBuf, ProgramOptions)>) -> usize {
    programs.filter(|(file, options)| matches!(prove(file, options), Proof::Rechecked)).count()
}

const STATES: &str = "extern int __VERIFIER_nondet_int(void); void reach_error(void);
int main(void) {
  int state = 1, seen = 0;
  while (1) {
    int input = __VERIFIER_nondet_int();
    if (state == 1 && input == 3) state = 2;
    else if (state == 2 && input == 4) { state = 3; seen = 1; }
    else if (state == 3 && input == 5) state = 1;
    if (state == 3 && !seen) reach_error();
  }
}";

const COUNTER: &str = "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, j = 0;
  while (i < n) { i = i + 1; j = j + 1; }
  if (i != j) reach_error();
}";

#[test]
fn explicit_values_and_predicates_are_inductive() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("states.c", STATES), ("counter.c", COUNTER)] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        assert!(matches!(prove(&file, &options("LP64")), Proof::Rechecked), "{name} is not proved by invariants");
    }
}

#[test]
fn proofs_of_the_sample_are_inductive() {
    let Some(tasks) = shared("tasks") else { return };
    let singles = std::fs::read_to_string(tasks.join("singles.csv")).unwrap();
    let sample = std::fs::read_to_string(root().join("benchmarks/sets/sample-programs.set")).unwrap();
    let model = |name: &str| {
        let row = singles.lines().find(|line| line.contains(name));
        options(if row.is_some_and(|row| row.contains("ILP32")) { "ILP32" } else { "LP64" })
    };
    let names = sample.lines().filter(|line| line.starts_with("programs/"));
    let proved = prove_all(names.map(|name| (tasks.join(name), model(name))));
    assert!(proved >= 5, "only {proved} programs of the sample were proved by invariants");
}

#[test]
fn proofs_of_the_trap_programs_are_inductive() {
    let Some(traps) = shared("oracle/pitfalls") else { return };
    let files = std::fs::read_dir(traps).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|e| e == "c"));
    let proved = prove_all(files.map(|file| (file, options("LP64"))));
    assert!(proved >= 3, "only {proved} of the trap programs were proved by invariants");
}
