// ln(e^x + e^y).
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <TT_WIDTH>
ALWI void logaddexp_binary_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("logaddexp_binary_tile_init"), line); }

template <TT_WIDTH>
ALWI void logaddexp_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::sfpu_binary(TT_NAME("logaddexp_binary_tile"), idst0, idst1, odst, line);
}

}  // namespace ckernel
