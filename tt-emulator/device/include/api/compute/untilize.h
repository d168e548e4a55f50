// The deprecated way to untilize, by the unpacker. Declared so that kernels compile that include it; the emulator does not
// compute it and says so.
#pragma once

#include "api/compute/common.h"
#include "emulator/refused.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("unpack-based untilize is deprecated; use pack_untilize instead.")]]
ALWI void untilize_init(uint32_t icb, TT_CALL_LINE) { TT_REFUSED(untilize_init); }

template <uint32_t block_ct_dim = 1, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("unpack-based untilize is deprecated; use pack_untilize instead.")]]
ALWI void untilize_block(uint32_t icb, uint32_t full_ct_dim, uint32_t ocb, TT_CALLER_LINE) { TT_REFUSED(untilize_block); }

[[deprecated("unpack-based untilize is deprecated; use pack_untilize instead.")]]
ALWI void untilize_uninit(uint32_t icb, TT_CALLER_LINE) { TT_REFUSED(untilize_uninit); }

}  // namespace ckernel
