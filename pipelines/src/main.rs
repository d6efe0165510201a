//! Command line of the driver.

use std::process::ExitCode;

fn main() -> ExitCode {
    console::main(None, pipelines::run)
}
