// Closeness of two numbers. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <bool EQUAL_NAN = false>
ALWI void isclose_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, uint32_t rtol_bits, uint32_t atol_bits, TT_CALLER_LINE) { TT_REFUSED(isclose_binary_tile); }

ALWI void isclose_binary_tile_init(TT_CALLER_LINE) { TT_REFUSED(isclose_binary_tile_init); }

}  // namespace ckernel
