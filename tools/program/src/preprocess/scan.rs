//! Whether a text needs the preprocessor, and where its comments, literals and words end.

use crate::lex::number;

/// Directives that only the preprocessor can obey.
const DIRECTIVES: &[&str] = &[
    "include", "include_next", "import", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else",
    "endif", "error", "assert", "unassert", "embed",
];

/// Names of predefined macros that follow no pattern.
const MACROS: &[&str] = &[
    "__BASE_FILE__", "__BIGGEST_ALIGNMENT__", "__BYTE_ORDER__", "__CHAR_BIT__", "__COUNTER__", "__DATE__", "__DECIMAL_DIG__",
    "__ELF__", "__FILE_NAME__", "__FILE__", "__FINITE_MATH_ONLY__", "__FLOAT_WORD_ORDER__", "__GNUC__", "__ILP32__",
    "__INCLUDE_LEVEL__", "__LINE__", "__LP64__", "__NO_INLINE__", "__OPTIMIZE__", "__PIC__", "__PIE__", "__REGISTER_PREFIX__",
    "__STDC__", "__TIMESTAMP__", "__TIME__", "__USER_LABEL_PREFIX__", "__VERSION__", "__amd64", "__amd64__", "__gnu_linux__",
    "__i386", "__i386__", "__i686", "__i686__", "__k8", "__k8__", "__linux", "__linux__", "__pic__", "__pie__", "__unix",
    "__unix__", "__x86_64", "__x86_64__",
];

/// Beginnings and ends of the other predefined macros.
const PREFIXES: &[&str] = &[
    "__SIZEOF_", "__STDC_", "__GNUC_", "__FLT", "__DBL_", "__LDBL_", "__ORDER_", "__ATOMIC_", "__GCC_", "__DEC", "__SSE",
    "__MMX_",
];
const SUFFIXES: &[&str] = &["_TYPE__", "_MAX__", "_MIN__", "_WIDTH__", "_C"];

/// Whether the text has a directive or a macro that only the preprocessor can treat.
pub(super) fn calls_for_preprocessor(text: &[u8]) -> bool {
    let mut at = 0;
    let mut at_line_start = true;
    while let Some(byte) = text.get(at) {
        let rest = &text[at..];
        at += match byte {
            b'\n' => {
                at_line_start = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => 1,
            b'/' if rest.starts_with(b"/*") => comment(rest),
            b'/' if rest.starts_with(b"//") => line(rest),
            b'#' | b'%' if at_line_start && (*byte == b'#' || rest.starts_with(b"%:")) => {
                let mark = if *byte == b'#' { 1 } else { 2 };
                if is_directive(&rest[mark..]) {
                    return true;
                }
                line(rest)
            }
            b'"' | b'\'' => literal(rest),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => {
                let name = word(rest);
                if is_predefined(name) {
                    return true;
                }
                name.len().max(1)
            }
            b'0'..=b'9' => number::length(rest),
            _ => 1,
        };
        at_line_start &= matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | b'/');
    }
    false
}

/// Length of a block comment.
pub(super) fn comment(text: &[u8]) -> usize {
    text[2..].windows(2).position(|window| window == b"*/").map_or(text.len(), |inside| inside + 4)
}

/// Length up to the end of the line, splices included.
pub(super) fn line(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Length of a literal; one that its line does not close ends there.
pub(super) fn literal(text: &[u8]) -> usize {
    let quote = text[0];
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match *byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The letters, digits and underscores at the beginning.
pub(super) fn word(text: &[u8]) -> &[u8] {
    let plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    &text[..text.iter().take_while(plain).count()]
}

/// Whether the text after a `#` begins with one of [`DIRECTIVES`].
fn is_directive(text: &[u8]) -> bool {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let name = word(&text[blanks..]);
    DIRECTIVES.iter().any(|directive| directive.as_bytes() == name)
}

fn is_predefined(name: &[u8]) -> bool {
    if !name.starts_with(b"__") {
        return false;
    }
    let Ok(name) = std::str::from_utf8(name) else {
        return false;
    };
    MACROS.contains(&name)
        || name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && (PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || SUFFIXES.iter().any(|suffix| name.ends_with(suffix)))
}

#[cfg(test)]
mod tests {
    use super::calls_for_preprocessor;

    #[test]
    fn what_calls_for_the_preprocessor() {
        let texts = [
            "#include <a.h>\n", "int a;\n  # define X 1\n", "/* c */ #ifdef X\n", "%: if 1\n", "#error no\n",
            "int a = __LINE__;", "__SIZE_TYPE__ n;", "int c = __INT_MAX__;", "#pragma once\n#undef X",
            "int o = __ATOMIC_RELAXED;", "long l = __INT64_C(1);", "int a = __amd64;", "int a = 1'000; int b = __LINE__;",
        ];
        for text in texts {
            assert!(calls_for_preprocessor(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_does_not() {
        let texts = [
            "# 1 \"a.c\" 1 3\nint a;",
            "#line 5 \"a.c\"\n",
            "#pragma pack(1)\n",
            "#ident \"x\"\n",
            "/*\n#include <a.h>\n*/",
            "// x \\\n#define X\n",
            "char *s = \"\\\n#define X\";",
            "int a; #",
            "char *s = \"__LINE__\";",
            "f(__func__, __FUNCTION__, __PRETTY_FUNCTION__);",
            "void __VERIFIER_error(void);",
            "int __CPU_TYPE;",
            "char c = '\"'; /* \" */ char d = '\\'';",
        ];
        for text in texts {
            assert!(!calls_for_preprocessor(text.as_bytes()), "{text}");
        }
    }
}
