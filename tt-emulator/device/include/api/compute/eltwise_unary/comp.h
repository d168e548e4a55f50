// Comparisons with a scalar (an fp32 pattern) and with zero: 1.0 or 0.0.
#pragma once

#include "emulator/plain/eltwise_unary/comp.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

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
