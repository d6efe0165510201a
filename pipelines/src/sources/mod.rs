//! Where programs come from: revisions of a repository, folders, patterns, targets of a build.
//!
//! Knows git, preprocessing and which files have changed; makes units of them. Does not know how a unit is checked or what is
//! said about it.

pub(crate) mod affected;
mod assembly;
pub(crate) mod built;
pub(crate) mod change;
pub(crate) mod command_flags;
mod command_words;
pub(crate) mod compile_commands;
mod compiler;
mod definitions;
mod directives;
mod elsewhere;
pub(crate) mod entries;
pub(crate) mod git;
pub(crate) mod history;
pub(crate) mod link;
mod linked;
pub(crate) mod plan;
mod program;
pub(crate) mod program_at;
pub(crate) mod raw;
mod reach;
pub(crate) mod revision;
pub(crate) mod scope;
pub(crate) mod texts;
pub(crate) mod untracked;
