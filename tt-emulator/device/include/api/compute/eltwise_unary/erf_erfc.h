// Error functions.
#pragma once

#include "emulator/plain/eltwise_unary/erf_erfc.h"

namespace ckernel {

template <bool fast_and_approx = true>
ALWI void erf_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("erf_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = true>
ALWI void erf_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("erf_tile"), idst, line, 0, 0, 0, fast_and_approx);
}

}  // namespace ckernel
