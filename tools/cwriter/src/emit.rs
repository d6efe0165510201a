//! The residual program as one C file.
//!
//! Order: header, types, prototypes, globals, functions, `reach_error`, the entry function, trailer. The entry function
//! comes last, so that a text that was cut off has none.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use std::collections::BTreeSet;

use formats::Property;
use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::outside::is_outside;
use program::print::{Names, PrintError, Printer, unsupported};
use program::seal;
use program::types::Type;
use rustc_hash::FxHashSet;

use crate::arrange::{Jump, Line, When, arrange};
use crate::block::{Block, Condition, End, Step, blocks};
use crate::graph::{ResidualFunction, Target};
use crate::text::Text;
use crate::{Style, Written};

/// Everything the text is made from.
pub(crate) struct Emitter<'a> {
    cfa: &'a Cfa,
    functions: &'a [ResidualFunction],
    style: Style,
    max_nesting: u32,
    names: Names,
    function_names: Vec<Box<str>>,
    exit_flag: Box<str>,
    stop: &'static str,
}

/// What the kept operations mention.
#[derive(Default)]
struct Mentioned {
    variables: BTreeSet<VarId>,
    functions: BTreeSet<FunctionId>,
    called: BTreeSet<FunctionId>,
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(cfa: &'a Cfa, functions: &'a [ResidualFunction], style: Style, max_nesting: u32) -> Self {
        let mut names = Names::new(cfa);
        let mut seen = FxHashSet::default();
        let mut function_names = Vec::new();
        for function in functions {
            let name = &cfa.function(function.function).name;
            let first = seen.insert(function.function);
            function_names.push(if first { name.clone() } else { names.reserve(&format!("{name}__residual")) });
        }
        let exit_flag = names.reserve("__residual_exit");
        Self { cfa, functions, style, max_nesting, names, function_names, exit_flag, stop: stop_statement(cfa) }
    }

    /// Writes the program; `header` are the lines of its first comment.
    pub(crate) fn emit(&self, header: &[String]) -> Result<Written, PrintError> {
        let printer = Printer::new(self.cfa, &self.names);
        let mut text = Text::new(&self.cfa.source);
        text.line(0, seal::BEGINNING);
        for line in header {
            text.line(0, &format!(" * {}", formats::shown::one_line(&line.replace("*/", "* /"))));
        }
        text.line(0, " */");
        let arranged: Vec<Vec<Block>> = self.functions.iter().map(|f| blocks(self.cfa, f)).collect();
        let mentioned = self.mentioned(&arranged);
        for line in printer.types()? {
            text.line(0, &line);
        }
        self.prototypes(&printer, &mentioned, &mut text);
        if self.functions.iter().any(|f| f.exits > 1) {
            text.line(0, &format!("static int {};", self.exit_flag));
        }
        for line in printer.globals()? {
            text.line(0, &line);
        }
        self.stubs(&printer, &mentioned, &mut text);
        self.error_functions(&printer, &mut text);
        for index in (0..self.functions.len()).rev() {
            self.function(&printer, index, &arranged[index], &mentioned, &mut text)?;
        }
        let (text, map) = text.finish();
        Ok(Written { text: seal::seal(text), map })
    }

    fn mentioned(&self, functions: &[Vec<Block>]) -> Mentioned {
        let mut found = Mentioned::default();
        let mut seen = FxHashSet::default();
        for block in functions.iter().flatten() {
            self.block_mentions(block, &mut found, &mut seen);
        }
        let initializers = self.cfa.variables.iter().filter_map(|v| v.initializer.as_ref());
        for scalar in initializers.flat_map(|initializer| &initializer.scalars) {
            match scalar.value {
                ConstantValue::Function(function) => drop(found.functions.insert(function)),
                ConstantValue::Address { variable, .. } => drop(found.variables.insert(variable)),
                ConstantValue::Int(_) | ConstantValue::Float(_) => {}
            }
        }
        found
    }

    fn block_mentions(&self, block: &Block, found: &mut Mentioned, seen: &mut FxHashSet<ExprId>) {
        for step in &block.steps {
            self.operation_mentions(step.edge(), found, seen);
        }
        match block.end {
            End::Return(edge, _) => self.operation_mentions(edge, found, seen),
            End::Branch { condition: Condition::Expr(_, expr), .. } => self.expr_mentions(expr, found, seen),
            End::Branch { condition: Condition::Exit(..), .. } | End::Jump(_) | End::Never => {}
        }
    }

