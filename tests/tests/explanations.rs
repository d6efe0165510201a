//! Explanations change no graph, name a changed place for every indicator, and quote what the programs really do.
//!
//! On all trap pairs and a sample of the task pairs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use console::Task;
use diffdp::Config;
use formats::explanation::{ChangeKind, Explanation, Finding, Link, LinkKind, Object, Place, ProgramSide};
use formats::{DifferenceGraph, ProgramOptions};
use program::cfa::{Cfa, EdgeId, Operation, VarId};
use residue_tests::{root, shared};
use semantics::callgraph::CallGraph;
use semantics::effects::Effects;
use semantics::loops::Loops;
use semantics::object_set::ObjectSet;
use semantics::objects::Objects;
use semantics::pointsto::PointsTo;

/// Rules that are limits of the comparison: no change need be behind them.
const LIMITS: [&str; 3] = ["recursion", "unsupported", "interrupted"];

struct Pair {
    name: String,
    original: Cfa,
    modified: Cfa,
}

fn load(name: &str, original: &Path, modified: &Path, options: &ProgramOptions) -> Pair {
    let read = |path: &Path| program::load::load(path, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    Pair { name: name.to_owned(), original: read(original), modified: read(modified) }
}

fn traps() -> Option<Vec<Pair>> {
    let folder = shared("oracle")?;
    let index = std::fs::read_to_string(folder.join("INDEX.csv")).unwrap();
    let rows = index.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|fields| fields[0] == "pitfalls");
    let options = ProgramOptions::default();
    Some(rows.map(|fields| load(fields[1], &folder.join(fields[2]), &folder.join(fields[3]), &options)).collect())
}

/// The committed sample of task pairs.
fn sample() -> Option<Vec<PathBuf>> {
    let tasks = shared("tasks")?;
    let set = std::fs::read_to_string(root().join("benchmarks/sets/sample-pairs.set")).unwrap();
    let lines = set.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Some(lines.map(|line| tasks.join(line)).collect())
}

fn load_task(file: &Path) -> Pair {
    let task = Task::load(file).unwrap();
    let options =
        ProgramOptions { data_model: task.data_model.unwrap(), property: task.properties[0].0, ..ProgramOptions::default() };
    load(&file.display().to_string(), task.original.as_deref().unwrap(), &task.modified, &options)
}

/// Detects with and without explaining; the graphs must be the same bytes, and the explanation must fit and be well-formed.
fn explained(pair: &Pair) -> (DifferenceGraph, Explanation) {
    let (plain, plain_numbers) = diffdp::detect(&pair.original, &pair.modified, &Config::default(), &mut || false);
    let (graph, numbers, explanation) =
        diffdp::detect_and_explain(&pair.original, &pair.modified, &Config::default(), &mut || false);
    let bytes = |graph: &DifferenceGraph| {
        let mut bytes = Vec::new();
        graph.write(&mut bytes).unwrap();
        bytes
    };
    assert!(bytes(&plain) == bytes(&graph), "{}: explaining changes the graph", pair.name);
    assert_eq!(plain_numbers, numbers, "{}", pair.name);
    explanation.check_against(&graph).unwrap_or_else(|error| panic!("{}: {error}", pair.name));
    let mut written = Vec::new();
    explanation.write(&mut written).unwrap();
    assert_eq!(Explanation::read(&written, "e.json").as_ref(), Ok(&explanation), "{}", pair.name);
    follows_schema(&pair.name, &written);
    (graph, explanation)
}

fn follows_schema(name: &str, written: &[u8]) {
    let schema = std::fs::read(root().join("formats/schemas/explanation.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let instance = serde_json::from_slice(written).unwrap();
    let errors: Vec<String> = validator.iter_errors(&instance).take(3).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}");
}

/// Findings whose rule fails only because of a change, and that name none. A comparison that did not begin, because the
/// original cannot fail at all, has no step to blame.
fn without_cause(explanation: &Explanation) -> Vec<&Finding> {
    let open =
        |finding: &&Finding| finding.place.is_some() && finding.causes.is_empty() && !LIMITS.contains(&finding.rule.as_str());
    explanation.findings.iter().filter(open).collect()
}

/// Whether a place quotes lines of the file in which macros are not expanded, and its text is a part of them.
fn is_written(program: &Cfa, place: &Place) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let as_in_file =
        |(line, text): (u32, &String)| program.source.written_line(&place.file, line).is_some_and(|own| own == *text);
    (place.line..).zip(&place.lines).all(as_in_file) && words(&place.lines.join(" ")).contains(&place.text)
}

/// What is called a change must be a difference of the two texts.
fn check_changes(pair: &Pair, explanation: &Explanation) {
    let text = |program: &Cfa| String::from_utf8_lossy(program.source.text()).into_owned();
    for change in &explanation.changes {
        match (&change.original, &change.modified) {
            (Some(old), Some(new)) => {
                assert_eq!((old.program, new.program), (ProgramSide::Original, ProgramSide::Modified));
                let named = matches!(change.kind, ChangeKind::Modified);
                assert!(!named || old.text != new.text, "{}: {change:?}", pair.name);
            }
            (Some(old), None) => assert_eq!(old.program, ProgramSide::Original),
            (None, Some(new)) => assert_eq!(new.program, ProgramSide::Modified),
            (None, None) => panic!("{}: a change is nowhere", pair.name),
        }
        for place in change.original.iter().chain(&change.modified) {
            let program = if place.program == ProgramSide::Original { &pair.original } else { &pair.modified };
            let quoted = &text(program)[place.start_offset as usize..place.end_offset as usize];
            let lines = quoted.lines().filter(|line| !program::source::is_line_marker(line));
            let quoted = lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
            let is_expanded = quoted.starts_with(place.text.trim_end_matches('…'));
            assert!(is_expanded || is_written(program, place), "{}: {place:?}", pair.name);
        }
    }
}

