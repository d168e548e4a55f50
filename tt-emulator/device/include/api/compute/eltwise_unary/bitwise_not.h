// Bitwise complement.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void bitwise_not_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("bitwise_not_tile"), idst, line);
}

ALWI void bitwise_not_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("bitwise_not_tile_init"), line); }

}  // namespace ckernel
