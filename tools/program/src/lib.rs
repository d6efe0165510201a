//! The C front end: source text to a typed control-flow automaton.
//!
//! Architecture invariant: does not know what operations mean, no solver, no analysis.

mod canonical;
mod columns;
mod index;
mod keys;
mod lex;
mod text;

pub mod assembly;
pub mod ast;
pub mod caller;
pub mod cfa;
pub mod diagnostic;
pub mod executable;
pub mod expr;
pub mod fold;
pub mod instrument;
pub mod known;
pub mod layout;
pub mod library;
pub mod load;
pub mod lower;
pub mod machine;
pub mod outside;
pub mod parse;
pub mod preprocess;
pub mod print;
pub mod probe;
pub mod seal;
pub mod source;
pub mod treatment;
pub mod types;
pub mod violation;

pub use self::canonical::LOWERING_VERSION;
pub use self::load::{
    Choice, Library, Unlinked, can_violate, left_aside, load, load_about, load_assumed, load_guarded, load_roomy, load_source,
    load_source_about, load_with, parse_with_library,
};
pub use self::lower::Guards;
