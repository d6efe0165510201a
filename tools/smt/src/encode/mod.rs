//! From typed expressions and operations of a CFA to terms.
//!
//! An [`Encoder`] knows the objects of one program and how each is held: scalars and members of
//! records as one bit vector each, long arrays as one SMT array per scalar of their element. What
//! is read and written is the caller's [`State`]; SSA form and symbolic execution are two states.
//! An access through a pointer is a case split over the objects it may point to, whose addresses
//! are distinct constants. A call that allocates has a few objects of its own, see `heap`; an access that is no node of
//! an object's shape is put together from the leaves it touches, see `bytes`.
//!
//! Soundness: what is not modelled precisely (memory that belongs to no object, an
//! access at an unknown offset that fits no scalar) reads as an arbitrary value and damages every object it may touch,
//! so the terms describe at least the behaviours of the program; [`Encoder::approximations`] names
//! these places. What has no sound treatment at all is [`Unsupported`] when it is encoded.
//! Undefined behaviour is ignored: an access out of bounds touches no other object.
//! Invariant: equal calls build equal terms.

mod access;
mod allocate;
mod bytes;
mod constants;
mod heap;
mod implication;
mod layout;
mod localize;
mod meeting;
mod memory;
mod names;
mod numbers;
mod operation;
mod place;
mod reach;
mod shape;
mod sites;
mod ssa;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::cfa::{Cfa, Edge, EdgeId, FunctionId, Operation, VarId};
use program::expr::ExprId;
use program::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::facts::Facts;
use semantics::float_views::sees_bits_of_floats;
use semantics::objects::ObjectKind;

use crate::terms::{Sort, TermId, TermStore};
use heap::Heap;
use memory::Objects;
use numbers::Numbers;
pub use numbers::numbers_of_addresses;
use shape::Shapes;

pub use heap::{Site, factors};
pub use implication::{Claim, Implications, Question};
pub use memory::INDEX;
pub use names::ScalarNames;
pub use ssa::SsaState;

/// An access that no scalar of the object has the bytes of.
const MISFIT: &str = "access that fits no scalar of an object";

/// What a function without a body was given a pointer to.
const OUTSIDE: &str = "memory that a function without a body may write";

/// A construct without sound treatment, met on a path that was encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported: {construct}")]
pub struct Unsupported {
    /// Its name.
    pub construct: String,
    /// Where it stands, in the source of the program.
    pub span: Span,
}

/// Where an arbitrary value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The input read by this edge; the value is of the input's type.
    Input(EdgeId),
    /// A declaration was passed.
    Declaration(VarId),
    /// What fresh memory holds at first: leaf number `leaf` of a modelled piece of it, `offset` bytes from its start.
    Contents {
        /// The piece.
        object: VarId,
        /// The leaf.
        leaf: u32,
        /// Where it is.
        offset: u64,
    },
    /// The program does not say: the result of an unknown function.
    Unknown(EdgeId),
    /// We do not know: memory that is not modelled, or that code outside may have written. A run of the program does not ask
    /// for it.
    Approximated(EdgeId),
}

/// The values of variables that operations read and write.
///
/// Keys are variable terms without SSA instance, as the encoder names them.
pub trait State {
    /// The value of a variable.
    fn get(&mut self, store: &mut TermStore, variable: TermId) -> TermId;

    /// Gives a variable a value of its sort.
    fn set(&mut self, store: &mut TermStore, variable: TermId, value: TermId);

    /// An arbitrary value, independent of all others.
    fn fresh(&mut self, store: &mut TermStore, origin: Origin, sort: Sort) -> TermId;
}

/// What a dereferenced pointer may point to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Variables, ascending.
    pub variables: Vec<VarId>,
    /// Calls whose memory it may point to, ascending.
    pub sites: Vec<EdgeId>,
    /// May point to memory that is neither: an object of another translation unit.
    pub elsewhere: bool,
}

/// The points-to analysis the encoder relies on. It must be sound.
pub trait PointsTo {
    /// What the value of a pointer expression may point to.
    fn targets(&self, pointer: ExprId) -> Targets;

    /// The variables whose addresses code outside the program may know.
    fn escaped(&self) -> Vec<VarId>;

    /// The calls whose memory is modelled; that of others is arbitrary.
    fn sites(&self) -> Vec<Site> {
        Vec::new()
    }
}

/// Every pointer may point to every variable whose address is taken, and elsewhere.
#[derive(Clone, Debug)]
pub struct EveryAddressTaken {
    targets: Targets,
}

impl EveryAddressTaken {
    /// The trivial points-to analysis of a program.
    #[must_use]
    pub fn new(cfa: &Cfa) -> EveryAddressTaken {
        let variables = cfa.variable_ids().filter(|v| cfa.variable(*v).address_taken).collect();
        EveryAddressTaken { targets: Targets { variables, sites: Vec::new(), elsewhere: true } }
    }
}

impl PointsTo for EveryAddressTaken {
    fn targets(&self, _: ExprId) -> Targets {
        self.targets.clone()
    }

    fn escaped(&self) -> Vec<VarId> {
        self.targets.variables.clone()
    }
}

