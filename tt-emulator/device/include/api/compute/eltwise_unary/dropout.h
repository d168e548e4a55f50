// Random zeros. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void dropout_tile(uint32_t idst, uint32_t probability, uint32_t scale_factor, TT_CALLER_LINE) { TT_REFUSED(dropout_tile); }

ALWI void dropout_kernel_init(uint32_t seed = 0, TT_CALLER_LINE) { TT_REFUSED(dropout_kernel_init); }

}  // namespace ckernel
