// Sums of integers over a tile. Declared so that kernels compile that include it; the emulator does not compute it and
// says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void sfpu_sum_int_init(TT_CALLER_LINE) { TT_REFUSED(sfpu_sum_int_init); }

ALWI void sfpu_sum_int_col(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(sfpu_sum_int_col); }

ALWI void sfpu_sum_int_row(uint32_t idst, TT_CALLER_LINE) { TT_REFUSED(sfpu_sum_int_row); }

ALWI void sfpu_add_int(uint32_t idst, uint32_t dst_offset = 2, int32_t iterations = 8, TT_CALLER_LINE) { TT_REFUSED(sfpu_add_int); }

}  // namespace ckernel
