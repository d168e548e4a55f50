// scalar - x.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"

namespace ckernel {

ALWI void rsub_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rsub_tile_init"), line); }

template <TT_WIDTH>
ALWI void rsub_tile(uint32_t idst, uint32_t scalar, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("rsub_tile"), idst, line, scalar); }

}  // namespace ckernel
