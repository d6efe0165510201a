//! Hash-consed, sorted terms.
//!
//! A [`TermStore`] owns all terms; equal terms have equal [`TermId`]s. The smart constructors
//! (methods of the store, one file per theory) fold constants of up to 128 bits and bring terms
//! into a normal form, so that atoms which mean the same are often the same term.
//! Invariant: every term is well sorted; an ill-sorted constructor call is a bug in the caller and
//! panics with the two sorts. No function here recurses along a term.
//! Does not know the solver.

mod arith;
mod arrays;
mod bits;
mod boolean;
mod compare;
mod eval;
mod floats;
pub(crate) mod fold;
mod print;
mod rewrite;
mod sample;
mod symbol;
mod tables;

use std::fmt;
use std::hash::BuildHasherDefault;

use indexmap::IndexSet;
use rustc_hash::{FxHashSet, FxHasher};

pub use eval::{ArrayValue, Assignment, EvalError, Value};
pub(crate) use floats::format as float_format;
pub use fold::{mask, to_signed};
pub use rewrite::Substitution;
pub use symbol::{Arrival, Input, Leaf, Role, Symbol, VariableId, Which};

type FxBuild = BuildHasherDefault<FxHasher>;

/// A term of one [`TermStore`]; ids grow in creation order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(u32);

impl TermId {
    /// The position of the term in its store.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The same, as what names the term where numbers do.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit vectors of the given width in bits, at least 1.
    BitVec(u32),
    /// Arrays from bit vectors to bit vectors, widths in bits.
    Array {
        /// Width of an index.
        index: u32,
        /// Width of an element.
        element: u32,
    },
}

impl fmt::Display for Sort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(out, "Bool"),
            Sort::BitVec(width) => write!(out, "(_ BitVec {width})"),
            Sort::Array { index, element } => {
                write!(out, "(Array (_ BitVec {index}) (_ BitVec {element}))")
            }
        }
    }
}

/// The operator of a term; its arguments and sort are beside it in the store.
///
/// Only these survive normalisation: `a <= b` is `not (b < a)`, `a - b` is `a + (- b)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Truth.
    True,
    /// Falsehood.
    False,
    /// A bit-vector constant of at most 128 bits.
    Bits(u128),
    /// A variable; instance 0 is the variable itself, others are its SSA instances.
    Variable {
        /// Which variable.
        variable: VariableId,
        /// Its SSA instance, 0 for none.
        instance: u32,
    },
    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// `if a then b else c`, of any sort.
    Ite,
    /// Equality, of any sort.
    Eq,
    /// Sum of two or more.
    Add,
    /// Product of two; a constant factor stands first.
    Mul,
    /// Two's complement negation.
    Neg,
    /// Unsigned quotient; by zero all ones.
    UDiv,
    /// Signed quotient, truncating; by zero 1 or -1.
    SDiv,
    /// Unsigned remainder; by zero the dividend.
    URem,
    /// Signed remainder with the sign of the dividend; by zero the dividend.
    SRem,
    /// Bitwise complement.
    BitNot,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Left shift; zero when the amount reaches the width.
    Shl,
    /// Logical right shift.
    LShr,
    /// Arithmetic right shift.
    AShr,
    /// Unsigned less-than.
    ULt,
    /// Signed less-than.
    SLt,
    /// Concatenation, the first argument on top.
    Concat,
    /// The bits from `low` upwards, as many as the sort has.
    Extract {
        /// Lowest bit taken.
        low: u32,
    },
    /// Zero extension to the width of the sort.
    ZeroExtend,
    /// Sign extension to the width of the sort.
    SignExtend,
    /// Sum of two floats, rounded to nearest, ties to even. Floats are bit vectors of 32 or 64 bits that
    /// hold IEEE bit patterns; which NaN an operation yields is left open.
    FAdd,
    /// Difference of two floats.
    FSub,
    /// Product of two floats.
    FMul,
    /// Quotient of two floats.
    FDiv,
    /// Equality of floats: zeros are equal, NaN equals nothing.
    FEq,
    /// Less-than of floats.
    FLt,
    /// Less-or-equal of floats.
    FLe,
    /// Conversion between the two formats of floats.
    FConvert,
    /// The float nearest to a signed number.
    FFromSigned,
    /// The float nearest to an unsigned number.
    FFromUnsigned,
    /// A float truncated to a signed number; any number if it does not fit.
    FToSigned,
    /// A float truncated to an unsigned number; any number if it does not fit.
    FToUnsigned,
    /// The element of an array at an index.
    Select,
    /// An array with one element replaced: array, index, element.
    Store,
    /// The array whose elements are all the argument.
    ConstArray,
}

