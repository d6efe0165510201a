//! Guards of memory: before an access or a `free` that may violate the property, a branch to a violation.
//!
//! A pass over the tables of a finished automaton. It adds nothing that C could not say: what is known of the objects of a
//! program is kept in variables of its own (*ghosts*), the first address of each object that other functions may reach and a
//! few blocks of each allocation, and a guard compares a pointer with them. So no analysis has to know of it, and a residual
//! program has the guards as text.
//!
//! * An object is valid for an access iff it is alive and has all of its bytes. A local lives until its block ends, in its
//!   own function by where the access stands in the text, elsewhere by its ghost, which is null before and after. That each
//!   round of a loop has a local of its own is seen to where a pointer may be kept from round to round (`rounds`), and so
//!   that each call of a function has (`earlier`).
//! * Soundness: a guard holds only if the access lies in one object that is alive. Where it does not hold and there is memory
//!   that the ghosts do not describe (arguments of the entry function, results of unknown functions, more blocks of one
//!   allocation at the same time than are told apart), the path ends in an unsupported operation, never in a violation.
//!
//! Does not know points-to sets: every object whose address is taken is a candidate.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "most matches look for a few of many forms of expressions or operations; the rest needs no guard"
)]
#![allow(clippy::fn_params_excessive_bools, reason = "a flag here is a property of what is guarded")]

mod access;
mod allocation;
mod blocks;
mod builder;
mod callers;
mod calls;
mod earlier;
mod ending;
mod impossible;
mod library;
mod mentions;
mod objects;
mod rounds;
mod texts;
mod ways;

use formats::Property;
use rustc_hash::FxHashMap;

use crate::cfa::{CfaParts, Edge, EdgeId, FunctionId, LocationId, Operation, VarId};
use crate::expr::ExprId;
use crate::seal;
use crate::source::Span;
use crate::violation::Violation;

use self::builder::Builder;
use self::ending::Frames;
use self::objects::Objects;

/// Where in the text a local is alive, if its address is known there.
#[derive(Clone, Copy, Debug)]
pub struct Lifetime {
    /// The block it is declared in.
    pub block: Span,
    /// That is the body of its function: it is entered once in each call.
    pub is_body: bool,
    /// A label that a `goto` may lead to stands in it.
    pub has_label: bool,
    /// Nothing that ends before this byte runs behind the declaration, or the compound literal, without leaving the block.
    pub begin: u32,
    /// It has a name: what it held in an earlier round is gone at its declaration.
    pub is_named: bool,
}

/// What the pass has to be told about a program besides its automaton.
#[derive(Debug, Default)]
pub struct Facts {
    /// The locals that are declared in blocks.
    pub lifetimes: Vec<(VarId, Lifetime)>,
    /// Arrays of variable length, with the variables of their functions that hold their bytes from the declaration on.
    pub extents: Vec<(VarId, VarId)>,
    /// The program reads arguments of `...`.
    pub reads_lists: bool,
}

/// Something to be done before or behind an edge.
#[derive(Clone, Debug)]
enum Step {
    /// Goes on where it holds.
    Guard {
        ok: ExprId,
        /// A pointer that is null is called so.
        null: Option<ExprId>,
        violation: Violation,
        /// Whether what is not described by ghosts may be behind it.
        may_be_unknown: bool,
    },
    /// What cannot fail in a real execution.
    Suppose(ExprId),
    /// Without it nothing can be said.
    Need(ExprId, Box<str>),
    Assign(VarId, ExprId),
    Unsupported(Box<str>),
}

