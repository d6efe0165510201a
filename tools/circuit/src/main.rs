//! Command line of `circuit`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main::<circuit::Arguments>(Some(|| format!("Z3 {}", smt::z3::version())), circuit::run)
}
