//! Which variables were given another name: a guess by use.
//!
//! The variables of a function, and static variables of the program, that the map leaves over are blanks. Operations of two
//! functions that correspond which are the same but for blanks are aligned; where they are, a blank of the one stands where a
//! blank of the other stands, and that counts for the two being the same variable. Who has most in common is paired first;
//! for static variables of the program all functions count.
//! Any one-to-one map of variables of equal kind and type whose names nobody outside knows is right (an operation speaks of
//! objects, not of names), so that a guess decides only how much is found to be identical.

use program::cfa::{EdgeId, FunctionId, Linkage, VarId, VarKind};
use rustc_hash::FxHashMap;

use super::alignment::edges_by_function;
use super::content::{Program, same_address, same_content};
use super::reading::{Numbers, read};
use super::sequence::common;

/// How often two variables stand in each other's place.
type Votes = FxHashMap<(VarId, VarId), usize>;

/// Two programs, what is known to correspond, and what is taken.
pub(super) struct Guess<'a> {
    pub(super) original: Program<'a>,
    pub(super) modified: Program<'a>,
    pub(super) functions: &'a [Option<FunctionId>],
    pub(super) identity: &'a mut [Option<VarId>],
    /// By variable of the original.
    pub(super) taken: Vec<Option<VarId>>,
}

impl Guess<'_> {
    /// Pairs what is left over: variables of the program by all functions that correspond, then those of each.
    pub(super) fn pair(mut self) {
        let open = |program: &Program, is_blank: &dyn Fn(VarId) -> bool| {
            program.0.variable_ids().any(|v| matches!(program.0.variable(v).kind, VarKind::Global { .. }) && is_blank(v))
        };
        let has_globals = open(&self.modified, &|v| self.is_free(v)) && open(&self.original, &|v| self.is_open(v));
        let (left, right) = (self.blanks(&self.modified, |v| self.is_free(v)), self.blanks(&self.original, |v| self.is_open(v)));
        let both: Vec<(FunctionId, FunctionId)> =
            self.modified.0.function_ids().filter_map(|f| Some((f, self.functions[f.index()]?))).collect();
        let has_blanks = |(f, g): &(FunctionId, FunctionId)| left[f.index()] && right[g.index()];
        if !has_globals && !both.iter().any(has_blanks) {
            return;
        }
        let edges = [self.modified.0, self.original.0].map(edges_by_function);
        if has_globals {
            let mut votes = Votes::default();
            for (f, g) in &both {
                self.vote(&edges[0][f.index()], &edges[1][g.index()], &mut votes);
            }
            votes.retain(|(v, _), _| self.modified.0.variable(*v).function.is_none());
            self.settle(votes);
        }
        for (f, g) in both.iter().filter(|pair| has_blanks(pair)) {
            let mut votes = Votes::default();
            self.vote(&edges[0][f.index()], &edges[1][g.index()], &mut votes);
            self.settle(votes);
        }
    }

    /// Which functions have variables that are left over.
    fn blanks(&self, program: &Program, is_blank: impl Fn(VarId) -> bool) -> Vec<bool> {
        let mut found = vec![false; program.0.functions.len()];
        for variable in program.0.variable_ids() {
            if let Some(function) = program.0.variable(variable).function
                && is_blank(variable)
            {
                found[function.index()] = true;
            }
        }
        found
    }

    fn is_free(&self, modified: VarId) -> bool {
        self.identity[modified.index()].is_none() && can_be_renamed(&self.modified.0.variable(modified).kind)
    }

    fn is_open(&self, original: VarId) -> bool {
        self.taken[original.index()].is_none() && can_be_renamed(&self.original.0.variable(original).kind)
    }

    /// Counts which blanks of two functions stand in each other's place.
    fn vote(&self, modified: &[EdgeId], original: &[EdgeId], votes: &mut Votes) {
        let read_all = |program: &Program, edges: &[EdgeId], numbers: &Numbers| -> Vec<(u32, Vec<VarId>)> {
            edges.iter().map(|edge| read(program, *edge, numbers)).collect()
        };
        let variable = |v: VarId| {
            if self.is_free(v) { None } else { Some(self.identity[v.index()].map_or(u32::MAX - v.0, |other| other.0)) }
        };
        let function = |f: FunctionId| Some(self.functions[f.index()].map_or(u32::MAX - f.0, |other| other.0));
        let mine = read_all(&self.modified, modified, &Numbers { variable: &variable, function: &function });
        if mine.iter().all(|(_, blanks)| blanks.is_empty()) {
            return;
        }
        let variable = |v: VarId| if self.is_open(v) { None } else { Some(v.0) };
        let theirs = read_all(&self.original, original, &Numbers { variable: &variable, function: &|g| Some(g.0) });
        let tokens = |all: &[(u32, Vec<VarId>)]| all.iter().map(|(token, _)| *token).collect::<Vec<u32>>();
        for (i, j) in common(&tokens(&mine), &tokens(&theirs)) {
            for (v, w) in mine[i].1.iter().zip(&theirs[j].1) {
                *votes.entry((*v, *w)).or_default() += 1;
            }
        }
    }

    /// Pairs whom most speaks for.
    fn settle(&mut self, votes: Votes) {
        let mut votes: Vec<((VarId, VarId), usize)> = votes.into_iter().collect();
        votes.sort_unstable_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
        for ((v, w), _) in votes {
            let (a, b) = (self.modified.0.variable(v), self.original.0.variable(w));
            let fits = same_address(a, b) && same_content(self.original, w, self.modified, v);
            if fits && self.identity[v.index()].is_none() && self.taken[w.index()].is_none() {
                self.identity[v.index()] = Some(w);
                self.taken[w.index()] = Some(v);
            }
        }
    }
}

/// What has a name that only its function, or only the program, knows.
fn can_be_renamed(kind: &VarKind) -> bool {
    match kind {
        VarKind::StaticLocal
        | VarKind::Local
        | VarKind::Parameter(_)
        | VarKind::Global { linkage: Linkage::Internal, defined: true } => true,
        VarKind::Global { .. } | VarKind::CompoundLiteral | VarKind::Temporary(_) | VarKind::StringLiteral(_) => false,
    }
}
