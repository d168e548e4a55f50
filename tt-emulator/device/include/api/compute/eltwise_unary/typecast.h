// Conversions between bf16 and fp32 (nothing into fp32, nearest bf16, halves to even, the other way), and between fp32 and
// integers of 32 bits with a sign.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/sfpu_integer.h"

namespace ckernel {

constexpr bool tt_is_number(uint32_t dtype) {
    return dtype == static_cast<uint32_t>(DataFormat::Float32) || dtype == static_cast<uint32_t>(DataFormat::Float16_b);
}

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
constexpr bool tt_between_integers = (IN_DTYPE == static_cast<uint32_t>(DataFormat::Int32) && tt_is_number(OUT_DTYPE)) ||
                                     (OUT_DTYPE == static_cast<uint32_t>(DataFormat::Int32) && tt_is_number(IN_DTYPE));

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
constexpr void tt_check_typecast() {
    static_assert(
        (tt_is_number(IN_DTYPE) && tt_is_number(OUT_DTYPE)) || tt_between_integers<IN_DTYPE, OUT_DTYPE>,
        "the emulator converts between Float16_b, Float32 and Int32");
}

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE>
ALWI void typecast_tile_init(TT_CALLER_LINE) {
    tt_check_typecast<IN_DTYPE, OUT_DTYPE>();
    tt_emulator::sfpu_init(TT_NAME("typecast_tile_init"), line, IN_DTYPE << 8 | OUT_DTYPE);
}

template <uint32_t IN_DTYPE, uint32_t OUT_DTYPE, TT_WIDTH>
ALWI void typecast_tile(uint32_t idst, TT_CALLER_LINE) {
    tt_check_typecast<IN_DTYPE, OUT_DTYPE>();
    constexpr uint32_t variant = IN_DTYPE << 8 | OUT_DTYPE;
    if constexpr (tt_between_integers<IN_DTYPE, OUT_DTYPE>) {
        constexpr bool from = IN_DTYPE == static_cast<uint32_t>(DataFormat::Int32);
        constexpr uint64_t name = from ? TT_NAME("typecast_tile from int32") : TT_NAME("typecast_tile to int32");
        tt_emulator::integer_unary<DataFormat::Int32>(name, idst, line, 0, variant);
    } else {
        constexpr bool rounds = IN_DTYPE != OUT_DTYPE && OUT_DTYPE == static_cast<uint32_t>(DataFormat::Float16_b);
        constexpr uint64_t name = rounds ? TT_NAME("typecast_tile to bf16") : TT_NAME("typecast_tile");
        tt_emulator::sfpu_unary(name, idst, line, 0, 0, 0, variant);
    }
}

}  // namespace ckernel
