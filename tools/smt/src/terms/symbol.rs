//! What the variables of terms stand for.
//!
//! A variable is known by its [`Symbol`]. Its name is for people and for the solver: no two variables of a store have the
//! same one, and nothing reads it back.

use program::cfa::{EdgeId, FunctionId, VarId};

use super::{FxBuild, Op, Sort, TermId, TermStore};

/// A variable before it is split into SSA instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(u32);

/// What a variable stands for. Two variables of one store are one iff their symbols are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A scalar of an object, or an array of scalars: one of the leaves that hold it.
    Leaf(Leaf),
    /// Where an object begins; it never changes.
    Address {
        /// Which of the programs that share the store.
        program: u8,
        /// The object.
        object: VarId,
    },
    /// Where the code of a function is; it never changes.
    Code {
        /// Which of the programs that share the store.
        program: u8,
        /// The function.
        function: FunctionId,
    },
    /// A value that the program does not determine, by the place where it comes up.
    Input(Input),
    /// A variable of a question; no program has it.
    Fresh {
        /// What it is for.
        role: Role,
        /// Which one.
        number: u32,
        /// Its sort.
        sort: Sort,
    },
    /// A variable that is nothing but its name.
    Named(Box<str>),
}

/// One of the variables that hold an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// Which of the programs that share the store.
    pub program: u8,
    /// A variable of the program, or a piece of allocated memory.
    pub object: VarId,
    /// Earlier activations of the function that owns the object.
    pub activation: u32,
    /// Its position among the leaves of the object.
    pub leaf: u32,
}

/// Where a value comes up that the program does not determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The edge and how it was arrived at; `None` at the start of the program.
    pub at: Option<Arrival>,
    /// Which of the values there.
    pub which: Which,
    /// Its sort: ways to one place may ask for values of different sorts.
    pub sort: Sort,
}

/// A position at which an edge is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The edge.
    pub edge: EdgeId,
    /// Number of the call stack.
    pub stack: u32,
    /// State of the condition.
    pub condition: u32,
    /// How often the edge was passed before, where that counts.
    pub round: u32,
}

/// Which of the values that come up at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Which {
    /// In the order in which they are asked for.
    Counted(u32),
    /// What a leaf of a piece of fresh memory holds at first.
    Contents {
        /// The piece.
        object: VarId,
        /// The leaf.
        leaf: u32,
    },
}

/// What a variable of a question is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Any value.
    Arbitrary,
    /// Whether the predicate of this number holds.
    Predicate,
    /// Whether the atom that is the term of this number holds.
    Atom,
    /// Whether the piece of memory of this number is in use.
    Used,
    /// Whether the piece of memory of this number was freed, where pieces are not given out again.
    Ended,
    /// All memory, seen as scalars of the width of its elements.
    Memory,
    /// Any index of an array: a formula with it is said of each.
    Index,
}

/// A variable as the store keeps it.
#[derive(Debug)]
pub(super) struct Variable {
    symbol: Symbol,
    sort: Sort,
    name: String,
    /// Where in the name the part of the object begins.
    part: usize,
}

impl Symbol {
    /// The name of a variable that no program has.
    fn own_name(&self) -> String {
        match self {
            Symbol::Leaf(leaf) => format!("{:?}.{}", leaf.object, leaf.leaf),
            Symbol::Address { object, .. } => format!("&{object:?}"),
            Symbol::Code { program, function } => format!("&&{program}:{function:?}"),
            Symbol::Input(input) => {
                let which = match input.which {
                    Which::Counted(number) => number.to_string(),
                    Which::Contents { object, leaf } => format!("{object:?}.{leaf}"),
                };
                match input.at {
                    None => format!("in!start.{which}.{}", input.sort),
                    Some(Arrival { edge, stack, condition, round }) => {
                        format!("in!{}.{stack}.{condition}.{round}.{which}.{}", edge.0, input.sort)
                    }
                }
            }
            Symbol::Fresh { role: Role::Arbitrary, number: 0, sort } => match sort {
                Sort::Bool => "arbitrary!bool".to_owned(),
                Sort::BitVec(width) => format!("arbitrary!{width}"),
                Sort::Array { index, element } => format!("arbitrary!{index}!{element}"),
            },
            Symbol::Fresh { role, number, .. } => match role {
                Role::Arbitrary => format!("arbitrary!{number}"),
                Role::Predicate => format!("predicate!{number}"),
                Role::Atom => format!("holds!{number}"),
                Role::Used => format!("heap!used{number}"),
                Role::Ended => format!("heap!ended{number}"),
                Role::Memory => format!("memory!{number}"),
                Role::Index => format!("index!{number}"),
            },
            Symbol::Named(name) => name.to_string(),
        }
    }
}

impl TermStore {
    /// The variable with this symbol and sort, created when new: called what the symbol says.
    ///
    /// Panics when it exists with another sort: that is a bug in the caller.
    pub fn symbol_variable(&mut self, symbol: Symbol, sort: Sort) -> TermId {
        self.declared(symbol, sort, |symbol| (symbol.own_name(), ""))
    }

    /// The variable with this symbol and sort, created when new: called by the name of an object and of a part of it.
    ///
    /// Panics when it exists with another sort: that is a bug in the caller.
    pub fn object_variable(&mut self, symbol: Symbol, sort: Sort, object: &str, part: &str) -> TermId {
        self.declared(symbol, sort, |_| (object.to_owned(), part))
    }

