//! The objects of a program: their addresses and the term variables that hold them.
//!
//! Addresses are distinct constants, aligned to 16 bytes or what the object asks for, with a wide gap after every object, so that
//! most sums can be in one object only. Which one the constant part of a sum is in says nothing: `b + i - 1` has that of an address
//! before `b`. The heap lies above all objects.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use program::cfa::{Cfa, FunctionId, VarId, VarKind};

use super::Depth;
use super::shape::{ShapeId, Shapes};
use crate::terms::{Leaf, Sort, Symbol, TermId, TermStore, VariableId};

/// Functions lie here, 16 bytes apart: at no number that programs are likely to compute with.
const CODE: u64 = 0x0912_3450;

/// The first object lies here.
const DATA: u64 = 0x4000_0000;

/// So far from an object a number may lie that is taken for an address computed from it.
const NEAR: u64 = 1 << 24;

/// Bytes of the longest object that has addresses although no pointer leads to it, where addresses are narrow: together longer ones
/// would need more than there are.
const MOST_NARROW: u64 = 1 << 20;

/// Width of the indices of all SMT arrays.
pub const INDEX: u32 = 32;

/// An activation of a variable.
pub(super) type Object = (VarId, Depth);

#[derive(Debug)]
pub(super) struct Objects {
    /// First address of each variable.
    bases: Vec<u64>,
    /// Bytes of each variable.
    sizes: Vec<u64>,
    /// Bytes from the first address of each on that are its own: of what no pointer leads to, and that is long, none but the first.
    rooms: Vec<u64>,
    /// Variables by first address.
    by_base: BTreeMap<u64, VarId>,
    /// The names of the objects behind the program's variables: pieces of allocated memory.
    hidden: Vec<String>,
    heap: u64,
    /// Which of the programs in one store, and what precedes all names of it.
    program: (u8, String),
    shapes: Vec<ShapeId>,
    leaves: IndexMap<Object, Vec<TermId>>,
    owners: IndexMap<VariableId, Object>,
    /// Objects without leaves: what is written to them is forgotten, what is read is arbitrary.
    forgotten: BTreeSet<VarId>,
}

impl Objects {
    pub(super) fn new(cfa: &Cfa, shapes: &mut Shapes) -> Objects {
        let mut bases = Vec::with_capacity(cfa.variables.len());
        let mut by_base = BTreeMap::new();
        let mut next = DATA;
        let gap = gap(cfa);
        let mut sizes = Vec::with_capacity(cfa.variables.len());
        let mut rooms = Vec::with_capacity(cfa.variables.len());
        let mut shape_of = Vec::with_capacity(cfa.variables.len());
        for id in cfa.variable_ids() {
            let shape = shapes.of(cfa, cfa.variable(id).ty.ty);
            shape_of.push(shape);
            next = next.next_multiple_of(cfa.variable(id).align.clamp(1, 4096));
            bases.push(next);
            by_base.insert(next, id);
            // The address one past the end must be no other object's.
            let bytes = shapes.get(shape).bits.div_ceil(8).max(cfa.size_of_object(id).unwrap_or(0));
            sizes.push(bytes);
            let is_named_only = bytes > MOST_NARROW && cfa.machine.word() < 8 && !cfa.variable(id).address_taken;
            let room = if is_named_only { 1 } else { bytes };
            rooms.push(room);
            next = next.saturating_add(room.next_multiple_of(16)).saturating_add(gap);
        }
        let heap = next.next_multiple_of(4096);
        Objects {
            bases,
            sizes,
            rooms,
            by_base,
            hidden: Vec::new(),
            heap,
            program: (0, String::new()),
            shapes: shape_of,
            leaves: IndexMap::new(),
            owners: IndexMap::new(),
            forgotten: BTreeSet::new(),
        }
    }

    /// Adds an object that is no variable of the program; its last byte must lie below `end`, where what is no object
    /// begins.
    pub(super) fn add_hidden(&mut self, name: String, base: u64, size: u64, shape: ShapeId, end: u64) -> VarId {
        let id = VarId::new(self.bases.len());
        self.bases.push(base);
        self.sizes.push(size);
        self.rooms.push(size);
        self.shapes.push(shape);
        self.by_base.insert(base, id);
        self.hidden.push(name);
        self.heap = end;
        id
    }

    /// Whether an object is a piece of allocated memory.
    pub(super) fn is_hidden(&self, object: VarId) -> bool {
        object.index() >= self.bases.len() - self.hidden.len()
    }

