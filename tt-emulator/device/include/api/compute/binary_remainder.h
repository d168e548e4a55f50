// x - y * floor(x / y).
#pragma once

#include "emulator/plain/binary_remainder.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void remainder_int32_tile_init(TT_CALLER_LINE) { TT_REFUSED(remainder_int32_tile_init); }

ALWI void remainder_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(remainder_int32_tile); }

ALWI void remainder_uint32_tile_init(TT_CALLER_LINE) { TT_REFUSED(remainder_uint32_tile_init); }

ALWI void remainder_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(remainder_uint32_tile); }

}  // namespace ckernel
