//! What evaluating an expression may change.
//!
//! Knows: the variables that it assigns to by name, and whether it may write elsewhere. Does not know: values; memory is one thing.

use rustc_hash::FxHashSet;

use super::Lowerer;
use super::candidate::{bases, is_one_object_named_twice, is_step, root};
use super::first::MOST_PARTS;
use super::flags::{CHANGE, SEE};
use super::members::Member;
use super::scope::Entity;
use crate::ast::{self, ExprKind, UnaryOp as Prefix};
use crate::cfa::{VarId, VarKind};
use crate::expr::{Expr, ExprId};
use crate::types::{QualType, Type, TypeId};

/// What an expression assigns to: variables, and whether anything else that is not kept from it.
#[derive(Debug, Default)]
struct Written {
    names: Vec<ast::Symbol>,
    anywhere: bool,
    /// Static locals of functions that it calls.
    state: bool,
    /// The item that it stands in.
    item: usize,
    /// The members that it assigns to, if it assigns to nothing else.
    members: Option<Vec<Member>>,
}

/// Whose assignments are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writers {
    All,
    /// Those of functions that are called.
    Calls,
}

/// The variables whose address is taken, and in which item; each of them also in [`ANY_ITEM`].
#[derive(Debug)]
pub(super) struct Addressed {
    found: FxHashSet<(usize, ast::Symbol)>,
    /// The members whose address is taken, of whatever type.
    members: FxHashSet<ast::Symbol>,
    /// Objects of the whole program may have other names.
    is_open: bool,
}

const ANY_ITEM: usize = usize::MAX;

