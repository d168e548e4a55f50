// Hard tanh: the value between two bounds.
#pragma once

#include "emulator/plain/eltwise_unary/hardtanh.h"

namespace ckernel {

ALWI void hardtanh_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("hardtanh_tile_init"), line); }

ALWI void hardtanh_tile_pack(uint32_t idst, uint32_t param0, uint32_t param1, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("hardtanh_tile"), idst, line, param0, param1, 0, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
