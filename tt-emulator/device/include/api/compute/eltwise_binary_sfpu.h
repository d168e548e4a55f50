// Element-wise SFPU operations on two registers. They keep fp32 where the matrix engine would cut to TF32.
#pragma once

#include "emulator/plain/eltwise_binary_sfpu.h"

namespace ckernel {

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, TT_WIDTH>
ALWI void add_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    constexpr bool nearest = dst_rounding_mode == DstRoundingMode::NearestEven;
    constexpr uint64_t name = nearest ? TT_NAME("add_binary_tile nearest") : TT_NAME("add_binary_tile");
    tt_emulator::sfpu_binary(name, idst0, idst1, odst, line);
}

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, TT_WIDTH>
ALWI void sub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    constexpr bool nearest = dst_rounding_mode == DstRoundingMode::NearestEven;
    constexpr uint64_t name = nearest ? TT_NAME("sub_binary_tile nearest") : TT_NAME("sub_binary_tile");
    tt_emulator::sfpu_binary(name, idst0, idst1, odst, line);
}

template <DstRoundingMode dst_rounding_mode = DstRoundingMode::Default, TT_WIDTH>
ALWI void rsub_binary_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) {
    constexpr bool nearest = dst_rounding_mode == DstRoundingMode::NearestEven;
    constexpr uint64_t name = nearest ? TT_NAME("rsub_binary_tile nearest") : TT_NAME("rsub_binary_tile");
    tt_emulator::sfpu_binary(name, idst0, idst1, odst, line);
}

ALWI void add_binary_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("add_binary_tile_init"), line); }

ALWI void sub_binary_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("sub_binary_tile_init"), line); }

ALWI void rsub_binary_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("rsub_binary_tile_init"), line); }

}  // namespace ckernel
