//! What the parser makes of C, against snapshots, against gcc, and on large inputs.

mod agreement;
mod constructs;
mod corpus;
mod deep;
mod errors;
mod print;
mod random;

use crate::ast::Ast;
use crate::source::SourceFile;

/// The tree of a text that must be readable.
fn tree(text: &str) -> Ast {
    match super::parse(&SourceFile::new("test.c", text)) {
        Ok(ast) => ast,
        Err(diagnostic) => panic!("{diagnostic}\n{text}"),
    }
}

/// The tree of a text, printed compactly.
fn print(text: &str) -> String {
    print::print(&tree(text))
}
