//! Assertions of a program: where they are, what they consist of, and programs that treat them otherwise.
//!
//! A *site* is one assertion: an error function that is called where a condition does not hold. A *clause* is one way to
//! fail: lowering makes conjuncts, disjuncts and `?:` branches, so each edge into the failing part is a conjunct, guarded by
//! what was evaluated before it. Where a *wrapper* (a function that does nothing but call the error function if its argument is zero) is
//! called, the call is the site, and the conjuncts of the argument are its clauses.
//!
//! [`treat`] gives every clause another consequence. With *observers* an assertion records and lets execution go on, as if it
//! were not there: a variable that no edge writes says which goal is looked at.
//!
//! Where evaluating the condition does more than branch, the assertion is one clause, at the call of the error function; runs that
//! violate it go on as others do.
//!
//! A call of an error function that stands alone, with other code in its branch, or with an `else`, has nothing behind it that
//! lowering kept: it ends its path in either semantics.
//! Source: propdiff's design 2.1, 4.6 (sites, guarded clauses, observer semantics).

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, FunctionId, Known, LocationId, Operation, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::known::is_assertion;
use program::source::Span;
use program::types::{IntRank, Type};
use program::violation::Violation;

use crate::Recast;
use crate::editor::Editor;
use crate::fold::{Guards, fold};

mod whole;

use whole::{Behind, has_other_branch};

/// How an assertion is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Style {
    /// `assert(c)`, also expanded by a preprocessor.
    Assert,
    /// A call of a function that fails if its argument is zero: `__VERIFIER_assert(c)`.
    Wrapper,
    /// `if (!c) reach_error();` and nothing else in the branch.
    Branch,
    /// An error function that is called whatever was before, or behind a condition that is made by more than branches: its clause
    /// is "never".
    Bare,
    /// A guard of an operation.
    Guard(Violation),
}

/// A clause, by the positions of its site and of itself there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClauseId {
    /// Position among the sites.
    pub site: usize,
    /// Position among the clauses of the site.
    pub clause: usize,
}

/// One way in which an assertion fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The edges into the failing part; none for a clause of a wrapper's argument.
    pub fails: Vec<EdgeId>,
    /// For a clause of a wrapper's argument, the conjunct: a scalar that is to be other than zero.
    pub conjunct: Option<ExprId>,
    /// What is to hold, as far as one place of the text says it.
    pub span: Span,
}

/// One assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where it begins.
    pub at: LocationId,
    /// Where execution goes on if it holds; for a bare one without a condition, nowhere.
    pub after: Option<LocationId>,
    /// Execution goes on, and nobody knows where: what is behind it is not understood on runs that violate it.
    pub is_lost: bool,
    /// The call of a wrapper.
    pub call: Option<EdgeId>,
    /// The edge that calls the error function.
    pub error: EdgeId,
    /// The locations of its conditions; none for a call, or a bare one.
    pub conditions: Vec<LocationId>,
    /// What it consists of, in the order of evaluation.
    pub clauses: Vec<Clause>,
    /// How it is written.
    pub style: Style,
    /// The whole assertion in the text.
    pub span: Span,
}

/// The assertions of a program, in the order of its edges.
#[must_use]
pub fn sites(cfa: &Cfa) -> Vec<Site> {
    let mut found = Vec::new();
    let wrappers = wrappers(cfa);
    for edge in cfa.edge_ids() {
        let Operation::Call { callee, arguments, .. } = &cfa.edge(edge).operation else { continue };
        if let Some(error) = wrappers.get(callee) {
            found.push(at_call(cfa, edge, arguments, *error));
        } else if cfa.location(cfa.edge(edge).target).is_error {
            let function = cfa.location(cfa.edge(edge).source).function;
            if !wrappers.contains_key(&function) {
                found.push(at_error(cfa, edge, *callee));
            }
        }
    }
    found
}

/// The functions that are opened at their calls, with the edge that calls the error function.
fn wrappers(cfa: &Cfa) -> BTreeMap<FunctionId, EdgeId> {
    let candidates = cfa.function_ids().filter(|id| *id != cfa.entry && !cfa.function(*id).address_taken);
    candidates.filter_map(|id| Some((id, wrapped_error(cfa, id)?))).collect()
}

