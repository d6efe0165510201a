//! Which objects on the heap are records that are only accessed member by member.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, Known, Operation, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::known::{self, Allocation};
use program::types::{RecordId, Type};
use semantics::facts::Facts;
use semantics::objects::ObjectKind;

use super::Class;
use super::forms::{allocates, expressions, inner, member_address, through, used};
use super::made::{Arbitrary, Blame, made};

/// Programs with more edges are left alone: paths through them are long anyway.
const MOST_EDGES: usize = 20_000;

/// Whether a run may pass a call more than once: of a single object other analyses know more.
fn is_passed_often(facts: &Facts<'_>, call: EdgeId) -> bool {
    let cfa = facts.cfa();
    let (mut pending, mut seen) = (vec![call], BTreeSet::new());
    while let Some(call) = pending.pop() {
        let at = cfa.edge(call).source;
        let function = cfa.location(at).function;
        if facts.loops().of_function(function).any(|one| one.contains(at)) || facts.calls().is_recursive(function) {
            return true;
        }
        if seen.insert(function) {
            pending.extend(facts.calls().call_sites(function).iter().copied());
        } else {
            return true;
        }
    }
    false
}

/// The classes of a program that may have many objects. A call that allocates is in one of them at most; it is in none where something is done to its
/// memory that is more than reading and writing scalar members of a record.
#[must_use]
pub fn classes(facts: &Facts<'_>) -> Vec<Class> {
    let cfa = facts.cfa();
    if cfa.edges.len() > MOST_EDGES || cfa.starts_threads() || !cfa.edge_ids().any(|edge| allocates(cfa, edge)) {
        return Vec::new();
    }
    let mut finder = Finder { facts, cfa, groups: BTreeMap::new(), of: BTreeMap::new(), inner: inner(cfa) };
    finder.look();
    let mut classes = finder.classes();
    classes.retain(|class| class.sites.iter().any(|site| is_passed_often(facts, *site)));
    while !classes.is_empty() {
        let count = classes.len();
        let made = made(facts, (&classes, &[]), Blame::First, Arbitrary::Declaration);
        let known = Facts::new(&made.recast.cfa);
        let mut focus = made.focus.iter();
        classes.retain(|class| {
            let elsewhere = focus.next().is_none_or(|focus| leads_elsewhere(&known, *focus, class));
            !elsewhere && !class.sites.iter().any(|site| escapes(&known, *site))
        });
        if classes.len() == count {
            break;
        }
    }
    classes
}

/// Whether code that is not there may get the address of what a call allocates.
///
/// Asked of the program in focus: members are variables there, so that an integer of an object is not taken for one of its
/// pointers. Sound: up to the first time that foreign code touches an object of the class, a run of the program is one of
/// the program in focus, and foreign code must have got the address in that.
fn escapes(facts: &Facts<'_>, site: EdgeId) -> bool {
    facts.objects().heap(site).is_none_or(|object| facts.points_to().is_escaped(object))
}

/// Whether an access may be to something else than objects of a class.
///
/// Asked of the program in focus, as above: a pointer that comes out of an object may be an integer of it for who does not tell its
/// members apart, and an integer may be anything. Sound: up to the first access to something else, a run of the program is one of
/// the program in focus, where that access puts its pointer into the variable.
fn leads_elsewhere(facts: &Facts<'_>, focus: VarId, class: &Class) -> bool {
    let cfa = facts.cfa();
    let is_focus = |place: ExprId| matches!(*cfa.exprs.get(place), Expr::Variable(variable) if variable == focus);
    let is_load = |expr: &ExprId| matches!(*cfa.exprs.get(*expr), Expr::Load(place) if is_focus(place));
    let is_other = |expr: ExprId| {
        let of_class = |kind: &ObjectKind| matches!(kind, ObjectKind::Heap { site } if class.sites.contains(site));
        facts.points_to().targets(expr).iter().any(|object| !of_class(&facts.objects().get(object).kind))
    };
    cfa.exprs.ids().filter(is_load).any(is_other)
}

/// What is known of the memory of some calls.
#[derive(Clone, Debug, Default)]
struct Group {
    spoilt: bool,
    records: BTreeSet<RecordId>,
    members: BTreeSet<u32>,
}

struct Finder<'a> {
    facts: &'a Facts<'a>,
    cfa: &'a Cfa,
    groups: BTreeMap<EdgeId, Group>,
    /// For each call another one that is treated alike, or itself.
    of: BTreeMap<EdgeId, EdgeId>,
    /// Temporary variables that hold addresses of members.
    inner: BTreeMap<VarId, BTreeSet<u32>>,
}

