//! Which types of several translation units are the same.
//!
//! Every unit defines the types of its headers anew. Those of the same tag (or type name) with the same members in the same
//! places are one type of the program, so that objects and functions of other units have types that this unit knows.
//! Equality is coinductive: two records are the same unless something tells them apart. Within one unit no two are.
//! Does not know objects and functions; what is linked is compared first, see `linkage`.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::scope::Tag;
use crate::ast::{self, Symbol};
use crate::types::{ArrayLength, EnumId, FunctionType, QualType, Qualifiers, Record, RecordId, Type, TypeId, TypeTable};

/// Which types have been found to be the same, by the numbers they had when the declarations of all units were scanned, and
/// which types of the program they are.
#[derive(Default)]
pub(super) struct Sharing {
    /// The unit that is read.
    pub(super) unit: usize,
    /// Tags of the file level by unit, as scanned.
    pub(super) tags: Vec<BTreeMap<Symbol, Tag>>,
    /// Definitions as scanned.
    pub(super) records: FxHashMap<ast::RecordId, RecordId>,
    pub(super) enums: FxHashMap<ast::EnumId, EnumId>,
    classes: Vec<usize>,
    record_count: usize,
    made: BTreeMap<usize, Tag>,
}

impl Sharing {
    pub(super) fn learn(&mut self, merger: Merger<'_>) {
        self.record_count = merger.record_count;
        self.classes = merger.classes;
    }

    fn class(&self, tag: Tag) -> Option<usize> {
        let node = match tag {
            Tag::Record(record) => record.index(),
            Tag::Enum(definition) => self.record_count + definition.index(),
        };
        self.classes.get(node).copied()
    }

    fn get(&self, scanned: Option<Tag>) -> Option<Tag> {
        self.made.get(&self.class(scanned?)?).copied()
    }

    fn set(&mut self, scanned: Option<Tag>, tag: Tag) {
        if let Some(class) = scanned.and_then(|scanned| self.class(scanned)) {
            self.made.entry(class).or_insert(tag);
        }
    }

    fn tag(&self, name: Symbol) -> Option<Tag> {
        self.tags.get(self.unit)?.get(&name).copied()
    }
}

impl Lowerer<'_> {
    /// The record that another unit has made of a definition like this one, or this unit of a mere mention of its tag.
    pub(super) fn shared_record(&self, id: ast::RecordId) -> Option<RecordId> {
        let sharing = &self.linking.sharing;
        match sharing.get(sharing.records.get(&id).map(|record| Tag::Record(*record)))? {
            Tag::Record(record) => Some(record),
            Tag::Enum(_) => None,
        }
    }

    pub(super) fn share_record(&mut self, id: ast::RecordId, record: RecordId) {
        let scanned = self.linking.sharing.records.get(&id).map(|record| Tag::Record(*record));
        self.linking.sharing.set(scanned, Tag::Record(record));
    }

    /// As [`Self::shared_record`], for an enumeration.
    pub(super) fn shared_enum(&self, id: ast::EnumId) -> Option<EnumId> {
        let sharing = &self.linking.sharing;
        match sharing.get(sharing.enums.get(&id).map(|definition| Tag::Enum(*definition)))? {
            Tag::Enum(definition) => Some(definition),
            Tag::Record(_) => None,
        }
    }

    pub(super) fn share_enum(&mut self, id: ast::EnumId, definition: EnumId) {
        let scanned = self.linking.sharing.enums.get(&id).map(|definition| Tag::Enum(*definition));
        self.linking.sharing.set(scanned, Tag::Enum(definition));
    }

    /// What another unit has made of a tag of the file level.
    pub(super) fn shared_tag(&self, name: Symbol) -> Option<Tag> {
        let sharing = &self.linking.sharing;
        if self.scopes.depth() > 0 { None } else { sharing.get(sharing.tag(name)) }
    }

    pub(super) fn share_tag(&mut self, name: Symbol, tag: Tag) {
        if self.scopes.depth() == 0 {
            let scanned = self.linking.sharing.tag(name);
            self.linking.sharing.set(scanned, tag);
        }
    }

    /// Whether declarations of two units mean the same: compatible types, whatever is said of `const`.
    pub(super) fn agree(&self, a: TypeId, b: TypeId) -> bool {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            if !self.compatible(a, b) && !same_shape(&self.types, a, b, true, &mut pending) {
                return false;
            }
        }
        true
    }
}

