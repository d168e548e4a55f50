// x - y * trunc(x / y).
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void fmod_binary_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("fmod_binary_tile_init"), line); }

template <TT_WIDTH>
ALWI void fmod_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::sfpu_binary(TT_NAME("fmod_binary_tile"), idst0, idst1, odst, line);
}

ALWI void fmod_int32_tile_init(TT_CALLER_LINE) { TT_REFUSED(fmod_int32_tile_init); }

ALWI void fmod_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(fmod_int32_tile); }

}  // namespace ckernel
