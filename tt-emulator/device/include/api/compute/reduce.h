// Reductions by the matrix engine. From reduce_init to reduce_uninit the packer writes only what a reduction defines.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_init(uint32_t icb, uint32_t icb_scaler, uint32_t ocb, TT_CALL_LINE) {
    static_assert(reduce_type != PoolType::MIN, "the matrix engine has no minimum: negate and take the maximum");
    tt_emulator_compute()->reduce_init(
        static_cast<uint32_t>(reduce_type), static_cast<uint32_t>(reduce_dim), icb, icb_scaler, ocb, line);
}

ALWI void reduce_uninit(uint32_t icb = 0, TT_CALLER_LINE) { tt_emulator_compute()->reduce_uninit(line); }

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_tile(
    uint32_t icb, uint32_t icb_scaler, uint32_t itile, uint32_t itile_scaler, uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_compute()->reduce(
        static_cast<uint32_t>(reduce_type), static_cast<uint32_t>(reduce_dim), icb, icb_scaler, itile, itile_scaler, idst, 1, line);
}

template <PoolType reduce_type, ReduceDim reduce_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void reduce_block(
    uint32_t icb, uint32_t icb_scaler, uint32_t start_itile, uint32_t itile_scaler, uint32_t start_idst, uint32_t ntiles,
    TT_CALLER_LINE) {
    tt_emulator_compute()->reduce(
        static_cast<uint32_t>(reduce_type), static_cast<uint32_t>(reduce_dim), icb, icb_scaler, start_itile, itile_scaler,
        start_idst, ntiles, line);
}

}  // namespace ckernel
