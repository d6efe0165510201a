//! What every command line shares: options, diagnostics, exit codes, output, budget, progress.
