//! Reasons in the user's words: what a construct is, and what helps.
//!
//! One table from the name of a construct, as the front end and the encoder report it, to words and a remedy. A name that is
//! in no row is a name of the program or the library: the last rule speaks of it as it is.
//! Does not know when a construct is reached.

use crate::Reason;

/// A construct in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The name of the construct; with a final `…` how it begins.
    pub construct: &'static str,
    /// What it is: a sentence behind the place, without a final dot.
    pub what: &'static str,
    /// What helps.
    pub help: &'static str,
}

const fn row(construct: &'static str, what: &'static str, help: &'static str) -> Remedy {
    Remedy { construct, what, help }
}

const CONSTANT_LENGTH: &str = "give it a constant length, large enough for all uses";
const PLAIN_TYPE: &str = "use integers, floats, structs or arrays of them on this path";
const DIRECT: &str = "call the function directly, or give the pointer one of the program's own functions of this type";
const BODY: &str = "add a C file or a definition with a body that does what is needed here";
const PORTABLE: &str = "write it as plain C, or keep it off the paths that are checked";
const SEPARATE: &str = "move it out of the program that is checked, or call it from the entry function yourself";

/// The table. The first row that fits counts.
pub const REMEDIES: &[Remedy] = &[
    row(
        "variable length array of more than 1 MiB",
        "an array whose length is known only when the program runs, and may be more than 1 MiB",
        "check or assume before it that the length is small",
    ),
    row("variable length array", "an array whose length is known only when the program runs", CONSTANT_LENGTH),
    row(
        "pointer to an array of variable length",
        "a pointer to arrays whose length is known only when the program runs",
        CONSTANT_LENGTH,
    ),
    row(
        "sizeof a variable length array",
        "the size of an array whose length is known only when the program runs",
        CONSTANT_LENGTH,
    ),
    row("vector type", "a value of a vector type", PLAIN_TYPE),
    row("complex arithmetic", "a complex number", PLAIN_TYPE),
    row("decimal or half-precision floating constant", "a floating-point number of a format that is not modelled", PLAIN_TYPE),
    row(
        "arithmetic on a bit-field wider than int",
        "arithmetic on a bit-field that is wider than `int`",
        "copy the bit-field to a plain integer first",
    ),
    row("va_list", "the arguments of a variadic function are passed on as a value", "pass them as plain parameters"),
    row("va_arg…", "the arguments of a variadic function are read", "give the function plain parameters"),
    row("va_…", "the arguments of a variadic function are used", "give the function plain parameters"),
    row(
        "order of operands that compilers choose",
        "an operator whose operands compilers evaluate in an order of their choice, and one changes what the other reads",
        "evaluate one of them in a statement before",
    ),
    row(
        "addresses that may be the same",
        "addresses are compared that another run may have the same: of freed memory, of returned calls, of neighbours, of equal string literals",
        "compare addresses of objects that live, and inside of one object",
    ),
    row("transparent_union", "a parameter that is a transparent union", "give the parameter the type of the member that is used"),
    row("scalar_storage_order", "a struct of the other byte order", PORTABLE),
    row("ms_struct", "a struct in the layout of another compiler", PORTABLE),
    row("returns_twice", "a function that may return twice", PORTABLE),
    row("alias", "two names for one object or function", "use one name, or define the second one by itself"),
    row("weakref", "a name that stands for another one", "use the name it stands for"),
    row(
        "ifunc",
        "a function that is chosen when the program is loaded",
        "define the function that is to be checked under this name",
    ),
    row("weak function without a body", "a function that may be missing when the program is linked", BODY),
    row("attribute cleanup", "a function that runs when a variable goes out of scope", "call the function where the scope ends"),
    row("constructor", "a function that runs before the entry function", SEPARATE),
    row("destructor", "a function that runs at the end of the program", SEPARATE),
    row("#pragma…", "a pragma that changes what the program means", "leave it out, if the program means the same without it"),
    row("computed goto…", "a jump to an address", "write a `switch` and plain labels"),
    row("goto *…", "a jump to an address", "write a `switch` and plain labels"),
    row("asm goto", "assembly that may jump", PORTABLE),
    row("inline assembly", "assembly whose effect is not known", PORTABLE),
    row("file-level assembly", "assembly outside of functions", PORTABLE),
    row("nested function", "a function inside a function", "move it out and pass what it needs"),
    row(
        "call of a function that is not known",
        "a call through a pointer that may point to a function outside of the program",
        DIRECT,
    ),
    row("indirect call with…", "a call through a pointer whose type does not fit the function", DIRECT),
    row(
        "call that does not fit the definition",
        "a call with other arguments than the function's definition takes",
        "declare the function as it is defined",
    ),
    row(
        "result of a function that ends without a value",
        "the result of a function that ends without `return VALUE`",
        "return a value on every path",
    ),
    row(
        "return of a function that never returns",
        "the end of a function that was declared never to return",
        "leave `noreturn` out, or end it with a call that does not return",
    ),
    row(
        "address of a local variable in a recursive call",
        "the address of a local variable of a recursive function",
        "make the recursion a loop",
    ),
    row(
        "threads",
        "a thread is started, and programs with several are not modelled",
        "check the functions of each thread by themselves (--entry)",
    ),
    row("setjmp", "a jump between functions", PORTABLE),
    row("longjmp", "a jump between functions", PORTABLE),
    row("_setjmp", "a jump between functions", PORTABLE),
    row("sigsetjmp", "a jump between functions", PORTABLE),
    row("difference of pointers to objects of size zero", "the difference of pointers to objects of size 0", PORTABLE),
    row(
        "member of an incomplete record",
        "a member of a struct that is declared only",
        "give the definition of the struct, e.g. with -I for its header",
    ),
    row(
        "memory that a function without a body may write",
        "memory that was given to a function without a body, which may have written there",
        BODY,
    ),
    row("unusable input", "a file that cannot be read", "see the error"),
    row("missing condition entry…", "a place the condition says nothing about", "run the earlier stages again"),
];

