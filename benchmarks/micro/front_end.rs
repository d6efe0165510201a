//! How fast the front end is: megabytes per CPU second from text to tree and from text to automaton, on one core.
//!
//! usage: cargo run --release -p residue-tests --example front-end -- [--32] FILE.c...
//!
//! Prints one line per folder of the files and one for all. Every file is read often enough to take 50 ms.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use console::Budget;
use formats::{DataModel, ProgramOptions};
use program::parse::parse;
use program::preprocess::read_source;

/// CPU time spent on one file.
const LEAST: Duration = Duration::from_millis(50);

#[derive(Default)]
struct Rates {
    megabytes: f64,
    tree: f64,
    automaton: f64,
}

impl Rates {
    fn print(&self, name: &str) {
        let Self { megabytes, tree, automaton } = self;
        println!(
            "{name:30} {megabytes:8.2} MB {:8.1} MB/s to tree {:8.1} MB/s to automaton",
            megabytes / tree,
            megabytes / automaton
        );
    }
}

/// CPU seconds of one call.
fn seconds(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let begin = Budget::cpu_used();
    let mut times = 0;
    while Budget::cpu_used() - begin < LEAST {
        work()?;
        times += 1;
    }
    Ok((Budget::cpu_used() - begin).as_secs_f64() / f64::from(times))
}

fn main() -> Result<()> {
    let mut options = ProgramOptions::default();
    let mut files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.first().is_some_and(|first| first == Path::new("--32")) {
        options.data_model = DataModel::ILP32;
        files.remove(0);
    }
    ensure!(!files.is_empty(), "name C files");
    let mut folders: BTreeMap<PathBuf, Rates> = BTreeMap::new();
    let mut all = Rates::default();
    for file in &files {
        let megabytes = read_source(file, &options)?.text().len() as f64 / 1e6;
        let tree = seconds(|| {
            parse(&read_source(file, &options)?)?;
            Ok(())
        })?;
        let automaton = seconds(|| {
            program::load(file, &options)?;
            Ok(())
        })?;
        let folder = folders.entry(file.parent().unwrap_or(Path::new("")).to_path_buf()).or_default();
        for rates in [folder, &mut all] {
            rates.megabytes += megabytes;
            rates.tree += tree;
            rates.automaton += automaton;
        }
    }
    for (folder, rates) in &folders {
        rates.print(&folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()));
    }
    all.print("all");
    Ok(())
}
