//! The blocks of a program, from its start on, as far as proposals are made from them.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::block::Block;
use crate::control::{Cause, Position, Target};
use crate::session::{Session, Start};

/// Positions whose blocks are looked at.
const POSITIONS: usize = 60;

/// A block with where it starts, and how.
pub(super) type Entry = (Position, Start, Rc<Block>);

/// The block of the start and those of the loop heads behind it.
pub(super) fn blocks(session: &mut Session) -> Result<Vec<Entry>, Cause> {
    let mut found = Vec::new();
    let Some(start) = session.explorer.start() else { return Ok(found) };
    let mut open = vec![(start, Start::Program)];
    let mut seen: BTreeSet<Position> = BTreeSet::new();
    while let Some((position, start)) = open.pop() {
        session.explorer.check_limits(0)?;
        let block = session.block(position, start)?;
        for exit in &block.exits {
            if let Target::Head(next) = exit.target
                && seen.len() < POSITIONS
                && seen.insert(next)
            {
                open.push((next, Start::Anywhere));
            }
        }
        found.push((position, start, block));
    }
    Ok(found)
}
