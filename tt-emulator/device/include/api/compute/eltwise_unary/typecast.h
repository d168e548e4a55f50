// Conversions between bf16 and fp32: nothing into fp32, nearest bf16 (halves to even) the other way.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
constexpr void tt_check_typecast() {
    constexpr bool in = IN_DTYPE == static_cast<uint32_t>(DataFormat::Float32) || IN_DTYPE == static_cast<uint32_t>(DataFormat::Float16_b);
    constexpr bool out = OUT_DTYPE == static_cast<uint32_t>(DataFormat::Float32) || OUT_DTYPE == static_cast<uint32_t>(DataFormat::Float16_b);
    static_assert(in && out, "the emulator converts between Float16_b and Float32");
}

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init(TT_CALLER_LINE) {
    tt_check_typecast<IN_DTYPE, OUT_DTYPE>();
    tt_emulator::sfpu_init(TT_NAME("typecast_tile_init"), line, IN_DTYPE << 8 | OUT_DTYPE);
}

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, TT_WIDTH>
ALWI void typecast_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_check_typecast<IN_DTYPE, OUT_DTYPE>();
    constexpr bool rounds = IN_DTYPE != OUT_DTYPE && OUT_DTYPE == static_cast<uint32_t>(DataFormat::Float16_b);
    constexpr uint64_t name = rounds ? TT_NAME("typecast_tile to bf16") : TT_NAME("typecast_tile");
    tt_emulator::sfpu_unary(name, idst, line, 0, 0, 0, IN_DTYPE << 8 | OUT_DTYPE);
}

}  // namespace ckernel
