//! What is asked: points, facts and templates of the user and of files, proposals, and how each version says them.
//!
//! Does not know how anything is answered.

use std::collections::BTreeMap;

use console::Input;
use formats::invariant_table::InvariantTable;
use program::diagnostic::Diagnostic;

use crate::arguments::{Family, Form};
use crate::earlier::EARLIER;
use crate::expression::Text;
use crate::families::{self, Kinds};
use crate::foreign::{self, Given, WITNESS};
use crate::points::{self, Point};
use crate::prepare::{Fact, Meaning, Prepared, Runs, Spot, Version, prepare};
use crate::solve::TEMPLATE;
use crate::templates::Template;
use crate::{InvdiffError, Job};

/// Facts for each point that nobody asks for.
const HELPING: usize = 16;

/// Points, facts at them, and templates with the positions of their points.
pub(crate) type Wanted = (Vec<Point>, Vec<Fact>, Vec<(usize, Template)>);

impl Job<'_> {
    /// What is asked, and where.
    pub(crate) fn asked(&self) -> miette::Result<Wanted> {
        let arguments = self.arguments;
        let given = self.given()?;
        let mut points: Vec<Point> = Vec::new();
        let find = |name: &str| points::find(name, &self.versions).map_err(InvdiffError::Point);
        let default = if given.is_empty() { vec!["exit".to_owned()] } else { Vec::new() };
        for name in if arguments.at.is_empty() { &default } else { &arguments.at } {
            let found = find(name)?;
            if found.is_empty() {
                return Err(InvdiffError::Point(format!("no version has a place for {name}")).into());
            }
            points.extend(found.into_iter().filter(|one| !points.iter().any(|known| known.name == one.name)).collect::<Vec<_>>());
        }
        let (mut facts, mut templates): (Vec<Fact>, Vec<(usize, Template)>) = Default::default();
        let own = points.len();
        for text in &arguments.of {
            if let Some(template) = Template::parse(text) {
                let template = template.map_err(|reason| InvdiffError::Fact { fact: text.clone(), reason })?;
                templates.extend((0..own).map(|point| (point, template.clone())));
                continue;
            }
            let parsed = parse(text)?;
            (0..own).for_each(|point| add(&mut facts, Fact { point, text: parsed.clone(), family: "user" }));
        }
        for Given { point: name, text, family } in given {
            let point = match points.iter().position(|point| point.name == name) {
                Some(point) => point,
                None => {
                    let found = find(&name)?;
                    points.extend(found);
                    points.len().saturating_sub(1)
                }
            };
            if points.get(point).is_none_or(|point| point.name != name) {
                return Err(InvdiffError::Point(format!("{name} is not one point")).into());
            }
            add(&mut facts, Fact { point, text, family });
        }
        let families: Vec<Family> = match arguments.families.as_slice() {
            _ if arguments.to == Form::C => Vec::new(),
            [] if facts.is_empty() && templates.is_empty() => Family::USUAL.to_vec(),
            some => some.iter().copied().filter(|family| *family != Family::None).collect(),
        };
        if arguments.to == Form::C && !templates.is_empty() {
            return Err(InvdiffError::Unsolved.into());
        }
        if arguments.to == Form::C && facts.is_empty() && arguments.open.is_none() {
            return Err(InvdiffError::NoFact.into());
        }
        if !families.is_empty() {
            let proposed = families::propose(&families, &self.versions, &points, Kinds::All)?;
            proposed.into_iter().for_each(|fact| add(&mut facts, fact));
        }
        Ok((points, facts, templates))
    }

    /// What nobody asks for, but may help to prove the rest.
    pub(crate) fn helping(&self, points: &[Point], facts: &[Fact]) -> Result<Vec<Fact>, Diagnostic> {
        let families = [Family::Bounds, Family::Order, Family::Parity, Family::Definition];
        let mut all = self.earlier.facts(points);
        let known = all.len();
        // Facts about floating-point numbers are costly, and help little with others.
        for one in families::propose(&families, &self.versions, points, Kinds::Whole)? {
            if !all[..known].iter().any(|other| (other.point, &other.text) == (one.point, &one.text)) {
                all.push(one);
            }
        }
        all.retain(|one| !facts.iter().any(|known| (known.point, &known.text) == (one.point, &one.text)));
        let mut of_point = vec![0; points.len()];
        all.retain(|one| {
            of_point[one.point] += usize::from(one.family != EARLIER);
            of_point[one.point] <= HELPING
        });
        Ok(all)
    }

    /// The facts of files.
    fn given(&self) -> miette::Result<Vec<Given>> {
        let user = |(point, text): (String, String)| Ok(Given { point, text: parse(&text)?, family: "user" });
        let mut given: Vec<Given> = self.earlier.left().into_iter().map(user).collect::<Result<_, InvdiffError>>()?;
        for path in &self.arguments.invariants {
            let file = path.display().to_string();
            let bytes = Input::read(path)?.bytes;
            if bytes.trim_ascii_start().starts_with(b"{") {
                let table = InvariantTable::read(&bytes, &file)?;
                for one in &table.instances {
                    given.push(user((table.points[one.point].name.clone(), one.expression.clone()))?);
                }
                continue;
            }
            if foreign::is_witness(&bytes) {
                given.extend(foreign::facts(&bytes, &file, (&self.versions, &self.files), &self.arguments.shared.console())?);
                continue;
            }
            for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
                let line = line.trim();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (name, text) =
                    line.split_once(": ").ok_or_else(|| InvdiffError::Line { file: file.clone(), line: number + 1 })?;
                given.push(user((name.trim().to_owned(), text.trim().to_owned()))?);
            }
        }
        Ok(given)
    }

    /// Reads all versions with what is asked of them.
    pub(crate) fn prepared(&self, points: &[Point], facts: &[Fact]) -> Result<Vec<Option<Prepared>>, Diagnostic> {
        let runs = if self.arguments.defined { Runs::Defined } else { Runs::All };
        let spots = |number: usize| points.iter().map(|point| point.spots[number].clone()).collect::<Vec<Spot>>();
        let one = |(number, version): (usize, &Option<Version>)| {
            version.as_ref().map(|version| prepare(version, &spots(number), facts, runs)).transpose()
        };
        let mut prepared: Vec<Option<Prepared>> = self.versions.iter().enumerate().map(one).collect::<Result<_, _>>()?;
        if !self.renames.is_empty() {
            let all: Vec<BTreeMap<usize, Text>> = (0..prepared.len()).map(|at| self.renamed(&prepared, facts, at)).collect();
            for (number, renamed) in all.into_iter().enumerate().filter(|(_, renamed)| !renamed.is_empty()) {
                let Some(version) = &self.versions[number] else { continue };
                let said = |(at, fact): (usize, &Fact)| {
                    let text = renamed.get(&at).unwrap_or(&fact.text).clone();
                    Fact { text, ..fact.clone() }
                };
                let facts: Vec<Fact> = facts.iter().enumerate().map(said).collect();
                let mut again = prepare(version, &spots(number), &facts, runs)?;
                let is_said = |at: &usize| !matches!(again.facts[*at], Meaning::Missing(_));
                again.renamed = renamed.into_iter().filter(|(at, _)| is_said(at)).collect();
                prepared[number] = Some(again);
            }
        }
        Ok(prepared)
    }

    /// How a version may say the facts that it has no names for, by what the next version that has them calls it.
    fn renamed(&self, prepared: &[Option<Prepared>], facts: &[Fact], number: usize) -> BTreeMap<usize, Text> {
        let mut found = BTreeMap::new();
        let Some(own) = &prepared[number] else { return found };
        for (at, fact) in facts.iter().enumerate() {
            let (Meaning::Missing(_), Some(function)) = (&own.facts[at], &own.functions[fact.point]) else { continue };
            let says = |other: &usize| {
                let one = prepared[*other].as_ref();
                one.is_some_and(|one| {
                    let is_said = matches!(one.facts[at], Meaning::Says { .. } | Meaning::Unreached);
                    is_said && one.functions[fact.point].as_ref() == Some(function)
                })
            };
            let others = (0..prepared.len()).filter(says);
            let Some(nearest) = others.min_by_key(|other| other.abs_diff(number)) else { continue };
            let text = fact.text.renamed(&self.renames.names(function, nearest, number));
            if text != fact.text {
                found.insert(at, text);
            }
        }
        found
    }

    /// Refuses points and facts that hardly any version has.
    pub(crate) fn refuse(&self, points: &[Point], facts: &[Fact], prepared: &[Option<Prepared>]) -> Result<(), InvdiffError> {
        for (number, point) in points.iter().enumerate() {
            let missing = prepared.iter().flatten().filter_map(|one| match &one.points[number] {
                Meaning::Missing(reason) => Some(reason),
                Meaning::Says { .. } | Meaning::Unreached | Meaning::Unusable(_) => None,
            });
            let missing: Vec<&String> = missing.collect();
            if let Some(reason) = missing.first()
                && missing.len() + 2 > prepared.iter().flatten().count()
            {
                let common = points::common(&self.versions).join(", ");
                return Err(InvdiffError::Unmatched { point: point.name.clone(), reason: (*reason).clone(), common });
            }
        }
        let is_user = |(_, fact): &(usize, &Fact)| fact.family == "user";
        for (number, fact) in facts.iter().enumerate().filter(is_user) {
            let wrong: Vec<&String> = prepared
                .iter()
                .flatten()
                .filter_map(|one| match (&one.points[fact.point], &one.facts[number]) {
                    (Meaning::Says { .. }, Meaning::Missing(reason) | Meaning::Unusable(reason)) => Some(reason),
                    _ => None,
                })
                .collect();
            let asked = |one: &&Prepared| matches!(one.points[fact.point], Meaning::Says { .. });
            if let Some(reason) = wrong.first()
                && wrong.len() == prepared.iter().flatten().filter(asked).count()
            {
                return Err(InvdiffError::Fact { fact: fact.text.to_string(), reason: (*reason).clone() });
            }
        }
        Ok(())
    }
}