/// How the remedy of a construct is found.
#[must_use]
pub fn remedy(construct: &str) -> Option<&'static Remedy> {
    REMEDIES.iter().find(|row| match row.construct.strip_suffix('…') {
        Some(beginning) => construct.starts_with(beginning),
        None => row.construct == construct,
    })
}

/// Whether the construct is the name of a function: an identifier and nothing else.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_') && !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl Reason {
    /// What stands in the way and what helps, as one line.
    #[must_use]
    pub fn explanation(&self) -> String {
        match self {
            Self::Unsupported { construct, file, line } => {
                let (what, help) = words(construct);
                format!("{file}:{line}: {what}: {help}")
            }
            Self::Budget => "the time or the steps are up: give more with --budget or --steps".to_owned(),
            Self::Memory => "the memory is used up: give more with --memory, or a machine with more".to_owned(),
            Self::Solver => "the solver does not know: a longer --budget may help".to_owned(),
            Self::NoProgress => "no analysis finds a proof or a counterexample: other verifiers may (--verifier)".to_owned(),
            Self::Recursion => "recursion without a bound that is found: make it a loop".to_owned(),
            Self::Interrupted => "a signal ended the run".to_owned(),
            Self::Internal => "a tool has a bug: please report it with the input files".to_owned(),
            Self::NotChecked => "something that changed was not looked at".to_owned(),
            Self::Verifier(_) => "the verifier gave nothing to rely on: give it more with --budget, or name another one as well \
                 (--verifier)"
                .to_owned(),
            Self::Refused(_) => "what the detector says makes its difference graph right was refused: nothing may rest on the \
                 condition: check the whole program (--fallback, or --detector none)"
                .to_owned(),
        }
    }
}

/// What a construct is, and what helps.
fn words(construct: &str) -> (String, String) {
    if let Some(row) = remedy(construct) {
        return (row.what.to_owned(), row.help.to_owned());
    }
    let name = construct.strip_prefix("call of ").unwrap_or(construct);
    if name.starts_with("__builtin") || name.starts_with("__atomic") || name.starts_with("__sync") {
        return (format!("`{name}` is a builtin of the compiler that is not modelled"), PORTABLE.to_owned());
    }
    if is_name(name) {
        return (format!("`{name}` has no body here, and what it does is not known"), BODY.to_owned());
    }
    (format!("{construct} is not modelled"), PORTABLE.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(construct: &str) -> String {
        let reason = Reason::Unsupported { construct: construct.to_owned(), file: "a.c".to_owned(), line: 3 };
        reason.explanation()
    }

    #[test]
    fn a_reason_says_what_it_is_where_and_what_helps() {
        assert_eq!(
            explained("qsort"),
            "a.c:3: `qsort` has no body here, and what it does is not known: add a C file or a definition with a body that does \
             what is needed here"
        );
        assert_eq!(explained("call of sscanf"), explained("sscanf"));
        assert!(explained("memory that a function without a body may write").contains("definition with a body"));
        assert!(explained("variable length array").contains("constant length"));
        assert!(explained("#pragma redefine_extname").contains("pragma"));
        assert!(explained("__builtin_isgreater").contains("builtin"));
        assert!(explained("Foo { bar: 1 } as a place").contains("is not modelled"));
    }

    #[test]
    fn rows_are_told_apart() {
        for (at, row) in REMEDIES.iter().enumerate() {
            let own = row.construct.trim_end_matches('…');
            assert_eq!(remedy(own), Some(&REMEDIES[at]), "{own} is shadowed by an earlier row");
            assert!(!row.what.ends_with('.') && !row.help.ends_with('.') && !row.what.is_empty() && !row.help.is_empty());
        }
    }
}
