//! What a random program is: stages, their blocks and statements, and the tensors.
//!
//! All numbers are small and whole, which bf16, TF32 and f32 hold exactly, so results are compared for equality.

use super::super::random::Random;
use std::fmt;
use tt_lang::ir::ElementType;

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Bf16,
    F32,
    F16,
    Bfp8,
    Bfp4,
    I32,
    U32,
    U16,
    U8,
    I8,
}

/// What is computed with elements of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Number,
    Integer,
    Unsigned,
    /// Nothing: they are copied, chosen and cast.
    Small,
}

/// Which part of a matrix a block holds: all of the core's own (M × N), an operand of a product (M × K, K × N), a value for
/// each row or column of the core's own or all of it, or a tile, less where that has no whole one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Main,
    Left,
    Right,
    Rows,
    Columns,
    One,
    Tile,
}

impl Class {
    /// Whether it has a value for each row, for each column, or for all.
    pub fn is_line(self) -> bool {
        matches!(self, Class::Rows | Class::Columns | Class::One)
    }
}

/// A block in L1, or an accumulator.
#[derive(Debug, Clone)]
pub struct Block {
    pub class: Class,
    pub element: Element,
    pub fragment: bool,
    /// Whether it is a vector: of one axis.
    pub is_vector: bool,
    /// How many are stacked: most often 1, which is no stack.
    pub stacked: usize,
}

