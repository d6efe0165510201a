//! Why each indicator is one: the change behind it and the chain of objects and conditions between them.
//!
//! Runs after the search, on what it recorded. Whether a step brings an object is not looked up in rules of its own: the
//! step is made again with fewer affected objects, so that an explanation cannot say anything else than the search did.
//! What is told is *one* way from a change to an indicator, the first the search came along.
//! Does not influence the graph: explaining or not, it is the same.

mod apart;
mod names;
mod trace;

use std::collections::BTreeMap;
use std::rc::Rc;

use formats::DifferenceGraph;
use formats::explanation::{Cause, Explanation, Finding, Link};
use indexmap::{IndexMap, IndexSet};
use program::cfa::{Cfa, EdgeId, FunctionId, Known, Operation};
use program::source::Span;
use semantics::compare::{Side, edge_place, function_place};
use semantics::object_set::ObjectSet;
use semantics::stack::Point;

use crate::equations::Equations;
use crate::reason::Reason;
use crate::search::{End, History};
use crate::step::{Pair, Stepper};
use crate::trail::Trail;
use trace::{Chain, Root, Tracer};

/// Changes named for one finding at most.
const CAUSES: usize = 3;
/// Blamed objects of one indicator that are followed at most.
const FOLLOWED: usize = 8;

/// Explains all indicators of a graph.
pub(crate) fn explain(stepper: &mut Stepper, history: &History, trail: &Trail, graph: &DifferenceGraph) -> Explanation {
    let numbers: BTreeMap<_, _> =
        graph.reasons.iter().map(|r| ((r.edge, r.rule.as_str(), r.detail.as_str()), r.indicator)).collect();
    let mut tracer = Tracer::new(stepper, history, trail);
    let mut drafts: IndexMap<Key, Draft> = IndexMap::new();
    for end in &history.ends {
        let Some(indicator) = numbers.get(&(end.edge.map(|e| e.0), end.reason.rule(), end.detail.as_str())) else { continue };
        let draft = drafts.entry(tracer.key(end)).or_default();
        draft.indicators.push(*indicator);
        draft.edges.extend(end.edge);
        draft.ends.push(end.clone());
        tracer.add_causes(end, draft);
    }
    drafts.sort_by(|a, _, b, _| a.cmp(b));
    let findings = drafts.into_values().map(|draft| tracer.finding(draft)).collect();
    Explanation { provenance: graph.provenance.clone(), changes: tracer.changes.finish(), findings }
}

