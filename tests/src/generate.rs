//! Random C programs and random changes of them, for the soundness oracle and for differential tests.
//!
//! Every program terminates, has no undefined behaviour, initialises what it reads, and reads inputs only through `in()`,
//! which yields 0, 1 or 2; so all its runs can be tried. It has globals, an array, a struct, a pointer, functions that
//! call each other without recursion, bounded loops, `switch`, forward `goto`, and calls of `reach_error`.
//! The same seed always gives the same program.

use std::fmt::{self, Display, Write};

/// Int variables of a program: globals, then what every function has.
const SCALARS: [&str; 7] = ["g0", "g1", "g2", "s.a", "s.b", "x", "y"];
/// Functions besides `main`; each calls later ones only.
const FUNCTIONS: usize = 3;

/// A value of type `int`, without effects and small enough never to overflow.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Constant(i32),
    Scalar(usize),
    Element(usize),
    Pointee,
    Plus(usize, i32),
    Choice(Box<Condition>, i32, i32),
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Compare(Value, &'static str, Value),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Debug, PartialEq)]
enum Target {
    Scalar(usize),
    Element(usize),
    Pointee,
}

#[derive(Clone, Debug, PartialEq)]
enum Statement {
    Assign(Target, Value),
    Input(usize),
    Aim(usize),
    Call(usize, usize, Value),
    CopyStruct(bool),
    If(Condition, Vec<Statement>, Vec<Statement>),
    Loop(u32, Vec<Statement>),
    Switch(usize, Vec<(i32, Vec<Statement>, bool)>),
    Skip(Condition, Vec<Statement>),
    Stop(Condition),
    Check(Condition),
}

/// The integer type of a global; narrower ones truncate.
const WIDTHS: [&str; 3] = ["int", "signed char", "unsigned short"];

/// A random program.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    widths: [usize; 3],
    initial: [i32; 3],
    offset: i32,
    bodies: Vec<Vec<Statement>>,
    results: Vec<Value>,
}

/// Makes random programs.
pub struct Generator {
    rng: fastrand::Rng,
}

