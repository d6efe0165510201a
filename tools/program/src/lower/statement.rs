//! Statements.

use super::build::Class;
use super::cursor::Cursor;
use super::flow::Label;
use super::operand_names::OperandNames;
use super::place::Operand;
use super::{Lowered, Lowerer, RED_ZONE, STACK_STEP};
use crate::ast::{self, ForInit, LabelKind, StmtKind, Symbol};
use crate::cfa::{AsmOperand, InlineAsm, LocationId, Operation};
use crate::expr::{BinaryOp, ExprId};
use crate::source::Span;
use formats::dense;

/// Loops around a statement: every analysis lists what lies in each of them.
const DEEPEST_LOOPS: usize = 1000;

impl Lowerer<'_> {
    /// Starts the numbering of temporaries anew, unless a statement expression goes on with that around it.
    pub(super) fn start_expression(&mut self) {
        if self.body.nesting == 0 && self.quiet == 0 {
            self.body.next_temporary = 0;
            // Temporaries come again, and with them values that look the same.
            self.body.ordered.clear();
        }
    }

    /// A statement.
    pub(super) fn statement(&mut self, id: ast::StmtId) -> Lowered<()> {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.statement_here(id))
    }

    fn statement_here(&mut self, id: ast::StmtId) -> Lowered<()> {
        let ast = self.ast;
        let span = ast[id].span;
        self.body.statement = span;
        self.start_expression();
        self.probe_statement(id);
        match &ast[id].kind {
            StmtKind::Empty { .. } => Ok(()),
            StmtKind::Expr(expr) => self.discard(*expr),
            StmtKind::Compound { labels, items } => {
                let mark = self.enter_block(labels, span);
                for item in items {
                    self.statement(*item)?;
                }
                self.leave_cleanups(mark);
                self.leave_block(labels)
            }
            StmtKind::Declaration(declaration) => self.declaration(*declaration),
            StmtKind::Function(function) => self.nested_function(*function),
            StmtKind::StaticAssert(assertion) => self.static_assert(*assertion),
            StmtKind::Labeled { labels, body } => {
                self.labels(labels)?;
                self.statement(*body)
            }
            StmtKind::If { condition, then, otherwise } => {
                self.in_scope(span, |this| this.if_statement(*condition, *then, *otherwise, span))
            }
            StmtKind::Switch { condition, body } => self.in_scope(span, |this| this.switch(*condition, *body, span)),
            StmtKind::While { condition, body } => self.in_scope(span, |this| this.while_loop(*condition, *body, span)),
            StmtKind::DoWhile { body, condition } => self.in_scope(span, |this| this.do_loop(*body, *condition, span)),
            StmtKind::For { init, condition, step, step_declares, body } => {
                let step = step.map(|step| (step, *step_declares));
                self.in_scope(span, |this| this.for_loop(*init, *condition, step, *body, span))
            }
            StmtKind::Goto(label) => self.goto(*label, span),
            StmtKind::ComputedGoto(expr) => self.computed_goto(*expr, span),
            StmtKind::Continue => self.continue_statement(span),
            StmtKind::Break => self.break_statement(span),
            StmtKind::Return(value) => self.return_statement(*value, span),
            StmtKind::Asm(asm) => self.asm(*asm),
        }
    }

    fn continue_statement(&mut self, span: Span) -> Lowered<()> {
        let mark = self.body.continue_marks.last().copied().unwrap_or(0);
        self.run_cleanups(mark);
        let cursor = self.body.cursor.take();
        let Some(waiting) = self.body.continues.pop() else {
            return Err(self.error(span, "`continue` outside of a loop", "no loop here"));
        };
        let joined = self.merge(waiting, cursor, span);
        self.body.continues.push(joined);
        Ok(())
    }

    fn break_statement(&mut self, span: Span) -> Lowered<()> {
        let mark = self.body.break_marks.last().copied().unwrap_or(0);
        self.run_cleanups(mark);
        let cursor = self.body.cursor.take();
        let Some(waiting) = self.body.breaks.pop() else {
            return Err(self.error(span, "`break` outside of a loop or `switch`", "nothing to leave"));
        };
        let joined = self.merge(waiting, cursor, span);
        self.body.breaks.push(joined);
        Ok(())
    }

    /// Lowers what is a block of its own without braces: a selection or a loop, and each statement that it contains.
    fn in_scope(&mut self, span: Span, lower: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        self.scopes.enter();
        self.body.blocks.push(span);
        lower(self)?;
        self.body.blocks.pop();
        self.scopes.leave();
        Ok(())
    }

    /// The statement that a selection or a loop contains.
    pub(super) fn contained(&mut self, id: ast::StmtId) -> Lowered<()> {
        self.in_scope(self.ast[id].span, |this| this.statement(id))
    }

    #[allow(clippy::unnecessary_wraps, reason = "a statement like the others")]
    fn goto(&mut self, label: ast::Ident, span: Span) -> Lowered<()> {
        if self.quiet > 0 {
            return Ok(());
        }
        let target = self.label(label).location;
        self.fence_jump(target, span);
        if self.cleans_up {
            self.jump_later(target, span)
        } else {
            self.jump(target, span)
        }
        Ok(())
    }

    /// Enters a block. Returns how many objects are around it for which something runs where their scopes are left.
    fn enter_block(&mut self, labels: &[ast::Ident], span: Span) -> usize {
        self.scopes.enter();
        self.body.blocks.push(span);
        for label in labels {
            let location = self.new_location();
            let entry = Label { location, defined: false, span: label.span, address: None };
            self.body.labels.entry(label.name).or_default().push(entry);
        }
        self.body.cleanups.len()
    }

    fn leave_block(&mut self, labels: &[ast::Ident]) -> Lowered<()> {
        self.scopes.leave();
        self.body.blocks.pop();
        for label in labels {
            let known = self.body.labels.entry(label.name).or_default().pop();
            if self.quiet == 0
                && let Some(missing) = known.filter(|label| !label.defined && self.fences_lead_to(label.location))
            {
                return Err(self.undefined_label(missing.span, label.name));
            }
        }
        Ok(())
    }

    fn if_statement(
        &mut self,
        condition: ast::ExprId,
        then: ast::StmtId,
        otherwise: Option<ast::StmtId>,
        span: Span,
    ) -> Lowered<()> {
        let (holds, fails) = self.condition(condition)?;
        self.body.cursor = holds;
        self.contained(then)?;
        let end = self.body.cursor.take();
        self.body.cursor = fails;
        if let Some(otherwise) = otherwise {
            self.contained(otherwise)?;
        }
        self.join(end, span);
        Ok(())
    }

    /// The location where a loop begins. A loop that is not reached from above may be jumped into.
    fn loop_head(&mut self, span: Span) -> LocationId {
        self.blocks.repeat(span);
        match self.here() {
            Some(location) => location,
            None => {
                // What nothing reaches in the end is dropped when the program is complete.
                let location = self.new_location();
                if self.quiet == 0 && self.body.function.is_some() {
                    self.body.cursor = Cursor::At(location);
                }
                location
            }
        }
    }

    /// Remembers which loop of the text begins its rounds at a location; of several that begin theirs there, the outermost.
    fn name_loop(&mut self, head: LocationId, span: Span, word: &str) {
        let word = Span::new(span.lo, span.lo + dense(word.len()));
        self.locations[head.index()].loop_word.get_or_insert(word);
    }

    fn loop_body(&mut self, body: ast::StmtId, span: Span) -> Lowered<Cursor> {
        if self.body.continues.len() >= DEEPEST_LOOPS {
            return Err(self.error(span, format!("loops are nested more than {DEEPEST_LOOPS} deep"), "too deep to be analysed"));
        }
        self.body.breaks.push(Cursor::Dead);
        self.body.continues.push(Cursor::Dead);
        let mark = self.body.cleanups.len();
        self.body.break_marks.push(mark);
        self.body.continue_marks.push(mark);
        self.contained(body)?;
        self.body.break_marks.pop();
        self.body.continue_marks.pop();
        let again = self.body.continues.pop().unwrap_or(Cursor::Dead);
        self.join(again, span);
        self.body.statement = span;
        self.start_expression();
        Ok(self.body.breaks.pop().unwrap_or(Cursor::Dead))
    }

    fn while_loop(&mut self, condition: ast::ExprId, body: ast::StmtId, span: Span) -> Lowered<()> {
        let head = self.loop_head(span);
        self.name_loop(head, span, "while");
        self.probe_loop(span);
        let (holds, fails) = self.condition(condition)?;
        self.body.cursor = holds;
        let breaks = self.loop_body(body, span)?;
        self.jump(head, span);
        self.body.cursor = self.merge(fails, breaks, span);
        Ok(())
    }

    fn do_loop(&mut self, body: ast::StmtId, condition: ast::ExprId, span: Span) -> Lowered<()> {
        let head = self.loop_head(span);
        self.probe_loop(span);
        let breaks = self.loop_body(body, span)?;
        let (holds, fails) = self.condition(condition)?;
        self.body.cursor = holds;
        self.jump(head, span);
        self.body.cursor = self.merge(fails, breaks, span);
        Ok(())
    }

    /// `step` is what is evaluated after each round, and whether it may declare types.
    fn for_loop(
        &mut self,
        init: ForInit,
        condition: Option<ast::ExprId>,
        step: Option<(ast::ExprId, bool)>,
        body: ast::StmtId,
        span: Span,
    ) -> Lowered<()> {
        let mark = self.body.cleanups.len();
        match init {
            ForInit::None => {}
            ForInit::Expr(expr) => self.discard(expr)?,
            ForInit::Declaration(declaration) => self.declaration(declaration)?,
            ForInit::StaticAssert(assertion) => self.static_assert(assertion)?,
        }
        self.body.statement = span;
        self.start_expression();
        let head = self.loop_head(span);
        self.name_loop(head, span, "for");
        self.probe_loop(span);
        let (holds, fails) = match condition {
            Some(condition) => self.condition(condition)?,
            None => (self.body.cursor.take(), Cursor::Dead),
        };
        self.body.cursor = holds;
        if let Some((step, true)) = step
            && self.quiet == 0
        {
            // The types it declares are in force in the body, which is before it in time and behind it in the text.
            self.quietly(|this| this.discard(step))?;
        }
        let breaks = self.loop_body(body, span)?;
        if let Some((step, _)) = step {
            self.discard(step)?;
        }
        self.jump(head, span);
        self.body.cursor = self.merge(fails, breaks, span);
        self.leave_cleanups(mark);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) -> Lowered<()> {
        let result = self.body.result.map_or(self.basic.void, |result| result.ty);
        let value = match value {
            None => None,
            Some(expr) if result == self.basic.void => {
                self.discard(expr)?;
                None
            }
            Some(expr) => {
                let value = self.value(expr)?;
                Some(self.assign_convert(value, result, self.ast[expr].span)?)
            }
        };
        if self.quiet == 0 {
            let exit = self.body.exit;
            let waits = !self.body.cleanups.is_empty();
            let value = value.map(|value| if waits { self.save(value, span) } else { value });
            self.run_cleanups(0);
            self.comes_back(span);
            match value {
                Some(value) => self.emit_choice(value, span, &|value| Operation::Return { value: Some(value) }),
                None => drop(self.emit(Operation::Return { value }, span)),
            }
            self.jump(exit, span);
        }
        Ok(())
    }

    /// `({ … })`
    pub(super) fn statement_expression(&mut self, id: ast::StmtId, wanted: bool) -> Lowered<Operand> {
        let ast = self.ast;
        let StmtKind::Compound { labels, items } = &ast[id].kind else { return Ok(Operand::Void) };
        if self.body.function.is_none() && self.quiet == 0 {
            return Err(self.error(ast[id].span, "a statement expression outside of a function", "not allowed here"));
        }
        let statement = self.body.statement;
        self.body.nesting += 1;
        let mark = self.enter_block(labels, ast[id].span);
        self.fence();
        let mut result = Operand::Void;
        let is_asked = self.reading.asked.is_some_and(|asked| asked.block == id);
        for (index, item) in items.iter().enumerate() {
            if is_asked && index + 1 == items.len() {
                self.answer_at_end(id)?;
            } else if wanted && index + 1 == items.len() {
                result = self.last_value(*item)?;
            } else {
                self.statement(*item)?;
            }
        }
        let result = self.before_cleanups(mark, result, ast[id].span)?;
        self.leave_cleanups(mark);
        self.leave_block(labels)?;
        self.body.nesting -= 1;
        self.body.statement = statement;
        Ok(result)
    }

    /// The value of the last statement of a statement expression.
    fn last_value(&mut self, id: ast::StmtId) -> Lowered<Operand> {
        let ast = self.ast;
        match &ast[id].kind {
            StmtKind::Expr(expr) => {
                self.body.statement = ast[id].span;
                let operand = self.operand(*expr)?;
                match operand {
                    Operand::Void => Ok(Operand::Void),
                    Operand::Place(place) if self.ty(place.expr) == self.basic.void => Ok(Operand::Void),
                    operand => self.rvalue(operand, ast[*expr].span).map(Operand::Value),
                }
            }
            StmtKind::Labeled { labels, body } => {
                self.labels(labels)?;
                self.last_value(*body)
            }
            _ => {
                self.statement(id)?;
                Ok(Operand::Void)
            }
        }
    }

    /// The labels before a statement.
    fn labels(&mut self, labels: &[ast::Label]) -> Lowered<()> {
        for label in labels {
            if let LabelKind::Name(name) = &label.kind {
                self.blocks.label(name.span);
            }
        }
        if self.quiet > 0 {
            return Ok(());
        }
        let mut target = None;
        for label in labels {
            let LabelKind::Name(name) = &label.kind else { continue };
            let Some(known) = self.body.labels.get(&name.name).and_then(|stack| stack.last()).copied() else {
                continue;
            };
            match target {
                None => target = Some(known.location),
                Some(target) => {
                    let cursor = std::mem::replace(&mut self.body.cursor, Cursor::At(known.location));
                    self.jump(target, label.span);
                    self.body.cursor = cursor;
                }
            }
        }
        let location = match target {
            Some(location) => {
                self.jump(location, self.body.statement);
                location
            }
            None => match self.here() {
                Some(location) => location,
                None => self.new_location(),
            },
        };
        for label in labels {
            let is_name = matches!(label.kind, LabelKind::Name(_));
            if is_name || self.body.switches.last().is_some_and(|switch| self.scopes.names() > switch.names) {
                self.may_bypass();
            }
            match &label.kind {
                LabelKind::Name(name) => self.define_label(*name, location)?,
                LabelKind::Case { low, high } => self.case(*low, *high, location, label.span)?,
                LabelKind::Default => self.default(location, label.span)?,
            }
        }
        self.body.cursor = Cursor::At(location);
        Ok(())
    }

    fn define_label(&mut self, name: ast::Ident, location: LocationId) -> Lowered<()> {
        if let Some(known) = self.body.labels.get(&name.name).and_then(|stack| stack.last()).copied() {
            self.note_label(known.location);
            self.fence_label(known.location);
        }
        self.note_label(location);
        self.fence_label(location);
        let stack = self.body.labels.entry(name.name).or_default();
        match stack.last_mut() {
            Some(label) if label.defined => {
                let message = format!("the label `{}` is defined twice", self.ast.name(name.name));
                return Err(self.error(name.span, message, "second definition"));
            }
            Some(label) => {
                label.defined = true;
                label.location = location;
            }
            None => stack.push(Label { location, defined: true, span: name.span, address: None }),
        }
        Ok(())
    }

    /// A label that is mentioned, before or after its definition.
    fn label(&mut self, name: ast::Ident) -> Label {
        if let Some(label) = self.body.labels.get(&name.name).and_then(|stack| stack.last()) {
            return *label;
        }
        let location = self.new_location();
        let label = Label { location, defined: false, span: name.span, address: None };
        self.body.labels.entry(name.name).or_default().push(label);
        label
    }

    /// Every label that is mentioned must be defined.
    pub(super) fn check_labels(&self) -> Lowered<()> {
        let mut missing: Vec<(Span, Symbol)> = Vec::new();
        for (name, stack) in &self.body.labels {
            missing.extend(stack.iter().filter(|label| !label.defined).map(|label| (label.span, *name)));
        }
        match missing.into_iter().min() {
            None => Ok(()),
            Some((span, name)) => Err(self.undefined_label(span, name)),
        }
    }

    fn undefined_label(&self, span: Span, name: Symbol) -> crate::diagnostic::Diagnostic {
        let message = format!("the label `{}` is not defined", self.ast.name(name));
        self.error(span, message, "unknown label")
    }

    /// `&&label`: a constant that differs from the address of every object.
    pub(super) fn label_address(&mut self, name: ast::Ident) -> Lowered<ExprId> {
        let label = self.label(name);
        let number = match label.address {
            Some(number) => number,
            None => {
                let number = u32::try_from(self.body.label_addresses.len()).unwrap_or(u32::MAX);
                self.body.label_addresses.push(name.name);
                if let Some(label) = self.body.labels.entry(name.name).or_default().last_mut() {
                    label.address = Some(number);
                }
                number
            }
        };
        let ty = self.basic.void_pointer;
        Ok(self.int(ty, i128::from(self.machine.label_address(number))))
    }

    /// Takes note of two labels with nothing between them whose addresses are taken: gcc may give them one address, or two.
    pub(super) fn meet_labels(&mut self) {
        let names = self.body.label_addresses.clone();
        let labels = names.iter().filter_map(|name| self.body.labels.get(name)?.last().copied()).collect::<Vec<Label>>();
        let mut places = std::collections::BTreeSet::new();
        for label in labels {
            let mut place = label.location;
            // What only goes on is no place of its own. A way that closes is one.
            for _ in 0..names.len() {
                let mut ways = self.edges.iter().filter(|edge| edge.source == place);
                let (Some(way), None) = (ways.next(), ways.next()) else { break };
                if way.operation != Operation::Blank {
                    break;
                }
                place = way.target;
            }
            if !places.insert(place) {
                self.beginnings.labels_meet.get_or_insert(label.span);
            }
        }
    }

    fn computed_goto(&mut self, expr: ast::ExprId, span: Span) -> Lowered<()> {
        let pointer = self.value(expr)?;
        if self.class(self.ty(pointer)) != Class::Pointer {
            return Err(self.error(span, "a computed goto needs the address of a label", "not a pointer"));
        }
        if self.cleans_up {
            self.unsupported("computed goto in a program with cleanups", span);
        }
        let ty = self.basic.void_pointer;
        let pointer = self.convert(pointer, ty);
        if self.quiet == 0 {
            let cursor = self.body.cursor.take();
            self.body.computed.push((cursor, pointer, span, self.body.statement));
        }
        Ok(())
    }

    /// Follows computed jumps to every label whose address is taken.
    pub(super) fn link_computed_jumps(&mut self) {
        let jumps = std::mem::take(&mut self.body.computed);
        for (cursor, pointer, span, statement) in jumps {
            self.body.cursor = cursor;
            self.body.statement = statement;
            for name in self.body.label_addresses.clone() {
                let Some(label) = self.body.labels.get(&name).and_then(|stack| stack.last()).copied() else { continue };
                let ident = ast::Ident { name, span };
                let Ok(address) = self.label_address(ident) else { continue };
                let condition = self.binary(BinaryOp::Equal, pointer, address);
                let (holds, fails) = self.fork(condition, span);
                self.body.cursor = holds;
                self.jump(label.location, span);
                self.body.cursor = fails;
            }
            if self.here().is_some() {
                let end = self.dead_end();
                let construct = "computed goto to a label that is not known".into();
                self.emit_last(Operation::Unsupported { construct }, span, end);
            }
        }
    }

    /// An `asm` statement.
    fn asm(&mut self, id: ast::AsmId) -> Lowered<()> {
        let ast = self.ast;
        let asm = &ast[id];
        let template = ast[asm.template].to_text();
        if let Some(construct) = template.strip_prefix(crate::print::UNSUPPORTED) {
            // A residual program has it where the program has the construct.
            self.unsupported(&construct.replace("%%", "%"), asm.span);
            return Ok(());
        }
        let names = OperandNames::of(self, asm);
        let mut outputs = Vec::with_capacity(asm.outputs.len());
        for operand in &asm.outputs {
            let constraint = ast[operand.constraint].to_text().into();
            match self.operand(operand.value)? {
                Operand::Place(place) if self.is_reversed(place.expr) => {
                    self.unsupported(super::reversed::NAME, ast[operand.value].span);
                }
                Operand::Place(place) => outputs.push(AsmOperand { constraint, expr: place.expr }),
                Operand::Void | Operand::Value(_) | Operand::Function(_) => {
                    let span = ast[operand.value].span;
                    return Err(self.error(span, "an output of `asm` must be an object", "not an object"));
                }
            }
        }
        let mut inputs = Vec::with_capacity(asm.inputs.len());
        for operand in &asm.inputs {
            let constraint: Box<str> = names.constraint(&ast[operand.constraint].to_text()).into();
            let memory = constraint.contains('m') && !constraint.contains(['r', 'i', 'g']);
            let expr = match self.operand(operand.value)? {
                Operand::Place(place) if memory => place.expr,
                other => self.rvalue(other, ast[operand.value].span)?,
            };
            inputs.push(AsmOperand { constraint, expr });
        }
        let clobbers = asm.clobbers.iter().map(|clobber| ast[*clobber].to_text().into()).collect();
        let has_labels = !asm.labels.is_empty();
        let statement = InlineAsm { template: names.template(&template).into(), outputs, inputs, clobbers, has_labels };
        match self.moves(&statement) {
            Some(moves) => {
                let saved: Vec<_> = moves.into_iter().map(|(place, value)| (place, self.save(value, asm.span))).collect();
                self.emit(Operation::Blank, asm.span);
                for (place, value) in saved {
                    self.emit(Operation::Assign { place, value }, asm.span);
                }
            }
            None => drop(self.emit(Operation::Asm(Box::new(statement)), asm.span)),
        }
        Ok(())
    }

    /// What assembly without instructions assigns: an output that shares the register of an input gets its value, one that
    /// is also an input keeps its own. `None` if there are instructions, or an output that nothing decides.
    fn moves(&mut self, asm: &InlineAsm) -> Option<Vec<(ExprId, ExprId)>> {
        // A comment is none: residual programs write what is unsupported as one.
        if asm.has_labels || !asm.template.trim().is_empty() {
            return None;
        }
        let mut moves = Vec::new();
        for (number, output) in asm.outputs.iter().enumerate() {
            if output.constraint.starts_with('+') {
                continue;
            }
            let shares = |input: &&AsmOperand| input.constraint.trim().parse() == Ok(number);
            let value = asm.inputs.iter().find(shares)?.expr;
            let (to, from) = (self.ty(output.expr), self.ty(value));
            let integers = self.format(to)?.bits == self.format(from)?.bits;
            let value = if to == from { value } else { integers.then(|| self.convert(value, to))? };
            moves.push((output.expr, value));
        }
        Some(moves)
    }
}
