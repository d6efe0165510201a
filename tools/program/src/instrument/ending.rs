//! What must not be there at the end of the program: blocks that nothing points to.
//!
//! *Roots* are the pointers that are still there: those of objects that live as long as the program and, where `exit` ends it,
//! those of the functions that have not returned. What functions further up hold is kept in ghosts while they call. A block that
//! a root points to, or into, is no leak, nor is what such blocks point to as far as they are looked at.
//!
//! * Soundness: a path goes on only if each block that is there is reached from a root. It is a violation only if all roots are
//!   known and none of the blocks is reached by any of them, or blocks hold no pointers; otherwise it is unsupported.

use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Block, followed};
use super::builder::Builder;
use super::callers::{calls, reaches};
use super::mentions::uncast;
use super::objects::holds_pointers;
use super::{Pass, Step};
use crate::cfa::{FunctionId, Known, Operation, VarId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{Allocation, Ending, Handed, Handlers, hands_out, keeps_argument, special};
use crate::source::Span;
use crate::types::{ArrayLength, Type, TypeId};
use crate::violation::Violation;

/// More pointers are not looked at: each is compared with each block.
const MOST_ROOTS: usize = 32;
/// How far blocks are followed from a root.
const MOST_STEPS: usize = 3;

/// What functions hold while those they call may end the program.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The functions with a body that each function calls.
    calls: BTreeMap<FunctionId, Vec<FunctionId>>,
    /// The functions that may come to an `exit`.
    ending: BTreeSet<FunctionId>,
    /// Ghosts of pointers, null while their function is not waiting for a callee that may end the program.
    ghosts: BTreeMap<VarId, VarId>,
    /// Functions that hold pointers which no ghost keeps.
    lost: BTreeSet<FunctionId>,
}

/// The pointers that are there at an end of the program.
#[derive(Default)]
struct Roots {
    values: Vec<ExprId>,
    /// There may be others.
    more: bool,
}

impl Frames {
    /// Adds the ghosts of pointers in functions that may wait where the program ends.
    pub(super) fn new(builder: &mut Builder<'_>) -> Self {
        let mut frames = Self { calls: calls(builder), ..Self::default() };
        let mut direct = BTreeSet::new();
        for edge in &builder.parts.edges {
            let Operation::Call { callee, .. } = edge.operation else { continue };
            let callee = &builder.parts.functions[callee.index()];
            if callee.entry.is_none() && callee.known == Some(Known::NoReturn) && leaves_through_c(&callee.name) {
                direct.insert(builder.parts.locations[edge.source.index()].function);
            }
        }
        let waiting = frames.waiting(&direct);
        frames.ending = direct.union(&waiting).copied().collect();
        for caller in waiting {
            let again = reaches(&frames.calls, &frames.calls[&caller], caller);
            for variable in (0..builder.parts.variables.len()).map(VarId::new) {
                if is_local(builder, variable, caller) {
                    frames.keep(builder, (caller, again), variable);
                }
            }
        }
        frames
    }

    /// The functions that call one of these, or a function that does.
    fn waiting(&self, ending: &BTreeSet<FunctionId>) -> BTreeSet<FunctionId> {
        let mut callers: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
        for (caller, callees) in &self.calls {
            callees.iter().for_each(|callee| callers.entry(*callee).or_default().push(*caller));
        }
        let mut found = BTreeSet::new();
        let mut pending: Vec<FunctionId> = ending.iter().copied().collect();
        while let Some(callee) = pending.pop() {
            pending.extend(callers.get(&callee).into_iter().flatten().filter(|caller| found.insert(**caller)));
        }
        found
    }

    fn keep(&mut self, builder: &mut Builder<'_>, (caller, again): (FunctionId, bool), variable: VarId) {
        let (ty, taken, name) = {
            let known = &builder.parts.variables[variable.index()];
            (known.ty.ty, known.address_taken, format!("{}_{}", known.name, known.ordinal))
        };
        if !holds_pointers(builder, ty) {
            return;
        }
        let is_plain = matches!(builder.parts.types.get(ty), Type::Pointer(_)) && !taken && !again;
        if !is_plain || self.ghosts.len() >= MOST_ROOTS {
            self.lost.insert(caller);
            return;
        }
        let pointer = builder.pointer;
        let ghost = builder.ghost(&format!("frame_{}_{name}", builder.parts.functions[caller.index()].name), pointer);
        self.ghosts.insert(variable, ghost);
    }
}

