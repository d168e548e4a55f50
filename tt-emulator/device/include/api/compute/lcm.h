// Least common multiple.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void lcm_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::Int32>(TT_NAME("lcm_tile"), idst0, idst1, odst, line);
}

ALWI void lcm_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("lcm_tile_init"), line); }

}  // namespace ckernel
