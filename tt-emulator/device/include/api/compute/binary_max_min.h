// The larger and the smaller of two registers.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void binary_max_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_max_tile_init"), line); }

ALWI void binary_max_tile(
    uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC, TT_CALLER_LINE) {
    tt_emulator::sfpu_binary(TT_NAME("binary_max_tile"), idst0, idst1, odst, line, vector_mode);
}

ALWI void binary_min_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_min_tile_init"), line); }

ALWI void binary_min_tile(
    uint32_t idst0, uint32_t idst1, uint32_t odst, VectorMode vector_mode = VectorMode::RC, TT_CALLER_LINE) {
    tt_emulator::sfpu_binary(TT_NAME("binary_min_tile"), idst0, idst1, odst, line, vector_mode);
}

ALWI void binary_max_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::Int32>(TT_NAME("binary_max_int32_tile"), idst0, idst1, odst, line);
}

ALWI void binary_max_int32_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_max_int32_tile_init"), line); }

ALWI void binary_max_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::UInt32>(TT_NAME("binary_max_uint32_tile"), idst0, idst1, odst, line);
}

ALWI void binary_max_uint32_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_max_uint32_tile_init"), line); }

ALWI void binary_min_int32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::Int32>(TT_NAME("binary_min_int32_tile"), idst0, idst1, odst, line);
}

ALWI void binary_min_int32_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_min_int32_tile_init"), line); }

ALWI void binary_min_uint32_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<DataFormat::UInt32>(TT_NAME("binary_min_uint32_tile"), idst0, idst1, odst, line);
}

ALWI void binary_min_uint32_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("binary_min_uint32_tile_init"), line); }

}  // namespace ckernel
