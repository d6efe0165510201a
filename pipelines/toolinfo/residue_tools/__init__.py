"""Tool-info modules of Residue for BenchExec: one module per executable, named after it."""
