//! Artifacts that are made to take memory or time: every reader refuses or reads them within bounds. SECURITY.md names these
//! tests.

use std::fs;
use std::path::Path;

use residue_tests::{Ran, run, tool};

const GOOD: &str = "extern void reach_error(void);\nint main(void) { int x = 1; if (x == 2) reach_error(); return 0; }\n";
const OTHER: &str = "extern void reach_error(void);\nint main(void) { int x = 3; if (x == 2) reach_error(); return 0; }\n";
/// Address space of a tool in KiB: its stack of 256 MiB and its libraries are in it.
const MEMORY: u32 = 1_500_000;
/// CPU seconds of a tool.
const SECONDS: u32 = 20;

/// A folder with a pair, its graph, its condition and its witness.
fn pipeline() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.c"), GOOD).unwrap();
    fs::write(folder.path().join("other.c"), OTHER).unwrap();
    for (tool, arguments) in [
        ("diffcond", "--explain-json explanation.json -o graph.json good.c other.c"),
        ("condgen", "-o condition.graphml graph.json"),
        ("verify", "--witness witness.graphml other.c"),
        ("verify", "--witness witness.yml other.c"),
    ] {
        let ran = run(tool, arguments.split(' '), folder.path()).unwrap();
        assert_eq!(ran.code, 0, "{tool}: {}", ran.stderr);
    }
    folder
}

/// Runs a tool within bounds; it must come to an end of its own.
fn bounded(line: &str, folder: &Path) -> Ran {
    let bin = tool("verify").parent().unwrap().display().to_string();
    let script = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec {bin}/{line}");
    let output = duct::cmd!("/bin/sh", "-c", script).dir(folder).stdin_null().stdout_capture().stderr_capture().unchecked().run();
    let output = output.unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or_else(|| panic!("{line}: {}: {stderr}", output.status));
    assert!(code < 4, "{line}: exit code {code}: {stderr}");
    Ran { code, stdout: String::from_utf8_lossy(&output.stdout).into_owned(), stderr }
}

/// A tool refuses a text within bounds.
fn refuses(line: &str, name: &str, text: &str, folder: &Path) {
    fs::write(folder.join(name), text).unwrap();
    let ran = bounded(line, folder);
    assert_eq!(ran.code, 2, "{line}: {}", ran.stderr);
    assert!(ran.stderr.len() < 10_000, "{line}: the message is as long as the bomb");
}

/// A document type in which each entity is ten of the one before.
fn laughs(root: &str) -> String {
    let entities: String = (1..12).map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10))).collect();
    format!("<!DOCTYPE {root} [<!ENTITY e0 \"ha\">{entities}]>")
}

/// A YAML sequence in which each item is ten aliases of the one before.
fn aliases(indent: &str) -> String {
    let mut text = format!("{indent}- &a0 [ha]\n");
    for n in 1..12 {
        let items = vec![format!("*a{}", n - 1); 10].join(", ");
        text.push_str(&format!("{indent}- &a{n} [{items}]\n"));
    }
    text
}

#[test]
fn difference_graphs_claim_no_memory() {
    let folder = pipeline();
    let here = folder.path();
    let graph = fs::read_to_string(here.join("graph.json")).unwrap();
    let nodes = graph.split_once("\"nodes\":").unwrap().1.split_once(',').unwrap().0;
    let with = |from: &str, to: &str| {
        let text = graph.replacen(from, to, 1);
        assert_ne!(text, graph, "{from}");
        text
    };
    for number in ["4000000000", "4294967295", "99999999999999999999", "1e300", "-1"] {
        refuses("condgen bomb.json", "bomb.json", &with(&format!("\"nodes\":{nodes}"), &format!("\"nodes\":{number}")), here);
    }
    let deep = "[".repeat(1_000_000);
    for (from, to) in [
        ("\"format\":\"difference-graph\"", format!("\"format\":{deep}")),
        ("\"edges\":[", format!("\"edges\":[{deep}")),
        ("\"degraded\":null", format!("\"degraded\":{deep}")),
    ] {
        refuses("condgen bomb.json", "bomb.json", &with(from, &to), here);
    }
    fs::write(here.join("bomb.json"), with("{", &format!("{{\"unknown\":{}{},", "[".repeat(100), "]".repeat(100)))).unwrap();
    assert_eq!(bounded("condgen bomb.json", here).code, 0, "what is not known is passed over");
}

