//! Syntactic difference detection [DiffCond20].
