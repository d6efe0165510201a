//! Which functions and variables of two programs correspond: one fixed, one-to-one, partial map.
//!
//! Functions are *paired* by name, and, where that is wanted, what is left over by what it does ([`Renames`]); they correspond
//! *strictly*, so that a call of the one can be identical to a call of the other, if linkage, type, definedness and what is
//! known of them agree and parameters correspond position by position.
//! Variables have the same *identity* by name (globals), or by function, name, kind and ordinal; parameters whose name is
//! unknown to the other function by position; where that is wanted, what is left over by use ([`Renames`]); temporaries by
//! function, number and type; string literals by type and content. Their *content* corresponds if linkage, definedness and
//! type agree as well.
//! Invariant: computed before any search and never changed.

use program::cfa::{Cfa, FunctionId, VarId, VarKind, Variable};
use rustc_hash::FxHashMap;

use super::Side;
use super::content::{Program, same_address, same_content};
use super::renamed::Guess;
use super::renamed_functions;
use super::types::TypeClass;

/// What two variables share iff they have the same identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key<'a> {
    Global(&'a str),
    Named { function: Option<FunctionId>, name: &'a str, ordinal: u32, kind: u8 },
    Parameter { function: Option<FunctionId>, name: &'a str },
    Temporary { function: Option<FunctionId>, number: u32, class: TypeClass },
    Literal { class: TypeClass, bytes: &'a [u8], identity: &'a str },
}

/// Whether variables may correspond whose names do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Renames {
    /// Only parameters, by position.
    #[default]
    None,
    /// What has no counterpart by name: functions by what they do, variables of functions and static ones by use.
    Guessed,
}

/// The map between the functions and variables of two programs.
#[derive(Debug)]
pub struct Correspondence {
    paired: Vec<Option<FunctionId>>,
    paired_back: Vec<Option<FunctionId>>,
    strict: Vec<Option<FunctionId>>,
    identity: Vec<Option<VarId>>,
    identity_back: Vec<Option<VarId>>,
    content: Vec<Option<VarId>>,
    content_back: Vec<Option<VarId>>,
    original_variables: usize,
    original_functions: usize,
}

impl Correspondence {
    /// With `renames`, functions and variables that have no counterpart by name get one by what they do and by use.
    pub(super) fn new(o: Program, m: Program, renames: Renames) -> Self {
        let (original, modified) = (o.0, m.0);
        let mut paired = pair_functions(original, modified);
        if renames == Renames::Guessed {
            renamed_functions::pair(o, m, &mut paired);
        }
        let paired_back = inverse(&paired, original.functions.len());
        let mut identity = pair_variables(o, m, &paired);
        pair_renamed_parameters(o, m, &paired, &mut identity);
        if renames == Renames::Guessed {
            let taken = inverse(&identity, original.variables.len());
            Guess { original: o, modified: m, functions: &paired, identity: &mut identity, taken }.pair();
        }
        let identity_back = inverse(&identity, original.variables.len());
        let content: Vec<_> = identity
            .iter()
            .enumerate()
            .map(|(index, other)| other.filter(|other| same_content(o, *other, m, VarId::new(index))))
            .collect();
        let content_back = inverse(&content, original.variables.len());
        let strict = paired
            .iter()
            .enumerate()
            .map(|(index, other)| other.filter(|other| strictly(o, *other, m, FunctionId::new(index), &content)))
            .collect();
        Self {
            paired,
            paired_back,
            strict,
            identity,
            identity_back,
            content,
            content_back,
            original_variables: original.variables.len(),
            original_functions: original.functions.len(),
        }
    }

    /// The function of the original program that is paired with one of the modified.
    #[must_use]
    pub fn function(&self, modified: FunctionId) -> Option<FunctionId> {
        self.paired[modified.index()]
    }

    /// The function of the modified program that is paired with one of the original.
    #[must_use]
    pub fn function_back(&self, original: FunctionId) -> Option<FunctionId> {
        self.paired_back[original.index()]
    }

    /// The function of the original program whose calls are calls of `modified`.
    #[must_use]
    pub fn strict_function(&self, modified: FunctionId) -> Option<FunctionId> {
        self.strict[modified.index()]
    }

    /// The variable of the original program with the same identity and a content that corresponds.
    #[must_use]
    pub fn content(&self, modified: VarId) -> Option<VarId> {
        self.content[modified.index()]
    }

    /// The inverse of [`Self::content`].
    #[must_use]
    pub fn content_back(&self, original: VarId) -> Option<VarId> {
        self.content_back[original.index()]
    }

    /// The variable of the original program with the same identity, whatever its type.
    #[must_use]
    pub fn identity(&self, modified: VarId) -> Option<VarId> {
        self.identity[modified.index()]
    }

    /// The inverse of [`Self::identity`].
    #[must_use]
    pub fn identity_back(&self, original: VarId) -> Option<VarId> {
        self.identity_back[original.index()]
    }

    /// A number equal for two variables iff they have the same identity.
    pub(super) fn variable_class(&self, side: Side, variable: VarId) -> u32 {
        let own = match side {
            Side::Original => Some(variable),
            Side::Modified => self.identity[variable.index()],
        };
        class_number(own.map(|v| v.0), self.original_variables, variable.0)
    }

    /// A number equal for two functions iff they are paired and both have a body or none.
    pub(super) fn function_class(&self, side: Side, program: &Cfa, other: &Cfa, function: FunctionId) -> u32 {
        let own = match side {
            Side::Original => Some(function),
            Side::Modified => self.paired[function.index()]
                .filter(|f| other.function(*f).entry.is_some() == program.function(function).entry.is_some()),
        };
        class_number(own.map(|f| f.0), self.original_functions, function.0)
    }

    /// A number equal for two functions iff they correspond strictly.
    pub(super) fn callee_class(&self, side: Side, function: FunctionId) -> u32 {
        let own = match side {
            Side::Original => Some(function),
            Side::Modified => self.strict[function.index()],
        };
        class_number(own.map(|f| f.0), self.original_functions, function.0)
    }
}

/// Numbers below `originals` are things of the original program; those above have no counterpart there.
fn class_number(original: Option<u32>, originals: usize, modified: u32) -> u32 {
    original.unwrap_or_else(|| u32::try_from(originals).unwrap_or(u32::MAX).saturating_add(modified))
}

fn inverse<I: Copy + Index>(map: &[Option<I>], len: usize) -> Vec<Option<I>> {
    let mut back = vec![None; len];
    for (index, other) in map.iter().enumerate() {
        if let Some(other) = other {
            // Several string literals of equal content share one counterpart.
            back[other.position()].get_or_insert(I::at(index));
        }
    }
    back
}

/// Indices that [`inverse`] works on.
trait Index {
    fn position(self) -> usize;
    fn at(index: usize) -> Self;
}

impl Index for FunctionId {
    fn position(self) -> usize {
        self.index()
    }
    fn at(index: usize) -> Self {
        Self::new(index)
    }
}

impl Index for VarId {
    fn position(self) -> usize {
        self.index()
    }
    fn at(index: usize) -> Self {
        Self::new(index)
    }
}

fn pair_functions(original: &Cfa, modified: &Cfa) -> Vec<Option<FunctionId>> {
    let mut by_name: FxHashMap<&str, Option<FunctionId>> = FxHashMap::default();
    for id in original.function_ids() {
        // Two functions of one name (nested ones) are ambiguous: none of them is paired.
        by_name.entry(&original.function(id).name).and_modify(|e| *e = None).or_insert(Some(id));
    }
    let mut taken = vec![false; original.functions.len()];
    let mut pair = |id: FunctionId| {
        let other = by_name.get(&*modified.function(id).name).copied().flatten()?;
        (!std::mem::replace(&mut taken[other.index()], true)).then_some(other)
    };
    modified.function_ids().map(&mut pair).collect()
}

/// The key of a variable; functions are named by those of the original program.
fn key<'a>(variable: &'a Variable, class: TypeClass, function: Option<Option<FunctionId>>) -> Option<Key<'a>> {
    let name = &*variable.name;
    let ordinal = variable.ordinal;
    // A variable of an unpaired function has no key.
    let function = function?;
    Some(match &variable.kind {
        VarKind::Global { .. } => Key::Global(name),
        VarKind::StaticLocal => Key::Named { function, name, ordinal, kind: 0 },
        VarKind::Local => Key::Named { function, name, ordinal, kind: 1 },
        VarKind::CompoundLiteral => Key::Named { function, name, ordinal, kind: 2 },
        VarKind::Parameter(_) => Key::Parameter { function, name },
        VarKind::Temporary(number) => Key::Temporary { function, number: *number, class },
        VarKind::StringLiteral(bytes) => Key::Literal { class, bytes, identity: &variable.identity },
    })
}