/// The objects operations of one program read and write, by name.
struct Facts<'a> {
    program: &'a Cfa,
    objects: Objects,
    effects: Effects,
}

impl<'a> Facts<'a> {
    fn new(program: &'a Cfa) -> Self {
        let calls = CallGraph::new(program, &Loops::new(program));
        let objects = Objects::new(program, &calls);
        let points_to = PointsTo::new(program, &calls, &objects);
        let effects = Effects::new(program, &calls, &objects, &points_to);
        Self { program, objects, effects }
    }

    fn names(&self, set: &ObjectSet) -> BTreeSet<String> {
        set.iter().map(|object| base(&self.objects.own_name(self.program, object))).collect()
    }

    fn variable(&self, variable: VarId) -> String {
        self.program.variable(variable).name.to_string()
    }

    /// Whether an operation may write an object, and may read another.
    fn allows(&self, edge: EdgeId, object: Option<&Object>, from: Option<&Object>) -> bool {
        let effect = self.effects.of(edge);
        let mut written = self.names(effect.defs);
        let mut returns = false;
        match &self.program.edge(edge).operation {
            Operation::Call { callee, result, .. } => {
                written.extend(result.map(|v| self.variable(v)));
                written.extend(self.program.function(*callee).parameters.iter().map(|v| self.variable(*v)));
            }
            Operation::Declare { variable } => written.extend([self.variable(*variable)]),
            Operation::Havoc { variable, .. } => written.extend(variable.map(|v| self.variable(v))),
            Operation::Return { .. } => returns = true,
            Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => {}
        }
        let read = self.names(effect.uses);
        let is_value = |object: &Object| ["the result of", "the value of", "a value"].iter().any(|s| object.name.starts_with(s));
        let wrote = object.is_none_or(|o| returns || is_value(o) || written.contains(&base(&o.name)));
        wrote && from.is_none_or(|o| is_value(o) || read.contains(&base(&o.name)))
    }
}

/// Members are split differently by who looks at one program and who looks at two.
fn base(name: &str) -> String {
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Every link is at an operation that does what the link says.
fn check_links(pair: &Pair, explanation: &Explanation) -> usize {
    let facts = [Facts::new(&pair.original), Facts::new(&pair.modified)];
    let mut checked = 0;
    for finding in &explanation.findings {
        for cause in &finding.causes {
            for link in &cause.chain {
                let of = &facts[usize::from(link.place.program == ProgramSide::Modified)];
                let edge = EdgeId(link.place.edge.unwrap());
                assert!(is_allowed(of, edge, link), "{}: {link:#?}\nin {finding:#?}", pair.name);
                checked += 1;
            }
            // Each link goes on from the one before.
            for two in cause.chain.windows(2) {
                if let (Some(object), Some(from)) = (&two[0].object, &two[1].from) {
                    assert_eq!(object, from, "{}: {finding:#?}", pair.name);
                }
            }
        }
    }
    checked
}

fn is_allowed(facts: &Facts, edge: EdgeId, link: &Link) -> bool {
    match link.kind {
        LinkKind::Affects | LinkKind::Alone => facts.allows(edge, link.object.as_ref(), None),
        LinkKind::Carries => facts.allows(edge, link.object.as_ref(), link.from.as_ref()),
        LinkKind::Decides => facts.allows(edge, None, link.from.as_ref()),
    }
}

#[test]
fn every_indicator_of_every_trap_has_a_cause() {
    let Some(traps) = traps() else { return };
    assert!(traps.len() > 20, "the index was not understood");
    let (mut findings, mut links, mut open) = (0, 0, Vec::new());
    for pair in &traps {
        let (_, explanation) = explained(pair);
        check_changes(pair, &explanation);
        links += check_links(pair, &explanation);
        findings += explanation.findings.len();
        open.extend(without_cause(&explanation).into_iter().map(|finding| format!("{}: {finding:#?}", pair.name)));
    }
    assert!(findings > 20 && links > 20, "{findings} findings, {links} links");
    assert!(open.is_empty(), "{} of {findings} findings without a cause:\n{}", open.len(), open.join("\n"));
}

#[test]
fn explaining_changes_no_graph_of_the_sample() {
    let Some(sample) = sample() else { return };
    let (mut findings, mut left, mut open) = (0, 0, Vec::new());
    for file in &sample {
        let pair = load_task(file);
        let (graph, explanation) = explained(&pair);
        check_changes(&pair, &explanation);
        check_links(&pair, &explanation);
        findings += explanation.findings.len();
        let has_indicators = !graph.indicators.is_empty();
        assert_eq!(has_indicators, !explanation.findings.is_empty(), "{}: an indicator has a finding, and only it", pair.name);
        left += usize::from(has_indicators);
        open.extend(without_cause(&explanation).into_iter().map(|f| format!("{}: {} {:?}", pair.name, f.rule, f.place)));
    }
    // A floor of findings would refuse every detector that leaves less to check.
    assert!(left * 4 >= sample.len(), "{left} of {} pairs have something to explain", sample.len());
    // What cannot be traced is said to be so; it must stay rare.
    assert!(open.len() * 20 <= findings, "{} of {findings} findings without a cause:\n{}", open.len(), open.join("\n"));
}
