//! What tools write as JSON follows the schemas in `formats/schemas`, which know every member of it.

use std::fs;
use std::path::Path;

use residue_tests::schemas::strict;
use residue_tests::{Ran, root, run};
use serde_json::Value;

/// The schema of a format; it allows no members that it does not name, as those of others may have.
fn schema(name: &str) -> Value {
    let file = root().join(format!("formats/schemas/{name}.schema.json"));
    let mut schema = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    strict(&mut schema);
    schema
}

/// Checks that a text follows a schema, and that the schema would notice if a member were missing.
fn follows(name: &str, text: &str) -> Value {
    let validator = jsonschema::validator_for(&schema(name)).unwrap();
    let instance: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<_> = validator.iter_errors(&instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{text}");
    for member in ["format", "version"] {
        let mut less = instance.clone();
        less.as_object_mut().unwrap().remove(member);
        assert!(!validator.is_valid(&less), "{name} without {member}");
    }
    instance
}

fn ran(tool: &str, arguments: &str, here: &Path) -> Ran {
    run(tool, arguments.split(' '), here).unwrap()
}

const ORIGINAL: &str =
    "extern int input(void);\nvoid reach_error(void);\nint main(void) { int x = input() & 7; if (x > 9) reach_error(); }\n";

fn pair() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.c"), ORIGINAL).unwrap();
    fs::write(folder.path().join("b.c"), ORIGINAL.replace("& 7", "& 15")).unwrap();
    folder
}

#[test]
fn artifacts_of_the_stages() {
    let folder = pair();
    let here = folder.path();
    assert_eq!(ran("diffdp", "a.c b.c -o graph.json", here).code, 0);
    follows("difference-graph", &fs::read_to_string(here.join("graph.json")).unwrap());
    let named = follows("difference-graph", &ran("diffdp", "--format-version 1 a.c b.c", here).stdout);
    assert_eq!((&named["version"], named["edges"][0]["from"].is_u64()), (&Value::from(1), true));
    let program = "int f(int *p, int n) { if (n) { __builtin_trap(); } return *p; }";
    fs::write(here.join("f.c"), program).unwrap();
    let ran_with = ran("diffdp", "--entry f --entry-depth 1 --malloc-may-fail --no-libc f.c f.c", here);
    let graph = follows("difference-graph", &ran_with.stdout);
    assert_eq!((&graph["library"], &graph["caller"]["malloc_may_fail"]), (&Value::from("none"), &Value::from(true)));
    assert_eq!(ran("condgen", "graph.json -o condition.graphml", here).code, 0);
    assert_eq!(ran("reduce", "condition.graphml --map map.json -o residual.c", here).code, 0);
    follows("residual-map", &fs::read_to_string(here.join("map.json")).unwrap());
    assert_eq!(ran("circuit", "-o b.aig --map circuit.json b.c", here).code, 0);
    let map = follows("circuit-map", &fs::read_to_string(here.join("circuit.json")).unwrap());
    assert!(map["inputs"][0]["bits"].as_array().unwrap().len() == 32 && map["steps"][0]["violation"]["line"] == 3);
    assert_eq!(ran("diffdp", "--certificate told.json a.c b.c -o graph.json", here).code, 0);
    let valid = follows("validation", &ran("residue", "validate --json --certificate told.json graph.json", here).stdout);
    assert_eq!(valid["result"], "valid");
    let told = fs::read_to_string(here.join("told.json")).unwrap();
    fs::write(here.join("told.json"), told.replace("=", "")).unwrap();
    let refused = follows("validation", &ran("residue", "validate --json --certificate told.json graph.json", here).stdout);
    assert!(refused["message"].is_string() && refused["result"] == "refused", "{refused}");
    let cfa = follows("cfa", &ran("residue", "cfa --to json b.c", here).stdout);
    assert!(cfa["edges"].as_array().unwrap().iter().any(|edge| edge["kind"] == "assume"));
}

#[test]
fn verdicts() {
    let folder = pair();
    let here = folder.path();
    let answer = |arguments: &str| follows("verdict", &ran("verify", &format!("--json {arguments}"), here).stdout);
    assert_eq!(answer("a.c")["verdict"], "TRUE");
    assert!(answer("b.c")["counterexample"]["inputs"][0]["bits"].is_string());
    assert_eq!(answer("--budget 0 a.c")["reason"], "budget");
    assert_eq!(answer("--property div-zero,no-overflow a.c")["properties"].as_array().unwrap().len(), 2);
    let loops = "int input(void); void reach_error(void);\n\
                 int main(void) { int n = input(), i = 0; while (i < n) i++; if (n >= 0 && i != n) reach_error(); }\n";
    fs::write(here.join("loop.c"), loops).unwrap();
    assert_eq!(answer("loop.c")["verdict"], "TRUE");
    for arguments in [
        "a.c b.c",
        "b.c a.c",
        "a.c a.c",
        "--detector none a.c b.c",
        "--validated b.c a.c",
        "--validated --detector diffcond b.c a.c",
        "--property div-zero,shift a.c b.c",
    ] {
        let ran = ran("residue", &format!("check --json {arguments}"), here);
        if ran.code == 2 {
            follows("error", &ran.stdout);
        } else {
            follows("check", &ran.stdout);
        }
    }
    assert_eq!(follows("check", &ran("residue", "check --json a.c b.c", here).stdout)["class"], "regression");
}

