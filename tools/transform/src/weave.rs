//! Several versions of a program in one, which runs the version that a variable says.
//!
//! No edge writes the variable. Versions are laid upon each other one after another: where operations of a version are those
//! of the one before ([`Alignment`]), locations become one, and where one location's versions go different ways, a condition
//! on the variable parts them. How well versions are aligned decides how much is shared and nothing else: any map of
//! locations that is one-to-one for each version gives the same runs.
//!
//! Invariant, checked for every weave that is given out ([`Weave::check`]): for each version, what is left when the
//! conditions on the variable are decided walks in lockstep with the version, operations being identical as
//! [`Comparison::identical`] says. A function that fails is taken apart; if that does not help there is no weave.
//! Source: the selectors of programs that are verified together, as in configuration lifting.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::hash::BuildHasherDefault;

use indexmap::{IndexMap, IndexSet};
use program::cfa::{Cfa, CfaParts, ConstantValue, EdgeId, Function, FunctionId, LocationId, Operation, VarId, VarKind, Variable};
use program::expr::{Expr, ExprId};
use program::source::Span;
use program::types::{FunctionType, QualType, Type};
use rustc_hash::{FxHashSet, FxHasher};
use semantics::compare::{Alignment, Comparison};

use crate::Recast;
use crate::dispatch::Selector;
use crate::editor::{Editor, plain_function};
use crate::merge::{Apart, Maps, Merged, merge, owners};
use crate::mismatch::Mismatch;

/// Versions that fit into a bit set.
pub const MOST_VERSIONS: usize = 64;

/// Why there is no weave.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeaveError {
    /// None, or more than a bit set has room for.
    #[error("{0} versions cannot be woven: 1 to {MOST_VERSIONS} can")]
    Count(usize),
    /// Versions that are read in different ways.
    #[error("versions are to be read in the same way: same data model and property")]
    Options,
    /// The texts are too long together.
    #[error("the texts of the versions are longer than 4 GiB together")]
    TooLong,
    /// What was woven is not the versions.
    #[error("version {version} is not what was woven of it: {mismatch}")]
    Certificate {
        /// Which version, from 0.
        version: usize,
        /// Where they differ.
        mismatch: Mismatch,
    },
}

/// Several versions in one program.
#[derive(Debug)]
pub struct Weave {
    /// The program; the origin of an edge is the first version that has it.
    pub recast: Recast,
    /// Which version runs: an `unsigned` that no edge writes.
    pub version: VarId,
    /// For each edge the versions that may pass it, as a bit set.
    pub edges: Vec<u64>,
    /// For each version and location of it, where that is.
    pub at: Vec<Vec<LocationId>>,
    /// For each version and edge of the weave, which edge of the version it is.
    pub own: Vec<Vec<Option<EdgeId>>>,
    /// What is not shared although it could be, by version and name of function.
    pub degraded: Vec<(usize, Box<str>)>,
    maps: Vec<Maps>,
}

impl Weave {
    /// A path through the weave as the path of a version.
    pub fn project<'a>(&'a self, version: usize, path: &'a [EdgeId]) -> impl Iterator<Item = EdgeId> + 'a {
        path.iter().filter_map(move |edge| self.own[version][edge.index()])
    }

    /// The variable that a variable of a version is.
    #[must_use]
    pub fn variable(&self, version: usize, variable: VarId) -> VarId {
        self.maps[version].variable(variable)
    }

    /// The function that a function of a version is.
    #[must_use]
    pub fn function(&self, version: usize, function: FunctionId) -> FunctionId {
        self.maps[version].functions[function.index()]
    }

    /// The variable that each variable of a version is.
    #[must_use]
    pub fn variables(&self, version: usize) -> Vec<VarId> {
        self.maps[version].variables.clone()
    }

    /// The function that each function of a version is.
    #[must_use]
    pub fn functions(&self, version: usize) -> Vec<FunctionId> {
        self.maps[version].functions.clone()
    }

    /// The expression that an expression of a version is.
    #[must_use]
    pub fn expr(&self, version: usize, expr: ExprId) -> ExprId {
        self.maps[version].expr(expr)
    }

    /// How many edges come from versions: between the number of the largest version and the sum of all.
    #[must_use]
    pub fn woven_edges(&self) -> usize {
        self.recast.origin.iter().flatten().count()
    }
}

