// ReLU and its relatives; parameters are fp32 patterns.
#pragma once

#include "emulator/plain/eltwise_unary/relu.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void leaky_relu_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("leaky_relu_tile_init"), line); }

ALWI void leaky_relu_tile(uint32_t idst, uint32_t slope = 0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("leaky_relu_tile"), idst, line, slope); }

ALWI void relu_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("relu_tile_int32"), idst, line);
}

ALWI void relu_max_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("relu_max_tile_init"), line); }

ALWI void relu_max_tile_pack(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("relu_max_tile"), idst, line, param0, 0, 0, 0, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

}  // namespace ckernel
