//! The objects that pointers may lead to, and the ghosts that describe them.

use std::collections::BTreeMap;

use formats::Property;
use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::{Block, Site};
use super::builder::Builder;
use super::callers::{calls, reaches};
use super::earlier::Earlier;
use super::mentions;
use super::rounds::{Locals, Rounds, begun};
use super::{Facts, Lifetime, Step};
use crate::cfa::{Edge, EdgeId, FunctionId, Known, Operation, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{copies_only, special};
use crate::source::Span;
use crate::types::{Type, TypeId};

/// Beyond this many objects guards cost more than they tell.
const MOST_OBJECTS: usize = 256;

/// What is known of the memory of a program.
pub(super) struct Objects {
    /// Objects that live as long as the program, with their bytes.
    statics: Vec<(VarId, u64)>,
    /// Automatic objects by function.
    automatic: BTreeMap<FunctionId, Vec<(VarId, u64)>>,
    /// The first addresses of automatic objects that other functions may reach.
    ghosts: BTreeMap<VarId, VarId>,
    /// Arrays of variable length: the bytes as their own function and as others know them.
    extents: BTreeMap<VarId, Extent>,
    lifetimes: FxHashMap<VarId, Lifetime>,
    declared: FxHashSet<VarId>,
    pub(super) sites: BTreeMap<EdgeId, Site>,
    /// Whether an allocation was repeated while there were as many of its blocks as are told apart.
    pub(super) more: Option<VarId>,
    /// Why there is memory that nothing here describes.
    pub(super) unknown: Option<Box<str>>,
    /// The locals that somebody may point to when they are declared again.
    rounds: Rounds,
    /// The locals that somebody may point to when their function is called again.
    earlier: Earlier,
}

/// Where the bytes of an array of variable length are kept.
#[derive(Clone, Copy, Debug)]
struct Extent {
    /// A variable of its function: each call has its own.
    own: VarId,
    /// The ghost that goes with that of its first address.
    elsewhere: Option<VarId>,
}

impl Objects {
    /// `unreached` are the edges of functions that no run comes to.
    pub(super) fn new(builder: &mut Builder<'_>, property: Property, (facts, unreached): (&Facts, &[Edge])) -> Self {
        let mut objects = Self {
            statics: Vec::new(),
            automatic: BTreeMap::new(),
            ghosts: BTreeMap::new(),
            extents: facts.extents.iter().map(|&(array, own)| (array, Extent { own, elsewhere: None })).collect(),
            lifetimes: facts.lifetimes.iter().copied().collect(),
            declared: FxHashSet::default(),
            sites: BTreeMap::new(),
            more: None,
            unknown: None,
            rounds: Rounds::default(),
            earlier: Earlier::default(),
        };
        objects.collect(builder);
        if property == Property::ValidDeref {
            objects.add_ghosts(builder);
            let fixed = objects.automatic.values().flatten().map(|(variable, _)| *variable);
            let fixed = fixed.filter(|variable| !objects.extents.contains_key(variable)).collect();
            let locals = Locals { automatic: &objects.automatic, lifetimes: &objects.lifetimes, fixed };
            objects.rounds = Rounds::new(builder, &locals);
            objects.earlier = Earlier::new(builder, &locals);
        }
        objects.sites = super::blocks::sites(builder, property);
        objects.check_frames(builder);
        if !objects.sites.is_empty() {
            objects.more = Some(builder.ghost("several_blocks", builder.int));
        }
        objects.unknown = objects.unknown.take().or_else(|| strangers(builder, facts, unreached));
        objects
    }

    fn collect(&mut self, builder: &Builder<'_>) {
        let parts = &*builder.parts;
        let mut running = vec![false; parts.functions.len()];
        parts.edges.iter().for_each(|edge| running[parts.locations[edge.source.index()].function.index()] = true);
        for (index, variable) in parts.variables.iter().enumerate().filter(|(_, variable)| variable.address_taken) {
            let id = VarId::new(index);
            if variable.is_automatic() && variable.function.is_some_and(|function| !running[function.index()]) {
                continue;
            }
            let Some(bytes) = size_of_object(builder, id) else {
                self.unknown = Some("pointer where there is an object of unknown size".into());
                continue;
            };
            match variable.function.filter(|_| variable.is_automatic()) {
                Some(function) => self.automatic.entry(function).or_default().push((id, bytes)),
                None => self.statics.push((id, bytes)),
            }
        }
        let count = self.statics.len() + self.automatic.values().map(Vec::len).sum::<usize>();
        if count > MOST_OBJECTS {
            self.unknown = Some(format!("pointer where {count} objects have their address taken").into());
        }
        for edge in &parts.edges {
            if let Operation::Declare { variable } = edge.operation {
                self.declared.insert(variable);
            }
        }
    }

    fn add_ghosts(&mut self, builder: &mut Builder<'_>) {
        let calls = calls(builder);
        for (function, variables) in self.automatic.clone() {
            let Some(callees) = calls.get(&function).filter(|callees| !callees.is_empty()) else { continue };
            if reaches(&calls, callees, function) {
                self.unknown = Some("pointer where a local variable of a recursive function has its address taken".into());
            }
            let name = builder.parts.functions[function.index()].name.clone();
            for (variable, _) in variables {
                let (own, ordinal) = {
                    let variable = &builder.parts.variables[variable.index()];
                    (variable.name.clone(), variable.ordinal)
                };
                let pointer = builder.pointer;
                let ghost = builder.ghost(&format!("start_{name}_{own}_{ordinal}"), pointer);
                self.ghosts.insert(variable, ghost);
                if let Some(extent) = self.extents.get_mut(&variable) {
                    let word = builder.word;
                    extent.elsewhere = Some(builder.ghost(&format!("extent_{name}_{own}_{ordinal}"), word));
                }
            }
        }
    }

    /// Blocks that end with a function are no longer told apart where it calls itself: what ends first takes all of them.
    fn check_frames(&mut self, builder: &Builder<'_>) {
        let calls = calls(builder);
        let mut with_blocks = self.sites.values().filter_map(|site| site.ends_with);
        let recursive =
            with_blocks.any(|function| calls.get(&function).is_some_and(|callees| reaches(&calls, callees, function)));
        if recursive {
            self.unknown = Some("pointer where a recursive function calls alloca".into());
        }
    }

    /// Blocks end with the function that has allocated them on the stack.
    pub(super) fn end_blocks(&self, builder: &mut Builder<'_>, function: FunctionId, steps: &mut Vec<Step>) {
        for site in self.sites.values().filter(|site| site.ends_with == Some(function)) {
            for block in &site.blocks {
                steps.push(Step::Assign(block.base, builder.null()));
            }
        }
    }

    /// Whether a function has arrays of variable length: where the scope of one ends, so does what `alloca` gave since.
    pub(super) fn has_extents(&self, builder: &Builder<'_>, function: FunctionId) -> bool {
        self.extents.keys().any(|array| builder.parts.variables[array.index()].function == Some(function))
    }

    /// Automatic objects of a function that other functions may reach and that no declaration begins.
    fn undeclared(&self, function: FunctionId) -> Vec<VarId> {
        let own = self.automatic.get(&function).into_iter().flatten().map(|(variable, _)| *variable);
        own.filter(|variable| self.ghosts.contains_key(variable) && !self.declared.contains(variable)).collect()
    }

    /// An object begins to live.
    pub(super) fn begin(&self, builder: &mut Builder<'_>, variable: VarId) -> Vec<Step> {
        let mut steps = Vec::new();
        let size = size_of_object(builder, variable).filter(|_| !self.has_extent(variable));
        self.rounds.begin(builder, variable, size, &mut steps);
        let Some(ghost) = self.ghosts.get(&variable) else { return steps };
        let start = builder.start_of(variable);
        steps.push(Step::Assign(*ghost, start));
        if let Some(Extent { own, elsewhere: Some(elsewhere) }) = self.extents.get(&variable) {
            let bytes = builder.load(*own);
            steps.push(Step::Assign(*elsewhere, bytes));
        }
        steps
    }

    /// A literal gets its value, if the operation does that.
    pub(super) fn begin_literal(&self, builder: &mut Builder<'_>, operation: &Operation) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(literal) = begun(builder, operation) {
            let size = size_of_object(builder, literal);
            self.rounds.begin(builder, literal, size, &mut steps);
        }
        steps
    }

    /// A call of a function begins.
    pub(super) fn enter(&self, builder: &mut Builder<'_>, function: FunctionId) -> Vec<Step> {
        let mut steps = self.rounds.enter(builder, function);
        steps.extend(self.earlier.enter(builder, function));
        for variable in self.undeclared(function) {
            steps.extend(self.begin(builder, variable));
        }
        steps
    }

    /// Whether an object has the length that a variable says, not that of its type.
    pub(super) fn has_extent(&self, variable: VarId) -> bool {
        self.extents.contains_key(&variable)
    }

    /// Whether an access lies in a local that its own function names.
    fn is_in_local(&self, builder: &mut Builder<'_>, access: Access, variable: VarId, size: u64) -> Option<ExprId> {
        let start = builder.start_of(variable);
        match self.extents.get(&variable) {
            Some(extent) => {
                let whole = builder.load(extent.own);
                Some(within_whole(builder, access, start, whole))
            }
            None => within(builder, access, start, size),
        }
    }

    /// Whether an access lies in a local of another function.
    fn is_in_other(&self, builder: &mut Builder<'_>, access: Access, variable: VarId, size: u64) -> Option<ExprId> {
        let ghost = *self.ghosts.get(&variable)?;
        let start = builder.load(ghost);
        let inside = match self.extents.get(&variable) {
            Some(extent) => {
                let whole = builder.load(extent.elsewhere?);
                within_whole(builder, access, start, whole)
            }
            None => within(builder, access, start, size)?,
        };
        let alive = builder.is_set(ghost);
        Some(builder.all(&[alive, inside]))
    }

    /// The objects of a function that end: all of them, or those whose block a place in the text is not in.
    pub(super) fn end(&self, builder: &mut Builder<'_>, function: FunctionId, at: Option<Span>, steps: &mut Vec<Step>) {
        for (variable, _) in self.automatic.get(&function).into_iter().flatten() {
            let Some(ghost) = self.ghosts.get(variable) else { continue };
            if at.is_none_or(|at| !self.is_in_block(*variable, at)) {
                let null = builder.null();
                steps.push(Step::Assign(*ghost, null));
            }
        }
    }

    /// Whether a local may be alive, or its address known, at a place of the text: in its block, and not before its declaration,
    /// where only the one of an earlier round can be known.
    pub(super) fn is_in_block(&self, variable: VarId, at: Span) -> bool {
        self.lifetimes.get(&variable).is_none_or(|lifetime| lifetime.block.contains(at) && at.hi > lifetime.begin)
    }

    /// Whether `bytes` bytes from `address` on lie in an object that is alive; a number of bytes that is no constant is
    /// given as `count`.
    pub(super) fn is_valid(&self, builder: &mut Builder<'_>, access: Access) -> ExprId {
        let mut found = Vec::new();
        if let Some(variable) = access.target {
            // The text names it where it is alive.
            let size = size_of_object(builder, variable).filter(|_| !(access.writes && is_read_only(builder, variable)));
            found.extend(size.and_then(|size| self.is_in_local(builder, access, variable, size)));
            return builder.any(&found);
        }
        for &(variable, size) in &self.statics {
            if !(access.writes && is_read_only(builder, variable)) {
                let start = builder.start_of(variable);
                found.extend(within(builder, access, start, size));
            }
        }
        for (function, variables) in &self.automatic {
            for &(variable, size) in variables {
                if *function == access.function {
                    if self.is_in_block(variable, access.at) {
                        found.extend(self.is_in_local(builder, access, variable, size));
                    }
                } else {
                    found.extend(self.is_in_other(builder, access, variable, size));
                }
            }
        }
        for block in self.blocks() {
            found.push(within_block(builder, access, block));
        }
        builder.any(&found)
    }

    /// What an access through a pointer needs to mean an object that is alive where it lies in one: that it is no local which
    /// somebody may have pointed to in an earlier round.
    pub(super) fn is_of_this_round(&self, builder: &mut Builder<'_>, access: Access) -> Option<ExprId> {
        let mut needed = Vec::new();
        for (function, variables) in self.automatic.iter().filter(|_| access.target.is_none()) {
            for &(variable, size) in variables {
                let again = [self.rounds.again(variable), self.earlier.again(*function, variable)];
                let again: Vec<VarId> = again.into_iter().flatten().collect();
                if again.is_empty() {
                    continue;
                }
                let inside = if *function != access.function {
                    self.is_in_other(builder, access, variable, size)
                } else if self.is_in_block(variable, access.at) {
                    self.is_in_local(builder, access, variable, size)
                } else {
                    None
                };
                let Some(inside) = inside else { continue };
                let again: Vec<ExprId> = again.into_iter().map(|again| builder.is_set(again)).collect();
                let again = builder.any(&again);
                let both = builder.all(&[again, inside]);
                needed.push(builder.not(both));
            }
        }
        (!needed.is_empty()).then(|| builder.all(&needed))
    }

    /// The blocks that are told apart.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> {
        self.sites.values().flat_map(|site| site.blocks.iter().copied())
    }
}

