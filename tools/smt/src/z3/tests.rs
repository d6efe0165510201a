//! Our evaluation, our normalisation and Z3 must agree on every operator.

use proptest::prelude::*;
use z3::ast::{Array, Ast, BV};

use super::*;
use crate::queries::{Queries, QueryError};
use crate::terms::Op;
use crate::terms::{Assignment, Sort, Value};

/// A recipe for a term, so that random terms are independent of a store.
#[derive(Clone, Debug)]
enum Recipe {
    Variable(u8),
    Constant(u128),
    Unary(u8, Box<Recipe>),
    Binary(u8, Box<Recipe>, Box<Recipe>),
    Ite(Box<Condition>, Box<Recipe>, Box<Recipe>),
    Read(Box<Recipe>, Box<Recipe>, Box<Recipe>),
}

#[derive(Clone, Debug)]
enum Condition {
    Compare(u8, Recipe, Recipe),
    Not(Box<Condition>),
    Junction(bool, Vec<Condition>),
    Same(Box<Condition>, Box<Condition>),
}

fn recipe() -> impl Strategy<Value = Recipe> {
    let leaf = prop_oneof![
        (0u8..3).prop_map(Recipe::Variable),
        prop_oneof![Just(0), Just(1), Just(2), Just(u128::MAX), Just(0x80), Just(0x7f), any::<u128>()].prop_map(Recipe::Constant),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let condition = (0u8..6, inner.clone(), inner.clone())
            .prop_map(|(op, a, b)| Condition::Compare(op, a, b))
            .prop_recursive(2, 6, 3, |inner| {
                prop_oneof![
                    inner.clone().prop_map(|a| Condition::Not(Box::new(a))),
                    (any::<bool>(), proptest::collection::vec(inner.clone(), 2..4))
                        .prop_map(|(and, parts)| Condition::Junction(and, parts)),
                    (inner.clone(), inner).prop_map(|(a, b)| Condition::Same(Box::new(a), Box::new(b))),
                ]
            });
        prop_oneof![
            (0u8..8, inner.clone()).prop_map(|(op, a)| Recipe::Unary(op, Box::new(a))),
            (0u8..14, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Recipe::Binary(op, Box::new(a), Box::new(b))),
            (condition, inner.clone(), inner.clone()).prop_map(|(c, a, b)| Recipe::Ite(Box::new(c), Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| Recipe::Read(Box::new(a), Box::new(b), Box::new(c))),
        ]
    })
}

/// Builds recipes of one width; with `fixed` values the variables are constants, so that the same
/// recipe checks folding.
struct Builder<'s> {
    store: &'s mut TermStore,
    width: u32,
    fixed: Option<[u128; 3]>,
}

