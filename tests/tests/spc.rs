//! Conditions as CPAchecker's assumption automata: a small interpreter of that language against the condition itself.
//!
//! What the automaton covers is covered by the condition, on paths through the control-flow automaton, feasible or not,
//! and with whatever CPAchecker has besides: declarations at file level, and edges without text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use formats::condition::StateKind;
use formats::{Condition, DifferenceGraph, OperationKind, ProgramOptions};
use program::cfa::{Cfa, EdgeId, Operation};
use residue_tests::oracle::{Sample, for_seeds, load};
use residue_tests::shared;
use semantics::cursor::ConditionCursor;

/// Random pairs; each with two detectors.
const PAIRS: u64 = 300;
/// Walks per condition.
const WALKS: u64 = 30;
/// The text of ours of an edge that leaves a function without `return`.
const IMPLICIT_RETURN: &str = "}";
/// Edges per walk.
const STEPS: usize = 120;

/// An automaton as CPAchecker reads it.
struct Automaton {
    initial: String,
    states: BTreeMap<String, Vec<(Option<String>, String)>>,
}

impl Automaton {
    /// Reads the part of the language that the writer uses; anything else is a mistake.
    fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
        assert_eq!(lines.next(), Some("OBSERVER AUTOMATON AssumptionAutomaton"));
        let initial = lines.next().and_then(|line| line.strip_prefix("INITIAL STATE ")?.strip_suffix(';')).unwrap().to_owned();
        let mut automaton = Self { initial, states: BTreeMap::new() };
        let mut current = String::new();
        for line in lines {
            if line == "END AUTOMATON" {
                assert!(automaton.states.values().flatten().all(|(_, to)| automaton.states.contains_key(to)));
                assert!(automaton.states.contains_key(&automaton.initial));
                return automaton;
            }
            if let Some(name) = line.strip_prefix("STATE ") {
                current = name.strip_prefix("USEFIRST ").unwrap_or(name).strip_suffix(" :").unwrap().to_owned();
                assert!(automaton.states.insert(current.clone(), Vec::new()).is_none(), "{current} twice");
                continue;
            }
            let (guard, to) = line.strip_suffix(';').unwrap().rsplit_once(" -> GOTO ").unwrap();
            let guard = match guard {
                "TRUE" => None,
                guard => Some(unescape(guard.strip_prefix("MATCH \"").unwrap().strip_suffix('"').unwrap())),
            };
            automaton.states.get_mut(&current).unwrap().push((guard, to.to_owned()));
        }
        panic!("the automaton ends in the middle");
    }

    /// The state behind an edge with this raw statement: the first transition that matches exactly, else the same state.
    fn step<'a>(&'a self, state: &'a str, raw: &str) -> &'a str {
        let matches = |guard: &Option<String>| guard.as_ref().is_none_or(|text| text == raw);
        self.states[state].iter().find(|(guard, _)| matches(guard)).map_or(state, |(_, to)| to)
    }

    /// Where a path is in the text before the first statement of the entry function.
    fn start(&self) -> &str {
        ["", "int g;", "void reach_error();", "int main();", ""].iter().fold(&self.initial, |state, raw| self.step(state, raw))
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => plain.push(match characters.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some(other) => other,
                None => panic!("{text}"),
            }),
            '"' => panic!("an unescaped quote in {text}"),
            c => plain.push(c),
        }
    }
    plain
}

/// What the texts of a path tell about a condition: all states that paths with the same texts reach; `None` for ever once
/// an unknown edge may have been taken.
struct ByText<'a> {
    condition: &'a Condition,
    states: Option<BTreeSet<u32>>,
}

impl<'a> ByText<'a> {
    fn new(condition: &'a Condition) -> Self {
        let mut start = Self { condition, states: Some(BTreeSet::from([Condition::INITIAL])) };
        start.settle();
        start
    }

