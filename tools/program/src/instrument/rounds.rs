//! Locals that are declared again and again while a pointer to the object of an earlier round may still be there.
//!
//! The object of each round is another one (C11 6.2.4p6), although all of them lie at one address. What may be kept from round
//! to round is found without an order of statements: from the address of the local along assignments, arguments and results, to
//! variables that live longer than a round, or to a store through a pointer, which may go anywhere.
//!
//! * Soundness: a pointer that reaches a later round has come along such a way. Where all ends of these ways are plain pointers,
//!   they lead nowhere from the next declaration on; otherwise an access through a pointer to the local of a later round is
//!   unsupported.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::builder::Builder;
use super::callers::{calls, reaches};
use super::ways::Ways;
use super::{Lifetime, Step};
use crate::cfa::{Edge, FunctionId, LocationId, Operation, VarId, VarKind};
use crate::expr::Expr;
use crate::source::Span;
use crate::types::Type;

/// More pointers are not looked at one by one.
pub(super) const MOST_HOLDERS: usize = 4;

/// What is said where a pointer leads to a local that may be of another round.
pub(super) const EARLIER_ROUND: &str = "pointer to a local that is there again, where one to the earlier may be kept";

/// What happens where a local is declared again.
#[derive(Clone, Debug)]
pub(super) enum Round {
    /// These pointers lead nowhere from then on if they lead to it.
    Reset(Vec<VarId>),
    /// Nobody knows which pointers lead to it: set at the first declaration in a call, and at the next one; the second from the
    /// beginning on where a round may jump over the declaration.
    Count { begun: VarId, again: VarId, is_jumped_over: bool },
}

/// The locals that somebody may point to after their round.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    found: BTreeMap<VarId, Round>,
    /// An object that nothing may be accessed in.
    nowhere: Option<VarId>,
}

/// What is known of locals.
pub(super) struct Locals<'a> {
    /// Those whose address is taken, by function, with their bytes.
    pub(super) automatic: &'a BTreeMap<FunctionId, Vec<(VarId, u64)>>,
    pub(super) lifetimes: &'a FxHashMap<VarId, Lifetime>,
    /// Those of which the bytes are known before the program runs.
    pub(super) fixed: FxHashSet<VarId>,
}

impl Rounds {
    /// Adds the ghosts that are needed.
    pub(super) fn new(builder: &mut Builder<'_>, locals: &Locals<'_>) -> Self {
        let repeated = repeated(builder, locals);
        let mut rounds = Self::default();
        if repeated.is_empty() {
            return rounds;
        }
        let (ways, calls) = (Ways::new(builder), calls(builder));
        for (variable, is_declared) in repeated {
            let (reached, is_moved) = ways.from(variable);
            let holders = (0..ways.variables).filter(|node| reached.contains(node)).map(VarId::new);
            let holders: Vec<VarId> =
                holders.filter(|holder| outlives(builder, locals.lifetimes, &calls, *holder, variable)).collect();
            let is_stored = reached.contains(&ways.stored());
            if !is_stored && holders.is_empty() {
                continue;
            }
            let own = builder.parts.variables[variable.index()].function;
            let may_stay = locals.lifetimes.get(&variable).is_none_or(|lifetime| lifetime.has_label);
            let is_known = is_declared && !may_stay && !is_stored && !is_moved && locals.fixed.contains(&variable);
            let round =
                if is_known && holders.len() <= MOST_HOLDERS && holders.iter().all(|holder| is_plain(builder, *holder, own)) {
                    rounds.nowhere.get_or_insert_with(|| nowhere(builder));
                    Round::Reset(holders)
                } else {
                    count(builder, variable, may_stay || !is_declared)
                };
            rounds.found.insert(variable, round);
        }
        rounds
    }

    /// Whether an access to a local through a pointer may mean that of an earlier round.
    pub(super) fn again(&self, variable: VarId) -> Option<VarId> {
        match self.found.get(&variable)? {
            Round::Count { again, .. } => Some(*again),
            Round::Reset(_) => None,
        }
    }

