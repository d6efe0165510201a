//! Names for everything a CFA mentions, so that all of it can stand in one file without clashes.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use indexmap::{IndexMap, IndexSet};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::cfa::{Cfa, FunctionId, Operation, VarId, VarKind, Variable};
use crate::expr::Expr;
use crate::types::{EnumId, IntRank, RecordId, Type, TypeId};

type NameSet = IndexSet<Box<str>, FxBuildHasher>;

/// Names that the printed text uses itself.
const RESERVED: &[&str] = &["abort", "exit", "reach_error", "__assert_fail", "main"];

/// The names of one CFA's functions, variables, records and enumerations.
#[derive(Clone, Debug)]
pub struct Names {
    records: Vec<Box<str>>,
    nested: Vec<bool>,
    enums: Vec<Option<Box<str>>>,
    enumerators: Vec<Vec<Box<str>>>,
    variables: Vec<Box<str>>,
    inline_literals: Vec<bool>,
    /// Objects that the program declares under another object's name, and that name.
    aliases: IndexMap<VarId, Box<str>, FxBuildHasher>,
    arrays: IndexSet<TypeId, FxBuildHasher>,
    taken: NameSet,
}

impl Names {
    /// Names everything in `cfa`: as in the source where that is unique, else with a number.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Self {
        let mut names = Self {
            records: Vec::new(),
            nested: nested_records(cfa),
            enums: Vec::new(),
            enumerators: Vec::new(),
            variables: vec!["".into(); cfa.variables.len()],
            inline_literals: inline_literals(cfa),
            aliases: IndexMap::default(),
            arrays: copied_arrays(cfa),
            taken: RESERVED.iter().map(|name| Box::from(*name)).collect(),
        };
        names.name_tags(cfa);
        names.taken.extend(cfa.functions.iter().map(|f| f.name.clone()));
        let globals = cfa.variables.iter().filter(|v| matches!(v.kind, VarKind::Global { .. }));
        names.taken.extend(globals.map(|v| v.name.clone()));
        names.name_enumerators(cfa);
        names.name_statics(cfa);
        names.name_locals(cfa);
        names.taken.extend(names.variables.iter().cloned());
        names
    }

    fn name_tags(&mut self, cfa: &Cfa) {
        let mut tags = NameSet::default();
        for (id, record) in cfa.types.records() {
            let fallback = format!("__anonymous_{}", id.index());
            self.records.push(fresh(&mut tags, record.tag.as_deref().unwrap_or(&fallback)));
        }
        for (id, definition) in cfa.types.enums() {
            let fallback = format!("__anonymous_enum_{}", id.index());
            let tag = definition.tag.as_deref().unwrap_or(&fallback);
            self.enums.push(definition.complete.then(|| fresh(&mut tags, tag)));
        }
    }

    fn name_enumerators(&mut self, cfa: &Cfa) {
        for (_, definition) in cfa.types.enums() {
            let names = definition.enumerators.iter().map(|(name, _)| fresh(&mut self.taken, name)).collect();
            self.enumerators.push(names);
        }
    }

    fn name_statics(&mut self, cfa: &Cfa) {
        let defined = defined(cfa);
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            let name = match (&variable.kind, variable.function) {
                (VarKind::Global { defined: false, .. }, _) if defined.contains(&variable.name) => {
                    self.aliases.insert(id, variable.name.clone());
                    fresh(&mut self.taken, &format!("{}__alias", variable.name))
                }
                (VarKind::Global { .. }, _) => variable.name.clone(),
                (VarKind::StaticLocal | VarKind::CompoundLiteral | VarKind::StringLiteral(_), function) if is_static(cfa, id) => {
                    let owner = function.map_or(String::new(), |f| format!("{}__", cfa.function(f).name));
                    fresh(&mut self.taken, &format!("{owner}{}", variable.name))
                }
                _ => continue,
            };
            self.variables[id.index()] = name;
        }
    }

    /// Locals get their own names where these are unique in the function and no file-scope name.
    fn name_locals(&mut self, cfa: &Cfa) {
        let mut per_function: Vec<NameSet> = vec![NameSet::default(); cfa.functions.len()];
        for id in cfa.variable_ids() {
            if is_static(cfa, id) {
                continue;
            }
            let variable = cfa.variable(id);
            let mut other = NameSet::default();
            let used = variable.function.map_or(&mut other, |f| &mut per_function[f.index()]);
            let mut name: Box<str> = variable.name.clone();
            let mut number = 2;
            while name.is_empty() || used.contains(&name) || self.taken.contains(&name) {
                name = format!("{}__{number}", variable.name).into();
                number += 1;
            }
            used.insert(name.clone());
            self.variables[id.index()] = name;
        }
    }

    /// A file-scope name that nothing else has, locals included: `wish` itself if possible.
    pub fn reserve(&mut self, wish: &str) -> Box<str> {
        fresh(&mut self.taken, wish)
    }

    /// The name of a variable.
    #[must_use]
    pub fn variable(&self, id: VarId) -> &str {
        &self.variables[id.index()]
    }

    /// The object of the printed text that an object is another declaration of.
    pub(super) fn aliased(&self, id: VarId) -> Option<&str> {
        self.aliases.get(&id).map(|name| &**name)
    }

    /// The tag of a record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &str {
        &self.records[id.index()]
    }

    /// Whether a record is the type of an unnamed member and printed inside its parent only.
    #[must_use]
    pub(super) fn is_nested(&self, id: RecordId) -> bool {
        self.nested[id.index()]
    }

    /// The tag of an enumeration; `None` if its definition was never seen.
    #[must_use]
    pub fn enumeration(&self, id: EnumId) -> Option<&str> {
        self.enums[id.index()].as_deref()
    }

    pub(super) fn enumerators(&self, id: EnumId) -> &[Box<str>] {
        &self.enumerators[id.index()]
    }

    /// Whether a string literal is printed where it is used instead of as an object of its own.
    pub(super) fn is_inline(&self, id: VarId) -> bool {
        self.inline_literals[id.index()]
    }

    /// The array types that are assigned as a whole.
    pub(super) fn arrays(&self) -> impl Iterator<Item = TypeId> + '_ {
        self.arrays.iter().copied()
    }
}