impl Builder<'_> {
    fn variable(&mut self, at: u8) -> TermId {
        match self.fixed {
            Some(values) => self.store.bits(self.width, values[usize::from(at)]),
            None => self.store.variable(&format!("v{at}"), Sort::BitVec(self.width)),
        }
    }

    fn term(&mut self, recipe: &Recipe) -> TermId {
        match recipe {
            Recipe::Variable(at) => self.variable(*at),
            Recipe::Constant(value) => self.store.bits(self.width, *value),
            Recipe::Unary(op, a) => {
                let a = self.term(a);
                self.unary(*op, a)
            }
            Recipe::Binary(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                self.binary(*op, a, b)
            }
            Recipe::Ite(condition, a, b) => {
                let condition = self.condition(condition);
                let (a, b) = (self.term(a), self.term(b));
                self.store.ite(condition, a, b)
            }
            Recipe::Read(a, b, c) => {
                let (a, b, c) = (self.term(a), self.term(b), self.term(c));
                let zero = self.store.bits(self.width, 0);
                let array = self.store.const_array(self.width, zero);
                let array = self.store.store(array, a, b);
                let array = self.store.store(array, b, c);
                self.store.select(array, c)
            }
        }
    }

    fn unary(&mut self, op: u8, a: TermId) -> TermId {
        let (store, width) = (&mut *self.store, self.width);
        let half = (width / 2).max(1);
        match op {
            0 => store.neg(a),
            1 => store.bit_not(a),
            2 => {
                let low = store.extract(a, half - 1, 0);
                store.sign_extend(low, width)
            }
            3 => {
                let low = store.extract(a, half - 1, 0);
                store.zero_extend(low, width)
            }
            4 => {
                let high = store.extract(a, width - 1, width - half);
                store.sign_extend(high, width)
            }
            5 => {
                let wide = store.sign_extend(a, width + 5);
                store.extract(wide, width + 3, 4)
            }
            6 => {
                let wide = store.zero_extend(a, width + 5);
                store.extract(wide, width + 3, 4)
            }
            _ => {
                let wide = store.concat(a, a);
                store.extract(wide, width + half - 1, half)
            }
        }
    }

    fn binary(&mut self, op: u8, a: TermId, b: TermId) -> TermId {
        let store = &mut *self.store;
        match op {
            0 => store.add(a, b),
            1 => store.sub(a, b),
            2 => store.mul(a, b),
            3 => store.udiv(a, b),
            4 => store.sdiv(a, b),
            5 => store.urem(a, b),
            6 => store.srem(a, b),
            7 => store.bit_and(a, b),
            8 => store.bit_or(a, b),
            9 => store.bit_xor(a, b),
            10 => store.shl(a, b),
            11 => store.lshr(a, b),
            12 => store.ashr(a, b),
            _ => {
                let seven = store.bits(self.width, 7);
                let amount = store.bit_and(b, seven);
                store.shl(a, amount)
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> TermId {
        match condition {
            Condition::Compare(op, a, b) => {
                let (a, b) = (self.term(a), self.term(b));
                match op {
                    0 => self.store.eq(a, b),
                    1 => self.store.ult(a, b),
                    2 => self.store.slt(a, b),
                    3 => self.store.ule(a, b),
                    4 => self.store.sle(a, b),
                    _ => self.store.ne(a, b),
                }
            }
            Condition::Not(a) => {
                let a = self.condition(a);
                self.store.not(a)
            }
            Condition::Junction(and, parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.condition(part)).collect();
                if *and { self.store.and(&parts) } else { self.store.or(&parts) }
            }
            Condition::Same(a, b) => {
                let (a, b) = (self.condition(a), self.condition(b));
                self.store.eq(a, b)
            }
        }
    }
}

/// The value by plain arithmetic, without any of our constructors.
fn oracle(recipe: &Recipe, width: u32, values: [u128; 3]) -> BV {
    let constant = |value: u128| translate::numeral(width, value & crate::terms::mask(width));
    match recipe {
        Recipe::Variable(at) => constant(values[usize::from(*at)]),
        Recipe::Constant(value) => constant(*value),
        Recipe::Unary(op, a) => {
            let a = oracle(a, width, values);
            let half = (width / 2).max(1);
            match op {
                0 => a.bvneg(),
                1 => a.bvnot(),
                2 => a.extract(half - 1, 0).sign_ext(width - half),
                3 => a.extract(half - 1, 0).zero_ext(width - half),
                4 => a.extract(width - 1, width - half).sign_ext(width - half),
                5 => a.sign_ext(5).extract(width + 3, 4),
                6 => a.zero_ext(5).extract(width + 3, 4),
                _ => a.concat(&a).extract(width + half - 1, half),
            }
        }
        Recipe::Binary(op, a, b) => {
            let (a, b) = (oracle(a, width, values), oracle(b, width, values));
            match op {
                0 => a.bvadd(&b),
                1 => a.bvsub(&b),
                2 => a.bvmul(&b),
                3 => a.bvudiv(&b),
                4 => a.bvsdiv(&b),
                5 => a.bvurem(&b),
                6 => a.bvsrem(&b),
                7 => a.bvand(&b),
                8 => a.bvor(&b),
                9 => a.bvxor(&b),
                10 => a.bvshl(&b),
                11 => a.bvlshr(&b),
                12 => a.bvashr(&b),
                _ => a.bvshl(b.bvand(constant(7))),
            }
        }
        Recipe::Ite(condition, a, b) => {
            let (a, b) = (oracle(a, width, values), oracle(b, width, values));
            oracle_condition(condition, width, values).ite(&a, &b)
        }
        Recipe::Read(a, b, c) => {
            let [a, b, c] = [a, b, c].map(|part| oracle(part, width, values));
            let sort = z3::Sort::bitvector(width);
            let array = Array::const_array(&sort, &constant(0)).store(&a, &b).store(&b, &c);
            array.select(&c).as_bv().unwrap()
        }
    }
}

fn oracle_condition(condition: &Condition, width: u32, values: [u128; 3]) -> Bool {
    match condition {
        Condition::Compare(op, a, b) => {
            let (a, b) = (oracle(a, width, values), oracle(b, width, values));
            match op {
                0 => a.eq(&b),
                1 => a.bvult(&b),
                2 => a.bvslt(&b),
                3 => a.bvule(&b),
                4 => a.bvsle(&b),
                _ => a.eq(&b).not(),
            }
        }
        Condition::Not(a) => oracle_condition(a, width, values).not(),
        Condition::Junction(and, parts) => {
            let parts: Vec<Bool> = parts.iter().map(|part| oracle_condition(part, width, values)).collect();
            if *and { Bool::and(&parts) } else { Bool::or(&parts) }
        }
        Condition::Same(a, b) => oracle_condition(a, width, values).eq(oracle_condition(b, width, values)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Evaluation of the normalised term, folding with constants put in, substitution, and Z3's
    /// own value of the term as written agree.
    #[test]
    fn operators_mean_what_z3_means(
        recipe in recipe(),
        width in prop_oneof![Just(1u32), Just(2), Just(8), Just(32), Just(64), Just(100), Just(128)],
        values in any::<[u128; 3]>(),
        small in any::<bool>(),
    ) {
        let values = values.map(|value| if small { value & 3 } else { value });
        let expected = oracle(&recipe, width, values).simplify();
        let expected = super::model::value(
            &z3::Model::new(), &expected.into(), Sort::BitVec(width)).unwrap();

        let mut store = TermStore::new();
        let term = Builder { store: &mut store, width, fixed: None }.term(&recipe);
        let mut assignment = Assignment::new();
        let mut pairs = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let variable = store.variable(&format!("v{at}"), Sort::BitVec(width));
            let value = value & crate::terms::mask(width);
            assignment.set(variable, Value::Bits { width, value });
            pairs.push((variable, store.bits(width, value)));
        }
        // Concatenation inside may exceed what evaluation handles; folding then does not finish.
        let evaluated = store.eval(term, &assignment);
        if width <= 64 {
            prop_assert_eq!(evaluated.as_ref().unwrap(), &expected, "eval {}", store.print(term));
        } else if let Ok(value) = &evaluated {
            prop_assert_eq!(value, &expected);
        }
        let folded = Builder { store: &mut store, width, fixed: Some(values) }.term(&recipe);
        let substituted = store.substitute(term, &pairs);
        for result in [folded, substituted] {
            if width <= 64 {
                prop_assert!(store.as_bits(result).is_some(), "not folded: {}", store.print(result));
            }
            let mut translator = Translator::default();
            let ast = translator.term(&store, result).simplify();
            let value = super::model::value(&z3::Model::new(), &ast, Sort::BitVec(width));
            prop_assert_eq!(value.unwrap(), expected.clone());
        }
    }
}

/// Ranges first, then a Z3 that gives up at once.
fn queries_without_cache() -> Queries {
    Queries::z3(Limits { resources: Some(1), ..Limits::default() }).unwrap()
}

fn queries() -> Queries {
    Queries::z3(Limits::default()).unwrap()
}

#[test]
fn a_model_satisfies_the_formula() {
    let mut store = TermStore::new();
    let sort = Sort::Array { index: 32, element: 8 };
    let (a, b) = (store.variable("a", sort), store.variable("b", sort));
    let i = store.variable("i", Sort::BitVec(32));
    let wide = store.variable("w", Sort::BitVec(100));
    let five = store.bits(8, 5);
    let updated = store.store(a, i, five);
    let same = store.eq(updated, b);
    let nine = store.bits(32, 9);
    let read = store.select(b, nine);
    let other = store.ne(read, five);
    let big = store.bits(100, 1 << 90);
    let large = store.ult(big, wide);
    let formula = store.and(&[same, other, large]);
    match queries().check(&store, &[formula]) {
        Answer::Sat(model) => assert_eq!(store.eval(formula, &model), Ok(Value::Bool(true))),
        other @ (Answer::Unsat(_) | Answer::Unknown(_)) => panic!("{other:?}"),
    }
}

#[test]
fn a_core_is_minimal() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::BitVec(32));
    let mut soft = Vec::new();
    for bound in 0..40 {
        let bound = store.bits(32, 1000 + bound);
        soft.push(store.ult(x, bound));
    }
    let high = store.bits(32, 1019);
    soft[20] = store.ult(high, x);
    let mut queries = queries();
    let core = queries.minimal_core(&store, &[], &soft).unwrap();
    assert_eq!(core.len(), 2, "{core:?}");
    assert!(core.contains(&20));
    assert!(matches!(queries.minimal_core(&store, &[], &soft[21..]), Err(QueryError::Satisfiable(_))));
}

