//! Every Metalium function the compiler emits: name and header, one row each. Sources: the device headers of ttnn 0.81.1
//! (`tt_metal/hw/inc/api`), see metalium.md §1 and §2.

pub use tt_device::Function;

macro_rules! functions {
    ($($header:expr => $($name:ident = $text:literal),* $(,)?;)*) => {
        $($(#[doc = concat!("`", $text, "`.")]
        pub static $name: Function = Function::new($text, $header);)*)*

        /// Every function above.
        pub static FUNCTIONS: &[&Function] = &[$($(&$name),*),*];
    };
}

functions! {
    Some("api/dataflow/dataflow_api.h") =>
        GET_WRITE_PTR = "get_write_ptr",
        GET_READ_PTR = "get_read_ptr",
        NOC_ASYNC_READ_PAGE = "noc_async_read_page",
        NOC_ASYNC_WRITE_PAGE = "noc_async_write_page",
        NOC_ASYNC_READ_BARRIER = "noc_async_read_barrier",
        NOC_ASYNC_WRITES_FLUSHED = "noc_async_writes_flushed",
        NOC_ASYNC_WRITE_BARRIER = "noc_async_write_barrier",
        NOC_ASYNC_ATOMIC_BARRIER = "noc_async_atomic_barrier",
        TENSOR_ACCESSOR = "TensorAccessor";
    Some("api/debug/kernel_profiler.hpp") =>
        DEVICE_TIMESTAMPED_DATA = "DeviceTimestampedData";
    Some("api/debug/dprint.h") =>
        DPRINT = "DPRINT";
    Some("api/debug/assert.h") =>
        ASSERT = "ASSERT";
    // Declared for data movement kernels by dataflow_api.h and for compute kernels by compute/common.h.
    None =>
        CB_RESERVE_BACK = "cb_reserve_back",
        CB_PUSH_BACK = "cb_push_back",
        CB_WAIT_FRONT = "cb_wait_front",
        CB_POP_FRONT = "cb_pop_front",
        GET_ARG_VAL = "get_arg_val",
        // Emitted beside the kernel where they are used (codegen::edges).
        ZERO_PAGE = "zero_page",
        ZERO_TILE_ROWS = "zero_tile_rows",
        ZERO_TILE_COLUMNS = "zero_tile_columns",
        ZERO_BLOCK_ROWS = "zero_block_rows",
        ZERO_BLOCK_COLUMNS = "zero_block_columns",
        READ_PLACED_PAGE = "read_placed_page",
        WRITE_PLACED_PAGE = "write_placed_page",
        READ_ROWS = "read_rows",
        READ_ELEMENTS = "read_elements",
        WRITE_ROWS = "write_rows",
        WRITE_ELEMENTS = "write_elements",
        SHIFT_ELEMENTS = "shift_elements",
        NUMBER_TILE = "number_tile",
        NUMBER_BITS = "number_bits",
        FLOOR_QUOTIENT = "floor_quotient",
        PLACE_ON_CURVE = "place_on_curve",
        WIDE = "wide",
        READ_INTEGER = "read_integer",
        PUT_INTEGER = "put_integer",
        EXPECT_VERSION = "expect_version",
        SEND_VERSION = "send_version",
        RECEIVE_VERSION = "receive_version",
        AS_NUMBER = "as_number",
        PRINT_ELEMENT = "print_element",
        PRINT_BLOCK_ELEMENT = "print_block_element",
        PACKER_SFPU_BEGIN = "packer_sfpu_begin",
        PACKER_SFPU_END = "packer_sfpu_end",
        // Of C++ itself.
        STATIC_CAST = "static_cast";
    Some("api/compute/cb_api.h") =>
        READ_TILE_VALUE = "read_tile_value";
    Some("api/compute/compute_kernel_hw_startup.h") =>
        COMPUTE_KERNEL_HW_STARTUP = "compute_kernel_hw_startup";
    Some("api/compute/common.h") =>
        TILE_REGS_ACQUIRE = "tile_regs_acquire",
        TILE_REGS_COMMIT = "tile_regs_commit",
        TILE_REGS_WAIT = "tile_regs_wait",
        TILE_REGS_RELEASE = "tile_regs_release";
    Some("api/compute/reconfig_data_format.h") =>
        RECONFIG_DATA_FORMAT = "reconfig_data_format",
        RECONFIG_DATA_FORMAT_SRCA = "reconfig_data_format_srca",
        RECONFIG_DATA_FORMAT_SRCB = "reconfig_data_format_srcb";
    Some("api/compute/pack.h") =>
        PACK_TILE = "pack_tile",
        PACK_RECONFIG_DATA_FORMAT = "pack_reconfig_data_format",
        PACK_RECONFIG_L1_ACC = "pack_reconfig_l1_acc",
        PACK_RELU_CONFIG = "pack_relu_config",
        RELU_CONFIG_ZERO = "ReluConfig::zero",
        RELU_CONFIG_NONE = "ReluConfig::none";
    Some("api/compute/matmul.h") =>
        MATMUL_BLOCK_INIT = "matmul_block_init",
        MATMUL_BLOCK = "matmul_block";
    Some("api/compute/tile_move_copy.h") =>
        COPY_INIT = "copy_init",
        COPY_TILE = "copy_tile";
    Some("api/compute/transpose.h") =>
        TRANSPOSE_INIT = "transpose_init",
        TRANSPOSE_TILE = "transpose_tile";
    Some("api/compute/transpose_dest.h") =>
        TRANSPOSE_DEST_INIT = "transpose_dest_init",
        TRANSPOSE_DEST = "transpose_dest";
    Some("api/compute/eltwise_binary.h") =>
        ADD_INIT = "add_init",
        SUB_INIT = "sub_init",
        MUL_INIT = "mul_init",
        ADD_TILES = "add_tiles",
        SUB_TILES = "sub_tiles",
        MUL_TILES = "mul_tiles",
        MUL_REUSE_DEST_INIT = "mul_reuse_dest_init",
        MUL_REUSE_DEST_TILES = "mul_reuse_dest_tiles";
    Some("api/compute/bcast.h") =>
        UNARY_BCAST_INIT = "unary_bcast_init",
        UNARY_BCAST = "unary_bcast",
        UNARY_BCAST_UNINIT = "unary_bcast_uninit",
        ADD_BCAST_ROWS_INIT = "add_bcast_rows_init",
        ADD_BCAST_COLS_INIT = "add_bcast_cols_init",
        ADD_BCAST_SCALAR_INIT = "add_bcast_scalar_init",
        SUB_BCAST_ROWS_INIT = "sub_bcast_rows_init",
        SUB_BCAST_COLS_INIT = "sub_bcast_cols_init",
        SUB_BCAST_SCALAR_INIT = "sub_bcast_scalar_init",
        MUL_BCAST_ROWS_INIT = "mul_bcast_rows_init",
        MUL_BCAST_COLS_INIT = "mul_bcast_cols_init",
        MUL_BCAST_SCALAR_INIT = "mul_bcast_scalar_init",
        ADD_TILES_BCAST_ROWS = "add_tiles_bcast_rows",
        ADD_TILES_BCAST_COLS = "add_tiles_bcast_cols",
        ADD_TILES_BCAST_SCALAR = "add_tiles_bcast_scalar",
        SUB_TILES_BCAST_ROWS = "sub_tiles_bcast_rows",
        SUB_TILES_BCAST_COLS = "sub_tiles_bcast_cols",
        SUB_TILES_BCAST_SCALAR = "sub_tiles_bcast_scalar",
        MUL_TILES_BCAST_ROWS = "mul_tiles_bcast_rows",
        MUL_TILES_BCAST_COLS = "mul_tiles_bcast_cols",
        MUL_TILES_BCAST_SCALAR = "mul_tiles_bcast_scalar";
    // Of the packer's thread.
    Some("api/compute/compute_kernel_api.h") =>
        SIGMOID_TILE_INIT_PACK = "sigmoid_tile_init_pack",
        SIGMOID_TILE_PACK = "sigmoid_tile_pack",
        SILU_TILE_INIT_PACK = "silu_tile_init_pack",
        SILU_TILE_PACK = "silu_tile_pack",
        TANH_TILE_INIT_PACK = "tanh_tile_init_pack",
        TANH_TILE_PACK = "tanh_tile_pack";
    Some("api/compute/eltwise_unary/activations.h") =>
        HARDSIGMOID_TILE_INIT_PACK = "hardsigmoid_tile_init_pack",
        HARDSIGMOID_TILE_PACK = "hardsigmoid_tile_pack";
    Some("api/compute/eltwise_unary/gelu.h") =>
        GELU_TILE_INIT_PACK = "gelu_tile_init_pack",
        GELU_TILE_PACK = "gelu_tile_pack",
        GELU_TANH_TILE_INIT_PACK = "gelu_tanh_tile_init_pack",
        GELU_TANH_TILE_PACK = "gelu_tanh_tile_pack";
    Some("api/compute/eltwise_unary/relu.h") =>
        RELU_MAX_TILE_INIT_PACK = "relu_max_tile_init_pack",
        RELU_MAX_TILE_PACK = "relu_max_tile_pack";
    Some("api/compute/eltwise_unary/selu.h") =>
        SELU_TILE_INIT_PACK = "selu_tile_init_pack",
        SELU_TILE_PACK = "selu_tile_pack";
    Some("api/compute/eltwise_unary/softplus.h") =>
        SOFTPLUS_TILE_INIT_PACK = "softplus_tile_init_pack",
        SOFTPLUS_TILE_PACK = "softplus_tile_pack";
}

/// Where the factors of a product of the FPU come from, SrcA's first (metalium.md §2.3, §4): the argument that is the buffer, or
/// none where registers hold them. Nothing of functions that multiply nothing there.
pub fn factors(function: &Function) -> Option<[Option<usize>; 2]> {
    let of_tiles = [
        &MUL_TILES,
        &MUL_TILES_BCAST_ROWS,
        &MUL_TILES_BCAST_COLS,
        &MUL_TILES_BCAST_SCALAR,
    ];
    if *function == MATMUL_BLOCK {
        Some([Some(1), Some(0)])
    } else if *function == MUL_REUSE_DEST_TILES {
        Some([None, Some(0)])
    } else {
        function.is_among(&of_tiles).then_some([Some(0), Some(1)])
    }
}
