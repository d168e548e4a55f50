//! Edges of tensors, and what a block holds past them.

use std::collections::BTreeSet;
use tt_lang::ir::VarId;

/// An edge of a tensor that a block may reach past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The tensor's extent, and the tile or matrix that the block was read from: an index into the table of both.
    pub place: usize,
    /// Tiles that it was shifted by since.
    pub shift: i32,
    /// All of the block is past it, or nothing.
    pub whole: bool,
    /// When it was read.
    pub age: Age,
    /// Only elements of which this holds have no value past it: an index into the table of conditions, whose first always
    /// holds.
    pub when: usize,
}

impl Edge {
    /// Of what is read now.
    pub fn read(place: usize, whole: bool) -> Edge {
        Edge {
            place,
            shift: 0,
            whole,
            age: Age::Now,
            when: 0,
        }
    }

    /// Some edge, of which nothing else is known: all such are one.
    fn untold(whole: bool) -> Edge {
        Edge {
            whole,
            age: Age::Unknown,
            ..Edge::read(UNTOLD, whole)
        }
    }

    /// Whether nothing is known of it.
    pub fn is_untold(&self) -> bool {
        self.place == UNTOLD
    }

    /// The edge so many tiles on. Further than a block is long, as a loop may take it, it is some edge, somewhere.
    pub fn shifted(self, tiles: i32, most: i32) -> Edge {
        if self.whole || self.is_untold() {
            return self;
        }
        match self.shift.saturating_add(tiles) {
            shift if shift.saturating_abs() <= most => Edge { shift, ..self },
            _ => Edge {
                shift: 0,
                age: Age::Unknown,
                ..self
            },
        }
    }
}

/// The turn of the loops in which a block was read: only edges of one turn are known to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Age {
    /// This one.
    Now,
    /// The one before, of the loop with this variable.
    Before(VarId),
    /// Some other.
    Unknown,
}

impl Age {
    /// The age after another turn of the loop over `var`.
    pub fn turned(self, var: VarId) -> Age {
        match self {
            Age::Now => Age::Before(var),
            Age::Before(_) | Age::Unknown => Age::Unknown,
        }
    }
}

/// Edges of one block along an axis that indices may tell something of.
const MOST_EDGES: usize = 32;

/// The place of edges that nothing is told of.
pub const UNTOLD: usize = 0;

/// A set of edges.
pub type Edges = BTreeSet<Edge>;

/// The edges of both. Most blocks reach past none.
fn union(a: &Edges, b: &Edges) -> Edges {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        (false, false) => a | b,
    }
}

/// Where something is zero for certain, once the reader zeroes what it is computed from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Zero {
    Everywhere,
    Past(Edges),
}

impl Zero {
    fn and(&self, other: &Zero) -> Zero {
        match (self, other) {
            (Zero::Everywhere, zero) | (zero, Zero::Everywhere) => zero.clone(),
            (Zero::Past(a), Zero::Past(b)) => Zero::Past(a & b),
        }
    }
}

/// What is past the edges that a block or value may reach past, along one axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    edges: Edges,
    /// Zero past each edge that it has, whichever of `edges` these are.
    is_zero: bool,
    /// Past these, it is zero whichever it has.
    zero: Zero,
    /// Past these, it holds sums of what should not have been summed.
    wrong: Edges,
    /// Past these, some elements have a value and some have none, and nothing says which.
    unsure: Edges,
}

impl Past {
    /// Read from a tensor, by a reader that zeroes what is past `edges`.
    pub fn read(edges: Edges) -> Past {
        Past {
            is_zero: true,
            zero: Zero::Past(edges.clone()),
            wrong: Edges::new(),
            unsure: Edges::new(),
            edges,
        }
    }

    /// The same number everywhere.
    pub fn number(number: Option<f32>) -> Past {
        Past {
            edges: Edges::new(),
            is_zero: true,
            zero: if number == Some(0.0) {
                Zero::Everywhere
            } else {
                Zero::Past(Edges::new())
            },
            wrong: Edges::new(),
            unsure: Edges::new(),
        }
    }

