//! Command line of `invdiff`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main::<invdiff::Arguments>(Some(|| format!("Z3 {}", smt::z3::version())), invdiff::run)
}
