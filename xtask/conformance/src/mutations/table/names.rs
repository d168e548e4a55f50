//! Mutants of the tables of names that the code writer prints: old names, names of something else, wrong headers.

use crate::mutations::mutant::mutants;

const FUNCTIONS: &str = "device/function.rs";
const OPERATIONS: &str = "../../tt-device/src/catalogue.rs";

mutants! {
    /// Names that ttnn 0.81.1 does not have, or that mean something else.
    NAMES, Writer:
    names_old_read: "a read has its old name", FUNCTIONS, "\"noc_async_read_page\"" => "\"noc_async_read_tile\"";
    names_old_matmul_init: "the init of a product has its old name", FUNCTIONS, "\"matmul_block_init\"" => "\"mm_block_init\"";
    names_old_acquire: "acquiring registers has its old name", FUNCTIONS, "\"tile_regs_acquire\"" => "\"acquire_dst\"";
    names_old_copy_init: "the init of a copy has its old name", FUNCTIONS, "\"copy_init\"" => "\"copy_tile_to_dst_init_short\"";
    names_old_add_init: "the init of an addition has its old name", FUNCTIONS, "\"add_init\"" => "\"add_tiles_init\"";
    names_old_startup: "the startup has its old name", FUNCTIONS, "\"compute_kernel_hw_startup\"" => "\"mm_init\"";
    names_old_accessor_header: "the header of an operation has its old path", OPERATIONS,
        "\"api/compute/eltwise_unary/exp.h\"" => "\"compute_kernel_api/eltwise_unary/exp.h\"";
    names_matmul_header: "products lack their header", FUNCTIONS, "    \"api/compute/matmul.h\":\n" => "    \"api/compute/common.h\":\n";
    names_bcast_header: "broadcasts lack their header", FUNCTIONS, "    \"api/compute/bcast.h\":\n" => "    \"api/compute/common.h\":\n";
    names_gelu_header: "an SFPU operation lacks its header", OPERATIONS,
        "\"api/compute/eltwise_unary/gelu.h\"" => "\"api/compute/common.h\"";
    names_wait_for_reserve: "a reservation is a wait", FUNCTIONS, "CB_RESERVE_BACK = \"cb_reserve_back\"" => "CB_RESERVE_BACK = \"cb_wait_front\"";
    names_push_for_pop: "giving back is handing over", FUNCTIONS, "CB_POP_FRONT = \"cb_pop_front\"" => "CB_POP_FRONT = \"cb_push_back\"";
    names_commit_for_release: "registers are committed where they should be released", FUNCTIONS,
        "TILE_REGS_RELEASE = \"tile_regs_release\"" => "TILE_REGS_RELEASE = \"tile_regs_commit\"";
    names_read_for_write: "a write is a read", FUNCTIONS, "\"noc_async_write_page\"" => "\"noc_async_read_page\"";
    names_sub_for_add: "a difference of tiles is a sum", FUNCTIONS, "SUB_TILES = \"sub_tiles\"" => "SUB_TILES = \"add_tiles\"";
    names_bcast_rows_call: "a product with a broadcast row is one with a column", FUNCTIONS,
        "\"mul_tiles_bcast_rows\"" => "\"mul_tiles_bcast_cols\"";
    names_bcast_rows_init: "a sum with a broadcast row has the init of one with a column", FUNCTIONS,
        "\"add_bcast_rows_init\"" => "\"add_bcast_cols_init\"";
    names_srca_for_srcb: "SrcA is set where SrcB should be", FUNCTIONS,
        "\"reconfig_data_format_srcb\"" => "\"reconfig_data_format_srca\"";
    names_accumulation: "packing into L1 is set by the packer's format", FUNCTIONS,
        "\"pack_reconfig_l1_acc\"" => "\"pack_reconfig_data_format\"";
    names_silu_init: "an SFPU operation has the init of another", OPERATIONS, "\"silu_tile_init\" \"silu_tile\"" => "\"sigmoid_tile_init\" \"silu_tile\"";
    names_tanh_call: "an SFPU operation has the call of another", OPERATIONS, "\"tanh_tile_init\" \"tanh_tile\"" => "\"tanh_tile_init\" \"log_tile\"";
    names_abs_for_sign: "an SFPU operation is another", OPERATIONS, "\"abs_tile_init\" \"abs_tile\"" => "\"sign_tile_init\" \"sign_tile\"";
    names_where_template: "the format of the registers is left out", OPERATIONS, "Where => template \"DST_FORMAT\";" => "Where;";
    names_clamp_call: "an SFPU operation with two numbers is another one", OPERATIONS, "\"clamp_tile\" Unary(2);" => "\"threshold_tile\" Unary(2);";
    names_max_for_min: "the larger of two is the smaller", OPERATIONS, "\"binary_max_tile_init\" \"binary_max_tile\"" => "\"binary_min_tile_init\" \"binary_min_tile\"";
    names_gt_for_ge: "a comparison is another", OPERATIONS, "\"gt_binary_tile_init\" \"gt_binary_tile\"" => "\"lt_binary_tile_init\" \"lt_binary_tile\"";
    names_mul_number: "a product with a number is a sum", OPERATIONS, "\"mul_unary_tile\"" => "\"add_unary_tile\"";
}