/// The call of the error function in a function that does nothing but that, if its only parameter is zero.
fn wrapped_error(cfa: &Cfa, id: FunctionId) -> Option<EdgeId> {
    let function = cfa.function(id);
    let [parameter] = function.parameters[..] else { return None };
    if function.known == Some(Known::Error) || !is_integer(cfa, parameter) {
        return None;
    }
    let fork = cfa.out_edges(passed(cfa, function.entry?)?);
    let [yes, no] = fork else { return None };
    let holds = |edge: EdgeId| match cfa.edge(edge).operation {
        Operation::Assume { condition, truth } => Some(nonzero(cfa, condition, parameter)? == truth),
        _ => None,
    };
    let (yes, no) = match (holds(*yes)?, holds(*no)?) {
        (true, false) => (*yes, *no),
        (false, true) => (*no, *yes),
        _ => return None,
    };
    let end = passed(cfa, cfa.edge(yes).target)?;
    let ends = match cfa.out_edges(end) {
        [] => Some(end) == function.exit,
        [one] => matches!(cfa.edge(*one).operation, Operation::Return { value: None }),
        _ => false,
    };
    let [error] = cfa.out_edges(passed(cfa, cfa.edge(no).target)?) else { return None };
    (ends && cfa.location(cfa.edge(*error).target).is_error).then_some(*error)
}

fn is_integer(cfa: &Cfa, parameter: VarId) -> bool {
    let variable = cfa.variable(parameter);
    matches!(variable.kind, VarKind::Parameter(_))
        && !variable.address_taken
        && matches!(cfa.types.get(variable.ty.ty), Type::Bool | Type::Int { .. })
}

/// The location behind edges that do nothing.
fn passed(cfa: &Cfa, mut location: LocationId) -> Option<LocationId> {
    for _ in 0..8 {
        match cfa.out_edges(location) {
            [one] if matches!(cfa.edge(*one).operation, Operation::Blank) => location = cfa.edge(*one).target,
            _ => return Some(location),
        }
    }
    None
}

/// Whether a condition says that a parameter is not zero; `None` if it says something else.
fn nonzero(cfa: &Cfa, condition: ExprId, parameter: VarId) -> Option<bool> {
    match *cfa.exprs.get(condition) {
        Expr::Binary(op @ (BinaryOp::NotEqual | BinaryOp::Equal), value, zero) => {
            let is_zero = matches!(cfa.exprs.get(zero), Expr::Int(0));
            (is_zero && is_parameter(cfa, value, parameter)).then_some(op == BinaryOp::NotEqual)
        }
        Expr::Unary(UnaryOp::Not, value) if is_parameter(cfa, value, parameter) => Some(false),
        Expr::Unary(UnaryOp::Not, inner) => Some(!nonzero(cfa, inner, parameter)?),
        _ => None,
    }
}

/// Whether a value is a parameter, promoted perhaps.
fn is_parameter(cfa: &Cfa, value: ExprId, parameter: VarId) -> bool {
    match *cfa.exprs.get(value) {
        Expr::Load(place) => *cfa.exprs.get(place) == Expr::Variable(parameter),
        Expr::Cast(inner) => {
            let widens = match (cfa.types.get(cfa.exprs.ty(inner)), cfa.types.get(cfa.exprs.ty(value))) {
                (Type::Bool, Type::Int { .. }) => true,
                (Type::Int { rank: a, .. }, Type::Int { rank: b, .. }) => cfa.machine.int_size(*a) <= cfa.machine.int_size(*b),
                _ => false,
            };
            widens && is_parameter(cfa, inner, parameter)
        }
        _ => false,
    }
}

/// The assertion that is a call of a wrapper.
fn at_call(cfa: &Cfa, call: EdgeId, arguments: &[ExprId], error: EdgeId) -> Site {
    let edge = cfa.edge(call);
    let mut conjuncts = Vec::new();
    if let Some(argument) = arguments.first() {
        split(cfa, whole(cfa, *argument), &mut conjuncts);
    }
    let clauses =
        conjuncts.into_iter().map(|conjunct| Clause { fails: Vec::new(), conjunct: Some(conjunct), span: edge.span }).collect();
    Site {
        at: edge.source,
        after: Some(edge.target),
        is_lost: false,
        call: Some(call),
        error,
        conditions: Vec::new(),
        clauses,
        style: Style::Wrapper,
        span: edge.span,
    }
}

