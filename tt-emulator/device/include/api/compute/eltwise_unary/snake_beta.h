// x + sin(alpha x)^2 / beta. Declared so that kernels compile that include it; the emulator does not compute it and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

template <DataFormat data_format, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void snake_beta_tile(uint32_t idst_x, uint32_t idst_alpha, uint32_t idst_beta, uint32_t idst_out, TT_CALLER_LINE) { TT_REFUSED(snake_beta_tile); }

ALWI void snake_beta_tile_init(TT_CALLER_LINE) { TT_REFUSED(snake_beta_tile_init); }

}  // namespace ckernel
