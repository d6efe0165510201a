//! Which variables of a function were given another name: a guess by use.
//!
//! The variables of a function that the map leaves over are blanks. Operations of the two functions that are the same but for
//! blanks are aligned; where they are, a blank of the one stands where a blank of the other stands, and that counts for the
//! two being the same variable. Who has most in common is paired first.
//! Any one-to-one map of a function's variables of equal kind and type is right (an operation speaks of objects, not of
//! names), so that a guess decides only how much is found to be identical.

use std::hash::{Hash, Hasher};

use program::cfa::{EdgeId, FunctionId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use rustc_hash::{FxHashMap, FxHasher};

use super::alignment::edges_by_function;
use super::content::{Program, same_address, same_content};
use super::sequence::common;

/// Parts of an operation that are looked at; of one with more, nothing is said.
const LARGEST: usize = 300;

/// Two programs, what is known to correspond, and what is taken.
pub(super) struct Guess<'a> {
    pub(super) original: Program<'a>,
    pub(super) modified: Program<'a>,
    pub(super) functions: &'a [Option<FunctionId>],
    pub(super) identity: &'a mut [Option<VarId>],
    /// By variable of the original.
    pub(super) taken: Vec<Option<VarId>>,
}

/// What is in an operation, from the outside in: shapes, and the variables that stand in blanks.
#[derive(Default)]
struct Reading {
    hasher: FxHasher,
    blanks: Vec<VarId>,
    parts: usize,
}

impl Guess<'_> {
    /// Pairs what is left over in functions that correspond.
    pub(super) fn pair(mut self) {
        let (left, right) = (self.blanks(&self.modified, |v| self.is_free(v)), self.blanks(&self.original, |v| self.is_open(v)));
        let both = |f: FunctionId| self.functions[f.index()].filter(|g| left[f.index()] && right[g.index()]).map(|g| (f, g));
        let functions: Vec<(FunctionId, FunctionId)> = self.modified.0.function_ids().filter_map(both).collect();
        if functions.is_empty() {
            return;
        }
        let edges = [self.modified.0, self.original.0].map(edges_by_function);
        for (f, g) in functions {
            self.pair_within(&edges[0][f.index()], &edges[1][g.index()]);
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

    fn pair_within(&mut self, modified: &[EdgeId], original: &[EdgeId]) {
        let read = |program: &Program, edges: &[EdgeId], side: &dyn Fn(VarId) -> Option<u32>| -> Vec<(u32, Vec<VarId>)> {
            edges.iter().map(|edge| self.reading(program, *edge, side)).collect()
        };
        let mine = read(&self.modified, modified, &|v| {
            if self.is_free(v) { None } else { Some(self.identity[v.index()].map_or(u32::MAX - v.0, |other| other.0)) }
        });
        let theirs = read(&self.original, original, &|v| if self.is_open(v) { None } else { Some(v.0) });
        let tokens = |all: &[(u32, Vec<VarId>)]| all.iter().map(|(token, _)| *token).collect::<Vec<u32>>();
        let mut votes: FxHashMap<(VarId, VarId), usize> = FxHashMap::default();
        for (i, j) in common(&tokens(&mine), &tokens(&theirs)) {
            for (v, w) in mine[i].1.iter().zip(&theirs[j].1) {
                *votes.entry((*v, *w)).or_default() += 1;
            }
        }
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

    /// A number for what an operation does but for blanks, and the variables there. `known` numbers those that are none.
    fn reading(&self, program: &Program, edge: EdgeId, known: &dyn Fn(VarId) -> Option<u32>) -> (u32, Vec<VarId>) {
        let mut reading = Reading::default();
        let operation = &program.0.edge(edge).operation;
        std::mem::discriminant(operation).hash(&mut reading.hasher);
        let (mut exprs, mut variables): (Vec<ExprId>, Vec<VarId>) = (Vec::new(), Vec::new());
        match operation {
            Operation::Declare { variable } => variables.push(*variable),
            Operation::Assume { condition, truth } => {
                truth.hash(&mut reading.hasher);
                exprs.push(*condition);
            }
            Operation::Assign { place, value } => exprs.extend([*place, *value]),
            Operation::Havoc { variable, .. } => variables.extend(variable),
            Operation::Call { callee, arguments, result } => {
                program.0.function(*callee).name.hash(&mut reading.hasher);
                exprs.extend(arguments);
                variables.extend(result);
            }
            Operation::Return { value } => exprs.extend(value),
            Operation::Blank | Operation::Asm(_) | Operation::Unsupported { .. } => {}
        }
        variables.iter().for_each(|variable| reading.variable(program, *variable, known));
        exprs.reverse();
        while let Some(expr) = exprs.pop() {
            reading.parts += 1;
            if reading.parts > LARGEST {
                edge.hash(&mut reading.hasher);
                break;
            }
            reading.expression(program, expr, known);
            let operands: Vec<ExprId> = program.0.exprs.get(expr).operands().collect();
            exprs.extend(operands.into_iter().rev());
        }
        let token = reading.hasher.finish();
        (u32::try_from(token & u64::from(u32::MAX)).unwrap_or(0), reading.blanks)
    }
}

impl Reading {
    fn variable(&mut self, program: &Program, variable: VarId, known: &dyn Fn(VarId) -> Option<u32>) {
        if let Some(number) = known(variable) {
            (0_u8, number).hash(&mut self.hasher);
        } else {
            let ty = program.0.variable(variable).ty.ty;
            (1_u8, program.1[ty.index()]).hash(&mut self.hasher);
            self.blanks.push(variable);
        }
    }

    fn expression(&mut self, program: &Program, expr: ExprId, known: &dyn Fn(VarId) -> Option<u32>) {
        let node = program.0.exprs.get(expr);
        std::mem::discriminant(node).hash(&mut self.hasher);
        if !node.is_place() {
            program.1[program.0.exprs.ty(expr).index()].hash(&mut self.hasher);
        }
        match node {
            Expr::Int(bits) | Expr::Float(bits) => bits.hash(&mut self.hasher),
            Expr::Unary(operator, _) => operator.hash(&mut self.hasher),
            Expr::Binary(operator, ..) => operator.hash(&mut self.hasher),
            Expr::Field(_, number) => number.hash(&mut self.hasher),
            Expr::FunctionAddress(function) => program.0.function(*function).name.hash(&mut self.hasher),
            Expr::Variable(variable) => match &program.0.variable(*variable).kind {
                VarKind::StringLiteral(bytes) => bytes.hash(&mut self.hasher),
                VarKind::Global { .. }
                | VarKind::StaticLocal
                | VarKind::Local
                | VarKind::CompoundLiteral
                | VarKind::Parameter(_)
                | VarKind::Temporary(_) => self.variable(program, *variable, known),
            },
            Expr::Zero
            | Expr::Load(_)
            | Expr::AddressOf(_)
            | Expr::Cast(_)
            | Expr::Conditional(..)
            | Expr::PointerOffset { .. }
            | Expr::PointerDifference { .. }
            | Expr::Dereference { .. }
            | Expr::Index(..) => {}
        }
    }
}

/// What has a name that only its function knows.
fn can_be_renamed(kind: &VarKind) -> bool {
    match kind {
        VarKind::StaticLocal | VarKind::Local | VarKind::Parameter(_) => true,
        VarKind::Global { .. } | VarKind::CompoundLiteral | VarKind::Temporary(_) | VarKind::StringLiteral(_) => false,
    }
}