#[test]
fn assumptions_give_a_core() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::BitVec(8));
    let (p, q, r) = (store.variable("p", Sort::Bool), store.variable("q", Sort::Bool), store.variable("r", Sort::Bool));
    let three = store.bits(8, 3);
    let low = store.ult(x, three);
    let high = store.ult(three, x);
    let p_low = store.implies(p, low);
    let q_high = store.implies(q, high);
    let mut solver = Z3::new().unwrap().solver(&store, Mode::Incremental, &[]);
    solver.assert(&store, p_low);
    solver.assert(&store, q_high);
    assert_eq!(solver.check_assuming(&store, &[r, q, p]), Answer::Unsat(vec![p, q]));
    // A formula that is no literal may be assumed too.
    assert_eq!(solver.check_assuming(&store, &[low, q]), Answer::Unsat(vec![q, low]));
    solver.push();
    let not_r = store.not(r);
    solver.assert(&store, not_r);
    assert_eq!(solver.check_assuming(&store, &[r]), Answer::Unsat(vec![r]));
    solver.pop();
    assert!(matches!(solver.check_assuming(&store, &[r, p]), Answer::Sat(_)));
}

#[test]
fn all_models_over_predicates() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::BitVec(32));
    let mut predicates = Vec::new();
    for bound in [10, 20, 30, 5] {
        let bound = store.bits(32, bound);
        predicates.push(store.ult(x, bound));
    }
    let limit = store.bits(32, 25);
    let formula = store.ult(x, limit);
    let mut queries = queries();
    let mut query = queries.predicates(&mut store, formula, &predicates);
    assert_eq!(query.decide(&mut store, 2), Ok(Some(true)));
    assert_eq!(query.decide(&mut store, 0), Ok(None));
    let found = query.all_sat(&mut store, &[0, 1, 3], 100).unwrap();
    assert!(found.complete);
    // x < 5; 5 <= x < 10; 10 <= x < 20; 20 <= x < 25
    assert_eq!(
        found.models,
        vec![vec![false, false, false], vec![false, true, false], vec![true, true, false], vec![true, true, true],]
    );
    let capped = queries.predicates(&mut store, formula, &predicates).all_sat(&mut store, &[0, 1, 3], 2);
    assert!(!capped.unwrap().complete);
    let never = store.ff();
    let mut impossible = queries.predicates(&mut store, never, &predicates);
    assert_eq!(impossible.feasible(&store), Ok(false));
}

