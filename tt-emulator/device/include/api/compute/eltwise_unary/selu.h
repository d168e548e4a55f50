// SELU.
#pragma once

#include "emulator/plain/eltwise_unary/selu.h"

namespace ckernel {

ALWI void selu_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("selu_tile_init"), line); }

template <TT_WIDTH>
ALWI void selu_tile_pack(uint32_t idst, uint32_t scale, uint32_t alpha, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("selu_tile"), idst, line, scale, alpha, 0, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