/// Whether an object lies where the machine lets nobody write: a string literal, or a constant that lives as long as the program.
pub(super) fn is_read_only(builder: &Builder<'_>, variable: VarId) -> bool {
    let variable = &builder.parts.variables[variable.index()];
    let mut ty = variable.ty;
    while let Type::Array { element, .. } = builder.parts.types.get(ty.ty) {
        ty = *element;
    }
    let is_constant = ty.qualifiers.is_const && !ty.qualifiers.is_volatile;
    matches!(variable.kind, VarKind::StringLiteral(_)) || is_constant && !variable.is_automatic()
}

/// Bytes that are accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) address: ExprId,
    pub(super) bytes: Bytes,
    pub(super) writes: bool,
    /// The only object that is meant, if the text says so.
    pub(super) target: Option<VarId>,
    pub(super) function: FunctionId,
    pub(super) at: Span,
}

/// How many bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bytes {
    Known(u64),
    /// A value of the type of sizes.
    Counted(ExprId),
}

/// Bytes of a variable, with those that an initialiser gives a flexible array member.
pub(super) fn size_of_object(builder: &Builder<'_>, variable: VarId) -> Option<u64> {
    let variable = &builder.parts.variables[variable.index()];
    let declared = builder.bytes_of(variable.ty.ty)?;
    let last = variable.initializer.as_ref().and_then(|initializer| initializer.scalars.last());
    let end = last.map_or(0, |scalar| (scalar.first_bit + u64::from(scalar.width)).div_ceil(8));
    Some(declared.max(end))
}