/// A tensor: of L matrices for `Class::Main`, else of one.
#[derive(Debug, Clone)]
pub struct Tensor {
    pub class: Class,
    pub element: Element,
    pub role: Role,
    /// How far from its blocks' places they are copied to or from it.
    pub shift: [i32; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    /// Of the kernel: one stage stores to it, a later one reads it.
    Temporary,
}

/// The values of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub l: usize,
    /// The scalar `n`.
    pub count: usize,
    /// The scalar `alpha`.
    pub alpha: i32,
    /// Of the tensors' contents.
    pub seed: u64,
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// What is compared; nothing for the scalar `alpha`.
    pub of: Option<Atom>,
    pub rel: &'static str,
    pub than: usize,
    pub sides: [Atom; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    Range,
    Serial,
    Unroll,
    Pipelined(usize),
    Reversed,
    /// In steps of so many.
    Stepped(usize),
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

/// A block, or a part of it: as much as is asked for, from a tile on, or a row or column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub block: usize,
    /// Which one of a stack; all of it for none.
    pub of_stack: Option<At>,
    pub at: [At; 2],
}

impl Part {
    pub fn whole(block: usize) -> Part {
        Part {
            block,
            of_stack: None,
            at: [At::FIRST; 2],
        }
    }
}

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

/// How far away an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// Down rows; else along columns.
    pub is_down: bool,
    pub by: i32,
    /// What is added to it: so many times an integer.
    pub more: Option<(i32, Term)>,
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

#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "elements of blocks are most of what programs read"
)]
pub enum Expr {
    Block(Part, Access),
    /// A tensor's element at the block's own place, or so many rows and columns from it.
    Tensor(usize, Term, [i32; 2]),
    Number(i32),
    Whole(i32),
    Alpha,
    /// `2 * i + by * 32`, an integer.
    Sum(Sum),
    Cast(Element, Box<Expr>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Clamp(Box<Expr>, i32),
    /// `if a > b { c } else { d }`
    Select(&'static str, Box<[Expr; 4]>),
    /// `if 2 * i + by * 32 < 3 * j + N { a } else { b }`
    Masked(Sum, &'static str, Box<[Expr; 2]>),
}

/// A sum of multiples of the indices and others; a mask compares it with 0.
#[derive(Debug, Clone)]
pub struct Sum {
    pub row: i32,
    pub column: i32,
    pub terms: Vec<(i32, Term)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Block(Part),
    /// A row of a block; the value does not depend on `i`.
    Row(Part, At),
    /// A column of a block; the value does not depend on `j`.
    Column(Part, At),
    Tensor(usize, Term),
}

#[derive(Debug, Clone)]
pub struct Assign {
    /// Its own in the program.
    pub id: u32,
    pub target: Target,
    /// `=`, `+=` ..
    pub op: &'static str,
    pub value: Expr,
}

/// A side of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Block(Part),
    /// The region of the core's own block, or a part of that.
    Tensor(usize, Term, [At; 2]),
}

#[derive(Debug, Clone)]
pub enum Stmt {
    Copy {
        /// Its own in the program.
        id: u32,
        /// Its extents.
        class: Class,
        from: Side,
        to: Side,
    },
    Transpose {
        /// Its own in the program.
        id: u32,
        /// The extents of `to`.
        class: Class,
        from: Part,
        to: Part,
    },
    Fill {
        block: usize,
        value: i32,
    },
    Parallel {
        class: Class,
        assigns: Vec<Assign>,
    },
    /// `Class::Left` times `Class::Right`.
    Gemm {
        /// Its own in the program.
        id: u32,
        a: Part,
        b: Part,
        acc: usize,
        transposed: (bool, bool),
        clear: bool,
    },
    /// Into a block for rows, columns or all.
    Reduce {
        /// Its own in the program.
        id: u32,
        /// `sum` .. `argmax`
        fold: &'static str,
        class: Class,
        from: Part,
        /// Only positions may do without.
        to: Option<usize>,
        /// For positions: where they go, and what is added to them.
        positions: Option<(usize, Term)>,
        clear: bool,
    },
    For {
        var: usize,
        start: usize,
        count: Term,
        kind: LoopKind,
        body: Vec<Stmt>,
    },
    If {
        cond: Condition,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
}

/// A grid of blocks, and what each does.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Rows and columns of the core's own block, and the columns of a left operand.
    pub block: (usize, usize, usize),
    pub blocks: Vec<Block>,
    pub body: Vec<Stmt>,
    /// Parts begin anywhere, not with tiles alone.
    pub is_fine: bool,
}

/// A kernel and the launches it is tried on.
#[derive(Debug, Clone)]
pub struct Program {
    /// Whether the extents are numbers in the source; then there is one shape.
    pub literal: bool,
    pub options: String,
    pub tensors: Vec<Tensor>,
    pub stages: Vec<Stage>,
    pub shapes: Vec<Shape>,
}

impl Element {
    pub fn element_type(self) -> ElementType {
        match self {
            Element::Bf16 => ElementType::Bf16,
            Element::F32 => ElementType::F32,
            Element::F16 => ElementType::F16,
            Element::Bfp8 => ElementType::Bfp8,
            Element::Bfp4 => ElementType::Bfp4,
            Element::I32 => ElementType::I32,
            Element::U32 => ElementType::U32,
            Element::U16 => ElementType::U16,
            Element::U8 => ElementType::U8,
            Element::I8 => ElementType::I8,
        }
    }

    pub fn kind(self) -> Kind {
        match self {
            Element::Bf16 | Element::F32 | Element::F16 | Element::Bfp8 | Element::Bfp4 => Kind::Number,
            Element::I32 => Kind::Integer,
            Element::U32 => Kind::Unsigned,
            Element::U16 | Element::U8 | Element::I8 => Kind::Small,
        }
    }

    /// Whether it is a number with an exponent of its own.
    pub fn is_float(self) -> bool {
        matches!(self, Element::Bf16 | Element::F32 | Element::F16)
    }

    /// Whether it is at least 0.
    pub fn is_unsigned(self) -> bool {
        matches!(self, Element::U32 | Element::U16 | Element::U8)
    }

    /// Whether it is moved with its tile only.
    pub fn is_moved_by_tiles(self) -> bool {
        self.shares_exponents()
    }

    /// Whether elements beside each other have an exponent in common.
    pub fn shares_exponents(self) -> bool {
        matches!(self, Element::Bfp8 | Element::Bfp4)
    }

    /// Whether copies convert the one to the other.
    pub fn copies_to(self, other: Element) -> bool {
        self == other || (self.kind(), other.kind()) == (Kind::Number, Kind::Number)
    }

    /// Whether it holds this whole number exactly, whatever is beside it.
    pub fn holds(self, value: f64) -> bool {
        value.abs()
            <= match self {
                Element::Bf16 | Element::F32 | Element::F16 => 256.0,
                Element::Bfp8 => 127.0,
                Element::Bfp4 => 7.0,
                Element::I32 | Element::U32 | Element::U16 | Element::U8 | Element::I8 => f64::INFINITY,
            }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::Bf16 => "bf16",
            Element::F32 => "f32",
            Element::F16 => "f16",
            Element::Bfp8 => "bfp8",
            Element::Bfp4 => "bfp4",
            Element::I32 => "i32",
            Element::U32 => "u32",
            Element::U16 => "u16",
            Element::U8 => "u8",
            Element::I8 => "i8",
        })
    }
}

impl From<Atom> for Term {
    fn from(atom: Atom) -> Term {
        match atom {
            Atom::Number(number) => Term::Number(number),
            Atom::Var(var) => Term::Var(var),
            Atom::Row => Term::Row,
            Atom::Scalar => Term::Scalar,
        }
    }
}

impl Shape {
    /// The integers of the table: each selects a matrix.
    pub fn table(&self) -> [usize; TABLE] {
        let mut random = Random::new(self.seed ^ 0x7ab1e);
        [(); TABLE].map(|()| random.below(self.l))
    }
}

impl Stmt {
    /// Calls `visit` for it and all inside it.
    pub fn walk<'s>(&'s self, visit: &mut impl FnMut(&'s Stmt)) {
        visit(self);
        match self {
            Stmt::For { body, .. } => body.iter().for_each(|stmt| stmt.walk(visit)),
            Stmt::If { then, otherwise, .. } => then.iter().chain(otherwise).for_each(|stmt| stmt.walk(visit)),
            _ => {}
        }
    }
}

