//! Programs in which values were given names, read earlier, or moved into functions: mostly the same values, now and then others.

use fastrand::Rng;

/// How a statement `BEFORE V;` is written with the value `V` named; `N` is a fresh name.
const NAMED: [&str; 12] = [
    "{ int N = V; BEFORE N; }",
    "{ const int N = V; BEFORE N; }",
    "{ int N; N = V; BEFORE N; }",
    "{ int N = V; int N_ = N; BEFORE N_; }",
    "{ long N = V; BEFORE (int)N; }",
    "{ int N = V; int *N_ = &N; *N_ = *N_; BEFORE N; }",
    "{ int N = V; int *N_ = &N; BEFORE *N_; }",
    "{ volatile int N = V; BEFORE N; }",
    "{ static int N; N = V; BEFORE N; }",
    "{ int N = 0; for (int N_ = 0; N_ < 2; N_++) N = V; BEFORE N; }",
    "{ int N; if (k2 < 9) N = V; else N = V; BEFORE N; }",
    "{ int N[2] = { 0, 0 }; N[1] = V; BEFORE N[1]; }",
];

/// The same, but the value is another one at times.
const MISNAMED: [&str; 10] = [
    "{ int N = V; N = N + 1; BEFORE N; }",
    "{ int N = V; int *N_ = &N; *N_ = 1; BEFORE N; }",
    "{ int N = V; g0 = g1; BEFORE N; g0 = 2; }",
    "{ g1 = 1; int N = V; BEFORE N; }",
    "{ int N = V; x = 1; BEFORE N; }",
    "{ static int N; BEFORE N; N = V; }",
    "{ signed char N = (V) * 64; BEFORE N / 64; }",
    "{ int N = V; for (int N_ = 0; N_ < 2; N_++) N = N_; BEFORE N; }",
    "{ int N; if (k2 == 0) N = V; else N = 1; BEFORE N; }",
    "{ int N = V; int N_ = y; { int N = N_; BEFORE N; } }",
];

/// Functions `N` that yield the value `V` of their parameters.
const FUNCTIONS: [&str; 8] = [
    "static int N(int x, int y) { return V; }",
    "static int N(int x, int y) { int n = V; return n; }",
    "static int N(int x, int y) { int v = x, w = y; x = v; y = w; return V; }",
    "static int N(int x, int y) { static int n; n = V; return n; }",
    "static int N_(int x, int y) { return V; } static int N(int x, int y) { int n = N_(x, y); return n; }",
    "static int N(int x, int y) { if (x == y) return V; return V; }",
    "static int N(int x, int y) { int n = V; int *q = &n; return *q; }",
    "static int N(int x, int y) { static int d; if (d < 1) { d++; int n = N(x, y); d--; return n; } return V; }",
];

/// The same, but the value is another one at times, or something else is changed.
const OTHERS: [&str; 7] = [
    "static int N(int y, int x) { return V; }",
    "static int N(int x, int y) { x = y; return V; }",
    "static int N(int x, int y) { int n = V; g0 = 1; return n; }",
    "static int N(int x, int y) { g1 = y; int n = V; return n; }",
    "static int N(int x, int y) { static int n; int old = n; n = V; return old; }",
    "static int N(int x, int y) { *p = 1; return V; }",
    "static int N(int x, int y) { int n = V; return n | 1; }",
];

/// What values are made of.
const OPERANDS: [&str; 9] = ["g0", "g1", "g2", "s.a", "s.b", "k0", "x", "y", "*p"];

/// How the condition `C` of a branching is named before it.
const CONDITIONS: [&str; 5] = ["int N = C;", "const int N = C;", "_Bool N = C;", "int N = C; N = !!N;", "long N = (C) != 0;"];
/// The same wrongly.
const MISTAKEN: [&str; 3] = ["int N = !(C);", "int N = C; g0 = 1;", "int N = (C) || x == y;"];

/// The text of a generated program with some of its values named; about `wrong` of them wrongly.
#[must_use]
pub fn named(text: &str, rng: &mut Rng, wrong: usize) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let places: Vec<usize> = (0..lines.len()).filter(|line| is_place(&lines[*line])).collect();
    let mistaken: Vec<usize> = (0..wrong.min(places.len())).map(|_| places[rng.usize(..places.len())]).collect();
    let mut functions = String::new();
    for line in places.into_iter().rev() {
        let is_wrong = mistaken.contains(&line);
        if is_wrong || rng.u8(..3) == 0 {
            rewrite(&mut lines, line, rng, is_wrong, &mut functions);
        }
    }
    let mut result = String::new();
    for line in lines {
        let is_first = line.starts_with("int in(void)");
        result.push_str(&line);
        result.push('\n');
        if is_first {
            result.push_str(&functions);
        }
    }
    result
}

