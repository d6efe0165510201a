//! What a run asked values for, as tables and calls of the harness.

#![expect(clippy::wildcard_enum_match_arm, reason = "a record is the one type that has no bytes of its own")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use program::cfa::{Cfa, FunctionId, Operation, VarId, VarKind};
use program::source::Span;
use program::types::Type;
use semantics::interpreter::{Origin, Run};

use super::text::Patch;
use super::types::result;

/// Bytes of a scalar in the tables.
const SCALAR: u64 = 16;
/// Bytes of a struct in them, at most.
const LONGEST: u64 = 1 << 16;

/// The bytes of a value that were read, by their offset.
pub(super) type Bytes = BTreeMap<u64, u8>;

/// The bytes of objects by the declaration passed.
type ObjectBytes = BTreeMap<(VarId, usize), Bytes>;

/// What a run asked values for.
pub(super) struct Values {
    /// Per function without a body: what each of its calls yields.
    calls: BTreeMap<FunctionId, Vec<Bytes>>,
    /// Per object: the number of the declaration passed, offset and value of a byte.
    objects: BTreeMap<VarId, Vec<(usize, u64, u8)>>,
    /// Of allocated blocks: which allocation it was, offset and value of a byte.
    blocks: Vec<(usize, u64, u8)>,
}

impl Values {
    pub(super) fn of(cfa: &Cfa, run: &Run) -> Self {
        let mut values = Self { calls: BTreeMap::new(), objects: BTreeMap::new(), blocks: Vec::new() };
        let mut of_blocks: BTreeMap<usize, Bytes> = BTreeMap::new();
        let mut allocations: Vec<usize> = Vec::new();
        let mut by_step: BTreeMap<usize, Bytes> = BTreeMap::new();
        let mut of_objects: ObjectBytes = BTreeMap::new();
        for read in &run.reads {
            let (bits, value) = (read.request.bits, read.value);
            match read.request.origin {
                Origin::Input(_) | Origin::External(_) => add(by_step.entry(read.request.step).or_default(), 0, bits, value),
                Origin::Object { variable: Some(variable), offset, born } => {
                    add(of_objects.entry((variable, born)).or_default(), offset, bits, value);
                }
                Origin::Object { variable: None, offset, born } => add(of_blocks.entry(born).or_default(), offset, bits, value),
                Origin::Parameter(_)
                | Origin::MissingResult(_)
                | Origin::Volatile(_)
                | Origin::Comparison(_)
                | Origin::Allocation(_) => {}
            }
        }
        let mut passes: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
        for (step, edge) in run.trace.iter().enumerate() {
            match &cfa.edge(*edge).operation {
                Operation::Havoc { input: callee, variable: result } => {
                    values.call(cfa, *callee, *result, (step, &by_step, &mut of_objects));
                }
                Operation::Call { callee, result, .. } if !cfa.enters(*callee) => {
                    if matches!(program::known::plain(&cfa.function(*callee).name), "malloc" | "calloc" | "realloc") {
                        allocations.push(step);
                    }
                    values.call(cfa, *callee, *result, (step, &by_step, &mut of_objects));
                }
                Operation::Declare { variable } => passes.entry(*variable).or_default().push(step),
                Operation::Call { .. }
                | Operation::Assume { .. }
                | Operation::Assign { .. }
                | Operation::Return { .. }
                | Operation::Blank
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => {}
            }
        }
        for ((variable, born), bytes) in of_objects {
            let known = passes.get(&variable);
            let pass = known.and_then(|steps| steps.iter().position(|s| *s == born || s + 1 == born)).unwrap_or(0);
            let rows = bytes.into_iter().map(|(offset, byte)| (pass, offset, byte));
            values.objects.entry(variable).or_default().extend(rows);
        }
        for (born, bytes) in of_blocks {
            let Some(number) = allocations.iter().position(|step| *step == born || step + 1 == born) else { continue };
            values.blocks.extend(bytes.into_iter().map(|(offset, byte)| (number, offset, byte)));
        }
        values
    }

    /// One call of a function without a body. The bytes of a struct were asked for when they were read from where it went.
    fn call(
        &mut self,
        cfa: &Cfa,
        callee: FunctionId,
        into: Option<VarId>,
        (step, scalars, objects): (usize, &BTreeMap<usize, Bytes>, &mut ObjectBytes),
    ) {
        let bytes = match cfa.types.get(result(cfa, callee)) {
            Type::Record(_) => into.and_then(|into| objects.remove(&(into, step)).or_else(|| objects.remove(&(into, step + 1)))),
            _ => scalars.get(&step).cloned(),
        };
        self.calls.entry(callee).or_default().push(bytes.unwrap_or_default());
    }

