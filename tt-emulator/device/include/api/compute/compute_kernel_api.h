// SFPU operations that have no header of their own.
#pragma once

#include "emulator/plain/compute_kernel_api.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("sigmoid_tile_init"), line, fast_and_approx); }

template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false, TT_WIDTH>
ALWI void sigmoid_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("sigmoid_tile"), idst, line, 0, 0, 0, fast_and_approx, vec_mode);
}

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void tanh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("tanh_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void tanh_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("tanh_tile"), idst, line, 0, 0, 0, fast_and_approx);
}

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void log_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("log_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void log_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("log_tile"), idst, line, 0, 0, 0, fast_and_approx);
}

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void log_with_base_tile_init(TT_CALLER_LINE) {
    tt_emulator::sfpu_init(TT_NAME("log_with_base_tile_init"), line, fast_and_approx);
}

// base_scale is the fp32 pattern of 1 / ln(base).
template <bool fast_and_approx = false, bool base_is_two = false, TT_WIDTH>
ALWI void log_with_base_tile(uint32_t idst, uint32_t base_scale, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("log_with_base_tile"), idst, line, base_scale, base_is_two, 0, fast_and_approx);
}

ALWI void power_iterative_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("power_iterative_tile_init"), line); }

// The exponent is an integer here, and an fp32 pattern in power_tile.
ALWI void power_iterative_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(
        TT_NAME("power_iterative_tile"), idst, line, __builtin_bit_cast(uint32_t, static_cast<float>(static_cast<int32_t>(param0))));
}

template <bool approx = false, TT_WIDTH>
ALWI void expm1_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("expm1_tile_init"), line, approx); }

template <bool approx = false, TT_WIDTH>
ALWI void expm1_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("expm1_tile"), idst, line, 0, 0, 0, approx);
}

template <PoolType pool_type, DataFormat format, TT_WIDTH>
ALWI void sfpu_reduce_init(TT_CALLER_LINE) {
    tt_emulator::sfpu_init(
        TT_NAME("sfpu_reduce_init"), line, static_cast<uint32_t>(pool_type) << 8 | static_cast<uint32_t>(format));
}

// Folds one register: its columns into row 0, or its rows into column 0. What lies elsewhere stays.
template <PoolType pool_type, DataFormat format, ReduceDim reduce_dim = ReduceDim::REDUCE_COL, TT_WIDTH>
ALWI void sfpu_reduce(uint32_t idst, uint32_t ct_dim = 1, uint32_t rt_dim = 1, TT_CALLER_LINE) {
    tt_emulator_sfpu_call call = tt_emulator::sfpu_call(TT_NAME("sfpu_reduce"), idst);
    call.variant = static_cast<uint32_t>(pool_type) << 8 | static_cast<uint32_t>(format);
    call.how[0] = static_cast<uint32_t>(pool_type);
    call.how[1] = ct_dim == 1 && rt_dim == 1 ? static_cast<uint32_t>(reduce_dim) : TT_EMULATOR_NO_DIMENSION;
    call.format = static_cast<uint32_t>(format);
    tt_emulator_compute()->sfpu(&call, line);
}

ALWI void abs_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("abs_tile_int32"), idst, line);
}

// On the thread of the packer (emulator/packer_thread.h).
template <bool fast_and_approx = false>
ALWI void sigmoid_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("sigmoid_tile_init"), line, fast_and_approx); }

template <VectorMode vec_mode = VectorMode::RC, bool fast_and_approx = false, TT_WIDTH>
ALWI void sigmoid_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("sigmoid_tile"), idst, line, 0, 0, 0, fast_and_approx, vec_mode, TT_EMULATOR_SFPU_FROM_PACKER);
}

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void tanh_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("tanh_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void tanh_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("tanh_tile"), idst, line, 0, 0, 0, fast_and_approx, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

ALWI void silu_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("silu_tile_init"), line); }

template <TT_WIDTH>
ALWI void silu_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("silu_tile"), idst, line, 0, 0, 0, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
