//! Tests on small programs.
