//! Reports about changes of headers: they name the changed line where it is, with paths of the repository or of the folders.

use std::path::Path;

use residue_tests::{Ran, run, shared};
use serde_json::Value;

const HEADER: &str = "#ifndef LIMITS_H
#define LIMITS_H
/* How high the level may rise. */
#define RIM 100
enum { MOST_RAIN = 60 };
static const int START = 0;
static inline int clamp(int level)
{
    if (level > RIM)
        return RIM;
    return level;
}
#ifdef WET
#define FACTOR 2
#else
#define FACTOR 1
#endif
#endif
";

const PROGRAM: &str = "#include \"../include/limits.h\"
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int level = START;
    for (int i = 0; i < 2; i++) {
        int rain = __VERIFIER_nondet_int();
        if (rain < 0 || rain > MOST_RAIN)
            return 0;
        level = clamp(level +
                      FACTOR * rain);
    }
    if (level > 100)
        reach_error();
    return level;
}
";

/// A change of both files.
struct Change {
    header: String,
    program: String,
}

fn header(from: &str, to: &str) -> Change {
    assert!(HEADER.contains(from));
    Change { header: HEADER.replace(from, to), program: PROGRAM.to_owned() }
}

/// The text of a report of each kind.
struct Reports {
    ran: Ran,
    sarif: Value,
    json: Value,
    html: String,
}

impl Reports {
    fn new(folder: &Path, arguments: &[&str]) -> Self {
        let out = tempfile::Builder::new().prefix("reports-").tempdir().unwrap();
        let names = ["sarif", "json", "html"].map(|ending| out.path().join(format!("r.{ending}")));
        let mut full = vec!["check"];
        names.iter().for_each(|name| full.extend(["--report", name.to_str().unwrap()]));
        full.extend(arguments);
        let ran = run("residue", full, folder).unwrap();
        let [sarif, json, html] =
            names.map(|name| std::fs::read_to_string(name).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr)));
        for text in [&sarif, &json, &html] {
            assert!(!text.contains("residue-temporary-"), "a path of a temporary folder: {text}");
        }
        let found = Self {
            ran,
            sarif: parse(&sarif, "schemas/sarif-schema-2.1.0.json"),
            json: serde_json::from_str(&json).unwrap(),
            html,
        };
        formats::report::Report::read(json.as_bytes(), "r.json").unwrap();
        let schema: Value = serde_json::from_str(include_str!("../../formats/schemas/report.schema.json")).unwrap();
        validate(&schema, &found.json);
        assert_eq!(found.ran.code, 1, "{} {}", found.ran.stdout, found.ran.stderr);
        found
    }

    fn result(&self) -> &Value {
        &self.sarif["runs"][0]["results"][0]
    }

    /// `file:line` of the primary location.
    fn primary(&self) -> String {
        address(&self.result()["locations"][0])
    }

    /// `file:line` of the related locations.
    fn related(&self) -> Vec<String> {
        self.result()["relatedLocations"].as_array().unwrap().iter().map(address).collect()
    }

    /// The row of the page with this end of its identifier.
    /// A row of the page without its colours.
    fn row(&self, id: &str) -> String {
        let begin = self.html.find(&format!("<tr id=\"u1-{id}\"")).unwrap_or_else(|| panic!("no row {id}"));
        let row = self.html[begin..].split("</tr>").next().unwrap();
        ["k", "s", "c", "p"].iter().fold(row.replace("</i>", ""), |row, kind| row.replace(&format!("<i class=\"{kind}\">"), ""))
    }
}

