// scalar / x.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void rdiv_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rdiv_tile_init"), line); }

template <RoundingMode rounding_mode = RoundingMode::None, TT_WIDTH>
ALWI void rdiv_tile(uint32_t dst_index, uint32_t value, VectorMode vector_mode = VectorMode::RC, TT_CALLER_LINE) {
    static_assert(rounding_mode == RoundingMode::None, "the emulator divides without rounding to integers");
    tt_emulator::sfpu_unary(TT_NAME("rdiv_tile"), dst_index, line, value, 0, 0, 0, vector_mode);
}

}  // namespace ckernel
