//! Command line of `cse`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main::<cse::Arguments>(Some(|| format!("Z3 {}", smt::z3::version())), cse::run)
}
