//! The certificate of a weave: what is left of it for one version is that version.
//!
//! Nothing that weaving noted is believed but the names of variables and functions: conditions on the version are decided
//! anew, operations are compared as those of any two programs, and both automata are walked in lockstep from the entry of
//! every function.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{
    Cfa, CfaParts, ConstantValue, EdgeId, FunctionId, InitialScalar, LocationId, Operation, StaticInitializer, VarId,
};
use program::expr::Expr;
use program::types::TypeId;
use rustc_hash::FxHashMap;
use semantics::compare::{Comparison, Side};

use crate::dispatch::decided;
use crate::mismatch::Mismatch;
use crate::weave::{Weave, WeaveError};

fn mismatch<T>(function: Option<FunctionId>, what: impl Into<String>) -> Result<T, Mismatch> {
    Err(Mismatch { function, what: what.into() })
}

impl Weave {
    /// The certificate: each version is what was woven of it. Holds for every weave that [`crate::weave`] gives.
    ///
    /// # Errors
    /// The first version that is not, and where.
    pub fn check(&self, versions: &[&Cfa]) -> Result<(), WeaveError> {
        for (version, cfa) in versions.iter().enumerate() {
            check(self, version, cfa).map_err(|mismatch| WeaveError::Certificate { version, mismatch })?;
        }
        Ok(())
    }
}

/// Checks one version.
fn check(weave: &Weave, version: usize, own: &Cfa) -> Result<(), Mismatch> {
    let woven = &weave.recast.cfa;
    let walk = Walk { woven, selector: weave.version, version: version as u64 };
    walk.limited(weave.at.len() as u64)?;
    let (start, values) = walk.prologue()?;
    let named = named(weave, version, own, &values);
    let comparison = Comparison::new(own, &named);
    let correspondence = comparison.correspondence();
    for function in own.function_ids() {
        if correspondence.strict_function(weave.function(version, function)) != Some(function) {
            return mismatch(Some(function), format!("function {} is another one", own.function(function).name));
        }
    }
    if let Some(variable) = comparison.without_counterpart(Side::Original).first() {
        let variable = own.variable(*variable);
        return mismatch(variable.function, format!("variable {} is another one", variable.name));
    }
    if let Some(variable) = comparison.initially_different().first() {
        let variable = named.variable(*variable);
        return mismatch(None, format!("variable {} starts with another value", variable.name));
    }
    let mut lockstep =
        Lockstep { own, walk: &walk, comparison: &comparison, pairs: FxHashMap::default(), back: FxHashMap::default() };
    lockstep.entry(start, weave.function(version, own.entry))?;
    for function in own.function_ids() {
        let other = weave.function(version, function);
        lockstep.function(function, other)?;
    }
    Ok(())
}

/// What runs for one version.
#[derive(Clone, Copy)]
struct Walk<'a> {
    woven: &'a Cfa,
    selector: VarId,
    version: u64,
}

/// How far an edge is one of the version.
enum Passing {
    /// A condition on the version that holds.
    Decided(LocationId),
    /// Edges of the version.
    Edges(Vec<EdgeId>),
}