    /// Sums that start from this, of products with an operand that has `other` along the same axis. Past its edges nothing is
    /// added, so that an element stays as it was, if it is zero there.
    pub fn with_products(&self, other: &Past) -> Past {
        let mut wrong = union(&self.wrong, &other.wrong);
        if !other.is_zero {
            wrong.extend(&other.edges);
        }
        Past {
            edges: self.edges.clone(),
            is_zero: self.is_zero && self.edges.iter().all(|edge| other.is_zero_past(edge)),
            zero: self.zero.and(&other.zero),
            wrong,
            unsure: self.unsure.clone(),
        }
    }

    /// The edges past which it holds what it should not.
    pub fn wrong(&self) -> impl Iterator<Item = &Edge> {
        self.wrong.iter()
    }

    /// The edges that it may have.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter()
    }

    /// The edges past which some elements have a value and some have none, and nothing says which.
    pub fn unsure(&self) -> impl Iterator<Item = &Edge> {
        self.unsure.iter()
    }

    /// The first for some elements, the second for the others. The edges of one alone are past which those elements of it have
    /// no value: `when` says which, of each of the two, if conditions on indices do.
    pub fn either(both: [Past; 2], when: impl Fn(usize, &Edge) -> Option<Edge>) -> Past {
        let [a, b] = &both;
        let mut out = Past {
            is_zero: a.is_zero && b.is_zero,
            zero: a.zero.and(&b.zero),
            wrong: union(&a.wrong, &b.wrong),
            unsure: union(&a.unsure, &b.unsure),
            edges: &a.edges & &b.edges,
        };
        for (at, past) in both.iter().enumerate() {
            for edge in past.edges.difference(&both[1 - at].edges) {
                out.is_zero = false;
                match when(at, edge) {
                    Some(edge) => drop(out.edges.insert(edge)),
                    None => {
                        out.edges.insert(*edge);
                        out.unsure.insert(*edge);
                    }
                }
            }
        }
        out
    }

    /// As it is, where some elements past `edges` have a value, and nothing says which.
    pub fn unsure_past(mut self, edges: Edges) -> Past {
        self.unsure.extend(edges);
        self
    }

    /// As it is, where it holds past `edges` what it should not.
    pub fn wrong_past(mut self, edges: Edges) -> Past {
        self.wrong.extend(edges);
        self
    }

    /// The edges past which it holds what it should not, where elements past those of `masked` are left out.
    pub fn wrong_within(&self, masked: &Past) -> Edges {
        &self.wrong - &masked.edges
    }

    /// The edges alone that `other` has not.
    pub fn without(&self, other: &Past) -> Past {
        Past {
            unsure: self.unsure.clone(),
            ..Past::read(&self.edges - &other.edges)
        }
    }

    /// Where the elements that conditions were about are no longer the same: nothing says any more which have a value.
    pub fn moved(mut self) -> Past {
        let told = self.edges.iter().filter(|edge| edge.when != 0).copied();
        self.unsure.extend(told);
        self
    }

    /// For elements alone that lie within the edges that `is_within` says.
    pub fn within(self, is_within: impl Fn(&Edge) -> bool) -> Past {
        let rest = |edges: &Edges| edges.iter().filter(|edge| !is_within(edge)).copied().collect();
        let edges: Edges = rest(&self.edges);
        Past {
            is_zero: self.is_zero || edges.is_empty(),
            zero: self.zero,
            wrong: rest(&self.wrong),
            unsure: rest(&self.unsure),
            edges,
        }
    }

    /// As it is, where it lies in a block that ends at `edge`.
    pub fn ending(mut self, edge: Edge) -> Past {
        self.is_zero &= self.edges.contains(&edge) || self.is_zero_past(&edge);
        self.edges.insert(edge);
        self
    }

    /// With zeros past all its edges.
    pub fn zeroed(self) -> Past {
        Past {
            wrong: self.wrong,
            unsure: self.unsure,
            ..Past::read(self.edges)
        }
    }

    /// Whether it is zero past each edge that it has.
    pub fn is_zero(&self) -> bool {
        self.is_zero
    }

    /// Whether it is zero past this edge of another.
    pub fn is_zero_past(&self, edge: &Edge) -> bool {
        match &self.zero {
            Zero::Everywhere => true,
            Zero::Past(edges) => edge.age != Age::Unknown && edges.contains(edge),
        }
    }

    /// Either of two: past an edge of one alone, some have a value.
    pub fn or(&mut self, other: &Past) {
        self.unsure.extend(&self.edges ^ &other.edges);
        self.edges.extend(&other.edges);
        self.wrong.extend(&other.wrong);
        self.unsure.extend(&other.unsure);
        self.is_zero &= other.is_zero;
        self.zero = self.zero.and(&other.zero);
    }

    /// What is zero where two are; `is_same` where both are computed from one block, whose edges they share.
    pub fn and(&self, other: &Past, is_same: bool) -> Past {
        Past {
            edges: union(&self.edges, &other.edges),
            is_zero: self.is_zero_reaching(other, is_same) && other.is_zero_reaching(self, is_same),
            zero: self.zero.and(&other.zero),
            wrong: union(&self.wrong, &other.wrong),
            unsure: union(&self.unsure, &other.unsure),
        }
    }

    /// As it is, with the edges of `other` too.
    pub fn reaching(&self, other: &Past, is_same: bool) -> Past {
        Past {
            edges: union(&self.edges, &other.edges),
            is_zero: self.is_zero_reaching(other, is_same),
            zero: self.zero.clone(),
            wrong: union(&self.wrong, &other.wrong),
            unsure: union(&self.unsure, &other.unsure),
        }
    }

    /// Whether it is zero past each edge that it has, and past those of `other` too.
    fn is_zero_reaching(&self, other: &Past, is_same: bool) -> bool {
        self.is_zero && (is_same || other.edges.iter().all(|edge| self.is_zero_past(edge)))
    }

    /// As it is, but not zero anywhere.
    pub fn not_zero(self) -> Past {
        Past {
            is_zero: self.edges.is_empty(),
            zero: Zero::Past(Edges::new()),
            ..self
        }
    }

    /// What is left where one row or column stands for all: past the edges that it may lie past itself, which `each` makes of
    /// those that it had.
    pub fn repeated(&self, each: impl Fn(&Edge) -> Option<Edge>) -> Past {
        let all = |edges: &Edges| edges.iter().filter_map(&each).collect();
        let edges: Edges = all(&self.edges);
        Past {
            is_zero: self.is_zero || edges.is_empty(),
            zero: match &self.zero {
                Zero::Everywhere => Zero::Everywhere,
                Zero::Past(edges) => Zero::Past(all(edges)),
            },
            wrong: all(&self.wrong),
            unsure: all(&self.unsure),
            edges,
        }
    }

    /// The same values, of which more edges are known.
    pub fn with(&self, other: &Past) -> Past {
        Past {
            edges: union(&self.edges, &other.edges),
            is_zero: self.is_zero && other.is_zero,
            zero: match (&self.zero, &other.zero) {
                (Zero::Past(a), Zero::Past(b)) => Zero::Past(union(a, b)),
                (Zero::Everywhere, _) | (_, Zero::Everywhere) => Zero::Everywhere,
            },
            wrong: union(&self.wrong, &other.wrong),
            unsure: union(&self.unsure, &other.unsure),
        }
    }

    /// The same, but for more edges than anybody would write a mask of: then nothing is told of them, and all are one. A long kernel
    /// may have one more in every statement, and loops around branches of elements that are shifted and stored again may double
    /// them in every turn.
    pub fn told(self) -> Past {
        let most = self.edges.len().max(self.wrong.len()).max(self.unsure.len());
        match most <= MOST_EDGES {
            true => self,
            false => self.not_zero().map(|edge| Edge::untold(edge.whole)),
        }
    }

    /// Every edge as `each` makes it.
    pub fn map(&self, each: impl Fn(Edge) -> Edge) -> Past {
        let all = |edges: &Edges| edges.iter().copied().map(&each).collect();
        Past {
            edges: all(&self.edges),
            is_zero: self.is_zero,
            zero: match &self.zero {
                Zero::Everywhere => Zero::Everywhere,
                Zero::Past(edges) => Zero::Past(all(edges)),
            },
            wrong: all(&self.wrong),
            unsure: all(&self.unsure),
        }
    }
}
