//! What is said of two versions, to people and to programs.

use console::Exit;
use formats::equivalence::{CallContext, CallStatus, Equivalence, EquivalenceResult, ObservedRelation, TellingInputs};
use formats::{Producer, Reason};
use program::cfa::{EdgeId, FunctionId};
use transform::pair::{Outside, Pairing, Plan};

use crate::arguments::{Arguments, Overflow, Undefined};
use crate::arrivals::Arrivals;
use crate::each::Each;
use crate::settle::{Proved, Settled};
use crate::sources::Text;

/// What is taken for granted of calls that code outside makes.
const CALLS: &str = "functions without a body call no function of the program but those whose addresses they are given, and \
                     those only where both versions hold the same";
/// What is taken for granted of variables that code outside could name, where versions may hold something else in them.
const GLOBALS: &str = "functions without a body read and write no global of the program but what they are given";

/// The result with what is known before anything was asked.
pub(crate) fn begun(arguments: &Arguments, texts: &[Text; 2], pairing: &Pairing<'_>) -> EquivalenceResult {
    let (original, modified) = (pairing.original, pairing.modified);
    let producer = Producer::new("cse", env!("CARGO_PKG_VERSION"));
    let programs = (original.program_file(&texts[0].name), modified.program_file(&texts[1].name));
    let relation = ObservedRelation {
        observe: arguments.observe.iter().map(ToString::to_string).collect(),
        undefined: match arguments.undefined {
            Undefined::Preserve => "preserve".to_owned(),
            Undefined::Both => "both".to_owned(),
        },
        overflow: match arguments.overflow {
            Overflow::Undefined => "undefined".to_owned(),
            Overflow::Wrap => "wrap".to_owned(),
        },
        termination: "partial".to_owned(),
        assume: arguments.shared.assume.iter().map(|assumed| assumption(assumed)).collect(),
    };
    let mut result = EquivalenceResult::new(producer, programs, original.options.clone(), relation);
    result.client = arguments.client_files().iter().map(|path| path.display().to_string()).collect();
    result.assumptions.clone_from(&original.assumptions);
    result
}

/// What is assumed of inputs, as the end of a sentence.
fn assumption(assumed: &str) -> String {
    match assumed.strip_prefix('@') {
        Some(file) => format!("make only calls that {} lets pass", formats::shown::one_line(file)),
        None => format!("satisfy {}", formats::shown::one_line(assumed)),
    }
}

/// For what a verdict holds.
pub(crate) fn scope(result: &EquivalenceResult) -> String {
    let relation = &result.relation;
    let defined = if relation.undefined == "preserve" { "whose original run is defined" } else { "whose runs are defined" };
    let overflow = if relation.overflow == "wrap" { ", signed arithmetic wraps" } else { "" };
    let assumed = match relation.assume.as_slice() {
        [] => String::new(),
        all => format!(" that {}, and", all.join(", and ")),
    };
    let ends = if relation.termination == "total" { "" } else { ", whenever both versions end" };
    format!("for all inputs{assumed} {defined}{ends}{overflow}; observed: {}", relation.observe.join(", "))
}

/// What is not observed although it could be expected, as the end of a sentence.
fn unseen(outside: Outside, observe: &[String]) -> String {
    let observes = |what: &str| observe.iter().any(|one| one == what);
    let mut said = String::new();
    if outside.exits && (observes("globals") || observes("memory")) {
        said += ", globals and memory not where the program exits before it returns";
    }
    if outside.elsewhere && observes("globals") {
        said += ", no globals that are defined elsewhere";
    }
    said
}

/// Nothing changed that the program comes to.
pub(crate) fn unchanged(result: &mut EquivalenceResult, outside: Outside) {
    result.assumptions.extend(outside.calls.then(|| CALLS.to_owned()));
    result.verdict = Equivalence::Equivalent;
    "total".clone_into(&mut result.relation.termination);
    result.by = Some("comparison".to_owned());
    result.scope = format!("nothing changed that the program comes to; {}", scope(result));
}