#[test]
fn deep_terms_need_no_native_stack() {
    let mut store = TermStore::new();
    let x = store.variable("x", Sort::BitVec(32));
    let mut term = x;
    let mut path = store.tt();
    for step in 0..100_000u32 {
        let input = store.variable(&format!("n{}", step % 7), Sort::BitVec(32));
        let mixed = store.bit_xor(term, input);
        let condition = store.slt(mixed, input);
        term = store.ite(condition, mixed, term);
        path = store.and(&[path, condition]);
    }
    assert_eq!(store.variables(term).len(), 8);
    assert!(store.conjuncts(path).len() > 1000);
    let five = store.bits(32, 5);
    let substituted = store.substitute(term, &[(x, five)]);
    assert_ne!(substituted, term);
    assert!(store.eval(term, &Assignment::new()).is_ok());
    assert!(store.print(term).len() > 100_000);
    assert!(store.instantiate(term, |_| 3) != term);
    let mut translator = Translator::default();
    translator.term(&store, term);
}

#[test]
fn limits_end_a_query() {
    let mut store = TermStore::new();
    // Factoring a product of two primes below 2^31, as 62-bit numbers.
    let (p, q) = (store.variable("p", Sort::BitVec(62)), store.variable("q", Sort::BitVec(62)));
    let product = store.mul(p, q);
    let n = store.bits(62, 2_147_483_629 * 1_073_741_789);
    let equal = store.eq(product, n);
    let one = store.bits(62, 1);
    let top = store.bits(62, 1 << 31);
    let formulas = [equal, store.ult(one, p), store.ult(one, q), store.ult(p, top), store.ult(q, top)];
    let mut queries = queries();
    queries.set_limits(Limits { timeout: Some(Duration::from_millis(200)), ..Limits::default() });
    assert_eq!(queries.check(&store, &formulas), Answer::Unknown(Reason::Timeout));
    queries.set_limits(Limits { resources: Some(20_000), ..Limits::default() });
    assert_eq!(queries.check(&store, &formulas), Answer::Unknown(Reason::ResourceLimit));
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    queries.set_limits(Limits { stop: Some(stop.clone()), ..Limits::default() });
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(queries.check(&store, &formulas), Answer::Unknown(Reason::Interrupted));
    raiser.join().unwrap();
}