/// That what a report has of another format follows that format.
fn follows_inside(name: &str, inside: &Value) {
    follows(name, &inside.to_string());
}

#[test]
fn verdicts_of_assertions_and_proofs() {
    let folder = pair();
    let here = folder.path();
    let text = "#include <assert.h>\nint input(void);\nint main(void) {\n  int n = input(), i = 0;\n  while (i < n) i++;\n\
                  assert(n < 0 || i == n);\n  assert(i >= 0 && n != 7 && 12 / n < 13);\n}\n";
    fs::write(here.join("v1.c"), text).unwrap();
    fs::write(here.join("v2.c"), text.replace("n != 7", "n != 8")).unwrap();
    ran("propdiff", "--check --save-verdicts v1.json v1.c", here);
    let verdicts = follows("assertion-verdicts", &fs::read_to_string(here.join("v1.json")).unwrap());
    let sites = verdicts["sites"].as_array().unwrap();
    assert!(sites.iter().any(|site| site["evaluation"]["verdict"] == "FALSE(div-zero)"), "{verdicts}");
    assert!(
        !verdicts["invariants"].as_array().unwrap().is_empty() && !verdicts["counterexamples"].as_array().unwrap().is_empty()
    );
    follows("assertion-verdicts", &ran("propdiff", "--json --check v1.c", here).stdout);
    follows("property-difference", &ran("propdiff", "--json --check --verdicts v1.json v1.c v2.c", here).stdout);
    let report = follows("properties-report", &ran("residue", "properties --json v1.c v2.c", here).stdout);
    follows_inside("property-difference", &report["units"][0]["difference"]);
    follows_inside("assertion-verdicts", &report["units"][0]["verdicts"]);
    assert_eq!(ran("verify", "--proof p.json v1.c", here).code, 1);
    let loops = "int input(void); void reach_error(void);\n\
                 int main(void) { int n = input(), i = 0; while (i < n) i++; if (n >= 0 && i != n) reach_error(); }\n";
    fs::write(here.join("loop.c"), loops).unwrap();
    assert_eq!(ran("verify", "--proof p.json loop.c", here).last_line(), "TRUE");
    let proof = follows("proof", &fs::read_to_string(here.join("p.json")).unwrap());
    assert!(["variables", "terms", "facts"].iter().all(|part| !proof[part].as_array().unwrap().is_empty()), "{proof}");
}

#[test]
fn summaries_of_witnesses() {
    let folder = pair();
    let here = folder.path();
    let loops = "int input(void); void reach_error(void);\n\
                 int main(void) { int i = 0; while (input()) { if (i < 3) i++; if (i > 3) reach_error(); } return 0; }\n";
    fs::write(here.join("loop.c"), loops).unwrap();
    for (program, kind, part) in [("b.c", "violation", "steps"), ("loop.c", "correctness", "invariants")] {
        for name in ["w.yml", "w.graphml"] {
            ran("verify", &format!("--witness {name} {program}"), here);
            for flags in ["", &format!(" --program {program}")] {
                let summary =
                    follows("witness-summary", &ran("residue", &format!("witness --to json{flags} {name}"), here).stdout);
                assert_eq!(
                    (&summary["kind"], summary["compared"].is_null()),
                    (&Value::from(kind), flags.is_empty()),
                    "{summary}"
                );
                assert!(!summary[part].as_array().unwrap().is_empty(), "{summary}");
            }
        }
    }
}