    fn text(&self, edge: u32) -> &'a str {
        let edge = &self.condition.cfa_edges()[edge as usize];
        if edge.key.kind == OperationKind::Return && edge.text == IMPLICIT_RETURN {
            return "";
        }
        edge.text.strip_suffix(';').unwrap_or(&edge.text)
    }

    fn step(&mut self, raw: &str) {
        let Some(states) = &self.states else { return };
        if raw.is_empty() || self.is_covered() {
            return;
        }
        let raw = raw.strip_suffix(';').unwrap_or(raw);
        let mut next = BTreeSet::new();
        for &state in states {
            let edges = self.condition.edges_from(state);
            let targets: Vec<u32> = edges.iter().filter(|edge| self.text(edge.edge) == raw).map(|edge| edge.to).collect();
            let passes = !edges.is_empty() && edges.iter().all(|edge| self.text(edge.edge).is_empty());
            if self.condition.is_accepting(state) {
                next.insert(state);
            } else if targets.is_empty() && !passes || raw.ends_with('…') {
                self.states = None;
                return;
            }
            next.extend(targets);
        }
        self.states = (!next.is_empty()).then_some(next);
        self.settle();
    }

    fn settle(&mut self) {
        let Some(mut states) = self.states.take() else { return };
        loop {
            let silent = |edge: &&formats::ConditionEdge| self.text(edge.edge).is_empty();
            let more: Vec<u32> = states
                .iter()
                .flat_map(|&state| self.condition.edges_from(state).iter().filter(silent).map(|edge| edge.to))
                .filter(|to| !states.contains(to))
                .collect();
            if more.is_empty() {
                break;
            }
            states.extend(more);
        }
        let is_open = states.iter().all(|&state| self.condition.kind(state) != StateKind::Indicator);
        self.states = is_open.then_some(states);
    }

    fn is_covered(&self) -> bool {
        self.states.as_ref().is_some_and(|states| states.iter().all(|&state| self.condition.is_accepting(state)))
    }
}

/// A random path through the automaton, calls and returns included.
fn walk(cfa: &Cfa, rng: &mut fastrand::Rng) -> Vec<EdgeId> {
    let (mut path, mut stack, mut at) = (Vec::new(), Vec::new(), cfa.entry_location());
    while path.len() < STEPS {
        let edges = cfa.out_edges(at);
        if edges.is_empty() {
            break;
        }
        let edge = edges[rng.usize(..edges.len())];
        path.push(edge);
        at = cfa.edge(edge).target;
        if let Some(callee) = cfa.entered_callee(edge) {
            stack.push(at);
            at = cfa.function(callee).entry.unwrap();
        } else if let Operation::Return { .. } = cfa.edge(edge).operation {
            let Some(back) = stack.pop() else { break };
            at = back;
        }
    }
    path
}

/// How many walks the condition and its automaton cover.
#[derive(Clone, Copy, Debug, Default)]
struct Covered {
    condition: usize,
    automaton: usize,
}

fn automaton_of(condition: &Condition) -> Automaton {
    let mut bytes = Vec::new();
    condition.write_spc(&mut bytes).unwrap();
    Automaton::parse(&String::from_utf8(bytes).unwrap())
}

fn condition_of(graph: &DifferenceGraph) -> Condition {
    condgen::condition(graph, condgen::Size::Minimal, &console::Budget::unlimited()).unwrap().0
}

/// Compares condition and automaton on random walks; `what` names them in messages.
fn compare(condition: Condition, modified: &Cfa, seed: u64, what: &str) -> Covered {
    let automaton = automaton_of(&condition);
    let cursor = ConditionCursor::new(condition.clone(), "condition", modified).unwrap();
    let mut covered = Covered::default();
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..WALKS {
        let path = walk(modified, &mut rng);
        let mut coverage = cursor.start();
        let mut by_text = ByText::new(&condition);
        let mut state = automaton.start();
        for &edge in &path {
            let is_return = matches!(modified.edge(edge).operation, Operation::Return { .. });
            let text = modified.edge_text(edge);
            // CPAchecker has edges without text of its own, also where a function ends without `return`, and a semicolon
            // behind statements.
            let text = if is_return && text == IMPLICIT_RETURN { String::new() } else { text };
            if rng.usize(..4) == 0 {
                state = automaton.step(state, "");
            }
            let is_statement = !text.is_empty() && !text.starts_with('[') && !text.ends_with(';');
            let raw = if is_statement && rng.bool() { format!("{text};") } else { text };
            coverage = cursor.step(coverage, edge);
            by_text.step(&raw);
            state = automaton.step(state, &raw);
            let is_covered = state == "__TRUE";
            assert!(!is_covered || coverage.is_covered(), "{what}: unsound at {raw}: {:?}", modified.edge_key(edge));
            assert_eq!(is_covered, by_text.is_covered(), "{what}: not exact at {raw}: {:?}", modified.edge_key(edge));
        }
        covered.condition += usize::from(coverage.is_covered());
        covered.automaton += usize::from(state == "__TRUE");
    }
    covered
}

