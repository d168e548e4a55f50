// idst0 + value * idst1 / idst2.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void addcdiv_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("addcdiv_tile_init"), line); }

template <DataFormat data_format, TT_WIDTH>
ALWI void addcdiv_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, uint32_t value, TT_CALLER_LINE) {
    tt_emulator::sfpu_ternary(
        TT_NAME("addcdiv_tile"), idst0, idst1, idst2, odst, line, static_cast<uint32_t>(data_format), value);
}

}  // namespace ckernel