impl Generator {
    /// A generator whose programs depend on `seed` only.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed) }
    }

    /// A random program.
    pub fn program(&mut self) -> Generated {
        let mut bodies: Vec<_> = (0..FUNCTIONS).map(|f| self.block(f, 2, 3)).collect();
        bodies.push(self.block(usize::MAX, 3, 7));
        if !bodies.iter().flatten().any(|s| matches!(s, Statement::Check(_))) {
            let check = Statement::Check(self.condition(0));
            bodies[FUNCTIONS].push(check);
        }
        Generated {
            widths: [0; 3].map(|_| if self.rng.u8(..8) == 0 { self.rng.usize(1..3) } else { 0 }),
            initial: [0; 3].map(|_| self.rng.i32(0..3)),
            offset: 0,
            bodies,
            results: (0..FUNCTIONS).map(|_| self.value()).collect(),
        }
    }

    /// A random small change of a program.
    pub fn change(&mut self, program: &Generated) -> Generated {
        let mut changed = program.clone();
        for _ in 0..[1, 1, 1, 2, 3][self.rng.usize(..5)] {
            match self.rng.u8(..12) {
                0 => changed.initial[self.rng.usize(..3)] = self.rng.i32(0..3),
                1 => changed.widths[self.rng.usize(..3)] = self.rng.usize(..3),
                2 => changed.results[self.rng.usize(..FUNCTIONS)] = self.value(),
                3 => changed.offset = self.rng.i32(0..3),
                _ => {
                    let function = self.rng.usize(..=FUNCTIONS);
                    let callers = if function == FUNCTIONS { usize::MAX } else { function };
                    let mut body = std::mem::take(&mut changed.bodies[function]);
                    self.change_block(&mut body, callers);
                    changed.bodies[function] = body;
                }
            }
        }
        changed
    }

    fn change_block(&mut self, block: &mut Vec<Statement>, function: usize) {
        if block.is_empty() || self.rng.u8(..4) == 0 {
            let at = self.rng.usize(..=block.len());
            let statement = self.statement(function, 0);
            return block.insert(at, statement);
        }
        let at = self.rng.usize(..block.len());
        let inner: Vec<&mut Vec<Statement>> = match &mut block[at] {
            Statement::If(_, yes, no) => vec![yes, no],
            Statement::Loop(_, body) | Statement::Skip(_, body) => vec![body],
            Statement::Switch(_, cases) => cases.iter_mut().map(|case| &mut case.1).collect(),
            _ => vec![],
        };
        if !inner.is_empty() && self.rng.bool() {
            let chosen = self.rng.usize(..inner.len());
            if let Some(inner) = inner.into_iter().nth(chosen) {
                return self.change_block(inner, function);
            }
        }
        match self.rng.u8(..6) {
            0 => drop(block.remove(at)),
            1 => {
                let other = self.rng.usize(..block.len());
                block.swap(at, other);
            }
            _ => self.change_statement(&mut block[at], function),
        }
    }

    fn change_statement(&mut self, statement: &mut Statement, function: usize) {
        match statement {
            Statement::Assign(target, value) => {
                if self.rng.u8(..4) == 0 {
                    *target = self.target();
                } else {
                    *value = self.value();
                }
            }
            Statement::If(condition, yes, no) => match self.rng.u8(..3) {
                0 => std::mem::swap(yes, no),
                _ => self.change_condition(condition),
            },
            Statement::Skip(condition, _) | Statement::Stop(condition) | Statement::Check(condition) => {
                self.change_condition(condition);
            }
            Statement::Loop(count, _) => *count = self.rng.u32(0..4),
            Statement::Switch(_, cases) => {
                let at = self.rng.usize(..cases.len());
                cases[at].2 = !cases[at].2;
            }
            Statement::Input(_) | Statement::Aim(_) | Statement::Call(..) | Statement::CopyStruct(_) => {
                *statement = self.statement(function, 0);
            }
        }
    }

    fn change_condition(&mut self, condition: &mut Condition) {
        match condition {
            Condition::Compare(left, relation, right) => match self.rng.u8(..4) {
                0 => *left = self.value(),
                1 => *relation = self.relation(),
                _ => *right = self.value(),
            },
            Condition::Both(left, right) | Condition::Either(left, right) => {
                let one = if self.rng.bool() { left } else { right };
                self.change_condition(one);
            }
            Condition::Not(inner) => *condition = (**inner).clone(),
        }
    }

    fn block(&mut self, function: usize, depth: u32, most: usize) -> Vec<Statement> {
        (0..self.rng.usize(1..=most)).map(|_| self.statement(function, depth)).collect()
    }

    fn statement(&mut self, function: usize, depth: u32) -> Statement {
        match self.rng.u8(..32) {
            0..10 => Statement::Assign(self.target(), self.value()),
            10..13 => Statement::Input(self.scalar()),
            13 => Statement::Aim(self.rng.usize(..3)),
            14..17 => {
                let first = if function == usize::MAX { 0 } else { function + 1 };
                if first < FUNCTIONS {
                    Statement::Call(self.scalar(), self.rng.usize(first..FUNCTIONS), self.value())
                } else {
                    Statement::Assign(self.target(), self.value())
                }
            }
            17 => Statement::CopyStruct(self.rng.bool()),
            18..22 if depth > 0 => {
                let condition = self.condition(1);
                let no = if self.rng.bool() { self.block(function, depth - 1, 2) } else { vec![] };
                Statement::If(condition, self.block(function, depth - 1, 3), no)
            }
            22..24 if depth > 0 => Statement::Loop(self.rng.u32(1..4), self.block(function, depth - 1, 2)),
            24 if depth > 0 => {
                let labels = self.rng.i32(1..4);
                let cases = (0..labels).map(|label| (label, self.block(function, depth - 1, 2), self.rng.bool())).collect();
                Statement::Switch(self.scalar(), cases)
            }
            25 if depth > 0 => Statement::Skip(self.condition(1), self.block(function, depth - 1, 2)),
            26 => Statement::Stop(self.condition(0)),
            _ => Statement::Check(self.condition(1)),
        }
    }

    fn scalar(&mut self) -> usize {
        self.rng.usize(..SCALARS.len())
    }

    fn target(&mut self) -> Target {
        match self.rng.u8(..8) {
            0 => Target::Element(self.scalar()),
            1 => Target::Pointee,
            _ => Target::Scalar(self.scalar()),
        }
    }

    fn value(&mut self) -> Value {
        match self.rng.u8(..16) {
            0..6 => Value::Constant(self.rng.i32(0..3)),
            6..10 => Value::Scalar(self.scalar()),
            10 => Value::Element(self.scalar()),
            11 => Value::Pointee,
            12 => Value::Choice(Box::new(self.condition(0)), self.rng.i32(0..3), self.rng.i32(0..3)),
            _ => Value::Plus(self.scalar(), self.rng.i32(1..3)),
        }
    }

    fn relation(&mut self) -> &'static str {
        ["==", "==", "!=", "<", ">="][self.rng.usize(..5)]
    }

    fn condition(&mut self, depth: u32) -> Condition {
        match self.rng.u8(..12) {
            0 if depth > 0 => Condition::Both(Box::new(self.condition(0)), Box::new(self.condition(0))),
            1 if depth > 0 => Condition::Either(Box::new(self.condition(0)), Box::new(self.condition(0))),
            2 if depth > 0 => Condition::Not(Box::new(self.condition(0))),
            _ => {
                let left = Value::Scalar(self.scalar());
                let right = if self.rng.u8(..4) == 0 { self.value() } else { Value::Constant(self.rng.i32(0..3)) };
                Condition::Compare(left, self.relation(), right)
            }
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(number) => write!(f, "{number}"),
            Self::Scalar(scalar) => f.write_str(SCALARS[*scalar]),
            Self::Element(scalar) => write!(f, "a[{} & 3]", SCALARS[*scalar]),
            Self::Pointee => f.write_str("*p"),
            Self::Plus(scalar, number) => write!(f, "({} + {number}) % 3", SCALARS[*scalar]),
            Self::Choice(condition, yes, no) => write!(f, "({condition} ? {yes} : {no})"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare(left, relation, right) => write!(f, "{left} {relation} {right}"),
            Self::Both(left, right) => write!(f, "({left} && {right})"),
            Self::Either(left, right) => write!(f, "({left} || {right})"),
            Self::Not(inner) => write!(f, "!({inner})"),
        }
    }
}

