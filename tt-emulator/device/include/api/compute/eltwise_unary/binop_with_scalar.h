// A register and a scalar (an fp32 pattern). Division multiplies: pass the pattern of the reciprocal.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void binop_with_scalar_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binop_with_scalar_tile_init"), line); }

template <TT_WIDTH>
ALWI void add_unary_tile(uint32_t idst, uint32_t param1, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("add_unary_tile"), idst, line, param1); }

template <TT_WIDTH>
ALWI void sub_unary_tile(uint32_t idst, uint32_t param1, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("sub_unary_tile"), idst, line, param1); }

template <TT_WIDTH>
ALWI void mul_unary_tile(uint32_t idst, uint32_t param1, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("mul_unary_tile"), idst, line, param1); }

template <TT_WIDTH>
ALWI void div_unary_tile(uint32_t idst, uint32_t param1, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("div_unary_tile"), idst, line, param1); }

template <TT_WIDTH>
ALWI void rsub_unary_tile(uint32_t idst, uint32_t param1, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("rsub_unary_tile"), idst, line, param1); }

}  // namespace ckernel
