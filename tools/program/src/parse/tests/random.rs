//! Texts that are nearly C never make the parser panic.

use proptest::prelude::*;

use super::super::parse;
use crate::source::SourceFile;

const WORDS: &[&str] = &[
    "int", "T", "x", "(", ")", "{", "}", "[", "]", "[[", "]]", ";", ",", "*", "&", "&&", "=", "+", "-", "?", ":", ".", "->",
    "...", "1", "1.5", "'a'", "\"s\"", "struct", "union", "enum", "typedef", "static", "const", "unsigned", "if", "else", "for",
    "while", "do", "switch", "case", "default", "goto", "return", "asm", "__attribute__", "__extension__", "typeof", "sizeof",
    "_Generic", "_Static_assert", "__label__", "__builtin_offsetof", "__builtin_va_arg", "\n# 3\n", "\n#pragma pack(1)\n", "/*",
    "*/", "//", "\\\n", "void f(void) {", "_Atomic", "_Alignas",
];

proptest! {
    #[test]
    fn random_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        let text = format!("typedef int T; void f(void) {{ {} }}", words.join(" "));
        let _ = parse(&SourceFile::new("t.c", text));
        let _ = parse(&SourceFile::new("t.c", words.join(" ")));
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = parse(&SourceFile::new("t.c", bytes));
    }
}
