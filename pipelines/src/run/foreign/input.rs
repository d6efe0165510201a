//! The residual program as other verifiers like it.
//!
//! Every line stays where it is, so that what a verifier says about a line can be mapped back. Line markers go (tools
//! disagree about whose lines they report then), a violation is a call of `reach_error`, whatever the property, and the
//! program starts in `main`.
//! Invariant: an execution reaches `reach_error` iff the residual program violates its property on it; a program for which
//! this cannot be had is not handed out.
//! Does not know verifiers.

use std::path::Path;

use formats::{ProgramOptions, Property};
use program::caller::CALLER;
use program::cfa::{Cfa, Function, FunctionId, Known, Operation};
use program::expr::{Expr, ExprId};
use program::known::{is_assertion, is_error_function};
use program::print::{Names, Printer};
use program::source::SourceFile;
use program::types::Type;

/// The error functions of the property `assert`.
const ASSERTIONS: [&str; 6] = ["__assert_fail", "__assert_perror_fail", "__assert_rtn", "__assert_func", "__assert", "_assert"];

/// A program for a verifier.
pub(super) struct Prepared {
    /// What the verifier reads.
    pub(super) text: String,
    /// The automaton of the residual program; its lines are those of `text`.
    pub(super) cfa: Cfa,
    /// The line of `text` that reads the first argument of the entry function, if `main` had to be made.
    pub(super) arguments_line: Option<u32>,
    /// Functions without a body of which nothing is known and that get a pointer they may write through.
    pub(super) opaque: Vec<String>,
    /// An operation that verifiers may pass over although it does something: an unsupported one, or assembly.
    pub(super) unseen: Option<String>,
    /// Something may be written through a pointer.
    pub(super) writes_through_pointers: bool,
}

/// Makes the program; the inner error says why there is none for this residual program.
///
/// # Errors
/// If the residual program cannot be read again, which is a bug of ours.
pub(super) fn prepare(text: &str, file: &Path, options: &ProgramOptions) -> miette::Result<Result<Prepared, String>> {
    let plain = without_markers(text);
    let options = ProgramOptions { preprocessor: Vec::new(), ..options.clone() };
    let cfa = program::load_source(SourceFile::new(file.display().to_string(), plain.clone()), &options)?;
    let asserting = asserting(&cfa);
    if let Some(hidden) = asserting.iter().find(|function| function.address_taken) {
        return Ok(Err(hides(&hidden.name)));
    }
    let mut text = match with_one_error_function(&plain, options.property, &asserting) {
        Ok(text) => text,
        Err(why) => return Ok(Err(why)),
    };
    let mut arguments_line = None;
    let starts_at = &*cfa.function(cfa.entry).name;
    if starts_at.starts_with(CALLER) && starts_at != options.entry {
        // A caller that is made now is not in the text that is handed out.
        return Ok(Err(format!("the entry function {} takes more than numbers", options.entry)));
    }
    if options.entry != "main" {
        if words(&text).any(|word| word == "main") {
            return Ok(Err("the program has a function main besides its entry function".to_owned()));
        }
        match main_for(&cfa) {
            Ok(main) => {
                arguments_line = u32::try_from(text.lines().count() + main.declarations + 3).ok();
                text.push_str(&main.text);
            }
            Err(why) => return Ok(Err(why)),
        }
    }
    let (opaque, writes_through_pointers) = (opaque(&cfa), writes_through_pointers(&cfa));
    let unseen = unseen(&cfa);
    Ok(Ok(Prepared { text, cfa, arguments_line, opaque, unseen, writes_through_pointers }))
}