impl Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => f.write_str(SCALARS[*scalar]),
            Self::Element(scalar) => write!(f, "a[{} & 3]", SCALARS[*scalar]),
            Self::Pointee => f.write_str("*p"),
        }
    }
}

impl Display for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("extern void reach_error(void);\nextern void abort(void);\n")?;
        f.write_str("extern unsigned char __VERIFIER_nondet_uchar(void);\n")?;
        f.write_str("struct pair { int a; int b; };\n")?;
        for (number, (width, initial)) in self.widths.iter().zip(self.initial).enumerate() {
            writeln!(f, "{} g{number} = {initial};", WIDTHS[*width])?;
        }
        writeln!(f, "struct pair s, saved = {{ {}, 1 }};\nint a[4] = {{ 0, 1, 2, 0 }};\nint k0, k1, k2;", self.offset)?;
        f.write_str("int *p = &k0;\n")?;
        f.write_str("int in(void) { unsigned char c = __VERIFIER_nondet_uchar(); if (c > 2) abort(); return c; }\n")?;
        for function in (0..FUNCTIONS).rev() {
            writeln!(f, "int f{function}(int x)\n{{\n    int y = 0;")?;
            self.body(f, function)?;
            writeln!(f, "    return {};\n}}", self.results[function])?;
        }
        f.write_str("int main(void)\n{\n    int x = 0, y = 0;\n")?;
        self.body(f, FUNCTIONS)?;
        f.write_str("    return 0;\n}\n")
    }
}

