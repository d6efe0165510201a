//! The control-flow automaton of one program: what every analysis works on.
//!
//! # Shape
//! * Each function with a body has its own locations, one entry and one exit. Edges carry one side-effect-free
//!   [`Operation`] each. Two edges leave one location only as assumes that exclude each other and are exhaustive
//!   (the `none of them` branch of an indirect call included), so the automaton is deterministic.
//! * A **call edge** leads from the call site to the location after the call. A callee with a body is entered: a path goes
//!   from the call edge to the callee's entry (binding the parameters) and comes back by a return edge. A callee without a
//!   body is one step along the call edge. Indirect calls are expanded into assumes on the pointer and direct calls, with an
//!   [`Operation::Unsupported`] edge behind "none of them".
//! * A **return edge** leads to the exit of its function. The step along it pops the call stack, assigns the value to the
//!   `result` of the call edge it returns to and continues at that edge's target. With an empty stack the program ends at
//!   the exit location, which has no outgoing edges.
//! * The call of the error function (`reach_error`; with property `assert` a failing assertion) leads to an **error
//!   location**, which has no outgoing edges; its body, if any, is never entered. A call that does not return (`abort`,
//!   `exit`, …) leads to a location without outgoing edges that is no error.
//! * Globals and static locals have their initial values ([`Variable::initializer`]); there are no edges for them. Passing
//!   [`Operation::Declare`] makes a local arbitrary every time (ALGORITHM.md 2.2 of `diffdp`).
//!
//! Does not know what operations mean; see `semantics`.

mod object;
mod operation;

use formats::ProgramOptions;
use rustc_hash::FxHashMap;

pub use self::object::{ConstantValue, Function, InitialScalar, Linkage, StaticInitializer, VarKind, Variable};
pub use self::operation::{AsmOperand, Call, InlineAsm, Operation};
use crate::expr::{ExprArena, ExprId};
pub use crate::index::{EdgeId, FunctionId, LocationId, VarId};
pub use crate::known::Known;
use crate::machine::MachineModel;
use crate::source::{SourceFile, Span};
use crate::types::{Type, TypeTable};

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: LocationId,
    /// Where it leads within the same function.
    pub target: LocationId,
    /// What it does.
    pub operation: Operation,
    /// The smallest source expression or statement it comes from.
    pub span: Span,
    /// The smallest source statement that contains it.
    pub statement: Span,
    /// A value that the one that is assigned or returned is also that of: the whole choice of which it is one. It has that value
    /// wherever the edge starts on a path through the branching of the choice, and there is no other path to it.
    pub choice: Option<ExprId>,
}

/// A location.
#[derive(Clone, Copy, Debug)]
pub struct Location {
    /// The function it belongs to.
    pub function: FunctionId,
    /// Reaching it violates the property.
    pub is_error: bool,
    /// The word of the outermost `while` or `for` loop that evaluates its condition here first thing in every round.
    pub loop_word: Option<Span>,
}

impl Location {
    /// A location of a function; reaching it violates nothing.
    #[must_use]
    pub const fn new(function: FunctionId) -> Self {
        Self { function, is_error: false, loop_word: None }
    }
}

/// The control-flow automaton of a program with everything its operations mention.
#[derive(Debug)]
pub struct Cfa {
    /// The source it was built from.
    pub source: SourceFile,
    /// How it was read.
    pub options: ProgramOptions,
    /// Sizes and alignments.
    pub machine: MachineModel,
    /// Types.
    pub types: TypeTable,
    /// Expressions.
    pub exprs: ExprArena,
    /// Variables by [`VarId`].
    pub variables: Vec<Variable>,
    /// Functions by [`FunctionId`].
    pub functions: Vec<Function>,
    /// Locations by [`LocationId`].
    pub locations: Vec<Location>,
    /// Edges by [`EdgeId`]; those of one location are in the order of the source (true branch first).
    pub edges: Vec<Edge>,
    /// The function where the program starts.
    pub entry: FunctionId,
    /// What reading it took for granted, a sentence each: of the arguments that a made caller passes.
    pub assumptions: Vec<String>,
    /// See [`CfaParts::digest`].
    pub(crate) digest: Option<[u8; 32]>,
    /// Calls that have become unsupported operations because of what is called.
    pub(crate) refused: Vec<RefusedCall>,
    /// Parameters whose callers promise so many elements (`int a[static 4]`).
    pub(crate) promised: Vec<(VarId, u64)>,
    out_start: Vec<u32>,
    out_edges: Vec<EdgeId>,
    in_start: Vec<u32>,
    in_edges: Vec<EdgeId>,
    pub(crate) ordinals: Vec<u32>,
}

