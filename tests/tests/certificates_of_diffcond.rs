//! Certificates of `diffcond`: found right by the same check, which knows none of its rules.

use formats::{Certificate, Condition, DifferenceGraph};
use program::cfa::Cfa;
use residue_tests::mutants::{KINDS, mutate};
use residue_tests::oracle::{Sample, for_seeds};
use residue_tests::proofs::number;
use residue_tests::{shared, tasks};
use semantics::cursor::ConditionCursor;

/// Random pairs that are tried; `RESIDUE_PAIRS` changes it, `RESIDUE_SEED` the first.
const PAIRS: u64 = 2_000;
/// Steps of the detector on a task pair: enough for most of them.
const STEPS: u64 = 20_000;

fn certified(original: &Cfa, modified: &Cfa) -> (DifferenceGraph, Certificate) {
    let mut steps = 0;
    let mut interrupted = || {
        steps += 1;
        steps > STEPS
    };
    let (graph, _, certificate) = diffcond::detect_and_certify(original, modified, &mut interrupted);
    (graph, certificate.unwrap())
}

/// What the check says of a pair's graph and of the condition made from it, read back from what was written.
fn refusal(original: &Cfa, modified: &Cfa) -> Option<String> {
    let (graph, certificate) = certified(original, modified);
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    let certificate = Certificate::read(&bytes, "certificate").unwrap();
    let condition: Condition = condgen::condition(&graph, condgen::Size::Folded, &console::Budget::unlimited()).unwrap().0;
    let covers = ConditionCursor::new(condition, "condition", modified).unwrap();
    let refused = validate::validate(original, modified, &graph, &certificate);
    let refused = refused.and_then(|()| validate::validate_condition(&graph, &covers));
    refused.err().map(|refusal| refusal.to_string())
}

#[test]
fn of_random_pairs_are_right() {
    let (pairs, first) = (number("RESIDUE_PAIRS", PAIRS), number("RESIDUE_SEED", 0));
    let found = for_seeds(first..first + pairs, |seed| {
        let sample = Sample::new(seed);
        let (graph, _) = certified(&sample.original, &sample.modified);
        assert!(!sample.judge_graph(&graph).unsound, "{}", sample.describe());
        let refused = refusal(&sample.original, &sample.modified).map(|why| format!("seed {seed}: {why}"));
        // Certifying changes no graph.
        assert!(graph == diffcond::detect(&sample.original, &sample.modified, &mut || false), "seed {seed}");
        (refused, graph.edges.len() > 3)
    });
    let refused: Vec<&String> = found.iter().filter_map(|(refused, _)| refused.as_ref()).collect();
    assert!(refused.is_empty(), "{} of {pairs}: {:#?}", refused.len(), &refused[..refused.len().min(8)]);
    let compared = found.iter().filter(|(_, compared)| *compared).count();
    assert!(2 * compared as u64 > pairs, "{compared} of {pairs} have something to compare");
}