/// For what a verdict holds, and what it takes for granted.
fn scoped(result: &mut EquivalenceResult, pairing: &Pairing<'_>, settled: &Settled) {
    let outside = pairing.outside();
    if matches!(settled, Settled::Equal(_) | Settled::Run | Settled::Inactive) && outside.calls {
        result.assumptions.extend([GLOBALS, CALLS].map(str::to_owned));
    }
    result.scope = format!("{}{}", scope(result), unseen(outside, &result.relation.observe));
}

/// Why nobody knows, where code outside may call a function.
fn handed(name: &str) -> String {
    format!(
        "not checked: {name}() differs, and code outside gets its address and may call it; compare what it does alone with \
         --entry {name}"
    )
}

/// Fills in what was found out.
pub(crate) fn found(
    result: &mut EquivalenceResult,
    pairing: &Pairing<'_>,
    (changes, calls): (&Plan, &[(EdgeId, FunctionId)]),
    (settled, each): (&Settled, &Each),
    arrivals: &Arrivals,
) {
    let name = |function: &FunctionId| pairing.original.function(*function).name.to_string();
    result.changed = changes.inside().iter().map(name).collect();
    scoped(result, pairing, settled);
    let (status, boundary) = match settled {
        Settled::Equal(proved) => {
            result.verdict = Equivalence::Equivalent;
            result.by = Some(proved.by.to_owned());
            (CallStatus::Digested, Some(boundary(pairing, proved)))
        }
        Settled::Run => {
            result.verdict = Equivalence::Equivalent;
            result.by = Some("execution".to_owned());
            (CallStatus::Digested, None)
        }
        Settled::Inactive => {
            result.verdict = Equivalence::Equivalent;
            result.by = Some("lockstep".to_owned());
            (CallStatus::Inactive, None)
        }
        Settled::Different(difference) => {
            result.verdict = Equivalence::NotEquivalent;
            result.scope = format!("observed: {}", result.relation.observe.join(", "));
            result.counterexample = Some(TellingInputs {
                inputs: difference.inputs.clone(),
                outcomes: difference.outcomes.clone(),
                difference: difference.what.clone(),
                call: each.shown.map(|edge| pairing.original.edge_key(edge)),
            });
            (CallStatus::Different, None)
        }
        Settled::Handed(name) => {
            result.verdict = Equivalence::Unknown;
            result.reason = Some(handed(name));
            (CallStatus::Unknown, None)
        }
        Settled::Open(reason) => {
            result.verdict = Equivalence::Unknown;
            result.reason = Some(reason.to_string());
            (CallStatus::Unknown, None)
        }
    };
    for call in calls {
        let context = context(pairing, *call, (calls.len(), settled, each, arrivals), (status, boundary.clone()));
        result.contexts.push(context);
    }
}

/// What became of a call; the rest is what became of all.
fn context(
    pairing: &Pairing<'_>,
    (edge, callee): (EdgeId, FunctionId),
    (calls, settled, each, arrivals): (usize, &Settled, &Each, &Arrivals),
    (mut status, mut boundary): (CallStatus, Option<String>),
) -> CallContext {
    let name = pairing.original.function(callee).name.to_string();
    let place = pairing.original.source.location(pairing.original.edge(edge).span.lo);
    let (file, line) = (place.file.to_owned(), place.line);
    let telling = each.different.get(&edge);
    if status == CallStatus::Different && telling.is_none() && calls > 1 {
        status = CallStatus::Unknown;
    }
    if matches!(settled, Settled::Run) {
        boundary = Some(name.clone());
    }
    if arrivals.inactive.contains(&edge) && status != CallStatus::Different {
        (status, boundary) = (CallStatus::Inactive, None);
    } else if each.same.contains(&edge) {
        (status, boundary) = (CallStatus::Digested, Some(name.clone()));
    }
    let (arguments, along) = telling.map(|telling| (telling.text.clone(), telling.along.clone())).unzip();
    let (call, along) = (pairing.original.edge_key(edge), along.unwrap_or_default());
    let only = each.only.get(&edge).and_then(|condition| condition.text(pairing.original, callee));
    CallContext { call, file, line, callee: name, status, boundary, arguments, only, along }
}