fn pair_variables((o, o_types): Program, (m, m_types): Program, paired: &[Option<FunctionId>]) -> Vec<Option<VarId>> {
    // Temporaries of types of one class, as `long` and `long long`, share a key: the first is that of the first.
    let mut known: FxHashMap<Key, Vec<VarId>> = FxHashMap::default();
    for id in o.variable_ids() {
        let variable = o.variable(id);
        if let Some(key) = key(variable, o_types[variable.ty.ty.index()], Some(variable.function)) {
            known.entry(key).or_default().push(id);
        }
    }
    let mut taken = vec![false; o.variables.len()];
    m.variable_ids()
        .map(|id| {
            let variable = m.variable(id);
            let function = match (&variable.kind, variable.function) {
                (VarKind::StringLiteral(_) | VarKind::Global { .. }, _) | (_, None) => Some(None),
                (_, Some(function)) => paired[function.index()].map(Some),
            };
            let literal = matches!(variable.kind, VarKind::StringLiteral(_));
            let all = known.get(&key(variable, m_types[variable.ty.ty.index()], function)?)?;
            let other = *all.iter().find(|other| literal || !taken[other.index()])?;
            if !same_address(variable, o.variable(other)) {
                return None;
            }
            taken[other.index()] = true;
            Some(other)
        })
        .collect()
}

/// A parameter whose name the other function does not know corresponds by position.
fn pair_renamed_parameters((o, _): Program, (m, _): Program, paired: &[Option<FunctionId>], identity: &mut [Option<VarId>]) {
    let taken = inverse(identity, o.variables.len());
    for (index, other) in paired.iter().enumerate() {
        let Some(other) = other else { continue };
        let parameters = m.functions[index].parameters.iter().zip(&o.function(*other).parameters);
        for (mine, theirs) in parameters {
            let same = same_address(m.variable(*mine), o.variable(*theirs));
            if identity[mine.index()].is_none() && taken[theirs.index()].is_none() && same {
                identity[mine.index()] = Some(*theirs);
            }
        }
    }
}

fn strictly(
    (o, o_types): Program,
    original: FunctionId,
    (m, m_types): Program,
    modified: FunctionId,
    content: &[Option<VarId>],
) -> bool {
    let (a, b) = (o.function(original), m.function(modified));
    a.linkage == b.linkage
        && a.identity == b.identity
        && a.known == b.known
        && a.entry.is_some() == b.entry.is_some()
        && o_types[a.ty.index()] == m_types[b.ty.index()]
        && a.parameters.len() == b.parameters.len()
        && b.parameters.iter().zip(&a.parameters).all(|(mine, theirs)| content[mine.index()] == Some(*theirs))
}