impl Lowerer<'_> {
    /// Whether one operand changes what the other one, which takes edges or changes something, too, may read or change.
    pub(super) fn meet(&self, one: ast::ExprId, other: ast::ExprId) -> bool {
        if self.flags[one.index()] & CHANGE == 0 || self.flags[other.index()] & (CHANGE | SEE) == 0 {
            return false;
        }
        let (written, others) = (self.written(one), self.written(other));
        let sees = self.flags[other.index()] & SEE != 0;
        if written.anywhere {
            return sees || others.anywhere || others.names.iter().any(|name| !self.is_kept(written.item, *name));
        }
        let is_met =
            |name: &ast::Symbol| others.names.contains(name) || (sees || others.anywhere) && !self.is_kept(written.item, *name);
        written.state && (sees || others.anywhere || others.state) || written.names.iter().any(is_met)
    }

    /// Whether evaluating an expression may change what a value reads: not a variable of the function whose address is taken
    /// nowhere, and that the expression does not assign to.
    pub(super) fn may_be_changed(&self, value: ExprId, by: ast::ExprId) -> bool {
        if self.flags[by.index()] & CHANGE == 0 {
            return false;
        }
        let written = self.written(by);
        let mut open = vec![value];
        while let Some(at) = open.pop() {
            if let Expr::Load(place) = *self.exprs.get(at)
                && self.may_be_written(&written, place)
                && !written.members.as_ref().is_some_and(|members| self.is_apart(place, members, written.item))
            {
                return true;
            }
            open.extend(self.exprs.get(at).operands());
        }
        false
    }

    /// Whether functions that an expression calls may change what another one reads outside of functions. What the expression
    /// assigns itself the other one must not read (C11 6.5p2).
    pub(super) fn reads_what_changes(&self, reader: ast::ExprId, by: ast::ExprId) -> bool {
        if self.flags[by.index()] & CHANGE == 0 {
            return false;
        }
        let written = self.written_by(Writers::Calls, by);
        let mut open = vec![reader];
        for _ in 0..MOST_PARTS {
            let Some(expr) = open.pop() else { return false };
            let is_read = match &self.ast[expr].kind {
                ExprKind::Name(name) => {
                    let is_variable = matches!(self.scopes.lookup(*name), Some(Entity::Variable(..)));
                    let may_be = written.names.contains(name) || written.anywhere && !self.is_kept(written.item, *name);
                    is_variable && (may_be || written.state && !self.is_kept(written.item, *name))
                }
                ExprKind::Unary { op: Prefix::Deref, .. } | ExprKind::Index { .. } | ExprKind::Member { arrow: true, .. } => {
                    written.anywhere || written.names.iter().any(|name| !self.is_unaddressed(written.item, *name))
                }
                _ => false,
            };
            let Some(parts) = self.parts(expr) else { return true };
            if is_read {
                return true;
            }
            open.extend(parts);
        }
        true
    }

    fn may_be_written(&self, written: &Written, place: ExprId) -> bool {
        let is_one = |own: &str| written.names.iter().any(|name| self.ast.name(*name) == own);
        let is_kept = |name: &str| self.ast.symbols.get(name).is_some_and(|name| !self.is_addressed(written.item, name));
        let elsewhere = || written.anywhere || written.names.iter().any(|name| !self.is_kept(written.item, *name));
        let pointed_to = || written.anywhere || written.names.iter().any(|name| !self.is_unaddressed(written.item, *name));
        match (self.exprs.get(place), self.variable_around(place).map(|variable| &self.variables[variable.index()])) {
            (_, Some(of)) if matches!(of.kind, VarKind::Temporary(_)) || self.is_constant(of.ty) => false,
            (Expr::Variable(_), Some(of)) if matches!(of.kind, VarKind::Local | VarKind::Parameter(_)) => {
                is_one(&of.name) || written.anywhere && !is_kept(&of.name)
            }
            // Without a pointer only their own name leads to them.
            (_, Some(of)) if matches!(of.kind, VarKind::Local | VarKind::Parameter(_)) => written.anywhere || is_one(&of.name),
            // Objects of several files may be called otherwise here.
            (_, Some(of)) if matches!(of.kind, VarKind::Global { .. }) && self.ast.units.len() < 2 => {
                written.anywhere || is_one(&of.name)
            }
            (_, Some(of)) if of.kind == VarKind::StaticLocal => written.state || written.anywhere || is_one(&of.name),
            (_, None) => pointed_to(),
            _ => elsewhere(),
        }
    }

    /// Whether objects of a type never change (C11 6.7.3p6).
    pub(super) fn is_constant(&self, mut ty: QualType) -> bool {
        while let Type::Array { element, .. } = self.types.get(ty.ty) {
            ty = *element;
        }
        ty.qualifiers.is_const && !ty.qualifiers.is_volatile
    }

    /// The variable that a place is, or is a part of.
    fn variable_around(&self, mut place: ExprId) -> Option<VarId> {
        loop {
            place = match *self.exprs.get(place) {
                Expr::Variable(variable) => return Some(variable),
                Expr::Field(base, _) | Expr::Index(base, _) => base,
                _ => return None,
            };
        }
    }

    /// Whether a name is that of a variable of the function whose address is taken nowhere.
    fn is_kept(&self, item: usize, name: ast::Symbol) -> bool {
        let Some(Entity::Variable(variable, ..)) = self.scopes.lookup(name) else { return false };
        let is_own = matches!(self.variables[variable.index()].kind, VarKind::Local | VarKind::Parameter(_));
        is_own && self.is_unaddressed(item, name)
    }

    /// Whether a name is that of a variable to which nothing points, nor into it.
    pub(super) fn is_unaddressed(&self, item: usize, name: ast::Symbol) -> bool {
        let Some(Entity::Variable(variable, ..)) = self.scopes.lookup(name) else { return false };
        let variable = &self.variables[variable.index()];
        let item = match variable.kind {
            VarKind::Local | VarKind::Parameter(_) | VarKind::StaticLocal => item,
            VarKind::Global { .. } => ANY_ITEM,
            VarKind::Temporary(_) | VarKind::StringLiteral(_) | VarKind::CompoundLiteral => return false,
        };
        !self.holds_array(variable.ty.ty) && !self.is_addressed(item, name)
    }

    /// Whether an object is an array or has one in it: its name may be its address.
    fn holds_array(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Array { .. } => true,
            Type::Record(id) => self.types.record(*id).fields.iter().any(|field| self.holds_array(field.ty.ty)),
            _ => false,
        }
    }

    /// Whether an expression assigns to nothing but variables of the function whose address is taken nowhere (`*p++`).
    pub(super) fn changes_kept(&self, expr: ast::ExprId) -> bool {
        let written = self.written(expr);
        !written.anywhere && written.names.iter().all(|name| self.is_kept(written.item, *name))
    }

    /// What evaluating an expression may assign to.
    fn written(&self, expr: ast::ExprId) -> Written {
        self.written_by(Writers::All, expr)
    }

    fn written_by(&self, writers: Writers, expr: ast::ExprId) -> Written {
        let item = self.item_of(expr);
        let (mut written, mut open) = (Written { item, members: Some(Vec::new()), ..Written::default() }, vec![expr]);
        for _ in 0..MOST_PARTS {
            let Some(expr) = open.pop() else { return written };
            if self.flags[expr.index()] & CHANGE == 0 {
                continue;
            }
            let place = match &self.ast[expr].kind {
                ExprKind::Unary { op, operand } if is_step(*op) => Some(*operand),
                ExprKind::Assign { target, .. } => Some(*target),
                ExprKind::VaArg { list, .. } => Some(*list),
                ExprKind::Call { callee, .. } => {
                    self.add_call(&mut written, *callee);
                    None
                }
                _ => None,
            };
            if let Some(place) = place {
                written.members =
                    written.members.take().and_then(|members| Some([members, vec![self.member_named(place)?]].concat()));
            }
            match place.filter(|_| writers == Writers::All).map(|place| root(self.ast, place)) {
                // What nothing here names is declared in the expression.
                Some(Some(name)) => written.names.extend(self.scopes.lookup(name).map(|_| name)),
                Some(None) => written.anywhere = true,
                None => {}
            }
            let Some(parts) = self.parts(expr) else { break };
            open.extend(parts);
        }
        written.anywhere = true;
        written.members = None;
        written
    }

    /// Adds what a call changes.
    fn add_call(&self, written: &mut Written, callee: ast::ExprId) {
        written.members = None;
        match self.ast[callee].kind {
            ExprKind::Name(name) if self.pure.quiet.contains(&name) => {}
            ExprKind::Name(name) if let Some(changes) = self.pure.changes.get(&name) => {
                written.names.extend(&changes.names);
                written.state |= changes.has_state;
            }
            _ => written.anywhere = true,
        }
    }

    /// Whether an item takes the address of a variable of that name, or of a part of it.
    fn is_addressed(&self, item: usize, name: ast::Symbol) -> bool {
        let addressed = self.addressed();
        addressed.found.contains(&(item, name)) || item == ANY_ITEM && addressed.is_open
    }

    /// Whether the address of a member of that name is taken, of whatever type.
    pub(super) fn is_pointed_member(&self, name: ast::Symbol) -> bool {
        self.addressed().members.contains(&name)
    }

    fn addressed(&self) -> &Addressed {
        self.addressed.get_or_init(|| {
            let is_open = is_one_object_named_twice(self.ast);
            let (mut found, mut members, mut item) = (FxHashSet::default(), FxHashSet::default(), 0);
            for index in 0..self.ast.exprs() {
                while self.ast.item_ends.get(item).is_some_and(|end| *end <= index) {
                    item += 1;
                }
                if let ExprKind::Unary { op: Prefix::AddressOf, operand } = self.ast[ast::ExprId::from_index(index)].kind {
                    members.extend(members_in(self.ast, operand));
                    found.extend(bases(self.ast, operand).into_iter().flat_map(|name| [(item, name), (ANY_ITEM, name)]));
                }
            }
            Addressed { found, members, is_open }
        })
    }

    /// The item that an expression stands in.
    pub(super) fn item_of(&self, expr: ast::ExprId) -> usize {
        self.ast.item_ends.partition_point(|end| *end <= expr.index())
    }
}

/// The members that a place is part of.
fn members_in(ast: &ast::Ast, mut place: ast::ExprId) -> Vec<ast::Symbol> {
    let mut found = Vec::new();
    loop {
        place = match ast[place].kind {
            ExprKind::Member { base, member, .. } => {
                found.push(member.name);
                base
            }
            ExprKind::Index { base, .. } => base,
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => operand,
            _ => return found,
        };
    }
}