#[test]
fn the_version_is_read() {
    assert_eq!(parse_version("Z3 5.4.0.0"), Some((5, 4)));
    assert_eq!(parse_version("4.8.12.0"), Some((4, 8)));
    assert!(parse_version(version()) >= Some(OLDEST));
}

#[derive(Clone, Debug)]
enum FloatRecipe {
    Variable(u8),
    Constant(u64),
    Integer(bool, u32),
    Negate(Box<FloatRecipe>),
    ThereAndBack(Box<FloatRecipe>),
    Arithmetic(u8, Box<FloatRecipe>, Box<FloatRecipe>),
}

fn float_recipe() -> impl Strategy<Value = FloatRecipe> {
    let special = prop_oneof![
        Just(0.0f64),
        Just(-0.0),
        Just(1.0),
        Just(0.1),
        Just(f64::INFINITY),
        Just(f64::NAN),
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        -100.0..100.0,
    ];
    let leaf = prop_oneof![
        (0u8..3).prop_map(FloatRecipe::Variable),
        special.prop_map(|value: f64| FloatRecipe::Constant(value.to_bits())),
        any::<u64>().prop_map(FloatRecipe::Constant),
        (any::<bool>(), any::<u32>()).prop_map(|(signed, n)| FloatRecipe::Integer(signed, n)),
    ];
    leaf.prop_recursive(3, 10, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| FloatRecipe::Negate(Box::new(a))),
            inner.clone().prop_map(|a| FloatRecipe::ThereAndBack(Box::new(a))),
            (0u8..4, inner.clone(), inner).prop_map(|(op, a, b)| FloatRecipe::Arithmetic(op, Box::new(a), Box::new(b))),
        ]
    })
}

fn constant_bits(width: u32, bits: u64) -> u128 {
    if width == 32 { u128::from((f64::from_bits(bits) as f32).to_bits()) } else { u128::from(bits) }
}

