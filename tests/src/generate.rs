//! Random C programs and random changes of them, for the soundness oracle and for differential tests.
//!
//! Every program terminates (but for loops without effect), has no undefined behaviour, and reads inputs only through
//! `in()`, which yields 0, 1 or 2; of an uninitialised object it uses one bit. So all its runs can be tried. It has globals,
//! an array, structs, pointers to data and functions, functions that call each other without recursion, bounded loops of
//! all kinds, `switch`, `goto`, and calls of `reach_error`.
//! The same seed always gives the same program.

use std::fmt::{self, Display, Write};

/// Int variables of a program: globals, then what every function has.
const SCALARS: [&str; 8] = ["g0", "g1", "g2", "s.a", "s.b", "k0", "x", "y"];
/// What `p` may point to; the last one only in `main`, whose locals outlive every use.
const PLACES: [&str; 7] = ["k0", "k1", "s.a", "a[1]", "a[2]", "saved.a", "y"];
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
    Wide(usize),
    Arbitrary,
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
    Point(usize),
    CallPointer(usize, Value),
    If(Condition, Vec<Statement>, Vec<Statement>),
    Loop(LoopKind, u32, Vec<Statement>),
    Leave(Condition, Exit),
    Spin(Condition),
    Switch(usize, Vec<(i32, Vec<Statement>, bool)>),
    Skip(Condition, Vec<Statement>),
    Stop(Condition, usize),
    Check(Condition),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum LoopKind {
    For,
    While,
    Do,
    Goto,
}

/// How a block is left; outside of loops only `return` does anything.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exit {
    Break,
    Continue,
    Return,
}

/// How an execution is ended.
const STOPS: [&str; 3] = ["abort()", "exit(0)", "__VERIFIER_assume(0)"];

/// The integer type of a global; narrower ones truncate.
const WIDTHS: [&str; 3] = ["int", "signed char", "unsigned short"];