    /// The tables of results and what hands them out.
    pub(super) fn tables(&self, cfa: &Cfa, out: &mut String) {
        let mut cases = String::new();
        for (function, calls) in &self.calls {
            let number = function.0;
            let longest = calls.iter().filter_map(|bytes| bytes.last_key_value()).map(|(offset, _)| offset + 1).max();
            let size = match cfa.types.get(result(cfa, *function)) {
                Type::Record(_) => longest.unwrap_or(1).min(LONGEST),
                _ => SCALAR,
            };
            let rows: Vec<String> = calls.iter().map(|bytes| row(bytes, size)).collect();
            let _ = writeln!(
                out,
                "static const unsigned char __residue_table{number}[][{size}] = {{\n{}\n}};\nstatic unsigned long __residue_at{number};",
                rows.join(",\n")
            );
            let _ = writeln!(
                cases,
                "    case {number}: if (__residue_at{number} < {}) {{ from = __residue_table{number}[__residue_at{number}++]; known = {size}; }} break;",
                calls.len()
            );
        }
        let _ = writeln!(
            out,
            "void __residue_input(unsigned number, void *to, unsigned size) {{\n  \
               const unsigned char *from = 0; unsigned i, known = 0;\n  \
               switch (number) {{\n{cases}    default: break;\n  }}\n  \
               for (i = 0; i < size; i++) ((volatile unsigned char *)to)[i] = i < known ? from[i] : 0;\n}}"
        );
    }

    /// Fills objects whose arbitrary initial value was read.
    pub(super) fn objects(&self, cfa: &Cfa, patches: &mut Vec<Patch>, out: &mut String) {
        let mut rows = String::new();
        for (variable, bytes) in &self.objects {
            let declared = cfa.variable(*variable);
            // Parameters of the entry function are given by its call. A compound literal has an initialiser, and no name.
            let is_given = matches!(declared.kind, VarKind::Parameter(_) | VarKind::CompoundLiteral);
            if declared.function.is_none() || is_given || declared.span.is_empty() || bytes.is_empty() {
                continue;
            }
            // An initialiser says all of the object that the program may rely on, and filling it would undo that.
            let text = &cfa.source.text()[declared.span.lo as usize..declared.span.hi as usize];
            if text.contains(&b'=') {
                continue;
            }
            let number = variable.0;
            let text = format!(", *__residue_object{number} = __residue_fill((void *)&{}, {number})", declared.name);
            patches.push(Patch { span: Span::new(declared.span.hi, declared.span.hi), text });
            for (pass, offset, byte) in bytes {
                let _ = writeln!(rows, "  {{{number}, {pass}, {offset}, {byte}}},");
            }
        }
        // Allocated blocks are a further object, which comes to life with each allocation.
        let most = cfa.variables.len();
        for (pass, offset, byte) in &self.blocks {
            let _ = writeln!(rows, "  {{{most}, {pass}, {offset}, {byte}}},");
        }
        let _ = writeln!(
            out,
            "static const struct {{ unsigned object, pass; __residue_size offset; unsigned byte; }} __residue_bytes[] = {{\n{rows}  {{0, 0, 0, 0}}\n}};\n\
             void *__residue_fill(void *object, unsigned number) {{\n  \
               static unsigned passes[{most} + 1];\n  \
               unsigned i, pass = passes[number]++;\n  \
               for (i = 0; i + 1 < sizeof __residue_bytes / sizeof *__residue_bytes; i++)\n    \
                 if (__residue_bytes[i].object == number && __residue_bytes[i].pass == pass)\n      \
                   ((volatile unsigned char *)object)[__residue_bytes[i].offset] = (unsigned char)__residue_bytes[i].byte;\n  \
               return 0;\n}}\n\
             static void __residue_fill_block(void *block) {{ __residue_fill(block, {most}); }}"
        );
    }
}

/// Adds the bytes of a value.
fn add(bytes: &mut Bytes, offset: u64, bits: u32, value: u128) {
    let known = (0..u64::from(bits.div_ceil(8)).min(SCALAR)).map(|at| (offset + at, (value >> (8 * at) & 0xff) as u8));
    bytes.extend(known);
}

/// The bytes of a parameter of the entry function that the run read.
pub(super) fn of_parameter(run: &Run, number: u32, parameter: VarId) -> Bytes {
    let mut bytes = Bytes::new();
    for read in &run.reads {
        match read.request.origin {
            Origin::Parameter(at) if at == number => add(&mut bytes, 0, read.request.bits, read.value),
            Origin::Object { variable: Some(variable), offset, born: 0 } if variable == parameter => {
                add(&mut bytes, offset, read.request.bits, read.value);
            }
            Origin::Parameter(_)
            | Origin::Object { .. }
            | Origin::Input(_)
            | Origin::External(_)
            | Origin::MissingResult(_)
            | Origin::Volatile(_)
            | Origin::Comparison(_)
            | Origin::Allocation(_) => {}
        }
    }
    bytes
}

/// One row of a table.
pub(super) fn row(bytes: &Bytes, size: u64) -> String {
    let known: Vec<String> =
        bytes.iter().filter(|(offset, _)| **offset < size).map(|(offset, byte)| format!("[{offset}] = {byte}")).collect();
    format!("  {{{}}}", if known.is_empty() { "0".to_owned() } else { known.join(", ") })
}