/// Whether an access lies within `size` bytes from `start` on; nothing if it is too large.
///
/// One comparison of a distance, not two of addresses: which of two objects has the lower address depends on where they lie,
/// whether an address lies in one of them does not.
fn within(builder: &mut Builder<'_>, access: Access, start: ExprId, size: u64) -> Option<ExprId> {
    match access.bytes {
        Bytes::Known(bytes) => {
            let room = builder.number(builder.word, size.checked_sub(bytes)?);
            Some(builder.is_near(access.address, start, room))
        }
        Bytes::Counted(count) => {
            let whole = builder.number(builder.word, size);
            Some(within_counted(builder, access, (start, whole, count)))
        }
    }
}

fn within_counted(builder: &mut Builder<'_>, access: Access, (start, whole, count): (ExprId, ExprId, ExprId)) -> ExprId {
    let fits = builder.compare(BinaryOp::LessEqual, count, whole);
    let word = builder.word;
    let room = builder.parts.exprs.intern(Expr::Binary(BinaryOp::Subtract, whole, count), word);
    let inside = builder.is_near(access.address, start, room);
    builder.all(&[fits, inside])
}

/// Whether an access lies within a number of bytes that is no constant.
fn within_whole(builder: &mut Builder<'_>, access: Access, start: ExprId, whole: ExprId) -> ExprId {
    let count = match access.bytes {
        Bytes::Known(bytes) => builder.number(builder.word, bytes),
        Bytes::Counted(count) => count,
    };
    within_counted(builder, access, (start, whole, count))
}

