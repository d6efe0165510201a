//! Residual programs agree with the modified program: on uncovered paths both behave alike, on covered ones the residual
//! program stops.

use std::collections::BTreeMap;

use formats::{Condition, Producer, ProgramOptions, Provenance, StateKind};
use program::cfa::Cfa;
use program::source::SourceFile;
use reduce::{Config, Fold, Residual, Style, reduce};
use residue_tests::compiled::{self, End, Execution};
use residue_tests::interpreted::interpret_along;
use residue_tests::programs::{self, Rng, Shape};
use semantics::cursor::ConditionCursor;

fn load(text: &str) -> Cfa {
    let source = SourceFile::new("program.c", text.to_owned());
    program::load_source(source, &ProgramOptions::default()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// A random condition: from each state most edges stay, some move on, few are accepted or leave the condition.
fn condition(cfa: &Cfa, rng: &mut Rng) -> Condition {
    let open = 1 + rng.below(5) as u32;
    let (accepting, indicator) = (open, open + 1);
    let mut states = vec![StateKind::Open; open as usize];
    states.extend([StateKind::Accepting, StateKind::Indicator]);
    let mut edges = Vec::new();
    for state in 0..open {
        for edge in cfa.edge_ids() {
            let to = match rng.below(60) {
                0 => continue,
                1 | 2 => accepting,
                3 => indicator,
                4..=8 => rng.below(open as usize) as u32,
                _ => state,
            };
            edges.push((state, edge.0, to));
        }
    }
    let infos: BTreeMap<u32, _> = cfa.edge_ids().map(|edge| (edge.0, cfa.edge_info(edge))).collect();
    Condition::new(Producer::new("test", "0"), provenance(cfa), states, &edges, &infos).unwrap()
}

fn provenance(cfa: &Cfa) -> Provenance {
    let program = cfa.program_file("program.c");
    Provenance {
        producer: Producer::new("test", "0"),
        original: program.clone(),
        modified: program,
        options: ProgramOptions::default(),
        degraded: None,
    }
}

fn values(rng: &mut Rng) -> Vec<i64> {
    (0..30).map(|_| if rng.one_in(3) { rng.draw() as i64 } else { rng.below(6) as i64 }).collect()
}

/// The residual program must do what the program does on an uncovered path, and must not err on a covered one.
fn judge(expected: Option<Execution>, found: Execution, fold: Fold, what: &str) {
    match expected {
        Some(expected) => assert_eq!(expected, found, "uncovered: {what}"),
        None if fold == Fold::None => assert!(matches!(found.end, End::Aborted | End::Exhausted), "covered: {found:?} {what}"),
        None => {}
    }
}

#[test]
fn residual_programs_keep_exactly_the_uncovered_paths() {
    if !residue_tests::has("gcc") {
        return;
    }
    let programs = std::env::var("RESIDUE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let first = std::env::var("RESIDUE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let folder = tempfile::tempdir().unwrap();
    let mut count = [0usize; 2];
    for seed in first..first + programs {
        let text = programs::program(seed, Shape::default()).text();
        let cfa = load(&text);
        let mut rng = Rng::new(seed ^ 0x5eed);
        let cursor = ConditionCursor::new(condition(&cfa, &mut rng), "c", &cfa).unwrap();
        for (fold, style, max_nesting) in
            [(Fold::None, Style::Structured, 64), (Fold::Cfa, Style::Structured, 2), (Fold::Cfa, Style::Goto, 64)]
        {
            let config = Config { fold, style, max_nesting };
            let Residual { text: residual, .. } = reduce(&cfa, &cursor, config, &[]).unwrap();
            let again = load(&residual);
            let binary = compiled::compile(&residual, folder.path(), "residual")
                .unwrap_or_else(|e| panic!("{e:?} {seed} {config:?}\n{text}\n{residual}"));
            for _ in 0..8 {
                let values = values(&mut rng);
                let expected = interpret_along(&cfa, Some(&cursor), &values);
                count[usize::from(expected.is_none())] += 1;
                let what = format!("{seed} {config:?} {values:?}\n{text}\n{residual}");
                judge(expected, interpret_along(&again, None, &values).unwrap(), fold, &format!("interpreted {what}"));
                judge(expected, binary.execute(&values).unwrap(), fold, &format!("compiled {what}"));
            }
        }
    }
    eprintln!("uncovered, covered runs: {count:?}");
    assert!(count[0] > 0 && count[1] > 0);
}

/// What stands for the functions outside is nowhere defined; a run that stays inside needs none of them.
#[test]
fn residual_programs_with_calls_that_lead_outside_are_linked() {
    if !residue_tests::has("gcc") {
        return;
    }
    let text = "extern int atexit(void (*)(void)); extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
unsigned checksum; int x;
static void last(void) { if (x == 7) reach_error(); }
int main(void) { x = __VERIFIER_nondet_int(); atexit(last); return 0; }\n";
    let cfa = load(text);
    let states = vec![StateKind::Indicator];
    let whole = Condition::new(Producer::new("test", "0"), provenance(&cfa), states, &[], &BTreeMap::new());
    let cursor = ConditionCursor::new(whole.unwrap(), "c", &cfa).unwrap();
    let Residual { text: residual, .. } = reduce(&cfa, &cursor, Config::default(), &[]).unwrap();
    assert!(residual.contains("__residue_outside_"), "{residual}");
    let folder = tempfile::tempdir().unwrap();
    let binary = compiled::compile(&residual, folder.path(), "residual").unwrap_or_else(|e| panic!("{e:?}\n{residual}"));
    assert_eq!(binary.execute(&[7]).unwrap().end, End::Error);
    assert_eq!(binary.execute(&[8]).unwrap().end, End::Finished);
}