/// Finds types of several units that are the same.
pub(super) struct Merger<'t> {
    types: &'t TypeTable,
    record_count: usize,
    /// By node: the records, then the enumerations.
    classes: Vec<usize>,
    /// By class.
    members: Vec<BTreeMap<usize, usize>>,
    /// A node of the class that is complete, if one is.
    complete: Vec<Option<usize>>,
    log: Vec<Merged>,
}

/// A step that can be taken back.
struct Merged {
    from: usize,
    to: usize,
    moved: BTreeMap<usize, usize>,
    complete: Option<usize>,
}

impl<'t> Merger<'t> {
    /// `unit_of` says which unit a record and an enumeration belong to, by their numbers.
    pub(super) fn new(types: &'t TypeTable, record_units: &[usize], enum_units: &[usize]) -> Self {
        let record_count = record_units.len();
        let nodes = record_count + enum_units.len();
        let units = record_units.iter().chain(enum_units);
        let complete = types.records().map(|(_, record)| record.complete).chain(types.enums().map(|(_, e)| e.complete));
        Self {
            types,
            record_count,
            classes: (0..nodes).collect(),
            members: units.enumerate().map(|(node, unit)| BTreeMap::from([(*unit, node)])).collect(),
            complete: complete.take(nodes).enumerate().map(|(node, complete)| complete.then_some(node)).collect(),
            log: Vec::new(),
        }
    }

    /// Takes two types for the same if nothing tells them apart; `loose` is for what is linked: there, `const` and missing
    /// prototypes and lengths do not count.
    pub(super) fn unify(&mut self, a: TypeId, b: TypeId, loose: bool) -> bool {
        let mark = self.log.len();
        let same = self.same(a, b, loose);
        while !same && self.log.len() > mark {
            self.undo();
        }
        if same {
            self.log.clear();
        }
        same
    }

    fn same(&mut self, a: TypeId, b: TypeId, loose: bool) -> bool {
        let mut pending = vec![(a, b, loose)];
        let mut parts = Vec::new();
        while let Some((a, b, loose)) = pending.pop() {
            // What members are must be the same in all respects.
            let (same, loose) = match (self.types.get(a), self.types.get(b)) {
                _ if a == b => (true, loose),
                (Type::Record(x), Type::Record(y)) => (self.same_records(*x, *y, &mut parts), false),
                (Type::Enum(x), Type::Enum(y)) => (self.same_enums(*x, *y), false),
                _ => (same_shape(self.types, a, b, loose, &mut parts), loose),
            };
            if !same {
                return false;
            }
            pending.extend(parts.drain(..).map(|(a, b)| (a, b, loose)));
        }
        true
    }

    fn same_records(&mut self, x: RecordId, y: RecordId, pending: &mut Vec<(TypeId, TypeId)>) -> bool {
        let types = self.types;
        let Some(found) = self.merge(x.index(), y.index()) else { return false };
        let Some((x, y)) = found else { return true };
        let (x, y) = (types.record(RecordId::new(x)), types.record(RecordId::new(y)));
        same_layout(x, y, pending)
    }

    fn same_enums(&mut self, x: EnumId, y: EnumId) -> bool {
        let (types, count) = (self.types, self.record_count);
        let Some(found) = self.merge(count + x.index(), count + y.index()) else { return false };
        let Some((x, y)) = found else { return true };
        let (x, y) = (types.enumeration(EnumId::new(x - count)), types.enumeration(EnumId::new(y - count)));
        x.underlying == y.underlying && x.enumerators == y.enumerators
    }

    /// Makes one class of those of two nodes. `None` if they cannot be the same; else what there is to compare.
    #[allow(clippy::option_option, reason = "no, yes, and yes if these two are the same")]
    fn merge(&mut self, x: usize, y: usize) -> Option<Option<(usize, usize)>> {
        let (x, y) = (self.classes[x], self.classes[y]);
        if x == y {
            return Some(None);
        }
        let (to, from) = (x.min(y), x.max(y));
        let (small, large) = if self.members[to].len() < self.members[from].len() { (to, from) } else { (from, to) };
        let apart = self.name(x) != self.name(y);
        if apart || self.members[small].keys().any(|unit| self.members[large].contains_key(unit)) {
            return None;
        }
        let moved = std::mem::take(&mut self.members[from]);
        for node in moved.values() {
            self.classes[*node] = to;
        }
        self.members[to].extend(&moved);
        let (old, other) = (self.complete[to], self.complete[from]);
        self.complete[to] = old.or(other);
        self.log.push(Merged { from, to, moved, complete: old });
        Some(old.zip(other))
    }

