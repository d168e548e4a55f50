// x - y * floor(x / y), with y and 1 / y given to the init.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void remainder_tile_init(uint32_t param0, uint32_t param1, TT_CALLER_LINE) {
    tt_emulator::sfpu_init(TT_NAME("remainder_tile_init"), line, 0, param0, param1);
}

ALWI void remainder_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_sfpu_call call = tt_emulator::sfpu_call(TT_NAME("remainder_tile"), idst);
    call.flags |= TT_EMULATOR_SFPU_WORDS_FROM_INIT;
    tt_emulator_compute()->sfpu(&call, line);
}

}  // namespace ckernel
