// Selection: idst1 where idst0 is not zero, else idst2. The format is that of the destination registers.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void where_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("where_tile_init"), line); }

template <DataFormat data_format>
ALWI void where_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::sfpu_ternary(TT_NAME("where_tile"), idst0, idst1, idst2, odst, line, static_cast<uint32_t>(data_format));
}

}  // namespace ckernel
