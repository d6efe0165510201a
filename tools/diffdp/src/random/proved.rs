//! Random steps, judged by the checker that Coq has proved sound: what the code says may differ behind a step is what the
//! rules of the proof compute, or more; and each rule that is taken away is refused.
//!
//! Steps are made at random pairs with random objects that may differ there, whether a search would come there or not.
//! Source: ALGORITHM.md 9.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use program::cfa::{EdgeId, LocationId, VarId};
use semantics::compare::{Alignment, Comparison, Side};
use semantics::facts::Facts;
use semantics::object_set::ObjectSet;
use semantics::reach::Assembly;
use semantics::stack::{Point, StackId};

use super::{Automaton, Condition, END, ERROR, Op, Random, Value, cfa, mutate, random_automaton};
use crate::Rules;
use crate::effects::Effects;
use crate::implication::Decided;
use crate::points::Walker;
use crate::skip::Skips;
use crate::step::{Outcome, Pair, Parts, Stepped, Stepper};

/// Steps that are made for each pair of programs.
const STEPS: usize = 10;
/// Steps that are judged at a time.
const PART: usize = 5000;

/// The proof, and the folder to judge in.
fn folders() -> (PathBuf, PathBuf) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    (here.join("proof"), std::env::temp_dir().join(format!("residue-proof-{}", std::process::id())))
}

fn variable(v: usize) -> &'static str {
    ["X", "Y", "Z"][v]
}

fn set(variables: impl Iterator<Item = usize>) -> String {
    format!("[{}]", variables.map(variable).collect::<Vec<_>>().join("; "))
}

fn operation(op: Op) -> String {
    match op {
        Op::Assign(v, Value::Constant(c)) => format!("A_ (Let {} (Cst D{c}))", variable(v)),
        Op::Assign(v, Value::Variable(x)) => format!("A_ (Let {} (Var {}))", variable(v), variable(x)),
        Op::Assign(v, Value::Sum(x, k)) => format!("A_ (Let {} (Add {} D{k}))", variable(v), variable(x)),
        Op::Assume(Condition { equal, left, right, truth }) => {
            let right = match right {
                Value::Constant(c) => format!("RC D{c}"),
                Value::Variable(x) => format!("RV {}", variable(x)),
                Value::Sum(..) => unreachable!("conditions compare with constants and variables"),
            };
            format!("T_ (Test {} {} {} ({right}))", !truth, !equal, variable(left))
        }
    }
}

/// The numbers that the proof has for the two ends.
fn location(l: usize) -> usize {
    match l {
        ERROR => 100,
        END => 101,
        _ => l,
    }
}

fn automaton(automaton: &Automaton) -> String {
    let locations: Vec<String> = automaton
        .values()
        .map(|edges| {
            let edges: Vec<String> = edges.iter().map(|(op, to)| format!("({}, {})", operation(*op), location(*to))).collect();
            format!("[{}]", edges.join("; "))
        })
        .collect();
    format!("[{}]", locations.join("; "))
}

/// Certain moves from a location to another, through all branches, if there are some.
fn plan(program: &Automaton, from: usize, to: usize, depth: usize) -> Option<String> {
    if from == to || from == ERROR {
        return Some("Stay".to_owned());
    }
    let further = |l: usize| plan(program, l, to, depth.checked_sub(1)?);
    match program.get(&from)?.as_slice() {
        [(Op::Assign(..), t)] => Some(format!("(Pass {})", further(*t)?)),
        [(Op::Assume(_), t), (Op::Assume(_), u)] => Some(format!("(Fork {} {})", further(*t)?, further(*u)?)),
        _ => None,
    }
}

/// A pair of programs and how they are numbered.
struct Programs {
    original: Automaton,
    modified: Automaton,
}

impl Programs {
    fn random(r: &mut Random) -> Self {
        let size = 3 + r.below(6);
        let original = random_automaton(r, size);
        let modified = mutate(r, &original);
        Self { original, modified }
    }