/// Weaves versions, the oldest first.
///
/// Time is that of a comparison for each version and step of degrading.
///
/// # Errors
/// If there are too many versions, or they cannot be one program.
pub fn weave(versions: &[&Cfa]) -> Result<Weave, WeaveError> {
    if versions.is_empty() || versions.len() > MOST_VERSIONS {
        return Err(WeaveError::Count(versions.len()));
    }
    let options = &versions[0].options;
    if versions.iter().any(|cfa| (cfa.options.data_model, cfa.options.property) != (options.data_model, options.property)) {
        return Err(WeaveError::Options);
    }
    let comparisons: Vec<Comparison<'_>> = versions.windows(2).map(|pair| Comparison::new(pair[0], pair[1])).collect();
    let mut apart = Apart::default();
    let mut degraded = Vec::new();
    loop {
        let merged = merge(versions, &comparisons, &apart).ok_or(WeaveError::TooLong)?;
        let mut woven = Weaver::new(versions, &comparisons, merged).weave();
        match woven.check(versions) {
            Ok(()) => {
                woven.degraded = degraded;
                return Ok(woven);
            }
            Err(WeaveError::Certificate { version, mismatch })
                if mismatch.function.is_some_and(|f| apart.functions.insert((version, f))) =>
            {
                let name = mismatch.function.map(|function| versions[version].function(function).name.clone());
                degraded.extend(name.map(|name| (version, name)));
            }
            Err(error) => return Err(error),
        }
    }
}

type Map<K, V> = IndexMap<K, V, BuildHasherDefault<FxHasher>>;

/// Edges leave a location in this way: operation, target, places, own edge.
#[derive(Clone, Copy)]
struct Way {
    operation: usize,
    target: LocationId,
    edge: EdgeId,
}

struct Weaver<'a> {
    versions: &'a [&'a Cfa],
    comparisons: &'a [Comparison<'a>],
    merged: Merged,
    /// Operations in the common tables.
    operations: IndexSet<Operation, BuildHasherDefault<FxHasher>>,
    /// For each version the operation of each edge.
    of_edges: Vec<Vec<usize>>,
    /// Common locations: function, and whether they are error locations.
    locations: Vec<(FunctionId, bool)>,
    at: Vec<Vec<LocationId>>,
}

