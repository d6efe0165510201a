//! What crosses a process boundary, as plain data with readers and writers.
