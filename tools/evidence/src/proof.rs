//! What a proof rests on as a file, and the formulas of such a file in another version of the program.
//!
//! Formulas are kept conjunct by conjunct. One that speaks of what has no name of its own across versions (memory that was
//! allocated, another activation, inputs) is left out when it is written; one that names a variable, a part or a loop that
//! the version lacks, or has with another width, when it is read.
//! Does not know whether a formula holds.

#![expect(clippy::wildcard_enum_match_arm, reason = "terms of one shape have a treatment of their own")]

use std::collections::BTreeMap;

use formats::Producer;
use formats::proof::{FORMAT, Proof, ProofAnalysis, ProofFact, ProofTerm, ProofVariable, VERSION};
use indexmap::{IndexMap, IndexSet};
use program::cfa::{Cfa, LocationId, VarId, VarKind};
use rustc_hash::FxHashMap;
use semantics::facts::Facts;
use smt::terms::{Leaf, Symbol};
use smt::{Encoder, Op, Sort, TermId, TermStore};

use crate::Claim;

/// Conjuncts with more nodes are left out.
const LARGEST: u32 = 2_000;

/// Formulas of one file.
const MOST_FACTS: usize = 400;

/// Terms of one file.
const MOST_TERMS: usize = 100_000;

/// A formula of a proof in a version of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The formula, with its place.
    pub claim: Claim,
    /// Whether its atoms are worth tracking.
    pub atoms: bool,
}

/// The heads of loops as a proof names them.
fn heads(facts: &Facts<'_>) -> IndexMap<LocationId, (String, String, u32)> {
    let cfa = facts.cfa();
    let mut counts: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut all: Vec<LocationId> = facts.loops().all().iter().map(|one| one.head).collect();
    all.sort_unstable();
    all.dedup();
    let mut found = IndexMap::new();
    for head in all {
        let function = cfa.function(cfa.location(head).function).name.to_string();
        let text = cfa.out_edges(head).first().map_or_else(String::new, |edge| cfa.edge_text(*edge));
        let count = counts.entry((function.clone(), text.clone())).or_insert(0);
        found.insert(head, (function, text, *count));
        *count += 1;
    }
    found
}

const fn kind(variable: &VarKind) -> &'static str {
    match variable {
        VarKind::Global { .. } => "global",
        VarKind::StaticLocal => "static",
        VarKind::Local => "local",
        VarKind::Parameter(_) => "parameter",
        VarKind::Temporary(_) => "temporary",
        VarKind::StringLiteral(_) => "string",
        VarKind::CompoundLiteral => "literal",
    }
}

fn name(cfa: &Cfa, id: VarId, part: &str) -> ProofVariable {
    let variable = cfa.variable(id);
    ProofVariable {
        function: variable.function.map(|function| cfa.function(function).name.to_string()),
        name: variable.name.to_string(),
        kind: kind(&variable.kind).to_owned(),
        ordinal: variable.ordinal,
        part: part.to_owned(),
    }
}

/// How a proof was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Steps of the whole verification.
    pub steps: u64,
    /// The analysis behind it, with its own.
    pub by: Option<ProofAnalysis>,
}

/// The proof that rests on some formulas; `atoms` says whether their atoms are worth tracking.
#[must_use]
pub fn write(
    facts: &Facts<'_>,
    producer: &Producer,
    (claims, store): (&[Claim], &TermStore),
    (atoms, effort): (Atoms, Effort),
) -> Proof {
    let heads = heads(facts);
    let mut writer =
        Writer { cfa: facts.cfa(), store, variables: IndexSet::new(), terms: Vec::new(), known: FxHashMap::default() };
    let conjuncts = claims.iter().filter(|claim| heads.contains_key(&claim.at)).flat_map(|claim| {
        store.conjuncts(claim.formula).into_iter().map(|conjunct| (store.tree_size(conjunct), claim.at, conjunct))
    });
    let mut conjuncts: Vec<(u32, LocationId, TermId)> = conjuncts.filter(|(size, ..)| *size <= LARGEST).collect();
    // Small ones say most for what they cost.
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let mut found = Vec::new();
    for (_, at, conjunct) in conjuncts {
        if found.len() >= MOST_FACTS || writer.terms.len() > MOST_TERMS {
            break;
        }
        if let (Some((function, text, ordinal)), Some(formula)) = (heads.get(&at), writer.term(conjunct)) {
            let (function, text, ordinal) = (function.clone(), text.clone(), *ordinal);
            found.push(ProofFact { function, text, ordinal, formula, atoms: atoms == Atoms::Tracked });
        }
    }
    found.sort();
    found.dedup();
    Proof {
        format: FORMAT.to_owned(),
        version: VERSION,
        producer: producer.clone(),
        steps: effort.steps,
        by: effort.by,
        variables: writer.variables.into_iter().collect(),
        terms: writer.terms,
        facts: found,
    }
}

