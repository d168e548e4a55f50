// GELU: by a table of six lines (the default), exactly, and in its tanh form.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

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

// On the thread of the packer (emulator/packer_thread.h).
template <bool fast_and_approx = true, TT_WIDTH>
ALWI void gelu_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("gelu_tile_init"), line, fast_and_approx); }

template <bool fast_and_approx = true, TT_WIDTH>
ALWI void gelu_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    constexpr uint64_t name = fast_and_approx ? TT_NAME("gelu_tile<true>") : TT_NAME("gelu_tile");
    tt_emulator::sfpu_unary(name, idst, line, 0, 0, 0, fast_and_approx, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

template <bool fast = false>
ALWI void gelu_tanh_tile_init_pack(TT_CALLER_LINE) { tt_emulator::sfpu_init_pack(TT_NAME("gelu_tanh_tile_init"), line, fast); }

template <TT_WIDTH, bool fast = false>
ALWI void gelu_tanh_tile_pack(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("gelu_tanh_tile"), idst, line, 0, 0, 0, fast, VectorMode::RC, TT_EMULATOR_SFPU_FROM_PACKER);
}

template <bool fast_and_approx = false>
ALWI void gelu_derivative_tile_init(TT_CALLER_LINE) { TT_REFUSED(gelu_derivative_tile_init); }

template <bool fast_and_approx = false, TT_WIDTH>
ALWI void gelu_derivative_tile(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(gelu_derivative_tile); }

}  // namespace ckernel