fn within_block(builder: &mut Builder<'_>, access: Access, block: Block) -> ExprId {
    let (start, whole) = (builder.load(block.base), builder.load(block.size));
    let inside = within_whole(builder, access, start, whole);
    let alive = builder.is_set(block.base);
    builder.all(&[alive, inside])
}

/// Why pointers may lead to memory that is no object of the program, if they may.
fn strangers(builder: &Builder<'_>, facts: &Facts, unreached: &[Edge]) -> Option<Box<str>> {
    let parts = &*builder.parts;
    let has_list = |edge: &Edge| {
        let function = &parts.functions[parts.locations[edge.source.index()].function.index()];
        matches!(parts.types.get(function.ty), Type::Function(ty) if ty.variadic)
    };
    if facts.reads_lists && parts.edges.iter().any(has_list) {
        return Some("pointer where arguments of `...` are read".into());
    }
    let read = mentions::read(builder, unreached);
    let entry = &parts.functions[parts.entry.index()];
    for parameter in entry.parameters.iter().filter(|parameter| read.contains(parameter)) {
        if holds_pointers(builder, parts.variables[parameter.index()].ty.ty) {
            return Some("pointer that may come from an argument of the entry function".into());
        }
    }
    for (index, variable) in parts.variables.iter().enumerate() {
        let outside = matches!(variable.kind, VarKind::Global { defined: false, .. });
        if outside && read.contains(&VarId::new(index)) && holds_pointers(builder, variable.ty.ty) {
            return Some(format!("pointer that may come from {}, which is defined elsewhere", variable.name).into());
        }
    }
    parts.edges.iter().find_map(|edge| stranger(builder, &edge.operation))
}

