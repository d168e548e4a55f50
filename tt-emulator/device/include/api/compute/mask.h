// Masks: values stay where the mask is not zero. The mask is the register after the data, whatever the argument says.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void mask_tile_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("mask_tile_init"), line); }

ALWI void mask_tile(
    uint32_t idst_data, uint32_t idst2_mask, DataFormat data_format = DataFormat::Float16_b, TT_CALLER_LINE) {
    tt_emulator_sfpu_call call = tt_emulator::sfpu_call(TT_NAME("mask_tile"), idst_data);
    call.inputs[1] = idst_data + 1;
    call.format = data_format == DataFormat::Int32 ? static_cast<uint32_t>(data_format) : TT_EMULATOR_SFPU_ANY_FORMAT;
    tt_emulator_compute()->sfpu(&call, line);
}

ALWI void mask_posinf_tile(uint32_t idst_data, uint32_t idst2_mask, TT_CALLER_LINE) {
    tt_emulator::sfpu_binary(TT_NAME("mask_posinf_tile"), idst_data, idst_data + 1, idst_data, line);
}

}  // namespace ckernel
