// Comparisons with a scalar (an fp32 pattern) and with zero: 1.0 or 0.0.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

ALWI void unary_eq_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("unary_eq_tile_init"), line); }

ALWI void unary_eq_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("unary_eq_tile"), idst, line, param0); }

ALWI void unary_ne_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("unary_ne_tile_init"), line); }

ALWI void unary_ne_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("unary_ne_tile"), idst, line, param0); }

ALWI void unary_lt_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("unary_lt_tile_init"), line); }

ALWI void unary_lt_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("unary_lt_tile"), idst, line, param0); }

ALWI void unary_le_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("unary_le_tile_init"), line); }

ALWI void unary_le_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("unary_le_tile"), idst, line, param0); }

ALWI void unary_gt_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("unary_gt_tile_init"), line); }

ALWI void unary_gt_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("unary_gt_tile"), idst, line, param0); }

ALWI void unary_ge_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("unary_ge_tile_init"), line); }

ALWI void unary_ge_tile(uint32_t idst, uint32_t param0, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("unary_ge_tile"), idst, line, param0); }

ALWI void eqz_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("eqz_tile_init"), line); }

ALWI void eqz_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("eqz_tile"), idst, line); }

ALWI void nez_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("nez_tile_init"), line); }

ALWI void nez_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("nez_tile"), idst, line); }

ALWI void ltz_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("ltz_tile_init"), line); }

ALWI void ltz_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("ltz_tile"), idst, line); }

ALWI void lez_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("lez_tile_init"), line); }

ALWI void lez_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("lez_tile"), idst, line); }

ALWI void gtz_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("gtz_tile_init"), line); }

ALWI void gtz_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("gtz_tile"), idst, line); }

ALWI void gez_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("gez_tile_init"), line); }

ALWI void gez_tile(uint32_t idst, TT_CALLER_LINE) { tt_emulator::sfpu_unary(TT_NAME("gez_tile"), idst, line); }

ALWI void unary_eq_tile_int32(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("unary_eq_tile_int32"), idst, line, param0);
}

ALWI void unary_ne_tile_int32(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("unary_ne_tile_int32"), idst, line, param0);
}

ALWI void unary_lt_tile_int32(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("unary_lt_tile_int32"), idst, line, param0);
}

ALWI void unary_le_tile_int32(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("unary_le_tile_int32"), idst, line, param0);
}

ALWI void unary_gt_tile_int32(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("unary_gt_tile_int32"), idst, line, param0);
}

ALWI void unary_ge_tile_int32(uint32_t idst, uint32_t param0, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("unary_ge_tile_int32"), idst, line, param0);
}

ALWI void eqz_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("eqz_tile_int32"), idst, line);
}

ALWI void nez_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("nez_tile_int32"), idst, line);
}

ALWI void ltz_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("ltz_tile_int32"), idst, line);
}

ALWI void lez_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("lez_tile_int32"), idst, line);
}

ALWI void gtz_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("gtz_tile_int32"), idst, line);
}

ALWI void gez_tile_int32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::Int32>(TT_NAME("gez_tile_int32"), idst, line);
}

ALWI void eqz_tile_uint16(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::UInt16>(TT_NAME("eqz_tile_int32"), idst, line);
}

ALWI void eqz_tile_uint32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::UInt32>(TT_NAME("eqz_tile_int32"), idst, line);
}

ALWI void nez_tile_uint16(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::UInt16>(TT_NAME("nez_tile_int32"), idst, line);
}

ALWI void nez_tile_uint32(uint32_t idst, TT_CALLER_LINE) {
    tt_emulator::integer_unary<DataFormat::UInt32>(TT_NAME("nez_tile_int32"), idst, line);
}

}  // namespace ckernel
