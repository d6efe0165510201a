//! The program in which one object of each class is in focus.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId, Variable};
use program::expr::{Expr, ExprId};
use program::source::Span;
use program::types::{QualType, Type, TypeId};
use rustc_hash::FxHashMap;
use semantics::facts::Facts;
use semantics::objects::ObjectKind;

use super::forms::{expressions, inner, member_address, through};
use super::held::{self, Event, Held, pass};
use super::{Candidate, Class};
use crate::Recast;
use crate::editor::Editor;

/// A program with objects in focus.
#[derive(Debug)]
pub struct Focused {
    /// The program.
    pub recast: Recast,
    /// For each candidate the locations that say it does not hold.
    pub goals: Vec<Vec<LocationId>>,
    /// The error locations of the program itself.
    pub property: Vec<LocationId>,
    /// Conditions that may hold wherever control comes: of each candidate, that the object in focus has what is claimed, if
    /// there is one.
    pub kept: Vec<ExprId>,
    /// For each class the variable with the address of the object in focus.
    pub(super) focus: Vec<VarId>,
}

/// Which claims are blamed where an object does not have what is claimed; the run ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The first that does not hold. Easier to prove.
    First,
    /// Each that does not hold then: in a run that is about it. Easier to refute.
    Each,
}

/// How a variable becomes arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arbitrary {
    /// As an input: it has any value, and nobody may take it for one that nobody set. What is proved has to be proved of this.
    Input,
    /// As a declaration: a pointer leads to what was stored in it at some time, as in every run. For points-to analysis only.
    Declaration,
}

/// The program in which one object of each class is in focus, and all others have what the candidates claim.
#[must_use]
pub fn focused(facts: &Facts<'_>, classes: &[Class], candidates: &[Candidate], blame: Blame) -> Focused {
    made(facts, (classes, candidates), blame, Arbitrary::Input)
}

pub(super) fn made(
    facts: &Facts<'_>,
    (classes, candidates): (&[Class], &[Candidate]),
    blame: Blame,
    arbitrary: Arbitrary,
) -> Focused {
    let cfa = facts.cfa();
    let mut editor = Editor::new(cfa);
    let ghosts = classes.iter().map(|class| Ghosts::new(&mut editor, cfa, class)).collect();
    let property = cfa.location_ids().filter(|at| cfa.location(*at).is_error).collect();
    let goals = vec![Vec::new(); candidates.len()];
    let int = editor.int();
    let asked = (blame == Blame::Each).then(|| editor.choice("asked", int));
    let selectors = selectors(&mut editor, &inner(cfa));
    let (wrong, inputs) = (BTreeMap::new(), BTreeMap::new());
    let mut making =
        Making { facts, cfa, editor, classes, candidates, ghosts, asked, selectors, goals, wrong, arbitrary, inputs };
    let known = held::held(cfa, classes.len(), &|at| making.reads(at), &|edge| making.does(edge));
    for (at, known) in cfa.location_ids().zip(known) {
        making.location(at, known.unwrap_or_else(|| vec![BTreeSet::new(); classes.len()]));
    }
    for (number, class) in classes.iter().enumerate() {
        for site in &class.sites {
            making.allocation(number, *site);
        }
    }
    let kept = (0..classes.len()).flat_map(|class| making.kept(class)).collect();
    let focus = making.ghosts.iter().map(|ghosts| ghosts.focus).collect();
    Focused { recast: making.editor.finish(), goals: making.goals, property, kept, focus }
}

/// Beside each temporary variable with the address of a member a variable that says which it is.
fn selectors(editor: &mut Editor, inner: &BTreeMap<VarId, BTreeSet<u32>>) -> BTreeMap<VarId, (VarId, BTreeSet<u32>)> {
    let int = QualType::plain(editor.int());
    let mut found = BTreeMap::new();
    for (variable, members) in inner {
        let one = editor.parts.variables[variable.index()].clone();
        let name = format!("{}__member", one.name).into();
        editor.parts.variables.push(Variable { name, ty: int, initializer: None, ..one });
        found.insert(*variable, (VarId::new(editor.parts.variables.len() - 1), members.clone()));
    }
    found
}

/// The object of a class that is in focus.
#[derive(Debug)]
pub(super) struct Ghosts {
    /// Its address, or null.
    pub(super) focus: VarId,
    /// Its members.
    pub(super) members: BTreeMap<u32, VarId>,
    /// A pointer to it.
    pub(super) pointer: TypeId,
}

