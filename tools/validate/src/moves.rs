//! The moves of the original along an edge of the graph: where they lead, what may differ then, and what variables hold.
//!
//! Each move is looked at by itself: a move that the original makes alone must be certain, a joint step be one both can make.

use formats::certificate::{Move, Moves};
use program::cfa::{EdgeId, Operation, VarId};
use program::expr::ExprId;
use semantics::object_set::ObjectSet;
use semantics::stack::{Point, Step};

use crate::access::Program;
use crate::certain::Passage;
use crate::graph::Checker;
use crate::held::Known;

impl Checker<'_> {
    /// Where the moves lead the original, and what may differ then.
    pub(crate) fn follow(
        &mut self,
        moves: &Moves,
        from: Point,
        mut affected: ObjectSet,
        step: Option<(EdgeId, Step)>,
    ) -> Result<(Point, ObjectSet), String> {
        let mut at = from;
        let mut together = false;
        for one in &moves.0 {
            match (one, step) {
                (Move::With(_) | Move::LeaveWith, Some(step)) if !together => {
                    together = true;
                    let from = at;
                    (at, affected) = self.together(*one, step, at, &affected)?;
                    self.hold_mine(step, &affected);
                    self.hold_theirs(*one, from, &affected);
                }
                (Move::With(_) | Move::LeaveWith, _) => return Err("the original cannot make a joint step here".to_owned()),
                (Move::To(_) | Move::Enter | Move::Leave, _) => {
                    let (from, written) = (at, self.alone(*one, at)?);
                    at = written.0;
                    self.hold_alone(*one, (from, at));
                    affected.union_with(&written.1);
                }
            }
        }
        if let (Some((edge, step)), false) = (step, together) {
            affected.union_with(&self.written_alone(edge, step));
            self.hold_mine((edge, step), &affected);
        }
        Ok((at, affected))
    }

    /// What the modified program may write in a step that it makes alone.
    fn written_alone(&mut self, edge: EdgeId, step: Step) -> ObjectSet {
        let modified = &mut self.joint.touch.modified;
        match step {
            Step::Return { call, .. } => {
                let result = modified.cfa.edge(call).operation.result();
                result.map(|result| modified.variable(result)).unwrap_or_default()
            }
            Step::Within(_) | Step::Enter { .. } | Step::End(_) | Step::Recursion { .. } => modified.of(edge).writes.clone(),
        }
    }

    /// A move that the original makes while the modified program waits: where it leads, and what it may write.
    fn alone(&mut self, one: Move, at: Point) -> Result<(Point, ObjectSet), String> {
        let cfa = self.joint.touch.original.cfa;
        match one {
            Move::To(location) => {
                let location = program::cfa::LocationId(location);
                if location.index() >= cfa.locations.len()
                    || cfa.location(location).function != cfa.location(at.location).function
                {
                    return Err(format!("location {} is not in the function the original is in", location.0));
                }
                match self.certain.piece(&mut self.joint.touch.original, at.location, Some(location)) {
                    Some(Passage::Passes(written)) => Ok((Point { location, stack: at.stack }, written)),
                    // Then it has violated the property, wherever it is said to be.
                    Some(Passage::Violates) => Ok((Point { location, stack: at.stack }, ObjectSet::new())),
                    None => Err(format!("the original may stay away from location {}", location.0)),
                }
            }
            Move::Enter => {
                let &[edge] = cfa.out_edges(at.location) else { return Err("the original does not call here".to_owned()) };
                match self.stacks[1].step(cfa, at, edge) {
                    Step::Enter { point, .. } => Ok((point, self.joint.touch.original.of(edge).writes.clone())),
                    Step::Within(_) | Step::Return { .. } | Step::End(_) | Step::Recursion { .. } => {
                        Err("the original enters no function here".to_owned())
                    }
                }
            }
            Move::Leave => {
                let (call, to) = self.leaving(at)?;
                let result = cfa.edge(call).operation.result();
                let written = result.map(|result| self.joint.touch.original.variable(result)).unwrap_or_default();
                Ok((to, written))
            }
            Move::With(_) | Move::LeaveWith => Err("it is no move to make alone".to_owned()),
        }
    }

    /// The call that the original, at the exit of a function, returns to, and the point behind it.
    fn leaving(&self, at: Point) -> Result<(EdgeId, Point), String> {
        let cfa = self.original();
        if cfa.function(cfa.location(at.location).function).exit != Some(at.location) {
            return Err("the original is not at the exit of its function".to_owned());
        }
        let (call, below) = self.stacks[1].pop(at.stack).ok_or("the original has nothing to return to")?;
        Ok((call, Point { location: cfa.edge(call).target, stack: below }))
    }

    /// A joint step: where it leads the original, and what may differ then.
    fn together(
        &mut self,
        one: Move,
        (edge, step): (EdgeId, Step),
        at: Point,
        affected: &ObjectSet,
    ) -> Result<(Point, ObjectSet), String> {
        let cfa = self.joint.touch.original.cfa;
        let (other, theirs) = match one {
            Move::With(other) => {
                let other = EdgeId(other);
                if !cfa.out_edges(at.location).contains(&other) {
                    return Err(format!("the original is not where its edge {} begins", other.0));
                }
                (Some(other), self.stacks[1].step(cfa, at, other))
            }
            Move::To(_) | Move::Enter | Move::Leave | Move::LeaveWith => {
                let (call, point) = self.leaving(at)?;
                (None, Step::Return { call, point })
            }
        };
        match (step, theirs, other) {
            (Step::Within(_), Step::Within(point), Some(other)) => {
                let is_assume = matches!(self.modified().edge(edge).operation, Operation::Assume { .. });
                let joint = &mut self.joint;
                let after = if is_assume { joint.assume((edge, other), affected) } else { joint.within((edge, other), affected) };
                Ok((point, after?))
            }
            (Step::Enter { .. }, Step::Enter { point, .. }, Some(other)) => {
                Ok((point, self.joint.enter((edge, other), affected)?))
            }
            (Step::Return { call, .. }, Step::Return { call: called, point }, other) => {
                Ok((point, self.joint.leave((edge, other), (call, called), affected)?))
            }
            (_, _, _) => Err("the two programs do not make the same kind of step".to_owned()),
        }
    }

    /// What variables of the modified program hold behind its step; `affected` is what may differ then.
    fn hold_mine(&mut self, (edge, step): (EdgeId, Step), affected: &ObjectSet) {
        let joint = &mut self.joint;
        let program = &joint.touch.modified;
        let kept = |variable, value| joint.kept.has_mine(program.cfa, (variable, value));
        let agrees = |variable: VarId, value: ExprId| agrees(program, variable, affected) && !kept(variable, value);
        match step {
            Step::Return { call, .. } => joint.executor[0].leave(program, (Some(edge), call), &agrees, &mut joint.held.mine),
            Step::Within(_) | Step::Enter { .. } => joint.executor[0].step(program, edge, &agrees, &mut joint.held.mine),
            Step::End(_) | Step::Recursion { .. } => {}
        }
    }

    /// The same of the original, which makes the joint step from a point.
    fn hold_theirs(&mut self, one: Move, from: Point, affected: &ObjectSet) {
        let returns = self.stacks[1].pop(from.stack).map(|(call, _)| call);
        let joint = &mut self.joint;
        let program = &joint.touch.original;
        let kept = |variable, value| joint.kept.has_theirs(program.cfa, (variable, value));
        let agrees = |variable: VarId, value: ExprId| agrees(program, variable, affected) && !kept(variable, value);
        let (executor, theirs) = (&mut joint.executor[1], &mut joint.held.theirs);
        let taken = match one {
            Move::With(edge) => Some(EdgeId(edge)),
            Move::To(_) | Move::Enter | Move::Leave | Move::LeaveWith => None,
        };
        let is_return = taken.is_none_or(|edge| matches!(program.cfa.edge(edge).operation, Operation::Return { .. }));
        match (is_return, returns, taken) {
            (true, Some(call), edge) => executor.leave(program, (edge, call), &agrees, theirs),
            (false, _, Some(edge)) => executor.step(program, edge, &agrees, theirs),
            (_, _, _) => *theirs = Known::default(),
        }
    }

    /// The same of a move that the original makes alone.
    fn hold_alone(&mut self, one: Move, (from, to): (Point, Point)) {
        let returns = self.stacks[1].pop(from.stack).map(|(call, _)| call);
        let joint = &mut self.joint;
        let program = &joint.touch.original;
        let (executor, theirs) = (&mut joint.executor[1], &mut joint.held.theirs);
        match (one, program.cfa.out_edges(from.location), returns) {
            (Move::To(_), _, _) => executor.piece(program, from.location, to.location, theirs),
            (Move::Enter, &[edge], _) => executor.step(program, edge, &|_, _| false, theirs),
            (Move::Leave, _, Some(call)) => executor.leave(program, (None, call), &|_, _| false, theirs),
            (_, _, _) => *theirs = Known::default(),
        }
    }
}

/// Whether nothing of a variable may differ.
fn agrees(program: &Program, variable: VarId, affected: &ObjectSet) -> bool {
    let objects = program.variable(variable);
    !objects.is_empty() && objects.is_disjoint(affected)
}