/// A call that may yield or store pointers to memory that is no object of the program.
fn stranger(builder: &Builder<'_>, operation: &Operation) -> Option<Box<str>> {
    let parts = &*builder.parts;
    let Operation::Call { callee, arguments, result } = operation else { return None };
    let function = &parts.functions[callee.index()];
    if function.entry.is_some() || function.known == Some(Known::Error) {
        return None;
    }
    let says = || Some(format!("pointer that may come from {}", function.name).into());
    let yields = result.is_some_and(|result| holds_pointers(builder, parts.variables[result.index()].ty.ty));
    if yields
        && super::blocks::followed(builder, *callee).is_none()
        && !special(&function.name).is_some_and(|row| row.yields_argument)
    {
        return says();
    }
    let may_store = match function.known {
        None => true,
        Some(Known::Memory) => !copies_only(&function.name),
        Some(_) => false,
    };
    let stores = |argument: &ExprId| match parts.types.get(parts.exprs.ty(*argument)) {
        Type::Pointer(pointee) => *parts.types.get(pointee.ty) == Type::Void || holds_pointers(builder, pointee.ty),
        _ => false,
    };
    if may_store && arguments.iter().any(stores) { says() } else { None }
}

/// Whether a type has pointers in it.
pub(super) fn holds_pointers(builder: &Builder<'_>, ty: TypeId) -> bool {
    let types = &builder.parts.types;
    let mut seen: FxHashSet<TypeId> = FxHashSet::default();
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match types.get(ty) {
            Type::Pointer(pointee) if !matches!(types.get(pointee.ty), Type::Function(_)) => return true,
            Type::Array { element, .. } => pending.push(element.ty),
            Type::Record(record) => pending.extend(types.record(*record).fields.iter().map(|field| field.ty.ty)),
            _ => {}
        }
    }
    false
}
