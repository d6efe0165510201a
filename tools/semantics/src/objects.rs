//! Memory objects: what operations read and write.
//!
//! One object per variable, except that a variable of struct type which is only ever accessed through its members by
//! name or copied whole has one object per member (of members, down to scalars, arrays and unions). One object per
//! allocation site, which stands for every piece of memory allocated there, and one for memory the program does not own.
//! Invariant: the objects of a variable are neighbours, in the order of its members.
//! An object is *single* if it stands for one piece of memory at any time, so that overwriting it forgets what was there:
//! not allocation sites, external memory, arrays of run-time length, locals of recursive functions.
//! Does not know values or where pointers lead; see [`crate::pointsto`].

use fixedbitset::FixedBitSet;
use program::cfa::{Cfa, ConstantValue, EdgeId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::{ArrayLength, RecordId, Type, TypeId};
use rustc_hash::FxHashMap;

use crate::callgraph::CallGraph;
pub use crate::object_set::{ObjectId, ObjectSet};

/// A variable with more members than this is one object: a set of objects should stay small.
const MAX_MEMBERS: u32 = 128;

/// What an object is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// Memory that belongs to no object of the program.
    External,
    /// A variable as a whole.
    Variable(VarId),
    /// A member of a variable of struct type: member numbers from the outside in.
    Member {
        /// The variable.
        variable: VarId,
        /// Member numbers, at least one.
        path: Box<[u32]>,
    },
    /// What a call allocates.
    Heap {
        /// The call.
        site: EdgeId,
    },
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its type, where it has one.
    pub ty: Option<TypeId>,
    /// It stands for one piece of memory, so a store to all of it overwrites it for certain.
    pub single: bool,
}

/// Where a place is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// In a variable.
    Variable(VarId),
    /// Behind a pointer.
    Pointer {
        /// The pointer.
        pointer: ExprId,
        /// The access is volatile.
        volatile: bool,
    },
}

/// The objects of a place in a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectRange {
    /// The first object.
    pub first: ObjectId,
    /// How many, neighbours.
    pub count: u32,
    /// The place covers these objects completely.
    pub whole: bool,
}

impl ObjectRange {
    /// The objects.
    pub fn iter(self) -> impl Iterator<Item = ObjectId> {
        (self.first.0..self.first.0 + self.count).map(ObjectId)
    }

    /// The objects as a set.
    #[must_use]
    pub fn set(self) -> ObjectSet {
        ObjectSet::range(self.first, self.count)
    }
}

/// The objects of a program.
#[derive(Clone, Debug)]
pub struct Objects {
    table: Vec<Object>,
    of_variable: Vec<ObjectRange>,
    heap: FxHashMap<EdgeId, ObjectId>,
    members: FxHashMap<RecordId, u32>,
    address_taken: FixedBitSet,
}

impl Objects {
    /// The objects of a program, with structs split into members wherever that is sound.
    #[must_use]
    pub fn new(cfa: &Cfa, calls: &CallGraph) -> Self {
        Self::with_split(cfa, calls, |_| true)
    }

    /// As [`Self::new`], but only variables that `may_split` allows are split: two programs that are compared should split
    /// the same.
    #[must_use]
    pub fn with_split(cfa: &Cfa, calls: &CallGraph, may_split: impl Fn(VarId) -> bool) -> Self {
        let external = Object { kind: ObjectKind::External, ty: None, single: false };
        let mut objects = Self {
            table: vec![external],
            of_variable: Vec::with_capacity(cfa.variables.len()),
            heap: FxHashMap::default(),
            members: FxHashMap::default(),
            address_taken: addresses_taken(cfa),
        };
        for variable in cfa.variable_ids() {
            let span = if may_split(variable) && objects.is_splittable(cfa, variable) {
                objects.add_members(cfa, calls, variable)
            } else {
                let single = is_single(cfa, calls, variable);
                let ty = Some(cfa.variable(variable).ty.ty);
                let first = objects.add(Object { kind: ObjectKind::Variable(variable), ty, single });
                ObjectRange { first, count: 1, whole: true }
            };
            objects.of_variable.push(span);
        }
        for site in cfa.edge_ids() {
            if let Operation::Call { callee, .. } = cfa.edge(site).operation
                && !cfa.enters(callee)
                && cfa.function(callee).known == Some(Known::Allocate)
            {
                let object = objects.add(Object { kind: ObjectKind::Heap { site }, ty: None, single: false });
                objects.heap.insert(site, object);
            }
        }
        objects
    }

