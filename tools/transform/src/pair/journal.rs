//! What the original did that the modified version has to do too: events, inputs and values from elsewhere, in their order.
//!
//! Everything is kept in variables that begin anew at each pair. Of inputs as many are handed on as there is room for; those
//! behind are any values, so nothing is lost but precision. An event without room counts as a difference.

use std::collections::BTreeMap;

use program::cfa::{LocationId, Operation, VarId};
use program::expr::ExprId;
use program::types::{ArrayLength, IntRank, QualType, Type, TypeId};

use super::compare::equal;
use super::external::External;
use super::writer::Writer;
use crate::editor::Editor;

/// Events, and inputs of each function, that are kept. A run with more of them may tell versions apart that do the same.
pub const ROOM: u64 = 16;
/// Calls of one function by the original that are kept where both versions are known to agree.
const SUMMARIES: u64 = 4;

/// A function with the types of its arguments and of what it yields.
type Key = (Box<str>, Vec<TypeId>, Option<TypeId>);

/// A value from elsewhere: its function, and the types of what is kept of each call.
#[derive(Clone, Debug)]
struct Stream {
    /// Calls of the original and of the modified version.
    counts: [VarId; 2],
    result: Option<VarId>,
    arguments: Vec<VarId>,
    /// How many calls there were says which inputs come next.
    is_counted: bool,
}

/// A call of a function without a body.
#[derive(Clone, Debug)]
pub(super) struct Outside {
    pub(super) name: Box<str>,
    pub(super) arguments: Vec<ExprId>,
    pub(super) result: Option<VarId>,
    /// The operation itself.
    pub(super) operation: Operation,
}

#[derive(Debug)]
pub(super) struct Journal {
    unsigned: TypeId,
    /// Numbers of events so far.
    counts: Option<[VarId; 2]>,
    kinds: Option<VarId>,
    /// Functions with the types of their arguments and what they yield.
    events: Vec<Key>,
    slots: BTreeMap<(usize, usize), VarId>,
    streams: BTreeMap<Key, Stream>,
}

impl Journal {
    pub(super) fn new(editor: &mut Editor) -> Self {
        let unsigned = editor.ty(Type::Int { rank: IntRank::Int, signed: false });
        Self { unsigned, counts: None, kinds: None, events: Vec::new(), slots: BTreeMap::new(), streams: BTreeMap::new() }
    }

    fn array(editor: &mut Editor, name: &str, element: TypeId) -> VarId {
        let ty = editor.ty(Type::Array { element: QualType::plain(element), length: ArrayLength::Constant(ROOM) });
        editor.ghost(name, QualType::plain(ty))
    }

    fn key(editor: &Editor, call: &Outside) -> Key {
        let types = call.arguments.iter().map(|argument| editor.type_of(*argument)).collect();
        let result = call.result.map(|result| editor.parts.variables[result.index()].ty.ty);
        (call.name.clone(), types, result)
    }

    /// The number of an event, with the arrays of its arguments, then of its result.
    fn event(&mut self, editor: &mut Editor, call: &Outside) -> (usize, Vec<VarId>, Option<VarId>) {
        if self.counts.is_none() {
            let unsigned = QualType::plain(self.unsigned);
            self.counts = Some([editor.ghost("events", unsigned), editor.ghost("events", unsigned)]);
            self.kinds = Some(Self::array(editor, "event", self.unsigned));
        }
        let key = Self::key(editor, call);
        let number = self.events.iter().position(|known| *known == key).unwrap_or_else(|| {
            self.events.push(key.clone());
            self.events.len() - 1
        });
        let mut slot = |position: usize, ty: TypeId| {
            *self.slots.entry((number, position)).or_insert_with(|| Self::array(editor, "event", ty))
        };
        let arguments = key.1.iter().enumerate().map(|(position, ty)| slot(position, *ty)).collect();
        let result = key.2.map(|ty| slot(key.1.len(), ty));
        (number, arguments, result)
    }

