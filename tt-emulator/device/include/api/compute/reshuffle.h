// Rows of one tile into another. Declared so that kernels compile that include it; the emulator does not compute it and
// says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void reshuffle_rows_tile(uint32_t idst, uint32_t idx_addr, TT_CALLER_LINE) { TT_REFUSED(reshuffle_rows_tile); }

ALWI void reshuffle_rows_tile_init(TT_CALLER_LINE) { TT_REFUSED(reshuffle_rows_tile_init); }

}  // namespace ckernel