/// The points-to analysis of `semantics`, with the calls whose memory is modelled.
#[derive(Clone, Debug)]
pub struct Analysed<'p> {
    facts: Rc<Facts<'p>>,
    sites: Vec<Site>,
}

impl<'p> Analysed<'p> {
    /// Where pointers lead in a program; at most so many pieces of memory are told apart per call that allocates.
    #[must_use]
    pub fn new(facts: Rc<Facts<'p>>, pieces: u32) -> Analysed<'p> {
        let sites = sites::sites(&facts, pieces);
        Analysed { facts, sites }
    }

    /// The same, with no allocation modelled.
    #[must_use]
    pub fn without_sites(facts: Rc<Facts<'p>>) -> Analysed<'p> {
        Analysed { facts, sites: Vec::new() }
    }
}

impl PointsTo for Analysed<'_> {
    fn targets(&self, pointer: ExprId) -> Targets {
        let mut targets = Targets::default();
        for object in self.facts.points_to().targets(pointer).iter() {
            match self.facts.objects().get(object).kind {
                ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => targets.variables.push(variable),
                ObjectKind::Heap { site } => targets.sites.push(site),
                ObjectKind::External => targets.elsewhere = true,
            }
        }
        targets.variables.sort_unstable();
        targets.variables.dedup();
        targets.sites.sort_unstable();
        targets
    }

    fn escaped(&self) -> Vec<VarId> {
        let objects = self.facts.objects();
        let escaped = self.facts.points_to().anything().iter();
        let mut variables: Vec<VarId> = escaped.filter_map(|object| objects.variable_of(object)).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn sites(&self) -> Vec<Site> {
        self.sites.clone()
    }
}

/// Number of earlier activations of the same function on the call stack: 0 without recursion.
pub type Depth = u32;

/// The encoding of one program.
pub struct Encoder<'p> {
    cfa: &'p Cfa,
    points_to: Box<dyn PointsTo + 'p>,
    shapes: Shapes,
    objects: Objects,
    heap: Heap,
    /// The call that began the current activation.
    caller: Option<EdgeId>,
    /// Values that nobody gave an object: a pointer that is one of them leads nowhere.
    indeterminate: FxHashSet<TermId>,
    from_start: bool,
    /// Addresses of allocated memory that is no object.
    beyond: FxHashSet<TermId>,
    /// Some pointer is converted so that it may address a scalar as one of another type.
    punning: bool,
    /// Whether it may look at the bits of a float it computed.
    sees_bits: bool,
    /// Addresses are symbols and what lies behind pointers is one arbitrary memory; see
    /// [`Implications`].
    symbolic: bool,
    /// Which numbers may be addresses, if any.
    numbers: Option<Numbers>,
    /// Memory that is freed may come again.
    comes_again: bool,
    /// For each function asked for, itself and those that may have called it.
    active: BTreeMap<FunctionId, Rc<BTreeSet<FunctionId>>>,
    /// For each function asked for, the escaped automatic variables of it and of those that may have called it.
    lent: BTreeMap<FunctionId, Vec<VarId>>,
    approximations: BTreeMap<EdgeId, &'static str>,
}

impl std::fmt::Debug for Encoder<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Encoder").field("punning", &self.punning).finish_non_exhaustive()
    }
}