/// Adds null for what cannot be allocated, and what the options ask for: allocation that fails, the guards of a property about
/// memory, and for all properties of operations what may go wrong in an unsupported operation; nothing to a residual program,
/// which has them.
pub fn instrument(parts: &mut CfaParts, facts: &Facts) {
    let (property, fails) = (parts.options.property, parts.options.caller.malloc_may_fail);
    if parts.source.text().starts_with(seal::BEGINNING.as_bytes()) {
        return;
    }
    let mut builder = Builder::new(parts);
    impossible::let_fail(&mut builder);
    if fails {
        allocation::let_fail(&mut builder);
    }
    if !property.is_of_operations() {
        return;
    }
    if matches!(property, Property::ValidDeref | Property::ValidFree | Property::ValidMemtrack) {
        // What no run comes to accesses nothing, and says nothing of where pointers may lead.
        let unreached = callers::set_aside(&mut builder);
        let objects = Objects::new(&mut builder, property, (facts, &unreached));
        let tracked = property == Property::ValidMemtrack && objects.blocks().next().is_some();
        let frames = if tracked { Frames::new(&mut builder) } else { Frames::default() };
        let old = std::mem::take(&mut builder.parts.edges);
        let mut arriving: FxHashMap<LocationId, Vec<usize>> = FxHashMap::default();
        for (index, edge) in old.iter().enumerate() {
            arriving.entry(edge.target).or_default().push(index);
        }
        let mut pass = Pass { builder, objects, property, frames, old, arriving };
        pass.run();
        builder = pass.builder;
        builder.parts.edges.extend(unreached);
    }
    expose_unsupported(&mut builder, property);
}

/// Puts a violation behind every unsupported operation: it may be one itself, and nobody may find that there is nothing to
/// violate in a program because of it.
fn expose_unsupported(builder: &mut Builder<'_>, property: Property) {
    let violation = match property {
        Property::DivZero => Violation::DivisionByZero,
        Property::Shift => Violation::ShiftCount,
        Property::NoOverflow => Violation::Overflow,
        Property::ValidFree => Violation::InvalidFree,
        Property::ValidMemtrack => Violation::Leak,
        Property::UnreachCall | Property::Assert | Property::ValidDeref => Violation::InvalidPointer,
    };
    for index in 0..builder.parts.edges.len() {
        let edge = builder.parts.edges[index].clone();
        if !matches!(edge.operation, Operation::Unsupported { .. }) {
            continue;
        }
        let (middle, wrong) = (builder.location_beside(edge.source), builder.location_beside(edge.source));
        builder.parts.edges[index].target = middle;
        let condition = builder.nobody_knows();
        builder.branch(middle, condition, (wrong, edge.target), &edge);
        builder.violation(wrong, violation, &edge);
    }
}

struct Pass<'a> {
    builder: Builder<'a>,
    objects: Objects,
    property: Property,
    /// What functions hold while others end the program.
    frames: Frames,
    /// The edges as they were.
    old: Vec<Edge>,
    /// Which of them lead to a location.
    arriving: FxHashMap<LocationId, Vec<usize>>,
}