/// What makes indicators one finding: the text where the alignment ended and the rule.
type Key = (Option<Span>, Option<FunctionId>, &'static str);

/// A finding that still grows.
#[derive(Debug, Default)]
struct Draft {
    indicators: Vec<u32>,
    edges: Vec<EdgeId>,
    ends: Vec<End>,
    /// By change.
    causes: IndexMap<u32, Vec<Link>>,
    /// What the condition depends on, by name.
    objects: IndexSet<String>,
}

impl Tracer<'_, '_> {
    fn key(&self, end: &End) -> Key {
        let program = self.comparison.modified;
        let span = end.edge.map(|e| program.shown_span(e));
        (span, end.edge.map(|e| program.location(program.edge(e).source).function), end.reason.rule())
    }

    fn add_causes(&mut self, end: &End, draft: &mut Draft) {
        for (root, chain, blamed) in self.roots(end) {
            let links = self.links(&chain);
            if let Some(blamed) = blamed {
                let carried = links.last().and_then(|link| link.object.clone()).map(|object| object.name);
                let name = if chain.last().is_some_and(|step| step.object == Some(blamed)) { carried } else { None };
                draft.objects.insert(name.unwrap_or_else(|| self.effects.own_name(blamed)));
            }
            let Root::Change(change) = root else { continue };
            let known = draft.causes.entry(change).or_insert_with(|| links.clone());
            if links.len() < known.len() {
                *known = links;
            }
        }
    }

    /// The changes behind an end with their chains, and the object each chain leads to.
    fn roots(&mut self, end: &End) -> Vec<(Root, Chain, Option<semantics::object_set::ObjectId>)> {
        let mut chain = Chain::new();
        let root = match (&end.reason, end.from, end.edge) {
            (Reason::Affected { original, objects }, Some(from), Some(edge)) => {
                return self.condition_roots(from, edge, *original, objects);
            }
            (Reason::ErrorOnlyInModified, Some(from), Some(edge)) => self.text_or_way(from, edge, &mut chain),
            (Reason::Assembly, Some(from), Some(edge)) => self.text_or_way(from, edge, &mut chain),
            (Reason::OriginalCannotFail, Some(from), Some(edge)) => self.cannot_fail(from, edge, &mut chain),
            (Reason::OriginalCannotFail, None, _) => self.new_error(self.comparison.modified.entry_location()),
            (
                Reason::Affected { .. }
                | Reason::ErrorOnlyInModified
                | Reason::Assembly
                | Reason::OriginalCannotFail
                | Reason::Recursion(_)
                | Reason::Unsupported
                | Reason::Interrupted,
                _,
                _,
            ) => Root::Unclear,
        };
        chain.reverse();
        vec![(root, chain, None)]
    }

    /// Why the condition of an assume depends on the change.
    fn condition_roots(
        &mut self,
        from: u32,
        edge: EdgeId,
        original: EdgeId,
        objects: &ObjectSet,
    ) -> Vec<(Root, Chain, Option<semantics::object_set::ObjectId>)> {
        let mut roots = Vec::new();
        let (pair, v) = self.pair(from);
        let point = self.stepper.blocked(pair, &v, &self.known(from), edge).map(|(_, _, point)| point);
        for object in objects.iter().take(FOLLOWED) {
            let mut chain = Chain::new();
            let root = self.affected_before(from, point, object, u32::MAX, &mut chain);
            chain.reverse();
            roots.push((root, chain, Some(object)));
        }
        if objects.is_empty() {
            roots.push((self.foreign(edge, original), Chain::new(), None));
        }
        roots
    }

    /// An operation without a partner: its text is to blame if it is new or another one, else the way there.
    fn text_or_way(&mut self, from: u32, edge: EdgeId, chain: &mut Chain) -> Root {
        match self.alignment.of(edge) {
            None => Root::Change(self.changes.inserted(edge)),
            Some(o) if !self.comparison.identical(edge, o) && !self.both_fail(edge, o) => {
                Root::Change(self.changes.replaced(edge, o))
            }
            Some(o) => match self.apart(from, Some(edge), chain) {
                Root::Unclear => Root::Change(self.changes.moved(edge, o)),
                root @ Root::Change(_) => root,
            },
        }
    }

    /// Whether two operations violate the property: with which arguments (file and line of an assertion) does not count.
    fn both_fail(&self, modified: EdgeId, original: EdgeId) -> bool {
        let fails = |program: &Cfa, edge: EdgeId| program.location(program.edge(edge).target).is_error;
        fails(self.comparison.modified, modified) && fails(self.comparison.original, original)
    }

    /// The original cannot fail from where a step leads it.
    fn cannot_fail(&mut self, from: u32, edge: EdgeId, chain: &mut Chain) -> Root {
        let target = self.comparison.modified.edge(edge).target;
        let next = match self.comparison.modified.entered_callee(edge) {
            Some(callee) => self.comparison.modified.function(callee).entry.unwrap_or(target),
            None => target,
        };
        // What follows when the active calls return is behind it, too.
        let stack = self.pair(from).0.modified.stack;
        let calls: Vec<EdgeId> = self.stepper.stacks.calls(stack).collect();
        let behind = calls.iter().map(|call| self.comparison.modified.edge(*call).target);
        let starts: Vec<_> = std::iter::once(next).chain(behind).collect();
        for start in &starts {
            let root = self.new_error(*start);
            if root != Root::Unclear {
                return root;
            }
        }
        match self.apart(from, Some(edge), chain) {
            Root::Unclear => {
                starts.iter().map(|start| self.moved_error(*start)).find(|r| *r != Root::Unclear).unwrap_or(Root::Unclear)
            }
            root @ Root::Change(_) => root,
        }
    }

    fn finding(&mut self, draft: Draft) -> Finding {
        let Draft { mut indicators, mut edges, ends, causes, objects } = draft;
        indicators.sort_unstable();
        indicators.dedup();
        edges.sort_unstable();
        edges.dedup();
        let mut causes: Vec<Cause> = causes.into_iter().map(|(change, chain)| Cause { change, chain }).collect();
        causes.sort_by_key(|cause| (cause.chain.len(), cause.change));
        causes.truncate(CAUSES);
        let place = edges.first().map(|e| edge_place(Side::Modified, self.comparison.modified, *e));
        let end = ends.first();
        Finding {
            rule: end.map_or("", |end| end.reason.rule()).to_owned(),
            message: end.map_or_else(String::new, |end| self.message(end, &objects)),
            indicators,
            edges: edges.into_iter().map(|e| e.0).collect(),
            place,
            original: end.and_then(|end| self.original_place(end)),
            causes,
        }
    }

    fn message(&self, end: &End, objects: &IndexSet<String>) -> String {
        let program = self.comparison.modified;
        let names: Vec<String> = objects.iter().map(|name| format!("`{name}`")).collect();
        match &end.reason {
            Reason::Affected { .. } if names.is_empty() => {
                "the condition depends on an object that has another type in the original".to_owned()
            }
            Reason::Affected { .. } => format!("the condition depends on {}, which the change affects", names.join(", ")),
            Reason::ErrorOnlyInModified => "only the modified program violates the property here".to_owned(),
            Reason::OriginalCannotFail => {
                "from here on the modified program may violate the property, the original cannot any more".to_owned()
            }
            Reason::Recursion(function) => {
                format!("`{}` is called while it is active; recursion is not compared", program.function(*function).name)
            }
            Reason::Unsupported => match end.edge.map(|e| &program.edge(e).operation) {
                Some(Operation::Unsupported { construct }) => format!("not understood, so not compared: {construct}"),
                Some(Operation::Call { callee, .. }) if program.function(*callee).known == Some(Known::Unsupported) => {
                    format!("not understood, so not compared: what `{}` does", program.function(*callee).name)
                }
                _ => "not understood, so not compared".to_owned(),
            },
            Reason::Assembly => "the original does not execute this inline assembly with the same values".to_owned(),
            Reason::Interrupted => "the comparison ended before this was settled".to_owned(),
        }
    }

    /// Where the original is when the alignment ends.
    fn original_place(&mut self, end: &End) -> Option<formats::explanation::Place> {
        let program = self.comparison.original;
        if let Reason::Affected { original, .. } = &end.reason {
            return Some(edge_place(Side::Original, program, *original));
        }
        let (pair, _) = self.pair(end.from?);
        Some(self.original_point(pair.original))
    }

    fn original_point(&self, point: Point) -> formats::explanation::Place {
        let program = self.comparison.original;
        match program.out_edges(point.location) {
            [edge, ..] => edge_place(Side::Original, program, *edge),
            [] => function_place(Side::Original, program, program.location(point.location).function),
        }
    }

    /// What variables are known to hold at a pair.
    fn known(&self, number: u32) -> Rc<Equations> {
        self.history.known.get(number as usize).cloned().unwrap_or_default()
    }

    /// A pair by its number, and what may be affected there in the end.
    fn pair(&self, number: u32) -> (Pair, ObjectSet) {
        let start = || {
            let at = |program| semantics::stack::StackTable::start(program);
            (Pair { modified: at(self.comparison.modified), original: at(self.comparison.original) }, ObjectSet::new())
        };
        self.history.table.get_index(number as usize).map_or_else(start, |(pair, v)| (*pair, v.clone()))
    }
}