    /// Behind the declaration of a local of so many bytes.
    pub(super) fn begin(&self, builder: &mut Builder<'_>, variable: VarId, size: Option<u64>, steps: &mut Vec<Step>) {
        match self.found.get(&variable) {
            None => {}
            Some(Round::Count { is_jumped_over: true, .. }) => {}
            Some(Round::Count { begun, again, .. }) => {
                let before = builder.load(*begun);
                let one = builder.number(builder.int, 1);
                steps.extend([Step::Assign(*again, before), Step::Assign(*begun, one)]);
            }
            Some(Round::Reset(holders)) => {
                let Some((nowhere, last)) = self.nowhere.zip(size.and_then(|size| size.checked_sub(1))) else { return };
                steps.extend(holders.iter().map(|holder| lead_away(builder, *holder, (variable, last), nowhere)));
            }
        }
    }

    /// Where a call of a function begins: none of its rounds has begun.
    pub(super) fn enter(&self, builder: &mut Builder<'_>, function: FunctionId) -> Vec<Step> {
        let mut steps = Vec::new();
        for (variable, round) in &self.found {
            if let Round::Count { begun, again, is_jumped_over } = round
                && builder.parts.variables[variable.index()].function == Some(function)
            {
                let first = [builder.number(builder.int, 0), builder.number(builder.int, u64::from(*is_jumped_over))];
                steps.extend([Step::Assign(*begun, first[0]), Step::Assign(*again, first[1])]);
            }
        }
        steps
    }
}

/// That a pointer leads nowhere from now on if it leads to a local, of which the last byte has this number.
pub(super) fn lead_away(builder: &mut Builder<'_>, holder: VarId, (local, last): (VarId, u64), nowhere: VarId) -> Step {
    let pointer = builder.load(holder);
    let (address, start) = (builder.address(pointer), builder.start_of(local));
    let last = builder.number(builder.word, last);
    let leads = builder.is_near(address, start, last);
    let ty = builder.parts.variables[holder.index()].ty.ty;
    let nowhere = builder.start_of(nowhere);
    let nowhere = builder.converted(nowhere, ty);
    Step::Assign(holder, builder.choose(leads, nowhere, pointer))
}

/// Whether a variable is a pointer that nobody else can change and that can be set where a local of this function is declared.
pub(super) fn is_plain(builder: &Builder<'_>, holder: VarId, own: Option<FunctionId>) -> bool {
    let holder = &builder.parts.variables[holder.index()];
    let is_here = !holder.is_automatic() || holder.function == own;
    is_here && !holder.address_taken && matches!(builder.parts.types.get(holder.ty.ty), Type::Pointer(_))
}

fn nowhere(builder: &mut Builder<'_>) -> VarId {
    let nowhere = builder.ghost("nowhere", builder.int);
    builder.parts.variables[nowhere.index()].address_taken = true;
    nowhere
}

fn count(builder: &mut Builder<'_>, variable: VarId, is_jumped_over: bool) -> Round {
    let name = {
        let variable = &builder.parts.variables[variable.index()];
        let function = variable.function.map_or("", |function| &*builder.parts.functions[function.index()].name);
        format!("{function}_{}_{}", variable.name, variable.ordinal)
    };
    let int = builder.int;
    let (begun, again) = (builder.ghost(&format!("begun_{name}"), int), builder.ghost(&format!("again_{name}"), int));
    Round::Count { begun, again, is_jumped_over }
}

/// The locals of blocks that may be entered again in one call, each with whether its declaration is passed then: where a label
/// stands in a block, the way may as well stay in it.
fn repeated(builder: &Builder<'_>, locals: &Locals<'_>) -> BTreeMap<VarId, bool> {
    let taken = locals.automatic.values().flatten().map(|(variable, _)| *variable);
    let blocks = taken.filter_map(|local| Some((local, locals.lifetimes.get(&local).filter(|lifetime| !lifetime.is_body)?)));
    let blocks: BTreeMap<VarId, &Lifetime> = blocks.collect();
    if blocks.is_empty() {
        return BTreeMap::new();
    }
    let flow = Flow::new(builder);
    let mut declared = BTreeSet::new();
    for edge in &builder.parts.edges {
        if let Some(variable) = begun(builder, &edge.operation)
            && blocks.contains_key(&variable)
            && flow.reached(&[edge.target]).contains(&edge.source)
        {
            declared.insert(variable);
        }
    }
    let mut found = BTreeMap::new();
    for (local, lifetime) in blocks {
        let is_declared = declared.contains(&local);
        if is_declared || lifetime.has_label || flow.comes_back(builder, local, lifetime.block) {
            found.insert(local, is_declared);
        }
    }
    found
}

