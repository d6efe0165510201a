//! The points-to analysis of `semantics` as the encoder of `smt` asks for it.

#![expect(clippy::wildcard_enum_match_arm, reason = "calls and dereferences are looked for among many kinds")]

use program::cfa::{Cfa, EdgeId, Known, LocationId, Operation, VarId};
use program::expr::{Expr, ExprId};
use program::layout::size_of;
use program::types::{Type, TypeId};
use semantics::callgraph::CallGraph;
use semantics::loops::Loops;
use semantics::objects::{ObjectKind, Objects};
use smt::HeapSite;
use smt::encode::Targets;

/// Pieces of memory that are told apart where a call may allocate more than one.
const INSTANCES: u32 = 4;

/// In programs with more calls that allocate, none is modelled: every pointer to the heap may point to all of them.
const MOST_SITES: usize = 24;

/// Where pointers may lead, by variables.
#[derive(Clone, Debug)]
pub struct Aliases {
    objects: Objects,
    points_to: semantics::pointsto::PointsTo,
    heap: Vec<HeapSite>,
}

impl Aliases {
    /// Solves a program.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let loops = Loops::new(cfa);
        let calls = CallGraph::new(cfa, &loops);
        let objects = Objects::new(cfa, &calls);
        let points_to = semantics::pointsto::PointsTo::new(cfa, &calls, &objects);
        let mut aliases = Self { objects, points_to, heap: Vec::new() };
        aliases.heap = aliases.sites(cfa, &loops, &calls);
        aliases
    }

    /// The calls that allocate memory which is used as something.
    fn sites(&self, cfa: &Cfa, loops: &Loops, calls: &CallGraph) -> Vec<HeapSite> {
        let sites: Vec<EdgeId> = cfa.edge_ids().filter(|edge| allocates(cfa, *edge)).collect();
        if sites.len() > MOST_SITES {
            return Vec::new();
        }
        let reallocated: Vec<ExprId> = cfa
            .edges
            .iter()
            .filter_map(|edge| match &edge.operation {
                Operation::Call { callee, arguments, .. } if &*cfa.function(*callee).name == "realloc" => {
                    arguments.first().copied()
                }
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for call in sites {
            let Some(element) = self.used_as(cfa, call) else { continue };
            let object = self.objects.heap(call);
            let may_be = |pointer: &ExprId| object.is_some_and(|object| self.points_to.targets(*pointer).contains(object));
            let Operation::Call { callee, .. } = cfa.edge(call).operation else { continue };
            let grows = &*cfa.function(callee).name == "realloc" || reallocated.iter().any(may_be);
            let instances = if is_passed_once(cfa, loops, calls, call) { 1 } else { INSTANCES };
            found.push(HeapSite { call, element, instances, grows });
        }
        found
    }

    /// The largest type that what a call allocates is accessed as.
    fn used_as(&self, cfa: &Cfa, call: EdgeId) -> Option<TypeId> {
        let object = self.objects.heap(call)?;
        let accesses = (0..cfa.exprs.len()).map(ExprId::new).filter_map(|id| match *cfa.exprs.get(id) {
            Expr::Dereference { pointer, .. } if self.points_to.targets(pointer).contains(object) => Some(cfa.exprs.ty(id)),
            _ => None,
        });
        let sized = accesses.filter(|ty| !matches!(cfa.types.get(*ty), Type::Void | Type::Function(_)));
        let sized = sized.filter_map(|ty| Some((size_of(&cfa.types, cfa.machine, ty).ok()?, std::cmp::Reverse(ty))));
        sized.max().map(|(_, std::cmp::Reverse(ty))| ty)
    }
}

/// Whether an edge calls a function that yields fresh memory and is modelled.
fn allocates(cfa: &Cfa, edge: EdgeId) -> bool {
    let Operation::Call { callee, result: Some(_), .. } = cfa.edge(edge).operation else { return false };
    let function = cfa.function(callee);
    let modelled = matches!(&*function.name, "malloc" | "calloc" | "realloc");
    modelled && function.known == Some(Known::Allocate) && !cfa.enters(callee)
}

/// Whether an execution passes an edge at most once.
fn is_passed_once(cfa: &Cfa, loops: &Loops, calls: &CallGraph, edge: EdgeId) -> bool {
    let in_loop = |location: LocationId| {
        let function = cfa.location(location).function;
        loops.is_irreducible(function) || loops.of_function(function).any(|l| l.contains(location))
    };
    let mut at = edge;
    loop {
        let location = cfa.edge(at).source;
        let function = cfa.location(location).function;
        if in_loop(location) || calls.is_recursive(function) {
            return false;
        }
        if function == cfa.entry {
            return calls.call_sites(function).is_empty();
        }
        match calls.call_sites(function) {
            [only] => at = *only,
            _ => return false,
        }
    }
}

impl smt::encode::PointsTo for Aliases {
    fn targets(&self, pointer: ExprId) -> Targets {
        let mut targets = Targets::default();
        let mut variables: Vec<VarId> = Vec::new();
        for object in self.points_to.targets(pointer).iter() {
            match (self.objects.variable_of(object), &self.objects.get(object).kind) {
                (Some(variable), _) => variables.push(variable),
                (None, ObjectKind::Heap { site }) if self.heap.iter().any(|heap| heap.call == *site) => targets.sites.push(*site),
                (None, _) => targets.elsewhere = true,
            }
        }
        variables.sort_unstable();
        variables.dedup();
        targets.variables = variables;
        targets.sites.sort_unstable();
        targets
    }

    fn heap(&self) -> &[HeapSite] {
        &self.heap
    }
}
