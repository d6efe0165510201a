//! A compact text of a tree: one line per external declaration, everything in prefix form.

#![allow(clippy::too_many_lines, reason = "one arm per kind of node")]

use std::fmt::Write;

use crate::ast::*;

pub(super) fn print(ast: &Ast) -> String {
    let printer = Printer { ast };
    let mut lines: Vec<String> = ast.items.iter().map(|item| printer.item(*item)).collect();
    lines.extend(ast.pragmas.iter().map(|pragma| format!("(pragma {})", ast.name(pragma.name))));
    lines.join("\n")
}

struct Printer<'a> {
    ast: &'a Ast,
}

impl Printer<'_> {
    fn item(&self, item: Item) -> String {
        match item {
            Item::Declaration(id) => self.declaration(id),
            Item::Function(id) => self.function(id),
            Item::StaticAssert(id) => self.static_assert(id),
            Item::Asm(id) => self.asm(id),
        }
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.ast.name(symbol)
    }

    fn list<X>(&self, head: &str, items: &[X], print: impl Fn(&X) -> String) -> String {
        let mut out = format!("({head}");
        for item in items {
            let _ = write!(out, " {}", print(item));
        }
        out + ")"
    }

    fn static_assert(&self, id: StaticAssertId) -> String {
        let node = &self.ast[id];
        let message = node.message.map(|text| format!(" {}", self.string(text))).unwrap_or_default();
        format!("(static_assert {}{message})", self.expr(node.condition))
    }

    fn declaration(&self, id: DeclarationId) -> String {
        let node = &self.ast[id];
        let head = format!("decl {}", self.specifiers(&node.specifiers));
        self.list(&head, &node.declarators, |declarator| {
            let node = &self.ast[*declarator];
            assert_eq!(node.declaration, id);
            let mut out = self.declarator(&node.declarator);
            if let Some(label) = node.asm_label {
                let _ = write!(out, " asm {}", self.string(label));
            }
            out += &self.attributes(&node.attributes);
            if let Some(initializer) = node.initializer {
                let _ = write!(out, " = {}", self.initializer(initializer));
            }
            out
        })
    }

    fn function(&self, id: FunctionId) -> String {
        let node = &self.ast[id];
        let mut out = format!("(function {} {}", self.specifiers(&node.specifiers), self.declarator(&node.declarator));
        for declaration in &node.old_style {
            let _ = write!(out, " {}", self.declaration(*declaration));
        }
        format!("{out} {})", self.stmt(node.body))
    }

    fn specifiers(&self, node: &Specifiers) -> String {
        let mut words = Vec::new();
        words.extend(node.storage.map(|storage| format!("{storage:?}").to_lowercase()));
        words.extend(node.thread_local.then(|| "thread".to_owned()));
        words.extend(node.inline.then(|| "inline".to_owned()));
        words.extend(node.noreturn.then(|| "noreturn".to_owned()));
        words.extend(self.qualifiers(node.qualifiers));
        words.extend(node.alignas.iter().map(|alignas| match alignas {
            Alignas::Type(ty) => format!("alignas({})", self.type_name(*ty)),
            Alignas::Expr(expr) => format!("alignas({})", self.expr(*expr)),
        }));
        words.push(self.base(node.base));
        words.join(" ") + &self.attributes(&node.attributes)
    }

    fn qualifiers(&self, node: Qualifiers) -> Vec<String> {
        let all = [
            (node.is_const, "const"),
            (node.is_volatile, "volatile"),
            (node.is_restrict, "restrict"),
            (node.is_atomic, "atomic"),
        ];
        all.iter().filter(|(is, _)| *is).map(|(_, word)| (*word).to_owned()).collect()
    }

    fn base(&self, base: BaseType) -> String {
        match base {
            BaseType::Void | BaseType::Bool | BaseType::VaList | BaseType::Auto | BaseType::Implicit => {
                format!("{base:?}").to_lowercase()
            }
            BaseType::Int(kind) => format!("{kind:?}").to_lowercase(),
            BaseType::Float(kind) => format!("{kind:?}").to_lowercase(),
            BaseType::Complex(kind) => format!("complex-{kind:?}").to_lowercase(),
            BaseType::ComplexInt(kind) => format!("complex-{kind:?}").to_lowercase(),
            BaseType::Typedef(name) => format!("`{}`", self.name(name)),
            BaseType::Record(id) => self.record(id),
            BaseType::Enum(id) => self.enumeration(id),
            BaseType::TypeofExpr(expr) => format!("typeof({})", self.expr(expr)),
            BaseType::TypeofType(ty) => format!("typeof<{}>", self.type_name(ty)),
            BaseType::Atomic(ty) => format!("atomic<{}>", self.type_name(ty)),
        }
    }

    fn tag(&self, tag: Option<Ident>) -> String {
        tag.map(|tag| format!(" {}", self.name(tag.name))).unwrap_or_default()
    }

    fn record(&self, id: RecordId) -> String {
        let node = &self.ast[id];
        let kind = match node.kind {
            RecordKind::Struct => "struct",
            RecordKind::Union => "union",
        };
        let mut out = kind.to_owned() + &self.tag(node.tag);
        if let Some(members) = &node.members {
            let members: Vec<String> = members.iter().map(|member| self.member(member)).collect();
            let _ = write!(out, "{{{}}}", members.join("; "));
        }
        if let Some(pack) = node.pack {
            let _ = write!(out, " pack({pack})");
        }
        out + &self.attributes(&node.attributes)
    }

    fn member(&self, member: &Member) -> String {
        let fields = match member {
            Member::StaticAssert(id) => return self.static_assert(*id),
            Member::Fields(fields) => fields,
        };
        let mut out = self.specifiers(&fields.specifiers);
        for field in &fields.fields {
            let _ = write!(out, " {}", self.declarator(&field.declarator));
            if let Some(width) = field.width {
                let _ = write!(out, ":{}", self.expr(width));
            }
            out += &self.attributes(&field.attributes);
        }
        out
    }

    fn enumeration(&self, id: EnumId) -> String {
        let node = &self.ast[id];
        let mut out = "enum".to_owned() + &self.tag(node.tag);
        if let Some(enumerators) = &node.enumerators {
            let each = |enumerator: &Enumerator| {
                let value = enumerator.value.map(|value| format!("={}", self.expr(value)));
                self.name(enumerator.name.name).to_owned() + &value.unwrap_or_default()
            };
            let all: Vec<String> = enumerators.iter().map(each).collect();
            let _ = write!(out, "{{{}}}", all.join(", "));
        }
        out + &self.attributes(&node.attributes)
    }

    fn declarator(&self, node: &Declarator) -> String {
        let mut out = node.name.map_or("_", |name| self.name(name.name)).to_owned();
        for derived in &node.derived {
            out += ":";
            match derived {
                Derived::Pointer { qualifiers, attributes } => {
                    out += "*";
                    out += &self.qualifiers(*qualifiers).join(",");
                    out += &self.attributes(attributes);
                }
                Derived::Array { qualifiers, is_static, size } => {
                    let mut words = self.qualifiers(*qualifiers);
                    words.extend(is_static.then(|| "static".to_owned()));
                    words.extend(match size {
                        ArraySize::Unspecified => None,
                        ArraySize::Star => Some("*".to_owned()),
                        ArraySize::Expr(expr) => Some(self.expr(*expr)),
                    });
                    let _ = write!(out, "[{}]", words.join(" "));
                }
                Derived::Function(parameters) => out += &self.parameters(parameters),
            }
        }
        out + &self.attributes(&node.attributes)
    }

    fn parameters(&self, node: &Parameters) -> String {
        match &node.kind {
            ParametersKind::OldStyle(names) => {
                let names: Vec<&str> = names.iter().map(|name| self.name(name.name)).collect();
                format!("old({})", names.join(", "))
            }
            ParametersKind::Prototype { forward, parameters, variadic } => {
                let print = |id: &ParameterId| {
                    let node = &self.ast[*id];
                    format!(
                        "{} {}{}",
                        self.specifiers(&node.specifiers),
                        self.declarator(&node.declarator),
                        self.attributes(&node.attributes)
                    )
                };
                let mut all: Vec<String> = parameters.iter().map(print).collect();
                all.extend(variadic.then(|| "...".to_owned()));
                let forward: Vec<String> = forward.iter().map(print).collect();
                let forward = if forward.is_empty() { String::new() } else { forward.join(", ") + "; " };
                format!("({forward}{})", all.join(", "))
            }
        }
    }

    fn type_name(&self, id: TypeNameId) -> String {
        let node = &self.ast[id];
        let declarator = self.declarator(&node.declarator);
        self.specifiers(&node.specifiers) + declarator.trim_start_matches('_')
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        attributes.iter().map(|attribute| format!(" @{}", self.attribute(attribute))).collect()
    }

    fn attribute(&self, attribute: &Attribute) -> String {
        match &attribute.kind {
            AttributeKind::Aligned(Some(value)) => format!("aligned({})", self.expr(*value)),
            AttributeKind::VectorSize(value) => format!("vector_size({})", self.expr(*value)),
            AttributeKind::Constructor(Some(value)) => {
                format!("constructor({})", self.expr(*value))
            }
            AttributeKind::Destructor(Some(value)) => format!("destructor({})", self.expr(*value)),
            AttributeKind::Mode(name) => format!("mode({})", self.name(*name)),
            AttributeKind::Cleanup(name) => format!("cleanup({})", self.name(name.name)),
            AttributeKind::Alias(text) => format!("alias({})", self.string(*text)),
            AttributeKind::Ifunc(text) => format!("ifunc({})", self.string(*text)),
            AttributeKind::Weakref(Some(text)) => format!("weakref({})", self.string(*text)),
            AttributeKind::ScalarStorageOrder(text) => format!("order({})", self.string(*text)),
            AttributeKind::Ignored(name) => format!("({})", self.name(*name)),
            AttributeKind::Identity(name) => format!("={}", self.name(*name)),
            AttributeKind::Unknown(name) => format!("?{}", self.name(*name)),
            AttributeKind::Packed
            | AttributeKind::Aligned(None)
            | AttributeKind::TransparentUnion
            | AttributeKind::NoReturn
            | AttributeKind::Constructor(None)
            | AttributeKind::Destructor(None)
            | AttributeKind::Weak
            | AttributeKind::Weakref(None) => {
                let text = format!("{:?}", attribute.kind).to_lowercase();
                text.trim_end_matches("(none)").to_owned()
            }
        }
    }

    fn initializer(&self, id: InitializerId) -> String {
        match &self.ast[id].kind {
            InitializerKind::Expr(expr) => self.expr(*expr),
            InitializerKind::List(items) => {
                let print = |item: &InitializerItem| {
                    let designators: String = item
                        .designators
                        .iter()
                        .map(|d| match d {
                            Designator::Member(member) => format!(".{}", self.name(member.name)),
                            Designator::Index(index) => format!("[{}]", self.expr(*index)),
                            Designator::Range(first, last) => {
                                format!("[{}...{}]", self.expr(*first), self.expr(*last))
                            }
                        })
                        .collect();
                    let equals = if designators.is_empty() { "" } else { "=" };
                    format!("{designators}{equals}{}", self.initializer(item.value))
                };
                let items: Vec<String> = items.iter().map(print).collect();
                format!("{{{}}}", items.join(", "))
            }
        }
    }

    fn string(&self, id: StringId) -> String {
        let node = &self.ast[id];
        let prefix = match node.encoding {
            Encoding::Plain => "",
            Encoding::Utf8 => "u8",
            Encoding::Char16 => "u",
            Encoding::Char32 => "U",
            Encoding::Wide => "L",
        };
        format!("{prefix}{:?}", node.to_text())
    }

    fn asm(&self, id: AsmId) -> String {
        let node = &self.ast[id];
        let mut out = "(asm".to_owned();
        let words =
            [(node.qualifiers.volatile, " volatile"), (node.qualifiers.inline, " inline"), (node.qualifiers.goto, " goto")];
        out.extend(words.iter().filter(|(is, _)| *is).map(|(_, word)| *word));
        let _ = write!(out, " {}", self.string(node.template));
        if node.extended {
            for operands in [&node.outputs, &node.inputs] {
                out += " :";
                for operand in operands {
                    let name = operand.name.map(|name| format!("[{}]", self.name(name.name)));
                    let constraint = self.string(operand.constraint);
                    let value = self.expr(operand.value);
                    let _ = write!(out, " {}{constraint}({value})", name.unwrap_or_default());
                }
            }
            out += " :";
            out.extend(node.clobbers.iter().map(|clobber| format!(" {}", self.string(*clobber))));
            out += " :";
            out.extend(node.labels.iter().map(|label| format!(" {}", self.name(label.name))));
        }
        out + ")"
    }

    fn stmt(&self, id: StmtId) -> String {
        match &self.ast[id].kind {
            StmtKind::Empty { attributes } => format!("(empty{})", self.attributes(attributes)),
            StmtKind::Expr(expr) => self.expr(*expr),
            StmtKind::Compound { labels, items } => {
                let mut head = "block".to_owned();
                head.extend(labels.iter().map(|label| format!(" local:{}", self.name(label.name))));
                self.list(&head, items, |item| self.stmt(*item))
            }
            StmtKind::Declaration(id) => self.declaration(*id),
            StmtKind::Function(id) => self.function(*id),
            StmtKind::StaticAssert(id) => self.static_assert(*id),
            StmtKind::Labeled { labels, body } => {
                let labels: Vec<String> = labels.iter().map(|label| self.label(label)).collect();
                format!("(label {} {})", labels.join(" "), self.stmt(*body))
            }
            StmtKind::If { condition, then, otherwise } => {
                let otherwise = otherwise.map(|stmt| format!(" {}", self.stmt(stmt)));
                let otherwise = otherwise.unwrap_or_default();
                format!("(if {} {}{otherwise})", self.expr(*condition), self.stmt(*then))
            }
            StmtKind::Switch { condition, body } => {
                format!("(switch {} {})", self.expr(*condition), self.stmt(*body))
            }
            StmtKind::While { condition, body } => {
                format!("(while {} {})", self.expr(*condition), self.stmt(*body))
            }
            StmtKind::DoWhile { body, condition } => {
                format!("(do {} {})", self.stmt(*body), self.expr(*condition))
            }
            StmtKind::For { init, condition, step, body, .. } => {
                let part = |part: &Option<ExprId>| part.map_or("-".to_owned(), |e| self.expr(e));
                let init = match init {
                    ForInit::None => "-".to_owned(),
                    ForInit::Expr(expr) => self.expr(*expr),
                    ForInit::Declaration(declaration) => self.declaration(*declaration),
                    ForInit::StaticAssert(assertion) => self.static_assert(*assertion),
                };
                format!("(for {init} {} {} {})", part(condition), part(step), self.stmt(*body))
            }
            StmtKind::Goto(label) => format!("(goto {})", self.name(label.name)),
            StmtKind::ComputedGoto(expr) => format!("(goto* {})", self.expr(*expr)),
            StmtKind::Continue => "(continue)".to_owned(),
            StmtKind::Break => "(break)".to_owned(),
            StmtKind::Return(None) => "(return)".to_owned(),
            StmtKind::Return(Some(expr)) => format!("(return {})", self.expr(*expr)),
            StmtKind::Asm(id) => self.asm(*id),
        }
    }

    fn label(&self, label: &Label) -> String {
        let text = match &label.kind {
            LabelKind::Name(name) => format!("{}:", self.name(name.name)),
            LabelKind::Case { low, high } => {
                let high = high.map(|high| format!("...{}", self.expr(high)));
                format!("case {}{}:", self.expr(*low), high.unwrap_or_default())
            }
            LabelKind::Default => "default:".to_owned(),
        };
        text + &self.attributes(&label.attributes)
    }

    fn expr(&self, id: ExprId) -> String {
        match &self.ast[id].kind {
            ExprKind::Name(name) => self.name(*name).to_owned(),
            ExprKind::Integer(literal) => {
                let mut out = literal.value.to_string();
                out += if literal.unsigned { "u" } else { "" };
                out += ["", "l", "ll"][literal.length as usize];
                out + if literal.imaginary { "i" } else { "" }
            }
            ExprKind::Float(literal) => {
                format!("{}:{:?}", self.name(literal.digits), literal.suffix)
            }
            ExprKind::Char(literal) => format!("'{:x}'{:?}", literal.value, literal.encoding),
            ExprKind::String(string) => self.string(*string),
            ExprKind::Unary { op, operand } => format!("({op:?} {})", self.expr(*operand)),
            ExprKind::Binary { op, left, right } => {
                format!("({op:?} {} {})", self.expr(*left), self.expr(*right))
            }
            ExprKind::Assign { op, target, value } => {
                let op = op.map_or(String::new(), |op| format!("{op:?}"));
                format!("({op}= {} {})", self.expr(*target), self.expr(*value))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let then = then.map_or("-".to_owned(), |then| self.expr(then));
                format!("(? {} {then} {})", self.expr(*condition), self.expr(*otherwise))
            }
            ExprKind::Comma { left, right } => {
                format!("(, {} {})", self.expr(*left), self.expr(*right))
            }
            ExprKind::Call { callee, arguments } => {
                self.list(&format!("call {}", self.expr(*callee)), arguments, |a| self.expr(*a))
            }
            ExprKind::Index { base, index } => {
                format!("(index {} {})", self.expr(*base), self.expr(*index))
            }
            ExprKind::Member { base, arrow, member } => {
                let op = if *arrow { "->" } else { "." };
                format!("({op} {} {})", self.expr(*base), self.name(member.name))
            }
            ExprKind::Cast { ty, operand } => {
                format!("(cast <{}> {})", self.type_name(*ty), self.expr(*operand))
            }
            ExprKind::CompoundLiteral { ty, initializer } => {
                format!("(literal <{}> {})", self.type_name(*ty), self.initializer(*initializer))
            }
            ExprKind::SizeofExpr(expr) => format!("(sizeof {})", self.expr(*expr)),
            ExprKind::SizeofType(ty) => format!("(sizeof <{}>)", self.type_name(*ty)),
            ExprKind::AlignofExpr(expr) => format!("(alignof {})", self.expr(*expr)),
            ExprKind::AlignofType { ty, .. } => format!("(alignof <{}>)", self.type_name(*ty)),
            ExprKind::Statement(stmt) => format!("(value {})", self.stmt(*stmt)),
            ExprKind::LabelAddress(label) => format!("(&& {})", self.name(label.name)),
            other => self.builtin(other),
        }
    }

    fn builtin(&self, kind: &ExprKind) -> String {
        match kind {
            ExprKind::Generic { control, associations } => {
                self.list(&format!("generic {}", self.expr(*control)), associations, |a| {
                    let ty = a.ty.map_or("default".to_owned(), |ty| self.type_name(ty));
                    format!("<{ty}>:{}", self.expr(a.value))
                })
            }
            ExprKind::Offsetof { ty, path } => {
                self.list(&format!("offsetof <{}>", self.type_name(*ty)), path, |step| match step {
                    OffsetofStep::Member(name) => format!(".{}", self.name(name.name)),
                    OffsetofStep::Arrow(name) => format!("->{}", self.name(name.name)),
                    OffsetofStep::Index(index) => format!("[{}]", self.expr(*index)),
                })
            }
            ExprKind::TypesCompatible(first, second) => {
                format!("(compatible <{}> <{}>)", self.type_name(*first), self.type_name(*second))
            }
            ExprKind::Choose { condition, then, otherwise } => {
                format!("(choose {} {} {})", self.expr(*condition), self.expr(*then), self.expr(*otherwise))
            }
            ExprKind::VaArg { list, ty } => {
                format!("(va_arg {} <{}>)", self.expr(*list), self.type_name(*ty))
            }
            ExprKind::ConvertVector { operand, ty } => {
                format!("(convert {} <{}>)", self.expr(*operand), self.type_name(*ty))
            }
            other => format!("{other:?}"),
        }
    }
}
