// The first compute call of a kernel: programs unpackers, math and packer.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb, TT_CALLER_LINE) {
    tt_emulator_compute()->hw_startup(icb0, icb1, ocb, src_order == SrcOrder::Reverse, line);
}

ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t ocb, TT_CALLER_LINE) {
    compute_kernel_hw_startup<SrcOrder::Regular>(icb0, icb0, ocb, line);
}

}  // namespace ckernel
