//! Which lines of the modified program a check leaves out, and which it looks at again: the one place that decides.
//!
//! An edge of the modified program is *covered* if every path is accepted by the condition before it passes the edge or by
//! passing it, *to be rechecked* if some path may pass it otherwise, and the *cause* of a recheck if it is an edge where
//! alignment ended: an edge that a reason of an indicator names, or one that leads to an indicator without such a reason.
//! A line has the strongest mark of the edges whose text is on it, cause before recheck before covered; a line no path can
//! reach, or without a statement, has none. Without a condition every line that can be reached is to be rechecked.
//!
//! Paths are followed through the product of program and condition, a function for each coverage it is entered with: so
//! "recheck" may be said of a line too much (of the stack of calls no more is known), "covered" never is.
//! Does not know texts or how marks are shown.

use std::collections::BTreeMap;

use formats::report::Mark;
use formats::{DifferenceGraph, EdgeKey};
use program::cfa::{Cfa, EdgeId, Operation};
use semantics::cursor::{ConditionCursor, Coverage};
use semantics::product::{Product, Step};

/// The marks of the edges of a program.
#[derive(Clone, Debug)]
pub(crate) struct EdgeMarks {
    marks: Vec<Option<Mark>>,
}

impl EdgeMarks {
    /// Marks the edges of the modified program. Time linear in the product of it and the condition.
    pub(crate) fn new(cfa: &Cfa, cursor: Option<&ConditionCursor>, graph: Option<&DifferenceGraph>) -> Self {
        let everything = passed(cfa, Coverage::Uncovered, &|coverage, _| coverage);
        let again = match cursor {
            Some(cursor) => passed(cfa, cursor.start(), &|coverage, edge| cursor.step(coverage, edge)),
            None => everything.clone(),
        };
        let mark = |(reached, again): (&bool, &bool)| match (reached, again) {
            (_, true) => Some(Mark::Recheck),
            (true, false) => Some(Mark::Covered),
            (false, false) => None,
        };
        let mut marks: Vec<Option<Mark>> = everything.iter().zip(&again).map(mark).collect();
        for edge in graph.map(|graph| causes(cfa, graph)).unwrap_or_default() {
            if let Some(mark) = marks.get_mut(edge.index()) {
                *mark = Some(Mark::Cause);
            }
        }
        Self { marks }
    }

    /// The mark of an edge; `None` if no path reaches it.
    pub(crate) fn of(&self, edge: EdgeId) -> Option<Mark> {
        self.marks.get(edge.index()).copied().flatten()
    }
}

/// Physical lines of the text of an edge; an edge that does nothing counts where it begins only.
pub(crate) fn lines_of(cfa: &Cfa, edge: EdgeId) -> std::ops::RangeInclusive<u32> {
    let edge = cfa.edge(edge);
    let first = cfa.source.position(edge.span.lo).line;
    if edge.span.is_empty() {
        // Made by lowering: there is no text.
        return std::ops::RangeInclusive::new(1, 0);
    }
    match edge.operation {
        Operation::Blank => first..=first,
        Operation::Declare { .. }
        | Operation::Assume { .. }
        | Operation::Assign { .. }
        | Operation::Havoc { .. }
        | Operation::Call { .. }
        | Operation::Return { .. }
        | Operation::Asm(_)
        | Operation::Unsupported { .. } => first..=cfa.source.position(edge.span.hi - 1).line,
    }
}

/// The edges where alignment ended.
fn causes(cfa: &Cfa, graph: &DifferenceGraph) -> Vec<EdgeId> {
    let mut numbers: Vec<u32> = graph.reasons.iter().filter_map(|reason| reason.edge).collect();
    let blamed = |node: u32| graph.reasons.iter().any(|reason| reason.indicator == node && reason.edge.is_some());
    let without: Vec<u32> = graph.indicators.iter().copied().filter(|node| !blamed(*node)).collect();
    numbers.extend(graph.edges.iter().filter(|edge| without.binary_search(&edge.to).is_ok()).map(|edge| edge.edge));
    let keys: BTreeMap<&EdgeKey, ()> =
        numbers.iter().filter_map(|number| graph.cfa_edges.get(number)).map(|info| (&info.key, ())).collect();
    if keys.is_empty() {
        return Vec::new();
    }
    cfa.edge_ids().filter(|edge| keys.contains_key(&cfa.edge_key(*edge))).collect()
}

