//! What the original does in every step of the graph, written down so that others can check it.
//!
//! Only looks on: the graph does not depend on whether a certificate is written, and what is written here proves nothing. It
//! says which walk and which joint step the rules took; `residue validate` makes up its own mind about each.

use formats::certificate::{CertifiedObject, Move, Moves, Recorded};
use formats::{Certificate, DifferenceGraph, Producer};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use semantics::compare::Comparison;
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::ObjectKind;
use semantics::stack::Point;

use crate::effects::Effects;
use crate::step::{Outcome, Pair, Partner, Stepped, Stepper};

/// What the original does before the first pair.
pub(crate) fn start_moves(stepper: &mut Stepper, outcome: &Outcome) -> Moves {
    let start = semantics::stack::StackTable::start(stepper.comparison.original);
    let mut moves = Vec::new();
    end(stepper, start, outcome, &mut moves);
    Moves(moves)
}

/// What the original, being at a point, does in a step.
pub(crate) fn moves_of(stepper: &mut Stepper, from: Point, stepped: &Stepped) -> Moves {
    let mut moves = Vec::new();
    if matches!(stepped.outcome, Outcome::Indicator(_)) {
        return Moves(moves);
    }
    let mut at = from;
    if let Some(partner) = stepped.partner {
        walk(stepper, from, Some(partner.from), &mut moves);
        match joint(stepper, partner) {
            Some((together, to)) => {
                moves.push(together);
                at = to;
            }
            // Nothing that could be checked; whoever reads it says so.
            None => return Moves(moves),
        }
    }
    end(stepper, at, &stepped.outcome, &mut moves);
    Moves(moves)
}

/// The joint step and where it leads the original.
fn joint(stepper: &mut Stepper, partner: Partner) -> Option<(Move, Point)> {
    let original = stepper.comparison.original;
    match partner.edge {
        Some(edge) => {
            let to = stepper.walker.stacks.step(original, partner.from, edge).point()?;
            Some((Move::With(edge.0), to))
        }
        None => {
            let (call, below) = stepper.walker.stacks.pop(partner.from.stack)?;
            Some((Move::LeaveWith, Point { location: original.edge(call).target, stack: below }))
        }
    }
}

/// What the original does at the end of a step: passes what does nothing, or goes on to a violation it is bound to.
fn end(stepper: &mut Stepper, at: Point, outcome: &Outcome, moves: &mut Vec<Move>) {
    match outcome {
        Outcome::Pair(pair, _) if pair.original != at => moves.push(Move::To(pair.original.location.0)),
        Outcome::Leaf if stepper.walker.is_doomed(at) => walk(stepper, at, None, moves),
        Outcome::Pair(..) | Outcome::Leaf | Outcome::Indicator(_) => {}
    }
}

/// Certain steps to a point, or as far as they go.
fn walk(stepper: &mut Stepper, from: Point, to: Option<Point>, moves: &mut Vec<Move>) {
    for (at, next, _) in stepper.walker.steps(from, to) {
        let below = stepper.walker.stacks.pop(next.stack).map(|(_, below)| below);
        moves.push(if next.stack == at.stack {
            Move::To(next.location.0)
        } else if below == Some(at.stack) {
            Move::Enter
        } else {
            Move::Leave
        });
    }
}

/// The certificate of a graph of one leaf, of programs that are the same.
pub(crate) fn of_equal(graph: &DifferenceGraph) -> Certificate {
    Certificate {
        producer: producer(),
        variables: Vec::new(),
        renamed: Vec::new(),
        allocations: Vec::new(),
        objects: Vec::new(),
        sets: Vec::new(),
        nodes: vec![None; graph.nodes as usize],
        start: Moves::default(),
        moves: vec![Moves::default(); graph.edges.len()],
    }
}

fn producer() -> Producer {
    Producer::new("diffdp", env!("CARGO_PKG_VERSION"))
}

/// The certificate of a graph that was built from `initial` over `table`.
pub(crate) fn write(
    stepper: &Stepper,
    graph: &DifferenceGraph,
    (initial, table): (u32, &IndexMap<Pair, ObjectSet, FxBuildHasher>),
    moved: Recorded,
) -> Certificate {
    let comparison = stepper.comparison;
    let start = moved.start.clone();
    let (built, moves) = moved.renumbered(graph, initial);
    let mut names = Names { effects: stepper.effects, objects: IndexMap::default(), sets: IndexSet::default() };
    let nodes = built.iter().map(|number| {
        let (_, affected) = table.get_index((*number)? as usize)?;
        Some(names.set(affected))
    });
    let nodes = nodes.collect();
    let map = comparison.correspondence();
    Certificate {
        producer: producer(),
        variables: comparison.modified.variable_ids().map(|v| map.identity(v).map(|other| other.0)).collect(),
        renamed: renamed(comparison),
        allocations: stepper.effects.allocations(),
        sets: names.sets.into_iter().collect(),
        objects: names.objects.into_values().collect(),
        nodes,
        start,
        moves,
    }
}

/// The functions that are paired although their names are not the same.
fn renamed(comparison: &Comparison) -> Vec<[u32; 2]> {
    let (modified, original) = (comparison.modified, comparison.original);
    let paired = modified.function_ids().filter_map(|f| Some((f, comparison.correspondence().function(f)?)));
    let renamed = paired.filter(|(f, g)| modified.function(*f).name != original.function(*g).name);
    renamed.map(|(f, g)| [f.0, g.0]).collect()
}

/// Numbers of objects and of sets of them.
struct Names<'a> {
    effects: &'a Effects<'a>,
    objects: IndexMap<ObjectId, CertifiedObject, FxBuildHasher>,
    sets: IndexSet<Vec<u32>, FxBuildHasher>,
}

impl Names<'_> {
    fn set(&mut self, set: &ObjectSet) -> u32 {
        let mut numbers: Vec<u32> = set.iter().map(|object| self.object(object)).collect();
        numbers.sort_unstable();
        u32::try_from(self.sets.insert_full(numbers).0).unwrap_or(u32::MAX)
    }

    fn object(&mut self, object: ObjectId) -> u32 {
        let entry = self.objects.entry(object);
        let number = u32::try_from(entry.index()).unwrap_or(u32::MAX);
        entry.or_insert_with(|| match self.effects.kind(object) {
            ObjectKind::External => CertifiedObject::External,
            ObjectKind::Variable(variable) => CertifiedObject::Variable(variable.0, Vec::new()),
            ObjectKind::Member { variable, path } => CertifiedObject::Variable(variable.0, path.to_vec()),
            ObjectKind::Heap { site } => CertifiedObject::Allocation(site.0),
        });
        number
    }
}
