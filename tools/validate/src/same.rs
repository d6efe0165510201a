//! Whether two values or operations are the same thing in the two programs.
//!
//! Two expressions are the same if their trees are, down to variables that are the same, members at the same place and
//! accesses of the same type. A pair of trees is taken apart side by side until a difference is found or nothing is left;
//! pairs once found equal stay so.
//! Does not know what operations read or write.

use program::cfa::{AsmOperand, Cfa, EdgeId, FunctionId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::Type;
use rustc_hash::FxHashSet;

use crate::map::Map;
use crate::types::Types;

/// Compares the modified program with the original.
#[derive(Debug)]
pub(crate) struct Same<'a> {
    pub(crate) modified: &'a Cfa,
    pub(crate) original: &'a Cfa,
    pub(crate) map: &'a Map,
    pub(crate) types: Types,
    values: FxHashSet<(ExprId, ExprId)>,
}

impl<'a> Same<'a> {
    pub(crate) fn new(modified: &'a Cfa, original: &'a Cfa, map: &'a Map, types: Types) -> Self {
        Self { modified, original, map, types, values: FxHashSet::default() }
    }

    /// Whether two values, or the addresses of two places, are the same given equal contents of the objects they read.
    pub(crate) fn values(&mut self, mine: ExprId, theirs: ExprId) -> bool {
        let mut open = vec![(mine, theirs)];
        let mut met = FxHashSet::default();
        while let Some((a, b)) = open.pop() {
            if self.values.contains(&(a, b)) || !met.insert((a, b)) {
                continue;
            }
            if !self.same_heads(a, b) {
                return false;
            }
            let (x, y) = (self.modified.exprs.get(a), self.original.exprs.get(b));
            open.extend(x.operands().zip(y.operands()));
        }
        self.values.extend(met);
        true
    }

    /// Whether two places are at the same address, given equal contents of what that depends on, and hold values of one type.
    pub(crate) fn places(&mut self, mine: ExprId, theirs: ExprId) -> bool {
        self.types_of(mine, theirs) && self.values(mine, theirs)
    }

    fn types_of(&mut self, mine: ExprId, theirs: ExprId) -> bool {
        let (a, b) = (self.modified.exprs.ty(mine), self.original.exprs.ty(theirs));
        self.types.same(self.modified, a, self.original, b)
    }