/// The functions at which both versions agree.
fn boundary(pairing: &Pairing<'_>, proved: &Proved) -> String {
    let mut names: Vec<String> =
        proved.calls.iter().map(|(_, callee)| pairing.original.function(*callee).name.to_string()).collect();
    names.sort();
    names.dedup();
    names.join(", ")
}

/// What a result is for those who look at the exit code.
pub(crate) fn exit(result: &EquivalenceResult) -> Exit {
    match result.verdict {
        Equivalence::Equivalent => Exit::Success,
        Equivalence::NotEquivalent => Exit::Negative,
        Equivalence::Unknown => Exit::Unknown,
    }
}

/// Prints the result.
pub(crate) fn answer(result: &EquivalenceResult, arguments: &Arguments) -> miette::Result<Exit> {
    let exit = exit(result);
    if arguments.json {
        let mut text = Vec::new();
        result.write(&mut text).map_err(|error| miette::miette!("{error}"))?;
        console::answer(&String::from_utf8_lossy(&text), exit)?;
        return Ok(exit);
    }
    let mut lines: Vec<String> = Vec::new();
    for context in &result.contexts {
        let status = match (context.status, &context.boundary) {
            (CallStatus::Inactive, _) => "nothing that differs is reached".to_owned(),
            (CallStatus::Digested, Some(boundary)) if *boundary == context.callee => "both versions do the same".to_owned(),
            (CallStatus::Digested, Some(boundary)) => format!("what differs is hidden by {boundary}()"),
            (CallStatus::Digested, None) => "what differs is hidden".to_owned(),
            (CallStatus::Different, _) => match &context.arguments {
                Some(call) => format!("the versions differ for {call}{}", context.condition()),
                None => "the versions differ".to_owned(),
            },
            (CallStatus::Unknown, _) => "not decided".to_owned(),
        };
        lines.push(format!("{}:{}: {}(): {status}", context.file, context.line, context.callee));
    }
    if let Some(shown) = &result.counterexample {
        for input in &shown.inputs {
            lines.push(format!("{} = {}", input.source, input.value));
        }
        lines.push(format!("original: {}", shown.outcomes[0]));
        lines.push(format!("modified: {}", shown.outcomes[1]));
        lines.push(format!("first difference: {}", shown.difference));
    }
    if result.verdict == Equivalence::Equivalent {
        lines.extend(result.assumptions.iter().map(|one| format!("assumed: {one}")));
    }
    lines.push(result.scope.clone());
    lines.push(match (result.verdict, &result.reason) {
        (Equivalence::Equivalent, _) => "EQUIVALENT".to_owned(),
        (Equivalence::NotEquivalent, _) => "NOT EQUIVALENT".to_owned(),
        (Equivalence::Unknown, reason) => unknown(reason.as_deref().unwrap_or("internal")),
    });
    let text: String = lines.iter().map(|line| format!("{}\n", formats::shown::one_line(line))).collect();
    console::answer(&formats::shown::lines(&text), exit)?;
    Ok(exit)
}

/// The last line of a run that decided nothing.
pub(crate) fn unknown(reason: &str) -> String {
    format!("UNKNOWN({reason})")
}

/// The last line of a run that was ended.
pub(crate) fn ended(verdict: &formats::Verdict) -> String {
    let reason = if let formats::Verdict::Unknown(reason) = verdict { reason.clone() } else { Reason::Internal };
    format!("{}\n", unknown(&reason.to_string()))
}
