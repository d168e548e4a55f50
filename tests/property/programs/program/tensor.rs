//! Tensors, and how matrices lie in them.

use super::element::Element;
use super::{Class, Shape};

/// A tensor: of L matrices for `Class::Main`, of an operand, or of one axis for rows and columns.
#[derive(Debug, Clone)]
pub struct Tensor {
    pub class: Class,
    pub element: Element,
    pub role: Role,
    /// How far from its blocks' places they are copied to or from it.
    pub shift: [i32; 2],
    pub layout: Layout,
    /// Where it lies on the device: one of [`CUTS`].
    pub cut: usize,
}

/// Where tensors lie on the device, as `#[layout(..)]` says it; the first where nothing is said. They are cut along the last two axes alone,
/// since not all tensors have more.
pub const CUTS: [&str; 8] = [
    "dram, interleaved",
    "l1, interleaved",
    "l1, height_sharded(5)",
    "l1, width_sharded(3)",
    "l1, block_sharded(3, 4)",
    "dram, height_sharded(14)",
    "dram, width_sharded(2)",
    "dram, block_sharded(2, 2)",
];

impl Tensor {
    /// Where it lies.
    pub fn place(&self) -> tt::Result<tt::Layout> {
        use tt::Layout;
        match self.cut {
            0 => Ok(Layout::dram()),
            1 => Ok(Layout::l1()),
            2 => Layout::l1().height_sharded(5),
            3 => Layout::l1().width_sharded(3),
            4 => Layout::l1().block_sharded(3, 4),
            5 => Layout::dram().height_sharded(14),
            6 => Layout::dram().width_sharded(2),
            _ => Layout::dram().block_sharded(2, 2),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Input,
    Output,
    /// Of the kernel: one stage stores to it, a later one reads it.
    Temporary,
}

/// How matrices lie in their tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Rows lie along the axis before that which selects a matrix.
    pub rows_first: bool,
    /// An axis more.
    pub spare: Option<Spare>,
    /// How far apart rows lie.
    pub pace: usize,
}

/// An axis of [`Spare::EXTENT`], of which one place is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spare {
    /// Whether it lies between rows and columns; else it is the first.
    pub is_inner: bool,
    pub place: usize,
}

/// What an axis of a tensor is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// One place of it is taken.
    Spare(usize),
    Matrix,
    Row,
    Column,
}

impl Layout {
    /// One matrix behind the other, row by row.
    pub const PLAIN: Layout = Layout {
        rows_first: false,
        spare: None,
        pace: 1,
    };

    /// Whether rows follow each other, each right behind the one before.
    pub fn is_dense(self) -> bool {
        !self.rows_first && self.pace == 1 && !self.spare.is_some_and(|spare| spare.is_inner)
    }
}

impl Spare {
    pub const EXTENT: usize = 2;
}

impl Tensor {
    pub fn axes(&self) -> Vec<Axis> {
        let mut axes = match self.class {
            Class::Main if self.layout.rows_first => vec![Axis::Row, Axis::Matrix, Axis::Column],
            Class::Main => vec![Axis::Matrix, Axis::Row, Axis::Column],
            Class::Left | Class::Right => vec![Axis::Row, Axis::Column],
            Class::Rows => vec![Axis::Row],
            Class::Columns => vec![Axis::Column],
            Class::One | Class::Tile => unreachable!("no tensor is as large as a part of a block"),
        };
        if let Some(Spare { is_inner, place }) = self.layout.spare {
            axes.insert(if is_inner { axes.len() - 1 } else { 0 }, Axis::Spare(place));
        }
        axes
    }

    /// How long `axis` is.
    pub fn extent(&self, axis: Axis, shape: &Shape) -> usize {
        match (axis, self.class) {
            (Axis::Spare(_), _) => Spare::EXTENT,
            (Axis::Matrix, _) => shape.l,
            (Axis::Row, Class::Right) => shape.k,
            (Axis::Row, _) => shape.m * self.layout.pace,
            (Axis::Column, Class::Left) => shape.k,
            (Axis::Column, _) => shape.n,
        }
    }

    /// Whether a kernel may read the extents of a launch off it.
    pub fn tells_extents(&self) -> bool {
        self.class == Class::Main && self.role != Role::Temporary && self.layout.pace == 1
    }
}