/// The local that begins to live behind an operation: it is declared, or a literal that gets its value.
pub(super) fn begun(builder: &Builder<'_>, operation: &Operation) -> Option<VarId> {
    match *operation {
        Operation::Declare { variable } => Some(variable),
        Operation::Assign { place, .. } => match builder.get(place) {
            Expr::Variable(variable) if is_literal(builder, variable) => Some(variable),
            _ => None,
        },
        _ => None,
    }
}

fn is_literal(builder: &Builder<'_>, variable: VarId) -> bool {
    matches!(builder.parts.variables[variable.index()].kind, VarKind::CompoundLiteral)
}

/// Which locations follow each other.
struct Flow {
    leaving: BTreeMap<LocationId, Vec<LocationId>>,
}

impl Flow {
    fn new(builder: &Builder<'_>) -> Self {
        let mut leaving: BTreeMap<LocationId, Vec<LocationId>> = BTreeMap::new();
        for edge in &builder.parts.edges {
            leaving.entry(edge.source).or_default().push(edge.target);
        }
        Self { leaving }
    }

    /// The locations on ways from these on.
    fn reached(&self, from: &[LocationId]) -> FxHashSet<LocationId> {
        let mut seen = FxHashSet::default();
        let mut pending = from.to_vec();
        while let Some(at) = pending.pop() {
            if seen.insert(at) {
                pending.extend(self.leaving.get(&at).into_iter().flatten());
            }
        }
        seen
    }

    /// Whether a way leads out of the block of a local and into it again.
    fn comes_back(&self, builder: &Builder<'_>, local: VarId, block: Span) -> bool {
        let own = builder.parts.variables[local.index()].function;
        let of_function = |edge: &&Edge| Some(builder.parts.locations[edge.source.index()].function) == own;
        let (inside, outside): (Vec<&Edge>, Vec<&Edge>) =
            builder.parts.edges.iter().filter(of_function).partition(|edge| block.contains(edge.span));
        let targets: Vec<LocationId> = inside.iter().map(|edge| edge.target).collect();
        let left = self.reached(&targets);
        let outside: Vec<LocationId> =
            outside.iter().filter(|edge| left.contains(&edge.source)).map(|edge| edge.target).collect();
        let again = self.reached(&outside);
        inside.iter().any(|edge| again.contains(&edge.source))
    }
}

/// Whether a variable may keep its value into the next round of a local.
fn outlives(
    builder: &Builder<'_>,
    lifetimes: &FxHashMap<VarId, Lifetime>,
    calls: &BTreeMap<FunctionId, Vec<FunctionId>>,
    holder: VarId,
    local: VarId,
) -> bool {
    let variable = &builder.parts.variables[holder.index()];
    let own = builder.parts.variables[local.index()].function;
    if matches!(variable.kind, VarKind::Temporary(_)) {
        return false;
    }
    let Some(function) = variable.function.filter(|_| variable.is_automatic()) else { return true };
    if Some(function) != own {
        // That of a function which waits while the local lives and dies.
        return own.is_some_and(|own| calls.get(&function).is_some_and(|callees| reaches(calls, callees, own)));
    }
    match (lifetimes.get(&holder), lifetimes.get(&local)) {
        (Some(holder), Some(local)) => {
            // Where a label stands in a block, its declarations may be jumped over.
            let is_declared_again = holder.is_named && holder.begin != 0 && (holder.block != local.block || !local.has_label);
            !(local.block.contains(holder.block) && is_declared_again)
        }
        _ => true,
    }
}
