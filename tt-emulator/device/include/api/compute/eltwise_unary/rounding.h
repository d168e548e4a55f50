// Rounding to integers, and to decimals (halves to even).
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void rounding_op_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rounding_op_tile_init"), line); }

ALWI void ceil_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("ceil_tile"), idst, line); }

ALWI void floor_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("floor_tile"), idst, line); }

ALWI void trunc_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("trunc_tile"), idst, line); }

ALWI void frac_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("frac_tile"), idst, line); }

ALWI void round_tile(uint32_t idst, int32_t decimals, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("round_tile"), idst, line, static_cast<uint32_t>(decimals));
}

}  // namespace ckernel
