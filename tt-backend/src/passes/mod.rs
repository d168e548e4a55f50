//! The passes, each a module of its name with what holds before and after it at its head, and its row of
//! [`crate::pipeline::PASSES`].
//!
//! ```text
//!  Tile IR ─skip reduce hold split assert unstack fill─A1 A2─ layouts ─B1 B2─ placement ─C1 pad C2 C3─ Flow IR ─D1 multicast D2 D3 D4 D5 names rasterize E1─ Device IR ─F G─ C++
//! ```

pub mod a1_infer_layout;
pub mod a2_propagate_layout;
pub mod assert_integers;
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
pub mod fill_parts;
pub mod give_names;
pub mod hold_elements;
pub mod multicast_reuse;
pub mod orient_vectors;
pub mod pad_tiles;
pub mod rasterize;
pub mod reduce_integers;
pub mod skip_turns;
pub mod split_conditions;
pub mod unstack;
