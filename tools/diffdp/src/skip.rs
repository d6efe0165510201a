//! What the original program certainly gets past, whatever its data: the steps it may make while the modified one waits.
//!
//! From a location the original can be taken to another if every execution from the one comes to the other: along an
//! assignment, an input, a call that returns, or through a whole branching without loops to where its branches meet
//! again. What it may have written on the way joins the change-affected objects. Undefined behaviour and traps are
//! ignored, non-termination is not: loops, recursion, `abort`, failed assumptions, inline assembly and unsupported
//! operations end a walk. A location from which every execution violates the property is *doomed*: who waits there for the
//! modified program has nothing to fear from it.
//! Source: ALGORITHM.md 4.10, 4.11.

use program::cfa::{Cfa, EdgeId, FunctionId, Known, LocationId, Operation, VarKind};
use program::outside::is_outside;
use semantics::callgraph::CallGraph;
use semantics::object_set::ObjectSet;

use crate::effects::Effects;
use crate::postdominators::{self, PostDominators};
use semantics::compare::Side;

/// Where a location leads for certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Skip {
    /// Nowhere: what comes next may not be passed.
    Stop,
    /// To another location of the function, having written at most these objects.
    To(LocationId, ObjectSet),
    /// Into a violation of the property.
    Doomed,
}

/// What a call of a function certainly leads to.
#[derive(Clone, Debug)]
enum Summary {
    Unknown,
    /// Returns, having written at most these objects that outlive it.
    Returns(ObjectSet),
    Doomed,
}

/// Certain steps of the original program.
#[derive(Debug)]
pub(crate) struct Skips {
    to: Vec<Skip>,
}

impl Skips {
    /// Computes the steps of all functions, callees first. Time about linear in the program.
    pub(crate) fn new(cfa: &Cfa, calls: &CallGraph, effects: &Effects) -> Self {
        let mut finder = Finder {
            cfa,
            effects,
            to: vec![Skip::Stop; cfa.locations.len()],
            done: vec![false; cfa.locations.len()],
            chains: vec![None; cfa.functions.len()],
            summaries: vec![Summary::Unknown; cfa.functions.len()],
        };
        for &function in calls.bottom_up() {
            if cfa.enters(function) {
                finder.function(function);
                if !calls.is_recursive(function) {
                    finder.summarise(function);
                }
            }
        }
        Self { to: finder.to }
    }

    /// The certain step from a location.
    pub(crate) fn from(&self, location: LocationId) -> &Skip {
        &self.to[location.index()]
    }
}

struct Finder<'a> {
    cfa: &'a Cfa,
    effects: &'a Effects<'a>,
    to: Vec<Skip>,
    done: Vec<bool>,
    /// From entry to exit, by function.
    chains: Vec<Option<Chain>>,
    summaries: Vec<Summary>,
}

