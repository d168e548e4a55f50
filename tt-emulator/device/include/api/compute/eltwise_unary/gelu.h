// GELU: by a table of six lines (the default), exactly, and in its tanh form.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <bool fast_and_approx = true, TT_WIDTH>
ALWI void gelu_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("gelu_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = true, TT_WIDTH>
ALWI void gelu_tile(uint32_t idst, TT_CALLER_LINE) {
    constexpr uint64_t name = fast_and_approx ? TT_NAME("gelu_tile<true>") : TT_NAME("gelu_tile");
    tt_emulator::sfpu_unary(name, idst, line, 0, 0, 0, fast_and_approx);
}

template <bool fast = false>
ALWI void gelu_tanh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("gelu_tanh_tile_init"), line, fast); }

template <TT_WIDTH, bool fast = false>
ALWI void gelu_tanh_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("gelu_tanh_tile"), idst, line, 0, 0, 0, fast);
}

}  // namespace ckernel
