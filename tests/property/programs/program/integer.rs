//! Integers that statements name, and conditions over them.

/// Integers of the table of a launch, which a kernel reads.
pub const TABLE: usize = 4;

/// An integer with a name, or a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Atom {
    Number(usize),
    /// A loop variable.
    Var(usize),
    /// The block's own row in the grid.
    Row,
    /// Its own matrix.
    Matrix,
    /// The scalar `n`.
    Scalar,
}

/// A whole number: in a condition, how often a loop runs, which matrix or step along K is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Number(usize),
    /// The block's own row or column in the grid.
    Row,
    Column,
    /// Its own matrix, where the grid has an axis for that.
    Matrix,
    /// A loop variable.
    Var(usize),
    /// The remainder of a loop variable.
    Rest(usize, usize),
    M,
    N,
    L,
    /// The steps along K.
    Steps,
    /// The scalar `n`.
    Scalar,
    /// An integer of the table; 0 is what lies outside.
    Fetched(Atom),
    /// `if n > 1 { k0 } else { 2 }`
    Chosen(Choice),
}

impl Term {
    /// Whether the compiler may know it.
    pub fn may_be_known(self, are_extents_literal: bool) -> bool {
        match self {
            Term::Number(_) | Term::Chosen(_) => true,
            Term::M | Term::N | Term::L | Term::Steps => are_extents_literal,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// What is compared; nothing for the scalar `alpha`.
    pub of: Option<Atom>,
    pub rel: &'static str,
    pub than: usize,
    pub sides: [Atom; 2],
}

#[derive(Debug, Clone)]
pub enum Condition {
    Compare(Term, &'static str, Term),
    /// So many eighths of an integer, and `alpha` with so many added.
    Numbers(Term, i32, &'static str, i32),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

/// Which of several: a row, column or tile of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// What a number leaves of how many there are.
    Number(usize),
    /// What an integer, so many times, leaves of that.
    Rest(usize, Term),
    /// An integer, which stays below that.
    Is(Term),
}

impl At {
    pub const FIRST: At = At::Number(0);
}

impl From<Atom> for Term {
    fn from(atom: Atom) -> Term {
        match atom {
            Atom::Number(number) => Term::Number(number),
            Atom::Var(var) => Term::Var(var),
            Atom::Row => Term::Row,
            Atom::Matrix => Term::Matrix,
            Atom::Scalar => Term::Scalar,
        }
    }
}
