//! The command: reads a condition and the program it names, writes the residual program and its map.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Parser;
use console::{Exit, Input, InputError, Output, StageOptions, Statistics};
use formats::artifact::sha256_hex;
use formats::inputs;
use formats::{Condition, Producer, ResidualMap};
use program::caller::CALLER;
use program::cfa::{Cfa, Operation, VarId, VarKind};
use program::expr::{BinaryOp, Expr, ExprId};
use semantics::cursor::ConditionCursor;
use semantics::facts::Facts;
use semantics::objects::ObjectKind;

use crate::{Config, Fold, Residual, Style, reduce};

const EXAMPLES: &str = "\
Examples:
  diffdp original.c modified.c | condgen | reduce -o residual.c
  reduce --program modified.c --map lines.json condition.graphml | esbmc -

How the program is read is in the condition: an option that says otherwise is refused.
Exit codes: 0 the program is written, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Turn a condition into the C program of what is left to check
#[derive(Parser, Clone, Debug)]
#[command(name = "reduce", version, after_help = EXAMPLES)]
pub struct Options {
    /// The condition, as `condgen` writes it [default: stdin]
    #[arg(value_name = "CONDITION")]
    pub condition: Option<PathBuf>,
    /// The modified program, if it is not where the condition says
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Where to write the residual program [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which states of program and condition become one
    #[arg(long, value_enum, default_value_t, value_name = "FOLDER")]
    pub fold: Fold,
    /// Where to write which line comes from where in the modified program
    #[arg(long, value_name = "FILE.json")]
    pub map: Option<PathBuf>,
    /// How deep blocks nest at most; beyond, `goto` takes over
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_nesting: u32,
    /// How control flow is written
    #[arg(long, value_enum, default_value_t, value_name = "STYLE")]
    pub style: Style,
    /// Print sizes and times on stderr
    #[arg(long)]
    pub stats: bool,
    /// Options of every tool.
    #[command(flatten)]
    pub shared: StageOptions,
}

/// Why no residual program can be written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
enum ReduceError {
    /// The named program is not there.
    #[error("{condition}: names {program} as the modified program: {source}")]
    #[diagnostic(help("name the file with --program"))]
    NoProgram { condition: String, program: String, source: InputError },
    /// A part of the program has no C text.
    #[error("{program}: {source}")]
    #[diagnostic(help("check the modified program itself: `verify --condition` needs no residual program"))]
    Print { program: String, source: program::print::PrintError },
    /// Literals of several files would be one object in one text.
    #[error("{program}: compares addresses of {literal}, which several files have: one text does not keep them apart")]
    #[diagnostic(help("check the modified program itself: `verify --condition` needs no residual program"))]
    Literals { program: String, literal: String },
}

/// Reads the condition and the program, builds the residual program and writes it.
///
/// # Errors
/// A report of what cannot be read, does not fit together, or cannot be written.
pub fn run(options: Options) -> miette::Result<Exit> {
    let console = options.shared.console();
    let _budget = options.shared.budget()?;
    let input = Input::read_or_stdin(options.condition.as_deref())?;
    let condition = Condition::read(&input.bytes, &input.name)?;
    let task = options.shared.load_task()?;
    options.shared.check_against(task.as_ref(), &condition.provenance().options, &input.name)?;
    let path = options.program.clone().unwrap_or_else(|| PathBuf::from(&condition.provenance().modified.path));
    let inputs = options.condition.iter().chain(&options.shared.task).chain([&path]).map(PathBuf::as_path);
    console::keep_apart(inputs, options.output.as_deref().into_iter().chain(options.map.as_deref()))?;
    check_program(&condition, &input.name, &path, &options)?;
    let cfa = program::load(&path, &condition.provenance().options)?;
    let header = header(&condition, options.fold, &cfa);
    let cursor = ConditionCursor::new(condition, &input.name, &cfa)?;
    for construct in unsupported(&cfa) {
        console.note(format_args!("kept as it is: {construct}"));
    }
    let config = Config { fold: options.fold, style: options.style, max_nesting: options.max_nesting };
    if let Some(literal) = compared_literal(&Facts::new(&cfa)) {
        return Err(ReduceError::Literals { program: path.display().to_string(), literal }.into());
    }
    let residual = reduce(&cfa, &cursor, config, &header)
        .map_err(|source| ReduceError::Print { program: path.display().to_string(), source })?;
    write(&options, &cursor, &residual)?;
    if options.stats {
        statistics(&residual).print();
    }
    Ok(Exit::Success)
}

/// The bytes of the program must be those the condition was computed for; checked before the program is parsed.
fn check_program(condition: &Condition, name: &str, path: &Path, options: &Options) -> miette::Result<()> {
    let modified = &condition.provenance().modified;
    // A condition of somebody else may name anything: a device has no end.
    let named = options.program.is_some() || path.is_file();
    let failed = |source: InputError| {
        let (condition, program) = (name.to_owned(), formats::shown::one_line(&modified.path).into_owned());
        ReduceError::NoProgram { condition, program, source }
    };
    let several = if named || path.is_dir() || inputs::list(path).is_some() { inputs::files(path) } else { Ok(None) };
    let found = match several.map_err(program::diagnostic::Diagnostic::from)? {
        Some(_) => inputs::sha256(path).map_err(program::diagnostic::Diagnostic::from)?,
        None if named => match Input::read(path) {
            Ok(input) => sha256_hex(&input.bytes),
            Err(error) if options.program.is_some() => return Err(error.into()),
            Err(error) => return Err(failed(error).into()),
        },
        None => return Err(failed(InputError::Missing { name: formats::shown::name(path) }).into()),
    };
    modified.check_sha256(name, &path.display().to_string(), &found)?;
    Ok(())
}

fn write(options: &Options, cursor: &ConditionCursor, residual: &Residual) -> miette::Result<()> {
    if let Some(path) = &options.map {
        let map = ResidualMap {
            producer: Producer::new("reduce", env!("CARGO_PKG_VERSION")),
            modified: cursor.condition().provenance().modified.clone(),
            residual_sha256: sha256_hex(residual.text.as_bytes()),
            lines: residual.map.clone(),
        };
        Output::new(Some(path)).write(|out| map.write(out))?;
    }
    Output::new(options.output.as_deref()).write_text(&residual.text)?;
    Ok(())
}

/// The lines of the first comment: what the program was made from, and how it is to be read.
fn header(condition: &Condition, fold: Fold, cfa: &Cfa) -> Vec<String> {
    let provenance = condition.provenance();
    // The caller that was made for the entry function is part of the residual program.
    let made = Some(&*cfa.function(cfa.entry).name).filter(|name| name.starts_with(CALLER));
    let entry = made.unwrap_or(&provenance.options.entry);
    let program = |file: &formats::artifact::ProgramFile| format!("{}, SHA-256 {}, CFA {}", file.path, file.sha256, file.cfa);
    vec![
        format!("producer: reduce {}", env!("CARGO_PKG_VERSION")),
        format!("condition: {}, {}", provenance.producer, condition.producer()),
        format!("original: {}", program(&provenance.original)),
        format!("modified: {}", program(&provenance.modified)),
        format!("folding: {}", if fold == Fold::None { "none" } else { "cfa" }),
        format!("data-model: {}", provenance.options.data_model),
        format!("entry: {entry}"),
        format!("property: {}", provenance.options.property),
    ]
}

/// The constructs without treatment in the program, each once.
fn unsupported(cfa: &Cfa) -> Vec<String> {
    let mut found = BTreeSet::new();
    for edge in &cfa.edges {
        let construct = match &edge.operation {
            Operation::Unsupported { construct } => construct.to_string(),
            Operation::Asm(_) => "inline assembly".to_owned(),
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Blank => continue,
        };
        found.insert(construct);
    }
    found.into_iter().collect()
}

/// A string literal that several files have, and whose address some comparison may find on both sides: whether it is one object
/// then is left open of the program, and would not be of its text.
fn compared_literal(facts: &Facts<'_>) -> Option<String> {
    let cfa = facts.cfa();
    let shared: BTreeSet<VarId> = cfa.variable_ids().filter(|id| cfa.overlap(*id, *id).is_some()).collect();
    if shared.is_empty() {
        return None;
    }
    let literals = |expr: ExprId| -> BTreeSet<VarId> {
        let targets = facts.points_to().targets(expr);
        let variables = targets.iter().filter_map(|object| match facts.objects().get(object).kind {
            ObjectKind::Variable(variable) | ObjectKind::Member { variable, .. } => Some(variable),
            ObjectKind::External | ObjectKind::Heap { .. } => None,
        });
        variables.filter(|variable| shared.contains(variable)).collect()
    };
    let both = cfa.exprs.ids().find_map(|expr| {
        let Expr::Binary(BinaryOp::Equal | BinaryOp::NotEqual, a, b) = *cfa.exprs.get(expr) else { return None };
        literals(a).intersection(&literals(b)).next().copied()
    });
    let VarKind::StringLiteral(bytes) = &cfa.variable(both?).kind else { return None };
    Some(format!("{:?}", String::from_utf8_lossy(bytes).trim_end_matches('\0')))
}

fn statistics(residual: &Residual) -> Statistics {
    let mut statistics = Statistics::new();
    statistics.count("product nodes", residual.size.product_nodes);
    statistics.count("functions", residual.size.functions);
    statistics.count("places", residual.size.nodes);
    statistics.count("cut edges", residual.size.cut_edges);
    statistics.count("bytes", residual.text.len());
    statistics
}
