// Random numbers. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void rand_tile(uint32_t idst, uint32_t from, uint32_t scale, TT_CALLER_LINE) { TT_REFUSED(rand_tile); }

ALWI void rand_tile_init(uint32_t seed = 0, uint32_t stream_id = 0, TT_CALLER_LINE) { TT_REFUSED(rand_tile_init); }

}  // namespace ckernel
