// Untilizing whole rows of tiles. On Wormhole it is pack_untilize; on Blackhole another order of the same moves.
#pragma once

#include "api/compute/pack_untilize.h"

namespace tt_emulator {

// Tiles that go through the destination registers at a time.
constexpr uint32_t fast_untilize_unit(uint32_t tiles) {
    return tiles % 4 == 0 ? 4 : tiles % 3 == 0 ? 3 : tiles % 2 == 0 ? 2 : 1;
}

}  // namespace tt_emulator

namespace ckernel {

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_init(uint32_t icb, uint32_t ocb, TT_CALL_LINE) {
    static_assert(full_ct_dim > 0, "fast_untilize full_ct_dim must be greater than 0");
    tt_emulator_compute()->untilize_init(icb, ocb, tt_emulator::fast_untilize_unit(full_ct_dim), full_ct_dim, static_cast<int>(line));
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb, TT_CALL_LINE) {
    fast_untilize_init<full_ct_dim, is_fp32_dest_acc_en>(icb, ocb, line);
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_block(
    uint32_t icb, uint32_t ocb, uint32_t input_tile_index = 0, uint32_t output_tile_index = 0, TT_CALLER_LINE) {
    static_assert(full_ct_dim > 0, "fast_untilize full_ct_dim must be greater than 0");
    constexpr uint32_t unit = tt_emulator::fast_untilize_unit(full_ct_dim);
    for (uint32_t column = 0; column < full_ct_dim / unit; ++column) {
        tt_emulator_compute()->untilize_block(
            icb, ocb, unit, full_ct_dim, 1, column, input_tile_index + column * unit, output_tile_index, line);
    }
}

template <std::uint32_t full_ct_dim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void fast_untilize_uninit(uint32_t ocb, TT_CALLER_LINE) {
    static_assert(full_ct_dim > 0, "fast_untilize full_ct_dim must be greater than 0");
    pack_untilize_uninit<is_fp32_dest_acc_en>(ocb, line);
}

}  // namespace ckernel
