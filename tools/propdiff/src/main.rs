//! Command line of `propdiff`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main::<propdiff::Arguments>(Some(|| format!("Z3 {}", smt::z3::version())), propdiff::run)
}
