//! What variables of one program are known to hold: equations between a variable and a term of the same program.
//!
//! Invariant: an equation holds in every execution of its program that is meant where it stands. It is dropped as soon as the
//! variable, or anything that the term reads, may be written, and when a function ends whose variables it names.
//! A flag holds its number on each way, and on both the choice that set it: these are two sets of equations, which are the same
//! until a number of a choice is assigned.
//! Source: ALGORITHM.md 4.13.

use std::collections::BTreeMap;
use std::rc::Rc;

use program::cfa::VarId;
use semantics::compare::Side;
use semantics::object_set::ObjectSet;

use crate::terms::{Known, Term};

/// Equations of one program at most, of one reading.
const MOST: usize = 48;

/// What an assignment of a number that is a value of a choice says of its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It holds the number.
    Number,
    /// It holds what the whole choice is.
    Choice,
}

/// What a step says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// The same in all readings.
    One,
    /// Something else in each.
    Two,
}

/// Equations of both programs, of one reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    original: BTreeMap<VarId, Rc<Term>>,
    modified: BTreeMap<VarId, Rc<Term>>,
}

impl Known for Sides {
    fn value(&self, side: Side, variable: VarId) -> Option<&Rc<Term>> {
        self.of(side).get(&variable)
    }
}

impl Sides {
    pub(crate) fn of(&self, side: Side) -> &BTreeMap<VarId, Rc<Term>> {
        match side {
            Side::Original => &self.original,
            Side::Modified => &self.modified,
        }
    }

    fn of_mut(&mut self, side: Side) -> &mut BTreeMap<VarId, Rc<Term>> {
        match side {
            Side::Original => &mut self.original,
            Side::Modified => &mut self.modified,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.original.is_empty() && self.modified.is_empty()
    }

    /// A variable holds a term now.
    pub(crate) fn learn(&mut self, side: Side, variable: VarId, term: Rc<Term>) {
        let known = self.of_mut(side);
        if known.len() < MOST {
            known.insert(variable, term);
        }
    }

    /// Keeps the equations that a test allows.
    pub(crate) fn retain(&mut self, side: Side, mut keep: impl FnMut(VarId, &Term) -> bool) {
        self.of_mut(side).retain(|variable, term| keep(*variable, term));
    }

    fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        for side in [Side::Original, Side::Modified] {
            let also = other.of(side);
            self.of_mut(side).retain(|variable, term| {
                let Some(known) = also.get(variable).filter(|known| known.id == term.id) else {
                    changed = true;
                    return false;
                };
                if !(known.reads.is_subset(&term.reads) && known.names.is_subset(&term.names)) {
                    let both = Rc::make_mut(term);
                    both.reads.union_with(&known.reads);
                    both.names.union_with(&known.names);
                    changed = true;
                }
                true
            });
        }
        changed
    }

    fn follows_from(&self, other: &Self) -> bool {
        [Side::Original, Side::Modified].into_iter().all(|side| {
            self.of(side).iter().all(|(variable, term)| {
                other.of(side).get(variable).is_some_and(|known| {
                    known.id == term.id && known.reads.is_subset(&term.reads) && known.names.is_subset(&term.names)
                })
            })
        })
    }

    /// Drops the equations of variables, or about terms, that any of these objects are in.
    pub(crate) fn drop_reading(&mut self, side: Side, written: &ObjectSet, of: impl Fn(VarId) -> ObjectSet) {
        if !self.of(side).is_empty() && !written.is_empty() {
            self.retain(side, |variable, term| !term.reads.intersects(written) && !of(variable).intersects(written));
        }
    }

    /// Drops the equations of, or about terms that name, any of these objects.
    pub(crate) fn drop_naming(&mut self, side: Side, ended: &ObjectSet, of: impl Fn(VarId) -> ObjectSet) {
        if !self.of(side).is_empty() {
            self.retain(side, |variable, term| {
                !term.reads.intersects(ended) && !term.names.intersects(ended) && !of(variable).intersects(ended)
            });
        }
    }
}

/// Equations of both programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Equations {
    numbers: Sides,
    /// Where they are others.
    choices: Option<Box<Sides>>,
}

impl Equations {
    /// The sets of equations: each of them holds.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &Sides> {
        std::iter::once(&self.numbers).chain(self.choices.as_deref())
    }

    fn choices(&self) -> &Sides {
        self.choices.as_deref().unwrap_or(&self.numbers)
    }

    /// Changes the equations of each reading.
    pub(crate) fn change(&mut self, says: Says, mut change: impl FnMut(Reading, &mut Sides)) {
        if says == Says::Two && self.choices.is_none() {
            self.choices = Some(Box::new(self.numbers.clone()));
        }
        change(Reading::Number, &mut self.numbers);
        if let Some(choices) = &mut self.choices {
            change(Reading::Choice, choices);
            self.unite();
        }
    }

    fn unite(&mut self) {
        if self.choices.as_deref() == Some(&self.numbers) {
            self.choices = None;
        }
    }

    /// Forgets one program.
    pub(crate) fn forget(&mut self, side: Side) {
        self.change(Says::One, |_, known| known.of_mut(side).clear());
    }

    /// Keeps what the other says as well; whether anything was lost, or depends on more than before.
    pub(crate) fn meet(&mut self, other: &Self) -> bool {
        if self.choices.is_none() && other.choices.is_none() {
            return self.numbers.meet(&other.numbers);
        }
        let mut choices = self.choices().clone();
        let lost = choices.meet(other.choices());
        let changed = self.numbers.meet(&other.numbers) || lost;
        self.choices = Some(Box::new(choices));
        self.unite();
        changed
    }

    /// Whether everything this says follows from what the other says.
    pub(crate) fn follows_from(&self, other: &Self) -> bool {
        let apart = self.choices.is_some() || other.choices.is_some();
        self.numbers.follows_from(&other.numbers) && (!apart || self.choices().follows_from(other.choices()))
    }
}
