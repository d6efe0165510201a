//! Variables that have another name in the next version: a proposal of what a fact is there.
//!
//! Statements that are the same up to such names say which is which. A wrong proposal makes a comparison odd, never a letter
//! wrong: the letter is of the fact as it is written for its version, and tables show how that is.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, FunctionId, VarKind};
use program::source::Span;
use semantics::compare::sequence::common;

use crate::prepare::{Version, c_type};

/// Places that have to say that a name is another one: an object that only begins as another one does may be anything.
const FEWEST: usize = 2;
/// Statements of a function that are looked at.
const MOST_STATEMENTS: usize = 4000;

/// Names of a function of one version and what they are in the other.
type Names = BTreeMap<String, String>;

/// The names that changed from version to version.
#[derive(Debug, Default)]
pub(crate) struct Renames {
    /// The versions that could be read.
    read: Vec<usize>,
    /// For each of them but the last, by function, names of it and of the next one.
    steps: Vec<BTreeMap<String, Names>>,
}

impl Renames {
    /// Compares each version with the next.
    pub(crate) fn new(versions: &[Option<Version>]) -> Self {
        let read: Vec<usize> = (0..versions.len()).filter(|at| versions[*at].is_some()).collect();
        let cfas: Vec<&Cfa> = versions.iter().flatten().map(|version| &version.cfa).collect();
        let steps = cfas.windows(2).map(|pair| between(pair[0], pair[1])).collect();
        Self { read, steps }
    }

    /// Whether any name changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.iter().all(BTreeMap::is_empty)
    }

    /// What the names of a function of one version are in another; none if all are what they were.
    pub(crate) fn names(&self, function: &str, from: usize, to: usize) -> Names {
        let place = |version: usize| self.read.iter().position(|at| *at == version);
        let (Some(begin), Some(end)) = (place(from), place(to)) else { return Names::new() };
        let mut names = Names::new();
        let mut follow = |step: &Names| {
            for now in names.values_mut() {
                if let Some(next) = step.get(now) {
                    now.clone_from(next);
                }
            }
            let known: BTreeSet<String> = names.keys().cloned().collect();
            names.extend(step.iter().filter(|(name, _)| !known.contains(*name)).map(|(a, b)| (a.clone(), b.clone())));
        };
        let none = Names::new();
        if begin <= end {
            (begin..end).for_each(|at| follow(self.steps[at].get(function).unwrap_or(&none)));
        } else {
            for at in (end..begin).rev() {
                let step = self.steps[at].get(function).unwrap_or(&none);
                follow(&step.iter().map(|(a, b)| (b.clone(), a.clone())).collect());
            }
        }
        names.retain(|a, b| a != b);
        names
    }
}

/// The names that changed, by function.
fn between(a: &Cfa, b: &Cfa) -> BTreeMap<String, Names> {
    let mut found = BTreeMap::new();
    for function in a.function_ids().filter(|id| a.function(*id).entry.is_some()) {
        let name = &a.function(function).name;
        let Some(other) = b.function_ids().find(|id| b.function(*id).name == *name && b.function(*id).entry.is_some()) else {
            continue;
        };
        let names = of_function((a, function), (b, other));
        if !names.is_empty() {
            found.insert(name.to_string(), names);
        }
    }
    found
}

/// The variables that a function can name, with their types where these are numbers.
fn visible(cfa: &Cfa, function: FunctionId) -> BTreeMap<String, Option<&'static str>> {
    let is_own = |kind: &VarKind, of: Option<FunctionId>| match kind {
        VarKind::Global { .. } => true,
        VarKind::Local | VarKind::Parameter(_) | VarKind::StaticLocal => of == Some(function),
        VarKind::Temporary(_) | VarKind::CompoundLiteral | VarKind::StringLiteral(_) => false,
    };
    let variables = cfa.variables.iter().filter(|one| is_own(&one.kind, one.function));
    variables.map(|one| (one.name.to_string(), c_type(cfa, one.ty.ty))).collect()
}

