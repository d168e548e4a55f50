// 1.0 where the value is zero, else 0.0.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void logical_not_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("logical_not_tile_init"), line); }

template <DataFormat DATA_FORMAT>
ALWI void logical_not_tile(uint32_t idst, TT_CALLER_LINE) {
    static_assert(DATA_FORMAT == DataFormat::Float32 || DATA_FORMAT == DataFormat::Float16_b, "the emulator computes fp32 and bf16");
    tt_emulator::sfpu_unary(TT_NAME("logical_not_tile"), idst, line);
}

}  // namespace ckernel