/// What is written once in a difference graph is not taken for any amount of memory, and its numbers count nothing.
#[test]
fn interned_difference_graphs_claim_no_memory() {
    let folder = pipeline();
    let here = folder.path();
    let graph = fs::read_to_string(here.join("graph.json")).unwrap();
    assert!(graph.contains("\"version\":2"), "{graph}");
    let (head, rest) = graph.split_once("\"strings\":[").unwrap();
    let (_, rest) = rest.split_once("\"rows\":[").unwrap();
    let (rows, edges) = rest.split_once("],\"cfa_edges\":[").unwrap();
    let with = |strings: &str, rows: &str, edges: &str| {
        format!("{head}\"strings\":[{strings}],\"rows\":[{rows}],\"cfa_edges\":[{edges}]}}")
    };
    let row = |text: &str| format!("[1,0,0,0,0,0,0,0,1,0,0,{text},0,0,0]");
    let long = "x".repeat(1 << 20);
    let bombs = [
        // A long text that half a million edges have.
        with(&format!("\"f\",\"blank\",\"{long}\""), &row("2"), "0,".repeat(500_000).trim_end_matches(',')),
        with("\"f\",\"blank\",\"\"", &row("2"), "0,".repeat(3_000_000).trim_end_matches(',')),
        with("\"f\",\"blank\"", &row("4294967295"), "0"),
        with("\"f\",\"blank\"", &row("9223372036854775807"), "0"),
        with("\"f\",\"blank\"", &row("99999999999999999999"), "0"),
        with("\"f\",\"blank\"", rows, "4294967295"),
        with("\"f\",\"blank\"", &"[".repeat(1_000_000), edges.trim_end_matches(['}', ']', '\n'])),
    ];
    for bomb in bombs {
        refuses("condgen bomb.json", "bomb.json", &bomb, here);
        fs::create_dir_all(here.join("artifacts")).unwrap();
        refuses("residue explain artifacts", "artifacts/difference-graph.json", &bomb, here);
    }
}

#[test]
fn numbers_of_artifacts_claim_no_memory_when_they_are_shown() {
    let folder = pipeline();
    let here = folder.path();
    fs::create_dir(here.join("artifacts")).unwrap();
    // Version 1 has numbers by their names.
    assert_eq!(run("diffcond", "--format-version 1 -o graph.json good.c other.c".split(' '), here).unwrap().code, 0);
    let replace = |text: String, key: &str| {
        let mut out = String::new();
        let name = format!("\"{key}\":");
        let mut parts = text.split(&name);
        out.push_str(parts.next().unwrap());
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
            out.push_str(&format!("\"{key}\":4294967295{rest}"));
        }
        out
    };
    let keys = ["column", "end_column", "line", "end_line", "start_offset", "end_offset"];
    let bomb = |name: &str| keys.iter().fold(fs::read_to_string(here.join(name)).unwrap(), |text, key| replace(text, key));
    fs::write(here.join("artifacts/difference-graph.json"), bomb("graph.json")).unwrap();
    assert_eq!(bounded("residue explain artifacts", here).code, 0);
    assert_eq!(bounded("condgen artifacts/difference-graph.json", here).code, 0);
    fs::write(here.join("artifacts/explanation.json"), bomb("explanation.json")).unwrap();
    fs::copy(here.join("graph.json"), here.join("artifacts/difference-graph.json")).unwrap();
    bounded("residue explain artifacts", here);
    for text in
        ["[".repeat(1_000_000), format!("{{\"format\":\"explanation\",\"version\":1,\"findings\":{}", "[".repeat(1_000_000))]
    {
        refuses("residue explain artifacts", "artifacts/explanation.json", &text, here);
    }
}

#[test]
fn conditions_claim_no_memory_and_no_time() {
    let folder = pipeline();
    let here = folder.path();
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    let (before, after) = condition.split_once("<graph ").unwrap();
    let graph_end = after.find('>').unwrap() + 1;
    let inside = |text: &str| format!("{before}<graph {}{text}{}", &after[..graph_end], &after[graph_end..]);
    let attributes: String = (0..200_000).map(|n| format!(" a{n}=\"\"")).collect();
    for text in [
        inside(&"<x>".repeat(1_000_000)),
        inside(&"<edge source=\"a\" target=\"b\">".repeat(200_000)),
        inside(&"<edge source=\"a\" target=\"b\"><data key=\"x\">".repeat(200_000)),
        condition.replacen("<graphml", &format!("{}<graphml", laughs("graphml")), 1).replacen("good.c", "&e11;", 1),
    ] {
        refuses("reduce bomb.graphml", "bomb.graphml", &text, here);
        refuses("verify --condition bomb.graphml other.c", "bomb.graphml", &text, here);
    }
    fs::write(here.join("bomb.graphml"), inside(&format!("<node id=\"x\"{attributes} id=\"y\"/>"))).unwrap();
    bounded("reduce bomb.graphml", here);
    fs::write(here.join("bomb.graphml"), condition.replace("\"startcolumn\">", "\"startcolumn\">99999999999999999999")).unwrap();
    bounded("reduce bomb.graphml", here);
}

