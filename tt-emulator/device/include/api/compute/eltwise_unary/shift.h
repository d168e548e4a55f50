// Shifts by a scalar.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void left_shift_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<data_format>(TT_NAME("left_shift_tile"), idst, line, param0);
}

template <DataFormat data_format>
ALWI void right_shift_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<data_format>(TT_NAME("right_shift_tile"), idst, line, param0);
}

ALWI void left_shift_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("left_shift_tile_init"), line); }

ALWI void right_shift_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("right_shift_tile_init"), line); }

}  // namespace ckernel
