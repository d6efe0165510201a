//! Command line of `reduce`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main(None, reduce::run)
}
