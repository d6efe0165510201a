//! Versions that are alike only in part: variables with other names, programs of several files, and what an earlier table says of
//! them.

use std::path::Path;

use formats::invariant_table::InvariantTable;
use residue_tests::run;

const HEAD: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);\n";

fn table(arguments: &[&str], here: &Path) -> InvariantTable {
    let ran = run("invdiff", ["--to", "json"].iter().chain(arguments), here).unwrap();
    InvariantTable::read(ran.stdout.as_bytes(), "t").unwrap_or_else(|error| panic!("{error} {}", ran.stderr))
}

fn letters(table: &InvariantTable) -> Vec<&str> {
    table.instances.iter().map(|one| one.status.as_str()).collect()
}

fn write(here: &Path, texts: &[String]) {
    for (number, text) in texts.iter().enumerate() {
        std::fs::write(here.join(format!("v{}.c", number + 1)), format!("{HEAD}{text}")).unwrap();
    }
}

#[test]
fn a_variable_with_another_name_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |x: &str, i: &str, bound: u32| {
        format!(
            "int main(void) {{ int {x} = __VERIFIER_nondet_uchar(), {i} = 0; if ({x} > {bound}) {x} = {bound};\nwhile ({i} < {x}) {i}++;\nP:; return {x}; }}\n"
        )
    };
    write(here, &[text("x", "i", 100), text("count", "i", 100), text("count", "k", 127)]);
    let files = ["v1.c", "v2.c", "v3.c"];
    let own = ["--at", "label:P", "--of", "x <= 100", "--of", "i == x", "--of", "count >= 0"];
    let found = table(&[own.as_slice(), &files].concat(), here);
    assert_eq!(letters(&found), ["HHF", "HHH", "HHH"]);
    let names = |at: usize| found.instances[at].names.values().cloned().collect::<Vec<_>>().join(", ");
    assert_eq!((names(0).as_str(), names(2).as_str()), ("count <= 100, count <= 100", "x >= 0"));
    assert_eq!(names(1), "i == count, k == count");
    // A witness has the names of its version, and proposals are not made twice.
    let witness = run("invdiff", own.iter().chain(&["--to", "witness:3"]).chain(&files), here).unwrap();
    assert!(witness.stdout.contains("k == count") && !witness.stdout.contains("x <="), "{}", witness.stdout);
    let proposed = table(&[["--at", "label:P", "--families", "order"].as_slice(), &files].concat(), here);
    assert!(proposed.instances.iter().all(|one| one.names.len() < 3), "{:?}", proposed.instances);
}

/// What a fact remembers is called by the names of the version, too.
#[test]
fn a_parameter_with_another_name_is_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |x: &str, r: &str| {
        format!(
            "static int f(int {x}) {{ int {r} = {x}; {r} = {r} + {x}; return {r}; }}\nint main(void) {{ return f(__VERIFIER_nondet_uchar()); }}\n"
        )
    };
    write(here, &[text("x", "r"), text("y", "q")]);
    let found = table(&["--at", "f:exit", "--of", "r == 2 * old(x)", "v1.c", "v2.c"], here);
    assert_eq!(letters(&found), ["HH"]);
    assert_eq!(found.instances[0].names.values().cloned().collect::<Vec<_>>(), ["q == 2 * old(y)"]);
}

