// Reciprocal square root.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

enum class RsqrtMode { Default, Fast };

ALWI void rsqrt_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rsqrt_tile_init"), line); }

template <RsqrtMode mode = RsqrtMode::Default, TT_WIDTH>
ALWI void rsqrt_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("rsqrt_tile"), idst, line); }

}  // namespace ckernel
