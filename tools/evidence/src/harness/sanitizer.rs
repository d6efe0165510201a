//! Violations that are operations: gcc's sanitizers find them where the harness does them.
//!
//! The handlers that the compiler calls are the harness' own as far as they can be, so that it needs no library of the
//! sanitizer and ends as every harness does.

use formats::{DataModel, Property};
use program::cfa::{Cfa, Function};
use program::source::Span;
use program::violation::Violation;

/// Whether a function is the error function of guards that the text of the program does not have.
pub(super) fn is_guard(function: &Function) -> bool {
    function.span == Span::default() && Violation::of_function(&function.name).is_some()
}

/// The sanitizer that sees the violation; none where the text of the program has the guards.
fn sanitizer(cfa: &Cfa) -> Option<Property> {
    cfa.functions.iter().any(is_guard).then_some(cfa.options.property)
}

/// The options of gcc that switch it on.
pub(super) fn flags(cfa: &Cfa) -> Option<&'static str> {
    Some(match (sanitizer(cfa)?, cfa.options.data_model) {
        (Property::DivZero, _) => "-fsanitize=integer-divide-by-zero -fno-sanitize-recover=all",
        (Property::Shift, _) => "-fsanitize=shift -fno-sanitize-recover=all",
        (Property::NoOverflow, _) => "-fsanitize=signed-integer-overflow -fno-sanitize-recover=all",
        (Property::ValidDeref, DataModel::ILP32) => "-fsanitize=null,bounds -fno-sanitize-recover=all",
        (Property::ValidDeref, DataModel::LP64) => "-fsanitize=address,null,bounds -fno-sanitize-recover=all",
        (Property::ValidFree | Property::ValidMemtrack, _) => "-fsanitize=address",
        (Property::UnreachCall | Property::Assert, _) => return None,
    })
}

/// Whether integers wrap: not where their overflow is the violation, which no sanitizer would see then.
pub(super) fn wraps(cfa: &Cfa) -> bool {
    !matches!(sanitizer(cfa), Some(Property::NoOverflow | Property::Shift))
}

/// What the compiler's calls lead to.
pub(super) fn handlers(cfa: &Cfa) -> &'static str {
    if sanitizer(cfa).is_some() { HANDLERS } else { "" }
}

const HANDLERS: &str = "\
void __ubsan_handle_add_overflow_abort(void) { __residue_reached(); }
void __ubsan_handle_sub_overflow_abort(void) { __residue_reached(); }
void __ubsan_handle_mul_overflow_abort(void) { __residue_reached(); }
void __ubsan_handle_negate_overflow_abort(void) { __residue_reached(); }
void __ubsan_handle_divrem_overflow_abort(void) { __residue_reached(); }
void __ubsan_handle_shift_out_of_bounds_abort(void) { __residue_reached(); }
void __ubsan_handle_out_of_bounds_abort(void) { __residue_reached(); }
void __ubsan_handle_type_mismatch_v1_abort(void) { __residue_reached(); }
#if defined(__SANITIZE_ADDRESS__)
void __asan_on_error(void) { __residue_print(\"reach_error\\n\", 12); }
const char *__asan_default_options(void) { return \"detect_stack_use_after_return=1:exitcode=1\"; }
#endif
";
