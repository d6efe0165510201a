//! Operations as statements.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use super::constant::{Level, string_literal};
use super::{PrintError, Printer};
use crate::cfa::{AsmOperand, FunctionId, InlineAsm, Operation, VarId};
use crate::expr::{Expr, ExprId};
use crate::types::{ArrayLength, QualType, Type, TypeId};

/// Up to so many elements, arrays are assigned element by element; beyond, as a struct of the same bytes.
const ELEMENTS: u64 = 64;

impl Printer<'_> {
    /// The statements that do what an operation does, apart from control flow: an assume and a blank are none, a
    /// declaration is none either (the object is declared at the top of its function), a return is only its `return`.
    ///
    /// # Errors
    /// [`PrintError::Operation`] if there is no C text for it.
    pub fn operation(&self, operation: &Operation) -> Result<Vec<String>, PrintError> {
        Ok(match operation {
            Operation::Declare { .. } | Operation::Assume { .. } | Operation::Blank => Vec::new(),
            Operation::Assign { place, value } => self.assignment(*place, *value)?,
            Operation::Havoc { variable, input } => {
                let call = format!("{}();", super::names::function_name(self.cfa, *input));
                vec![match variable {
                    Some(variable) => format!("{} = {call}", self.names.variable(*variable)),
                    None => call,
                }]
            }
            Operation::Call { callee, arguments, result } => {
                vec![self.call(*callee, super::names::function_name(self.cfa, *callee), arguments, *result)]
            }
            Operation::Return { value: Some(value) } => vec![format!("return {};", self.expr(*value))],
            Operation::Return { value: None } => vec!["return;".to_owned()],
            Operation::Asm(asm) => vec![self.asm(asm)?],
            Operation::Unsupported { construct } => vec![unsupported(construct)],
        })
    }

    /// A call of `callee` under the name `name`.
    #[must_use]
    pub fn call(&self, callee: FunctionId, name: &str, arguments: &[ExprId], result: Option<VarId>) -> String {
        let list: Vec<String> = arguments.iter().map(|argument| self.expr(*argument)).collect();
        let call = format!("{name}({})", list.join(", "));
        let Some(result) = result else { return format!("{call};") };
        let ty = self.cfa.variable(result).ty.ty;
        let same = match self.cfa.types.get(self.cfa.function(callee).ty) {
            Type::Function(function) => function.result.ty == ty,
            _ => false,
        };
        let cast = if same { String::new() } else { format!("({})", self.type_name(ty)) };
        format!("{} = {cast}{call};", self.names.variable(result))
    }

    /// A statement after which a variable has an arbitrary value: what passing its declaration again does.
    #[must_use]
    pub fn refresh(&self, variable: VarId) -> String {
        let ty = self.cfa.variable(variable).ty;
        let name = self.names.variable(variable);
        if let Type::Array { length: ArrayLength::Constant(_), .. } = self.cfa.types.get(ty.ty) {
            let tag = self.array_wrapper(ty.ty);
            return format!("{{ struct {tag} __fresh; *(struct {tag} *)&{name} = __fresh; }}");
        }
        if matches!(self.cfa.types.get(ty.ty), Type::VaList) {
            // It is no value that C assigns, and is set before it is read.
            return ";".to_owned();
        }
        format!("{{ {}; {name} = __fresh; }}", self.declaration(ty, "__fresh"))
    }

    fn assignment(&self, place: ExprId, value: ExprId) -> Result<Vec<String>, PrintError> {
        let ty = self.cfa.exprs.ty(place);
        let mut target = String::new();
        self.write(&mut target, place, Level::Prefix);
        let Type::Array { .. } = self.cfa.types.get(ty) else {
            let from = self.cfa.exprs.ty(value);
            let mut text = format!("{target} = ");
            if from != ty && matches!(self.cfa.types.get(ty), Type::Pointer(_)) {
                text.push_str(&format!("({})", self.type_name(ty)));
                self.write(&mut text, value, Level::Prefix);
            } else {
                self.write(&mut text, value, Level::Conditional);
            }
            text.push(';');
            return Ok(vec![text]);
        };
        let mut target = String::new();
        self.write(&mut target, place, Level::Primary);
        let source = match *self.cfa.exprs.get(value) {
            Expr::Zero => None,
            Expr::Load(source) => {
                let mut text = String::new();
                self.write(&mut text, source, Level::Primary);
                Some(text)
            }
            _ => return Err(PrintError::Operation("an array value".into())),
        };
        let mut out = Vec::new();
        if self.element_count(ty).is_some_and(|count| count <= ELEMENTS) {
            self.assign_elements(ty, &target, source.as_deref(), &mut out);
            return Ok(out);
        }
        let tag = self.array_wrapper(ty);
        let source = source.map_or(format!("(struct {tag}){{}}"), |source| format!("*(struct {tag} *)&{source}"));
        Ok(vec![format!("*(struct {tag} *)&{target} = {source};")])
    }

    fn element_count(&self, ty: TypeId) -> Option<u64> {
        let mut count = 1u64;
        let mut ty = ty;
        while let Type::Array { element, length } = self.cfa.types.get(ty) {
            let ArrayLength::Constant(length) = length else { return None };
            count = count.checked_mul(*length)?;
            ty = element.ty;
        }
        Some(count)
    }

    fn assign_elements(&self, ty: TypeId, target: &str, source: Option<&str>, out: &mut Vec<String>) {
        if let Type::Array { element, length: ArrayLength::Constant(length) } = self.cfa.types.get(ty) {
            for index in 0..*length {
                let source = source.map(|source| format!("{source}[{index}]"));
                self.assign_elements(element.ty, &format!("{target}[{index}]"), source.as_deref(), out);
            }
            return;
        }
        let value = match (source, self.cfa.types.get(ty)) {
            (Some(source), _) => source.to_owned(),
            (None, Type::Record(_)) => format!("({}){{}}", self.type_name(ty)),
            (None, _) => "0".to_owned(),
        };
        out.push(format!("{target} = {value};"));
    }

    fn asm(&self, asm: &InlineAsm) -> Result<String, PrintError> {
        if asm.has_labels {
            return Ok(unsupported("asm goto"));
        }
        let operands = |list: &[AsmOperand]| -> String {
            let texts = list.iter().map(|o| format!("{} ({})", string_literal(o.constraint.as_bytes()), self.expr(o.expr)));
            texts.collect::<Vec<_>>().join(", ")
        };
        let clobbers: Vec<String> = asm.clobbers.iter().map(|c| string_literal(c.as_bytes())).collect();
        Ok(format!(
            "__asm__ volatile ({} : {} : {} : {});",
            string_literal(asm.template.as_bytes()),
            operands(&asm.outputs),
            operands(&asm.inputs),
            clobbers.join(", ")
        ))
    }

    /// The declaration of a local variable.
    #[must_use]
    pub fn local(&self, variable: VarId) -> String {
        let ty: QualType = self.cfa.variable(variable).ty;
        format!("{}{};", self.declaration(ty, self.names.variable(variable)), self.aligned(variable))
    }
}

/// How the assembly begins that stands for an unsupported construct.
pub const UNSUPPORTED: &str = "# unsupported: ";

/// A statement without sound treatment that compiles: an assembly comment that may change all memory.
#[must_use]
pub fn unsupported(construct: &str) -> String {
    let text = format!("{UNSUPPORTED}{}", construct.replace('%', "%%"));
    format!("__asm__ volatile ({} :  :  : \"memory\");", string_literal(text.as_bytes()))
}