/// Whether the atoms of a proof are what its analysis tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atoms {
    /// They are.
    Tracked,
    /// They only say what states there were.
    Untracked,
}

struct Writer<'a> {
    cfa: &'a Cfa,
    store: &'a TermStore,
    variables: IndexSet<ProofVariable>,
    terms: Vec<ProofTerm>,
    known: FxHashMap<TermId, Option<u32>>,
}

impl Writer<'_> {
    /// The number of a term; `None` if it speaks of what has no name. Terms are small: see [`LARGEST`].
    fn term(&mut self, term: TermId) -> Option<u32> {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        let written = self.new_term(term);
        let number = written.map(|term| {
            self.terms.push(term);
            formats::dense(self.terms.len() - 1)
        });
        self.known.insert(term, number);
        number
    }

    fn new_term(&mut self, term: TermId) -> Option<ProofTerm> {
        let width = match self.store.sort(term) {
            Sort::BitVec(width) => Some(width),
            Sort::Bool => None,
            Sort::Array { .. } => return None,
        };
        let op = self.store.op(term);
        let plain = |op: &str, value: Option<String>| ProofTerm { op: op.to_owned(), args: Vec::new(), value, width };
        Some(match op {
            Op::Bits(value) => plain("bits", Some(value.to_string())),
            Op::Variable { variable, instance: 0 } => {
                let Symbol::Leaf(Leaf { program: 0, object, activation: 0, .. }) = *self.store.symbol(variable) else {
                    return None;
                };
                if object.index() >= self.cfa.variables.len() {
                    return None;
                }
                let name = name(self.cfa, object, self.store.part_name(variable));
                plain("variable", Some(self.variables.insert_full(name).0.to_string()))
            }
            _ => {
                let args = self.store.args(term).to_vec();
                let args = args.into_iter().map(|arg| self.term(arg)).collect::<Option<Vec<u32>>>()?;
                let value = if let Op::Extract { low } = op { Some(low.to_string()) } else { None };
                ProofTerm { args, ..plain(operator(op)?, value) }
            }
        })
    }
}

/// The operators that are written, with their names.
const OPERATORS: &[(Op, &str)] = &[
    (Op::True, "true"),
    (Op::False, "false"),
    (Op::Not, "not"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Ite, "ite"),
    (Op::Eq, "eq"),
    (Op::Add, "add"),
    (Op::Mul, "mul"),
    (Op::Neg, "neg"),
    (Op::UDiv, "udiv"),
    (Op::SDiv, "sdiv"),
    (Op::URem, "urem"),
    (Op::SRem, "srem"),
    (Op::BitNot, "bitnot"),
    (Op::BitAnd, "bitand"),
    (Op::BitOr, "bitor"),
    (Op::BitXor, "bitxor"),
    (Op::Shl, "shl"),
    (Op::LShr, "lshr"),
    (Op::AShr, "ashr"),
    (Op::ULt, "ult"),
    (Op::SLt, "slt"),
    (Op::Concat, "concat"),
    (Op::ZeroExtend, "zext"),
    (Op::SignExtend, "sext"),
];

fn operator(op: Op) -> Option<&'static str> {
    if matches!(op, Op::Extract { .. }) {
        return Some("extract");
    }
    OPERATORS.iter().find(|(known, _)| *known == op).map(|(_, name)| *name)
}

