// Exponential. `scale` (a bf16 pattern) multiplies the argument if scale_en.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

template <
    bool approx = false, uint32_t scale = 0x3F800000, InputClamping input_clamping = InputClamping::ClampToNegative, TT_WIDTH>
ALWI void exp_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("exp_tile_init"), line, approx); }

template <
    bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
    int iterations = 8, TT_WIDTH>
ALWI void exp_tile(
    uint32_t idst, VectorMode vector_mode = VectorMode::RC, uint16_t scale = p_sfpu::kCONST_1_FP16B, TT_CALLER_LINE) {
    const uint32_t factor = scale_en ? uint32_t(scale) << 16 : 0x3F800000;
    tt_emulator::sfpu_unary(TT_NAME("exp_tile"), idst, line, factor, 0, 0, approx, vector_mode);
}

}  // namespace ckernel
