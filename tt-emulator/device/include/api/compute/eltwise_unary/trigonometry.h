// Trigonometric and hyperbolic functions.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void sin_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("sin_tile_init"), line); }

template <TT_WIDTH>
ALWI void sin_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("sin_tile"), idst, line); }

ALWI void cos_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("cos_tile_init"), line); }

template <TT_WIDTH>
ALWI void cos_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("cos_tile"), idst, line); }

ALWI void tan_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("tan_tile_init"), line); }

template <TT_WIDTH>
ALWI void tan_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("tan_tile"), idst, line); }

template <TT_WIDTH>
ALWI void asin_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("asin_tile_init"), line); }

template <TT_WIDTH>
ALWI void asin_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("asin_tile"), idst, line); }

template <TT_WIDTH>
ALWI void acos_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("acos_tile_init"), line); }

template <TT_WIDTH>
ALWI void acos_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("acos_tile"), idst, line); }

template <TT_WIDTH>
ALWI void atan_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("atan_tile_init"), line); }

template <TT_WIDTH>
ALWI void atan_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("atan_tile"), idst, line); }

template <TT_WIDTH>
ALWI void sinh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("sinh_tile_init"), line); }

template <TT_WIDTH>
ALWI void sinh_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("sinh_tile"), idst, line); }

template <TT_WIDTH>
ALWI void cosh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("cosh_tile_init"), line); }

template <TT_WIDTH>
ALWI void cosh_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("cosh_tile"), idst, line); }

template <TT_WIDTH>
ALWI void asinh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("asinh_tile_init"), line); }

template <TT_WIDTH>
ALWI void asinh_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("asinh_tile"), idst, line); }

template <TT_WIDTH>
ALWI void acosh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("acosh_tile_init"), line); }

template <TT_WIDTH>
ALWI void acosh_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("acosh_tile"), idst, line); }

template <TT_WIDTH>
ALWI void atanh_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("atanh_tile_init"), line); }

template <TT_WIDTH>
ALWI void atanh_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("atanh_tile"), idst, line); }

}  // namespace ckernel
