// Comparisons of integers: one or zero.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

template <DataFormat data_format>
ALWI void eq_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("eq_int_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void ne_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("ne_int_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void lt_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("lt_int_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void gt_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("gt_int_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void le_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("le_int_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void ge_int_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    tt_emulator::integer_binary<data_format>(TT_NAME("ge_int_tile"), idst0, idst1, odst, line);
}

template <DataFormat data_format>
ALWI void eq_int_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("eq_int_tile_init"), line); }

template <DataFormat data_format>
ALWI void ne_int_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("ne_int_tile_init"), line); }

template <DataFormat data_format>
ALWI void lt_int_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("lt_int_tile_init"), line); }

template <DataFormat data_format>
ALWI void gt_int_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("gt_int_tile_init"), line); }

template <DataFormat data_format>
ALWI void le_int_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("le_int_tile_init"), line); }

template <DataFormat data_format>
ALWI void ge_int_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("ge_int_tile_init"), line); }

}  // namespace ckernel
