//! What operations mean, without a solver.
