//! Graphs and certificates with one number changed.

use formats::certificate::Move;
use formats::{Certificate, DifferenceGraph};

/// One number of a graph or of its certificate is changed; none if there is none of this kind.
pub fn mutate(kind: usize, rng: &mut fastrand::Rng, graph: &mut DifferenceGraph, certificate: &mut Certificate) -> Option<()> {
    let edge = rng.usize(..graph.edges.len().max(1));
    let node = |rng: &mut fastrand::Rng| rng.u32(..graph.nodes);
    match kind {
        // What may differ at a node: one object less, or another set.
        0 => {
            let set = rng.usize(..certificate.sets.len().max(1));
            let set = certificate.sets.get_mut(set).filter(|set| !set.is_empty())?;
            set.remove(rng.usize(..set.len()));
        }
        1 => {
            let other = certificate.nodes[node(rng) as usize]?;
            let node = node(rng) as usize;
            (certificate.nodes[node]? != other).then(|| certificate.nodes[node] = Some(other))?;
        }
        // Where an edge leads; that it is there; that its end is an indicator.
        2 => {
            let to = node(rng);
            let changed = graph.edges.get_mut(edge).filter(|edge| edge.to != to)?;
            changed.to = to;
        }
        3 => {
            graph.edges.get(edge)?;
            graph.edges.remove(edge);
            certificate.moves.remove(edge);
        }
        4 => {
            (!graph.indicators.is_empty()).then_some(())?;
            let indicator = graph.indicators.remove(rng.usize(..graph.indicators.len()));
            graph.reasons.retain(|reason| reason.indicator != indicator);
        }
        // What the original does: nothing, another joint step, another place, less.
        5 => {
            let moves = certificate.moves.get_mut(edge).filter(|moves| !moves.0.is_empty())?;
            moves.0.clear();
        }
        6 | 7 => {
            let moves = certificate.moves.get_mut(edge).filter(|moves| !moves.0.is_empty())?;
            let place = rng.usize(..moves.0.len());
            moves.0[place] = match (kind, moves.0[place]) {
                (6, Move::With(edge)) => Move::With((edge + 1).saturating_sub(2 * u32::from(rng.bool()))),
                (7, Move::To(location)) => Move::To((location + 1).saturating_sub(2 * u32::from(rng.bool()))),
                (_, _) => return None,
            };
        }
        8 => {
            let moves = certificate.moves.get_mut(edge).filter(|moves| !moves.0.is_empty())?;
            moves.0.remove(rng.usize(..moves.0.len()));
        }
        // Which variable is which.
        _ => {
            let count = certificate.variables.len();
            (count > 1).then_some(())?;
            let (one, other) = (rng.usize(..count), rng.usize(..count));
            (certificate.variables[one] != certificate.variables[other]).then_some(())?;
            certificate.variables.swap(one, other);
        }
    }
    Some(())
}

/// Kinds that [`mutate`] knows.
pub const KINDS: usize = 10;