/// The text with empty lines for line markers.
fn without_markers(text: &str) -> String {
    let lines = text.lines().map(|line| if line.starts_with("#line ") { "" } else { line });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The functions without a body that fail iff their argument is 0: a verifier that does not know them calls them and goes on.
fn asserting(cfa: &Cfa) -> Vec<&Function> {
    cfa.functions.iter().filter(|function| function.entry.is_none() && is_assertion(&function.name)).collect()
}

/// Whether a call is one of such a function: with other numbers of arguments it is another function.
fn fails(callee: &Function, arguments: &[ExprId]) -> bool {
    callee.entry.is_none() && is_assertion(&callee.name) && arguments.len() == 1
}

fn hides(name: &str) -> String {
    format!("the program uses {name} in a way that other verifiers would not see")
}

/// The text in which every violation is a call of `reach_error`, and no other failing assertion is one.
fn with_one_error_function(text: &str, property: Property, asserting: &[&Function]) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let statement = line.trim_start();
        let indent = &line[..line.len() - statement.len()];
        let callee = statement.split_once('(').map(|(name, _)| name).filter(|_| statement.ends_with(");") && !indent.is_empty());
        let fails =
            callee.is_some_and(|name| asserting.iter().any(|one| *one.name == *name) && statement == format!("{name}(0);"));
        let assertion = fails || callee.is_some_and(|name| ASSERTIONS.contains(&name));
        let error = (fails && property == Property::Assert) || callee.is_some_and(|name| is_error_function(name, property));
        if error {
            out.push_str(&format!("{indent}reach_error();"));
        } else if assertion && text.contains("extern void abort(void)") {
            out.push_str(&format!("{indent}abort();"));
        } else {
            // A definition of the error function that fails an assertion, and declarations, may name others.
            let told =
                line.starts_with("extern ") || line.ends_with("{ __assert_fail(\"0\", \"reach_error\", 0, \"reach_error\"); }");
            let other = words(line).find(|word| *word != "reach_error" && is_error_function(word, property));
            if let Some(other) = other.filter(|_| !told) {
                return Err(hides(other));
            }
            out.push_str(line);
        }
        out.push('\n');
    }
    Ok(out)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// A function `main` that calls the entry function with arbitrary arguments.
struct Main {
    text: String,
    /// Lines before those of `main`.
    declarations: usize,
}

fn main_for(cfa: &Cfa) -> Result<Main, String> {
    let entry = cfa.function(cfa.entry);
    let names = Names::new(cfa);
    let printer = Printer::new(cfa, &names);
    let (mut declarations, mut reads, mut arguments) = (String::new(), String::new(), Vec::new());
    for (number, parameter) in entry.parameters.iter().enumerate() {
        let ty = cfa.variable(*parameter).ty;
        if !matches!(cfa.types.get(ty.ty), Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_)) {
            return Err(format!("the entry function {} takes more than numbers", entry.name));
        }
        let input = format!("__VERIFIER_nondet_argument_{number}");
        declarations.push_str(&format!("extern {};\n", printer.declaration(ty, &format!("{input}(void)"))));
        reads.push_str(&format!("  {} = {input}();\n", printer.declaration(ty, &argument(number))));
        arguments.push(argument(number));
    }
    let text = format!("{declarations}int main(void)\n{{\n{reads}  {}({});\n  return 0;\n}}\n", entry.name, arguments.join(", "));
    Ok(Main { text, declarations: entry.parameters.len() })
}

/// The variable of `main` that holds an argument.
pub(super) fn argument(number: usize) -> String {
    format!("residue_argument_{number}")
}

/// See [`Prepared::unseen`].
fn unseen(cfa: &Cfa) -> Option<String> {
    cfa.edges.iter().find_map(|edge| match &edge.operation {
        Operation::Unsupported { construct } => Some(construct.to_string()),
        Operation::Asm(_) => Some("inline assembly".to_owned()),
        Operation::Declare { .. } | Operation::Assume { .. } | Operation::Assign { .. } | Operation::Havoc { .. } => None,
        Operation::Call { .. } | Operation::Return { .. } | Operation::Blank => None,
    })
}