/// Names that lie: where a letter is given, it is that of the fact as it is written for the version.
#[test]
fn a_name_that_is_something_else_makes_no_letter_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let chains: [([&str; 2], &str); 8] = [
        // The name is there, and is another variable.
        (["int x = 1; int y = 2;", "int y = 1; int x = 2;"], "x == 1"),
        // One variable becomes two, and two become one.
        (["int x = 1; x = x + 1;", "int p = 1; int q = 7; p = p + 1; q = q + 1;"], "x == 2"),
        (["int p = 1; int q = 7; p = p + 1; q = q + 1;", "int x = 1; x = x + 1;"], "p == 2"),
        // The statements are alike, the variables are not.
        (["int x = 1; int s = 0; s = s + x;", "int n = 2; int s = 0; s = s + n;"], "x == 1"),
        (["int x = 1; int s = 0; s = s + x;", "unsigned char n = 255; int s = 0; s = s + n;"], "x == 1"),
        (["int x = 3; { int y = x; }", "int z = 3; { int y = z; } z = 4;"], "x == 3"),
        // A member and a label of that name are none.
        (["struct { int x; } v = {1}; int x = v.x;", "struct { int x; } v = {1}; int w = v.x;"], "x == v.x"),
        (["int x = 1; goto x; x:;", "int y = 1; goto x; x:;"], "x == 1"),
    ];
    for (bodies, fact) in chains {
        write(here, &bodies.map(|body| format!("int main(void) {{ {body} P:; return 0; }}\n")));
        let found = table(&["--at", "label:P", "--of", fact, "v1.c", "v2.c"], here);
        let one = &found.instances[0];
        for (version, body) in bodies.iter().enumerate() {
            let said = one.names.get(&version).unwrap_or(&one.expression);
            let text = format!("#include <stdio.h>\nint main(void) {{ {body} P:; puts({said} ? \"H\" : \"F\"); return 0; }}\n");
            std::fs::write(here.join("truth.c"), text).unwrap();
            let built = duct::cmd!("gcc", "-w", "-o", "truth", "truth.c").dir(here).stderr_null().unchecked().run().unwrap();
            let letter = one.status.chars().nth(version).unwrap();
            if built.status.success() {
                let truth = duct::cmd!(here.join("truth")).read().unwrap();
                assert!(truth.starts_with(letter) || letter == '?', "{said} in {body}: {letter} is not {truth}");
            } else {
                assert_eq!(letter, 'N', "{said} in {body}");
            }
        }
    }
}

#[test]
fn an_earlier_table_helps_and_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |bound: u32| {
        format!(
            "int main(void) {{ int x = __VERIFIER_nondet_uchar(), y = 7 * x % 256; if (y != {bound}) x = 0;\nP:; return x; }}\n"
        )
    };
    write(here, &[text(94), text(72)]);
    let own = ["--at", "label:P", "--of", "x <= 100", "--of", "x >= 0"];
    let files = ["v1.c", "v2.c"];
    let first = table(&[own.as_slice(), &files].concat(), here);
    assert_eq!(letters(&first), ["HF", "HH"]);
    let write = |table: &InvariantTable| {
        let mut bytes = Vec::new();
        table.write(&mut bytes).unwrap();
        std::fs::write(here.join("t.json"), bytes).unwrap();
    };
    write(&first);
    // Without a step for the solver the input is what says F, and nothing says H.
    let again = table(&[own.as_slice(), &["--steps", "1", "--reuse", "t.json"], &files].concat(), here);
    assert_eq!(again.instances[0].status.chars().nth(1), Some('F'));
    // A table that says the contrary of everything.
    let mut forged = first.clone();
    for one in &mut forged.instances {
        one.status = one.status.chars().map(|letter| if letter == 'H' { 'F' } else { 'H' }).collect();
        for evidence in &mut one.evidence {
            evidence.versions = vec![0, 1];
        }
        let more = first.instances.iter().flat_map(|one| one.evidence.clone());
        one.evidence.extend(more.map(|one| formats::invariant_table::Evidence { versions: vec![0, 1], ..one }));
    }
    forged.instances[1].expression = "x <= 3".to_owned();
    forged.instances[1].status = "HH".to_owned();
    forged.churns = forged.changes();
    write(&forged);
    for more in [[].as_slice(), &["--separate"]] {
        let found = table(&[own.as_slice(), &["--reuse", "t.json"], more, &files].concat(), here);
        assert_eq!(letters(&found), ["HF", "HH"], "{more:?}");
    }
    std::fs::write(here.join("t.json"), "{}").unwrap();
    assert_eq!(run("invdiff", own.iter().chain(&["--reuse", "t.json"]).chain(&files), here).unwrap().code, 2);
}