#[test]
fn of_task_pairs_are_right() {
    let Some(folder) = shared("tasks") else { return };
    let pairs = tasks::pairs(&folder);
    let refused = for_seeds(0..pairs.len() as u64, |number| {
        let (file, pair) = &pairs[number as usize];
        let ([original, modified], _) = tasks::programs(file, pair).unwrap();
        refusal(&original, &modified).map(|why| format!("{}: {why}", pair.id))
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    assert!(refused.is_empty(), "{} of {}: {}", refused.len(), pairs.len(), refused.join("\n"));
}

/// A graph or certificate that was tampered with is refused, or covers nothing it must not all the same.
#[test]
fn that_were_tampered_with_are_refused_or_right() {
    let pairs = number("RESIDUE_PAIRS", PAIRS);
    let found = for_seeds(0..pairs, |seed| {
        let sample = Sample::new(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified);
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
        // There is one set, and it is empty; nothing in these programs does nothing.
        assert!(refused > 0 || tried == 0 && [0, 1, 7].contains(&kind), "kind {kind}: {tried} tried");
    }
}

/// What the detector could forget: operations that are not the same are taken together, or a difference in a variable is no end.
#[test]
fn of_steps_that_are_not_the_same_is_refused() {
    let mut tried = [0, 0];
    for seed in 0..300 {
        let sample = Sample::new(seed);
        let (graph, certificate) = certified(&sample.original, &sample.modified);
        // Each indicator is given out as the place behind the edge, with and without some step of the original.
        for (index, edge) in graph.edges.iter().enumerate().filter(|(_, edge)| graph.indicators.contains(&edge.to)) {
            for (kind, moves) in
                [vec![], sample.original.edge_ids().map(|other| formats::certificate::Move::With(other.0)).collect()]
                    .into_iter()
                    .enumerate()
            {
                let alternatives =
                    if kind == 0 { vec![vec![]] } else { moves.into_iter().map(|step| vec![step]).collect::<Vec<_>>() };
                for alternative in alternatives {
                    let (mut graph, mut certificate) = (graph.clone(), certificate.clone());
                    graph.indicators.retain(|node| *node != edge.to);
                    graph.reasons.retain(|reason| reason.indicator != edge.to);
                    certificate.nodes[edge.to as usize] = Some(0);
                    certificate.moves[index] = formats::certificate::Moves(alternative);
                    let refused = validate::validate(&sample.original, &sample.modified, &graph, &certificate).is_err();
                    assert!(refused || !sample.judge_graph(&graph).unsound, "seed {seed}: {}", sample.describe());
                    tried[kind] += u32::from(refused);
                }
            }
        }
    }
    assert!(tried[0] > 50 && tried[1] > 1000, "{tried:?}");
}

/// Rare operations: allocation, calls without a body, pointers, recursion, exits.
#[test]
fn of_rare_operations_are_right() {
    let texts = [
        "void *malloc(unsigned long); int main(void) { int *p = malloc(4); if (!p) return 0; *p = input(); if (*p == 3) reach_error(); }",
        "void ext(int *); int g; int main(void) { int x = input(); ext(&x); ext(&g); if (x == g) reach_error(); }",
        "int f(int n) { return n ? f(n - 1) : 0; } int main(void) { if (f(input())) reach_error(); }",
        "int twice(int x) { return 2 * x; } int main(void) { int (*h)(int) = twice; if (h(input()) == 7) reach_error(); }",
        "struct s { int a, b[3]; }; int main(void) { struct s s = {1, {2, 3, 4}}, *p = &s; p->b[input() & 1] = 5; if (s.b[2] != 4) reach_error(); }",
        "int main(void) { for (int i = 0; i < input(); i++) { if (i == 5) exit(1); } { ; } ; if (input() == 1) reach_error(); }",
    ];
    for text in texts {
        for (from, to) in [("", "int unused; "), ("input() == 1", "input() == 2"), ("reach_error()", "{ reach_error(); }")] {
            let head = "extern int input(void); extern void reach_error(void); extern void exit(int);\n";
            let original = residue_tests::oracle::load("original.c", &format!("{head}{text}"));
            let modified = residue_tests::oracle::load("modified.c", &format!("{head}{}", text.replacen(from, to, 1)));
            assert_eq!(refusal(&original, &modified), None, "{from} becomes {to} in {text}");
        }
    }
}

/// Memory that one program allocates at one place and the other at two: refused, because a pair of places is one of each.
#[test]
fn of_memory_from_several_places_is_refused() {
    let program = |name: &str, body: &str| {
        let head = "extern void *malloc(unsigned long); extern int input(void); extern void reach_error(void);\n";
        residue_tests::oracle::load(
            name,
            &format!("{head}int main(void) {{ int *p; int c; {body} *p = c; if (*p == 7) reach_error(); }}"),
        )
    };
    let again = "again: p = malloc(4); c = input(); if (c) goto again;";
    let modified = program("modified.c", again);
    let original = program("original.c", &format!("p = malloc(4); c = input(); if (c) {{ {again} }}"));
    assert_eq!(refusal(&modified, &modified), None);
    let (graph, _) = certified(&original, &modified);
    assert!(graph.edges.len() > 6, "both places are come to: {:?}", graph.edges);
    assert!(refusal(&original, &modified).is_some());
    // The rest of the programs is the same, and blanks are passed at will.
    let apart = program("original.c", &again.replace("goto again;", "{ ; ; goto again; }"));
    assert_eq!(refusal(&apart, &modified), None);
    assert_eq!(refusal(&modified, &apart), None);
}
