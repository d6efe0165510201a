//! Parses C files and says how fast: `cargo run --release -p program --example parse -- FILE…`.
//!
//! Times are CPU-bound wall times of the best of three runs; one line per file that fails.
#![allow(clippy::print_stdout, reason = "an example talks")]

use std::time::{Duration, Instant};

use formats::ProgramOptions;
use program::parse::parse;
use program::preprocess::read_source;

fn main() {
    let (mut bytes, mut time, mut failed) = (0, Duration::ZERO, 0);
    for path in std::env::args().skip(1) {
        let source = match read_source(path.as_ref(), &ProgramOptions::default()) {
            Ok(source) => source,
            Err(diagnostic) => {
                println!("{diagnostic}");
                failed += 1;
                continue;
            }
        };
        bytes += source.text().len();
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            let outcome = parse(&source);
            best = best.min(start.elapsed());
            if let Err(diagnostic) = outcome {
                println!("{diagnostic}");
                failed += 1;
                break;
            }
        }
        time += best;
    }
    let rate = bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{bytes} bytes, {time:?}, {rate:.1} MB/s, {failed} failed");
}
