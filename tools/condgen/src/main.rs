//! Command line of `condgen`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main(None, condgen::run)
}
