//! Which sums of variables no round of a loop changes: `a * x + b * y + c * z == d`, read off what rounds add to each.
//!
//! What one branch takes from one variable and gives to another is seen, and what several loops do to the same variables: all
//! loops are looked at together, and each by itself. Used for proposals only, so nothing rests on it.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use smt::terms::Substitution;
use smt::{Op, TermId, TermStore};

use super::blocks::Entry;
use super::steps::{Known, Lines, holders, is_number, signed};
use crate::block::Exit;
use crate::control::{Position, Target};
use crate::session::Start;

/// Variables that are added up, of all that rounds change.
const VARIABLES: usize = 8;

/// Conditions of one round that are told apart.
const CONDITIONS: usize = 3;

/// The largest factor of two or three variables; more are only added and subtracted.
const FACTOR: i128 = 3;

/// Sums of one group of loops.
const MOST: usize = 12;

/// What a group of loops does.
#[derive(Debug, Default)]
struct Group {
    /// What the rounds add, by branch.
    rounds: Vec<BTreeMap<TermId, i128>>,
    /// What they change in another way.
    wild: IndexSet<TermId>,
    changed: IndexSet<TermId>,
    /// What variables are before the first round, by the way that leads there.
    beginnings: Vec<BTreeMap<TermId, TermId>>,
}

/// Equations for the heads of loops.
pub(super) fn sums(store: &mut TermStore, entries: &[Entry], known: &Known) -> Lines {
    let heads: IndexSet<Position> = entries.iter().flat_map(|(_, _, block)| &block.exits).filter_map(head_of).collect();
    let mut groups: Vec<IndexSet<Position>> = heads.iter().map(|head| IndexSet::from([*head])).collect();
    if heads.len() > 1 {
        groups.push(heads);
    }
    let mut found = Lines::new();
    for heads in groups {
        let group = group(store, entries, &heads, known);
        for equation in conserved(store, &group) {
            for head in &heads {
                found.entry(head.location).or_default().insert(equation);
            }
        }
    }
    found
}

fn head_of(exit: &Exit) -> Option<Position> {
    match exit.target {
        Target::Head(to) => Some(to),
        Target::Error(_) | Target::Obstacle(..) => None,
    }
}

fn group(store: &mut TermStore, entries: &[Entry], heads: &IndexSet<Position>, known: &Known) -> Group {
    let mut group = Group::default();
    for (from, start, block) in entries {
        for exit in block.exits.iter().filter(|exit| head_of(exit).is_some_and(|to| heads.contains(&to))) {
            if *start == Start::Anywhere && heads.contains(from) {
                let changes: Vec<_> = exit.state.iter().filter(|(of, value)| of != value && is_number(store, *of)).collect();
                group.changed.extend(exit.state.iter().filter(|(of, value)| of != value).map(|(of, _)| of));
                note_round(store, &changes, &mut group);
            } else {
                let mut beginning: BTreeMap<TermId, TermId> = known.get(from).cloned().unwrap_or_default();
                let pairs: Vec<(TermId, TermId)> = beginning.iter().map(|(of, value)| (*of, *value)).collect();
                let mut put = Substitution::of(store, &pairs);
                beginning.extend(exit.state.iter().map(|(of, value)| (of, put.apply(store, value))));
                group.beginnings.push(beginning);
            }
        }
    }
    group
}

/// Notes what a round adds to variables, for each way its conditions may turn out.
fn note_round(store: &mut TermStore, changes: &[(TermId, TermId)], group: &mut Group) {
    let steps: Vec<(TermId, TermId)> = changes.iter().map(|(of, value)| (*of, store.sub(*value, *of))).collect();
    let terms: Vec<TermId> = steps.iter().map(|(_, step)| *step).collect();
    let mut conditions: IndexSet<TermId> = IndexSet::new();
    store.visit(&terms, |term, op| {
        if op == Op::Ite {
            conditions.extend(store.args(term).first().copied());
        }
        op != Op::Select
    });
    conditions.truncate(CONDITIONS);
    for choice in 0..1_u32 << conditions.len() {
        let truth = |(at, condition): (usize, &TermId)| (*condition, if choice >> at & 1 == 1 { store.tt() } else { store.ff() });
        let pairs: Vec<(TermId, TermId)> = conditions.iter().enumerate().map(truth).collect();
        let mut put = Substitution::of(store, &pairs);
        let mut round = BTreeMap::new();
        for (variable, value) in changes {
            // The difference is taken last: a choice between two sums is no sum.
            let value = put.apply(store, *value);
            let step = store.sub(value, *variable);
            match store.as_bits(step) {
                Some(bits) => _ = round.insert(*variable, signed(bits, store.width(*variable))),
                None => _ = group.wild.insert(*variable),
            }
        }
        group.rounds.push(round);
    }
}

