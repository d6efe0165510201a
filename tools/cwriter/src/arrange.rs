//! Arranging blocks as lines: branches and loops nested, everything else by `goto`.
//!
//! Invariants: control reaches the end of a placed block's text only to go on at the block that comes next in the text;
//! no line is nested deeper than the limit.
//! Does not know how conditions and steps are written.

use crate::Style;
use crate::block::{Block, Condition, Destination, End};
use crate::shape::Shape;

/// Where a jump goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Jump {
    /// To the label of a block.
    Goto(usize),
    /// To the head of the loop around.
    Continue,
    /// Out of the loop around.
    Break,
    /// To the end of the program.
    Stop,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The label of a block.
    Label(usize),
    /// Step number `.1` of block `.0`.
    Step(usize, usize),
    /// A condition before a brace.
    If(Condition, When),
    /// A condition before a jump.
    IfJump(Condition, When, Jump),
    /// The other branch.
    Else,
    /// A loop without end.
    Loop,
    /// A loop while a condition holds, or while it does not.
    While(Condition, When),
    /// The end of a branch or loop.
    Close,
    /// A jump.
    Jump(Jump),
    /// The return of a block.
    Return(usize),
}

/// Which value of a condition is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Not 0.
    Holds,
    /// 0.
    Fails,
}

impl When {
    /// The other one.
    const fn opposite(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
        }
    }
}

/// The lines of a function with their nesting, the function's own braces not counted.
pub(crate) fn arrange(blocks: &[Block], style: Style, max_nesting: u32) -> Vec<(u32, Line)> {
    let shape = Shape::new(blocks);
    let mut placer = Placer { blocks, shape: &shape, lines: Vec::new(), labels: vec![false; blocks.len()], max_nesting };
    match style {
        Style::Structured => {
            placer.place(0, Context { next: None, loop_head: None, loop_exit: None, depth: 0 });
        }
        Style::Goto => placer.flat(),
    }
    let labels = placer.labels;
    let used = |line: &Line| !matches!(line, Line::Label(block) if !labels[*block]);
    placer.lines.into_iter().filter(|(_, line)| used(line)).collect()
}

/// What surrounds a place in the text.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// The block that comes next in the text.
    next: Option<usize>,
    /// Where `continue` leads.
    loop_head: Option<usize>,
    /// Where `break` leads.
    loop_exit: Option<usize>,
    depth: u32,
}

impl Context {
    fn before(self, next: Option<usize>) -> Self {
        Self { next: next.or(self.next), ..self }
    }

    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

struct Placer<'a> {
    blocks: &'a [Block],
    shape: &'a Shape,
    lines: Vec<(u32, Line)>,
    labels: Vec<bool>,
    max_nesting: u32,
}

/// Stack to keep free below each level, and how much more to take at once.
const RED_ZONE: usize = 64 << 10;
const MORE_STACK: usize = 1 << 20;

