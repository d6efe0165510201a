//! What a file that is not preprocessed may define, told from its words alone.
//!
//! A name that is defined for the linker stands in some text, unless a macro pastes it together. Where a name stands in no
//! place of a text at which a definition of it could begin, whatever the macros around it are, the text does not define it.
//! Invariant: a name that is not among [`Written::names`] is not defined by a program that this text is included in, except
//! by what other texts write, or if the text is [`Written::open`]. Macros are taken to close what they open: one that does
//! not makes a text open.
//! Does not know which texts belong to a program.

use std::collections::BTreeSet;

use super::affected::name_of;

/// What a text says.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Names that it may define.
    pub(super) names: BTreeSet<String>,
    /// The headers it includes, as it names them.
    pub(super) includes: Vec<String>,
    /// It may include what it does not name.
    pub(super) computed: bool,
    /// It may define what it does not name, or may be needed although nothing names it.
    pub(super) open: bool,
}

/// A part of a text between blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Other(u8),
    /// A literal or a number.
    Value,
    /// The begin or end of a directive: what stands before and behind need not belong together.
    Border,
}

/// Words that nothing is called, and that mean the same wherever they stand.
const KEYWORDS: [&str; 36] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for",
    "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct",
    "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "_Bool", "_Noreturn",
];

/// Keywords behind which no definition begins.
const BEFORE_VALUES: [&str; 6] = ["return", "case", "goto", "sizeof", "else", "do"];

/// Words of what counts although nothing names it, or gives a thing a second name.
const SPECIAL: [&str; 17] = [
    "asm", "__asm", "__asm__", "_Pragma", "__pragma", "constructor", "__constructor__", "destructor", "__destructor__", "alias",
    "__alias__", "ifunc", "__ifunc__", "weakref", "__weakref__", "section", "__section__",
];

/// Pragmas that concern no names.
const PLAIN_PRAGMAS: [&str; 10] = ["once", "pack", "GCC", "clang", "omp", "message", "region", "endregion", "STDC", "mark"];

/// Directives of which the line says nothing about definitions.
const PLAIN_DIRECTIVES: [&str; 14] = [
    "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "undef", "error", "warning", "line", "ident", "sccs",
];

/// Headers of the C library and of systems, without their folders: they define no function under a name that is put together,
/// and their macros close what they open.
const OF_THE_LIBRARY: [&str; 62] = [
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h", "limits.h", "locale.h",
    "math.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "stdnoreturn.h", "string.h", "strings.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h", "wctype.h",
    "unistd.h", "fcntl.h", "types.h", "stat.h", "wait.h", "mman.h", "ioctl.h", "socket.h", "select.h", "poll.h", "uio.h", "in.h",
    "inet.h", "netdb.h", "tcp.h", "un.h", "pthread.h", "sched.h", "semaphore.h", "dirent.h", "getopt.h", "libgen.h", "pwd.h",
    "grp.h", "termios.h", "syslog.h", "dlfcn.h", "alloca.h", "malloc.h", "endian.h", "resource.h", "utsname.h",
];

/// Whether a header that no file of the repository is called is one of the system's that define nothing of a program.
pub(crate) fn is_of_the_library(name: &str) -> bool {
    OF_THE_LIBRARY.contains(&name_of(name))
}

impl Written {
    pub(super) fn of(text: &str) -> Self {
        let mut written = Self::default();
        // Names may be written with numbers, and literals without their usual end.
        let strange = ["??", "\\u", "\\U", "R\"", "<%", "%>", "<:", ":>", "%:"];
        if text.contains('\0') || strange.iter().any(|mark| text.contains(mark)) {
            (written.open, written.computed) = (true, true);
            return written;
        }
        let text = spliced(text);
        let mut tokens = Vec::new();
        Scanner { text: &text, at: 0, tokens: &mut tokens, written: &mut written }.all();
        for (at, token) in tokens.iter().enumerate() {
            let Token::Word(word) = token else { continue };
            written.open |= SPECIAL.contains(word);
            if !KEYWORDS.contains(word) && !written.names.contains(*word) && may_define(&tokens, at) {
                written.names.insert((*word).to_owned());
            }
        }
        written
    }
}

/// The text with lines put together that a backslash divides.
fn spliced(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_suffix('\\').filter(|_| line.ends_with('\n')) {
            Some(line) => out.push_str(line),
            None => out.push_str(line),
        }
    }
    out
}