impl Walk<'_> {
    fn decided(&self, edge: EdgeId) -> Option<bool> {
        let Operation::Assume { condition, truth } = self.woven.edge(edge).operation else { return None };
        let value = decided(&self.woven.exprs, condition, self.selector, self.version)?;
        Some(value == truth)
    }

    fn at(&self, location: LocationId) -> Result<Passing, Mismatch> {
        let edges = self.woven.out_edges(location);
        let decided: Vec<Option<bool>> = edges.iter().map(|edge| self.decided(*edge)).collect();
        if decided.iter().all(Option::is_none) {
            return Ok(Passing::Edges(edges.to_vec()));
        }
        let mut taken = edges.iter().zip(&decided).filter(|(_, decided)| **decided == Some(true));
        match (taken.next(), taken.next(), decided.iter().all(Option::is_some)) {
            (Some((edge, _)), None, true) => Ok(Passing::Decided(self.woven.edge(*edge).target)),
            _ => mismatch(None, "a choice of versions is not one"),
        }
    }

    /// Where the version goes from a location without passing an edge of its own.
    fn resolve(&self, mut location: LocationId) -> Result<(LocationId, Vec<EdgeId>), Mismatch> {
        for _ in 0..=self.woven.locations.len() {
            match self.at(location)? {
                Passing::Decided(next) => location = next,
                Passing::Edges(edges) => return Ok((location, edges)),
            }
        }
        mismatch(None, "choices of versions have no end")
    }

    /// Nothing passes the first condition that is no version.
    fn limited(&self, versions: u64) -> Result<(), Mismatch> {
        let none = Walk { version: versions, ..*self };
        match none.at(self.woven.entry_location())? {
            Passing::Decided(end) if self.woven.out_edges(end).is_empty() && !self.woven.location(end).is_error => Ok(()),
            Passing::Decided(_) | Passing::Edges(_) => mismatch(None, "the version is not limited"),
        }
    }

    /// What is assigned before the version begins, and where that is.
    fn prologue(&self) -> Result<(LocationId, Vec<(VarId, ConstantValue)>), Mismatch> {
        let mut location = self.woven.entry_location();
        let mut values = Vec::new();
        loop {
            let (_, edges) = self.resolve(location)?;
            let [edge] = edges[..] else { return mismatch(None, "the start is none") };
            let edge = self.woven.edge(edge);
            match edge.operation {
                Operation::Blank => return Ok((edge.target, values)),
                Operation::Assign { place, value } => {
                    let Expr::Variable(variable) = *self.woven.exprs.get(place) else {
                        return mismatch(None, "the start assigns to a place");
                    };
                    let value = match *self.woven.exprs.get(value) {
                        Expr::Int(bits) => ConstantValue::Int(bits),
                        Expr::Float(bits) => ConstantValue::Float(bits),
                        _ => return mismatch(None, "the start computes"),
                    };
                    values.push((variable, value));
                    location = edge.target;
                }
                _ => return mismatch(None, "the start does more than assign"),
            }
        }
    }
}

/// The weave with the names that a version has for things; what it has not has names that nothing has.
fn named(weave: &Weave, version: usize, own: &Cfa, values: &[(VarId, ConstantValue)]) -> Cfa {
    let woven = &weave.recast.cfa;
    let mut variables = woven.variables.clone();
    let mut functions = woven.functions.clone();
    for variable in &mut variables {
        variable.name = format!("\0{}", variable.name).into();
    }
    for function in &mut functions {
        function.name = format!("\0{}", function.name).into();
    }
    for index in own.variable_ids() {
        let id = &weave.variable(version, index);
        let (mine, other) = (own.variable(index), &mut variables[id.index()]);
        (other.name, other.ordinal) = (mine.name.clone(), mine.ordinal);
        if let Some((_, value)) = values.iter().rev().find(|(variable, _)| variable == id) {
            other.initializer = mine.initializer.as_ref().map(|like| given(like, value, other.ty.ty));
        }
    }
    for id in own.function_ids() {
        let (mine, other) = (own.function(id), &mut functions[weave.function(version, id).index()]);
        other.name = mine.name.clone();
        other.parameters = mine.parameters.iter().map(|parameter| weave.variable(version, *parameter)).collect();
    }
    Cfa::new(CfaParts { variables, functions, ..woven.parts() })
}

/// The initial value that an assignment of a scalar gives, in the form of another one: zero may be said or not.
fn given(like: &StaticInitializer, value: &ConstantValue, ty: TypeId) -> StaticInitializer {
    let is_zero = matches!(value, ConstantValue::Int(0) | ConstantValue::Float(0));
    let scalars = match like.scalars.first() {
        None if is_zero => Vec::new(),
        None => vec![InitialScalar { first_bit: 0, width: 0, ty, value: value.clone() }],
        Some(scalar) => vec![InitialScalar { ty, value: value.clone(), ..scalar.clone() }],
    };
    StaticInitializer { scalars, unsupported: None }
}

/// Pairs of locations that are the same.
struct Lockstep<'a> {
    own: &'a Cfa,
    walk: &'a Walk<'a>,
    comparison: &'a Comparison<'a>,
    pairs: FxHashMap<LocationId, LocationId>,
    back: FxHashMap<LocationId, LocationId>,
}