/// See [`Prepared::opaque`].
fn opaque(cfa: &Cfa) -> Vec<String> {
    let writes = |callee: FunctionId| {
        let function = cfa.function(callee);
        let Type::Function(ty) = cfa.types.get(function.ty) else { return false };
        let pointer = |ty| match cfa.types.get(ty) {
            Type::Pointer(to) => !to.qualifiers.is_const,
            Type::Void | Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Complex(_) | Type::Array { .. } => false,
            Type::Function(_) | Type::Record(_) | Type::Enum(_) | Type::Vector { .. } | Type::VaList => false,
        };
        function.entry.is_none() && function.known.is_none() && (ty.unprototyped || ty.parameters.iter().any(|p| pointer(p.ty)))
    };
    let called = cfa.edges.iter().filter_map(|edge| match &edge.operation {
        Operation::Call { callee, arguments, .. } if fails(cfa.function(*callee), arguments) => None,
        Operation::Call { callee, .. } if writes(*callee) => Some(cfa.function(*callee).name.to_string()),
        Operation::Call { .. } | Operation::Declare { .. } | Operation::Assume { .. } | Operation::Assign { .. } => None,
        Operation::Havoc { .. } | Operation::Return { .. } | Operation::Blank => None,
        Operation::Asm(_) | Operation::Unsupported { .. } => None,
    });
    called.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// See [`Prepared::writes_through_pointers`].
fn writes_through_pointers(cfa: &Cfa) -> bool {
    cfa.edges.iter().any(|edge| match &edge.operation {
        Operation::Assign { place, .. } => is_behind_a_pointer(cfa, *place),
        Operation::Call { callee, arguments, .. } => {
            let function = cfa.function(*callee);
            let harmless = matches!(function.known, Some(Known::Error | Known::NoReturn | Known::Input | Known::Pure))
                || fails(function, arguments);
            function.entry.is_none() && !harmless && !arguments.is_empty()
        }
        Operation::Asm(_) | Operation::Unsupported { .. } => true,
        Operation::Declare { .. } | Operation::Assume { .. } | Operation::Havoc { .. } => false,
        Operation::Return { .. } | Operation::Blank => false,
    })
}

/// Whether a place is not a part of a named object.
fn is_behind_a_pointer(cfa: &Cfa, mut place: ExprId) -> bool {
    while let Expr::Field(of, _) | Expr::Index(of, _) = cfa.exprs.get(place) {
        place = *of;
    }
    !matches!(cfa.exprs.get(place), Expr::Variable(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABORT: &str = "extern void abort(void) __attribute__((noreturn));\n";
    const ERROR: &str = "void reach_error(void) { __assert_fail(\"0\", \"reach_error\", 0, \"reach_error\"); }\n";

    #[test]
    fn violations_become_calls_of_reach_error_on_their_lines() {
        let text = format!(
            "{ABORT}{ERROR}#line 4 \"a.c\"\nint main(void)\n{{\n  __assert_fail((const char *)\"x\");\n  reach_error();\n}}\n"
        );
        let plain = without_markers(&text);
        assert_eq!(plain.lines().nth(2), Some(""));
        let asserted = with_one_error_function(&plain, Property::Assert, &[]).unwrap();
        assert_eq!(asserted.lines().nth(5), Some("  reach_error();"));
        let reached = with_one_error_function(&plain, Property::UnreachCall, &[]).unwrap();
        assert_eq!(reached.lines().nth(5), Some("  abort();"));
        assert_eq!(reached.lines().nth(6), Some("  reach_error();"));
        assert_eq!(reached.lines().nth(1), ERROR.lines().next());
        assert_eq!(reached.lines().count(), text.lines().count());
    }

    #[test]
    fn an_assertion_without_a_body_is_a_violation() {
        let text = format!(
            "{ABORT}extern void assert(int);\nextern int in(void);\n{ERROR}int main(void)\n{{\n  int x;\n  x = in();\n\
             \x20 if (x) {{\n    assert(0);\n    abort();\n  }}\n}}\n"
        );
        for (property, line) in [(Property::Assert, "    reach_error();"), (Property::UnreachCall, "    abort();")] {
            let options = ProgramOptions { property, ..ProgramOptions::default() };
            let prepared = prepare(&text, Path::new("residual.c"), &options).unwrap().unwrap();
            assert_eq!(prepared.text.lines().nth(9), Some(line), "{}", prepared.text);
            assert!(!prepared.writes_through_pointers && prepared.opaque.is_empty());
        }
        // One that the program defines is a function like others; where one may be called is not seen if its address is taken.
        let own = text.replace("extern void assert(int);", "void assert(int x)\n{\n}").replace("assert(0);", "assert(1);");
        let options = ProgramOptions { property: Property::Assert, ..ProgramOptions::default() };
        let prepared = prepare(&own, Path::new("residual.c"), &options).unwrap().unwrap();
        assert!(prepared.text.contains("    assert(1);\n"), "{}", prepared.text);
        let hidden = text.replace("  x = in();", "  void (*f)(int);\n  f = assert;\n  x = in();");
        assert!(prepare(&hidden, Path::new("residual.c"), &options).unwrap().is_err());
    }

    #[test]
    fn a_hidden_violation_is_not_handed_out() {
        let text = format!("{ABORT}{ERROR}int main(void)\n{{\n  f = __assert_fail;\n}}\n");
        assert!(with_one_error_function(&text, Property::Assert, &[]).is_err());
        assert!(with_one_error_function(&text, Property::UnreachCall, &[]).is_ok());
        let text = format!("{ABORT}{ERROR}int main(void)\n{{\n  if (x) __VERIFIER_error();\n}}\n");
        assert!(with_one_error_function(&text, Property::UnreachCall, &[]).is_err());
    }

    fn prepared(text: &str, entry: &str) -> Result<Prepared, String> {
        let options = ProgramOptions { entry: entry.to_owned(), ..ProgramOptions::default() };
        prepare(text, Path::new("residual.c"), &options).unwrap()
    }

    #[test]
    fn an_entry_function_gets_a_main_with_arbitrary_arguments() {
        let text =
            format!("{ABORT}extern void __assert_fail();\n{ERROR}int f(unsigned char a, int b)\n{{\n  return a + b;\n}}\n");
        let prepared = prepared(&text, "f").unwrap();
        let line = prepared.arguments_line.unwrap() as usize;
        let lines: Vec<&str> = prepared.text.lines().collect();
        assert_eq!(lines[line - 1], "  unsigned char residue_argument_0 = __VERIFIER_nondet_argument_0();");
        assert_eq!(lines[line], "  int residue_argument_1 = __VERIFIER_nondet_argument_1();");
        assert!(prepared.text.contains("  f(residue_argument_0, residue_argument_1);\n"));
    }

    #[test]
    fn writes_through_pointers_are_seen() {
        let writes = |body: &str| {
            let text = format!(
                "{ABORT}extern void __assert_fail();\n{ERROR}struct s {{ int a[3]; }} v;\nint main(void)\n{{\n{body}\n}}\n"
            );
            prepared(&text, "main").unwrap().writes_through_pointers
        };
        assert!(!writes("  v.a[1] = 3; int b[2]; b[0] = 1; abort();"));
        assert!(writes("  int *p = &v.a[1]; *p = 3;"));
        assert!(writes("  struct s *p = &v; p->a[1] = 3;"));
        assert!(writes("  __builtin_memset(&v, 0, sizeof v);"));
    }

    #[test]
    fn an_entry_function_with_pointers_is_not_handed_out() {
        let text = format!("{ABORT}extern void __assert_fail();\n{ERROR}int f(int *a)\n{{\n  return *a;\n}}\n");
        assert!(prepared(&text, "f").is_err_and(|why| why.contains("takes more than numbers")));
    }
}
