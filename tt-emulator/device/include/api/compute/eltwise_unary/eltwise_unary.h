// What unary kernels include; the inits here are deprecated.
#pragma once

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

namespace ckernel {

template <TT_WIDTH>
[[deprecated("Use compute_kernel_hw_startup(icb, ocb) once at kernel start, then copy_init(icb).")]]
ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb, TT_CALLER_LINE) {
    compute_kernel_hw_startup(icb, ocb, line);
    copy_init(icb, 0, false, line);
}

template <TT_WIDTH>
[[deprecated("Use compute_kernel_hw_startup(icb, ocb) once at kernel start, then copy_init(icb).")]]
ALWI void init_sfpu(uint32_t icb, uint32_t ocb, TT_CALLER_LINE) {
    compute_kernel_hw_startup(icb, ocb, line);
    copy_init(icb, 0, false, line);
}

}  // namespace ckernel