/// The text of a generated program with assignments in front of some values, mostly of what these values are made of.
#[must_use]
pub fn disturbed(text: &str, rng: &mut Rng) -> String {
    let mut result = String::new();
    for line in text.lines() {
        if let Some((before, value)) = parts(line)
            && rng.u8(..4) == 0
        {
            let pad = &before[..before.len() - before.trim_start().len()];
            let used: Vec<&str> = OPERANDS.into_iter().filter(|operand| value.contains(operand)).collect();
            let all: &[&str] = if used.is_empty() || rng.u8(..5) == 0 { &OPERANDS } else { &used };
            result.extend([pad, all[rng.usize(..all.len())], [" = 1;\n", " = 2;\n", " = 0;\n"][rng.usize(..3)]]);
        }
        result.push_str(line);
        result.push('\n');
    }
    result
}

#[expect(clippy::fn_params_excessive_bools, reason = "whether the meaning changes")]
fn rewrite(lines: &mut [String], at: usize, rng: &mut Rng, is_wrong: bool, functions: &mut String) {
    let name = format!("n{at}_");
    let line = lines[at].clone();
    let pad = &line[..line.len() - line.trim_start().len()];
    if let Some((condition, rest)) = condition(&line) {
        let forms: &[&str] = if is_wrong { &MISTAKEN } else { &CONDITIONS };
        let before = forms[rng.usize(..forms.len())].replace('N', &name).replace('C', condition);
        if at > 0 && lines[at - 1].ends_with(':') {
            return;
        }
        lines[at] = format!("{pad}{before} if ({name}){rest}");
        return;
    }
    let Some((before, value)) = parts(&line) else { return };
    let is_simple = |line: &str| parts(line).is_some_and(|(before, _)| !before.contains("return")) || line.ends_with("= in();");
    // Named before what stands in front of it.
    if at > 0 && is_simple(&lines[at - 1]) && rng.bool() {
        let previous = lines[at - 1].trim_start().to_owned();
        lines[at - 1] = format!("{pad}{{ int {name} = {value}; {previous} {}{name}; }}", before.trim_start());
        lines[at] = String::new();
        return;
    }
    if rng.bool() && !value.contains('f') {
        let forms: &[&str] = if is_wrong { &OTHERS } else { &FUNCTIONS };
        functions.push_str(&forms[rng.usize(..forms.len())].replace('N', &name).replace('V', value));
        functions.push('\n');
        lines[at] = format!("{before}{name}(x, y);");
        return;
    }
    let forms: &[&str] = if is_wrong { &MISNAMED } else { &NAMED };
    let form = forms[rng.usize(..forms.len())].replace('N', &name).replace("BEFORE ", before.trim_start());
    lines[at] = format!("{pad}{}", form.replace('V', value));
}

fn is_place(line: &str) -> bool {
    condition(line).is_some() || parts(line).is_some()
}

/// The condition of a line that branches, and what stands behind it.
fn condition(line: &str) -> Option<(&str, &str)> {
    let body = line.strip_prefix("    ")?.trim_start().strip_prefix("if (")?;
    let end = [") {", ") reach_error();"].iter().find_map(|end| body.strip_suffix(end).map(|inner| (inner, &end[1..])))?;
    (!end.0.contains('u')).then_some(end)
}

/// What stands before the value that a line assigns or returns, and the value.
fn parts(line: &str) -> Option<(&str, &str)> {
    let body = line.strip_suffix(';').filter(|_| line.starts_with("    "))?;
    let (before, value) = match body.trim_start().strip_prefix("return ") {
        Some(value) => body.split_at(body.len() - value.len()),
        None => {
            let (target, value) = body.split_once(" = ")?;
            let plain = !target.trim_start().contains(' ') || target.ends_with("& 3]");
            if !plain || ["p", "h", "s", "saved"].contains(&target.trim_start()) {
                return None;
            }
            body.split_at(body.len() - value.len())
        }
    };
    let is_value =
        !value.contains(['u', ';', '=', '{', '"', 'i']) && value != "saved" && value != "s" && !value.starts_with(['f', 'h']);
    (is_value && (!value.contains('&') || value.contains("& 3]"))).then_some((before, value))
}
