//! Command line of `verify`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main::<verify::Arguments>(Some(|| format!("Z3 {}", smt::z3::version())), verify::run)
}