impl<'p> Encoder<'p> {
    /// The encoding of a program, relying on a points-to analysis of it.
    #[must_use]
    pub fn new(cfa: &'p Cfa, points_to: impl PointsTo + 'p) -> Encoder<'p> {
        let mut shapes = Shapes::default();
        let mut objects = Objects::new(cfa, &mut shapes);
        let heap = Heap::new(cfa, points_to.sites(), &mut shapes, &mut objects);
        let punning = value::has_punning(cfa, |cast| heap.is_first_view(cfa, cast));
        let sees_bits = sees_bits_of_floats(cfa, |cast| heap.is_first_view(cfa, cast));
        Encoder {
            cfa,
            points_to: Box::new(points_to),
            shapes,
            objects,
            heap,
            caller: None,
            indeterminate: FxHashSet::default(),
            from_start: false,
            beyond: FxHashSet::default(),
            punning,
            sees_bits,
            symbolic: false,
            numbers: Numbers::new(cfa),
            comes_again: meeting::comes_again(cfa),
            active: BTreeMap::new(),
            lent: BTreeMap::new(),
            approximations: BTreeMap::new(),
        }
    }

    /// The automatic variables that a function without a body may write when this function calls it, whatever it is given:
    /// their addresses went out before.
    fn lent_by(&mut self, function: FunctionId) -> Vec<VarId> {
        if let Some(known) = self.lent.get(&function) {
            return known.clone();
        }
        let (cfa, active) = (self.cfa, self.active(function));
        let is_lent = |variable: &VarId| {
            let variable = cfa.variable(*variable);
            variable.is_automatic() && variable.function.is_some_and(|function| active.contains(&function))
        };
        let lent: Vec<VarId> = self.points_to.escaped().into_iter().filter(is_lent).collect();
        self.lent.insert(function, lent.clone());
        lent
    }

    /// A function and those that may have called it.
    fn active(&mut self, function: FunctionId) -> Rc<BTreeSet<FunctionId>> {
        if let Some(known) = self.active.get(&function) {
            return Rc::clone(known);
        }
        let cfa = self.cfa;
        let mut active = BTreeSet::from([function]);
        loop {
            let called = |edge: &Edge| matches!(edge.operation, Operation::Call { callee, .. } if active.contains(&callee));
            let calls = cfa.edges.iter().filter(|edge| called(edge)).map(|edge| cfa.location(edge.source).function);
            let callers: Vec<FunctionId> = calls.collect();
            let before = active.len();
            active.extend(callers);
            if active.len() == before {
                break;
            }
        }
        let active = Rc::new(active);
        self.active.insert(function, Rc::clone(&active));
        active
    }

    /// The program.
    #[must_use]
    pub fn cfa(&self) -> &'p Cfa {
        self.cfa
    }

    /// The constructs so far encoded as arbitrary values, by edge. A counterexample that does not
    /// replay may owe its existence to one of those on its path.
    #[must_use]
    pub fn approximations(&self) -> &BTreeMap<EdgeId, &'static str> {
        &self.approximations
    }

    /// Paths are followed from the start of the program on, from now on: memory that has no value yet was never set.
    pub fn follow_from_start(&mut self) {
        self.from_start = true;
    }

    /// Paths may begin anywhere, from now on.
    pub fn follow_from_anywhere(&mut self) {
        self.from_start = false;
    }

    /// Whether some allocated memory is modelled as objects.
    #[must_use]
    pub fn has_pieces(&self) -> bool {
        !self.heap.is_empty()
    }

    /// Says which call began the activation that edges are passed in from now on; `None` for the start of the program.
    pub fn set_caller(&mut self, call: Option<EdgeId>) {
        self.caller = call;
    }

    /// The variable of the program that a variable term belongs to.
    #[must_use]
    pub fn variable_of(&self, store: &TermStore, term: TermId) -> Option<VarId> {
        let object = self.objects.object_of(store.as_variable(term)?.0)?.0;
        (!self.objects.is_hidden(object)).then_some(object)
    }

    /// The activation of its function that a variable term belongs to.
    #[must_use]
    pub fn depth_of(&self, store: &TermStore, term: TermId) -> Option<Depth> {
        Some(self.objects.object_of(store.as_variable(term)?.0)?.1)
    }

    /// The term variables that hold a program variable, in order of position.
    pub fn terms_of(&mut self, store: &mut TermStore, variable: VarId, depth: Depth) -> Vec<TermId> {
        self.objects.leaves(self.cfa, &mut self.shapes, store, variable, depth).to_vec()
    }

    /// The term variables of a program variable and, last, the symbol for its address.
    fn symbols_of(&mut self, store: &mut TermStore, variable: VarId) -> Vec<TermId> {
        let mut symbols = self.terms_of(store, variable, 0);
        symbols.push(self.objects.address_symbol(self.cfa, store, variable));
        symbols
    }

    /// Where the code of a function is, as a symbol of so many bits.
    fn code_symbol(&self, store: &mut TermStore, function: FunctionId, width: u32) -> TermId {
        self.objects.code_symbol(self.cfa, store, function, width)
    }
}

/// One operation being encoded.
struct Context<'c, 'p> {
    encoder: &'c mut Encoder<'p>,
    store: &'c mut TermStore,
    state: &'c mut dyn State,
    /// The edge, for origins and diagnostics.
    edge: EdgeId,
    depth: Depth,
    /// What has to hold for the edge to have a meaning: machines have no value for some operations that solvers have one for.
    defined: Vec<TermId>,
    /// Operands around what is evaluated that a run may not come to.
    lazy: u32,
    /// For each part of a pointer that was read as a number, what it is where it is only copied.
    parts: FxHashMap<TermId, TermId>,
}

impl<'c, 'p> Context<'c, 'p> {
    fn new(
        encoder: &'c mut Encoder<'p>,
        store: &'c mut TermStore,
        state: &'c mut dyn State,
        (edge, depth): (EdgeId, Depth),
    ) -> Self {
        Self { encoder, store, state, edge, depth, defined: Vec::new(), lazy: 0, parts: FxHashMap::default() }
    }

    /// A condition, and that what was evaluated has a meaning.
    fn and_defined(&mut self, condition: TermId) -> TermId {
        if self.defined.is_empty() {
            return condition;
        }
        let mut all = std::mem::take(&mut self.defined);
        all.push(condition);
        self.store.and(&all)
    }

    fn unsupported(&self, construct: impl Into<String>) -> Unsupported {
        Unsupported { construct: construct.into(), span: self.encoder.cfa.edge(self.edge).span }
    }

    /// An arbitrary value in place of something that is not modelled.
    fn arbitrary(&mut self, construct: &'static str, sort: Sort) -> TermId {
        self.encoder.approximations.entry(self.edge).or_insert(construct);
        self.state.fresh(self.store, Origin::Approximated(self.edge), sort)
    }
}
