//! Random programs with what circuits are made of: loops, calls, arrays, division, shifts, signed and unsigned numbers of all
//! widths, and values that nobody sets.

/// Numbers drawn in a fixed way.
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0bad_5eed_1234_5678)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(10) {
                0 => format!("{}", self.below(5)),
                1 => "in()".to_owned(),
                2 => "t[i & 7]".to_owned(),
                3 => "w[a & 31]".to_owned(),
                4 => "s.f".to_owned(),
                _ => self.one(&["a", "b", "c", "d", "e", "g", "i"]).to_owned(),
            };
        }
        let (x, y) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.below(14) {
            0 => format!("({x} / (({y} & 3) + 1))"),
            1 => format!("({x} % (({y} & 7) + 2))"),
            2 => format!("({x} << ({y} & 3))"),
            3 => format!("((unsigned){x} >> ({y} & 7))"),
            4 => format!("({x} >> ({y} & 3))"),
            5 => format!("({x} * {y})"),
            6 => format!("({x} < {y} ? {y} : {x})"),
            7 => format!("(unsigned char)({x} ^ {y})"),
            8 => format!("(short)({x} | {y})"),
            9 => format!("half({x})"),
            10 => format!("(~{x} & {y})"),
            11 => format!("({x} - {y})"),
            _ => format!("({x} + {y})"),
        }
    }

    fn condition(&mut self) -> String {
        let (x, y) = (self.expression(1), self.expression(1));
        format!("{x} {} {y}", self.one(&["<", "==", "!=", "<=", ">"]))
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 4 } else { 7 }) {
            0 => format!("t[{} & 7] = {};", self.one(&["i", "a", "b"]), self.expression(2)),
            1 => format!("w[{} & 31] = {};", self.one(&["i", "a", "b"]), self.expression(1)),
            2 => format!("s.f = {};", self.expression(1)),
            4 => format!("if ({}) {{ {} }} else {{ {} }}", self.condition(), self.block(depth - 1), self.block(depth - 1)),
            5 => format!("while ({}) {{ {} }}", self.condition(), self.block(depth - 1)),
            6 => format!("if ({}) reach_error();", self.condition()),
            _ => format!("{} = {};", self.one(&["a", "b", "c", "d", "e", "g", "i"]), self.expression(2)),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        (0..1 + self.below(3)).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }
}

/// The program of a number.
pub(super) fn program(seed: u64) -> String {
    let mut draw = Draw::new(seed);
    let start = ["0", "1", "in()", "7"];
    let (a, b) = (draw.one(&start), draw.one(&start));
    let body = draw.block(2);
    let inner = draw.block(2);
    let check = draw.condition();
    format!(
        "extern int in(void); extern void reach_error(void);\n\
         unsigned char t[8] = {{3, 1, 2}}; short w[32]; struct {{ int f : 5; unsigned g; }} s; int g = 5;\n\
         int half(int x) {{ if (x & 1) return x / 2 + g; return x / 2; }}\n\
         int main(void) {{\n  int a = {a}; unsigned b = {b}; signed char c = 2; unsigned short d; long e = 1; int i = 0;\n  d = in();\n\
         \x20 {body}\n  while (in()) {{\n    i++;\n    {inner}\n  }}\n  if ({check}) reach_error();\n  return 0;\n}}\n"
    )
}
