// Exponential. The accurate one multiplies its argument by the call's `scale` (a bf16 pattern) if scale_en; the
// approximate one by the init's (an fp32 pattern), and whether it clamps is in both.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };

// Bit 0: approximate. Bit 1: without clamping, which the init settles for the approximate one only.
constexpr uint32_t tt_exp_variant(bool approx, InputClamping clamping) {
    return approx ? (clamping == InputClamping::None ? 3 : 1) : 0;
}

template <
    bool approx = false, uint32_t scale = 0x3F800000, InputClamping input_clamping = InputClamping::ClampToNegative, TT_WIDTH>
ALWI void exp_tile_init(TT_CALLER_LINE) {
    constexpr uint32_t variant = tt_exp_variant(approx, input_clamping);
    tt_emulator::sfpu_init(TT_NAME("exp_tile_init"), line, variant, scale);
}

template <
    bool approx = false, bool scale_en = false, InputClamping input_clamping = InputClamping::ClampToNegative,
    int iterations = 8, TT_WIDTH>
ALWI void exp_tile(
    uint32_t idst, VectorMode vector_mode = VectorMode::RC, uint16_t scale = p_sfpu::kCONST_1_FP16B, TT_CALLER_LINE) {
    const uint32_t factor = scale_en ? uint32_t(scale) << 16 : 0x3F800000;
    constexpr uint32_t variant = tt_exp_variant(approx, input_clamping);
    tt_emulator::sfpu_unary(
        TT_NAME("exp_tile"), idst, line, factor, input_clamping == InputClamping::None, 0, variant, vector_mode,
        approx ? TT_EMULATOR_SFPU_WORDS_FROM_INIT : 0);
}

}  // namespace ckernel