/// A truth value without the conversion to the type of a parameter.
fn whole(cfa: &Cfa, value: ExprId) -> ExprId {
    match *cfa.exprs.get(value) {
        Expr::Cast(inner) if is_truth(cfa, inner) => inner,
        _ => value,
    }
}

fn is_truth(cfa: &Cfa, value: ExprId) -> bool {
    match *cfa.exprs.get(value) {
        Expr::Binary(op, ..) => op.is_predicate(),
        Expr::Unary(UnaryOp::Not, _) => true,
        _ => false,
    }
}

/// The conjuncts of a value. Operands of `&&` as a value neither trap nor have effects, so that each may be tested alone.
fn split(cfa: &Cfa, value: ExprId, conjuncts: &mut Vec<ExprId>) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match *cfa.exprs.get(value) {
            Expr::Binary(BinaryOp::LogicalAnd, a, b) => pending.extend([b, a]),
            Expr::Binary(BinaryOp::NotEqual, inner, zero)
                if matches!(cfa.exprs.get(zero), Expr::Int(0)) && is_truth(cfa, inner) =>
            {
                pending.push(inner);
            }
            _ => conjuncts.push(value),
        }
    }
}

/// The assertion whose failing part calls an error function.
fn at_error(cfa: &Cfa, error: EdgeId, callee: FunctionId) -> Site {
    let edge = cfa.edge(error);
    let style = match Violation::of_function(&cfa.function(callee).name) {
        Some(violation) => Style::Guard(violation),
        None if is_assertion(&cfa.function(callee).name) => Style::Assert,
        None => Style::Branch,
    };
    let failing = failing(cfa, edge.source);
    let is_assume = |edge: &EdgeId| matches!(cfa.edge(*edge).operation, Operation::Assume { .. });
    let region = (!failing.is_empty() && failing.iter().all(is_assume)).then(|| Region::around(cfa, &failing, error)).flatten();
    let Some(Region { at, after, span, inside }) = region else {
        return at_bare(cfa, error, &failing, style);
    };
    let clause = |fails: EdgeId| Clause { fails: vec![fails], conjunct: None, span: cfa.edge(fails).span };
    let clauses = failing.into_iter().map(clause).collect();
    Site { at, after: Some(after), is_lost: false, call: None, error, conditions: inside, clauses, style, span }
}

/// The assertion that is one clause, which says "never".
fn at_bare(cfa: &Cfa, error: EdgeId, failing: &[EdgeId], style: Style) -> Site {
    let edge = cfa.edge(error);
    let behind = match style {
        // A guard stands in front of the operation that the rest of its statement is.
        Style::Guard(_) => Behind::Nothing,
        Style::Assert | Style::Wrapper | Style::Branch | Style::Bare => whole::behind(cfa, failing, error, style),
    };
    let (after, span) = match behind {
        Behind::At(after, statement) => (Some(after), statement),
        Behind::Nothing | Behind::Somewhere => (None, edge.span),
    };
    Site {
        at: edge.source,
        after,
        is_lost: behind == Behind::Somewhere,
        call: None,
        error,
        conditions: Vec::new(),
        clauses: vec![Clause { fails: vec![error], conjunct: None, span: edge.span }],
        style: Style::Bare,
        span,
    }
}

/// The edges that lead to a location, edges that do nothing passed over.
fn failing(cfa: &Cfa, location: LocationId) -> Vec<EdgeId> {
    let mut failing: Vec<EdgeId> = Vec::new();
    let mut pending = vec![location];
    let mut seen = BTreeSet::from([location]);
    while let Some(location) = pending.pop() {
        let is_entry = cfa.function(cfa.location(location).function).entry == Some(location);
        if is_entry {
            return Vec::new();
        }
        for edge in cfa.in_edges(location) {
            let source = cfa.edge(*edge).source;
            match cfa.edge(*edge).operation {
                Operation::Blank if seen.insert(source) => pending.push(source),
                Operation::Blank => {}
                _ => failing.push(*edge),
            }
        }
    }
    failing.sort_unstable();
    failing
}

/// The conditions of an assertion.
struct Region {
    at: LocationId,
    after: LocationId,
    span: Span,
    inside: Vec<LocationId>,
}