    /// An event of a version. Where it is another one than that of the original leads to `differs`, if events are observed.
    pub(super) fn write_event(&mut self, writer: &mut Writer<'_>, side: usize, call: &Outside, differs: Option<LocationId>) {
        let (number, arguments, result) = self.event(writer.editor, call);
        let (Some(counts), Some(kinds)) = (self.counts, self.kinds) else { return };
        let unsigned = self.unsigned;
        let index = writer.editor.load(counts[side]);
        let room = writer.editor.number(unsigned, u128::from(ROOM));
        let fits = writer.below(index, room);
        let mut others = vec![writer.require(fits)];
        let number = writer.editor.number(unsigned, number as u128 + 1);
        let kind = writer.element(kinds, index);
        if side == 0 {
            writer.assign(kind, number);
            keep_arguments(writer, index, &arguments, call);
            writer.then(call.operation.clone());
            keep_result(writer, index, result, call);
            writer.increment(counts[0], unsigned);
        } else {
            let before = writer.editor.load(counts[0]);
            let also = writer.below(index, before);
            others.push(writer.require(also));
            let known = writer.load(kind);
            let same = writer.editor.equal(known, number);
            others.push(writer.require(same));
            others.extend(hand_on(writer, index, (&arguments, result), call));
            writer.increment(counts[1], unsigned);
        }
        let end = writer.here;
        for other in others {
            writer.here = other;
            match differs {
                Some(differs) => writer.lead(differs),
                // From here on the histories are others, and so may be all results.
                None => {
                    writer.then(call.operation.clone());
                    let never = writer.editor.number(unsigned, u128::from(ROOM));
                    writer.set(counts[side], never);
                    writer.lead(end);
                }
            }
        }
        writer.here = end;
    }

    /// What is kept of the calls of a function.
    fn stream(&mut self, editor: &mut Editor, key: &Key, kind: External) -> Stream {
        if let Some(known) = self.streams.get(key) {
            return known.clone();
        }
        let count = QualType::plain(self.unsigned);
        let is_computed = kind == External::Computed;
        let types = key.1.iter().filter(|_| is_computed);
        let stream = Stream {
            counts: [editor.ghost("inputs", count), editor.ghost("inputs", count)],
            result: key.2.map(|ty| Self::array(editor, "input", ty)),
            arguments: types.map(|ty| Self::array(editor, "input", *ty)).collect(),
            is_counted: !is_computed,
        };
        self.streams.insert(key.clone(), stream.clone());
        stream
    }

    /// A value from elsewhere, for a version: the k-th of the original is the k-th of the modified one.
    pub(super) fn write_value(&mut self, writer: &mut Writer<'_>, side: usize, call: &Outside, kind: External) {
        let (mut key, unsigned) = (Self::key(writer.editor, call), self.unsigned);
        if kind == External::Value {
            // Values come one after another, whatever is asked with.
            key.1.clear();
            let other = |known: &&Key| known.0 == key.0 && known.1.is_empty() && known.2 != key.2;
            if self.streams.keys().any(|known| other(&known)) {
                let construct = "values of one function with several types".into();
                writer.then(Operation::Unsupported { construct });
                return;
            }
        }
        let Stream { counts, result, arguments, .. } = self.stream(writer.editor, &key, kind);
        let index = writer.editor.load(counts[side]);
        let room = writer.editor.number(unsigned, u128::from(ROOM));
        let limit = if side == 0 { room } else { writer.editor.load(counts[0]) };
        let fits = writer.below(index, limit);
        let mut others = Vec::new();
        if side == 0 {
            writer.then(call.operation.clone());
            others.push(writer.require(fits));
            keep_arguments(writer, index, &arguments, call);
            keep_result(writer, index, result, call);
        } else {
            others.push(writer.require(fits));
            let small = writer.below(index, room);
            others.push(writer.require(small));
            others.extend(hand_on(writer, index, (&arguments, result), call));
        }
        let end = writer.here;
        for other in others {
            writer.here = other;
            if side == 1 {
                writer.then(call.operation.clone());
            }
            writer.lead(end);
        }
        writer.here = end;
        writer.increment(counts[side], unsigned);
    }

