//! The lexer sees the tokens that gcc sees: random texts, as they are and after `gcc -E`.

use std::io::Write;
use std::process::{Command, Stdio};

use super::{Joining, lex};
use crate::ast::Interner;

const PIECES: &[&str] = &[
    " ",
    "\t",
    "\n",
    "\x0c",
    "\\\n",
    "\\ \n",
    "\\\t\x0c\n",
    "/**/",
    "/* c */",
    "/* \n */",
    "/*/ * / */",
    "/* \" */",
    "/* ' \\\n */",
    "// c\n",
    "// c \\\n more\n",
    "//\\\n\n",
    "// it's\n",
    "/* // */",
    "/\\\n* c *\\\n/",
    "a",
    "b1",
    "_c",
    "$d",
    "int",
    "struct",
    "\\u00e9t",
    "\u{e9}",
    "0",
    "12u",
    "0x1f",
    "1.5e+3",
    ".5f",
    "0x1p-2",
    "1'",
    "\"a\"",
    "\"/*\"",
    "\"*/\"",
    "\"//\"",
    "\"\\\"/*\"",
    "\"\\\\\"",
    "\"a\\\nb\"",
    "'\"'",
    "'\\''",
    "'/*'",
    "L\"x\"",
    "u8\"/*\"",
    "U'a'",
    "R",
    "uR",
    "<:",
    ":>",
    "<%",
    "%>",
    "->",
    "...",
    "..",
    "+",
    "++",
    "-",
    "<<=",
    ">",
    ">=",
    "??/",
    "??=",
    "?",
    "/",
    "*",
    "%",
    "=",
    "&",
    "|",
    ";",
    ",",
    "(",
    ")",
    "{",
    "}",
    "#",
    "\n#pragma message(\"tables/*.csv\")\n",
    "\n# 3 \"gen/*.c\"\n",
    "\n#pragma pack(push, 1) // wire/*.h\n",
    "\n#pragma pack(pop) /* x\n y */ \n",
    "\n#line 9 \"a\\\"/*b\"\n",
    "\n %: pragma made up \\\n more\n",
    "\n#pragma it's /* \n",
    "\n/* c\n */ # pragma weird \" /* \n",
    "\n#ident \"/*\"\n",
    "\n#\n",
    "\n# /* c */\n",
    "\n#pragma weak a = /* b */ c\n",
    "\n#pragma GCC diagnostic push // '\n",
    "\n#pra\\\ngma pack(2)\n",
    "\n#pragma 'a\\'/*' // x\n",
    " _Pragma(\"pack(1)\") ",
    " _Pragma(\"message(\\\"/*\\\")\") ",
    "_Pragma /* c */ ( \"weak a\" )",
    " _Pragma(\"GCC optimize(\\\"O\\\\62\\\")\") ",
    " _Pragma(\"made /* c */ up\") ",
];

/// Small and the same everywhere: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// The digest of all tokens and pragmas, or nothing if the lexer refuses the text.
fn digest(text: &[u8]) -> Option<[u8; 32]> {
    lex(text, Joining::Lines, &mut Interner::default()).ok().map(|tokens| tokens.digest.finish())
}

fn preprocessed(text: &[u8]) -> Option<Vec<u8>> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-w", "-E", "-x", "c", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = gcc.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text).unwrap();
    let output = child.wait_with_output().unwrap();
    output.status.success().then_some(output.stdout)
}

#[test]
fn random_texts_have_the_tokens_that_gcc_sees() {
    if !gate::has("gcc") {
        return;
    }
    let mut random = Random(0x1234_5678_9abc_def1);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..600 {
        let mut text = String::new();
        for _ in 0..2 + random.below(12) {
            text.push_str(PIECES[random.below(PIECES.len())]);
        }
        text.push('\n');
        let Some(ours) = digest(text.as_bytes()) else {
            refused += 1;
            continue;
        };
        let Some(output) = preprocessed(text.as_bytes()) else {
            panic!("gcc refuses {text:?}");
        };
        let theirs = digest(&output);
        assert_eq!(Some(ours), theirs, "{text:?} is for gcc {:?}", String::from_utf8_lossy(&output));
        read += 1;
    }
    assert!(read > refused / 2 && read > 150, "{read} texts were read, {refused} refused");
}

#[test]
fn code_between_a_comment_mark_in_a_directive_and_the_next_comment_is_read() {
    for directive in [
        "#pragma message(\"tables/*.csv\")", "# 3 \"gen/*.c\"", "#pragma pack(push, 1) // wire/*.h", "#line 7 \"a/*b\"",
        "_Pragma(\"message(\\\"/*\\\")\")",
    ] {
        let text = format!("{directive}\nint x; /* c */ int y;\n");
        let tokens = lex(text.as_bytes(), Joining::Lines, &mut Interner::default()).unwrap();
        assert_eq!(tokens.list.len(), 7, "{directive}");
    }
}

#[test]
fn preprocessed_text_has_no_splices() {
    let text = b"// c \\\nint x;\n";
    let count = |joining| lex(text, joining, &mut Interner::default()).unwrap().list.len();
    assert_eq!((count(Joining::Lines), count(Joining::Nothing)), (1, 4));
}
