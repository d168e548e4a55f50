// Rounding to integers, and to decimals (halves to even).
#pragma once

#include "emulator/plain/eltwise_unary/rounding.h"

namespace ckernel {

ALWI void round_tile(uint32_t idst, int32_t decimals, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("round_tile"), idst, line, static_cast<uint32_t>(decimals));
}

}  // namespace ckernel
