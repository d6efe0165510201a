//! Which runs count: what C functions of the user say of calls.
//!
//! `assume(…)` has the parameters of the entry function, `assume_NAME(…)` those of a function NAME of client or library. A
//! run counts as long as what is called with returns no 0. Each such function is asked first of all in the body of the other
//! one, in both versions, and is one more file of both programs.

use std::collections::BTreeSet;
use std::path::Path;

use evidence::harness::text::{Patch, apply, body};
use formats::ProgramOptions;
use program::ast::{Ast, Derived, Function, Item, ParametersKind, Storage};
use program::parse::parse;
use program::preprocess::read_source;
use program::source::{SourceFile, Span};

use crate::CseError;

/// How the functions of the user begin.
const ASSUME: &str = "assume";

/// What stands behind the question of the entry function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Its body.
    Body,
    /// An error: for whoever asks whether any run counts.
    Error,
}

/// What is assumed of calls.
#[derive(Debug)]
pub(crate) struct Assumptions {
    /// The file as it was given.
    file: String,
    source: SourceFile,
    /// Functions that are assumed something of; an empty name is the entry function.
    of: BTreeSet<String>,
    found: BTreeSet<String>,
}

impl Assumptions {
    /// Reads a file of the user.
    pub(crate) fn read(file: &Path, options: &ProgramOptions) -> miette::Result<Self> {
        let source = read_source(file, options)?;
        let ast = parse(&source)?;
        let name = formats::shown::name(file);
        let of: BTreeSet<String> = functions(&ast).filter_map(|function| about(&ast, function)).collect();
        if of.is_empty() {
            return Err(CseError::NoAssumption { file: name }.into());
        }
        Ok(Self { file: name, source, of, found: BTreeSet::new() })
    }

    /// The file as one of a program.
    pub(crate) fn unit(&self) -> SourceFile {
        self.source.clone()
    }

    /// The text of a file in which the functions are asked.
    pub(crate) fn asked_in(
        &mut self,
        unit: SourceFile,
        path: &Path,
        (entry, behind): (&str, Behind),
    ) -> miette::Result<SourceFile> {
        let ast = parse(&unit)?;
        let mut patches = Vec::new();
        for function in functions(&ast) {
            let Some(name) = function.declarator.name.map(|name| ast.name(name.name)) else { continue };
            let key = if self.of.contains(name) { name } else { "" };
            if key.is_empty() && (name != entry || !self.of.contains("")) {
                continue;
            }
            let refused = || CseError::NotAssumed { file: self.file.clone(), function: name.to_owned() };
            let asked = if key.is_empty() { ASSUME.to_owned() } else { format!("{ASSUME}_{name}") };
            let mut text = asking(&ast, &unit, function, &asked).ok_or_else(refused)?;
            if behind == Behind::Error && name == entry {
                text.push_str("{ extern void reach_error(void); reach_error(); } ");
            }
            let span = body(unit.text(), function.span).ok_or_else(refused)?;
            patches.push(Patch { span: Span::new(span.lo + 1, span.lo + 1), text });
            self.found.insert(key.to_owned());
        }
        if patches.is_empty() {
            return Ok(unit);
        }
        let bytes = std::fs::read(path).unwrap_or_else(|_| unit.text().to_vec());
        Ok(SourceFile::preprocessed(unit.path(), &bytes, apply(unit.text(), patches).into_bytes()))
    }

    /// Whether all functions were found that something is assumed of.
    pub(crate) fn checked(&self) -> Result<(), CseError> {
        let missing = self.of.difference(&self.found).next();
        let what = |name: &String| if name.is_empty() { "the entry function".to_owned() } else { name.clone() };
        missing.map_or(Ok(()), |name| Err(CseError::NotAssumed { file: self.file.clone(), function: what(name) }))
    }
}

/// The functions that a file defines.
fn functions(ast: &Ast) -> impl Iterator<Item = &Function> {
    ast.items.iter().filter_map(|item| match item {
        Item::Function(id) => Some(&ast[*id]),
        Item::Declaration(_) | Item::StaticAssert(_) | Item::Asm(_) => None,
    })
}

/// What a function of the user is about.
fn about(ast: &Ast, function: &Function) -> Option<String> {
    let name = ast.name(function.declarator.name?.name);
    let is_private = function.specifiers.storage == Some(Storage::Static);
    let rest = name.strip_prefix(ASSUME).filter(|_| !is_private)?;
    if rest.is_empty() { Some(String::new()) } else { Some(rest.strip_prefix('_')?.to_owned()) }
}

/// The statement that asks.
fn asking(ast: &Ast, unit: &SourceFile, function: &Function, asked: &str) -> Option<String> {
    let Some(Derived::Function(list)) = function.declarator.derived.first() else { return None };
    let ParametersKind::Prototype { parameters, .. } = &list.kind else { return None };
    let is_none = |at: usize| at == 0 && ast[parameters[at]].declarator.name.is_none();
    let names: Option<Vec<&str>> = (0..parameters.len())
        .filter(|at| !(parameters.len() == 1 && is_none(*at)))
        .map(|at| ast[parameters[at]].declarator.name.map(|name| ast.name(name.name)))
        .collect();
    let declared = unit.snippet(list.span).into_owned();
    let lines: Vec<&str> = declared.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    Some(format!(
        " extern int {asked}{}; extern void __VERIFIER_assume(int); __VERIFIER_assume({asked}({}) != 0); ",
        lines.join(" "),
        names?.join(", ")
    ))
}
