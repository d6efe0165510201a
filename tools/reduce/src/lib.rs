//! Residual-program construction: what a condition leaves uncovered, as a C program that any verifier can check.
//!
//! A path is feasible in the residual program iff it is an uncovered feasible path of the modified program, up to
//! folding, which only adds paths. Functions stay functions, natural loops stay loops, and where every path is covered
//! the program ends.
//! Does not know how conditions are computed, nor which paths are feasible.

mod graph;
mod run;

use formats::SourceSpan;
use program::cfa::Cfa;
use program::print::PrintError;
use semantics::cursor::ConditionCursor;
use semantics::product::Product;

pub use cwriter::Style;
pub use run::{Options, run};

/// Which states of the product of program and condition become one place of the residual program.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// None: exactly the uncovered paths.
    None,
    /// Those of one location, apart from the call context: near the size of the modified program.
    #[default]
    Cfa,
}

/// How a residual program is built.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// What is merged.
    pub fold: Fold,
    /// How control flow is written.
    pub style: Style,
    /// How deep blocks nest at most, the function's own braces not counted.
    pub max_nesting: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self { fold: Fold::default(), style: Style::default(), max_nesting: 64 }
    }
}

/// A residual program.
#[derive(Clone, Debug)]
pub struct Residual {
    /// The C text, sealed.
    pub text: String,
    /// Where its lines come from in the modified program, ascending.
    pub map: Vec<SourceSpan>,
    /// Its size.
    pub size: Size,
}

/// How big a residual program is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Reachable pairs of location and condition state.
    pub product_nodes: usize,
    /// Residual functions.
    pub functions: usize,
    /// Their places.
    pub nodes: usize,
    /// Edges on which every path is covered.
    pub cut_edges: usize,
}

/// Builds the residual program of the program `cfa` under a condition.
///
/// Time linear in the product for [`Fold::None`]; `header` are lines for its first comment.
/// Soundness: every uncovered path of `cfa` is a path of the result.
/// Precision: exact for [`Fold::None`]; for [`Fold::Cfa`] an edge is cut iff it is covered in all states that are merged.
///
/// # Errors
/// [`PrintError`] if a type, initial value or operation cannot be written as C.
pub fn reduce(cfa: &Cfa, cursor: &ConditionCursor, config: Config, header: &[String]) -> Result<Residual, PrintError> {
    let step = |coverage, edge| cursor.step(coverage, edge);
    let start = cursor.start();
    let (functions, product_nodes) = if start.is_covered() {
        (vec![graph::nothing(cfa)], 0)
    } else {
        let product = Product::new(cfa, start, &step);
        (cwriter::smaller(cfa, graph::fold(cfa, &product, &step, config.fold)), product.size())
    };
    let written = cwriter::write(cfa, &functions, (config.style, config.max_nesting), header)?;
    let size = Size {
        product_nodes,
        functions: functions.len(),
        nodes: functions.iter().map(|f| f.nodes.len()).sum(),
        cut_edges: cwriter::cut_edges(&functions),
    };
    Ok(Residual { text: written.text, map: written.map, size })
}