/// A random program.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    widths: [usize; 4],
    initial: [i32; 3],
    statics: [bool; FUNCTIONS],
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
        for _ in 0..3 {
            let check = Statement::Check(self.check());
            let function = if self.rng.bool() { FUNCTIONS } else { self.rng.usize(..FUNCTIONS) };
            bodies[function].push(check);
        }
        Generated {
            statics: [0; FUNCTIONS].map(|_| self.rng.u8(..8) == 0),
            widths: [0; 4].map(|_| if self.rng.u8(..8) == 0 { self.rng.usize(1..3) } else { 0 }),
            initial: [0; 3].map(|_| self.rng.i32(0..3)),
            offset: 0,
            bodies,
            results: (0..FUNCTIONS).map(|_| self.value()).collect(),
        }
    }

    /// Gives another condition to the check whose call of the error function stands in a line of the text.
    pub fn replace_check(&mut self, program: &mut Generated, line: usize) {
        let text = program.to_string();
        let number = text.lines().take(line).filter(|line| line.contains("reach_error();")).count();
        let condition = self.check();
        let order = (0..FUNCTIONS).rev().chain([FUNCTIONS]);
        let mut left = number;
        for function in order {
            if replace_check(&mut program.bodies[function], &mut left, &condition) {
                return;
            }
        }
    }

    /// A random small change of a program.
    pub fn change(&mut self, program: &Generated) -> Generated {
        let mut changed = program.clone();
        for _ in 0..[1, 1, 1, 2, 3][self.rng.usize(..5)] {
            match self.rng.u8(..20) {
                0 => changed.initial[self.rng.usize(..3)] = self.rng.i32(0..3),
                1 => changed.widths[self.rng.usize(..4)] = self.rng.usize(..3),
                4 => {
                    let at = self.rng.usize(..FUNCTIONS);
                    changed.statics[at] = !changed.statics[at];
                }
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
            Statement::Loop(_, _, body) | Statement::Skip(_, body) => vec![body],
            Statement::Switch(_, cases) => cases.iter_mut().map(|case| &mut case.1).collect(),
            Statement::Assign(..)
            | Statement::Input(_)
            | Statement::Aim(_)
            | Statement::Call(..)
            | Statement::CopyStruct(_)
            | Statement::Point(_)
            | Statement::CallPointer(..)
            | Statement::Leave(..)
            | Statement::Spin(_)
            | Statement::Stop(..)
            | Statement::Check(_) => vec![],
        };
        if !inner.is_empty() && self.rng.bool() {
            let chosen = self.rng.usize(..inner.len());
            if let Some(inner) = inner.into_iter().nth(chosen) {
                return self.change_block(inner, function);
            }
        }
        match self.rng.u8(..9) {
            0 => drop(block.remove(at)),
            2 => {
                let copy = block[at].clone();
                let to = self.rng.usize(..=block.len());
                block.insert(to, copy);
            }
            3 => {
                let moved = block.remove(at);
                let condition = self.condition(1);
                block.insert(at, Statement::If(condition, vec![moved], vec![]));
            }
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
            Statement::Skip(condition, _)
            | Statement::Stop(condition, _)
            | Statement::Leave(condition, _)
            | Statement::Spin(condition)
            | Statement::Check(condition) => {
                self.change_condition(condition);
            }
            Statement::Loop(_, count, _) => *count = self.rng.u32(0..4),
            Statement::Switch(_, cases) => {
                let at = self.rng.usize(..cases.len());
                cases[at].2 = !cases[at].2;
            }
            Statement::Call(scalar, _, value) | Statement::CallPointer(scalar, value) if self.rng.bool() => {
                (*scalar, *value) = (self.scalar(), self.value());
            }
            Statement::Input(_)
            | Statement::Aim(_)
            | Statement::Point(_)
            | Statement::Call(..)
            | Statement::CallPointer(..)
            | Statement::CopyStruct(_) => {
                *statement = self.statement(function, 0);
            }
        }
    }

    fn change_condition(&mut self, condition: &mut Condition) {
        if self.rng.u8(..6) == 0 {
            let (old, new) = (Box::new(condition.clone()), Box::new(self.condition(0)));
            *condition = if self.rng.bool() { Condition::Both(old, new) } else { Condition::Either(old, new) };
            return;
        }
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
        let is_main = function == usize::MAX;
        match self.rng.u8(..48) {
            0..10 => Statement::Assign(self.target(), self.value()),
            10..13 => Statement::Input(self.scalar()),
            13 => Statement::Aim(self.rng.usize(..if is_main { PLACES.len() } else { PLACES.len() - 1 })),
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
            22..25 if depth > 0 => {
                let kind = [LoopKind::For, LoopKind::While, LoopKind::Do, LoopKind::Goto][self.rng.usize(..4)];
                Statement::Loop(kind, self.rng.u32(1..4), self.block(function, depth - 1, 3))
            }
            25 if depth > 0 => {
                let labels = self.rng.i32(1..4);
                let cases = (0..labels).map(|label| (label, self.block(function, depth - 1, 2), self.rng.bool())).collect();
                Statement::Switch(self.scalar(), cases)
            }
            26 if depth > 0 => Statement::Skip(self.condition(1), self.block(function, depth - 1, 2)),
            27 => Statement::Stop(self.condition(0), self.rng.usize(..STOPS.len())),
            28..30 => {
                let exit = [Exit::Break, Exit::Continue, Exit::Return][self.rng.usize(..3)];
                Statement::Leave(self.condition(0), exit)
            }
            30 if self.rng.u8(..4) == 0 => Statement::Spin(self.condition(0)),
            31 if is_main => Statement::Point(self.rng.usize(..FUNCTIONS)),
            32 if is_main => Statement::CallPointer(self.scalar(), self.value()),
            33..36 => Statement::Assign(self.target(), Value::Scalar(self.scalar())),
            _ => Statement::Check(self.check()),
        }
    }

    /// A condition that may well never hold.
    fn check(&mut self) -> Condition {
        if self.rng.u8(..4) == 0 {
            return self.condition(1);
        }
        let left = match self.rng.u8(..6) {
            0 => Value::Element(self.scalar()),
            1 => Value::Pointee,
            _ => Value::Scalar(self.scalar()),
        };
        Condition::Compare(left, "==", Value::Constant(self.rng.i32(0..4)))
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
            13 => match self.rng.u8(..3) {
                0 => Value::Arbitrary,
                _ => Value::Wide(self.scalar()),
            },
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
            Self::Wide(scalar) => write!(f, "{} % 3 * 128 + 1", SCALARS[*scalar]),
            Self::Arbitrary => f.write_str("(u & 1)"),
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
        f.write_str("extern void reach_error(void);\nextern void abort(void);\nextern void exit(int);\n")?;
        f.write_str("extern unsigned char __VERIFIER_nondet_uchar(void);\nextern void __VERIFIER_assume(int);\n")?;
        writeln!(f, "struct pair {{ int a; {} b; }};", WIDTHS[self.widths[3]])?;
        for (number, (width, initial)) in self.widths.iter().zip(self.initial).enumerate() {
            writeln!(f, "{} g{number} = {initial};", WIDTHS[*width])?;
        }
        writeln!(f, "struct pair s, saved = {{ {}, 1 }};\nint a[4] = {{ 0, 1, 2, 0 }};\nint k0, k1, k2;", self.offset)?;
        f.write_str("int *p = &k0;\nint f0(int), f1(int), f2(int);\nint (*h)(int) = f2;\n")?;
        f.write_str("int in(void) { unsigned char c = __VERIFIER_nondet_uchar(); if (c > 2) abort(); return c; }\n")?;
        for function in (0..FUNCTIONS).rev() {
            let storage = if self.statics[function] { "static " } else { "" };
            writeln!(f, "int f{function}(int x)\n{{\n    {storage}int y = 0;\n    int u;")?;
            self.body(f, function)?;
            writeln!(f, "    return {};\n}}", self.results[function])?;
        }
        f.write_str("int main(void)\n{\n    int x = 0, y = 0, u;\n")?;
        self.body(f, FUNCTIONS)?;
        f.write_str("    return 0;\n}\n")
    }
}