/// Adds a fact that is not there.
pub(crate) fn add(facts: &mut Vec<Fact>, fact: Fact) {
    if !facts.iter().any(|known| (known.point, &known.text) == (fact.point, &fact.text)) {
        facts.push(fact);
    }
}

fn parse(text: &str) -> Result<Text, InvdiffError> {
    Text::parse(text).map_err(|reason| InvdiffError::Fact { fact: text.to_owned(), reason })
}

/// Leaves out proposals that are another fact in every version, where names changed. How many are asked for then.
pub(crate) fn once(facts: &mut Vec<Fact>, prepared: &mut [Option<Prepared>], asked: usize) -> usize {
    if prepared.iter().flatten().all(|one| one.renamed.is_empty()) {
        return asked;
    }
    let said =
        |at: usize, one: &Option<Prepared>| one.as_ref().map(|one| one.renamed.get(&at).unwrap_or(&facts[at].text).to_string());
    let all: Vec<(usize, Vec<Option<String>>)> =
        facts.iter().enumerate().map(|(at, fact)| (fact.point, prepared.iter().map(|one| said(at, one)).collect())).collect();
    let is_kept = |at: usize| ["user", TEMPLATE, WITNESS].contains(&facts[at].family) || !all[..at].contains(&all[at]);
    let kept: Vec<usize> = (0..facts.len()).filter(|at| is_kept(*at)).collect();
    for one in prepared.iter_mut().flatten() {
        one.facts = kept.iter().map(|at| one.facts[*at].clone()).collect();
        one.renamed = kept.iter().enumerate().filter_map(|(new, at)| Some((new, one.renamed.get(at)?.clone()))).collect();
    }
    *facts = kept.iter().map(|at| facts[*at].clone()).collect();
    kept.iter().filter(|at| **at < asked).count()
}