    /// The same objects for executions in which no function is active twice: locals of recursive functions are single.
    #[must_use]
    pub fn without_recursion(mut self, cfa: &Cfa) -> Self {
        for object in &mut self.table {
            let variable = match object.kind {
                ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => variable,
                ObjectKind::External | ObjectKind::Heap { .. } => continue,
            };
            let types = [Some(cfa.variable(variable).ty.ty), object.ty];
            object.single = !types.into_iter().flatten().any(|ty| is_variable_length(cfa, ty));
        }
        self
    }

    /// How many objects there are; identities are dense below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Never: external memory always is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// An object.
    #[must_use]
    pub fn get(&self, object: ObjectId) -> &Object {
        &self.table[object.index()]
    }

    /// All objects.
    #[must_use]
    pub fn all(&self) -> ObjectSet {
        (0..self.table.len()).map(ObjectId::new).collect()
    }

    /// All objects in order.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.table.iter().enumerate().map(|(i, o)| (ObjectId::new(i), o))
    }

    /// Whether a store to all of the object overwrites it for certain.
    #[must_use]
    pub fn is_single(&self, object: ObjectId) -> bool {
        self.get(object).single
    }

    /// The objects of a variable: one, or one per member.
    #[must_use]
    pub fn of_variable(&self, variable: VarId) -> ObjectRange {
        self.of_variable[variable.index()]
    }

    /// Whether a variable is one object per member here.
    #[must_use]
    pub fn is_split(&self, variable: VarId) -> bool {
        matches!(self.get(self.of_variable(variable).first).kind, ObjectKind::Member { .. })
    }

    /// The variable an object belongs to.
    #[must_use]
    pub fn variable_of(&self, object: ObjectId) -> Option<VarId> {
        match self.get(object).kind {
            ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => Some(variable),
            ObjectKind::External | ObjectKind::Heap { .. } => None,
        }
    }

    /// The object that stands for what a call allocates.
    #[must_use]
    pub fn heap(&self, site: EdgeId) -> Option<ObjectId> {
        self.heap.get(&site).copied()
    }

    /// Whether a pointer to the variable, or into it, may exist.
    #[must_use]
    pub fn is_address_taken(&self, variable: VarId) -> bool {
        self.address_taken.contains(variable.index())
    }

    /// Whether a variable could be one object per member: it has struct type and no pointer into it exists.
    fn is_splittable(&mut self, cfa: &Cfa, variable: VarId) -> bool {
        if self.is_address_taken(variable) {
            return false;
        }
        match struct_of(cfa, cfa.variable(variable).ty.ty) {
            Some(record) => (1..=MAX_MEMBERS).contains(&self.member_count(cfa, record)),
            None => false,
        }
    }

    /// The objects of a place whose root is a variable; `None` behind a pointer.
    #[must_use]
    pub fn direct(&self, cfa: &Cfa, place: ExprId) -> Option<ObjectRange> {
        let mut steps = Vec::new();
        let mut at = place;
        let variable = loop {
            match *cfa.exprs.get(at) {
                Expr::Variable(variable) => break variable,
                Expr::Field(inner, number) => {
                    steps.push(Some(number));
                    at = inner;
                }
                Expr::Index(inner, _) => {
                    steps.push(None);
                    at = inner;
                }
                Expr::Dereference { pointer, .. } => at = points_at(cfa, at, pointer)?,
                value!() => return None,
            }
        };
        let mut span = self.of_variable(variable);
        if !self.is_split(variable) {
            span.whole = steps.is_empty();
            return Some(span);
        }
        let mut ty = cfa.variable(variable).ty.ty;
        for step in steps.into_iter().rev() {
            let (Some(record), Some(number)) = (struct_of(cfa, ty), step) else {
                // Inside a scalar, an array or a union: part of its one object.
                span.whole = false;
                break;
            };
            let fields = &cfa.types.record(record).fields;
            let before = fields[..number as usize].iter().map(|f| self.members_of_type(cfa, f.ty.ty)).sum::<u32>();
            ty = fields[number as usize].ty.ty;
            span.first = ObjectId(span.first.0 + before);
            span.count = self.members_of_type(cfa, ty);
        }
        Some(span)
    }

    /// The name of an object for people: `x`, `f::x`, `s.member`, `what f allocates at line 12`.
    #[must_use]
    pub fn name(&self, cfa: &Cfa, object: ObjectId) -> String {
        let function = self.variable_of(object).and_then(|v| cfa.variable(v).function);
        let own = self.own_name(cfa, object);
        function.map_or_else(|| own.clone(), |f| format!("{}::{own}", cfa.function(f).name))
    }

    /// The name of an object within its function.
    #[must_use]
    pub fn own_name(&self, cfa: &Cfa, object: ObjectId) -> String {
        match &self.get(object).kind {
            ObjectKind::External => "external memory".to_owned(),
            ObjectKind::Variable(variable) => cfa.variable(*variable).name.to_string(),
            ObjectKind::Member { variable, path } => {
                let mut name = cfa.variable(*variable).name.to_string();
                let mut ty = cfa.variable(*variable).ty.ty;
                for &number in path {
                    let Some(record) = struct_of(cfa, ty) else { break };
                    let field = &cfa.types.record(record).fields[number as usize];
                    name.push('.');
                    name.push_str(field.name.as_deref().unwrap_or("(unnamed)"));
                    ty = field.ty.ty;
                }
                name
            }
            ObjectKind::Heap { site } => {
                let edge = cfa.edge(*site);
                let function = &cfa.function(cfa.location(edge.source).function).name;
                format!("what {function} allocates at line {}", cfa.source.location(edge.span.lo).line)
            }
        }
    }

    fn add(&mut self, object: Object) -> ObjectId {
        self.table.push(object);
        ObjectId::new(self.table.len() - 1)
    }

    fn add_members(&mut self, cfa: &Cfa, calls: &CallGraph, variable: VarId) -> ObjectRange {
        let variable_single = is_single(cfa, calls, variable);
        let first = ObjectId::new(self.table.len());
        // Members still to be added, last one first.
        let mut wait = vec![(Vec::new(), cfa.variable(variable).ty.ty)];
        while let Some((path, ty)) = wait.pop() {
            if let Some(record) = struct_of(cfa, ty) {
                let deeper = (0u32..).zip(&cfa.types.record(record).fields).map(|(number, field)| {
                    let mut inner: Vec<u32> = path.clone();
                    inner.push(number);
                    (inner, field.ty.ty)
                });
                let start = wait.len();
                wait.extend(deeper);
                wait[start..].reverse();
            } else {
                let single = variable_single && !is_variable_length(cfa, ty);
                self.add(Object { kind: ObjectKind::Member { variable, path: path.into() }, ty: Some(ty), single });
            }
        }
        let count = ObjectId::new(self.table.len()).0 - first.0;
        ObjectRange { first, count, whole: true }
    }

    fn members_of_type(&self, cfa: &Cfa, ty: TypeId) -> u32 {
        match struct_of(cfa, ty) {
            Some(record) => self.members.get(&record).copied().unwrap_or(0),
            None => 1,
        }
    }

    /// How many objects a struct is split into. Structs nest as deep as their definitions do in the source.
    fn member_count(&mut self, cfa: &Cfa, record: RecordId) -> u32 {
        if let Some(&known) = self.members.get(&record) {
            return known;
        }
        let mut count = 0u32;
        for field in &cfa.types.record(record).fields {
            let inner = match struct_of(cfa, field.ty.ty) {
                Some(record) => self.member_count(cfa, record),
                None => 1,
            };
            count = count.saturating_add(inner);
        }
        self.members.insert(record, count);
        count
    }
}

