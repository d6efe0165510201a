//! A program with goals and choices as one that anybody understands: choices are its first inputs, `reach_error` is called
//! at the goals and nowhere else.

use std::collections::BTreeSet;

use program::cfa::{Cfa, Function, FunctionId, Known, Linkage, LocationId, Operation, VarId, VarKind};
use program::source::Span;
use program::types::{FunctionType, QualType, Type};

use crate::editor::{Editor, plain_function};

/// What is called at goals.
const ERROR: &str = "reach_error";
/// What gives the values of choices, whichever is free.
const INPUTS: [&str; 2] = ["__VERIFIER_nondet_uint", "__VERIFIER_nondet_unsigned"];

/// Why there is no such program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name {0} is that of something else")]
pub struct Clash(pub &'static str);

/// Makes such a program. A run has as many more inputs, all `unsigned` and before all others, as there are choices, in their
/// order; where it would have reached an error that is no goal it stops.
///
/// # Errors
/// [`Clash`] if a name that others have to know is one of the program.
pub fn standalone(cfa: &Cfa, choices: &[VarId], goals: &BTreeSet<LocationId>) -> Result<Cfa, Clash> {
    let mut editor = Editor::new(cfa);
    let error = error_function(&mut editor)?;
    let mut other = Vec::new();
    for edge in &mut editor.parts.edges {
        let Operation::Call { callee, .. } = &mut edge.operation else {
            other.push(false);
            continue;
        };
        let is_error = editor.parts.functions[callee.index()].known == Some(Known::Error);
        if is_error && goals.contains(&edge.target) {
            *callee = error;
        }
        other.push(is_error && !goals.contains(&edge.target));
    }
    let mut dropped = other.iter();
    editor.parts.edges.retain(|_| dropped.next() != Some(&true));
    let mut dropped = other.iter();
    editor.origin.retain(|_| dropped.next() != Some(&true));
    for (number, function) in editor.parts.functions.iter_mut().enumerate() {
        // No call of them is left.
        if function.known == Some(Known::Error) && number != error.index() {
            function.known = None;
        }
    }
    read_first(&mut editor, choices)?;
    Ok(editor.finish().cfa)
}

/// The choices as inputs.
fn read_first(editor: &mut Editor, choices: &[VarId]) -> Result<(), Clash> {
    let input = input_function(editor)?;
    let entry = editor.parts.entry;
    let Some(begin) = editor.parts.functions[entry.index()].entry else { return Ok(()) };
    let behind = editor.before(begin);
    let mut here = begin;
    for (position, choice) in choices.iter().enumerate() {
        let variable = &mut editor.parts.variables[choice.index()];
        variable.kind = VarKind::Global { linkage: Linkage::Internal, defined: true };
        variable.initializer = Some(program::cfa::StaticInitializer::default());
        let next = if position + 1 == choices.len() { behind } else { editor.location_beside(begin) };
        let operation = Operation::Havoc { variable: Some(*choice), input };
        editor.add(here, next, operation, (Span::default(), Span::default()));
        here = next;
    }
    Ok(())
}

/// A function of a name and of no parameters; the error says that something else has the name.
fn function(editor: &mut Editor, name: &'static str, result: Type, known: Known) -> Result<FunctionId, Clash> {
    let result = QualType::plain(editor.ty(result));
    let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: false };
    let ty = editor.ty(Type::Function(ty));
    if editor.parts.variables.iter().any(|one| matches!(one.kind, VarKind::Global { .. }) && *one.name == *name) {
        return Err(Clash(name));
    }
    match editor.parts.functions.iter().position(|function| *function.name == *name) {
        Some(number) => {
            let one = &editor.parts.functions[number];
            let is_same = match (editor.parts.types.get(one.ty), editor.parts.types.get(ty)) {
                (Type::Function(own), Type::Function(wanted)) => own.result.ty == wanted.result.ty && own.parameters.is_empty(),
                _ => false,
            };
            let fits = is_same && one.known == Some(known) && (known == Known::Error || one.entry.is_none());
            if fits { Ok(FunctionId::new(number)) } else { Err(Clash(name)) }
        }
        None => {
            editor.parts.functions.push(Function { known: Some(known), ..plain_function(name, ty) });
            Ok(FunctionId::new(editor.parts.functions.len() - 1))
        }
    }
}

fn error_function(editor: &mut Editor) -> Result<FunctionId, Clash> {
    function(editor, ERROR, Type::Void, Known::Error)
}

fn input_function(editor: &mut Editor) -> Result<FunctionId, Clash> {
    let unsigned = || Type::Int { rank: program::types::IntRank::Int, signed: false };
    let [first, second] = INPUTS;
    function(editor, first, unsigned(), Known::Input).or_else(|_| function(editor, second, unsigned(), Known::Input))
}

#[cfg(test)]
mod tests {
    use formats::ProgramOptions;
    use program::source::SourceFile;
    use semantics::interpreter::{Limits, Outcome, run};

    use super::*;

    fn load(text: &str) -> Cfa {
        program::load_source(SourceFile::new("t.c", text.to_owned()), &ProgramOptions::default()).unwrap()
    }

    #[test]
    fn only_goals_are_errors_and_choices_are_read() {
        let cfa = load("void reach_error(void); int main(void) { int x = 1; if (x) reach_error(); return 0; }");
        let limits = Limits { steps: 1000, memory: 1 << 20, skips_library: false };
        let outcome = |cfa: &Cfa, value: u128| run(cfa, &mut |_: &_| Some(value), &mut (), limits).outcome;
        assert_eq!(outcome(&cfa, 0), Outcome::ErrorReached);
        let mut editor = Editor::new(&cfa);
        let unsigned = editor.ty(Type::Int { rank: program::types::IntRank::Int, signed: false });
        let choice = editor.choice("goal", unsigned);
        let begin = cfa.entry_location();
        let (behind, fails) = (editor.before(begin), editor.location_beside(begin));
        let (value, three) = (editor.load(choice), editor.number(unsigned, 3));
        let asked = editor.equal(value, three);
        editor.branch(begin, asked, (fails, behind), (Span::default(), Span::default()));
        let goal = editor.error_behind(fails, None, (Span::default(), Span::default()));
        let made = editor.finish().cfa;
        let made = standalone(&made, &[choice], &BTreeSet::from([goal])).unwrap();
        assert_eq!(outcome(&made, 3), Outcome::ErrorReached);
        // The error of the program is none any more: its run ends where it was.
        assert_ne!(outcome(&made, 2), Outcome::ErrorReached);
        assert!(made.edges.iter().filter(|edge| matches!(edge.operation, Operation::Havoc { .. })).count() == 1);
    }

    #[test]
    fn names_of_others_are_not_taken() {
        let cfa = load("void reach_error(int why); int main(void) { return 0; }");
        assert_eq!(standalone(&cfa, &[], &BTreeSet::new()).unwrap_err(), Clash(ERROR));
        let cfa = load("int reach_error; int main(void) { return 0; }");
        assert_eq!(standalone(&cfa, &[], &BTreeSet::new()).unwrap_err(), Clash(ERROR));
    }
}
