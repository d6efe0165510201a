//! Branches in which nothing is left: both ways lead to the same place, so the condition is that of what was asserted there.
//!
//! `if (g) assert(c);` says at its place what `assert(!g || c);` says. Only for conditions whose evaluation does nothing: else
//! the branch is code. Exact: the program without such a branch has the same runs.
//! Does not know what the conditions are good for.

use program::cfa::{LocationId, Operation};
use program::expr::ExprId;
use program::source::Span;

use crate::editor::Editor;

/// What leads into a place of a program: conditions and whether each holds, in the order of evaluation.
pub type Guards = Vec<(ExprId, bool)>;

/// Edges that do nothing that are followed at most.
const LONGEST: usize = 1000;

/// A branch whose ways meet again with nothing between.
struct Empty {
    from: LocationId,
    to: LocationId,
    condition: ExprId,
    /// The edges of the branch, with the truth of the condition and the locations on the way.
    ways: [(usize, bool, Vec<LocationId>); 2],
}

/// Takes out branches in which nothing is left. What stands in one moves in front of it, guarded by its condition.
pub(crate) fn fold(editor: &mut Editor, at: &mut [LocationId], is_pure: &dyn Fn(ExprId) -> bool) -> Vec<Guards> {
    let mut guards = vec![Guards::new(); at.len()];
    loop {
        let edges = Edges::new(editor);
        let Some(found) = edges.empty(editor, is_pure) else { return guards };
        for (site, guards) in at.iter_mut().zip(&mut guards) {
            if let Some((_, truth, _)) = found.ways.iter().find(|(_, _, way)| way.contains(site)) {
                guards.insert(0, (found.condition, *truth));
                *site = found.from;
            }
        }
        let own = |edge: &usize| {
            let source = editor.parts.edges[*edge].source;
            source == found.from || found.ways.iter().any(|(_, _, way)| way.contains(&source))
        };
        let joins = edges.entering[found.to.index()].iter().all(own) && !edges.is_entry[found.to.index()];
        if joins {
            // No other way leads behind the branch: what was in front of it is there.
            at.iter_mut().filter(|site| **site == found.from).for_each(|site| *site = found.to);
            for edge in &mut editor.parts.edges {
                edge.target = if edge.target == found.from { found.to } else { edge.target };
            }
            for function in &mut editor.parts.functions {
                function.entry = function.entry.map(|entry| if entry == found.from { found.to } else { entry });
            }
        }
        for (edge, ..) in &found.ways {
            editor.parts.edges[*edge].source = editor.location_beside(found.from);
        }
        if !joins {
            editor.add(found.from, found.to, Operation::Blank, (Span::default(), Span::default()));
        }
        editor.drop_unreached();
    }
}

/// The edges of a program by their ends.
struct Edges {
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    is_entry: Vec<bool>,
}

impl Edges {
    fn new(editor: &Editor) -> Self {
        let none = || vec![Vec::new(); editor.parts.locations.len()];
        let (mut leaving, mut entering) = (none(), none());
        for (number, edge) in editor.parts.edges.iter().enumerate() {
            leaving[edge.source.index()].push(number);
            entering[edge.target.index()].push(number);
        }
        let mut is_entry = vec![false; leaving.len()];
        for entry in editor.parts.functions.iter().filter_map(|function| function.entry) {
            is_entry[entry.index()] = true;
        }
        Self { leaving, entering, is_entry }
    }

    fn empty(&self, editor: &Editor, is_pure: &dyn Fn(ExprId) -> bool) -> Option<Empty> {
        self.leaving.iter().find_map(|edges| {
            let [one, other] = edges[..] else { return None };
            let (first, second) = (&editor.parts.edges[one], &editor.parts.edges[other]);
            let (Operation::Assume { condition, truth }, Operation::Assume { condition: same, truth: turned }) =
                (&first.operation, &second.operation)
            else {
                return None;
            };
            if condition != same || truth == turned || !is_pure(*condition) {
                return None;
            }
            let [(way, to), (other_way, meets)] = [first, second].map(|edge| self.way(editor, edge.target));
            let is_between = !way.contains(&first.source) && !other_way.contains(&first.source) && to != first.source;
            (to == meets && is_between).then_some(Empty {
                from: first.source,
                to,
                condition: *condition,
                ways: [(one, *truth, way), (other, *turned, other_way)],
            })
        })
    }

    /// The locations behind an edge that only it leads to and where nothing happens, and where that ends.
    fn way(&self, editor: &Editor, mut at: LocationId) -> (Vec<LocationId>, LocationId) {
        let mut way = Vec::new();
        while way.len() < LONGEST && self.entering[at.index()].len() == 1 && !self.is_entry[at.index()] {
            let [only] = self.leaving[at.index()][..] else { break };
            if !matches!(editor.parts.edges[only].operation, Operation::Blank) {
                break;
            }
            way.push(at);
            at = editor.parts.edges[only].target;
        }
        (way, at)
    }
}
