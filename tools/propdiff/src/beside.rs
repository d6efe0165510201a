//! Assertions given beside a program, written into its text: from there on they are assertions as any other.
//!
//! Each expression is read at its place first, so that it is one, means what the scopes there say, and has no effect; only then
//! it becomes a statement in front of the one that is named. Lines stay as they are.
//! Does not know what becomes of assertions.

use std::collections::BTreeMap;
use std::path::Path;

use console::Input;
use evidence::harness::text::{Patch, apply};
use formats::property_set::{Property as Given, read};
use formats::{ProgramOptions, Property};
use program::load_with;
use program::probe::{Probe, ProbePlace, Statement, statement_at};
use program::source::{SourceFile, Span};

use crate::PropdiffError;

/// Properties of a program, with the file that has them.
pub(crate) struct Beside {
    file: String,
    all: Vec<Given>,
}

impl Beside {
    /// Reads properties.
    pub(crate) fn read(file: &Path) -> miette::Result<Self> {
        let input = Input::read(file)?;
        let all = read(&input.bytes, &input.name)?;
        Ok(Self { file: input.name, all })
    }

    /// The program with its properties as assertions.
    pub(crate) fn written(&self, source: &SourceFile, options: &ProgramOptions) -> miette::Result<SourceFile> {
        if source.units().len() > 1 {
            let why = "the program has several files".to_owned();
            return Err(PropdiffError::NoPlace { file: self.file.clone(), number: 1, why }.into());
        }
        let mut at: BTreeMap<(u32, u32), (Statement, Vec<usize>)> = BTreeMap::new();
        let mut probes = Vec::new();
        for (number, one) in self.all.iter().enumerate() {
            let statement = self.place(number, one, source)?;
            let span = statement.span;
            at.entry((span.lo, span.hi)).or_insert((statement, Vec::new())).1.push(number);
            probes.push(Probe { at: ProbePlace::Before(span.lo), text: one.expression.clone() });
        }
        let (_, found) = load_with(source.clone(), options, &probes)?;
        for (number, one) in found.into_iter().enumerate() {
            one.map_err(|error| self.wrong(number, error.to_string()))?;
        }
        let mut patches = Vec::new();
        for (statement, numbers) in at.values() {
            let text: Vec<String> =
                numbers.iter().map(|number| self.statement(*number, source, options)).collect::<Result<_, _>>()?;
            let Span { lo, hi } = statement.span;
            // Declarations stay visible behind; of anything else, which may be all of a branch, the assertion becomes a part.
            let (before, behind) = if statement.declares { ("", "") } else { ("{ ", " }") };
            patches.push(Patch { span: Span::new(lo, lo), text: format!("{before}{} ", text.join(" ")) });
            patches.push(Patch { span: Span::new(hi, hi), text: behind.to_owned() });
        }
        let text = apply(source.own_text(), patches);
        Ok(if source.is_preprocessed() {
            SourceFile::preprocessed(source.path(), text.as_bytes(), text.clone().into_bytes())
        } else {
            SourceFile::new(source.path(), text)
        })
    }

    fn wrong(&self, number: usize, why: String) -> PropdiffError {
        PropdiffError::NoPlace { file: self.file.clone(), number: number + 1, why }
    }

    fn place(&self, number: usize, one: &Given, source: &SourceFile) -> miette::Result<Statement> {
        let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        if let Some(file) = one.file.as_deref().filter(|file| base(file) != base(source.name())) {
            return Err(self.wrong(number, format!("it is about {file}, not {}", source.name())).into());
        }
        let found = statement_at(source, (one.line, one.column), one.function.as_deref())?;
        found.ok_or_else(|| {
            let column = one.column.map(|column| format!(", column {column}")).unwrap_or_default();
            let function = one.function.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
            self.wrong(number, format!("no statement begins at line {}{column}{function}", one.line)).into()
        })
    }

    /// A property as a statement.
    fn statement(&self, number: usize, source: &SourceFile, options: &ProgramOptions) -> Result<String, PropdiffError> {
        let Given { expression, line, .. } = &self.all[number];
        let declared = |name: &str| String::from_utf8_lossy(source.own_text()).contains(name);
        let (name, declaration, call) = match options.property {
            Property::UnreachCall => ("reach_error", "extern void reach_error(void);", "reach_error()".to_owned()),
            Property::Assert => {
                let text = expression.replace('\\', "\\\\").replace('"', "\\\"");
                let declaration = "extern void __assert_fail(const char *, const char *, unsigned int, const char *);";
                ("__assert_fail", declaration, format!("__assert_fail(\"{text}\", \"\", {line}, \"\")"))
            }
            other @ (Property::DivZero
            | Property::Shift
            | Property::NoOverflow
            | Property::ValidDeref
            | Property::ValidFree
            | Property::ValidMemtrack) => {
                return Err(self.wrong(number, format!("properties are asserted, and {other} is asked for")));
            }
        };
        let declaration = if declared(name) { "" } else { declaration };
        Ok(format!("{{ {declaration} if (!({expression})) {call}; }}"))
    }
}
