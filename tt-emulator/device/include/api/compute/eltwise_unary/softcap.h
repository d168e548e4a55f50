// Soft cap. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void softcap_tile(uint32_t idst, uint32_t beta, uint32_t beta_recip, TT_CALLER_LINE) { TT_REFUSED(softcap_tile); }

ALWI void softcap_tile_init(TT_CALLER_LINE) { TT_REFUSED(softcap_tile_init); }

}  // namespace ckernel
