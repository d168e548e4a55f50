// Rounding to integers, and to decimals (halves to even).
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void rounding_op_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rounding_op_tile_init"), line); }

ALWI void ceil_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("ceil_tile"), idst, line); }

ALWI void floor_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("floor_tile"), idst, line); }

ALWI void trunc_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("trunc_tile"), idst, line); }

ALWI void frac_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("frac_tile"), idst, line); }

// 10^n as the nearest fp32.
constexpr float tt_power_of_ten(int32_t n) {
    double value = 1.0;
    for (int32_t i = 0; i < (n < 0 ? -n : n); ++i) {
        value *= 10.0;
    }
    return static_cast<float>(n < 0 ? 1.0 / value : value);
}

ALWI void round_tile(uint32_t idst, int32_t decimals, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(
        TT_NAME("round_tile"), idst, line, __builtin_bit_cast(uint32_t, tt_power_of_ten(decimals)),
        __builtin_bit_cast(uint32_t, tt_power_of_ten(-decimals)));
}

}  // namespace ckernel
