//! Command line of `diffdp`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main(Some(|| format!("Z3 {}", smt::z3::version())), diffdp::run)
}