impl<'a> Weaver<'a> {
    fn new(versions: &'a [&'a Cfa], comparisons: &'a [Comparison<'a>], merged: Merged) -> Self {
        let mut operations: IndexSet<Operation, BuildHasherDefault<FxHasher>> = IndexSet::default();
        let mut number = |version: usize, edge| operations.insert_full(merged.operation(version, edge)).0;
        let of_edges =
            versions.iter().enumerate().map(|(v, cfa)| cfa.edges.iter().map(|edge| number(v, edge)).collect()).collect();
        Self { versions, comparisons, merged, operations, of_edges, locations: Vec::new(), at: Vec::new() }
    }

    fn weave(mut self) -> Weave {
        for version in 0..self.versions.len() {
            let map = self.join(version);
            self.at.push(map);
        }
        self.assemble()
    }

    /// Where the locations of a version are.
    fn join(&mut self, version: usize) -> Vec<LocationId> {
        let cfa = self.versions[version];
        let mut map: Vec<Option<LocationId>> = vec![None; cfa.locations.len()];
        if let Some(before) = version.checked_sub(1) {
            self.join_to(version, before, &mut map);
        }
        let functions = &self.merged.maps[version].functions;
        let mut place = |index: usize, known: Option<LocationId>| {
            known.unwrap_or_else(|| {
                let location = cfa.location(LocationId::new(index));
                self.locations.push((functions[location.function.index()], location.is_error));
                LocationId::new(self.locations.len() - 1)
            })
        };
        map.into_iter().enumerate().map(|(index, known)| place(index, known)).collect()
    }

    fn join_to(&self, version: usize, before: usize, map: &mut [Option<LocationId>]) {
        let (mine, theirs) = (self.versions[version], self.versions[before]);
        let comparison = &self.comparisons[before];
        let alignment = Alignment::new(comparison);
        let functions = &self.merged.maps[version].functions;
        let mut taken = FxHashSet::default();
        let mut join = |own: LocationId, other: LocationId| {
            let target = self.at[before][other.index()];
            let location = mine.location(own);
            let fits = self.locations[target.index()] == (functions[location.function.index()], location.is_error);
            let ends = mine.out_edges(own).is_empty() == theirs.out_edges(other).is_empty();
            if map[own.index()].is_none() && fits && ends && taken.insert(target) {
                map[own.index()] = Some(target);
            }
        };
        for function in mine.function_ids() {
            let Some(other) = comparison.correspondence().strict_function(function) else { continue };
            if let (Some(own), Some(other)) = (mine.function(function).exit, theirs.function(other).exit) {
                join(own, other);
            }
        }
        let same: Vec<(EdgeId, EdgeId)> = mine
            .edge_ids()
            .filter_map(|edge| Some((edge, alignment.of(edge)?)))
            .filter(|(edge, other)| self.of_edges[version][edge.index()] == self.of_edges[before][other.index()])
            .collect();
        for (edge, other) in &same {
            join(mine.edge(*edge).source, theirs.edge(*other).source);
        }
        for (edge, other) in &same {
            join(mine.edge(*edge).target, theirs.edge(*other).target);
        }
    }

    /// The ways of each version at each location.
    fn ways(&self) -> Vec<Vec<(usize, Vec<Way>)>> {
        let mut ways: Vec<Vec<(usize, Vec<Way>)>> = vec![Vec::new(); self.locations.len()];
        for (version, cfa) in self.versions.iter().enumerate() {
            for own in cfa.location_ids() {
                let way = |edge: &EdgeId| Way {
                    operation: self.of_edges[version][edge.index()],
                    target: self.at[version][cfa.edge(*edge).target.index()],
                    edge: *edge,
                };
                let list = cfa.out_edges(own).iter().map(way).collect();
                ways[self.at[version][own.index()].index()].push((version, list));
            }
        }
        ways
    }

    fn assemble(self) -> Weave {
        let ways = self.ways();
        let mut merged = self.merged;
        let functions = std::mem::take(&mut merged.functions);
        let parts = CfaParts {
            source: merged.source.clone(),
            options: self.versions[0].options.clone(),
            machine: self.versions[0].machine,
            types: std::mem::take(&mut merged.types),
            exprs: std::mem::take(&mut merged.exprs),
            variables: std::mem::take(&mut merged.variables),
            functions,
            locations: self
                .locations
                .iter()
                .map(|&(function, is_error)| program::cfa::Location { is_error, ..program::cfa::Location::new(function) })
                .collect(),
            edges: Vec::new(),
            entry: FunctionId(0),
            digest: None,
        };
        let mut editor = Editor::of(parts, Vec::new());
        let mut assumptions: Vec<String> = self.versions.iter().flat_map(|cfa| cfa.assumptions.iter().cloned()).collect();
        assumptions.sort();
        assumptions.dedup();
        editor.assumptions = assumptions;
        let selector = Selector::new(&mut editor, self.versions.len());
        let mut out = Assembly {
            versions: self.versions,
            merged: &merged,
            operations: &self.operations,
            at: &self.at,
            editor,
            selector,
            own: vec![Vec::new(); self.versions.len()],
        };
        for (index, ways) in ways.iter().enumerate() {
            out.location(LocationId::new(index), ways);
        }
        out.functions();
        out.start();
        let edges = out.bits();
        let count = out.editor.parts.edges.len();
        out.own.iter_mut().for_each(|own| own.resize(count, None));
        let (own, editor) = (out.own, out.editor);
        let version = selector.variable;
        let maps = merged.maps;
        Weave { recast: editor.finish(), version, edges, at: self.at, own, degraded: Vec::new(), maps }
    }
}

/// The edges of the weave while they are written.
struct Assembly<'a> {
    versions: &'a [&'a Cfa],
    merged: &'a Merged,
    operations: &'a IndexSet<Operation, BuildHasherDefault<FxHasher>>,
    at: &'a [Vec<LocationId>],
    editor: Editor,
    selector: Selector,
    own: Vec<Vec<Option<EdgeId>>>,
}

fn bit(version: usize) -> u64 {
    1 << version
}

fn no_place() -> (Span, Span) {
    (Span::default(), Span::default())
}

