// ln(1 / (1 + e^-x)), with x in the first register and e^-x in the second.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void logsigmoid_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("logsigmoid_tile_init"), line); }

ALWI void logsigmoid_tile(uint32_t idst_in0, uint32_t idst_in1, uint32_t idst_out, TT_CALLER_LINE) {
    tt_emulator::sfpu_binary(TT_NAME("logsigmoid_tile"), idst_in0, idst_in1, idst_out, line);
}

}  // namespace ckernel
