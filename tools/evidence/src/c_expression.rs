//! Formulas as C expressions that hold wherever the formula does.
//!
//! Every atom is translated exactly or not at all: arithmetic is done in unsigned types of the width of the term, so that
//! it wraps as bit vectors do, and converted to the signed type (modulo 2ⁿ, as every compiler does) for signed
//! comparisons. A conjunct that cannot be said is left out, and with it the disjunction around it.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "an operator that is not named here, a new one included, is one that is not translated"
)]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, FunctionId, VarId, VarKind, Variable};
use program::source::Span;
use program::types::{IntRank, Type};
use smt::encode::ScalarNames;
use smt::terms::{Leaf, Sort, Symbol, mask, to_signed};
use smt::{Op, TermId, TermStore};

mod floats;
mod ranges;
#[cfg(test)]
mod tests;

/// Largest formula that is translated.
const LARGEST: u32 = 3000;
/// Longest expression that is of use to anybody.
const LONGEST: usize = 4000;

/// The variables that an expression at a place may name.
pub struct Scope<'a> {
    cfa: &'a Cfa,
    variables: BTreeSet<VarId>,
    names: ScalarNames<'a>,
}

impl<'a> Scope<'a> {
    /// The variables that can be seen at an offset in a function, each by its name, without those that hold `addresses`: which
    /// numbers these are is another matter in each program that is built.
    #[must_use]
    pub fn new(cfa: &'a Cfa, addresses: &BTreeSet<VarId>, function: FunctionId, offset: u32) -> Self {
        let mut by_name: BTreeMap<&str, Vec<VarId>> = BTreeMap::new();
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            if variable.function.is_none_or(|owner| owner == function) {
                by_name.entry(&variable.name).or_default().push(id);
            }
        }
        let meant = by_name.into_values().filter_map(|ids| meant(cfa, &ids, offset));
        let can_be_said = |id: &VarId| can_be_said(cfa, cfa.variable(*id)) && !addresses.contains(id);
        Self { cfa, variables: meant.filter(can_be_said).collect(), names: ScalarNames::new(cfa) }
    }

    /// What names a scalar of a variable in C, and its type.
    fn scalar(&self, symbol: &Symbol) -> Option<(String, &Type)> {
        let &Symbol::Leaf(Leaf { program: 0, object, activation: 0, leaf }) = symbol else { return None };
        let variable = self.cfa.variable(*self.variables.get(&object)?);
        let (path, ty) = self.names.of(variable.ty.ty, leaf)?;
        Some((format!("{}{path}", variable.name), self.cfa.types.get(ty)))
    }

    /// The C name, width and signedness of an integer variable, member or element.
    fn integer(&self, symbol: &Symbol) -> Option<(String, u32, bool)> {
        let (name, Type::Int { rank, signed }) = self.scalar(symbol)? else { return None };
        let width = u32::try_from(self.cfa.machine.int_size(*rank) * 8).ok()?;
        (*rank != IntRank::Int128).then_some((name, width, *signed))
    }
}

/// Which of the variables of one name the name means at an offset: the one declared last of those that can be seen.
fn meant(cfa: &Cfa, ids: &[VarId], offset: u32) -> Option<VarId> {
    if let [only] = ids {
        return can_be_seen(cfa, cfa.variable(*only), offset).then_some(*only);
    }
    let seen = ids.iter().copied().filter(|id| can_be_seen(cfa, cfa.variable(*id), offset));
    let inner = seen.max_by_key(|id| (cfa.variable(*id).function.is_some(), cfa.variable(*id).span.lo))?;
    // A declaration `extern` in a block would make the name that of the global variable again.
    let own = cfa.variable(inner);
    let extends = |text: &[u8]| find(Some(text), b"extern").is_some();
    let hidden = own.function.is_some() && extends(cfa.source.slice(Span::new(own.span.hi.min(offset), offset)));
    (!hidden).then_some(inner)
}

/// Whether a variable can be seen at an offset unless another one hides it.
fn can_be_seen(cfa: &Cfa, variable: &Variable, offset: u32) -> bool {
    matches!(variable.kind, VarKind::Parameter(_)) || encloses(cfa, variable.span, offset)
}

