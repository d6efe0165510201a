//! Terms, encoding of typed expressions and the solver.
