//! The pipeline, in order. Each pass is a module of its name; [`PASSES`] is the table that tools show.
//!
//! ```text
//!  Tile IR ─split─A1 A2 A3─ layouts ─B1 B2 rasterize─ partition ─C1 pad C2 C3─ Flow IR ─D1 D2 mcast D3 D4 D5 E1─ Device IR ─F G─ C++
//! ```

pub mod a1_infer_layout;
pub mod a2_propagate_layout;
pub mod a3_attach_tensor_accessor;
pub mod b1_partition_work;
pub mod b2_grid_to_cores;
pub mod c1_lower_shared_to_cb;
pub mod c2_lower_tile_intrinsics;
pub mod c3_build_dataflow;
pub mod d1_split_kernel;
pub mod d2_bind_tensor_accessors;
pub mod d3_lower_cb_protocol;
pub mod d4_insert_compute_init;
pub mod d5_insert_dst_management;
pub mod e1_finalize_signature;
pub mod facts;
pub mod multicast_reuse;
pub mod pad_tiles;
pub mod rasterize;
pub mod split_conditions;

/// Every pass with what it does, in the order they run.
pub const PASSES: [(&str, &str); 18] = [
    (
        "split_conditions",
        "choices that are the same for a whole block become branches",
    ),
    (
        "A1 infer_layout",
        "format, tiles and orientation of every tensor and block",
    ),
    (
        "A2 propagate_layout",
        "page size and depth of the circular buffer of every block",
    ),
    ("A3 attach_tensor_accessor", "an abstract accessor for every tensor"),
    ("B1 partition_work", "who owns the blocks of the grid"),
    ("B2 grid_to_cores", "from a running block number to the cores"),
    ("rasterize", "from a running block number to grid coordinates"),
    (
        "C1 lower_shared_to_cb",
        "blocks become circular buffers, copies become reads and writes",
    ),
    ("pad_tiles", "edges that must be zero"),
    (
        "C2 lower_tile_intrinsics",
        "gemm and element expressions become passes over destination registers",
    ),
    (
        "C3 build_dataflow",
        "lifetimes, depths and indices of the circular buffers",
    ),
    ("D1 split_kernel", "reader, compute and writer"),
    (
        "D2 bind_tensor_accessors",
        "accessors get their compile-time and runtime arguments",
    ),
    ("multicast_reuse", "operands that several cores read"),
    ("D3 lower_cb_protocol", "reserve, push, wait, pop and NoC transfers"),
    ("D4 insert_compute_init", "engine state transitions"),
    ("D5 insert_dst_management", "acquire, commit, wait, pack, release"),
    ("E1 finalize_signature", "runtime arguments and the plan"),
];
