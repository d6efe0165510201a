//! Scopes: what a name or a tag means at the place where it is read.
//!
//! Each name has a stack of meanings; leaving a scope pops those it added, so a look-up takes constant time.
//! Does not know labels, which are per function, nor members, which belong to their record.

use crate::ast::Symbol;
use crate::cfa::{FunctionId, VarId};
use crate::types::{EnumId, QualType, Qualifiers, RecordId, TypeId};

/// What an ordinary identifier denotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Entity {
    /// An object; its declared qualifiers.
    Variable(VarId, Qualifiers),
    /// A function.
    Function(FunctionId),
    /// A type, with the alignment an attribute gave it.
    Typedef(QualType, Option<u64>),
    /// An enumeration constant.
    Constant(i128, TypeId),
    /// A parameter of a mere declarator, which has a type there and no value.
    Parameter(QualType),
}

/// What a tag denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
}

/// A name space with nested scopes.
#[derive(Debug)]
struct NameSpace<T> {
    meanings: Vec<Vec<(u32, T)>>,
    added: Vec<Symbol>,
}

impl<T: Copy> NameSpace<T> {
    fn new() -> Self {
        Self { meanings: Vec::new(), added: Vec::new() }
    }

    fn get(&self, name: Symbol) -> Option<(u32, T)> {
        self.meanings.get(name.index())?.last().copied()
    }

    /// Adds a meaning at `depth`, or replaces the one of the same scope.
    fn set(&mut self, name: Symbol, depth: u32, meaning: T) {
        if self.meanings.len() <= name.index() {
            self.meanings.resize_with(name.index() + 1, Vec::new);
        }
        let stack = &mut self.meanings[name.index()];
        match stack.last_mut() {
            Some(last) if last.0 == depth => last.1 = meaning,
            _ => {
                stack.push((depth, meaning));
                self.added.push(name);
            }
        }
    }

    fn all(&self) -> Vec<(Symbol, T)> {
        self.since(0)
    }

    fn since(&self, mark: usize) -> Vec<(Symbol, T)> {
        self.added[mark..].iter().filter_map(|name| Some((*name, self.get(*name)?.1))).collect()
    }

    fn leave(&mut self, mark: usize) {
        for name in self.added.drain(mark..) {
            self.meanings[name.index()].pop();
        }
    }
}

/// What a scope declared.
#[derive(Debug, Default)]
pub(super) struct Declared {
    ordinary: Vec<(Symbol, Entity)>,
    tags: Vec<(Symbol, Tag)>,
}

/// The scopes that are open.
#[derive(Debug)]
pub(super) struct Scopes {
    ordinary: NameSpace<Entity>,
    tags: NameSpace<Tag>,
    marks: Vec<(usize, usize, usize)>,
    /// Numbers of the scopes that no jump may enter, and the last one given.
    fences: Vec<u32>,
    last_fence: u32,
}

impl Scopes {
    pub(super) fn new() -> Self {
        Self { ordinary: NameSpace::new(), tags: NameSpace::new(), marks: Vec::new(), fences: Vec::new(), last_fence: 0 }
    }

    /// Forgets the names of the file: another one begins.
    pub(super) fn clear(&mut self) {
        self.ordinary.leave(0);
        self.tags.leave(0);
    }

    /// What the file has declared so far, in order.
    pub(super) fn names_of_file(&self) -> Vec<(Symbol, Entity)> {
        self.ordinary.all()
    }

    /// The tags that the file has declared so far, in order.
    pub(super) fn tags_of_file(&self) -> Vec<(Symbol, Tag)> {
        self.tags.all()
    }

    /// 0 at file level.
    pub(super) fn depth(&self) -> u32 {
        u32::try_from(self.marks.len()).unwrap_or(u32::MAX)
    }

    /// How many names are declared in the open scopes.
    pub(super) fn names(&self) -> usize {
        self.ordinary.added.len()
    }

    /// What no jump may enter begins here, up to the end of the innermost scope.
    pub(super) fn fence(&mut self) {
        self.last_fence += 1;
        self.fences.push(self.last_fence);
    }

    /// The fences around this place, outermost first.
    pub(super) fn fences(&self) -> &[u32] {
        &self.fences
    }

    pub(super) fn enter(&mut self) {
        self.marks.push((self.ordinary.added.len(), self.tags.added.len(), self.fences.len()));
    }

    pub(super) fn leave(&mut self) {
        if let Some((ordinary, tags, fences)) = self.marks.pop() {
            self.fences.truncate(fences);
            self.ordinary.leave(ordinary);
            self.tags.leave(tags);
        }
    }

    /// Leaves a scope whose constants and tags another one goes on with.
    pub(super) fn leave_to_go_on(&mut self) -> Declared {
        let (ordinary, tags, _) = self.marks.last().copied().unwrap_or_default();
        let mut declared = Declared { ordinary: self.ordinary.since(ordinary), tags: self.tags.since(tags) };
        declared.ordinary.retain(|(_, entity)| !matches!(entity, Entity::Parameter(_)));
        self.leave();
        declared
    }

    /// Enters a scope that goes on with what another one declared.
    pub(super) fn enter_with(&mut self, declared: &Declared) {
        self.enter();
        declared.ordinary.iter().for_each(|(name, entity)| self.declare(*name, *entity));
        declared.tags.iter().for_each(|(name, tag)| self.declare_tag(*name, *tag));
    }

    pub(super) fn lookup(&self, name: Symbol) -> Option<Entity> {
        self.ordinary.get(name).map(|found| found.1)
    }

    /// The meaning given in the innermost scope itself.
    pub(super) fn lookup_here(&self, name: Symbol) -> Option<Entity> {
        self.ordinary.get(name).filter(|found| found.0 == self.depth()).map(|found| found.1)
    }

    /// The meaning given in the scope around the innermost one, if that gives none itself.
    pub(super) fn lookup_around(&self, name: Symbol) -> Option<Entity> {
        self.ordinary.get(name).filter(|found| found.0 + 1 == self.depth()).map(|found| found.1)
    }

    pub(super) fn declare(&mut self, name: Symbol, entity: Entity) {
        self.ordinary.set(name, self.depth(), entity);
    }

    pub(super) fn tag(&self, name: Symbol) -> Option<Tag> {
        self.tags.get(name).map(|found| found.1)
    }

    pub(super) fn tag_here(&self, name: Symbol) -> Option<Tag> {
        self.tags.get(name).filter(|found| found.0 == self.depth()).map(|found| found.1)
    }

    pub(super) fn declare_tag(&mut self, name: Symbol, tag: Tag) {
        self.tags.set(name, self.depth(), tag);
    }
}