impl Finder<'_> {
    fn look(&mut self) {
        let cfa = self.cfa;
        for edge in cfa.edge_ids().filter(|edge| allocates(cfa, *edge)) {
            self.site(edge);
        }
        let used = used(cfa);
        for (number, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            self.expression(ExprId::new(number));
        }
        for edge in cfa.edge_ids() {
            self.operation(edge);
        }
    }

    fn site(&mut self, edge: EdgeId) {
        let Operation::Call { callee, .. } = self.cfa.edge(edge).operation else { return };
        let row = known::special(&self.cfa.function(callee).name);
        let is_plain = matches!(row.and_then(|row| row.allocation), Some(Allocation::Size | Allocation::Product));
        self.of.insert(edge, edge);
        self.groups.insert(edge, Group { spoilt: !is_plain, ..Group::default() });
    }

    /// The calls whose memory a pointer may lead to, and whether it may lead to other objects that are known. Others are looked
    /// for in the program in focus.
    fn targets(&self, pointer: ExprId) -> (Vec<EdgeId>, bool) {
        let (mut sites, mut elsewhere) = (Vec::new(), false);
        for object in self.facts.points_to().targets(pointer).iter() {
            match self.facts.objects().get(object).kind {
                ObjectKind::Heap { site } if self.of.contains_key(&site) => sites.push(site),
                ObjectKind::External => {}
                ObjectKind::Heap { .. } | ObjectKind::Variable(_) | ObjectKind::Member { .. } => elsewhere = true,
            }
        }
        (sites, elsewhere)
    }

    fn spoil(&mut self, sites: &[EdgeId]) {
        for site in sites {
            let root = self.root(*site);
            self.groups.entry(root).or_default().spoilt = true;
        }
    }

    fn root(&self, site: EdgeId) -> EdgeId {
        let mut at = site;
        while let Some(next) = self.of.get(&at).filter(|next| **next != at) {
            at = *next;
        }
        at
    }

    fn unite(&mut self, sites: &[EdgeId]) -> Option<EdgeId> {
        let first = self.root(*sites.first()?);
        for site in &sites[1..] {
            let root = self.root(*site);
            if root != first {
                let other = self.groups.remove(&root).unwrap_or_default();
                let group = self.groups.entry(first).or_default();
                group.spoilt |= other.spoilt;
                group.records.extend(other.records);
                group.members.extend(other.members);
                self.of.insert(root, first);
            }
        }
        Some(first)
    }

    /// The calls behind the pointer of a dereference, if it leads to their memory.
    fn behind(&self, place: ExprId) -> Option<(Vec<EdgeId>, bool)> {
        let Expr::Dereference { pointer, volatile } = *self.cfa.exprs.get(place) else { return None };
        let (sites, elsewhere) = self.targets(pointer);
        (!sites.is_empty()).then_some((sites, elsewhere || volatile))
    }

    /// The calls behind a member of what a pointer leads to.
    fn member_of(&self, place: ExprId) -> Option<Vec<EdgeId>> {
        let Expr::Field(inner, _) = *self.cfa.exprs.get(place) else { return None };
        self.behind(inner).map(|(sites, _)| sites)
    }

    fn expression(&mut self, id: ExprId) {
        let expr = *self.cfa.exprs.get(id);
        for operand in expr.operands() {
            if let Some((sites, elsewhere)) = self.behind(operand) {
                match expr {
                    Expr::Field(place, number) if !elsewhere => self.member(place, number, &sites),
                    Expr::Load(_) if !elsewhere && self.is_inner(operand) => _ = self.unite(&sites),
                    _ => self.spoil(&sites),
                }
            }
            if let Some(sites) = self.member_of(operand)
                && !matches!(expr, Expr::Load(_) | Expr::AddressOf(_))
            {
                self.spoil(&sites);
            }
            self.inner_operand(&expr, operand);
        }
        match expr {
            Expr::PointerOffset { pointer, .. } => self.spoil(&self.targets(pointer).0),
            Expr::PointerDifference { left, right, .. } => {
                self.spoil(&self.targets(left).0);
                self.spoil(&self.targets(right).0);
            }
            // What is read there is read only under a condition.
            Expr::Conditional(..) | Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..) => self.spoil_within(id),
            _ => {}
        }
    }

    /// Whether a place is what a temporary variable with the address of a member leads to.
    fn is_inner(&self, place: ExprId) -> bool {
        through(self.cfa, place).is_some_and(|variable| self.inner.contains_key(&variable))
    }

    /// Addresses of members are for temporary variables, and these for access.
    fn inner_operand(&mut self, expr: &Expr, operand: ExprId) {
        if member_address(self.cfa, operand).is_some() {
            self.spoil(&self.targets(operand).0);
        }
        if let Expr::Variable(variable) = *self.cfa.exprs.get(operand)
            && self.inner.contains_key(&variable)
            && !matches!(expr, Expr::Load(_))
        {
            self.inner.remove(&variable);
            let all: Vec<EdgeId> = self.of.keys().copied().collect();
            self.spoil(&all);
        }
        let is_held =
            |place: ExprId| matches!(self.cfa.exprs.get(place), Expr::Variable(variable) if self.inner.contains_key(variable));
        if let Expr::Load(held) = *self.cfa.exprs.get(operand)
            && is_held(held)
            && !matches!(expr, Expr::Dereference { .. })
        {
            self.spoil(&self.targets(operand).0);
        }
    }

    /// What stands in an operation by itself.
    fn top(&mut self, operation: &Operation) {
        let mut held = Vec::new();
        expressions(operation, |expr| held.push(expr));
        let keeps = match operation {
            Operation::Assign { place, .. } => {
                matches!(self.cfa.exprs.get(*place), Expr::Variable(variable) if self.inner.contains_key(variable))
            }
            _ => false,
        };
        for expr in held {
            let is_address = member_address(self.cfa, expr).is_some();
            let is_held = match *self.cfa.exprs.get(expr) {
                Expr::Load(held) => {
                    matches!(self.cfa.exprs.get(held), Expr::Variable(variable) if self.inner.contains_key(variable))
                }
                _ => false,
            };
            if is_address && !keeps || is_held {
                self.spoil(&self.targets(expr).0);
            }
        }
    }

    /// A member of a record on the heap.
    fn member(&mut self, record_place: ExprId, number: u32, sites: &[EdgeId]) {
        let usable = match *self.cfa.types.get(self.cfa.exprs.ty(record_place)) {
            Type::Record(id) => {
                let record = self.cfa.types.record(id);
                let field = record.fields.get(number as usize);
                let scalar = field.filter(|field| field.bits.is_none()).is_some_and(|field| self.is_scalar(field.ty.ty));
                let is_plain = record.complete && !record.is_union && record.unsupported.is_none();
                let volatile = field.is_some_and(|field| field.ty.qualifiers.is_volatile);
                (is_plain && scalar && !volatile).then_some(id)
            }
            _ => None,
        };
        let Some(root) = self.unite(sites) else { return };
        let group = self.groups.entry(root).or_default();
        match usable {
            Some(id) => {
                group.records.insert(id);
                group.members.insert(number);
            }
            None => group.spoilt = true,
        }
    }

    fn is_scalar(&self, ty: program::types::TypeId) -> bool {
        matches!(self.cfa.types.get(ty), Type::Bool | Type::Int { .. } | Type::Pointer(_) | Type::Enum(_) | Type::Float(_))
    }

    fn spoil_within(&mut self, id: ExprId) {
        let mut pending = vec![id];
        while let Some(at) = pending.pop() {
            if let Some((sites, _)) = self.behind(at) {
                self.spoil(&sites);
            }
            pending.extend(self.cfa.exprs.get(at).operands());
        }
    }

    fn operation(&mut self, edge: EdgeId) {
        self.top(&self.cfa.edge(edge).operation);
        match &self.cfa.edge(edge).operation {
            // A record as a whole, or something inside it.
            Operation::Assign { place, .. } => {
                if let Some((sites, elsewhere)) = self.behind(*place) {
                    if elsewhere || !self.is_inner(*place) {
                        self.spoil(&sites);
                    } else {
                        self.unite(&sites);
                    }
                }
            }
            // Whatever is not there does something to what it is given, but for `free`.
            Operation::Call { callee, arguments, .. } if !self.cfa.enters(*callee) => {
                if self.cfa.function(*callee).known != Some(Known::Free) {
                    for argument in arguments {
                        self.spoil(&self.targets_of_value(*argument));
                    }
                }
            }
            Operation::Asm(_) | Operation::Unsupported { .. } => {
                let all: Vec<EdgeId> = self.of.keys().copied().collect();
                self.spoil(&all);
            }
            Operation::Call { .. }
            | Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Havoc { .. }
            | Operation::Return { .. }
            | Operation::Blank => {}
        }
    }

    /// What a value may lead to, if it is a pointer.
    fn targets_of_value(&self, value: ExprId) -> Vec<EdgeId> {
        if matches!(self.cfa.types.get(self.cfa.exprs.ty(value)), Type::Pointer(_)) { self.targets(value).0 } else { Vec::new() }
    }

    fn classes(self) -> Vec<Class> {
        let mut found = Vec::new();
        for (root, group) in &self.groups {
            if let (false, Some(record), 1) = (group.spoilt, group.records.first(), group.records.len()) {
                let sites = self.of.keys().copied().filter(|site| self.root(*site) == *root).collect();
                found.push(Class { record: *record, sites, members: group.members.iter().copied().collect() });
            }
        }
        found
    }
}
