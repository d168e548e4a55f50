// Quotients of integers as integers.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void div_int32_floor_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::Int32>(TT_NAME("div_int32_floor_tile"), idst0, idst1, odst, line);
}

ALWI void div_int32_trunc_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::Int32>(TT_NAME("div_int32_trunc_tile"), idst0, idst1, odst, line);
}

ALWI void div_int32_floor_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("div_int32_floor_tile_init"), line); }

ALWI void div_int32_trunc_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("div_int32_trunc_tile_init"), line); }

}  // namespace ckernel
