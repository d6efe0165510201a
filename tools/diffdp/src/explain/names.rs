//! Links as people read them: places instead of edges, names instead of objects.

use formats::explanation::{Link, Object};
use program::cfa::{Cfa, EdgeId, Operation, VarKind};
use semantics::compare::{Side, edge_place};
use semantics::object_set::ObjectId;

use super::trace::{Step, Tracer};

impl Tracer<'_, '_> {
    /// The links of a chain that begins at the change.
    pub(super) fn links(&self, chain: &[Step]) -> Vec<Link> {
        let mut links: Vec<Link> = Vec::with_capacity(chain.len());
        for (index, step) in chain.iter().enumerate() {
            let before = index.checked_sub(1).map(|i| (&chain[i], &links[i]));
            let from = step.from.map(|from| match before {
                Some((last, link)) if last.object == Some(from) => link.object.clone(),
                _ => None,
            });
            let from = match (from, step.from) {
                (Some(Some(named)), _) => Some(named),
                (_, Some(object)) => Some(self.object(object, None)),
                (_, None) => None,
            };
            links.push(Link {
                kind: step.kind,
                object: step.object.map(|object| self.object(object, Some((step.side, step.writer)))),
                from,
                place: edge_place(step.side, self.comparison.program(step.side), step.edge),
            });
        }
        links
    }

    /// An object by the name its programmer knows; a temporary by the text of the operation that writes it.
    fn object(&self, object: ObjectId, writer: Option<(Side, EdgeId)>) -> Object {
        let program = self.comparison.modified;
        let variable = self.effects.variable_of(object);
        let function = variable.and_then(|v| program.variable(v).function).map(|f| program.function(f).name.to_string());
        let is_temporary = variable.is_some_and(|v| matches!(program.variable(v).kind, VarKind::Temporary(_)));
        let name = match (is_temporary, writer) {
            (true, Some((side, edge))) => value_text(self.comparison.program(side), edge),
            (true, None) => "a value computed before".to_owned(),
            (false, _) => self.effects.own_name(object),
        };
        Object { name, function }
    }
}

/// The text that stands for what an operation computes.
fn value_text(program: &Cfa, edge: EdgeId) -> String {
    let text = program.one_line(program.edge(edge).span);
    match program.edge(edge).operation {
        Operation::Call { .. } | Operation::Havoc { .. } => format!("the result of {text}"),
        Operation::Declare { .. }
        | Operation::Assume { .. }
        | Operation::Assign { .. }
        | Operation::Return { .. }
        | Operation::Blank
        | Operation::Asm(_)
        | Operation::Unsupported { .. } => format!("the value of {text}"),
    }
}