    fn operation_mentions(&self, edge: EdgeId, found: &mut Mentioned, seen: &mut FxHashSet<ExprId>) {
        match &self.cfa.edge(edge).operation {
            Operation::Declare { variable } => {
                found.variables.insert(*variable);
            }
            Operation::Assume { condition, .. } => self.expr_mentions(*condition, found, seen),
            Operation::Assign { place, value } => {
                self.expr_mentions(*place, found, seen);
                self.expr_mentions(*value, found, seen);
            }
            Operation::Havoc { variable, input } => {
                found.variables.extend(variable);
                found.called.insert(*input);
            }
            Operation::Call { callee, arguments, result } => {
                found.variables.extend(result);
                found.called.insert(*callee);
                for argument in arguments {
                    self.expr_mentions(*argument, found, seen);
                }
            }
            Operation::Return { value } => {
                if let Some(value) = value {
                    self.expr_mentions(*value, found, seen);
                }
            }
            Operation::Asm(asm) => {
                for operand in asm.outputs.iter().chain(&asm.inputs) {
                    self.expr_mentions(operand.expr, found, seen);
                }
            }
            Operation::Blank | Operation::Unsupported { .. } => {}
        }
    }

    fn expr_mentions(&self, expr: ExprId, found: &mut Mentioned, seen: &mut FxHashSet<ExprId>) {
        let mut work = vec![expr];
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            match *self.cfa.exprs.get(id) {
                Expr::Variable(variable) => {
                    found.variables.insert(variable);
                }
                Expr::FunctionAddress(function) => {
                    found.functions.insert(function);
                }
                _ => work.extend(self.cfa.exprs.get(id).operands()),
            }
        }
    }

    fn prototypes(&self, printer: &Printer<'_>, mentioned: &Mentioned, text: &mut Text<'_>) {
        let mut declared: BTreeSet<FunctionId> = BTreeSet::new();
        for (function, name) in self.functions.iter().zip(&self.function_names) {
            declared.insert(function.function);
            if let Some(line) = printer.prototype(function.function, name) {
                text.line(0, &line);
            }
        }
        for id in self.cfa.function_ids() {
            let error = self.is_error(id) || &*self.cfa.function(id).name == "reach_error";
            let wanted = mentioned.functions.contains(&id) || mentioned.called.contains(&id) || error;
            if wanted && !declared.contains(&id) {
                let name = &self.cfa.function(id).name;
                text.line(0, &declaration(&printer.prototype(id, name).unwrap_or_default(), name));
            }
        }
        let known = |name: &str| {
            self.cfa.function_ids().any(|id| {
                let error = self.is_error(id) || name == "reach_error";
                let printed = declared.contains(&id) || mentioned.called.contains(&id) || mentioned.functions.contains(&id);
                *self.cfa.function(id).name == *name && (printed || error)
            })
        };
        if self.stop == "abort();" && !known("abort") {
            text.line(0, "extern void abort(void) __attribute__((noreturn));");
        }
        if !known("__assert_fail") {
            let parameters = "const char *, const char *, unsigned int, const char *";
            text.line(0, &format!("extern void __assert_fail({parameters}) __attribute__((noreturn));"));
        }
        if !known("reach_error") {
            text.line(0, "extern void reach_error(void);");
        }
    }

    fn is_error(&self, id: FunctionId) -> bool {
        self.cfa.function(id).known == Some(Known::Error)
    }

    /// Functions whose address is mentioned, but that no path enters.
    fn stubs(&self, printer: &Printer<'_>, mentioned: &Mentioned, text: &mut Text<'_>) {
        for &id in &mentioned.functions {
            let function = self.cfa.function(id);
            let defined = self.functions.iter().any(|f| f.function == id);
            let error = self.is_error(id) || &*function.name == "reach_error";
            if function.entry.is_some() && !defined && !error {
                text.line(0, &format!("{} {{ {} }}", printer.header(id, &function.name), self.stop));
            }
        }
    }

    /// The error functions, defined such that tools that look for failing assertions find them as well; `reach_error`
    /// is always there.
    fn error_functions(&self, printer: &Printer<'_>, text: &mut Text<'_>) {
        let property = self.cfa.options.property;
        let wanted = |id: &FunctionId| {
            let called = self.is_error(*id) && property != Property::Assert;
            // Where operations are violations, `reach_error` is a function like any other.
            called || (!property.is_of_operations() && &*self.cfa.function(*id).name == "reach_error")
        };
        // With another property it may be a function like any other.
        let ordinary = |id: &FunctionId| self.functions.iter().any(|f| f.function == *id);
        let ids: Vec<FunctionId> = self.cfa.function_ids().filter(wanted).collect();
        let mut headers: Vec<String> = ids.iter().filter(|id| !ordinary(id)).map(|id| self.error_header(printer, *id)).collect();
        if !property.is_of_operations() && !ids.iter().any(|id| &*self.cfa.function(*id).name == "reach_error") {
            headers.push("void reach_error(void)".to_owned());
        }
        for header in headers {
            text.line(0, &format!("{header} {{ __assert_fail(\"0\", \"reach_error\", 0, \"reach_error\"); }}"));
        }
    }

    fn error_header(&self, printer: &Printer<'_>, id: FunctionId) -> String {
        let function = self.cfa.function(id);
        if function.entry.is_some() {
            return printer.header(id, &function.name);
        }
        let Type::Function(ty) = self.cfa.types.get(function.ty) else {
            return format!("void {}()", function.name);
        };
        // A mere declaration has no names for its parameters.
        let named = ty.parameters.iter().enumerate().map(|(i, ty)| printer.declaration(*ty, &format!("a{i}")));
        let mut list: Vec<String> = named.collect();
        if ty.variadic {
            list.push("...".to_owned());
        } else if list.is_empty() && !ty.unprototyped {
            list.push("void".to_owned());
        }
        printer.declaration(ty.result, &format!("{}({})", function.name, list.join(", ")))
    }

    fn function(
        &self,
        printer: &Printer<'_>,
        index: usize,
        blocks: &[Block],
        mentioned: &Mentioned,
        text: &mut Text<'_>,
    ) -> Result<(), PrintError> {
        let residual = &self.functions[index];
        let function = self.cfa.function(residual.function);
        let name = &self.function_names[index];
        text.line_of(0, &printer.header(residual.function, name), function.span, function.span);
        text.line(0, "{");
        let mut found = Mentioned::default();
        let mut seen = FxHashSet::default();
        let lines = arrange(blocks, self.style, self.max_nesting);
        for block in blocks {
            self.block_mentions(block, &mut found, &mut seen);
        }
        for variable in found.variables {
            if self.is_local(variable) {
                text.line(1, &printer.local(variable));
            }
        }
        if index == 0 {
            for construct in &self.unsupported_objects(mentioned) {
                text.line(1, &unsupported(construct));
            }
        }
        for (depth, line) in lines {
            self.write_line(printer, residual, blocks, depth + 1, line, text)?;
        }
        text.line(0, "}");
        Ok(())
    }

    /// The constructs that keep initial values from being understood, of objects that the program may use.
    fn unsupported_objects(&self, mentioned: &Mentioned) -> BTreeSet<Box<str>> {
        let construct = |id: &VarId| self.cfa.variable(*id).initializer.as_ref()?.unsupported.clone();
        mentioned.variables.iter().filter_map(construct).collect()
    }

    fn is_local(&self, id: VarId) -> bool {
        let variable = self.cfa.variable(id);
        match variable.kind {
            VarKind::Local | VarKind::Temporary(_) => true,
            VarKind::CompoundLiteral => variable.initializer.is_none() && variable.function.is_some(),
            VarKind::Global { .. } | VarKind::StaticLocal | VarKind::Parameter(_) | VarKind::StringLiteral(_) => false,
        }
    }

    fn write_line(
        &self,
        printer: &Printer<'_>,
        residual: &ResidualFunction,
        blocks: &[Block],
        depth: u32,
        line: Line,
        text: &mut Text<'_>,
    ) -> Result<(), PrintError> {
        match line {
            Line::Label(block) => text.line(depth - 1, &format!("{}: ;", label(block))),
            Line::Step(block, step) => {
                let step = blocks[block].steps[step];
                let statements = self.step(printer, step)?.join(" ");
                self.at(step.edge(), depth, &statements, text);
            }
            Line::If(condition, when) => {
                self.at(edge_of(condition), depth, &format!("if ({}) {{", self.condition(printer, condition, when)), text);
            }
            Line::IfJump(condition, when, jump) => {
                let condition_text = self.condition(printer, condition, when);
                self.at(edge_of(condition), depth, &format!("if ({condition_text}) {}", self.jump(jump)), text);
            }
            Line::While(condition, when) => {
                let condition_text = self.condition(printer, condition, when);
                self.at(edge_of(condition), depth, &format!("while ({condition_text}) {{"), text);
            }
            Line::Else => text.line(depth, "} else {"),
            Line::Loop => text.line(depth, "while (1) {"),
            Line::Close => text.line(depth, "}"),
            Line::Jump(jump) => text.line(depth, &self.jump(jump)),
            Line::Return(block) => {
                if let End::Return(edge, exit) = blocks[block].end {
                    let mut statements = printer.operation(&self.cfa.edge(edge).operation)?;
                    if residual.exits > 1 {
                        statements.insert(0, format!("{} = {exit};", self.exit_flag));
                    }
                    self.at(edge, depth, &statements.join(" "), text);
                }
            }
        }
        Ok(())
    }

    fn at(&self, edge: EdgeId, depth: u32, statement: &str, text: &mut Text<'_>) {
        let edge = self.cfa.edge(edge);
        text.line_of(depth, statement, edge.span, edge.statement);
    }

    fn step(&self, printer: &Printer<'_>, step: Step) -> Result<Vec<String>, PrintError> {
        match step {
            Step::Refresh(_, variable) => Ok(vec![printer.refresh(variable)]),
            Step::Operation(edge) => printer.operation(&self.cfa.edge(edge).operation),
            Step::Call(edge, callee) => match &self.cfa.edge(edge).operation {
                Operation::Call { callee: function, arguments, result } => {
                    Ok(vec![printer.call(*function, &self.function_names[callee], arguments, *result)])
                }
                operation => printer.operation(operation),
            },
        }
    }

    fn condition(&self, printer: &Printer<'_>, condition: Condition, when: When) -> String {
        match (condition, when) {
            (Condition::Expr(_, expr), When::Holds) => printer.expr(expr),
            (Condition::Expr(_, expr), When::Fails) => format!("!({})", printer.expr(expr)),
            (Condition::Exit(_, exit), When::Holds) => format!("{} == {exit}", self.exit_flag),
            (Condition::Exit(_, exit), When::Fails) => format!("{} != {exit}", self.exit_flag),
        }
    }

    fn jump(&self, jump: Jump) -> String {
        match jump {
            Jump::Goto(block) => format!("goto {};", label(block)),
            Jump::Continue => "continue;".to_owned(),
            Jump::Break => "break;".to_owned(),
            Jump::Stop => self.stop.to_owned(),
        }
    }
}

