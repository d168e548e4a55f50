// base^x.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void rpow_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rpow_tile_init"), line); }

template <TT_WIDTH>
ALWI void rpow_tile(uint32_t idst, uint32_t base_val, VectorMode vector_mode = VectorMode::RC, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("rpow_tile"), idst, line, base_val, 0, 0, 0, vector_mode);
}

}  // namespace ckernel