#[test]
fn witnesses_claim_no_memory_and_no_time() {
    let folder = pipeline();
    let here = folder.path();
    let witness = fs::read_to_string(here.join("witness.graphml")).unwrap();
    let inside = |text: &str| witness.replacen("</graph>", &format!("{text}</graph>"), 1);
    let attributes: String = (0..200_000).map(|n| format!(" a{n}=\"\"")).collect();
    for text in [
        inside(&"<x>".repeat(1_000_000)),
        witness.replacen("<graphml", &format!("{}<graphml", laughs("graphml")), 1).replacen("other.c", "&e11;", 1),
    ] {
        refuses("residue witness bomb.graphml", "bomb.graphml", &text, here);
    }
    fs::write(here.join("bomb.graphml"), inside(&format!("<node id=\"x\"{attributes}/>"))).unwrap();
    bounded("residue witness bomb.graphml", here);
    // Many invariants at many places.
    let nodes: String = (0..60_000).map(|n| format!("<node id=\"n{n}\"><data key=\"invariant\">1</data></node>")).collect();
    let edges: String = (0..60_000).map(|n| format!("<edge source=\"n{n}\" target=\"n{n}\"/>")).collect();
    fs::write(here.join("bomb.graphml"), inside(&(nodes + &edges))).unwrap();
    bounded("residue witness bomb.graphml", here);
    let yaml = fs::read_to_string(here.join("witness.yml")).unwrap();
    for text in [
        format!("{yaml}- entry_type: other\n  content:\n{}", aliases("  ")),
        format!("- entry_type: {}", "[".repeat(100_000)),
        format!("- {}x", "- ".repeat(100_000)),
        format!("- {}", "? ".repeat(100_000)),
        aliases(""),
    ] {
        refuses("residue witness bomb.yml", "bomb.yml", &text, here);
    }
}

#[test]
fn tasks_claim_no_memory_and_no_time() {
    let folder = pipeline();
    let here = folder.path();
    let task = "id: p\noriginal: good.c\nmodified: other.c\nproperty: unreach-call\ndata_model: LP64\n";
    for text in [
        format!("{task}notes:\n{}", aliases("  ")),
        format!("{task}notes: {}", "[".repeat(100_000)),
        format!("format_version: '2.0'\ninput_files:\n{}", aliases("  ")),
        task.replace("good.c", "/dev/zero"),
    ] {
        for line in
            ["diffdp --task bomb.yml", "residue check --task bomb.yml", "residue cfa --task bomb.yml", "verify --task bomb.yml"]
        {
            if text.contains("/dev/zero") && !line.starts_with("diffdp") && !line.contains("check") {
                continue;
            }
            refuses(line, "bomb.yml", &text, here);
        }
    }
    let definition = "format_version: '2.0'\ninput_files: other.c\nproperties:\n  - property_file: /dev/zero\n";
    refuses("verify --task bomb.yml", "bomb.yml", definition, here);
    refuses("verify --property /dev/zero other.c", "bomb.yml", "", here);
}

#[test]
fn compilation_databases_claim_no_memory_and_no_time() {
    let folder = pipeline();
    let here = folder.path();
    let git = |arguments: &str| {
        let line = format!("git -c user.name=a -c user.email=b {arguments}");
        duct::cmd!("/bin/sh", "-c", line).dir(here).run().unwrap();
    };
    git("init -q . && git add good.c && git -c user.name=a -c user.email=b commit -qm one");
    fs::write(here.join("good.c"), OTHER).unwrap();
    for text in
        ["[".repeat(1_000_000), format!("[{{\"directory\":\"\",\"file\":\"good.c\",\"arguments\":{}", "[".repeat(1_000_000))]
    {
        refuses("residue check --git HEAD", "compile_commands.json", &text, here);
    }
    let long = "a/".repeat(1_000_000);
    let entry = format!("{{\"directory\":\"/x/{long}\",\"file\":\"good.c\",\"arguments\":[\"cc\"]}}");
    fs::write(here.join("compile_commands.json"), format!("[{entry},{entry}]")).unwrap();
    assert_eq!(bounded("residue check --git HEAD", here).code, 0);
    let many: Vec<String> =
        (0..50_000).map(|n| format!("{{\"directory\":\"/x/{n}\",\"file\":\"f{n}.c\",\"arguments\":[\"cc\"]}}")).collect();
    fs::write(here.join("compile_commands.json"), format!("[{}]", many.join(","))).unwrap();
    assert_eq!(bounded("residue check --git HEAD", here).code, 0);
}

/// Records are laid side by side where a pointer to one becomes one to another: arrays of nothing, and of more than memory holds.
#[test]
fn records_of_any_size_are_compared_within_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for array in
        ["struct Nothing e[100000][100000][100000]", "struct Pad { int : 5; } e[1000][1000][1000]", "int e[1000][1000][100]"]
    {
        let text = format!(
            "extern void reach_error(void); extern int in(void); struct Nothing {{ }};
            struct A {{ {array}; int *p; long n; }} a; struct B {{ long n; int *p; }}; int x;
            int main(void) {{ a.p = &x; struct B *b = (struct B *)&a; if (in() && (unsigned long)b->p == 1) reach_error(); return 0; }}"
        );
        fs::write(here.join("bomb.c"), text).unwrap();
        let ran = bounded("verify -q --steps 200000 bomb.c", here);
        assert!(ran.last_line().starts_with("UNKNOWN") || ran.last_line() == "TRUE", "{array}: {}", ran.stdout);
    }
}