fn label(block: usize) -> String {
    format!("l{block}")
}

const fn edge_of(condition: Condition) -> EdgeId {
    match condition {
        Condition::Expr(edge, _) | Condition::Exit(edge, _) => edge,
    }
}

/// A statement that ends the program: `abort` if that is the function of the C library, else an endless loop.
fn stop_statement(cfa: &Cfa) -> &'static str {
    let clashes = cfa.functions.iter().any(|f| &*f.name == "abort" && (f.entry.is_some() || f.known != Some(Known::NoReturn)));
    let shadowed = cfa.variables.iter().any(|v| matches!(v.kind, VarKind::Global { .. }) && &*v.name == "abort");
    if clashes || shadowed { "while (1) { }" } else { "abort();" }
}

/// Number of edges on which every path is covered.
#[must_use]
pub fn cut_edges(functions: &[ResidualFunction]) -> usize {
    let edges = functions.iter().flat_map(|f| &f.nodes).flat_map(|node| &node.edges);
    edges.filter(|(_, target)| *target == Target::Cut).count()
}

/// A declaration as it is written. What stands for the functions outside the program is nowhere defined: weak, so that the program
/// can be linked and run as far as it stays inside.
fn declaration(prototype: &str, name: &str) -> String {
    match prototype.strip_suffix(';') {
        Some(start) if is_outside(name) => format!("{start} __attribute__((weak));"),
        _ => prototype.to_owned(),
    }
}
