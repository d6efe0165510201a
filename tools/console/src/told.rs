//! How a stage of a shell pipeline knows that an earlier one failed and has said why.
//!
//! A stage that ends without its artifact leaves its reader an empty stream. So does a program that says nothing (`false |
//! condgen`), and then somebody has to speak. A stage that has told its error therefore gives the pipe on its stdout an unusual
//! capacity, which the reader sees behind the end of the stream; nothing is written to it, so that no reader of another kind
//! takes notice. Where a pipe cannot be given a capacity, a pipeline ends with one error per stage, as it does without.

use std::io;

/// The capacity of a pipe behind which an error was told: the system gives 64 KiB, or a page or two to who has too many.
const TOLD: usize = 8 * 4096;

/// The exit code of a tool that ends without its artifact is told to the reader of its stdout.
pub(crate) fn tell_reader() {
    // Stdout may be anything else, of which nobody expects this.
    let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), TOLD);
}

/// Whether the stage that writes the stdin of this one failed and said why.
pub(crate) fn was_told() -> bool {
    rustix::pipe::fcntl_getpipe_size(io::stdin()).is_ok_and(|capacity| capacity == TOLD)
}

/// Whether an error only says that stdin is empty.
pub(crate) fn is_about_empty_stdin(report: &miette::Report) -> bool {
    let code = report.code().map(|code| code.to_string());
    match code.as_deref() {
        Some("program::empty_stdin") => true,
        Some("formats::empty") => report.to_string().starts_with("<stdin>:"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capacity_is_seen_from_the_other_end() {
        let (reader, writer) = io::pipe().unwrap();
        let capacity = |end: &io::PipeReader| rustix::pipe::fcntl_getpipe_size(end).unwrap();
        assert_ne!(capacity(&reader), TOLD);
        rustix::pipe::fcntl_setpipe_size(&writer, TOLD).unwrap();
        drop(writer);
        assert_eq!(capacity(&reader), TOLD);
    }
}