/// Equations that no round changes and that hold before the first.
fn conserved(store: &mut TermStore, group: &Group) -> Vec<TermId> {
    let mut moving: IndexMap<u32, Vec<TermId>> = IndexMap::new();
    let all: IndexSet<TermId> = group.rounds.iter().flatten().filter(|(_, step)| **step != 0).map(|(of, _)| *of).collect();
    for variable in all.into_iter().filter(|variable| !group.wild.contains(variable)).take(VARIABLES) {
        moving.entry(store.width(variable)).or_default().push(variable);
    }
    let mut found = Vec::new();
    for variables in moving.values() {
        for sum in combinations(variables, &group.rounds) {
            for beginning in &group.beginnings {
                found.extend(equation(store, &sum, beginning, &group.changed));
            }
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// Sums of two to four variables that stay as they are in all rounds, those of few first.
fn combinations(variables: &[TermId], rounds: &[BTreeMap<TermId, i128>]) -> Vec<Vec<(TermId, i128)>> {
    let mut found = Vec::new();
    for count in 2..=variables.len().min(4) {
        let most = if count > 3 { 1 } else { FACTOR };
        for chosen in (0_u32..1 << variables.len()).filter(|chosen| chosen.count_ones() as usize == count) {
            let chosen: Vec<TermId> =
                variables.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1).map(|(_, of)| *of).collect();
            found.extend(factors(count, most).find_map(|factors| {
                let sum: Vec<(TermId, i128)> = chosen.iter().copied().zip(factors).collect();
                let stays = |round: &BTreeMap<TermId, i128>| {
                    sum.iter().map(|(of, factor)| factor.wrapping_mul(*round.get(of).unwrap_or(&0))).fold(0, i128::wrapping_add)
                        == 0
                };
                rounds.iter().all(stays).then_some(sum)
            }));
        }
    }
    found
}

/// All ways to give so many variables factors up to `most` that are not zero, the first of them positive, small ones first.
fn factors(count: usize, most: i128) -> impl Iterator<Item = Vec<i128>> {
    let values: Vec<i128> = (1..=most).flat_map(|factor| [factor, -factor]).collect();
    let ways = values.len().pow(u32::try_from(count).unwrap_or(0));
    (0..ways).filter_map(move |mut way| {
        let mut factors = vec![0; count];
        for factor in factors.iter_mut().rev() {
            *factor = values[way % values.len()];
            way /= values.len();
        }
        (factors[0] > 0).then_some(factors)
    })
}

/// What a sum is, if what it is before the first round can still be said later.
fn equation(
    store: &mut TermStore,
    sum: &[(TermId, i128)],
    beginning: &BTreeMap<TermId, TermId>,
    changed: &IndexSet<TermId>,
) -> Option<TermId> {
    let mut held = Substitution::of(store, &holders(store, beginning, changed));
    let width = store.width(sum.first()?.0);
    let mask = (1_u128 << width) - 1;
    let zero = store.bits(width, 0);
    let (mut now, mut before) = (zero, zero);
    for (variable, factor) in sum {
        let first = held.apply(store, *beginning.get(variable).unwrap_or(variable));
        let factor = store.bits(width, factor.cast_unsigned() & mask);
        let (here, there) = (store.mul(factor, *variable), store.mul(factor, first));
        now = store.add(now, here);
        before = store.add(before, there);
    }
    let is_known = store.variables(before).into_iter().all(|variable| !store.is_input(variable) && !changed.contains(&variable));
    is_known.then(|| store.eq(now, before))
}

#[cfg(test)]
mod tests {
    use crate::portfolio::Kind;
    use crate::tests::answer;

    /// What candidates alone prove of a body, and whether they leave the opposite open.
    fn decided(body: &str, claim: &str) -> [Option<bool>; 2] {
        let text = |test: &str| {
            format!(
                "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
                 int main(void) {{ int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();\n\
                 if (n < 0 || m < 0 || n > 1000 || m > 1000) return 0; {body} if ({test}) reach_error(); return 0; }}"
            )
        };
        [format!("!({claim})"), format!("!({claim} + 1)")].map(|test| answer(&text(&test), &[Kind::Candidates], 8_000_000))
    }

    #[test]
    fn sums_are_kept_from_symbolic_beginnings() {
        let moved = "int i = n, j = m; while (i > 0) { i--; j++; }";
        assert_eq!(decided(moved, "j == n + m"), [Some(true), None]);
    }

    #[test]
    fn several_loops_move_the_same() {
        let added = "int x = n, y = m, z = 0; while (x > 0) { x--; z++; } while (y > 0) { y--; z++; }";
        assert_eq!(decided(added, "z == n + m"), [Some(true), None]);
    }

    #[test]
    fn branches_share_what_a_round_adds() {
        let shared = "int i = 0, a = 0, b = 0; while (i < n) { if (__VERIFIER_nondet_int()) a++; else b++; i++; }";
        assert_eq!(decided(shared, "a + b == n"), [Some(true), None]);
    }
}
