//! Growing the automaton of one function: where the next edge begins, and how ways part and meet.
//!
//! A [`Cursor`] is a set of ways that wait for their next location. Joining ways merges sets, so that no edge that does
//! nothing is needed. Invariant: a location a cursor stands at has no outgoing edges yet.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowerer;
use super::cleanup::{Cleanup, Jump};
use super::cursor::Cursor;
use crate::ast::Symbol;
use crate::cfa::{Edge, EdgeId, FunctionId, Location, LocationId, Operation, VarId, VarKind, Variable};
use crate::expr::{Expr, ExprId};
use crate::source::Span;
use crate::types::{QualType, TypeId};

/// Target of an edge that waits for its location.
const OPEN: LocationId = LocationId(u32::MAX);

/// A label of a function or of a block that declares it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) location: LocationId,
    pub(super) defined: bool,
    /// Where it was first mentioned.
    pub(super) span: Span,
    /// Its number among the labels whose address is taken.
    pub(super) address: Option<u32>,
}

/// A `switch` whose body is being lowered.
#[derive(Debug)]
pub(super) struct Switch {
    pub(super) ty: TypeId,
    /// How many names are declared where it begins.
    pub(super) names: usize,
    /// How many fences are around it.
    pub(super) fences: usize,
    pub(super) cases: Vec<Case>,
    pub(super) default: Option<LocationId>,
    /// Ends of the ranges by their beginnings, to find overlaps.
    pub(super) ranges: std::collections::BTreeMap<i128, i128>,
}

/// A `case` label.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) low: i128,
    pub(super) high: i128,
    pub(super) location: LocationId,
    pub(super) span: Span,
}

/// The function being lowered; at file level one that never takes an edge.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) function: Option<FunctionId>,
    /// What the program calls it; linkers may have another name for it.
    pub(super) name: Option<Symbol>,
    pub(super) result: Option<QualType>,
    pub(super) cursor: Cursor,
    pub(super) exit: LocationId,
    /// How the operands of the last operator are read, until its value is used.
    pub(super) order: Option<super::order::Order>,
    /// Values that depend on the order of operands.
    pub(super) ordered: FxHashMap<ExprId, (super::order::Shown, Option<super::order::Start>)>,
    /// Steps that are taken behind what they stand in.
    pub(super) stepped: FxHashSet<crate::ast::ExprId>,
    /// Values that are `?:` of the program.
    pub(super) choices: FxHashSet<ExprId>,
    /// Where the conditions of choices, and the operands of `&&` and `||`, were written last.
    pub(super) written: FxHashMap<ExprId, Span>,
    error: Option<LocationId>,
    dead_end: Option<LocationId>,
    /// The statement that edges belong to.
    pub(super) statement: Span,
    pub(super) breaks: Vec<Cursor>,
    pub(super) continues: Vec<Cursor>,
    pub(super) switches: Vec<Switch>,
    pub(super) labels: FxHashMap<Symbol, Vec<Label>>,
    /// Labels whose address is taken, by number.
    pub(super) label_addresses: Vec<Symbol>,
    /// Computed jumps: pointer and cursor, to be linked when all labels are known.
    pub(super) computed: Vec<(Cursor, ExprId, Span, Span)>,
    temporaries: FxHashMap<(u32, TypeId), VarId>,
    pub(super) next_temporary: u32,
    /// The blocks around the current statement.
    pub(super) blocks: Vec<Span>,
    /// Statement expressions around the current statement.
    pub(super) nesting: u32,
    /// Assignments around the current expression.
    pub(super) assigning: usize,
    /// Objects whose scopes are open and for which a function is called where they are left.
    pub(super) cleanups: Vec<Cleanup>,
    /// How many of them are around what `break`, `continue` and `case` belong to.
    pub(super) break_marks: Vec<usize>,
    pub(super) continue_marks: Vec<usize>,
    pub(super) switch_marks: Vec<usize>,
    /// Jumps that wait for the scopes around their labels.
    pub(super) jumps: Vec<Jump>,
    /// What no jump may enter.
    pub(super) fences: super::fences::Fences,
    /// Those scopes.
    pub(super) label_scopes: FxHashMap<LocationId, Vec<Cleanup>>,
    ordinals: FxHashMap<(Box<str>, u8), u32>,
}

