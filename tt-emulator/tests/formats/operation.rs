//! The operations of `kernel.cpp`, with the numbers that it knows them by.

/// What an operation needs to be told apart for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Moves values.
    Moves,
    /// Adds; the fidelity does not matter.
    Adds,
    /// Multiplies; the fidelity matters.
    Multiplies,
}

/// An operation of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    pub id: u32,
    pub name: &'static str,
    pub kind: Kind,
}

const NAMES: [(&str, Kind); 42] = {
    use Kind::{Adds, Moves, Multiplies};
    [
        ("copy", Moves),
        ("add", Adds),
        ("sub", Adds),
        ("mul", Multiplies),
        ("add_bcast_cols", Adds),
        ("sub_bcast_rows", Adds),
        ("mul_bcast_scalar", Multiplies),
        ("mul_bcast_cols", Multiplies),
        ("mul_bcast_rows", Multiplies),
        ("sub_bcast_scalar", Adds),
        ("matmul", Multiplies),
        ("matmul_transposed", Multiplies),
        ("sum_row", Multiplies),
        ("sum_col", Multiplies),
        ("sum_scalar", Multiplies),
        ("avg_row", Multiplies),
        ("avg_col", Multiplies),
        ("avg_scalar", Multiplies),
        ("max_row", Moves),
        ("max_col", Moves),
        ("max_scalar", Moves),
        ("transpose", Moves),
        ("transpose_dest", Moves),
        ("unary_bcast_col", Moves),
        ("unary_bcast_row", Moves),
        ("unary_bcast_scalar", Moves),
        ("add_dest_to_srca", Adds),
        ("sub_dest_to_srca", Adds),
        ("mul_dest_to_srca", Multiplies),
        ("add_dest_to_srcb", Adds),
        ("sub_dest_to_srcb", Adds),
        ("mul_dest_to_srcb", Multiplies),
        ("mul_twice", Multiplies),
        ("add_twice", Adds),
        ("l1_accumulate", Moves),
        ("relu_zero", Moves),
        ("relu_min", Moves),
        ("relu_max", Moves),
        ("pack_untilize", Moves),
        ("tilize", Moves),
        ("copy_transposed", Moves),
        ("fast_tilize", Moves),
    ]
};

/// All of them.
pub fn all() -> impl Iterator<Item = Operation> {
    NAMES.iter().enumerate().map(|(id, &(name, kind))| Operation {
        id: id as u32,
        name,
        kind,
    })
}