impl Lockstep<'_> {
    /// The entry function is that of the version, or is called first thing with any arguments.
    fn entry(&mut self, start: LocationId, entry: FunctionId) -> Result<(), Mismatch> {
        let woven = self.walk.woven;
        let (mut here, mut edges) = self.walk.resolve(start)?;
        if woven.location(here).function == entry {
            return self.function_at(self.own.entry, self.own.entry_location(), here);
        }
        let mut declared = Vec::new();
        loop {
            let [edge] = edges[..] else { return mismatch(None, "the start is none") };
            match &woven.edge(edge).operation {
                Operation::Declare { variable } => declared.push(*variable),
                Operation::Call { callee, arguments, result: None } if *callee == entry => {
                    let is_declared = |(argument, variable): (&program::expr::ExprId, &VarId)| {
                        let Expr::Load(place) = *woven.exprs.get(*argument) else { return false };
                        *woven.exprs.get(place) == Expr::Variable(*variable)
                    };
                    let expected = self.own.function(self.own.entry).parameters.len();
                    let any = arguments.len() == declared.len() && arguments.iter().zip(&declared).all(is_declared);
                    let (_, behind) = self.walk.resolve(woven.edge(edge).target)?;
                    let ends =
                        matches!(behind[..], [edge] if matches!(woven.edge(edge).operation, Operation::Return { value: None }));
                    let is_call = any && arguments.len() == expected && ends;
                    return if is_call { Ok(()) } else { mismatch(None, "the start calls the entry function otherwise") };
                }
                _ => return mismatch(None, "the start does more than call the entry function"),
            }
            (here, edges) = self.walk.resolve(woven.edge(edge).target)?;
            let _ = here;
        }
    }

    fn function(&mut self, function: FunctionId, other: FunctionId) -> Result<(), Mismatch> {
        let (mine, theirs) = (self.own.function(function), self.walk.woven.function(other));
        let (Some(entry), Some(exit)) = (mine.entry, mine.exit) else { return Ok(()) };
        let (Some(other_entry), Some(other_exit)) = (theirs.entry, theirs.exit) else {
            return mismatch(Some(function), format!("function {} has no body", mine.name));
        };
        self.pair(function, exit, other_exit)?;
        // What comes before the entry function was looked at.
        if function == self.own.entry && self.pairs.contains_key(&entry) {
            return Ok(());
        }
        self.function_at(function, entry, other_entry)
    }

    fn function_at(&mut self, function: FunctionId, entry: LocationId, other: LocationId) -> Result<(), Mismatch> {
        let mut pending = vec![(entry, other)];
        while let Some((mine, theirs)) = pending.pop() {
            let (theirs, edges) = self.walk.resolve(theirs)?;
            if !self.pair(function, mine, theirs)? {
                continue;
            }
            let own = self.own.out_edges(mine);
            if own.len() != edges.len() {
                return mismatch(Some(function), "another number of edges leaves a location");
            }
            for (edge, other) in own.iter().zip(&edges) {
                if !self.same(*edge, *other) {
                    return mismatch(Some(function), format!("another operation than `{}`", self.own.edge_text(*edge)));
                }
                pending.push((self.own.edge(*edge).target, self.walk.woven.edge(*other).target));
            }
        }
        Ok(())
    }

    fn same(&self, own: EdgeId, woven: EdgeId) -> bool {
        let operations = (&self.own.edge(own).operation, &self.walk.woven.edge(woven).operation);
        if let (Operation::Unsupported { construct: a }, Operation::Unsupported { construct: b }) = operations {
            return a == b;
        }
        self.comparison.identical(woven, own)
    }

    /// Notes that two locations are the same; whether that is new.
    fn pair(&mut self, function: FunctionId, own: LocationId, woven: LocationId) -> Result<bool, Mismatch> {
        let (mine, theirs) = (self.own.location(own), self.walk.woven.location(woven));
        let known = (self.pairs.insert(own, woven), self.back.insert(woven, own));
        match known {
            (None, None) if mine.is_error == theirs.is_error => Ok(true),
            (Some(before), Some(back)) if before == woven && back == own => Ok(false),
            _ => mismatch(Some(function), "a location is another one"),
        }
    }
}