#[test]
fn folders_and_lists_are_versions() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, cap) in [("one", 100), ("two", 127)] {
        std::fs::create_dir(here.join(name)).unwrap();
        let main = format!("{HEAD}int f(int);\nint main(void) {{ int x = f(__VERIFIER_nondet_uchar());\nP:; return x; }}\n");
        std::fs::write(here.join(name).join("a.c"), main).unwrap();
        let callee = format!("static int cap = {cap};\nint f(int a) {{ return a > cap ? cap : a; }}\n");
        std::fs::write(here.join(name).join("b.c"), callee).unwrap();
        std::fs::write(here.join(format!("{name}.list")), format!("{name}/a.c\n{name}/b.c\n")).unwrap();
    }
    let own = ["--at", "label:P", "--of", "x <= 100", "--of", "x <= 127"];
    for versions in [["one", "two"], ["@one.list", "@two.list"]] {
        assert_eq!(letters(&table(&[own.as_slice(), &versions].concat(), here)), ["HF", "HH"]);
        let driver = run("residue", ["invariants"].iter().chain(&own).chain(&versions), here).unwrap();
        assert!(driver.stdout.contains("  HF  x <= 100\n"), "{} {}", driver.stdout, driver.stderr);
    }
    let emitted = run("invdiff", own.iter().chain(&["--to", "c", "-o", "all.c", "one", "two"]), here).unwrap();
    assert_eq!((emitted.code, run("verify", ["all.c"], here).unwrap().last_line()), (0, "FALSE(unreach-call)"));
}

#[test]
fn what_was_at_the_entry_is_known_in_programs_of_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, step) in [("one", 1), ("two", 2)] {
        std::fs::create_dir(here.join(name)).unwrap();
        let main = format!(
            "{HEAD}void add(int);\nint main(void) {{ int x = __VERIFIER_nondet_uchar();\nadd(x); add(x);\nP:; return x; }}\n"
        );
        std::fs::write(here.join(name).join("a.c"), main).unwrap();
        let callee = format!("static int sum, calls;\nvoid add(int a) {{ sum += a;\ncalls += {step};\nQ:; }}\n");
        std::fs::write(here.join(name).join("b.c"), callee).unwrap();
    }
    // The first file is in front of one declaration, and the second behind two.
    let at = |point: &str, facts: &[&str]| {
        let facts = facts.iter().flat_map(|fact| ["--of", fact]);
        let arguments: Vec<&str> = ["--at", point].into_iter().chain(facts).chain(["one", "two"]).collect();
        let found = table(&arguments, here);
        found.instances.iter().map(|one| one.status.clone()).collect::<Vec<_>>()
    };
    let callee = ["calls == old(calls) + 1", "sum == old(sum) + old(a)", "a <= in(0)", "old(calls) == calls"];
    assert_eq!(at("label:Q", &callee), ["HF", "HH", "HH", "FF"]);
    assert_eq!(at("calls:add", &["x == in(0)", "x == in(0) + 1"]), ["HH", "HH", "FF", "FF"]);
    let text = run("invdiff", ["--at", "label:Q", "--of", callee[0], "one", "two"], here).unwrap();
    assert!(text.stdout.contains("b.c:3: calls += 2;"), "{} {}", text.stdout, text.stderr);
    let emitted = run("invdiff", ["--to", "c", "--at", "label:Q", "--of", callee[0], "-o", "all.c", "one", "two"], here).unwrap();
    assert_eq!((emitted.code, run("verify", ["all.c"], here).unwrap().last_line()), (0, "FALSE(unreach-call)"));
}

/// What reads formatted input has values of several types of one size.
#[test]
fn programs_that_read_formatted_input_are_woven() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |bound: u32| {
        format!(
            "int scanf(const char *, ...);\nint main(void) {{ int x = 0; scanf(\"%d\", &x); if (x > {bound}) x = {bound};\nP:; return x; }}\n"
        )
    };
    write(here, &[text(100), text(127)]);
    let found = table(&["--at", "label:P", "--of", "x <= 100", "--of", "x <= 127", "v1.c", "v2.c"], here);
    assert_eq!(letters(&found), ["HF", "HH"]);
}