/// Whether a definition of the word at this place could be there.
fn may_define(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| tokens.get(at));
    let is_value = match before {
        Some(Token::Other(byte)) => b"=+-/%<>&|^!?:[~.{".contains(byte),
        Some(Token::Word(word)) => BEFORE_VALUES.contains(word),
        Some(Token::Value | Token::Border) | None => false,
    };
    if is_value {
        return false;
    }
    let Some(Token::Other(next)) = tokens.get(at + 1) else { return true };
    if *next != b'(' {
        let compares = *next == b'=' && tokens.get(at + 2) == Some(&Token::Other(b'='));
        return !(compares || b"+-/%<>&|^!?:.}".contains(next));
    }
    let mut depth = 0_usize;
    for (number, token) in tokens.iter().enumerate().skip(at + 1) {
        match token {
            Token::Other(b'(' | b'[' | b'{') => depth += 1,
            Token::Other(b')' | b']' | b'}') => depth -= 1,
            Token::Border => return true,
            Token::Word(_) | Token::Value | Token::Other(_) => {}
        }
        if depth == 0 {
            let behind = tokens.get(number + 1);
            return !matches!(behind, Some(Token::Other(byte)) if b";+-/%<>=!&|^?:.}".contains(byte));
        }
    }
    true
}

/// Splits a text.
struct Scanner<'a, 'o> {
    text: &'a str,
    at: usize,
    tokens: &'o mut Vec<Token<'a>>,
    written: &'o mut Written,
}

impl<'a> Scanner<'a, '_> {
    fn all(&mut self) {
        let mut line_starts = true;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\n' => line_starts = true,
                b'#' if line_starts => {
                    self.tokens.push(Token::Border);
                    self.directive();
                    self.tokens.push(Token::Border);
                    continue;
                }
                _ if byte.is_ascii_whitespace() => {}
                _ => {
                    line_starts &= self.is_comment();
                    self.token();
                    continue;
                }
            }
            self.at += 1;
        }
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn is_comment(&self) -> bool {
        self.byte(0) == Some(b'/') && matches!(self.byte(1), Some(b'/' | b'*'))
    }

    /// The rest of a line that begins with `#`.
    fn directive(&mut self) {
        self.at += 1;
        let (first, start) = (self.tokens.len(), self.at);
        while let Some(byte) = self.byte(0).filter(|byte| *byte != b'\n') {
            if byte.is_ascii_whitespace() { self.at += 1 } else { self.token() }
        }
        let line = self.tokens.split_off(first);
        match line.as_slice() {
            [] | [Token::Value, ..] => {}
            [Token::Word("define"), Token::Word(name), body @ ..] => {
                self.written.open |= KEYWORDS.contains(name) || !is_closed(body);
                // What a macro is called may be defined by it.
                self.written.names.insert((*name).to_owned());
                self.tokens.push(Token::Border);
                self.tokens.extend(body);
            }
            [Token::Word("include" | "include_next" | "import"), ..] => {
                let included = included(&self.text[start..self.at]);
                self.written.open |= included.is_none();
                self.written.computed |= included.is_none();
                self.written.includes.extend(included.map(str::to_owned));
            }
            [Token::Word("pragma"), Token::Word(name), ..] => self.written.open |= !PLAIN_PRAGMAS.contains(name),
            [Token::Word(name), ..] => self.written.open |= !PLAIN_DIRECTIVES.contains(name),
            [Token::Other(_) | Token::Border, ..] => self.written.open = true,
        }
    }

    /// What begins here, which is no blank.
    fn token(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
        if self.is_comment() {
            let end = if rest.starts_with("//") { rest.find('\n') } else { rest[2..].find("*/").map(|end| end + 4) };
            self.at += end.unwrap_or(rest.len());
        } else if first.is_ascii_digit() {
            let length = rest.find(|c| !is_word(c) && c != '.').unwrap_or(rest.len());
            self.at += length;
            self.tokens.push(Token::Value);
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            self.at += length;
            self.tokens.push(Token::Word(&rest[..length]));
        } else if matches!(first, '"' | '\'') {
            self.at += literal(rest.as_bytes());
            self.tokens.push(Token::Value);
        } else {
            self.at += 1;
            self.tokens.push(Token::Other(first as u8));
        }
    }
}

/// The name in a directive `include`, unless a macro says it, or more than a comment stands behind it.
fn included(line: &str) -> Option<&str> {
    let line = line.trim_ascii_start().trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').trim_ascii_start();
    let (name, rest) = match line.strip_prefix('"') {
        Some(inside) => inside.split_once('"')?,
        None => line.strip_prefix('<')?.split_once('>')?,
    };
    let rest = rest.trim_ascii_start();
    let is_comment = rest.starts_with("/*") && rest.split_once("*/").is_none_or(|(_, behind)| behind.trim_ascii().is_empty());
    (rest.is_empty() || rest.starts_with("//") || is_comment).then_some(name)
}