impl Pass<'_> {
    fn run(&mut self) {
        let old = self.old.clone();
        let mut leaving: FxHashMap<LocationId, Vec<usize>> = FxHashMap::default();
        for (index, edge) in old.iter().enumerate() {
            leaving.entry(edge.source).or_default().push(index);
        }
        let mut moved: FxHashMap<LocationId, LocationId> = FxHashMap::default();
        for (index, edge) in old.iter().enumerate() {
            let siblings = &leaving[&edge.source];
            if siblings[0] == index {
                let mut steps = Vec::new();
                for sibling in siblings {
                    self.before(EdgeId::new(*sibling), &old[*sibling], &mut steps);
                }
                if !steps.is_empty() {
                    let target = self.builder.location_beside(edge.source);
                    self.emit(steps, (edge.source, target), edge);
                    moved.insert(edge.source, target);
                }
            }
            let mut new = edge.clone();
            new.source = moved.get(&edge.source).copied().unwrap_or(edge.source);
            let steps = self.behind(EdgeId::new(index), edge);
            if steps.is_empty() {
                self.builder.parts.edges.push(new);
                continue;
            }
            let middle = self.builder.location_beside(edge.source);
            new.target = middle;
            self.builder.parts.edges.push(new);
            self.emit(steps, (middle, edge.target), edge);
        }
        self.enter_functions();
    }

    /// What has to be done before an edge is passed.
    fn before(&mut self, id: EdgeId, edge: &Edge, steps: &mut Vec<Step>) {
        let function = self.builder.parts.locations[edge.source.index()].function;
        if self.property == Property::ValidDeref {
            self.accesses(&edge.operation, function, edge.span, steps);
        }
        match &edge.operation {
            Operation::Call { callee, arguments, .. } => {
                self.before_call(id, (*callee, arguments), function, edge.span, steps);
            }
            Operation::Return { .. } => self.before_return(function, steps),
            _ => {}
        }
    }

    /// What has to be done after an edge was passed.
    fn behind(&mut self, id: EdgeId, edge: &Edge) -> Vec<Step> {
        match &edge.operation {
            Operation::Declare { variable } => self.objects.begin(&mut self.builder, *variable),
            Operation::Assign { .. } if self.property == Property::ValidDeref => {
                self.objects.begin_literal(&mut self.builder, &edge.operation)
            }
            Operation::Call { callee, result, .. } => {
                let function = self.builder.parts.locations[edge.source.index()].function;
                let mut steps = self.leave_frame(function, *callee);
                steps.extend(self.behind_call(id, *result));
                steps
            }
            _ => Vec::new(),
        }
    }

    /// Objects that no declaration begins live as long as their function.
    fn enter_functions(&mut self) {
        for function in 0..self.builder.parts.functions.len() {
            let function = FunctionId::new(function);
            let Some(old) = self.builder.parts.functions[function.index()].entry else { continue };
            let steps = self.objects.enter(&mut self.builder, function);
            if steps.is_empty() {
                continue;
            }
            let entry = self.builder.location_beside(old);
            let span = self.builder.parts.functions[function.index()].span;
            let at = Edge { source: entry, target: old, operation: Operation::Blank, span, statement: span, choice: None };
            self.emit(steps, (entry, old), &at);
            self.builder.parts.functions[function.index()].entry = Some(entry);
        }
    }

    /// Edges for steps between two locations, with the places of an edge.
    fn emit(&mut self, steps: Vec<Step>, (from, to): (LocationId, LocationId), at: &Edge) {
        let count = steps.len();
        let mut here = from;
        for (number, step) in steps.into_iter().enumerate() {
            let next = if number + 1 == count { to } else { self.builder.location_beside(from) };
            match step {
                Step::Assign(variable, value) => {
                    let place = self.builder.place(variable);
                    self.builder.edge(here, next, Operation::Assign { place, value }, at);
                }
                Step::Unsupported(construct) => self.builder.edge(here, next, Operation::Unsupported { construct }, at),
                Step::Suppose(condition) => {
                    let end = self.builder.location_beside(from);
                    self.builder.branch(here, condition, (next, end), at);
                }
                Step::Need(condition, construct) => {
                    let fails = self.builder.location_beside(from);
                    self.builder.branch(here, condition, (next, fails), at);
                    self.builder.stop(fails, construct, at);
                }
                Step::Guard { ok, null, violation, may_be_unknown } => {
                    let fails = self.builder.location_beside(from);
                    self.builder.branch(here, ok, (next, fails), at);
                    self.fail(fails, null, violation, may_be_unknown, at);
                }
            }
            here = next;
        }
    }

    /// Where a guard does not hold.
    fn fail(&mut self, from: LocationId, null: Option<ExprId>, violation: Violation, may_be_unknown: bool, at: &Edge) {
        let mut here = from;
        if let Some(null) = null {
            let (is_null, other) = (self.builder.location_beside(from), self.builder.location_beside(from));
            self.builder.branch(here, null, (is_null, other), at);
            self.builder.violation(is_null, Violation::NullPointer, at);
            here = other;
        }
        if may_be_unknown {
            if let Some(construct) = self.objects.unknown.clone() {
                self.builder.stop(here, construct, at);
                return;
            }
            if let Some(more) = self.objects.more {
                let several = self.builder.is_set(more);
                let (lost, other) = (self.builder.location_beside(from), self.builder.location_beside(from));
                self.builder.branch(here, several, (lost, other), at);
                self.builder.stop(lost, calls::SEVERAL_BLOCKS.into(), at);
                here = other;
            }
        }
        self.builder.violation(here, violation, at);
    }
}