/// Every edge that leaves an open state is listed: what the automaton relies on.
fn lists_all_edges(condition: &Condition, modified: &Cfa, seed: u64) {
    let cursor = ConditionCursor::new(condition.clone(), "condition", modified).unwrap();
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..WALKS {
        let mut state = Condition::INITIAL;
        for edge in walk(modified, &mut rng) {
            if condition.kind(state) != StateKind::Open {
                break;
            }
            let number = cursor.condition().edge_number(&modified.edge_key(edge));
            let next = number.and_then(|number| condition.successor(state, Some(number)));
            let Some(next) = next else { panic!("{:?} is not listed", modified.edge_key(edge)) };
            state = next;
        }
    }
}

#[test]
fn random_pairs() {
    let found = for_seeds(0..PAIRS, |seed| {
        let sample = Sample::new(seed);
        let syntactic = diffcond::detect(&sample.original, &sample.modified, &mut || false);
        let graph = diffdp::detect(&sample.original, &sample.modified, &diffdp::Config::default(), &mut || false).0;
        [syntactic, graph].map(|graph| {
            let condition = condition_of(&graph);
            lists_all_edges(&condition, &sample.modified, seed);
            compare(condition, &sample.modified, seed, &sample.describe())
        })
    });
    let total = found.iter().flatten().fold(Covered::default(), |sum, one| Covered {
        condition: sum.condition + one.condition,
        automaton: sum.automaton + one.automaton,
    });
    println!("{total:?}");
    assert!(total.condition > 1000, "{total:?}");
    assert!(total.automaton * 2 > total.condition, "{total:?}");
}

#[test]
fn trap_pairs() {
    let Some(folder) = shared("oracle") else { return };
    let index = fs::read_to_string(folder.join("INDEX.csv")).unwrap();
    let mut tried = 0;
    for fields in index.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|fields| fields[0] == "pitfalls") {
        let read = |path: &str| program::load(&folder.join(path), &ProgramOptions::default()).unwrap();
        let (original, modified) = (read(fields[2]), read(fields[3]));
        let graph = diffdp::detect(&original, &modified, &diffdp::Config::default(), &mut || false).0;
        let condition = condition_of(&graph);
        compare(condition, &modified, 7, fields[1]);
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// Two edges with the same text, of which only one is covered: the text cannot tell, so neither is.
#[test]
fn texts_that_do_not_tell() {
    let before = "void reach_error(void); int __VERIFIER_nondet_int(void); int g;\nint main(void) {\n  if (__VERIFIER_nondet_int()) {\n    g = 1;\n    g = 2;\n  } else {\n    g = 1;\n    g = 3;\n  }\n  if (g == 3) reach_error();\n  return 0;\n}\n";
    let after = before.replace("g = 3;", "g = 4;");
    let sample = Sample::from_texts(before, &after);
    let graph = diffcond::detect(&sample.original, &sample.modified, &mut || false);
    let covered = compare(condition_of(&graph), &load("modified.c", &after), 1, "texts");
    // The branch tells them apart.
    assert!(covered.automaton > 0 && covered.automaton == covered.condition, "{covered:?}");
}

#[test]
fn everything_and_nothing() {
    let program = "void reach_error(void); int main(void) { int x = 1; if (x == 2) reach_error(); return 0; }";
    let same = Sample::from_texts(program, program);
    let all = automaton_of(&condition_of(&diffcond::detect(&same.original, &same.modified, &mut || false)));
    assert_eq!(all.start(), "__TRUE");
    let other = Sample::from_texts(program, &program.replace("x == 2", "x == 3"));
    let nothing = automaton_of(&condition_of(&diffcond::detect(&other.original, &other.modified, &mut || true)));
    assert_eq!(nothing.start(), "__FALSE");
    assert_eq!(nothing.step("__FALSE", "x = 1"), "__FALSE");
}