    /// A call of a function that is known to do the same in both versions where it is given the same: any value for the
    /// original, the same for the modified version where the arguments are those of an earlier call of the original. Where they
    /// are those of none is returned.
    pub(super) fn write_summary(&mut self, writer: &mut Writer<'_>, side: usize, call: &Outside) -> Option<LocationId> {
        let (mut key, unsigned) = (Self::key(writer.editor, call), self.unsigned);
        key.0 = format!("summary of {}", key.0).into();
        let Stream { counts, result, arguments, .. } = self.stream(writer.editor, &key, External::Computed);
        if let Some(variable) = call.result {
            writer.then(Operation::Declare { variable });
        }
        let end = writer.editor.location_beside(writer.here);
        if side == 0 {
            let index = writer.editor.load(counts[0]);
            let room = writer.editor.number(unsigned, u128::from(SUMMARIES));
            let fits = writer.below(index, room);
            let full = writer.require(fits);
            keep_arguments(writer, index, &arguments, call);
            keep_result(writer, index, result, call);
            writer.increment(counts[0], unsigned);
            writer.lead(end);
            writer.here = full;
            writer.lead(end);
            writer.here = end;
            return None;
        }
        for number in 0..SUMMARIES {
            let (index, before) = (writer.editor.number(unsigned, u128::from(number)), writer.editor.load(counts[0]));
            let is_known = writer.below(index, before);
            let mut others = vec![writer.require(is_known)];
            others.extend(hand_on(writer, index, (&arguments, result), call));
            writer.lead(end);
            let next = writer.editor.location_beside(end);
            for other in others {
                writer.here = other;
                writer.lead(next);
            }
            writer.here = next;
        }
        Some(std::mem::replace(&mut writer.here, end))
    }

    /// Begins anew.
    pub(super) fn reset(&self, writer: &mut Writer<'_>) {
        let streams = self.streams.values().flat_map(|stream| stream.counts);
        let counts: Vec<VarId> = self.counts.into_iter().flatten().chain(streams).collect();
        for count in counts {
            let zero = writer.editor.number(self.unsigned, 0);
            writer.set(count, zero);
        }
    }

    /// The variables that say how much was done.
    pub(super) fn counts(&self) -> Vec<VarId> {
        self.counts.into_iter().chain(self.streams.values().map(|stream| stream.counts)).flatten().collect()
    }

    /// Forgets what both versions have done alike so far, where neither is ahead.
    pub(super) fn realign(&self, writer: &mut Writer<'_>) {
        let streams = self.streams.values().map(|stream| stream.counts);
        for [first, second] in self.counts.into_iter().chain(streams).collect::<Vec<_>>() {
            let (a, b) = (writer.editor.load(first), writer.editor.load(second));
            let room = writer.editor.number(self.unsigned, u128::from(ROOM));
            let (same, fits) = (writer.editor.equal(a, b), writer.below(a, room));
            // Histories that were given up are full.
            let others = [writer.require(same), writer.require(fits)];
            let zero = writer.editor.number(self.unsigned, 0);
            writer.set(first, zero);
            writer.set(second, zero);
            let end = writer.here;
            for other in others {
                writer.here = other;
                writer.lead(end);
            }
            writer.here = end;
        }
    }

    /// Both versions came to the end of what the original did; `inputs` if they must have read as many.
    pub(super) fn compare(&self, writer: &mut Writer<'_>, (events, inputs): (bool, bool), differs: LocationId) {
        let streams = self.streams.values().filter(|stream| inputs && stream.is_counted).map(|stream| stream.counts);
        for [first, second] in self.counts.into_iter().filter(|_| events).chain(streams).collect::<Vec<_>>() {
            let (a, b) = (writer.editor.load(first), writer.editor.load(second));
            let same = writer.editor.equal(a, b);
            let no = writer.require(same);
            let behind = std::mem::replace(&mut writer.here, no);
            writer.lead(differs);
            writer.here = behind;
        }
    }
}

/// Keeps the arguments of the original's call.
fn keep_arguments(writer: &mut Writer<'_>, index: ExprId, arrays: &[VarId], call: &Outside) {
    for (array, argument) in arrays.iter().zip(&call.arguments) {
        let place = writer.element(*array, index);
        writer.assign(place, *argument);
    }
}

/// Keeps what the original's call yielded.
fn keep_result(writer: &mut Writer<'_>, index: ExprId, array: Option<VarId>, call: &Outside) {
    if let (Some(array), Some(result)) = (array, call.result) {
        let (place, value) = (writer.element(array, index), writer.editor.load(result));
        writer.assign(place, value);
    }
}

/// Hands what was kept on to the modified version's call, where it has the same arguments. Where it has not is returned.
fn hand_on(
    writer: &mut Writer<'_>,
    index: ExprId,
    (arrays, result): (&[VarId], Option<VarId>),
    call: &Outside,
) -> Vec<LocationId> {
    let mut others = Vec::new();
    for (array, argument) in arrays.iter().zip(&call.arguments) {
        let place = writer.element(*array, index);
        let value = writer.load(place);
        let same = equal(writer.editor, value, *argument);
        others.push(writer.require(same));
    }
    if let (Some(array), Some(result)) = (result, call.result) {
        let place = writer.element(array, index);
        let value = writer.load(place);
        writer.set(result, value);
    }
    others
}