fn float_term(store: &mut TermStore, recipe: &FloatRecipe, width: u32, fixed: Option<[u64; 3]>) -> TermId {
    match recipe {
        FloatRecipe::Variable(at) => match fixed {
            Some(values) => store.bits(width, constant_bits(width, values[usize::from(*at)])),
            None => store.variable(&format!("f{at}"), Sort::BitVec(width)),
        },
        FloatRecipe::Constant(bits) => store.bits(width, constant_bits(width, *bits)),
        FloatRecipe::Integer(signed, value) => {
            let op = if *signed { Op::FFromSigned } else { Op::FFromUnsigned };
            let value = store.bits(32, u128::from(*value));
            store.float_conversion(op, value, width)
        }
        FloatRecipe::Negate(a) => {
            let a = float_term(store, a, width, fixed);
            let sign = store.bits(width, 1 << (width - 1));
            store.bit_xor(a, sign)
        }
        FloatRecipe::ThereAndBack(a) => {
            let a = float_term(store, a, width, fixed);
            let other = store.float_conversion(Op::FConvert, a, 96 - width);
            store.float_conversion(Op::FConvert, other, width)
        }
        FloatRecipe::Arithmetic(op, a, b) => {
            let op = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv][usize::from(*op)];
            let a = float_term(store, a, width, fixed);
            let b = float_term(store, b, width, fixed);
            store.float_arithmetic(op, a, b)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Z3 finds a comparison of two floating-point terms true under an assignment iff evaluation
    /// and folding do.
    #[test]
    fn floats_mean_what_z3_means(
        (a, b) in (float_recipe(), float_recipe()),
        width in prop_oneof![Just(32u32), Just(64)],
        op in prop_oneof![Just(Op::FEq), Just(Op::FLt), Just(Op::FLe)],
        values in proptest::array::uniform3(any::<u64>()),
        bound in -70_000i32..70_000,
    ) {
        let mut store = TermStore::new();
        let build = |store: &mut TermStore, fixed| {
            let left = float_term(store, &a, width, fixed);
            let right = float_term(store, &b, width, fixed);
            let compared = store.float_compare(op, left, right);
            // Truncation is compared only where it is defined.
            let (low, high) = (store.bits(32, 70_001), store.signed_bits(32, -70_001));
            let low = store.float_conversion(Op::FFromSigned, low, width);
            let high = store.float_conversion(Op::FFromSigned, high, width);
            let below = store.float_compare(Op::FLt, left, low);
            let above = store.float_compare(Op::FLt, high, left);
            let number = store.float_conversion(Op::FToSigned, left, 32);
            let bound = store.signed_bits(32, i128::from(bound));
            let less = store.slt(number, bound);
            let truncated = store.and(&[below, above, less]);
            [compared, truncated]
        };
        let open = build(&mut store, None);
        let folded = build(&mut store, Some(values));
        let mut assignment = Assignment::new();
        let mut equations = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let variable = store.variable(&format!("f{at}"), Sort::BitVec(width));
            let value = constant_bits(width, value);
            assignment.set(variable, Value::Bits { width, value });
            let value = store.bits(width, value);
            equations.push(store.eq(variable, value));
        }
        let mut queries = queries();
        for (open, folded) in open.into_iter().zip(folded) {
            let holds = store.eval(open, &assignment).unwrap().as_bool().unwrap();
            prop_assert_eq!(&store.eval(folded, &assignment).unwrap().as_bool(), &Some(holds));
            if let Some(value) = store.as_bool(folded) {
                prop_assert_eq!(value, holds);
            }
            let claim = if holds { store.not(open) } else { open };
            // Ranges must not exclude a formula that holds here, without being told where.
            let truth = store.not(claim);
            let mut search = queries_without_cache();
            prop_assert!(!matches!(search.check(&store, &[truth]), Answer::Unsat(_)));
            let mut formulas = equations.clone();
            formulas.push(claim);
            prop_assert_eq!(queries.check(&store, &formulas), Answer::Unsat(vec![]));
            let mut solver = Z3::new().unwrap().plain(&store, Mode::Fresh, &formulas);
            for formula in &formulas {
                solver.assert(&store, *formula);
            }
            prop_assert_eq!(solver.check(&store), Answer::Unsat(vec![]));
        }
    }
}