impl Generated {
    fn body(&self, f: &mut fmt::Formatter<'_>, function: usize) -> fmt::Result {
        let mut place = Place { labels: 0, in_loop: false };
        let mut text = String::new();
        block(&mut text, &self.bodies[function], 1, &mut place)?;
        f.write_str(&text)
    }
}

/// Replaces the condition of the check with a number, counting down in the order of printing.
fn replace_check(block: &mut [Statement], left: &mut usize, condition: &Condition) -> bool {
    block.iter_mut().any(|statement| match statement {
        Statement::Check(old) => {
            *left -= 1;
            if *left == 0 {
                old.clone_from(condition);
            }
            *left == 0
        }
        Statement::If(_, yes, no) => replace_check(yes, left, condition) || replace_check(no, left, condition),
        Statement::Loop(_, _, body) | Statement::Skip(_, body) => replace_check(body, left, condition),
        Statement::Switch(_, cases) => cases.iter_mut().any(|case| replace_check(&mut case.1, left, condition)),
        Statement::Assign(..)
        | Statement::Input(_)
        | Statement::Aim(_)
        | Statement::Call(..)
        | Statement::CopyStruct(_)
        | Statement::Point(_)
        | Statement::CallPointer(..)
        | Statement::Leave(..)
        | Statement::Spin(_)
        | Statement::Stop(..) => false,
    })
}

/// Where printing is.
struct Place {
    labels: u32,
    in_loop: bool,
}

fn block(out: &mut String, statements: &[Statement], indent: usize, place: &mut Place) -> fmt::Result {
    statements.iter().try_for_each(|statement| print(out, statement, indent, place))
}

