//! What operations of the vector unit cost.
//!
//! A tile is 32 vectors of 32 lanes. Instructions of the unit issue one a cycle, so a simple operation is a load, the operation and a
//! store for each vector; what has more is measured (reference/silicon.md §2.4, §4.5; reference/performance.md E.4, in cycles a tile), or unknown.

/// Cycles that an operation takes for a whole tile; none where nobody measured it.
pub fn cycles_per_tile(name: &str) -> Option<u64> {
    MEASURED
        .iter()
        .find(|(names, _)| names.contains(&name))
        .map(|(_, cycles)| *cycles)
}

/// Vectors of a tile.
pub const VECTORS: u64 = 32;

/// Loads, one instruction, and stores: three issues a vector.
const SIMPLE: u64 = 3 * VECTORS;

/// Two loads, one instruction, and a store.
const OF_TWO: u64 = 4 * VECTORS;

/// Operations, and cycles of a tile of them.
const MEASURED: &[(&[&str], u64)] = &[
    (
        &[
            "abs_tile",
            "negative_tile",
            "relu_tile",
            "relu_max_tile",
            "relu_min_tile",
            "identity_tile",
            "fill_tile",
            "fill_tile_int",
            "signbit_tile",
            "bitwise_not_tile",
            "abs_tile_int32",
        ],
        SIMPLE,
    ),
    (
        &[
            "add_unary_tile",
            "sub_unary_tile",
            "mul_unary_tile",
            "div_unary_tile",
            "rsub_unary_tile",
            "square_tile",
            "unary_max_tile",
            "unary_min_tile",
            "bitwise_and_tile",
            "bitwise_or_tile",
            "bitwise_xor_tile",
        ],
        SIMPLE,
    ),
    // S 3.1: a copy, an init and an addition take 253.
    (
        &[
            "add_binary_tile",
            "sub_binary_tile",
            "mul_binary_tile",
            "rsub_binary_tile",
            "add_int_tile",
            "sub_int_tile",
            "binary_max_tile",
            "binary_min_tile",
            "copy_dest_values_tile",
            "copy_dest_values",
            "bitwise_and_binary_tile",
            "bitwise_or_binary_tile",
            "bitwise_xor_binary_tile",
        ],
        OF_TWO,
    ),
    // Counted: 32 loads, 24 additions of two cycles, three shifts and additions of each of eight registers, their stores.
    (&["sfpu_reduce"], 208),
    // S 2.4.
    (&["rsqrt_tile"], 1010),
    (&["recip_tile"], 1202),
    // S 4.5.
    (&["sigmoid_tile", "gelu_tile"], 256),
    (&["tanh_tile"], 530),
    (&["softplus_tile"], 1450),
    (&["hardsigmoid_tile"], 289),
    (&["frac_tile"], 480),
    (&["addcmul_tile"], 350),
    (&["i0_tile"], 1081),
    // P E.4.
    (&["exp_tile"], 1150),
    (&["exp2_tile"], 860),
    (&["sin_tile"], 866),
    (&["cos_tile"], 994),
    (&["floor_tile", "ceil_tile"], 544),
    (&["trunc_tile"], 424),
    (&["silu_tile"], 1410),
    (&["div_binary_tile"], 1475),
    (&["gelu_tanh_tile"], 2014),
    (&["erfinv_tile"], 3164),
];