    /// The locations of an automaton in the order of the numbers that its CFA has.
    fn locations(automaton: &Automaton) -> Vec<usize> {
        automaton.keys().copied().chain([END, ERROR]).collect()
    }

    /// Whether the modified program can come from a location to its error.
    fn can_fail(&self, from: usize) -> bool {
        let mut seen = vec![from];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            for (_, to) in self.modified.get(&at).into_iter().flatten() {
                if !seen.contains(to) {
                    seen.push(*to);
                }
            }
            next += 1;
        }
        seen.contains(&ERROR)
    }

    /// What the code said of a step, as the proof has it; nothing if it gave up.
    fn said(&self, effects: &Effects, at: usize, to: usize, stepped: &Stepped) -> Option<String> {
        let numbers = Self::locations(&self.original);
        let from = stepped.partner.map_or(at, |partner| numbers[partner.from.location.index()]);
        let before = plan(&self.original, at, from, 40);
        let mut first = 0;
        let mut behind = from;
        let mut taken = "None".to_owned();
        if let Some(edge) = stepped.partner.and_then(|partner| partner.edge) {
            first += self.original.range(..from).map(|(_, edges)| edges.len()).sum::<usize>();
            let index = edge.index() - first;
            behind = self.original[&from][index].1;
            taken = format!("(Some {index})");
        }
        match &stepped.outcome {
            Outcome::Indicator(_) => None,
            Outcome::Leaf => {
                let doomed = || Some(format!("Leaf_doomed {} {taken} {}", before?, plan(&self.original, behind, ERROR, 40)?));
                let dead = "Leaf_dead".to_owned();
                Some(if self.can_fail(to) { doomed().unwrap_or(dead) } else { dead })
            }
            Outcome::Pair(pair, w) => {
                let affected =
                    (0..3).filter(|v| effects.variable(Side::Modified, VarId::new(*v)).is_subset(w)).collect::<Vec<_>>();
                let k = location(numbers[pair.original.location.index()]);
                let before = before.unwrap_or_else(|| "Stay".to_owned());
                Some(format!("To {before} {taken} {k} {}", set(affected.into_iter())))
            }
        }
    }

    /// Makes random steps; writes each down as a term.
    fn steps(&self, r: &mut Random, rules: Rules, number: usize, terms: &mut Vec<String>) {
        let (original, modified) = (cfa(&self.original), cfa(&self.modified));
        let comparison = Comparison::new(&original, &modified);
        let alignment = Alignment::new(&comparison);
        let facts = [&original, &modified].map(Facts::new);
        let effects = Effects::new(&comparison, &alignment, &facts);
        let skips = Skips::new(&original, facts[0].calls(), &effects);
        let mut stepper = Stepper::new(Parts {
            semantic: None,
            names: None,
            comparison: &comparison,
            effects: &effects,
            alignment: &alignment,
            rules,
            left_out: crate::LeftOut::default(),
            implication: Box::new(Decided::new(&comparison, &effects)),
            walker: Walker::new(&original, &effects, Some(skips)),
            reach: [0, 1].map(|side| facts[side].reach(Assembly::Opaque)),
        });
        let there: Vec<usize> = Self::locations(&self.original);
        for _ in 0..STEPS {
            let at = r.below(self.modified.len());
            let (here, edges) = self.modified.iter().nth(at).unwrap();
            // Where most searches would be: at the same number, or anywhere.
            let other = if r.chance(60) && at < self.original.len() { at } else { r.below(there.len() - 1) };
            let chosen = r.below(edges.len());
            let affected: Vec<usize> = (0..3).filter(|_| r.chance(35)).collect();
            let mut v = ObjectSet::new();
            for variable in &affected {
                v.union_with(effects.variable(Side::Modified, VarId::new(*variable)));
            }
            let point = |l: usize| Point { location: LocationId::new(l), stack: StackId::EMPTY };
            let first: usize = self.modified.range(..*here).map(|(_, edges)| edges.len()).sum();
            let stepped = stepper.step(
                Pair { modified: point(at), original: point(other) },
                &v,
                &Rc::default(),
                EdgeId::new(first + chosen),
            );
            let Some(said) = self.said(&effects, there[other], edges[chosen].1, &stepped) else { continue };
            let (at, other) = (location(*here), location(there[other]));
            terms.push(format!("Made o{number} m{number} {at} {other} {} {chosen} ({said})", set(affected.into_iter())));
        }
    }
}

