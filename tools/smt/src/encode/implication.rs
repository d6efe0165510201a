//! Whether a condition of one program implies a condition of another.
//!
//! Both are read in one arbitrary data state in which corresponding objects have equal values.
//! Addresses are symbols, equal for corresponding objects, and what lies behind a pointer is read
//! from one arbitrary memory: more states than there are, so a proven implication holds.

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::ExprId;

use super::{Context, Encoder, EveryAddressTaken, Origin, State, Unsupported};
use crate::queries::Queries;
use crate::solver::Reason;
use crate::terms::{Role, Sort, Symbol, TermId, TermStore};

/// What is to be proved of an expression of the modified and one of the original program, each read before an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Two values are equal.
    Equal((EdgeId, ExprId), (EdgeId, ExprId)),
    /// Where the condition of the first edge has its truth, that of the second has its own.
    Implied(EdgeId, EdgeId),
}

/// A question about two data states that agree on some objects and differ on all others.
pub struct Question<'q> {
    /// What is to be proved.
    pub claim: Claim,
    /// Whether a variable of the modified program and its counterpart have the same content.
    pub agrees: &'q dyn Fn(VarId) -> bool,
}

impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Question").field("claim", &self.claim).finish_non_exhaustive()
    }
}

/// Questions about the conditions of a modified and an original program.
pub struct Implications<'p> {
    store: TermStore,
    modified: Encoder<'p>,
    original: Encoder<'p>,
    counterpart: Box<dyn Fn(VarId) -> Option<VarId> + 'p>,
    function: Box<dyn Fn(FunctionId) -> Option<FunctionId> + 'p>,
    fresh: u32,
}

impl std::fmt::Debug for Implications<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Implications").finish_non_exhaustive()
    }
}

impl<'p> Implications<'p> {
    /// For two programs and the original counterparts of each object and of each function of the
    /// modified one, if it has one; the maps must be one-to-one.
    pub fn new(
        modified: &'p Cfa,
        original: &'p Cfa,
        counterpart: impl Fn(VarId) -> Option<VarId> + 'p,
        function: impl Fn(FunctionId) -> Option<FunctionId> + 'p,
    ) -> Implications<'p> {
        Implications {
            store: TermStore::new(),
            modified: symbolic(modified, (0, "modified!")),
            original: symbolic(original, (1, "original!")),
            counterpart: Box::new(counterpart),
            function: Box::new(function),
            fresh: 0,
        }
    }

    /// Whether the assume edge of the modified program can be passed only in states in which that
    /// of the original can. Conditions without sound treatment imply nothing.
    ///
    /// # Errors
    /// The reason if the solver gave up.
    pub fn implies(&mut self, queries: &mut Queries, modified: EdgeId, original: EdgeId) -> Result<bool, Reason> {
        let mut state = OneState { fresh: &mut self.fresh };
        let premise = condition(&mut self.modified, &mut self.store, &mut state, modified);
        let conclusion = condition(&mut self.original, &mut self.store, &mut state, original);
        match (premise, conclusion) {
            (Ok(premise), Ok(conclusion)) => {
                let premise = self.in_original_terms(premise);
                queries.entails(&mut self.store, premise, conclusion)
            }
            _ => Ok(false),
        }
    }

    /// Whether a claim holds in all pairs of data states that agree where the question says so. What
    /// lies behind pointers is the same in both: that it agrees is the caller's to know.
    ///
    /// # Errors
    /// The reason if the solver gave up.
    pub fn prove(&mut self, queries: &mut Queries, question: &Question) -> Result<bool, Reason> {
        let mut state = OneState { fresh: &mut self.fresh };
        let (modified, original) = (&mut self.modified, &mut self.original);
        let store = &mut self.store;
        let (mine, theirs) = match question.claim {
            Claim::Implied(a, b) => (condition(modified, store, &mut state, a), condition(original, store, &mut state, b)),
            Claim::Equal(a, b) => (value(modified, store, &mut state, a), value(original, store, &mut state, b)),
        };
        let (Ok(mine), Ok(theirs)) = (mine, theirs) else { return Ok(false) };
        let mine = self.renamed(mine, question.agrees);
        let store = &mut self.store;
        match question.claim {
            Claim::Implied(..) => queries.entails(store, mine, theirs),
            Claim::Equal(..) if store.sort(mine) != store.sort(theirs) => Ok(false),
            Claim::Equal(..) => {
                let (truth, equal) = (store.tt(), store.eq(mine, theirs));
                queries.entails(store, truth, equal)
            }
        }
    }

    fn in_original_terms(&mut self, premise: TermId) -> TermId {
        self.renamed(premise, &|_| true)
    }

    /// Replaces addresses of objects and functions of the modified program by those of their counterparts, and contents
    /// where they agree.
    fn renamed(&mut self, premise: TermId, agrees: &dyn Fn(VarId) -> bool) -> TermId {
        let mut pairs = Vec::new();
        for term in self.store.variables(premise) {
            if let Some(&Symbol::Code { function, .. }) = self.store.symbol_of(term) {
                if let Some(other) = (self.function)(function) {
                    let width = self.store.width(term);
                    pairs.push((term, self.original.code_symbol(&mut self.store, other, width)));
                }
                continue;
            }
            let Some(variable) = self.modified.variable_of(&self.store, term) else { continue };
            let Some(counterpart) = (self.counterpart)(variable) else { continue };
            let here = self.modified.symbols_of(&mut self.store, variable);
            let there = self.original.symbols_of(&mut self.store, counterpart);
            let at = here.iter().position(|symbol| *symbol == term);
            let is_address = at.is_some_and(|at| at + 1 == here.len());
            if !is_address && !agrees(variable) {
                continue;
            }
            if let Some(other) = at.and_then(|at| there.get(at))
                && here.len() == there.len()
                && self.store.sort(*other) == self.store.sort(term)
            {
                pairs.push((term, *other));
            }
        }
        self.store.substitute(premise, &pairs)
    }
}

fn symbolic<'p>(cfa: &'p Cfa, program: (u8, &str)) -> Encoder<'p> {
    let mut encoder = Encoder::new(cfa, EveryAddressTaken::new(cfa));
    encoder.symbolic = true;
    encoder.objects.set_program(program);
    encoder
}

fn condition(
    encoder: &mut Encoder<'_>,
    store: &mut TermStore,
    state: &mut dyn State,
    edge: EdgeId,
) -> Result<TermId, Unsupported> {
    let operation = encoder.cfa.edge(edge).operation.clone();
    let mut context = Context::new(encoder, store, state, (edge, 0));
    let Operation::Assume { condition, truth } = operation else {
        return Err(context.unsupported("operation that is no condition"));
    };
    let holds = context.condition(condition)?;
    Ok(if truth { holds } else { context.store.not(holds) })
}

fn value(
    encoder: &mut Encoder<'_>,
    store: &mut TermStore,
    state: &mut dyn State,
    (edge, expr): (EdgeId, ExprId),
) -> Result<TermId, Unsupported> {
    Context::new(encoder, store, state, (edge, 0)).value(expr)
}

/// The one data state both conditions are read in.
struct OneState<'s> {
    fresh: &'s mut u32,
}

impl State for OneState<'_> {
    fn get(&mut self, _: &mut TermStore, variable: TermId) -> TermId {
        variable
    }

    fn set(&mut self, _: &mut TermStore, _: TermId, _: TermId) {}

    fn fresh(&mut self, store: &mut TermStore, _: Origin, sort: Sort) -> TermId {
        *self.fresh += 1;
        store.fresh_variable(Role::Arbitrary, *self.fresh, sort)
    }
}
