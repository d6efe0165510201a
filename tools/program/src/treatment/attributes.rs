//! Attributes, in both notations; `__name__` is the same as `name`.
//!
//! A promise to the optimiser is harmless: breaking one is undefined behaviour, and that does not occur.

use super::Row;
use super::Treatment::{Harmless, Identity, Modelled, Unsupported};

/// Reason for attributes of calling conventions that x86-64 has no use for.
const CONVENTION: &str = "a calling convention of 32 bits: gcc ignores it for 64, and on both a mismatch does not compile";
/// Reason for attributes of other systems.
const ELSEWHERE: &str = "gcc for Linux ignores it with a warning";
/// Reason for attributes that only the linker sees.
const LINKED: &str = "it names a version of a symbol, which takes a linker script and more than one file to see";

/// The table.
pub const ROWS: &[Row] = &[
    Row::new("access", Harmless),
    Row::new("alias", Modelled),
    Row::new("aligned", Modelled),
    Row::new("alloc_align", Harmless),
    Row::new("alloc_size", Harmless),
    Row::new("always_inline", Harmless),
    Row::new("artificial", Harmless),
    Row::new("assume_aligned", Harmless),
    Row::unshown("bnd_instrument", Harmless, "gcc has dropped it with the instrumentation it was for"),
    Row::new("btf_decl_tag", Harmless),
    Row::new("btf_type_tag", Harmless),
    Row::unshown("cdecl", Harmless, CONVENTION),
    Row::new("cleanup", Modelled),
    Row::new("cold", Harmless),
    Row::new("common", Harmless),
    Row::new("const", Harmless),
    Row::new("constructor", Modelled),
    Row::new("counted_by", Harmless),
    Row::new("deprecated", Harmless),
    Row::new("designated_init", Harmless),
    Row::new("destructor", Modelled),
    Row::new("disable_tail_calls", Harmless),
    Row::unshown("dllexport", Harmless, ELSEWHERE),
    Row::unshown("dllimport", Harmless, ELSEWHERE),
    Row::new("error", Harmless),
    Row::new("expected_throw", Harmless),
    Row::new("externally_visible", Harmless),
    Row::new("fallthrough", Harmless),
    Row::unshown("fastcall", Harmless, CONVENTION),
    Row::new("fd_arg", Harmless),
    Row::new("fd_arg_read", Harmless),
    Row::new("fd_arg_write", Harmless),
    Row::new("flatten", Harmless),
    Row::new("force_align_arg_pointer", Harmless),
    Row::new("format", Harmless),
    Row::new("format_arg", Harmless),
    Row::new("gcc_struct", Harmless),
    Row::new("gnu_inline", Identity),
    Row::new("hot", Harmless),
    Row::new("ifunc", Unsupported),
    Row::new("leaf", Harmless),
    Row::new("malloc", Harmless),
    Row::new("may_alias", Harmless),
    Row::new("maybe_unused", Harmless),
    Row::new("mode", Modelled),
    Row::new("ms_abi", Identity),
    Row::new("ms_struct", Unsupported),
    Row::new("no_address_safety_analysis", Harmless),
    Row::new("no_icf", Harmless),
    Row::new("no_instrument_function", Harmless),
    Row::new("no_profile_instrument_function", Harmless),
    Row::new("no_reorder", Harmless),
    Row::new("no_sanitize", Harmless),
    Row::new("no_sanitize_address", Harmless),
    Row::new("no_sanitize_coverage", Harmless),
    Row::new("no_sanitize_thread", Harmless),
    Row::new("no_sanitize_undefined", Harmless),
    Row::new("no_split_stack", Harmless),
    Row::new("no_stack_limit", Harmless),
    Row::new("no_stack_protector", Harmless),
    Row::new("nocf_check", Harmless),
    Row::new("noclone", Harmless),
    Row::new("nocommon", Harmless),
    Row::new("nodebug", Harmless),
    Row::new("nodiscard", Harmless),
    Row::new("noinit", Identity),
    Row::new("noinline", Harmless),
    Row::new("noipa", Harmless),
    Row::new("nonnull", Harmless),
    Row::new("nonstring", Harmless),
    Row::new("noplt", Harmless),
    Row::new("noreturn", Modelled),
    Row::new("nothrow", Harmless),
    Row::new("null_terminated_string_arg", Harmless),
    Row::new("optimize", Identity),
    Row::new("packed", Modelled),
    Row::new("patchable_function_entry", Harmless),
    Row::new("pure", Harmless),
    Row::unshown("regparm", Harmless, CONVENTION),
    Row::new("retain", Harmless),
    Row::new("returns_nonnull", Harmless),
    Row::new("returns_twice", Unsupported),
    Row::new("scalar_storage_order", Modelled),
    Row::new("section", Identity),
    Row::new("selectany", Harmless),
    Row::new("sentinel", Harmless),
    Row::new("simd", Identity),
    Row::unshown("sseregparm", Harmless, CONVENTION),
    Row::new("stack_protect", Harmless),
    Row::unshown("stdcall", Harmless, CONVENTION),
    Row::new("strict_flex_array", Harmless),
    Row::unshown("symver", Identity, LINKED),
    Row::new("sysv_abi", Identity),
    Row::new("tainted_args", Harmless),
    Row::new("target", Identity),
    Row::new("target_clones", Identity),
    Row::unshown("thiscall", Harmless, CONVENTION),
    Row::new("tls_model", Harmless),
    Row::new("transparent_union", Modelled),
    Row::new("unavailable", Harmless),
    Row::new("uninitialized", Harmless),
    Row::new("unused", Harmless),
    Row::new("used", Harmless),
    Row::new("vector_size", Modelled),
    Row::new("visibility", Harmless),
    Row::new("warn_if_not_aligned", Harmless),
    Row::new("warn_unused", Harmless),
    Row::new("warn_unused_result", Harmless),
    Row::new("warning", Harmless),
    Row::new("weak", Identity),
    Row::new("weakref", Modelled),
    Row::new("zero_call_used_regs", Harmless),
];

