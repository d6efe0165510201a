//! Horn clauses by Z3's Spacer [Komuravelli, Gurfinkel, Chaki, CAV 2014].
//!
//! Predicates keep all of their variables: what inlines and slices them would leave nothing to read.

use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{Fixedpoint, FuncDecl, Params, SatResult};

use super::read::{self, Place};
use super::translate::Translator;
use super::whole::Whole;
use super::{COUNT, Z3, cost, cpu_used, interruptible, z3_sort};
use crate::horn::{Answer, Arithmetic, Clause, Clauses};
use crate::solver::Limits;
use crate::terms::{TermId, TermStore};

/// Reads terms one way or the other.
enum Reading<'t> {
    Bits(&'t mut Translator),
    Whole(Whole),
}

impl Reading<'_> {
    fn sort(&self, store: &TermStore, variable: TermId) -> z3::Sort {
        match self {
            Reading::Bits(_) => z3_sort(store.sort(variable)),
            Reading::Whole(whole) => whole.sort(store, variable),
        }
    }

    fn term(&mut self, store: &TermStore, term: TermId) -> Dynamic {
        match self {
            Reading::Bits(translator) => translator.term(store, term),
            Reading::Whole(whole) => whole.term(store, term),
        }
    }

    fn formula(&mut self, store: &TermStore, term: TermId) -> Bool {
        self.term(store, term).as_bool().unwrap_or_else(|| Bool::from_bool(true))
    }

    /// What a predicate is applied to where its variables have these values.
    fn arguments(&mut self, store: &TermStore, variables: &[TermId], values: &[TermId]) -> Vec<Dynamic> {
        let read = |(variable, value): (&TermId, &TermId)| match self {
            Reading::Bits(translator) => translator.term(store, *value),
            Reading::Whole(whole) => whole.value(store, *variable, *value),
        };
        variables.iter().zip(values).map(read).collect()
    }

    /// Whether a term may have any value.
    fn is_open(&self, store: &TermStore, term: TermId) -> bool {
        let is_made_up = match self {
            Reading::Bits(_) => false,
            Reading::Whole(whole) => whole.is_open(term),
        };
        is_made_up || store.as_variable(term).is_some()
    }

    /// How the arguments of each predicate are read.
    fn places(&self, clauses: &Clauses) -> Vec<Vec<Place>> {
        let place = |variable: &TermId| {
            let reading = match self {
                Reading::Bits(_) => None,
                Reading::Whole(whole) => Some(whole.reading(*variable)),
            };
            Place { variable: *variable, reading }
        };
        clauses.predicates.iter().map(|variables| variables.iter().map(place).collect()).collect()
    }
}

impl Z3 {
    /// Looks for a solution of some clauses, as far as the limits go.
    ///
    /// Soundness: over [`Arithmetic::Whole`] neither answer says anything of bit vectors; a solution is to be proved by whoever
    /// takes it for one.
    pub fn solve_clauses(&self, store: &mut TermStore, clauses: &Clauses, arithmetic: Arithmetic, limits: &Limits) -> Answer {
        let solver = Fixedpoint::new();
        solver.set_params(&parameters(limits));
        let (predicates, places) = {
            let mut translator = self.translator.borrow_mut();
            let mut reading = match arithmetic {
                Arithmetic::Bits => Reading::Bits(&mut translator),
                Arithmetic::Whole => Reading::Whole(Whole::of(store, clauses)),
            };
            (state(&solver, store, clauses, &mut reading), reading.places(clauses))
        };
        match self.ask(&solver, limits) {
            SatResult::Sat => Answer::Violated,
            SatResult::Unknown => Answer::Unknown,
            SatResult::Unsat => {
                let read = |(predicate, places): (&FuncDecl, &Vec<Place>)| {
                    let cover = solver.get_cover_delta(-1, predicate);
                    cover.map_or_else(Vec::new, |cover| read::conjuncts(store, &cover, places))
                };
                Answer::Solution(predicates.iter().zip(&places).map(read).collect())
            }
        }
    }

    /// Asks whether there is a violation, and charges for it.
    fn ask(&self, solver: &Fixedpoint, limits: &Limits) -> SatResult {
        let violated = apply(&violation(), &[]);
        // A question about relations would know no limit of resources.
        let ask = || solver.query(&violated);
        let (before, begin) = (count(), cpu_used());
        let said = match &limits.stop {
            Some(stop) => interruptible(stop, ask),
            None => ask(),
        };
        let (now, taken) = (count(), cpu_used().saturating_sub(begin));
        COUNT.set(now);
        self.meter.charge(cost(now.wrapping_sub(before), taken, limits));
        said
    }
}