/// Whether a variable lives as long as the program.
#[must_use]
pub(super) fn is_static(cfa: &Cfa, id: VarId) -> bool {
    let variable = cfa.variable(id);
    match variable.kind {
        VarKind::Global { .. } | VarKind::StaticLocal | VarKind::StringLiteral(_) => true,
        VarKind::CompoundLiteral => variable.initializer.is_some() || variable.function.is_none(),
        VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) => false,
    }
}

/// The name of a function in the text.
#[must_use]
pub(super) fn function_name(cfa: &Cfa, id: FunctionId) -> &str {
    &cfa.function(id).name
}

fn fresh(taken: &mut NameSet, wish: &str) -> Box<str> {
    let mut name: Box<str> = wish.into();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wish}__{number}").into();
        number += 1;
    }
    name
}

fn nested_records(cfa: &Cfa) -> Vec<bool> {
    let mut nested = vec![false; cfa.types.records().count()];
    for (_, record) in cfa.types.records() {
        for field in record.fields.iter().filter(|field| field.name.is_none()) {
            if let Type::Record(id) = cfa.types.get(field.ty.ty) {
                nested[id.index()] = cfa.types.record(*id).tag.is_none();
            }
        }
    }
    nested
}

/// Names of objects that are defined: what is declared besides under one of them is an alias.
fn defined(cfa: &Cfa) -> FxHashSet<Box<str>> {
    let is_defined = |variable: &&Variable| matches!(variable.kind, VarKind::Global { defined: true, .. });
    cfa.variables.iter().filter(is_defined).map(|variable| variable.name.clone()).collect()
}

/// String literals of plain `char` that are only used through the address of their first element, and that a literal stands for:
/// the name of a function is another object than a literal that says the same.
fn inline_literals(cfa: &Cfa) -> Vec<bool> {
    let mut objects: FxHashMap<&[u8], usize> = FxHashMap::default();
    for variable in &cfa.variables {
        if let VarKind::StringLiteral(bytes) = &variable.kind {
            *objects.entry(bytes).or_default() += 1;
        }
    }
    let is_own = |id: VarId| match &cfa.variable(id).kind {
        VarKind::StringLiteral(bytes) => cfa.variable(id).identity.is_empty() || objects.get(&**bytes) == Some(&1),
        _ => false,
    };
    let mut inline: Vec<bool> = cfa.variable_ids().map(|id| is_own(id) && is_plain_literal(cfa, id)).collect();
    let arena = &cfa.exprs;
    let literal = |id| match *arena.get(id) {
        Expr::Variable(variable) => Some(variable),
        _ => None,
    };
    let first_element = |id| match *arena.get(id) {
        Expr::Index(array, index) if *arena.get(index) == Expr::Int(0) => literal(array),
        _ => None,
    };
    for id in arena.ids() {
        let expr = arena.get(id);
        let decays = matches!(expr, Expr::AddressOf(_));
        for operand in expr.operands() {
            let escapes = match (literal(operand), first_element(operand)) {
                (Some(variable), _) if first_element(id).is_none() => Some(variable),
                (_, Some(variable)) if !decays => Some(variable),
                _ => None,
            };
            if let Some(variable) = escapes {
                inline[variable.index()] = false;
            }
        }
    }
    inline
}

fn is_plain_literal(cfa: &Cfa, id: VarId) -> bool {
    let variable = cfa.variable(id);
    let (VarKind::StringLiteral(_), Type::Array { element, .. }) = (&variable.kind, cfa.types.get(variable.ty.ty)) else {
        return false;
    };
    matches!(cfa.types.get(element.ty), Type::Int { rank: IntRank::PlainChar, .. })
}

fn copied_arrays(cfa: &Cfa) -> IndexSet<TypeId, FxBuildHasher> {
    let mut arrays = IndexSet::default();
    for edge in &cfa.edges {
        let ty = match edge.operation {
            Operation::Assign { place, .. } => cfa.exprs.ty(place),
            Operation::Declare { variable } => cfa.variable(variable).ty.ty,
            _ => continue,
        };
        if let Type::Array { .. } = cfa.types.get(ty) {
            arrays.insert(ty);
        }
    }
    arrays
}