/// A call of a function without a body that is unsupported.
#[derive(Clone, Debug)]
pub(crate) struct RefusedCall {
    /// The function with the call.
    pub(crate) caller: FunctionId,
    /// What it calls.
    pub(crate) callee: FunctionId,
    /// The arguments.
    pub(crate) arguments: Vec<ExprId>,
}

/// The tables a [`Cfa`] is made of, before its adjacency is computed.
#[derive(Debug)]
pub struct CfaParts {
    /// See [`Cfa::source`].
    pub source: SourceFile,
    /// See [`Cfa::options`].
    pub options: ProgramOptions,
    /// See [`Cfa::machine`].
    pub machine: MachineModel,
    /// See [`Cfa::types`].
    pub types: TypeTable,
    /// See [`Cfa::exprs`].
    pub exprs: ExprArena,
    /// See [`Cfa::variables`].
    pub variables: Vec<Variable>,
    /// See [`Cfa::functions`].
    pub functions: Vec<Function>,
    /// See [`Cfa::locations`].
    pub locations: Vec<Location>,
    /// See [`Cfa::edges`].
    pub edges: Vec<Edge>,
    /// See [`Cfa::entry`].
    pub entry: FunctionId,
    /// A hash of all tokens and pragmas of the text if the tables do not say all that it means: something is unsupported, or
    /// has no other place.
    pub digest: Option<[u8; 32]>,
}

impl Cfa {
    /// A copy of its tables, to make another automaton of.
    #[must_use]
    pub fn parts(&self) -> CfaParts {
        CfaParts {
            source: self.source.clone(),
            options: self.options.clone(),
            machine: self.machine,
            types: self.types.clone(),
            exprs: self.exprs.clone(),
            variables: self.variables.clone(),
            functions: self.functions.clone(),
            locations: self.locations.clone(),
            edges: self.edges.clone(),
            entry: self.entry,
            digest: None,
        }
    }

    /// Whether the program starts threads somewhere: two texts that are the same then say nothing about what runs when.
    #[must_use]
    pub fn starts_threads(&self) -> bool {
        let starts = |edge: &Edge| matches!(&edge.operation, Operation::Unsupported { construct } if **construct == *crate::known::THREADS);
        self.edges.iter().any(starts)
    }

    /// Completes a CFA from its tables.
    #[must_use]
    pub fn new(parts: CfaParts) -> Self {
        let count = parts.locations.len();
        let (out_start, out_edges) = adjacency(count, parts.edges.iter().map(|e| e.source));
        let (in_start, in_edges) = adjacency(count, parts.edges.iter().map(|e| e.target));
        let ordinals = ordinals(&parts.edges, &parts.locations);
        Self {
            source: parts.source,
            options: parts.options,
            machine: parts.machine,
            types: parts.types,
            exprs: parts.exprs,
            variables: parts.variables,
            functions: parts.functions,
            locations: parts.locations,
            edges: parts.edges,
            entry: parts.entry,
            assumptions: Vec::new(),
            digest: parts.digest,
            refused: Vec::new(),
            promised: Vec::new(),
            out_start,
            out_edges,
            in_start,
            in_edges,
            ordinals,
        }
    }

    /// Bytes of a variable's object: those of its type, and the elements that its initialiser gives a flexible array member.
    ///
    /// # Errors
    /// If the type has no constant size.
    pub fn size_of_object(&self, variable: VarId) -> Result<u64, crate::layout::SizeError> {
        let variable = self.variable(variable);
        let size = crate::layout::size_of(&self.types, self.machine, variable.ty.ty)?;
        let last = variable.initializer.as_ref().and_then(|i| i.scalars.last());
        let end = last.map_or(0, |scalar| scalar.first_bit.saturating_add(u64::from(scalar.width)).div_ceil(8));
        if end <= size {
            return Ok(size);
        }
        let (mut ty, mut offset) = (variable.ty.ty, 0);
        while let Type::Record(id) = self.types.get(ty) {
            let Some(field) = self.types.record(*id).fields.last() else { break };
            offset += field.offset;
            ty = field.ty.ty;
        }
        let Type::Array { element, .. } = self.types.get(ty) else { return Ok(end) };
        let stride = crate::layout::size_of(&self.types, self.machine, element.ty)?;
        Ok(end.checked_sub(offset).filter(|_| stride > 0).map_or(end, |bytes| offset + bytes.next_multiple_of(stride)))
    }