/// What a violation is to the solver.
fn violation() -> FuncDecl {
    FuncDecl::new("violated", &[], &z3::Sort::bool())
}

/// Z3's counter of resources, which a solver tells that has done nothing.
fn count() -> u32 {
    match z3::Solver::new().get_statistics().value("rlimit count") {
        Some(z3::StatisticsValue::UInt(count)) => count,
        Some(z3::StatisticsValue::Double(_)) | None => COUNT.get(),
    }
}

fn parameters(limits: &Limits) -> Params {
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    for name in ["xform.inline_eager", "xform.inline_linear", "xform.slice", "xform.tail_simplifier_pve"] {
        params.set_bool(name, false);
    }
    if let Some(resources) = limits.resources {
        params.set_u32("rlimit", resources);
    }
    if let Some(timeout) = limits.timeout {
        params.set_u32("timeout", u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX).max(1));
    }
    params
}

/// Puts the clauses to the solver; the predicates.
fn state(solver: &Fixedpoint, store: &TermStore, clauses: &Clauses, reading: &mut Reading<'_>) -> Vec<FuncDecl> {
    let mut predicates = Vec::with_capacity(clauses.predicates.len());
    for (at, variables) in clauses.predicates.iter().enumerate() {
        let sorts: Vec<z3::Sort> = variables.iter().map(|variable| reading.sort(store, *variable)).collect();
        let domain: Vec<&z3::Sort> = sorts.iter().collect();
        let predicate = FuncDecl::new(format!("at{at}"), &domain, &z3::Sort::bool());
        solver.register_relation(&predicate);
        predicates.push(predicate);
    }
    solver.register_relation(&violation());
    for clause in &clauses.clauses {
        solver.add_rule(&rule(store, clauses, clause, &predicates, reading), None);
    }
    predicates
}

/// A clause as a closed formula.
fn rule(store: &TermStore, clauses: &Clauses, clause: &Clause, predicates: &[FuncDecl], reading: &mut Reading<'_>) -> Bool {
    let mut roots = vec![clause.guard];
    let mut body = Vec::new();
    if let Some(from) = clause.from {
        let variables = &clauses.predicates[from];
        roots.extend(variables);
        body.push(apply(&predicates[from], &reading.arguments(store, variables, variables)));
    }
    body.push(reading.formula(store, clause.guard));
    let head = match &clause.to {
        Some((to, values)) => {
            let variables = &clauses.predicates[*to];
            roots.extend(values);
            if let Reading::Whole(whole) = reading {
                body.extend(whole.in_range(store, variables, values));
            }
            apply(&predicates[*to], &reading.arguments(store, variables, values))
        }
        None => apply(&violation(), &[]),
    };
    let mut bound: Vec<Dynamic> = Vec::new();
    for part in store.post_order(&roots, |_| false) {
        if reading.is_open(store, part) {
            bound.push(reading.term(store, part));
            if let Reading::Whole(whole) = reading {
                body.extend(whole.ranges(store, part));
            }
        }
    }
    let bound: Vec<&dyn Ast> = bound.iter().map(|one| one as &dyn Ast).collect();
    forall_const(&bound, &[], &Bool::and(&body).implies(&head))
}