/// The length of a literal; one without an end goes to the end of its line.
fn literal(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => at += 2,
            other if *other == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Whether the rest of a definition of a macro closes what it opens and pastes nothing together.
fn is_closed(body: &[Token<'_>]) -> bool {
    let mut open = Vec::new();
    for pair in body.iter().zip(body.iter().skip(1).map(Some).chain([None])) {
        let expected = match pair {
            (Token::Other(b'#'), Some(Token::Other(b'#'))) => return false,
            (Token::Other(b'('), _) => Some(b')'),
            (Token::Other(b'['), _) => Some(b']'),
            (Token::Other(b'{'), _) => Some(b'}'),
            (Token::Other(byte @ (b')' | b']' | b'}')), _) if open.pop() != Some(*byte) => return false,
            (Token::Word(_) | Token::Value | Token::Border | Token::Other(_), _) => None,
        };
        open.extend(expected);
    }
    open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defines(text: &str, name: &str) -> bool {
        let written = Written::of(text);
        written.open || written.names.contains(name)
    }

    #[test]
    fn what_may_be_a_definition_is_one() {
        for text in [
            "int f(int x) { return x; }",
            "int f(int x)\n#if A\n;\n#else\n{ return x; }\n#endif",
            "int f(x) int x; { return x; }",
            "int f(void) __attribute__((noinline)) { return 1; }",
            "int (f)(void) { return 1; }",
            "int (*f(int x))(void) { return 0; }",
            "int f;",
            "int f = 1;",
            "int a, *f[3];",
            "struct s { int x; } f;",
            "typeof(a) f;",
            "DEFINE(int, f(int x), { return x; })",
            "DEFINE(int f(int x))",
            "#define DECL int f(void)\nDECL { return 1; }",
            "#define f(x) int other(int x) { return 1; }",
            "#define NAME f\nint NAME;",
            "#define GLUE(a, b) a ## b\nint GLUE(x, y);",
            "#define END ) {\nint f(int x END return 1; }",
            "#define OPEN {\nint f(void) OPEN return 1; }",
            "int g(void) __asm__(\"f\"); int g(void) { return 1; }",
            "int g(void) { return 1; } int h(void) __attribute__((alias(\"f\")));",
            "#pragma redefine_extname g f\nint g(void) { return 1; }",
            "int \\\nf;",
            "in\\\nt f\\\n;",
            "int \\u0066;",
            "#define return int\nreturn f(void) {}",
            "/* int */ int f(void) { } // f",
            "%:define G f",
        ] {
            assert!(defines(text, "f"), "{text}");
        }
    }

    #[test]
    fn what_uses_a_name_does_not_define_it() {
        for text in [
            "int f(int x);",
            "extern int\n  f(int (*g)(int), struct s *);",
            "void g(void) { f(1); int y = f(2), z; }",
            "int g(int x) { return f(x) + 1; }",
            "int g(int x) { if (!f(x)) return f(x); }",
            "int x = s.f;",
            "p->f = 3;",
            "int (*h)(void) = f;",
            "int (*t[])(void) = { f };",
            "int g(void) { x = y ? f(1) : f(2); }",
            "// int f(void) { }\nint g;",
            "char *s = \"int f(void) { }\";",
            "/* f */ #define x y",
            "#define G(x) (f(x) + 1)\n",
            "#if f\n#endif\n#include \"f\"\n",
            "# 1 \"f.c\" 2\nint g;",
            "#error it's f\nint g;",
        ] {
            assert!(!defines(text, "f"), "{text}");
        }
    }

    #[test]
    fn what_is_included_is_named() {
        let written =
            Written::of("#include <a/b.h>\n # include \"c.h\" // d.h\n#if 0\n#include_next<e.h>\n#endif\nint x = 'a';\n");
        assert_eq!((written.includes, written.open), (["a/b.h", "c.h", "e.h"].map(str::to_owned).into(), false));
        assert!(!Written::of("/*\n#include's */ #include <x.h>\n").computed);
        for text in [
            "#include HEADER\n", "#include EMPTY <x.h>\n", "#include <x.h> EMPTY\n", "#include HEADER(<x.h>)\n",
            "#inc\\\nlude HEADER\n", "#embed \"x\"\n", "#include\n",
        ] {
            assert!(Written::of(text).open, "{text}");
            assert_eq!(Written::of(text).computed, !text.contains("embed"), "{text}");
        }
    }

    #[test]
    fn what_counts_unnamed_is_open() {
        for text in [
            "static void __attribute__((constructor)) g(void) { }",
            "asm(\".globl f\");",
            "_Pragma(\"weak f\")",
            "#pragma weak g = f\n",
            "#strange f",
            "int x __attribute__((section(\".init_array\")));",
        ] {
            assert!(Written::of(text).open, "{text}");
        }
        assert!(!Written::of("#pragma once\n#pragma pack(1)\n#pragma GCC poison x\nint g;").open);
    }
}