/// Statements in another order each time share less than they seem to: asked about as one program they took half as many queries
/// again as alone.
#[test]
fn versions_that_share_little_cost_no_more_than_alone() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let statements = [
        "if (x > 100) x = 100;",
        "if (x < 0) x = 0;",
        "y = x + 1;",
        "total = total + (x & 3);",
        "if (y > 50) y = y - 1;",
        "while (i < n) { i = i + 1; s = s + 2; }",
        "if (s > 1000) s = 1000;",
    ];
    let program = |order: [usize; 7]| {
        let body: Vec<&str> = order.iter().map(|at| statements[*at]).collect();
        format!(
            "static int total = 0;\nint main(void) {{ int x = __VERIFIER_nondet_uchar() - 99, n = __VERIFIER_nondet_uchar(), y = 0, i = 0, s = 0;\n{}\nP:; return x; }}\n",
            body.join("\n")
        )
    };
    let facts = ["x <= 100", "x >= 0", "y == x + 1", "s == 2 * i", "i >= n", "total <= 3"];
    let own: Vec<&str> =
        ["--at", "label:P", "--steps", "600000"].into_iter().chain(facts.iter().flat_map(|fact| ["--of", fact])).collect();
    let files = ["v1.c", "v2.c", "v3.c", "v4.c"];
    let both = |texts: &[String]| {
        write(here, texts);
        let [together, alone] =
            [[].as_slice(), &["--separate"]].map(|more| table(&[own.as_slice(), more, &files[..texts.len()]].concat(), here));
        assert_eq!(letters(&together), letters(&alone));
        [together, alone].map(|table| table.statistics["queries"])
    };
    let [together, alone] =
        both(&[[0, 1, 2, 3, 4, 5, 6], [6, 2, 5, 1, 3, 0, 4], [5, 4, 6, 3, 2, 1, 0], [3, 6, 0, 5, 4, 1, 2]].map(program));
    assert!(alone > 0 && together * 10 <= alone * 12, "{together} {alone}");
    let related = program([0, 1, 2, 3, 4, 5, 6]);
    let [together, alone] = both(&[related.clone(), related.replace("x & 3", "x & 1")]);
    assert!(alone > 0 && together * 100 <= alone * 85, "{together} {alone}");
}

/// Each version fails on one input, which is another one: what a run says of one version is not said of the others. The last
/// fails on all, so that from the beginning the question is one of some versions at a place that all have.
#[test]
fn a_run_counts_for_its_version_only() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let shared: String = (0..24).map(|number| format!("s = s ^ (x + {number}u);\n")).collect();
    let text = |result: &str| {
        format!(
            "extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {{ unsigned x = __VERIFIER_nondet_uint(), s = 0, r;\n{shared}r = {result};\nP:; return s != 0; }}\n"
        )
    };
    let versions = ["x * 7919u + 12345u", "x * 7919u + 54321u", "x * 7919u + 777777u", "(x | 1) * 2", "0x9e3779b9u"].map(text);
    write(here, &versions);
    let fact = ["--at", "label:P", "--of", "r != 0x9e3779b9u"];
    for (files, expected) in [(["v1.c", "v2.c", "v3.c"].as_slice(), "FFF"), (&["v2.c", "v4.c", "v5.c"], "FHF")] {
        let found = table(&[fact.as_slice(), files].concat(), here);
        assert_eq!(letters(&found), [expected]);
        assert_eq!(found.statistics["programs"], 1, "the versions have to be asked about as one program");
    }
}

/// One version writes behind an array on every run: what is asked of the others is asked of them together all the same.
#[test]
fn a_version_with_an_obstacle_keeps_no_other_from_being_proved() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = |first: u32, bound: u32| {
        format!(
            "int bounds[4]; int main(void) {{ for (int i = 0; i < 4; i++) bounds[{first} + i] = 100 * i;\n\
             int x = __VERIFIER_nondet_uchar(), y = 0; if (x > {bound}) x = {bound}; while (y < x) y++;\nP:; return x; }}\n"
        )
    };
    let texts: Vec<String> = (0..6).map(|number| text(u32::from(number == 3), 100 + number)).collect();
    write(here, &texts);
    let files = ["v1.c", "v2.c", "v3.c", "v4.c", "v5.c", "v6.c"];
    let asked = ["--at", "label:P", "--of", "x <= 103", "--of", "y == x", "--of", "bounds[3] == 300"];
    let found = table(&[asked.as_slice(), &files].concat(), here);
    assert_eq!(letters(&found), ["HHH?FF", "HHH?HH", "HHH?HH"]);
    assert_eq!(found.statistics["programs"], 2, "the five and the one");
}
