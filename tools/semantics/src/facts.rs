//! What is known of a program without looking at its values: each part is computed once, when it is first asked for, and
//! shared by all that ask.
//!
//! Does not know what anybody needs it for. A table that another program has a say in (the objects of a comparison) is made by
//! whoever compares.

use std::cell::OnceCell;

use program::cfa::Cfa;

use crate::callgraph::CallGraph;
use crate::loops::Loops;
use crate::objects::Objects;
use crate::pointsto::PointsTo;
use crate::reach::{Assembly, ErrorReach};

/// The facts of one program.
#[derive(Debug)]
pub struct Facts<'p> {
    cfa: &'p Cfa,
    loops: OnceCell<Loops>,
    calls: OnceCell<CallGraph>,
    objects: OnceCell<Objects>,
    points_to: OnceCell<PointsTo>,
    opaque: OnceCell<ErrorReach>,
    understood: OnceCell<ErrorReach>,
}

impl<'p> Facts<'p> {
    /// The facts of a program; nothing is computed yet.
    #[must_use]
    pub const fn new(cfa: &'p Cfa) -> Self {
        Self {
            cfa,
            loops: OnceCell::new(),
            calls: OnceCell::new(),
            objects: OnceCell::new(),
            points_to: OnceCell::new(),
            opaque: OnceCell::new(),
            understood: OnceCell::new(),
        }
    }

    /// The program.
    #[must_use]
    pub const fn cfa(&self) -> &'p Cfa {
        self.cfa
    }

    /// Its loops.
    #[must_use]
    pub fn loops(&self) -> &Loops {
        self.loops.get_or_init(|| Loops::new(self.cfa))
    }

    /// Who calls whom.
    #[must_use]
    pub fn calls(&self) -> &CallGraph {
        self.calls.get_or_init(|| CallGraph::new(self.cfa, self.loops()))
    }

    /// Its objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        self.objects.get_or_init(|| Objects::new(self.cfa, self.calls()))
    }

    /// Where pointers lead.
    #[must_use]
    pub fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| PointsTo::new(self.cfa, self.calls(), self.objects()))
    }

    /// From where the error can be reached.
    #[must_use]
    pub fn reach(&self, assembly: Assembly) -> &ErrorReach {
        let known = match assembly {
            Assembly::Opaque => &self.opaque,
            Assembly::Understood => &self.understood,
        };
        known.get_or_init(|| ErrorReach::new(self.cfa, self.calls(), assembly))
    }
}