impl Region {
    /// The conditions that lead to failing edges and to one other place only, all of one statement.
    fn around(cfa: &Cfa, failing: &[EdgeId], error: EdgeId) -> Option<Self> {
        let statement = failing.iter().fold(cfa.edge(*failing.first()?).statement, |all, edge| all.to(cfa.edge(*edge).statement));
        // What only stands in front of a call is no condition of it; one that is jumped to may be anywhere.
        if !statement.contains(cfa.edge(error).span) && !is_labelled(cfa, error) {
            return None;
        }
        let of_statement = |edge: &EdgeId| {
            let edge = cfa.edge(*edge);
            matches!(edge.operation, Operation::Assume { .. })
                && statement.contains(edge.span)
                && statement.contains(edge.statement)
        };
        let is_condition = |location: LocationId| {
            let edges = cfa.out_edges(location);
            !edges.is_empty() && edges.iter().all(of_statement)
        };
        let mut inside: BTreeSet<LocationId> = failing.iter().map(|edge| cfa.edge(*edge).source).collect();
        let mut pending: Vec<LocationId> = inside.iter().copied().collect();
        while let Some(location) = pending.pop() {
            let edges = cfa.in_edges(location);
            // What other code leads to is where conditions begin.
            if !edges.is_empty() && edges.iter().all(|edge| of_statement(edge) && is_condition(cfa.edge(*edge).source)) {
                pending.extend(edges.iter().map(|edge| cfa.edge(*edge).source).filter(|source| inside.insert(*source)));
            }
        }
        let enters = |location: LocationId| {
            let function = cfa.function(cfa.location(location).function);
            function.entry == Some(location)
                || cfa.in_edges(location).iter().any(|edge| !inside.contains(&cfa.edge(*edge).source))
        };
        let mut begins = inside.iter().copied().filter(|location| enters(*location));
        let at = begins.next().filter(|_| begins.next().is_none())?;
        let passing: BTreeSet<LocationId> = inside
            .iter()
            .flat_map(|location| cfa.out_edges(*location))
            .filter(|edge| !failing.contains(edge))
            .map(|edge| cfa.edge(*edge).target)
            .filter(|target| !inside.contains(target))
            .collect();
        let mut passing = passing.into_iter();
        let after = passing.next().filter(|_| passing.next().is_none())?;
        // With an `else` what follows would be the other branch.
        let is_else = |edge: &EdgeId| {
            let span = cfa.edge(*edge).statement;
            let is_behind = span.lo > cfa.edge(error).span.lo;
            let is_case = cfa.source.slice(statement).starts_with(b"switch");
            statement.contains(span) && span != statement && (is_behind || is_case)
        };
        let has_else = cfa.out_edges(after).iter().any(is_else) || has_other_branch(cfa, statement, cfa.edge(error).span);
        (!has_else).then(|| Self { at, after, span: statement, inside: inside.into_iter().collect() })
    }
}

/// Whether a label stands in front of what an edge does.
fn is_labelled(cfa: &Cfa, edge: EdgeId) -> bool {
    let text = cfa.source.text().get(..cfa.edge(edge).statement.lo as usize).unwrap_or_default();
    let before = text.iter().rev().find(|byte| !byte.is_ascii_whitespace() && **byte != b'{');
    before == Some(&b':')
}

/// What becomes of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treat {
    /// It has an error location of its own, shared by all clauses of the same number.
    Goal(u32),
    /// Runs that violate it end: it was proved, so that there are none.
    Fact,
    /// It is not looked at.
    Nothing,
}

/// What an assertion that does not hold does to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    /// The run ends in the error location of the goal.
    Stop,
    /// It is recorded, and the run goes on: each goal is looked at on its own.
    Observer,
}

/// A program whose assertions have other consequences.
#[derive(Debug)]
pub struct Treated {
    /// The program.
    pub recast: Recast,
    /// The error locations of each goal: one in each function.
    pub goals: BTreeMap<u32, Vec<LocationId>>,
    /// The edges of the program that are passed when a clause is violated.
    pub fails: Vec<(ClauseId, EdgeId)>,
    /// Which goal is looked at, for observers: no edge writes it.
    pub choice: Option<VarId>,
}

