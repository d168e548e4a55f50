//! Expressions over elements.

use super::Part;
use super::element::Element;
use super::integer::{At, Term};

/// Which element of a block is read at `(i, j)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `(i + 32, j)`: of the part.
    Here,
    Transposed,
    /// `(3, j)`: of one row.
    Row(At),
    /// `(i, 3)`: of one column.
    Column(At),
    /// `(3, 5)`
    One(At, At),
    /// `(3, i)`: a row that stands for a column.
    RowDown(At),
    /// `(j, 3)`: a column that stands for a row.
    ColumnAlong(At),
    /// `(i - 3, j)`: some rows or columns away, where a mask has it that they are there.
    Moved(Moved),
    /// `(31 - i, j)`: rows at a pace, all of them there, or a mask has it so.
    Paced(Paced),
}

/// Row `(first + step * i) / over % rest`; a `rest` of 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paced {
    pub first: i32,
    pub step: i32,
    pub over: i32,
    pub rest: i32,
}

/// Which element of a tensor is read at `(i, j)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// At the block's own place, or so many rows and columns from it.
    Here([i32; 2]),
    /// That of which row and column within the block are exchanged.
    Transposed,
    /// A row of the matrix.
    Row(Term),
    /// Rows at a pace: that of the row at the block's own place.
    Paced(Paced),
}

/// How far away an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Down rows; else along columns.
    pub is_down: bool,
    pub by: i32,
    /// What is added to it: so many times an integer.
    pub more: Option<(i32, Term)>,
}

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "elements of blocks are most of what programs read"
)]
pub enum Expr {
    Block(Part, Access),
    /// An element of a tensor.
    Tensor(usize, Term, Reach),
    Number(i32),
    Whole(i32),
    Alpha,
    /// `2 * i + by * 32`, an integer.
    Sum(Sum),
    Cast(Element, Box<Expr>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Clamp(Box<Expr>, i32),
    /// `x.mac(y, z)`
    Ternary(&'static str, Box<[Expr; 3]>),
    /// `if c { a } else { b }`, or `T.select(c, a, b)`.
    Choice(Form, Box<Test>, Box<[Expr; 2]>),
    /// `c as i32`
    Truth(Box<Test>),
    /// The same, by another name.
    Written(By, Box<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    If,
    Select,
}

/// How an expression stands in another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `let x = ..;`
    Name,
    /// `fn f(x: f32) -> f32 { .. }`, of what it reads.
    Function,
}

/// What is true or not of each element.
#[derive(Debug, Clone)]
pub enum Test {
    /// `2 * i + by * 32 < 3 * j + N`
    Mask(Sum, &'static str),
    Compare(&'static str, Box<[Expr; 2]>),
    /// `&&`, `||`, `^`
    Both(&'static str, Box<[Test; 2]>),
    Not(Box<Test>),
}

/// A sum of multiples of the indices and others; a mask compares it with 0.
#[derive(Debug, Clone)]
pub struct Sum {
    pub row: i32,
    pub column: i32,
    pub terms: Vec<(i32, Term)>,
    /// What becomes of it: `/ 3`, `% 3`, `& 3`, `.min(3)`, `.max(3)`.
    pub then: Option<(&'static str, i32)>,
}

impl Sum {
    pub fn new(row: i32, column: i32, terms: Vec<(i32, Term)>) -> Sum {
        let then = None;
        Sum {
            row,
            column,
            terms,
            then,
        }
    }
}

impl Test {
    /// Calls `visit` for the elements that are compared.
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        match self {
            Test::Mask(..) => {}
            Test::Compare(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Test::Both(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Test::Not(of) => of.walk(visit),
        }
    }
}

impl Expr {
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        match self {
            Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Cast(_, a) | Expr::Written(_, a) => a.walk(visit),
            Expr::Binary(_, a, b) => [a, b].iter().for_each(|part| part.walk(visit)),
            Expr::Ternary(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Expr::Truth(test) => test.walk(visit),
            Expr::Choice(_, test, parts) => {
                test.walk(visit);
                parts.iter().for_each(|part| part.walk(visit));
            }
            Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Whole(_) | Expr::Alpha | Expr::Sum(_) => {}
        }
    }

    /// Whether it is an element of a block or tensor.
    pub fn is_read(&self) -> bool {
        matches!(self, Expr::Block(..) | Expr::Tensor(..))
    }

    /// Whether it reads what may not be there, where a mask has it that it is.
    pub fn is_guarded(&self) -> bool {
        let mut is_guarded = false;
        self.walk(&mut |part| is_guarded |= matches!(part, Expr::Block(_, Access::Moved(_) | Access::Paced(_))));
        is_guarded
    }

    /// Whether it depends on an element of a block or tensor.
    pub fn reads(&self) -> bool {
        let mut reads = false;
        self.walk(&mut |part| reads |= part.is_read());
        reads
    }
}