/// Whether what `optimize` asks for, as an attribute or as a pragma, leaves the values of expressions alone.
#[must_use]
pub fn keeps_values(arguments: &str) -> bool {
    let plain = |word: &str| {
        let word = word.strip_prefix('-').unwrap_or(word);
        let level = word.strip_prefix('O').unwrap_or(word);
        matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "g" | "z")
            || matches!(
                word.strip_prefix('f').unwrap_or(word),
                "wrapv" | "no-strict-aliasing" | "unroll-loops" | "tree-vectorize"
            )
            || matches!(word, "no-stack-protector" | "no-tree-vectorize" | "no-inline" | "omit-frame-pointer" | "no-ipa-icf")
    };
    words(arguments).iter().all(|word| plain(word))
}

/// Whether what `target` asks for leaves the arithmetic of floats alone: fused operations and the x87 do not.
#[must_use]
pub fn keeps_floats(arguments: &str) -> bool {
    const PLAIN: &[&str] = &[
        "64", "abm", "adx", "aes", "avx", "avx2", "bmi", "bmi2", "clflushopt", "crc32", "cx16", "default", "fsgsbase", "lzcnt",
        "mmx", "movbe", "pclmul", "popcnt", "prfchw", "rdrnd", "rdseed", "sahf", "sha", "sse", "sse2", "sse3", "sse4", "sse4.1",
        "sse4.2", "sse4a", "ssse3", "xsave", "xsavec", "xsaveopt", "xsaves",
    ];
    words(arguments).iter().all(|word| PLAIN.contains(&word.trim()))
}

/// The words in the strings of an argument list, and its numbers.
fn words(arguments: &str) -> Vec<&str> {
    let inside = arguments.split_once('(').map_or(arguments, |(_, inside)| inside).trim_end().trim_end_matches(')');
    inside.split([',', '"']).map(str::trim).filter(|word| !word.is_empty()).collect()
}

/// Whether a section is one of data or code that nothing but its own object sees.
///
/// The start-up code runs what stands in some sections, and text behind the name is taken as assembly.
#[must_use]
pub fn is_plain_section(name: &str) -> bool {
    const OBEYED: &[&str] =
        &[".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors", ".rodata", ".tdata", ".tbss", ".init_priority"];
    let obeyed = OBEYED.iter().any(|start| name.starts_with(start)) || matches!(name, "" | ".init" | ".fini" | ".interp");
    !obeyed && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.$-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_change_values_are_told_apart() {
        for plain in ["(\"O3\")", "(2)", "(\"O2,no-strict-aliasing\")", "(\"-fwrapv\", \"s\")", "optimize (\"Os\")"] {
            assert!(keeps_values(plain), "{plain}");
        }
        for other in ["(\"Ofast\")", "(\"trapv\")", "(\"O2\", \"fast-math\")", "(\"no-signed-zeros\")"] {
            assert!(!keeps_values(other), "{other}");
        }
        assert!(keeps_floats("(\"sse4.2,avx2\")") && keeps_floats("(\"default\")"));
        assert!(!keeps_floats("(\"fma\")") && !keeps_floats("(\"arch=haswell\")") && !keeps_floats("(\"fpmath=387\")"));
    }

    #[test]
    fn sections_that_something_else_reads_are_told_apart() {
        for plain in [".data", ".init.text", ".modinfo", "my_section", ".data..percpu", ".text.unlikely", ".init.data"] {
            assert!(is_plain_section(plain), "{plain}");
        }
        for other in [".init_array", ".ctors", ".init", ".rodata", "x,\"aw\"#", "", ".fini_array.5"] {
            assert!(!is_plain_section(other), "{other}");
        }
    }
}