/// Where a place is found: in a variable or behind a pointer. `None` if the expression is no place.
#[must_use]
pub fn root(cfa: &Cfa, place: ExprId) -> Option<Root> {
    let mut at = place;
    loop {
        match *cfa.exprs.get(at) {
            Expr::Variable(variable) => return Some(Root::Variable(variable)),
            Expr::Field(inner, _) | Expr::Index(inner, _) => at = inner,
            Expr::Dereference { pointer, volatile } => match points_at(cfa, at, pointer) {
                Some(inner) => at = inner,
                None => return Some(Root::Pointer { pointer, volatile }),
            },
            value!() => return None,
        }
    }
}

/// The place `*&place` stands for, if the types agree.
fn points_at(cfa: &Cfa, dereference: ExprId, pointer: ExprId) -> Option<ExprId> {
    let Expr::AddressOf(place) = *cfa.exprs.get(pointer) else { return None };
    (cfa.exprs.ty(place) == cfa.exprs.ty(dereference)).then_some(place)
}

/// The record of a struct type that can be split; not unions, and nothing whose layout is not understood.
fn struct_of(cfa: &Cfa, ty: TypeId) -> Option<RecordId> {
    let Type::Record(id) = *cfa.types.get(ty) else { return None };
    let record = cfa.types.record(id);
    let usable = record.complete && !record.is_union && record.unsupported.is_none();
    usable.then_some(id)
}