    fn name_of(&self, cfa: &Cfa, object: VarId, depth: Depth) -> String {
        let first = self.bases.len() - self.hidden.len();
        match object.index().checked_sub(first) {
            Some(number) => self.hidden[number].clone(),
            None => name(cfa, object, depth),
        }
    }

    /// From now on nothing is remembered of these variables.
    pub(super) fn forget(&mut self, variables: BTreeSet<VarId>) {
        self.forgotten = variables;
    }

    /// Whether nothing is remembered of a variable.
    pub(super) fn is_forgotten(&self, variable: VarId) -> bool {
        self.forgotten.contains(&variable)
    }

    pub(super) fn set_program(&mut self, (number, prefix): (u8, &str)) {
        self.program = (number, prefix.to_owned());
    }

    /// The address of a function's code as a symbol: which function a number means is a matter of its program.
    pub(super) fn code_symbol(&self, cfa: &Cfa, store: &mut TermStore, function: FunctionId, width: u32) -> TermId {
        let name = format!("{}&&{}", self.program.1, cfa.function(function).name);
        let symbol = Symbol::Code { program: self.program.0, function };
        store.object_variable(symbol, Sort::BitVec(width), &name, "")
    }

    /// The address of a variable as a symbol.
    pub(super) fn address_symbol(&mut self, cfa: &Cfa, store: &mut TermStore, variable: VarId) -> TermId {
        let name = format!("{}&{}", self.program.1, name(cfa, variable, 0));
        let symbol = Symbol::Address { program: self.program.0, object: variable };
        let term = store.object_variable(symbol, Sort::BitVec(cfa.machine.word_bits()), &name, "");
        if let Some((id, _)) = store.as_variable(term) {
            self.owners.insert(id, (variable, 0));
        }
        term
    }

    /// The first address of a variable.
    pub(super) fn base(&self, variable: VarId) -> u64 {
        self.bases[variable.index()]
    }

    /// How many bytes a variable has; a flexible array member with an initialiser counts.
    pub(super) fn size(&self, variable: VarId) -> u64 {
        self.sizes[variable.index()]
    }

    /// The first address of no object of the program.
    pub(super) fn heap(&self) -> u64 {
        self.heap
    }

    /// The address of a function.
    pub(super) fn code(function: FunctionId) -> u64 {
        CODE + 16 * function.index() as u64
    }

    /// The first address of anything.
    pub(super) fn first() -> u64 {
        CODE
    }

    /// The function that an address is in, if it is in one.
    pub(super) fn function_at(cfa: &Cfa, address: u64) -> Option<FunctionId> {
        let number = usize::try_from(address.checked_sub(CODE)? / 16).ok()?;
        (number < cfa.functions.len()).then(|| FunctionId::new(number))
    }

    pub(super) fn shape(&self, variable: VarId) -> ShapeId {
        self.shapes[variable.index()]
    }

    /// The variable that an address is nearest to, if the address is one of objects at all: in an object it is that one.
    pub(super) fn at(&self, address: u64) -> Option<VarId> {
        self.nearest(address).map(|(variable, _)| variable)
    }

    /// The variable that an address is in, or so near to that it was most likely computed from it.
    pub(super) fn near(&self, address: u64) -> Option<VarId> {
        self.nearest(address).filter(|(_, distance)| *distance <= NEAR).map(|(variable, _)| variable)
    }

    /// The nearest variable, and how many bytes lie between.
    fn nearest(&self, address: u64) -> Option<(VarId, u64)> {
        if address >= self.heap {
            return None;
        }
        let behind = self.by_base.range(address..).next().map(|(base, variable)| (*variable, *base - address));
        let Some((base, before)) = self.by_base.range(..=address).next_back() else {
            return behind.filter(|(_, distance)| *distance <= NEAR);
        };
        let distance = address.saturating_sub(base.saturating_add(self.rooms[before.index()]));
        Some(behind.filter(|(_, other)| *other < distance).unwrap_or((*before, distance)))
    }

