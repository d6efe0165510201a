//! Invariants as text: C where the formula has a C reading, SMT-LIB otherwise.
//!
//! A variable is called by its name in the program. Where that says too little (another variable of the name can be seen
//! there, or the variable is one of another function or activation) a comment behind it says which one it is.

#![expect(clippy::wildcard_enum_match_arm, reason = "few symbols have a text of their own")]

use program::cfa::{Cfa, FunctionId, LocationId, VarId};
use smt::terms::{Leaf, Symbol, VariableId, to_signed};
use smt::{Op, TermId, TermStore};

/// Longest C text; longer formulas are printed with sharing.
const LONGEST: u32 = 400;

/// A formula over variables of a program, as it is said of a location.
#[must_use]
pub fn text(store: &TermStore, (cfa, at): (&Cfa, LocationId), formula: TermId) -> String {
    if store.tree_size(formula) > LONGEST {
        return store.print(formula);
    }
    let writer = Writer { store, cfa, function: cfa.location(at).function };
    writer.c_text(formula, 0).unwrap_or_else(|| store.print(formula))
}

struct Writer<'a> {
    store: &'a TermStore,
    cfa: &'a Cfa,
    /// The function that the text speaks in.
    function: FunctionId,
}

impl Writer<'_> {
    /// The C text of a term; `None` where C has no plain expression for it. The recursion is bounded by [`LONGEST`].
    #[expect(clippy::wildcard_enum_match_arm, reason = "C has an operator for few of them")]
    fn c_text(&self, term: TermId, depth: u32) -> Option<String> {
        let store = self.store;
        let args = store.args(term);
        let part = |at: usize| self.c_text(args[at], depth + 1);
        let joined = |operator: &str| -> Option<String> {
            let parts: Option<Vec<String>> = (0..args.len()).map(part).collect();
            let text = parts?.join(operator);
            Some(if depth == 0 { text } else { format!("({text})") })
        };
        match store.op(term) {
            Op::True => Some("1".to_owned()),
            Op::False => Some("0".to_owned()),
            Op::Bits(value) => {
                let width = store.width(term);
                Some(if width <= 64 { to_signed(width, value).to_string() } else { return None })
            }
            Op::Variable { variable, instance: 0 } => Some(self.variable(variable)),
            Op::Not => self.negated(args[0], depth),
            Op::And => joined(" && "),
            Op::Or => joined(" || "),
            Op::Eq => joined(" == "),
            Op::Ite => {
                let text = format!("{} ? {} : {}", part(0)?, part(1)?, part(2)?);
                Some(if depth == 0 { text } else { format!("({text})") })
            }
            Op::SLt => joined(" < "),
            Op::ULt => joined(" < ").map(unsigned),
            Op::Add => joined(" + "),
            Op::Mul => joined(" * "),
            Op::Neg => Some(format!("-{}", part(0)?)),
            Op::BitNot => Some(format!("~{}", part(0)?)),
            Op::BitAnd => joined(" & "),
            Op::BitOr => joined(" | "),
            Op::BitXor => joined(" ^ "),
            _ => None,
        }
    }

    /// The C text of the negation of a term.
    fn negated(&self, term: TermId, depth: u32) -> Option<String> {
        let op = self.store.op(term);
        if op == Op::Eq {
            self.binary(term, " != ", depth)
        } else if op == Op::SLt {
            self.binary(term, " >= ", depth)
        } else if op == Op::ULt {
            self.binary(term, " >= ", depth).map(unsigned)
        } else {
            Some(format!("!{}", self.c_text(term, depth + 1)?))
        }
    }

    fn binary(&self, term: TermId, operator: &str, depth: u32) -> Option<String> {
        let args = self.store.args(term);
        let text = format!("{}{operator}{}", self.c_text(args[0], depth + 1)?, self.c_text(args[1], depth + 1)?);
        Some(if depth == 0 { text } else { format!("({text})") })
    }

    fn variable(&self, variable: VariableId) -> String {
        match *self.store.symbol(variable) {
            Symbol::Leaf(Leaf { object, activation, .. }) if object.index() < self.cfa.variables.len() => {
                let (name, part) = (&self.cfa.variable(object).name, self.store.part_name(variable));
                match self.which(object, activation) {
                    Some(which) => format!("{name}{part} /* {which} */"),
                    None => format!("{name}{part}"),
                }
            }
            _ => self.store.variable_name(variable).to_owned(),
        }
    }

    /// Which of the variables of a name it is, where the name does not say it.
    fn which(&self, object: VarId, activation: u32) -> Option<String> {
        let variable = self.cfa.variable(object);
        let is_near = |id: &VarId| self.cfa.variable(*id).function.is_none_or(|owner| owner == self.function);
        let is_other = |id: &VarId| *id != object && self.cfa.variable(*id).name == variable.name;
        let is_alone = activation == 0 && is_near(&object) && !self.cfa.variable_ids().filter(is_near).any(|id| is_other(&id));
        (!is_alone).then(|| {
            let owner = variable.function.map_or("global", |owner| &*self.cfa.function(owner).name);
            let place = self.cfa.source.location(variable.span.lo);
            let place = format!("{owner}, line {}:{}", place.line, place.column);
            if activation == 0 { place } else { format!("{place}, {activation} calls before the last") }
        })
    }
}

/// C has the signedness in the types; the text says it in a comment.
fn unsigned(text: String) -> String {
    format!("{text} /* unsigned */")
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use smt::Sort;

    /// What is said in the entry function about the sum of two variables, by name and number among those of the name.
    fn said(program: &str, first: (&str, usize), second: (&str, usize, u32)) -> String {
        let cfa = program::load_source(SourceFile::new("a.c", program.to_owned()), &ProgramOptions::default()).unwrap();
        let mut store = TermStore::new();
        let mut variable = |name: &str, number: usize, activation: u32| {
            let object = cfa.variable_ids().filter(|id| &*cfa.variable(*id).name == name).nth(number).unwrap();
            let symbol = Symbol::Leaf(Leaf { program: 0, object, activation, leaf: 0 });
            store.object_variable(symbol, Sort::BitVec(32), name, "")
        };
        let (a, b) = (variable(first.0, first.1, 0), variable(second.0, second.1, second.2));
        let less = store.slt(a, b);
        let entry = cfa.function(cfa.entry).entry.unwrap();
        text(&store, (&cfa, entry), less)
    }

    #[test]
    fn variables_of_one_name_are_told_apart() {
        let program = "int g; int z;\nint main(void) { int x = 1; { int x = 2;\nint z = 3; g = x + z; } return x; }\n\
                       int f(int x, int g) { return x + g; }\n";
        assert_eq!(said(program, ("x", 0), ("x", 1, 0)), "x /* main, line 2:22 */ < x /* main, line 2:35 */");
        assert_eq!(said(program, ("z", 0), ("g", 0, 0)), "z /* global, line 1:12 */ < g");
        assert_eq!(said(program, ("z", 1), ("x", 2, 0)), "z /* main, line 3:5 */ < x /* f, line 4:7 */");
        assert_eq!(said(program, ("g", 0), ("g", 1, 0)), "g < g /* f, line 4:14 */");
        let earlier = "x /* main, line 2:22 */ < x /* main, line 2:22, 1 calls before the last */";
        assert_eq!(said(program, ("x", 0), ("x", 0, 1)), earlier);
    }
}
