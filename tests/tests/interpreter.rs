//! The interpreter agrees with gcc on random programs: how they end, what they compute, how many inputs they read.

use formats::ProgramOptions;
use program::source::SourceFile;
use residue_tests::compiled;
use residue_tests::interpreted::interpret;
use residue_tests::programs::{self, Rng, Shape};

#[test]
fn the_interpreter_agrees_with_gcc() {
    if !residue_tests::has("gcc") {
        return;
    }
    let programs = std::env::var("RESIDUE_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let start = std::env::var("RESIDUE_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let folder = tempfile::tempdir().unwrap();
    let mut ends = [0usize; 4];
    for seed in start..start + programs {
        let text = programs::program(seed, Shape::default()).text();
        let source = SourceFile::new(format!("{seed}.c"), text.clone());
        let cfa = program::load_source(source, &ProgramOptions::default()).unwrap_or_else(|e| panic!("{seed}: {e:?}\n{text}"));
        let binary = compiled::compile(&text, folder.path(), "program").unwrap();
        let mut rng = Rng::new(seed ^ 0xabcd);
        for _ in 0..6 {
            let values: Vec<i64> = (0..30).map(|_| if rng.one_in(3) { rng.draw() as i64 } else { rng.below(6) as i64 }).collect();
            let (expected, found) = (binary.execute(&values).unwrap(), interpret(&cfa, &values));
            assert_eq!(expected, found, "seed {seed}, inputs {values:?}\n{text}");
            ends[expected.end as usize] += 1;
        }
    }
    eprintln!("error, finished, aborted, exhausted: {ends:?}");
    assert!(ends[0] > 0 && ends[1] > 0);
}
