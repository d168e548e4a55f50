// Reciprocal.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };

template <
    ReciprocalDestAcc dest_acc = DST_ACCUM_MODE ? ReciprocalDestAcc::FP32 : ReciprocalDestAcc::BF16,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile_init(TT_CALLER_LINE) {
    static_assert((dest_acc == ReciprocalDestAcc::FP32) == DST_ACCUM_MODE, "dest_acc is the width of the destination registers");
    tt_emulator::sfpu_init(TT_NAME("recip_tile_init"), line, static_cast<uint32_t>(approximation));
}

template <
    ReciprocalDestAcc dest_acc = DST_ACCUM_MODE ? ReciprocalDestAcc::FP32 : ReciprocalDestAcc::BF16,
    ReciprocalApproxMode approximation = ReciprocalApproxMode::Default>
ALWI void recip_tile(uint32_t idst, VectorMode vector_mode = VectorMode::RC, TT_CALLER_LINE) {
    static_assert((dest_acc == ReciprocalDestAcc::FP32) == DST_ACCUM_MODE, "dest_acc is the width of the destination registers");
    tt_emulator::sfpu_unary(
        TT_NAME("recip_tile"), idst, line, 0, 0, 0, static_cast<uint32_t>(approximation), vector_mode);
}

}  // namespace ckernel