fn address(location: &Value) -> String {
    let place = &location["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    format!("{}:{}", place["artifactLocation"]["uri"].as_str().unwrap(), place["region"]["startLine"])
}

fn parse(text: &str, schema: &str) -> Value {
    let instance: Value = serde_json::from_str(text).unwrap();
    if let Some(schema) = shared(schema) {
        validate(&serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap(), &instance);
    }
    instance
}

fn validate(schema: &Value, instance: &Value) {
    let validator = jsonschema::validator_for(schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let ran = duct::cmd("git", identity.iter().chain(arguments))
        .dir(folder)
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .run()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A repository whose last commit is the change; reports of it, started in `from`.
fn committed(change: &Change, from: &str) -> Reports {
    let folder = tempfile::Builder::new().prefix("repository-").tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    for (header, program) in [(HEADER, PROGRAM), (&change.header, &change.program)] {
        write(folder.path(), "include/limits.h", header);
        write(folder.path(), "src/tank.c", program);
        git(folder.path(), &["add", "--all"]);
        git(folder.path(), &["commit", "--quiet", "--message", "x"]);
    }
    Reports::new(&folder.path().join(from), &["--git", "HEAD~1..HEAD"])
}

#[test]
fn the_definition_of_a_macro() {
    let reports = committed(&header("RIM 100", "RIM 120"), ".");
    assert!(reports.ran.stdout.starts_with("regression at src/tank.c:16 "), "{}", reports.ran.stdout);
    assert_eq!(reports.primary(), "include/limits.h:4");
    assert_eq!(reports.related()[0], "src/tank.c:16");
    assert!(["include/limits.h:9", "include/limits.h:10"].contains(&reports.related()[1].as_str()), "{:?}", reports.related());
    assert!(reports.result()["message"]["text"].as_str().unwrap().contains("what RIM stands for is changed here"));
    let unit = &reports.json["units"][0];
    assert_eq!(unit["changed"], serde_json::json!([]));
    assert_eq!(unit["headers"][0]["file"], "include/limits.h");
    assert_eq!(unit["headers"][0]["changed"], serde_json::json!([[4, 4]]));
    // The changed line has the marks of its uses, which say what is behind them.
    let row = reports.row("f1-L4");
    assert!(row.contains("#define RIM 100") && row.contains("#define RIM 120"), "{row}");
    assert!(row.contains("class=\"m recheck\"") || row.contains("class=\"m cause\""), "{row}");
    assert!(reports.row("f1-L9").contains("RIM has another definition"));
    assert!(!reports.row("L16").contains("another definition"));
    assert!(reports.row("f1-L3").contains("How high"));
}

#[test]
fn a_function_in_a_header() {
    let reports = committed(&header("return RIM;", "return RIM + 20;"), "src");
    assert_eq!(reports.primary(), "include/limits.h:10");
    assert_eq!(reports.related(), ["src/tank.c:16"]);
    assert!(reports.row("f1-L10").contains("class=\"m recheck\""), "{}", reports.row("f1-L10"));
    assert!(reports.row("f1-L10").contains("<td class=\"a\">"));
    assert!(!reports.row("L12").contains("<td class=\"a\">"));
}

#[test]
fn header_and_program() {
    // The header alone makes the level higher; the program adds to it behind.
    let change = header("RIM 100", "RIM 99");
    let reports =
        committed(&Change { program: PROGRAM.replace("    if (level >", "    level += 7;\n    if (level >"), ..change }, ".");
    assert_eq!(reports.primary(), "src/tank.c:15");
    assert_eq!(reports.related(), ["src/tank.c:17"]);
    assert!(reports.row("L15").contains("<td class=\"a\">    level += 7;"), "{}", reports.row("L15"));
    assert!(reports.row("f1-L4").contains("#define RIM 99"));
    let steps = reports.json["units"][0]["counterexample"]["steps"].as_array().unwrap();
    let changed = |line: u64| steps.iter().any(|step| step["changed"] == true && step["place"]["line"] == line);
    assert!(changed(15) && changed(9));
}

/// Writes the programs to `v1` and `v2`.
fn in_folders(folder: &Path, header: &str, program: &str) {
    for (version, header) in [("v1", HEADER), ("v2", header)] {
        write(folder, &format!("{version}/include/limits.h"), header);
        write(folder, &format!("{version}/src/tank.c"), program);
    }
}

#[test]
fn an_enumerator() {
    let folder = tempfile::tempdir().unwrap();
    let program = PROGRAM.replace("clamp(", "(").replace("> 100", "> 125");
    in_folders(folder.path(), &HEADER.replace("MOST_RAIN = 60", "MOST_RAIN = 70"), &program);
    let reports = Reports::new(folder.path(), &["v1/src/tank.c", "v2/src/tank.c"]);
    assert_eq!(reports.primary(), "v2/include/limits.h:5");
    assert_eq!(reports.related(), ["v2/src/tank.c:16", "v2/src/tank.c:10"]);
}

#[test]
fn a_constant_in_two_folders() {
    let folder = tempfile::tempdir().unwrap();
    in_folders(folder.path(), &HEADER.replace("START = 0", "START = 200"), &PROGRAM.replace("clamp(", "("));
    let reports = Reports::new(folder.path(), &["v1/src/tank.c", "./v2/src/../src/tank.c"]);
    assert!(reports.ran.stdout.starts_with("regression at v2/src/tank.c:16 "), "{}", reports.ran.stdout);
    assert_eq!(reports.primary(), "v2/include/limits.h:6");
    assert_eq!(reports.related(), ["v2/src/tank.c:16", "v2/src/tank.c:7"]);
    let header = &reports.json["units"][0]["headers"][0];
    assert_eq!(
        (header["file"].as_str(), header["original"].as_str()),
        (Some("v2/include/limits.h"), Some("v1/include/limits.h"))
    );
    assert!(reports.row("f1-L6").contains("START = 200"), "{}", reports.row("f1-L6"));
}

/// What no changed line can be named for is said, not guessed.
#[test]
fn a_condition_of_the_preprocessor() {
    let folder = tempfile::tempdir().unwrap();
    let program = PROGRAM.replace("clamp(", "(").replace("> 100", "> 150");
    in_folders(folder.path(), &HEADER.replace("#ifdef WET", "#ifndef WET"), &program);
    let reports = Reports::new(folder.path(), &["v1/src/tank.c", "v2/src/tank.c"]);
    assert_eq!(reports.primary(), "v2/src/tank.c:12");
    let text = reports.result()["message"]["text"].as_str().unwrap();
    assert!(text.contains("the definition of FACTOR cannot be told from the changed lines"), "{text}");
    assert!(reports.html.contains("no changed line can be named"));
}
