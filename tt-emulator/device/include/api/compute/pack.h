// The packer: from destination registers to circular buffers.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void pack_init(uint32_t ocb, TT_CALL_LINE) { tt_emulator_compute()->pack_init(ocb, line); }

// In order, or to page `output_tile_index` of the reserved ones.
template <bool out_of_order_output = false, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_tile(uint32_t ifrom_dst, uint32_t icb, uint32_t output_tile_index = 0, TT_CALLER_LINE) {
    tt_emulator_compute()->pack(ifrom_dst, icb, out_of_order_output, output_tile_index, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void pack_block(uint32_t ifrom_dst, uint32_t icb, uint32_t ntiles, TT_CALLER_LINE) {
    tt_emulator_compute()->pack(ifrom_dst, icb, 0, 0, ntiles, line);
}

// Until it is switched off, every pack into any buffer adds to what L1 holds.
ALWI void pack_reconfig_l1_acc(const uint32_t l1_acc_en, TT_CALLER_LINE) {
    tt_emulator_compute()->pack_l1_acc(l1_acc_en, line);
}

ALWI void pack_relu_config(const ReluConfig& config, TT_CALLER_LINE) {
    tt_emulator_compute()->pack_relu(static_cast<uint32_t>(config.get_mode()), config.get_threshold(), line);
}

}  // namespace ckernel
