//! Certificates: what the detector writes down is found right by a check that shares no rule with it.

use diffdp::{Config, Detected, Rules, Wanted, detect_with};
use formats::{Certificate, Condition, ConditionEdge, DifferenceGraph, StateKind};
use program::cfa::Cfa;
use residue_tests::mutants::{KINDS, mutate};
use residue_tests::oracle::{Sample, for_seeds, load};
use residue_tests::proofs::number;
use residue_tests::{root, shared, tasks};
use semantics::cursor::ConditionCursor;

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 2_000;
/// Steps of the detector on a task pair: enough for most of them.
const STEPS: u64 = 20_000;

fn certified(original: &Cfa, modified: &Cfa, config: &Config) -> (DifferenceGraph, Certificate) {
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let mut steps = 0;
    let mut interrupted = || {
        steps += 1;
        steps > STEPS
    };
    let Detected { graph, certificate, .. } = detect_with(original, modified, config, wanted, &mut interrupted);
    (graph, certificate.unwrap())
}

fn condition(graph: &DifferenceGraph) -> Condition {
    condgen::condition(graph, condgen::Size::Folded, &console::Budget::unlimited()).unwrap().0
}

/// What the check says of a pair's graph, read back from what was written.
fn refusal(original: &Cfa, modified: &Cfa, config: &Config) -> Option<String> {
    let (graph, certificate) = certified(original, modified, config);
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    let certificate = Certificate::read(&bytes, "certificate").unwrap();
    let covers = ConditionCursor::new(condition(&graph), "condition", modified).unwrap();
    let refused = validate::validate(original, modified, &graph, &certificate);
    let refused = refused.and_then(|()| validate::validate_condition(&graph, &covers));
    refused.err().map(|refusal| refusal.to_string())
}

