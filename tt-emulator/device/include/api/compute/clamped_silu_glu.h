// A gated linear unit with bounds. Declared so that kernels compile that include it; the emulator does not compute it
// and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void clamped_silu_glu_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC, TT_CALLER_LINE) { TT_REFUSED(clamped_silu_glu_tile); }

ALWI void clamped_silu_glu_tile_init(TT_CALLER_LINE) { TT_REFUSED(clamped_silu_glu_tile_init); }

}  // namespace ckernel