/// The edges that some path passes without being covered before or by that.
fn passed(cfa: &Cfa, start: Coverage, step: Step<'_>) -> Vec<bool> {
    let mut passed = vec![false; cfa.edges.len()];
    if start.is_covered() {
        return passed;
    }
    let product = Product::new(cfa, start, step);
    let nodes = product.clones().flat_map(|(_, clone)| clone.nodes.iter());
    for (location, coverage) in nodes {
        for edge in cfa.out_edges(*location) {
            passed[edge.index()] |= !step(*coverage, *edge).is_covered();
        }
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Condition, EdgeInfo, Producer, ProgramOptions, Provenance, StateKind};
    use program::source::SourceFile;
    use semantics::interpreter::{self, EdgeObserver, Limits, Request};
    use std::ops::ControlFlow;

    const PROGRAM: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int f(int a) { return a + 1; }
int g(int a) {
    return a - 1;
}
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 3)
        x = f(x);
    else
        x = g(x);
    if (x == 7)
        reach_error();
    return x;
}
int never(void) { return 1; }
";

    fn cfa(text: &str) -> Cfa {
        program::load_source(SourceFile::new("p.c", text), &ProgramOptions::default()).unwrap()
    }

    fn condition(cfa: &Cfa, states: Vec<StateKind>, edges: &[(u32, EdgeId, u32)]) -> ConditionCursor {
        let program = cfa.program_file("p.c");
        let provenance = Provenance {
            producer: Producer::new("test", "0"),
            original: program.clone(),
            modified: program,
            options: ProgramOptions::default(),
            degraded: None,
        };
        let infos: BTreeMap<u32, EdgeInfo> = edges.iter().map(|(_, edge, _)| (edge.0, cfa.edge_info(*edge))).collect();
        let edges: Vec<(u32, u32, u32)> = edges.iter().map(|(from, edge, to)| (*from, edge.0, *to)).collect();
        let condition = Condition::new(Producer::new("test", "0"), provenance, states, &edges, &infos).unwrap();
        ConditionCursor::new(condition, "c", cfa).unwrap()
    }

    /// The strongest mark of each line.
    fn marked(cfa: &Cfa, marks: &EdgeMarks) -> BTreeMap<u32, Mark> {
        let mut lines = BTreeMap::new();
        for edge in cfa.edge_ids() {
            let Some(mark) = marks.of(edge) else { continue };
            for line in lines_of(cfa, edge) {
                let slot = lines.entry(line).or_insert(mark);
                *slot = mark.max(*slot);
            }
        }
        lines
    }

    /// Open up to the first branch, whose edges lead to states of these kinds.
    fn branching(cfa: &Cfa, if_true: StateKind, if_false: StateKind) -> ConditionCursor {
        let mut location = cfa.entry_location();
        let (mut states, mut edges) = (vec![StateKind::Open], Vec::new());
        loop {
            let from = u32::try_from(states.len() - 1).unwrap();
            match cfa.out_edges(location) {
                [edge] => {
                    states.push(StateKind::Open);
                    edges.push((from, *edge, from + 1));
                    location = cfa.edge(*edge).target;
                }
                [one, other] => {
                    states.extend([if_true, if_false]);
                    edges.extend([(from, *one, from + 1), (from, *other, from + 2)]);
                    return condition(cfa, states, &edges);
                }
                edges => panic!("{edges:?}"),
            }
        }
    }

    #[test]
    fn one_branch_is_covered() {
        let cfa = cfa(PROGRAM);
        let condition = branching(&cfa, StateKind::Accepting, StateKind::Indicator);
        let lines = marked(&cfa, &EdgeMarks::new(&cfa, Some(&condition), None));
        assert_eq!(lines.get(&3), Some(&Mark::Covered), "only called on the covered branch");
        assert_eq!(lines.get(&10), Some(&Mark::Covered));
        for line in [5, 8, 9, 12, 13, 14, 15] {
            assert_eq!(lines.get(&line), Some(&Mark::Recheck), "line {line}");
        }
        assert_eq!(lines.get(&17), None, "no path gets there");
    }

    #[test]
    fn everything_or_nothing() {
        let cfa = cfa(PROGRAM);
        let covered = condition(&cfa, vec![StateKind::Accepting], &[]);
        let marks = |condition| marked(&cfa, &EdgeMarks::new(&cfa, condition, None));
        assert!(marks(Some(&covered)).values().all(|mark| *mark == Mark::Covered));
        let open = condition(&cfa, vec![StateKind::Open], &[]);
        for condition in [None, Some(&open)] {
            assert!(marks(condition).values().all(|mark| *mark == Mark::Recheck));
            assert_eq!(marks(condition).len(), marks(Some(&covered)).len());
        }
    }

    /// What is before the first `#define`, its name and value, and what is behind.
    fn first_definition(text: &str) -> Option<(String, (String, String, String))> {
        let (before, rest) = text.split_once("#define ")?;
        let (definition, after) = rest.split_once('\n')?;
        let (name, value) = definition.split_once(' ')?;
        Some((before.to_owned(), (name.to_owned(), value.to_owned(), after.to_owned())))
    }

    /// What a run passes without being covered is never marked as covered, whatever the condition.
    #[test]
    fn marks_agree_with_runs() {
        let (mut text, mut rest) = (String::new(), include_str!("../../demo/regression.c").to_owned());
        while let Some((before, (name, value, after))) = first_definition(&rest) {
            text.push_str(&before);
            rest = after.replace(&name, &value);
        }
        let cfa = cfa(&(text + &rest));
        let mut random = fastrand::Rng::with_seed(7);
        let run = |seed: u64, observer: &mut dyn FnMut(EdgeId)| {
            let mut values = fastrand::Rng::with_seed(seed);
            let mut inputs = |_: &Request| Some(u128::from(values.u32(..) >> values.u32(..32)));
            let mut observer = EdgeObserver(|edge| {
                observer(edge);
                ControlFlow::Continue(())
            });
            let _ = interpreter::run(&cfa, &mut inputs, &mut observer, Limits { steps: 400, ..Limits::default() });
        };
        let mut covered = 0;
        for round in 0..60 {
            // A tree of the beginnings of some runs, whose leaves accept or are indicators.
            let (mut states, mut edges) = (vec![StateKind::Open], BTreeMap::new());
            for seed in 0..4 {
                let (depth, mut passed, mut state) = (random.usize(1..120), 0, 0u32);
                run(round * 10 + seed, &mut |edge| {
                    passed += 1;
                    if passed > depth || states[state as usize] != StateKind::Open {
                        return;
                    }
                    let fresh = u32::try_from(states.len()).unwrap();
                    state = *edges.entry((state, edge)).or_insert(fresh);
                    if state == fresh {
                        let leaf = if random.bool() { StateKind::Accepting } else { StateKind::Indicator };
                        states.push(if passed == depth { leaf } else { StateKind::Open });
                    }
                });
            }
            let edges: Vec<(u32, EdgeId, u32)> = edges.into_iter().map(|((from, edge), to)| (from, edge, to)).collect();
            let cursor = condition(&cfa, states, &edges);
            let marks = EdgeMarks::new(&cfa, Some(&cursor), None);
            covered += cfa.edge_ids().filter(|edge| marks.of(*edge) == Some(Mark::Covered)).count();
            for seed in 0..8 {
                let mut coverage = cursor.start();
                run(round * 10 + seed, &mut |edge| {
                    coverage = cursor.step(coverage, edge);
                    assert!(coverage == Coverage::Covered || marks.of(edge) == Some(Mark::Recheck), "{}", cfa.edge_key(edge));
                });
            }
        }
        assert!(covered > 0, "the test would see nothing");
    }
}
