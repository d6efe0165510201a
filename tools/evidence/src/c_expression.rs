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
use smt::terms::{Leaf, Sort, Symbol, to_signed};
use smt::{Op, TermId, TermStore};

/// Largest formula that is translated.
const LARGEST: u32 = 3000;
/// Longest expression that is of use to anybody.
const LONGEST: usize = 4000;

/// The variables that an expression at a place may name.
pub struct Scope<'a> {
    cfa: &'a Cfa,
    variables: BTreeSet<VarId>,
}

impl<'a> Scope<'a> {
    /// The variables that can be seen at an offset in a function, each by its name.
    #[must_use]
    pub fn new(cfa: &'a Cfa, function: FunctionId, offset: u32) -> Self {
        let mut by_name: BTreeMap<&str, Vec<VarId>> = BTreeMap::new();
        for id in cfa.variable_ids() {
            let variable = cfa.variable(id);
            if variable.function.is_none_or(|owner| owner == function) {
                by_name.entry(&variable.name).or_default().push(id);
            }
        }
        let meant = by_name.into_values().filter_map(|ids| meant(cfa, &ids, offset));
        Self { cfa, variables: meant.filter(|id| can_be_said(cfa.variable(*id))).collect() }
    }

    /// The C name, width and signedness of an integer variable.
    fn integer(&self, symbol: &Symbol) -> Option<(&str, u32, bool)> {
        let Symbol::Leaf(Leaf { program: 0, object, activation: 0, leaf: 0 }) = symbol else { return None };
        let variable = self.cfa.variable(*self.variables.get(object)?);
        let Type::Int { rank, signed } = self.cfa.types.get(variable.ty.ty) else { return None };
        let width = u32::try_from(self.cfa.machine.int_size(*rank) * 8).ok()?;
        (*rank != IntRank::Int128).then_some((&*variable.name, width, *signed))
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

/// Whether the value of a variable is what its name says.
fn can_be_said(variable: &Variable) -> bool {
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
    if store.tree_size(formula) > LARGEST {
        return None;
    }
    let parts = Writer { store, scope }.conjuncts(formula, Polarity::Holds)?;
    (!parts.is_empty()).then(|| parts.join(" && "))
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
                    all.extend(self.conjuncts(arg, polarity)?);
                }
                let length: usize = all.iter().map(String::len).sum();
                Some(if length > LONGEST { Vec::new() } else { all })
            }
            (Op::Or, Polarity::Holds) | (Op::And, Polarity::Fails) => {
                let mut parts = Vec::new();
                for &arg in args {
                    let part = self.conjuncts(arg, polarity)?;
                    if part.is_empty() {
                        return Some(Vec::new());
                    }
                    parts.push(if part.len() == 1 { part.concat() } else { format!("({})", part.join(" && ")) });
                }
                let text = format!("({})", parts.join(" || "));
                Some(if text.len() > LONGEST { Vec::new() } else { vec![text] })
            }
            _ => Some(self.atom(term, polarity).into_iter().collect()),
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
            Op::SLt => compared(self.signed(a)?, polarity.operator("<", ">="), self.signed(b)?),
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
            Op::SignExtend => true,
            _ => false,
        }
    }

    /// An expression whose value is that of the bits read as a signed number.
    fn signed(&self, term: TermId) -> Option<String> {
        let width = self.store.width(term);
        match self.store.op(term) {
            Op::Bits(value) => signed_constant(width, value),
            Op::Variable { variable, instance: 0 } => {
                let (name, own, signed) = self.scope.integer(self.store.symbol(variable))?;
                (own == width).then(|| if signed { name.to_owned() } else { format!("({}){name}", signed_type(width)) })
            }
            Op::SignExtend => self.signed(*self.store.args(term).first()?).filter(|_| width <= 64),
            _ => Some(format!("({}){}", checked(signed_type(width))?, self.unsigned(term)?)),
        }
    }

    /// An expression of the unsigned type of the term's width (or what that is promoted to) with the value of the bits.
    fn unsigned(&self, term: TermId) -> Option<String> {
        let width = self.store.width(term);
        let ty = checked(unsigned_type(width))?;
        let args = self.store.args(term);
        let joined = |operator: &str| -> Option<String> {
            let narrow = |text: String| if width < 32 { format!("(unsigned int){text}") } else { text };
            let parts: Option<Vec<String>> = args.iter().map(|&arg| self.unsigned(arg).map(narrow)).collect();
            let text = format!("({})", parts?.join(operator));
            Some(if width < 32 { format!("({ty}){text}") } else { text })
        };
        match self.store.op(term) {
            Op::Bits(value) => Some(format!("{value}{}", if width > 32 { "ULL" } else { "U" })),
            Op::Variable { variable, instance: 0 } => {
                let (name, own, signed) = self.scope.integer(self.store.symbol(variable))?;
                (own == width).then(|| if signed { format!("({ty}){name}") } else { name.to_owned() })
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use formats::ProgramOptions;
    use program::source::SourceFile;

    const PROGRAM: &str = "int g; unsigned int u; int *p; volatile int v; short s;\n\
        int f(int a) { int x = 1; { int y = 2; x = y; } for (int i = 0; i < 3; i++) { x++; }\n\
        { int g = 7; x = g; } int z = 3; /* { */ while (x < a) { int k = \"}\"[0]; int z2 = k; x++; } return z; }\n\
        int main(void) { int x = 0; return f(3) + x; }\n";

    /// Says formulas at the `while` loop of a program.
    struct Speaker {
        cfa: Cfa,
        offset: u32,
        store: TermStore,
    }

    impl Speaker {
        fn new(program: &str) -> Self {
            let source = SourceFile::new("a.c", program.to_owned());
            let cfa = program::load_source(source, &ProgramOptions::default()).unwrap();
            Self { cfa, offset: u32::try_from(program.find("while").unwrap()).unwrap(), store: TermStore::new() }
        }

        /// The variable of 32 bits of a function (`f::x`) or of the file, the number-th of this name there.
        fn variable(&mut self, name: &str, number: usize, activation: u32) -> TermId {
            let (owner, plain) = name.split_once("::").map_or((None, name), |(owner, plain)| (Some(owner), plain));
            let is_it = |id: &VarId| {
                let variable = self.cfa.variable(*id);
                &*variable.name == plain && variable.function.map(|f| &*self.cfa.function(f).name) == owner
            };
            let object = self.cfa.variable_ids().filter(is_it).nth(number).unwrap_or_else(|| panic!("{name}"));
            let symbol = Symbol::Leaf(Leaf { program: 0, object, activation, leaf: 0 });
            self.store.symbol_variable(symbol, Sort::BitVec(32))
        }

        /// `name < value` of 32 bits.
        fn less(&mut self, name: &str, value: i128) -> TermId {
            let variable = self.variable(name, 0, 0);
            let value = self.store.signed_bits(32, value);
            self.store.slt(variable, value)
        }

        fn said(&self, formula: TermId) -> Option<String> {
            let function = self.cfa.function_ids().find(|&id| &*self.cfa.function(id).name == "f").unwrap();
            implied(&self.store, &Scope::new(&self.cfa, function, self.offset), formula)
        }
    }

    /// What is said of a formula at the `while` loop.
    fn said(build: impl FnOnce(&mut Speaker) -> TermId) -> Option<String> {
        let mut speaker = Speaker::new(PROGRAM);
        let formula = build(&mut speaker);
        speaker.said(formula)
    }

    #[test]
    fn variables_that_can_be_named() {
        for (name, text) in
            [("f::x", "(x < -4)"), ("f::a", "(a < -4)"), ("f::z", "(z < -4)"), ("u", "((int)u < -4)"), ("g", "(g < -4)")]
        {
            assert_eq!(said(|speaker| speaker.less(name, -4)), Some(text.replace("-4", "(-4)")), "{name}");
        }
        // Behind a block or loop, not yet declared, volatile, a pointer, another function.
        for name in ["f::g", "f::y", "f::i", "f::k", "f::z2", "v", "p", "main::x"] {
            assert_eq!(said(|speaker| speaker.less(name, 4)), None, "{name}");
        }
        // Of another width.
        assert_eq!(said(|speaker| speaker.less("s", 4)), None);
        // In another frame.
        let outer = |speaker: &mut Speaker| {
            let (x, four) = (speaker.variable("f::x", 0, 1), speaker.store.bits(32, 4));
            speaker.store.slt(x, four)
        };
        assert_eq!(said(outer), None);
    }

    /// Of variables of one name, the name means the innermost that is declared already; formulas about the others are left out.
    #[test]
    fn shadowed_variables_are_not_taken_for_each_other() {
        let program = "int x; int f(int a) { int x = 1; { int x = a; while (x < 9) { int x = 3; a += x; x++; } a += x; } return a + x; }\n\
                       int main(void) { return f(3); }\n";
        let said = |program: &str, names: &[(&str, usize)]| {
            let mut speaker = Speaker::new(program);
            let all: Vec<TermId> = (1..)
                .zip(names)
                .map(|(value, (name, number))| {
                    let (x, value) = (speaker.variable(name, *number, 0), speaker.store.bits(32, value));
                    speaker.store.eq(x, value)
                })
                .collect();
            let formula = speaker.store.and(&all);
            speaker.said(formula)
        };
        let all = [("x", 0), ("f::x", 0), ("f::x", 1), ("f::x", 2)];
        assert_eq!(said(program, &all).as_deref(), Some("(x == 3)"));
        for (name, number) in [("x", 0), ("f::x", 0), ("f::x", 2)] {
            assert_eq!(said(program, &[(name, number)]), None, "{name} {number}");
        }
        let again = program.replace("while", "extern int x; while");
        assert_eq!(said(&again, &all), None);
    }

    #[test]
    fn conjuncts_are_dropped_and_disjunctions_with_them() {
        let both = |speaker: &mut Speaker| (speaker.less("f::x", 4), speaker.less("f::g", 4));
        assert_eq!(
            said(|speaker| {
                let (a, b) = both(speaker);
                speaker.store.and(&[a, b])
            })
            .as_deref(),
            Some("(x < 4)")
        );
        assert_eq!(
            said(|speaker| {
                let (a, b) = both(speaker);
                speaker.store.or(&[a, b])
            }),
            None
        );
        let negated = |speaker: &mut Speaker| {
            let (a, b) = both(speaker);
            let all = speaker.store.and(&[a, b]);
            speaker.store.not(all)
        };
        assert_eq!(said(negated), None);
        let neither = |speaker: &mut Speaker| {
            let (a, b) = both(speaker);
            let any = speaker.store.or(&[a, b]);
            speaker.store.not(any)
        };
        assert_eq!(said(neither).as_deref(), Some("(x >= 4)"));
    }

    #[test]
    fn arithmetic_wraps() {
        let sum = |speaker: &mut Speaker| {
            let (x, u) = (speaker.variable("f::x", 0, 0), speaker.variable("u", 0, 0));
            let store = &mut speaker.store;
            let (sum, limit) = (store.add(x, u), store.signed_bits(32, i128::from(i32::MIN)));
            store.eq(sum, limit)
        };
        let text = said(sum).unwrap();
        // The store may have moved a summand to the other side.
        assert!(text.contains("(unsigned int)"), "{text}");
        assert!(text.contains("2147483648U"), "{text}");
        let least = |speaker: &mut Speaker| {
            let x = speaker.variable("f::x", 0, 0);
            let store = &mut speaker.store;
            let limit = store.signed_bits(32, i128::from(i32::MIN));
            store.eq(x, limit)
        };
        assert!(said(least).unwrap().contains("(-2147483647 - 1)"));
    }
}
