//! SMT-LIB text of terms, for people and for invariants in reports.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::{Op, Sort, TermId, TermStore};

/// Terms with more nodes than this (seen as trees) name their shared parts with `let`.
const PLAIN: u32 = 200;

impl TermStore {
    /// The SMT-LIB text of a term. Its length is linear in the number of different subterms.
    #[must_use]
    pub fn print(&self, term: TermId) -> String {
        let mut names: FxHashMap<TermId, String> = FxHashMap::default();
        let mut out = String::new();
        let mut closing = 0;
        if self.tree_size(term) > PLAIN {
            for part in self.shared(term) {
                let name = format!("?{}", names.len());
                let text = self.print_named(part, &names);
                // Writing to a string cannot fail.
                let _ = write!(out, "(let (({name} {text})) ");
                names.insert(part, name);
                closing += 1;
            }
        }
        out.push_str(&self.print_named(term, &names));
        for _ in 0..closing {
            out.push(')');
        }
        out
    }

    /// Subterms with arguments that have several parents, arguments first.
    fn shared(&self, term: TermId) -> Vec<TermId> {
        let order = self.post_order(&[term], |_| false);
        let mut parents: FxHashMap<TermId, u32> = FxHashMap::default();
        for part in &order {
            for arg in self.args(*part) {
                *parents.entry(*arg).or_default() += 1;
            }
        }
        order
            .into_iter()
            .filter(|part| !self.args(*part).is_empty())
            .filter(|part| parents.get(part).is_some_and(|count| *count > 1))
            .collect()
    }

    fn print_named(&self, term: TermId, names: &FxHashMap<TermId, String>) -> String {
        enum Step {
            Term(TermId),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut open = vec![Step::Term(term)];
        while let Some(step) = open.pop() {
            let term = match step {
                Step::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Step::Term(term) => term,
            };
            if let Some(name) = names.get(&term) {
                out.push_str(name);
                continue;
            }
            let args = self.args(term);
            if args.is_empty() {
                out.push_str(&self.print_leaf(term));
                continue;
            }
            // `not (b < a)` reads better as `a <= b`.
            let (inner, negated) = self.without_not(term);
            let (head, args) = match (negated, self.op(inner), names.contains_key(&inner)) {
                (true, Op::ULt, false) => ("bvuge".to_owned(), self.args(inner)),
                (true, Op::SLt, false) => ("bvsge".to_owned(), self.args(inner)),
                _ => (self.head(term), args),
            };
            let _ = write!(out, "({head}");
            open.push(Step::Text(")"));
            for arg in args.iter().rev() {
                open.push(Step::Term(*arg));
                open.push(Step::Text(" "));
            }
        }
        out
    }

    fn print_leaf(&self, term: TermId) -> String {
        match (self.op(term), self.sort(term)) {
            (Op::Bits(value), Sort::BitVec(width)) => format!("(_ bv{value} {width})"),
            (Op::Variable { variable, instance }, _) => {
                format!("|{}|", self.instance_name(variable, instance))
            }
            (Op::True, _) => "true".to_owned(),
            _ => "false".to_owned(),
        }
    }

    fn head(&self, term: TermId) -> String {
        let sort = self.sort(term);
        let width = if let Sort::BitVec(width) = sort { width } else { 0 };
        let grown = || width - self.width(self.args(term)[0]);
        let name = match self.op(term) {
            Op::Extract { low } => return format!("(_ extract {} {low})", low + width - 1),
            Op::ZeroExtend => return format!("(_ zero_extend {})", grown()),
            Op::SignExtend => return format!("(_ sign_extend {})", grown()),
            Op::ConstArray => return format!("(as const {sort})"),
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Ite => "ite",
            Op::Eq => "=",
            Op::Add => "bvadd",
            Op::Mul => "bvmul",
            Op::Neg => "bvneg",
            Op::UDiv => "bvudiv",
            Op::SDiv => "bvsdiv",
            Op::URem => "bvurem",
            Op::SRem => "bvsrem",
            Op::BitNot => "bvnot",
            Op::BitAnd => "bvand",
            Op::BitOr => "bvor",
            Op::BitXor => "bvxor",
            Op::Shl => "bvshl",
            Op::LShr => "bvlshr",
            Op::AShr => "bvashr",
            Op::ULt => "bvult",
            Op::SLt => "bvslt",
            Op::Concat => "concat",
            // Floats are held as their bits: these are our names, not SMT-LIB's.
            Op::FAdd => "float.add",
            Op::FSub => "float.sub",
            Op::FMul => "float.mul",
            Op::FDiv => "float.div",
            Op::FEq => "float.eq",
            Op::FLt => "float.lt",
            Op::FLe => "float.leq",
            Op::FConvert => return format!("(_ float.convert {width})"),
            Op::FFromSigned => return format!("(_ float.from_signed {width})"),
            Op::FFromUnsigned => return format!("(_ float.from_unsigned {width})"),
            Op::FToSigned => return format!("(_ float.to_signed {width})"),
            Op::FToUnsigned => return format!("(_ float.to_unsigned {width})"),
            Op::Select => "select",
            Op::Store => "store",
            Op::True | Op::False | Op::Bits(_) | Op::Variable { .. } => "",
        };
        name.to_owned()
    }
}
