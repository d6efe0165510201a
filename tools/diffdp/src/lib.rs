//! Difference detection with data dependencies and property [DiffDP23].
