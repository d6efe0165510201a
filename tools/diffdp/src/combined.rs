//! One numbering for the objects of both programs.
//!
//! Objects of the modified program keep their numbers; an object of the original has that of its counterpart. What has the same
//! address and another content is *foreign*; what the modified program has nothing like, and string literals, are left out.
//! Invariant: fixed before the search and one-to-one. [`crate::effects`] says why that is right.

use program::cfa::VarKind;
use semantics::compare::{Alignment, Comparison, Side};
use semantics::object_set::{ObjectId, ObjectSet};
use semantics::objects::{ObjectKind, Objects};

/// What an object is to the other program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// This object of the modified program.
    Object(ObjectId),
    /// The other program has an object at the same address, of another type.
    Foreign,
    /// The modified program has nothing like it, or it never changes.
    Ignored,
}

/// The map from the objects of each program to combined numbers.
#[derive(Debug)]
pub(crate) struct ObjectMap {
    original: Vec<Number>,
    modified: Vec<Number>,
}

impl ObjectMap {
    pub(crate) fn new(comparison: &Comparison, alignment: &Alignment, o: &Objects, m: &Objects) -> Self {
        let mut map = Self {
            original: vec![Number::Ignored; o.len()],
            modified: (0..m.len()).map(|index| Number::Object(ObjectId::new(index))).collect(),
        };
        map.pair(ObjectId::EXTERNAL, ObjectId::EXTERNAL);
        let correspondence = comparison.correspondence();
        for variable in comparison.modified.variable_ids() {
            let mine = m.of_variable(variable);
            if matches!(comparison.modified.variable(variable).kind, VarKind::StringLiteral(_)) {
                mine.iter().for_each(|object| map.modified[object.index()] = Number::Ignored);
                continue;
            }
            let Some(other) = correspondence.identity(variable) else { continue };
            let theirs = o.of_variable(other);
            let (v, w) = (comparison.modified.variable(variable), comparison.original.variable(other));
            // An undefined global is an input, whatever its size.
            let undefined = |kind: &VarKind| matches!(kind, VarKind::Global { defined: false, .. });
            let input = undefined(&v.kind) && undefined(&w.kind) && mine.count == theirs.count;
            if input || (correspondence.content(variable) == Some(other) && mine.count == theirs.count) {
                mine.iter().zip(theirs.iter()).for_each(|(object, other)| map.pair(object, other));
            } else {
                mine.iter().for_each(|object| map.modified[object.index()] = Number::Foreign);
                theirs.iter().for_each(|object| map.original[object.index()] = Number::Foreign);
            }
        }
        for (object, kind) in m.iter().map(|(id, object)| (id, &object.kind)) {
            if let ObjectKind::Heap { site } = kind
                && let Some(other) = alignment.of(*site).filter(|e| comparison.identical(*site, *e)).and_then(|e| o.heap(e))
            {
                map.pair(object, other);
            }
        }
        map
    }

    fn pair(&mut self, modified: ObjectId, original: ObjectId) {
        self.original[original.index()] = Number::Object(modified);
    }

    pub(crate) fn number(&self, side: Side, object: ObjectId) -> Number {
        match side {
            Side::Original => self.original[object.index()],
            Side::Modified => self.modified[object.index()],
        }
    }

    pub(crate) fn shared(&self) -> ObjectSet {
        let object = |number: &Number| match number {
            Number::Object(object) => Some(*object),
            Number::Foreign | Number::Ignored => None,
        };
        self.original.iter().filter_map(object).collect()
    }

    pub(crate) fn is_numbered(&self, side: Side, object: ObjectId) -> bool {
        matches!(self.number(side, object), Number::Object(_))
    }
}

/// A set as both programs see it, and whether a foreign object was left out.
pub(crate) type Translated = (ObjectSet, bool);

/// A set of one program's objects as both programs see it.
pub(crate) fn translate(side: Side, set: &ObjectSet, objects: &ObjectMap) -> Translated {
    let mut foreign = false;
    let mut translated = ObjectSet::new();
    for object in set.iter() {
        match objects.number(side, object) {
            Number::Object(object) => {
                translated.insert(object);
            }
            Number::Foreign => foreign = true,
            Number::Ignored => {}
        }
    }
    (translated, foreign)
}