impl Body {
    pub(super) fn file_level() -> Self {
        Self {
            function: None,
            name: None,
            result: None,
            cursor: Cursor::Dead,
            exit: OPEN,
            order: None,
            ordered: FxHashMap::default(),
            stepped: FxHashSet::default(),
            choices: FxHashSet::default(),
            written: FxHashMap::default(),
            error: None,
            dead_end: None,
            statement: Span::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: FxHashMap::default(),
            label_addresses: Vec::new(),
            computed: Vec::new(),
            temporaries: FxHashMap::default(),
            next_temporary: 0,
            blocks: Vec::new(),
            nesting: 0,
            assigning: 0,
            cleanups: Vec::new(),
            fences: super::fences::Fences::default(),
            break_marks: Vec::new(),
            continue_marks: Vec::new(),
            switch_marks: Vec::new(),
            jumps: Vec::new(),
            label_scopes: FxHashMap::default(),
            ordinals: FxHashMap::default(),
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn new_location(&mut self) -> LocationId {
        let function = self.body.function.unwrap_or(FunctionId(0));
        self.locations.push(Location::new(function));
        LocationId::new(self.locations.len() - 1)
    }

    /// The error location of the function.
    pub(super) fn error_location(&mut self) -> LocationId {
        if let Some(location) = self.body.error {
            return location;
        }
        let location = self.new_location();
        self.locations[location.index()].is_error = true;
        self.body.error = Some(location);
        location
    }

    /// The location where paths end that do not return.
    pub(super) fn dead_end(&mut self) -> LocationId {
        if let Some(location) = self.body.dead_end {
            return location;
        }
        let location = self.new_location();
        self.body.dead_end = Some(location);
        location
    }

    /// The location of the cursor, which gets one if it has none; `None` where nothing can be reached.
    pub(super) fn here(&mut self) -> Option<LocationId> {
        match self.body.cursor.take() {
            Cursor::Dead => None,
            Cursor::At(location) => {
                self.body.cursor = Cursor::At(location);
                Some(location)
            }
            Cursor::Behind(edges) => {
                let location = self.new_location();
                self.close(&edges, location);
                self.body.cursor = Cursor::At(location);
                Some(location)
            }
        }
    }

    fn close(&mut self, edges: &[EdgeId], target: LocationId) {
        for edge in edges {
            self.edges[edge.index()].target = target;
        }
    }

    pub(super) fn push_edge(&mut self, source: LocationId, target: LocationId, operation: Operation, span: Span) -> EdgeId {
        let statement = self.body.statement;
        self.edges.push(Edge { source, target, operation, span, statement, choice: None });
        EdgeId::new(self.edges.len() - 1)
    }

    /// Appends an operation. Where nothing can be reached, nothing happens.
    pub(super) fn emit(&mut self, operation: Operation, span: Span) -> Option<EdgeId> {
        if self.quiet > 0 {
            self.impure = true;
        }
        let source = self.here()?;
        let edge = self.push_edge(source, OPEN, operation, span);
        self.body.cursor = Cursor::Behind(vec![edge]);
        Some(edge)
    }

    /// Appends an operation after which the path ends at `target`.
    pub(super) fn emit_last(&mut self, operation: Operation, span: Span, target: LocationId) {
        if self.emit(operation, span).is_some() {
            self.jump(target, span);
        }
    }

    /// Goes on at a location that exists already.
    pub(super) fn jump(&mut self, target: LocationId, span: Span) {
        match self.body.cursor.take() {
            Cursor::Dead => {}
            Cursor::At(source) => {
                self.push_edge(source, target, Operation::Blank, span);
            }
            Cursor::Behind(edges) => self.close(&edges, target),
        }
    }

    /// Parts the ways on a condition: the cursors where it holds and where it does not.
    ///
    /// A constant condition takes no edge, and the way it excludes is dead.
    pub(super) fn fork(&mut self, condition: ExprId, span: Span) -> (Cursor, Cursor) {
        if let Expr::Int(bits) = *self.exprs.get(condition) {
            let cursor = self.body.cursor.take();
            return if bits != 0 { (cursor, Cursor::Dead) } else { (Cursor::Dead, cursor) };
        }
        let Some(source) = self.here() else { return (Cursor::Dead, Cursor::Dead) };
        self.body.cursor = Cursor::Dead;
        let holds = self.push_edge(source, OPEN, Operation::Assume { condition, truth: true }, span);
        let fails = self.push_edge(source, OPEN, Operation::Assume { condition, truth: false }, span);
        (Cursor::Behind(vec![holds]), Cursor::Behind(vec![fails]))
    }

    /// The cursor of ways that meet.
    pub(super) fn merge(&mut self, one: Cursor, other: Cursor, span: Span) -> Cursor {
        match (one, other) {
            (Cursor::Dead, cursor) | (cursor, Cursor::Dead) => cursor,
            (Cursor::Behind(mut edges), Cursor::Behind(mut more)) => {
                if edges.len() < more.len() {
                    std::mem::swap(&mut edges, &mut more);
                }
                edges.append(&mut more);
                Cursor::Behind(edges)
            }
            (Cursor::At(location), Cursor::Behind(edges)) | (Cursor::Behind(edges), Cursor::At(location)) => {
                self.close(&edges, location);
                Cursor::At(location)
            }
            (Cursor::At(location), Cursor::At(source)) => {
                if location != source {
                    self.push_edge(source, location, Operation::Blank, span);
                }
                Cursor::At(location)
            }
        }
    }

    /// Lets the current way meet `other`.
    pub(super) fn join(&mut self, other: Cursor, span: Span) {
        let cursor = self.body.cursor.take();
        self.body.cursor = self.merge(cursor, other, span);
    }

    /// The next temporary of the statement.
    pub(super) fn temporary(&mut self, ty: TypeId) -> VarId {
        let number = self.body.next_temporary;
        self.body.next_temporary += 1;
        if let Some(known) = self.body.temporaries.get(&(number, ty)) {
            return *known;
        }
        let name: Box<str> = format!("__t{number}").into();
        let variable = self.new_variable(name, VarKind::Temporary(number), QualType::plain(ty), self.body.statement);
        self.body.temporaries.insert((number, ty), variable);
        variable
    }

    /// Adds a variable of the current function (or of the file, outside of functions).
    pub(super) fn new_variable(&mut self, name: Box<str>, kind: VarKind, ty: QualType, span: Span) -> VarId {
        let function = match kind {
            VarKind::Global { .. } | VarKind::StringLiteral(_) => None,
            VarKind::StaticLocal | VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) | VarKind::CompoundLiteral => {
                self.body.function
            }
        };
        let class = match kind {
            VarKind::Global { .. } => 0,
            VarKind::StaticLocal => 1,
            VarKind::Local => 2,
            VarKind::Parameter(_) => 3,
            VarKind::Temporary(_) => 4,
            VarKind::StringLiteral(_) => 5,
            VarKind::CompoundLiteral => 6,
        };
        // What is read without being evaluated must not count: it would be read again where it is.
        let ordinal = if self.quiet > 0 {
            self.unevaluated += 1;
            u32::MAX - self.unevaluated
        } else if class == 0 || class == 5 {
            0
        } else {
            let next = self.body.ordinals.entry((name.clone(), class)).or_insert(0);
            *next += 1;
            *next - 1
        };
        self.variables.push(Variable {
            name,
            ordinal,
            kind,
            function,
            ty,
            initializer: None,
            address_taken: false,
            thread_local: false,
            align: 0,
            identity: Box::default(),
            span,
        });
        let id = VarId::new(self.variables.len() - 1);
        match class {
            2 => self.blocks.declare(id, &self.body.blocks, span),
            6 => self.blocks.literal(id, &self.body.blocks, span),
            _ => {}
        }
        id
    }
}
