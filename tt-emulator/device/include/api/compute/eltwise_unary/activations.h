// Hard sigmoid, softsign, CELU and the shrinking activations.
#pragma once

#include "emulator/plain/eltwise_unary/activations.h"

namespace ckernel {

ALWI void hardsigmoid_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("hardsigmoid_tile_init"), line); }

ALWI void hardsigmoid_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("hardsigmoid_tile"), idst, line, 0, 0, 0, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