    /// Whether two expressions are the same if their operands are.
    pub(crate) fn same_heads(&mut self, mine: ExprId, theirs: ExprId) -> bool {
        let (a, b) = (self.modified.exprs.get(mine), self.original.exprs.get(theirs));
        let heads = match (a, b) {
            (Expr::Int(x), Expr::Int(y)) | (Expr::Float(x), Expr::Float(y)) => x == y,
            (Expr::Zero, Expr::Zero)
            | (Expr::Load(_), Expr::Load(_))
            | (Expr::AddressOf(_), Expr::AddressOf(_))
            | (Expr::Cast(_), Expr::Cast(_))
            | (Expr::Conditional(..), Expr::Conditional(..)) => true,
            (Expr::FunctionAddress(f), Expr::FunctionAddress(g)) => {
                let has_body = self.modified.function(*f).entry.is_some() == self.original.function(*g).entry.is_some();
                has_body && self.map.function(*f) == Some(*g)
            }
            (Expr::Unary(x, _), Expr::Unary(y, _)) => x == y,
            (Expr::Binary(x, ..), Expr::Binary(y, ..)) => x == y,
            (Expr::PointerOffset { scale: x, .. }, Expr::PointerOffset { scale: y, .. })
            | (Expr::PointerDifference { scale: x, .. }, Expr::PointerDifference { scale: y, .. }) => x == y,
            (Expr::Variable(x), Expr::Variable(y)) => self.variables(*x, *y),
            (Expr::Dereference { volatile: x, .. }, Expr::Dereference { volatile: y, .. }) => x == y,
            (Expr::Field(x, m), Expr::Field(y, n)) => {
                member(self.modified, *x, *m).is_some_and(|member_of| Some(member_of) == member(self.original, *y, *n))
            }
            // The size of an element is that of its type.
            (Expr::Index(..), Expr::Index(..)) => self.types_of(mine, theirs),
            (
                Expr::Int(_)
                | Expr::Float(_)
                | Expr::Zero
                | Expr::Load(_)
                | Expr::AddressOf(_)
                | Expr::Cast(_)
                | Expr::Conditional(..)
                | Expr::FunctionAddress(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::PointerOffset { .. }
                | Expr::PointerDifference { .. }
                | Expr::Variable(_)
                | Expr::Dereference { .. }
                | Expr::Field(..)
                | Expr::Index(..),
                _,
            ) => false,
        };
        heads && (a.is_place() || self.types_of(mine, theirs))
    }

    /// Whether two variables are at the same address; literals are wherever they say the same.
    pub(crate) fn variables(&mut self, mine: VarId, theirs: VarId) -> bool {
        let (a, b) = (self.modified.variable(mine), self.original.variable(theirs));
        match (&a.kind, &b.kind) {
            (VarKind::StringLiteral(x), VarKind::StringLiteral(y)) => {
                let identity = a.identity == b.identity;
                let (a, b) = (a.ty.ty, b.ty.ty);
                x == y && identity && self.types.same(self.modified, a, self.original, b)
            }
            (_, _) => self.map.identity(mine) == Some(theirs),
        }
    }

    fn written(&mut self, mine: Option<VarId>, theirs: Option<VarId>) -> bool {
        match (mine, theirs) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                let (x, y) = (self.modified.variable(a).ty.ty, self.original.variable(b).ty.ty);
                self.variables(a, b) && self.types.same(self.modified, x, self.original, y)
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// Whether calls of two functions are calls of the same one.
    pub(crate) fn callees(&mut self, mine: FunctionId, theirs: FunctionId) -> bool {
        self.map.is_same_callee((self.modified, mine), (self.original, theirs), &mut self.types)
    }

    /// Whether two operations do the same given equal contents of the objects they read. Of returns only the values count.
    pub(crate) fn operations(&mut self, mine: EdgeId, theirs: EdgeId) -> bool {
        use Operation::{Asm, Assign, Assume, Blank, Call, Declare, Havoc, Return, Unsupported};
        let (mine, theirs) = (self.modified.edge(mine), self.original.edge(theirs));
        match (&mine.operation, &theirs.operation) {
            (Blank, Blank) => true,
            (Declare { variable: a }, Declare { variable: b }) => self.written(Some(*a), Some(*b)),
            (Assume { condition: a, truth: x }, Assume { condition: b, truth: y }) => x == y && self.values(*a, *b),
            (Assign { place: p, value: a }, Assign { place: q, value: b }) => self.places(*p, *q) && self.values(*a, *b),
            (Havoc { variable: a, input: f }, Havoc { variable: b, input: g }) => self.written(*a, *b) && self.callees(*f, *g),
            (Call { callee: f, arguments: a, result: r }, Call { callee: g, arguments: b, result: s }) => {
                a.len() == b.len()
                    && self.callees(*f, *g)
                    && self.written(*r, *s)
                    && a.iter().zip(b).all(|(x, y)| self.values(*x, *y))
            }
            (Return { value: a }, Return { value: b }) => match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => self.values(*a, *b),
                (Some(_), None) | (None, Some(_)) => false,
            },
            (Asm(a), Asm(b)) => {
                a.template == b.template
                    && a.clobbers == b.clobbers
                    && a.has_labels == b.has_labels
                    && self.operands(&a.outputs, &b.outputs)
                    && self.operands(&a.inputs, &b.inputs)
            }
            (
                Blank
                | Declare { .. }
                | Assume { .. }
                | Assign { .. }
                | Havoc { .. }
                | Call { .. }
                | Return { .. }
                | Asm(_)
                | Unsupported { .. },
                _,
            ) => false,
        }
    }

    fn operands(&mut self, mine: &[AsmOperand], theirs: &[AsmOperand]) -> bool {
        mine.len() == theirs.len()
            && mine
                .iter()
                .zip(theirs)
                .all(|(a, b)| a.constraint == b.constraint && self.types_of(a.expr, b.expr) && self.values(a.expr, b.expr))
    }
}

/// Where a member is in its record, and how it is accessed; none if there is no such member.
type Member = (u64, Option<(u64, u32)>, (bool, bool));

fn member(cfa: &Cfa, record: ExprId, number: u32) -> Option<Member> {
    let Type::Record(record) = cfa.types.get(cfa.exprs.ty(record)) else { return None };
    let field = cfa.types.record(*record).fields.get(number as usize)?;
    let bits = field.bits.map(|bits| (bits.first_bit, bits.width));
    // A bit-field is where its bits are.
    let offset = if bits.is_some() { 0 } else { field.offset };
    Some((offset, bits, (field.ty.qualifiers.is_volatile, field.ty.qualifiers.is_atomic)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use std::collections::BTreeMap;

    fn load(body: &str) -> Cfa {
        let text = format!(
            "extern void reach_error(void); extern int in(void); extern void one(int), two(int);\n\
             struct s {{ int a, b; unsigned c : 3, d : 3; }} s, *q; int x, y, v[4]; volatile int w; int *p;\n\
             int main(void) {{ {body} return 0; }}"
        );
        program::load_source(SourceFile::new("test.c", text), &ProgramOptions::default()).expect("a program")
    }

    /// Variables by name and kind, as far as there is one of each.
    fn named(modified: &Cfa, original: &Cfa) -> Vec<Option<u32>> {
        let key = |cfa: &Cfa, variable: VarId| {
            let known = cfa.variable(variable);
            (known.name.to_string(), known.ordinal, format!("{:?}", std::mem::discriminant(&known.kind)))
        };
        let theirs: BTreeMap<_, _> = original.variable_ids().map(|variable| (key(original, variable), variable.0)).collect();
        modified.variable_ids().map(|variable| theirs.get(&key(modified, variable)).copied()).collect()
    }

    /// Whether all operations of the two are the same, one by one.
    fn same(mine: &str, theirs: &str) -> bool {
        let (modified, original) = (load(mine), load(theirs));
        let mut types = Types::default();
        let map = Map::new(&modified, &original, (&named(&modified, &original), &[]), &mut types).expect("a map");
        let mut same = Same::new(&modified, &original, &map, types);
        modified.edges.len() == original.edges.len() && modified.edge_ids().all(|edge| same.operations(edge, edge))
    }

    #[test]
    fn what_says_the_same_is_the_same() {
        for text in
            ["x = y + 3;", "if (x < y) x = in();", "q->b = v[x];", "one(x);", "s.c = 2; w = x; *p = 1;", "char *t = \"ab\";"]
        {
            assert!(same(text, text), "{text}");
        }
        assert!(same("int n = 1; x = n;", "int n = 1; x = n;"));
    }

    #[test]
    fn what_says_something_else_is_not() {
        for (one, other) in [
            ("x = 3;", "x = 4;"),
            ("x = 3;", "y = 3;"),
            ("x = y;", "x = x;"),
            ("x = y + 1;", "x = y - 1;"),
            ("x = -y;", "x = ~y;"),
            ("x = (unsigned char)y;", "x = (signed char)y;"),
            ("x = s.a;", "x = s.b;"),
            ("x = s.c;", "x = s.d;"),
            ("x = q->a;", "x = s.a;"),
            ("x = v[1];", "x = v[2];"),
            ("x = *p;", "x = *(volatile int *)p;"),
            ("p = p + 1;", "p = (int *)((char *)p + 1);"),
            ("if (x < y) x = 1;", "if (x <= y) x = 1;"),
            ("one(x);", "two(x);"),
            ("one(x);", "one(y);"),
            ("x = in();", "y = in();"),
            ("x = 1.5 * y;", "x = 2.5 * y;"),
            ("char *t = \"ab\";", "char *t = \"ac\";"),
            ("int n; x = n;", "long n; x = n;"),
            ("x = y > 0 ? 1 : 2;", "x = y > 0 ? 2 : 1;"),
        ] {
            assert!(!same(one, other) && !same(other, one), "{one} {other}");
        }
    }

    #[test]
    fn a_condition_is_not_its_negation() {
        let cfa = load("if (x) y = 1;");
        let mut types = Types::default();
        let map = Map::new(&cfa, &cfa, (&named(&cfa, &cfa), &[]), &mut types).expect("a map");
        let mut same = Same::new(&cfa, &cfa, &map, types);
        let is_assume = |edge: &EdgeId| matches!(cfa.edge(*edge).operation, Operation::Assume { .. });
        let assumes: Vec<EdgeId> = cfa.edge_ids().filter(is_assume).collect();
        let [one, other] = assumes[..] else { panic!("{assumes:?}") };
        assert!(same.operations(one, one) && !same.operations(one, other) && !same.operations(other, one));
    }

    #[test]
    fn a_map_is_one_to_one_and_keeps_names_of_globals() {
        let cfa = load("x = y;");
        let identity = named(&cfa, &cfa);
        let at = |name: &str| cfa.variable_ids().find(|id| &*cfa.variable(*id).name == name).map_or(0, VarId::index);
        let check = |change: &dyn Fn(&mut Vec<Option<u32>>)| {
            let mut claimed = identity.clone();
            change(&mut claimed);
            Map::new(&cfa, &cfa, (&claimed, &[]), &mut Types::default()).map(|_| ())
        };
        assert_eq!(check(&|_| ()), Ok(()));
        assert_eq!(check(&|claimed| claimed[at("x")] = None), Ok(()));
        assert!(check(&|claimed| claimed[at("x")] = claimed[at("y")]).is_err());
        assert!(check(&|claimed| claimed.swap(at("x"), at("y"))).is_err());
        assert!(check(&|claimed| claimed[at("x")] = Some(u32::MAX)).is_err());
        assert!(check(&|claimed| claimed.truncate(1)).is_err());
        assert!(Map::new(&cfa, &load("x = y; int n;"), (&identity, &[]), &mut Types::default()).is_ok());
    }

    #[test]
    fn a_renamed_function_is_one_of_the_program_and_has_no_other_counterpart() {
        let text = |one: &str| {
            format!(
                "int in(void); static int n; static int m; int {one}(int a) {{ return a; }} int same(int a) {{ return a; }} int main(void) {{ n = {one}(m); return same(n) + in(); }}"
            )
        };
        let load =
            |text: String| program::load_source(SourceFile::new("test.c", text), &ProgramOptions::default()).expect("a program");
        let (modified, original) = (load(text("one")), load(text("other")));
        let of = |cfa: &Cfa, name: &str| cfa.function_ids().find(|f| &*cfa.function(*f).name == name).map_or(0, |f| f.0);
        let check = |pairs: &[(&str, &str)]| {
            let pairs: Vec<[u32; 2]> = pairs.iter().map(|(f, g)| [of(&modified, f), of(&original, g)]).collect();
            let variables = vec![None; modified.variables.len()];
            let map = Map::new(&modified, &original, (&variables, &pairs), &mut Types::default())?;
            Ok::<_, String>(map.function(FunctionId(of(&modified, "one"))))
        };
        assert_eq!(check(&[]), Ok(None));
        assert_eq!(check(&[("one", "other")]), Ok(Some(FunctionId(of(&original, "other")))));
        // A second counterpart, one of another, no body, and no function at all.
        for wrong in [&[("one", "other"), ("one", "other")][..], &[("same", "other")], &[("one", "same")], &[("one", "in")]] {
            assert!(check(wrong).is_err(), "{wrong:?}");
        }
        let nowhere = [[u32::MAX, 0]];
        let variables = vec![None; modified.variables.len()];
        assert!(Map::new(&modified, &original, (&variables, &nowhere), &mut Types::default()).is_err());
    }
}