#[test]
fn listings_of_the_driver() {
    let folder = pair();
    let here = folder.path();
    let client = "int input(void); int lib(int v);\nint main(void) { return lib(input() & 7); }\n";
    for (name, text) in [
        ("old.c", "int lib(int v) { return v; }\n"),
        ("new.c", "int lib(int v) { return v == 3 ? 4 : v; }\n"),
        ("app.c", client),
        ("still.c", "int main(void) { return 0; }\n"),
        ("torn.c", "int main(void) { return ; ) }\n"),
        ("takes.c", "struct s { int a; }; int f(struct s *p, int n) { return p->a + n; }\nint main(void) { return 0; }\n"),
    ] {
        fs::write(here.join(name), text).unwrap();
    }
    let report = ran("residue", "clients --json --library old.c --library new.c app.c still.c torn.c", here);
    let report = follows("clients-report", &report.stdout);
    let clients = report["clients"].as_array().unwrap();
    assert_eq!((clients.len(), report["failures"].as_array().unwrap().len()), (2, 1), "{report}");
    clients
        .iter()
        .filter(|client| !client["result"].is_null())
        .for_each(|client| follows_inside("equivalence", &client["result"]));
    let report = ran("residue", "invariants --json --at calls:reach_error --of x<10 a.c b.c", here);
    let report = follows("invariants-report", &report.stdout);
    report["units"][0]["windows"].as_array().unwrap().iter().for_each(|one| follows_inside("invariant-table", &one["table"]));
    assert_eq!(report["units"][0]["changes"][0]["kind"], "revived", "{report}");
    let entries = follows("entries", &ran("residue", "entries --json takes.c", here).stdout);
    let assumed = |entry: &Value| entry["assumes"].is_array();
    assert_eq!(entries["entries"].as_array().unwrap().iter().filter(|entry| assumed(entry)).count(), 1, "{entries}");
    let detector = residue_tests::target().join("release/diffcond");
    let pairs = ran("residue", &format!("bench-stage --json {}", detector.display()), here);
    let pairs = follows("bench-stage", &pairs.stdout);
    assert!(pairs["pairs"].as_array().unwrap().iter().all(|pair| pair["result"] == "sound"), "{pairs}");
    let failed = follows("bench-stage", &ran("residue", "bench-stage --json --stage condgen false", here).stdout);
    assert!(failed["pairs"].as_array().unwrap().iter().all(|pair| pair["result"] == "failed"), "{failed}");
}

#[test]
fn unusable_input_is_an_object_too() {
    let folder = pair();
    let here = folder.path();
    fs::write(here.join("bad.c"), "int x = ;\nint y = ;\n").unwrap();
    for (tool, arguments, word) in [
        ("verify", "--json missing.c", "missing.c: no such file"),
        ("verify", "--json bad.c", "bad.c:1:9"),
        ("residue", "check --json missing.c b.c", "missing.c"),
        ("residue", "check --json a.c bad.c", "bad.c:1:9"),
        ("cse", "--json --client missing.c a.c b.c", "missing.c"),
        ("propdiff", "--json a.c missing.c", "missing.c"),
        ("circuit", "--json missing.c", "missing.c"),
        ("residue", "properties --json missing.c b.c", "missing.c"),
        ("residue", "invariants --json --at main:exit missing.c b.c", "missing.c"),
        ("residue", "clients --json --library missing.c a.c", "two versions of the library"),
        ("residue", "entries --json bad.c", "bad.c:1:9"),
        ("residue", "validate --json --certificate missing.json graph.json", "graph.json"),
        ("residue", "bench-stage --json ./missing", "./missing"),
        // What the command line itself gets wrong is no result either.
        ("verify", "--json a.c b.c", "unexpected argument 'b.c' found"),
        ("residue", "check --json --no-such-flag a.c b.c", "unexpected argument '--no-such-flag' found"),
    ] {
        let ran = ran(tool, arguments, here);
        assert_eq!(ran.code, 2, "{tool} {arguments}: {}", ran.stderr);
        let error = follows("error", &ran.stdout);
        assert!(error["message"].as_str().unwrap().contains(word), "{tool} {arguments}: {error}");
        assert!(ran.stderr.contains(word), "people are told as before: {}", ran.stderr);
    }
    let ran_on = ran("residue", "invariants --json --at main:exit missing.c b.c", here);
    assert!(ran_on.stdout.contains("missing.c: No such file"), "what is wrong with it is in the object: {}", ran_on.stdout);
    assert_eq!(ran("verify", "missing.c", here).stdout, "");
}

#[test]
fn errors_name_the_field() {
    let folder = pair();
    let here = folder.path();
    let graph = ran("diffdp", "a.c b.c", here).stdout;
    let wrong = |graph: &str, (from, to, told): (&str, &str, &str)| {
        let spoiled = graph.replacen(from, to, 1);
        assert_ne!(spoiled, graph, "{from}");
        fs::write(here.join("spoiled.json"), spoiled).unwrap();
        let ran = ran("condgen", "spoiled.json", here);
        assert!(ran.code == 2 && ran.stderr.contains(told), "{told}\n{}", ran.stderr);
    };
    wrong(&graph, ("\"rows\":[[", "\"rows\":[[0.5,", "`rows[0][0]`: invalid type: floating point `0.5`, expected i64"));
    wrong(&graph, ("\"edges\":[", "\"edges\":[-7,0,0,", "edges[0]: 0 and -7 make no `from`"));
    wrong(&graph, ("\"strings\":[", "\"strings\":[1,", "`strings[0]`: invalid type: integer `1`, expected a string"));
    let graph = ran("diffdp", "--format-version 1 a.c b.c", here).stdout;
    for case in [
        ("\"initial\":0", "\"initial\":\"zero\"", "`initial`: invalid type: string \"zero\", expected u32"),
        ("\"line\":3", "\"line\":-3", ".line`: invalid value: integer `-3`, expected u32"),
        ("\"kind\":\"assume\"", "\"kind\":\"guess\"", ".kind`: unknown variant `guess`, expected one of `declare`"),
        ("\"nodes\":", "\"knots\":", "missing field `nodes`"),
    ] {
        wrong(&graph, case);
    }
}
