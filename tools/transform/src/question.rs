//! Questions about values alone: does a condition follow from others, whatever the variables are?
//!
//! What is made is a program without loops whose variables have any values: it supposes the facts, and reaches a goal where
//! a claim does not hold. Exact for conditions on plain variables; pointers lead nowhere in it, so callers ask of no others.

use std::collections::BTreeMap;

use program::cfa::{Cfa, CfaParts, FunctionId, Linkage, LocationId, Operation, VarKind, Variable};
use program::expr::ExprId;
use program::source::Span;
use program::types::{FunctionType, IntRank, QualType, Type};

use crate::editor::{Editor, plain_function};

/// A program that asks whether claims follow from facts.
#[derive(Debug)]
pub struct Question {
    /// The program.
    pub cfa: Cfa,
    /// For each claim the error locations: unreachable iff it follows.
    pub goals: Vec<Vec<LocationId>>,
}

/// Asks whether each claim holds wherever all its facts do. The conditions are scalars in the arena of `editor`, whose program
/// is used up.
#[must_use]
pub fn question(editor: Editor, asked: &[(Vec<ExprId>, ExprId)]) -> Question {
    let (parts, entry) = arbitrary(&editor.finish().cfa);
    let mut asking = Editor::of(parts, Vec::new());
    let at = (Span::default(), Span::default());
    let (start, exit) = (asking.location_in(entry), asking.location_in(entry));
    let function = &mut asking.parts.functions[entry.index()];
    (function.entry, function.exit) = (Some(start), Some(exit));
    let unsigned = asking.ty(Type::Int { rank: IntRank::Int, signed: false });
    let choice = asking.choice("question", unsigned);
    let mut goals: BTreeMap<usize, Vec<LocationId>> = BTreeMap::new();
    let mut here = start;
    for (number, (facts, claim)) in asked.iter().enumerate() {
        let (chosen, other) = (asking.location_in(entry), asking.location_in(entry));
        let (value, wanted) = (asking.load(choice), asking.number(unsigned, number as u128));
        let is_asked = asking.equal(value, wanted);
        asking.branch(here, is_asked, (chosen, other), at);
        let mut inside = chosen;
        for fact in facts {
            let (next, end) = (asking.location_in(entry), asking.location_in(entry));
            let condition = asking.truth(*fact);
            asking.branch(inside, condition, (next, end), at);
            inside = next;
        }
        let (fine, fails) = (asking.location_in(entry), asking.location_in(entry));
        let condition = asking.truth(*claim);
        asking.branch(inside, condition, (fine, fails), at);
        goals.entry(number).or_default().push(asking.error_behind(fails, None, at));
        asking.add(fine, exit, Operation::Return { value: None }, at);
        here = other;
    }
    asking.add(here, exit, Operation::Return { value: None }, at);
    Question { cfa: asking.finish().cfa, goals: goals.into_values().collect() }
}

/// The tables of a program whose variables all have any value, with a function that has no body yet.
fn arbitrary(cfa: &Cfa) -> (CfaParts, FunctionId) {
    let any = |(index, variable): (usize, &Variable)| Variable {
        name: format!("{}__{index}", variable.name).into(),
        ordinal: 0,
        kind: VarKind::Global { linkage: Linkage::External, defined: false },
        function: None,
        initializer: None,
        ..variable.clone()
    };
    let mut functions = cfa.functions.clone();
    for function in &mut functions {
        (function.entry, function.exit) = (None, None);
        function.parameters.clear();
    }
    let mut types = cfa.types.clone();
    let void = types.intern(Type::Void);
    let ty = FunctionType { result: QualType::plain(void), parameters: Vec::new(), variadic: false, unprototyped: false };
    let ty = types.intern(Type::Function(ty));
    functions.push(plain_function("__residue_question", ty));
    let entry = FunctionId::new(functions.len() - 1);
    let parts = CfaParts {
        source: cfa.source.clone(),
        options: cfa.options.clone(),
        machine: cfa.machine,
        types,
        exprs: cfa.exprs.clone(),
        variables: cfa.variables.iter().enumerate().map(any).collect(),
        functions,
        locations: Vec::new(),
        edges: Vec::new(),
        entry,
        digest: None,
    };
    (parts, entry)
}