fn is_variable_length(cfa: &Cfa, ty: TypeId) -> bool {
    let mut ty = ty;
    while let Type::Array { element, length } = *cfa.types.get(ty) {
        if matches!(length, ArrayLength::Variable(_)) {
            return true;
        }
        ty = element.ty;
    }
    false
}

fn is_single(cfa: &Cfa, calls: &CallGraph, variable: VarId) -> bool {
    let v = cfa.variable(variable);
    let lasting = match v.kind {
        VarKind::Global { .. } | VarKind::StaticLocal | VarKind::StringLiteral(_) => true,
        VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) | VarKind::CompoundLiteral => false,
    };
    let recursive = v.function.is_some_and(|f| calls.is_recursive(f));
    (lasting || !recursive) && !is_variable_length(cfa, v.ty.ty)
}

/// The expressions that stand in some operation, operands included. Building others on the way leaves more in the arena.
pub(crate) fn used_expressions(cfa: &Cfa) -> FixedBitSet {
    let mut used = FixedBitSet::with_capacity(cfa.exprs.len());
    let mut mark = |expr: ExprId| used.insert(expr.index());
    for edge in &cfa.edges {
        match &edge.operation {
            Operation::Assume { condition, .. } => mark(*condition),
            Operation::Assign { place, value } => [*place, *value].into_iter().for_each(&mut mark),
            Operation::Call { arguments, .. } => arguments.iter().copied().for_each(&mut mark),
            Operation::Return { value } => value.iter().copied().for_each(&mut mark),
            Operation::Asm(asm) => asm.inputs.iter().chain(&asm.outputs).map(|o| o.expr).for_each(&mut mark),
            Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => {}
        }
    }
    for id in (0..cfa.exprs.len()).rev().map(ExprId::new) {
        if used.contains(id.index()) {
            cfa.exprs.get(id).operands().for_each(|o| used.insert(o.index()));
        }
    }
    used
}

