//! Residual-program construction from a condition.