impl Assembly<'_> {
    /// The edges that leave a location: those of all its versions, or behind a dispatch those of each group of versions that
    /// do the same there.
    fn location(&mut self, location: LocationId, ways: &[(usize, Vec<Way>)]) {
        let mut groups: Map<Vec<usize>, Vec<&(usize, Vec<Way>)>> = Map::default();
        for way in ways {
            groups.entry(way.1.iter().map(|way| way.operation).collect()).or_default().push(way);
        }
        if groups.len() == 1 {
            groups.values().for_each(|only| self.group(location, only));
            return;
        }
        if groups.is_empty() {
            return;
        }
        let place = self.place(ways);
        let targets: Vec<(u64, LocationId)> = groups
            .values()
            .map(|group| (group.iter().map(|(version, _)| bit(*version)).sum(), self.editor.location_beside(location)))
            .collect();
        self.selector.dispatch(&mut self.editor, location, &targets, place);
        for (group, (_, source)) in groups.values().zip(targets) {
            self.group(source, group);
        }
    }

    fn place(&self, ways: &[(usize, Vec<Way>)]) -> (Span, Span) {
        let first = ways.iter().find_map(|(version, ways)| Some((*version, ways.first()?.edge)));
        first.map_or_else(no_place, |(version, edge)| self.spans(version, edge))
    }

    fn spans(&self, version: usize, edge: EdgeId) -> (Span, Span) {
        let edge = self.versions[version].edge(edge);
        (self.merged.span(version, edge.span), self.merged.span(version, edge.statement))
    }

    /// The edges of versions that do the same, which may lead to different places.
    fn group(&mut self, source: LocationId, group: &[&(usize, Vec<Way>)]) {
        let Some((_, first)) = group.first() else { return };
        for position in 0..first.len() {
            let mut targets: Map<LocationId, u64> = Map::default();
            for (version, ways) in group {
                *targets.entry(ways[position].target).or_default() |= bit(*version);
            }
            let (version, edge) = (group[0].0, first[position].edge);
            let (operation, place) = (self.operations[first[position].operation].clone(), self.spans(version, edge));
            let target = match targets.first() {
                Some((only, _)) if targets.len() == 1 => *only,
                _ => self.editor.location_beside(source),
            };
            let new = self.editor.add(source, target, operation, place);
            self.editor.origin[new.index()] = Some((u8::try_from(version).unwrap_or(u8::MAX), edge));
            for (version, ways) in group {
                let own = &mut self.own[*version];
                own.resize(new.index() + 1, None);
                own[new.index()] = Some(ways[position].edge);
            }
            if targets.len() > 1 {
                let ways: Vec<(u64, LocationId)> = targets.iter().map(|(target, set)| (*set, *target)).collect();
                self.selector.dispatch(&mut self.editor, target, &ways, place);
            }
        }
    }

    /// The entry and the exit of each function.
    fn functions(&mut self) {
        for (id, owners) in owners(&self.merged.maps) {
            let mut entries: Map<LocationId, u64> = Map::default();
            for (version, own) in &owners {
                let function = self.versions[*version].function(*own);
                if let (Some(entry), Some(exit)) = (function.entry, function.exit) {
                    *entries.entry(self.at[*version][entry.index()]).or_default() |= bit(*version);
                    self.editor.parts.functions[id.index()].exit = Some(self.at[*version][exit.index()]);
                }
            }
            let Some((first, _)) = entries.first() else { continue };
            let entry = if entries.len() == 1 {
                *first
            } else {
                let entry = self.editor.location_in(id);
                let ways: Vec<(u64, LocationId)> = entries.iter().map(|(target, set)| (*set, *target)).collect();
                self.selector.dispatch(&mut self.editor, entry, &ways, no_place());
                entry
            };
            self.editor.parts.functions[id.index()].entry = Some(entry);
        }
    }

    /// What comes before all else: the version is one, and variables have its initial values.
    fn start(&mut self) {
        let mut entries: Map<FunctionId, u64> = Map::default();
        for (version, cfa) in self.versions.iter().enumerate() {
            *entries.entry(self.merged.maps[version].functions[cfa.entry.index()]).or_default() |= bit(version);
        }
        let is_called = |function: FunctionId| {
            self.editor.parts.functions[function.index()].address_taken
                || self
                    .editor
                    .parts
                    .edges
                    .iter()
                    .any(|edge| matches!(edge.operation, Operation::Call { callee, .. } if callee == function))
        };
        let Some((&first, _)) = entries.first() else { return };
        if entries.len() == 1 && !is_called(first) {
            let start = self.editor.location_in(first);
            let entry = self.editor.parts.functions[first.index()].entry.unwrap_or(start);
            self.prologue(start, entry);
            self.editor.parts.functions[first.index()].entry = Some(start);
            self.editor.parts.entry = first;
            return;
        }
        let (start, exit, id) = self.start_function();
        let ways: Vec<(u64, LocationId)> =
            entries.iter().map(|(function, set)| (*set, self.call_entry(id, *function, exit))).collect();
        let choose = match ways[..] {
            [(_, only)] => only,
            _ => {
                let choose = self.editor.location_in(id);
                self.selector.dispatch(&mut self.editor, choose, &ways, no_place());
                choose
            }
        };
        self.prologue(start, choose);
        self.editor.parts.entry = id;
    }

    fn start_function(&mut self) -> (LocationId, LocationId, FunctionId) {
        let void = self.editor.ty(Type::Void);
        let ty = FunctionType { result: QualType::plain(void), parameters: Vec::new(), variadic: false, unprototyped: false };
        let ty = self.editor.ty(Type::Function(ty));
        let id = FunctionId::new(self.editor.parts.functions.len());
        self.editor.parts.functions.push(plain_function("__residue_start", ty));
        let (start, exit) = (self.editor.location_in(id), self.editor.location_in(id));
        let function: &mut Function = &mut self.editor.parts.functions[id.index()];
        (function.entry, function.exit) = (Some(start), Some(exit));
        (start, exit, id)
    }

    /// A call of an entry function with any arguments; returns where it begins.
    fn call_entry(&mut self, caller: FunctionId, callee: FunctionId, exit: LocationId) -> LocationId {
        let begin = self.editor.location_in(caller);
        let mut here = begin;
        let mut arguments = Vec::new();
        for (number, parameter) in self.editor.parts.functions[callee.index()].parameters.clone().into_iter().enumerate() {
            let like = &self.editor.parts.variables[parameter.index()];
            let name = format!("__residue_{}_{number}", callee.0);
            let local = Variable { name: name.into(), ordinal: 0, kind: VarKind::Local, function: Some(caller), ..like.clone() };
            self.editor.parts.variables.push(Variable { address_taken: false, ..local });
            let variable = VarId::new(self.editor.parts.variables.len() - 1);
            let next = self.editor.location_in(caller);
            self.editor.add(here, next, Operation::Declare { variable }, no_place());
            arguments.push(self.editor.load(variable));
            here = next;
        }
        let behind = self.editor.location_in(caller);
        self.editor.add(here, behind, Operation::Call { callee, arguments, result: None }, no_place());
        self.editor.add(behind, exit, Operation::Return { value: None }, no_place());
        begin
    }

    fn prologue(&mut self, start: LocationId, entry: LocationId) {
        let mut values: Map<VarId, Map<ConstantValue, u64>> = Map::default();
        for (variable, version, scalar) in &self.merged.initial {
            *values.entry(*variable).or_default().entry(scalar.value.clone()).or_default() |= bit(*version);
        }
        let every = (0..self.versions.len()).fold(0, |all, version| all | bit(version));
        let mut here = self.editor.location_beside(start);
        let end = self.editor.location_beside(start);
        let condition = self.selector.is_below(&mut self.editor, self.versions.len());
        self.editor.branch(start, condition, (here, end), no_place());
        for (variable, values) in values {
            let next = self.editor.location_beside(start);
            let place = self.editor.place(variable);
            let ty = self.editor.type_of(place);
            let mut ways = Vec::new();
            for (value, set) in &values {
                let way = self.editor.location_beside(start);
                let constant = match value {
                    ConstantValue::Float(bits) => Expr::Float(*bits),
                    ConstantValue::Int(bits) => Expr::Int(*bits),
                    // Only numbers are assigned; whoever merged others fails the certificate.
                    ConstantValue::Address { .. } | ConstantValue::Function(_) => Expr::Int(0),
                };
                let value = self.editor.expr(constant, ty);
                self.editor.add(way, next, Operation::Assign { place, value }, no_place());
                ways.push((*set, way));
            }
            let others = every & !values.values().fold(0, |all, set| all | set);
            if others != 0 {
                ways.push((others, next));
            }
            if others == 0 {
                ways.push((0, next));
            }
            self.selector.dispatch(&mut self.editor, here, &ways, no_place());
            here = next;
        }
        self.editor.add(here, entry, Operation::Blank, no_place());
    }

    /// The versions that may pass each edge.
    fn bits(&self) -> Vec<u64> {
        let count = self.editor.parts.edges.len();
        let mut bits = vec![0; count];
        for (version, own) in self.own.iter().enumerate() {
            for (index, edge) in own.iter().enumerate() {
                if edge.is_some() {
                    bits[index] |= bit(version);
                }
            }
        }
        let every = (0..self.versions.len()).fold(0, |all, version| all | bit(version));
        for (index, edge) in self.editor.parts.edges.iter().enumerate() {
            if self.editor.origin[index].is_some() {
                continue;
            }
            bits[index] = match edge.operation {
                Operation::Assume { condition, truth } => (0..self.versions.len())
                    .filter(|&version| {
                        let selector = self.selector.variable;
                        let decided = crate::dispatch::decided(&self.editor.parts.exprs, condition, selector, version as u64);
                        decided == Some(truth)
                    })
                    .fold(0, |all, version| all | bit(version)),
                _ => every,
            };
        }
        bits
    }
}