impl Finder<'_> {
    fn function(&mut self, function: FunctionId) {
        let f = self.cfa.function(function);
        let (Some(entry), Some(exit)) = (f.entry, f.exit) else { return };
        let order = postdominators::post_order(self.cfa, entry);
        let doomed = self.doomed(&order);
        let dominators = PostDominators::new(self.cfa, &order, exit, |l| doomed.contains(&l));
        for &location in &order {
            self.to[location.index()] =
                if doomed.contains(&location) { Skip::Doomed } else { self.location(location, &dominators) };
            self.done[location.index()] = true;
        }
        self.chains[function.index()] = self.chain(entry, exit, &dominators);
    }

    fn summarise(&mut self, function: FunctionId) {
        self.summaries[function.index()] = match self.chains[function.index()].take() {
            Some(Chain::Reaches(written)) => Summary::Returns(self.outliving(function, &written)),
            Some(Chain::Doomed) => Summary::Doomed,
            None => Summary::Unknown,
        };
    }

    /// The locations from which every execution violates the property. In post-order a cycle is never complete.
    fn doomed(&self, order: &[LocationId]) -> rustc_hash::FxHashSet<LocationId> {
        let mut doomed = rustc_hash::FxHashSet::default();
        for &location in order {
            let edges = self.cfa.out_edges(location);
            let fails = |edge: &EdgeId| match self.summary(*edge) {
                Some(Summary::Doomed) => true,
                Some(Summary::Unknown) => false,
                Some(Summary::Returns(_)) | None => {
                    let is_error = self.cfa.location(self.cfa.edge(*edge).target).is_error;
                    is_error || (self.edge(*edge).is_some() && doomed.contains(&self.cfa.edge(*edge).target))
                }
            };
            if self.cfa.location(location).is_error || (!edges.is_empty() && edges.iter().all(fails)) {
                doomed.insert(location);
            }
        }
        doomed
    }

    fn summary(&self, edge: EdgeId) -> Option<&Summary> {
        self.cfa.entered_callee(edge).map(|callee| &self.summaries[callee.index()])
    }

    fn location(&self, location: LocationId, dominators: &PostDominators) -> Skip {
        match self.cfa.out_edges(location) {
            [] => Skip::Stop,
            &[edge] if !matches!(self.cfa.edge(edge).operation, Operation::Assume { .. }) => match self.edge(edge) {
                Some(written) => Skip::To(self.cfa.edge(edge).target, written),
                None => Skip::Stop,
            },
            edges => {
                let Some(meet) = dominators.immediate(location) else { return Skip::Stop };
                let mut written = ObjectSet::new();
                for &edge in edges {
                    let target = self.cfa.edge(edge).target;
                    match self.chain(target, meet, dominators) {
                        Some(Chain::Reaches(more)) => written.union_with(&more),
                        Some(Chain::Doomed) => false,
                        None => return Skip::Stop,
                    };
                }
                // A lone assume is an assumption whose other branch was left out.
                if edges.len() == 1 { Skip::Stop } else { Skip::To(meet, written) }
            }
        }
    }

    /// What every execution from one location to another, which it comes to, may have written.
    fn chain(&self, from: LocationId, to: LocationId, dominators: &PostDominators) -> Option<Chain> {
        let mut written = ObjectSet::new();
        let mut at = from;
        while at != to {
            if !self.done[at.index()] {
                // Still being visited: a loop.
                return None;
            }
            match &self.to[at.index()] {
                Skip::Doomed => return Some(Chain::Doomed),
                Skip::Stop => return None,
                Skip::To(next, more) => {
                    if !dominators.can_exit(at) {
                        return None;
                    }
                    written.union_with(more);
                    at = *next;
                }
            }
        }
        Some(Chain::Reaches(written))
    }

    /// What passing a single edge may write; `None` if it may not be passed.
    fn edge(&self, edge: EdgeId) -> Option<ObjectSet> {
        let of_edge = || self.effects.of(Side::Original, edge).writes.clone();
        match &self.cfa.edge(edge).operation {
            // The arbitrary value may be the one that was there; leaving the function is the exit's matter.
            Operation::Blank | Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Return { .. } => {
                Some(ObjectSet::new())
            }
            Operation::Assign { .. } => Some(of_edge()),
            Operation::Call { callee, result, .. } => match self.summary(edge) {
                Some(Summary::Returns(written)) => {
                    let mut written = written.clone();
                    if let Some(result) = result {
                        written.union_with(self.effects.variable(Side::Original, *result));
                    }
                    Some(written)
                }
                Some(Summary::Unknown | Summary::Doomed) => None,
                None => match self.cfa.function(*callee).known {
                    // What a pointer leads to outside need not be a function.
                    None if is_outside(&self.cfa.function(*callee).name) => None,
                    None => Some(self.effects.memory_writes(Side::Original, edge)),
                    Some(Known::Input | Known::Allocate | Known::Free | Known::Memory | Known::Pure) => Some(of_edge()),
                    Some(Known::Error) => Some(ObjectSet::new()),
                    Some(Known::NoReturn | Known::Unsupported) => None,
                },
            },
            Operation::Assume { .. } | Operation::Asm(_) | Operation::Unsupported { .. } => None,
        }
    }

    /// `written` without the automatic objects of the function, which end with it.
    fn outliving(&self, function: FunctionId, written: &ObjectSet) -> ObjectSet {
        let mut outliving = written.clone();
        for variable in self.effects.locals(function) {
            let automatic = match self.cfa.variable(*variable).kind {
                VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) | VarKind::CompoundLiteral => true,
                VarKind::Global { .. } | VarKind::StaticLocal | VarKind::StringLiteral(_) => false,
            };
            if automatic {
                outliving.subtract(self.effects.variable(Side::Original, *variable));
            }
        }
        outliving
    }
}

/// Where a chain of certain steps ends.
#[derive(Clone, Debug)]
enum Chain {
    Reaches(ObjectSet),
    Doomed,
}
