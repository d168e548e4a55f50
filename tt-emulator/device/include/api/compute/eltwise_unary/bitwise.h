// Bitwise operations with a scalar.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void bitwise_and_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<data_format>(TT_NAME("bitwise_and_tile"), idst, line, param0);
}

template <DataFormat data_format>
ALWI void bitwise_or_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<data_format>(TT_NAME("bitwise_or_tile"), idst, line, param0);
}

template <DataFormat data_format>
ALWI void bitwise_xor_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<data_format>(TT_NAME("bitwise_xor_tile"), idst, line, param0);
}

ALWI void bitwise_and_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("bitwise_and_tile_init"), line); }

ALWI void bitwise_or_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("bitwise_or_tile_init"), line); }

ALWI void bitwise_xor_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("bitwise_xor_tile_init"), line); }

}  // namespace ckernel