impl Expr {
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        match self {
            Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Cast(_, a) => a.walk(visit),
            Expr::Binary(_, a, b) => [a, b].iter().for_each(|part| part.walk(visit)),
            Expr::Select(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Expr::Masked(_, _, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Whole(_) | Expr::Alpha | Expr::Sum(_) => {}
        }
    }

    /// Whether it is an element of a block or tensor.
    pub fn is_read(&self) -> bool {
        matches!(self, Expr::Block(..) | Expr::Tensor(..))
    }

    /// Whether it depends on an element of a block or tensor.
    pub fn reads(&self) -> bool {
        let mut reads = false;
        self.walk(&mut |part| reads |= part.is_read());
        reads
    }
}

impl Stage {
    pub fn extent(&self, class: Class) -> (usize, usize) {
        let (h, w, k) = self.block;
        match class {
            Class::Main => (h, w),
            Class::Left => (h, k),
            Class::Right => (k, w),
            Class::Rows => (h, 1),
            Class::Columns => (1, w),
            Class::One => (1, 1),
            Class::Tile => {
                let extent = h.min(w).min(32);
                (extent, extent)
            }
        }
    }

    /// Whether the core's own block is of whole tiles.
    pub fn is_of_tiles(&self) -> bool {
        let (h, w, _) = self.block;
        h.is_multiple_of(32) && w.is_multiple_of(32)
    }

    /// The extents of a block.
    pub fn extent_of(&self, block: usize) -> (usize, usize) {
        self.extent(self.blocks[block].class)
    }

    /// Whether `part` is all of its block or stack, where `extent` is asked for.
    pub fn is_whole(&self, part: Part, extent: (usize, usize)) -> bool {
        self.extent_of(part.block) == extent && self.stack(part) == self.blocks[part.block].stacked
    }

    /// How many blocks of a stack are meant.
    pub fn stack(&self, part: Part) -> usize {
        match part.of_stack {
            Some(_) => 1,
            None => self.blocks[part.block].stacked,
        }
    }

    /// In how many places along each axis a part of a region or block of `class` begins, and how far they lie apart.
    pub fn places(&self, class: Class, extent: (usize, usize)) -> [(usize, usize); 2] {
        let (rows, columns) = self.extent(class);
        [(rows, extent.0), (columns, extent.1)].map(|(own, wanted)| match wanted {
            // Rows and columns begin anywhere.
            1 => (own, 1),
            _ if self.is_fine => (own - wanted + 1, 1),
            _ => ((own - wanted) / 32 + 1, 32),
        })
    }
}

impl Program {
    /// Whether regions lie within their tensors, but for those that an index puts outside.
    pub fn is_whole(&self) -> bool {
        self.literal && self.tensors.iter().all(|tensor| tensor.shift == [0, 0])
    }

    /// The shape of a tensor.
    pub fn dimensions(&self, tensor: usize, shape: &Shape) -> Vec<usize> {
        match self.tensors[tensor].class {
            Class::Main => vec![shape.l, shape.m, shape.n],
            Class::Left => vec![shape.m, shape.k],
            Class::Right => vec![shape.k, shape.n],
            Class::Rows | Class::Columns | Class::One | Class::Tile => unreachable!("tensors are matrices"),
        }
    }

    /// What is computed with the value of an expression of a stage.
    pub fn kind(&self, stage: &Stage, expr: &Expr) -> Kind {
        match expr {
            Expr::Block(part, _) => stage.blocks[part.block].element.kind(),
            Expr::Tensor(tensor, ..) => self.tensors[*tensor].element.kind(),
            Expr::Number(_) | Expr::Alpha => Kind::Number,
            Expr::Whole(_) | Expr::Sum(_) => Kind::Integer,
            Expr::Cast(element, _) => element.kind(),
            Expr::Unary("bits", _) => Kind::Integer,
            Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Binary(_, a, _) => self.kind(stage, a),
            Expr::Select(_, parts) => self.kind(stage, &parts[2]),
            Expr::Masked(_, _, parts) => self.kind(stage, &parts[0]),
        }
    }

    /// The type of what is assigned to.
    pub fn element(&self, stage: &Stage, target: Target) -> Element {
        match target {
            Target::Block(part) | Target::Row(part, _) | Target::Column(part, _) => stage.blocks[part.block].element,
            Target::Tensor(tensor, _) => self.tensors[tensor].element,
        }
    }

    /// The name of a tensor.
    pub fn name(&self, tensor: usize) -> String {
        let letter = match (self.tensors[tensor].class, self.tensors[tensor].role) {
            (_, Role::Output) => 'o',
            (_, Role::Temporary) => 'g',
            (Class::Main, Role::Input) => 'a',
            (Class::Left, Role::Input) => 'p',
            (Class::Right, Role::Input) => 'q',
            (Class::Rows | Class::Columns | Class::One | Class::Tile, Role::Input) => {
                unreachable!("tensors are matrices")
            }
        };
        format!("{letter}{tensor}")
    }
}