/// Whether the value of a variable is what its name says, and the name one of the program's text.
fn can_be_said(cfa: &Cfa, variable: &Variable) -> bool {
    if find(Some(cfa.source.slice(variable.span)), variable.name.as_bytes()).is_none() {
        return false;
    }
    match variable.kind {
        VarKind::Global { defined: true, .. } | VarKind::Local | VarKind::StaticLocal | VarKind::Parameter(_) => {
            !variable.thread_local && !variable.ty.qualifiers.is_volatile && !variable.ty.qualifiers.is_atomic
        }
        VarKind::Global { defined: false, .. } | VarKind::Temporary(_) | VarKind::StringLiteral(_) | VarKind::CompoundLiteral => {
            false
        }
    }
}

/// Whether no block or parenthesis that is open at a declaration is closed before an offset.
fn encloses(cfa: &Cfa, declaration: Span, offset: u32) -> bool {
    if declaration.hi > offset {
        return false;
    }
    let text = cfa.source.slice(Span::new(declaration.hi, offset));
    let (mut depth, mut at) = (0_i64, 0);
    while let Some(&byte) = text.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        at += match byte {
            b'"' | b'\'' => literal(rest),
            b'/' if rest.starts_with(b"/*") => find(rest.get(2..), b"*/").map_or(rest.len(), |end| end + 4),
            b'/' if rest.starts_with(b"//") => find(Some(rest), b"\n").unwrap_or(rest.len()),
            _ => 1,
        };
        depth += match byte {
            b'{' | b'(' => 1,
            b'}' | b')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    true
}

/// The length of the literal with which a text begins.
fn literal(text: &[u8]) -> usize {
    let quote = text.first().copied();
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate().skip(1) {
        if !escaped && Some(byte) == quote {
            return at + 1;
        }
        escaped = !escaped && byte == b'\\';
    }
    text.len()
}

fn find(text: Option<&[u8]>, part: &[u8]) -> Option<usize> {
    text?.windows(part.len()).position(|window| window == part)
}

/// A C expression that is true wherever the formula holds; `None` if there is nothing to say.
#[must_use]
pub fn implied(store: &TermStore, scope: &Scope<'_>, formula: TermId) -> Option<String> {
    let writer = Writer { store, scope };
    if store.tree_size(formula) <= LARGEST {
        let parts = writer.conjuncts(formula, Polarity::Holds)?;
        if !parts.is_empty() {
            return Some(parts.join(" && "));
        }
    }
    // What is too much to be said as it is may be so because of some of its conjuncts, or of how many cases it has.
    let of_each = match store.op(formula) {
        Op::And => store.args(formula),
        Op::Or => return ranges::said(&writer, formula),
        _ => return None,
    };
    let mut all = Vec::new();
    for &part in of_each {
        let whole = (store.tree_size(part) <= LARGEST).then(|| writer.conjuncts(part, Polarity::Holds));
        match whole {
            Some(parts) if parts.as_ref().is_none_or(|parts| !parts.is_empty()) => extend_within(&mut all, parts?),
            _ => extend_within(&mut all, ranges::said(&writer, part).into_iter().collect()),
        }
    }
    (!all.is_empty()).then(|| all.join(" && "))
}

/// Adds conjuncts as far as the whole stays short enough to be of use.
fn extend_within(all: &mut Vec<String>, parts: Vec<String>) {
    let mut length: usize = all.iter().map(String::len).sum();
    for part in parts {
        length += part.len();
        if length <= LONGEST {
            all.push(part);
        }
    }
}

/// Whether a formula or its negation is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Holds,
    Fails,
}

impl Polarity {
    fn flipped(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
        }
    }

    /// The operator of an atom that holds, or the one of its negation.
    fn operator(self, holds: &'static str, fails: &'static str) -> &'static str {
        match self {
            Self::Holds => holds,
            Self::Fails => fails,
        }
    }
}

struct Writer<'a> {
    store: &'a TermStore,
    scope: &'a Scope<'a>,
}

