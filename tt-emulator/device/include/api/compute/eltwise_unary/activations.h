// Hard sigmoid, softsign, CELU and the shrinking activations.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void hardsigmoid_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("hardsigmoid_tile_init"), line); }

ALWI void hardsigmoid_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("hardsigmoid_tile"), idst, line); }

ALWI void softsign_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("softsign_tile_init"), line); }

ALWI void softsign_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("softsign_tile"), idst, line); }

ALWI void celu_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("celu_tile_init"), line); }

template <TT_WIDTH>
ALWI void celu_tile(uint32_t idst, uint32_t alpha, uint32_t alpha_recip, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("celu_tile"), idst, line, alpha, alpha_recip); }

ALWI void softshrink_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("softshrink_tile_init"), line); }

ALWI void softshrink_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("softshrink_tile"), idst, line, param0); }

ALWI void hardshrink_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("hardshrink_tile_init"), line); }

ALWI void hardshrink_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("hardshrink_tile"), idst, line, param0); }

ALWI void hardsigmoid_tile_init_pack(TT_CALLER_LINE) { hardsigmoid_tile_init(line); }

ALWI void hardsigmoid_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("hardsigmoid_tile"), idst, line, 0, 0, 0, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