impl Pass<'_> {
    /// Before a call that may end the program: what its caller holds.
    pub(super) fn keep_frame(&mut self, (caller, at): (FunctionId, Span), callee: FunctionId, steps: &mut Vec<Step>) {
        for (variable, ghost) in self.frame(caller, callee) {
            if self.objects.is_in_block(variable, at) {
                let pointer = self.builder.load(variable);
                let address = self.builder.address(pointer);
                steps.push(Step::Assign(ghost, address));
            }
        }
    }

    /// Behind such a call, its caller does not wait.
    pub(super) fn leave_frame(&mut self, caller: FunctionId, callee: FunctionId) -> Vec<Step> {
        let null = self.builder.null();
        self.frame(caller, callee).into_iter().map(|(_, ghost)| Step::Assign(ghost, null)).collect()
    }

    fn frame(&self, caller: FunctionId, callee: FunctionId) -> Vec<(VarId, VarId)> {
        if !self.frames.ending.contains(&callee) {
            return Vec::new();
        }
        let own = |variable: &VarId| self.builder.parts.variables[variable.index()].function == Some(caller);
        self.frames.ghosts.iter().filter(|(variable, _)| own(variable)).map(|(variable, ghost)| (*variable, *ghost)).collect()
    }

    /// At the end of the program, by `exit` in a function or by the return of the entry function.
    pub(super) fn at_the_end(&mut self, exit: Option<(FunctionId, Span)>, steps: &mut Vec<Step>) {
        if self.has_other_allocations() {
            steps.push(Step::Unsupported("memory that is allocated otherwise than by malloc".into()));
            return;
        }
        let blocks: Vec<Block> = self.objects.blocks().collect();
        if blocks.is_empty() {
            return;
        }
        let roots = self.roots(exit, &blocks);
        let (mut fine, mut alone) = (Vec::new(), Vec::new());
        for block in blocks {
            let there = self.builder.is_set(block.base);
            let gone = self.builder.not(there);
            let held: Vec<ExprId> = roots.values.iter().map(|root| points_into(&mut self.builder, *root, block)).collect();
            let held = self.builder.any(&held);
            fine.push(if roots.values.is_empty() { gone } else { self.builder.any(&[gone, held]) });
            let nobody = self.builder.not(held);
            alone.push(self.builder.any(&[gone, nobody]));
        }
        if let Some(more) = self.objects.more {
            let several = self.builder.is_set(more);
            fine.push(self.builder.not(several));
        }
        let ok = self.builder.all(&fine);
        let needed = if roots.more {
            Some(ok)
        } else if !roots.values.is_empty() && self.blocks_hold_pointers() {
            let alone = self.builder.all(&alone);
            Some(self.builder.any(&[ok, alone]))
        } else {
            None
        };
        if let Some(needed) = needed {
            steps.push(Step::Need(needed, "memory that is still allocated at the end, to which something may point".into()));
        }
        if needed != Some(ok) {
            steps.push(Step::Guard { ok, null: None, violation: Violation::Leak, may_be_unknown: true });
        }
    }

    fn roots(&mut self, exit: Option<(FunctionId, Span)>, blocks: &[Block]) -> Roots {
        let mut roots = Roots::default();
        let hides = self.hides_pointers();
        roots.more |= self.gives_away_pointers();
        for index in 0..self.builder.parts.variables.len() {
            let variable = &self.builder.parts.variables[index];
            let is_static = !variable.is_automatic() && !matches!(variable.kind, VarKind::StringLiteral(_));
            let held = exit.is_some_and(|(function, at)| {
                is_local(&self.builder, VarId::new(index), function) && self.objects.is_in_block(VarId::new(index), at)
            });
            let is_ghost = variable.name.starts_with("__residue_") && !self.builder.parts.source.is_library(variable.span);
            if !is_ghost && (is_static || held) {
                roots.more |= hides;
                let (ty, place) = (variable.ty.ty, self.builder.place(VarId::new(index)));
                self.leaves(place, ty, &mut roots);
            }
        }
        if let Some((function, _)) = exit {
            let calls = &self.frames.calls;
            roots.more |= self.frames.lost.iter().any(|caller| reaches(calls, &calls[caller], function));
            let ghosts: Vec<VarId> = self.frames.ghosts.values().copied().collect();
            roots.values.extend(ghosts.into_iter().map(|ghost| self.builder.load(ghost)));
        }
        self.follow(&mut roots, blocks);
        roots
    }

    /// The pointers in a place.
    fn leaves(&mut self, place: ExprId, ty: TypeId, roots: &mut Roots) {
        let mut pending = vec![(place, ty)];
        while let Some((place, ty)) = pending.pop() {
            if !holds_pointers(&self.builder, ty) {
                continue;
            }
            if roots.values.len() + pending.len() >= MOST_ROOTS {
                roots.more = true;
                return;
            }
            match self.builder.parts.types.get(ty).clone() {
                Type::Pointer(_) => roots.values.push(self.builder.parts.exprs.intern(Expr::Load(place), ty)),
                Type::Array { element, length: ArrayLength::Constant(count) } if count <= MOST_ROOTS as u64 => {
                    for index in (0..count).rev() {
                        let index = self.builder.number(self.builder.word, index);
                        pending.push((self.builder.parts.exprs.intern(Expr::Index(place, index), element.ty), element.ty));
                    }
                }
                Type::Record(record) if !self.builder.parts.types.record(record).is_union => {
                    let fields = &self.builder.parts.types.record(record).fields;
                    let fields: Vec<(u32, TypeId)> = (0..).zip(fields.iter().map(|field| field.ty.ty)).collect();
                    for (number, ty) in fields.into_iter().rev() {
                        pending.push((self.builder.parts.exprs.intern(Expr::Field(place, number), ty), ty));
                    }
                }
                _ => roots.more = true,
            }
        }
    }

    /// Adds what blocks hold that roots point to the beginning of.
    fn follow(&mut self, roots: &mut Roots, blocks: &[Block]) {
        if !self.blocks_hold_pointers() {
            return;
        }
        let mut first = 0;
        for _ in 0..MOST_STEPS {
            let last = roots.values.len();
            for number in first..last {
                let root = roots.values[number];
                let Type::Pointer(to) = *self.builder.ty(root) else { continue };
                let Some(bytes) = self.builder.bytes_of(to.ty).filter(|_| holds_pointers(&self.builder, to.ty)) else { continue };
                let place = self.builder.parts.exprs.intern(Expr::Dereference { pointer: root, volatile: false }, to.ty);
                let mut inner = Roots { values: Vec::new(), more: false };
                self.leaves(place, to.ty, &mut inner);
                if inner.more || roots.values.len() + inner.values.len() > MOST_ROOTS {
                    // Fewer roots: less is known to be reached.
                    continue;
                }
                let whole = self.is_whole(root, bytes, blocks);
                for value in inner.values {
                    let null = self.builder.number(self.builder.parts.exprs.ty(value), 0);
                    roots.values.push(self.builder.choose(whole, value, null));
                }
            }
            first = last;
        }
    }

    /// Whether a pointer leads to the beginning of a block of so many bytes.
    fn is_whole(&mut self, pointer: ExprId, bytes: u64, blocks: &[Block]) -> ExprId {
        let address = self.builder.address(pointer);
        let mut found = Vec::new();
        for block in blocks {
            let (base, size) = (self.builder.load(block.base), self.builder.load(block.size));
            let there = self.builder.is_set(block.base);
            let same = self.builder.compare(BinaryOp::Equal, address, base);
            let bytes = self.builder.number(self.builder.word, bytes);
            let fits = self.builder.compare(BinaryOp::LessEqual, bytes, size);
            found.push(self.builder.all(&[there, same, fits]));
        }
        self.builder.any(&found)
    }

    /// Whether blocks may hold pointers to blocks.
    fn blocks_hold_pointers(&self) -> bool {
        let hides = self.hides_pointers();
        let root_is_pointer = |mut place: ExprId| loop {
            match self.builder.get(place) {
                Expr::Field(outer, _) | Expr::Index(outer, _) => place = outer,
                Expr::Dereference { .. } => return true,
                _ => return false,
            }
        };
        self.old.iter().any(|edge| match &edge.operation {
            Operation::Assign { place, .. } => {
                root_is_pointer(*place) && (hides || holds_pointers(&self.builder, self.builder.parts.exprs.ty(*place)))
            }
            Operation::Call { callee, .. } => {
                let callee = &self.builder.parts.functions[callee.index()];
                callee.entry.is_none() && callee.known == Some(Known::Memory)
            }
            Operation::Asm(_) => true,
            _ => false,
        })
    }

    /// Whether pointers may lie where no type says so: they become numbers somewhere, or bytes of something else.
    fn hides_pointers(&self) -> bool {
        let parts = &*self.builder.parts;
        let becomes_number = parts.exprs.ids().any(|id| {
            let Expr::Cast(from) = *parts.exprs.get(id) else { return false };
            let to = parts.types.get(parts.exprs.ty(id));
            matches!(parts.types.get(parts.exprs.ty(from)), Type::Pointer(_)) && matches!(to, Type::Int { .. } | Type::Enum(_))
        });
        becomes_number || self.old.iter().any(|edge| self.moves_to_bytes(&edge.operation))
    }

    /// Whether a call may move pointers to where bytes are, or from there: what is moved has not the same types, or none.
    fn moves_to_bytes(&self, operation: &Operation) -> bool {
        let Operation::Call { callee, arguments, .. } = operation else { return false };
        let callee = &self.builder.parts.functions[callee.index()];
        if callee.entry.is_some() || callee.known != Some(Known::Memory) {
            return false;
        }
        let mut pointees = arguments.iter().filter_map(|argument| self.pointee_before_casts(*argument));
        let holds = |ty: TypeId| match self.builder.parts.types.get(ty) {
            Type::Void => None,
            _ => Some(holds_pointers(&self.builder, ty)),
        };
        let Some(first) = pointees.next().map(holds) else { return false };
        pointees.map(holds).any(|other| first.is_none() || other != first)
    }

    fn pointee_before_casts(&self, mut pointer: ExprId) -> Option<TypeId> {
        while let Expr::Cast(inner) = self.builder.get(pointer)
            && matches!(self.builder.ty(inner), Type::Pointer(_))
        {
            pointer = inner;
        }
        let Type::Pointer(to) = self.builder.ty(pointer) else { return None };
        Some(to.ty)
    }

    /// Whether the program calls functions whose blocks are not followed.
    fn has_other_allocations(&self) -> bool {
        let parts = &*self.builder.parts;
        self.old.iter().any(|edge| {
            let Operation::Call { callee, ref arguments, .. } = edge.operation else { return false };
            let function = &parts.functions[callee.index()];
            let allocates = function.known == Some(Known::Allocate) && followed(&self.builder, callee).is_none();
            let is_local = special(&function.name).is_some_and(|row| row.allocation == Some(Allocation::Local));
            let is_room = |argument: &ExprId| matches!(self.builder.get(uncast(&self.builder, *argument)), Expr::AddressOf(_));
            let hands_out = match hands_out(&function.name) {
                Some(Handed::IfNull(number)) => !arguments.get(number).is_some_and(is_room),
                Some(Handed::Always) => true,
                None => false,
            };
            function.entry.is_none() && (allocates && !is_local || hands_out)
        })
    }

    /// Whether the program calls functions that keep pointers where nobody looks for them.
    fn gives_away_pointers(&self) -> bool {
        self.old.iter().any(|edge| {
            let Operation::Call { callee, .. } = edge.operation else { return false };
            let function = &self.builder.parts.functions[callee.index()];
            function.entry.is_none() && keeps_argument(&function.name)
        })
    }
}

