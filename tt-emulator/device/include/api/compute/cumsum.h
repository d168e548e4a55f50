// Running sums down the columns of a tile, continued from the tile before unless `first`.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void cumsum_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("cumsum_tile_init"), line); }

ALWI void cumsum_tile(uint32_t idst, bool first = true, TT_CALLER_LINE) {
    tt_emulator_sfpu_call call = tt_emulator::sfpu_call(TT_NAME("cumsum_tile"), idst);
    call.words[0] = first;
    tt_emulator_compute()->sfpu(&call, line);
}

}  // namespace ckernel