    /// The edges that leave a location, in order.
    #[must_use]
    pub fn out_edges(&self, location: LocationId) -> &[EdgeId] {
        slice(&self.out_start, &self.out_edges, location)
    }

    /// The edges that lead to a location within its function (calls and returns are not followed).
    #[must_use]
    pub fn in_edges(&self, location: LocationId) -> &[EdgeId] {
        slice(&self.in_start, &self.in_edges, location)
    }

    /// An edge.
    #[must_use]
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// All edges.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len()).map(EdgeId::new)
    }

    /// All locations.
    pub fn location_ids(&self) -> impl Iterator<Item = LocationId> + use<> {
        (0..self.locations.len()).map(LocationId::new)
    }

    /// A location.
    #[must_use]
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    /// A function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// All functions.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len()).map(FunctionId::new)
    }

    /// A variable.
    #[must_use]
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// All variables.
    pub fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len()).map(VarId::new)
    }

    /// The location where the program starts.
    ///
    /// The entry function always has a body: reading a program without one is an error.
    #[must_use]
    pub fn entry_location(&self) -> LocationId {
        self.function(self.entry).entry.unwrap_or(LocationId(0))
    }

    /// The callee of a call edge if the call enters a body, i.e. the callee has one and is not the error function.
    #[must_use]
    pub fn entered_callee(&self, edge: EdgeId) -> Option<FunctionId> {
        self.called(edge).filter(|callee| self.enters(*callee))
    }

    /// The callee of a call edge.
    #[must_use]
    pub fn called(&self, edge: EdgeId) -> Option<FunctionId> {
        Some(self.edge(edge).operation.call()?.callee)
    }

    /// Whether what the tables of two programs do not say is the same in both: nothing is left open, or the tokens are equal.
    #[must_use]
    pub fn leaves_open_what(&self, other: &Self) -> bool {
        self.digest == other.digest
    }

    /// How many bytes behind the beginning of the first string the second one begins if a compiler or a linker has laid them into
    /// one place, which nobody says whether they do; `None` if they cannot. gcc keeps one object for equal literals of a unit,
    /// at some levels another one for those of another unit, and a literal that another one ends with within that.
    #[must_use]
    pub fn overlap(&self, first: VarId, second: VarId) -> Option<i64> {
        let (a, b) = (self.variables.get(first.index())?, self.variables.get(second.index())?);
        let (VarKind::StringLiteral(x), VarKind::StringLiteral(y)) = (&a.kind, &b.kind) else { return None };
        let is_name = |variable: &Variable| !variable.identity.is_empty();
        let fits = if first == second {
            a.ordinal == Variable::LITERAL_OF_UNITS
        } else {
            !is_name(a) && !is_name(b) && (x.ends_with(y) || y.ends_with(x))
        };
        let length = |bytes: &[u8]| i64::try_from(bytes.len()).ok();
        if fits { Some(length(x)? - length(y)?) } else { None }
    }

    /// Whether a call of `callee` enters a body.
    #[must_use]
    pub fn enters(&self, callee: FunctionId) -> bool {
        let f = self.function(callee);
        f.entry.is_some() && f.known != Some(Known::Error)
    }
}

/// Compressed adjacency: for each location the positions of the edges at it, in edge order.
fn adjacency(locations: usize, ends: impl Iterator<Item = LocationId> + Clone) -> (Vec<u32>, Vec<EdgeId>) {
    let mut start = vec![0u32; locations + 1];
    for end in ends.clone() {
        start[end.index() + 1] += 1;
    }
    for i in 0..locations {
        start[i + 1] += start[i];
    }
    let mut next = start.clone();
    let mut edges = vec![EdgeId(0); start[locations] as usize];
    for (id, end) in ends.enumerate() {
        let slot = &mut next[end.index()];
        edges[*slot as usize] = EdgeId::new(id);
        *slot += 1;
    }
    (start, edges)
}

fn slice<'a>(start: &[u32], edges: &'a [EdgeId], location: LocationId) -> &'a [EdgeId] {
    let i = location.index();
    &edges[start[i] as usize..start[i + 1] as usize]
}

/// For each edge its number among the edges that agree in all other fields of the key, in edge order.
fn ordinals(edges: &[Edge], locations: &[Location]) -> Vec<u32> {
    let mut seen: FxHashMap<_, u32> = FxHashMap::default();
    seen.reserve(edges.len());
    edges
        .iter()
        .map(|edge| {
            let function = locations[edge.source.index()].function;
            let key = (function, edge.span, edge.operation.kind(), edge.operation.branch());
            let count = seen.entry(key).or_insert(0);
            *count += 1;
            *count - 1
        })
        .collect()
}