    /// The objects with a byte, or the end, at an address between two: one of them, and whether it is the only one.
    pub(super) fn between(&self, (low, high): (i128, i128)) -> Option<(VarId, bool)> {
        let high = u64::try_from(high).ok()?;
        let low = u64::try_from(low.max(0)).unwrap_or(u64::MAX);
        let mut before = self.by_base.range(..=high).rev().map(|(base, variable)| (*base, *variable));
        // No object lies in another.
        let reaches = |(base, variable): &(u64, VarId)| base.saturating_add(self.rooms[variable.index()]) >= low;
        let (_, last) = before.next().filter(reaches)?;
        Some((last, before.next().filter(reaches).is_none()))
    }

    pub(super) fn object_of(&self, term: VariableId) -> Option<Object> {
        self.owners.get(&term).copied()
    }

    /// The term variables that hold an object, in order of its leaves.
    pub(super) fn leaves(
        &mut self,
        cfa: &Cfa,
        shapes: &mut Shapes,
        store: &mut TermStore,
        variable: VarId,
        depth: Depth,
    ) -> &[TermId] {
        if self.forgotten.contains(&variable) {
            return &[];
        }
        let shape = self.shape(variable);
        let name = if self.leaves.contains_key(&(variable, depth)) { String::new() } else { self.name_of(cfa, variable, depth) };
        let owners = &mut self.owners;
        self.leaves.entry((variable, depth)).or_insert_with(|| {
            let (program, name) = (self.program.0, format!("{}{name}", self.program.1));
            let mut terms = Vec::new();
            for (number, leaf) in (0..).zip(shapes.leaves(cfa, shape)) {
                let sort = leaf_sort(leaf.width, leaf.dimensions);
                let symbol = Symbol::Leaf(Leaf { program, object: variable, activation: depth, leaf: number });
                let term = store.object_variable(symbol, sort, &name, &leaf.path);
                if let Some((id, _)) = store.as_variable(term) {
                    owners.insert(id, (variable, depth));
                }
                terms.push(term);
            }
            terms
        })
    }
}

/// Bytes between objects that belong to none: so many that an address computed from one object hardly happens to be one of
/// another, and that the sum of an address and an `int` never is.
fn gap(cfa: &Cfa) -> u64 {
    let (room, most) = match (cfa.machine.word(), cfa.options.property) {
        (8.., _) => (1u64 << 60, 1 << 40),
        (_, formats::Property::ValidDeref) => ((1u64 << 31) - DATA, 1 << 24),
        // In 32 bits sums wrap whatever the gap is, and numbers in it would be taken for addresses.
        _ => return 16,
    };
    (room / (cfa.variables.len() as u64 + 1)).next_multiple_of(16).clamp(16, most)
}

/// The sort of a leaf.
pub(super) fn leaf_sort(width: u32, dimensions: u32) -> Sort {
    if dimensions == 0 { Sort::BitVec(width) } else { Sort::Array { index: INDEX, element: width } }
}

/// The name of an object, unique in its program: `function::x`, `x#2`, and `~1` in a second frame.
fn name(cfa: &Cfa, id: VarId, depth: Depth) -> String {
    let variable = cfa.variable(id);
    let mut name = String::new();
    if let Some(function) = variable.function {
        name.push_str(&cfa.function(function).name);
        name.push_str("::");
    }
    name.push_str(&variable.name);
    let kind = match variable.kind {
        VarKind::Global { .. } | VarKind::Local => "",
        VarKind::StaticLocal => "#static",
        VarKind::Parameter(_) => "#parameter",
        VarKind::Temporary(_) => "#temporary",
        VarKind::StringLiteral(_) => "#string",
        VarKind::CompoundLiteral => "#literal",
    };
    name.push_str(kind);
    if variable.ordinal > 0 {
        name.push_str(&format!("#{}", variable.ordinal));
    }
    if depth > 0 {
        name.push_str(&format!("~{depth}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;

    use super::*;

    #[test]
    fn addresses_are_multiples_of_what_objects_ask_for() {
        let text = "char pad; _Alignas(128) char far; typedef int wide __attribute__((aligned(256))); wide x; char tail;\n\
                    int main(void) { _Alignas(64) char near[3]; return near[0]; }";
        let cfa = program::load_source(SourceFile::new("a.c", text), &ProgramOptions::default()).unwrap();
        let objects = Objects::new(&cfa, &mut Shapes::default());
        for id in cfa.variable_ids() {
            let align = cfa.variable(id).align;
            assert_eq!(objects.base(id) % align.max(16), 0, "{}", cfa.variable(id).name);
        }
        assert_eq!(cfa.variable_ids().map(|id| cfa.variable(id).align).max(), Some(256));
    }
}
