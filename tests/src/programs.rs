//! Random C programs for differential tests with gcc: all integer types, conversions and most statements.
//!
//! They have calls, structs, bit-fields, arrays, pointers, loops, `switch`, `goto` in both directions, inputs and
//! calls of `reach_error`. They terminate, and no execution is undefined (with wrapping arithmetic), so that a compiled
//! program and the interpreter must agree. `checksum` sums up what happened.
//! Invariant: equal seeds give equal programs. For the oracle of program pairs see [`crate::generate`].

use std::fmt::Write as _;

/// A deterministic source of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A source for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of some, of which there is one at least.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// What programs are made of.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Functions besides `main`.
    pub functions: usize,
    /// Statements per block at most.
    pub statements: usize,
    /// Depth of nested statements.
    pub depth: usize,
    /// Depth of expressions.
    pub expression: usize,
    /// Structs, arrays, pointers, bit-fields, casts between integer types.
    pub objects: bool,
    /// Loops run at most so often each time they are entered.
    pub rounds: usize,
}

impl Default for Shape {
    fn default() -> Self {
        Self { functions: 3, statements: 4, depth: 3, expression: 3, objects: true, rounds: 3 }
    }
}

/// An expression, as text with holes: what it reads is chosen when it is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Constant(i64),
    /// Something that can be read.
    Read(String),
    /// A text with one operand in the place of `@`.
    Unary(&'static str, Box<Expr>),
    /// A text with two operands in the places of `@` and `#`.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `target op value;`
    Assign(String, &'static str, Expr),
    /// `target = __VERIFIER_nondet_T();`
    Input(String, &'static str),
    /// A declaration of a fresh local, initialised.
    Declare(String, &'static str, Expr),
    /// `target = function(arguments);`
    Call(Option<String>, usize, Vec<Expr>),
    /// `if (condition) { .. } else { .. }`
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// A loop over a counter of its own, with its kind and number of rounds.
    Loop(LoopKind, usize, usize, Expr, Vec<Statement>),
    /// `switch (value) { .. }` with fall-through where the flag is false.
    Switch(Expr, Vec<(Vec<Statement>, bool)>),
    /// `if (condition) goto label;` to the label at the end of the block that is being made.
    Forward(Expr, usize, Vec<Statement>),
    /// A label with a guarded jump back to it, a limited number of times.
    Backward(usize, usize, Expr, Vec<Statement>),
    /// `if (condition) break;` or `continue;` inside loops.
    Leave(Expr, &'static str),
    /// `if (condition) reach_error();`
    Error(Expr),
    /// `if (!condition) abort();`
    Assume(Expr),
    /// `return value;` under a condition.
    Return(Expr, Expr),
    /// Adds a value to the checksum.
    Check(Expr),
}

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// `for`
    For,
    /// `while`
    While,
    /// `do .. while`
    Do,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Result type.
    pub result: &'static str,
    /// Parameter types; parameter `i` is called `p{i}`.
    pub parameters: Vec<&'static str>,
    /// The body.
    pub body: Vec<Statement>,
    /// What is returned at the end.
    pub value: Expr,
}

/// A program; function 0 is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The functions; each calls only those with greater numbers.
    pub functions: Vec<Function>,
    /// Whether the globals of composite types are used.
    pub objects: bool,
}

/// Scalar types of variables.
const TYPES: &[&str] = &["int", "unsigned int", "signed char", "unsigned char", "short", "long long", "unsigned long", "_Bool"];
/// Types of inputs and what the input functions are called.
pub const INPUTS: &[(&str, &str)] = &[("int", "int"), ("unsigned char", "uchar"), ("short", "short"), ("_Bool", "bool")];

const GLOBALS: &str = "\
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void) __attribute__((noreturn));
void reach_error(void) { abort(); }
unsigned int checksum;
int g0 = 3; unsigned int g1; signed char g2 = -7; short g3 = 1000; long long g4;
";

const OBJECTS: &str = "\
struct inner { signed char c; int n; };
struct outer { int a; unsigned int lo : 3; int hi : 5; struct inner in; short list[4]; };
union both { int whole; unsigned char part[4]; };
struct outer s0 = { 1, 2, -3, { 4, 5 }, { 6, 7 } }; struct outer s1;
union both u0;
int array[4] = { 3, 1 }; unsigned char bytes[8] = \"seed\"; int grid[2][2];
int *pointer = &array[1]; struct outer *link = &s1;
";

/// A random program.
pub fn program(seed: u64, shape: Shape) -> Program {
    let mut maker = Maker { rng: Rng::new(seed), shape, counter: 0, signatures: Vec::new(), locals: Vec::new(), current: 0 };
    let count = shape.functions + 1;
    for number in 0..count {
        let parameters = if number == 0 { 0 } else { maker.rng.below(3) };
        let parameters = (0..parameters).map(|_| maker.rng.pick(TYPES)).collect();
        let result = if number == 0 { "int" } else { maker.rng.pick(TYPES) };
        maker.signatures.push((result, parameters));
    }
    let functions = (0..count).map(|number| maker.function(number)).collect();
    Program { functions, objects: shape.objects }
}

/// Whether a statement stands in a loop that it may leave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Loop,
    Plain,
}

struct Maker {
    rng: Rng,
    shape: Shape,
    counter: usize,
    signatures: Vec<(&'static str, Vec<&'static str>)>,
    locals: Vec<String>,
    current: usize,
}

impl Maker {
    fn function(&mut self, number: usize) -> Function {
        let (result, parameters) = self.signatures[number].clone();
        self.current = number;
        self.locals = (0..parameters.len()).map(|p| format!("p{p}")).collect();
        let mut body = Vec::new();
        for _ in 0..2 {
            body.push(self.declaration());
        }
        body.extend(self.block(self.shape.depth, Around::Plain));
        let value = self.expression(self.shape.expression);
        Function { result, parameters, body, value }
    }

    fn fresh(&mut self) -> usize {
        self.counter += 1;
        self.counter
    }

    fn declaration(&mut self) -> Statement {
        let value = self.expression(2);
        let name = format!("v{}", self.fresh());
        let ty = self.rng.pick(TYPES);
        self.locals.push(name.clone());
        Statement::Declare(name, ty, value)
    }

    fn block(&mut self, depth: usize, around: Around) -> Vec<Statement> {
        let visible = self.locals.len();
        let count = 1 + self.rng.below(self.shape.statements);
        let statements = (0..count).map(|_| self.statement(depth, around)).collect();
        self.locals.truncate(visible);
        statements
    }

    fn statement(&mut self, depth: usize, around: Around) -> Statement {
        let simple = depth == 0;
        match self.rng.below(if simple { 12 } else { 19 }) {
            0..=3 => {
                let op = self.rng.pick(&["=", "=", "+=", "-=", "*=", "^=", "|=", "&="]);
                Statement::Assign(self.target(), op, self.expression(self.shape.expression))
            }
            4 => Statement::Input(self.target(), self.rng.pick(INPUTS).1),
            5 => self.declaration(),
            6 | 7 => self.call(),
            8 if around == Around::Loop => {
                Statement::Leave(self.condition(), if self.rng.one_in(2) { "break" } else { "continue" })
            }
            8 | 9 => Statement::Check(self.expression(2)),
            10 => match self.rng.below(4) {
                0 => Statement::Error(self.condition()),
                1 => Statement::Assume(self.condition()),
                2 => Statement::Return(self.condition(), self.expression(2)),
                _ => Statement::Check(self.expression(2)),
            },
            11 => Statement::Error(Expr::Binary("(@) == (#)", Box::new(self.expression(1)), Box::new(self.constant()))),
            12..=14 => {
                let condition = self.condition();
                let then = self.block(depth - 1, around);
                let otherwise = if self.rng.one_in(2) { self.block(depth - 1, around) } else { Vec::new() };
                Statement::If(condition, then, otherwise)
            }
            15 | 16 => {
                let kind = self.rng.pick(&[LoopKind::For, LoopKind::While, LoopKind::Do]);
                let rounds = 1 + self.rng.below(self.shape.rounds);
                let (counter, condition) = (self.fresh(), self.condition());
                Statement::Loop(kind, counter, rounds, condition, self.block(depth - 1, Around::Loop))
            }
            17 => {
                let value = self.expression(1);
                let cases = (0..3).map(|_| (self.block(depth - 1, Around::Plain), self.rng.one_in(2))).collect();
                Statement::Switch(value, cases)
            }
            _ => {
                let (label, condition) = (self.fresh(), self.condition());
                let body = self.block(depth - 1, Around::Plain);
                if self.rng.one_in(2) {
                    Statement::Forward(condition, label, body)
                } else {
                    Statement::Backward(label, 1 + self.rng.below(self.shape.rounds), condition, body)
                }
            }
        }
    }

    fn call(&mut self) -> Statement {
        let first = self.current + 1;
        if first >= self.signatures.len() {
            return Statement::Check(self.expression(2));
        }
        let callee = first + self.rng.below(self.signatures.len() - first);
        let count = self.signatures[callee].1.len();
        let arguments = (0..count).map(|_| self.expression(2)).collect();
        let target = if self.rng.one_in(3) { None } else { Some(self.target()) };
        Statement::Call(target, callee, arguments)
    }

    /// Something that can be assigned to.
    fn target(&mut self) -> String {
        if !self.locals.is_empty() && self.rng.one_in(2) {
            return self.locals[self.rng.below(self.locals.len())].clone();
        }
        if self.shape.objects && self.rng.one_in(2) {
            let index = self.rng.below(4);
            return match self.rng.below(10) {
                0 => format!("s{}.a", index % 2),
                1 => format!("s{}.lo", index % 2),
                2 => format!("s{}.hi", index % 2),
                3 => format!("s{}.in.c", index % 2),
                4 => format!("link->list[{} & 3]", self.rng.pick(&["g0", "g1", "g3", "1", "2"])),
                5 => format!("array[{} & 3]", self.rng.pick(&["g0", "g1", "g2", "0", "3"])),
                6 => "*pointer".to_owned(),
                7 => format!("u0.part[{index}]"),
                8 => "u0.whole".to_owned(),
                _ => format!("grid[{}][g1 & 1]", index % 2),
            };
        }
        format!("g{}", self.rng.below(5))
    }

    fn constant(&mut self) -> Expr {
        let choices = [0, 1, 2, 3, 5, 7, -1, -2, 100, 127, 128, 255, 256, 32767, 65535, 2147483647, -2147483647];
        Expr::Constant(if self.rng.one_in(3) { self.rng.pick(&choices) } else { self.rng.below(4) as i64 })
    }

    fn expression(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.rng.one_in(4) {
            return if self.rng.one_in(3) { self.constant() } else { Expr::Read(self.target()) };
        }
        let left = Box::new(self.expression(depth - 1));
        if self.rng.one_in(5) {
            let casts =
                ["(signed char)(@)", "(unsigned char)(@)", "(short)(@)", "(unsigned int)(@)", "(long long)(@)", "(_Bool)(@)"];
            let plain = ["-(@)", "~(@)", "!(@)"];
            let form = if self.rng.one_in(2) { self.rng.pick(&casts) } else { self.rng.pick(&plain) };
            return Expr::Unary(form, left);
        }
        let right = Box::new(self.expression(depth - 1));
        if self.rng.one_in(10) {
            return Expr::Conditional(Box::new(self.condition()), left, right);
        }
        const OPERATORS: &[&str] = &[
            "(@) + (#)", "(@) - (#)", "(@) * (#)", "(@) & (#)", "(@) | (#)", "(@) ^ (#)", "(@) == (#)", "(@) < (#)",
            "(@) >= (#)", "(@) && (#)", "(@) || (#)", "(@) / (((#) & 7) + 1)", "(@) % (((#) & 15) + 2)", "(@) >> ((#) & 3)",
            "(@) << ((#) & 3)",
        ];
        Expr::Binary(self.rng.pick(OPERATORS), left, right)
    }

    fn condition(&mut self) -> Expr {
        let operators = ["(@) == (#)", "(@) != (#)", "(@) < (#)", "(@) <= (#)", "(@) > (#)", "(@) & (#)", "(@) && (#)"];
        let (left, right) = (Box::new(self.expression(1)), Box::new(self.expression(1)));
        Expr::Binary(self.rng.pick(&operators), left, right)
    }
}

impl Program {
    /// The C text.
    pub fn text(&self) -> String {
        let mut out = String::from(GLOBALS);
        if self.objects {
            out.push_str(OBJECTS);
        }
        for number in 1..self.functions.len() {
            let _ = writeln!(out, "static {};", self.header(number));
        }
        for number in (0..self.functions.len()).rev() {
            let storage = if number == 0 { "" } else { "static " };
            let function = &self.functions[number];
            let _ = writeln!(out, "{storage}{}\n{{", self.header(number));
            let mut writer = Writer { program: self, out: &mut out, function };
            writer.block(&function.body, 1);
            let _ = writeln!(out, "  return {};\n}}", function.value.text());
        }
        out
    }

    fn header(&self, number: usize) -> String {
        let function = &self.functions[number];
        let parameters: Vec<String> = function.parameters.iter().enumerate().map(|(i, ty)| format!("{ty} p{i}")).collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        format!("{} {}({parameters})", function.result, name(number))
    }
}

fn name(number: usize) -> String {
    if number == 0 { "main".to_owned() } else { format!("f{number}") }
}

impl Expr {
    /// The C text.
    pub fn text(&self) -> String {
        match self {
            Self::Constant(value) if *value < 0 => format!("({value})"),
            Self::Constant(value) => value.to_string(),
            Self::Read(place) => place.clone(),
            Self::Unary(form, operand) => form.replace('@', &operand.text()),
            Self::Binary(form, left, right) => {
                let (before, after) = form.split_once('#').unwrap_or((form, ""));
                format!("{}{}{after}", before.replacen('@', &left.text(), 1), right.text())
            }
            Self::Conditional(condition, a, b) => format!("(({}) ? ({}) : ({}))", condition.text(), a.text(), b.text()),
        }
    }
}

struct Writer<'a> {
    program: &'a Program,
    out: &'a mut String,
    function: &'a Function,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn block(&mut self, statements: &[Statement], depth: usize) {
        for statement in statements {
            self.statement(statement, depth);
        }
    }

    fn nested(&mut self, head: &str, body: &[Statement], depth: usize, tail: &str) {
        self.line(depth, &format!("{head} {{"));
        self.block(body, depth + 1);
        self.line(depth, &format!("}}{tail}"));
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        match statement {
            Statement::Assign(target, op, value) => self.line(depth, &format!("{target} {op} {};", value.text())),
            Statement::Input(target, input) => self.line(depth, &format!("{target} = __VERIFIER_nondet_{input}();")),
            Statement::Declare(name, ty, value) => self.line(depth, &format!("{ty} {name} = {};", value.text())),
            Statement::Call(target, callee, arguments) => {
                let list: Vec<String> = arguments.iter().map(Expr::text).collect();
                let assign = target.as_ref().map_or(String::new(), |target| format!("{target} = "));
                debug_assert_eq!(list.len(), self.program.functions[*callee].parameters.len());
                self.line(depth, &format!("{assign}{}({});", name(*callee), list.join(", ")));
            }
            Statement::If(condition, then, otherwise) => {
                self.nested(
                    &format!("if ({})", condition.text()),
                    then,
                    depth,
                    if otherwise.is_empty() { "" } else { " else {" },
                );
                if !otherwise.is_empty() {
                    self.block(otherwise, depth + 1);
                    self.line(depth, "}");
                }
            }
            Statement::Loop(kind, counter, rounds, condition, body) => {
                self.repeat(*kind, *counter, *rounds, condition, body, depth)
            }
            Statement::Switch(value, cases) => self.switch(value, cases, depth),
            Statement::Forward(condition, label, body) => {
                self.line(depth, &format!("if ({}) goto l{label};", condition.text()));
                self.nested("", body, depth, "");
                self.line(depth, &format!("l{label}: ;"));
            }
            Statement::Backward(label, rounds, condition, body) => {
                self.line(depth, &format!("int n{label}; n{label} = 0;"));
                self.line(depth, &format!("l{label}: n{label}++;"));
                self.nested("", body, depth, "");
                self.line(depth, &format!("if (n{label} < {rounds} && ({})) goto l{label};", condition.text()));
            }
            Statement::Leave(condition, word) => self.line(depth, &format!("if ({}) {word};", condition.text())),
            Statement::Error(condition) => self.line(depth, &format!("if ({}) reach_error();", condition.text())),
            Statement::Assume(condition) => self.line(depth, &format!("if (!({})) abort();", condition.text())),
            Statement::Return(condition, value) => {
                debug_assert!(!self.function.result.is_empty());
                self.line(depth, &format!("if ({}) return {};", condition.text(), value.text()));
            }
            Statement::Check(value) => {
                self.line(depth, &format!("checksum = checksum * 31u + (unsigned int)({});", value.text()));
            }
        }
    }

    fn repeat(&mut self, kind: LoopKind, counter: usize, rounds: usize, condition: &Expr, body: &[Statement], depth: usize) {
        let (i, condition) = (format!("i{counter}"), condition.text());
        match kind {
            LoopKind::For => {
                self.nested(&format!("for (int {i} = 0; {i} < {rounds} && ({condition}); {i}++)"), body, depth, "");
            }
            LoopKind::While => {
                self.line(depth, &format!("int {i} = 0;"));
                self.nested(&format!("while ({i}++ < {rounds} && ({condition}))"), body, depth, "");
            }
            LoopKind::Do => {
                self.line(depth, &format!("int {i} = 0;"));
                self.nested("do", body, depth, &format!(" while (++{i} < {rounds} && ({condition}));"));
            }
        }
    }

    fn switch(&mut self, value: &Expr, cases: &[(Vec<Statement>, bool)], depth: usize) {
        self.line(depth, &format!("switch (({}) & 3) {{", value.text()));
        for (index, (body, leaves)) in cases.iter().enumerate() {
            let label = if index + 1 == cases.len() { "default:".to_owned() } else { format!("case {index}:") };
            self.nested(&label, body, depth, if *leaves { " break;" } else { "" });
        }
        self.line(depth, "}");
    }
}