/// Whether a pointer leads into a block.
fn points_into(builder: &mut Builder<'_>, root: ExprId, block: Block) -> ExprId {
    let address = builder.address(root);
    let (base, size) = (builder.load(block.base), builder.load(block.size));
    let same = builder.compare(BinaryOp::Equal, address, base);
    let (zero, one) = (builder.number(builder.word, 0), builder.number(builder.word, 1));
    let some = builder.compare(BinaryOp::NotEqual, size, zero);
    let word = builder.word;
    let last = builder.parts.exprs.intern(Expr::Binary(BinaryOp::Subtract, size, one), word);
    let near = builder.is_near(address, base, last);
    let inside = builder.all(&[some, near]);
    builder.any(&[same, inside])
}

/// Whether a variable is an object that the text of a function declares.
fn is_local(builder: &Builder<'_>, variable: VarId, function: FunctionId) -> bool {
    let variable = &builder.parts.variables[variable.index()];
    variable.function == Some(function) && variable.is_automatic() && !matches!(variable.kind, VarKind::Temporary(_))
}

/// Whether a function ends the program so that the C library notices: what is then not given back is lost.
pub(super) fn leaves_through_c(name: &str) -> bool {
    let ending = special(name).and_then(|row| row.ending);
    matches!(ending, Some(Ending::Exit(Handlers::AtExit)))
}
