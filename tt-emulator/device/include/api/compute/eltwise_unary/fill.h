// Sets a register to one value.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void fill_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("fill_tile_init"), line); }

ALWI void fill_tile(uint32_t idst, float param0, TT_CALLER_LINE) {
    tt_emulator::sfpu_unary(TT_NAME("fill_tile"), idst, line, __builtin_bit_cast(uint32_t, param0));
}

ALWI void fill_tile_bitcast(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("fill_tile"), idst, line, param0); }

template <DataFormat DATA_FORMAT>
ALWI void fill_tile_int(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_fill<DATA_FORMAT>(TT_NAME("fill_tile_int"), idst, line, param0);
}

}  // namespace ckernel