#[test]
fn of_random_pairs() {
    let (pairs, first) = (number("RESIDUE_PAIRS", PAIRS), number("RESIDUE_SEED", 0));
    let refused = for_seeds(first..first + pairs, |seed| {
        let sample = Sample::new(seed);
        refusal(&sample.original, &sample.modified, &Config::default()).map(|why| format!("seed {seed}: {why}"))
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert!(refused.is_empty(), "{} of {pairs}: {}", refused.len(), refused[..refused.len().min(8)].join("\n"));
}

#[test]
fn of_task_pairs() {
    let Some(folder) = shared("tasks") else { return };
    let pairs = tasks::pairs(&folder);
    let refused = for_seeds(0..pairs.len() as u64, |number| {
        let (file, pair) = &pairs[number as usize];
        let ([original, modified], _) = tasks::programs(file, pair).unwrap();
        refusal(&original, &modified, &Config::default()).map(|why| format!("{}: {why}", pair.id))
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert!(refused.is_empty(), "{} of {}: {}", refused.len(), pairs.len(), refused.join("\n"));
}

/// The certificate follows its schema.
#[test]
fn of_a_pair_follows_the_schema() {
    let schema = std::fs::read(root().join("formats/schemas/certificate.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    for seed in 0..20 {
        let sample = Sample::new(seed);
        let (_, certificate) = certified(&sample.original, &sample.modified, &Config::default());
        let mut bytes = Vec::new();
        certificate.write(&mut bytes).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&serde_json::from_slice(&bytes).unwrap()).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "seed {seed}: {errors:?}");
    }
}

/// A detector without one of its rules is found out wherever its graph covers a regression.
#[test]
fn of_a_detector_that_lacks_a_rule_is_refused() {
    let pairs = number("RESIDUE_PAIRS", PAIRS);
    let names = Rules::ABLATIONS;
    let found = for_seeds(0..pairs, |seed| {
        let sample = Sample::new(seed);
        names.map(|name| {
            let config = Config { rules: Rules::without(name).unwrap(), ..Config::default() };
            // Without the second pass there are no moves.
            if !sample.is_regression() || name == "onephase" {
                return [0, 0];
            }
            let (graph, certificate) = certified(&sample.original, &sample.modified, &config);
            let refused = validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_err();
            let unsound = sample.judge_graph(&graph).unsound;
            assert!(refused || !unsound, "without {name} this is accepted: {}", sample.describe());
            [u32::from(refused), u32::from(unsound)]
        })
    });
    for (index, name) in names.iter().enumerate() {
        let [refused, unsound] = [0, 1].map(|side| found.iter().map(|row| row[index][side]).sum::<u32>());
        eprintln!("without {name}: {refused} refused, {unsound} of them cover a regression");
        assert!(refused > 0 || ["onephase", "nocheck"].contains(name), "{name}");
    }
}

/// A graph or certificate that was tampered with is refused, or covers nothing it must not all the same.
fn tampered_with(make: fn(u64) -> Sample) {
    let pairs = number("RESIDUE_PAIRS", PAIRS);
    let found = for_seeds(0..pairs, |seed| {
        let sample = make(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified, &Config::default());
        let mut rng = fastrand::Rng::with_seed(seed);
        std::array::from_fn::<[u32; 3], KINDS, _>(|kind| {
            let (mut graph, mut certificate) = (graph.clone(), certificate.clone());
            if mutate(kind, &mut rng, &mut graph, &mut certificate).is_none() {
                return [0, 0, 0];
            }
            let refused =
                graph.check().is_err() || validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_err();
            let unsound = graph.check().is_ok() && sample.judge_graph(&graph).unsound;
            assert!(refused || !unsound, "kind {kind} is accepted: {}", sample.describe());
            [1, u32::from(refused), u32::from(unsound)]
        })
    });
    for kind in 0..KINDS {
        let [tried, refused, unsound] = [0, 1, 2].map(|what| found.iter().map(|row| row[kind][what]).sum::<u32>());
        eprintln!("kind {kind}: {tried} tried, {refused} refused, {unsound} of them cover a regression");
        assert!(refused > 0, "kind {kind}");
    }
}

#[test]
fn that_was_tampered_with_is_refused_or_right() {
    tampered_with(Sample::new);
}

/// The same where steps are right because of what variables hold.
#[test]
fn of_named_values_that_was_tampered_with_is_refused_or_right() {
    tampered_with(Sample::named);
}

/// A condition that covers more than its graph allows is refused.
#[test]
fn of_another_condition_is_refused() {
    let mut refused = 0;
    for seed in 0..200 {
        let sample = Sample::new(seed);
        let (graph, _) = certified(&sample.original, &sample.modified, &Config::default());
        // The same edges, and nothing open.
        let harmless = DifferenceGraph { indicators: Vec::new(), reasons: Vec::new(), ..graph.clone() };
        let covers = ConditionCursor::new(condition(&harmless), "condition", &sample.modified).unwrap();
        let answer = validate::validate_condition(&graph, &covers);
        assert_eq!(answer.is_err(), !graph.indicators.is_empty(), "seed {seed}: {answer:?}");
        refused += u32::from(answer.is_err());
    }
    assert!(refused > 20, "{refused}");
}

/// A condition that goes on behind an indicator, where the graph does not, and covers something there is refused.
#[test]
fn of_a_condition_that_covers_behind_an_indicator_is_refused() {
    let mut refused = 0;
    for seed in 0..300 {
        let sample = Sample::new(seed);
        let (graph, _) = certified(&sample.original, &sample.modified, &Config::default());
        let minimal = condgen::condition(&graph, condgen::Size::Minimal, &console::Budget::unlimited()).unwrap().0;
        let ends = |(from, edge): (u32, ConditionEdge)| {
            let is_end = minimal.kind(edge.to) == StateKind::Indicator && minimal.kind(from) == StateKind::Open;
            is_end.then_some((edge.edge, edge.to))
        };
        let Some((number, end)) = minimal.edges().find_map(ends) else { continue };
        let program = &sample.modified;
        let last = program.edge_ids().find(|edge| program.edge_key(*edge) == minimal.cfa_edges()[number as usize].key).unwrap();
        let Some(&behind) = program.out_edges(program.edge(last).target).first() else { continue };
        // The indicator is open, and the next edge leads to a state that accepts.
        let mut infos: std::collections::BTreeMap<u32, formats::EdgeInfo> = (0u32..).zip(minimal.cfa_edges().to_vec()).collect();
        let next = minimal.edge_number(&program.edge_key(behind)).unwrap_or_else(|| {
            let next = u32::try_from(infos.len()).unwrap();
            infos.insert(next, program.placed_edge_info(behind));
            next
        });
        let mut states = minimal.states().to_vec();
        states[end as usize] = StateKind::Open;
        states.push(StateKind::Accepting);
        let mut edges: Vec<(u32, u32, u32)> = minimal.edges().map(|(from, edge)| (from, edge.edge, edge.to)).collect();
        edges.push((end, next, u32::try_from(states.len() - 1).unwrap()));
        let provenance = minimal.provenance().clone();
        let forged = Condition::new(graph.provenance.producer.clone(), provenance, states, &edges, &infos).unwrap();
        let covers = ConditionCursor::new(forged, "condition", program).unwrap();
        let answer = validate::validate_condition(&graph, &covers);
        assert!(answer.is_err(), "seed {seed}");
        refused += 1;
    }
    assert!(refused > 20, "{refused}");
}

/// Bytes of graph and certificate are changed: no answer but VALID of what is right, a refusal, or an error.
#[test]
fn of_broken_files_ends_no_check() {
    let mut read = 0;
    for seed in 0..50 {
        let sample = Sample::new(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified, &Config::default());
        let [mut whole, mut certified] = [Vec::new(), Vec::new()];
        graph.write(&mut whole).unwrap();
        certificate.write(&mut certified).unwrap();
        let mut rng = fastrand::Rng::with_seed(seed);
        for round in 0..40 {
            let (mut whole, mut certified) = (whole.clone(), certified.clone());
            let broken = if round % 2 == 0 { &mut whole } else { &mut certified };
            let digits: Vec<usize> = (0..broken.len()).filter(|at| broken[*at].is_ascii_digit()).collect();
            for _ in 0..=rng.usize(..3) {
                broken[digits[rng.usize(..digits.len())]] = b'0' + rng.u8(..10);
            }
            let (Ok(graph), Ok(certificate)) = (DifferenceGraph::read(&whole, "graph"), Certificate::read(&certified, "c"))
            else {
                continue;
            };
            read += 1;
            if validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_ok() {
                assert!(!sample.judge_graph(&graph).unsound, "{}", sample.describe());
            }
        }
    }
    assert!(read > 500, "{read}");
}

/// The trap pairs of the detector.
fn traps() -> Vec<(&'static str, Cfa, Cfa)> {
    let traps = residue_tests::traps::traps().into_iter();
    traps.map(|trap| (trap.name, load(trap.name, &trap.original), load(trap.name, &trap.modified))).collect()
}

/// The nodes that can be come to from one.
fn behind(graph: &DifferenceGraph, node: u32) -> Vec<bool> {
    let mut found = vec![false; graph.nodes as usize];
    let mut wait = vec![node];
    while let Some(node) = wait.pop() {
        if !std::mem::replace(&mut found[node as usize], true) {
            wait.extend(graph.edges.iter().filter(|edge| edge.from == node).map(|edge| edge.to));
        }
    }
    found
}

/// The certificate without an object at some nodes; none if it is at none of them.
fn without(certificate: &Certificate, object: u32, nodes: &[bool]) -> Option<Certificate> {
    let mut changed = certificate.clone();
    for (_, set) in changed.nodes.iter_mut().enumerate().filter(|(node, _)| nodes[*node]) {
        let Some(number) = *set else { continue };
        let fewer: Vec<u32> = certificate.sets[number as usize].iter().copied().filter(|one| *one != object).collect();
        changed.sets.push(fewer);
        *set = Some(u32::try_from(changed.sets.len() - 1).unwrap());
    }
    let had = |(node, set): (usize, &Option<u32>)| {
        nodes[node] && set.is_some_and(|set| certificate.sets[set as usize].contains(&object))
    };
    certificate.nodes.iter().enumerate().any(had).then_some(changed)
}

/// What the detector says may differ has a reason: without an object everywhere, or everywhere behind a node, a certificate is
/// refused where that object comes up, by whichever rule. Returns how many were tried, and how many of them accepted: an object may
/// have come to a pair along a step that became an indicator when more was known to differ, or the checker may know more of what
/// variables hold than the detector did. The graph is the detector's in any case, and the oracle has judged that.
fn without_objects(original: &Cfa, modified: &Cfa, rng: &mut fastrand::Rng) -> [usize; 2] {
    let (graph, certificate) = certified(original, modified, &Config::default());
    let all = vec![true; graph.nodes as usize];
    let mut found = [0, 0];
    let mut try_it = |object: u32, nodes: &[bool]| {
        let Some(changed) = without(&certificate, object, nodes) else { return };
        found[0] += 1;
        found[1] += usize::from(validate::validate(original, modified, &graph, &changed).is_ok());
    };
    let objects = u32::try_from(certificate.objects.len()).unwrap();
    (0..objects).for_each(|object| try_it(object, &all));
    if objects > 0 {
        for _ in 0..6 {
            try_it(rng.u32(..objects), &behind(&graph, rng.u32(..graph.nodes)));
        }
    }
    found
}

#[test]
fn that_leaves_out_what_may_differ_is_refused() {
    let sum = |found: &[[usize; 2]]| [0, 1].map(|what| found.iter().map(|one| one[what]).sum::<usize>());
    let random = for_seeds(0..PAIRS, |seed| {
        let sample = if seed % 2 == 0 { Sample::new(seed) } else { Sample::named(seed) };
        without_objects(&sample.original, &sample.modified, &mut fastrand::Rng::with_seed(seed))
    });
    let mut rng = fastrand::Rng::with_seed(7);
    let named: Vec<(&str, [usize; 2])> = traps().iter().map(|(name, o, m)| (*name, without_objects(o, m, &mut rng))).collect();
    let accepted: Vec<&str> = named.iter().filter(|(_, found)| found[1] > 0).map(|(name, _)| *name).collect();
    let (random, of_traps) = (sum(&random), sum(&named.iter().map(|(_, found)| *found).collect::<Vec<_>>()));
    eprintln!("{random:?} of random pairs, {of_traps:?} of traps: {accepted:?}");
    assert!(random[0] > 1000 && of_traps[0] > 50);
    assert!(100 * random[1] <= random[0] && accepted.is_empty(), "{random:?} {accepted:?}");
}

/// The original may choose a pointer, but not one to what it does not have.
#[test]
fn that_chooses_a_pointer_to_what_is_new_is_refused() {
    let program = |own: &str| {
        load(
            "pointer.c",
            &format!(
                "extern void reach_error(void); extern int *get(void); int *p;\nint main(void) {{ {own} if (p == 0) reach_error(); }}"
            ),
        )
    };
    let (original, modified) = (program("p = get();"), program("static int here; p = &here;"));
    let [tried, accepted] = without_objects(&original, &modified, &mut fastrand::Rng::with_seed(1));
    assert!(tried > 0 && accepted == 0, "{accepted} of {tried}");
}

/// An indicator that is given out as a node where everything may differ is refused: a violation, or edges that are not there.
#[test]
fn that_gives_out_an_indicator_as_a_node_is_refused() {
    let mut violations = 0;
    for seed in 0..500 {
        let sample = Sample::new(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified, &Config::default());
        for &indicator in &graph.indicators {
            let (mut graph, mut certificate) = (graph.clone(), certificate.clone());
            violations += u32::from(graph.reasons.iter().any(|why| why.indicator == indicator && why.rule == "new-violation"));
            graph.indicators.retain(|node| *node != indicator);
            graph.reasons.retain(|why| why.indicator != indicator);
            certificate.sets.push((0..u32::try_from(certificate.objects.len()).unwrap()).collect());
            certificate.nodes[indicator as usize] = Some(u32::try_from(certificate.sets.len() - 1).unwrap());
            let answer = validate::validate(&sample.original, &sample.modified, &graph, &certificate);
            assert!(answer.is_err(), "indicator {indicator}: {}", sample.describe());
        }
    }
    assert!(violations > 50, "{violations}");
}

/// The original is at one place of each node: moves that lead it elsewhere on one of two ways are refused.
#[test]
fn that_comes_to_a_node_at_two_places_is_refused() {
    let mut tried = 0;
    for seed in 0..1000 {
        let sample = Sample::new(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified, &Config::default());
        for (index, edge) in graph.edges.iter().enumerate() {
            let past = behind(&graph, edge.to);
            let other = graph.edges.iter().any(|e| e.to == edge.to && e.from != edge.from && !past[e.from as usize]);
            let is_node = certificate.nodes[edge.to as usize].is_some();
            let leads_on = !certificate.moves[index].0.is_empty();
            if !(other && is_node && leads_on && !past[edge.from as usize]) {
                continue;
            }
            let mut changed = certificate.clone();
            changed.moves[index].0.pop();
            let answer = validate::validate(&sample.original, &sample.modified, &graph, &changed);
            assert!(answer.is_err(), "edge {index}: {}", sample.describe());
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

/// A condition is made of the names of edges and folded by where they begin: a graph that gives an edge another name, or says
/// that it begins elsewhere, is refused, whatever else is right.
#[test]
fn of_a_graph_that_misnames_edges_is_refused() {
    let mut tried = 0;
    for seed in 0..100 {
        let sample = Sample::new(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified, &Config::default());
        let numbers: Vec<u32> = graph.cfa_edges.keys().copied().collect();
        let [first, .., last] = numbers.as_slice() else { continue };
        let refuses = |changed: DifferenceGraph, told: &str| {
            assert_eq!(changed.check(), Ok(()), "seed {seed}: the graph itself is consistent");
            let answer = validate::validate(&sample.original, &sample.modified, &changed, &certificate);
            let why = answer.expect_err("it is refused").to_string();
            assert!(why.contains(told), "seed {seed}: {why}");
        };
        let another = "is another one than the graph says";
        // Two edges have each other's names.
        let mut swapped = graph.clone();
        let (one, other) = (graph.cfa_edges[first].clone(), graph.cfa_edges[last].clone());
        swapped.cfa_edges.insert(*first, other);
        swapped.cfa_edges.insert(*last, one);
        refuses(swapped, another);
        // One begins elsewhere, or with more others than there are.
        let changes: [fn(&mut formats::Leaves); 3] = [
            |leaves| leaves.location += 1,
            |leaves| leaves.edges += 1,
            |leaves| *leaves = formats::Leaves { location: 0, edges: 0 },
        ];
        for change in changes {
            let mut moved = graph.clone();
            moved.cfa_edges.get_mut(last).and_then(|info| info.leaves.as_mut()).map(change).unwrap();
            refuses(moved, another);
        }
        // One that the program does not have is named.
        let mut more = graph.clone();
        let mut beyond = graph.cfa_edges[last].clone();
        beyond.key.ordinal = 4_000_000;
        more.cfa_edges.insert(u32::MAX, beyond);
        refuses(more, "the modified program has no edge 4294967295");
        tried += 1;
    }
    assert!(tried > 50, "{tried}");
}

/// What a function holds ends with it: sets do not grow with the functions that were called. What it leaves behind still differs.
#[test]
fn sets_hold_nothing_of_functions_that_have_ended() {
    let program = |change: &str| {
        let numbered = |text: &str| (0..30).map(|number| text.replace('#', &number.to_string())).collect::<String>();
        let functions = numbered(
            "int f#(int a, int *p) { static int kept; int sum = a, twice = 2 * sum; kept = sum; *p = kept; return twice; }\n",
        );
        let calls = numbered("x = f#(x, &y); if (x == 31) reach_error();");
        let text = format!(
            "extern void reach_error(void); extern int in(void);\n{functions}int main(void) {{ int y, x = in(){change}; {calls} return y; }}"
        );
        load("ended.c", &text)
    };
    let (original, modified) = (program(""), program(" + 1"));
    let (graph, certificate) = certified(&original, &modified, &Config::default());
    validate::validate(&original, &modified, &graph, &certificate).unwrap();
    let kept = |set: &[u32], name: &str| {
        let is_named = |object: &u32| match &certificate.objects[*object as usize] {
            formats::certificate::CertifiedObject::Variable(variable, _) => &*modified.variables[*variable as usize].name == name,
            formats::certificate::CertifiedObject::External | formats::certificate::CertifiedObject::Allocation(_) => false,
        };
        set.iter().filter(|object| is_named(object)).count()
    };
    let largest = |name: &str| certificate.sets.iter().map(|set| kept(set, name)).max();
    assert_eq!([largest("kept"), largest("sum"), largest("twice"), largest("x")], [Some(30), Some(1), Some(1), Some(1)]);
}