impl Ghosts {
    fn new(editor: &mut Editor, cfa: &Cfa, class: &Class) -> Self {
        let record = editor.ty(Type::Record(class.record));
        let pointer = editor.ty(Type::Pointer(QualType::plain(record)));
        let focus = editor.ghost("focus", QualType::plain(pointer));
        let fields = &cfa.types.record(class.record).fields;
        let mut members = BTreeMap::new();
        for number in &class.members {
            let Some(field) = fields.get(*number as usize) else { continue };
            members.insert(*number, editor.ghost("member", QualType::plain(field.ty.ty)));
        }
        Self { focus, members, pointer }
    }
}

/// Which place of the text something is about.
pub(super) type At = (Span, Span);

pub(super) struct Making<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) cfa: &'a Cfa,
    pub(super) editor: Editor,
    pub(super) classes: &'a [Class],
    pub(super) candidates: &'a [Candidate],
    pub(super) ghosts: Vec<Ghosts>,
    /// Which claim is asked about: any.
    pub(super) asked: Option<VarId>,
    /// For temporary variables with the address of a member: they hold the address of the object here, and this which member.
    pub(super) selectors: BTreeMap<VarId, (VarId, BTreeSet<u32>)>,
    pub(super) goals: Vec<Vec<LocationId>>,
    pub(super) wrong: BTreeMap<(usize, FunctionId), LocationId>,
    arbitrary: Arbitrary,
    /// For types the input functions that give their values.
    inputs: BTreeMap<TypeId, FunctionId>,
}

/// What an access is to.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) class: usize,
    pub(super) member: Member,
    pub(super) pointer: ExprId,
    /// The object is in focus already, or the pointer is null.
    pub(super) is_held: bool,
}

/// Which member.
#[derive(Clone, Debug)]
pub(super) enum Member {
    This(u32),
    /// One of these: the one that the variable says.
    Of(VarId, Vec<u32>),
}

