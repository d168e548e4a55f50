//! The table of compute functions that device headers call: mirror of `device/include/emulator/compute_abi.h`.
//!
//! Every function takes the line of its caller last. Enumerations cross as Metalium's numbers.

use std::ffi::c_char;

use super::entries;
pub use super::sfpu_calls::SfpuCall;

/// Which engine a format is programmed into.
pub(crate) mod side {
    pub const SRC_A: u32 = 0;
    pub const SRC_B: u32 = 1;
    pub const PACK: u32 = 2;
}

/// Declares the table's type and its one value, from the entries of the same names.
macro_rules! compute_api {
    ($($(#[$meta:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of the compute engines.
        #[repr(C)]
        #[derive(Debug)]
        pub struct ComputeApi {
            $($(#[$meta])* pub $name: extern "C" fn($($argument: $type),*) $(-> $result)?,)*
        }

        pub(crate) static COMPUTE_API: ComputeApi = ComputeApi { $($name: entries::$name),* };
    };
}

compute_api! {
    /// `compute_kernel_hw_startup`.
    hw_startup(icb0: u32, icb1: u32, ocb: u32, reverse: u32, line: i32);
    /// `tile_regs_acquire`, `_commit`, `_wait`, `_release`, `acquire_dst`, `release_dst`: 0 to 5.
    registers(step: u32, line: i32);
    /// `reconfig_data_format*`, `pack_reconfig_data_format`: `old` is the buffer it says was used, or `u32::MAX`.
    reconfigure(side: u32, old: u32, new: u32, line: i32);
    /// `matmul_init`, `matmul_block_init`.
    matmul_init(in0: u32, in1: u32, transpose: u32, ct: u32, rt: u32, kt: u32, line: i32);
    /// `matmul_tiles`, `matmul_block`; a transposition of 2 is the init's.
    matmul(in0: u32, in1: u32, i0: u32, i1: u32, idst: u32, transpose: u32, ct: u32, rt: u32, kt: u32, line: i32);
    /// Inits of element-wise operations on two buffers.
    binary_init(op: u32, broadcast: u32, icb0: u32, icb1: u32, accumulate: u32, full: u32, line: i32);
    /// Element-wise operations on `count` pairs of tiles.
    binary(op: u32, broadcast: u32, icb0: u32, icb1: u32, i0: u32, i1: u32, idst: u32, row: u32, count: u32, line: i32);
    /// Inits of element-wise operations on the destination and a buffer.
    reuse_init(op: u32, reuse: u32, icb: u32, line: i32);
    /// Element-wise operations on the destination and a buffer.
    reuse(op: u32, reuse: u32, icb: u32, tile: u32, idst: u32, line: i32);
    /// `copy_init`.
    copy_init(icb: u32, transpose: u32, within_faces: u32, line: i32);
    /// `copy_tile`, `copy_block`.
    copy(icb: u32, tile: u32, idst: u32, count: u32, line: i32);
    /// `transpose_init`.
    transpose_init(icb: u32, line: i32);
    /// `transpose_tile`, `transpose_block`.
    transpose(icb: u32, tile: u32, idst: u32, count: u32, line: i32);
    /// `transpose_dest_init`.
    transpose_dest_init(line: i32);
    /// `transpose_dest`.
    transpose_dest(idst: u32, line: i32);
    /// `unary_bcast_init`.
    unary_bcast_init(broadcast: u32, icb: u32, line: i32);
    /// `unary_bcast`.
    unary_bcast(broadcast: u32, icb: u32, tile: u32, idst: u32, line: i32);
    /// `unary_bcast_uninit`.
    unary_bcast_uninit(broadcast: u32, icb: u32, line: i32);
    /// `reduce_init`; `u32::MAX` as `ocb` leaves the packer's mask.
    reduce_init(pool: u32, dim: u32, icb: u32, scaler: u32, ocb: u32, line: i32);
    /// `reduce_tile`, `reduce_block`.
    reduce(pool: u32, dim: u32, icb: u32, scaler: u32, tile: u32, scaler_tile: u32, idst: u32, count: u32, line: i32);
    /// `reduce_uninit`.
    reduce_uninit(line: i32);
    /// The packer's mask of a reduction: a dimension, or `u32::MAX` for none.
    reduce_mask(dim: u32, line: i32);
    /// `pack_init`.
    pack_init(ocb: u32, line: i32);
    /// `pack_tile`, `pack_block`.
    pack(idst: u32, ocb: u32, out_of_order: u32, index: u32, count: u32, line: i32);
    /// `pack_reconfig_l1_acc`.
    pack_l1_acc(enable: u32, line: i32);
    /// `pack_relu_config`.
    pack_relu(mode: u32, threshold: u32, line: i32);
    /// `tilize_init`, `fast_tilize_init`.
    tilize_init(icb: u32, block: u32, ocb: u32, fast: u32, line: i32);
    /// `tilize_block`.
    tilize(icb: u32, block: u32, ocb: u32, input: u32, output: u32, line: i32);
    /// `tilize_uninit`.
    tilize_uninit(icb: u32, ocb: u32, line: i32);
    /// `pack_untilize_init`: copies and packs rows; `u32::MAX` as `icb` sets the packer only.
    untilize_init(icb: u32, ocb: u32, block: u32, full: u32, line: i32);
    /// `pack_untilize_block`, from tile `first` of the input and into the row of tiles that starts `output` tiles from the
    /// write pointer.
    untilize_block(icb: u32, ocb: u32, block: u32, full: u32, rows: u32, column: u32, first: u32, output: u32, line: i32);
    /// `pack_untilize_dest`.
    untilize_dest(ocb: u32, block: u32, full: u32, rows: u32, column: u32, first: u32, line: i32);
    /// `pack_untilize_uninit`.
    untilize_uninit(ocb: u32, line: i32);
    /// Every init of the vector unit, by the hash of its name.
    sfpu_init(name: u64, variant: u32, p0: u32, p1: u32, line: i32);
    /// `mailbox_write`: a word for another thread of the kernel.
    mailbox_write(to: u32, value: u32, line: i32);
    /// `mailbox_read`.
    mailbox_read(from: u32, line: i32) -> u32;
    /// Sets a pointer of a circular buffer: 0 the read pointer, 1 the write pointer, 2 the slot of the next pack in order.
    set_cb_pointer(cb: u32, which: u32, address: u32, line: i32);
    /// A call that the emulator does not compute, by its name.
    refused(name: *const c_char, line: i32);
    /// Every operation of the vector unit.
    sfpu(call: *const SfpuCall, line: i32);
}
