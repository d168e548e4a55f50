// x - y * trunc(x / y).
#pragma once

#include "emulator/plain/binary_fmod.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void fmod_int32_tile_init(TT_CALLER_LINE) { TT_REFUSED(fmod_int32_tile_init); }

ALWI void fmod_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(fmod_int32_tile); }

}  // namespace ckernel
