//! A condition in the automaton language of CPAchecker, as its `AssumptionAutomaton`.
//!
//! The language knows edges by their text only. A state of the automaton is therefore the *set* of states of the condition
//! that some path with the same texts reaches; it is covering (`__TRUE`) if all of them accept, and whatever the text
//! cannot tell is uncovered. Every state ends with a transition to `__FALSE`, so that an edge that is not listed, for
//! example because CPAchecker prints it in another way, leaves the path uncovered for ever. Edges without text (CPAchecker
//! has others than we) are passed without a step, as `MATCH ""` says.
//! Relies on a condition that lists every edge of the program that leaves an open state, as those of `condgen` do; a state that
//! stays does not, and whatever leads there is uncovered.
//! Does not know CPAchecker's own automaton: expressions that it simplifies and declarations that it splits match nothing.

use super::{Condition, StateKind};
use crate::OperationKind;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

/// Sets that are built before every further one counts as uncovered, per state of the condition: more means that the texts
/// tell next to nothing.
const SETS_PER_STATE: usize = 8;
/// The same for small conditions.
const SETS: usize = 1000;
/// What a text ends with that was cut.
const CUT: char = '…';

/// States of the condition that paths with equal texts may have reached; never one that is uncovered for ever.
type Set = BTreeSet<u32>;

/// Where a transition leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Covered,
    Uncovered,
    Set(usize),
}

/// Writes `condition`.
pub(super) fn write(condition: &Condition, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let modified = &condition.provenance().modified;
    writeln!(out, "// Paths that lead to __TRUE need no check. Condition for {}", comment(&modified.path))?;
    writeln!(out, "// SHA-256 {}", comment(&modified.sha256))?;
    writeln!(out, "OBSERVER AUTOMATON AssumptionAutomaton\n")?;
    let sets = Sets::build(condition);
    match sets.initial {
        Target::Covered => writeln!(out, "INITIAL STATE __TRUE;\n")?,
        Target::Uncovered => writeln!(out, "INITIAL STATE __FALSE;\n")?,
        Target::Set(_) => writeln!(out, "INITIAL STATE START;\n")?,
    }
    writeln!(out, "STATE __TRUE :\n    TRUE -> GOTO __TRUE;\n")?;
    writeln!(out, "STATE __FALSE :\n    TRUE -> GOTO __FALSE;\n")?;
    if let Target::Set(_) = sets.initial {
        // CPAchecker begins with an edge without text, the declarations at file level, and another edge without text.
        writeln!(out, "STATE USEFIRST START :\n    MATCH \"\" -> GOTO DECLARATIONS;\n    TRUE -> GOTO __FALSE;\n")?;
        let first = name(sets.initial);
        writeln!(out, "STATE USEFIRST DECLARATIONS :\n    MATCH \"\" -> GOTO {first};\n    TRUE -> GOTO DECLARATIONS;\n")?;
    }
    for (number, transitions) in sets.transitions.iter().enumerate() {
        writeln!(out, "STATE USEFIRST {} :", name(Target::Set(number)))?;
        for (text, target) in transitions {
            for text in spellings(text) {
                writeln!(out, "    MATCH \"{}\" -> GOTO {};", escape(&text), name(*target))?;
            }
        }
        writeln!(out, "    MATCH \"\" -> GOTO {};", name(Target::Set(number)))?;
        writeln!(out, "    TRUE -> GOTO __FALSE;\n")?;
    }
    writeln!(out, "END AUTOMATON")?;
    out.flush()
}

/// The subset construction.
struct Sets<'a> {
    condition: &'a Condition,
    initial: Target,
    numbers: BTreeMap<Set, usize>,
    wait: VecDeque<Set>,
    /// By set: the texts that lead on.
    transitions: Vec<BTreeMap<String, Target>>,
}

