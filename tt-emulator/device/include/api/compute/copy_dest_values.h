// Copies one destination register into another.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

ALWI void copy_dest_values_init(TT_CALLER_LINE) { tt_emulator::sfpu_init(TT_NAME("copy_dest_values_init"), line); }

template <DataFormat DATA_FORMAT>
ALWI void copy_dest_values(uint32_t idst_in, uint32_t idst_out, TT_CALLER_LINE) {
    tt_emulator_sfpu_call call = tt_emulator::sfpu_call(TT_NAME("copy_dest_values"), idst_in);
    call.out = idst_out;
    call.format = static_cast<uint32_t>(DATA_FORMAT);
    tt_emulator_compute()->sfpu(&call, line);
}

}  // namespace ckernel