/// A file that judges random steps by the given rules, and what to ask of it.
fn text(rules: Rules, steps: usize, seed: u64) -> (String, usize) {
    let mut r = Random(seed);
    let mut text = String::from("From Coq Require Import List.\nImport ListNotations.\nFrom DiffDP Require Import Semantics ");
    text.push_str("Certificate Example Compare.\n");
    let mut lists = Vec::new();
    let mut all = 0;
    for number in 0.. {
        if all >= steps {
            break;
        }
        let programs = Programs::random(&mut r);
        let mut terms = Vec::new();
        programs.steps(&mut r, rules, number, &mut terms);
        all += terms.len();
        let (o, m) = (automaton(&programs.original), automaton(&programs.modified));
        writeln!(text, "Definition o{number} : tcfa := {o}.\nDefinition m{number} : tcfa := {m}.").unwrap();
        writeln!(text, "Definition s{number} : list made := [{}].", terms.join(";\n ")).unwrap();
        lists.push(format!("s{number}"));
    }
    writeln!(text, "Definition all := {}.", lists.iter().map(|l| format!("{l} ++ ")).collect::<String>() + "[]").unwrap();
    text.push_str("Eval vm_compute in (count all).\nEval vm_compute in (refused all).\n");
    (text, all)
}

/// How many steps are refused, name more objects than the proof needs, and name exactly those; and what Coq printed.
fn judge(name: &str, rules: Rules, steps: usize, seed: u64) -> ([usize; 3], String) {
    let (_, folder) = folders();
    let (text, all) = text(rules, steps, seed);
    fs::write(folder.join(format!("{name}.v")), text).unwrap();
    let printed = coq(name);
    let numbers: Vec<usize> = printed.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).take(3).collect();
    let counts: [usize; 3] = numbers.try_into().unwrap_or_else(|_| panic!("{printed}"));
    assert_eq!(counts.iter().sum::<usize>(), all, "{printed}");
    (counts, printed)
}

fn coq(name: &str) -> String {
    let mut command = Command::new("coqc");
    command.args(["-q", "-Q", ".", "DiffDP", &format!("{name}.v")]).current_dir(folders().1);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn steps_are_those_of_the_proof() {
    if !gate::has("coqc") {
        return;
    }
    let (proof, folder) = folders();
    fs::create_dir_all(&folder).unwrap();
    let project = fs::read_to_string(proof.join("_CoqProject")).unwrap();
    for file in project.lines().filter(|line| line.ends_with(".v")) {
        fs::copy(proof.join(file), folder.join(file)).unwrap();
        coq(file.trim_end_matches(".v"));
    }
    let steps: usize = std::env::var("RESIDUE_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let mut tally = [0; 3];
    for (part, seed) in (0..steps.div_ceil(PART)).zip(77..) {
        let (counts, printed) = judge(&format!("Sound{part}"), Rules::SOUND, PART.min(steps), seed);
        assert_eq!(counts[0], 0, "seed {seed}: {printed}");
        tally = [0, 1, 2].map(|i| tally[i] + counts[i]);
    }
    eprintln!("{tally:?}");
    assert!(tally[2] > tally[1] * 9, "{tally:?}");
    for name in ["nodep", "nodefm", "nodefo", "noexec", "noerr"] {
        let (counts, _) = judge(name, Rules::without(name).unwrap(), 1500, 78);
        eprintln!("{name}: {counts:?}");
        assert!(counts[0] > 0, "{name} is not refused");
    }
    fs::remove_dir_all(folder).unwrap();
}