impl Placer<'_> {
    fn line(&mut self, context: Context, line: Line) {
        self.lines.push((context.depth, line));
    }

    /// Writes a block and all that is placed with it. Whether control may reach the end of that text.
    fn place(&mut self, block: usize, context: Context) -> bool {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || {
            self.line(context, Line::Label(block));
            if self.shape.is_header[block] && context.depth < self.max_nesting {
                self.place_loop(block, context)
            } else {
                let shape = self.shape;
                let rest: Vec<usize> = shape.inside[block].iter().chain(&shape.behind[block]).copied().collect();
                let falls = self.code(block, context.before(rest.first().copied()));
                self.place_all(&rest, context).unwrap_or(falls)
            }
        })
    }

    /// Writes blocks one behind the other; `None` if there are none.
    fn place_all(&mut self, blocks: &[usize], context: Context) -> Option<bool> {
        let mut falls = None;
        for (position, block) in blocks.iter().enumerate() {
            falls = Some(self.place(*block, context.before(blocks.get(position + 1).copied())));
        }
        falls
    }

    fn place_loop(&mut self, header: usize, context: Context) -> bool {
        let shape = self.shape;
        let (inside, behind) = (&shape.inside[header], &shape.behind[header]);
        let exit = behind.first().copied().or(context.next);
        let body = Context { next: Some(header), loop_head: Some(header), loop_exit: exit, depth: context.depth + 1 };
        let first = body.before(inside.first().copied());
        match self.loop_condition(header, exit) {
            Some((condition, when, body_start)) => {
                self.line(context, Line::While(condition, when));
                self.go(header, body_start, first);
            }
            None => {
                self.line(context, Line::Loop);
                self.code(header, first);
            }
        }
        self.place_all(inside, body);
        self.line(context, Line::Close);
        self.place_all(behind, context).unwrap_or(true)
    }

    /// The condition of a loop whose header does nothing but decide whether to leave it for what follows it.
    fn loop_condition(&self, header: usize, exit: Option<usize>) -> Option<(Condition, When, Destination)> {
        let Block { steps, end: End::Branch { condition, then, otherwise } } = &self.blocks[header] else { return None };
        let exit = Destination::Block(exit?);
        if !steps.is_empty() || matches!(condition, Condition::Exit(..)) {
            return None;
        }
        match (*then == exit, *otherwise == exit) {
            (false, true) => Some((*condition, When::Holds, *then)),
            (true, false) => Some((*condition, When::Fails, *otherwise)),
            _ => None,
        }
    }

    /// Writes the steps and the end of a block.
    fn code(&mut self, block: usize, context: Context) -> bool {
        for step in 0..self.blocks[block].steps.len() {
            self.line(context, Line::Step(block, step));
        }
        match self.blocks[block].end {
            End::Never => false,
            End::Return(..) => {
                self.line(context, Line::Return(block));
                false
            }
            End::Jump(to) => self.go(block, to, context),
            End::Branch { condition, then, otherwise } => self.branch(block, condition, then, otherwise, context),
        }
    }

    /// Goes on from a block at a destination: by writing it here, by a jump, or by nothing at all.
    fn go(&mut self, from: usize, to: Destination, context: Context) -> bool {
        match self.inline(from, to) {
            Some(block) => self.place(block, context),
            None => self.jump_line(to, context),
        }
    }

    /// Writes a jump if one is needed. Whether control reaches the end of the text.
    fn jump_line(&mut self, to: Destination, context: Context) -> bool {
        let jump = self.jump(to, context);
        if let Some(jump) = jump {
            self.line(context, Line::Jump(jump));
        }
        jump.is_none()
    }

    /// The jump to a destination that is not written in place; `None` if it comes next anyway.
    fn jump(&mut self, to: Destination, context: Context) -> Option<Jump> {
        let Destination::Block(block) = to else { return Some(Jump::Stop) };
        if context.next == Some(block) {
            return None;
        }
        if context.loop_head == Some(block) {
            return Some(Jump::Continue);
        }
        if context.loop_exit == Some(block) {
            return Some(Jump::Break);
        }
        self.labels[block] = true;
        Some(Jump::Goto(block))
    }

    /// The block to write in place if `from` goes on at `to`.
    fn inline(&self, from: usize, to: Destination) -> Option<usize> {
        match to {
            Destination::Block(block) if self.shape.inline_in[block] == Some(from) => Some(block),
            Destination::Block(_) | Destination::Stop => None,
        }
    }

    fn branch(&mut self, from: usize, condition: Condition, then: Destination, otherwise: Destination, context: Context) -> bool {
        match (self.inline(from, then), self.inline(from, otherwise)) {
            (Some(a), Some(b)) => self.both(condition, a, b, context),
            (None, stay) => self.one(condition, When::Holds, then, (otherwise, stay), context),
            (stay, None) => self.one(condition, When::Fails, otherwise, (then, stay), context),
        }
    }

    /// A branch of which one way (`away`, taken `when` the condition holds or fails) is a jump; the other may be a block to
    /// write in place.
    fn one(
        &mut self,
        condition: Condition,
        when: When,
        away: Destination,
        (stay, inline): (Destination, Option<usize>),
        context: Context,
    ) -> bool {
        if let Some(jump) = self.jump(away, context) {
            self.line(context, Line::IfJump(condition, when, jump));
            return match inline {
                Some(block) => self.place(block, context),
                None => self.jump_line(stay, context),
            };
        }
        match inline {
            Some(block) if context.depth < self.max_nesting => {
                self.line(context, Line::If(condition, when.opposite()));
                self.place(block, context.deeper());
                self.line(context, Line::Close);
            }
            Some(block) => {
                // Too deep: jump over it.
                if let Destination::Block(next) = away {
                    self.labels[next] = true;
                    self.line(context, Line::IfJump(condition, when, Jump::Goto(next)));
                }
                self.place(block, context);
            }
            None => {
                if let Some(jump) = self.jump(stay, context) {
                    self.line(context, Line::IfJump(condition, when.opposite(), jump));
                }
            }
        }
        true
    }

    /// A branch both ways of which are written in place.
    fn both(&mut self, condition: Condition, then: usize, otherwise: usize, context: Context) -> bool {
        if context.depth >= self.max_nesting {
            self.labels[then] = true;
            self.line(context, Line::IfJump(condition, When::Holds, Jump::Goto(then)));
            self.place(otherwise, context.before(Some(then)));
            return self.place(then, context);
        }
        self.line(context, Line::If(condition, When::Holds));
        if !self.place(then, context.deeper()) {
            self.line(context, Line::Close);
            return self.place(otherwise, context);
        }
        self.line(context, Line::Else);
        self.place(otherwise, context.deeper());
        self.line(context, Line::Close);
        true
    }

    /// All blocks in order, joined by `goto` alone.
    fn flat(&mut self) {
        let order = &self.shape.order;
        for (position, &block) in order.iter().enumerate() {
            let next = order.get(position + 1).copied();
            let context = Context { next, loop_head: None, loop_exit: None, depth: 0 };
            self.line(context, Line::Label(block));
            for step in 0..self.blocks[block].steps.len() {
                self.line(context, Line::Step(block, step));
            }
            match self.blocks[block].end {
                End::Never => {}
                End::Return(..) => self.line(context, Line::Return(block)),
                End::Jump(to) => {
                    self.jump_line(to, context);
                }
                End::Branch { condition, then, otherwise } => {
                    if let Some(jump) = self.jump(then, context) {
                        self.line(context, Line::IfJump(condition, When::Holds, jump));
                        self.jump_line(otherwise, context);
                    } else if let Some(jump) = self.jump(otherwise, context) {
                        self.line(context, Line::IfJump(condition, When::Fails, jump));
                    }
                }
            }
        }
    }
}