fn print(out: &mut String, statement: &Statement, indent: usize, place: &mut Place) -> fmt::Result {
    let pad = "    ".repeat(indent);
    match statement {
        Statement::Assign(target, value) => writeln!(out, "{pad}{target} = {value};"),
        Statement::Input(scalar) => writeln!(out, "{pad}{} = in();", SCALARS[*scalar]),
        Statement::Aim(number) => writeln!(out, "{pad}p = &{};", PLACES[*number]),
        Statement::Point(function) => writeln!(out, "{pad}h = f{function};"),
        Statement::Call(scalar, function, value) => writeln!(out, "{pad}{} = f{function}({value});", SCALARS[*scalar]),
        Statement::CallPointer(scalar, value) => writeln!(out, "{pad}{} = h({value});", SCALARS[*scalar]),
        Statement::CopyStruct(true) => writeln!(out, "{pad}saved = s;"),
        Statement::CopyStruct(false) => writeln!(out, "{pad}s = saved;"),
        Statement::If(condition, yes, no) => {
            writeln!(out, "{pad}if ({condition}) {{")?;
            block(out, yes, indent + 1, place)?;
            writeln!(out, "{pad}}} else {{")?;
            block(out, no, indent + 1, place)?;
            writeln!(out, "{pad}}}")
        }
        Statement::Loop(kind, count, body) => print_loop(out, (*kind, *count), body, indent, place),
        Statement::Switch(scalar, cases) => {
            writeln!(out, "{pad}switch ({}) {{", SCALARS[*scalar])?;
            for (label, body, falls_through) in cases {
                writeln!(out, "{pad}case {label}:")?;
                block(out, body, indent + 1, place)?;
                writeln!(out, "{pad}    {};", if *falls_through { "" } else { "break" })?;
            }
            writeln!(out, "{pad}}}")
        }
        Statement::Skip(condition, body) => {
            place.labels += 1;
            let label = place.labels;
            writeln!(out, "{pad}if ({condition}) goto skip{label};")?;
            block(out, body, indent, place)?;
            writeln!(out, "{pad}skip{label}: ;")
        }
        Statement::Leave(condition, exit) => match exit {
            Exit::Break if place.in_loop => writeln!(out, "{pad}if ({condition}) break;"),
            Exit::Continue if place.in_loop => writeln!(out, "{pad}if ({condition}) continue;"),
            Exit::Return => writeln!(out, "{pad}if ({condition}) return g0;"),
            Exit::Break | Exit::Continue => Ok(()),
        },
        Statement::Spin(condition) => writeln!(out, "{pad}while ({condition}) {{ }}"),
        Statement::Stop(condition, how) => writeln!(out, "{pad}if ({condition}) {};", STOPS[*how]),
        Statement::Check(condition) => writeln!(out, "{pad}if ({condition}) reach_error();"),
    }
}

fn print_loop(
    out: &mut String,
    (kind, count): (LoopKind, u32),
    body: &[Statement],
    indent: usize,
    place: &mut Place,
) -> fmt::Result {
    let pad = "    ".repeat(indent);
    place.labels += 1;
    let label = place.labels;
    // A jump back is no loop that can be left.
    let outside = std::mem::replace(&mut place.in_loop, kind != LoopKind::Goto);
    match kind {
        LoopKind::For => writeln!(out, "{pad}for (int i = 0; i < {count}; i++) {{")?,
        LoopKind::While => writeln!(out, "{pad}{{ int n{label} = 0; while (n{label}++ < {count}) {{")?,
        LoopKind::Do => writeln!(out, "{pad}{{ int n{label} = 0; do {{")?,
        LoopKind::Goto => writeln!(out, "{pad}{{ int n{label} = 0; again{label}: {{")?,
    }
    block(out, body, indent + 1, place)?;
    place.in_loop = outside;
    match kind {
        LoopKind::For => writeln!(out, "{pad}}}"),
        LoopKind::While => writeln!(out, "{pad}}} }}"),
        LoopKind::Do => writeln!(out, "{pad}}} while (++n{label} < {count}); }}"),
        LoopKind::Goto => writeln!(out, "{pad}}} if (++n{label} < {count}) goto again{label}; }}"),
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