    fn undo(&mut self) {
        let Some(Merged { from, to, moved, complete }) = self.log.pop() else { return };
        for (unit, node) in &moved {
            self.classes[*node] = from;
            self.members[to].remove(unit);
        }
        self.members[from] = moved;
        self.complete[to] = complete;
    }

    /// What must be the same even of types that are incomplete.
    fn name(&self, node: usize) -> (u8, Option<&str>) {
        match node.checked_sub(self.record_count) {
            Some(number) => (0, self.types.enumeration(EnumId::new(number)).tag.as_deref()),
            None => {
                let record = self.types.record(RecordId::new(node));
                (1 + u8::from(record.is_union), record.tag.as_deref())
            }
        }
    }
}

/// Whether two complete records have the same members in the same places; what types the members must have goes to `pending`.
fn same_layout(x: &Record, y: &Record, pending: &mut Vec<(TypeId, TypeId)>) -> bool {
    let whole = |r: &Record| (r.size, r.align, r.unsupported.clone(), r.fields.len());
    let fields = x.fields.iter().zip(&y.fields).all(|(f, g)| {
        pending.push((f.ty.ty, g.ty.ty));
        f.name == g.name && f.ty.qualifiers == g.ty.qualifiers && (f.offset, f.bits, f.align) == (g.offset, g.bits, g.align)
    });
    whole(x) == whole(y) && fields
}

/// Whether two types are built in the same way; what their parts must be goes to `pending`.
fn same_shape(types: &TypeTable, a: TypeId, b: TypeId, loose: bool, pending: &mut Vec<(TypeId, TypeId)>) -> bool {
    let qualifiers = |q: Qualifiers| if loose { Qualifiers { is_const: false, ..q } } else { q };
    let mut part = |x: QualType, y: QualType| {
        pending.push((x.ty, y.ty));
        qualifiers(x.qualifiers) == qualifiers(y.qualifiers)
    };
    match (types.get(a), types.get(b)) {
        _ if a == b => true,
        (Type::Enum(x), Type::Int { .. }) if loose => types.enumeration(*x).underlying == b,
        (Type::Int { .. }, Type::Enum(y)) if loose => types.enumeration(*y).underlying == a,
        (Type::Pointer(x), Type::Pointer(y)) => part(*x, *y),
        (Type::Array { element: x, length: m }, Type::Array { element: y, length: n }) => {
            let open = loose && (*m == ArrayLength::Incomplete || *n == ArrayLength::Incomplete);
            (open || m == n) && part(*x, *y)
        }
        (Type::Function(f), Type::Function(g)) => same_function(f, g, loose, pending),
        (Type::Vector { element: x, bytes: m }, Type::Vector { element: y, bytes: n }) => {
            pending.push((*x, *y));
            m == n
        }
        _ => false,
    }
}

fn same_function(f: &FunctionType, g: &FunctionType, loose: bool, pending: &mut Vec<(TypeId, TypeId)>) -> bool {
    pending.push((f.result.ty, g.result.ty));
    if loose && (f.unprototyped || g.unprototyped) {
        return true;
    }
    pending.extend(f.parameters.iter().zip(&g.parameters).map(|(x, y)| (x.ty, y.ty)));
    f.parameters.len() == g.parameters.len() && (f.variadic, f.unprototyped) == (g.variadic, g.unprototyped)
}

/// Finds the types of all units that have the same tag or type name, after what is linked has been compared. Each unit has a
/// table.
pub(super) fn merge_named<K: Ord + Copy>(merger: &mut Merger<'_>, tables: &[BTreeMap<K, TypeId>]) {
    let mut known: BTreeMap<K, Vec<TypeId>> = BTreeMap::new();
    for (name, ty) in tables.iter().flatten() {
        let known = known.entry(*name).or_default();
        if !known.iter().any(|other| merger.unify(*other, *ty, false)) {
            known.push(*ty);
        }
    }
}
