// Every call of the compute headers once: with all arguments, and with only those that have no default. It compiles against
// the real headers too; it is not made to run.
#include "api/compute/atan2.h"
#include "api/compute/bcast.h"
#include "api/compute/binary_fmod.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/binary_remainder.h"
#include "api/compute/cb_api.h"
#include "api/compute/common.h"
#include "api/compute/common_globals.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/copy_dest_values.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/activations.h"
#include "api/compute/eltwise_unary/addcdiv.h"
#include "api/compute/eltwise_unary/addcmul.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/cbrt.h"
#include "api/compute/eltwise_unary/clamp.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/elu.h"
#include "api/compute/eltwise_unary/erf_erfc.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/fmod.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/eltwise_unary/hardmish.h"
#include "api/compute/eltwise_unary/hardtanh.h"
#include "api/compute/eltwise_unary/identity.h"
#include "api/compute/eltwise_unary/isinf_isnan.h"
#include "api/compute/eltwise_unary/lerp.h"
#include "api/compute/eltwise_unary/log1p.h"
#include "api/compute/eltwise_unary/logical_not.h"
#include "api/compute/eltwise_unary/mac.h"
#include "api/compute/eltwise_unary/mish.h"
#include "api/compute/eltwise_unary/negative.h"
#include "api/compute/eltwise_unary/prelu.h"
#include "api/compute/eltwise_unary/rdiv.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/eltwise_unary/remainder.h"
#include "api/compute/eltwise_unary/rounding.h"
#include "api/compute/eltwise_unary/rpow.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/eltwise_unary/rsub.h"
#include "api/compute/eltwise_unary/selu.h"
#include "api/compute/eltwise_unary/softplus.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/eltwise_unary/tanhshrink.h"
#include "api/compute/eltwise_unary/threshold.h"
#include "api/compute/eltwise_unary/trigonometry.h"
#include "api/compute/eltwise_unary/typecast.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/logaddexp.h"
#include "api/compute/logaddexp2.h"
#include "api/compute/logsigmoid.h"
#include "api/compute/mask.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/reg_api.h"
#include "api/compute/sfpu_binary_bcast.h"
#include "api/compute/src_order.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"
#include "api/compute/transpose.h"
#include "api/compute/transpose_dest.h"
#include "api/compute/xlogy.h"
constexpr DataFormat DF = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;
void kernel_main() {
    atan2_binary_tile_init();
    atan2_binary_tile(1u, 1u, 1u);
    unary_bcast_init<BroadcastType::COL>(1u);
    unary_bcast<BroadcastType::COL>(1u, 1u, 1u);
    unary_bcast_uninit<BroadcastType::COL>(1u);
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(1u, 1u);
    any_tiles_bcast<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u, 1u);
    any_tiles_bcast<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u);
    add_tiles_bcast<BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u, 1u);
    add_tiles_bcast<BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u);
    add_bcast_rows_init(1u, 1u);
    add_tiles_bcast_rows(1u, 1u, 1u, 1u, 1u, 1u);
    add_tiles_bcast_rows(1u, 1u, 1u, 1u, 1u);
    add_bcast_cols_init(1u, 1u);
    add_tiles_bcast_cols(1u, 1u, 1u, 1u, 1u);
    add_bcast_scalar_init(1u, 1u);
    add_tiles_bcast_scalar(1u, 1u, 1u, 1u, 1u);
    sub_tiles_bcast<BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u, 1u);
    sub_tiles_bcast<BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u);
    sub_bcast_rows_init(1u, 1u);
    sub_tiles_bcast_rows(1u, 1u, 1u, 1u, 1u, 1u);
    sub_tiles_bcast_rows(1u, 1u, 1u, 1u, 1u);
    sub_bcast_cols_init(1u, 1u);
    sub_tiles_bcast_cols(1u, 1u, 1u, 1u, 1u);
    sub_bcast_scalar_init(1u, 1u);
    sub_tiles_bcast_scalar(1u, 1u, 1u, 1u, 1u);
    mul_tiles_bcast<BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u, 1u);
    mul_tiles_bcast<BroadcastType::ROW>(1u, 1u, 1u, 1u, 1u);
    mul_bcast_rows_init(1u, 1u);
    mul_tiles_bcast_rows(1u, 1u, 1u, 1u, 1u, 1u);
    mul_tiles_bcast_rows(1u, 1u, 1u, 1u, 1u);
    mul_bcast_cols_init(1u, 1u);
    mul_tiles_bcast_cols(1u, 1u, 1u, 1u, 1u);
    mul_bcast_scalar_init(1u, 1u);
    mul_tiles_bcast_scalar(1u, 1u, 1u, 1u, 1u);
    fmod_binary_tile_init();
    fmod_binary_tile(1u, 1u, 1u);
    binary_max_tile_init();
    binary_max_tile(1u, 1u, 1u, VectorMode::RC);
    binary_max_tile(1u, 1u, 1u);
    binary_min_tile_init();
    binary_min_tile(1u, 1u, 1u, VectorMode::RC);
    binary_min_tile(1u, 1u, 1u);
    remainder_binary_tile_init();
    remainder_binary_tile(1u, 1u, 1u);
    sigmoid_tile_init();
    sigmoid_tile(1u);
    silu_tile_init();
    silu_tile(1u);
    tanh_tile_init();
    tanh_tile(1u);
    square_tile_init();
    square_tile(1u);
    log_tile_init();
    log_tile(1u);
    log_with_base_tile_init();
    log_with_base_tile(1u, 1u);
    signbit_tile_init();
    signbit_tile(1u);
    abs_tile_init();
    abs_tile(1u);
    sign_tile_init();
    sign_tile(1u);
    power_tile_init();
    power_tile(1u, 1u);
    power_iterative_tile_init();
    power_iterative_tile(1u, 1u);
    exp2_tile_init();
    exp2_tile(1u);
    heaviside_tile_init();
    heaviside_tile(1u, 1u);
    expm1_tile_init();
    expm1_tile(1u);
    unary_max_tile_init();
    unary_max_tile(1u, 1u);
    unary_min_tile_init();
    unary_min_tile(1u, 1u);
    sfpu_reduce_init<PoolType::MIN, DF>();
    sfpu_reduce<PoolType::MIN, DF, ReduceDim::REDUCE_COL>(1u, 1u, 1u);
    sfpu_reduce<PoolType::MIN, DF, ReduceDim::REDUCE_COL>(1u);
    compute_kernel_hw_startup(1u, 1u, 1u);
    compute_kernel_hw_startup(1u, 1u);
    copy_dest_values_init();
    copy_dest_values<DF>(1u, 1u);
    binary_tiles_init<true, EltwiseBinaryType::ELWADD>(1u, 1u, false);
    binary_tiles_init<true, EltwiseBinaryType::ELWADD>(1u, 1u);
    add_init(1u, 1u, false);
    add_init(1u, 1u);
    add_tiles(1u, 1u, 1u, 1u, 1u);
    add_block(1u, 1u, 1u, 1u, 1u, 1u);
    add_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1u);
    add_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1u, 1u, 1u);
    sub_init(1u, 1u, false);
    sub_init(1u, 1u);
    sub_tiles(1u, 1u, 1u, 1u, 1u);
    sub_block(1u, 1u, 1u, 1u, 1u, 1u);
    sub_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1u);
    sub_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1u, 1u, 1u);
    mul_init(1u, 1u, false);
    mul_init(1u, 1u);
    mul_tiles(1u, 1u, 1u, 1u, 1u);
    mul_block(1u, 1u, 1u, 1u, 1u, 1u);
    mul_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1u);
    mul_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(1u, 1u, 1u);
    add_binary_tile(1u, 1u, 1u);
    sub_binary_tile(1u, 1u, 1u);
    rsub_binary_tile(1u, 1u, 1u);
    mul_binary_tile(1u, 1u, 1u);
    div_binary_tile(1u, 1u, 1u);
    power_binary_tile(1u, 1u, 1u);
    eq_binary_tile(1u, 1u, 1u);
    ne_binary_tile(1u, 1u, 1u);
    lt_binary_tile(1u, 1u, 1u);
    gt_binary_tile(1u, 1u, 1u);
    le_binary_tile(1u, 1u, 1u);
    ge_binary_tile(1u, 1u, 1u);
    add_binary_tile_init();
    sub_binary_tile_init();
    rsub_binary_tile_init();
    mul_binary_tile_init();
    div_binary_tile_init();
    power_binary_tile_init();
    eq_binary_tile_init();
    ne_binary_tile_init();
    lt_binary_tile_init();
    gt_binary_tile_init();
    le_binary_tile_init();
    ge_binary_tile_init();
    hardsigmoid_tile_init();
    hardsigmoid_tile(1u);
    softsign_tile_init();
    softsign_tile(1u);
    celu_tile_init();
    celu_tile(1u, 1u, 1u);
    softshrink_tile_init();
    softshrink_tile(1u, 1u);
    hardshrink_tile_init();
    hardshrink_tile(1u, 1u);
    addcdiv_tile_init();
    addcdiv_tile<DF>(1u, 1u, 1u, 1u, 1u);
    addcmul_tile_init();
    addcmul_tile<DF>(1u, 1u, 1u, 1u, 1u);
    binop_with_scalar_tile_init();
    add_unary_tile(1u, 1u);
    sub_unary_tile(1u, 1u);
    mul_unary_tile(1u, 1u);
    div_unary_tile(1u, 1u);
    rsub_unary_tile(1u, 1u);
    cbrt_tile_init();
    cbrt_tile(1u);
    clamp_tile_init();
    clamp_tile(1u, 1u, 1u);
    unary_eq_tile_init();
    unary_eq_tile(1u, 1u);
    unary_ne_tile_init();
    unary_ne_tile(1u, 1u);
    unary_lt_tile_init();
    unary_lt_tile(1u, 1u);
    unary_le_tile_init();
    unary_le_tile(1u, 1u);
    unary_gt_tile_init();
    unary_gt_tile(1u, 1u);
    unary_ge_tile_init();
    unary_ge_tile(1u, 1u);
    eqz_tile_init();
    eqz_tile(1u);
    nez_tile_init();
    nez_tile(1u);
    ltz_tile_init();
    ltz_tile(1u);
    lez_tile_init();
    lez_tile(1u);
    gtz_tile_init();
    gtz_tile(1u);
    gez_tile_init();
    gez_tile(1u);
    elu_tile_init();
    elu_tile(1u, 1u);
    erf_tile_init();
    erf_tile(1u);
    erfc_tile_init();
    erfc_tile(1u);
    exp_tile_init();
    exp_tile(1u, VectorMode::RC, 1u);
    exp_tile(1u);
    fill_tile_init();
    fill_tile(1u, 1.0f);
    fill_tile_bitcast(1u, 1u);
    fmod_tile_init(1u, 1u);
    fmod_tile(1u);
    gelu_tile_init();
    gelu_tile(1u);
    gelu_tanh_tile_init();
    gelu_tanh_tile(1u);
    hardmish_tile_init();
    hardmish_tile(1u);
    hardtanh_tile_init();
    hardtanh_tile(1u, 1u, 1u);
    identity_tile_init();
    identity_tile(1u);
    isinf_tile_init();
    isinf_tile(1u);
    isposinf_tile_init();
    isposinf_tile(1u);
    isneginf_tile_init();
    isneginf_tile(1u);
    isnan_tile_init();
    isnan_tile(1u);
    isfinite_tile_init();
    isfinite_tile(1u);
    lerp_tile_init();
    lerp_tile<DF>(1u, 1u, 1u, 1u);
    log1p_tile_init();
    log1p_tile(1u);
    logical_not_tile_init();
    logical_not_tile<DF>(1u);
    mac_tile_init<DF>();
    mac_tile<DF>(0u, 1u, 2u, 0u);
    mish_tile_init<false>();
    mish_tile<false>(1u);
    negative_tile_init();
    negative_tile(1u);
    prelu_tile_init();
    prelu_tile(1u, 1u);
    rdiv_tile_init();
    rdiv_tile(1u, 1u, VectorMode::RC);
    rdiv_tile(1u, 1u);
    recip_tile_init();
    recip_tile(1u, VectorMode::RC);
    recip_tile(1u);
    relu_tile_init();
    relu_tile(1u);
    relu_max_tile_init();
    relu_max_tile(1u, 1u);
    relu_min_tile_init();
    relu_min_tile(1u, 1u);
    leaky_relu_tile_init();
    leaky_relu_tile(1u, 1u);
    leaky_relu_tile(1u);
    remainder_tile_init(1u, 1u);
    remainder_tile(1u);
    rounding_op_tile_init();
    ceil_tile(1u);
    floor_tile(1u);
    trunc_tile(1u);
    frac_tile(1u);
    round_tile(1u, 1u);
    rpow_tile_init();
    rpow_tile(1u, 1u, VectorMode::RC);
    rpow_tile(1u, 1u);
    rsqrt_tile_init();
    rsqrt_tile(1u);
    rsub_tile_init();
    rsub_tile(1u, 1u);
    selu_tile_init();
    selu_tile(1u, 1u, 1u);
    softplus_tile_init();
    softplus_tile(1u, 1u, 1u, 1u);
    sqrt_tile_init();
    sqrt_tile(1u);
    tanhshrink_tile_init();
    tanhshrink_tile(1u);
    threshold_tile_init();
    threshold_tile(1u, 1u, 1u);
    sin_tile_init();
    sin_tile(1u);
    cos_tile_init();
    cos_tile(1u);
    tan_tile_init();
    tan_tile(1u);
    asin_tile_init();
    asin_tile(1u);
    acos_tile_init();
    acos_tile(1u);
    atan_tile_init();
    atan_tile(1u);
    sinh_tile_init();
    sinh_tile(1u);
    cosh_tile_init();
    cosh_tile(1u);
    asinh_tile_init();
    asinh_tile(1u);
    acosh_tile_init();
    acosh_tile(1u);
    atanh_tile_init();
    atanh_tile(1u);
    typecast_tile_init<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b>();
    typecast_tile<(uint32_t)DataFormat::Float32, (uint32_t)DataFormat::Float16_b>(1u);
    where_tile_init();
    where_tile<DF>(1u, 1u, 1u, 1u);
    logaddexp_binary_tile_init();
    logaddexp_binary_tile(1u, 1u, 1u);
    logaddexp2_binary_tile_init();
    logaddexp2_binary_tile(1u, 1u, 1u);
    logsigmoid_tile_init();
    logsigmoid_tile(1u, 1u, 1u);
    mask_tile_init();
    mask_tile(1u, 1u, DataFormat::Float16_b);
    mask_tile(1u, 1u);
    mask_posinf_tile(1u, 1u);
    matmul_init(1u, 1u, 1u);
    matmul_init(1u, 1u);
    matmul_tiles(1u, 1u, 1u, 1u, 1u);
    matmul_block_init(1u, 1u, 1u, 1u, 1u, 1u);
    matmul_block_init(1u, 1u);
    matmul_block(1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u, 1u);
    pack_init(1u);
    pack_tile(1u, 1u, 1u);
    pack_tile(1u, 1u);
    pack_block(1u, 1u, 1u);
    pack_reconfig_l1_acc(1u);
    pack_relu_config(ReluConfig::zero());
    pack_untilize_init<4>(1u, 1u);
    pack_untilize_dest_init<4>(1u);
    pack_untilize_block<4>(1u, 1u, 1u, 1u);
    pack_untilize_block<4>(1u, 1u, 1u);
    pack_untilize_dest<4>(1u, 1u, 1u, 1u);
    pack_untilize_dest<4>(1u);
    pack_untilize_uninit(1u);
    reconfig_data_format(1u, 1u);
    reconfig_data_format(1u, 1u, 1u, 1u);
    reconfig_data_format_srca(1u);
    reconfig_data_format_srca(1u, 1u);
    reconfig_data_format_srcb(1u);
    reconfig_data_format_srcb(1u, 1u);
    reconfig_full_operand(1u, 1u);
    reconfig_full_operand(1u, 1u, 1u, 1u);
    reconfig_full_operand_srca(1u);
    reconfig_full_operand_srca(1u, 1u);
    reconfig_full_operand_srcb(1u);
    reconfig_full_operand_srcb(1u, 1u);
    reconfig_data_format_skip_int8(1u, 1u);
    reconfig_data_format_skip_int8(1u, 1u, 1u, 1u);
    reconfig_data_format_srca_skip_int8(1u);
    reconfig_data_format_srca_skip_int8(1u, 1u);
    reconfig_data_format_srcb_skip_int8(1u);
    reconfig_data_format_srcb_skip_int8(1u, 1u);
    pack_reconfig_data_format(1u);
    pack_reconfig_data_format(1u, 1u);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(1u, 1u, 1u);
    reduce_uninit(1u);
    reduce_uninit();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(1u, 1u, 1u, 1u, 1u);
    reduce_block<PoolType::SUM, ReduceDim::REDUCE_ROW>(1u, 1u, 1u, 1u, 1u, 1u);
    tile_regs_acquire();
    tile_regs_wait();
    tile_regs_commit();
    tile_regs_release();
    sfpu_bcast_init<BroadcastType::COL>();
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWADD>(1u, 1u);
    sfpu_bcast_col_init();
    sfpu_sub_bcast_col_init();
    sfpu_sub_bcast_col(1u, 1u);
    sfpu_add_bcast_col_init();
    sfpu_add_bcast_col(1u, 1u);
    sfpu_mul_bcast_col_init();
    sfpu_mul_bcast_col(1u, 1u);
    sfpu_bcast_row_init();
    sfpu_sub_bcast_row_init();
    sfpu_sub_bcast_row(1u, 1u);
    sfpu_add_bcast_row_init();
    sfpu_add_bcast_row(1u, 1u);
    sfpu_mul_bcast_row_init();
    sfpu_mul_bcast_row(1u, 1u);
    copy_init(1u, 1u, 1u);
    copy_init(1u);
    copy_tile(1u, 1u, 1u);
    copy_block(1u, 1u, 1u, 1u);
    tilize_init(1u, 1u, 1u);
    tilize_block(1u, 1u, 1u, 1u, 1u);
    tilize_block(1u, 1u, 1u);
    tilize_uninit(1u, 1u);
    fast_tilize_init(1u, 1u, 1u);
    fast_tilize_block(1u, 1u, 1u, 1u, 1u);
    fast_tilize_block(1u, 1u, 1u);
    fast_tilize_uninit(1u, 1u, 1u);
    transpose_init(1u);
    transpose_tile(1u, 1u, 1u);
    transpose_block(1u, 1u, 1u, 1u);
    transpose_dest_init<DST_ACCUM_MODE>(1u);
    transpose_dest_init<DST_ACCUM_MODE>();
    transpose_dest<DST_ACCUM_MODE>(1u);
    xlogy_binary_tile_init();
    xlogy_binary_tile(1u, 1u, 1u);
}