fn of_function((a, function): (&Cfa, FunctionId), (b, other): (&Cfa, FunctionId)) -> Names {
    let (own, others) = (visible(a, function), visible(b, other));
    let gone: BTreeSet<&str> = own.keys().filter(|name| !others.contains_key(*name)).map(String::as_str).collect();
    let new: BTreeSet<&str> = others.keys().filter(|name| !own.contains_key(*name)).map(String::as_str).collect();
    if gone.is_empty() || new.is_empty() {
        return Names::new();
    }
    let (first, second) = (statements(a, function), statements(b, other));
    let mut numbers: BTreeMap<Vec<String>, u32> = BTreeMap::new();
    let mut number = |tokens: &[String], names: &BTreeSet<&str>| {
        let blank = |token: &String| if names.contains(token.as_str()) { String::new() } else { token.clone() };
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(tokens.iter().map(blank).collect()).or_insert(next)
    };
    let left: Vec<u32> = first.iter().map(|tokens| number(tokens, &gone)).collect();
    let right: Vec<u32> = second.iter().map(|tokens| number(tokens, &new)).collect();
    let mut votes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (at, with) in common(&left, &right) {
        for (x, y) in first[at].iter().zip(&second[with]) {
            if gone.contains(x.as_str()) && new.contains(y.as_str()) && own[x] == others[y] {
                *votes.entry((x, y)).or_default() += 1;
            }
        }
    }
    // Only what is best for both, and nothing else is as good.
    let is_best = |pair: (&str, &str), count: usize| {
        let rivals = votes.iter().filter(|(other, _)| **other != pair && (other.0 == pair.0 || other.1 == pair.1));
        count >= FEWEST && rivals.into_iter().all(|(_, votes)| *votes < count)
    };
    let best = votes.iter().filter(|(pair, count)| is_best(**pair, **count));
    best.map(|((x, y), _)| ((*x).to_owned(), (*y).to_owned())).collect()
}

/// What a function does, in the order of the text, as words and signs.
fn statements(cfa: &Cfa, function: FunctionId) -> Vec<Vec<String>> {
    let mut spans: BTreeSet<(u32, u32)> = BTreeSet::new();
    for edge in &cfa.edges {
        if cfa.location(edge.source).function == function && edge.span != Span::default() && spans.len() < MOST_STATEMENTS {
            spans.insert((edge.span.lo, edge.span.hi));
        }
    }
    spans.into_iter().map(|(lo, hi)| tokens(&cfa.source.snippet(Span::new(lo, hi)))).collect()
}

fn tokens(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut in_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match found.last_mut() {
            Some(last) if is_word && in_word => last.push(c),
            _ if c.is_whitespace() => {}
            _ => found.push(c.to_string()),
        }
        in_word = is_word;
    }
    found
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;

    use super::*;

    fn version(text: &str) -> Option<Version> {
        let source = SourceFile::new("t.c", format!("int main(void) {{ {text} return 0; }}"));
        let cfa = program::load_source(source.clone(), &ProgramOptions::default()).unwrap();
        Some(Version { source, cfa })
    }

    fn names(texts: &[&str], from: usize, to: usize) -> Vec<String> {
        let versions: Vec<Option<Version>> = texts.iter().map(|text| version(text)).collect();
        Renames::new(&versions).names("main", from, to).into_iter().map(|(a, b)| format!("{a} {b}")).collect()
    }

    #[test]
    fn names_are_followed_through_versions() {
        let texts = [
            "int i = 0, s = 0; while (i < 9) { s = s + i; i++; }",
            "int k = 0, s = 1; while (k < 9) { s = s + k; k++; }",
            "int k = 0, sum = 1; while (k < 10) { sum = sum + k; k++; }",
        ];
        assert_eq!(names(&texts, 0, 2), ["i k", "s sum"]);
        assert_eq!(names(&texts, 2, 0), ["k i", "sum s"]);
        assert_eq!(names(&texts, 1, 1), Vec::<String>::new());
        // Names that change places, and a variable of another type, are no renaming.
        assert_eq!(names(&["int a = 1, b = 2; a = b;", "int b = 1, a = 2; b = a;"], 0, 1), Vec::<String>::new());
        assert_eq!(names(&["int a = 1; a = a + 3;", "char c = 1; c = c + 3;"], 0, 1), Vec::<String>::new());
        // One statement says nothing; of several the most count.
        assert_eq!(names(&["int a = 5;", "int p = 5;"], 0, 1), Vec::<String>::new());
        assert_eq!(names(&["int a = 1; a = 7; a = 9;", "int p = 1, q = 1; p = 7; q = 9;"], 0, 1), ["a p"]);
    }
}
