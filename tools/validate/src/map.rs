//! Which variables and functions of the two programs are the same, as the certificate claims and as it is found to be.
//!
//! Any one-to-one map would do as far as the program sees: an operation speaks of objects, not of names. Names count where
//! code outside the program sees them (it calls no function of the program, and knows no static variable), and alignment where an address is looked at.
//! Invariant: a variable of one program is at most one of the other; string literals are what they say.

use program::cfa::{Cfa, FunctionId, Linkage, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::types::Types;

/// The map, checked.
#[derive(Debug)]
pub(crate) struct Map {
    /// For each variable of the modified program.
    identity: Vec<Option<VarId>>,
    content: Vec<bool>,
    functions: Vec<Option<FunctionId>>,
}

impl Map {
    /// Checks what the certificate says of variables and of renamed functions; functions of the same name are the same.
    pub(crate) fn new(
        modified: &Cfa,
        original: &Cfa,
        (claimed, renamed): (&[Option<u32>], &[[u32; 2]]),
        types: &mut Types,
    ) -> Result<Self, String> {
        if claimed.len() != modified.variables.len() {
            return Err(format!("it lists {} variables, the program has {}", claimed.len(), modified.variables.len()));
        }
        let mut functions = functions(modified, original);
        rename(&mut functions, modified, original, renamed)?;
        let mut map = Self { identity: vec![None; claimed.len()], content: vec![false; claimed.len()], functions };
        let mut taken = FxHashSet::default();
        for (variable, other) in modified.variable_ids().zip(claimed) {
            let Some(other) = other.map(VarId) else { continue };
            if other.index() >= original.variables.len() {
                return Err(format!("the original has no variable {}", other.0));
            }
            let (a, b) = (modified.variable(variable), original.variable(other));
            if matches!(a.kind, VarKind::StringLiteral(_)) {
                // Compared by content wherever one is mentioned.
                continue;
            }
            if !taken.insert(other) {
                return Err(format!("two variables are said to be {} of the original", b.name));
            }
            if !map.may_be_same(modified, original, (variable, other)) {
                return Err(format!("{} is not {} of the original", a.name, b.name));
            }
            map.identity[variable.index()] = Some(other);
            map.content[variable.index()] = same_content(modified, original, (variable, other), types);
        }
        Ok(map)
    }

    fn may_be_same(&self, modified: &Cfa, original: &Cfa, (variable, other): (VarId, VarId)) -> bool {
        let (a, b) = (modified.variable(variable), original.variable(other));
        let seen_alike = match (&a.kind, &b.kind) {
            // What is static has a name that nothing outside the program knows.
            (
                VarKind::Global { linkage: Linkage::Internal, defined: true },
                VarKind::Global { linkage: Linkage::Internal, defined: true },
            ) => true,
            (VarKind::Global { .. }, VarKind::Global { .. }) => a.name == b.name,
            (x, y) => {
                let function = a.function.map(|function| self.function(function));
                std::mem::discriminant(x) == std::mem::discriminant(y) && function == b.function.map(Some)
            }
        };
        seen_alike && a.identity == b.identity && (a.align == b.align || !(a.address_taken || b.address_taken))
    }

    /// The variable of the original that is at the same address.
    pub(crate) fn identity(&self, modified: VarId) -> Option<VarId> {
        self.identity[modified.index()]
    }

    /// The same if its content has the same type as well.
    pub(crate) fn content(&self, modified: VarId) -> Option<VarId> {
        self.identity[modified.index()].filter(|_| self.content[modified.index()])
    }

    /// The function of the original that it is.
    pub(crate) fn function(&self, modified: FunctionId) -> Option<FunctionId> {
        self.functions[modified.index()]
    }

    /// Whether a call of the one does what a call of the other does, given equal arguments and equal bodies.
    pub(crate) fn is_same_callee(
        &self,
        (modified, f): (&Cfa, FunctionId),
        (original, g): (&Cfa, FunctionId),
        types: &mut Types,
    ) -> bool {
        let (a, b) = (modified.function(f), original.function(g));
        self.function(f) == Some(g)
            && a.linkage == b.linkage
            && a.identity == b.identity
            && a.known == b.known
            && a.entry.is_some() == b.entry.is_some()
            && a.parameters.len() == b.parameters.len()
            && a.parameters.iter().zip(&b.parameters).all(|(mine, theirs)| self.content(*mine) == Some(*theirs))
            && types.same(modified, a.ty, original, b.ty)
    }
}

/// Functions of equal name, unless one of the programs has two of it.
fn functions(modified: &Cfa, original: &Cfa) -> Vec<Option<FunctionId>> {
    fn by_name(cfa: &Cfa) -> FxHashMap<&str, Vec<FunctionId>> {
        let mut all: FxHashMap<&str, Vec<FunctionId>> = FxHashMap::default();
        cfa.function_ids().for_each(|function| all.entry(&cfa.function(function).name).or_default().push(function));
        all
    }
    let (mine, theirs) = (by_name(modified), by_name(original));
    let other = |function: FunctionId| {
        let name = &*modified.function(function).name;
        match (mine.get(name).map(Vec::as_slice), theirs.get(name).map(Vec::as_slice)) {
            // Of several of one name in the modified program the first is it.
            (Some([first, ..]), Some(&[one])) if *first == function => Some(one),
            (_, _) => None,
        }
    };
    modified.function_ids().map(other).collect()
}

/// Adds the functions that are said to be one under two names: functions with a body, of which nothing is known by name, and
/// which are no other's counterpart already.
fn rename(functions: &mut [Option<FunctionId>], modified: &Cfa, original: &Cfa, claimed: &[[u32; 2]]) -> Result<(), String> {
    let mut taken: FxHashSet<FunctionId> = functions.iter().copied().flatten().collect();
    let is_own = |cfa: &Cfa, function: FunctionId| {
        cfa.functions.get(function.index()).is_some_and(|known| known.entry.is_some() && known.known.is_none())
    };
    for [f, g] in claimed {
        let (f, g) = (FunctionId(*f), FunctionId(*g));
        if !is_own(modified, f) || !is_own(original, g) || functions[f.index()].is_some() || !taken.insert(g) {
            return Err(format!("function {} of the modified program is not function {} of the original", f.0, g.0));
        }
        functions[f.index()] = Some(g);
    }
    Ok(())
}

/// Whether two variables hold values of the same type in the same way.
fn same_content(modified: &Cfa, original: &Cfa, (variable, other): (VarId, VarId), types: &mut Types) -> bool {
    let (a, b) = (modified.variable(variable), original.variable(other));
    let alike = match (&a.kind, &b.kind) {
        (VarKind::Global { linkage: x, defined: d }, VarKind::Global { linkage: y, defined: e }) => x == y && d == e,
        (x, y) => std::mem::discriminant(x) == std::mem::discriminant(y),
    };
    let (p, q) = (a.ty.qualifiers, b.ty.qualifiers);
    alike
        && a.thread_local == b.thread_local
        && (p.is_volatile, p.is_atomic) == (q.is_volatile, q.is_atomic)
        && types.same(modified, a.ty.ty, original, b.ty.ty)
}
