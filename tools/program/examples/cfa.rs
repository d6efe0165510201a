//! Builds the automaton of each file named and prints it, or only counts and times with `--stats`.
#![allow(clippy::print_stdout, clippy::expect_used)]

use std::time::Instant;

fn main() {
    let mut options = formats::ProgramOptions::default();
    let mut stats = false;
    let mut failed = 0;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--32" => options.data_model = formats::DataModel::ILP32,
            "--64" => options.data_model = formats::DataModel::LP64,
            "--assert" => options.property = formats::Property::Assert,
            "--stats" => stats = true,
            path => {
                let start = Instant::now();
                match program::load(path.as_ref(), &options) {
                    Ok(cfa) if stats => {
                        let seconds = start.elapsed().as_secs_f64();
                        let unsupported: Vec<String> = cfa
                            .edges
                            .iter()
                            .filter_map(|edge| match &edge.operation {
                                program::cfa::Operation::Unsupported { construct } => Some(construct.to_string()),
                                program::cfa::Operation::Asm(_) => Some("asm".to_owned()),
                                _ => None,
                            })
                            .collect();
                        let bytes = cfa.source.text().len();
                        println!(
                            "{path}: {bytes} bytes, {} edges, {} exprs, {seconds:.3} s, {:.1} MB/s",
                            cfa.edges.len(),
                            cfa.exprs.len(),
                            bytes as f64 / 1e6 / seconds
                        );
                        let mut counts = std::collections::BTreeMap::<String, usize>::new();
                        unsupported.into_iter().for_each(|construct| *counts.entry(construct).or_default() += 1);
                        counts.iter().for_each(|(construct, count)| println!("    UNSUPPORTED {construct} x{count}"));
                    }
                    Ok(cfa) => print!("{}", cfa.to_text()),
                    Err(error) => {
                        failed += 1;
                        println!("FAILED {error}");
                    }
                }
            }
        }
    }
    println!("{failed} failed");
}
