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
    let program = cfa.program_file("program.c");
    let provenance = Provenance {
        producer: Producer::new("test", "0"),
        original: program.clone(),
        modified: program,
        options: ProgramOptions::default(),
        degraded: None,
    };
    Condition::new(Producer::new("test", "0"), provenance, states, &edges, &infos).unwrap()
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
