//! Command line of `diffcond`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main(None, diffcond::run)
}