fn apply(predicate: &FuncDecl, arguments: &[Dynamic]) -> Bool {
    let arguments: Vec<&dyn Ast> = arguments.iter().map(|one| one as &dyn Ast).collect();
    predicate.apply(&arguments).as_bool().unwrap_or_else(|| unreachable!("a predicate is a truth value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Answer as Word, Backend, Mode};
    use crate::terms::{Assignment, Sort, Substitution, Value};

    const ENOUGH: Limits = Limits { timeout: None, resources: Some(20_000_000), stop: None };

    /// Two counters of so many bits, one twice as fast, as long as the first is below 100 (4, where there are 4 bits); a violation is
    /// where `wrong` says.
    fn counters(store: &mut TermStore, width: u32, wrong: impl Fn(&mut TermStore, TermId, TermId) -> TermId) -> Clauses {
        let (slow, fast) = (store.variable("slow", Sort::BitVec(width)), store.variable("fast", Sort::BitVec(width)));
        let (zero, one, two) = (store.bits(width, 0), store.bits(width, 1), store.bits(width, 2));
        let bound = store.bits(width, 100);
        let goes_on = store.slt(slow, bound);
        let next = vec![store.add(slow, one), store.add(fast, two)];
        let clause = |from, guard, to| Clause { from, guard, to };
        let clauses = vec![
            clause(None, store.tt(), Some((0, vec![zero, zero]))),
            clause(Some(0), goes_on, Some((0, next))),
            clause(Some(0), wrong(store, slow, fast), None),
        ];
        Clauses { predicates: vec![vec![slow, fast]], clauses }
    }

    fn twice(store: &mut TermStore, slow: TermId, fast: TermId) -> TermId {
        let double = store.add(slow, slow);
        store.ne(double, fast)
    }

    /// Whether formulas make a clause hold, asked of a solver.
    fn holds(z3: &mut Z3, store: &mut TermStore, clauses: &Clauses, clause: &Clause, solution: &[Vec<TermId>]) -> bool {
        let before = clause.from.map_or(store.tt(), |from| store.and(&solution[from]));
        let after = match &clause.to {
            Some((to, values)) => {
                let pairs: Vec<(TermId, TermId)> = clauses.predicates[*to].iter().copied().zip(values.iter().copied()).collect();
                let there = store.and(&solution[*to]);
                let there = Substitution::of(store, &pairs).apply(store, there);
                store.not(there)
            }
            None => store.tt(),
        };
        let all = store.and(&[before, clause.guard, after]);
        let mut solver = z3.solver(store, Mode::Fresh, &[all]);
        solver.assert(store, all);
        matches!(solver.check(store), Word::Unsat(_))
    }

    #[test]
    fn a_solution_over_bits_is_one() {
        for width in [8, 32, 64] {
            let (mut z3, mut store) = (Z3::new().unwrap(), TermStore::new());
            let clauses = counters(&mut store, width, twice);
            let answer = z3.solve_clauses(&mut store, &clauses, Arithmetic::Bits, &ENOUGH);
            let Answer::Solution(solution) = answer else { panic!("{answer:?}") };
            for clause in &clauses.clauses {
                assert!(holds(&mut z3, &mut store, &clauses, clause, &solution), "{width}: {clause:?}");
            }
        }
    }

    #[test]
    fn a_solution_over_whole_numbers_says_what_they_keep() {
        let (z3, mut store) = (Z3::new().unwrap(), TermStore::new());
        let clauses = counters(&mut store, 32, twice);
        let answer = z3.solve_clauses(&mut store, &clauses, Arithmetic::Whole, &ENOUGH);
        let Answer::Solution(solution) = answer else { panic!("{answer:?}") };
        let allows = |slow: u128, fast: u128| {
            let mut values = Assignment::new();
            for (variable, value) in clauses.predicates[0].iter().zip([slow, fast]) {
                values.set(*variable, Value::Bits { width: 32, value });
            }
            solution[0].iter().all(|one| store.eval(*one, &values).unwrap().as_bool() == Some(true))
        };
        assert!((0..=100).all(|slow| allows(slow, 2 * slow)));
        assert!(!(0..=100).any(|slow| allows(slow, 2 * slow + 1)), "{solution:?}");
    }

    #[test]
    fn what_is_violated_has_no_solution() {
        let (z3, mut store) = (Z3::new().unwrap(), TermStore::new());
        let clauses = counters(&mut store, 32, |store, slow, _| {
            let five = store.bits(32, 5);
            store.eq(slow, five)
        });
        for arithmetic in [Arithmetic::Bits, Arithmetic::Whole] {
            assert_eq!(z3.solve_clauses(&mut store, &clauses, arithmetic, &ENOUGH), Answer::Violated);
        }
    }

    /// What does not wrap to whole numbers does to bits.
    #[test]
    fn only_bits_wrap() {
        let (z3, mut store) = (Z3::new().unwrap(), TermStore::new());
        let clauses = counters(&mut store, 4, |store, slow, fast| store.slt(fast, slow));
        assert_eq!(z3.solve_clauses(&mut store, &clauses, Arithmetic::Bits, &ENOUGH), Answer::Violated);
        let whole = z3.solve_clauses(&mut store, &clauses, Arithmetic::Whole, &ENOUGH);
        assert!(matches!(whole, Answer::Solution(_)), "{whole:?}");
    }

    #[test]
    fn limits_end_it_and_are_charged() {
        let (z3, mut store) = (Z3::new().unwrap(), TermStore::new());
        let clauses = counters(&mut store, 32, twice);
        let before = z3.meter().spent();
        let limits = Limits { resources: Some(50), ..ENOUGH };
        assert_eq!(z3.solve_clauses(&mut store, &clauses, Arithmetic::Bits, &limits), Answer::Unknown);
        assert!(z3.meter().spent() > before);
    }
}