impl Op {
    /// Whether the operator works on floats or makes them.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Op::FEq | Op::FLt | Op::FLe | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv)
            || matches!(self, Op::FConvert | Op::FFromSigned | Op::FFromUnsigned)
            || matches!(self, Op::FToSigned | Op::FToUnsigned)
    }
}

/// Arguments of a term; few of them are held inline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Args {
    Few { len: u8, ids: [TermId; 3] },
    Many(Box<[TermId]>),
}

impl Args {
    fn new(args: &[TermId]) -> Args {
        if args.len() <= 3 {
            let mut ids = [TermId(0); 3];
            ids[..args.len()].copy_from_slice(args);
            Args::Few { len: args.len() as u8, ids }
        } else {
            Args::Many(args.into())
        }
    }

    fn as_slice(&self) -> &[TermId] {
        match self {
            Args::Few { len, ids } => &ids[..usize::from(*len)],
            Args::Many(ids) => ids,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    op: Op,
    sort: Sort,
    args: Args,
}

/// The theories beyond bit vectors that a term uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Floating-point operators.
    pub floats: bool,
    /// Arrays.
    pub arrays: bool,
}

impl Features {
    /// Both together.
    #[must_use]
    pub fn with(self, other: Features) -> Features {
        Features { floats: self.floats || other.floats, arrays: self.arrays || other.arrays }
    }
}

/// The owner of all terms.
#[derive(Debug)]
pub struct TermStore {
    nodes: IndexSet<Node, FxBuild>,
    /// Number of nodes of each term seen as a tree, saturating.
    tree_sizes: Vec<u32>,
    /// What occurs in each term.
    features: Vec<Features>,
    variables: symbol::Variables,
    /// The names of the variables.
    names: FxHashSet<String>,
    /// What is known of arrays whose elements are known.
    tables: tables::Tables,
    requests: u64,
}

impl Default for TermStore {
    fn default() -> TermStore {
        TermStore::new()
    }
}

impl TermStore {
    /// An empty store (but for the truth values).
    #[must_use]
    pub fn new() -> TermStore {
        let mut store = TermStore {
            nodes: IndexSet::default(),
            tree_sizes: Vec::new(),
            features: Vec::new(),
            variables: symbol::Variables::default(),
            names: FxHashSet::default(),
            tables: tables::Tables::default(),
            requests: 0,
        };
        store.intern(Op::True, Sort::Bool, &[]);
        store.intern(Op::False, Sort::Bool, &[]);
        store
    }

    /// How often a term was asked for so far, new or not: what building terms has cost.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// The number of terms built so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the truth values are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operator of a term.
    #[must_use]
    pub fn op(&self, term: TermId) -> Op {
        self.nodes[term.index()].op
    }

    /// The arguments of a term.
    #[must_use]
    pub fn args(&self, term: TermId) -> &[TermId] {
        self.nodes[term.index()].args.as_slice()
    }

    /// The sort of a term.
    #[must_use]
    pub fn sort(&self, term: TermId) -> Sort {
        self.nodes[term.index()].sort
    }