impl Making<'_> {
    /// What makes a variable arbitrary.
    pub(super) fn arbitrary(&mut self, variable: VarId) -> Operation {
        match self.arbitrary {
            Arbitrary::Declaration => Operation::Declare { variable },
            Arbitrary::Input => {
                let ty = self.editor.parts.variables[variable.index()].ty.ty;
                let known = self.inputs.get(&ty).copied();
                let input = known.unwrap_or_else(|| self.editor.input_function(ty));
                self.inputs.insert(ty, input);
                Operation::Havoc { variable: Some(variable), input }
            }
        }
    }

    /// The access that a place is, if it is one to an object of a class.
    fn access(&self, place: ExprId) -> Option<Access> {
        let (pointer, member) = match *self.cfa.exprs.get(place) {
            Expr::Field(inner, member) => {
                let Expr::Dereference { pointer, .. } = *self.cfa.exprs.get(inner) else { return None };
                (pointer, Member::This(member))
            }
            Expr::Dereference { pointer, .. } => {
                let (selector, members) = self.selectors.get(&through(self.cfa, place)?)?;
                (pointer, Member::Of(*selector, members.iter().copied().collect()))
            }
            _ => return None,
        };
        let site =
            self.facts.points_to().targets(pointer).iter().find_map(|object| match self.facts.objects().get(object).kind {
                ObjectKind::Heap { site } => Some(site),
                ObjectKind::External | ObjectKind::Variable(_) | ObjectKind::Member { .. } => None,
            })?;
        let class = self.classes.iter().position(|class| class.sites.contains(&site))?;
        Some(Access { class, member, pointer, is_held: false })
    }

    /// The loads of members in an expression, operands first.
    fn loads(&self, expr: ExprId, found: &mut Vec<ExprId>) {
        for operand in self.cfa.exprs.get(expr).operands() {
            self.loads(operand, found);
        }
        if let Expr::Load(place) = *self.cfa.exprs.get(expr)
            && self.access(place).is_some()
            && !found.contains(&expr)
        {
            found.push(expr);
        }
    }

    /// The loads of members in the operations that leave a location.
    fn loads_at(&self, at: LocationId) -> Vec<ExprId> {
        let mut loads = Vec::new();
        for edge in self.cfa.out_edges(at) {
            expressions(&self.cfa.edge(*edge).operation, |expr| self.loads(expr, &mut loads));
        }
        loads
    }

    /// The access that a load is.
    fn load(&self, load: ExprId) -> Option<Access> {
        let Expr::Load(place) = *self.cfa.exprs.get(load) else { return None };
        self.access(place)
    }

    fn reads(&self, at: LocationId) -> Vec<Event> {
        let accesses = self.loads_at(at).into_iter().filter_map(|load| self.load(load));
        accesses.map(|access| Event::Access(access.class, access.pointer)).collect()
    }

    /// What the operation of an edge does, reads aside.
    fn does(&self, edge: EdgeId) -> Vec<Event> {
        let operation = &self.cfa.edge(edge).operation;
        match operation {
            Operation::Assign { place, value } => {
                if let Some(access) = self.access(*place) {
                    return vec![Event::Access(access.class, access.pointer)];
                }
                if let (Some(pointer), Expr::Variable(variable)) = (self.kept_address(*place, *value), self.cfa.exprs.get(*place))
                {
                    return vec![Event::Copy(*variable, pointer)];
                }
            }
            Operation::Call { result: Some(result), .. } => {
                if let Some(class) = self.classes.iter().position(|class| class.sites.contains(&edge)) {
                    return vec![Event::Fresh(class, *result)];
                }
            }
            _ => {}
        }
        held::plain(self.cfa, operation)
    }

    /// The pointer to the object of which a temporary variable gets the address of a member.
    fn kept_address(&self, place: ExprId, value: ExprId) -> Option<ExprId> {
        let Expr::Variable(variable) = *self.cfa.exprs.get(place) else { return None };
        self.selectors.get(&variable)?;
        member_address(self.cfa, value)?;
        let Expr::AddressOf(inside) = *self.cfa.exprs.get(value) else { return None };
        Some(self.access(inside)?.pointer)
    }

    /// Reads and writes of the operations that leave a location.
    fn location(&mut self, at: LocationId, mut held: Held) {
        let leaving: Vec<EdgeId> = self.cfa.out_edges(at).to_vec();
        let loads = self.loads_at(at);
        let mut known = FxHashMap::default();
        if let (Some(edge), false) = (leaving.first(), loads.is_empty()) {
            let place = (self.cfa.edge(*edge).span, self.cfa.edge(*edge).statement);
            let behind = self.editor.before(at);
            let mut here = at;
            for load in loads {
                here = self.read(here, load, (&mut known, &mut held), place);
            }
            self.editor.add(here, behind, Operation::Blank, place);
        }
        for edge in leaving {
            self.rewrite(edge, &known, &mut held.clone());
        }
    }

    /// An operation that reads variables instead, and writes the object in focus.
    fn rewrite(&mut self, edge: EdgeId, known: &FxHashMap<ExprId, ExprId>, held: &mut Held) {
        let old = &self.cfa.edge(edge).operation;
        let new = match old {
            Operation::Assign { place, value } => {
                if self.keep_address(edge, (*place, *value), known) {
                    return;
                }
                let value = self.editor.substituted(*value, known);
                if let Some(access) = self.access(*place) {
                    let is_held = pass(self.cfa, held, Event::Access(access.class, access.pointer));
                    let pointer = self.editor.substituted(access.pointer, known);
                    return self.write(edge, Access { pointer, is_held, ..access }, value);
                }
                Operation::Assign { place: self.editor.substituted(*place, known), value }
            }
            Operation::Assume { condition, truth } => {
                Operation::Assume { condition: self.editor.substituted(*condition, known), truth: *truth }
            }
            Operation::Call { callee, arguments, result } => {
                let arguments = arguments.iter().map(|argument| self.editor.substituted(*argument, known)).collect();
                Operation::Call { callee: *callee, arguments, result: *result }
            }
            Operation::Return { value: Some(value) } => Operation::Return { value: Some(self.editor.substituted(*value, known)) },
            Operation::Return { value: None }
            | Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => return,
        };
        self.editor.parts.edges[edge.index()].operation = new;
    }

    /// The address of a member for the rest of a statement: that of the object instead, and which member.
    fn keep_address(&mut self, edge: EdgeId, (place, value): (ExprId, ExprId), known: &FxHashMap<ExprId, ExprId>) -> bool {
        let Expr::Variable(variable) = *self.cfa.exprs.get(place) else { return false };
        let selector = self.selectors.get(&variable).map(|(selector, _)| *selector);
        let (Some(selector), Some(member), Some(pointer)) =
            (selector, member_address(self.cfa, value), self.kept_address(place, value))
        else {
            return false;
        };
        let pointer = self.editor.substituted(pointer, known);
        let address = self.editor.expr(Expr::Cast(pointer), self.cfa.exprs.ty(place));
        self.editor.parts.edges[edge.index()].operation = Operation::Assign { place, value: address };
        let at = (self.editor.edge(edge).span, self.editor.edge(edge).statement);
        let target = self.editor.edge(edge).target;
        let begin = self.editor.location_beside(target);
        self.editor.lead(edge, begin);
        let int = self.editor.int();
        let number = self.editor.number(int, member.into());
        self.assign(begin, target, selector, number, at);
        true
    }

    /// The members of a type that an access may be to, each with where it is that one.
    fn chosen(&mut self, here: LocationId, access: &Access, ty: TypeId, at: At) -> Vec<(LocationId, VarId)> {
        let held = &self.ghosts[access.class].members;
        match &access.member {
            Member::This(member) => held.get(member).map(|variable| (here, *variable)).into_iter().collect(),
            Member::Of(selector, members) => {
                // Other classes have members of the same numbers.
                let fits = |variable: &VarId| self.editor.parts.variables[variable.index()].ty.ty == ty;
                let known: Vec<(u32, VarId)> = members
                    .iter()
                    .filter_map(|member| Some((*member, *held.get(member).filter(|variable| fits(variable))?)))
                    .collect();
                let (mut at_this, mut found) = (here, Vec::new());
                for (position, (member, variable)) in known.iter().enumerate() {
                    if position + 1 == known.len() {
                        found.push((at_this, *variable));
                        break;
                    }
                    let [is_it, next] = [(); 2].map(|()| self.editor.location_beside(here));
                    let (selected, int) = (self.editor.load(*selector), self.editor.int());
                    let number = self.editor.number(int, (*member).into());
                    let condition = self.editor.equal(selected, number);
                    self.editor.branch(at_this, condition, (is_it, next), at);
                    found.push((is_it, *variable));
                    at_this = next;
                }
                found
            }
        }
    }

    /// Reads a member into a variable of its own; where control goes on.
    fn read(
        &mut self,
        here: LocationId,
        load: ExprId,
        (known, held): (&mut FxHashMap<ExprId, ExprId>, &mut Held),
        at: At,
    ) -> LocationId {
        let Some(access) = self.load(load) else { return here };
        let ty = self.cfa.exprs.ty(load);
        let value = self.editor.ghost("read", QualType::plain(ty));
        let is_held = pass(self.cfa, held, Event::Access(access.class, access.pointer));
        let pointer = self.editor.substituted(access.pointer, known);
        let access = Access { pointer, is_held, ..access };
        let (focused, null) = self.bring(here, &access, at);
        let done = self.editor.location_beside(here);
        let chosen = self.chosen(focused, &access, ty, at);
        if chosen.is_empty() {
            let arbitrary = self.arbitrary(value);
            self.editor.add(focused, done, arbitrary, at);
        }
        for (from, member) in chosen {
            let held = self.editor.load(member);
            self.assign(from, done, value, held, at);
        }
        let arbitrary = self.arbitrary(value);
        self.editor.add(null, done, arbitrary, at);
        let read = self.editor.load(value);
        known.insert(load, read);
        done
    }

    /// Writes a member instead of what an edge does.
    fn write(&mut self, edge: EdgeId, access: Access, value: ExprId) {
        let at = (self.editor.edge(edge).span, self.editor.edge(edge).statement);
        let (target, begin) = (self.editor.edge(edge).target, self.editor.edge(edge).source);
        let begin = self.editor.location_beside(begin);
        self.editor.parts.edges[edge.index()].operation = Operation::Blank;
        self.editor.lead(edge, begin);
        let (focused, null) = self.bring(begin, &access, at);
        let chosen = self.chosen(focused, &access, self.editor.type_of(value), at);
        if chosen.is_empty() {
            let forgotten = self.forget(focused, access.class, at);
            self.editor.add(forgotten, target, Operation::Blank, at);
        }
        for (from, member) in chosen {
            self.assign(from, target, member, value, at);
        }
        self.editor.add(null, target, Operation::Blank, at);
    }
}