impl<'a> Sets<'a> {
    fn build(condition: &'a Condition) -> Self {
        let (numbers, wait) = (BTreeMap::new(), VecDeque::new());
        let mut sets = Self { condition, initial: Target::Uncovered, numbers, wait, transitions: Vec::new() };
        sets.initial = sets.target(Set::from([Condition::INITIAL]));
        while let Some(set) = sets.wait.pop_front() {
            let transitions = sets.leave(&set);
            sets.transitions.push(transitions);
        }
        sets
    }

    /// Where a step to one of `states` leads.
    fn target(&mut self, states: Set) -> Target {
        let set = self.without_text(states);
        if set.iter().any(|&state| self.condition.kind(state) == StateKind::Indicator || self.condition.stays(state)) {
            return Target::Uncovered;
        }
        if set.iter().all(|&state| self.condition.is_accepting(state)) {
            return Target::Covered;
        }
        if let Some(&number) = self.numbers.get(&set) {
            return Target::Set(number);
        }
        let number = self.numbers.len();
        if number >= SETS.max(SETS_PER_STATE * self.condition.states().len()) {
            return Target::Uncovered;
        }
        self.numbers.insert(set.clone(), number);
        self.wait.push_back(set);
        Target::Set(number)
    }

    /// The states and those that edges without text lead to.
    fn without_text(&self, mut states: Set) -> Set {
        let mut wait: Vec<u32> = states.iter().copied().collect();
        while let Some(state) = wait.pop() {
            for edge in self.condition.edges_from(state) {
                if self.text(edge.edge) == Some("") && states.insert(edge.to) {
                    wait.push(edge.to);
                }
            }
        }
        states
    }

    /// The transitions of a set. Where one of its states does not list an edge with the text that another lists, the
    /// path may have taken an unknown edge.
    fn leave(&mut self, set: &Set) -> BTreeMap<String, Target> {
        let mut steps: BTreeMap<String, Set> = BTreeMap::new();
        for &state in set {
            for edge in self.condition.edges_from(state) {
                if let Some(text) = self.text(edge.edge).filter(|text| !text.is_empty()) {
                    steps.entry(normal(text).to_owned()).or_default().insert(edge.to);
                }
            }
        }
        let mut transitions = BTreeMap::new();
        for (text, mut to) in steps {
            to.extend(set.iter().filter(|&&state| self.condition.is_accepting(state)));
            let target = if self.all_list(set, &text) { self.target(to) } else { Target::Uncovered };
            transitions.insert(text, target);
        }
        transitions
    }

    /// Whether a step with this text is known wherever a path of the set may be.
    fn all_list(&self, set: &Set, text: &str) -> bool {
        set.iter().all(|&state| {
            let edges = self.condition.edges_from(state);
            let is_known = |edge: &super::ConditionEdge| self.text(edge.edge).is_some_and(|listed| normal(listed) == text);
            let passes = !edges.is_empty() && edges.iter().all(|edge| self.text(edge.edge) == Some(""));
            self.condition.is_accepting(state) || passes || edges.iter().any(is_known)
        })
    }

    /// The text of an edge; `None` if the language cannot say it.
    fn text(&self, edge: u32) -> Option<&'a str> {
        let edge = self.condition.cfa_edges().get(edge as usize)?;
        // A function that ends without `return`: CPAchecker has an edge without text there.
        let text = if edge.key.kind == OperationKind::Return && edge.text == "}" { "" } else { edge.text.as_str() };
        (!text.contains(['`', '\0']) && !text.ends_with(CUT)).then_some(text)
    }
}

/// Texts that differ in the semicolon at their end only are the same.
fn normal(text: &str) -> &str {
    text.strip_suffix(';').unwrap_or(text)
}

/// How CPAchecker may print an edge: statements with a semicolon, expressions and conditions without.
fn spellings(text: &str) -> Vec<String> {
    if text.starts_with('[') && text.ends_with(']') {
        return vec![text.to_owned()];
    }
    vec![text.to_owned(), format!("{text};")]
}

fn name(target: Target) -> String {
    match target {
        Target::Covered => "__TRUE".to_owned(),
        Target::Uncovered => "__FALSE".to_owned(),
        Target::Set(number) => format!("S{number}"),
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A text that ends no comment.
fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
