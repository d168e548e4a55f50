// idst0 * idst1 + idst2.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void mac_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("mac_tile_init"), line); }

template <DataFormat data_format>
ALWI void mac_tile(uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, TT_CALLER_LINE) {
    // mac_tile_init fixed what is read and written: the real one ignores its indices (ckernel_sfpu_mac.h).
    if (idst0 != 0 || idst1 != 1 || idst2 != 2 || odst != 0) TT_REFUSED(mac_tile);
    tt_emulator::sfpu_ternary(
        TT_NAME("mac_tile"), idst0, idst1, idst2, odst, line, static_cast<uint32_t>(data_format));
}

}  // namespace ckernel
