//! A verifier that is not ours, with its tool-info module: what it says and does is its option's.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const MODULE: &str = r#"
import benchexec.result as result
import benchexec.tools.template

class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("fake-verifier")

    def version(self, executable):
        return "1.0"

    def name(self):
        return "Fake"

    def cmdline(self, executable, options, task, rlimits):
        return [executable, *options, task.single_input_file]

    def determine_result(self, run):
        for line in run.output:
            if line in ("TRUE", "FALSE", "UNKNOWN"):
                return {"TRUE": result.RESULT_TRUE_PROP, "FALSE": result.RESULT_FALSE_REACH}.get(line, "unknown")
        return "ERROR"
"#;

const START: &str = r#"#!/bin/sh
program=$2
witness() {
    line=$(grep -n '= __VERIFIER_nondet_int()' "$program" | head -1 | cut -d: -f1)
    cat > "$(dirname "$program")/witness.yml" <<END
- entry_type: violation_sequence
  content:
  - segment:
    - waypoint:
        type: assumption
        action: follow
        location: {line: $line}
        constraint: {value: "x == $1", format: c_expression}
END
    echo FALSE
}
"#;

/// Puts `fake-verifier` into a folder, with its module `fakes.fake`.
///
/// `options` is what its shell script does with the option `$1`; `program` is the file it is about, and `witness VALUE` says
/// FALSE with an input `x` of that value.
///
/// # Panics
/// If a file cannot be written.
#[expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]
pub fn fake(folder: &Path, options: &str) {
    fs::create_dir(folder.join("fakes")).unwrap();
    fs::write(folder.join("fakes/__init__.py"), "").unwrap();
    fs::write(folder.join("fakes/fake.py"), MODULE).unwrap();
    let tool = folder.join("fake-verifier");
    fs::write(&tool, format!("{START}{options}")).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
}
