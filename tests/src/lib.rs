//! Corpus runner, end-to-end pipelines, soundness oracle and repository rules.