/// The formulas of a proof in a version of the program, each at the location of its loop.
pub fn read(facts: &Facts<'_>, proof: &Proof, encoder: &mut Encoder<'_>, store: &mut TermStore) -> Vec<Proposal> {
    let places: FxHashMap<_, LocationId> = heads(facts).into_iter().map(|(at, name)| (name, at)).collect();
    let cfa = facts.cfa();
    let variables: FxHashMap<ProofVariable, VarId> = cfa.variable_ids().map(|id| (name(cfa, id, ""), id)).collect();
    let mut leaves = |wanted: &ProofVariable, width: u32, store: &mut TermStore| -> Option<TermId> {
        let object = variables.get(&ProofVariable { part: String::new(), ..wanted.clone() })?;
        let terms = encoder.terms_of(store, *object, 0);
        let fits = |term: &TermId| {
            let part = store.as_variable(*term).map(|(id, _)| store.part_name(id) == wanted.part);
            part == Some(true) && store.sort(*term) == Sort::BitVec(width)
        };
        terms.into_iter().find(fits)
    };
    let mut terms: Vec<Option<TermId>> = Vec::with_capacity(proof.terms.len());
    for term in &proof.terms {
        let args: Option<Vec<TermId>> = term.args.iter().map(|arg| terms[*arg as usize]).collect();
        let made = args.and_then(|args| match term.op.as_str() {
            "variable" => leaves(proof.variables.get(term.value.as_ref()?.parse::<usize>().ok()?)?, term.width?, store),
            _ => rebuilt(store, term, &args),
        });
        terms.push(made);
    }
    let mut found = Vec::new();
    for fact in &proof.facts {
        let place = places.get(&(fact.function.clone(), fact.text.clone(), fact.ordinal));
        if let (Some(at), Some(formula)) = (place, terms[fact.formula as usize])
            && store.sort(formula) == Sort::Bool
        {
            found.push(Proposal { claim: Claim { at: *at, formula }, atoms: fact.atoms });
        }
    }
    found
}

/// A term anew; `None` if its arguments do not fit: whoever wrote the file need not be us.
fn rebuilt(store: &mut TermStore, term: &ProofTerm, args: &[TermId]) -> Option<TermId> {
    let is_bool = |store: &TermStore, arg: &TermId| store.sort(*arg) == Sort::Bool;
    let bits = |store: &TermStore, arg: &TermId| if let Sort::BitVec(width) = store.sort(*arg) { Some(width) } else { None };
    let truths = args.iter().all(|arg| is_bool(store, arg));
    let widths: Option<Vec<u32>> = args.iter().map(|arg| bits(store, arg)).collect();
    let alike = widths.as_ref().is_some_and(|widths| widths.windows(2).all(|pair| pair[0] == pair[1]));
    let one = || widths.as_ref()?.first().copied().filter(|_| args.len() == 1);
    match (term.op.as_str(), args) {
        ("true", []) => Some(store.tt()),
        ("false", []) => Some(store.ff()),
        ("bits", []) => {
            let width = term.width.filter(|width| (1..=128).contains(width))?;
            Some(store.bits(width, term.value.as_ref()?.parse().ok()?))
        }
        ("not", [a]) if truths => Some(store.not(*a)),
        ("and", all) if truths => Some(store.and(all)),
        ("or", all) if truths => Some(store.or(all)),
        ("ite", [condition, yes, no]) if is_bool(store, condition) && store.sort(*yes) == store.sort(*no) => {
            Some(store.ite(*condition, *yes, *no))
        }
        ("eq", [a, b]) if store.sort(*a) == store.sort(*b) => Some(store.eq(*a, *b)),
        ("neg", [a]) if alike => Some(store.neg(*a)),
        ("bitnot", [a]) if alike => Some(store.bit_not(*a)),
        ("extract", [a]) => {
            let (low, width) = (term.value.as_ref()?.parse::<u32>().ok()?, term.width.filter(|width| *width > 0)?);
            let high = low.checked_add(width - 1).filter(|high| one().is_some_and(|own| *high < own))?;
            Some(store.extract(*a, high, low))
        }
        ("zext", [a]) if one()? <= term.width? && term.width? <= 128 => Some(store.zero_extend(*a, term.width?)),
        ("sext", [a]) if one()? <= term.width? && term.width? <= 128 => Some(store.sign_extend(*a, term.width?)),
        ("concat", [a, b]) if widths.as_ref()?.iter().sum::<u32>() <= 128 => Some(store.concat(*a, *b)),
        ("add", [first, rest @ ..]) if alike => Some(rest.iter().fold(*first, |sum, next| store.add(sum, *next))),
        (op, [a, b]) if alike => binary(store, op, *a, *b),
        _ => None,
    }
}

fn binary(store: &mut TermStore, op: &str, a: TermId, b: TermId) -> Option<TermId> {
    Some(match op {
        "mul" => store.mul(a, b),
        "udiv" => store.udiv(a, b),
        "sdiv" => store.sdiv(a, b),
        "urem" => store.urem(a, b),
        "srem" => store.srem(a, b),
        "bitand" => store.bit_and(a, b),
        "bitor" => store.bit_or(a, b),
        "bitxor" => store.bit_xor(a, b),
        "shl" => store.shl(a, b),
        "lshr" => store.lshr(a, b),
        "ashr" => store.ashr(a, b),
        "ult" => store.ult(a, b),
        "slt" => store.slt(a, b),
        _ => return None,
    })
}