    /// The width in bits of a bit-vector term.
    ///
    /// Panics on a term of another sort: that is a bug in the caller.
    #[must_use]
    pub fn width(&self, term: TermId) -> u32 {
        let sort = self.sort(term);
        assert!(matches!(sort, Sort::BitVec(_)), "ill-sorted: a bit vector expected, found {sort}");
        match sort {
            Sort::BitVec(width) => width,
            Sort::Bool | Sort::Array { .. } => 0,
        }
    }

    /// The number of nodes of a term when shared ones are counted each time, saturating.
    #[must_use]
    pub fn tree_size(&self, term: TermId) -> u32 {
        self.tree_sizes[term.index()]
    }

    /// Which theories a term uses, in any of its parts.
    #[must_use]
    pub fn features(&self, term: TermId) -> Features {
        self.features[term.index()]
    }

    /// The truth value as a term.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "it makes a term of a truth value")]
    pub fn bool(&self, value: bool) -> TermId {
        if value { TermId(0) } else { TermId(1) }
    }

    /// `true`.
    #[must_use]
    pub fn tt(&self) -> TermId {
        self.bool(true)
    }

    /// `false`.
    #[must_use]
    pub fn ff(&self) -> TermId {
        self.bool(false)
    }

    /// The bit-vector constant `value` modulo 2 to the `width`; above 128 bits zero-extended.
    pub fn bits(&mut self, width: u32, value: u128) -> TermId {
        assert!(width > 0, "ill-sorted: a bit vector without bits");
        if width > 128 {
            let low = self.bits(128, value);
            return self.zero_extend(low, width);
        }
        self.intern(Op::Bits(value & mask(width)), Sort::BitVec(width), &[])
    }

    /// The bit-vector constant for a signed number.
    pub fn signed_bits(&mut self, width: u32, value: i128) -> TermId {
        if width > 128 {
            let low = self.bits(128, value as u128);
            return self.sign_extend(low, width);
        }
        self.bits(width, value as u128)
    }

    /// The value of a Boolean constant.
    #[must_use]
    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        match term {
            TermId(0) => Some(true),
            TermId(1) => Some(false),
            _ => None,
        }
    }

    /// The value of a bit-vector constant.
    #[must_use]
    pub fn as_bits(&self, term: TermId) -> Option<u128> {
        if let Op::Bits(value) = self.op(term) { Some(value) } else { None }
    }

    /// The value of a bit-vector constant read as a two's complement number.
    #[must_use]
    pub fn as_signed(&self, term: TermId) -> Option<i128> {
        self.as_bits(term).map(|value| to_signed(self.width(term), value))
    }

    /// The term made of this operator as it stands.
    fn intern(&mut self, op: Op, sort: Sort, args: &[TermId]) -> TermId {
        self.requests += 1;
        let (at, new) = self.nodes.insert_full(Node { op, sort, args: Args::new(args) });
        if new {
            let size = args.iter().fold(1u32, |sum, arg| sum.saturating_add(self.tree_size(*arg)));
            self.tree_sizes.push(size);
            let here = Features { floats: op.is_float(), arrays: matches!(sort, Sort::Array { .. }) };
            let all = args.iter().fold(here, |all, arg| all.with(self.features(*arg)));
            self.features.push(all);
        }
        TermId(formats::dense(at))
    }

    /// Interns a commutative binary operator with its arguments in order of age.
    fn intern_sorted(&mut self, op: Op, sort: Sort, a: TermId, b: TermId) -> TermId {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        self.intern(op, sort, &[a, b])
    }

    /// The common width of two bit vectors.
    fn same_width(&self, a: TermId, b: TermId) -> u32 {
        let (left, right) = (self.width(a), self.width(b));
        assert!(left == right, "ill-sorted: bit vectors of {left} and {right} bits");
        left
    }

    /// The branches of an `ite` whose branches are both bit-vector constants.
    fn as_constant_ite(&self, term: TermId) -> Option<(TermId, u128, u128)> {
        match (self.op(term), self.args(term)) {
            (Op::Ite, &[condition, yes, no]) => Some((condition, self.as_bits(yes)?, self.as_bits(no)?)),
            _ => None,
        }
    }
}
