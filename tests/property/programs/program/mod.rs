//! What a random program is: stages, their blocks and statements, and the tensors.
//!
//! All numbers are small and whole, which bf16, TF32 and f32 hold exactly, so results are compared for equality.

mod element;
mod expression;
mod integer;
mod tensor;

pub use element::{Element, Kind};
pub use expression::{Access, By, Expr, Form, Moved, Paced, Reach, Sum, Test};
pub use integer::{At, Atom, Choice, Condition, TABLE, Term};
pub use tensor::{Axis, CUTS, Layout, Role, Spare, Tensor};

use super::super::random::Random;

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
    /// Whether it is an operand of a product, which goes along K.
    pub fn is_operand(self) -> bool {
        matches!(self, Class::Left | Class::Right)
    }

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    Range,
    Serial,
    Unroll,
    Pipelined(usize),
    Reversed,
    /// In steps of so many.
    Stepped(usize),
    /// The same, from the last step back.
    SteppedBack(usize),
    /// `0..=count`
    Inclusive,
}

/// A block, or a part of it: as much as is asked for, from a tile on, or a row or column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub block: usize,
    /// Which one of a stack; all of it for none.
    pub of_stack: Option<At>,
    pub at: [At; 2],
}

impl Table {
    pub const PLAIN: Table = Table {
        element: Element::I32,
        is_stored: false,
    };
}

impl Stmt {
    /// A block or stack of `class`, filled.
    pub fn filled(class: Class, block: usize, value: i32) -> Stmt {
        let to = Part::whole(block);
        Stmt::Fill { class, to, value }
    }
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
        /// How many rows of the region are meant, where not all are.
        rows: Option<At>,
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
        /// The extents of `to`.
        class: Class,
        to: Part,
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
        acc: Part,
        transposed: (bool, bool),
        form: Product,
    },
    /// Into a block for rows, columns or all.
    Reduce {
        /// Its own in the program.
        id: u32,
        /// `sum` .. `argmax`
        fold: &'static str,
        class: Class,
        from: Part,
        /// The extents of what it gives.
        into: Class,
        /// Only positions may do without.
        to: Option<Part>,
        /// For positions: where they go, and what is added to them.
        positions: Option<(usize, Term)>,
        clear: bool,
    },
    Print(Vec<Shown>),
    Assert {
        /// Its own in the program.
        id: u32,
        cond: Condition,
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

/// What is printed.
#[derive(Debug, Clone)]
pub enum Shown {
    Text(&'static str),
    Integer(Term),
    /// `alpha` with so many eighths added.
    Number(i32),
    Truth(Condition),
    /// All of a block.
    Block(usize),
}

/// How a product is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    Adds,
    /// With `clear_accum = true`.
    Clears,
    /// As a loop over three indices, which adds.
    Indexed,
}

/// The axes of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// Columns and rows.
    Plain,
    /// One axis for both.
    Flat,
    /// A third for the matrices.
    Matrices,
    /// Four: pairs of rows, which one of a pair, and matrices.
    Split,
}

impl Grid {
    /// Whether each block has a matrix of its own.
    pub fn has_matrices(self) -> bool {
        matches!(self, Grid::Matrices | Grid::Split)
    }

    /// How many rows of blocks there are, where so many hold all.
    pub fn rows(self, least: usize) -> usize {
        match self {
            Grid::Plain | Grid::Flat | Grid::Matrices => least,
            Grid::Split => least.next_multiple_of(2),
        }
    }
}

/// The tensor of integers that a kernel reads one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    pub element: Element,
    /// Whether a stage of its own copies it to a temporary, which the others read.
    pub is_stored: bool,
}

/// A grid of blocks, and what each does.
#[derive(Debug, Clone)]
pub struct Stage {
    /// Rows and columns of the core's own block, and the columns of a left operand.
    pub block: (usize, usize, usize),
    pub grid: Grid,
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
    pub table: Table,
    /// Whether the scalar `n` is an `i32`, else a `u32`.
    pub is_signed: bool,
    pub stages: Vec<Stage>,
    pub shapes: Vec<Shape>,
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
        let of = &self.tensors[tensor];
        of.axes().into_iter().map(|axis| of.extent(axis, shape)).collect()
    }

    /// What is computed with the value of an expression of a stage.
    pub fn kind(&self, stage: &Stage, expr: &Expr) -> Kind {
        match expr {
            Expr::Block(part, _) => stage.blocks[part.block].element.kind(),
            Expr::Tensor(tensor, ..) => self.tensors[*tensor].element.kind(),
            Expr::Number(_) | Expr::Alpha => Kind::Number,
            Expr::Whole(_) | Expr::Sum(_) | Expr::Truth(_) => Kind::Integer,
            Expr::Cast(element, _) => element.kind(),
            Expr::Unary("bits", _) => Kind::Integer,
            Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Binary(_, a, _) | Expr::Written(_, a) => self.kind(stage, a),
            Expr::Ternary(_, parts) => self.kind(stage, &parts[0]),
            Expr::Choice(_, _, parts) => self.kind(stage, &parts[0]),
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
            (Class::Rows | Class::Columns | Class::One | Class::Tile, Role::Input) => 'v',
        };
        format!("{letter}{tensor}")
    }
}