    /// A variable of a question.
    pub fn fresh_variable(&mut self, role: Role, number: u32, sort: Sort) -> TermId {
        self.symbol_variable(Symbol::Fresh { role, number, sort }, sort)
    }

    /// The variable that is nothing but this name, created when new.
    ///
    /// Panics when the name exists with another sort: that is a bug in the caller.
    pub fn variable(&mut self, name: &str, sort: Sort) -> TermId {
        self.symbol_variable(Symbol::Named(name.into()), sort)
    }

    fn declared<'n>(&mut self, symbol: Symbol, sort: Sort, name: impl FnOnce(&Symbol) -> (String, &'n str)) -> TermId {
        let at = match self.variables.get_full(&symbol) {
            Some((at, _, known)) => {
                assert!(known.sort == sort, "variable {} has sort {}, not {sort}", known.name, known.sort);
                at
            }
            None => {
                let (mut name, part) = name(&symbol);
                // The solver takes equal names for one variable.
                while self.names.contains(&format!("{name}{part}")) {
                    name.push('\'');
                }
                let variable = Variable { symbol: symbol.clone(), sort, part: name.len(), name: name + part };
                self.names.insert(variable.name.clone());
                self.variables.insert_full(symbol, variable).0
            }
        };
        self.instance_of(VariableId(formats::dense(at)), 0)
    }

    /// The given SSA instance of a variable (0: the variable itself).
    pub fn instance_of(&mut self, variable: VariableId, instance: u32) -> TermId {
        let sort = self.variables[variable.0 as usize].sort;
        self.intern(Op::Variable { variable, instance }, sort, &[])
    }

    /// The given SSA instance of a variable term; other terms are returned unchanged.
    pub fn instance(&mut self, variable: TermId, instance: u32) -> TermId {
        match self.as_variable(variable) {
            Some((id, _)) => self.instance_of(id, instance),
            None => variable,
        }
    }

    /// The variable and SSA instance that a term is, if it is one.
    #[must_use]
    pub fn as_variable(&self, term: TermId) -> Option<(VariableId, u32)> {
        if let Op::Variable { variable, instance } = self.op(term) { Some((variable, instance)) } else { None }
    }

    /// What a variable stands for.
    #[must_use]
    pub fn symbol(&self, variable: VariableId) -> &Symbol {
        &self.variables[variable.0 as usize].symbol
    }

    /// What the variable stands for that a term is an instance of.
    #[must_use]
    pub fn symbol_of(&self, term: TermId) -> Option<&Symbol> {
        Some(self.symbol(self.as_variable(term)?.0))
    }

    /// Whether a term is an instance of a value that the program does not determine.
    #[must_use]
    pub fn is_input(&self, term: TermId) -> bool {
        matches!(self.symbol_of(term), Some(Symbol::Input(_)))
    }

    /// The name of a variable, without its instance; no other variable has it.
    #[must_use]
    pub fn variable_name(&self, variable: VariableId) -> &str {
        &self.variables[variable.0 as usize].name
    }

    /// Which part of its object a variable holds, as C writes it behind the name of the object; empty for all of it.
    #[must_use]
    pub fn part_name(&self, variable: VariableId) -> &str {
        let variable = &self.variables[variable.0 as usize];
        variable.name.get(variable.part..).unwrap_or_default()
    }

    /// The name of an instance of a variable, as printed and given to the solver.
    #[must_use]
    pub fn instance_name(&self, variable: VariableId, instance: u32) -> String {
        let name = self.variable_name(variable);
        if instance == 0 { name.to_owned() } else { format!("{name}@{instance}") }
    }
}

/// The variables of a store by symbol.
pub(super) type Variables = indexmap::IndexMap<Symbol, Variable, FxBuild>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_known_by_what_they_stand_for() {
        let mut store = TermStore::new();
        let sort = Sort::BitVec(8);
        let leaf = |object: u32| Symbol::Leaf(Leaf { program: 0, object: VarId(object), activation: 0, leaf: 0 });
        let first = store.object_variable(leaf(1), sort, "x", ".f");
        let again = store.object_variable(leaf(1), sort, "another name", "");
        let second = store.object_variable(leaf(2), sort, "x", ".f");
        let named = store.variable("x.f", sort);
        assert_eq!(first, again);
        assert!(first != second && second != named && first != named);
        let printed = [first, second, named].map(|term| store.print(term));
        assert_eq!(printed, ["|x.f|", "|x'.f|", "|x.f'|"]);
        let part = |term| store.as_variable(term).map(|(id, _)| store.part_name(id));
        assert_eq!([first, second, named].map(part), [Some(".f"), Some(".f"), Some("")]);
        assert_eq!(store.symbol_of(second), Some(&leaf(2)));
    }

    #[test]
    fn places_tell_inputs_apart() {
        let mut store = TermStore::new();
        let sort = Sort::BitVec(8);
        let mut inputs = Vec::new();
        for round in 0..2 {
            for number in 0..2 {
                let at = Some(Arrival { edge: EdgeId(3), stack: 1, condition: 0, round });
                let input = Input { at, which: Which::Counted(number), sort };
                inputs.push(store.symbol_variable(Symbol::Input(input), sort));
            }
        }
        inputs.push(store.variable("in!3.1.0.0.0", sort));
        assert!(inputs.iter().take(4).all(|input| store.is_input(*input)) && !store.is_input(inputs[4]));
        inputs.sort_unstable();
        inputs.dedup();
        assert_eq!(inputs.len(), 5);
    }
}