/// A program whose assertions have other consequences, with the error locations of each goal: one in each function.
///
/// As observers, goals that are violated let runs go on; else runs end in the error location of the first. Clauses
/// that are [`Treat::Nothing`] let runs go on in either way, and the other clauses of a site that one violates are not
/// looked at: each is guarded by those before it. Exact but for sites that have nothing behind them, where a run ends, and those
/// that are lost, behind which it comes to an operation that is not understood.
#[must_use]
pub fn treat(cfa: &Cfa, sites: &[Site], of: &dyn Fn(ClauseId) -> Treat, semantics: Semantics) -> Treated {
    let mut editor = Editor::new(cfa);
    for location in &mut editor.parts.locations {
        location.is_error = false;
    }
    let goals: BTreeSet<u32> =
        ids(sites).filter_map(|id| if let Treat::Goal(goal) = of(id) { Some(goal) } else { None }).collect();
    let unsigned = editor.ty(Type::Int { rank: IntRank::Int, signed: false });
    // One goal alone needs no choice: whoever violates it has found what is looked for, or there is nobody.
    let choice = (semantics == Semantics::Observer && !goals.is_empty()).then(|| editor.choice("goal", unsigned));
    let mut treating = Treating { editor, choice, unsigned, errors: BTreeMap::new(), fails: Vec::new() };
    for (number, site) in sites.iter().enumerate() {
        let treats: Vec<Treat> = (0..site.clauses.len()).map(|clause| of(ClauseId { site: number, clause })).collect();
        match site.call {
            Some(call) => treating.open((number, site), call, &treats),
            None => treating.site((number, site), &treats),
        }
    }
    let mut errors: BTreeMap<u32, Vec<LocationId>> = goals.into_iter().map(|goal| (goal, Vec::new())).collect();
    for ((goal, _), location) in treating.errors {
        errors.entry(goal).or_default().push(location);
    }
    let goals = errors;
    Treated { recast: treating.editor.finish(), goals, fails: treating.fails, choice }
}

/// All clauses.
pub fn ids(sites: &[Site]) -> impl Iterator<Item = ClauseId> + '_ {
    sites.iter().enumerate().flat_map(|(site, one)| (0..one.clauses.len()).map(move |clause| ClauseId { site, clause }))
}

struct Treating {
    editor: Editor,
    choice: Option<VarId>,
    unsigned: program::types::TypeId,
    errors: BTreeMap<(u32, FunctionId), LocationId>,
    fails: Vec<(ClauseId, EdgeId)>,
}

impl Treating {
    /// A goal is reached from a location.
    fn goal(&mut self, from: LocationId, goal: u32, at: (Span, Span)) {
        let function = self.editor.parts.locations[from.index()].function;
        let known = self.errors.get(&(goal, function)).copied();
        let error = self.editor.error_behind(from, known, at);
        self.errors.insert((goal, function), error);
    }

    /// An assertion whose conditions are edges.
    fn site(&mut self, (number, site): (usize, &Site), treats: &[Treat]) {
        for (position, (clause, treat)) in site.clauses.iter().zip(treats).enumerate() {
            for fails in &clause.fails {
                self.fails.push((ClauseId { site: number, clause: position }, *fails));
                let edge = self.editor.edge(*fails).clone();
                let at = (edge.span, edge.statement);
                let target = self.consequence(edge.source, site, *treat, at);
                if *fails == site.error {
                    // A call that stands alone becomes the way to what it has for a consequence.
                    self.editor.parts.edges[fails.index()].operation = Operation::Blank;
                }
                self.editor.lead(*fails, target);
            }
        }
    }

    /// A call of a wrapper becomes conditions on its argument.
    fn open(&mut self, (number, site): (usize, &Site), call: EdgeId, treats: &[Treat]) {
        let edge = self.editor.edge(call).clone();
        let at = (edge.span, edge.statement);
        let mut here = self.editor.location_beside(edge.source);
        self.editor.parts.edges[call.index()].operation = Operation::Blank;
        self.editor.lead(call, here);
        for (position, (clause, treat)) in site.clauses.iter().zip(treats).enumerate() {
            let Some(conjunct) = clause.conjunct else { continue };
            let is_last = position + 1 == site.clauses.len();
            let next = if is_last { edge.target } else { self.editor.location_beside(edge.source) };
            let condition = self.editor.truth(conjunct);
            let fails = self.consequence(edge.source, site, *treat, at);
            self.editor.branch(here, condition, (next, fails), at);
            let last = EdgeId::new(self.editor.parts.edges.len() - 1);
            self.fails.push((ClauseId { site: number, clause: position }, last));
            here = next;
        }
        if site.clauses.is_empty() {
            self.editor.lead(call, edge.target);
        }
    }