/// The variables into which a pointer may exist.
fn addresses_taken(cfa: &Cfa) -> FixedBitSet {
    let mut taken = FixedBitSet::with_capacity(cfa.variables.len());
    let mut take = |place: ExprId| {
        if let Some(Root::Variable(variable)) = root(cfa, place) {
            taken.insert(variable.index());
        }
    };
    let used = used_expressions(cfa);
    for id in used.ones().map(ExprId::new) {
        if let Expr::AddressOf(place) = *cfa.exprs.get(id) {
            take(place);
        }
    }
    for edge in &cfa.edges {
        if let Operation::Asm(asm) = &edge.operation {
            asm.inputs.iter().chain(&asm.outputs).for_each(|operand| take(operand.expr));
        }
    }
    for (variable, v) in cfa.variable_ids().zip(&cfa.variables) {
        if v.address_taken {
            taken.insert(variable.index());
        }
        for scalar in v.initializer.iter().flat_map(|i| &i.scalars) {
            if let ConstantValue::Address { variable, .. } = scalar.value {
                taken.insert(variable.index());
            }
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops::Loops;
    use crate::test_program::TestProgram;

    fn objects(cfa: &Cfa) -> Objects {
        Objects::new(cfa, &CallGraph::new(cfa, &Loops::new(cfa)))
    }

    /// p42 needs members to be told apart, p29 that a member is not the whole.
    #[test]
    fn a_struct_is_split_down_to_arrays_and_unions() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let either = p.union(&[p.int, p.pointer]);
        let inner = p.record(&[p.int, either]);
        let outer = p.record(&[p.int, inner, p.int]);
        let s = p.local("s", outer, main);
        let place = p.place(s);
        let middle = p.field(place, 1);
        let union = p.field(middle, 1);
        let part = p.field(union, 0);
        let last = p.field(place, 2);
        let cfa = p.build();
        let objects = objects(&cfa);
        assert!(objects.is_split(s));
        let first = objects.of_variable(s).first.0;
        let range = |e| objects.direct(&cfa, e).map(|r| (r.first.0 - first, r.count, r.whole));
        assert_eq!(range(place), Some((0, 4, true)));
        assert_eq!(range(middle), Some((1, 2, true)));
        assert_eq!(range(union), Some((2, 1, true)));
        assert_eq!(range(part), Some((2, 1, false)));
        assert_eq!(range(last), Some((3, 1, true)));
        let whole = Objects::with_split(&cfa, &CallGraph::new(&cfa, &Loops::new(&cfa)), |_| false);
        assert!(!whole.is_split(s));
        assert_eq!(whole.direct(&cfa, last).map(|r| (r.count, r.whole)), Some((1, false)));
    }

    #[test]
    fn a_pointer_into_a_struct_keeps_it_in_one_piece() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let record = p.record(&[p.int, p.int]);
        let s = p.local("s", record, main);
        let place = p.place(s);
        let member = p.field(place, 1);
        let address = p.address(member);
        p.finish_function(p.entry(main), Some(address));
        let objects = objects(&p.build());
        assert!(!objects.is_split(s) && objects.is_address_taken(s));
    }

    #[test]
    fn what_stands_for_several_is_not_single() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        let f = p.function("f");
        let malloc = p.external("malloc", Some(Known::Allocate));
        let (x, y) = (p.local("x", p.int, main), p.local("y", p.int, f));
        let lasting = p.variable("z", p.int, Some(f), VarKind::StaticLocal);
        let mut at = p.entry(f);
        p.call(&mut at, f, &[], None);
        let mut at = p.entry(main);
        let site = p.call(&mut at, malloc, &[], None);
        let objects = objects(&p.build());
        let single = |v| objects.is_single(objects.of_variable(v).first);
        assert!(single(x) && !single(y) && single(lasting));
        assert!(!objects.is_single(objects.heap(site).expect("allocates")));
        assert!(!objects.is_single(ObjectId::EXTERNAL));
    }
}
