// Tests for infinities and NaN: 1.0 or 0.0.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void isinf_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("isinf_tile_init"), line); }

ALWI void isinf_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("isinf_tile"), idst, line); }

ALWI void isposinf_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("isposinf_tile_init"), line); }

ALWI void isposinf_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("isposinf_tile"), idst, line); }

ALWI void isneginf_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("isneginf_tile_init"), line); }

ALWI void isneginf_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("isneginf_tile"), idst, line); }

ALWI void isnan_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("isnan_tile_init"), line); }

ALWI void isnan_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("isnan_tile"), idst, line); }

ALWI void isfinite_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("isfinite_tile_init"), line); }

ALWI void isfinite_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("isfinite_tile"), idst, line); }

}  // namespace ckernel