    /// Where a violated clause leads.
    fn consequence(&mut self, beside: LocationId, site: &Site, treat: Treat, at: (Span, Span)) -> LocationId {
        match treat {
            Treat::Fact => self.editor.location_beside(beside),
            Treat::Nothing => self.behind(beside, site, at),
            Treat::Goal(goal) => {
                let begin = self.editor.location_beside(beside);
                let Some(choice) = self.choice else {
                    self.goal(begin, goal, at);
                    return begin;
                };
                let after = self.behind(beside, site, at);
                let chosen = self.editor.location_beside(beside);
                let (value, number) = (self.editor.load(choice), self.editor.number(self.unsigned, u128::from(goal)));
                let condition = self.editor.equal(value, number);
                self.editor.branch(begin, condition, (chosen, after), at);
                self.goal(chosen, goal, at);
                begin
            }
        }
    }

    /// Where a run goes on that has violated an assertion.
    fn behind(&mut self, beside: LocationId, site: &Site, at: (Span, Span)) -> LocationId {
        if let Some(after) = site.after {
            return after;
        }
        let end = self.editor.location_beside(beside);
        if !site.is_lost {
            return end;
        }
        let begin = self.editor.location_beside(beside);
        let construct = "what is behind an assertion that does not hold".into();
        self.editor.add(begin, end, Operation::Unsupported { construct }, at);
        begin
    }
}

/// A program without its assertions.
#[derive(Debug)]
pub struct Stripped {
    /// The program; its locations keep their numbers, those of assertions are left out.
    pub recast: Recast,
    /// Where each site was: sites with nothing between them are at one location.
    pub at: Vec<LocationId>,
    /// What holds at each site besides, where it was in a branch in which nothing is left.
    pub guards: Vec<Guards>,
}

/// Takes assertions out of a program: what leads to one leads behind it. What evaluating them does besides is code and stays.
/// Where execution never comes back from an error function, it ends. Branches in which nothing is left go too, where evaluating
/// the condition does nothing (`is_pure`): an assertion in one is guarded by it.
#[must_use]
pub fn strip(cfa: &Cfa, sites: &[Site], is_pure: &dyn Fn(ExprId) -> bool) -> Stripped {
    let mut editor = Editor::new(cfa);
    let mut instead: BTreeMap<LocationId, LocationId> = BTreeMap::new();
    let mut kept: Vec<(&Site, LocationId)> = Vec::new();
    for site in sites {
        // Where other ways come in behind an assertion, more data states are there than at it: it keeps a place of its own.
        let is_own = |edge: &EdgeId| Some(*edge) == site.call || site.conditions.contains(&cfa.edge(*edge).source);
        match site.after {
            Some(after) if cfa.in_edges(after).iter().all(is_own) && !is_entry(cfa, after) => {
                instead.insert(site.at, after);
            }
            Some(after) => kept.push((site, after)),
            None => {}
        }
    }
    let behind = |mut location: LocationId| {
        // A loop of nothing but assertions stays one: it has no place behind it.
        let mut seen = BTreeSet::new();
        while let Some(next) = instead.get(&location).filter(|_| seen.insert(location)) {
            location = *next;
        }
        location
    };
    for location in &mut editor.parts.locations {
        location.is_error = false;
    }
    for function in &mut editor.parts.functions {
        function.entry = function.entry.map(behind);
    }
    for (site, after) in kept {
        for edge in cfa.out_edges(site.at) {
            // These are replaced by the one edge that follows.
            let nowhere = editor.location_beside(site.at);
            editor.parts.edges[edge.index()].source = nowhere;
        }
        editor.add(site.at, after, Operation::Blank, (site.span, site.span));
    }
    for edge in &mut editor.parts.edges {
        edge.target = behind(edge.target);
    }
    for site in sites.iter().filter(|site| site.after.is_none()) {
        editor.parts.edges[site.error.index()].operation = Operation::Blank;
    }
    let mut at: Vec<LocationId> = sites.iter().map(|site| behind(site.at)).collect();
    editor.drop_unreached();
    let guards = fold(&mut editor, &mut at, is_pure);
    Stripped { recast: editor.finish(), at, guards }
}

fn is_entry(cfa: &Cfa, location: LocationId) -> bool {
    cfa.function(cfa.location(location).function).entry == Some(location)
}