impl Writer<'_> {
    /// Expressions that are all true wherever the formula holds (or fails); `None` if it never does.
    fn conjuncts(&self, term: TermId, polarity: Polarity) -> Option<Vec<String>> {
        let args = self.store.args(term);
        match (self.store.op(term), polarity) {
            (Op::True, Polarity::Holds) | (Op::False, Polarity::Fails) => Some(Vec::new()),
            (Op::True, Polarity::Fails) | (Op::False, Polarity::Holds) => Some(vec!["0".to_owned()]),
            (Op::Not, _) => self.conjuncts(*args.first()?, polarity.flipped()),
            (Op::And, Polarity::Holds) | (Op::Or, Polarity::Fails) => {
                let mut all = Vec::new();
                for &arg in args {
                    extend_within(&mut all, self.conjuncts(arg, polarity)?);
                }
                Some(all)
            }
            (Op::Or, Polarity::Holds) | (Op::And, Polarity::Fails) => self.either(args.iter().map(|&arg| (arg, polarity))),
            (Op::Ite, _) => {
                let &[condition, yes, no] = args else { return Some(Vec::new()) };
                let mut both = self.either([(condition, Polarity::Fails), (yes, polarity)].into_iter())?;
                extend_within(&mut both, self.either([(condition, Polarity::Holds), (no, polarity)].into_iter())?);
                Some(both)
            }
            _ => Some(self.atom(term, polarity).into_iter().collect()),
        }
    }

    /// Expressions that are all true wherever one of several holds (or fails).
    fn either(&self, cases: impl Iterator<Item = (TermId, Polarity)>) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        for (case, polarity) in cases {
            let part = self.conjuncts(case, polarity)?;
            if part.is_empty() {
                return Some(Vec::new());
            }
            parts.push(if part.len() == 1 { part.concat() } else { format!("({})", part.join(" && ")) });
        }
        let text = format!("({})", parts.join(" || "));
        Some(if text.len() > LONGEST { Vec::new() } else { vec![text] })
    }

    /// An expression that is 1 exactly where the formula holds, and else 0.
    fn exactly(&self, term: TermId) -> Option<String> {
        let args = self.store.args(term);
        let joined = |operator: &str| {
            let parts: Option<Vec<String>> = args.iter().map(|&arg| self.exactly(arg)).collect();
            Some(format!("({})", parts?.join(operator)))
        };
        match self.store.op(term) {
            Op::True => Some("1".to_owned()),
            Op::False => Some("0".to_owned()),
            Op::Not => Some(format!("!{}", self.exactly(*args.first()?)?)),
            Op::And => joined(" && "),
            Op::Or => joined(" || "),
            Op::Ite => {
                let &[condition, yes, no] = args else { return None };
                Some(format!("({} ? {} : {})", self.exactly(condition)?, self.exactly(yes)?, self.exactly(no)?))
            }
            _ => self.atom(term, Polarity::Holds),
        }
    }

    /// Exactly the atom, or nothing.
    fn atom(&self, term: TermId, polarity: Polarity) -> Option<String> {
        let &[a, b] = self.store.args(term) else { return None };
        let compared = |left: String, operator: &str, right: String| Some(format!("({left} {operator} {right})"));
        match self.store.op(term) {
            Op::Eq if matches!(self.store.sort(a), Sort::BitVec(_)) => {
                let operator = polarity.operator("==", "!=");
                if self.is_signed(a) || self.is_signed(b) {
                    compared(self.signed(a)?, operator, self.signed(b)?)
                } else {
                    compared(self.unsigned(a)?, operator, self.unsigned(b)?)
                }
            }
            Op::Eq if self.store.sort(a) == Sort::Bool => {
                compared(self.exactly(a)?, polarity.operator("==", "!="), self.exactly(b)?)
            }
            Op::SLt => compared(self.signed(a)?, polarity.operator("<", ">="), self.signed(b)?),
            Op::FEq | Op::FLt | Op::FLe => self.compared_floats(term, polarity),
            Op::ULt => compared(self.unsigned(a)?, polarity.operator("<", ">="), self.unsigned(b)?),
            _ => None,
        }
    }

    /// Whether a term is a variable of a signed type.
    fn is_signed(&self, term: TermId) -> bool {
        match self.store.op(term) {
            Op::Variable { variable, instance: 0 } => {
                self.scope.integer(self.store.symbol(variable)).is_some_and(|(_, _, signed)| signed)
            }
            Op::SignExtend | Op::SDiv | Op::SRem => true,
            _ => false,
        }
    }

    /// The operands of a division, if it is by a number that is more than 1: others may have no value in C.
    fn division(&self, term: TermId) -> Option<(TermId, u128)> {
        let &[a, b] = self.store.args(term) else { return None };
        let divisor = self.store.as_bits(b)?;
        (to_signed(self.store.width(b), divisor) > 1).then_some((a, divisor))
    }

    /// An expression whose value is that of the bits read as a signed number.
    fn signed(&self, term: TermId) -> Option<String> {
        let width = self.store.width(term);
        match self.store.op(term) {
            Op::Bits(value) => signed_constant(width, value),
            Op::Variable { variable, instance: 0 } => {
                let (name, own, signed) = self.scope.integer(self.store.symbol(variable))?;
                (own == width).then(|| if signed { name } else { format!("({}){name}", signed_type(width)) })
            }
            Op::SignExtend => self.signed(*self.store.args(term).first()?).filter(|_| width <= 64),
            op @ (Op::SDiv | Op::SRem) => {
                let (a, divisor) = self.division(term)?;
                let operator = if op == Op::SDiv { "/" } else { "%" };
                Some(format!("({} {operator} {})", self.signed(a)?, signed_constant(width, divisor)?))
            }
            _ => Some(format!("({}){}", checked(signed_type(width))?, self.unsigned(term)?)),
        }
    }

    /// An expression of the unsigned type of the term's width (or what that is promoted to) with the value of the bits.
    fn unsigned(&self, term: TermId) -> Option<String> {
        let width = self.store.width(term);
        let args = self.store.args(term);
        match self.store.op(term) {
            Op::Bits(value) if width <= 64 => return Some(format!("{value}{}", if width > 32 { "ULL" } else { "U" })),
            Op::Extract { low } if width <= 64 && (low > 0 || unsigned_type(width).is_empty()) => {
                let mask = mask(width);
                let suffix = if width > 32 { "ULL" } else { "U" };
                return Some(format!("(({} >> {low}) & {mask}{suffix})", self.unsigned(*args.first()?)?));
            }
            _ => {}
        }
        let ty = checked(unsigned_type(width))?;
        let joined = |operator: &str| -> Option<String> {
            let narrow = |text: String| if width < 32 { format!("(unsigned int){text}") } else { text };
            let parts: Option<Vec<String>> = args.iter().map(|&arg| self.unsigned(arg).map(narrow)).collect();
            let text = format!("({})", parts?.join(operator));
            Some(if width < 32 { format!("({ty}){text}") } else { text })
        };
        match self.store.op(term) {
            Op::Variable { variable, instance: 0 } => {
                let (name, own, signed) = self.scope.integer(self.store.symbol(variable))?;
                (own == width).then(|| if signed { format!("({ty}){name}") } else { name })
            }
            Op::SDiv | Op::SRem => Some(format!("({ty}){}", self.signed(term)?)),
            Op::UDiv => self.division(term).and_then(|_| joined(" / ")),
            Op::URem => self.division(term).and_then(|_| joined(" % ")),
            Op::Add => joined(" + "),
            Op::Mul => joined(" * "),
            Op::BitAnd => joined(" & "),
            Op::BitOr => joined(" | "),
            Op::BitXor => joined(" ^ "),
            Op::Neg => Some(format!("({ty})(0U - {})", self.unsigned(*args.first()?)?)),
            Op::BitNot => Some(format!("({ty})(~{})", self.unsigned(*args.first()?)?)),
            Op::ZeroExtend => Some(format!("({ty}){}", self.unsigned(*args.first()?)?)),
            Op::SignExtend => Some(format!("({ty}){}", self.signed(*args.first()?)?)),
            Op::Extract { low: 0 } => Some(format!("({ty}){}", self.unsigned(*args.first()?)?)),
            _ => None,
        }
    }
}

fn signed_constant(width: u32, value: u128) -> Option<String> {
    checked(signed_type(width))?;
    let value = to_signed(width, value);
    let least = -(1_i128 << (width - 1));
    let suffix = if width > 32 { "LL" } else { "" };
    Some(match value {
        value if value == least => format!("({}{suffix} - 1)", least + 1),
        value if value < 0 => format!("({value}{suffix})"),
        value => format!("{value}{suffix}"),
    })
}

fn checked(ty: &'static str) -> Option<&'static str> {
    (!ty.is_empty()).then_some(ty)
}

const fn signed_type(width: u32) -> &'static str {
    match width {
        8 => "signed char",
        16 => "short",
        32 => "int",
        64 => "long long",
        _ => "",
    }
}

const fn unsigned_type(width: u32) -> &'static str {
    match width {
        8 => "unsigned char",
        16 => "unsigned short",
        32 => "unsigned int",
        64 => "unsigned long long",
        _ => "",
    }
}
