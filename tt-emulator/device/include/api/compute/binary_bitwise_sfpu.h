// Bitwise operations on two registers of integers.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void bitwise_and_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("bitwise_and_binary_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void bitwise_or_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("bitwise_or_binary_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void bitwise_xor_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("bitwise_xor_binary_tile"), idst0, idst1, odst, line);
}

ALWI void binary_bitwise_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_bitwise_tile_init"), line); }

}  // namespace ckernel