impl Generated {
    fn body(&self, f: &mut fmt::Formatter<'_>, function: usize) -> fmt::Result {
        let mut labels = 0;
        let mut text = String::new();
        block(&mut text, &self.bodies[function], 1, &mut labels)?;
        f.write_str(&text)
    }
}

fn block(out: &mut String, statements: &[Statement], indent: usize, labels: &mut u32) -> fmt::Result {
    statements.iter().try_for_each(|statement| print(out, statement, indent, labels))
}

fn print(out: &mut String, statement: &Statement, indent: usize, labels: &mut u32) -> fmt::Result {
    let pad = "    ".repeat(indent);
    match statement {
        Statement::Assign(target, value) => writeln!(out, "{pad}{target} = {value};"),
        Statement::Input(scalar) => writeln!(out, "{pad}{} = in();", SCALARS[*scalar]),
        Statement::Aim(number) => writeln!(out, "{pad}p = &k{number};"),
        Statement::Call(scalar, function, value) => writeln!(out, "{pad}{} = f{function}({value});", SCALARS[*scalar]),
        Statement::CopyStruct(true) => writeln!(out, "{pad}saved = s;"),
        Statement::CopyStruct(false) => writeln!(out, "{pad}s = saved;"),
        Statement::If(condition, yes, no) => {
            writeln!(out, "{pad}if ({condition}) {{")?;
            block(out, yes, indent + 1, labels)?;
            writeln!(out, "{pad}}} else {{")?;
            block(out, no, indent + 1, labels)?;
            writeln!(out, "{pad}}}")
        }
        Statement::Loop(count, body) => {
            writeln!(out, "{pad}for (int i = 0; i < {count}; i++) {{")?;
            block(out, body, indent + 1, labels)?;
            writeln!(out, "{pad}}}")
        }
        Statement::Switch(scalar, cases) => {
            writeln!(out, "{pad}switch ({}) {{", SCALARS[*scalar])?;
            for (label, body, falls_through) in cases {
                writeln!(out, "{pad}case {label}:")?;
                block(out, body, indent + 1, labels)?;
                writeln!(out, "{pad}    {};", if *falls_through { "" } else { "break" })?;
            }
            writeln!(out, "{pad}}}")
        }
        Statement::Skip(condition, body) => {
            *labels += 1;
            let label = *labels;
            writeln!(out, "{pad}if ({condition}) goto skip{label};")?;
            block(out, body, indent, labels)?;
            writeln!(out, "{pad}skip{label}: ;")
        }
        Statement::Stop(condition) => writeln!(out, "{pad}if ({condition}) abort();"),
        Statement::Check(condition) => writeln!(out, "{pad}if ({condition}) reach_error();"),
    }
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn the_same_seed_gives_the_same_pair() {
        let pair = || {
            let mut generator = Generator::new(7);
            let program = generator.program();
            (program.to_string(), generator.change(&program).to_string())
        };
        assert_eq!(pair(), pair());
        assert_ne!(pair().0, pair().1);
    }

    #[test]
    fn gcc_accepts_the_programs() {
        let folder = tempfile::tempdir().unwrap();
        for seed in 0..40 {
            let file = folder.path().join(format!("{seed}.c"));
            std::fs::write(&file, Generator::new(seed).program().to_string()).unwrap();
            let status = duct::cmd!("gcc", "-fsyntax-only", "-std=gnu11", &file).run().unwrap().status;
            assert!(status.success());
        }
    }
}
