// Softplus.
#pragma once

#include "emulator/plain/eltwise_unary/softplus.h"

namespace ckernel {

ALWI void softplus_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("softplus_tile_init"), line); }

template <TT_WIDTH>
ALWI void softplus_tile_pack(uint32_t idst, uint32_t beta, uint32_t beta_reciprocal, uint32_t threshold, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(
        TT_NAME("softplus_tile"), idst, line, beta, beta_reciprocal, threshold, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
